/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models ip6_fragment() of net/ipv6/ip6_output.c, and ipv6_select_ident() of
 * net/ipv6/output_core.c.
 *
 *	ip6_finish_output -> ip6_fragment -> ip6_finish_output2
 *
 * A datagram's parts are made with it, and go as they are, or are copied where
 * they do not fit behind the headers that each must have.  The identification
 * is that of a peer before the hashed counters, also in kernels before 3.0,
 * which had one counter for all.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/jhash.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv6/udp.h"

#define NEXTHDR_FRAGMENT 44u

/* By destination and source: from the counters that IPv4 has. */
static u32 hashed_ident(const u32 *words)
{
	struct ipv4 *ipv4 = this_kernel()->ipv4;
	u32 salt = (u32)READ_AT(ipv4->salt, key, 0);
	u32 slot = jhash2(words, 8, salt) % IP_IDENTS;

	(void)READ_AT(ipv4->tstamps, tstamps, slot);
	return (u32)ATOMIC_ADD_RETURN_AT(ipv4->idents, idents, slot, 1) - 1;
}

/* Never zero. */
static u32 ipv6_select_ident(const u8 *addresses)
{
	struct net *net = this_kernel()->init_net;
	u32 words[8], id, i;

	FUNCTION(ipv6_select_ident);
	/* The destination first. */
	for (i = 0; i < 8; i++)
		words[i] = get_be32(addresses + (i + 4) % 8 * 4);
	if (has(IP6_FRAG_ID_RANDOM))
		id = get_random_u32();
	else if (has(IP_IDENTS_HASHED))
		id = hashed_ident(words);
	else
		id = inet_getid(&net->ipv6.peers, words);
	return id ? id : 1u << 31;
}

/* ---- where the headers end that each part has ---- */

/* Does the header of options have this one? */
static bool has_option(const u8 *header, u8 type)
{
	u32 at = 2, len = ipv6_optlen(header);

	while (at + 2 <= len) {
		if (header[at] == type)
			return true;
		at += header[at] ? 2u + header[at + 1] : 1;
	}
	return false;
}

/* From the IPv6 header to the first one that only the first part has; *nexthdr
 * is where its number stands.  Options for the last host are such a header only
 * where a routing header stands in front of them. */
static u32 ip6_find_1stfragopt(struct sk_buff *skb, u32 network, u32 *nexthdr)
{
	u32 at = network + IPV6_HLEN;
	bool routed = false;
	u8 next;

	*nexthdr = 6;
	READ_SKB_DATA(skb, network + 6, 1);
	next = skb_bytes(skb, network)[6];
	for (;;) {
		const u8 *header = skb_bytes(skb, at);

		if (next == NEXTHDR_ROUTING)
			routed = true;
		else if (next == NEXTHDR_DEST && routed &&
			 !(has(IPV6_MIP6) && has_option(header, IPV6_TLV_HAO)))
			break;
		else if (next != NEXTHDR_HOP && next != NEXTHDR_DEST)
			break;
		FUNCTION(ip6_find_1stfragopt);
		*nexthdr = at - network;
		READ_SKB_DATA(skb, at, 2);
		next = header[0];
		at += ipv6_optlen(header);
	}
	return at - network;
}

/* ---- headers ---- */

/* What the parts of a datagram have in common. */
struct parts {
	u32 hlen;		/* the headers that each has */
	u32 nexthdr;		/* in them, where what follows is named */
	u8 proto;		/* what follows in the whole datagram */
	u32 id;
};

/* Those that are in place already become a part's. */
static void make_part(struct sk_buff *skb, u32 at, const struct parts *parts,
		      u32 offset, bool more)
{
	u8 *ip6h = skb_bytes(skb, at), *fh = ip6h + parts->hlen;

	put_be16(ip6h + 4, (u16)(READ(skb, len) - IPV6_HLEN));
	ip6h[parts->nexthdr] = NEXTHDR_FRAGMENT;
	fh[0] = parts->proto;
	fh[1] = 0;
	put_be16(fh + 2, (u16)(offset | more));
	put_be32(fh + 4, parts->id);
	WRITE_SKB_DATA(skb, at, parts->hlen + IPV6_FRAG_HLEN);
}

