/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c of 2.6.39 to 3.5: the routing cache.
 *
 *	ip_route_output_flow -> __ip_route_output_key	one chain, under RCU
 *		-> ip_route_output_slow			else the FIB,
 *		   -> __mkroute_output			a route for this flow,
 *		   -> rt_intern_hash			and into its chain
 *	ip_route_input_common				the same for packets
 *		-> ip_route_input_slow -> rt_intern_hash
 *
 * Which chain, a hash of both addresses and the device says, whose salt is the
 * generation: a change of routing takes another, and what is in the table is
 * stale, wherever it is met.  All CPUs share a route and its reference count.
 * A route that goes out has its neighbour bound to it.
 *
 * Not modelled: what is learnt from other hosts (peers, redirects, path MTUs),
 * rules, and a namespace that has given up its cache.
 */
#include <errno.h>
#include <stdlib.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/jhash.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/route_cache.h"

#define BUCKET_BYTES 8u
#define BUCKETS_PER_PAGE (PAGE_SIZE / BUCKET_BYTES)
#define LOCK_BYTES 2u

#define TOS_MASK 0x1cu

/* What a flow is found by. */
struct rt_key {
	u32 daddr, saddr;
	u32 iif, oif;		/* iif 0: it goes out */
	u32 mark;
	u8 tos;
};

static struct route_cache *cache(void)
{
	return this_kernel()->ipv4->cache;
}

/* ---- the table ---- */

struct rt_hash_bucket *rt_bucket(u32 hash)
{
	struct route_cache *c = cache();
	struct rt_hash_bucket *bucket = &c->vars->rt_hash_table[hash];

	if (unlikely(!bucket->object.type)) {
		object_init(&bucket->object,
			    &this_kernel()->types[STRUCT_rt_hash_bucket],
			    c->pages[hash / BUCKETS_PER_PAGE] +
			    hash % BUCKETS_PER_PAGE * BUCKET_BYTES);
		bucket->object.state = OBJECT_ALIVE;
	}
	return bucket;
}

struct rt_hash_lock *rt_hash_lock_addr(u32 hash)
{
	return &cache()->locks[hash & (RT_HASH_LOCKS - 1)];
}

static u32 rt_hash(struct net *net, const struct rt_key *key)
{
	struct rt_hash_vars *vars = cache()->vars;
	u32 genid = READ_ONCE(net, rt_genid);
	u32 mask = READ(vars, rt_hash_mask);

	WORK(40);
	return jhash_3words(key->daddr, key->saddr,
			    key->iif ? key->iif : key->oif, genid) & mask;
}

static struct rtable *first_of(struct rt_hash_bucket *bucket)
{
	(void)READ(cache()->vars, rt_hash_table);
	return READ_ONCE(bucket, chain);
}

void rt_unlink(struct rt_hash_bucket *bucket, struct rtable *prev,
	       struct rtable *rt)
{
	struct rtable *next = READ_ONCE(rt, rt_next);

	if (prev)
		WRITE_ONCE(prev, rt_next, next);
	else
		WRITE_ONCE(bucket, chain, next);
}

/* In the order of the kernel's comparisons, of which most end at the first. */
static bool matches(struct rtable *rt, const struct rt_key *key)
{
	WORK(6);
	return READ(rt, rt_key_dst) == key->daddr &&
	       READ(rt, rt_key_src) == key->saddr &&
	       READ(rt, rt_route_iif) == key->iif &&
	       READ(rt, rt_oif) == key->oif &&
	       READ(rt, rt_mark) == key->mark &&
	       READ(rt, rt_key_tos) == key->tos;
}

/* The jiffy of its last use, and how often it was used. */
static void note_use(struct rtable *rt)
{
	u32 use = READ_ONCE(&rt->dst, __use);

	WRITE_ONCE(&rt->dst, __use, use + 1);
	WRITE_ONCE(&rt->dst, lastuse, JIFFIES());
}

/* ---- into the table ---- */

