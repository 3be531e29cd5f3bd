/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of net/core/neighbour.c before 3.1 that keeps hardware
 * headers: each is an object of its own, one for a kind of packet, on a list of
 * the neighbour's, and routes point to it so that a packet gets to its header
 * without looking at the neighbour.
 */
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/dst.h"
#include "stack/net/core/neighbour.h"

/* While the neighbour is known to be there. */
static int hh_queue_xmit(struct neighbour *neigh, struct sk_buff *skb)
{
	(void)neigh;
	return dev_queue_xmit(skb);
}

/* Makes one and puts it first on the list; n->lock is held. */
static struct hh_entry *hh_new(struct neighbour *n, u16 protocol)
{
	const struct header_ops *header = READ(n->dev, header_ops);
	struct hh_entry *hh = KMALLOC(hh_entry, GFP_ATOMIC);
	struct object object;
	bool connected;

	if (!hh)
		return NULL;
	object = hh->object;
	memset(hh, 0, sizeof(*hh));
	hh->object = object;
	kmemleak_not_leak(hh);	/* until the neighbour ends */
	WRITE(hh, hh_type, protocol);
	WRITE(hh, hh_refcnt, 1);
	WRITE(hh, hh_next, READ(n, hh_list));
	WRITE(n, hh_list, hh);
	READ(header, cache)(n, protocol);
	connected = READ(n, nud_state) & NUD_CONNECTED;
	WRITE_ONCE(hh, hh_output, connected ? hh_queue_xmit :
					      neigh_resolve_output);
	return hh;
}

void neigh_hh_bind(struct neighbour *n, struct dst_entry *dst)
{
	struct dst_ops *ops = READ(dst, ops);
	u16 protocol = READ(ops, protocol);
	struct hh_entry *hh = READ(n, hh_list);

	FUNCTION(neigh_hh_init);
	while (hh && READ(hh, hh_type) != protocol)
		hh = READ(hh, hh_next);
	if (!hh)
		hh = hh_new(n, protocol);
	if (!hh)
		return;
	ATOMIC_INC(hh, hh_refcnt);
	WRITE_ONCE(dst, hh, hh);
}

void neigh_hh_set_output(struct neighbour *n, bool connected)
{
	struct hh_entry *hh;

	for (hh = READ(n, hh_list); hh; hh = READ(hh, hh_next))
		WRITE_ONCE(hh, hh_output, connected ? hh_queue_xmit :
						      neigh_resolve_output);
}

void neigh_hh_put(struct hh_entry *hh)
{
	if (ATOMIC_DEC_AND_TEST(hh, hh_refcnt))
		kfree(hh);
}

/* A neighbour that ends: routes may still point to its headers. */
void neigh_hh_drop(struct neighbour *n)
{
	struct hh_entry *hh = READ(n, hh_list), *next;

	for (; hh; hh = next) {
		next = READ(hh, hh_next);
		WRITE(n, hh_list, next);
		WRITE(hh, hh_next, NULL);
		WRITE_SEQLOCK(hh, hh_lock);
		WRITE_ONCE(hh, hh_output, neigh_blackhole);
		WRITE_SEQUNLOCK(hh, hh_lock);
		neigh_hh_put(hh);
	}
}

/* The address has changed; n->lock is held. */
void neigh_hh_update(struct neighbour *n)
{
	struct hh_entry *hh;

	for (hh = READ(n, hh_list); hh; hh = READ(hh, hh_next)) {
		WRITE_SEQLOCK(hh, hh_lock);
		memcpy(hh->hh_data + HH_OFF, n->ha, ETH_ALEN);
		WRITE_ONCE_AT(hh, hh_data, HH_OFF, n->ha[0]);
		WRITE_SEQUNLOCK(hh, hh_lock);
	}
}

/* Copies the header in front of the packet.  The length is known only at run
 * time, so the copy is a call. */
static int hh_output(struct neighbour *neigh, struct hh_entry *hh,
		     struct sk_buff *skb)
{
	u32 hh_len, seq, data;

	do {
		seq = READ_SEQBEGIN(hh, hh_lock);
		hh_len = READ_ONCE(hh, hh_len);
		data = READ(skb, data);
		{
			FUNCTION(memcpy);
			REP_STRING(2);
			(void)READ_ONCE_AT(hh, hh_data, 0);
			(void)READ_ONCE_AT(hh, hh_data, 8);
		}
		memcpy(skb_bytes(skb, data - HH_DATA_MOD), hh->hh_data,
		       HH_DATA_MOD);
		WRITE_SKB_DATA(skb, data - HH_DATA_MOD, HH_DATA_MOD);
	} while (READ_SEQRETRY(hh, hh_lock, seq));
	skb_push(skb, hh_len);
	return READ_ONCE(hh, hh_output)(neigh, skb);
}

int dst_hh_output(struct neighbour *neigh, struct hh_entry *hh,
		  struct sk_buff *skb)
{
	return hh ? hh_output(neigh, hh, skb) :
		    READ_ONCE(neigh, output)(neigh, skb);
}
