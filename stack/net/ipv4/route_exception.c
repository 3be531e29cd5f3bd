/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/route.c, what routers say of the path to one destination: an
 * exception to the nexthop of its route (struct fib_nh_exception), in a hash
 * table by destination that each nexthop has of its own, once it needs one.
 *
 *	udp_err -> ipv4_sk_update_pmtu -> __ip_rt_update_pmtu
 *		-> update_or_create_fnhe
 *	__mkroute_output -> find_exception, rt_bind_exception
 *
 * An exception has a ready route of its own.  It holds for ten minutes: then
 * that route is used with the device's MTU again, or, with FNHE_EXPIRE_REMOVES,
 * the exception goes when it is met.  All of it is under one lock, but for
 * look-ups, which are under RCU.
 *
 * Not modelled: redirects, which would make exceptions with another gateway.
 * Kernels before 3.6, which keep it in peers, learn nothing here.
 */
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/linux/timer.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/lib/siphash.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/udp.h"

#define FNHE_RECLAIM_DEPTH 5u
#define IP_RT_MIN_PMTU (512u + 20u + 20u)
#define IP_RT_MTU_EXPIRES_S (10u * 60u)

/* Made with the first exception, so that nobody pays for it before. */
static struct fnhe_vars *fnhe_vars(void)
{
	struct kernel *kernel = this_kernel();
	struct fnhe_vars *vars = kernel->ipv4->fnhe;

	if (vars)
		return vars;
	vars = STATIC_OBJECT(kernel, fnhe_vars, 0);
	vars->ip_rt_min_pmtu = kernel->init_net->ipv4.ip_rt_min_pmtu;
	vars->ip_rt_mtu_expires = kernel->init_net->ipv4.ip_rt_mtu_expires;
	random_seed(&vars->random, kernel->machine->seed, "exceptions", 0);
	vars->fnhe_hash_key[0] = random_u64(&vars->random);
	vars->fnhe_hash_key[1] = random_u64(&vars->random);
	kernel->ipv4->fnhe = vars;
	return vars;
}

void ip_rt_pmtu_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;

	net->ipv4.ip_rt_min_pmtu = IP_RT_MIN_PMTU;
	net->ipv4.ip_rt_mtu_expires = IP_RT_MTU_EXPIRES_S *
				      kernel->parameters.hz;
}

u32 ip_rt_min_pmtu(void)
{
	return has(PMTU_NETNS) ?
		READ(this_kernel()->init_net, ipv4.ip_rt_min_pmtu) :
		READ(fnhe_vars(), ip_rt_min_pmtu);
}

u32 ip_rt_mtu_expires(void)
{
	return has(PMTU_NETNS) ?
		READ(this_kernel()->init_net, ipv4.ip_rt_mtu_expires) :
		READ(fnhe_vars(), ip_rt_mtu_expires);
}

bool rt_pmtu_holds(const struct rtable *rt)
{
	u64 expires = READ_ONCE(&rt->dst, expires);

	return time_before(JIFFIES(), expires);
}

/* ---- the hash table ---- */

static u32 fnhe_hashfun(u32 daddr)
{
	struct fnhe_vars *vars = fnhe_vars();
	u64 key[2];

	if (!has(FNHE_HASH_SECRET)) {
		const u32 hval = __builtin_bswap32(daddr);

		WORK(6);
		return (hval ^ hval >> 11 ^ hval >> 22) & (FNHE_HASH_SIZE - 1);
	}
	key[0] = READ_AT(vars, fnhe_hash_key, 0);
	if (!has(FNHE_HASH_SIPHASH)) {
		WORK(30);
		return (jhash2(&daddr, 1, (u32)key[0]) * 0x61c88647u) >>
		       (32 - FNHE_HASH_SHIFT);
	}
	key[1] = READ_AT(vars, fnhe_hash_key, 1);
	WORK(110);
	return (u32)((siphash(key, &daddr, sizeof(daddr)) *
		      0x61c8864680b583ebull) >> (64 - FNHE_HASH_SHIFT));
}

/* Its routes are good for nobody from now on. */
static void fnhe_flush_routes(struct fib_nh_exception *fnhe)
{
	struct rtable *rt = READ_ONCE(fnhe, fnhe_rth_output);

	if (!rt)
		return;
	WRITE_ONCE(fnhe, fnhe_rth_output, NULL);
	WRITE_ONCE(&rt->dst, obsolete, DST_OBSOLETE_DEAD);
	dst_release(&rt->dst);
}

