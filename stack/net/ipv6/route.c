/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c: routes for packets that this host sends.
 *
 * A look-up ends at a fib6_info and its nexthop, which keeps one ready route a
 * CPU (rt6i_pcpu), so that CPUs do not share its reference count.  Before 4.18
 * it ends at a route of the trie itself: see route_leaf.c.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/ipv6/ip6_input.h"
#include "stack/net/ipv6/route.h"

enum {
	RT6_NUD_FAIL_HARD = -3,
	RT6_NUD_FAIL_PROBE = -2,
	RT6_NUD_FAIL_DO_RR = -1,
	RT6_NUD_SUCCEED = 1,
};

/* ---- which route of a node ---- */

static bool fib6_check_expired(const struct fib6_info *f6i)
{
	return READ(f6i, fib6_flags) & RTF_EXPIRES;	/* none here does */
}

static bool ip6_ignore_linkdown(const struct net_device *dev)
{
	const struct inet6_dev *idev = READ(dev, ip6_ptr);

	return idev && READ(idev, cnf.ignore_routes_with_linkdown);
}

/* Is the gateway known to be there? */
static s32 rt6_check_neigh(const struct fib6_nh *nh)
{
	struct neighbour *neigh;
	s32 ret = RT6_NUD_FAIL_DO_RR;
	u8 state;

	rcu_read_lock();
	neigh = __ipv6_neigh_lookup_noref(READ(nh, nh_common.nhc_dev),
					  &nh->nh_common.nhc_gw.ipv6);
	if (neigh) {
		state = READ_ONCE(neigh, nud_state);
		if (state & NUD_VALID)
			ret = RT6_NUD_SUCCEED;
		else if (has(IPV6_ROUTER_PREF))
			ret = state & NUD_FAILED ? RT6_NUD_FAIL_PROBE :
						   RT6_NUD_SUCCEED;
		else
			ret = RT6_NUD_FAIL_HARD;
	} else if (has(IPV6_ROUTER_PREF)) {
		ret = RT6_NUD_SUCCEED;
	}
	rcu_read_unlock();
	return ret;
}

static s32 rt6_score_route(const struct fib6_nh *nh, u32 fib6_flags, u32 oif,
			   u32 strict)
{
	const struct net_device *dev;
	s32 m = 2, n;

	FUNCTION(rt6_score_route);
	if (oif) {
		dev = READ(nh, nh_common.nhc_dev);
		if (READ(dev, ifindex) != oif)
			m = 0;
	}
	if (!m && strict & RT6_LOOKUP_F_IFACE)
		return RT6_NUD_FAIL_HARD;
	if (has(IPV6_ROUTER_PREF))
		m |= 1 << 2;	/* of medium preference, as all are here */
	if (strict & RT6_LOOKUP_F_REACHABLE && !(fib6_flags & RTF_NONEXTHOP) &&
	    READ(nh, nh_common.nhc_gw_family)) {
		n = rt6_check_neigh(nh);
		if (n < 0)
			return n;
	}
	return m;
}

/* The kernel goes on to ask a gateway that may have gone whether it is there,
 * from a work queue and at most once an interval.  There are no work queues
 * here: such a gateway is asked when a packet goes to it. */
static void rt6_probe(const struct fib6_nh *nh)
{
	if (!has(IPV6_ROUTER_PREF))
		return;

	FUNCTION(rt6_probe);
	if (!READ(nh, nh_common.nhc_gw_family))
		return;
	rcu_read_lock();
	(void)READ(READ(nh, nh_common.nhc_dev), ip6_ptr);
	rcu_read_unlock();
}

static bool find_match(const struct fib6_nh *nh, u32 fib6_flags, u32 oif,
		       u32 strict, s32 *mpri, bool *do_rr)
{
	s32 m;

	if (READ(nh, nh_common.nhc_flags) & RTNH_F_DEAD)
		return false;
	/* No device of this model loses its carrier. */
	(void)ip6_ignore_linkdown(READ(nh, nh_common.nhc_dev));
	m = rt6_score_route(nh, fib6_flags, oif, strict);
	if (m == RT6_NUD_FAIL_HARD)
		return false;
	if (strict & RT6_LOOKUP_F_REACHABLE)
		rt6_probe(nh);
	if ((m == RT6_NUD_FAIL_DO_RR ? 0 : m) <= *mpri)
		return false;
	*do_rr = m == RT6_NUD_FAIL_DO_RR;
	*mpri = *do_rr ? 0 : m;
	return true;
}

