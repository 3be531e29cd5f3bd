/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that model net/core/neighbour.c, and the families' own, share
 * with each other. */
#ifndef STACK_NET_CORE_NEIGHBOUR_H
#define STACK_NET_CORE_NEIGHBOUR_H

#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/neighbour.h"

#define WRITE_LOCK_BH(p, member) \
	do { \
		local_bh_disable(); \
		WRITE_LOCK(p, member); \
	} while (0)
#define WRITE_UNLOCK_BH(p, member) \
	do { \
		WRITE_UNLOCK(p, member); \
		local_bh_enable(); \
	} while (0)

/* write_seqlock(), with bottom halves off already. */
#define WRITE_SEQLOCK(p, member) \
	do { \
		SPIN_LOCK(p, member.lock); \
		WRITE_SEQBEGIN(p, member); \
	} while (0)
#define WRITE_SEQUNLOCK(p, member) \
	do { \
		WRITE_SEQEND(p, member); \
		SPIN_UNLOCK(p, member.lock); \
	} while (0)

#define NEIGH_CACHE_STAT_INC(tbl, counter) \
	do { \
		struct neigh_statistics *stat_ = \
			READ(tbl, stats)[this_cpu->id]; \
		UPDATE(stat_, counter, += 1); \
	} while (0)

/* neighbour.c */
u32 neigh_hash_dev(const struct net_device *dev);
struct neighbour *neigh_find(const struct neigh_table *tbl, u32 hash,
			     const struct neigh_hash_table *nht,
			     const struct net_device *dev, const u32 *pkey);
/* The bucket in which an entry stands. */
u32 neigh_bucket(struct neigh_table *tbl, const struct neighbour *n);
void neigh_table_init(struct kernel *kernel, struct neigh_table *tbl,
		      u32 number);
/* A reachable time around a base: from half to one and a half times. */
u32 neigh_rand_reach_time(struct neigh_table *tbl, u32 base);

/* neighbour_state.c */
void neigh_timer_handler(struct timer_list *timer);
void neigh_del_timer(struct neighbour *neigh);
void neigh_purge_queue(struct neighbour *neigh);

/* neighbour_output.c */
int neigh_resolve_output(struct neighbour *neigh, struct sk_buff *skb);
int neigh_connected_output(struct neighbour *neigh, struct sk_buff *skb);
int neigh_direct_output(struct neighbour *neigh, struct sk_buff *skb);
int neigh_blackhole(struct neighbour *neigh, struct sk_buff *skb);
void neigh_update_hhs(struct neighbour *neigh);

/* neighbour_hh.c: where headers are objects.  Of a packet whose route has the
 * header `hh`, or has none; for a route its header, made if need be (n->lock is
 * held); all of a neighbour's, when its state or address changes or it ends. */
int dst_hh_output(struct neighbour *neigh, struct hh_entry *hh,
		  struct sk_buff *skb);
void neigh_hh_bind(struct neighbour *n, struct dst_entry *dst);
void neigh_hh_set_output(struct neighbour *n, bool connected);
void neigh_hh_update(struct neighbour *n);
void neigh_hh_drop(struct neighbour *n);
void neigh_hh_put(struct hh_entry *hh);

/* neighbour_gc.c */
/* Is there room in the table for one more? */
bool neigh_make_room(struct neigh_table *tbl);
void neigh_periodic_work(struct delayed_work *work);
void neigh_gc_list_add(struct neigh_table *tbl, struct neighbour *n);
void neigh_gc_list_del(struct neigh_table *tbl, struct neighbour *n);
/* Takes entries on the list or from it as they become permanent or not. */
void neigh_update_gc_list(struct neighbour *n);
/* Takes an entry out, unless somebody holds it; tbl->lock is held. */
bool neigh_remove_one(struct neigh_table *tbl, struct neighbour *n);
void neigh_destroy(struct neighbour *n);
void neigh_flush_dev(struct neigh_table *tbl, const struct net_device *dev);

/* The families' own. */
struct neigh_table *arp_init(struct kernel *kernel);
struct neigh_table *ndisc_init(struct kernel *kernel);
void neigh_ops_init(struct kernel *kernel, struct neigh_ops_set *set,
		    void (*solicit)(struct neighbour *, struct sk_buff *),
		    void (*error_report)(struct neighbour *,
					 struct sk_buff *));
/* A new entry's operations and output by its device and state. */
void neigh_set_ops(struct neighbour *n, const struct neigh_ops_set *set);
/* A state that needs no resolution, with this address. */
void neigh_set_noarp(struct neighbour *n, const u8 *lladdr);
/* The words of an address, put together by hand: the same on a host of either
 * byte order; and back. */
void in6_words(const struct in6_addr *addr, u32 *words);
void words_in6(const u32 *words, struct in6_addr *addr);
/* The neighbour's hardware address as it is now. */
void neigh_ha_snapshot(struct neighbour *n, u8 *ha);
/* A packet of `len` bytes behind a hardware header, and `at` its first byte;
 * NULL without memory. */
struct sk_buff *neigh_alloc_skb(struct net_device *dev, u16 protocol, u32 len,
				u32 *at);

#endif
