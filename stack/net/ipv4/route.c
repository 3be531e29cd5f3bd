/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c: routes for packets that this host sends.
 *
 * A look-up ends at a nexthop of the FIB.  Each nexthop keeps one ready route
 * a CPU (nh_pcpu_rth_output), so CPUs do not share its reference count; where
 * it is stale, a new one takes its place.  Before IPV4_NEXTHOP_ROUTES there was
 * a cache by flows instead (route_cache.c).
 */
#include <errno.h>
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/route_cache.h"
#include "stack/net/ipv4/udp.h"

bool rt_is_expired(struct rtable *rt)
{
	struct net *net;
	u32 genid;

	if (has(DEV_NET_RCU))
		rcu_read_lock();
	genid = READ(rt, rt_genid);
	net = READ(READ(&rt->dst, dev), nd_net);
	genid -= READ(net, rt_genid);
	if (has(DEV_NET_RCU))
		rcu_read_unlock();
	return genid;
}

static struct dst_entry *ipv4_dst_check(struct dst_entry *dst, u32 cookie)
{
	struct rtable *rt = (struct rtable *)(void *)dst;

	FUNCTION(ipv4_dst_check);
	(void)cookie;
	if (READ(dst, obsolete) == DST_OBSOLETE_KILL ||
	    dst->obsolete == DST_OBSOLETE_DEAD)
		return NULL;
	if (rt_is_expired(rt))
		return NULL;
	if (!has(IPV4_NEXTHOP_ROUTES))
		(void)READ(rt, rt_peer_genid);
	return dst;
}

/* What a packet that is forwarded may use too, but for the path's MTU, which
 * anybody could have forged. */
static u32 ip_dst_mtu_maybe_forward(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	struct dst_metrics *metrics = this_kernel()->ipv4->metrics;
	struct net *net = READ(READ(dst, dev), nd_net);
	u32 mtu;

	(void)READ(net, ipv4.sysctl_ip_fwd_use_pmtu);
	mtu = READ(rt, rt_pmtu);
	if (!mtu || !rt_pmtu_holds(rt)) {
		(void)READ(dst, _metrics);
		mtu = READ_AT(metrics, metrics, 1);
	}
	if (!mtu) {
		mtu = READ(READ(dst, dev), mtu);
		/* Locked by an administrator?  Then a gateway counts. */
		if (!READ(rt, rt_mtu_locked))
			(void)READ_AT(metrics, metrics, 0);
	}
	(void)READ(dst, lwtstate);
	return MIN(mtu, 0xffffu);
}

/* Routes without metrics of their own share the default ones. */
u32 ipv4_mtu(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	u32 mtu;

	FUNCTION(ipv4_mtu);
	if (has(IPV4_MTU_FORWARD)) {
		if (has(DEV_NET_RCU))
			rcu_read_lock();
		mtu = ip_dst_mtu_maybe_forward(dst);
		if (has(DEV_NET_RCU))
			rcu_read_unlock();
		return mtu;
	}
	if (!has(IPV4_NEXTHOP_ROUTES))
		return rt_cache_mtu(dst);
	mtu = READ(rt, rt_pmtu);
	if (mtu && rt_pmtu_holds(rt))
		return mtu;
	(void)READ(dst, _metrics);
	mtu = READ_AT(this_kernel()->ipv4->metrics, metrics, 1);
	if (mtu)
		return mtu;
	mtu = READ(READ(dst, dev), mtu);
	(void)READ_AT(this_kernel()->ipv4->metrics, metrics, 0);
	return MIN(mtu, 0xffffu);
}

static struct rtable *dst_alloc(struct net_device *dev, u16 flags)
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
	WRITE(&rt->dst, flags, flags);
	WRITE(&rt->dst, __refcnt, 1);
	return rt;
}

struct rtable *rt_dst_alloc(struct net_device *dev, bool noxfrm)
{
	GPtrArray *routes = this_kernel()->ipv4->cached_routes;
	struct rtable *rt = dst_alloc(dev, DST_HOST |
				      (noxfrm ? DST_NOXFRM : 0));

	if (rt) {
		rt->number = routes->len;
		g_ptr_array_add(routes, rt);
	}
	return rt;
}

struct rtable *rt_dst_alloc_once(struct net_device *dev)
{
	return dst_alloc(dev, DST_HOST | DST_NOCACHE);
}

