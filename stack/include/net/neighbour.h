/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Neighbours and their cached hardware headers (include/net/neighbour.h,
 * arp.h, ndisc.h).
 *
 *	neigh_table (ARP, ND) -> neigh_hash_table -> buckets -> neighbour
 *
 * A neighbour that nobody refers to has one reference, the table's; a pending
 * timer holds another.
 */
#ifndef STACK_NET_NEIGHBOUR_H
#define STACK_NET_NEIGHBOUR_H

#include "stack/include/linux/in6.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/kernel.h"

enum {
	NUD_NONE = 0x00,
	NUD_INCOMPLETE = 0x01,
	NUD_REACHABLE = 0x02,
	NUD_STALE = 0x04,
	NUD_DELAY = 0x08,
	NUD_PROBE = 0x10,
	NUD_FAILED = 0x20,
	NUD_NOARP = 0x40,
	NUD_PERMANENT = 0x80,
	/* A timer is pending; the address is known; ... and good. */
	NUD_IN_TIMER = NUD_INCOMPLETE | NUD_REACHABLE | NUD_DELAY | NUD_PROBE,
	NUD_VALID = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE |
		    NUD_STALE | NUD_DELAY,
	NUD_CONNECTED = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE,
};

/* Flags of neigh_update(). */
#define NEIGH_UPDATE_F_OVERRIDE 0x00000001u	/* another address may come */
#define NEIGH_UPDATE_F_WEAK_OVERRIDE 0x00000002u /* ... makes it stale */
#define NEIGH_UPDATE_F_OVERRIDE_ISROUTER 0x00000004u
#define NEIGH_UPDATE_F_ISROUTER 0x40000000u
#define NEIGH_UPDATE_F_ADMIN 0x80000000u	/* by the user's will */

#define NTF_ROUTER 0x80u

#define ETH_ALEN 6u
#define ETH_HLEN 14u
#define HH_DATA_MOD 16u
#define HH_DATA_ALIGN(len) (((len) + HH_DATA_MOD - 1) & ~(HH_DATA_MOD - 1))
#define NEIGH_KEY_WORDS 4u

/* Writers take the lock, which readers do not look at. */
struct seqlock {
	u32 sequence;
	struct spinlock lock;
};

struct hh_cache {
	u16 hh_len;		/* 0: not filled in yet */
	struct seqlock hh_lock;
	u8 hh_data[16];		/* the header, right-aligned */
};

#define HH_OFF (HH_DATA_MOD - ETH_HLEN)	/* the header ends with the array */

/* Before 3.1 it is an object of its own, and what it is done with stands in it:
 * struct hh_cache of those kernels. */
struct hh_entry {
	struct object object;
	struct hh_entry *hh_next;	/* the neighbour's next */
	s32 hh_refcnt;
	u16 hh_type;		/* of packets, as in an Ethernet header */
	u16 hh_len;
	int (*hh_output)(struct neighbour *neigh, struct sk_buff *skb);
	struct seqlock hh_lock;
	u8 hh_data[16];
};

/* What a kind of neighbours does. */
struct neigh_ops {
	struct object object;
	/* Asks who has the address; for a packet, or NULL. */
	void (*solicit)(struct neighbour *neigh, struct sk_buff *skb);
	/* The packet cannot be delivered; it is used up. */
	void (*error_report)(struct neighbour *neigh, struct sk_buff *skb);
	int (*output)(struct neighbour *neigh, struct sk_buff *skb);
	int (*connected_output)(struct neighbour *neigh, struct sk_buff *skb);
};

/* A device's settings for a table's neighbours; times are in jiffies. */
struct neigh_parms {
	struct object object;
	struct neigh_parms *next;
	const struct net_device *dev;	/* NULL: the table's own */
	u32 reachable_time;	/* drawn around base_reachable_time */
	u32 base_reachable_time;
	u32 retrans_time;
	u32 gc_staletime;
	u32 delay_probe_time;
	u32 queue_len_bytes;
	u32 queue_len;		/* in packets, before 3.3 */
	u32 ucast_probes;
	u32 app_probes;
	u32 mcast_probes;
	u32 mcast_reprobes;
	u32 locktime;		/* answers within it do not change anything */
};

struct neighbour {
	struct object object;
	struct neighbour *next;
	struct neigh_table *tbl;
	struct neigh_parms *parms;
	u64 confirmed;		/* jiffies, as these three are */
	u64 updated;
	u64 used;
	struct rwlock lock;
	s32 refcnt;
	/* What waits for the address. */
	struct { struct sk_buff *next, *prev; u32 qlen; } arp_queue;
	u32 arp_queue_len_bytes;	/* by truesize */
	struct timer_list timer;
	s32 probes;		/* sent since the state was entered */
	u32 flags;
	u8 nud_state;
	u8 type;
	u8 dead;
	struct seqlock ha_lock;
	u8 ha[8];
	struct hh_cache hh;
	struct hh_entry *hh_list;	/* in its place before 3.1: hh */
	int (*output)(struct neighbour *neigh, struct sk_buff *skb);
	const struct neigh_ops *ops;
	struct { struct neighbour *next, *prev; } gc_list;
	struct rcu_head rcu;
	bool on_gc_list;	/* what the kernel sees by an empty link */
	struct net_device *dev;
	/* An IPv4 address of the host, or an IPv6 address as the words that
	 * a little-endian machine loads. */
	u32 primary_key[NEIGH_KEY_WORDS];
};

