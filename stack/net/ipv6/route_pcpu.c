/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c of kernels 4.2 to 4.17: routes for packets that this
 * host sends, of which each CPU has its own.
 *
 * A look-up still holds the table's lock for reading, and still writes into the
 * leaf, which all CPUs share, when it was last used.  But what it returns is
 * this CPU's copy of the leaf, on which alone references are counted.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/ipv6/route.h"

/* What rt6_check_neigh() says of the way, when it is not good. */
#define RT6_NUD_FAIL_HARD (-3)
#define RT6_NUD_FAIL_PROBE (-2)
#define RT6_NUD_FAIL_DO_RR (-1)

/* ---- the leaf that a copy is of ---- */

struct rt6_info *rt6_from(const struct rt6_info *rt)
{
	return (struct rt6_info *)(void *)READ(rt, from);
}

bool rt6_check_expired(const struct rt6_info *rt)
{
	const struct rt6_info *from;

	if (READ_ONCE(rt, rt6i_flags) & RTF_EXPIRES)
		return time_after(JIFFIES(), READ_ONCE(&rt->dst, expires));
	from = rt6_from(rt);
	return from && rt6_has_expired(from);
}

/* The copy's metrics are the leaf's, unless those have been changed. */
void rt6_dst_from_metrics_check(struct rt6_info *rt)
{
	const struct rt6_info *from = rt6_from(rt);

	if (!from)
		return;
	(void)READ(&rt->dst, _metrics);
	(void)READ(&from->dst, _metrics);
}

/* ---- which route of a node ---- */

/* Is the gateway known to be there? */
static s32 rt6_check_neigh(const struct rt6_info *rt)
{
	s32 found = has(IPV6_ROUTER_PREF) ? 1 : RT6_NUD_FAIL_DO_RR;
	u32 flags = READ(rt, rt6i_flags);
	struct neighbour *neigh;
	struct in6_addr gateway;
	u8 state;

	if (flags & RTF_NONEXTHOP || !(flags & RTF_GATEWAY))
		return 1;
	local_bh_disable();
	rcu_read_lock();
	gateway = READ_ADDR6(rt, rt6i_gateway);
	neigh = __ipv6_neigh_lookup_noref(READ(&rt->dst, dev), &gateway);
	if (neigh) {
		READ_LOCK(neigh, lock);
		state = READ(neigh, nud_state);
		if (state & NUD_VALID)
			found = 1;
		else if (has(IPV6_ROUTER_PREF))
			found = state & NUD_FAILED ? RT6_NUD_FAIL_PROBE : 1;
		READ_UNLOCK(neigh, lock);
	}
	rcu_read_unlock();
	local_bh_enable();
	return found;
}

static s32 rt6_score_route(const struct rt6_info *rt, u32 oif, u32 strict)
{
	s32 m, n;

	FUNCTION(rt6_score_route);
	m = rt6_check_dev_leaf(rt, oif);
	if (!m && strict & RT6_LOOKUP_F_IFACE)
		return RT6_NUD_FAIL_HARD;
	if (has(IPV6_ROUTER_PREF))
		m |= 1 << 2;	/* of medium preference, as all are here */
	if (strict & RT6_LOOKUP_F_REACHABLE) {
		n = rt6_check_neigh(rt);
		if (n < 0)
			return n;
	}
	return m;
}

struct choice {
	struct rt6_info *match;
	s32 mpri;		/* its score */
	bool do_rr;		/* it may not answer: take turns */
};

static void find_match(struct rt6_info *rt, u32 oif, u32 strict,
		       struct choice *best)
{
	const struct inet6_dev *idev = READ(rt, rt6i_idev);
	const struct net_device *dev = READ(&rt->dst, dev);
	bool do_rr = false;
	s32 m;

