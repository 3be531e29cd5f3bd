/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the half of net/ipv6/ip6_output.c that finds the route for a flow, and
 * include/net/ip6_route.h, which keeps it in the socket.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/neighbour.h"
#include "stack/net/ipv6/udp.h"

/* ---- the route in the socket ---- */

/* A route for one host is good for that host, and any route for the address
 * that it was looked up for. */
static bool is_for_daddr(struct sock *sk, struct rt6_info *rt,
			 const struct in6_addr *daddr)
{
	struct in6_addr addr;

	if (READ(rt, rt6i_dst.plen) == 128) {
		addr = READ_ADDR6(rt, rt6i_dst.addr);
		if (ipv6_addr_equal(&addr, daddr))
			return true;
	}
	if (!READ(udp6_sk(sk), inet6.daddr_cache))
		return false;
	addr = READ_ADDR6(sk, sk_v6_daddr);
	return ipv6_addr_equal(&addr, daddr);
}

static bool is_for_saddr(struct sock *sk, struct rt6_info *rt,
			 const struct in6_addr *saddr)
{
	struct in6_addr addr;

	if (!has(IPV6_SUBTREES))
		return true;
	if (READ(rt, rt6i_src.plen) == 128) {
		addr = READ_ADDR6(rt, rt6i_src.addr);
		if (ipv6_addr_equal(&addr, saddr))
			return true;
	}
	if (!READ(udp6_sk(sk), inet6.saddr_cache))
		return false;
	addr = READ_ADDR6(udp6_sk(sk), inet6.saddr);
	return ipv6_addr_equal(&addr, saddr);
}

/* Gives the route back if it is good for the flow, else drops it.  The test of
 * the family came with 3.11; before, a route of IPv4 was taken for one of IPv6,
 * so far the model does not go. */
static struct dst_entry *ip6_sk_dst_check(struct sock *sk,
					  struct dst_entry *dst,
					  const struct flowi6 *fl6)
{
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;

	(void)INET6_SK(sk);
	if (!dst)
		return NULL;
	WORK(20);
	if (READ(READ(dst, ops), family) == PF_INET6 &&
	    is_for_daddr(sk, rt, &fl6->daddr) &&
	    is_for_saddr(sk, rt, &fl6->saddr) &&
	    (!fl6->flowi6_oif ||
	     fl6->flowi6_oif == READ(READ(dst, dev), ifindex)))
		return dst;
	dst_release(dst);
	return NULL;
}

void ip6_sk_dst_store_flow(struct sock *sk, struct dst_entry *dst,
			   const struct flowi6 *fl6)
{
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;
	struct udp6_sock *up6 = INET6_SK(sk);
	struct in6_addr addr = READ_ADDR6(sk, sk_v6_daddr);
	const struct in6_addr *daddr = NULL, *saddr = NULL;

	if (ipv6_addr_equal(&addr, &fl6->daddr))
		daddr = &sk->sk_v6_daddr;
	if (has(IPV6_SUBTREES)) {
		addr = READ_ADDR6(up6, inet6.saddr);
		if (ipv6_addr_equal(&addr, &fl6->saddr))
			saddr = &up6->inet6.saddr;
	}
	SK_DST_WRITE_LOCK(sk);
	sk_setup_caps(sk, dst);
	WRITE(up6, inet6.daddr_cache, daddr);
	if (has(IPV6_SUBTREES))
		WRITE(up6, inet6.saddr_cache, saddr);
	WRITE(up6, inet6.dst_cookie, rt6_get_cookie(rt));
	SK_DST_WRITE_UNLOCK(sk);
}

/* ---- a new one ---- */

/* The source address, if the flow has none, and the route. */
static int ip6_dst_source(struct net *net, struct sock *sk,
			  struct dst_entry **dst, struct flowi6 *fl6)
{
	struct rt6_info *rt;
	u32 prefs;
	int err;

	if (!*dst)
		*dst = ip6_route_output(net, sk, fl6);
	err = READ(*dst, error);
	if (err && !has(IP6_SOURCE_RETRY))
		return err;
	if (!ipv6_addr_any(&fl6->saddr))
		return err;
	rt = err ? NULL : (struct rt6_info *)(void *)*dst;
	rcu_read_lock();
	prefs = READ(INET6_SK(sk), inet6.srcprefs);
	err = ip6_route_get_saddr(net, rt, &fl6->daddr, prefs, &fl6->saddr);
	rcu_read_unlock();
	if (err || rt)
		return err;
	/* Routes by source may know better now. */
	dst_release(*dst);
	*dst = ip6_route_output(net, sk, fl6);
	return READ(*dst, error);
}

