/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models kernel/softirq.c: bottom halves off and on. */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"

#define SOFTIRQ_DISABLE_OFFSET 0x200u

/* The count is the CPU's, or in the running task's thread_info. */
static void preempt_count_add(u32 count)
{
	if (has(PREEMPT_COUNT_PERCPU))
		UPDATE(THIS_CPU(preempt_count), __preempt_count, += count);
	else
		UPDATE(current_task()->stack, preempt_count, += count);
}

void local_bh_disable(void)
{
	FUNCTION(local_bh_disable);
	preempt_count_add(SOFTIRQ_DISABLE_OFFSET);
}

void local_bh_enable(void)
{
	FUNCTION(local_bh_enable);
	preempt_count_add(-SOFTIRQ_DISABLE_OFFSET);
	(void)READ(THIS_CPU(irq_stat), __softirq_pending);
}
