/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/softirq.c: bottom halves off and on, and softirqs.
 *
 * A softirq runs at the end of the interrupt that has asked for it, with other
 * interrupts of its CPU waiting; or at the end of a section without bottom
 * halves into which that interrupt has cut.  There is no ksoftirqd.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/rx.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

#define SOFTIRQ_OFFSET 0x100u
#define SOFTIRQ_DISABLE_OFFSET 0x200u
#define SOFTIRQ_MASK 0xff00u

static void (*const softirq_vec[NUM_SOFTIRQ])(void) = {
	[TIMER_SOFTIRQ] = run_timer_softirq,
	[NET_RX_SOFTIRQ] = net_rx_action,
	[RCU_SOFTIRQ] = rcu_process_callbacks,
};

/* The count is the CPU's, or in the running task's thread_info. */
void preempt_count_add(u32 count)
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

/* Bottom halves are off here, or one runs; read with the count that has just
 * been changed, or in an interrupt. */
static bool in_softirq(void)
{
	u32 count = has(PREEMPT_COUNT_PERCPU) ?
		THIS_CPU(preempt_count)->__preempt_count :
		current_task()->stack->preempt_count;

	return count & SOFTIRQ_MASK;
}

static void __do_softirq(void)
{
	struct irq_cpustat *stat = THIS_CPU(irq_stat);
	u32 pending, nr;

	FUNCTION(__do_softirq);
	preempt_count_add(SOFTIRQ_OFFSET);
	while ((pending = READ(stat, __softirq_pending))) {
		WRITE(stat, __softirq_pending, 0);
		for (nr = 0; nr < NUM_SOFTIRQ; nr++)
			if (pending >> nr & 1)
				softirq_vec[nr]();
	}
	preempt_count_add(-SOFTIRQ_OFFSET);
}

void local_bh_enable(void)
{
	FUNCTION(local_bh_enable);
	preempt_count_add(-SOFTIRQ_DISABLE_OFFSET);
	if (unlikely(READ(THIS_CPU(irq_stat), __softirq_pending)) &&
	    !in_softirq())
		__do_softirq();
}

void raise_softirq(u32 nr)
{
	UPDATE(THIS_CPU(irq_stat), __softirq_pending, |= 1u << nr);
}

/* That nothing is pending costs what is in the interrupt's own number. */
void irq_exit(void)
{
	if (THIS_CPU(irq_stat)->__softirq_pending && !in_softirq())
		__do_softirq();
}