static void fnhe_unlink(struct fnhe_hash_bucket *hash, u32 hval,
			struct fib_nh_exception *before,
			struct fib_nh_exception *fnhe)
{
	struct fib_nh_exception *next = READ_ONCE(fnhe, fnhe_next);

	if (before)
		WRITE_ONCE(before, fnhe_next, next);
	else
		WRITE_ONCE_AT(hash, chain, hval, next);
	fnhe_flush_routes(fnhe);
	this_kernel()->ipv4->fnhe->count--;
	KFREE_RCU(fnhe, rcu);
}

/* It has expired: unless somebody was first, it goes. */
static void ip_del_fnhe(const struct fib_nh *nh, u32 daddr)
{
	struct fnhe_hash_bucket *hash = READ_ONCE(nh, nh_exceptions);
	struct fib_nh_exception *fnhe, *before = NULL;
	struct fnhe_vars *vars = fnhe_vars();
	u32 hval = fnhe_hashfun(daddr);

	FUNCTION(ip_del_fnhe);
	SPIN_LOCK_BH(vars, fnhe_lock);
	for (fnhe = READ_ONCE_AT(hash, chain, hval); fnhe;
	     fnhe = READ_ONCE(fnhe, fnhe_next)) {
		if (READ_ONCE(fnhe, fnhe_daddr) == daddr) {
			fnhe_unlink(hash, hval, before, fnhe);
			break;
		}
		before = fnhe;
	}
	SPIN_UNLOCK_BH(vars, fnhe_lock);
}

struct fib_nh_exception *fnhe_lookup(const struct fib_nh *nh,
				     const struct fnhe_hash_bucket *hash,
				     u32 daddr)
{
	struct fib_nh_exception *fnhe;
	u64 expires;
	u32 hval;

	hval = fnhe_hashfun(daddr);
	for (fnhe = READ_ONCE_AT(hash, chain, hval); fnhe;
	     fnhe = READ_ONCE(fnhe, fnhe_next)) {
		WORK(6);
		if (READ_ONCE(fnhe, fnhe_daddr) != daddr)
			continue;
		if (!has(FNHE_EXPIRE_REMOVES))
			return fnhe;
		expires = READ_ONCE(fnhe, fnhe_expires);
		if (!expires || !time_after(JIFFIES(), expires))
			return fnhe;
		ip_del_fnhe(nh, daddr);
		return NULL;
	}
	return NULL;
}

/* ---- routes ---- */

static void fill_route_from_fnhe(struct rtable *rt,
				 struct fib_nh_exception *fnhe)
{
	WRITE_ONCE(rt, rt_pmtu, READ_ONCE(fnhe, fnhe_pmtu));
	if (has(PMTU_MIN_LOCKS))
		WRITE_ONCE(rt, rt_mtu_locked,
			   READ_ONCE(fnhe, fnhe_mtu_locked));
	WRITE_ONCE(&rt->dst, expires, READ_ONCE(fnhe, fnhe_expires));
}

/* Has what was learnt been flushed since? */
static void fnhe_check_genid(struct fib_nh_exception *fnhe)
{
	u32 genid = READ_ONCE(this_kernel()->init_net, fnhe_genid);

	if (READ_ONCE(fnhe, fnhe_genid) == genid)
		return;
	WRITE_ONCE(fnhe, fnhe_genid, genid);
	WRITE_ONCE(fnhe, fnhe_pmtu, 0);
	WRITE_ONCE(fnhe, fnhe_expires, 0);
	fnhe_flush_routes(fnhe);
}

bool rt_bind_exception(struct rtable *rt, struct fib_nh_exception *fnhe,
		       u32 daddr)
{
	struct fnhe_vars *vars = fnhe_vars();
	struct rtable *old;
	bool same;

	FUNCTION(rt_bind_exception);
	SPIN_LOCK_BH(vars, fnhe_lock);
	same = READ_ONCE(fnhe, fnhe_daddr) == daddr;
	if (same) {
		if (has(FNHE_REFRESH))
			fnhe_check_genid(fnhe);
		old = READ_ONCE(fnhe, fnhe_rth_output);
		fill_route_from_fnhe(rt, fnhe);
		ATOMIC_INC(&rt->dst, __refcnt);
		kmemleak_not_leak(rt);
		WRITE_ONCE(fnhe, fnhe_rth_output, rt);
		if (old)
			dst_release(&old->dst);
		WRITE_ONCE(fnhe, fnhe_stamp, JIFFIES());
	}
	SPIN_UNLOCK_BH(vars, fnhe_lock);
	return same;
}

