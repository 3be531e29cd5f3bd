/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of kernel/rcu/tree.c that each CPU does for itself: it
 * notices grace periods, sorts its callbacks by them, passes quiescent states
 * and reports them, from the tick and in RCU's softirq.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/softirq.h"
#include "stack/kernel/rcu.h"

bool rcu_gp_in_progress(void)
{
	return rcu_seq_running(RCU_GP_SEQ_OF(rcu_state()));
}

/* ---- callbacks get a number ---- */

/* The grace period whose end is safe for what has been queued by now: the next
 * one, or the one after it if one runs, which may have begun before.  An inner
 * node's parent may know of one already. */
static u64 rcu_seq_snap(const struct rcu_node *rnp)
{
	u64 seq;

	if (has(RCU_GP_SEQ)) {
		seq = RCU_GP_SEQ_OF(rcu_state());
		return (seq + 2 * RCU_SEQ_MASK + 1) & ~RCU_SEQ_MASK;
	}
	seq = RCU_GP_SEQ_OF(rnp);
	if (rnp->parent)
		return (seq & ~RCU_SEQ_MASK) + 2 * (RCU_SEQ_MASK + 1);
	return (seq + 2 * RCU_SEQ_MASK + 1) & ~RCU_SEQ_MASK;
}

bool rcu_accelerate_cbs(struct rcu_node *rnp, struct rcu_data *rdp)
{
	u64 seq;

	FUNCTION(rcu_accelerate_cbs);
	if (!rcu_segcblist_pend_cbs(rdp))
		return false;
	seq = rcu_seq_snap(rnp);
	if (!rcu_segcblist_accelerate(rdp, seq))
		return false;
	return rcu_start_this_gp(rnp, rdp, seq);
}

void rcu_accelerate_cbs_unlocked(struct rcu_node *rnp, struct rcu_data *rdp)
{
	u64 seq = rcu_seq_snap(rnp);
	bool wake;

	if (has(RCU_GP_SEQ) && READ(rdp, gp_seq_needed) >= seq) {
		rcu_segcblist_accelerate(rdp, seq);
		return;
	}
	SPIN_LOCK(rnp, lock);
	wake = rcu_accelerate_cbs(rnp, rdp);
	SPIN_UNLOCK(rnp, lock);
	if (wake)
		rcu_gp_kthread_wake();
}

/* ---- a CPU notices ---- */

static bool rcu_advance_cbs(struct rcu_node *rnp, struct rcu_data *rdp, u64 seq)
{
	if (!has(RCU_CB_NUMBERS)) {
		rcu_segcblist_shift(rdp);
		return false;
	}
	if (!rcu_segcblist_pend_cbs(rdp))
		return false;
	rcu_segcblist_advance(rdp, seq);
	return rcu_accelerate_cbs(rnp, rdp);
}

/* A new one waits for this CPU, or has been told about it by others. */
static void note_new_gp(struct rcu_node *rnp, struct rcu_data *rdp)
{
	u64 qsmask = READ_ONCE(rnp, qsmask);
	bool needs = qsmask & READ(rdp, grpmask);

	WRITE(rdp, cpu_no_qs, needs);
	WRITE(rdp, core_needs_qs, needs);
	WRITE(rdp, ticks_this_gp, 0);
}

bool __note_gp_changes(struct rcu_node *rnp, struct rcu_data *rdp)
{
	u64 before, now;
	bool wake = false;

	FUNCTION(__note_gp_changes);
	before = RCU_GP_SEQ_OF(rdp);
	now = RCU_GP_SEQ_OF(rnp);
	if (before == now)
		return false;
	if (rcu_seq_completed_gp(before, now)) {
		wake = rcu_advance_cbs(rnp, rdp, now);
		WRITE(rdp, core_needs_qs, 0);
	} else if (has(RCU_CB_NUMBERS)) {
		wake = rcu_accelerate_cbs(rnp, rdp);
	}
	if (rcu_seq_new_gp(before, now))
		note_new_gp(rnp, rdp);
	RCU_SET_GP_SEQ(rdp, now);
	if (has(RCU_GP_SEQ)) {
		u64 needed = READ(rnp, gp_seq_needed);

		if (READ(rdp, gp_seq_needed) < needed)
			WRITE(rdp, gp_seq_needed, needed);
	}
	return wake;
}

