/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models of net/core/skbuff.c what packets need whose data is in pages as well;
 * bytes in pages are counted on from the linear part's tail. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/lib/checksum.h"

/* ---- what is there ---- */

u32 skb_paged_len(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 n = READ(shinfo, nr_frags), len = 0, i;

	for (i = 0; i < n; i++)
		len += READ_AT(shinfo, frags, i).size;
	return len;
}

struct skb_piece skb_piece(const struct sk_buff *skb, u32 from, u32 len)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 n, i;

	if (from + len <= skb->tail)
		return (struct skb_piece){ .at = from, .len = len };
	if (from < skb->tail)
		return (struct skb_piece){ .at = from,
					   .len = skb->tail - from };
	from -= skb->tail;
	n = READ(shinfo, nr_frags);
	for (i = 0; i < n; i++) {
		struct skb_frag frag = READ_AT(shinfo, frags, i);

		if (from < frag.size)
			return (struct skb_piece){
				.page = frag.page,
				.at = frag.offset + from,
				.len = MIN(len, frag.size - from),
			};
		from -= frag.size;
	}
	g_error("%u bytes behind the end of a packet were asked for",
		from + len);
}

const u8 *skb_copy_piece(const struct sk_buff *skb,
			 const struct skb_piece *piece)
{
	if (!piece->page) {
		COPY_SKB_DATA(skb, piece->at, piece->len);
		return skb_bytes(skb, piece->at);
	}
	COPY(piece->page, data, piece->at, piece->len);
	return piece->page->data + piece->at;
}

void skb_read_bits(const struct sk_buff *skb, u32 from, u8 *to, u32 len)
{
	struct skb_piece piece;

	for (; len; len -= piece.len, from += piece.len, to += piece.len) {
		piece = skb_piece(skb, from, len);
		memcpy(to, skb_copy_piece(skb, &piece), piece.len);
	}
}

u32 skb_checksum(const struct sk_buff *skb, u32 from, u32 len, u32 sum)
{
	const u32 begin = from;
	struct skb_piece piece;

	for (; len; len -= piece.len, from += piece.len) {
		const u8 *bytes;

		piece = skb_piece(skb, from, len);
		bytes = skb_copy_piece(skb, &piece);
		sum = csum_block_add(sum, csum_partial(bytes, piece.len, 0),
				     from - begin);
		WORK(piece.len / 4);
	}
	return sum;
}

const u8 *skb_all_bytes(const struct kernel *kernel, const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = &skb->head->shinfo;
	struct net_core *core = kernel->net_core;
	u32 at = skb->tail - skb->data, i;

	if (!shinfo->nr_frags)
		return skb_bytes(skb, skb->data);
	if (!core->all_bytes)
		core->all_bytes = g_malloc(2 * 65536);
	memcpy(core->all_bytes, skb_bytes(skb, skb->data), at);
	for (i = 0; i < shinfo->nr_frags; i++) {
		const struct skb_frag *frag = &shinfo->frags[i];

		memcpy(core->all_bytes + at, frag->page->data + frag->offset,
		       frag->size);
		at += frag->size;
	}
	return core->all_bytes;
}

/* ---- less ---- */

/* Pages from the i-th on go. */
static void drop_frags(struct skb_shared_info *shinfo, u32 i)
{
	u32 n = READ(shinfo, nr_frags);

	WRITE(shinfo, nr_frags, (u8)i);
	for (; i < n; i++)
		put_page(READ_AT(shinfo, frags, i).page);
}

static void ___pskb_trim(struct sk_buff *skb, u32 len)
{
	struct skb_shared_info *shinfo = &skb->head->shinfo;
	u32 at = READ(skb, len) - READ(skb, data_len);
	u32 n = READ(shinfo, nr_frags), i;

	FUNCTION(___pskb_trim);
	for (i = 0; i < n && at < len; i++) {
		u32 size = READ_AT(shinfo, frags, i).size;

		if (at + size > len)
			UPDATE_AT(shinfo, frags, i, .size = len - at);
		at += size;
	}
	drop_frags(shinfo, i);
	if (at < len || i) {
		UPDATE(skb, data_len, -= skb->len - len);
		WRITE(skb, len, len);
		return;
	}
	WRITE(skb, len, len);
	WRITE(skb, data_len, 0);
	WRITE(skb, tail, READ(skb, data) + len);
}

void pskb_trim_unique(struct sk_buff *skb, u32 len)
{
	if (READ(skb, data_len)) {
		___pskb_trim(skb, len);
		return;
	}
	WRITE(skb, len, len);
	WRITE(skb, tail, READ(skb, data) + len);
}
