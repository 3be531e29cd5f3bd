/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of RCU (include/linux/rcupdate.h). */
#ifndef STACK_LINUX_RCUPDATE_H
#define STACK_LINUX_RCUPDATE_H

#include "stack/kernel.h"

/* A section nests; without PREEMPT_RCU it costs nothing. */
void __rcu_read_lock(void);
void __rcu_read_unlock(void);

static inline void rcu_read_lock(void)
{
	if (has(PREEMPT_RCU))
		__rcu_read_lock();
}

static inline void rcu_read_unlock(void)
{
	if (has(PREEMPT_RCU))
		__rcu_read_unlock();
}

#endif
