/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c of kernels before 4.2: routes for packets that this
 * host sends, which are the leaves of the trie themselves.
 *
 * A look-up holds the table's lock for reading and takes a reference on the
 * route, which all CPUs share.  A route for a network serves one address only:
 * the first packet to an address puts a clone for it into the trie, which has
 * its neighbour at hand before RT6_NEIGH_LOOKUP.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/ipv6/ip6_input.h"
#include "stack/net/ipv6/route.h"

/* ---- which route of a node ---- */

static bool rt6_is_expired(const struct rt6_info *rt)
{
	u32 flags = READ_ONCE(rt, rt6i_flags);
	u64 expires = READ_ONCE(&rt->dst, expires); /* or the route it is of */

	return flags & RTF_EXPIRES && time_after(JIFFIES(), expires);
}

s32 rt6_check_dev_leaf(const struct rt6_info *rt, u32 oif)
{
	const struct net_device *dev = READ(&rt->dst, dev);
	const struct inet6_dev *idev;

	if (!oif || READ(dev, ifindex) == oif)
		return 2;
	if (!(READ(dev, flags) & IFF_LOOPBACK))
		return 0;
	idev = READ(rt, rt6i_idev);
	if (!idev)
		return 0;
	dev = READ(idev, dev);
	return READ(dev, ifindex) == oif;
}

/* The gateway's neighbour, if there is one. */
static struct neighbour *gateway_neighbour(const struct rt6_info *rt)
{
	const struct in6_addr gateway = READ_ADDR6(rt, rt6i_gateway);

	return __ipv6_neigh_lookup_noref(READ(&rt->dst, dev), &gateway);
}

/* Is the gateway known to be there?  2: yes; 0: certainly not. */
static s32 rt6_check_neigh(const struct rt6_info *rt)
{
	struct neighbour *neigh = has(RT6_NEIGH_LOOKUP) ? NULL : READ(rt, n);
	u32 flags = READ(rt, rt6i_flags);
	u8 state;

	if (flags & RTF_NONEXTHOP || !(flags & RTF_GATEWAY))
		return 1;
	if (has(RT6_NEIGH_LOOKUP))
		neigh = gateway_neighbour(rt);
	if (!neigh)
		return 0;
	local_bh_disable();
	READ_LOCK(neigh, lock);
	state = READ(neigh, nud_state);
	READ_UNLOCK(neigh, lock);
	local_bh_enable();
	if (state & NUD_VALID)
		return 2;
	return !(has(IPV6_ROUTER_PREF) && state & NUD_FAILED);
}

static s32 rt6_score_route(const struct rt6_info *rt, u32 oif, u32 strict)
{
	s32 m, n;

	FUNCTION(rt6_score_route);
	m = rt6_check_dev_leaf(rt, oif);
	if (!m && strict & RT6_LOOKUP_F_IFACE)
		return -1;
	if (has(IPV6_ROUTER_PREF))
		m |= 1 << 2;	/* of medium preference, as all are here */
	rcu_read_lock();
	n = rt6_check_neigh(rt);
	rcu_read_unlock();
	if (!n && strict & RT6_LOOKUP_F_REACHABLE)
		return -1;
	return m;
}

static struct rt6_info *find_match(struct rt6_info *rt, u32 oif, u32 strict,
				   s32 *mpri, struct rt6_info *match)
{
	s32 m;

	WORK(14);
	if (rt6_is_expired(rt))
		return match;
	m = rt6_score_route(rt, oif, strict);
	if (m <= *mpri)
		return match;
	*mpri = m;
	return rt;
}

/* Of one metric's routes, from rr_head on and round, the best. */
static struct rt6_info *find_rr_leaf(struct fib6_node *fn,
				     struct rt6_info *rr_head, u32 metric,
				     u32 oif, u32 strict)
{
	struct rt6_info *rt, *match = NULL;
	s32 mpri = -1;

	for (rt = rr_head; rt && READ(rt, rt6i_metric) == metric;
	     rt = READ(&rt->dst, rt6_next))
		match = find_match(rt, oif, strict, &mpri, match);
	for (rt = leaf_rt6(READ(fn, leaf));
	     rt && rt != rr_head && READ(rt, rt6i_metric) == metric;
	     rt = READ(&rt->dst, rt6_next))
		match = find_match(rt, oif, strict, &mpri, match);
	return match;
}

