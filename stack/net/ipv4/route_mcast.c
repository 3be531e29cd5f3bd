/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c: routes to and from groups.  None is kept ready: each
 * packet gets one of its own, which goes when the packet does.  (A route for
 * groups in the tables would be kept; so far only its device and its source
 * address are taken from it.)
 */
#include <errno.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/route.h"

/* Beyond what a route to one host takes: an estimate. */
#define MC_ROUTE_WORK 60

/* Not by a router's table of groups: there is none. */
static void mc_forwarding(struct net *net, const struct in_device *in_dev)
{
	(void)READ_AT(READ(net, ipv4.devconf_all), data,
		      IPV4_DEVCONF_MC_FORWARDING);
	(void)in_dev;
}

static struct rtable *mkroute(struct net *net, const struct flowi4 *fl4,
			      struct net_device *dev, int *err)
{
	struct in_device *in_dev = READ(dev, ip_ptr);
	u32 flags = RTCF_MULTICAST;
	struct rtable *rt;

	*err = -EINVAL;
	if (!in_dev)
		return NULL;
	(void)READ_AT(READ(net, ipv4.devconf_all), data,
		      IPV4_DEVCONF_ROUTE_LOCALNET);
	(void)READ_AT(in_dev, cnf.data, IPV4_DEVCONF_ROUTE_LOCALNET);
	if (ip_check_mc_rcu(in_dev, fl4->daddr, fl4->saddr, fl4->flowi4_proto))
		flags |= RTCF_LOCAL;
	*err = -ENOBUFS;
	rt = rt_dst_alloc_once(dev);
	if (!rt)
		return NULL;
	WRITE(&rt->dst, output, ip_output);
	if (flags & RTCF_LOCAL) {
		WRITE(&rt->dst, input, ip_local_deliver);
		if (!(READ(dev, flags) & IFF_LOOPBACK))
			WRITE(&rt->dst, output, ip_mc_output);
		mc_forwarding(net, in_dev);
	}
	WRITE(rt, rt_genid, READ(net, rt_genid));
	WRITE(rt, rt_flags, flags);
	WRITE(rt, rt_type, RTN_MULTICAST);
	WRITE(rt, rt_gateway, 0);
	if (has(FIB_NEXTHOP_COMMON))
		WRITE(rt, rt_gw_family, 0);
	*err = 0;
	return rt;
}

/* Where nothing else says it, the device that has the source address, or that
 * of a route. */
static struct net_device *find_device(struct net *net, struct flowi4 *fl4,
				      int *err)
{
	struct fib_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.tos = fl4->flowi4_tos & 0x1c, .scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };
	struct net_device *dev;

	*err = -EINVAL;
	if (fl4->saddr) {
		dev = __ip_dev_find(net, fl4->saddr);
		if (dev)
			return dev;
	}
	*err = fib_lookup(net, &key, &res);
	if (*err)
		return NULL;
	dev = READ(FIB_RES_NH(res), nh_dev);
	if (!fl4->saddr)
		fl4->saddr = fib_res_prefsrc(net, &res);
	return dev;
}

/* The device is said, so that a look-up that finds nothing is no error. */
static struct net_device *said_device(struct net *net, struct flowi4 *fl4,
				      int *err)
{
	struct fib_key key = { .daddr = fl4->daddr, .oif = fl4->flowi4_oif,
			       .scope = RT_SCOPE_UNIVERSE };
	struct net_device *dev = dev_get_by_index_rcu(net, fl4->flowi4_oif);
	bool on_link = fl4->daddr >> 8 == 0xe00000;
	struct fib_result res = { 0 };

	*err = -ENODEV;
	if (!dev)
		return NULL;
	(void)READ(dev, flags);
	if (!fl4->saddr)
		fl4->saddr = inet_select_addr(dev);
	key.saddr = fl4->saddr;
	if (!on_link)	/* 224.0.0.0/24 is not routed at all */
		(void)fib_lookup(net, &key, &res);
	return dev;
}