/* Of one metric's routes, the best; *cont is the first of another metric. */
static void __find_rr_leaf(struct fib6_info *f6i, const struct fib6_info *end,
			   u32 metric, struct fib6_result *res,
			   struct fib6_info **cont, u32 oif, u32 strict,
			   bool *do_rr, s32 *mpri)
{
	FUNCTION(__find_rr_leaf);
	STACK_PROTECTOR();
	for (; f6i && f6i != end; f6i = READ(f6i, fib6_next)) {
		if (cont && READ(f6i, fib6_metric) != metric) {
			*cont = f6i;
			return;
		}
		WORK(59);
		if (fib6_check_expired(f6i))
			continue;
		(void)READ(f6i, nh);
		if (find_match(&f6i->fib6_nh, READ(f6i, fib6_flags), oif,
			       strict, mpri, do_rr)) {
			WORK(8);
			res->f6i = f6i;
			res->nh = &f6i->fib6_nh;
			res->fib6_flags = f6i->fib6_flags;
			res->fib6_type = READ(f6i, fib6_type);
		}
	}
}

static void find_rr_leaf(struct fib6_info *leaf, struct fib6_info *rr_head,
			 u32 oif, u32 strict, bool *do_rr,
			 struct fib6_result *res)
{
	u32 metric = READ(rr_head, fib6_metric);
	struct fib6_info *cont = NULL;
	s32 mpri = -1;

	__find_rr_leaf(rr_head, NULL, metric, res, &cont, oif, strict, do_rr,
		       &mpri);
	__find_rr_leaf(leaf, rr_head, metric, res, &cont, oif, strict, do_rr,
		       &mpri);
	if (!res->f6i && cont)
		__find_rr_leaf(cont, NULL, metric, res, NULL, oif, strict,
			       do_rr, &mpri);
}

/* No gateway answers: next time begin with the next route. */
static void round_robin(struct fib6_node *fn, struct fib6_info *leaf,
			struct fib6_info *rt0)
{
	struct fib6_info *next = READ(rt0, fib6_next);

	if (!next || READ(next, fib6_metric) != READ(rt0, fib6_metric))
		next = leaf;
	if (next != rt0)
		WRITE_ONCE(fn, rr_ptr, &next->object);
}

static void rt6_select(struct net *net, struct fib6_node *fn, u32 oif,
		       struct fib6_result *res, u32 strict)
{
	struct fib6_info *leaf = leaf_f6i(READ(fn, leaf)), *rt0;
	struct fib6_info *null = READ(net, ipv6.fib6_null_entry);
	bool do_rr = false;
	u32 plen, src_plen;

	res->f6i = NULL;
	if (leaf && leaf != null) {
		WORK(29);
		rt0 = leaf_f6i(READ(fn, rr_ptr));
		if (!rt0)
			rt0 = leaf;
		/* A node that has just lost its routes lends another's. */
		plen = READ(rt0, fib6_dst.plen);
		src_plen = has(IPV6_SUBTREES) ? READ(rt0, fib6_src.plen) : 0;
		if (READ(fn, fn_bit) == (src_plen ? src_plen : plen))
			find_rr_leaf(leaf, rt0, oif, strict, &do_rr, res);
		if (do_rr)
			round_robin(fn, leaf, rt0);
	}
	WORK(26);
	if (res->f6i)
		return;
	res->f6i = null;
	res->nh = NULL;
	res->fib6_flags = READ(null, fib6_flags);
	res->fib6_type = READ(null, fib6_type);
}

static void fib6_table_lookup(struct net *net, struct fib6_table *table,
			      u32 oif, struct flowi6 *fl6,
			      struct fib6_result *res, u32 strict)
{
	struct fib6_node *first, *fn;

	FUNCTION(fib6_table_lookup);
	STACK_PROTECTOR();
	first = fib6_node_lookup(&table->tb6_root, &fl6->daddr, &fl6->saddr);
	fn = first;
	for (;;) {
		rt6_select(net, fn, oif, res, strict);
		if (res->f6i != READ(net, ipv6.fib6_null_entry))
			return;
		fn = fib6_backtrack(fn, &fl6->saddr);
		if (fn)
			continue;
		if (!(strict & RT6_LOOKUP_F_REACHABLE))
			return;
		/* Then one whose gateway may be gone. */
		strict &= ~RT6_LOOKUP_F_REACHABLE;
		fn = first;
	}
}

/* ---- from there to a route ---- */

/* Which of several ways: none here has more than one. */
static void fib6_select_path(const struct fib6_result *res)
{
	FUNCTION(fib6_select_path);
	(void)READ(res->f6i, nh);
	(void)READ(res->f6i, fib6_nsiblings);
}

