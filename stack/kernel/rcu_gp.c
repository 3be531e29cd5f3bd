/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the grace-period thread of kernel/rcu/tree.c, which is there since
 * 3.7: it starts a grace period when it is asked to, forces quiescent states
 * while it waits, and ends it.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/softirq.h"
#include "stack/kernel/rcu.h"

/* ---- asking for a grace period ---- */

static bool is_asked_for(struct rcu_node *rnp, bool leaf, u64 seq)
{
	u64 now = RCU_GP_SEQ_OF(rnp);

	/* It may have begun; and one that runs will see what the leaf says. */
	return READ(rnp, gp_seq_needed) >= seq ||
	       ((seq - 1) & ~RCU_SEQ_MASK) < now ||
	       (!leaf && rcu_seq_running(now));
}

/* Notes at the nodes from the leaf up that somebody wants the grace period
 * that ends at `seq`.  The leaf is locked.  True: the thread is to be woken. */
bool rcu_start_this_gp(struct rcu_node *leaf, struct rcu_data *rdp, u64 seq)
{
	struct rcu_node *rnp = leaf, *parent;
	struct rcu_state *state = rcu_state();
	bool wake = false;

	FUNCTION(rcu_start_this_gp);
	for (;;) {
		if (is_asked_for(rnp, rnp == leaf, seq))
			break;
		WRITE(rnp, gp_seq_needed, seq);
		if (rcu_seq_running(RCU_GP_SEQ_OF(rnp)))
			break;
		parent = READ(rnp, parent);
		if (!parent) {
			wake = !rcu_gp_in_progress();
			break;
		}
		if (rnp != leaf)
			SPIN_UNLOCK(rnp, lock);
		rnp = parent;
		SPIN_LOCK(rnp, lock);
	}
	if (wake)
		WRITE_ONCE(state, gp_flags,
			   READ_ONCE(state, gp_flags) | RCU_GP_FLAG_INIT);
	if (has(RCU_GP_SEQ) && seq < READ(rnp, gp_seq_needed)) {
		WRITE(rdp, gp_seq_needed, rnp->gp_seq_needed);
		if (rnp != leaf)
			WRITE(leaf, gp_seq_needed, rnp->gp_seq_needed);
	}
	if (rnp != leaf)
		SPIN_UNLOCK(rnp, lock);
	return wake;
}

void rcu_gp_kthread_wake(void)
{
	struct rcu_state *state = rcu_state();

	FUNCTION(rcu_gp_kthread_wake);
	if (!READ_ONCE(state, gp_flags))
		return;
	if (state->gp_kthread && !in_softirq() &&
	    this_cpu->current == state->gp_kthread->context)
		return;
	ATOMIC_INC(state, gp_wq);
	if (!state->gp_kthread)
		state->gp_kthread = kthread_create(this_kernel(), 0, false,
						   "rcu_gp", rcu_gp_kthread,
						   this_kernel());
	wake_up_process(state->gp_kthread);
}

/* The last node has reported. */
static void end_is_near(void)
{
	struct rcu_state *state = rcu_state();

	WRITE_ONCE(state, gp_flags,
		   READ_ONCE(state, gp_flags) | RCU_GP_FLAG_FQS);
	SPIN_UNLOCK(rcu_get_root(), lock);
	rcu_gp_kthread_wake();
}

void rcu_report_qs_rsp(void)
{
	if (has(RCU_GP_KTHREAD))
		end_is_near();
	else
		rcu_classic_gp_end();
}

/* Too many callbacks: a pass now, unless one has been asked for. */
void rcu_force_quiescent_state(void)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();
	u32 flags;

	if (!has(RCU_GP_KTHREAD)) {
		force_quiescent_state(false);
		return;
	}
	FUNCTION(force_quiescent_state);
	if (READ_ONCE(state, gp_flags) & RCU_GP_FLAG_FQS)
		return;
	SPIN_LOCK(root, lock);
	flags = READ_ONCE(state, gp_flags);
	if (flags & RCU_GP_FLAG_FQS) {
		SPIN_UNLOCK(root, lock);
		return;
	}
	WRITE_ONCE(state, gp_flags, flags | RCU_GP_FLAG_FQS);
	SPIN_UNLOCK(root, lock);
	rcu_gp_kthread_wake();
}

/* ---- the thread ---- */

static void init_node(struct rcu_node *rnp, u64 seq)
{
	struct rcu_data *rdp;

	cpu_irq_disable(this_cpu);
	SPIN_LOCK(rnp, lock);
	rdp = THIS_CPU(rcu_data);
	WRITE_ONCE(rnp, qsmask, READ(rnp, qsmaskinit));
	RCU_SET_GP_SEQ(rnp, seq);
	if (rnp == READ(rdp, mynode))
		__note_gp_changes(rnp, rdp);
	SPIN_UNLOCK(rnp, lock);
	cpu_irq_enable(this_cpu);
}

