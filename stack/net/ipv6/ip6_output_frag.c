/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models ip6_fragment() of net/ipv6/ip6_output.c, and ipv6_select_ident() of
 * net/ipv6/output_core.c.
 *
 *	ip6_finish_output -> ip6_fragment -> ip6_finish_output2
 *
 * Only the fast path, as in net/ipv4/ip_output_frag.c.  The identification is
 * that of a peer before the hashed counters, also in kernels before 3.0, which
 * had one counter for all.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ip_fib.h"
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

/* In front of a part's data: the datagram's header, and its place. */
static void put_headers(struct sk_buff *skb, const u8 *header, u32 id,
			u32 offset, bool more)
{
	u32 at = skb_push(skb, IPV6_FRAG_HLEN + IPV6_HLEN);
	u8 *ip6h = skb_bytes(skb, at), *fh = ip6h + IPV6_HLEN;

	WRITE(skb, network_header, at);
	memmove(ip6h, header, IPV6_HLEN);
	put_be16(ip6h + 4, (u16)(READ(skb, len) - IPV6_HLEN));
	ip6h[6] = NEXTHDR_FRAGMENT;
	fh[0] = header[6];
	fh[1] = 0;
	put_be16(fh + 2, (u16)(offset | more));
	put_be32(fh + 4, id);
	WRITE_SKB_DATA(skb, at, IPV6_HLEN + IPV6_FRAG_HLEN);
}

static int send_parts(struct sk_buff *skb, struct rt6_info *rt)
{
	struct net *net = this_kernel()->init_net;
	u32 offset = 0, at = READ(skb, network_header), id;
	u8 header[IPV6_HLEN];
	struct sk_buff *rest;
	int err;

	READ_SKB_DATA(skb, at, IPV6_HLEN);
	memcpy(header, skb_bytes(skb, at), IPV6_HLEN);
	id = ipv6_select_ident(header + 8);
	rest = skb_take_fragments(skb);
	UPDATE(skb, data, += IPV6_HLEN);
	UPDATE(skb, len, -= IPV6_HLEN);
	put_headers(skb, header, id, 0, true);
	for (;;) {
		struct sk_buff *next = rest;

		if (next) {
			rest = READ(next, next);
			offset += skb->len - IPV6_HLEN - IPV6_FRAG_HLEN;
			WRITE(next, ip_summed, CHECKSUM_NONE);
			ip_copy_metadata(next, skb);
			put_headers(next, header, id, offset, rest);
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
 * bytes? */
static bool has_good_parts(const struct sk_buff *skb, u32 mtu)
{
	const struct sk_buff *part = READ(&skb->head->shinfo, frag_list);
	u32 len = READ(skb, len), most = mtu - IPV6_HLEN - IPV6_FRAG_HLEN;

	len -= READ(skb, data_len) + IPV6_HLEN;
	len += skb_paged_len(skb);
	if (!part || len > most || len & 7 || READ(skb, cloned))
		return false;
	for (; part; part = READ(part, next)) {
		bool last = !READ(part, next);

		len = READ(part, len);
		if (len > most || (len & 7 && !last))
			return false;
	}
	return true;
}

int ip6_fragment(struct sk_buff *skb, u32 mtu)
{
	struct net *net = this_kernel()->init_net;
	struct rt6_info *rt;
	int err;

	FUNCTION(ip6_fragment);
	STACK_PROTECTOR();
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	if (!READ(skb, local_df) || !has_good_parts(skb, mtu)) {
		IP6_INC_STATS(net, READ(rt, rt6i_idev), IPSTATS_MIB_FRAGFAILS);
		kfree_skb(skb);
		return -EMSGSIZE;
	}
	ATOMIC_INC(&rt->dst, __refcnt); /* for the counters, at the end */
	err = send_parts(skb, rt);
	IP6_INC_STATS(net, READ(rt, rt6i_idev),
		      err ? IPSTATS_MIB_FRAGFAILS : IPSTATS_MIB_FRAGOKS);
	dst_release(&rt->dst);
	return err;
}