/* No gateway answers: next time begin with the next route. */
static void round_robin(struct fib6_node *fn, struct rt6_info *rt0)
{
	struct rt6_info *next = READ(&rt0->dst, rt6_next);

	if (!next || READ(next, rt6i_metric) != READ(rt0, rt6i_metric))
		next = leaf_rt6(READ(fn, leaf));
	if (next != rt0)
		WRITE(fn, rr_ptr, &next->dst.object);
}

/* The readers of a table write rr_ptr, each the same value. */
static struct rt6_info *rt6_select(struct fib6_node *fn, u32 oif, u32 strict)
{
	struct rt6_info *rt0, *match;
	const struct net_device *dev;
	struct net *net;

	FUNCTION(rt6_select);
	rt0 = leaf_rt6(READ_ONCE(fn, rr_ptr));
	if (!rt0) {
		rt0 = leaf_rt6(READ(fn, leaf));
		WRITE_ONCE(fn, rr_ptr, &rt0->dst.object);
	}
	match = find_rr_leaf(fn, rt0, READ(rt0, rt6i_metric), oif, strict);
	if (!match && strict & RT6_LOOKUP_F_REACHABLE)
		round_robin(fn, rt0);
	dev = READ(&rt0->dst, dev);
	net = READ(dev, nd_net);
	return match ? match : READ(net, ipv6.ip6_null_entry);
}

/* ---- clones ---- */

/* The neighbour of the route's next hop, made where there is none. */
static bool rt6_bind_neighbour(struct rt6_info *rt, struct net_device *dev)
{
	const struct in6_addr gateway = READ_ADDR6(rt, rt6i_gateway);
	struct neighbour *neigh = __ipv6_neigh_lookup_noref(dev, &gateway);

	if (!neigh)
		neigh = __neigh_create(nd_tbl(), &gateway, dev);
	if (!neigh)
		return false;
	neigh_hold(neigh);
	WRITE(rt, n, neigh);
	return true;
}

/* Where each route has its own. */
static void copy_metrics(struct rt6_info *rt, const struct rt6_info *from)
{
	u32 i;

	for (i = 0; i < RTAX_MAX; i++)
		WRITE_AT(&rt->dst, metrics, i, READ_AT(&from->dst, metrics, i));
}

static struct rt6_info *ip6_rt_copy(struct net *net, struct rt6_info *from,
				    const struct in6_addr *daddr)
{
	struct rt6_info *rt = ip6_dst_alloc(net, READ(&from->dst, dev),
					    DST_HOST);

	if (!rt)
		return NULL;
	WRITE(&rt->dst, input, READ(&from->dst, input));
	WRITE(&rt->dst, output, READ(&from->dst, output));
	WRITE(&rt->dst, error, READ(&from->dst, error));
	WRITE(&rt->dst, lastuse, JIFFIES());
	WRITE_ADDR6(rt, rt6i_dst.addr, *daddr);
	WRITE(rt, rt6i_dst.plen, 128);
	WRITE(rt, rt6i_idev, READ(from, rt6i_idev));
	ATOMIC_INC(rt->rt6i_idev, refcnt);
	WRITE_ADDR6(rt, rt6i_gateway, READ_ADDR6(from, rt6i_gateway));
	WRITE(rt, rt6i_flags, READ(from, rt6i_flags) | RTF_CACHE);
	WRITE(rt, rt6i_metric, 0);
	if (has(RT6_PREFSRC))
		WRITE_KEY(rt, rt6i_prefsrc, from, rt6i_prefsrc);
	if (!has(DST_METRICS_SHARED))
		copy_metrics(rt, from);
	WRITE(rt, rt6i_table, READ(from, rt6i_table));
	return rt;
}

