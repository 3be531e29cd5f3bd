/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ip6_input.c and exthdrs.c: a packet that a device has taken
 * in is looked at, gets a route, and goes through its extension headers to its
 * protocol.
 *
 * Of the headers hop-by-hop and destination options are walked (their options
 * are padding to us, unless their type says that a packet with one that is not
 * known is to go, of which its sender is not told).
 */
#include <string.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/include/net/mld.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/ip6_input.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv6/udp.h"
#include "stack/net/ipv6/udplite.h"

#define NEXTHDR_HOP 0
#define NEXTHDR_FRAGMENT 44
#define NEXTHDR_NONE 59
#define NEXTHDR_DEST 60
#define IPV6_TLV_PAD1 0
#define IP6_MF_OR_OFFSET 0xfff9u
#define IPV6_TLV_PADN 1

static bool drop(struct net *net, struct inet6_dev *idev, struct sk_buff *skb,
		 u32 index)
{
	IP6_INC_STATS(net, idev, index);
	kfree_skb(skb);
	return false;
}

static struct in6_addr address_at(const u8 *p)
{
	struct in6_addr address;

	memcpy(address.s6_addr, p, sizeof(address.s6_addr));
	return address;
}

/* ---- extension headers ---- */

/* Options that are not known say by their two highest bits whether to skip
 * them. */
static bool options_ok(const u8 *p, u32 len)
{
	u32 at = 2, size;

	for (; at < len; at += size) {
		if (p[at] == IPV6_TLV_PAD1) {
			size = 1;
			continue;
		}
		if (at + 2 > len)
			return false;
		size = 2u + p[at + 1];
		if (at + size > len)
			return false;
		if (p[at] != IPV6_TLV_PADN && p[at] >> 6)
			return false;
	}
	return at == len;
}

/* The length of an extension header at `at`, 0 where it is bad. */
static u32 options_length(struct sk_buff *skb, u32 at)
{
	u32 end = READ(skb, tail), len;

	if (at + 8 > end)
		return 0;
	READ_SKB_DATA(skb, at, 2);
	len = (skb_bytes(skb, at)[1] + 1u) * 8;
	if (at + len > end)
		return 0;
	READ_SKB_DATA(skb, at, len);
	WORK(len);
	return options_ok(skb_bytes(skb, at), len) ? len : 0;
}

/* ---- the header ---- */

static bool addresses_ok(const u8 *iph, struct net_device *dev)
{
	struct in6_addr saddr = address_at(iph + 8);
	struct in6_addr daddr = address_at(iph + 24);
	u32 flags = READ(dev, flags);
	u32 types = ipv6_addr_is_multicast(&saddr) ? IPV6_ADDR_MULTICAST : 0;
	static const struct in6_addr loopback = { .s6_addr = { [15] = 1 } };

	if (types)
		return false;
	if (flags & IFF_LOOPBACK)
		return true;
	return !ipv6_addr_equal(&saddr, &loopback) &&
	       !ipv6_addr_equal(&daddr, &loopback);
}

/* 0, or which counter. */
static u32 check_header(struct net *net, struct inet6_dev *idev,
			struct sk_buff *skb, u32 at)
{
	struct net_device *dev = READ(skb, dev);
	const u8 *iph = skb_bytes(skb, at);
	u32 have = READ(skb, len), len;

	(void)READ(skb, data_len);
	if (have < IPV6_HLEN)
		return IPSTATS_MIB_INHDRERRORS;
	READ_SKB_DATA(skb, at, IPV6_HLEN);
	if (iph[0] >> 4 != 6)
		return IPSTATS_MIB_INHDRERRORS;
	if (has(IP_ECN_STATS)) {
		(void)READ(&skb->head->shinfo, gso_segs);
		IP6_INC_STATS(net, idev, IPSTATS_MIB_NOECTPKTS +
			      (iph[1] >> 4 & 3));
	}
	if (!addresses_ok(iph, dev))
		return IPSTATS_MIB_INHDRERRORS;
	WRITE(skb, transport_header, at + IPV6_HLEN);
	len = get_be16(iph + 4);
	if (!len && iph[6] == NEXTHDR_HOP)
		return 0;
	if (len + IPV6_HLEN > have)
		return IPSTATS_MIB_INTRUNCATEDPKTS;
	if (len + IPV6_HLEN < have) {	/* the link's padding */
		WRITE(skb, tail, READ(skb, data) + len + IPV6_HLEN);
		WRITE(skb, len, len + IPV6_HLEN);
	}
	return 0;
}

static bool parse_hopopts(struct net *net, struct inet6_dev *idev,
			  struct sk_buff *skb, u32 at)
{
	u32 len = options_length(skb, at + IPV6_HLEN);

	FUNCTION(ipv6_parse_hopopts);
	if (!len)
		return drop(net, idev, skb, IPSTATS_MIB_INHDRERRORS);
	UPDATE(skb, transport_header, += len);
	return true;
}

