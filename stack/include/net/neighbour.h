/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Neighbours and their cached hardware headers (include/net/neighbour.h). */
#ifndef STACK_NET_NEIGHBOUR_H
#define STACK_NET_NEIGHBOUR_H

#include "stack/kernel.h"

enum {
	NUD_INCOMPLETE = 0x01,
	NUD_REACHABLE = 0x02,
	NUD_STALE = 0x04,
	NUD_DELAY = 0x08,
	NUD_PROBE = 0x10,
	NUD_FAILED = 0x20,
	NUD_NOARP = 0x40,
	NUD_PERMANENT = 0x80,
	NUD_CONNECTED = NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE,
};

#define ETH_ALEN 6u
#define ETH_HLEN 14u
#define HH_DATA_MOD 16u
#define HH_DATA_ALIGN(len) (((len) + HH_DATA_MOD - 1) & ~(HH_DATA_MOD - 1))

struct hh_cache {
	u16 hh_len;		/* 0: not filled in yet */
	struct seqcount hh_lock;
	u8 hh_data[16];		/* the header, right-aligned */
};

struct neighbour {
	struct object object;
	struct neighbour *next;
	struct neigh_table *tbl;
	u64 confirmed;		/* jiffies */
	u64 updated;
	struct rwlock lock;
	s32 refcnt;
	u64 used;
	u8 nud_state;
	u8 type;
	u8 dead;
	u8 ha[8];
	struct hh_cache hh;
	int (*output)(struct neighbour *neigh, struct sk_buff *skb);
	struct net_device *dev;
	u32 primary_key;
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
};

struct neigh_table {
	struct object object;
	struct neigh_hash_table *nht;
	struct rwlock lock;
	u32 entries;
};

/* Adds a neighbour by hand, as `ip neigh add` does; at set-up only.  The
 * state is one of NUD_CONNECTED. */
struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state);

struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key);
struct neighbour *__neigh_create(struct neigh_table *tbl, u32 key,
				 struct net_device *dev);
int neigh_resolve_output(struct neighbour *neigh, struct sk_buff *skb);
int dst_neigh_output(struct dst_entry *dst, struct neighbour *neigh,
		     struct sk_buff *skb);

void neigh_init(struct kernel *kernel);
void neigh_exit(struct kernel *kernel);
struct neigh_table *arp_tbl(void);

#endif