/* Whoever holds the leaf will be gone the next time. */
void note_gp_changes(struct rcu_data *rdp)
{
	struct rcu_node *rnp;
	u64 mine;
	bool wake;

	cpu_irq_disable(this_cpu);
	rnp = READ(rdp, mynode);
	mine = RCU_GP_SEQ_OF(rdp);
	if (mine == RCU_GP_SEQ_OF(rnp) || !SPIN_TRYLOCK(rnp, lock)) {
		cpu_irq_enable(this_cpu);
		return;
	}
	wake = __note_gp_changes(rnp, rdp);
	SPIN_UNLOCK(rnp, lock);
	cpu_irq_enable(this_cpu);
	if (wake)
		rcu_gp_kthread_wake();
}

/* ---- quiescent states ---- */

/* This CPU is, right now, in no reader's section. */
static void rcu_qs(void)
{
	struct rcu_data *rdp = THIS_CPU(rcu_data);

	if (READ(rdp, cpu_no_qs))
		WRITE(rdp, cpu_no_qs, 0);
}

void rcu_note_context_switch(void)
{
	FUNCTION(rcu_note_context_switch);
	if (this_cpu->current->rcu_nesting)
		return;		/* the checks find it */
	rcu_qs();
}

static void rcu_report_qs_rdp(struct rcu_data *rdp)
{
	struct rcu_node *rnp = READ(rdp, mynode);
	u64 seq, mask;
	bool wake = false;

	FUNCTION(rcu_report_qs_rdp);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(rnp, lock);
	seq = RCU_GP_SEQ_OF(rdp);
	if (READ(rdp, cpu_no_qs) || seq != RCU_GP_SEQ_OF(rnp)) {
		WRITE(rdp, cpu_no_qs, 1);
		SPIN_UNLOCK(rnp, lock);
		cpu_irq_enable(this_cpu);
		return;
	}
	mask = READ(rdp, grpmask);
	WRITE(rdp, core_needs_qs, 0);
	if (!(READ_ONCE(rnp, qsmask) & mask)) {
		SPIN_UNLOCK(rnp, lock);
		cpu_irq_enable(this_cpu);
		return;
	}
	/* The grace period cannot end before this: the next one will do. */
	if (has(RCU_CB_NUMBERS))
		wake = rcu_accelerate_cbs(rnp, rdp);
	else
		rcu_segcblist_next_ready(rdp);
	if (has(RCU_GP_SEQ)) {
		WRITE_ONCE(rdp, rcu_urgent_qs, 0);
		WRITE_ONCE(rdp, rcu_need_heavy_qs, 0);
	}
	rcu_report_qs_rnp(mask, rnp, seq);
	cpu_irq_enable(this_cpu);
	if (wake)
		rcu_gp_kthread_wake();
}

static void rcu_check_quiescent_state(struct rcu_data *rdp)
{
	note_gp_changes(rdp);
	if (!READ(rdp, core_needs_qs))
		return;
	if (READ(rdp, cpu_no_qs))
		return;
	rcu_report_qs_rdp(rdp);
}

/* ---- the tick ---- */

static bool needs_gp_without_numbers(struct rcu_data *rdp)
{
	u64 mine = READ(rdp, completed);
	bool missed = READ_ONCE(rcu_state(), completed) != mine;

	return !rcu_segcblist_restempty(rdp, RCU_DONE_TAIL + missed);
}

/* Some callbacks wait for a grace period that nobody has started. */
bool rcu_cpu_needs_gp(struct rcu_data *rdp)
{
	u64 seq = RCU_GP_SEQ_OF(rcu_state());

	if (rcu_seq_running(seq))
		return false;
	if (!has(RCU_CB_NUMBERS))
		return needs_gp_without_numbers(rdp);
	if (!rcu_segcblist_restempty(rdp, RCU_NEXT_READY_TAIL))
		return true;
	return !has(RCU_GP_SEQ) && rcu_segcblist_future_gp_needed(rdp, seq);
}

