/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of net/core/neighbour.c that says in what state a neighbour
 * is: what packets, time, answers and users do to it.
 *
 *	NONE --packet--> INCOMPLETE --answer--> REACHABLE --time--> STALE
 *	     probes without answer: FAILED      STALE --packet--> DELAY
 *	DELAY --confirmed--> REACHABLE, else --time--> PROBE --> FAILED
 *
 * Changes are made under the neighbour's lock; senders read the state and the
 * output function without it.  Nobody listens to notices of changes, so that
 * none are sent.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/net/core/neighbour.h"

/* ---- timers ---- */

static void neigh_add_timer(struct neighbour *n, u64 when)
{
	neigh_hold(n);
	if (mod_timer(&n->timer, when))
		g_error("a neighbour's timer is added twice");
}

void neigh_del_timer(struct neighbour *n)
{
	if ((READ(n, nud_state) & NUD_IN_TIMER) && del_timer(&n->timer))
		neigh_release(n);
}

/* ---- the queue ---- */

static struct sk_buff *dequeue(struct neighbour *n)
{
	struct sk_buff *skb = READ(n, arp_queue.next), *next;

	if (!skb)
		return NULL;
	next = READ(skb, next);
	WRITE(n, arp_queue.next, next);
	if (next)
		WRITE(next, prev, NULL);
	else
		WRITE(n, arp_queue.prev, NULL);
	UPDATE(n, arp_queue.qlen, -= 1);
	WRITE(skb, next, NULL);
	return skb;
}

/* The packet may wait for longer than those who sent it. */
static void enqueue(struct neighbour *n, struct sk_buff *skb)
{
	struct sk_buff *last = READ(n, arp_queue.prev);

	kmemleak_not_leak(skb);
	kmemleak_not_leak(skb->head);
	WRITE(skb, next, NULL);
	WRITE(skb, prev, last);
	if (last)
		WRITE(last, next, skb);
	else
		WRITE(n, arp_queue.next, skb);
	WRITE(n, arp_queue.prev, skb);
	UPDATE(n, arp_queue.qlen, += 1);
	if (has(NEIGH_QUEUE_BYTES))
		UPDATE(n, arp_queue_len_bytes, += READ(skb, truesize));
}

void neigh_purge_queue(struct neighbour *n)
{
	struct sk_buff *skb;

	while ((skb = dequeue(n)))
		kfree_skb(skb);
	if (has(NEIGH_QUEUE_BYTES))
		WRITE(n, arp_queue_len_bytes, 0);
}

/* Has the queue no room?  Before 3.3 packets were counted, three at most. */
static bool queue_is_full(struct neighbour *n, u32 size)
{
	const struct neigh_parms *parms = READ(n, parms);
	u32 limit;

	if (!has(NEIGH_QUEUE_BYTES)) {
		limit = READ(parms, queue_len);
		return READ(n, arp_queue.qlen) >= limit;
	}
	limit = READ(parms, queue_len_bytes);
	return READ(n, arp_queue_len_bytes) + size > limit;
}

/* The newest packets wait. */
static void queue_packet(struct neighbour *n, struct sk_buff *skb)
{
	u32 size = READ(skb, truesize);

	while (queue_is_full(n, size)) {
		struct sk_buff *oldest = dequeue(n);

		if (!oldest)
			break;
		if (has(NEIGH_QUEUE_BYTES))
			UPDATE(n, arp_queue_len_bytes,
			       -= READ(oldest, truesize));
		kfree_skb(oldest);
		NEIGH_CACHE_STAT_INC(n->tbl, unres_discards);
	}
	enqueue(n, skb);
}

/* ---- output ---- */

static void neigh_suspect(struct neighbour *n)
{
	const struct neigh_ops *ops = READ(n, ops);

	WRITE_ONCE(n, output, READ(ops, output));
	if (!has(NEIGH_HH_EMBEDDED))
		neigh_hh_set_output(n, false);
}

static void neigh_connect(struct neighbour *n)
{
	const struct neigh_ops *ops = READ(n, ops);

	WRITE_ONCE(n, output, READ(ops, connected_output));
	if (!has(NEIGH_HH_EMBEDDED))
		neigh_hh_set_output(n, true);
}

/* ---- probes ---- */

static s32 neigh_max_probes(const struct neighbour *n)
{
	const struct neigh_parms *p = READ(n, parms);
	bool probe = READ(n, nud_state) & NUD_PROBE;
	u32 max = READ(p, ucast_probes);

	if (!has(NEIGH_MCAST_REPROBES)) {
		if (!probe) {
			max += READ(p, app_probes);
			max += READ(p, mcast_probes);
		}
		return (s32)max;
	}
	max += READ(p, app_probes);
	if (probe)
		max += READ(p, mcast_reprobes);
	else
		max += READ(p, mcast_probes);
	return (s32)max;
}