/* ---- what is learnt ---- */

/* The one that was used the longest time ago, of a chain that is not empty. */
static struct fib_nh_exception *fnhe_oldest(struct fnhe_hash_bucket *hash,
					    u32 hval,
					    struct fib_nh_exception **before)
{
	struct fib_nh_exception *oldest = READ_ONCE_AT(hash, chain, hval);
	struct fib_nh_exception *fnhe, *last = oldest;
	u64 stamp = READ_ONCE(oldest, fnhe_stamp), other;

	*before = NULL;
	while ((fnhe = READ_ONCE(last, fnhe_next))) {
		other = READ_ONCE(fnhe, fnhe_stamp);
		if (time_before(other, stamp)) {
			oldest = fnhe;
			stamp = other;
			*before = last;
		}
		last = fnhe;
	}
	return oldest;
}

/* The chain must not grow without end: the oldest goes, or in the first kernels
 * is used again. */
static struct fib_nh_exception *fnhe_reclaim(struct fnhe_vars *vars,
					     struct fnhe_hash_bucket *hash,
					     u32 hval, u32 depth)
{
	struct fib_nh_exception *fnhe, *before;
	u32 max = FNHE_RECLAIM_DEPTH;

	if (!has(FNHE_HASH_SIPHASH)) {
		if (depth <= max)
			return NULL;
		fnhe = fnhe_oldest(hash, hval, &before);
		fnhe_flush_routes(fnhe);
		return fnhe;
	}
	max += (u32)random_below(&vars->random, FNHE_RECLAIM_DEPTH);
	for (; depth > max; depth--) {
		fnhe = fnhe_oldest(hash, hval, &before);
		fnhe_unlink(hash, hval, before, fnhe);
	}
	return NULL;
}

/* The nexthop's ready routes: who has one asks again whether it is good. */
static void kill_cached_routes(const struct fib_nh *nh)
{
	struct rtable *rt = READ_ONCE(nh, nh_rth_input);
	u32 cpu;

	if (rt)
		WRITE_ONCE(&rt->dst, obsolete, DST_OBSOLETE_KILL);
	for (cpu = 0; cpu < this_cpu->machine->num_cpus; cpu++) {
		rt = READ_ONCE(READ(nh, nh_pcpu_rth_output)[cpu], rth);
		if (rt)
			WRITE_ONCE(&rt->dst, obsolete, DST_OBSOLETE_KILL);
	}
}

static struct fib_nh_exception *fnhe_new(struct fnhe_hash_bucket *hash,
					 u32 hval)
{
	struct fib_nh_exception *fnhe = KMALLOC(fib_nh_exception, GFP_ATOMIC);

	if (!fnhe)
		return NULL;
	memset((char *)fnhe + sizeof(fnhe->object), 0,
	       sizeof(*fnhe) - sizeof(fnhe->object));
	kmemleak_not_leak(fnhe);
	this_kernel()->ipv4->fnhe->count++;
	WRITE_ONCE(fnhe, fnhe_next, READ_ONCE_AT(hash, chain, hval));
	WRITE_ONCE_AT(hash, chain, hval, fnhe);
	return fnhe;
}

static struct fnhe_hash_bucket *nh_hash(struct fib_nh *nh)
{
	struct fnhe_hash_bucket *hash = READ_ONCE(nh, nh_exceptions);

	if (hash)
		return hash;
	hash = KMALLOC(fnhe_hash_bucket, GFP_ATOMIC);
	if (!hash)
		return NULL;
	memset(hash->chain, 0, sizeof(hash->chain));
	kmemleak_not_leak(hash);
	WRITE_ONCE(nh, nh_exceptions, hash);
	return hash;
}

static void set_exception(struct fib_nh_exception *fnhe, u32 pmtu, bool lock,
			  u64 expires)
{
	WRITE_ONCE(fnhe, fnhe_pmtu, pmtu);
	if (has(PMTU_MIN_LOCKS))
		WRITE_ONCE(fnhe, fnhe_mtu_locked, lock);
	WRITE_ONCE(fnhe, fnhe_expires, MAX(expires, 1));
}