/* The neighbour of the next hop; on loopback all have that of no address. */
static int rt_bind_neighbour(struct rtable *rt)
{
	struct net_device *dev = READ(&rt->dst, dev);
	u32 nexthop = READ(rt, rt_gateway);
	struct neighbour *neigh;

	FUNCTION(ipv4_neigh_lookup);
	if (READ(dev, flags) & (IFF_LOOPBACK | IFF_POINTOPOINT))
		nexthop = 0;
	neigh = __ipv4_neigh_lookup_noref(dev, nexthop);
	if (!neigh)
		neigh = __neigh_create(arp_tbl(), &nexthop, dev);
	if (!neigh)
		return -ENOBUFS;
	neigh_hold(neigh);
	WRITE(rt, neighbour, neigh);
	return 0;
}

/* Looks through a chain, whose lock is held, for a route of the same flow, and
 * cleans it on the way: what is stale goes, and of a long chain the one that is
 * worth least.  *length is that of a chain of which none can go, or else 0. */
static struct rtable *search_chain(struct rt_hash_bucket *bucket,
				   const struct rt_key *key, u32 *length)
{
	struct rtable *prev = NULL, *rt, *next, *cand = NULL, *before = NULL;
	u32 least = ~0u;

	*length = 0;
	for (rt = READ_ONCE(bucket, chain); rt; rt = next) {
		next = READ_ONCE(rt, rt_next);
		if (rt_is_expired(rt)) {
			rt_unlink(bucket, prev, rt);
			rt_free(rt);
			continue;
		}
		if (matches(rt, key)) {
			/* To the front. */
			rt_unlink(bucket, prev, rt);
			WRITE_ONCE(rt, rt_next, READ_ONCE(bucket, chain));
			WRITE_ONCE(bucket, chain, rt);
			return rt;
		}
		if (!READ_ONCE(&rt->dst, __refcnt)) {
			u32 score = rt_score(rt);

			if (score <= least) {
				cand = rt;
				before = prev;
				least = score;
			}
		}
		++*length;
		prev = rt;
	}
	if (cand && *length > cache()->gc_elasticity) {
		rt_unlink(bucket, before, cand);
		rt_free(cand);
	}
	if (cand)
		*length = 0;
	return NULL;
}

/* Too many of one chain are in use: somebody may know the salt. */
static bool rt_emergency_hash_rebuild(struct net *net)
{
	UPDATE(net, ipv4.current_rt_cache_rebuild_count, += 1);
	if (net->ipv4.current_rt_cache_rebuild_count > RT_REBUILDS_MAX) {
		not_modelled("IPv4 that has given up its routing cache");
		return false;
	}
	rt_cache_flush(net);
	return true;
}

/* What may not be bound to a neighbour for want of room. */
static bool make_room(u32 *attempts)
{
	struct route_cache *c = cache();
	u32 elasticity = c->gc_elasticity;

	if (!(*attempts)--)
		return false;
	c->gc_elasticity = 1;
	c->gc->last_gc = 0;
	rt_garbage_collect();
	c->gc_elasticity = elasticity;
	return true;
}

/* rt comes with one reference, which goes to what is given back: rt itself, or
 * one of the same flow that another CPU was first with. */
static struct rtable *rt_intern_hash(struct net *net, struct rtable *rt,
				     const struct rt_key *key, int *err)
{
	bool bind = rt->rt_type == RTN_UNICAST || !key->iif;
	u32 attempts = 1, hash, length;
	struct rt_hash_bucket *bucket;
	struct rt_hash_lock *lock;
	struct rtable *other;

	FUNCTION(rt_intern_hash);
	for (;;) {
		hash = rt_hash(net, key);
		bucket = rt_bucket(hash);
		lock = rt_hash_lock_addr(hash);
		SPIN_LOCK_BH(lock, lock);
		other = search_chain(bucket, key, &length);
		if (other) {
			ATOMIC_INC(&other->dst, __refcnt);
			note_use(other);
			SPIN_UNLOCK_BH(lock, lock);
			rt_drop(rt);
			return other;
		}
		if (length <= RT_CHAIN_LENGTH_MAX) {
			*err = bind ? rt_bind_neighbour(rt) : 0;
			if (!*err)
				break;
			SPIN_UNLOCK_BH(lock, lock);
			if (make_room(&attempts))
				continue;
		} else {
			SPIN_UNLOCK_BH(lock, lock);
			*err = -ENOBUFS;
			if (rt_emergency_hash_rebuild(net)) {
				WRITE(rt, rt_genid, READ_ONCE(net, rt_genid));
				continue;
			}
		}
		rt_drop(rt);
		return NULL;
	}
	kmemleak_not_leak(rt);
	WRITE_ONCE(rt, rt_next, READ_ONCE(bucket, chain));
	WRITE_ONCE(bucket, chain, rt);
	SPIN_UNLOCK_BH(lock, lock);
	return rt;
}

