/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c: routes for packets that this host sends.
 *
 * A look-up ends at a nexthop of the FIB.  Each nexthop keeps one ready route
 * a CPU (nh_pcpu_rth_output), so CPUs do not share its reference count; where
 * it is stale, a new one takes its place.
 */
#include <errno.h>
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/udp.h"

/* Has the namespace's routing changed since this route was made? */
static bool rt_is_expired(struct rtable *rt)
{
	u32 genid = READ(rt, rt_genid);
	struct net *net = READ(READ(&rt->dst, dev), nd_net);

	return genid != READ(net, rt_genid);
}

static struct dst_entry *ipv4_dst_check(struct dst_entry *dst, u32 cookie)
{
	struct rtable *rt = (struct rtable *)(void *)dst;

	FUNCTION(ipv4_dst_check);
	(void)cookie;
	(void)READ(dst, obsolete);
	return rt_is_expired(rt) ? NULL : dst;
}

/* Routes without metrics of their own share the default ones. */
u32 ipv4_mtu(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	u32 mtu;

	FUNCTION(ipv4_mtu);
	mtu = READ(rt, rt_pmtu);
	if (mtu)
		return mtu;
	(void)READ(dst, _metrics);
	mtu = READ_AT(this_kernel()->ipv4->metrics, metrics, 1);
	if (mtu)
		return mtu;
	mtu = READ(READ(dst, dev), mtu);
	(void)READ_AT(this_kernel()->ipv4->metrics, metrics, 0);
	return MIN(mtu, 0xffffu);
}

static struct rtable *rt_dst_alloc(struct net_device *dev, bool noxfrm)
{
	struct rtable *rt = kmem_cache_alloc(this_kernel()->ipv4->rtable_cache,
					     GFP_ATOMIC);
	struct object object;

	FUNCTION(dst_alloc);
	if (!rt)
		return NULL;
	object = rt->dst.object;
	memset(rt, 0, sizeof(*rt));
	rt->dst.object = object;
	WRITE(&rt->dst, dev, dev);
	WRITE(&rt->dst, ops, this_kernel()->ipv4->ipv4_dst_ops);
	WRITE(&rt->dst, obsolete, DST_OBSOLETE_FORCE_CHK);
	WRITE(&rt->dst, flags, DST_HOST | (noxfrm ? DST_NOXFRM : 0));
	WRITE(&rt->dst, __refcnt, 1);
	g_ptr_array_add(this_kernel()->ipv4->cached_routes, rt);
	return rt;
}

/* Good as long as the tables have not changed since it was made. */
static bool rt_cache_valid(struct rtable *rt)
{
	return rt && READ(&rt->dst, obsolete) == DST_OBSOLETE_FORCE_CHK &&
	       !rt_is_expired(rt);
}

/* The new route becomes this CPU's; the one before loses a reference. */
static void rt_cache_route(struct nh_pcpu_rth *slot, struct rtable *rt)
{
	struct rtable *old = READ(slot, rth);

	ATOMIC_INC(&rt->dst, __refcnt);
	kmemleak_not_leak(rt);
	WRITE_ONCE(slot, rth, rt);
	if (old)
		dst_release(&old->dst);
}

static struct rtable *__mkroute_output(const struct fib_result *res,
				       struct net_device *dev_out, int *err)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	struct in_device *in_dev;
	struct nh_pcpu_rth *slot;
	struct rtable *rt;
	u32 flags = 0;

	FUNCTION(__mkroute_output);
	*err = -EINVAL;
	in_dev = READ(dev_out, ip_ptr);
	if (!in_dev)
		return NULL;
	/* May addresses of the loopback range be routed on it? */
	(void)READ_AT(in_dev, cnf.data, 25);
	(void)READ_AT(READ(this_kernel()->init_net, ipv4.devconf_all), data, 25);
	(void)READ(dev_out, flags);
	if (res->type == RTN_BROADCAST)
		flags |= RTCF_BROADCAST;
	if (res->type == RTN_LOCAL)
		flags |= RTCF_LOCAL;
	(void)READ(nh, nh_exceptions);
	slot = READ(nh, nh_pcpu_rth_output)[this_cpu->id];
	rt = READ(slot, rth);
	if (rt_cache_valid(rt)) {
		ATOMIC_INC(&rt->dst, __refcnt);
		*err = 0;
		return rt;
	}
	*err = -ENOBUFS;
	rt = rt_dst_alloc(dev_out, false);
	if (!rt)
		return NULL;
	WRITE(&rt->dst, output, ip_output);
	WRITE(rt, rt_genid, READ(this_kernel()->init_net, rt_genid));
	WRITE(rt, rt_flags, flags);
	WRITE(rt, rt_type, res->type);
	WRITE(rt, rt_gateway, 0);
	if (READ(nh, nh_gw) && READ(nh, nh_scope) == RT_SCOPE_LINK) {
		WRITE(rt, rt_gateway, READ(nh, nh_gw));
		WRITE(rt, rt_uses_gateway, 1);
	}
	rt_cache_route(slot, rt);
	*err = 0;
	return rt;
}

