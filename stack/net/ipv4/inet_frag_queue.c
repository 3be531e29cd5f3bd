/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the rest of net/ipv4/inet_fragment.c, which up to 4.18 stands in
 * ip_frag_queue() and ip6_frag_queue(): the fragments of one datagram in the
 * order of their offsets, and how they become one packet.
 *
 *	inet_frag_queue_insert -> (overlaps: trimmed, or the datagram is given up)
 *	inet_frag_reasm (kernel: ip_frag_reasm, inet_frag_reasm_finish)
 */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/inet_frag.h"

/* ---- where a fragment belongs ---- */

struct place {
	struct sk_buff *prev, *next;
};

/* Most come in order: behind the last one. */
static struct place find_place(const struct inet_frag_queue *q, u32 offset)
{
	struct place at = { .prev = READ(q, fragments_tail) };

	if (!at.prev || READ(at.prev, cb.frag_offset) < offset)
		return at;
	at.prev = NULL;
	for (at.next = READ(q, fragments); at.next;
	     at.next = READ(at.next, next)) {
		WORK(4);
		if (READ(at.next, cb.frag_offset) >= offset)
			break;
		at.prev = at.next;
	}
	return at;
}

static u32 end_of(const struct sk_buff *skb)
{
	u32 offset = READ(skb, cb.frag_offset);

	return offset + READ(skb, len);
}

static void link_at(struct inet_frag_queue *q, const struct place *at,
		    struct sk_buff *skb)
{
	kmemleak_not_leak(skb);
	kmemleak_not_leak(skb->head);
	WRITE(skb, next, at->next);
	if (!at->next)
		WRITE(q, fragments_tail, skb);
	if (at->prev)
		WRITE(at->prev, next, skb);
	else
		WRITE(q, fragments, skb);
}

static void pull(struct sk_buff *skb, u32 bytes)
{
	UPDATE(skb, data, += bytes);
	UPDATE(skb, len, -= bytes);
	UPDATE(skb, cb.frag_offset, += bytes);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
}

/* What came before stays, but for those that lie within the new one's rest. */
static enum frag_fit trim_overlaps(struct inet_frags *f,
				   struct inet_frag_queue *q,
				   struct sk_buff *skb, u32 end,
				   struct place *at)
{
	u32 offset = skb->cb.frag_offset, until;

	until = at->prev ? end_of(at->prev) : 0;
	if (until > offset) {
		if (end <= until)
			return FRAG_USELESS;
		pull(skb, until - offset);
	}
	while (at->next && READ(at->next, cb.frag_offset) < end) {
		struct sk_buff *eaten = at->next;

		until = end_of(eaten);
		if (until > end) {
			UPDATE(q, meat, -= end - eaten->cb.frag_offset);
			pull(eaten, end - eaten->cb.frag_offset);
			break;
		}
		at->next = READ(eaten, next);
		UPDATE(q, meat, -= eaten->len);
		(void)ATOMIC_SUB_RETURN(f->fqdir, mem, eaten->truesize);
		f->report.waiting--;
		inet_frag_drop(f, eaten);
	}
	return FRAG_FITS;
}

static bool overlaps(const struct place *at, u32 offset, u32 end)
{
	return (at->prev && end_of(at->prev) > offset) ||
	       (at->next && READ(at->next, cb.frag_offset) < end);
}

/*
 * The same bytes again, told by their place alone, are no overlap.  The kernel
 * has those that follow each other in runs, and looks whether the new one lies
 * within a run: what fills parts of several fragments is one, too.
 */
static bool is_duplicate(const struct inet_frag_queue *q, u32 offset, u32 end)
{
	const struct sk_buff *skb = READ(q, fragments);
	u32 until = offset;

	for (; skb && until < end; skb = READ(skb, next)) {
		u32 from = READ(skb, cb.frag_offset);

		if (from > until)
			break;
		until = MAX(until, from + READ(skb, len));
	}
	return until >= end;
}

enum frag_fit inet_frag_queue_insert(struct inet_frags *f,
				     struct inet_frag_queue *q,
				     struct sk_buff *skb, u32 offset, u32 end,
				     bool trim)
{
	struct place at = find_place(q, offset);
	enum frag_fit fit;

	WRITE(skb, cb.frag_offset, offset);
	if (trim) {
		fit = trim_overlaps(f, q, skb, end, &at);
		if (fit != FRAG_FITS)
			return fit;
	} else if (overlaps(&at, offset, end)) {
		return has(FRAG_RUNS) && is_duplicate(q, offset, end) ?
			FRAG_USELESS : FRAG_OVERLAPS;
	}
	link_at(q, &at, skb);
	f->report.waiting++;
	return FRAG_FITS;
}