/* A route that is not in the table yet, with its key. */
static struct rtable *new_route(struct net *net, struct net_device *dev,
				const struct rt_key *key, u16 type, u32 flags,
				int *err)
{
	struct route_cache *c = cache();
	struct rtable *rt = NULL;

	*err = -ENOBUFS;
	/* More than one a chain: it is time to collect. */
	if ((u32)c->entries <= 1u << c->log || !rt_garbage_collect())
		rt = rt_dst_alloc(dev, false);
	if (!rt)
		return NULL;
	c->entries++;
	WRITE_ONCE(&rt->dst, __use, 0);
	WRITE_ONCE(&rt->dst, lastuse, JIFFIES());
	WRITE(rt, rt_key_dst, key->daddr);
	WRITE(rt, rt_key_src, key->saddr);
	WRITE(rt, rt_genid, READ_ONCE(net, rt_genid));
	WRITE(rt, rt_flags, flags);
	WRITE(rt, rt_type, type);
	WRITE(rt, rt_key_tos, key->tos);
	WRITE(rt, rt_route_iif, key->iif);
	WRITE(rt, rt_oif, key->oif);
	WRITE(rt, rt_mark, key->mark);
	WRITE(rt, rt_peer_genid, 0);
	WRITE(rt, neighbour, NULL);
	*err = 0;
	return rt;
}

/* ---- what goes out ---- */

static struct rtable *mkroute_output(struct net *net,
				     const struct fib_result *res,
				     const struct flowi4 *fl4,
				     const struct rt_key *key,
				     struct net_device *dev_out, int *err)
{
	struct in_device *in_dev = READ(dev_out, ip_ptr);
	struct fib_nh *nh = FIB_RES_NH(*res);
	struct rtable *rt;
	u32 flags = 0;

	FUNCTION(__mkroute_output);
	*err = -EINVAL;
	if (!in_dev)
		return NULL;
	if (READ(dev_out, flags) & IFF_LOOPBACK)
		flags |= RTCF_LOCAL;
	if (res->type == RTN_BROADCAST)
		flags |= RTCF_BROADCAST | RTCF_LOCAL;
	(void)READ_AT(in_dev, cnf.data, IPV4_DEVCONF_NOPOLICY);
	rt = new_route(net, dev_out, key, res->type, flags, err);
	if (!rt)
		return NULL;
	WRITE(&rt->dst, output, ip_output);
	WRITE(rt, rt_dst, fl4->daddr);
	WRITE(rt, rt_src, fl4->saddr);
	WRITE(rt, rt_iif, key->oif ? key->oif : READ(dev_out, ifindex));
	WRITE(rt, rt_gateway, fl4->daddr);
	WRITE(rt, rt_spec_dst, flags & RTCF_LOCAL ? fl4->daddr : fl4->saddr);
	RT_CACHE_STAT_INC(out_slow_tot);
	if (flags & RTCF_LOCAL)
		WRITE(&rt->dst, input, ip_local_deliver);
	if (READ(nh, nh_gw) && READ(nh, nh_scope) == RT_SCOPE_LINK)
		WRITE(rt, rt_gateway, READ(nh, nh_gw));
	WRITE(&rt->dst, _metrics, 0);
	return rt;
}

