/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c, what a router's word about the MTU of a path does to
 * the route, and net/ipv6/ip6_fib.c, how that ends.
 *
 *	udpv6_err -> ip6_sk_update_pmtu -> ip6_update_pmtu
 *		-> __ip6_rt_update_pmtu
 *	ip6_fib_timer -> fib6_run_gc
 *
 * Before 4.2 the destination has a clone of its own already, whose metric is
 * set: each socket that has it learns at once.  From 4.2 on a leaf is made for
 * the destination, from 4.18 on an exception to the nexthop; sockets look for
 * their route again.
 *
 * It holds for ten minutes.  Before 4.2 a socket keeps its clone until the
 * garbage collector, which comes every half a minute, takes it away; a look-up
 * in between finds no other place for a new clone and has the old one for
 * good.  A path that takes less than 1280 bytes counts as one of 1280: that
 * each packet would get a fragment header then is not modelled.
 */
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv6/udp.h"

/* ---- the end ---- */

/* Its time is over: true if it is gone. */
static bool fib6_age(struct rt6_info *rt)
{
	struct fib6_table *table;

	if (!rt6_has_expired(rt))
		return false;
	if (has(FIB6_RCU)) {
		rt6_remove_exception_rt(rt);
		return true;
	}
	table = READ(rt, rt6i_table);
	WRITE_LOCK(table, tb6_lock);
	if (READ(rt, rt6i_node))
		ip6_del_rt(table, &rt->dst.object);
	WRITE_UNLOCK(table, tb6_lock);
	return true;
}

/* Does it stand where a look-up finds it? */
static bool in_use(const struct rt6_info *rt)
{
	if (!(rt->rt6i_flags & RTF_CACHE) || !(rt->rt6i_flags & RTF_EXPIRES))
		return false;
	return has(FIB6_RCU) ? rt->from != NULL : rt->rt6i_node != NULL;
}

/* The kernel walks the tables for it; clones that nobody uses any more, which
 * go too, stay here. */
void fib6_run_gc(struct net *net)
{
	const GPtrArray *routes = this_kernel()->ipv6->routes;
	u32 i, more = 0, interval;

	FUNCTION(fib6_run_gc);
	for (i = routes->len; i-- > 0;) {
		struct rt6_info *rt;

		WORK(10);
		if (i >= routes->len)
			continue;	/* others went with it */
		rt = g_ptr_array_index(routes, i);
		if (in_use(rt) && !fib6_age(rt))
			more++;
	}
	interval = READ(net, ipv6.sysctl.ip6_rt_gc_interval);
	if (more)
		mod_timer(&net->ipv6.ip6_fib_timer, JIFFIES() + interval);
}

static void fib6_gc_timer_cb(struct timer_list *timer)
{
	(void)timer;
	fib6_run_gc(this_kernel()->init_net);
}

void fib6_force_start_gc(struct net *net)
{
	struct ipv6_room *room = this_kernel()->ipv6;
	u32 interval;

	if (!room->fib_timer)
		TIMER_SETUP(net, ipv6.ip6_fib_timer, fib6_gc_timer_cb);
	room->fib_timer = true;
	interval = READ(net, ipv6.sysctl.ip6_rt_gc_interval);
	mod_timer(&net->ipv6.ip6_fib_timer, JIFFIES() + interval);
}

/* ---- the route ---- */

static void rt6_do_update_pmtu(struct net *net, struct rt6_info *rt, u32 mtu)
{
	u32 flags = READ_ONCE(rt, rt6i_flags);

	if (has(RT6_PCPU) && !has(FIB6_RCU))
		WRITE_ONCE(rt, rt6i_pmtu, mtu);
	else
		dst_metric_set(&rt->dst, RTAX_MTU, mtu);
	if (!(flags & RTF_EXPIRES))
		WRITE_ONCE(&rt->dst, expires, 0);
	dst_set_expires(&rt->dst, READ(net, ipv6.sysctl.ip6_rt_mtu_expires));
	WRITE_ONCE(rt, rt6i_flags, flags | RTF_MODIFIED | RTF_EXPIRES);
}

/* What comes back has taken the way there. */
static void dst_confirm_neigh(struct dst_entry *dst,
			      const struct in6_addr *daddr)
{
	struct neighbour *neigh;

	if (!has(SOCK_PENDING_CONFIRM)) {
		dst_confirm(dst);
		return;
	}
	rcu_read_lock();
	neigh = __ipv6_neigh_lookup_noref(READ(dst, dev), daddr);
	if (neigh)
		WRITE_ONCE(neigh, confirmed, JIFFIES());
	rcu_read_unlock();
}

/* Before 4.2. */
static void update_clone(struct net *net, struct rt6_info *rt, u32 mtu)
{
	if (READ(rt, rt6i_dst.plen) != 128)
		return;
	rt6_do_update_pmtu(net, rt, mtu);
	fib6_force_start_gc(net);
}

