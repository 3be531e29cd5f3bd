/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of net/core/neighbour.c by which entries go: collected by
 * age or for want of room, deleted, or with their device.
 *
 * An entry out of the table is dead; it is freed with its last reference, and
 * when those who read without one are done.
 */
#include "stack/include/linux/rcupdate.h"
#include "stack/net/core/neighbour.h"

/* ---- the list of what may be collected, from NEIGH_GC_LIST on ---- */

/* At the end: collecting begins at the front. */
void neigh_gc_list_add(struct neigh_table *tbl, struct neighbour *n)
{
	struct neighbour *last = READ(tbl, gc_list.prev);

	WRITE(n, gc_list.prev, last);
	WRITE(n, gc_list.next, NULL);
	if (last)
		WRITE(last, gc_list.next, n);
	else
		WRITE(tbl, gc_list.next, n);
	WRITE(tbl, gc_list.prev, n);
	n->on_gc_list = true;
}

void neigh_gc_list_del(struct neigh_table *tbl, struct neighbour *n)
{
	struct neighbour *next = READ(n, gc_list.next);
	struct neighbour *prev = READ(n, gc_list.prev);

	if (next)
		WRITE(next, gc_list.prev, prev);
	else
		WRITE(tbl, gc_list.prev, prev);
	if (prev)
		WRITE(prev, gc_list.next, next);
	else
		WRITE(tbl, gc_list.next, next);
	WRITE(n, gc_list.next, NULL);
	WRITE(n, gc_list.prev, NULL);
	n->on_gc_list = false;
	ATOMIC_DEC(tbl, gc_entries);
}

void neigh_update_gc_list(struct neighbour *n)
{
	struct neigh_table *tbl = READ(n, tbl);
	bool exempt;

	FUNCTION(neigh_update_gc_list);
	WRITE_LOCK_BH(tbl, lock);
	WRITE_LOCK(n, lock);
	if (!READ(n, dead)) {
		exempt = READ(n, nud_state) & NUD_PERMANENT;
		if (exempt && n->on_gc_list) {
			neigh_gc_list_del(tbl, n);
		} else if (!exempt && !n->on_gc_list) {
			neigh_gc_list_add(tbl, n);
			ATOMIC_INC(tbl, gc_entries);
		}
	}
	WRITE_UNLOCK(n, lock);
	WRITE_UNLOCK_BH(tbl, lock);
}

/* ---- the end of an entry ---- */

void neigh_destroy(struct neighbour *n)
{
	struct neigh_table *tbl = READ(n, tbl);

	FUNCTION(neigh_destroy);
	NEIGH_CACHE_STAT_INC(tbl, destroys);
	g_assert(READ(n, dead));
	g_assert(!n->timer.pending);	/* it would hold a reference */
	neigh_purge_queue(n);
	ATOMIC_DEC(tbl, entries);
	if (!has(NEIGH_HH_EMBEDDED))
		neigh_hh_drop(n);
	if (has(NEIGH_RCU))
		KFREE_RCU(n, rcu);
	else
		kfree(n);
}

static void mark_dead(struct neigh_table *tbl, struct neighbour *n)
{
	WRITE(n, dead, 1);
	if (n->on_gc_list)
		neigh_gc_list_del(tbl, n);
}

/* Takes n, which stands in a bucket behind `prev` (NULL: it is the first), out
 * of the table.  Both tbl->lock and n->lock are held. */
static void unlink_entry(struct neigh_table *tbl, u32 bucket,
			 struct neighbour *prev, struct neighbour *n)
{
	struct neighbour *next = READ_ONCE(n, next);

	if (prev)
		WRITE_ONCE(prev, next, next);
	else
		WRITE_ONCE_AT(tbl->nht->hash_buckets, bucket, bucket, next);
	mark_dead(tbl, n);
}

bool neigh_remove_one(struct neigh_table *tbl, struct neighbour *n)
{
	struct neighbour *prev = NULL, *at;
	u32 bucket = neigh_bucket(tbl, n);
	bool gone;

	FUNCTION(neigh_remove_one);
	at = READ_AT(tbl->nht->hash_buckets, bucket, bucket);
	for (; at && at != n; at = READ_ONCE(at, next))
		prev = at;
	if (!at)
		return false;
	WRITE_LOCK(n, lock);
	gone = READ_ONCE(n, refcnt) == 1;
	if (gone)
		unlink_entry(tbl, bucket, prev, n);
	WRITE_UNLOCK(n, lock);
	if (gone)
		neigh_release(n);
	return gone;
}