/* In front of a part's data: the datagram's headers, and its place. */
static void put_headers(struct sk_buff *skb, const u8 *headers,
			const struct parts *parts, u32 offset, bool more)
{
	u32 at = skb_push(skb, IPV6_FRAG_HLEN + parts->hlen);

	WRITE(skb, network_header, at);
	memmove(skb_bytes(skb, at), headers, parts->hlen);
	make_part(skb, at, parts, offset, more);
}

/* ---- the fast path: parts that are there ---- */

static int send_parts(struct sk_buff *skb, struct rt6_info *rt,
		      const struct parts *parts)
{
	struct net *net = this_kernel()->init_net;
	u32 offset = 0, at = READ(skb, network_header);
	struct sk_buff *rest;
	int err;

	READ_SKB_DATA(skb, at, parts->hlen);
	rest = skb_take_fragments(skb);
	UPDATE(skb, data, += parts->hlen);
	UPDATE(skb, len, -= parts->hlen);
	put_headers(skb, skb_bytes(skb, at), parts, 0, true);
	for (;;) {
		struct sk_buff *next = rest;

		if (next) {
			rest = READ(next, next);
			offset += skb->len - parts->hlen - IPV6_FRAG_HLEN;
			WRITE(next, ip_summed, CHECKSUM_NONE);
			ip_copy_metadata(next, skb);
			/* This part's are the kernel's copy of them. */
			put_headers(next, skb_bytes(skb, skb->network_header),
				    parts, offset, rest);
		}
		WRITE(skb, next, NULL);
		err = ip6_finish_output2(skb);
		if (!err)
			IP6_INC_STATS(net, READ(rt, rt6i_idev),
				      IPSTATS_MIB_FRAGCREATES);
		if (err || !next) {
			kfree_skb_list(next);
			return err;
		}
		skb = next;
	}
}

/* Does each part with its headers fit, and but for the last one end with eight
 * bytes, and has it `room` in front of the headers?  (Kernels before 4.13 did not
 * ask the last, and wrote in front of their memory.) */
static bool has_good_parts(const struct sk_buff *skb, u32 mtu, u32 hlen,
			   u32 room)
{
	const struct sk_buff *part = READ(&skb->head->shinfo, frag_list);
	u32 len = READ(skb, len), most = mtu - hlen - IPV6_FRAG_HLEN;

	len -= READ(skb, data_len) + hlen;
	len += skb_paged_len(skb);
	if (!part || len > most || len & 7 || READ(skb, cloned))
		return false;
	for (; part; part = READ(part, next)) {
		bool last = !READ(part, next);

		len = READ(part, len);
		if (len > most || (len & 7 && !last) ||
		    READ(part, data) < hlen + IPV6_FRAG_HLEN + room)
			return false;
	}
	return true;
}

/* ---- the slow path: parts of memory of their own ---- */

/* Copies bytes of a datagram, counted from the IPv6 header on, wherever they
 * are. */
static void skb_copy_bits(const struct sk_buff *skb, u32 from, u8 *to, u32 len)
{
	const struct sk_buff *part = skb;
	u32 size = READ(skb, len), n;

	FUNCTION(skb_copy_bits);
	size -= READ(skb, data_len);
	size += skb_paged_len(skb);
	for (; len; len -= n) {
		u32 data = READ(part, data);

		n = from < size ? MIN(len, size - from) : 0;
		if (n) {
			skb_read_bits(part, data + from, to, n);
			WORK(n / 8);
			to += n;
			from += n;
		}
		if (len == n)
			continue;
		from -= size;
		part = part == skb ? READ(&skb->head->shinfo, frag_list) :
				     READ(part, next);
		size = READ(part, len);
	}
}

