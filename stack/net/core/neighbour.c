/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/neighbour.c and include/net/neighbour.h: who is next on the link, and the hardware header for it.
 *
 * Only neighbours that need no resolution are modelled so far: permanent,
 * noarp and reachable ones.  Their timers do not run.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/sock.h"

#define NEIGH_HASH_SHIFT 3	/* the table's first size: eight buckets */

u32 neigh_hash_dev(const struct net_device *dev)
{
	u64 address;

	if (!has(NEIGH_HASH_DEV_POINTER))
		return READ(dev, ifindex);
	/* The two halves of the pointer. */
	address = object_address(&dev->object);
	return (u32)(address ^ address >> 32);
}

static bool key_equal(const struct neighbour *n, const u32 *pkey, u32 words)
{
	u32 i;

	for (i = 0; i < words; i++)
		if (READ_AT(n, primary_key, i) != pkey[i])
			return false;
	return true;
}

/* Inlined in those that send. */
struct neighbour *neigh_find(const struct neigh_table *tbl, u32 hash,
			     const struct neigh_hash_table *nht,
			     const struct net_device *dev, const u32 *pkey)
{
	const struct neigh_hash_buckets *buckets = READ(nht, hash_buckets);
	struct neighbour *n;

	hash >>= 32 - READ(nht, hash_shift);
	for (n = READ_ONCE_AT(buckets, bucket, hash); n;
	     n = READ_ONCE(n, next)) {
		if (READ(n, dev) == dev &&
		    key_equal(n, pkey, tbl->key_len / 4))
			return n;
		WORK(4);
	}
	return NULL;
}

static struct neighbour *neigh_new(struct neigh_table *tbl,
				   struct net_device *dev, const u32 *pkey)
{
	struct neighbour *n = KMALLOC(neighbour, GFP_ATOMIC);
	struct object object;
	u32 i;

	if (!n)
		return NULL;
	object = n->object;
	memset(n, 0, sizeof(*n));
	n->object = object;
	WRITE(n, tbl, tbl);
	WRITE(n, dev, dev);
	for (i = 0; i < tbl->key_len / 4; i++)
		WRITE_AT(n, primary_key, i, pkey[i]);
	WRITE(n, refcnt, 1);
	WRITE(n, confirmed, jiffies_data()->jiffies);
	WRITE(n, updated, jiffies_data()->jiffies);
	WRITE(n, output, neigh_resolve_output);
	return n;
}

/* Puts n into the table and gives it back; or, where another CPU has put in
 * the same meanwhile, frees n and gives the other's. */
static struct neighbour *neigh_hash_insert(struct neigh_table *tbl,
					   struct neighbour *n)
{
	struct neigh_hash_table *nht;
	struct neigh_hash_buckets *buckets;
	struct neighbour *other;
	u32 hash;

	WRITE_LOCK(tbl, lock);
	nht = READ(tbl, nht);
	buckets = READ(nht, hash_buckets);
	hash = neigh_hash_dev(n->dev);
	(void)READ_AT(nht, hash_rnd, 0);
	hash = tbl->hash(n->primary_key, hash, nht->hash_rnd) >>
	       (32 - nht->hash_shift);
	for (other = READ_AT(buckets, bucket, hash); other;
	     other = READ(other, next)) {
		if (READ(other, dev) != n->dev ||
		    !key_equal(other, n->primary_key, tbl->key_len / 4))
			continue;
		WRITE_UNLOCK(tbl, lock);
		kfree(n);
		return other;
	}
	WRITE(n, next, READ_AT(buckets, bucket, hash));
	WRITE_ONCE_AT(buckets, bucket, hash, n);
	UPDATE(tbl, entries, += 1);
	WRITE_UNLOCK(tbl, lock);
	kmemleak_not_leak(n);
	return n;
}

static void key_words(const struct neigh_table *tbl, const void *pkey,
		      u32 *words)
{
	if (tbl->family == PF_INET6)
		in6_words(pkey, words);
	else
		words[0] = *(const u32 *)pkey;
}

/* A device without ARP has its neighbours' address for its own. */
struct neighbour *__neigh_create(struct neigh_table *tbl, const void *pkey,
				 struct net_device *dev)
{
	u32 words[NEIGH_KEY_WORDS] = { 0 };
	struct neighbour *n;

