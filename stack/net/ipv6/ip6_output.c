/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/ip6_output.c and output_core.c: a packet's way from the
 * protocol to the neighbour.  ip6_dst_lookup.c and ip6_append.c have the rest
 * of that file. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/mld.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv6/udp.h"

#define IPV6_ADDR_MC_SCOPE(addr) ((addr)->s6_addr[1] & 0x0f)
#define IPV6_ADDR_SCOPE_NODELOCAL 0x01

static void __ip6_local_out(struct sk_buff *skb)
{
	u32 len, at;

	FUNCTION(__ip6_local_out);
	len = READ(skb, len) - IPV6_HLEN;
	if (len > IPV6_MAXPLEN)
		len = 0;
	at = READ(skb, network_header);
	(void)READ(skb, head);
	put_be16(skb_bytes(skb, at) + 4, (u16)len);
	WRITE_SKB_DATA(skb, at + 4, 2);
	if (has(L3MDEV_OUT)) {
		struct dst_entry *dst = READ(skb, _skb_refdst);

		/* A VRF would want to see it. */
		(void)READ(READ(dst, dev), priv_flags);
		WRITE(skb, cb.flags, 0);
		WRITE(skb, protocol, ETH_P_IPV6);
	}
	if (!has(JUMP_LABEL))
		(void)READ(this_kernel()->net_core->nf_hooks, local_out6);
}

int ip6_local_out(struct sk_buff *skb)
{
	struct dst_entry *dst;

	FUNCTION(ip6_local_out);
	__ip6_local_out(skb);
	dst = READ(skb, _skb_refdst);
	return READ(dst, output)(skb);
}

int ip6_send_skb(struct sk_buff *skb)
{
	struct net *net = READ(READ(skb, sk), sk_net);
	struct rt6_info *rt;
	int err;

	FUNCTION(ip6_send_skb);
	/* The route's reference is the packet's, which will be gone. */
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	if (has(IP6_OUTPUT_RCU))
		rcu_read_lock();
	err = ip6_local_out(skb);
	if (err > 0)
		err = net_xmit_errno(err);
	if (err)
		IP6_INC_STATS(net, READ(rt, rt6i_idev),
			      IPSTATS_MIB_OUTDISCARDS);
	if (has(IP6_OUTPUT_RCU))
		rcu_read_unlock();
	return err;
}

/* Where the packet goes next: where routes have no neighbour of their own, the
 * destination is read from the header. */
static struct neighbour *ip6_neighbour(struct rt6_info *rt,
				       const struct in6_addr *daddr)
{
	struct net_device *dev = READ(&rt->dst, dev);
	struct in6_addr nexthop = *daddr;
	struct neighbour *neigh;
	u32 flags;

	if (!has(RT6_NEIGH_LOOKUP))
		return READ(rt, n);
	flags = READ(rt, rt6i_flags);
	if (flags & RTF_GATEWAY)
		nexthop = READ_ADDR6(rt, rt6i_gateway);
	else if (flags & RTF_CACHE)
		nexthop = READ_ADDR6(rt, rt6i_dst.addr);
	neigh = __ipv6_neigh_lookup_noref(dev, &nexthop);
	return neigh ? neigh : __neigh_create(nd_tbl(), &nexthop, dev);
}

/* A multicast router hears all of it: there is none, but where each of several
 * tables may have one, rules are asked which table it is. */
static bool has_member(struct sk_buff *skb, struct net_device *dev,
		       const struct in6_addr *daddr)
{
	u32 at = READ(skb, network_header) + 8;
	struct in6_addr saddr;

	if (has(IP6_MROUTE_TABLES)) {
		FUNCTION(mroute6_is_socket);
		(void)READ(dev, priv_flags);
	}
	memcpy(saddr.s6_addr, skb_bytes(skb, at), sizeof(saddr));
	READ_SKB_DATA(skb, at, sizeof(saddr));
	return ipv6_chk_mcast_addr(dev, daddr, &saddr);
}

/* To the members here.  False: nobody else is to get it. */
static bool loop_back(struct rt6_info *rt, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb);
	u32 at = READ(skb, network_header);

	if (copy)
		dev_loopback_xmit(copy);
	READ_SKB_DATA(skb, at + 7, 1);
	if (skb_bytes(skb, at)[7])
		return true;
	IP6_INC_STATS(this_kernel()->init_net, READ(rt, rt6i_idev),
		      IPSTATS_MIB_OUTDISCARDS);
	return false;
}

/* Multicasts are counted.  One that must not leave the host ends here. */
static bool ip6_multicast_out(struct rt6_info *rt, struct sk_buff *skb,
			      const struct in6_addr *daddr)
{
	struct net_device *dev = READ(&rt->dst, dev);
	struct inet6_dev *idev = READ(rt, rt6i_idev);
	u32 len = READ(skb, len);

	if (!(READ(dev, flags) & IFF_LOOPBACK) && sk_mc_loop(READ(skb, sk)) &&
	    has_member(skb, dev, daddr) && !loop_back(rt, skb))
		return false;
	IP6_UPD_PO_STATS(READ(dev, nd_net), idev, IPSTATS_MIB_OUTMCASTPKTS,
			 IPSTATS_MIB_OUTMCASTOCTETS, len);
	return IPV6_ADDR_MC_SCOPE(daddr) > IPV6_ADDR_SCOPE_NODELOCAL ||
	       READ(dev, flags) & IFF_LOOPBACK;
}

