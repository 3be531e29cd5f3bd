/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Neighbours and their cached hardware headers (include/net/neighbour.h). */
#ifndef STACK_NET_NEIGHBOUR_H
#define STACK_NET_NEIGHBOUR_H

#include "stack/include/linux/in6.h"
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

#define NEIGH_KEY_WORDS 4u

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
};

struct neigh_table {
	struct object object;
	u16 family;
	u32 key_len;
	u32 (*hash)(const u32 *pkey, u32 dev, const u32 *hash_rnd);
	struct neigh_hash_table *nht;
	struct rwlock lock;
	u32 entries;
};

/* Adds a neighbour by hand, as `ip neigh add` does; at set-up only.  The
 * state is one of NUD_CONNECTED. */
struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state);
struct neighbour *neigh_add6(struct kernel *kernel, struct net_device *dev,
			     const struct in6_addr *address, const u8 *lladdr,
			     u8 nud_state);

/* The neighbour of an address on a device, without a reference: for the time
 * of an RCU section.  NULL: nobody has asked for it yet. */
struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key);
struct neighbour *__ipv6_neigh_lookup_noref(struct net_device *dev,
					    const struct in6_addr *addr);
/* Makes one, where another CPU has not made it meanwhile; NULL without
 * memory. `pkey` points to an IPv4 address or to a struct in6_addr. */
struct neighbour *__neigh_create(struct neigh_table *tbl, const void *pkey,
				 struct net_device *dev);
int neigh_resolve_output(struct neighbour *neigh, struct sk_buff *skb);

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

void neigh_init(struct kernel *kernel);
void neigh_exit(struct kernel *kernel);
struct neigh_table *arp_tbl(void);
struct neigh_table *nd_tbl(void);

/* ---- between the files of the neighbours ---- */

/* An entry of the table by its key's words and hash, read as a sender does. */
struct neighbour *neigh_find(const struct neigh_table *tbl, u32 hash,
			     const struct neigh_hash_table *nht,
			     const struct net_device *dev, const u32 *pkey);
/* What the hash takes from the device. */
u32 neigh_hash_dev(const struct net_device *dev);
void neigh_table_init(struct kernel *kernel, struct neigh_table *tbl,
		      struct random_stream *salt);
/* The words of an address. */
void in6_words(const struct in6_addr *addr, u32 *words);
struct neigh_table *arp_init(struct kernel *kernel);
struct neigh_table *ndisc_init(struct kernel *kernel);

#endif