static void update_or_create_fnhe(struct fib_nh *nh, u32 daddr, u32 pmtu,
				  bool lock, u64 expires)
{
	u32 hval = fnhe_hashfun(daddr), depth = 0;
	struct fnhe_vars *vars = fnhe_vars();
	struct fib_nh_exception *fnhe;
	struct fnhe_hash_bucket *hash;
	struct rtable *rt;

	FUNCTION(update_or_create_fnhe);
	SPIN_LOCK_BH(vars, fnhe_lock);
	hash = nh_hash(nh);
	if (!hash)
		goto out_unlock;
	for (fnhe = READ_ONCE_AT(hash, chain, hval); fnhe;
	     fnhe = READ_ONCE(fnhe, fnhe_next), depth++)
		if (READ_ONCE(fnhe, fnhe_daddr) == daddr)
			break;
	if (fnhe) {
		if (has(FNHE_REFRESH))
			fnhe_check_genid(fnhe);
		set_exception(fnhe, pmtu, lock, expires);
		rt = READ_ONCE(fnhe, fnhe_rth_output);
		if (rt && has(FNHE_REFRESH))
			fill_route_from_fnhe(rt, fnhe);
	} else {
		fnhe = fnhe_reclaim(vars, hash, hval, depth);
		if (!fnhe)
			fnhe = fnhe_new(hash, hval);
		if (!fnhe)
			goto out_unlock;
		WRITE_ONCE(fnhe, fnhe_daddr, daddr);
		if (has(FNHE_REFRESH))
			WRITE_ONCE(fnhe, fnhe_genid,
				   READ_ONCE(this_kernel()->init_net,
					     fnhe_genid));
		set_exception(fnhe, pmtu, lock, expires);
		if (has(FNHE_REFRESH))
			kill_cached_routes(nh);
	}
	WRITE_ONCE(fnhe, fnhe_stamp, JIFFIES());
out_unlock:
	SPIN_UNLOCK_BH(vars, fnhe_lock);
}

/* Is that worth a word?  Anybody can forge the message, so it can only make a
 * path narrower, and not too narrow. */
static bool pmtu_is_news(struct rtable *rt, u32 *mtu, bool *lock)
{
	u32 old, min = ip_rt_min_pmtu();
	u64 expires;

	*lock = false;
	if (has(PMTU_MIN_LOCKS) && READ_ONCE(rt, rt_mtu_locked))
		return false;
	if (has(PMTU_NO_INCREASE)) {
		old = ipv4_mtu(&rt->dst);
		if (old < *mtu)
			return false;
		if (*mtu < min && has(PMTU_MIN_LOCKS)) {
			*lock = true;
			min = MIN(old, min);
		}
	}
	*mtu = MAX(*mtu, min);
	if (!has(FNHE_REFRESH) || *lock || READ_ONCE(rt, rt_pmtu) != *mtu)
		return true;
	/* The same again: not before half of its time is over. */
	expires = READ_ONCE(&rt->dst, expires);
	expires -= ip_rt_mtu_expires() / 2;
	return !time_before(JIFFIES(), expires);
}

static void __ip_rt_update_pmtu(struct net *net, struct rtable *rt,
				const struct flowi4 *fl4, u32 mtu)
{
	struct fib_key key = {
		.daddr = fl4->daddr, .saddr = fl4->saddr,
		.oif = fl4->flowi4_oif, .tos = fl4->flowi4_tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };
	u64 expires;
	bool lock;

	FUNCTION(__ip_rt_update_pmtu);
	if (!pmtu_is_news(rt, &mtu, &lock))
		return;
	rcu_read_lock();
	if (!fib_lookup(net, &key, &res)) {
		expires = JIFFIES();
		expires += ip_rt_mtu_expires();
		update_or_create_fnhe(FIB_RES_NH(res), fl4->daddr, mtu, lock,
				      expires);
	}
	rcu_read_unlock();
}

/* The flow of a datagram that this socket sent, by its header. */
static struct flowi4 flow_key(struct sk_buff *skb, u32 network, struct sock *sk)
{
	const u8 *iph = skb_bytes(skb, network);
	struct flowi4 fl4 = { 0 };

