/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/ip_input.c: a packet that a device has taken in is looked at,
 * gets a route, and goes to its protocol.
 *
 * Options are not looked at.
 */
#include <errno.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/include/net/ip_fib.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"

#define IP_MF_OR_OFFSET 0x3fffu
#define INET_ECN_MASK 3u

/* ---- the header ---- */

static bool drop(struct net *net, struct sk_buff *skb, u32 index)
{
	IP_INC_STATS(net, index);
	kfree_skb(skb);
	return false;
}

/* The header's own: version, lengths, checksum.  0, or which counter. */
static u32 check_header(struct net *net, struct sk_buff *skb, u32 at, u32 *len)
{
	const u8 *iph = skb_bytes(skb, at);
	u32 have = READ(skb, len), hlen;

	(void)READ(skb, data_len);	/* is it all in one piece? */
	if (have < IP_HLEN)
		return IPSTATS_MIB_INHDRERRORS;
	READ_SKB_DATA(skb, at, IP_HLEN);
	hlen = (iph[0] & 15u) * 4;
	if (iph[0] >> 4 != 4 || hlen < IP_HLEN)
		return IPSTATS_MIB_INHDRERRORS;
	if (has(IP_ECN_STATS)) {
		(void)READ(&skb->head->shinfo, gso_segs);
		IP_INC_STATS(net, IPSTATS_MIB_NOECTPKTS +
			     (iph[1] & INET_ECN_MASK));
	}
	if (have < hlen)
		return IPSTATS_MIB_INHDRERRORS;
	if (csum_fold(csum_partial(iph, hlen, 0))) {
		if (has(IP_ECN_STATS))
			IP_INC_STATS(net, IPSTATS_MIB_CSUMERRORS);
		return IPSTATS_MIB_INHDRERRORS;
	}
	*len = get_be16(iph + 2);
	if (have < *len)
		return IPSTATS_MIB_INTRUNCATEDPKTS;
	return *len < hlen ? IPSTATS_MIB_INHDRERRORS : 0;
}

/* False: the packet is gone. */
static bool ip_rcv_core(struct net *net, struct sk_buff *skb)
{
	struct ipstats_mib *mib;
	u32 at, len = 0, bad;

	if (READ(skb, pkt_type) == PACKET_OTHERHOST) {
		kfree_skb(skb);
		return false;
	}
	mib = READ(net, mib.ip_statistics)[this_cpu->id];
	UPDATE_AT(mib, mibs, IPSTATS_MIB_INPKTS, += 1);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_INOCTETS, += READ(skb, len));
	(void)READ(skb, users);		/* a tap may share it */
	at = READ(skb, network_header);
	bad = check_header(net, skb, at, &len);
	if (bad)
		return drop(net, skb, bad);
	if (READ(skb, len) > len) {	/* the link's padding */
		WRITE(skb, tail, READ(skb, data) + len);
		WRITE(skb, len, len);
	}
	len = (skb_bytes(skb, at)[0] & 15u) * 4;
	if (has(IPCB_IIF)) {
		WRITE(skb, transport_header, at + len);
		(void)READ(skb, skb_iif);
	}
	WRITE(skb, cb.flags, 0);
	skb_orphan(skb);
	return true;
}

/* ---- to this host ---- */

/* Sockets that want whole packets: none. */
static bool raw_local_deliver(struct net *net)
{
	FUNCTION(raw_local_deliver);
	rcu_read_lock();
	if (has(NET_HASH_MIX))
		(void)READ(net, hash_mix);
	rcu_read_unlock();
	return false;
}

static void deliver(struct net *net, struct sk_buff *skb, u8 protocol)
{
	FUNCTION(ip_local_deliver_finish);
	rcu_read_lock();
	(void)raw_local_deliver(net);
	switch (protocol) {
	case IPPROTO_UDP_NUMBER:
		udp_rcv(skb);
		break;
	case IPPROTO_UDPLITE_NUMBER:
		udplite_rcv(skb);
		break;
	case IPPROTO_ICMP_NUMBER:
		icmp_rcv(skb);
		break;
	case IPPROTO_IGMP_NUMBER:
		igmp_rcv(skb);
		break;
	default:
		IP_INC_STATS(net, IPSTATS_MIB_INUNKNOWNPROTOS);
		icmp_send(skb, ICMP_DEST_UNREACH, ICMP_PROT_UNREACH, 0);
		kfree_skb(skb);
		rcu_read_unlock();
		return;
	}
	IP_INC_STATS(net, IPSTATS_MIB_INDELIVERS);
	rcu_read_unlock();
}

