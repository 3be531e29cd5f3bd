/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks and CPUs (include/linux/sched.h, kernel.h). */
#ifndef STACK_LINUX_SCHED_H
#define STACK_LINUX_SCHED_H

#include "stack/kernel.h"

enum { TASK_RUNNING, TASK_INTERRUPTIBLE };

/* Another task is to run; kept among the thread_info's flags. */
#define TIF_NEED_RESCHED 8u

void __cond_resched(void);

/* Stands where the kernel may sleep, whether it does or not. */
static inline void might_sleep(void)
{
	if (has(PREEMPT_DYNAMIC))
		__cond_resched();
}

/* The end of a system call, or of a piece of a kernel thread's work: gives way
 * to who is to run instead. */
void schedule(void);

/*
 * Makes a task run that sleeps or is about to, from wherever.  `asleep`: it has
 * called context_block(), or will without asking again.  `sync`: the waker will
 * soon sleep itself.
 */
void try_to_wake_up(struct context *context, bool asleep, bool sync);

/* From the tick: is the time of the running task up? */
void scheduler_tick(void);

static inline bool need_resched(void)
{
	return this_cpu->need_resched;
}

/* From another CPU: the running context there is to give way. */
static inline void resched_cpu(struct cpu *cpu)
{
	cpu->need_resched = true;
}

void sched_init(struct kernel *kernel);
void sched_exit(struct kernel *kernel);

static inline bool is_idle_task(void)
{
	return this_cpu->current == this_cpu->idle;
}

#endif
