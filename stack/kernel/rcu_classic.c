/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/rcutree.c before 3.7, when there was no grace-period thread:
 * the CPU whose report is the last one ends a grace period, the CPU that wants
 * one starts it, and any CPU's softirq may do a forcing pass.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/kernel/rcu.h"

#define JIFFIES_TILL_FORCE_QS 3u

/* Nobody else is told: the leaves are next. */
static void announce(struct rcu_state *state, u64 seq)
{
	u64 now = JIFFIES();

	RCU_SET_GP_SEQ(state, seq);
	WRITE(state, gp_state, RCU_GP_IDLE);
	WRITE_ONCE(state, jiffies_force_qs, now + JIFFIES_TILL_FORCE_QS);
	rcu_note_gp_start(state);
}

static void init_node(struct rcu_node *rnp, u64 seq)
{
	struct rcu_data *rdp = THIS_CPU(rcu_data);

	SPIN_LOCK(rnp, lock);
	WRITE_ONCE(rnp, qsmask, READ(rnp, qsmaskinit));
	RCU_SET_GP_SEQ(rnp, seq);
	if (rnp == READ(rdp, mynode)) {
		__note_gp_changes(rnp, rdp);
		/* It starts here and now: later than all that is queued. */
		rcu_segcblist_all_wait(rdp);
	}
	SPIN_UNLOCK(rnp, lock);
}

void rcu_start_gp(void)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();
	u64 seq;
	u32 i;

	FUNCTION(rcu_start_gp);
	if (!rcu_cpu_needs_gp(THIS_CPU(rcu_data))) {
		SPIN_UNLOCK(root, lock);
		return;
	}
	if (READ(state, fqs_active)) {
		WRITE(state, fqs_need_gp, 1);
		SPIN_UNLOCK(root, lock);
		return;
	}
	seq = RCU_GP_SEQ_OF(state) + 1;
	announce(state, seq);
	SPIN_UNLOCK(root, lock);
	SPIN_LOCK(state, onofflock);
	for (i = 0; i < state->num_nodes; i++)
		init_node(state->nodes[i], seq);
	SPIN_LOCK(root, lock);
	WRITE(state, gp_state, RCU_SAVE_DYNTICK);
	SPIN_UNLOCK(root, lock);
	SPIN_UNLOCK(state, onofflock);
}

static void tell_nodes(struct rcu_state *state, u64 seq)
{
	u32 i;

	for (i = 0; i < state->num_nodes; i++) {
		struct rcu_node *rnp = state->nodes[i];

		SPIN_LOCK(rnp, lock);
		RCU_SET_GP_SEQ(rnp, seq);
		SPIN_UNLOCK(rnp, lock);
	}
}

/* The root is locked; comes back unlocked.  The nodes hear of it now, unless
 * the start of the next one, which this CPU wants, is going to tell them. */
void rcu_classic_gp_end(void)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();
	u64 seq = rcu_seq_end(RCU_GP_SEQ_OF(state));

	rcu_note_gp_end(state);
	if (rcu_segcblist_restempty(THIS_CPU(rcu_data), RCU_WAIT_TAIL)) {
		SPIN_UNLOCK(root, lock);
		tell_nodes(state, seq);
		SPIN_LOCK(root, lock);
	}
	RCU_SET_GP_SEQ(state, seq);
	WRITE(state, gp_state, RCU_GP_IDLE);
	rcu_start_gp();
}

/* One pass, with the root locked at both ends. */
static void force_pass(struct rcu_state *state, struct rcu_node *root)
{
	u32 phase = READ(state, gp_state);

	if (phase == RCU_GP_IDLE)
		return;
	SPIN_UNLOCK(root, lock);
	force_qs_rnp(phase == RCU_SAVE_DYNTICK);
	SPIN_LOCK(root, lock);
	if (phase == RCU_SAVE_DYNTICK && rcu_gp_in_progress())
		WRITE(state, gp_state, RCU_FORCE_QS);
}

/* fqslock is held. */
static void force_locked(struct rcu_state *state, bool relaxed)
{
	struct rcu_node *root = rcu_get_root();
	u64 now = JIFFIES();

	if (relaxed && !time_after(now, READ_ONCE(state, jiffies_force_qs)))
		return;
	WRITE_ONCE(state, n_force_qs, state->n_force_qs + 1);
	SPIN_LOCK(root, lock);
	WRITE_ONCE(state, jiffies_force_qs, now + JIFFIES_TILL_FORCE_QS);
	if (rcu_gp_in_progress()) {
		WRITE(state, fqs_active, 1);
		force_pass(state, root);
		WRITE(state, fqs_active, 0);
		if (READ(state, fqs_need_gp)) {
			WRITE(state, fqs_need_gp, 0);
			rcu_start_gp();
			return;
		}
	}
	SPIN_UNLOCK(root, lock);
}

void force_quiescent_state(bool relaxed)
{
	struct rcu_state *state = rcu_state();

	FUNCTION(force_quiescent_state);
	if (!rcu_gp_in_progress())
		return;
	cpu_irq_disable(this_cpu);
	if (SPIN_TRYLOCK(state, fqslock)) {
		force_locked(state, relaxed);
		SPIN_UNLOCK(state, fqslock);
	}
	cpu_irq_enable(this_cpu);
}
