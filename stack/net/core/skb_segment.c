/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models skb_segment() of net/core/skbuff.c: a packet whose data is cut into
 * segments, each with a copy of its headers.  Data in pages is shared; data in
 * the linear part is copied.
 */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/dst.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp_offload.h"

/* What a packet's segments have of it. */
static void copy_skb_header(struct sk_buff *to, struct sk_buff *from)
{
	struct dst_entry *dst = READ(from, _skb_refdst);

	FUNCTION(__copy_skb_header);
	WRITE(to, tstamp, READ(from, tstamp));
	WRITE(to, dev, READ(from, dev));
	WRITE(to, cb.flags, READ(from, cb.flags));
	to->cb = from->cb;
	if (dst && !from->dst_noref)
		ATOMIC_INC(dst, __refcnt);
	WRITE(to, _skb_refdst, dst);
	to->dst_noref = from->dst_noref;
	WRITE(to, ip_summed, READ(from, ip_summed));
	WRITE(to, pkt_type, READ(from, pkt_type));
	WRITE(to, protocol, READ(from, protocol));
	WRITE(to, queue_mapping, READ(from, queue_mapping));
	WRITE(to, skb_iif, READ(from, skb_iif));
	WRITE(to, rxhash, READ(from, rxhash));
	WRITE(to, csum_start, READ(from, csum_start));
	WRITE(to, csum_offset, READ(from, csum_offset));
	WRITE(to, mark, READ(from, mark));
	WRITE(to, priority, READ(from, priority));
	WRITE(to, transport_header, READ(from, transport_header));
	WRITE(to, network_header, READ(from, network_header));
	WRITE(to, mac_header, READ(from, mac_header));
	to->napi_id = from->napi_id;
	to->local_df = from->local_df;
	to->dst_pending_confirm = from->dst_pending_confirm;
}

/* `len` bytes from `from` on, which are in pages, become the segment's too. */
static void share_pages(struct sk_buff *seg, const struct sk_buff *skb,
			u32 from, u32 len)
{
	struct skb_shared_info *shinfo = &seg->head->shinfo;
	struct skb_piece piece;
	u8 n = 0;

	UPDATE(seg, len, += len);
	UPDATE(seg, data_len, += len);
	UPDATE(seg, truesize, += len);
	for (; len; len -= piece.len, from += piece.len, n++) {
		struct skb_frag frag;

		piece = skb_piece(skb, from, len);
		frag = (struct skb_frag){ .page = piece.page,
					  .offset = piece.at,
					  .size = piece.len };
		WRITE_AT(shinfo, frags, n, frag);
		get_page(piece.page);
	}
	WRITE(shinfo, nr_frags, n);
}

/* The segment of `len` bytes from `from` on. */
static struct sk_buff *one_segment(struct sk_buff *skb, u32 headers, u32 from,
				   u32 len)
{
	const u32 data = READ(skb, data), tail = READ(skb, tail);
	u32 linear = from < tail ? MIN(len, tail - from) : 0, at;
	struct sk_buff *seg;

	seg = __alloc_skb(data + headers + linear, GFP_ATOMIC, 0, -1);
	if (!seg)
		return NULL;
	copy_skb_header(seg, skb);
	skb_reserve(seg, data);
	at = skb_put(seg, headers + linear);
	skb_read_bits(skb, data, skb_bytes(seg, at), headers);
	if (linear)
		skb_read_bits(skb, from, skb_bytes(seg, at + headers), linear);
	WRITE_SKB_DATA(seg, at, headers + linear);
	WORK((headers + linear) / 8);
	if (len > linear)
		share_pages(seg, skb, from + linear, len - linear);
	return seg;
}

struct sk_buff *skb_segment(struct sk_buff *skb, u32 headers, u32 mss)
{
	u32 from = READ(skb, data) + headers, left = READ(skb, len) - headers;
	struct sk_buff *first = NULL, **last = &first, *seg;
	u32 len;

	FUNCTION(skb_segment);
	for (; left; left -= len, from += len) {
		len = MIN(left, mss);
		seg = one_segment(skb, headers, from, len);
		if (!seg) {
			kfree_skb_list(first);
			return NULL;
		}
		*last = seg;
		last = &seg->next;
	}
	return first;
}