void rt_dst_free(struct rtable *rt)
{
	GPtrArray *routes = this_kernel()->ipv4->cached_routes;
	struct rtable *last = g_ptr_array_index(routes, routes->len - 1);

	last->number = rt->number;
	g_ptr_array_remove_index_fast(routes, rt->number);
	kmem_cache_free(this_kernel()->ipv4->rtable_cache, rt);
}

/* The last reference is gone, and all who might look at it. */
static void ipv4_dst_destroy(struct dst_entry *dst)
{
	if (dst->flags & DST_NOCACHE)
		kmem_cache_free(this_kernel()->ipv4->rtable_cache, dst);
	else
		rt_dst_free((struct rtable *)(void *)dst);
}

void rt_uncache(struct rtable *rt)
{
	if (rt && !--rt->dst.__refcnt)
		rt_dst_free(rt);
}

bool rt_cache_valid(struct rtable *rt)
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

/* A route that no CPU has ready, or not any more. */
static struct rtable *rt_new_output(const struct fib_result *res,
				    struct net_device *dev_out,
				    struct nh_pcpu_rth *slot,
				    struct fib_nh_exception *fnhe, u32 daddr,
				    u32 flags, int *err)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	struct rtable *rt = rt_dst_alloc(dev_out, false);

	*err = -ENOBUFS;
	if (!rt)
		return NULL;
	WRITE(&rt->dst, output, ip_output);
	if (flags & (RTCF_LOCAL | RTCF_BROADCAST))
		WRITE(&rt->dst, input, ip_local_deliver);
	WRITE(rt, rt_genid, READ(this_kernel()->init_net, rt_genid));
	WRITE(rt, rt_flags, flags);
	WRITE(rt, rt_type, res->type);
	WRITE(rt, rt_gateway, 0);
	if (has(FIB_NEXTHOP_COMMON))
		WRITE(rt, rt_gw_family, 0);
	if (READ(nh, nh_gw) && READ(nh, nh_scope) == RT_SCOPE_LINK) {
		WRITE(rt, rt_gateway, READ(nh, nh_gw));
		WRITE(rt, rt_uses_gateway, 1);
		if (has(FIB_NEXTHOP_COMMON))
			WRITE(rt, rt_gw_family, READ(nh, nh_gw_family));
	}
	if (fnhe)
		rt_bind_exception(rt, fnhe, daddr);
	else
		rt_cache_route(slot, rt);
	*err = 0;
	return rt;
}

static struct rtable *__mkroute_output(const struct fib_result *res, u32 daddr,
				       struct net_device *dev_out, int *err)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	const struct fnhe_hash_bucket *hash;
	struct fib_nh_exception *fnhe;
	struct in_device *in_dev;
	struct nh_pcpu_rth *slot = NULL;
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
	hash = READ(nh, nh_exceptions);
	fnhe = hash ? fnhe_lookup(nh, hash, daddr) : NULL;
	if (fnhe) {
		rt = READ_ONCE(fnhe, fnhe_rth_output);
	} else {
		slot = READ(nh, nh_pcpu_rth_output)[this_cpu->id];
		rt = READ(slot, rth);
	}
	if (rt_cache_valid(rt)) {
		ATOMIC_INC(&rt->dst, __refcnt);
		*err = 0;
		return rt;
	}
	return rt_new_output(res, dev_out, slot, fnhe, daddr, flags, err);
}

/* The tables in the order without rules: local addresses, then the rest; or
 * both in one trie. */
int fib_lookup(struct net *net, const struct fib_key *key,
		      struct fib_result *res)
{
	int err;

	this_kernel()->ipv4->fib_lookups++;
	if (READ(net, ipv4.fib_has_custom_rules))
		g_assert_not_reached();	/* rules come later */
	if (has(FIB_TRIE_KEY_VECTOR)) {
		rcu_read_lock();
		err = tb_lookup(READ(net, ipv4.fib_main), key, res);
		if (err)
			(void)READ(net, ipv4.fib_default);	/* none */
		rcu_read_unlock();
		return err == -EAGAIN ? -ENETUNREACH : err;
	}
	err = tb_lookup(READ(net, ipv4.fib_local), key, res);
	if (err == -ENETUNREACH)
		err = tb_lookup(READ(net, ipv4.fib_main), key, res);
	return err;
}

