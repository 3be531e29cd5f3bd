/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c of 2.6.39 to 3.5 and net/core/dst.c: how routes leave
 * the routing cache.
 *
 *	rt_garbage_collect	when there are more routes than chains, before
 *				another is made: by age, and by half of that
 *				age if not enough go
 *	rt_check_expire		each minute, a fifth of the chains
 *	rt_free -> dst_rcu_free -> dst_destroy, or, while somebody has a
 *				reference, onto a list that dst_gc_task looks
 *				through
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/route_cache.h"

#define GC_MIN_INTERVAL (HZ / 2)
#define GC_TIMEOUT ((u64)RT_GC_TIMEOUT_S * HZ)
#define MAX_SIZE_FACTOR 16	/* routes a chain that are never passed */

#define DST_GC_MIN (HZ / 10)
#define DST_GC_INC (HZ / 2)
#define DST_GC_MAX (120ull * HZ)

static struct route_cache *cache(void)
{
	return this_kernel()->ipv4->cache;
}

/* ---- the end of a route ---- */

static void dst_destroy(struct rtable *rt)
{
	struct neighbour *neigh;

	FUNCTION(dst_destroy);
	neigh = READ(rt, neighbour);
	if (neigh) {
		WRITE(rt, neighbour, NULL);
		neigh_release(neigh);
	}
	cache()->entries--;
	rt_dst_free(rt);
}

/* Work on the list of the dead: it comes again, later each time, while any is
 * held. */
static void dst_gc_task(struct delayed_work *work)
{
	struct route_cache *c = cache();
	struct rtable *rt = c->dead, *next;

	FUNCTION(dst_gc_task);
	c->dead = NULL;
	for (; rt; rt = next) {
		next = rt->dead_next;
		if (READ_ONCE(&rt->dst, __refcnt)) {
			rt->dead_next = c->dead;
			c->dead = rt;
		} else {
			dst_destroy(rt);
		}
	}
	if (!c->dead)
		return;
	c->dead_delay = MIN(c->dead_delay + DST_GC_INC, DST_GC_MAX);
	schedule_delayed_work(work, c->dead_delay);
}

static void dst_rcu_free(void *object)
{
	struct route_cache *c = cache();
	struct rtable *rt = object;

	FUNCTION(dst_rcu_free);
	if (!READ_ONCE(&rt->dst, __refcnt)) {
		dst_destroy(rt);
		return;
	}
	WRITE_ONCE(&rt->dst, obsolete, DST_OBSOLETE_DEAD);
	rt->dead_next = c->dead;
	c->dead = rt;
	if (rt->dead_next)
		return;
	c->dead_delay = DST_GC_MIN;
	schedule_delayed_work(&c->dead_work, c->dead_delay);
}

void rt_free(struct rtable *rt)
{
	CALL_RCU(&rt->dst, rcu_head, dst_rcu_free);
}

void rt_drop(struct rtable *rt)
{
	dst_release(&rt->dst);
	CALL_RCU(&rt->dst, rcu_head, dst_rcu_free);
}

/* ---- which go ---- */

static u64 age_of(struct rtable *rt)
{
	return JIFFIES() - READ_ONCE(&rt->dst, lastuse);
}

/* A broadcast that came in, with others behind it, is soon made anew. */
static bool rt_fast_clean(struct rtable *rt)
{
	return READ(rt, rt_flags) & RTCF_BROADCAST &&
	       READ(rt, rt_route_iif) && READ_ONCE(rt, rt_next);
}

static bool rt_may_expire(struct rtable *rt, u64 tmo)
{
	if (READ_ONCE(&rt->dst, __refcnt))
		return false;
	return age_of(rt) > tmo || rt_fast_clean(rt);
}

/* The longer ago its last use, the less; what goes out is dearer. */
u32 rt_score(struct rtable *rt)
{
	u32 score = ~(u32)age_of(rt) & ~(3u << 30);

	if (!READ(rt, rt_route_iif) ||
	    !(READ(rt, rt_flags) & (RTCF_BROADCAST | RTCF_LOCAL)))
		score |= 1u << 30;
	return score;
}

/* Takes from a chain what is stale or not used for tmo, which halves with each
 * that stays.  How many went. */
static u32 shrink_chain(u32 hash, u64 tmo)
{
	struct rt_hash_bucket *bucket = rt_bucket(hash);
	struct rt_hash_lock *lock = rt_hash_lock_addr(hash);
	struct rtable *prev = NULL, *rt, *next;
	u32 gone = 0;

	SPIN_LOCK_BH(lock, lock);
	for (rt = READ_ONCE(bucket, chain); rt; rt = next) {
		next = READ_ONCE(rt, rt_next);
		if (!rt_is_expired(rt) && !rt_may_expire(rt, tmo)) {
			tmo >>= 1;
			prev = rt;
			continue;
		}
		rt_unlink(bucket, prev, rt);
		rt_free(rt);
		gone++;
	}
	SPIN_UNLOCK_BH(lock, lock);
	return gone;
}

