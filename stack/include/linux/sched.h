/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being taken off the CPU (include/linux/sched.h, kernel.h). */
#ifndef STACK_LINUX_SCHED_H
#define STACK_LINUX_SCHED_H

#include "stack/kernel.h"

void __cond_resched(void);

/* Stands where the kernel may sleep, whether it does or not. */
static inline void might_sleep(void)
{
	if (has(PREEMPT_DYNAMIC))
		__cond_resched();
}

#endif
