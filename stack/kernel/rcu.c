/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/rcu/tree.c and tree_plugin.h, before 3.14 kernel/rcutree.c, as
 * others use it: the readers' side, call_rcu() and waiting for a grace period.
 *
 * The rest: rcu_segcblist.c a CPU's callbacks, rcu_core.c what a CPU does for
 * itself, rcu_batch.c invoking, rcu_fqs.c reports and forcing, rcu_gp.c and
 * rcu_classic.c grace periods, rcu_setup.c the start and the end.
 */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/softirq.h"
#include "stack/kernel/rcu.h"

/* ---- readers ---- */

void __rcu_read_lock(void)
{
	struct task_struct *task;

	FUNCTION(__rcu_read_lock);
	task = GET_CURRENT();
	UPDATE(task, rcu_read_lock_nesting, += 1);
}

/* Only the outermost end asks whether somebody waits for this reader. */
void __rcu_read_unlock(void)
{
	struct task_struct *task;

	FUNCTION(__rcu_read_unlock);
	task = GET_CURRENT();
	UPDATE(task, rcu_read_lock_nesting, -= 1);
	if (READ(task, rcu_read_lock_nesting))
		return;
	WORK(3);
	(void)READ(task, rcu_read_unlock_special.b.blocked);
}

/* ---- call_rcu() ---- */

/* Too many: a grace period at once, and no limit on batches. */
static void hurry(struct rcu_data *rdp, struct rcu_head *head)
{
	struct rcu_state *state = rcu_state();
	u64 passes;

	note_gp_changes(rdp);
	if (!rcu_gp_in_progress()) {
		if (has(RCU_GP_KTHREAD)) {
			rcu_accelerate_cbs_unlocked(READ(rdp, mynode), rdp);
		} else {
			SPIN_LOCK(rcu_get_root(), lock);
			rcu_start_gp();
		}
		return;
	}
	WRITE(rdp, blimit, rcu_max_blimit());
	passes = READ_ONCE(state, n_force_qs);
	if (passes == READ(rdp, n_force_qs_snap) &&
	    *READ_AT(rdp, cblist.tails, RCU_DONE_TAIL) != head)
		rcu_force_quiescent_state();
	WRITE(rdp, n_force_qs_snap, READ_ONCE(state, n_force_qs));
	WRITE(rdp, qlen_last_fqs_check, rdp->cblist.len);
}

/* Is RCU watching, and is the CPU there?  Both always are. */
static void ask_cpu_state(void)
{
	if (has(CONTEXT_TRACKING_STATE)) {
		UPDATE(THIS_CPU(preempt_count), __preempt_count, += 1);
		SMP_PROCESSOR_ID();
		(void)READ_ONCE(THIS_CPU(context_tracking), state);
		UPDATE(THIS_CPU(preempt_count), __preempt_count, -= 1);
	} else {
		(void)READ_ONCE(THIS_CPU(rcu_dynticks), dynticks);
		SMP_PROCESSOR_ID();
	}
}

static void __call_rcu_core(struct rcu_data *rdp, struct rcu_head *head)
{
	s64 len, mark;

	ask_cpu_state();
	/* Where interrupts were off already, the caller is left in peace. */
	if (this_cpu->irqs_off > 1)
		return;
	len = READ(rdp, cblist.len);
	mark = READ(rdp, qlen_last_fqs_check);
	if (unlikely(len > mark + READ(rcu_tunables(), qhimark)))
		hurry(rdp, head);
	else if (!has(RCU_GP_KTHREAD)) {
		u64 force = READ_ONCE(rcu_state(), jiffies_force_qs);

		if (time_after(JIFFIES(), force))
			force_quiescent_state(true);
	}
}

/* A CPU with far too many says so at its node. */
static void check_cb_ovld(struct rcu_data *rdp)
{
	struct rcu_node *rnp = READ(rdp, mynode);
	s64 most = READ(rcu_tunables(), qovld_calc);
	bool over = READ(rdp, cblist.len) >= most;
	u64 mask = READ(rdp, grpmask), said;

	said = READ_ONCE(rnp, cbovldmask);
	if (likely(over == !!(said & mask)))
		return;
	SPIN_LOCK(rnp, lock);
	WRITE_ONCE(rnp, cbovldmask, rnp->cbovldmask ^ mask);
	SPIN_UNLOCK(rnp, lock);
}

/* What 6.1 asks on the way to the list: whether it is enabled, overload, and
 * whether another thread takes this CPU's callbacks. */
static void ask_list_state(struct rcu_data *rdp)
{
	(void)READ(rdp, cblist.flags);
	check_cb_ovld(rdp);
	(void)READ(rdp, nocb_bypass.len);
	(void)JIFFIES();
	rcu_segcblist_pend_cbs(rdp);
}

void call_rcu(struct object *object, const struct rcu_callback *callback)
{
	struct rcu_head *head = (struct rcu_head *)(void *)
				((u8 *)object + callback->offset);
	struct rcu_data *rdp = THIS_CPU(rcu_data);

	FUNCTION(call_rcu);
	STACK_PROTECTOR();
	/* It is freed for certain, though perhaps after the run. */
	if (unlikely(this_cpu->machine->check))
		kmemleak_not_leak(object);
	head->func = callback;
	rcu_touch(head, callback->set_func);
	rcu_touch(head, callback->set_next);
	head->next = NULL;
	cpu_irq_disable(this_cpu);
	THIS_CPU_PTR();
	if (has(RCU_SEGCBLIST))
		ask_list_state(rdp);
	rcu_segcblist_enqueue(rdp, head);
	rdp->waiting_most = MAX(rdp->waiting_most, rdp->cblist.len);
	__call_rcu_core(rdp, head);
	cpu_irq_enable(this_cpu);
}

/* ---- waiting ---- */

static void wakeme_after_rcu(void *object)
{
	struct rcu_synchronize *waiter = object;

	/* After a run that could not end, nobody waits any more. */
	if (this_cpu->machine->running)
		UP(waiter, completion);
}

/* It stands on the waiting task's stack; the model keeps such pieces. */
static struct rcu_synchronize *get_waiter(struct rcu *rcu)
{
	struct rcu_synchronize *waiter = rcu->waiters;

	if (!waiter)
		return STATIC_OBJECT(this_kernel(), rcu_synchronize, 0);
	rcu->waiters = waiter->next_free;
	return waiter;
}

/* Where the only CPU can sleep, there are no readers. */
void synchronize_rcu(void)
{
	struct rcu *rcu = this_kernel()->rcu;
	struct rcu_synchronize *waiter;

	FUNCTION(synchronize_rcu);
	might_sleep();
	if (this_cpu->machine->num_cpus == 1 || !this_cpu->machine->running)
		return;
	waiter = get_waiter(rcu);
	CALL_RCU(waiter, head, wakeme_after_rcu);
	DOWN(waiter, completion);
	waiter->next_free = rcu->waiters;
	rcu->waiters = waiter;
}
