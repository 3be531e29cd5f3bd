/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models kernel/rcu/rcu_segcblist.c, and before 4.12 the same list within
 * kernel/rcu/tree.c: the callbacks of one CPU, one list in four parts.
 */
#include "stack/kernel/rcu.h"

void rcu_segcblist_init(struct rcu_data *rdp)
{
	u32 i;

	rdp->cblist.head = NULL;
	for (i = 0; i < RCU_CBLIST_NSEGS; i++)
		rdp->cblist.tails[i] = &rdp->cblist.head;
	rdp->cblist.flags = 1;
}

/* A tail is the list's head, or the link in whoever is the last. */
static struct rcu_head *last_of(struct rcu_head **tail)
{
	return (struct rcu_head *)(void *)
		((u8 *)tail - offsetof(struct rcu_head, next));
}

static struct rcu_head *behind(struct rcu_data *rdp, struct rcu_head **tail)
{
	if (tail == &rdp->cblist.head)
		return READ(rdp, cblist.head);
	rcu_touch(last_of(tail), last_of(tail)->func->get_next);
	return *tail;
}

static void set_link(struct rcu_data *rdp, struct rcu_head **tail,
		     struct rcu_head *head)
{
	if (tail == &rdp->cblist.head) {
		WRITE(rdp, cblist.head, head);
		return;
	}
	rcu_touch(last_of(tail), last_of(tail)->func->link);
	*tail = head;
}

bool rcu_segcblist_restempty(struct rcu_data *rdp, u32 segment)
{
	return !behind(rdp, READ_AT(rdp, cblist.tails, segment));
}

/* Is one there that cannot be invoked yet? */
bool rcu_segcblist_pend_cbs(struct rcu_data *rdp)
{
	if (!has(RCU_SEGCBLIST))
		return !rcu_segcblist_restempty(rdp, RCU_DONE_TAIL);
	FUNCTION(rcu_segcblist_pend_cbs);
	(void)READ(rdp, cblist.flags);
	return !rcu_segcblist_restempty(rdp, RCU_DONE_TAIL);
}

bool rcu_segcblist_ready_cbs(struct rcu_data *rdp)
{
	return READ_AT(rdp, cblist.tails, RCU_DONE_TAIL) != &rdp->cblist.head;
}

static void count_one(struct rcu_data *rdp)
{
	if (has(RCU_SEGCBLIST)) {
		(void)ATOMIC_ADD_RETURN(rdp, cblist.len, 1);
		UPDATE_AT(rdp, cblist.seglen, RCU_NEXT_TAIL, += 1);
	} else {
		UPDATE(rdp, cblist.len, += 1);
		rdp->cblist.seglen[RCU_NEXT_TAIL]++;
		FENCE();
	}
}

static void append(struct rcu_data *rdp, struct rcu_head *head)
{
	struct rcu_head **tail;

	count_one(rdp);
	tail = READ_AT(rdp, cblist.tails, RCU_NEXT_TAIL);
	set_link(rdp, tail, head);
	WRITE_AT(rdp, cblist.tails, RCU_NEXT_TAIL, &head->next);
}

void rcu_segcblist_enqueue(struct rcu_data *rdp, struct rcu_head *head)
{
	if (has(RCU_SEGCBLIST)) {
		FUNCTION(rcu_segcblist_enqueue);
		append(rdp, head);
	} else {
		append(rdp, head);
	}
}

/* The lengths of parts lie beside the length of all. */
static void move_len(struct rcu_data *rdp, u32 from, u32 to)
{
	rdp->cblist.seglen[to] += rdp->cblist.seglen[from];
	if (from != to)
		rdp->cblist.seglen[from] = 0;
}

static void set_tail(struct rcu_data *rdp, u32 segment, struct rcu_head **tail)
{
	WRITE_AT(rdp, cblist.tails, segment, tail);
}

/* Parts that have become empty are filled from behind. */
static void close_gap(struct rcu_data *rdp, u32 from)
{
	u32 i = from, j;

	for (j = RCU_WAIT_TAIL; i < RCU_NEXT_TAIL; i++, j++) {
		if (rdp->cblist.tails[j] == rdp->cblist.tails[RCU_NEXT_TAIL])
			break;
		set_tail(rdp, j, rdp->cblist.tails[i]);
		rdp->cblist.seglen[j] = rdp->cblist.seglen[i];
		rdp->cblist.seglen[i] = 0;
		WRITE_AT(rdp, cblist.gp_seq, j, rdp->cblist.gp_seq[i]);
	}
}

