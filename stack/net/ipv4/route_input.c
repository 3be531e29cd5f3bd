/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c: routes for packets that come in.
 *
 * What is for this host takes the route that its nexthop keeps ready for all
 * CPUs (nh_rth_input), without a reference.  This host does not forward, so
 * all else is refused.  Sources are checked where a filter wants it: see
 * fib_validate.c.  Before IPV4_NEXTHOP_ROUTES a route is looked for in the cache
 * first, and put there.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/route_cache.h"
#include "stack/net/ipv4/udp.h"

/* Nobody is to send on an input route. */
int ip_rt_bug(struct sk_buff *skb)
{
	kfree_skb(skb);
	return 0;
}

static void dst_set(struct sk_buff *skb, struct rtable *rt, bool noref)
{
	skb->dst_noref = noref;
	WRITE(skb, _skb_refdst, &rt->dst);
}

static bool is_multicast(u32 addr)
{
	return addr >> 28 == 0xe;
}

/* Addresses that no packet on a wire has. */
static bool is_martian(const struct in_device *in_dev, u32 daddr, u32 saddr)
{
	if (is_multicast(saddr) || saddr == INADDR_BROADCAST)
		return true;
	if (daddr == INADDR_BROADCAST || (!saddr && !daddr))
		return false;
	if (saddr >> 24 == 0 || daddr >> 24 == 0)
		return true;
	if (saddr >> 24 != 127 && daddr >> 24 != 127)
		return false;
	return !READ_AT(in_dev, cnf.data, IPV4_DEVCONF_ROUTE_LOCALNET);
}

static struct rtable *new_input(struct net *net, u16 type, u32 flags)
{
	struct net_device *lo = READ(net, loopback_dev);
	struct rtable *rt = type == RTN_LOCAL ? rt_dst_alloc(lo, false) :
						rt_dst_alloc_once(lo);

	if (!rt)
		return NULL;
	WRITE(&rt->dst, input, ip_local_deliver);
	WRITE(&rt->dst, output, ip_rt_bug);
	WRITE(rt, rt_genid, READ(net, rt_genid));
	WRITE(rt, rt_flags, flags);
	WRITE(rt, rt_type, type);
	WRITE(rt, rt_is_input, 1);
	WRITE(rt, rt_iif, 0);
	WRITE(rt, rt_gateway, 0);
	if (has(FIB_NEXTHOP_COMMON))
		WRITE(rt, rt_gw_family, 0);
	return rt;
}

/* The nexthop's own reference is the one it was made with. */
static int local_input(struct net *net, struct sk_buff *skb,
		       const struct fib_result *res)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	/* Another CPU may have just made it. */
	struct rtable *rt = READ_ONCE(nh, nh_rth_input), *old = rt;

	if (!rt_cache_valid(rt)) {
		rt = new_input(net, res->type, RTCF_LOCAL);
		if (!rt)
			return -ENOBUFS;
		kmemleak_not_leak(rt);
		ATOMIC_XCHG(nh, nh_rth_input, rt);
		if (old)
			dst_release(&old->dst);
	}
	dst_set(skb, rt, true);
	return 0;
}

/* As rt_cache_add_input(). */
static int cached_input(struct net *net, struct sk_buff *skb,
			const struct fib_key *key, struct net_device *dev,
			u16 type)
{
	u32 flags = type == RTN_BROADCAST ? RTCF_BROADCAST : 0;
	struct rtable *rt;
	int err;

	rt = rt_cache_add_input(net, key->daddr, key->saddr, key->tos, dev,
				type, flags, &err);
	if (rt)
		dst_set(skb, rt, false);
	return err;
}

/* To all on the link: a route for this packet alone.  A host that has no
 * address yet may ask for one. */
static int broadcast_input(struct net *net, struct sk_buff *skb,
			   const struct fib_key *key, struct net_device *dev,
			   const struct in_device *in_dev)
{
	struct rtable *rt;
	int err;

	if (key->saddr >> 24) {
		err = fib_validate_source(net, key->saddr, 0, key->tos, dev,
					  in_dev);
		if (err < 0)
			return err;
	}
	if (!has(IPV4_NEXTHOP_ROUTES))
		return cached_input(net, skb, key, dev, RTN_BROADCAST);
	rt = new_input(net, RTN_BROADCAST, RTCF_BROADCAST | RTCF_LOCAL);
	if (!rt)
		return -ENOBUFS;
	dst_set(skb, rt, false);
	return 0;
}

static int ip_route_input_slow(struct sk_buff *skb, u32 daddr, u32 saddr,
			       u8 tos, struct net_device *dev)
{
	struct in_device *in_dev = READ(dev, ip_ptr);
	struct fib_key key = {
		.daddr = daddr, .saddr = saddr, .tos = tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };
	struct net *net;
	int err;

	FUNCTION(ip_route_input_slow);
	STACK_PROTECTOR();
	if (!in_dev)
		return -EINVAL;
	net = READ(dev, nd_net);
	if (is_martian(in_dev, daddr, saddr))
		return -EINVAL;
	if (daddr == INADDR_BROADCAST || (!saddr && !daddr))
		return broadcast_input(net, skb, &key, dev, in_dev);
	err = fib_lookup(net, &key, &res);
	if (err)
		return err;
	if (res.type != RTN_LOCAL && res.type != RTN_BROADCAST)
		return -EHOSTUNREACH;	/* no forwarding */
	if (res.type == RTN_BROADCAST)
		return broadcast_input(net, skb, &key, dev, in_dev);
	err = fib_validate_source(net, saddr, daddr, key.tos, dev, in_dev);
	if (err < 0)
		return err;
	return has(IPV4_NEXTHOP_ROUTES) ? local_input(net, skb, &res) :
		cached_input(net, skb, &key, dev, RTN_LOCAL);
}

static int ip_route_input_common(struct sk_buff *skb, u32 daddr, u32 saddr,
				 u8 tos, struct net_device *dev)
{
	struct rtable *rt;
	int err;

	FUNCTION(ip_route_input_common);
	rcu_read_lock();
	(void)READ(skb, mark);
	rt = rt_cache_find_input(READ(dev, nd_net), daddr, saddr, tos, dev);
	if (rt) {
		dst_set(skb, rt, true);
		err = 0;
	} else if (is_multicast(daddr)) {
		err = ip_route_input_mc(skb, daddr, saddr, dev);
	} else {
		err = ip_route_input_slow(skb, daddr, saddr, tos, dev);
	}
	rcu_read_unlock();
	return err;
}

int ip_route_input_noref(struct sk_buff *skb, u32 daddr, u32 saddr, u8 tos,
			 struct net_device *dev)
{
	int err;

	if (!has(IPV4_NEXTHOP_ROUTES))
		return ip_route_input_common(skb, daddr, saddr, tos, dev);
	FUNCTION(ip_route_input_noref);
	rcu_read_lock();
	err = is_multicast(daddr) ? ip_route_input_mc(skb, daddr, saddr, dev) :
		ip_route_input_slow(skb, daddr, saddr, tos, dev);
	rcu_read_unlock();
	return err;
}