/* Removes what `goes` says of each entry of a bucket, under its lock; the
 * number of those. */
static u32 remove_from(struct neigh_table *tbl, u32 bucket,
		       bool (*goes)(struct neighbour *n))
{
	struct neighbour *prev = NULL, *n, *next;
	u32 removed = 0;

	n = READ_AT(tbl->nht->hash_buckets, bucket, bucket);
	for (; n; n = next) {
		bool gone;

		WORK(8);
		next = READ_ONCE(n, next);
		WRITE_LOCK(n, lock);
		gone = goes(n);
		if (gone)
			unlink_entry(tbl, bucket, prev, n);
		WRITE_UNLOCK(n, lock);
		if (gone) {
			removed++;
			neigh_release(n);
		} else {
			prev = n;
		}
	}
	return removed;
}

/* ---- for want of room ---- */

static bool is_unused(struct neighbour *n)
{
	return READ_ONCE(n, refcnt) == 1 &&
	       !(READ(n, nud_state) & NUD_PERMANENT);
}

/* Everything that nobody holds goes. */
static u32 gc_whole_table(struct neigh_table *tbl)
{
	u32 i, n = 1u << READ(READ(tbl, nht), hash_shift), shrunk = 0;

	for (i = 0; i < n; i++)
		shrunk += remove_from(tbl, i, is_unused);
	return shrunk;
}

/* Failed, without resolution, or not changed for five seconds. */
static bool is_old(const struct neigh_table *tbl, struct neighbour *n,
		   u64 now)
{
	u8 state = READ(n, nud_state);
	u64 updated;

	if (state == NUD_FAILED || state == NUD_NOARP ||
	    tbl->is_multicast(n->primary_key))
		return true;
	updated = READ(n, updated);
	return time_after(now - 5 * HZ, updated) || time_after(updated, now);
}

/* From the front of the list, until the table is down to its second
 * threshold. */
static u32 gc_list(struct neigh_table *tbl)
{
	s32 max_clean = READ_ONCE(tbl, gc_entries);
	struct neighbour *n, *next;
	u64 now = JIFFIES();
	s32 shrunk = 0;

	max_clean -= (s32)READ(tbl, gc_thresh2);
	for (n = READ(tbl, gc_list.next); n; n = next) {
		bool remove;

		WORK(8);
		next = READ(n, gc_list.next);
		if (READ_ONCE(n, refcnt) != 1)
			continue;
		WRITE_LOCK(n, lock);
		remove = is_old(tbl, n, now);
		WRITE_UNLOCK(n, lock);
		if (remove && neigh_remove_one(tbl, n))
			shrunk++;
		if (shrunk >= max_clean)
			break;
	}
	return (u32)shrunk;
}

static u32 neigh_forced_gc(struct neigh_table *tbl)
{
	u64 now;
	u32 shrunk;

	FUNCTION(neigh_forced_gc);
	NEIGH_CACHE_STAT_INC(tbl, forced_gc_runs);
	WRITE_LOCK_BH(tbl, lock);
	shrunk = has(NEIGH_GC_LIST) ? gc_list(tbl) : gc_whole_table(tbl);
	now = JIFFIES();
	WRITE(tbl, last_flush, now);
	WRITE_UNLOCK_BH(tbl, lock);
	return shrunk;
}

/* Above the second threshold the table is collected once in five seconds,
 * above the third each time, and that must help. */
bool neigh_make_room(struct neigh_table *tbl)
{
	u32 entries, thresh3;
	bool full;

	if (has(NEIGH_GC_LIST))
		entries = (u32)ATOMIC_ADD_RETURN(tbl, gc_entries, 1) - 1;
	else
		entries = (u32)ATOMIC_ADD_RETURN(tbl, entries, 1) - 1;
	thresh3 = READ(tbl, gc_thresh3);
	full = entries >= thresh3;
	if (!full) {
		u64 flushed;

		if (entries < READ(tbl, gc_thresh2))
			return true;
		flushed = READ_ONCE(tbl, last_flush);
		if (!time_after(JIFFIES(), flushed + 5 * HZ))
			return true;
	}
	if (neigh_forced_gc(tbl) || !full)
		return true;
	if (has(NEIGH_GC_LIST)) {
		NEIGH_CACHE_STAT_INC(tbl, table_fulls);
		ATOMIC_DEC(tbl, gc_entries);
	} else {
		ATOMIC_DEC(tbl, entries);
	}
	return false;
}