/*
 * Asks, and lets the lock go for that.  The source address is that of the
 * packet that waits longest, or since NEIGH_PROBE_TAIL of the newest; a
 * reference keeps it alive where the kernel makes a copy.
 */
static void neigh_probe(struct neighbour *n)
{
	const struct neigh_ops *ops;
	struct sk_buff *skb;

	FUNCTION(neigh_probe);
	if (has(NEIGH_PROBE_TAIL))
		skb = READ(n, arp_queue.prev);
	else
		skb = READ(n, arp_queue.next);
	if (skb)
		ATOMIC_INC(skb, users);
	WRITE_UNLOCK(n, lock);
	ops = READ(n, ops);
	if (READ(ops, solicit))
		READ(ops, solicit)(n, skb);
	ATOMIC_INC(n, probes);
	if (skb)
		kfree_skb(skb);
}

/* Nobody has answered: what waits cannot be delivered. */
static void neigh_invalidate(struct neighbour *n)
{
	const struct neigh_ops *ops = READ(n, ops);
	struct sk_buff *skb;
	u64 now = JIFFIES();

	FUNCTION(neigh_invalidate);
	NEIGH_CACHE_STAT_INC(n->tbl, res_failed);
	WRITE(n, updated, now);
	while (READ(n, nud_state) == NUD_FAILED && (skb = dequeue(n))) {
		WRITE_UNLOCK(n, lock);
		READ(ops, error_report)(n, skb);
		WRITE_LOCK(n, lock);
	}
	neigh_purge_queue(n);
}

/* ---- time ---- */

static void set_state(struct neighbour *n, u8 state, u64 now)
{
	WRITE_ONCE(n, nud_state, state);
	WRITE(n, updated, now);
}

/* A reachable neighbour's time is over, unless it has been confirmed since. */
static u64 reachable_expired(struct neighbour *n, u64 now)
{
	const struct neigh_parms *p = READ(n, parms);
	u64 until = READ_ONCE(n, confirmed);
	u32 delay;

	until += READ(p, reachable_time);
	if (time_before_eq(now, until))
		return until;
	delay = READ(p, delay_probe_time);
	if (time_before_eq(now, READ_ONCE(n, used) + delay)) {
		set_state(n, NUD_DELAY, now);
		neigh_suspect(n);
		return now + delay;
	}
	set_state(n, NUD_STALE, now);
	neigh_suspect(n);
	return now;
}

/* A packet has gone on trust: has the neighbour been heard from? */
static u64 delay_expired(struct neighbour *n, u64 now)
{
	const struct neigh_parms *p = READ(n, parms);
	u64 confirmed = READ_ONCE(n, confirmed);

	if (time_before_eq(now, confirmed + READ(p, delay_probe_time))) {
		set_state(n, NUD_REACHABLE, now);
		neigh_connect(n);
		return confirmed + READ(p, reachable_time);
	}
	set_state(n, NUD_PROBE, now);
	WRITE_ONCE(n, probes, 0);
	return now + READ(p, retrans_time);
}

/* The soonest that a timer may run again. */
static u32 shortest_delay(void)
{
	return has(NEIGH_RETRANS_SHORT) ? HZ / 100 : HZ / 2;
}

static void rearm(struct neighbour *n, u64 next)
{
	u64 soonest = JIFFIES() + shortest_delay();

	if (time_before(next, soonest))
		next = soonest;
	if (!mod_timer(&n->timer, next))
		neigh_hold(n);
}

void neigh_timer_handler(struct timer_list *timer)
{
	struct neighbour *n = (struct neighbour *)(void *)
		((u8 *)timer - offsetof(struct neighbour, timer));
	u64 now, next;
	u8 state;

	FUNCTION(neigh_timer_handler);
	WRITE_LOCK(n, lock);
	state = READ(n, nud_state);
	now = next = JIFFIES();
	if (!(state & NUD_IN_TIMER)) {
		WRITE_UNLOCK(n, lock);
		neigh_release(n);
		return;
	}
	if (state & NUD_REACHABLE)
		next = reachable_expired(n, now);
	else if (state & NUD_DELAY)
		next = delay_expired(n, now);
	else
		next = now + READ(READ(n, parms), retrans_time);

	state = READ(n, nud_state);
	if ((state & (NUD_INCOMPLETE | NUD_PROBE)) &&
	    READ_ONCE(n, probes) >= neigh_max_probes(n)) {
		WRITE_ONCE(n, nud_state, NUD_FAILED);
		neigh_invalidate(n);
		state = READ(n, nud_state);
	}
	if (state & NUD_IN_TIMER)
		rearm(n, next);
	if (state & (NUD_INCOMPLETE | NUD_PROBE))
		neigh_probe(n);
	else
		WRITE_UNLOCK(n, lock);
	neigh_release(n);
}