/* A clone for an address on the link, with the neighbour of just that. */
static struct rt6_info *rt6_alloc_cow(struct net *net, struct rt6_info *from,
				      const struct in6_addr *daddr)
{
	struct rt6_info *rt = ip6_rt_copy(net, from, daddr);

	FUNCTION(rt6_alloc_cow);
	if (!rt)
		return NULL;
	if (!(rt->rt6i_flags & RTF_GATEWAY))
		WRITE_ADDR6(rt, rt6i_gateway, *daddr);
	if (has(RT6_NEIGH_LOOKUP) || rt6_bind_neighbour(rt, rt->dst.dev))
		return rt;
	rt6_free(rt);
	return NULL;
}

/* A clone for an address behind the same neighbour. */
static struct rt6_info *rt6_alloc_clone(struct net *net, struct rt6_info *from,
					const struct in6_addr *daddr)
{
	struct rt6_info *rt = ip6_rt_copy(net, from, daddr);
	struct neighbour *neigh;

	FUNCTION(rt6_alloc_clone);
	if (!rt || has(RT6_NEIGH_LOOKUP))
		return rt;
	neigh = READ(from, n);
	neigh_hold(neigh);
	WRITE(rt, n, neigh);
	return rt;
}

/* False: another CPU has put in the same meanwhile, or memory has run out. */
bool ip6_ins_rt(struct fib6_table *table, struct rt6_info *rt)
{
	struct object *replaced;
	int err;

	FUNCTION(ip6_ins_rt);
	local_bh_disable();
	WRITE_LOCK(table, tb6_lock);
	err = fib6_add(table, &rt->dst.object, FIB6_ADD_APPEND, &replaced);
	WRITE_UNLOCK(table, tb6_lock);
	local_bh_enable();
	return !err;
}

/* ---- the look-up ---- */

/* A route with a reference.  Where one is known to answer, or does not need
 * to, the search ends with it; but a clone is looked for once more without
 * asking for that, as those kernels do. */
static struct rt6_info *lookup(struct net *net, struct fib6_table *table,
			       u32 oif, const struct flowi6 *fl6, u32 strict,
			       u32 reachable)
{
	struct rt6_info *null = READ(net, ipv6.ip6_null_entry), *rt = null;
	struct fib6_node *fn;

	local_bh_disable();
	READ_LOCK(table, tb6_lock);
	for (;;) {
		fn = fib6_node_lookup(&table->tb6_root, &fl6->daddr,
				      &fl6->saddr);
		for (; fn; fn = fib6_backtrack(fn, &fl6->saddr)) {
			rt = rt6_select(fn, oif, strict | reachable);
			if (rt != null)
				break;
		}
		if (!reachable ||
		    (rt != null && !(READ(rt, rt6i_flags) & RTF_CACHE)))
			break;
		reachable = 0;
	}
	ATOMIC_INC(&rt->dst, __refcnt);
	READ_UNLOCK(table, tb6_lock);
	local_bh_enable();
	return rt;
}

/* The clone for the address, if the route needs one; NULL without memory. */
static struct rt6_info *make_clone(struct net *net, struct rt6_info *rt,
				   const struct in6_addr *daddr)
{
	u32 flags = READ(rt, rt6i_flags);
	bool on_link = has(RT6_NEIGH_LOOKUP) ? !(flags & RTF_GATEWAY) :
					       !READ(rt, n);

	if (on_link && !(flags & RTF_NONEXTHOP))
		return rt6_alloc_cow(net, rt, daddr);
	if (!(READ(&rt->dst, flags) & DST_HOST))
		return rt6_alloc_clone(net, rt, daddr);
	return rt;
}

static struct rt6_info *ip6_pol_route(struct net *net, struct fib6_table *table,
				      u32 oif, struct flowi6 *fl6, u32 flags)
{
	u32 strict = flags & RT6_LOOKUP_F_IFACE, reachable, use;
	u32 attempts = 3;
	struct rt6_info *null = READ(net, ipv6.ip6_null_entry), *rt, *clone;

	FUNCTION(ip6_pol_route);
	reachable = READ(READ(net, ipv6.devconf_all), cnf.forwarding) ?
		0 : RT6_LOOKUP_F_REACHABLE;
	for (;;) {
		rt = lookup(net, table, oif, fl6, strict, reachable);
		if (rt == null || READ(rt, rt6i_flags) & RTF_CACHE)
			break;
		clone = make_clone(net, rt, &fl6->daddr);
		if (clone == rt)
			break;
		dst_release(&rt->dst);
		rt = clone ? clone : null;
		ATOMIC_INC(&rt->dst, __refcnt);
		if (clone && ip6_ins_rt(table, clone))
			break;
		if (!--attempts)
			break;
		dst_release(&rt->dst);
		if (clone)
			rt6_free(clone);
	}
	WRITE_ONCE(&rt->dst, lastuse, JIFFIES());
	use = READ_ONCE(&rt->dst, __use);
	WRITE_ONCE(&rt->dst, __use, use + 1);
	return rt;
}