/* The route of an exception, if there is one and it has not expired. */
static struct rt6_info *rt6_find_cached_rt(const struct fib6_result *res,
					   const struct flowi6 *fl6)
{
	const struct in6_addr *src_key = NULL;
	struct rt6_exception *ex;

	FUNCTION(rt6_find_cached_rt);
	STACK_PROTECTOR();
	if (has(IPV6_SUBTREES) && READ(res->f6i, fib6_src.plen))
		src_key = &fl6->saddr;
	ex = __rt6_find_exception_rcu(READ_ONCE(res->nh, rt6i_exception_bucket),
				      &fl6->daddr, src_key);
	if (!ex || rt6_has_expired(READ_ONCE(ex, rt6i)))
		return NULL;
	return ex->rt6i;
}

/* Packets to this host itself go by the loopback device. */
static struct net_device *ip6_rt_get_dev_rcu(const struct fib6_result *res)
{
	struct net_device *dev = READ(res->nh, nh_common.nhc_dev);

	if (!(res->fib6_flags & (RTF_LOCAL | RTF_ANYCAST)))
		return dev;
	(void)READ(dev, priv_flags);
	return READ(READ(dev, nd_net), loopback_dev);
}

static void ip6_rt_copy_init(struct rt6_info *rt, const struct fib6_result *res,
			     u32 kind)
{
	struct net_device *dev = READ(res->nh, nh_common.nhc_dev);
	struct fib6_info *f6i = res->f6i;
	u32 flags = res->fib6_flags;
	struct inet6_dev *idev;

	if (flags & RTF_REJECT)
		WRITE(&rt->dst, error, (s16)fib6_prop[res->fib6_type]);
	else
		WRITE(&rt->dst, output, ip6_output);
	if (flags & (RTF_LOCAL | RTF_ANYCAST))
		WRITE(&rt->dst, input, ip6_input);
	WRITE(&rt->dst, lastuse, JIFFIES());
	WRITE_KEY(rt, rt6i_dst, f6i, fib6_dst);
	idev = READ(dev, ip6_ptr);
	ATOMIC_INC(idev, refcnt);
	WRITE(rt, rt6i_idev, idev);
	if (READ(res->nh, nh_common.nhc_gw_family)) {
		WRITE_ADDR6(rt, rt6i_gateway,
			    READ_ADDR6(res->nh, nh_common.nhc_gw.ipv6));
		flags |= RTF_GATEWAY;
	}
	WRITE(rt, rt6i_flags, (flags & ~RTF_EXPIRES) | kind);
	WRITE(rt, from, f6i);
	if (has(IPV6_SUBTREES))
		WRITE_KEY(rt, rt6i_src, f6i, fib6_src);
}

static struct rt6_info *rt6_make_pcpu_route(struct net *net,
					    const struct fib6_result *res)
{
	struct rt6i_pcpu *slot = READ(res->nh, rt6i_pcpu)[this_cpu->id];
	struct rt6_info *rt;

	FUNCTION(rt6_make_pcpu_route);
	(void)READ(res->f6i, fib6_ref);
	ATOMIC_INC(res->f6i, fib6_ref);
	rt = ip6_dst_alloc(net, ip6_rt_get_dev_rcu(res), 0);
	if (!rt) {
		ATOMIC_DEC(res->f6i, fib6_ref);
		return NULL;
	}
	ip6_rt_copy_init(rt, res, RTF_PCPU);
	(void)ATOMIC_XCHG(slot, rt, rt);
	return rt;
}

struct rt6_info *ip6_rt_cache_alloc(struct net *net,
				    const struct fib6_result *res,
				    const struct in6_addr *daddr,
				    const struct in6_addr *saddr)
{
	struct rt6_info *rt;

	FUNCTION(ip6_rt_cache_alloc);
	ATOMIC_INC(res->f6i, fib6_ref);
	rt = ip6_dst_alloc(net, ip6_rt_get_dev_rcu(res), 0);
	if (!rt) {
		ATOMIC_DEC(res->f6i, fib6_ref);
		return NULL;
	}
	ip6_rt_copy_init(rt, res, RTF_CACHE);
	WRITE_ADDR6(rt, rt6i_dst.addr, *daddr);
	WRITE(rt, rt6i_dst.plen, 128);
	if (has(IPV6_SUBTREES) && READ(rt, rt6i_src.plen)) {
		WRITE_ADDR6(rt, rt6i_src.addr, *saddr);
		WRITE(rt, rt6i_src.plen, 128);
	}
	return rt;
}

/* A route by nexthop object would be stale once sernum differs. */
static struct rt6_info *rt6_get_pcpu_route(const struct fib6_result *res)
{
	struct rt6i_pcpu *slot = READ(res->nh, rt6i_pcpu)[this_cpu->id];
	struct rt6_info *rt = READ(slot, rt);

	if (rt)
		(void)READ(rt, sernum);
	return rt;
}