static struct rtable *ip_route_output_slow(struct net *net, struct flowi4 *fl4,
					   const struct rt_key *key, int *err)
{
	struct fib_result res = { 0 };
	struct net_device *dev;
	struct rtable *rt = NULL;

	FUNCTION(ip_route_output_slow);
	rcu_read_lock();
	dev = ip_route_output_device(net, fl4, &res, err);
	if (dev)
		rt = mkroute_output(net, &res, fl4, key, dev, err);
	if (rt)
		rt = rt_intern_hash(net, rt, key, err);
	rcu_read_unlock();
	return rt;
}

struct rtable *rt_cache_output(struct net *net, struct flowi4 *fl4, int *err)
{
	const struct rt_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.oif = fl4->flowi4_oif, .mark = fl4->flowi4_mark,
		.tos = fl4->flowi4_tos & TOS_MASK,
	};
	struct rtable *rt;

	FUNCTION(__ip_route_output_key);
	local_bh_disable();
	rcu_read_lock();
	rt = first_of(rt_bucket(rt_hash(net, &key)));
	for (; rt; rt = READ_ONCE(rt, rt_next)) {
		if (!matches(rt, &key) || rt_is_expired(rt)) {
			RT_CACHE_STAT_INC(out_hlist_search);
			continue;
		}
		(void)READ(rt, rt_peer_genid);
		ATOMIC_INC(&rt->dst, __refcnt);
		note_use(rt);
		RT_CACHE_STAT_INC(out_hit);
		if (!fl4->saddr)
			fl4->saddr = READ(rt, rt_src);
		break;
	}
	rcu_read_unlock();
	local_bh_enable();
	*err = 0;
	return rt ? rt : ip_route_output_slow(net, fl4, &key, err);
}

/* ---- what comes in ---- */

static struct rt_key input_key(u32 daddr, u32 saddr, u8 tos,
			       struct net_device *dev)
{
	return (struct rt_key){
		.daddr = daddr, .saddr = saddr, .tos = tos & TOS_MASK,
		.iif = READ(dev, ifindex),
	};
}

struct rtable *rt_cache_find_input(struct net *net, u32 daddr, u32 saddr,
				   u8 tos, struct net_device *dev)
{
	const struct rt_key key = input_key(daddr, saddr, tos, dev);
	struct rtable *rt = first_of(rt_bucket(rt_hash(net, &key)));

	for (; rt; rt = READ_ONCE(rt, rt_next)) {
		if (matches(rt, &key) && !rt_is_expired(rt)) {
			(void)READ(rt, rt_peer_genid);
			note_use(rt);
			RT_CACHE_STAT_INC(in_hit);
			return rt;
		}
		RT_CACHE_STAT_INC(in_hlist_search);
	}
	return NULL;
}

struct rtable *rt_cache_add_input(struct net *net, u32 daddr, u32 saddr, u8 tos,
				  struct net_device *dev, u16 type, u32 flags,
				  int *err)
{
	const struct rt_key key = input_key(daddr, saddr, tos, dev);
	struct rtable *rt = new_route(net, READ(net, loopback_dev), &key, type,
				      flags | RTCF_LOCAL, err);

	if (!rt)
		return NULL;
	WRITE(&rt->dst, input, ip_local_deliver);
	WRITE(&rt->dst, output, ip_rt_bug);
	WRITE(rt, rt_dst, daddr);
	WRITE(rt, rt_src, saddr);
	WRITE(rt, rt_iif, key.iif);
	WRITE(rt, rt_gateway, daddr);
	WRITE(rt, rt_spec_dst, daddr);
	RT_CACHE_STAT_INC(in_slow_tot);
	return rt_intern_hash(net, rt, &key, err);
}

/* ---- what is asked of a route ---- */

