/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/igmp.c, the part that makes and sends reports: their packets
 * have the option of router alert, live one hop, and go out of the device whose
 * groups they tell of.  The records are those of net/core/mc_report.h.
 */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/igmp_names.h"
#include "stack/net/ipv4/route.h"

#include "stack/net/core/mc_report.h"

#define RA_HLEN 24u		/* IPv4's header with router alert */
#define IGMP_HLEN 8u		/* of all versions, before any record */
#define IP_DF 0x4000u
#define TOS_INTERNETWORK 0xc0
#define TC_PRIO_CONTROL 7

bool igmp_is_silent(u32 group)
{
	return group == INADDR_ALLHOSTS_GROUP;
}

static void fill_ip(u8 *iph, const struct flowi4 *fl4)
{
	iph[0] = 0x46;
	iph[1] = TOS_INTERNETWORK;
	put_be16(iph + 2, 0);
	put_be16(iph + 4, 0);	/* not to be cut, so that it needs none */
	put_be16(iph + 6, IP_DF);
	iph[8] = 1;
	iph[9] = IPPROTO_IGMP_NUMBER;
	put_be16(iph + 10, 0);
	put_be32(iph + 12, fl4->saddr);
	put_be32(iph + 16, fl4->daddr);
	put_be32(iph + 20, 0x94040000);	/* RFC 2113 */
}

/* With the headers of IP and of IGMP, and room for `size` bytes in all. */
static struct sk_buff *new_packet(struct in_device *in_dev, u32 daddr, u32 size,
				  u8 type, u32 group)
{
	struct net_device *dev = READ(in_dev, dev);
	struct net *net = this_kernel()->init_net;
	struct flowi4 fl4 = {
		.daddr = daddr, .flowi4_oif = READ(dev, ifindex),
		.flowi4_proto = IPPROTO_IGMP_NUMBER,
	};
	u32 head = ll_reserved_space(dev), at;
	struct sk_buff *skb;
	struct rtable *rt;
	int err;

	FUNCTION(igmpv3_newpack);
	rt = ip_route_output_flow(net, &fl4, NULL, &err);
	if (!rt)
		return NULL;
	skb = alloc_skb(size + head + READ(dev, needed_tailroom), GFP_ATOMIC);
	if (!skb) {
		dst_release(&rt->dst);
		return NULL;
	}
	WRITE(skb, priority, TC_PRIO_CONTROL);
	WRITE(skb, _skb_refdst, &rt->dst);
	WRITE(skb, dev, dev);
	skb_reserve(skb, head);
	at = skb_put(skb, RA_HLEN + IGMP_HLEN);
	WRITE(skb, network_header, at);
	WRITE(skb, transport_header, at + RA_HLEN);
	fill_ip(skb_bytes(skb, at), &fl4);
	memset(skb_bytes(skb, at + RA_HLEN), 0, IGMP_HLEN);
	skb_bytes(skb, at + RA_HLEN)[0] = type;
	put_be32(skb_bytes(skb, at + RA_HLEN) + 4, group);
	WRITE_SKB_DATA(skb, at, RA_HLEN + IGMP_HLEN);
	return skb;
}

static void send_packet(struct sk_buff *skb)
{
	u32 at = READ(skb, transport_header), len = READ(skb, tail) - at;

	FUNCTION(igmpv3_sendpack);
	COPY_SKB_DATA(skb, at, len);
	WORK(len / 4);
	put_be16(skb_bytes(skb, at) + 2,
		 csum_fold(csum_partial(skb_bytes(skb, at), len, 0)));
	WRITE_SKB_DATA(skb, at + 2, 2);
	ip_local_out(skb);
}

static void mc_new_pack(struct mc_pack *pack)
{
	u32 size = READ(READ(pack->dev, dev), mtu);

	pack->skb = new_packet(pack->dev, IGMPV3_ALL_MCR, size,
			       IGMPV3_HOST_MEMBERSHIP_REPORT, 0);
	pack->room = size - RA_HLEN - IGMP_HLEN;
}

static void mc_send_pack(struct mc_pack *pack)
{
	u32 at = READ(pack->skb, transport_header);

	put_be16(skb_bytes(pack->skb, at) + 6, (u16)pack->records);
	WRITE_SKB_DATA(pack->skb, at + 6, 2);
	send_packet(pack->skb);
}

void igmp_send_report(struct in_device *in_dev, u32 group, u8 type)
{
	bool leave = type == IGMP_HOST_LEAVE_MESSAGE;
	struct sk_buff *skb;

	FUNCTION(igmp_send_report);
	skb = new_packet(in_dev, leave ? IGMP_ALL_ROUTER : group,
			 RA_HLEN + IGMP_HLEN, type, group);
	if (skb)
		send_packet(skb);
}
