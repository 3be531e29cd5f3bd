/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of kernel/rcu/tree.c that joins the CPUs: reports go up the
 * tree of nodes, and forcing passes look for CPUs that are idle and push those
 * that are not.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/sched.h"
#include "stack/kernel/rcu.h"

/* The last report of a node goes on to its parent. */
void rcu_report_qs_rnp(u64 mask, struct rcu_node *rnp, u64 seq)
{
	struct rcu_node *parent;
	u64 left;

	FUNCTION(rcu_report_qs_rnp);
	for (;;) {
		if (!(READ_ONCE(rnp, qsmask) & mask) ||
		    RCU_GP_SEQ_OF(rnp) != seq) {
			SPIN_UNLOCK(rnp, lock);
			return;
		}
		left = rnp->qsmask & ~mask;
		WRITE_ONCE(rnp, qsmask, left);
		if (left) {
			SPIN_UNLOCK(rnp, lock);
			return;
		}
		mask = READ(rnp, grpmask);
		parent = READ(rnp, parent);
		if (!parent)
			break;
		SPIN_UNLOCK(rnp, lock);
		SPIN_LOCK(parent, lock);
		rnp = parent;
		WORK(12);
	}
	rcu_report_qs_rsp();
}

/* ---- idle CPUs ---- */

static u32 dynticks_of(u32 cpu)
{
	const struct percpu_area *area = &this_kernel()->percpu[cpu];

	if (has(CONTEXT_TRACKING_STATE))
		return ATOMIC_ADD_RETURN(area->context_tracking, state, 0);
	return ATOMIC_ADD_RETURN(area->rcu_dynticks, dynticks, 0);
}

/* Enters or leaves the idle loop; for interrupts that come there, too. */
void rcu_idle(bool asleep)
{
	u32 now = has(CONTEXT_TRACKING_STATE) ?
		THIS_CPU(context_tracking)->state :
		THIS_CPU(rcu_dynticks)->dynticks;

	if (!(now & 1) == asleep)
		return;
	FUNCTION(rcu_idle);
	if (has(CONTEXT_TRACKING_STATE))
		ATOMIC_INC(THIS_CPU(context_tracking), state);
	else
		ATOMIC_INC(THIS_CPU(rcu_dynticks), dynticks);
}

/* The first pass of a grace period: who is idle now? */
static bool dyntick_save_progress_counter(struct rcu_data *rdp)
{
	u32 dynticks = dynticks_of(READ(rdp, cpu));

	WRITE(rdp, dynticks_snap, dynticks);
	return !(dynticks & 1);
}

/* 4.6 sends a CPU into the scheduler that has not reported for a twentieth of
 * a second; the two bits it sets before that are for others to ask. */
static void push_cpu(struct rcu_data *rdp)
{
	struct rcu_state *state = rcu_state();
	u64 late = READ(state, gp_start), now = JIFFIES();

	late += READ(rcu_tunables(), jiffies_till_sched_qs);
	if (!time_before(now, late) ||
	    !time_before(now, READ(state, jiffies_resched))) {
		WRITE_ONCE(rdp, rcu_need_heavy_qs, 1);
		UPDATE(state, jiffies_resched, += 5);
	}
	if (!time_before(now, late))
		resched_cpu(&this_cpu->machine->cpus[READ(rdp, cpu)]);
}

/* Newer ones ask it to, at its next tick. */
static void ask_cpu(struct rcu_data *rdp)
{
	struct rcu_state *state = rcu_state();
	u64 start = READ(state, gp_start), now = JIFFIES();
	u64 wait = READ(rcu_tunables(), jiffies_till_sched_qs);

	if (!READ_ONCE(rdp, rcu_need_heavy_qs) &&
	    (time_after(now, start + 2 * wait) ||
	     time_after(now, READ(state, jiffies_resched)))) {
		WRITE_ONCE(rdp, rcu_need_heavy_qs, 1);
		WRITE_ONCE(rdp, rcu_urgent_qs, 1);
	} else if (time_after(now, start + wait)) {
		WRITE_ONCE(rdp, rcu_urgent_qs, 1);
	}
	if (time_after(now, READ(state, jiffies_resched)))
		resched_cpu(&this_cpu->machine->cpus[READ(rdp, cpu)]);
}

/* The later passes: who has been idle since? */
static bool rcu_implicit_dynticks_qs(struct rcu_data *rdp)
{
	u32 dynticks = dynticks_of(READ(rdp, cpu));
	u32 snap = READ(rdp, dynticks_snap);

	if (!(dynticks & 1) || dynticks - snap >= 2)
		return true;
	if (has(RCU_GP_SEQ))
		ask_cpu(rdp);
	else if (has(RCU_GP_KTHREAD))
		push_cpu(rdp);
	return false;
}

static void force_qs_leaf(struct rcu_node *rnp, bool first_time)
{
	u64 waiting = READ_ONCE(rnp, qsmask), mask = 0, bit = 1;
	u32 cpu;

	for (cpu = rnp->grplo; cpu <= rnp->grphi; cpu++, bit <<= 1) {
		struct rcu_data *rdp = rcu_data_of(cpu);

		WORK(8);
		if (!(waiting & bit))
			continue;
		if (first_time ? dyntick_save_progress_counter(rdp) :
		    rcu_implicit_dynticks_qs(rdp))
			mask |= bit;
	}
	if (mask)
		rcu_report_qs_rnp(mask, rnp, RCU_GP_SEQ_OF(rnp));
	else
		SPIN_UNLOCK(rnp, lock);
}

void force_qs_rnp(bool first_time)
{
	const struct rcu_state *state = rcu_state();
	u32 i;

	FUNCTION(force_qs_rnp);
	for (i = state->first_leaf; i < state->num_nodes; i++) {
		struct rcu_node *rnp = state->nodes[i];

		cpu_irq_disable(this_cpu);
		SPIN_LOCK(rnp, lock);
		if (READ_ONCE(rnp, qsmask))
			force_qs_leaf(rnp, first_time);
		else
			SPIN_UNLOCK(rnp, lock);
		cpu_irq_enable(this_cpu);
	}
}
