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

/* The end of a system call: gives way to who waits for it. */
void schedule(void);

static inline bool need_resched(void)
{
	return this_cpu->need_resched;
}

/* From another CPU: the running context there is to give way. */
static inline void resched_cpu(struct cpu *cpu)
{
	cpu->need_resched = true;
}

/* Context switches and sleeping CPUs tell RCU. */
void sched_init(struct kernel *kernel);

static inline bool is_idle_task(void)
{
	return this_cpu->current == this_cpu->idle;
}

#endif