static void count_in(struct net *net, struct inet6_dev *idev, u32 len)
{
	struct ipstats_mib *mib;

	if (idev) {
		IP6_UPD_PO_STATS(net, idev, IPSTATS_MIB_INPKTS,
				 IPSTATS_MIB_INOCTETS, len);
		return;
	}
	mib = IP6_NET_MIB(net);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_INPKTS, += 1);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_INOCTETS, += len);
}

static bool ip6_rcv_core(struct net *net, struct sk_buff *skb,
			 struct net_device *dev)
{
	struct inet6_dev *idev;
	struct dst_entry *dst;
	u32 at, bad;

	if (READ(skb, pkt_type) == PACKET_OTHERHOST) {
		kfree_skb(skb);
		return false;
	}
	idev = READ(dev, ip6_ptr);
	count_in(net, idev, READ(skb, len));
	(void)READ(skb, users);
	if (!idev || READ(idev, cnf.disable_ipv6))
		return drop(net, idev, skb, IPSTATS_MIB_INDISCARDS);
	WRITE(skb, cb.flags, 0);
	dst = READ(skb, _skb_refdst);
	if (dst)	/* over loopback: the device of its own address */
		(void)READ(READ(READ((struct rt6_info *)(void *)dst,
				     rt6i_idev), dev), ifindex);
	at = READ(skb, network_header);
	bad = check_header(net, idev, skb, at);
	if (bad)
		return drop(net, idev, skb, bad);
	if (skb_bytes(skb, at)[6] == NEXTHDR_HOP &&
	    !parse_hopopts(net, idev, skb, at))
		return false;
	return true;
}

/* ---- to this host ---- */

static bool raw6_local_deliver(struct net *net)
{
	FUNCTION(raw6_local_deliver);
	rcu_read_lock();
	if (has(NET_HASH_MIX))
		(void)READ(net, hash_mix);
	rcu_read_unlock();
	return false;
}

/* Has a fragment header, but no other fragments. */
static bool is_whole(struct sk_buff *skb, u32 at)
{
	if (at + 8 > READ(skb, tail))
		return false;
	READ_SKB_DATA(skb, at, 4);
	return !(get_be16(skb_bytes(skb, at) + 2) & IP6_MF_OR_OFFSET);
}

/* Goes past the headers up to that of a protocol; its number, or -1 where one
 * is bad.  *nhoff is where the number stands, from the IPv6 header on. */
static int final_protocol(struct net *net, struct inet6_dev *idev,
			  struct sk_buff *skb, u32 network, u32 *transport,
			  u32 *nhoff)
{
	u32 at = network + IPV6_HLEN, len;
	u8 next;

	*nhoff = 6;
	READ_SKB_DATA(skb, network + 6, 1);
	next = skb_bytes(skb, network)[6];
	while (next == NEXTHDR_HOP || next == NEXTHDR_DEST ||
	       (next == NEXTHDR_FRAGMENT && is_whole(skb, at))) {
		FUNCTION(ipv6_destopt_rcv);
		len = next == NEXTHDR_FRAGMENT ? 8 : options_length(skb, at);
		if (next == NEXTHDR_FRAGMENT) {
			IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMREQDS);
			IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMOKS);
		}
		if (!len || (next == NEXTHDR_HOP && at != network + IPV6_HLEN))
			return -1;
		*nhoff = at - network;
		next = skb_bytes(skb, at)[0];
		at += len;
	}
	*transport = at;
	return next;
}

static void deliver(struct net *net, struct inet6_dev *idev,
		    struct sk_buff *skb, int protocol, u32 nhoff)
{
	switch (protocol) {
	case IPPROTO_UDP_NUMBER:
		udpv6_rcv(skb);
		break;
	case IPPROTO_UDPLITE_NUMBER:
		udplitev6_rcv(skb);
		break;
	case IPPROTO_ICMPV6_NUMBER:
		icmpv6_rcv(skb);
		break;
	case -1:
		drop(net, idev, skb, IPSTATS_MIB_INHDRERRORS);
		return;
	case NEXTHDR_NONE:
		IP6_INC_STATS(net, idev, IPSTATS_MIB_INDELIVERS);
		consume_skb(skb);
		return;
	default:
		IP6_INC_STATS(net, idev, IPSTATS_MIB_INUNKNOWNPROTOS);
		icmpv6_send(skb, ICMPV6_PARAMPROB, ICMPV6_UNK_NEXTHDR, nhoff);
		kfree_skb(skb);
		return;
	}
	IP6_INC_STATS(net, idev, IPSTATS_MIB_INDELIVERS);
}

/* Somebody wants what comes for a group from its source.  ICMPv6 is for the
 * host itself: all of it is let through here, as the kernel does with MLD. */
static bool wants_source(struct sk_buff *skb, u32 network, int protocol)
{
	struct in6_addr saddr = address_at(skb_bytes(skb, network) + 8);
	struct in6_addr daddr = address_at(skb_bytes(skb, network) + 24);

	if (!ipv6_addr_is_multicast(&daddr) || protocol == IPPROTO_ICMPV6_NUMBER)
		return true;
	return ipv6_chk_mcast_addr(READ(skb, dev), &daddr, &saddr);
}

