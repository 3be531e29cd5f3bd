/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/route.c: what can be asked of a route that one holds; and
 * routes by themselves. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv6/route.h"

const int fib6_prop[NUM_RTN] = {
	[RTN_BLACKHOLE] = -EINVAL,
	[RTN_UNREACHABLE] = -EHOSTUNREACH,
	[RTN_PROHIBIT] = -EACCES,
	[RTN_THROW] = -EAGAIN,
};

static struct rt6_info *dst_rt6(struct dst_entry *dst)
{
	return (struct rt6_info *)(void *)dst;
}

/* ---- is it still good? ---- */

/* The serial number of the node that it hangs from; 0: from none any more. */
static bool fib6_get_cookie_safe(const struct fib6_info *f6i, u32 *cookie)
{
	const struct fib6_node *fn = READ(f6i, fib6_node);

	if (!fn)
		return false;
	*cookie = READ_ONCE(fn, fn_sernum);
	return true;
}

/* In line in those who store a route in a socket. */
u32 rt6_get_cookie(struct rt6_info *rt)
{
	const struct fib6_info *from;
	const struct fib6_node *fn;
	u32 cookie;

	if (!has(FIB6_RCU)) {
		if (has(RT6_PCPU) && READ(rt, rt6i_flags) & RTF_PCPU)
			rt = rt6_from(rt);
		fn = READ(rt, rt6i_node);
		return fn ? READ_ONCE(fn, fn_sernum) : 0;
	}
	cookie = READ(rt, sernum);
	if (cookie)
		return cookie;
	rcu_read_lock();
	from = READ(rt, from);
	if (from)
		(void)fib6_get_cookie_safe(from, &cookie);
	rcu_read_unlock();
	return cookie;
}

static bool fib6_check(const struct fib6_info *f6i, u32 cookie)
{
	u32 now = 0;

	return fib6_get_cookie_safe(f6i, &now) && now == cookie &&
	       !(READ(f6i, fib6_flags) & RTF_EXPIRES);
}

bool rt6_has_expired(const struct rt6_info *rt)
{
	return READ_ONCE(rt, rt6i_flags) & RTF_EXPIRES &&
	       time_after(JIFFIES(), READ_ONCE(&rt->dst, expires));
}

static bool rt6_check(struct rt6_info *rt, u32 cookie)
{
	const struct fib6_info *from;
	bool good = false;

	if (READ(rt, sernum))
		g_assert_not_reached();	/* nexthop objects come later */
	rcu_read_lock();
	from = READ(rt, from);
	if (from) {
		good = !rt6_has_expired(rt) &&
		       READ(&rt->dst, obsolete) == DST_OBSOLETE_FORCE_CHK &&
		       fib6_check(from, cookie);
	}
	rcu_read_unlock();
	return good;
}

/* Before 3.18 there is a generation of all routes as well, and before 3.13 one
 * of what the peers have learnt. */
static bool rt6_check_leaf(struct rt6_info *rt, u32 cookie)
{
	const struct fib6_node *fn;
	const struct net *net;
	u32 genid;

	if (has(RT6_GENID) && !has(RT6_SERNUM_ONLY)) {
		net = READ(READ(&rt->dst, dev), nd_net);
		genid = READ(net, rt_genid);
		if (READ(rt, rt6i_genid) != genid)
			return false;
	}
	fn = READ(rt, rt6i_node);
	if (!fn || READ_ONCE(fn, fn_sernum) != cookie)
		return false;
	if (has(RT6_GENID) && !has(RT6_NO_PEER_GENID))
		(void)READ(rt, rt6i_peer_genid);
	return true;
}

/* From 4.2 to 4.17: a CPU's copy is as good as its leaf. */
static bool rt6_check_pcpu(struct rt6_info *rt, u32 cookie)
{
	struct rt6_info *leaf = rt;

	rt6_dst_from_metrics_check(rt);
	if (READ(rt, rt6i_flags) & RTF_PCPU) {
		if (READ(&rt->dst, obsolete) != DST_OBSOLETE_FORCE_CHK)
			return false;
		leaf = rt6_from(rt);
	}
	return rt6_check_leaf(leaf, cookie) && !rt6_check_expired(leaf);
}

struct dst_entry *ip6_dst_check(struct dst_entry *dst, u32 cookie)
{
	bool good;

	FUNCTION(ip6_dst_check);
	good = has(FIB6_RCU) ? rt6_check(dst_rt6(dst), cookie) :
	       has(RT6_PCPU) ? rt6_check_pcpu(dst_rt6(dst), cookie) :
			       rt6_check_leaf(dst_rt6(dst), cookie);
	return good ? dst : NULL;
}

/* ---- what it says of the way ---- */

u32 ip6_mtu(const struct dst_entry *dst)
{
	const struct inet6_dev *idev;
	u32 mtu;

	FUNCTION(ip6_mtu);
	mtu = has(RT6_PCPU) && !has(FIB6_RCU) ?
		READ_ONCE((const struct rt6_info *)(const void *)dst,
			  rt6i_pmtu) : 0;
	if (!mtu)
		mtu = dst_metric_raw(dst, RTAX_MTU);
	if (!mtu) {
		mtu = IPV6_MIN_MTU;
		rcu_read_lock();
		idev = READ(READ(dst, dev), ip6_ptr);
		if (idev)
			mtu = READ(idev, cnf.mtu6);
		rcu_read_unlock();
	}
	if (has(DST_LWTSTATE)) {
		mtu = MIN(mtu, IP6_MAX_MTU);
		(void)READ(dst, lwtstate);
	}
	return mtu;
}