	WORK(14);
	/* Every device of the model has its carrier. */
	if (dev && has(NEXTHOP_LINKDOWN))
		(void)READ(dev, state);
	(void)idev;
	if (rt6_check_expired(rt))
		return;
	m = rt6_score_route(rt, oif, strict);
	if (m == RT6_NUD_FAIL_DO_RR) {
		do_rr = true;
		m = 0;		/* better than nothing */
	} else if (m == RT6_NUD_FAIL_HARD) {
		return;
	}
	if (m <= best->mpri)
		return;
	best->do_rr = do_rr;
	best->mpri = m;
	best->match = rt;
}

/* Of one metric's routes, from rr_head on and round, the best; of the others
 * where none of them will do. */
static struct rt6_info *find_rr_leaf(struct fib6_node *fn,
				     struct rt6_info *rr_head, u32 oif,
				     u32 strict, bool *do_rr)
{
	struct choice best = { .mpri = -1 };
	u32 metric = READ(rr_head, rt6i_metric);
	struct rt6_info *rt, *cont;

	for (rt = rr_head; rt && READ(rt, rt6i_metric) == metric;
	     rt = READ(&rt->dst, rt6_next))
		find_match(rt, oif, strict, &best);
	cont = rt;
	for (rt = leaf_rt6(READ(fn, leaf)); rt && rt != rr_head;
	     rt = READ(&rt->dst, rt6_next)) {
		if (READ(rt, rt6i_metric) != metric) {
			cont = rt;
			break;
		}
		find_match(rt, oif, strict, &best);
	}
	for (rt = best.match ? NULL : cont; rt; rt = READ(&rt->dst, rt6_next))
		find_match(rt, oif, strict, &best);
	*do_rr = best.do_rr;
	return best.match;
}

/* The readers of a table write rr_ptr, each the same value. */
static struct rt6_info *rt6_select(struct net *net, struct fib6_node *fn,
				   u32 oif, u32 strict)
{
	struct rt6_info *rt0, *match, *next;
	const struct net_device *dev;
	bool do_rr;

	FUNCTION(rt6_select);
	rt0 = leaf_rt6(READ_ONCE(fn, rr_ptr));
	if (!rt0) {
		rt0 = leaf_rt6(READ(fn, leaf));
		WRITE_ONCE(fn, rr_ptr, &rt0->dst.object);
	}
	match = find_rr_leaf(fn, rt0, oif, strict, &do_rr);
	if (do_rr) {
		next = READ(&rt0->dst, rt6_next);
		if (!next ||
		    READ(next, rt6i_metric) != READ(rt0, rt6i_metric))
			next = leaf_rt6(READ(fn, leaf));
		if (next != rt0)
			WRITE_ONCE(fn, rr_ptr, &next->dst.object);
	}
	dev = READ(&rt0->dst, dev);
	net = READ(dev, nd_net);
	return match ? match : READ(net, ipv6.ip6_null_entry);
}

/* ---- the CPU's own ---- */

static void ip6_rt_copy_init(struct rt6_info *rt, struct rt6_info *ort,
			     u32 kind)
{
	struct inet6_dev *idev;
	u32 flags;

	WRITE(&rt->dst, input, READ(&ort->dst, input));
	WRITE(&rt->dst, output, READ(&ort->dst, output));
	WRITE_KEY(rt, rt6i_dst, ort, rt6i_dst);
	WRITE(&rt->dst, error, READ(&ort->dst, error));
	idev = READ(ort, rt6i_idev);
	WRITE(rt, rt6i_idev, idev);
	if (idev)
		ATOMIC_INC(idev, refcnt);
	WRITE(&rt->dst, lastuse, JIFFIES());
	WRITE_ADDR6(rt, rt6i_gateway, READ_ADDR6(ort, rt6i_gateway));
	flags = READ(ort, rt6i_flags);
	WRITE(rt, rt6i_flags, (flags & ~RTF_EXPIRES) | kind);
	ATOMIC_INC(&ort->dst, __refcnt);
	WRITE(rt, from, (struct fib6_info *)(void *)ort);
	WRITE(&rt->dst, _metrics, READ(&ort->dst, _metrics));
	WRITE(rt, rt6i_metric, READ(ort, rt6i_metric));
	if (has(IPV6_SUBTREES))
		WRITE_KEY(rt, rt6i_src, ort, rt6i_src);
	WRITE_KEY(rt, rt6i_prefsrc, ort, rt6i_prefsrc);
	WRITE(rt, rt6i_table, READ(ort, rt6i_table));
	if (has(DST_LWTSTATE))
		(void)READ(&ort->dst, lwtstate);
}