u32 rt_cache_mtu(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	struct dst_metrics *metrics = this_kernel()->ipv4->metrics;
	u32 mtu;

	(void)READ(dst, _metrics);
	mtu = READ_AT(metrics, metrics, RTAX_MTU - 1);
	if (mtu && !READ(rt, rt_route_iif))
		return mtu;
	mtu = READ(READ(dst, dev), mtu);
	(void)READ_AT(metrics, metrics, 0);	/* is it locked? */
	return MIN(mtu, 0xffffu);
}

void rt_cache_confirm(struct rtable *rt)
{
	struct neighbour *neigh = READ_ONCE(rt, neighbour);

	WORK(2);
	if (neigh)
		neigh_confirm(neigh);
}

/* ---- set-up ---- */

/* alloc_large_system_hash(): a chain for 32 KiB of memory, for 128 KiB where
 * there is less than 512 MiB; a power of two, at most 512 thousand. */
u32 rt_hash_entries(const struct kernel *kernel)
{
	const struct machine_profile *profile = kernel->machine->profile;
	u64 bytes = profile->node_bytes * profile->packages;
	u64 entries = bytes >> (bytes >= 512ull << 20 ? 15 : 17);
	u32 power = 1;

	entries = CLAMP(entries, 1024, 512 * 1024);
	while (power < entries)
		power <<= 1;
	return power;
}

u32 rt_hash_bytes(const struct kernel *kernel)
{
	return rt_hash_entries(kernel) * BUCKET_BYTES;
}

static u64 node_page(struct machine *machine, u32 number)
{
	u32 node = number % machine->profile->packages;
	u64 address = machine_alloc_pages(machine, node, 0);

	if (!address)
		g_error("the simulated memory of node %u is full", node);
	return address;
}

static void locks_init(struct kernel *kernel, struct route_cache *c)
{
	u32 per_page = PAGE_SIZE / LOCK_BYTES, i;
	u64 page = 0;

	c->locks = g_new0(struct rt_hash_lock, RT_HASH_LOCKS);
	for (i = 0; i < RT_HASH_LOCKS; i++) {
		if (i % per_page == 0)
			page = node_page(kernel->machine, 0);
		/* An object lies at a multiple of 8: on the lock's line. */
		object_init(&c->locks[i].object,
			    &kernel->types[STRUCT_rt_hash_lock],
			    page + (i % per_page * LOCK_BYTES & ~7u));
		c->locks[i].object.state = OBJECT_ALIVE;
	}
}

void rt_cache_init(struct kernel *kernel)
{
	struct route_cache *c = g_new0(struct route_cache, 1);
	u32 i, n = kernel->machine->num_cpus;
	u32 entries = rt_hash_entries(kernel);
	struct random_stream salt;

	kernel->ipv4->cache = c;
	while (1u << c->log < entries)
		c->log++;
	c->vars = STATIC_OBJECT(kernel, rt_hash_vars, 0);
	c->vars->rt_hash_mask = entries - 1;
	/* Zeroes that are not touched yet: most chains never are. */
	c->vars->rt_hash_table = calloc(entries, sizeof(struct rt_hash_bucket));
	if (!c->vars->rt_hash_table)
		g_error("no memory for the routing cache");
	c->pages = g_new(u64, entries / BUCKETS_PER_PAGE);
	for (i = 0; i < entries / BUCKETS_PER_PAGE; i++)
		c->pages[i] = node_page(kernel->machine, i);
	locks_init(kernel, c);
	c->stats = g_new0(struct rt_cache_stat *, n);
	for (i = 0; i < n; i++)
		c->stats[i] = STATIC_OBJECT(kernel, rt_cache_stat,
					    kernel->machine->cpus[i].package);
	random_seed(&salt, kernel->machine->seed, "route generation", 0);
	kernel->init_net->rt_genid = (u32)(random_u64(&salt) >> 32);
	c->gc_elasticity = RT_GC_ELASTICITY;
	rt_cache_gc_init(kernel);
}

void rt_cache_exit(struct kernel *kernel)
{
	struct route_cache *c = kernel->ipv4->cache;

	free(c->vars->rt_hash_table);
	g_free(c->pages);
	g_free(c->locks);
	g_free(c->stats);
	g_free(c);
}