void rcu_segcblist_advance(struct rcu_data *rdp, u64 seq)
{
	u32 i, j;

	if (rcu_segcblist_restempty(rdp, RCU_DONE_TAIL))
		return;
	for (i = RCU_WAIT_TAIL; i < RCU_NEXT_TAIL; i++) {
		if (seq < READ_AT(rdp, cblist.gp_seq, i))
			break;
		set_tail(rdp, RCU_DONE_TAIL, rdp->cblist.tails[i]);
		move_len(rdp, i, RCU_DONE_TAIL);
	}
	if (i == RCU_WAIT_TAIL)
		return;
	for (j = RCU_WAIT_TAIL; j < i; j++)
		set_tail(rdp, j, rdp->cblist.tails[RCU_DONE_TAIL]);
	close_gap(rdp, i);
}

/* The last part that has some which wait for something earlier keeps them; all
 * behind it go together. */
bool rcu_segcblist_accelerate(struct rcu_data *rdp, u64 seq)
{
	struct rcu_head **end;
	u32 i, j;

	if (rcu_segcblist_restempty(rdp, RCU_DONE_TAIL))
		return false;
	for (i = RCU_NEXT_READY_TAIL; i > RCU_DONE_TAIL; i--)
		if (rdp->cblist.tails[i] != rdp->cblist.tails[i - 1] &&
		    READ_AT(rdp, cblist.gp_seq, i) < seq)
			break;
	if (rcu_segcblist_restempty(rdp, i) || ++i >= RCU_NEXT_TAIL)
		return false;
	for (j = i + 1; j <= RCU_NEXT_TAIL; j++)
		move_len(rdp, j, i);
	end = READ_AT(rdp, cblist.tails, RCU_NEXT_TAIL);
	for (; i < RCU_NEXT_TAIL; i++) {
		set_tail(rdp, i, end);
		WRITE_AT(rdp, cblist.gp_seq, i, seq);
	}
	return true;
}

bool rcu_segcblist_future_gp_needed(struct rcu_data *rdp, u64 seq)
{
	u32 i;

	for (i = RCU_WAIT_TAIL; i < RCU_NEXT_TAIL; i++)
		if (rdp->cblist.tails[i - 1] != rdp->cblist.tails[i] &&
		    seq < READ_AT(rdp, cblist.gp_seq, i))
			return true;
	return false;
}

/* ---- without numbers ---- */

void rcu_segcblist_shift(struct rcu_data *rdp)
{
	u32 i;

	for (i = RCU_DONE_TAIL; i < RCU_NEXT_TAIL; i++) {
		set_tail(rdp, i, rdp->cblist.tails[i + 1]);
		move_len(rdp, i + 1, i);
	}
}

void rcu_segcblist_all_wait(struct rcu_data *rdp)
{
	struct rcu_head **end = READ_AT(rdp, cblist.tails, RCU_NEXT_TAIL);

	set_tail(rdp, RCU_NEXT_READY_TAIL, end);
	set_tail(rdp, RCU_WAIT_TAIL, end);
	move_len(rdp, RCU_NEXT_READY_TAIL, RCU_WAIT_TAIL);
	move_len(rdp, RCU_NEXT_TAIL, RCU_WAIT_TAIL);
}

void rcu_segcblist_next_ready(struct rcu_data *rdp)
{
	set_tail(rdp, RCU_NEXT_READY_TAIL,
		 READ_AT(rdp, cblist.tails, RCU_NEXT_TAIL));
	move_len(rdp, RCU_NEXT_TAIL, RCU_NEXT_READY_TAIL);
}

/* ---- invoking ---- */

struct rcu_cblist rcu_segcblist_extract_done(struct rcu_data *rdp)
{
	struct rcu_cblist list = { .len = rdp->cblist.seglen[RCU_DONE_TAIL] };
	struct rcu_head *rest;
	u32 i;

	list.tail = READ_AT(rdp, cblist.tails, RCU_DONE_TAIL);
	list.head = READ(rdp, cblist.head);
	rest = behind(rdp, list.tail);
	WRITE(rdp, cblist.head, rest);
	set_link(rdp, list.tail, NULL);
	for (i = 0; i < RCU_CBLIST_NSEGS; i++)
		if (rdp->cblist.tails[i] == list.tail)
			set_tail(rdp, i, &rdp->cblist.head);
	rdp->cblist.seglen[RCU_DONE_TAIL] = 0;
	return list;
}

void rcu_segcblist_insert_done(struct rcu_data *rdp,
			       const struct rcu_cblist *list)
{
	u32 i;

	if (!list->head)
		return;
	set_link(rdp, list->tail, READ(rdp, cblist.head));
	WRITE(rdp, cblist.head, list->head);
	for (i = 0; i < RCU_CBLIST_NSEGS; i++) {
		if (rdp->cblist.tails[i] != &rdp->cblist.head)
			break;
		set_tail(rdp, i, list->tail);
	}
	rdp->cblist.seglen[RCU_DONE_TAIL] += list->len;
}