/* Before there was the thread, a tick in the kernel asks for a context switch
 * when the grace period has to be forced anyhow. */
static void hurry(struct rcu_data *rdp)
{
	u64 force;

	if (has(RCU_GP_KTHREAD) || !READ(rdp, core_needs_qs))
		return;
	force = READ_ONCE(rcu_state(), jiffies_force_qs);
	if (time_after(JIFFIES(), force - 1))
		resched_cpu(this_cpu);
}

static bool rcu_pending(void)
{
	struct rcu_data *rdp = THIS_CPU(rcu_data);
	u64 mine;

	if (READ(rdp, core_needs_qs) && !READ(rdp, cpu_no_qs))
		return true;
	hurry(rdp);
	if (rcu_segcblist_ready_cbs(rdp) || rcu_cpu_needs_gp(rdp))
		return true;
	mine = RCU_GP_SEQ_OF(rdp);
	if (mine != RCU_GP_SEQ_OF(READ(rdp, mynode)))
		return true;
	if (has(RCU_GP_KTHREAD) || !rcu_gp_in_progress())
		return false;
	mine = READ_ONCE(rcu_state(), jiffies_force_qs);
	return time_after(JIFFIES(), mine);
}

/* What a tick cuts into is a quiescent state in user mode and in the idle
 * loop; with PREEMPT_RCU, where the task tells, everywhere outside of sections
 * and of what must not be preempted. */
static bool is_quiescent(bool user)
{
	const struct context *current = this_cpu->current;

	if (in_softirq() || current->rcu_nesting)
		return false;
	return user || is_idle_task() ||
	       (has(PREEMPT_RCU) && !current->atomic);
}

static void take_urgency(struct rcu_data *rdp, bool user)
{
	if (!READ_ONCE(rdp, rcu_urgent_qs))
		return;
	if (!is_idle_task() && !user)
		resched_cpu(this_cpu);
	WRITE_ONCE(rdp, rcu_urgent_qs, 0);
}

void rcu_check_callbacks(bool user)
{
	struct rcu_data *rdp = THIS_CPU(rcu_data);

	UPDATE(rdp, ticks_this_gp, += 1);
	if (has(RCU_GP_SEQ))
		take_urgency(rdp, user);
	if (is_quiescent(user))
		rcu_qs();
	if (rcu_pending())
		raise_softirq(RCU_SOFTIRQ);
}

/* ---- the softirq ---- */

static void start_gp_if_needed(struct rcu_data *rdp)
{
	struct rcu_node *rnp;

	cpu_irq_disable(this_cpu);
	if (!rcu_cpu_needs_gp(rdp)) {
		cpu_irq_enable(this_cpu);
		return;
	}
	if (has(RCU_GP_KTHREAD)) {
		rcu_accelerate_cbs_unlocked(READ(rdp, mynode), rdp);
	} else {
		rnp = rcu_get_root();
		SPIN_LOCK(rnp, lock);
		rcu_start_gp();
	}
	cpu_irq_enable(this_cpu);
}

void rcu_process_callbacks(void)
{
	struct rcu_data *rdp = THIS_CPU(rcu_data);

	FUNCTION(rcu_process_callbacks);
	if (!has(RCU_GP_KTHREAD)) {
		u64 force = READ_ONCE(rcu_state(), jiffies_force_qs);

		if (time_after(JIFFIES(), force))
			force_quiescent_state(true);
	}
	rcu_check_quiescent_state(rdp);
	start_gp_if_needed(rdp);
	if (!rcu_segcblist_ready_cbs(rdp))
		return;
	rcu_do_batch(rdp);
	if (rcu_segcblist_ready_cbs(rdp))
		raise_softirq(RCU_SOFTIRQ);
}

/* An idle CPU's tick goes on while it has callbacks, or RCU waits for it. */
bool rcu_wants_cpu(const struct kernel *kernel, u32 cpu)
{
	return kernel->percpu[cpu].rcu_data->cblist.len;
}