/* ---- packets ---- */

/* Begins to resolve; false where there is no way to ask. */
static bool start_resolving(struct neighbour *n)
{
	const struct neigh_parms *p = READ(n, parms);
	u32 mcast = READ(p, mcast_probes), retrans;
	u64 now = JIFFIES();

	if (!(mcast + READ(p, app_probes))) {
		set_state(n, NUD_FAILED, now);
		return false;
	}
	WRITE_ONCE(n, probes, (s32)READ(p, ucast_probes));
	set_state(n, NUD_INCOMPLETE, now);
	retrans = READ(p, retrans_time);
	neigh_add_timer(n, now + MAX(retrans, shortest_delay()));
	return true;
}

static int __neigh_event_send(struct neighbour *n, struct sk_buff *skb)
{
	bool probe = false;
	u64 now;
	u8 state;
	int rc = 0;

	FUNCTION(__neigh_event_send);
	WRITE_LOCK_BH(n, lock);
	state = READ(n, nud_state);
	if (state & (NUD_CONNECTED | NUD_DELAY | NUD_PROBE))
		goto unlock;
	if (has(NEIGH_DEAD_CHECK) && READ(n, dead))
		goto drop;
	if (!(state & (NUD_STALE | NUD_INCOMPLETE))) {
		if (!start_resolving(n))
			goto drop;
		probe = true;
	} else if (state & NUD_STALE) {
		now = JIFFIES();
		set_state(n, NUD_DELAY, now);
		neigh_add_timer(n, now + READ(READ(n, parms),
					      delay_probe_time));
	}
	if (READ(n, nud_state) == NUD_INCOMPLETE) {
		if (skb)
			queue_packet(n, skb);
		rc = 1;
	}
unlock:
	if (probe)
		neigh_probe(n);
	else
		WRITE_UNLOCK(n, lock);
	local_bh_enable();
	return rc;
drop:
	WRITE_UNLOCK_BH(n, lock);
	if (skb)
		kfree_skb(skb);
	return 1;
}

int neigh_event_send(struct neighbour *neigh, struct sk_buff *skb)
{
	u64 now = JIFFIES();

	if (READ_ONCE(neigh, used) != now)
		WRITE_ONCE(neigh, used, now);
	if (READ_ONCE(neigh, nud_state) &
	    (NUD_CONNECTED | NUD_DELAY | NUD_PROBE))
		return 0;
	return __neigh_event_send(neigh, skb);
}

/* ---- answers and users ---- */

/* What an update is about; lladdr is n->ha where the address stays. */
struct update {
	const u8 *lladdr;
	u8 old, new;
	u32 flags;
	bool isrouter;		/* the flag may change */
};

/* The neighbour cannot be used any more. */
static int update_invalid(struct neighbour *n, const struct update *u)
{
	neigh_del_timer(n);
	if (u->old & NUD_CONNECTED)
		neigh_suspect(n);
	WRITE_ONCE(n, nud_state, u->new);
	if ((u->old & (NUD_INCOMPLETE | NUD_PROBE)) && (u->new & NUD_FAILED))
		neigh_invalidate(n);
	return 0;
}

static bool same_address(struct neighbour *n, const u8 *lladdr)
{
	(void)READ_AT(n, ha, 0);
	return !memcmp(lladdr, n->ha, ETH_ALEN);
}

/* Finds out whether the address is another one; -errno where none is known. */
static int compare_address(struct neighbour *n, struct update *u)
{
	if (!READ(n->dev, addr_len)) {
		u->lladdr = n->ha;
		return 0;
	}
	if (!u->lladdr) {
		if (!(u->old & NUD_VALID))
			return -EINVAL;
		u->lladdr = n->ha;
	} else if ((u->old & NUD_VALID) && same_address(n, u->lladdr)) {
		u->lladdr = n->ha;
	}
	return 0;
}

/* Does news that the neighbour may be stale leave a good one as it is? */
static bool ignores_stale(const struct update *u)
{
	if (has(NEIGH_STALE_KEEPS))
		return !(u->flags & NEIGH_UPDATE_F_ADMIN);
	return (u->flags & NEIGH_UPDATE_F_WEAK_OVERRIDE) ||
	       (u->old & NUD_CONNECTED);
}

/* What the flags allow for a neighbour that is known already; false: nothing.
 */
static bool override_allowed(struct neighbour *n, struct update *u)
{
	if (!(u->old & NUD_VALID))
		return true;
	if (u->lladdr == n->ha) {
		if (u->new == NUD_STALE && ignores_stale(u))
			u->new = u->old;
		return true;
	}
	if (u->flags & NEIGH_UPDATE_F_OVERRIDE)
		return true;
	u->isrouter = false;
	if (!(u->flags & NEIGH_UPDATE_F_WEAK_OVERRIDE) ||
	    !(u->old & NUD_CONNECTED))
		return false;
	u->lladdr = n->ha;
	u->new = NUD_STALE;
	return true;
}