u32 ip6_dst_hoplimit(struct dst_entry *dst)
{
	const struct inet6_dev *idev;
	struct net_device *dev;
	struct net *net;
	u32 hoplimit;

	FUNCTION(ip6_dst_hoplimit);
	hoplimit = dst_metric_raw(dst, RTAX_HOPLIMIT);
	if (hoplimit)
		return hoplimit;
	dev = READ(dst, dev);
	rcu_read_lock();
	idev = READ(dev, ip6_ptr);
	if (idev) {
		hoplimit = READ(idev, cnf.hop_limit);
	} else {
		net = READ(dev, nd_net);
		hoplimit = READ(READ(net, ipv6.devconf_all), cnf.hop_limit);
	}
	rcu_read_unlock();
	return hoplimit;
}

static int saddr_of_leaf(struct net *net, struct rt6_info *rt,
			 const struct in6_addr *daddr, u32 prefs,
			 struct in6_addr *saddr)
{
	const struct inet6_dev *idev = READ(rt, rt6i_idev);

	if (has(RT6_PREFSRC) && READ(rt, rt6i_prefsrc.plen)) {
		*saddr = READ_ADDR6(rt, rt6i_prefsrc.addr);
		return 0;
	}
	return ipv6_dev_get_saddr(net, idev ? READ(idev, dev) : NULL, daddr,
				  prefs, saddr);
}

/* Later kernels ask first which VRF it may come from: of none. */
int ip6_route_get_saddr(struct net *net, struct rt6_info *rt,
			const struct in6_addr *daddr, u32 prefs,
			struct in6_addr *saddr)
{
	struct net_device *dev = NULL;
	struct fib6_info *from;
	int err = 0;

	if (!has(FIB6_RCU))
		return saddr_of_leaf(net, rt, daddr, prefs, saddr);
	rcu_read_lock();
	from = rt ? READ(rt, from) : NULL;
	rcu_read_lock();
	if (has(PREFSRC_L3MDEV))
		(void)dev_get_by_index_rcu(net, 0);
	if (from && READ(from, fib6_prefsrc.plen)) {
		*saddr = READ_ADDR6(from, fib6_prefsrc.addr);
	} else {
		if (from) {
			(void)READ(from, nh);
			dev = READ(&from->fib6_nh, nh_common.nhc_dev);
		}
		err = ipv6_dev_get_saddr(net, dev, daddr, prefs, saddr);
	}
	rcu_read_unlock();
	rcu_read_unlock();
	return err;
}

/* ---- making and freeing ---- */

struct rt6_info *ip6_dst_alloc(struct net *net, struct net_device *dev,
			       u16 flags)
{
	struct ipv6_room *room = this_kernel()->ipv6;
	struct rt6_info *rt = kmem_cache_alloc(room->ip6_dst_cache, GFP_ATOMIC);

	FUNCTION(dst_alloc);
	if (!rt)
		return NULL;
	memset((char *)rt + sizeof(rt->dst.object), 0,
	       sizeof(*rt) - sizeof(rt->dst.object));
	kmemleak_not_leak(rt);
	WRITE(&rt->dst, dev, dev);
	WRITE(&rt->dst, ops, &net->ipv6.ip6_dst_ops);
	if (has(DST_METRICS_SHARED))
		WRITE(&rt->dst, _metrics, 0);
	/* Before, a clone was never asked about. */
	WRITE(&rt->dst, obsolete, has(RT6_GENID) ? DST_OBSOLETE_FORCE_CHK : 0);
	WRITE(&rt->dst, flags, flags);
	if (has(FIB6_RCU))
		WRITE(&rt->dst, __refcnt, 1);
	else if (has(RT6_GENID) && !has(RT6_SERNUM_ONLY))
		WRITE(rt, rt6i_genid, READ(net, rt_genid));
	g_ptr_array_add(room->routes, rt);
	return rt;
}

static void ip6_dst_destroy(struct rt6_info *rt)
{
	if (rt->rt6i_pcpu)
		g_ptr_array_add(this_kernel()->ipv6->spare_cells,
				rt->rt6i_pcpu);
	if (rt->dst.hh)
		neigh_hh_put(rt->dst.hh);
	if (rt->n)
		neigh_release(rt->n);
	if (rt->rt6i_idev && rt->rt6i_flags & (RTF_CACHE | RTF_PCPU))
		rt->rt6i_idev->refcnt--;
	if (rt->dst.own)
		kfree(rt->dst.own);
	kmem_cache_free(this_kernel()->ipv6->ip6_dst_cache, rt);
}

void rt6_free(struct rt6_info *rt)
{
	if (rt->dst.__refcnt > 0) {
		/* Whoever holds it asks ->check() from now on. */
		if (!has(RT6_GENID))
			WRITE(&rt->dst, obsolete, DST_OBSOLETE_DEAD);
		return;
	}
	/* It was an expiring leaf of 4.2 to 4.17: it lets go of its own leaf. */
	if (!has(FIB6_RCU) && rt->rt6i_flags & RTF_CACHE && rt->from)
		((struct rt6_info *)(void *)rt->from)->dst.__refcnt--;
	g_ptr_array_remove_fast(this_kernel()->ipv6->routes, rt);
	ip6_dst_destroy(rt);
}

void ip6_dst_last_reference(struct dst_entry *dst)
{
	rt6_free(dst_rt6(dst));
}

void rt6_free_all(void)
{
	GPtrArray *routes = this_kernel()->ipv6->routes;
	u32 i;

	for (i = 0; i < routes->len; i++)
		ip6_dst_destroy(g_ptr_array_index(routes, i));
	g_ptr_array_unref(routes);
}