/* The preferred source of the route, else that of its nexthop. */
u32 fib_res_prefsrc(struct net *net, const struct fib_result *res)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	u32 prefsrc = READ(res->fi, fib_prefsrc);

	(void)net;
	if (prefsrc)
		return prefsrc;
	(void)READ(nh, nh_saddr_genid);
	return READ(nh, nh_saddr);
}

/* To this host itself, from the address that it goes to. */
static struct net_device *local_device(struct net *net,
				       const struct fib_result *res,
				       struct flowi4 *fl4)
{
	struct fib_nh *nh = FIB_RES_NH(*res);

	if (!fl4->saddr) {
		u32 prefsrc = READ(res->fi, fib_prefsrc);

		fl4->saddr = prefsrc ? prefsrc : fl4->daddr;
	}
	if (has(L3MDEV_OUT)) {		/* the device may be of a VRF */
		(void)READ(READ(nh, nh_dev), priv_flags);
		(void)READ(nh, nh_oif);
	}
	return READ(net, loopback_dev);
}

struct net_device *ip_route_output_device(struct net *net, struct flowi4 *fl4,
					  struct fib_result *res, int *err)
{
	struct fib_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.oif = fl4->flowi4_oif, .tos = fl4->flowi4_tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct net_device *dev;

	*err = fib_lookup(net, &key, res);
	if (*err)
		return NULL;
	if (res->type == RTN_LOCAL) {
		dev = local_device(net, res, fl4);
	} else {
		(void)READ(res->fi, fib_nhs);
		if (!fl4->saddr)
			fl4->saddr = fib_res_prefsrc(net, res);
		dev = READ(FIB_RES_NH(*res), nh_dev);
	}
	fl4->flowi4_oif = READ(dev, ifindex);
	return dev;
}

static struct rtable *__ip_route_output_key(struct net *net,
					    struct flowi4 *fl4, int *err)
{
	struct fib_result res = { 0 };
	struct net_device *dev;

	FUNCTION(__ip_route_output_key);
	dev = ip_route_output_device(net, fl4, &res, err);
	return dev ? __mkroute_output(&res, fl4->daddr, dev, err) : NULL;
}

/* ---- from Linux 4.13 on ---- */

/* fib_result_prefsrc(): as fib_res_prefsrc(), but a function of its own. */
static u32 fib_result_prefsrc(struct net *net, const struct fib_result *res)
{
	FUNCTION(fib_result_prefsrc);
	return fib_res_prefsrc(net, res);
}

/* Which of several ways, and from which address. */
static void fib_select_path(struct net *net, struct fib_result *res,
			    struct flowi4 *fl4)
{
	FUNCTION(fib_select_path);
	STACK_PROTECTOR();
	if (!fl4->flowi4_oif) {
		if (has(FIB_NEXTHOP_COMMON))
			(void)READ(res->fi, nh);
		(void)READ(res->fi, fib_nhs);
	}
	if (fl4->saddr)
		return;
	/* The flow has no L3 master device, so its number is 0. */
	if (has(PREFSRC_L3MDEV))
		(void)dev_get_by_index_rcu(net, 0);
	fl4->saddr = fib_result_prefsrc(net, res);
}

/* What was learnt of the path to one destination. */
static struct fib_nh_exception *find_exception(const struct fib_nh *nh,
					       u32 daddr)
{
	FUNCTION(find_exception);
	const struct fnhe_hash_bucket *hash = READ(nh, nh_exceptions);

	return hash ? fnhe_lookup(nh, hash, daddr) : NULL;
}

/* May addresses of the loopback range be routed on this device? */
static bool route_localnet(const struct in_device *in_dev)
{
	struct net *net = READ(READ(in_dev, dev), nd_net);
	struct ipv4_devconf *all = READ(net, ipv4.devconf_all);

	return READ_AT(all, data, IPV4_DEVCONF_ROUTE_LOCALNET) ||
	       READ_AT(in_dev, cnf.data, IPV4_DEVCONF_ROUTE_LOCALNET);
}