	READ_SKB_DATA(skb, network, IP_HLEN);
	fl4.daddr = get_be32(iph + 16);
	fl4.saddr = get_be32(iph + 12);
	fl4.flowi4_tos = iph[1];
	fl4.flowi4_oif = READ_ONCE(sk, sk_bound_dev_if);
	fl4.flowi4_mark = READ_ONCE(sk, sk_mark);
	return fl4;
}

/* The route of the flow, whatever the socket has. */
static void update_by_flow(struct net *net, struct flowi4 *fl4, u32 mtu)
{
	struct flowi4 key = *fl4;
	struct rtable *rt;
	int err;

	rt = ip_route_output_flow(net, fl4, NULL, &err);
	if (!rt)
		return;
	__ip_rt_update_pmtu(net, rt, &key, mtu);
	dst_release(&rt->dst);
}

/* The socket's own route; another takes its place if it is not good any more.
 * True: *rt is another. */
static bool socket_route(struct net *net, struct flowi4 *fl4, struct sock *sk,
			 struct rtable **rt)
{
	struct flowi4 flow = *fl4;
	struct dst_ops *ops;
	int err;

	if (!READ(&(*rt)->dst, obsolete))
		return false;
	ops = READ(&(*rt)->dst, ops);
	if (READ(ops, check)(&(*rt)->dst, 0))
		return false;
	flow.flowi4_proto = READ(sk, sk_protocol);
	*rt = ip_route_output_flow(net, &flow, sk, &err);
	return true;
}

/* The socket's lock is held; `old` is its route. */
static void update_socket_route(struct net *net, struct flowi4 *fl4,
				struct sock *sk, struct rtable *old, u32 mtu)
{
	struct rtable *rt = old, *held;

	socket_route(net, fl4, sk, &rt);
	if (!rt)
		return;
	__ip_rt_update_pmtu(net, rt, fl4, mtu);
	held = rt;
	if (socket_route(net, fl4, sk, &rt) && held != old)
		dst_release(&held->dst);
	if (rt && rt != old)
		sk_dst_set(sk, &rt->dst);
}

/* Does the socket believe what routers say of its path? */
static bool ip_sk_accept_pmtu(struct sock *sk)
{
	u8 pmtudisc;

	if (!has(IP_FWD_USE_PMTU))
		return true;
	pmtudisc = READ((const struct inet_sock *)(void *)sk, pmtudisc);
	return pmtudisc != IP_PMTUDISC_INTERFACE &&
	       pmtudisc != IP_PMTUDISC_OMIT;
}

void ipv4_sk_update_pmtu(struct sk_buff *skb, u32 network, struct sock *sk,
			 u32 mtu)
{
	struct flowi4 fl4 = flow_key(skb, network, sk);
	struct net *net = READ(sk, sk_net);
	struct dst_entry *dst;

	FUNCTION(ipv4_sk_update_pmtu);
	if (!has(PMTU_SOCK_ROUTE)) {
		update_by_flow(net, &fl4, mtu);
		return;
	}
	SPIN_LOCK(sk, sk_lock.slock);
	if (!ip_sk_accept_pmtu(sk)) {
		SPIN_UNLOCK(sk, sk_lock.slock);
		return;
	}
	dst = READ_ONCE(sk, sk_dst_cache);
	if (dst)
		ATOMIC_INC(dst, __refcnt);
	if (READ(sk, sk_lock.owned) || !dst)
		update_by_flow(net, &fl4, mtu);
	else
		update_socket_route(net, &fl4, sk, (struct rtable *)(void *)dst,
				    mtu);
	SPIN_UNLOCK(sk, sk_lock.slock);
	dst_release(dst);
}

/* ---- the end of a nexthop ---- */

void free_nh_exceptions(struct fib_nh *nh)
{
	struct fnhe_hash_bucket *hash = nh->nh_exceptions;
	struct fib_nh_exception *fnhe, *next;
	u32 i;

	for (i = 0; hash && i < FNHE_HASH_SIZE; i++) {
		for (fnhe = hash->chain[i]; fnhe; fnhe = next) {
			next = fnhe->fnhe_next;
			rt_uncache(fnhe->fnhe_rth_output);
			this_kernel()->ipv4->fnhe->count--;
			kfree(fnhe);
		}
	}
	nh->nh_exceptions = NULL;
	kfree(hash);
}
