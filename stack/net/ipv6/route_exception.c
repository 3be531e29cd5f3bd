/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c of kernels from 4.18 on: routes for one destination
 * that are not like the others of their nexthop, in a hash table that each
 * nexthop has of its own, once it needs one.
 *
 *	__ip6_rt_update_pmtu -> ip6_rt_cache_alloc, rt6_insert_exception
 *	ip6_pol_route -> rt6_find_cached_rt -> __rt6_find_exception_rcu
 *	fib6_run_gc -> rt6_remove_exception_rt
 *
 * All of it is under one lock, but for look-ups, which are under RCU.  Whoever
 * has the nexthop's other routes in his socket is told by a new serial number
 * of its node.
 */
#include <errno.h>
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/linux/timer.h"
#include "stack/lib/siphash.h"
#include "stack/net/ipv6/route.h"

#define FIB6_MAX_DEPTH 5u

/* Made with the first exception, so that nobody pays for it before. */
static struct rt6_exception_vars *exception_vars(void)
{
	struct kernel *kernel = this_kernel();
	struct rt6_exception_vars *vars = kernel->ipv6->exceptions;

	if (vars)
		return vars;
	vars = STATIC_OBJECT(kernel, rt6_exception_vars, 0);
	random_seed(&vars->random, kernel->machine->seed, "exceptions6", 0);
	vars->rt6_exception_key[0] = random_u64(&vars->random);
	vars->rt6_exception_key[1] = random_u64(&vars->random);
	kernel->ipv6->exceptions = vars;
	return vars;
}

static u32 rt6_exception_hash(const struct in6_addr *daddr,
			      const struct in6_addr *saddr)
{
	struct rt6_exception_vars *vars = exception_vars();
	struct in6_addr combined[2] = { *daddr };
	u64 key[2];

	if (saddr)
		combined[1] = *saddr;
	key[0] = READ_AT(vars, rt6_exception_key, 0);
	key[1] = READ_AT(vars, rt6_exception_key, 1);
	WORK(170);
	return (u32)((siphash(key, combined, sizeof(combined)) *
		      0x61c8864680b583ebull) >>
		     (64 - FIB6_EXCEPTION_BUCKET_SIZE_SHIFT));
}

static bool is_for(const struct rt6_info *rt, const struct in6_addr *daddr,
		   const struct in6_addr *saddr)
{
	struct in6_addr addr = READ_ADDR6(rt, rt6i_dst.addr);

	if (!ipv6_addr_equal(&addr, daddr))
		return false;
	if (!saddr)
		return true;
	addr = READ_ADDR6(rt, rt6i_src.addr);
	return ipv6_addr_equal(&addr, saddr);
}

/* *before is the one in front of it. */
static struct rt6_exception *find_in_slot(struct rt6_exception_bucket *bucket,
					  u32 hval,
					  const struct in6_addr *daddr,
					  const struct in6_addr *saddr,
					  struct rt6_exception **before)
{
	struct rt6_exception *ex = READ_ONCE_AT(bucket, slot, hval).chain;

	for (*before = NULL; ex; ex = READ_ONCE(ex, hlist)) {
		WORK(8);
		if (is_for(READ_ONCE(ex, rt6i), daddr, saddr))
			return ex;
		*before = ex;
	}
	return NULL;
}

struct rt6_exception *
__rt6_find_exception_rcu(struct rt6_exception_bucket *bucket,
			 const struct in6_addr *daddr,
			 const struct in6_addr *saddr)
{
	struct rt6_exception *before;
	u32 hval;

	FUNCTION(__rt6_find_exception_rcu);
	if (!bucket)
		return NULL;
	hval = rt6_exception_hash(daddr, saddr);
	return find_in_slot(bucket, hval, daddr, saddr, &before);
}

static void set_slot(struct rt6_exception_bucket *bucket, u32 hval,
		     struct rt6_exception *first, s32 more)
{
	struct rt6_exception_slot slot = bucket->slot[hval];

	slot.chain = first;
	slot.depth += (u64)(s64)more;
	WRITE_ONCE_AT(bucket, slot, hval, slot);
}

/* The lock is held.  Who has the route asks whether it is still good. */
static void rt6_remove_exception(struct rt6_exception_bucket *bucket, u32 hval,
				 struct rt6_exception *before,
				 struct rt6_exception *ex)
{
	struct rt6_exception *next = READ_ONCE(ex, hlist);
	struct rt6_info *rt = READ_ONCE(ex, rt6i);
	struct fib6_info *from;

	FUNCTION(rt6_remove_exception);
	from = ATOMIC_XCHG(rt, from, NULL);
	if (from)
		ATOMIC_DEC(from, fib6_ref);
	if (before)
		WRITE_ONCE(before, hlist, next);
	set_slot(bucket, hval, before ? bucket->slot[hval].chain : next, -1);
	exception_vars()->count--;
	dst_release(&rt->dst);
	KFREE_RCU(ex, rcu);
}

/* A slot must not grow without end. */
static void rt6_exception_remove_oldest(struct rt6_exception_bucket *bucket,
					u32 hval)
{
	struct rt6_exception *ex = READ_ONCE_AT(bucket, slot, hval).chain;
	struct rt6_exception *last = NULL, *oldest = NULL, *before = NULL;
	u64 stamp = 0, other;

	for (; ex; ex = READ_ONCE(ex, hlist)) {
		other = READ_ONCE(ex, stamp);
		if (!oldest || time_before(other, stamp)) {
			before = last;
			oldest = ex;
			stamp = other;
		}
		last = ex;
	}
	if (oldest)
		rt6_remove_exception(bucket, hval, before, oldest);
}

static struct rt6_exception_bucket *nh_bucket(struct fib6_nh *nh)
{
	struct rt6_exception_bucket *bucket;

