/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/softirq.c: bottom halves off and on, and softirqs.
 *
 * A softirq runs at the end of the interrupt that has asked for it, and other
 * interrupts of its CPU may cut in; or at the end of a section without bottom
 * halves into which that interrupt has cut.  What asks for more and more is
 * served for some rounds, then handed over to ksoftirqd.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/kthread.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/sch_generic.h"

#define MAX_SOFTIRQ_RESTART 10
#define MAX_SOFTIRQ_MS 2
#define SOFTIRQ_OFFSET 0x100u
#define SOFTIRQ_DISABLE_OFFSET 0x200u
#define SOFTIRQ_MASK 0xff00u

static void (*const softirq_vec[NUM_SOFTIRQ])(void) = {
	[TIMER_SOFTIRQ] = run_timer_softirq,
	[NET_TX_SOFTIRQ] = net_tx_action,
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

/* Read with the count that has just been changed, or in an interrupt. */
bool in_softirq(void)
{
	u32 count = has(PREEMPT_COUNT_PERCPU) ?
		THIS_CPU(preempt_count)->__preempt_count :
		current_task()->stack->preempt_count;

	return count & SOFTIRQ_MASK;
}

/* ---- ksoftirqd ---- */

static void __do_softirq(void);

/* After each batch it gives way to the tasks beside it, if it has had its
 * share; what is pending then waits for its next turn, or for an interrupt. */
static void ksoftirqd(void *arg)
{
	const struct percpu_area *area = arg;

	for (;;) {
		while (!READ(area->irq_stat, __softirq_pending))
			kthread_sleep(area->ksoftirqd, 0);
		FUNCTION(run_ksoftirqd);
		__do_softirq();
		might_sleep();
		if (need_resched())
			schedule();
		rcu_note_context_switch();
	}
}

static void wakeup_softirqd(void)
{
	struct kernel *kernel = this_kernel();
	struct percpu_area *area = &kernel->percpu[this_cpu->id];

	FUNCTION(wakeup_softirqd);
	if (!area->ksoftirqd)
		area->ksoftirqd = kthread_create(kernel, this_cpu->id, true,
						 "ksoftirqd", ksoftirqd, area);
	wake_up_process(area->ksoftirqd);
}

/* It has been woken and has not slept again. */
static bool ksoftirqd_running(void)
{
	const struct kthread *thread = THIS_CPU(ksoftirqd);

	return has(KSOFTIRQD_RUNNING) && thread && !thread->asleep;
}

void softirq_exit(struct kernel *kernel)
{
	u32 i;

	for (i = 0; kernel->percpu && i < kernel->machine->num_cpus; i++)
		kthread_free(kernel->percpu[i].ksoftirqd);
}

/* ---- running softirqs ---- */

static void run_pending(u32 pending)
{
	u32 in_irq = cpu_irq_open(this_cpu), nr;

	for (nr = 0; nr < NUM_SOFTIRQ; nr++)
		if (pending >> nr & 1)
			softirq_vec[nr]();
	cpu_irq_close(this_cpu, in_irq);
}

/* May what has been asked for meanwhile be served here, once more? */
static bool may_restart(u32 rounds, u64 started)
{
	u64 limit = (MAX_SOFTIRQ_MS * HZ + 999) / 1000;

	if (rounds >= MAX_SOFTIRQ_RESTART)
		return false;
	return !has(SOFTIRQ_TIME_LIMIT) ||
	       (!need_resched() && time_before(JIFFIES(), started + limit));
}

static void __do_softirq(void)
{
	struct irq_cpustat *stat = THIS_CPU(irq_stat);
	u32 pending, rounds = 0;
	u64 started = 0;

	FUNCTION(__do_softirq);
	if (has(SOFTIRQ_TIME_LIMIT))
		started = JIFFIES();
	preempt_count_add(SOFTIRQ_OFFSET);
	while ((pending = READ(stat, __softirq_pending))) {
		if (rounds && !may_restart(rounds, started)) {
			wakeup_softirqd();
			break;
		}
		WRITE(stat, __softirq_pending, 0);
		run_pending(pending);
		rounds++;
	}
	preempt_count_add(-SOFTIRQ_OFFSET);
}

void local_bh_enable(void)
{
	FUNCTION(local_bh_enable);
	preempt_count_add(-SOFTIRQ_DISABLE_OFFSET);
	if (unlikely(READ(THIS_CPU(irq_stat), __softirq_pending)) &&
	    !in_softirq() && !ksoftirqd_running())
		__do_softirq();
}

void raise_softirq(u32 nr)
{
	UPDATE(THIS_CPU(irq_stat), __softirq_pending, |= 1u << nr);
}

/* That nothing is pending costs what is in the interrupt's own number. */
void irq_exit(void)
{
	if (THIS_CPU(irq_stat)->__softirq_pending && !in_softirq() &&
	    !ksoftirqd_running())
		__do_softirq();
}
