/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of net/core/neighbour.c, include/net/neighbour.h and
 * include/net/dst.h by which packets go to a neighbour: with the header that
 * it keeps, with one made anew, or not yet.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/sock.h"
#include "stack/net/core/neighbour.h"

/* ---- the header that the neighbour keeps ---- */

/* Fills it in, once. */
static void neigh_hh_init(struct neighbour *n, const struct sk_buff *skb)
{
	const struct header_ops *header = READ(n->dev, header_ops);
	const struct dst_entry *dst;
	u16 type;

	FUNCTION(neigh_hh_init);
	if (has(NEIGH_TABLE_PROTOCOL)) {
		type = READ(n->tbl, protocol);
	} else {
		dst = READ(skb, _skb_refdst);
		if (!dst)	/* neighbour discovery has no route here */
			return;
		type = READ(READ(dst, ops), protocol);
	}
	WRITE_LOCK_BH(n, lock);
	if (!READ_ONCE(n, hh.hh_len))
		READ(header, cache)(n, type);
	WRITE_UNLOCK_BH(n, lock);
}

/* The address has changed; n->lock is held. */
void neigh_update_hhs(struct neighbour *n)
{
	const struct header_ops *header = READ(n->dev, header_ops);
	void (*update)(struct neighbour *neigh, const u8 *haddr);

	if (!header)
		return;
	update = READ(header, cache_update);
	if (!update || !READ_ONCE(n, hh.hh_len))
		return;
	WRITE_SEQLOCK(n, hh.hh_lock);
	update(n, n->ha);
	WRITE_SEQUNLOCK(n, hh.hh_lock);
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

/* ---- output ---- */

/* A packet that has been here before may have a hardware header already. */
static void pull_to_network(struct sk_buff *skb)
{
	u32 at = READ(skb, network_header), data = READ(skb, data);

	if (at == data)
		return;
	WRITE(skb, data, at);
	UPDATE(skb, len, -= at - data);
}

/* With a header that is made for this packet. */
static int output_with_header(struct neighbour *neigh, struct sk_buff *skb)
{
	struct net_device *dev = READ(neigh, dev);
	const struct header_ops *header = READ(dev, header_ops);
	u8 ha[ETH_ALEN];
	u16 protocol;
	u32 seq, len;
	int err;

	do {
		pull_to_network(skb);
		seq = READ_SEQBEGIN(neigh, ha_lock);
		(void)READ_ONCE_AT(neigh, ha, 0);
		memcpy(ha, neigh->ha, ETH_ALEN);
		protocol = READ(skb, protocol);
		len = READ(skb, len);
		err = READ(header, create)(skb, dev, protocol, ha, NULL, len);
	} while (READ_SEQRETRY(neigh, ha_lock, seq));
	if (err >= 0)
		return dev_queue_xmit(skb);
	kfree_skb(skb);
	return -EINVAL;
}

/* Where the neighbour's lock guards its address: the route gets a header to
 * keep on the way. */
static int output_under_lock(struct neighbour *neigh, struct sk_buff *skb)
{
	struct net_device *dev = READ(neigh, dev);
	const struct header_ops *header = READ(dev, header_ops);
	struct dst_entry *dst = READ(skb, _skb_refdst);
	/* Messages of the neighbours' own have no route here. */
	bool bind = READ(header, cache) && dst && !READ_ONCE(dst, hh);
	u16 protocol;
	int err;

	pull_to_network(skb);
	protocol = READ(skb, protocol);
	local_bh_disable();
	if (bind) {
		WRITE_LOCK(neigh, lock);
		if (!READ_ONCE(dst, hh))
			neigh_hh_bind(neigh, dst);
	} else {
		READ_LOCK(neigh, lock);
	}
	(void)READ_AT(neigh, ha, 0);
	err = READ(header, create)(skb, dev, protocol, neigh->ha, NULL,
				   READ(skb, len));
	if (bind)
		WRITE_UNLOCK(neigh, lock);
	else
		READ_UNLOCK(neigh, lock);
	local_bh_enable();
	if (err >= 0)
		return dev_queue_xmit(skb);
	kfree_skb(skb);
	return -EINVAL;
}

/* A neighbour that may have to be resolved first. */
int neigh_resolve_output(struct neighbour *neigh, struct sk_buff *skb)
{
	const struct header_ops *header;

	FUNCTION(neigh_resolve_output);
	if (neigh_event_send(neigh, skb))
		return 0;
	if (!has(NEIGH_HH_EMBEDDED))
		return output_under_lock(neigh, skb);
	header = READ(READ(neigh, dev), header_ops);
	if (READ(header, cache) && !READ_ONCE(neigh, hh.hh_len))
		neigh_hh_init(neigh, skb);
	return output_with_header(neigh, skb);
}

/* A good neighbour on a device that keeps no headers. */
int neigh_connected_output(struct neighbour *neigh, struct sk_buff *skb)
{
	FUNCTION(neigh_connected_output);
	return output_with_header(neigh, skb);
}

/* A device without headers. */
int neigh_direct_output(struct neighbour *neigh, struct sk_buff *skb)
{
	FUNCTION(neigh_direct_output);
	(void)neigh;
	return dev_queue_xmit(skb);
}

/* What a new or dead neighbour does. */
int neigh_blackhole(struct neighbour *neigh, struct sk_buff *skb)
{
	FUNCTION(neigh_blackhole);
	(void)neigh;
	kfree_skb(skb);
	return -ENETDOWN;
}

void neigh_ha_snapshot(struct neighbour *n, u8 *ha)
{
	u32 seq;

	if (!has(NEIGH_RCU)) {
		(void)READ_AT(n, ha, 0);	/* its lock is held */
		memcpy(ha, n->ha, ETH_ALEN);
		return;
	}

	do {
		seq = READ_SEQBEGIN(n, ha_lock);
		(void)READ_ONCE_AT(n, ha, 0);
		memcpy(ha, n->ha, ETH_ALEN);
	} while (READ_SEQRETRY(n, ha_lock, seq));
}

/* Room for the hardware header, as LL_RESERVED_SPACE has it. */
struct sk_buff *neigh_alloc_skb(struct net_device *dev, u16 protocol, u32 len,
				u32 *at)
{
	u32 head = READ(dev, hard_header_len), tail;
	struct sk_buff *skb;

	head += READ(dev, needed_headroom);
	head = (head & ~(HH_DATA_MOD - 1)) + HH_DATA_MOD;
	tail = READ(dev, needed_tailroom);
	skb = alloc_skb(len + head + tail, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, head);
	*at = skb_put(skb, len);
	WRITE(skb, network_header, *at);
	WRITE(skb, dev, dev);
	WRITE(skb, protocol, protocol);
	return skb;
}

int neigh_output(struct neighbour *neigh, struct sk_buff *skb, bool skip_cache)
{
	if (has(NEIGH_HH_EMBEDDED) && !skip_cache &&
	    (READ_ONCE(neigh, nud_state) & NUD_CONNECTED) &&
	    READ_ONCE(neigh, hh.hh_len))
		return neigh_hh_output(neigh, skb);
	return READ_ONCE(neigh, output)(neigh, skb);
}

/* ---- confirmations ---- */

void neigh_confirm(struct neighbour *neigh)
{
	u64 now = JIFFIES();

	if (!has(NEIGH_CONFIRM_ONCE) || READ_ONCE(neigh, confirmed) != now)
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
 * neighbour here.  Where CPUs share a route, as in IPv6 at first, they race for
 * it: one may be lost, and it does not matter. */
static void dst_confirm_neighbour(struct dst_entry *dst,
				  struct neighbour *neigh)
{
	u64 now;

	if (has(NEIGH_CONFIRM_ONCE)) {
		WORK(6);
		WRITE_ONCE(dst, pending_confirm, 0);
		neigh_confirm(neigh);
		return;
	}
	WORK(4);
	now = JIFFIES();
	WRITE_ONCE(neigh, confirmed, now);
	WRITE_ONCE(dst, pending_confirm, 0);
}

int dst_neigh_output(struct dst_entry *dst, struct neighbour *neigh,
		     struct sk_buff *skb)
{
	if (has(SOCK_PENDING_CONFIRM))
		sock_confirm_neigh(skb, neigh);
	else if (has(DST_PENDING_CONFIRM) && READ_ONCE(dst, pending_confirm))
		dst_confirm_neighbour(dst, neigh);
	return neigh_output(neigh, skb, false);
}