	bucket = READ_ONCE(nh, rt6i_exception_bucket);
	if (bucket)
		return bucket;
	bucket = KMALLOC(rt6_exception_bucket, GFP_ATOMIC);
	if (!bucket)
		return NULL;
	memset(bucket->slot, 0, sizeof(bucket->slot));
	kmemleak_not_leak(bucket);
	WRITE_ONCE(nh, rt6i_exception_bucket, bucket);
	return bucket;
}

/* In front of the slot's others, of which there is none for the same. */
static int add_to_slot(struct rt6_exception_bucket *bucket, u32 hval,
		       struct rt6_info *nrt)
{
	struct rt6_exception *ex = KMALLOC(rt6_exception, GFP_ATOMIC);
	struct rt6_exception_vars *vars = exception_vars();
	u32 most;

	if (!ex)
		return -ENOMEM;
	memset((char *)ex + sizeof(ex->object), 0,
	       sizeof(*ex) - sizeof(ex->object));
	kmemleak_not_leak(ex);
	WRITE_ONCE(ex, rt6i, nrt);
	WRITE_ONCE(ex, stamp, JIFFIES());
	WRITE_ONCE(ex, hlist, READ_ONCE_AT(bucket, slot, hval).chain);
	set_slot(bucket, hval, ex, 1);
	vars->count++;
	most = FIB6_MAX_DEPTH;
	if (has(FNHE_HASH_SIPHASH))
		most += (u32)random_below(&vars->random, FIB6_MAX_DEPTH);
	while (bucket->slot[hval].depth > most)
		rt6_exception_remove_oldest(bucket, hval);
	return 0;
}

/* The source counts where the route is by source. */
static const struct in6_addr *source_key(const struct fib6_info *f6i,
					 const struct rt6_info *rt)
{
	return has(IPV6_SUBTREES) && READ(f6i, fib6_src.plen) ?
	       &rt->rt6i_src.addr : NULL;
}

int rt6_insert_exception(struct rt6_info *nrt, const struct fib6_result *res)
{
	struct rt6_exception_vars *vars = exception_vars();
	const struct in6_addr *daddr = &nrt->rt6i_dst.addr, *saddr;
	struct rt6_exception *ex, *before;
	struct rt6_exception_bucket *bucket;
	struct fib6_table *table;
	int err = -ENOMEM;
	u32 hval;

	FUNCTION(rt6_insert_exception);
	saddr = source_key(res->f6i, nrt);
	SPIN_LOCK_BH(vars, rt6_exception_lock);
	bucket = nh_bucket(res->nh);
	if (bucket) {
		hval = rt6_exception_hash(daddr, saddr);
		ex = find_in_slot(bucket, hval, daddr, saddr, &before);
		if (ex)
			rt6_remove_exception(bucket, hval, before, ex);
		err = add_to_slot(bucket, hval, nrt);
	}
	SPIN_UNLOCK_BH(vars, rt6_exception_lock);
	if (err)
		return err;
	table = READ(res->f6i, fib6_table);
	local_bh_disable();
	WRITE_LOCK(table, tb6_lock);
	fib6_update_sernum(res->f6i);
	WRITE_UNLOCK(table, tb6_lock);
	local_bh_enable();
	fib6_force_start_gc(this_kernel()->init_net);
	return 0;
}

/* Calls fn for the exception of which this is the route, under the lock. */
static void with_exception(struct rt6_info *rt,
			   void (*fn)(struct rt6_exception_bucket *bucket,
				      u32 hval, struct rt6_exception *before,
				      struct rt6_exception *ex))
{
	struct rt6_exception_vars *vars = exception_vars();
	const struct in6_addr *saddr;
	struct rt6_exception *ex, *before;
	struct rt6_exception_bucket *bucket;
	struct fib6_info *from;
	u32 hval;

	SPIN_LOCK_BH(vars, rt6_exception_lock);
	from = READ_ONCE(rt, from);
	bucket = from ? READ_ONCE(&from->fib6_nh, rt6i_exception_bucket) : NULL;
	if (bucket) {
		saddr = source_key(from, rt);
		hval = rt6_exception_hash(&rt->rt6i_dst.addr, saddr);
		ex = find_in_slot(bucket, hval, &rt->rt6i_dst.addr, saddr,
				  &before);
		if (ex && ex->rt6i == rt)
			fn(bucket, hval, before, ex);
	}
	SPIN_UNLOCK_BH(vars, rt6_exception_lock);
}

void rt6_remove_exception_rt(struct rt6_info *rt)
{
	with_exception(rt, rt6_remove_exception);
}

static void stamp(struct rt6_exception_bucket *bucket, u32 hval,
		  struct rt6_exception *before, struct rt6_exception *ex)
{
	(void)bucket;
	(void)hval;
	(void)before;
	WRITE_ONCE(ex, stamp, JIFFIES());
}

void rt6_update_exception_stamp_rt(struct rt6_info *rt)
{
	with_exception(rt, stamp);
}

void rt6_flush_exceptions(struct fib6_info *f6i)
{
	struct rt6_exception_bucket *bucket =
		f6i->fib6_nh.rt6i_exception_bucket;
	struct rt6_exception *ex, *next;
	u32 i;

	for (i = 0; bucket && i < FIB6_EXCEPTION_BUCKET_SIZE; i++) {
		for (ex = bucket->slot[i].chain; ex; ex = next) {
			next = ex->hlist;
			ex->rt6i->from = NULL;
			f6i->fib6_ref--;
			ex->rt6i->dst.__refcnt--;
			rt6_free(ex->rt6i);
			this_kernel()->ipv6->exceptions->count--;
			kfree(ex);
		}
		bucket->slot[i] = (struct rt6_exception_slot){ 0 };
	}
}