/* The gateway, or the destination. */
static struct in6_addr rt6_nexthop(struct rt6_info *rt,
				   const struct in6_addr *daddr)
{
	u32 flags = READ(rt, rt6i_flags);

	if (flags & RTF_GATEWAY)
		return READ_ADDR6(rt, rt6i_gateway);
	if (flags & RTF_CACHE)
		return READ_ADDR6(rt, rt6i_dst.addr);
	return *daddr;
}

/* A source address that might not be this host's alone must not talk to a
 * neighbour that is not known yet.  No address of the model is so. */
static void optimistic_dad(struct dst_entry *dst, const struct flowi6 *fl6)
{
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;
	struct neighbour *n;

	if (!has(IPV6_OPTIMISTIC_DAD))
		return;
	rcu_read_lock();
	if (has(RT6_NEIGH_LOOKUP)) {
		struct in6_addr nexthop = rt6_nexthop(rt, &fl6->daddr);

		n = __ipv6_neigh_lookup_noref(READ(dst, dev), &nexthop);
	} else {
		n = READ(rt, n);
	}
	if (n)
		(void)READ_ONCE(n, nud_state);
	rcu_read_unlock();
}

/* Completes a route and a flow of which only some is known: *dst may be NULL,
 * and fl6->saddr none. */
static int ip6_dst_lookup_tail(struct net *net, struct sock *sk,
			       struct dst_entry **dst, struct flowi6 *fl6)
{
	int err;

	FUNCTION(ip6_dst_lookup_tail);
	STACK_PROTECTOR();
	err = ip6_dst_source(net, sk, dst, fl6);
	if (!err) {
		optimistic_dad(*dst, fl6);
		if (has(IP6_MAPPED_SOURCE) &&
		    ipv6_addr_v4mapped(&fl6->saddr) &&
		    !ipv6_addr_v4mapped(&fl6->daddr))
			err = -EAFNOSUPPORT;
	}
	if (!err)
		return 0;
	if (err == -ENETUNREACH)
		IP6_INC_STATS(net, NULL, IPSTATS_MIB_OUTNOROUTES);
	dst_release(*dst);
	*dst = NULL;
	return err;
}

struct dst_entry *ip6_dst_lookup_flow(struct sock *sk, struct flowi6 *fl6,
				      const struct in6_addr *final, int *err)
{
	struct net *net = READ(sk, sk_net);
	struct dst_entry *dst = NULL;

	FUNCTION(ip6_dst_lookup_flow);
	STACK_PROTECTOR();
	*err = ip6_dst_lookup_tail(net, sk, &dst, fl6);
	if (*err)
		return NULL;
	if (final)
		fl6->daddr = *final;
	xfrm_lookup(dst, sk);
	return dst;
}

struct dst_entry *ip6_sk_dst_lookup_flow(struct sock *sk, struct flowi6 *fl6,
					 const struct in6_addr *final,
					 bool connected, int *err)
{
	struct dst_entry *dst;
	u32 cookie;

	FUNCTION(ip6_sk_dst_lookup_flow);
	cookie = READ(INET6_SK(sk), inet6.dst_cookie);
	dst = sk_dst_check(sk, cookie);
	dst = ip6_sk_dst_check(sk, dst, fl6);
	if (!has(IP6_SK_DST_SKIP_XFRM)) {
		*err = ip6_dst_lookup_tail(READ(sk, sk_net), sk, &dst, fl6);
		if (*err)
			return NULL;
		if (final)
			fl6->daddr = *final;
		xfrm_lookup(dst, sk);
		return dst;
	}
	if (dst)
		return dst;
	dst = ip6_dst_lookup_flow(sk, fl6, final, err);
	if (dst && connected && has(UDP6_DST_STORE_ONCE)) {
		ATOMIC_INC(dst, __refcnt);
		ip6_sk_dst_store_flow(sk, dst, fl6);
	}
	return dst;
}
