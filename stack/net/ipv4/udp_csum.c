/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the checksums of what comes in: udp4_csum_init() of net/ipv4/udp.c,
 * udp6_csum_init() of net/ipv6/udp.c, and of net/core/datagram.c what the
 * reader verifies with.
 *
 * The sum is the reader's work, which copies the data at the same time.  Later
 * kernels sum up packets of at most 76 bytes as they come in; here the reader
 * does it in all of them, since then only packets that no device has summed up
 * are concerned, which no device of theirs here delivers but to be dropped.  Of
 * UDP-Lite, which no device sums up, udplite.c does it.
 */
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_csum.h"
#include "stack/net/ipv4/udplite.h"

/* Summing up takes an addition with carry for each eight bytes, and a load. */
#define CSUM_WORK(len) WORK(2 * ((len) / 8))

static bool skb_csum_unnecessary(struct sk_buff *skb)
{
	u8 ip_summed = READ(skb, ip_summed);

	return ip_summed == CHECKSUM_UNNECESSARY ||
	       ip_summed == CHECKSUM_PARTIAL;
}

bool udp4_csum_init(struct sk_buff *skb, u32 network, u32 transport, u32 len,
		    u8 protocol)
{
	const bool udplite = protocol == IPPROTO_UDPLITE_NUMBER;
	const u8 *iph = skb_bytes(skb, network);

	if (udplite && !udplite_checksum_init(skb, transport, len))
		return false;
	if (!get_be16(skb_bytes(skb, transport) + 6)) {
		WRITE(skb, ip_summed, CHECKSUM_UNNECESSARY);
		return true;
	}
	if (skb_csum_unnecessary(skb))
		return true;
	WORK(12);
	WRITE(skb, csum, csum_tcpudp_nofold(get_be32(iph + 12),
					    get_be32(iph + 16), len, protocol,
					    0));
	return !udplite || udplite_checksum_small(skb, transport, len);
}

bool udp6_csum_init(struct sk_buff *skb, u32 network, u32 transport, u32 len,
		    u8 protocol)
{
	const bool udplite = protocol == IPPROTO_UDPLITE_NUMBER;
	const u8 *ip6h = skb_bytes(skb, network);

	if (udplite && !udplite_checksum_init(skb, transport, len))
		return false;
	if (!get_be16(skb_bytes(skb, transport) + 6))
		return false;
	if (skb_csum_unnecessary(skb))
		return true;
	{
		FUNCTION(csum_ipv6_magic);
		WRITE(skb, csum, (u16)~csum_ipv6_magic(ip6h + 8, ip6h + 24,
						       len, protocol, 0));
	}
	return !udplite || udplite_checksum_small(skb, transport, len);
}

/* Of a header that the reader will not see. */
void udp_csum_pull_header(struct sk_buff *skb)
{
	u32 data = skb->data;

	if (skb_csum_unnecessary(skb))
		return;
	FUNCTION(csum_partial);
	READ_SKB_DATA(skb, data, UDP_HLEN);
	UPDATE(skb, csum, = csum_partial(skb_bytes(skb, data), UDP_HLEN,
					 skb->csum));
}

/* Without a copy: of a datagram that the reader does not take whole. */
bool __skb_checksum_complete(struct sk_buff *skb, u32 from, u32 len)
{
	FUNCTION(__skb_checksum_complete);
	if (csum_fold(skb_checksum(skb, from, len, READ(skb, csum))))
		return false;
	WRITE(skb, ip_summed, CHECKSUM_UNNECESSARY);
	return true;
}

bool udp_lib_checksum_complete(struct sk_buff *skb, bool udplite)
{
	u32 from = READ(skb, data), len = READ(skb, len);

	if (udplite)
		len = udplite_coverage(skb, len);
	return skb_csum_unnecessary(skb) ||
	       __skb_checksum_complete(skb, from, len);
}

static bool skb_copy_and_csum_datagram(struct sk_buff *skb, u32 from,
				       u32 header, struct msghdr *msg)
{
	u32 len = skb->len - header, at, sum = 0;
	struct skb_piece piece;

	FUNCTION(skb_copy_and_csum_datagram);
	(void)READ(skb, data_len);
	if (header) {
		FUNCTION(csum_partial);
		READ_SKB_DATA(skb, from, header);
		sum = csum_partial(skb_bytes(skb, from), header, 0);
	}
	from += header;
	for (at = 0; at < len; at += piece.len) {
		const u8 *bytes;

		FUNCTION(csum_partial_copy_generic);
		piece = skb_piece(skb, from + at, len - at);
		CSUM_WORK(piece.len);
		bytes = skb_copy_piece(skb, &piece);
		if (msg->to)
			memcpy(msg->to + at, bytes, piece.len);
		sum = csum_block_add(sum, csum_partial(bytes, piece.len, 0),
				     at);
	}
	return !csum_fold(csum_add(sum, READ(skb, csum)));
}

bool udp_copy(struct sk_buff *skb, struct msghdr *msg, u32 *len, bool udplite)
{
	/* Later it has been pulled before. */
	u32 header = has(UDP_READER_QUEUE) ? 0 : UDP_HLEN;
	u32 from = READ(skb, data), all = READ(skb, len);
	bool whole = *len >= all - header;
	u32 covered = udplite ? udplite_coverage(skb, all) : all;

	*len = MIN(*len, all - header);
	/* A sum over a part cannot be made while the whole is copied. */
	if ((!whole || covered < all) && !skb_csum_unnecessary(skb) &&
	    !__skb_checksum_complete(skb, from, covered))
		return false;
	if (!skb_csum_unnecessary(skb))
		return skb_copy_and_csum_datagram(skb, from, header, msg);
	skb_copy_datagram(skb, from + header, msg->to, *len);
	return true;
}
