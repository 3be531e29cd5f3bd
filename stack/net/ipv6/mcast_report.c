/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/mcast.c, the part that makes and sends reports: see
 * ipv4/igmp_report.c.  They go to the device at once, as the solicitations of
 * ndisc.c do; the kernel goes by way of a route of its own and of the group's
 * neighbour.  So one of MLDv1 does not come back to the host that sends it,
 * which would not look at it.
 */
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/icmp.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv6/mld_names.h"
#include "stack/net/ipv6/ndisc.h"
#include "stack/net/ipv6/udp.h"

#include "stack/net/core/mc_report.h"

#define RA_HLEN 48u		/* IPv6's header, and router alert behind it */
#define MLD_HLEN 8u
#define MLD1_HLEN 24u
#define TC_PRIO_CONTROL 7

static void fill_ip6(u8 *ip6, const struct in6_addr *saddr,
		     const struct in6_addr *daddr)
{
	static const u8 router_alert[] = {
		IPPROTO_ICMPV6_NUMBER, 0, IPV6_TLV_ROUTERALERT, 2, 0, 0, 1, 0,
	};

	put_be32(ip6, 6u << 28);
	put_be16(ip6 + 4, 0);
	ip6[6] = 0;		/* hop-by-hop options */
	ip6[7] = 1;
	mld_put(ip6 + 8, *saddr);
	mld_put(ip6 + 24, *daddr);
	memcpy(ip6 + 40, router_alert, sizeof(router_alert));
}

/* With the headers of IPv6 and the first eight bytes of ICMPv6, and room for
 * `size` bytes in all.  A device that has no such address yet sends from ::. */
static struct sk_buff *new_packet(struct inet6_dev *idev,
				  const struct in6_addr *daddr, u32 size,
				  u8 type)
{
	struct net_device *dev = READ(idev, dev);
	struct in6_addr saddr = { .s6_addr = { 0 } };
	u32 head = ll_reserved_space(dev), at;
	struct sk_buff *skb;

	FUNCTION(mld_newpack);
	skb = alloc_skb(size + head + READ(dev, needed_tailroom), GFP_ATOMIC);
	if (!skb)
		return NULL;
	WRITE(skb, priority, TC_PRIO_CONTROL);
	WRITE(skb, dev, dev);
	WRITE(skb, protocol, ETH_P_IPV6);
	skb_reserve(skb, head);
	(void)ipv6_get_lladdr(dev, &saddr);
	at = skb_put(skb, RA_HLEN + MLD_HLEN);
	WRITE(skb, network_header, at);
	WRITE(skb, transport_header, at + RA_HLEN);
	fill_ip6(skb_bytes(skb, at), &saddr, daddr);
	memset(skb_bytes(skb, at + RA_HLEN), 0, MLD_HLEN);
	skb_bytes(skb, at + RA_HLEN)[0] = type;
	WRITE_SKB_DATA(skb, at, RA_HLEN + MLD_HLEN);
	return skb;
}

static void sum_up(struct sk_buff *skb, u32 at, u32 len)
{
	u8 *ip6 = skb_bytes(skb, at), *icmp = ip6 + RA_HLEN;

	COPY_SKB_DATA(skb, at, RA_HLEN + len);
	WORK((40 + len) / 4);
	put_be16(ip6 + 4, (u16)(RA_HLEN - 40 + len));
	put_be16(icmp + 2, csum_ipv6_magic(ip6 + 8, ip6 + 24, len,
					   IPPROTO_ICMPV6_NUMBER,
					   csum_partial(icmp, len, 0)));
	WRITE_SKB_DATA(skb, at + 4, 2);
	WRITE_SKB_DATA(skb, at + RA_HLEN + 2, 2);
}

static void send_packet(struct inet6_dev *idev, struct sk_buff *skb)
{
	struct net_device *dev = READ(skb, dev);
	const struct header_ops *header = READ(dev, header_ops);
	struct net *net = this_kernel()->init_net;
	u32 at = READ(skb, network_header), len = READ(skb, len);
	struct in6_addr daddr;
	u8 dest[ETH_ALEN];

	FUNCTION(mld_sendpack);
	sum_up(skb, at, len - RA_HLEN);
	memcpy(daddr.s6_addr, skb_bytes(skb, at) + 24, sizeof(daddr.s6_addr));
	ipv6_eth_mc_map(&daddr, dest);
	IP6_UPD_PO_STATS(net, idev, IPSTATS_MIB_OUTPKTS, IPSTATS_MIB_OUTOCTETS,
			 len);
	IP6_UPD_PO_STATS(net, idev, IPSTATS_MIB_OUTMCASTPKTS,
			 IPSTATS_MIB_OUTMCASTOCTETS, len);
	ICMP6_INC_STATS(net, ICMP6_MIB_OUTMSGS);
	if (READ(header, create)(skb, dev, ETH_P_IPV6, dest, NULL, len) < 0)
		kfree_skb(skb);
	else
		dev_queue_xmit(skb);
}

static void mc_new_pack(struct mc_pack *pack)
{
	static const struct in6_addr all_mldv2_routers = { .s6_addr = {
		0xff, 0x02, [15] = 0x16,
	} };
	u32 size = READ(READ(pack->dev, dev), mtu);

	pack->skb = new_packet(pack->dev, &all_mldv2_routers, size,
			       ICMPV6_MLD2_REPORT);
	pack->room = size - RA_HLEN - MLD_HLEN;
}

static void mc_send_pack(struct mc_pack *pack)
{
	u32 at = READ(pack->skb, transport_header);

	put_be16(skb_bytes(pack->skb, at) + 6, (u16)pack->records);
	WRITE_SKB_DATA(pack->skb, at + 6, 2);
	send_packet(pack->dev, pack->skb);
}

void igmp6_send(struct inet6_dev *idev, const struct in6_addr *group, u8 type)
{
	static const struct in6_addr all_routers = { .s6_addr = {
		0xff, 0x02, [15] = 0x02,
	} };
	struct sk_buff *skb;
	u32 at;

	FUNCTION(igmp6_send);
	skb = new_packet(idev, type == ICMPV6_MGM_REDUCTION ? &all_routers :
			 group, RA_HLEN + MLD1_HLEN, type);
	if (!skb)
		return;
	at = skb_put(skb, sizeof(*group));
	mld_put(skb_bytes(skb, at), *group);
	WRITE_SKB_DATA(skb, at, sizeof(*group));
	send_packet(idev, skb);
}