/* One part of `len` bytes, from `offset` of what is parted on. */
static struct sk_buff *copy_part(struct sk_buff *skb, const struct parts *parts,
				 u32 room, u32 offset, u32 len, bool more)
{
	u32 hlen = parts->hlen, at;
	struct sock *sk = READ(skb, sk);
	struct sk_buff *frag;

	frag = alloc_skb(room + hlen + IPV6_FRAG_HLEN + len, GFP_ATOMIC);
	if (!frag)
		return NULL;
	ip_copy_metadata(frag, skb);
	skb_reserve(frag, room);
	at = skb_put(frag, hlen + IPV6_FRAG_HLEN + len);
	WRITE(frag, network_header, at);
	WRITE(frag, transport_header, at + hlen + IPV6_FRAG_HLEN);
	if (sk)
		skb_set_owner_w(frag, sk);
	skb_copy_bits(skb, 0, skb_bytes(frag, at), hlen);
	skb_copy_bits(skb, hlen + offset,
		      skb_bytes(frag, at + hlen + IPV6_FRAG_HLEN), len);
	WRITE_SKB_DATA(frag, at + hlen + IPV6_FRAG_HLEN, len);
	make_part(frag, at, parts, offset, more);
	return frag;
}

/* The datagram itself ends here. */
static int send_copies(struct sk_buff *skb, struct rt6_info *rt,
		       const struct parts *parts, u32 mtu, u32 room)
{
	u32 most = mtu - parts->hlen - IPV6_FRAG_HLEN, offset = 0, len;
	struct net *net = this_kernel()->init_net;
	u32 left = READ(skb, len) - parts->hlen;
	int err = 0;

	if (READ(skb, ip_summed) == CHECKSUM_PARTIAL)
		err = skb_checksum_help(skb);
	for (; left && !err; left -= len, offset += len) {
		struct sk_buff *frag;

		len = left <= most ? left : most & ~7u;
		frag = copy_part(skb, parts, room, offset, len, left > len);
		err = frag ? ip6_finish_output2(frag) : -ENOMEM;
		if (!err)
			IP6_INC_STATS(net, READ(rt, rt6i_idev),
				      IPSTATS_MIB_FRAGCREATES);
	}
	if (err)
		kfree_skb(skb);
	else
		consume_skb(skb);
	return err;
}

int ip6_fragment(struct sk_buff *skb, u32 mtu)
{
	struct net *net = this_kernel()->init_net;
	struct parts parts;
	struct rt6_info *rt;
	u32 at, room;
	int err;

	FUNCTION(ip6_fragment);
	STACK_PROTECTOR();
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	at = READ(skb, network_header);
	parts.hlen = ip6_find_1stfragopt(skb, at, &parts.nexthdr);
	if (!READ(skb, local_df) ||
	    mtu < parts.hlen + 2 * IPV6_FRAG_HLEN) {
		IP6_INC_STATS(net, READ(rt, rt6i_idev), IPSTATS_MIB_FRAGFAILS);
		kfree_skb(skb);
		return -EMSGSIZE;
	}
	parts.proto = skb_bytes(skb, at)[parts.nexthdr];
	parts.id = ipv6_select_ident(skb_bytes(skb, at) + 8);
	ATOMIC_INC(&rt->dst, __refcnt); /* for the counters, at the end */
	room = ll_reserved_space(READ(&rt->dst, dev));
	err = has_good_parts(skb, mtu, parts.hlen, room) ?
	      send_parts(skb, rt, &parts) :
	      send_copies(skb, rt, &parts, mtu, room);
	IP6_INC_STATS(net, READ(rt, rt6i_idev),
		      err ? IPSTATS_MIB_FRAGFAILS : IPSTATS_MIB_FRAGOKS);
	dst_release(&rt->dst);
	return err;
}