	key_words(tbl, pkey, words);
	n = neigh_new(tbl, dev, words);
	if (!n)
		return NULL;
	if (READ(dev, flags) & IFF_NOARP) {
		WRITE(n, nud_state, NUD_NOARP);
		memcpy(n->ha, dev->dev_addr, ETH_ALEN);
	}
	return neigh_hash_insert(tbl, n);
}

static struct neighbour *add(struct neigh_table *tbl, struct neighbour *n,
			     struct net_device *dev, const void *pkey,
			     const u8 *lladdr, u8 nud_state)
{
	u32 words[NEIGH_KEY_WORDS] = { 0 };
	bool is_new = !n;

	key_words(tbl, pkey, words);
	if (is_new)
		n = neigh_new(tbl, dev, words);
	if (!n)
		return NULL;
	memcpy(n->ha, lladdr, ETH_ALEN);
	WRITE(n, nud_state, nud_state);
	return is_new ? neigh_hash_insert(tbl, n) : n;
}

struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state)
{
	return add(kernel->net_core->arp_tbl,
		   __ipv4_neigh_lookup_noref(dev, address), dev, &address,
		   lladdr, nud_state);
}

struct neighbour *neigh_add6(struct kernel *kernel, struct net_device *dev,
			     const struct in6_addr *address, const u8 *lladdr,
			     u8 nud_state)
{
	return add(kernel->net_core->nd_tbl,
		   __ipv6_neigh_lookup_noref(dev, address), dev, address,
		   lladdr, nud_state);
}

/* Fills the cached header, once, under the neighbour's lock. */
static void neigh_hh_init(struct neighbour *n)
{
	const struct header_ops *ops = READ(n->dev, header_ops);
	u8 header[16] = { 0 };

	FUNCTION(neigh_hh_init);
	WRITE_LOCK(n, lock);
	if (!READ(n, hh.hh_len)) {
		READ(ops, cache)(n, header);
		memcpy(n->hh.hh_data, header, sizeof(header));
		WRITE_ONCE_AT(n, hh.hh_data, 0, header[0]);
		WRITE_ONCE(n, hh.hh_len, ETH_HLEN);
	}
	WRITE_UNLOCK(n, lock);
}

/* The first packet to a neighbour that is known but has no cached header. */
int neigh_resolve_output(struct neighbour *neigh, struct sk_buff *skb)
{
	u32 at;

	FUNCTION(neigh_resolve_output);
	if (!(READ_ONCE(neigh, nud_state) & NUD_CONNECTED)) {
		kfree_skb(skb);
		return -EHOSTUNREACH;
	}
	if (!READ_ONCE(neigh, hh.hh_len))
		neigh_hh_init(neigh);
	at = skb_push(skb, ETH_HLEN);
	memcpy(skb_bytes(skb, at), neigh->hh.hh_data + 2, ETH_HLEN);
	WRITE_SKB_DATA(skb, at, ETH_HLEN);
	return dev_queue_xmit(skb);
}

/* Two words on one line, read under the sequence count. */
static void copy_header(struct neighbour *neigh, struct sk_buff *skb, u32 at)
{
	(void)READ_ONCE_AT(neigh, hh.hh_data, 0);
	(void)READ_ONCE_AT(neigh, hh.hh_data, 8);
	memcpy(skb_bytes(skb, at), neigh->hh.hh_data, HH_DATA_MOD);
	WRITE_SKB_DATA(skb, at, HH_DATA_MOD);
}

/* Is there room in front?  Kernels that do not ask rely on those who made the
 * packet. */
static bool has_headroom(const struct sk_buff *skb, u32 *data)
{
	*data = READ(skb, data);
	if (!has(NEIGH_HH_HEADROOM))
		return true;
	(void)READ(skb, head);
	return *data >= HH_DATA_MOD;
}

/*
 * Copies the cached header in front of the packet.  At first the length is
 * known only at run time, so the copy is a call; with NEIGH_HH_OUTPUT_INLINE
 * up to 16 bytes are two loads and two stores in line.
 */
