/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/ip6_output.c and include/net/ipv6.h: the IPv6 header of a
 * packet that this host sends, with what stands behind it, and its flow label. */
#include <string.h>

#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv6/udp.h"

void ip6_flow_hdr(u8 *header, u8 tclass, u32 flow)
{
	put_be32(header, 6u << 28 | (u32)tclass << 20 | flow);
}

u8 *ip6_push_header(struct sk_buff *skb, const struct ip6_cork *cork)
{
	const struct flowi6 *fl6 = cork->fl6;
	struct in6_addr daddr = fl6->daddr;
	u8 *header, proto = fl6->flowi6_proto;
	u32 at;

	at = READ(skb, transport_header);
	UPDATE(skb, data, = at);
	UPDATE(skb, len, = skb->tail - at + skb->data_len);
	if (txopt_flen(cork->opt))
		ipv6_push_frag_opts(skb, cork->opt, &proto);
	if (txopt_nflen(cork->opt))
		ipv6_push_nfrag_opts(skb, cork->opt, &proto, &daddr);
	at = skb_push(skb, IPV6_HLEN);
	WRITE(skb, network_header, at);
	(void)READ(skb, head);
	header = skb_bytes(skb, at);
	put_be16(header + 4, 0);
	header[6] = proto;
	header[7] = cork->hop_limit;
	memcpy(header + 8, fl6->saddr.s6_addr, sizeof(fl6->saddr));
	memcpy(header + 24, daddr.s6_addr, sizeof(daddr));
	WRITE_SKB_DATA(skb, at, IPV6_HLEN);
	return header;
}

bool ip6_default_np_autolabel(struct net *net)
{
	u8 mode = READ(net, ipv6.sysctl.auto_flowlabels);

	return mode == IP6_AUTO_FLOW_LABEL_OPTOUT ||
	       mode == IP6_AUTO_FLOW_LABEL_FORCED;
}

bool ip6_autoflowlabel(struct net *net, struct udp6_sock *up6)
{
	if (!has(AUTOFLOWLABEL_SET) || READ(up6, inet6.autoflowlabel_set))
		return READ(up6, inet6.autoflowlabel);
	return ip6_default_np_autolabel(net);
}

u32 ip6_make_flowlabel(struct net *net, struct sk_buff *skb, bool autolabel,
		       const struct flowi6 *fl6)
{
	u32 label = fl6->flowlabel & IPV6_FLOWLABEL_MASK, hash;
	u8 mode;

	if (label)
		return label;
	mode = READ(net, ipv6.sysctl.auto_flowlabels);
	if (mode == IP6_AUTO_FLOW_LABEL_OFF ||
	    (!autolabel && mode != IP6_AUTO_FLOW_LABEL_FORCED))
		return 0;
	hash = skb_get_hash_flowi6(skb, fl6);
	hash = hash << 16 | hash >> 16;
	/* The wire takes its bytes as they lie in a little-endian word. */
	label = __builtin_bswap32(hash) & IPV6_FLOWLABEL_MASK;
	if (READ(net, ipv6.sysctl.flowlabel_state_ranges))
		label |= IPV6_FLOWLABEL_STATELESS_FLAG;
	return label;
}