/* __mkroute_output(), which is part of its only caller here. */
static struct rtable *mkroute_output_rcu(const struct fib_result *res,
					 u32 daddr, struct net_device *dev_out,
					 int *err)
{
	struct fib_nh *nh = FIB_RES_NH(*res);
	struct in_device *in_dev = READ(dev_out, ip_ptr);
	struct nh_pcpu_rth *slot = NULL;
	struct fib_nh_exception *fnhe;
	struct rtable *rt;
	u32 flags = 0;

	*err = -EINVAL;
	if (!in_dev)
		return NULL;
	(void)route_localnet(in_dev);
	(void)READ(dev_out, flags);
	if (res->type == RTN_BROADCAST)
		flags |= RTCF_BROADCAST;
	if (res->type == RTN_LOCAL)
		flags |= RTCF_LOCAL;
	fnhe = find_exception(nh, daddr);
	if (fnhe) {
		rt = READ_ONCE(fnhe, fnhe_rth_output);
	} else {
		THIS_CPU_PTR();
		slot = READ(nh, nh_pcpu_rth_output)[this_cpu->id];
		rt = READ(slot, rth);
	}
	if (!rt_cache_valid(rt))
		return rt_new_output(res, dev_out, slot, fnhe, daddr, flags,
				     err);
	if (has(DST_HOLD_SAFE))
		(void)READ(&rt->dst, __refcnt);
	ATOMIC_INC(&rt->dst, __refcnt);
	*err = 0;
	return rt;
}

static struct rtable *ip_route_output_key_hash_rcu(struct net *net,
						   struct flowi4 *fl4,
						   int *err)
{
	struct fib_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.oif = fl4->flowi4_oif, .tos = fl4->flowi4_tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };
	struct net_device *dev;

	FUNCTION(ip_route_output_key_hash_rcu);
	*err = fib_lookup(net, &key, &res);
	if (*err)
		return NULL;
	if (res.type == RTN_LOCAL) {
		dev = local_device(net, &res, fl4);
		return mkroute_output_rcu(&res, fl4->daddr, dev, err);
	}
	fib_select_path(net, &res, fl4);
	dev = READ(FIB_RES_NH(res), nh_dev);
	return mkroute_output_rcu(&res, fl4->daddr, dev, err);
}

static struct rtable *route_output_rcu(struct net *net, struct flowi4 *fl4,
				       struct sock *sk, int *err)
{
	struct rtable *rt;

	STACK_PROTECTOR();
	rcu_read_lock();
	rt = fl4->daddr >> 28 == 0xe ? ip_route_output_mc(net, fl4, err) :
	     ip_route_output_key_hash_rcu(net, fl4, err);
	rcu_read_unlock();
	if (!rt)
		return NULL;
	fl4->flowi4_oif = READ(READ(&rt->dst, dev), ifindex);
	if (fl4->flowi4_proto)
		xfrm_lookup(&rt->dst, sk);
	return rt;
}

/* ---- for all ---- */

struct rtable *ip_route_output_flow(struct net *net, struct flowi4 *fl4,
				    struct sock *sk, int *err)
{
	struct rtable *rt;

	FUNCTION(ip_route_output_flow);
	if (has(ROUTE_OUTPUT_RCU))
		return route_output_rcu(net, fl4, sk, err);
	if (fl4->daddr >> 28 == 0xe)
		rt = ip_route_output_mc(net, fl4, err);
	else
		rt = has(IPV4_NEXTHOP_ROUTES) ?
			__ip_route_output_key(net, fl4, err) :
			rt_cache_output(net, fl4, err);
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
	ipv4->ipv4_dst_ops->protocol = ETH_P_IP;
	ipv4->ipv4_dst_ops->check = ipv4_dst_check;
	ipv4->ipv4_dst_ops->mtu = ipv4_mtu;
	ipv4->ipv4_dst_ops->link_failure = ipv4_link_failure;
	if (kernel_has(kernel, IPV4_NEXTHOP_ROUTES))
		ipv4->ipv4_dst_ops->destroy = ipv4_dst_destroy;
	ipv4->metrics = STATIC_OBJECT(kernel, dst_metrics, 0);
	ip_rt_pmtu_init(kernel);
	ipv4->cached_routes = g_ptr_array_new();
	ipv4->rtable_cache = kmem_cache_create(kernel, "ip_dst_cache",
					       STRUCT_rtable,
					       sizeof(struct rtable), 0, 0,
					       SLAB_HWCACHE_ALIGN);
	if (HAS_ROUTE_CACHE(kernel))
		rt_cache_init(kernel);
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
	if (kernel->ipv4->cache)
		rt_cache_exit(kernel);
}