/* From 4.2 to 4.17. */
static void insert_leaf(struct net *net, struct rt6_info *rt,
			const struct in6_addr *daddr, u32 mtu)
{
	struct rt6_info *nrt;

	if (READ_ONCE(rt, rt6i_flags) & RTF_CACHE) {
		rt6_do_update_pmtu(net, rt, mtu);
		return;
	}
	nrt = ip6_rt_cache_alloc_leaf(net, rt, daddr);
	if (!nrt)
		return;
	rt6_do_update_pmtu(net, nrt, mtu);
	if (ip6_ins_rt(READ(nrt, rt6i_table), nrt))
		fib6_force_start_gc(net);
	else
		rt6_free(nrt);
}

static void insert_exception(struct net *net, struct rt6_info *rt,
			     const struct flowi6 *fl6, u32 mtu)
{
	struct fib6_result res = { .f6i = NULL };
	struct rt6_info *nrt;

	if (READ_ONCE(rt, rt6i_flags) & RTF_CACHE) {
		rt6_do_update_pmtu(net, rt, mtu);
		rt6_update_exception_stamp_rt(rt);
		return;
	}
	rcu_read_lock();
	res.f6i = READ_ONCE(rt, from);
	if (res.f6i) {
		res.nh = &res.f6i->fib6_nh;
		res.fib6_flags = READ(res.f6i, fib6_flags);
		res.fib6_type = READ(res.f6i, fib6_type);
		nrt = ip6_rt_cache_alloc(net, &res, &fl6->daddr, &fl6->saddr);
		if (nrt) {
			rt6_do_update_pmtu(net, nrt, mtu);
			if (rt6_insert_exception(nrt, &res))
				dst_release(&nrt->dst);
		}
	}
	rcu_read_unlock();
}

static void __ip6_rt_update_pmtu(struct net *net, struct rt6_info *rt,
				 const struct flowi6 *fl6, u32 mtu)
{
	FUNCTION(__ip6_rt_update_pmtu);
	dst_confirm_neigh(&rt->dst, &fl6->daddr);
	if (mtu < IPV6_MIN_MTU && has(RT6_PMTU_MIN))
		return;
	mtu = MAX(mtu, IPV6_MIN_MTU);
	if (mtu >= dst_mtu(&rt->dst))
		return;
	if (has(FIB6_RCU))
		insert_exception(net, rt, fl6, mtu);
	else if (has(RT6_PCPU))
		insert_leaf(net, rt, &fl6->daddr, mtu);
	else
		update_clone(net, rt, mtu);
}

/* ---- entry points ---- */

/* The flow of a packet of this host, by its header. */
static struct flowi6 flow_key(struct sk_buff *skb, u32 network)
{
	const u8 *header = skb_bytes(skb, network);
	struct flowi6 fl6 = { .flowi6_oif = 0 };

	READ_SKB_DATA(skb, network, IPV6_HLEN);
	memcpy(fl6.saddr.s6_addr, header + 8, 16);
	memcpy(fl6.daddr.s6_addr, header + 24, 16);
	fl6.flowlabel = get_be32(header) & IPV6_FLOWINFO_MASK;
	return fl6;
}

static void ip6_update_pmtu(struct net *net, struct flowi6 *fl6, u32 mtu)
{
	struct dst_entry *dst;

	FUNCTION(ip6_update_pmtu);
	dst = ip6_route_output(net, NULL, fl6);
	if (!READ(dst, error))
		__ip6_rt_update_pmtu(net, (struct rt6_info *)(void *)dst, fl6,
				     mtu);
	dst_release(dst);
}

/* The kernel looks the route up by the device that heard it as well, and does
 * not make the clone for it before it has asked for the MTU. */
void rt6_pmtu_discovery(struct sk_buff *skb, u32 network, u32 mtu)
{
	struct flowi6 fl6 = flow_key(skb, network);

	ip6_update_pmtu(this_kernel()->init_net, &fl6, mtu);
}

void ip6_sk_update_pmtu(struct sk_buff *skb, u32 network, struct sock *sk,
			u32 mtu)
{
	struct flowi6 fl6 = flow_key(skb, network);
	struct net *net = READ(sk, sk_net);
	struct dst_entry *dst;
	struct in6_addr daddr;
	u32 cookie;

	FUNCTION(ip6_sk_update_pmtu);
	fl6.flowi6_oif = READ_ONCE(sk, sk_bound_dev_if);
	fl6.flowi6_mark = READ_ONCE(sk, sk_mark);
	ip6_update_pmtu(net, &fl6, mtu);
	if (!has(RT6_PMTU_SOCK))
		return;
	dst = READ_ONCE(sk, sk_dst_cache);
	if (!dst || !READ(dst, obsolete))
		return;
	cookie = READ_ONCE(udp6_sk(sk), inet6.dst_cookie);
	if (READ(READ(dst, ops), check)(dst, cookie))
		return;
	SPIN_LOCK(sk, sk_lock.slock);
	daddr = READ_ADDR6(sk, sk_v6_daddr);
	if (!READ(sk, sk_lock.owned) && !ipv6_addr_v4mapped(&daddr))
		ip6_datagram_dst_update(udp6_sk(sk), NULL);
	SPIN_UNLOCK(sk, sk_lock.slock);
}