static void ip6_input_finish(struct net *net, struct sk_buff *skb)
{
	struct inet6_dev *idev;
	struct rt6_info *rt;
	u32 network, at, data, nhoff;
	int protocol;

	FUNCTION(ip6_input_finish);
	rcu_read_lock();
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	idev = READ(rt, rt6i_idev);
	network = READ(skb, network_header);
	at = READ(skb, transport_header);
	protocol = final_protocol(net, idev, skb, network, &at, &nhoff);
	if (protocol == NEXTHDR_FRAGMENT) {
		skb = ipv6_frag_rcv(net, skb, at, nhoff);
		if (!skb) {
			rcu_read_unlock();
			return;
		}
		/* The whole has no such header any more. */
		network = READ(skb, network_header);
		protocol = final_protocol(net, idev, skb, network, &at,
					  &nhoff);
	}
	WRITE(skb, transport_header, at);
	data = READ(skb, data);
	WRITE(skb, data, at);
	UPDATE(skb, len, -= at - data);
	(void)raw6_local_deliver(net);
	(void)READ(skb, cb.flags);
	if (wants_source(skb, network, protocol))
		deliver(net, idev, skb, protocol, nhoff);
	else
		kfree_skb(skb);
	rcu_read_unlock();
}

int ip6_input(struct sk_buff *skb)
{
	struct net_device *dev = READ(skb, dev);
	struct net *net;

	FUNCTION(ip6_input);
	net = READ(dev, nd_net);
	ip6_input_finish(net, skb);
	return 0;
}

/* ---- from the device ---- */

static void ip6_route_input(struct net *net, struct sk_buff *skb,
			    struct net_device *dev)
{
	struct flowi6 fl6 = { .flowi6_iif = READ(dev, ifindex) };
	u32 at = READ(skb, network_header);
	struct dst_entry *dst;

	FUNCTION(ip6_route_input);
	READ_SKB_DATA(skb, at, IPV6_HLEN);
	fl6.saddr = address_at(skb_bytes(skb, at) + 8);
	fl6.daddr = address_at(skb_bytes(skb, at) + 24);
	dst = ip6_route_input_lookup(net, &fl6);
	skb->dst_noref = has(FIB6_RCU);
	WRITE(skb, _skb_refdst, dst);
}

/* The socket first, since it may know the route. */
static void early_demux(struct net *net, struct sk_buff *skb)
{
	const u32 at = READ(skb, network_header);

	if (READ(skb, sk))
		return;
	READ_SKB_DATA(skb, at + 6, 1);
	if (skb_bytes(skb, at)[6] != IPPROTO_UDP_NUMBER)
		return;
	(void)READ(net, ipv4.sysctl_udp_early_demux);
	udp_v6_early_demux(skb);
}

static int ip6_mc_input(struct net *net, struct sk_buff *skb,
			struct net_device *dev, const struct in6_addr *group)
{
	FUNCTION(ip6_mc_input);
	IP6_UPD_PO_STATS(net, READ(dev, ip6_ptr), IPSTATS_MIB_INMCASTPKTS,
			 IPSTATS_MIB_INMCASTOCTETS, READ(skb, len));
	if (has(IP6_MROUTE_TABLES))	/* is this a router of groups? */
		(void)READ(READ(net, ipv6.devconf_all), cnf.mc_forwarding);
	if (ipv6_chk_mcast_addr(dev, group, NULL))
		return ip6_input(skb);
	this_kernel()->net_core->strays++;
	kfree_skb(skb);
	return 0;
}

int ipv6_rcv(struct sk_buff *skb, struct net_device *dev)
{
	struct in6_addr daddr;
	struct dst_entry *dst;
	struct net *net;

	FUNCTION(ipv6_rcv);
	net = READ(dev, nd_net);
	if (!ip6_rcv_core(net, skb, dev))
		return NET_RX_DROP;
	skb_orphan(skb);
	{
		FUNCTION(ip6_rcv_finish);
		if (has(EARLY_DEMUX_NETNS))
			(void)READ(net, ipv4.sysctl_ip_early_demux);
		if (!READ(skb, _skb_refdst)) {
			if (has(UDP6_EARLY_DEMUX))
				early_demux(net, skb);
			if (!skb->_skb_refdst)
				ip6_route_input(net, skb, dev);
		}
	}
	daddr = address_at(skb_bytes(skb, READ(skb, network_header)) + 24);
	if (ipv6_addr_is_multicast(&daddr))
		return ip6_mc_input(net, skb, dev, &daddr);
	dst = READ(skb, _skb_refdst);
	if (READ(dst, input))
		return ip6_input(skb);
	drop(net, READ(dev, ip6_ptr), skb, IPSTATS_MIB_INADDRERRORS);
	return NET_RX_DROP;
}