static int neigh_hh_output(struct neighbour *neigh, struct sk_buff *skb)
{
	u32 hh_len, seq, data;
	bool room;

	do {
		seq = READ_SEQBEGIN(neigh, hh.hh_lock);
		hh_len = READ_ONCE(neigh, hh.hh_len);
		room = has_headroom(skb, &data);
		if (!room) {
			WORK(2);
		} else if (has(NEIGH_HH_OUTPUT_INLINE)) {
			WORK(4);
			copy_header(neigh, skb, data - HH_DATA_MOD);
		} else {
			/* rep movsq for the words, rep movsb for the rest */
			FUNCTION(memcpy);
			REP_STRING(2);
			copy_header(neigh, skb, data - HH_DATA_MOD);
		}
	} while (READ_SEQRETRY(neigh, hh.hh_lock, seq));
	if (!room) {
		kfree_skb(skb);
		return NET_XMIT_DROP;
	}
	skb_push(skb, hh_len);
	return dev_queue_xmit(skb);
}

void neigh_confirm(struct neighbour *neigh)
{
	u64 now = JIFFIES();

	if (READ_ONCE(neigh, confirmed) != now)
		WRITE_ONCE(neigh, confirmed, now);
}

void sock_confirm_neigh(struct sk_buff *skb, struct neighbour *neigh)
{
	struct sock *sk;

	if (!READ(skb, dst_pending_confirm))
		return;
	sk = READ(skb, sk);
	if (sk && READ_ONCE(sk, sk_dst_pending_confirm))
		WRITE_ONCE(sk, sk_dst_pending_confirm, 0);
	neigh_confirm(neigh);
}

/* A confirmation that the transport layer noted in the route goes to the
 * neighbour here. */
static void dst_confirm_neighbour(struct dst_entry *dst,
				  struct neighbour *neigh)
{
	u64 now;

	if (has(NEIGH_CONFIRM_ONCE)) {
		WORK(6);
		WRITE(dst, pending_confirm, 0);
		neigh_confirm(neigh);
		return;
	}
	WORK(4);
	now = JIFFIES();
	WRITE_ONCE(neigh, confirmed, now);
	WRITE(dst, pending_confirm, 0);
}

int neigh_output(struct neighbour *neigh, struct sk_buff *skb, bool skip_cache)
{
	if (!skip_cache && (READ_ONCE(neigh, nud_state) & NUD_CONNECTED) &&
	    READ_ONCE(neigh, hh.hh_len))
		return neigh_hh_output(neigh, skb);
	return READ(neigh, output)(neigh, skb);
}

int dst_neigh_output(struct dst_entry *dst, struct neighbour *neigh,
		     struct sk_buff *skb)
{
	if (has(SOCK_PENDING_CONFIRM))
		sock_confirm_neigh(skb, neigh);
	else if (READ(dst, pending_confirm))
		dst_confirm_neighbour(dst, neigh);
	return neigh_output(neigh, skb, false);
}

void neigh_table_init(struct kernel *kernel, struct neigh_table *tbl,
		      struct random_stream *salt)
{
	struct neigh_hash_table *nht =
		STATIC_OBJECT(kernel, neigh_hash_table, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nht->hash_rnd); i++)
		nht->hash_rnd[i] = (u32)random_u64(salt) | 1;
	nht->hash_shift = NEIGH_HASH_SHIFT;
	nht->hash_buckets = static_object(kernel, STRUCT_neigh_hash_buckets,
					  sizeof(*nht->hash_buckets) +
					  sizeof(void *) *
					  (1u << NEIGH_HASH_SHIFT), 0);
	tbl->nht = nht;
}

void neigh_init(struct kernel *kernel)
{
	kernel->net_core->arp_tbl = arp_init(kernel);
	kernel->net_core->nd_tbl = ndisc_init(kernel);
}

static void free_table(struct neigh_table *tbl)
{
	const struct neigh_hash_table *nht = tbl->nht;
	u32 i;

	for (i = 0; i < 1u << nht->hash_shift; i++) {
		struct neighbour *n = nht->hash_buckets->bucket[i];

		while (n) {
			struct neighbour *next = n->next;

			kfree(n);
			n = next;
		}
	}
}

void neigh_exit(struct kernel *kernel)
{
	free_table(kernel->net_core->arp_tbl);
	free_table(kernel->net_core->nd_tbl);
}