static void update_times(struct neighbour *n, u8 new)
{
	u64 now = JIFFIES();

	if (new & NUD_CONNECTED)
		WRITE_ONCE(n, confirmed, now);
	WRITE(n, updated, now);
}

static void change_state(struct neighbour *n, u8 new)
{
	neigh_del_timer(n);
	if (has(NEIGH_PROBE_RESET) && (new & NUD_PROBE))
		WRITE_ONCE(n, probes, 0);
	if (new & NUD_IN_TIMER) {
		u64 when = JIFFIES();

		if (new & NUD_REACHABLE)
			when += READ(READ(n, parms), reachable_time);
		neigh_add_timer(n, when);
	}
	WRITE_ONCE(n, nud_state, new);
}

/* Senders see the new address, or in the header that is kept, all of the old
 * one or all of the new. */
static void change_address(struct neighbour *n, const u8 *lladdr, u8 new)
{
	if (has(NEIGH_RCU))
		WRITE_SEQLOCK(n, ha_lock);
	memcpy(n->ha, lladdr, ETH_ALEN);
	WRITE_ONCE_AT(n, ha, 0, lladdr[0]);
	if (has(NEIGH_RCU))
		WRITE_SEQUNLOCK(n, ha_lock);
	if (has(NEIGH_HH_EMBEDDED))
		neigh_update_hhs(n);
	else
		neigh_hh_update(n);
	if (!(new & NUD_CONNECTED)) {
		u64 now = JIFFIES();

		WRITE_ONCE(n, confirmed, now - ((u64)READ(READ(n, parms),
				base_reachable_time) << 1));
	}
}

/* Lets go what has waited.  The kernel looks the neighbour up once more by the
 * packet's route; there are no devices here for which it would be another. */
static void send_queue(struct neighbour *n)
{
	struct sk_buff *skb;

	while ((READ(n, nud_state) & NUD_VALID) && (skb = dequeue(n))) {
		WRITE_UNLOCK_BH(n, lock);
		READ_ONCE(n, output)(n, skb);
		WRITE_LOCK_BH(n, lock);
	}
	neigh_purge_queue(n);
}

/* The neighbour's lock is held. */
static int update_valid(struct neighbour *n, struct update *u)
{
	bool effective_only = has(NEIGH_UPDATE_EFFECTIVE);
	int err = compare_address(n, u);

	if (err)
		return err;
	if (!effective_only)
		update_times(n, u->new);
	u->isrouter = u->flags & NEIGH_UPDATE_F_OVERRIDE_ISROUTER;
	if (!override_allowed(n, u))
		return 0;
	if (effective_only && (u->new != u->old || u->lladdr != n->ha))
		update_times(n, u->new);
	if (u->new != u->old)
		change_state(n, u->new);
	if (u->lladdr != n->ha)
		change_address(n, u->lladdr, u->new);
	if (u->new == u->old)
		return 0;
	if (u->new & NUD_CONNECTED)
		neigh_connect(n);
	else
		neigh_suspect(n);
	if (!(u->old & NUD_VALID))
		send_queue(n);
	return 0;
}

static void update_isrouter(struct neighbour *n, const struct update *u)
{
	if (u->flags & NEIGH_UPDATE_F_ISROUTER)
		UPDATE(n, flags, |= NTF_ROUTER);
	else
		UPDATE(n, flags, &= ~NTF_ROUTER);
}

int neigh_update(struct neighbour *neigh, const u8 *lladdr, u8 new, u32 flags)
{
	struct update u = { .lladdr = lladdr, .new = new, .flags = flags };
	int err;

	FUNCTION(neigh_update);
	WRITE_LOCK_BH(neigh, lock);
	u.old = READ(neigh, nud_state);
	if (!(flags & NEIGH_UPDATE_F_ADMIN) &&
	    (u.old & (NUD_NOARP | NUD_PERMANENT))) {
		err = -EPERM;
	} else if (has(NEIGH_DEAD_CHECK) && READ(neigh, dead)) {
		u.new = u.old;
		err = has(NEIGH_UPDATE_EFFECTIVE) ? -EINVAL : -EPERM;
	} else if (!(new & NUD_VALID)) {
		err = update_invalid(neigh, &u);
	} else {
		err = update_valid(neigh, &u);
	}
	if (u.isrouter)
		update_isrouter(neigh, &u);
	WRITE_UNLOCK_BH(neigh, lock);
	if (has(NEIGH_GC_LIST) && ((u.new ^ u.old) & NUD_PERMANENT))
		neigh_update_gc_list(neigh);
	return err;
}
