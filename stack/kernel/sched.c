/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/sched/core.c: the question whether another task should run,
 * which in the model none ever should. */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/sched.h"

void __cond_resched(void)
{
	FUNCTION(__cond_resched);

	/* The bit that says so is kept with the preemption count. */
	(void)READ(THIS_CPU(preempt_count), __preempt_count);
}