static bool rcu_gp_init(void)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();
	u64 seq;
	u32 i;

	FUNCTION(rcu_gp_init);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(root, lock);
	if (!READ_ONCE(state, gp_flags)) {
		SPIN_UNLOCK(root, lock);
		cpu_irq_enable(this_cpu);
		return false;
	}
	WRITE_ONCE(state, gp_flags, 0);
	rcu_note_gp_start(state);
	seq = RCU_GP_SEQ_OF(state) + 1;
	RCU_SET_GP_SEQ(state, seq);
	SPIN_UNLOCK(root, lock);
	cpu_irq_enable(this_cpu);
	for (i = 0; i < state->num_nodes; i++)
		init_node(state->nodes[i], seq);
	WRITE_ONCE(state, gp_activity, JIFFIES());
	return true;
}

static void rcu_gp_fqs(bool first_time)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();

	WRITE_ONCE(state, n_force_qs, state->n_force_qs + 1);
	force_qs_rnp(first_time);
	if (!(READ_ONCE(state, gp_flags) & RCU_GP_FLAG_FQS))
		return;
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(root, lock);
	WRITE_ONCE(state, gp_flags,
		   READ_ONCE(state, gp_flags) & ~(u32)RCU_GP_FLAG_FQS);
	SPIN_UNLOCK(root, lock);
	cpu_irq_enable(this_cpu);
}

/* Sleeps until all have reported, it is time to force, or somebody asks. */
static void wait_for_pass(struct rcu_state *state, u64 force)
{
	for (;;) {
		u64 now = JIFFIES();

		if (!READ_ONCE(rcu_get_root(), qsmask) ||
		    !time_before(now, force) ||
		    (READ_ONCE(state, gp_flags) & RCU_GP_FLAG_FQS))
			return;
		kthread_sleep(state->gp_kthread, force - now);
	}
}

static void rcu_gp_fqs_loop(void)
{
	struct rcu_state *state = rcu_state();
	u64 wait = READ(rcu_tunables(), jiffies_till_first_fqs);
	bool first_time = true;

	for (;;) {
		u64 force = JIFFIES() + wait;

		WRITE_ONCE(state, jiffies_force_qs, force);
		wait_for_pass(state, force);
		if (!READ_ONCE(rcu_get_root(), qsmask))
			return;
		rcu_gp_fqs(first_time);
		first_time = false;
		wait = READ(rcu_tunables(), jiffies_till_next_fqs);
	}
}

/* Does anybody under this node want another one? */
static bool clean_node(struct rcu_node *rnp, u64 seq)
{
	struct rcu_data *rdp;
	bool more = false;

	cpu_irq_disable(this_cpu);
	SPIN_LOCK(rnp, lock);
	rdp = THIS_CPU(rcu_data);
	RCU_SET_GP_SEQ(rnp, seq);
	if (rnp == READ(rdp, mynode))
		more = __note_gp_changes(rnp, rdp);
	if (READ(rnp, gp_seq_needed) > seq)
		more = true;
	SPIN_UNLOCK(rnp, lock);
	cpu_irq_enable(this_cpu);
	return more;
}

static void rcu_gp_cleanup(void)
{
	struct rcu_state *state = rcu_state();
	struct rcu_node *root = rcu_get_root();
	u64 seq = rcu_seq_end(RCU_GP_SEQ_OF(state));
	bool more = false;
	u32 i;

	FUNCTION(rcu_gp_cleanup);
	rcu_note_gp_end(state);
	for (i = 0; i < state->num_nodes; i++)
		if (clean_node(state->nodes[i], seq))
			more = true;
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(root, lock);
	RCU_SET_GP_SEQ(state, seq);
	if (READ(root, gp_seq_needed) > seq)
		more = true;
	WRITE_ONCE(state, gp_flags, more ? RCU_GP_FLAG_INIT : 0);
	SPIN_UNLOCK(root, lock);
	cpu_irq_enable(this_cpu);
}

void rcu_gp_kthread(void *arg)
{
	struct rcu_state *state = ((struct kernel *)arg)->rcu->state;

	for (;;) {
		while (!(READ_ONCE(state, gp_flags) & RCU_GP_FLAG_INIT))
			kthread_sleep(state->gp_kthread, 0);
		if (!rcu_gp_init())
			continue;
		rcu_gp_fqs_loop();
		rcu_gp_cleanup();
	}
}
