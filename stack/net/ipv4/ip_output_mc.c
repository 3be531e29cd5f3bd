/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/ip_output.c and, of net/core/dev.c, dev_loopback_xmit(): a
 * packet for a group that has a member here goes out and comes back as well. */
#include "stack/include/linux/fs.h"
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/net/ipv4/route.h"

/* Does the sender want to hear itself?  Under another device's transmission
 * nobody does. */
bool sk_mc_loop(struct sock *sk)
{
	if (has(DEV_RECURSION_LEVEL) && dev_recursion_level())
		return false;
	FUNCTION(sk_mc_loop);
	if (!sk)
		return true;
	if (READ(sk, sk_family) == PF_INET)
		return READ((struct inet_sock *)(void *)sk, mc_loop);
	return READ(INET6_SK(sk), inet6.mc_loop);
}

/* By way of this CPU's backlog, as if it had come in where it goes out.  It is
 * served before the sender goes on. */
int dev_loopback_xmit(struct sk_buff *skb)
{
	u32 data, network;

	FUNCTION(dev_loopback_xmit);
	data = READ(skb, data);
	network = READ(skb, network_header);
	WRITE(skb, mac_header, data);
	WRITE(skb, data, network);
	UPDATE(skb, len, -= network - data);
	WRITE(skb, pkt_type, PACKET_LOOPBACK);
	WRITE(skb, ip_summed, CHECKSUM_UNNECESSARY);
	(void)READ(skb, _skb_refdst);
	local_bh_disable();
	netif_rx(skb);
	local_bh_enable();
	return 0;
}

static int ip_mc_finish_output(struct sk_buff *skb)
{
	struct net *net = this_kernel()->init_net;
	struct rtable *rt, *new;

	if (!has(IPV4_MC_DST_CLONE))
		return dev_loopback_xmit(skb);
	FUNCTION(ip_mc_finish_output);
	rt = (struct rtable *)(void *)READ(skb, _skb_refdst);
	new = rt_dst_clone(READ(net, loopback_dev), rt);
	if (new) {
		WRITE(new, rt_iif, 0);
		skb_dst_drop(skb);
		WRITE(skb, _skb_refdst, &new->dst);
	}
	return dev_loopback_xmit(skb);
}

int ip_mc_output(struct sk_buff *skb)
{
	struct rtable *rt = (struct rtable *)(void *)READ(skb, _skb_refdst);
	struct net_device *dev = READ(&rt->dst, dev);
	struct ipstats_mib *mib;
	struct sk_buff *copy;
	struct net *net;
	u32 at;

	FUNCTION(ip_mc_output);
	net = READ(dev, nd_net);
	mib = READ(net, mib.ip_statistics)[this_cpu->id];
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTPKTS, += 1);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTOCTETS, += READ(skb, len));
	WRITE(skb, dev, dev);
	WRITE(skb, protocol, ETH_P_IP);
	if (READ(rt, rt_flags) & RTCF_LOCAL && sk_mc_loop(READ(skb, sk))) {
		copy = skb_clone(skb);
		if (copy)
			ip_mc_finish_output(copy);
	}
	at = READ(skb, network_header);
	READ_SKB_DATA(skb, at + 8, 1);
	if (!skb_bytes(skb, at)[8]) {	/* for this host only */
		kfree_skb(skb);
		return 0;
	}
	(void)READ(skb, cb.flags);
	return ip_finish_output(skb);
}