/* The tables in the order without rules: local addresses, then the rest. */
static int fib_lookup(struct net *net, const struct fib_key *key,
		      struct fib_result *res)
{
	int err;

	if (READ(net, ipv4.fib_has_custom_rules))
		g_assert_not_reached();	/* rules come later */
	err = fib_table_lookup(READ(net, ipv4.fib_local), key, res);
	if (err == -ENETUNREACH)
		err = fib_table_lookup(READ(net, ipv4.fib_main), key, res);
	return err;
}

/* The preferred source of the route, else that of its nexthop. */
static u32 fib_res_prefsrc(struct net *net, const struct fib_result *res)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	u32 prefsrc = READ(res->fi, fib_prefsrc);

	(void)net;
	if (prefsrc)
		return prefsrc;
	(void)READ(nh, nh_saddr_genid);
	return READ(nh, nh_saddr);
}

static struct rtable *__ip_route_output_key(struct net *net,
					    struct flowi4 *fl4, int *err)
{
	struct fib_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.oif = fl4->flowi4_oif, .tos = fl4->flowi4_tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };
	struct net_device *dev;

	FUNCTION(__ip_route_output_key);
	*err = fib_lookup(net, &key, &res);
	if (*err)
		return NULL;
	if (res.type == RTN_LOCAL) {
		/* To this host itself: the loopback device comes later. */
		*err = -ENETUNREACH;
		return NULL;
	}
	(void)READ(res.fi, fib_nhs);
	if (!fl4->saddr)
		fl4->saddr = fib_res_prefsrc(net, &res);
	dev = READ(FIB_RES_NH(res), nh_dev);
	fl4->flowi4_oif = READ(dev, ifindex);
	return __mkroute_output(&res, dev, err);
}

struct rtable *ip_route_output_flow(struct net *net, struct flowi4 *fl4,
				    struct sock *sk, int *err)
{
	struct rtable *rt;

	FUNCTION(ip_route_output_flow);
	rt = __ip_route_output_key(net, fl4, err);
	if (rt && fl4->flowi4_proto)
		xfrm_lookup(&rt->dst, sk);
	return rt;
}

void rt_cache_flush(struct net *net)
{
	UPDATE(net, rt_genid, += 1);
}

void ip_rt_init(struct kernel *kernel)
{
	struct ipv4 *ipv4 = kernel->ipv4;

	ipv4->ipv4_dst_ops = STATIC_OBJECT(kernel, dst_ops, 0);
	ipv4->ipv4_dst_ops->family = PF_INET;
	ipv4->ipv4_dst_ops->check = ipv4_dst_check;
	ipv4->ipv4_dst_ops->mtu = ipv4_mtu;
	ipv4->metrics = STATIC_OBJECT(kernel, dst_metrics, 0);
	ipv4->cached_routes = g_ptr_array_new();
	ipv4->rtable_cache = kmem_cache_create(kernel, "ip_dst_cache",
					       STRUCT_rtable,
					       sizeof(struct rtable), 0, 0,
					       SLAB_HWCACHE_ALIGN);
}

/* What is still referenced goes with the kernel. */
void ip_rt_exit(struct kernel *kernel)
{
	GPtrArray *routes = kernel->ipv4->cached_routes;
	u32 i;

	for (i = 0; i < routes->len; i++)
		kmem_cache_free(kernel->ipv4->rtable_cache,
				g_ptr_array_index(routes, i));
	g_ptr_array_unref(routes);
}