/* With a reference; the null entry where there is no memory. */
static struct rt6_info *rt6_make_pcpu_route(struct net *net,
					    struct rt6_info *rt)
{
	struct fib6_table *table = READ(rt, rt6i_table);
	struct net_device *dev;
	struct rt6i_pcpu *slot;
	struct rt6_info *pcpu_rt;

	FUNCTION(rt6_make_pcpu_route);
	dev = READ(&rt->dst, dev);
	pcpu_rt = ip6_dst_alloc(net, dev, READ(&rt->dst, flags));
	if (!pcpu_rt) {
		rt = READ(net, ipv6.ip6_null_entry);
		ATOMIC_INC(&rt->dst, __refcnt);
		return rt;
	}
	ip6_rt_copy_init(pcpu_rt, rt, RTF_PCPU);
	local_bh_disable();
	READ_LOCK(table, tb6_lock);
	THIS_CPU_PTR();
	slot = READ(rt, rt6i_pcpu)[this_cpu->id];
	(void)ATOMIC_XCHG(slot, rt, pcpu_rt);
	ATOMIC_INC(&pcpu_rt->dst, __refcnt);
	rt6_dst_from_metrics_check(pcpu_rt);
	READ_UNLOCK(table, tb6_lock);
	local_bh_enable();
	return pcpu_rt;
}

struct rt6_info *ip6_rt_cache_alloc_leaf(struct net *net, struct rt6_info *rt,
					 const struct in6_addr *daddr)
{
	struct rt6_info *ort = rt, *nrt;

	FUNCTION(ip6_rt_cache_alloc);
	if (READ(rt, rt6i_flags) & (RTF_CACHE | RTF_PCPU))
		ort = rt6_from(rt);
	nrt = ip6_dst_alloc(net, READ(&ort->dst, dev), DST_HOST);
	if (!nrt)
		return NULL;
	ip6_rt_copy_init(nrt, ort, RTF_CACHE);
	WRITE(nrt, rt6i_metric, 0);
	WRITE_ADDR6(nrt, rt6i_dst.addr, *daddr);
	WRITE(nrt, rt6i_dst.plen, 128);
	return nrt;
}

/* With a reference; NULL: this CPU has none yet. */
static struct rt6_info *rt6_get_pcpu_route(struct rt6_info *rt)
{
	struct rt6i_pcpu *slot;
	struct rt6_info *pcpu_rt;

	THIS_CPU_PTR();
	slot = READ(rt, rt6i_pcpu)[this_cpu->id];
	pcpu_rt = READ(slot, rt);
	if (!pcpu_rt)
		return NULL;
	ATOMIC_INC(&pcpu_rt->dst, __refcnt);
	rt6_dst_from_metrics_check(pcpu_rt);
	return pcpu_rt;
}

/* ---- the look-up ---- */