int ip_local_deliver(struct sk_buff *skb)
{
	struct net *net = this_kernel()->init_net;
	u32 at = READ(skb, network_header), len;
	const u8 *iph = skb_bytes(skb, at);

	FUNCTION(ip_local_deliver);
	READ_SKB_DATA(skb, at, IP_HLEN);
	if (get_be16(iph + 6) & IP_MF_OR_OFFSET) {
		skb = ip_defrag(net, skb);
		if (!skb)
			return 0;
		at = READ(skb, network_header);
		iph = skb_bytes(skb, at);
	}
	len = (iph[0] & 15u) * 4;
	UPDATE(skb, data, += len);
	UPDATE(skb, len, -= len);
	if (!has(IPCB_IIF))
		WRITE(skb, transport_header, at + len);
	deliver(net, skb, iph[9]);
	return 0;
}

/* ---- from the device ---- */

/* The socket first, since it may know the route.  The first kernels that did so
 * looked at fragments as well, which have no header of UDP but the first. */
static void early_demux(struct net *net, struct sk_buff *skb, u32 at)
{
	const u8 *iph = skb_bytes(skb, at);

	if (READ(skb, sk))
		return;
	READ_SKB_DATA(skb, at + 6, 4);
	if (get_be16(iph + 6) & IP_MF_OR_OFFSET ||
	    iph[9] != IPPROTO_UDP_NUMBER)
		return;
	if (has(UDP_EARLY_DEMUX_SYSCTL))
		(void)READ(net, ipv4.sysctl_udp_early_demux);
	if (!has(IPCB_IIF))	/* else ip_rcv() has set it */
		WRITE(skb, transport_header, at + (iph[0] & 15u) * 4);
	udp_v4_early_demux(skb);
}

/* Over loopback a packet keeps the route that it was sent by.  What is for
 * another host is counted, which the kernel does in the route that it has for
 * such packets. */
static bool find_route(struct net *net, struct sk_buff *skb,
		       struct net_device *dev)
{
	struct in_device *in_dev;
	u32 at = READ(skb, network_header);
	const u8 *iph = skb_bytes(skb, at);
	int err;

	if (has(EARLY_DEMUX_NETNS))
		(void)READ(net, ipv4.sysctl_ip_early_demux);
	if (!READ(skb, _skb_refdst)) {
		if (has(UDP_EARLY_DEMUX))
			early_demux(net, skb, at);
		if (skb->_skb_refdst)
			return true;
		READ_SKB_DATA(skb, at + 12, 8);
		err = ip_route_input_noref(skb, get_be32(iph + 16),
					   get_be32(iph + 12), iph[1], dev);
		if (err == -EHOSTUNREACH || err == -ENETUNREACH)
			IP_INC_STATS(net, IPSTATS_MIB_INADDRERRORS);
		else if (err == -EXDEV)
			this_kernel()->net_core->rp_filtered++;
		else if (err)
			this_kernel()->net_core->strays++;
		return !err;
	}
	in_dev = has(IPCB_NOPOLICY) ? READ(dev, ip_ptr) : NULL;
	if (in_dev) {
		(void)READ_AT(READ(READ(READ(in_dev, dev), nd_net),
				   ipv4.devconf_all), data,
			      IPV4_DEVCONF_NOPOLICY);
		(void)READ_AT(in_dev, cnf.data, IPV4_DEVCONF_NOPOLICY);
	}
	return true;
}

static void count_of_many(struct net *net, struct sk_buff *skb, u16 type)
{
	struct ipstats_mib *mib;
	bool multicast = type == RTN_MULTICAST;

	if (!multicast && type != RTN_BROADCAST)
		return;
	mib = READ(net, mib.ip_statistics)[this_cpu->id];
	UPDATE_AT(mib, mibs, multicast ? IPSTATS_MIB_INMCASTPKTS :
		  IPSTATS_MIB_INBCASTPKTS, += 1);
	UPDATE_AT(mib, mibs, multicast ? IPSTATS_MIB_INMCASTOCTETS :
		  IPSTATS_MIB_INBCASTOCTETS, += READ(skb, len));
}

static int ip_rcv_finish(struct net *net, struct sk_buff *skb,
			 struct net_device *dev)
{
	struct rtable *rt;
	int (*input)(struct sk_buff *skb);

	FUNCTION(ip_rcv_finish);
	if (!find_route(net, skb, dev)) {
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	rt = (struct rtable *)(void *)READ(skb, _skb_refdst);
	(void)READ_SKB_DATA(skb, READ(skb, network_header), 1);
	count_of_many(net, skb, READ(rt, rt_type));
	input = READ(&rt->dst, input);
	return input(skb);
}

int ip_rcv(struct sk_buff *skb, struct net_device *dev)
{
	struct net *net;

	FUNCTION(ip_rcv);
	if (!HAS_IPV4_ROUTES()) {
		kfree_skb(skb);
		return not_modelled(NO_IPV4_MODEL);
	}
	net = READ(dev, nd_net);
	if (!ip_rcv_core(net, skb))
		return NET_RX_DROP;
	return ip_rcv_finish(net, skb, dev);
}
