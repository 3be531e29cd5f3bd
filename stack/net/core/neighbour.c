/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/neighbour.c, include/net/neighbour.h and the lookup of
 * include/net/arp.h: who is next on the link, and the hardware header for it.
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

#define NEIGH_HASH_SHIFT 3	/* the table's first size: eight buckets */

struct neigh_table *arp_tbl(void)
{
	return this_kernel()->net_core->arp_tbl;
}

static u32 arp_hashfn(u32 key, u32 ifindex, u32 rnd)
{
	return (key ^ ifindex) * rnd;
}

/* Inlined in ip_finish_output2(). */
struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key)
{
	struct neigh_hash_table *nht = READ_ONCE(arp_tbl(), nht);
	u32 ifindex = READ(dev, ifindex);
	u32 hash = arp_hashfn(key, ifindex, READ_AT(nht, hash_rnd, 0));
	struct neigh_hash_buckets *buckets = READ(nht, hash_buckets);
	struct neighbour *n;

	hash >>= 32 - READ(nht, hash_shift);
	for (n = READ_ONCE_AT(buckets, bucket, hash); n;
	     n = READ_ONCE(n, next)) {
		if (READ(n, dev) == dev && READ(n, primary_key) == key)
			return n;
		WORK(4);
	}
	return NULL;
}

static struct neighbour *neigh_new(struct kernel *kernel,
				   struct net_device *dev, u32 key)
{
	struct neighbour *n = KMALLOC(neighbour, GFP_ATOMIC);
	struct object object;

	if (!n)
		return NULL;
	object = n->object;
	memset(n, 0, sizeof(*n));
	n->object = object;
	WRITE(n, tbl, kernel->net_core->arp_tbl);
	WRITE(n, dev, dev);
	WRITE(n, primary_key, key);
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
	u32 hash, ifindex;

	WRITE_LOCK(tbl, lock);
	nht = READ(tbl, nht);
	buckets = READ(nht, hash_buckets);
	ifindex = READ(n->dev, ifindex);
	hash = arp_hashfn(n->primary_key, ifindex, READ_AT(nht, hash_rnd, 0)) >>
	       (32 - nht->hash_shift);
	for (other = READ_AT(buckets, bucket, hash); other;
	     other = READ(other, next)) {
		if (READ(other, dev) != n->dev ||
		    READ(other, primary_key) != n->primary_key)
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
	g_ptr_array_add(this_kernel()->net_core->neighbours, n);
	return n;
}

/* A device without ARP has its neighbours' address for its own. */
struct neighbour *__neigh_create(struct neigh_table *tbl, u32 key,
				 struct net_device *dev)
{
	struct neighbour *n = neigh_new(this_kernel(), dev, key);

	if (!n)
		return NULL;
	if (READ(dev, flags) & IFF_NOARP) {
		WRITE(n, nud_state, NUD_NOARP);
		memcpy(n->ha, dev->dev_addr, ETH_ALEN);
	}
	return neigh_hash_insert(tbl, n);
}

struct neighbour *neigh_add(struct kernel *kernel, struct net_device *dev,
			    u32 address, const u8 *lladdr, u8 nud_state)
{
	struct neighbour *n = __ipv4_neigh_lookup_noref(dev, address);

	if (!n)
		n = neigh_new(kernel, dev, address);
	else
		kernel = NULL;
	if (!n)
		return NULL;
	memcpy(n->ha, lladdr, ETH_ALEN);
	WRITE(n, nud_state, nud_state);
	if (kernel)
		neigh_hash_insert(kernel->net_core->arp_tbl, n);
	return n;
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

static void copy_header(struct neighbour *neigh, struct sk_buff *skb, u32 at)
{
	/* Two words on one line, read under the sequence count. */
	(void)READ_ONCE_AT(neigh, hh.hh_data, 0);
	memcpy(skb_bytes(skb, at), neigh->hh.hh_data, HH_DATA_MOD);
	WRITE_SKB_DATA(skb, at, HH_DATA_MOD);
}

/*
 * Copies the cached header in front of the packet.  Before the patch the length
 * is known only at run time, so the copy is a call; after it, up to 16 bytes
 * are two loads and two stores in line.
 */
static int neigh_hh_output(struct neighbour *neigh, struct sk_buff *skb)
{
	u32 hh_len, seq;

	do {
		seq = READ_SEQBEGIN(neigh, hh.hh_lock);
		hh_len = READ_ONCE(neigh, hh.hh_len);
		if (has(NEIGH_HH_OUTPUT_INLINE)) {
			WORK(4);
			copy_header(neigh, skb, skb->data - HH_DATA_MOD);
		} else {
			/* rep movsq for the words, rep movsb for the rest */
			FUNCTION(memcpy);
			REP_STRING(2);
			copy_header(neigh, skb, skb->data - HH_DATA_MOD);
		}
	} while (READ_SEQRETRY(neigh, hh.hh_lock, seq));
	skb_push(skb, hh_len);
	return dev_queue_xmit(skb);
}

/* A confirmation that the transport layer noted in the route goes to the
 * neighbour here. */
static void dst_confirm_neighbour(struct dst_entry *dst,
				  struct neighbour *neigh)
{
	u64 now;

	if (!has(NEIGH_CONFIRM_ONCE)) {
		WORK(4);
		now = JIFFIES();
		WRITE_ONCE(neigh, confirmed, now);
		WRITE(dst, pending_confirm, 0);
		return;
	}
	WORK(6);
	WRITE(dst, pending_confirm, 0);
	now = JIFFIES();
	if (READ_ONCE(neigh, confirmed) != now)
		WRITE_ONCE(neigh, confirmed, now);
}

int dst_neigh_output(struct dst_entry *dst, struct neighbour *neigh,
		     struct sk_buff *skb)
{
	if (READ(dst, pending_confirm))
		dst_confirm_neighbour(dst, neigh);
	if ((READ_ONCE(neigh, nud_state) & NUD_CONNECTED) &&
	    READ_ONCE(neigh, hh.hh_len))
		return neigh_hh_output(neigh, skb);
	return READ(neigh, output)(neigh, skb);
}

void neigh_init(struct kernel *kernel)
{
	struct neigh_table *tbl = STATIC_OBJECT(kernel, neigh_table, 0);
	struct neigh_hash_table *nht =
		STATIC_OBJECT(kernel, neigh_hash_table, 0);
	struct random_stream salt;
	u32 i;

	random_seed(&salt, kernel->machine->seed, "hash salt", 0);
	for (i = 0; i < ARRAY_SIZE(nht->hash_rnd); i++)
		nht->hash_rnd[i] = (u32)random_u64(&salt) | 1;
	nht->hash_shift = NEIGH_HASH_SHIFT;
	nht->hash_buckets = static_object(kernel, STRUCT_neigh_hash_buckets,
					  sizeof(*nht->hash_buckets) +
					  sizeof(void *) *
					  (1u << NEIGH_HASH_SHIFT), 0);
	tbl->nht = nht;
	kernel->net_core->arp_tbl = tbl;
	kernel->net_core->neighbours = g_ptr_array_new();
}

void neigh_exit(struct kernel *kernel)
{
	GPtrArray *all = kernel->net_core->neighbours;
	u32 i;

	for (i = 0; i < all->len; i++)
		kfree(g_ptr_array_index(all, i));
	g_ptr_array_unref(all);
}