/* The leaf, where the table's lock is held. */
static struct rt6_info *find_leaf(struct net *net, struct fib6_table *table,
				  u32 oif, const struct flowi6 *fl6, u32 strict)
{
	struct rt6_info *null = READ(net, ipv6.ip6_null_entry), *rt;
	struct fib6_node *first, *fn;

	first = fib6_node_lookup(&table->tb6_root, &fl6->daddr, &fl6->saddr);
	fn = first;
	for (;;) {
		rt = rt6_select(net, fn, oif, strict);
		(void)READ(rt, rt6i_nsiblings);	/* one way only */
		if (rt != null)
			return rt;
		fn = fib6_backtrack(fn, &fl6->saddr);
		if (fn)
			continue;
		if (!(strict & RT6_LOOKUP_F_REACHABLE))
			return rt;
		/* Then one whose gateway may be gone. */
		strict &= ~RT6_LOOKUP_F_REACHABLE;
		fn = first;
	}
}

/* All CPUs write here: nothing orders it but the order of stores. */
static void mark_used(struct rt6_info *rt)
{
	u32 use;

	WRITE_ONCE(&rt->dst, lastuse, JIFFIES());
	use = READ_ONCE(&rt->dst, __use);
	WRITE_ONCE(&rt->dst, __use, use + 1);
}

static struct rt6_info *ip6_pol_route(struct net *net, struct fib6_table *table,
				      u32 oif, struct flowi6 *fl6, u32 flags)
{
	u32 strict = flags & RT6_LOOKUP_F_IFACE;
	struct rt6_info *rt, *pcpu_rt;

	FUNCTION(ip6_pol_route);
	if (!READ(READ(net, ipv6.devconf_all), cnf.forwarding))
		strict |= RT6_LOOKUP_F_REACHABLE;
	local_bh_disable();
	READ_LOCK(table, tb6_lock);
	rt = find_leaf(net, table, oif, fl6, strict);
	if (rt == READ(net, ipv6.ip6_null_entry) ||
	    READ_ONCE(rt, rt6i_flags) & RTF_CACHE) {
		ATOMIC_INC(&rt->dst, __refcnt);
		mark_used(rt);
		READ_UNLOCK(table, tb6_lock);
		local_bh_enable();
		return rt;
	}
	mark_used(rt);
	pcpu_rt = rt6_get_pcpu_route(rt);
	if (!pcpu_rt)
		ATOMIC_INC(&rt->dst, __refcnt);
	READ_UNLOCK(table, tb6_lock);
	local_bh_enable();
	if (!pcpu_rt) {
		pcpu_rt = rt6_make_pcpu_route(net, rt);
		dst_release(&rt->dst);
	}
	return pcpu_rt;
}

static struct rt6_info *ip6_pol_route_output(struct net *net,
					     struct fib6_table *table,
					     struct flowi6 *fl6, u32 flags)
{
	return ip6_pol_route(net, table, fl6->flowi6_oif, fl6, flags);
}

struct rt6_info *ip6_pol_route_input_pcpu(struct net *net,
					  struct fib6_table *table,
					  struct flowi6 *fl6, u32 flags)
{
	return ip6_pol_route(net, table, fl6->flowi6_iif, fl6, flags);
}

struct rt6_info *ip6_route_output_pcpu(struct net *net, struct sock *sk,
				       struct flowi6 *fl6)
{
	u32 flags = 0;
	bool any_src;

	FUNCTION(ip6_route_output_flags);
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

/* ---- the end of a leaf ---- */

/* It is out of the trie: its copies go, but for those that somebody holds; the
 * slots are free for another leaf. */
void rt6_free_pcpu(struct rt6_info *rt)
{
	struct rt6i_pcpu **cells = rt->rt6i_pcpu;
	u32 i;

	if (!cells)
		return;
	for (i = 0; i < this_cpu->machine->num_cpus; i++) {
		struct rt6_info *pcpu_rt = cells[i]->rt;

		cells[i]->rt = NULL;
		if (!pcpu_rt || pcpu_rt->dst.__refcnt > 0)
			continue;
		rt->dst.__refcnt--;
		rt6_free(pcpu_rt);
	}
	rt->rt6i_pcpu = NULL;
	g_ptr_array_add(this_kernel()->ipv6->spare_cells, cells);
}