/* ---- what is there ---- */

bool inet_frag_end_is_bad(struct inet_frag_queue *q, u32 end, bool more)
{
	u32 len = READ(q, len);
	bool last_in = READ(q, last_in) & INET_FRAG_LAST_IN;

	if (!more) {
		if (end < len || (last_in && end != len))
			return true;
		UPDATE(q, last_in, |= INET_FRAG_LAST_IN);
		WRITE(q, len, end);
	} else if (end > len) {
		if (last_in)
			return true;
		WRITE(q, len, end);
	}
	return false;
}

void inet_frag_account(struct inet_frags *f, struct inet_frag_queue *q,
		       struct sk_buff *skb, u32 offset, u32 truesize)
{
	WRITE(q, stamp, READ(skb, tstamp));
	UPDATE(q, meat, += READ(skb, len));
	(void)ATOMIC_ADD_RETURN(f->fqdir, mem, truesize);
	if (!offset)
		UPDATE(q, last_in, |= INET_FRAG_FIRST_IN);
}

bool inet_frag_is_whole(const struct inet_frag_queue *q)
{
	const u8 both = INET_FRAG_FIRST_IN | INET_FRAG_LAST_IN;
	u32 meat;

	if ((READ(q, last_in) & both) != both)
		return false;
	meat = READ(q, meat);
	return meat == READ(q, len);
}

/* RFC 3168, 5.3: congestion of one is that of all, and those that say that they
 * do not know of it do not go with those that do. */
u8 ip_frag_ecn(u8 seen)
{
	bool not_ect = seen & 1, ce = seen & 8;

	if (not_ect && seen & ~1)
		return 0xff;
	return ce && seen & 6 ? 3 : 0;
}

/* ---- the whole ---- */

static void take_over(struct sk_buff *skb, struct sk_buff *head,
		      struct sk_buff *last, struct net_device *dev)
{
	WRITE(skb, dev, dev);
	WRITE(skb, pkt_type, READ(head, pkt_type));
	WRITE(skb, protocol, READ(head, protocol));
	WRITE(skb, tstamp, READ(last, tstamp));
	WRITE(skb, skb_iif, READ(head, skb_iif));
	WRITE(skb, mark, READ(head, mark));
	WRITE(skb, priority, READ(head, priority));
	if (has(SKB_RXHASH))
		WRITE(skb, rxhash, READ(head, rxhash));
	WRITE(skb, queue_mapping, READ(head, queue_mapping));
	WRITE(skb, cb.flags, 0);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
	/* The route of the last to come serves for all. */
	WRITE(skb, _skb_refdst, READ(last, _skb_refdst));
	skb->dst_noref = last->dst_noref;
	last->dst_noref = false;
	WRITE(last, _skb_refdst, NULL);
}

static void append(struct sk_buff *skb, struct sk_buff *from, u32 at, u32 len)
{
	u32 to = skb_put(skb, len);

	skb_read_bits(from, at, skb_bytes(skb, to), len);
	WRITE_SKB_DATA(skb, to, len);
	WORK(len / 8);
}

struct sk_buff *inet_frag_reasm(struct inet_frags *f, struct inet_frag_queue *q,
				u32 from, u32 headers, struct sk_buff *last)
{
	struct sk_buff *head = READ(q, fragments), *part, *skb;
	u32 truesize = 0, n = 0;

	skb = alloc_skb(NET_SKB_PAD + headers + READ(q, len), GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD);
	take_over(skb, head, last, q->dev);
	WRITE(skb, network_header, READ(skb, data));
	WRITE(skb, transport_header, skb->data + headers);
	append(skb, head, from, headers);
	for (part = head; part; part = READ(part, next)) {
		append(skb, part, READ(part, data), READ(part, len));
		truesize += READ(part, truesize);
		n++;
	}
	inet_frag_flush(f, q);
	f->report.dropped -= n;
	f->report.joined += n;
	f->report.datagrams++;
	WRITE(skb, truesize, truesize);
	return skb;
}
