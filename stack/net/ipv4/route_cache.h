/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routing cache of net/ipv4/route.c before 3.6, by kernels without
 * IPV4_NEXTHOP_ROUTES: a hash table of routes, one for each flow that was
 * asked for, looked up under RCU before any table of the FIB.
 */
#ifndef STACK_NET_IPV4_ROUTE_CACHE_H
#define STACK_NET_IPV4_ROUTE_CACHE_H

#include "stack/include/linux/timer.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/netns.h"

/* The first of a chain: 8 bytes of the kernel's, eight to a line. */
struct rt_hash_bucket {
	struct object object;
	struct rtable *chain;
};

/* One of some thousand locks, each for several chains. */
struct rt_hash_lock {
	struct object object;
	struct spinlock lock;
};

/* The variables of the file that are seldom written. */
struct rt_hash_vars {
	struct object object;
	struct rt_hash_bucket *rt_hash_table;
	u32 rt_hash_mask;
};

/* Those of rt_garbage_collect(). */
struct rt_gc {
	struct object object;
	u64 expire;		/* jiffies without use that will do for now */
	u64 last_gc;
	u32 rover;
	s32 equilibrium;
};

/* One CPU's counters. */
struct rt_cache_stat {
	struct object object;
	u32 in_hit, in_slow_tot;
	u32 out_hit, out_slow_tot;
	u32 gc_total, gc_ignored, gc_goal_miss, gc_dst_overflow;
	u32 in_hlist_search, out_hlist_search;
};

struct route_cache {
	struct rt_hash_vars *vars;
	struct rt_gc *gc;
	struct rt_cache_stat **stats;	/* by CPU */
	struct rt_hash_lock *locks;
	u32 log;			/* of the number of chains */
	u64 *pages;			/* of the table, in order */
	/* Of all routes, in the table or not: a counter in parts by CPU, which
	 * is not charged. */
	s32 entries;
	u32 gc_elasticity;		/* routes a chain, not many more */
	struct rtable *dead;		/* out of the table, but held */
	struct delayed_work dead_work;
	u64 dead_delay;
	struct delayed_work expire_work;
	u32 expire_rover;
};

#define RT_HASH_LOCKS 4096u		/* for 32 CPUs and more */
#define RT_GC_ELASTICITY 8u
#define RT_CHAIN_LENGTH_MAX 20u
#define RT_REBUILDS_MAX 4u
#define RT_GC_TIMEOUT_S 300u
#define RT_GC_INTERVAL_S 60u

#define RT_CACHE_STAT_INC(field) \
	do { \
		struct rt_cache_stat *stat_ = \
			this_kernel()->ipv4->cache->stats[this_cpu->id]; \
		UPDATE(stat_, field, += 1); \
	} while (0)

#define HAS_ROUTE_CACHE(kernel) \
	(kernel_has(kernel, RT_KEY_FIELDS) && \
	 !kernel_has(kernel, IPV4_NEXTHOP_ROUTES))

/* ---- route_cache.c ---- */

/* The route of a flow, from the cache or else from the FIB, with a reference;
 * NULL and -errno.  Fills in the flow's source. */
struct rtable *rt_cache_output(struct net *net, struct flowi4 *fl4, int *err);

/* For a packet that comes in: NULL where the cache has none.  Under RCU,
 * without a reference. */
struct rtable *rt_cache_find_input(struct net *net, u32 daddr, u32 saddr,
				   u8 tos, struct net_device *dev);
/* Puts one in, with a reference; NULL and -errno. */
struct rtable *rt_cache_add_input(struct net *net, u32 daddr, u32 saddr, u8 tos,
				  struct net_device *dev, u16 type, u32 flags,
				  int *err);

/* As ipv4_mtu(). */
u32 rt_cache_mtu(const struct dst_entry *dst);
/* As dst_confirm(): the route has its neighbour at hand. */
void rt_cache_confirm(struct rtable *rt);

struct rt_hash_bucket *rt_bucket(u32 hash);
struct rt_hash_lock *rt_hash_lock_addr(u32 hash);
/* Takes a route out of a chain, behind `prev` or in front: its lock is held. */
void rt_unlink(struct rt_hash_bucket *bucket, struct rtable *prev,
	       struct rtable *rt);

/* How many chains this much memory makes. */
u32 rt_hash_entries(const struct kernel *kernel);
u32 rt_hash_bytes(const struct kernel *kernel);
void rt_cache_init(struct kernel *kernel);
void rt_cache_exit(struct kernel *kernel);

/* ---- route_cache_gc.c ---- */

/* Out of the table: freed when those who look are done, and with the last
 * reference. */
void rt_free(struct rtable *rt);
/* One that never was in the table, and the caller's reference. */
void rt_drop(struct rtable *rt);
/* True: the cache is full and nothing can go. */
bool rt_garbage_collect(void);
/* How much a route without references is worth keeping. */
u32 rt_score(struct rtable *rt);
void rt_cache_gc_init(struct kernel *kernel);

#endif