struct neigh_hash_buckets {
	struct object object;
	struct neighbour *bucket[];
};

struct neigh_hash_table {
	struct object object;
	struct neigh_hash_buckets *hash_buckets;
	u32 hash_shift;
	u32 hash_rnd[4];
	struct rcu_head rcu;
};

/* One CPU's counters of a table. */
struct neigh_statistics {
	struct object object;
	u64 allocs;
	u64 destroys;
	u64 hash_grows;
	u64 res_failed;
	u64 lookups;
	u64 hits;
	u64 periodic_gc_runs;
	u64 forced_gc_runs;
	u64 unres_discards;
	u64 table_fulls;
};

struct neigh_table {
	struct object object;
	u16 family;
	u16 protocol;		/* of the packets to its neighbours */
	u32 key_len;
	u32 (*hash)(const u32 *pkey, u32 dev, const u32 *hash_rnd);
	void (*constructor)(struct neighbour *neigh);
	bool (*is_multicast)(const u32 *pkey);
	struct neigh_parms parms;
	struct neigh_parms *parms_list;	/* those of devices */
	u32 gc_thresh1, gc_thresh2, gc_thresh3;
	u64 last_flush;
	u64 last_rand;
	struct delayed_work gc_work;
	s32 entries;
	s32 gc_entries;
	struct { struct neighbour *next, *prev; } gc_list;
	struct rwlock lock;
	struct neigh_statistics **stats;	/* by CPU */
	struct neigh_hash_table *nht;
	struct random_stream salt;	/* of the hash */
	struct random_stream reach;	/* of reachable times */
};

/* ---- what users do: `ip neigh`.  At set-up and while a kernel runs. ---- */

/* `ip neigh replace`: makes the neighbour or changes it, as neigh_update()
 * does with NEIGH_UPDATE_F_ADMIN.  NULL where it cannot be made. */
struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state);
struct neighbour *neigh_add6(struct kernel *kernel, struct net_device *dev,
			     const struct in6_addr *address, const u8 *lladdr,
			     u8 nud_state);
/* `ip neigh del`: 0 or -ENOENT.  `pkey` as for __neigh_create(). */
int neigh_delete(struct neigh_table *tbl, const void *pkey,
		 struct net_device *dev);
/* The device is going down: its neighbours go. */
void neigh_ifdown(struct neigh_table *tbl, struct net_device *dev);

/* ---- what senders do ---- */

/* The neighbour of an address on a device, without a reference: for the time
 * of an RCU section.  NULL: nobody has asked for it yet. */
struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key);
struct neighbour *__ipv6_neigh_lookup_noref(struct net_device *dev,
					    const struct in6_addr *addr);
/* The same with a reference. */
struct neighbour *neigh_lookup(struct neigh_table *tbl, const void *pkey,
			       struct net_device *dev);
/* Makes one, where another CPU has not made it meanwhile; without a reference,
 * as a look-up without.  NULL without memory or with a full table.  `pkey`
 * points to an IPv4 address or to a struct in6_addr. */
struct neighbour *__neigh_create(struct neigh_table *tbl, const void *pkey,
				 struct net_device *dev);
void neigh_hold(struct neighbour *neigh);
void neigh_release(struct neighbour *neigh);

/* To the neighbour, by the cached header unless skip_cache.  The packet is
 * used up. */
int neigh_output(struct neighbour *neigh, struct sk_buff *skb,
		 bool skip_cache);
/* The transport layer has heard from the neighbour: the time is noted. */
void neigh_confirm(struct neighbour *neigh);
/* The same, if a socket has asked for it through the packet. */
void sock_confirm_neigh(struct sk_buff *skb, struct neighbour *neigh);
/* The last step of an IP output function: the confirmation that the route,
 * or from SOCK_PENDING_CONFIRM on the packet, carries; then the output. */
int dst_neigh_output(struct dst_entry *dst, struct neighbour *neigh,
		     struct sk_buff *skb);

/* ---- the state machine ---- */

/* A packet is about to go.  0: it may; else it has been queued or dropped. */
int neigh_event_send(struct neighbour *neigh, struct sk_buff *skb);
/* What an answer, or a user, says of the neighbour: its address (NULL: none
 * given) and state.  0 or -errno. */
int neigh_update(struct neighbour *neigh, const u8 *lladdr, u8 new, u32 flags);

void neigh_init(struct kernel *kernel);
/* Drops what waits for addresses; before the routes go, which it holds. */
void neigh_stop(struct kernel *kernel);
/* Frees all entries; after the routes, which may hold some. */
void neigh_exit(struct kernel *kernel);
struct neigh_table *arp_tbl(void);
struct neigh_table *nd_tbl(void);

#endif
