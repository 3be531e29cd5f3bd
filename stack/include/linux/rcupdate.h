/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of RCU, and what waits for them (include/linux/rcupdate.h). */
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

/*
 * Frees what kmalloc() gave as soon as nobody can read it any more: a few
 * ticks later, or at the latest when the kernel ends.  Grace periods are not
 * modelled by what the CPUs do, but taken as RCU_GRACE_JIFFIES long.
 */
void kfree_rcu(void *object);
#define RCU_GRACE_JIFFIES 3u

/* From the tick: asks for the softirq if a grace period has ended. */
void rcu_check_callbacks(void);
void rcu_process_callbacks(void);
/* Has the CPU, if it is idle, to be woken for that?  Not charged. */
bool rcu_wants_cpu(const struct kernel *kernel, u32 cpu, u64 now);
void rcu_init(struct kernel *kernel);
/* Frees what still waits. */
void rcu_exit(struct kernel *kernel);

#endif
