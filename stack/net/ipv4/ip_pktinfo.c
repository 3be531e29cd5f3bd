/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/ip_sockglue.c, packet info: on which device a datagram came
 * in, to which address, and which address of this host one would answer from.
 * And what that last one takes, of net/ipv4/fib_frontend.c.
 *
 * The first kernels with routes that are not cached looked all of it up for each
 * datagram, though hardly a reader asks.
 */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/netns.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/ip_pktinfo.h"
#include "stack/net/ipv4/route.h"

/* A datagram to one host is answered from the address that it went to.  One to
 * many is answered from the address that is used towards its sender, and that
 * is another look-up. */
static u32 fib_compute_spec_dst(struct sk_buff *skb, const struct rtable *rt)
{
	u32 at, flags = READ(rt, rt_flags);
	struct net_device *dev;
	struct fib_result res = { 0 };
	struct fib_key key = { .scope = RT_SCOPE_UNIVERSE };
	struct net *net;

	FUNCTION(fib_compute_spec_dst);
	at = READ(skb, network_header);
	READ_SKB_DATA(skb, at + 12, 8);
	if ((flags & (RTCF_LOCAL | RTCF_BROADCAST | RTCF_MULTICAST)) ==
	    RTCF_LOCAL)
		return get_be32(skb_bytes(skb, at) + 16);
	dev = READ(skb, dev);
	(void)READ(dev, ip_ptr);
	net = READ(dev, nd_net);
	key.daddr = get_be32(skb_bytes(skb, at) + 12);
	key.tos = skb_bytes(skb, at)[1] & 0x1c;
	if (key.daddr && !fib_lookup(net, &key, &res))
		return fib_res_prefsrc(net, &res);
	return inet_select_addr(dev);
}

void ipv4_pktinfo_prepare(struct sock *sk, struct sk_buff *skb)
{
	const struct rtable *rt;
	u32 iif, spec_dst;
	bool wanted = true;

	FUNCTION(ipv4_pktinfo_prepare);
	if (has(PKTINFO_ON_DEMAND))
		wanted = READ((struct inet_sock *)(void *)sk, cmsg_flags) &
			 IP_CMSG_PKTINFO;
	rt = (const struct rtable *)(void *)READ(skb, _skb_refdst);
	if (wanted && rt && has(IPV4_NEXTHOP_ROUTES)) {
		iif = READ(skb, skb_iif);
		WRITE(skb, cb.ipi_ifindex, iif);
		spec_dst = fib_compute_spec_dst(skb, rt);
		WRITE(skb, cb.ipi_spec_dst, spec_dst);
	} else if (has(PKTINFO_ON_DEMAND)) {
		WRITE(skb, cb.ipi_ifindex, 0);
		WRITE(skb, cb.ipi_spec_dst, 0);
	}
	skb_dst_drop(skb);
}

void ip_cmsg_recv(struct msghdr *msg, struct sk_buff *skb)
{
	u32 at = READ(skb, network_header);

	FUNCTION(ip_cmsg_recv);
	READ_SKB_DATA(skb, at + 16, 4);
	if (!msg->pktinfo)
		return;
	msg->pktinfo->ifindex = READ(skb, cb.ipi_ifindex);
	msg->pktinfo->spec_dst = READ(skb, cb.ipi_spec_dst);
	msg->pktinfo->addr = get_be32(skb_bytes(skb, at) + 16);
	msg->pktinfo->valid = true;
}

int ip_set_pktinfo(struct sock *sk, bool on)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	u16 flags;

	lock_sock_nested(sk);
	flags = READ(inet, cmsg_flags);
	WRITE(inet, cmsg_flags, on ? flags | IP_CMSG_PKTINFO :
				     flags & ~IP_CMSG_PKTINFO);
	release_sock(sk);
	return 0;
}
