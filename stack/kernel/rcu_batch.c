/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models rcu_do_batch() of kernel/rcu/tree.c: how many callbacks are invoked
 * at a time.  A batch ends after blimit of them where somebody else wants the
 * CPU; the rest goes on in the softirq's next round, or in ksoftirqd.  While a
 * CPU has had more than qhimark, and until it has no more than qlowmark, there
 * is no such limit.
 */
#include "stack/include/linux/sched.h"
#include "stack/kernel/rcu.h"

#define RESCHED_PS (3 * PS_PER_MS)	/* rcu_resched_ns */
#define DIVISOR 7		/* rcu_divisor: a large backlog, a large batch */
#define CLOCK_EVERY 32		/* callbacks between looks at the clock */

/* When a batch must end, and after how many. */
struct limits {
	s64 batch;
	ps_t until;		/* 0: whenever */
};

static struct limits get_limits(struct rcu_data *rdp)
{
	struct limits limits = { .batch = READ(rdp, blimit) };
	s64 len;

	if (!has(RCU_BATCH_TIME))
		return limits;
	len = READ(rdp, cblist.len);
	limits.batch = MAX(limits.batch, len >> DIVISOR);
	if (limits.batch > 100)
		limits.until = this_cpu->clock + RESCHED_PS;
	return limits;
}

static bool is_enough(const struct limits *limits, s64 count)
{
	if (count >= limits->batch && (need_resched() || !is_idle_task()))
		return true;
	return limits->until && !(count % CLOCK_EVERY) &&
	       this_cpu->clock >= limits->until;
}

static void invoke(struct rcu_head *head)
{
	const struct rcu_callback *callback = head->func;

	rcu_touch(head, callback->get_func);
	if (has(RCU_SEGCBLIST))
		rcu_touch(head, callback->set_func);	/* against a second run */
	callback->function(rcu_object(head));
}

/* For the host's sake: what the next callback will touch, and the head after. */
static void expect(const struct cpu *cpu, struct rcu_head *next)
{
	cache_expect(cpu, rcu_object(next));
	__builtin_prefetch(next->next);
}

/* Gives how many have been invoked; those that are left stay in the list. */
static s64 invoke_some(struct rcu_cblist *list, const struct limits *limits)
{
	s64 count = 0;

	while (list->head) {
		struct rcu_head *head = list->head;

		WORK(6);
		rcu_touch(head, head->func->get_next);
		list->head = head->next;
		if (head->next)
			expect(this_cpu, head->next);
		if (!has(RCU_SEGCBLIST) && head->next)
			rcu_touch(head->next, head->next->func->prefetch);
		invoke(head);
		if (is_enough(limits, ++count))
			break;
	}
	list->len -= count;
	return count;
}

static void count_down(struct rcu_data *rdp, s64 count)
{
	if (has(RCU_SEGCBLIST)) {
		(void)ATOMIC_SUB_RETURN(rdp, cblist.len, count);
	} else {
		FENCE();
		UPDATE(rdp, cblist.len, -= count);
	}
	UPDATE(rdp, n_cbs_invoked, += (u64)count);
}

/* The excess is gone: limits as before. */
static void reset_marks(struct rcu_data *rdp)
{
	const s64 len = READ(rdp, cblist.len);
	s64 checked = READ(rdp, qlen_last_fqs_check);

	if (READ(rdp, blimit) >= rcu_max_blimit() &&
	    len <= READ(rcu_tunables(), qlowmark))
		WRITE(rdp, blimit, READ(rcu_tunables(), blimit));
	if (!len && checked) {
		WRITE(rdp, qlen_last_fqs_check, 0);
		WRITE(rdp, n_force_qs_snap,
		      READ_ONCE(rcu_state(), n_force_qs));
	} else if (len < checked - READ(rcu_tunables(), qhimark)) {
		WRITE(rdp, qlen_last_fqs_check, len);
	}
}

void rcu_do_batch(struct rcu_data *rdp)
{
	struct rcu_cblist list;
	struct limits limits;
	s64 count;

	FUNCTION(rcu_do_batch);
	cpu_irq_disable(this_cpu);
	limits = get_limits(rdp);
	list = rcu_segcblist_extract_done(rdp);
	cpu_irq_enable(this_cpu);
	count = invoke_some(&list, &limits);
	cpu_irq_disable(this_cpu);
	rcu_segcblist_insert_done(rdp, &list);
	count_down(rdp, count);
	reset_marks(rdp);
	cpu_irq_enable(this_cpu);
}