static struct rt6_info *ip6_pol_route_output(struct net *net,
					     struct fib6_table *table,
					     struct flowi6 *fl6, u32 flags)
{
	return ip6_pol_route(net, table, fl6->flowi6_oif, fl6, flags);
}

struct rt6_info *ip6_pol_route_input_leaf(struct net *net,
					  struct fib6_table *table,
					  struct flowi6 *fl6, u32 flags)
{
	return ip6_pol_route(net, table, fl6->flowi6_iif, fl6, flags);
}

struct rt6_info *ip6_route_output_leaf(struct net *net, struct sock *sk,
				       struct flowi6 *fl6)
{
	u32 flags = 0;

	FUNCTION(ip6_route_output);
	fl6->flowi6_iif = READ(READ(net, loopback_dev), ifindex);
	if ((sk && READ(sk, sk_bound_dev_if)) || rt6_need_strict(&fl6->daddr))
		flags |= RT6_LOOKUP_F_IFACE;
	if (!ipv6_addr_any(&fl6->saddr))
		flags |= RT6_LOOKUP_F_HAS_SADDR;
	else if (sk)
		flags |= rt6_srcprefs2flags(sk);
	return fib6_rule_lookup(net, fl6, flags, ip6_pol_route_output);
}

/* ---- set-up ---- */

/* Local routes lead to the loopback device, but belong to their own. */
struct rt6_info *ip6_leaf_new(struct net *net, const struct fib6_config *cfg)
{
	struct net_device *dev = cfg->fc_flags & RTF_LOCAL ? net->loopback_dev :
							     cfg->fc_dev;
	struct rt6_info *rt = ip6_dst_alloc(net, dev, cfg->fc_dst_len == 128 ?
						      DST_HOST : 0);

	if (!rt)
		return NULL;
	rt->dst.output = ip6_output;
	rt->dst.obsolete = DST_OBSOLETE_FORCE_CHK;
	if (!has(DST_METRICS_SHARED)) {
		rt->dst.metrics[RTAX_MTU - 1] = cfg->fc_dev->ip6_ptr->cnf.mtu6;
		rt->dst.metrics[RTAX_HOPLIMIT - 1] =
			cfg->fc_dev->ip6_ptr->cnf.hop_limit;
	}
	if (cfg->fc_flags & RTF_LOCAL)
		rt->dst.input = ip6_input;
	rt->rt6i_dst.addr = cfg->fc_dst;
	rt->rt6i_dst.plen = cfg->fc_dst_len;
	rt->rt6i_src.addr = cfg->fc_src;
	rt->rt6i_src.plen = cfg->fc_src_len;
	rt->rt6i_prefsrc.addr = cfg->fc_prefsrc;
	rt->rt6i_prefsrc.plen = ipv6_addr_any(&cfg->fc_prefsrc) ? 0 : 128;
	rt->rt6i_gateway = cfg->fc_gateway;
	rt->rt6i_idev = cfg->fc_dev->ip6_ptr;
	rt->rt6i_flags = cfg->fc_flags;
	rt->rt6i_metric = cfg->fc_metric;
	rt->rt6i_protocol = cfg->fc_protocol;
	/* Later kernels look the gateway up when a packet goes there; a route
	 * to this host has loopback's neighbour, that of no address. */
	if (!(cfg->fc_flags & (RTF_GATEWAY | RTF_LOCAL)) || has(RT6_PCPU) ||
	    has(RT6_NEIGH_LOOKUP) || rt6_bind_neighbour(rt, dev))
		return rt;
	rt6_free(rt);
	return NULL;
}