static int ip6_no_neighbour(struct rt6_info *rt, struct sk_buff *skb)
{
	struct net_device *dev = READ(&rt->dst, dev);

	IP6_INC_STATS(READ(dev, nd_net), READ(rt, rt6i_idev),
		      IPSTATS_MIB_OUTNOROUTES);
	kfree_skb(skb);
	return -EINVAL;
}

/* Where the route has the header, the neighbour is not looked at. */
static int ip6_output_finish(struct rt6_info *rt, struct sk_buff *skb)
{
	struct hh_entry *hh = READ_ONCE(&rt->dst, hh);

	if (!hh && !READ(rt, n))
		return ip6_no_neighbour(rt, skb);
	return dst_hh_output(rt->n, hh, skb);
}

int ip6_finish_output2(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;
	struct net_device *dev = READ(dst, dev);
	struct neighbour *neigh;
	struct in6_addr daddr;
	u32 at;

	FUNCTION(ip6_finish_output2);
	if (!has(L3MDEV_OUT)) {
		WRITE(skb, protocol, ETH_P_IPV6);
		WRITE(skb, dev, dev);
	} else if (READ(skb, data) < ll_reserved_space(dev)) {
		g_assert(skb->data >= HH_DATA_MOD);	/* room was reserved */
	}
	at = READ(skb, network_header) + 24;
	(void)READ(skb, head);
	READ_SKB_DATA(skb, at, sizeof(daddr));
	memcpy(daddr.s6_addr, skb_bytes(skb, at), sizeof(daddr));
	if (ipv6_addr_is_multicast(&daddr) &&
	    !ip6_multicast_out(rt, skb, &daddr)) {
		kfree_skb(skb);
		return 0;
	}
	if (has(DST_LWTSTATE))
		(void)READ(dst, lwtstate);
	if (!has(NEIGH_HH_EMBEDDED))
		return ip6_output_finish(rt, skb);
	neigh = ip6_neighbour(rt, &daddr);
	if (neigh)
		return dst_neigh_output(dst, neigh, skb);
	return ip6_no_neighbour(rt, skb);
}

/* The socket may want the device's MTU and not the route's; under another
 * device's transmission its fields are left alone. */
static u32 ip6_skb_dst_mtu(const struct sk_buff *skb, struct dst_entry *dst)
{
	struct sock *sk = READ(skb, sk);

	if (sk && !(has(DEV_RECURSION_LEVEL) && dev_recursion_level()) &&
	    READ(INET6_SK(sk), inet6.pmtudisc) >= IP_PMTUDISC_PROBE)
		return READ(READ(dst, dev), mtu);
	return dst_mtu(dst);
}

/* As over IPv4: what does not fit any more after the route has got a smaller MTU
 * is dropped, not cut. */
static int ip6_finish_output_gso(struct sk_buff *skb, u32 gso_size, u32 mtu)
{
	u32 headers = READ(skb, transport_header) + UDP_HLEN;
	struct rt6_info *rt = (struct rt6_info *)(void *)
		READ(skb, _skb_refdst);

	headers -= READ(skb, network_header);
	if (headers + gso_size <= mtu)
		return ip6_finish_output2(skb);
	IP6_INC_STATS(this_kernel()->init_net, READ(rt, rt6i_idev),
		      IPSTATS_MIB_FRAGFAILS);
	kfree_skb(skb);
	return -EMSGSIZE;
}

static int ip6_finish_output(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	u32 mtu, gso_size;

	FUNCTION(ip6_finish_output);
	if (has(L3MDEV_OUT))
		(void)READ(dst, xfrm);
	mtu = ip6_skb_dst_mtu(skb, dst);
	gso_size = READ(&skb->head->shinfo, gso_size);
	(void)dst_metric_raw(dst, RTAX_FEATURES);	/* a fragment header? */
	if (has(L3MDEV_OUT))
		(void)READ(skb, cb.flags);
	if (gso_size)
		return ip6_finish_output_gso(skb, gso_size, mtu);
	/* The socket may have wanted shorter ones than the route takes. */
	if (READ(skb, len) > mtu || skb->head->shinfo.frag_list)
		return ip6_fragment(skb, mtu);
	return ip6_finish_output2(skb);
}

/* IPv6 has been switched off on the device. */
static int ip6_disabled(struct sk_buff *skb, struct net_device *dev,
			struct inet6_dev *idev)
{
	IP6_INC_STATS(READ(dev, nd_net), idev, IPSTATS_MIB_OUTDISCARDS);
	kfree_skb(skb);
	return 0;
}

int ip6_output(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	struct net_device *dev;
	struct inet6_dev *idev;
	int err;

	FUNCTION(ip6_output);
	if (has(IP6_OUTPUT_RCU))
		rcu_read_lock();
	dev = READ(dst, dev);
	idev = READ((struct rt6_info *)(void *)dst, rt6i_idev);
	if (has(L3MDEV_OUT)) {
		WRITE(skb, protocol, ETH_P_IPV6);
		WRITE(skb, dev, dev);
	}
	if (unlikely(READ(idev, cnf.disable_ipv6))) {
		err = ip6_disabled(skb, dev, idev);
	} else {
		if (has(NETIF_SKB_FEATURES))	/* sent anew? */
			(void)READ(skb, cb.flags);
		if (!has(JUMP_LABEL))
			(void)READ(this_kernel()->net_core->nf_hooks,
				   post_routing6);
		err = ip6_finish_output(skb);
	}
	if (has(IP6_OUTPUT_RCU))
		rcu_read_unlock();
	return err;
}