/* ---- by age ---- */

/* Failed, or not used for a minute. */
static bool is_stale(struct neighbour *n)
{
	u8 state = READ(n, nud_state);
	const struct neigh_parms *parms;
	u64 confirmed, used;

	if (state & (NUD_PERMANENT | NUD_IN_TIMER))
		return false;
	confirmed = READ_ONCE(n, confirmed);
	used = READ_ONCE(n, used);
	if (time_before(used, confirmed)) {
		used = confirmed;
		WRITE_ONCE(n, used, used);
	}
	if (READ_ONCE(n, refcnt) != 1)
		return false;
	parms = READ(n, parms);
	return state == NUD_FAILED ||
	       time_after(JIFFIES(), used + READ(parms, gc_staletime));
}

/* Every five minutes reachable times are drawn anew. */
static void renew_reachable_times(struct neigh_table *tbl, u64 now)
{
	struct neigh_parms *p = &tbl->parms;

	if (!time_after(now, READ(tbl, last_rand) + 300 * HZ))
		return;
	WRITE(tbl, last_rand, now);
	WRITE(p, reachable_time,
	      neigh_rand_reach_time(tbl, p->base_reachable_time));
	for (p = tbl->parms_list; p; p = p->next)
		WRITE(p, reachable_time,
		      neigh_rand_reach_time(tbl, p->base_reachable_time));
}

/*
 * Runs each half base_reachable_time.  (gc_interval, a setting of old, says
 * nothing any more.)  The kernel lets others have the lock and the CPU between
 * two buckets.
 */
void neigh_periodic_work(struct delayed_work *work)
{
	struct neigh_table *tbl = (struct neigh_table *)(void *)
		((u8 *)work - offsetof(struct neigh_table, gc_work));
	u32 i;

	FUNCTION(neigh_periodic_work);
	NEIGH_CACHE_STAT_INC(tbl, periodic_gc_runs);
	WRITE_LOCK_BH(tbl, lock);
	renew_reachable_times(tbl, JIFFIES());
	if (!has(NEIGH_GC_KEEP_FEW) ||
	    (u32)READ_ONCE(tbl, entries) >= READ(tbl, gc_thresh1)) {
		for (i = 0; i < 1u << READ(READ(tbl, nht), hash_shift); i++) {
			remove_from(tbl, i, is_stale);
			WRITE_UNLOCK_BH(tbl, lock);
			WRITE_LOCK_BH(tbl, lock);
		}
	}
	schedule_delayed_work(&tbl->gc_work,
			      tbl->parms.base_reachable_time >> 1);
	WRITE_UNLOCK_BH(tbl, lock);
}

/* ---- with the device ---- */

/* Whoever still holds it shall do no harm with it. */
static void disarm(struct neighbour *n)
{
	neigh_purge_queue(n);
	WRITE_ONCE(n, output, neigh_blackhole);
	if (READ(n, nud_state) & NUD_VALID)
		WRITE_ONCE(n, nud_state, NUD_NOARP);
	else
		WRITE_ONCE(n, nud_state, NUD_NONE);
}

void neigh_flush_dev(struct neigh_table *tbl, const struct net_device *dev)
{
	u32 i;

	FUNCTION(neigh_flush_dev);
	for (i = 0; i < 1u << READ(READ(tbl, nht), hash_shift); i++) {
		struct neighbour *prev = NULL, *n, *next;

		n = READ_AT(tbl->nht->hash_buckets, bucket, i);
		for (; n; n = next) {
			next = READ_ONCE(n, next);
			if (READ(n, dev) != dev) {
				prev = n;
				continue;
			}
			WRITE_LOCK(n, lock);
			neigh_del_timer(n);
			unlink_entry(tbl, i, prev, n);
			if (READ_ONCE(n, refcnt) != 1)
				disarm(n);
			WRITE_UNLOCK(n, lock);
			neigh_release(n);
		}
	}
}