/* ---- collecting ---- */

/* How many are to go.  Beyond eight a chain half of those too many, at least
 * as many as there are chains; else what is above an equilibrium, which creeps
 * up. */
static s64 find_goal(struct route_cache *c)
{
	const s64 entries = c->entries, chains = 1ll << c->log;
	s64 goal = entries - ((s64)c->gc_elasticity << c->log);
	s64 balance = READ_ONCE(c->gc, equilibrium);

	if (goal > 0) {
		goal = MAX(goal >> 1, chains);
		WRITE_ONCE(c->gc, equilibrium, (s32)(entries - goal));
		return goal;
	}
	balance = MAX(balance, chains);
	goal = entries - balance;
	if (goal > 0) {
		balance += MIN(goal >> 1, chains);
		goal = entries - balance;
	}
	WRITE_ONCE(c->gc, equilibrium, (s32)balance);
	return goal;
}

/* One round through the table from the rover on; what is left of the goal. */
static s64 collect_round(struct route_cache *c, s64 goal)
{
	u32 mask = READ(c->vars, rt_hash_mask);
	u64 expire = READ_ONCE(c->gc, expire);
	u32 k = READ_ONCE(c->gc, rover), i;

	for (i = 0; i <= mask && goal > 0; i++) {
		k = (k + 1) & mask;
		goal -= shrink_chain(k, expire);
	}
	WRITE_ONCE(c->gc, rover, k);
	return goal;
}

/* Enough have gone: next time they may be older. */
static void work_done(struct route_cache *c)
{
	u64 expire = READ_ONCE(c->gc, expire) + GC_MIN_INTERVAL;

	if (expire > GC_TIMEOUT || (u32)c->entries < 1u << c->log)
		expire = GC_TIMEOUT;
	WRITE_ONCE(c->gc, expire, expire);
}

bool rt_garbage_collect(void)
{
	struct route_cache *c = cache();
	const s64 max_size = (s64)MAX_SIZE_FACTOR << c->log;
	u64 now = JIFFIES(), expire;
	bool early;
	s64 goal;

	FUNCTION(rt_garbage_collect);
	RT_CACHE_STAT_INC(gc_total);
	early = now - READ_ONCE(c->gc, last_gc) < GC_MIN_INTERVAL;
	if (early && c->entries < max_size) {
		RT_CACHE_STAT_INC(gc_ignored);
		return false;
	}
	goal = find_goal(c);
	if (!early)
		WRITE_ONCE(c->gc, last_gc, now);
	if (goal <= 0) {
		WRITE_ONCE(c->gc, equilibrium,
			   READ_ONCE(c->gc, equilibrium) + (s32)goal);
		work_done(c);
		return false;
	}
	do {
		goal = collect_round(c, goal);
		if (goal <= 0) {
			work_done(c);
			return false;
		}
		RT_CACHE_STAT_INC(gc_goal_miss);
		expire = READ_ONCE(c->gc, expire);
		if (!expire)
			break;
		WRITE_ONCE(c->gc, expire, expire >> 1);
		if (c->entries < max_size)
			return false;
	} while (!in_softirq() && time_before_eq(JIFFIES(), now));
	if (c->entries < max_size)
		return false;
	RT_CACHE_STAT_INC(gc_dst_overflow);
	return true;
}

/* The kernel lets others have the CPU between two chains. */
static void rt_check_expire(struct delayed_work *expire_work)
{
	struct route_cache *c = cache();
	u32 mask = READ(c->vars, rt_hash_mask);
	u64 n = ((u64)RT_GC_INTERVAL_S << c->log) / RT_GC_TIMEOUT_S;

	FUNCTION(rt_check_expire);
	for (; n; n--) {
		c->expire_rover = (c->expire_rover + 1) & mask;
		WORK(8);
		if (READ_ONCE(rt_bucket(c->expire_rover), chain))
			shrink_chain(c->expire_rover, GC_TIMEOUT);
	}
	schedule_delayed_work(expire_work, (u64)RT_GC_INTERVAL_S * HZ);
}

void rt_cache_gc_init(struct kernel *kernel)
{
	struct route_cache *c = kernel->ipv4->cache;
	u32 hz = kernel->parameters.hz;
	u64 address;

	c->gc = STATIC_OBJECT(kernel, rt_gc, 0);
	c->gc->expire = (u64)RT_GC_TIMEOUT_S * hz;
	c->gc->last_gc = jiffies_data()->jiffies - hz;
	c->gc->equilibrium = 0;
	/* Both timers lie behind the collector's variables. */
	address = object_address(&c->gc->object) + LINE_SIZE;
	c->expire_work.function = rt_check_expire;
	delayed_work_at_boot(&c->expire_work, address, 0,
			     (u64)RT_GC_INTERVAL_S * hz);
	c->dead_work.function = dst_gc_task;
	delayed_work_at_boot(&c->dead_work, address + 2 * LINE_SIZE, 0,
			     (u64)RT_GC_INTERVAL_S * hz);
}