static struct rt6_info *ip6_pol_route(struct net *net, struct fib6_table *table,
				      u32 oif, struct flowi6 *fl6, u32 flags)
{
	struct fib6_result res = { .f6i = NULL };
	u32 strict = flags & RT6_LOOKUP_F_IFACE;
	struct rt6_info *rt = NULL;

	FUNCTION(ip6_pol_route);
	STACK_PROTECTOR();
	if (!READ(READ(net, ipv6.devconf_all), cnf.forwarding))
		strict |= RT6_LOOKUP_F_REACHABLE;
	rcu_read_lock();
	fib6_table_lookup(net, table, oif, fl6, &res, strict);
	if (res.f6i != READ(net, ipv6.fib6_null_entry)) {
		WORK(38);
		/* For a choice of ways: is this the wanted device's? */
		(void)READ(READ(res.nh, nh_common.nhc_dev), ifindex);
		fib6_select_path(&res);
		rt = rt6_find_cached_rt(&res, fl6);
		if (!rt) {
			local_bh_disable();
			rt = rt6_get_pcpu_route(&res);
			if (!rt)
				rt = rt6_make_pcpu_route(net, &res);
			local_bh_enable();
		}
	}
	if (!rt)
		rt = READ(net, ipv6.ip6_null_entry);
	if (!(flags & RT6_LOOKUP_F_DST_NOREF))
		ATOMIC_INC(&rt->dst, __refcnt);
	rcu_read_unlock();
	return rt;
}

/* ---- entry points ---- */

static struct rt6_info *ip6_pol_route_output(struct net *net,
					     struct fib6_table *table,
					     struct flowi6 *fl6, u32 flags)
{
	FUNCTION(ip6_pol_route_output);
	return ip6_pol_route(net, table, fl6->flowi6_oif, fl6, flags);
}

bool rt6_need_strict(const struct in6_addr *daddr)
{
	return ipv6_addr_type(daddr) & (IPV6_ADDR_MULTICAST |
					IPV6_ADDR_LINKLOCAL |
					IPV6_ADDR_LOOPBACK);
}

static struct rt6_info *ip6_route_output_flags_noref(struct net *net,
						     struct sock *sk,
						     struct flowi6 *fl6)
{
	u32 flags = RT6_LOOKUP_F_DST_NOREF;
	bool any_src;

	FUNCTION(ip6_route_output_flags_noref);
	(void)ipv6_addr_type(&fl6->daddr);	/* on a link: of a VRF? */
	fl6->flowi6_iif = 1;
	any_src = ipv6_addr_any(&fl6->saddr);
	if ((sk && READ(sk, sk_bound_dev_if)) || rt6_need_strict(&fl6->daddr) ||
	    (fl6->flowi6_oif && any_src))
		flags |= RT6_LOOKUP_F_IFACE;
	if (!any_src)
		flags |= RT6_LOOKUP_F_HAS_SADDR;
	else if (sk)
		flags |= rt6_srcprefs2flags(sk);
	return fib6_rule_lookup(net, fl6, flags, ip6_pol_route_output);
}

static struct rt6_info *ip6_route_output_flags(struct net *net, struct sock *sk,
					       struct flowi6 *fl6)
{
	struct rt6_info *rt;

	FUNCTION(ip6_route_output_flags);
	rcu_read_lock();
	rt = ip6_route_output_flags_noref(net, sk, fl6);
	if (!READ(rt, rt6i_uncached)) {
		(void)READ(&rt->dst, __refcnt);
		ATOMIC_INC(&rt->dst, __refcnt);
	}
	rcu_read_unlock();
	return rt;
}

struct dst_entry *ip6_route_output(struct net *net, struct sock *sk,
				   struct flowi6 *fl6)
{
	struct rt6_info *rt = has(FIB6_RCU) ?
		ip6_route_output_flags(net, sk, fl6) : has(RT6_PCPU) ?
		ip6_route_output_pcpu(net, sk, fl6) :
		ip6_route_output_leaf(net, sk, fl6);

	return &rt->dst;
}

static struct rt6_info *ip6_pol_route_input(struct net *net,
					    struct fib6_table *table,
					    struct flowi6 *fl6, u32 flags)
{
	return ip6_pol_route(net, table, fl6->flowi6_iif, fl6, flags);
}

struct dst_entry *ip6_route_input_lookup(struct net *net, struct flowi6 *fl6)
{
	u32 flags = RT6_LOOKUP_F_HAS_SADDR;
	pol_lookup_t lookup = has(RT6_PCPU) ? ip6_pol_route_input_pcpu :
					      ip6_pol_route_input_leaf;

	if (rt6_need_strict(&fl6->daddr))
		flags |= RT6_LOOKUP_F_IFACE;
	if (has(FIB6_RCU)) {
		flags |= RT6_LOOKUP_F_DST_NOREF;
		lookup = ip6_pol_route_input;
	}
	return &fib6_rule_lookup(net, fl6, flags, lookup)->dst;
}