static struct net_device *device_of(struct net *net, struct flowi4 *fl4,
				    int *err)
{
	struct net_device *dev = fl4->flowi4_oif ? said_device(net, fl4, err) :
						   find_device(net, fl4, err);

	if (dev)
		fl4->flowi4_oif = READ(dev, ifindex);
	return dev;
}

static struct rtable *output_rcu(struct net *net, struct flowi4 *fl4, int *err)
{
	struct net_device *dev;

	FUNCTION(ip_route_output_key_hash_rcu);
	WORK(MC_ROUTE_WORK);
	dev = device_of(net, fl4, err);
	return dev ? mkroute(net, fl4, dev, err) : NULL;
}

static struct rtable *output(struct net *net, struct flowi4 *fl4, int *err)
{
	struct net_device *dev;

	FUNCTION(__ip_route_output_key);
	dev = device_of(net, fl4, err);
	if (!dev)
		return NULL;
	FUNCTION(__mkroute_output);
	return mkroute(net, fl4, dev, err);
}

struct rtable *ip_route_output_mc(struct net *net, struct flowi4 *fl4, int *err)
{
	return has(ROUTE_OUTPUT_RCU) ? output_rcu(net, fl4, err) :
				       output(net, fl4, err);
}

/* ip_route_input_mc(): may it come in at all, and from there? */
int ip_route_input_mc(struct sk_buff *skb, u32 daddr, u32 saddr,
		      struct net_device *dev)
{
	struct net *net = this_kernel()->init_net;
	struct in_device *in_dev = READ(dev, ip_ptr);
	u32 at = READ(skb, network_header);
	struct rtable *rt;
	int err;

	if (!in_dev)
		return -EINVAL;
	READ_SKB_DATA(skb, at + 9, 1);
	if (!ip_check_mc_rcu(in_dev, daddr, saddr, skb_bytes(skb, at)[9]))
		return -EINVAL;
	FUNCTION(ip_route_input_mc);
	if (saddr >> 28 == 0xe || saddr == INADDR_BROADCAST ||
	    saddr >> 24 == 127)
		return -EINVAL;
	err = fib_validate_source(net, saddr, 0, skb_bytes(skb, at)[1] & 0x1c,
				  dev, in_dev);
	if (err < 0)
		return err;
	rt = rt_dst_alloc_once(READ(net, loopback_dev));
	if (!rt)
		return -ENOBUFS;
	WRITE(&rt->dst, input, ip_local_deliver);
	WRITE(rt, rt_genid, READ(net, rt_genid));
	WRITE(rt, rt_flags, RTCF_MULTICAST | RTCF_LOCAL);
	WRITE(rt, rt_type, RTN_MULTICAST);
	if (has(IPV4_NEXTHOP_ROUTES))
		WRITE(rt, rt_is_input, 1);
	WRITE(rt, rt_iif, 0);
	WRITE(rt, rt_gateway, 0);
	skb->dst_noref = false;
	WRITE(skb, _skb_refdst, &rt->dst);
	return 0;
}

/* A route for the copy that comes back, which differs in where it came in. */
struct rtable *rt_dst_clone(struct net_device *dev, const struct rtable *rt)
{
	struct rtable *new = rt_dst_alloc_once(dev);

	FUNCTION(rt_dst_clone);
	if (!new)
		return NULL;
	WRITE(new, rt_genid, READ(this_kernel()->init_net, rt_genid));
	WRITE(new, rt_flags, READ(rt, rt_flags));
	WRITE(new, rt_type, READ(rt, rt_type));
	WRITE(new, rt_is_input, READ(rt, rt_is_input));
	WRITE(new, rt_iif, READ(rt, rt_iif));
	WRITE(new, rt_pmtu, READ(rt, rt_pmtu));
	WRITE(new, rt_gw_family, READ(rt, rt_gw_family));
	WRITE(&new->dst, input, READ(&rt->dst, input));
	WRITE(&new->dst, output, READ(&rt->dst, output));
	return new;
}
