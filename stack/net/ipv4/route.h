/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between route.c and route_input.c. */
#ifndef STACK_NET_IPV4_ROUTE_H
#define STACK_NET_IPV4_ROUTE_H

#include "stack/include/net/dst.h"
#include "stack/include/net/ip_fib.h"

/* With one reference; NULL without memory. */
struct rtable *rt_dst_alloc(struct net_device *dev, bool noxfrm);
/* Nobody has a reference or may look at it. */
void rt_dst_free(struct rtable *rt);
/* Has the namespace's routing changed since this route was made? */
bool rt_is_expired(struct rtable *rt);
/* Good as long as the tables have not changed since it was made. */
bool rt_cache_valid(struct rtable *rt);
/* The address of this host that a route is used from. */
u32 fib_res_prefsrc(struct net *net, const struct fib_result *res);
/* The FIB's answer: the device by which a flow goes out; fills in the flow's
 * source and device.  NULL and -errno. */
struct net_device *ip_route_output_device(struct net *net, struct flowi4 *fl4,
					  struct fib_result *res, int *err);
/* The output() of routes for what comes in. */
int ip_rt_bug(struct sk_buff *skb);
int fib_lookup(struct net *net, const struct fib_key *key,
	       struct fib_result *res);

/* fib_validate.c: may a packet of this source come in here?  1: it is a hop
 * away, 0: it may; -EXDEV: its way back is another, -EINVAL: it is no source. */
int fib_validate_source(struct net *net, u32 src, u32 dst, u8 tos,
			const struct net_device *dev,
			const struct in_device *in_dev);

/* The same for one packet alone: it goes with its last reference. */
struct rtable *rt_dst_alloc_once(struct net_device *dev);

/* ---- route_exception.c ---- */

/* The exception for a destination in a nexthop's table, for find_exception()
 * and for what has that in line; NULL: nothing is known of the path. */
struct fib_nh_exception *fnhe_lookup(const struct fib_nh *nh,
				     const struct fnhe_hash_bucket *hash,
				     u32 daddr);
/* Makes rt the exception's ready route; false: it has become another's. */
bool rt_bind_exception(struct rtable *rt, struct fib_nh_exception *fnhe,
		       u32 daddr);
/* Has what was learnt not expired yet? */
bool rt_pmtu_holds(const struct rtable *rt);
void ip_rt_pmtu_init(struct kernel *kernel);
u32 ip_rt_min_pmtu(void);
u32 ip_rt_mtu_expires(void);
/* A router does not pass what this socket sent, which is the packet whose
 * header is at `network`, for it is longer than `mtu`. */
void ipv4_sk_update_pmtu(struct sk_buff *skb, u32 network, struct sock *sk,
			 u32 mtu);
/* Set-up only: not charged. */
void free_nh_exceptions(struct fib_nh *nh);
/* A place where a route was ready is gone: not charged; NULL is none. */
void rt_uncache(struct rtable *rt);

/* ---- route_mcast.c, ip_output_mc.c: groups ---- */

struct rtable *ip_route_output_mc(struct net *net, struct flowi4 *fl4,
				  int *err);
/* 0: the packet has its route; -errno: nobody here wants it. */
int ip_route_input_mc(struct sk_buff *skb, u32 daddr, u32 saddr,
		      struct net_device *dev);
struct rtable *rt_dst_clone(struct net_device *dev, const struct rtable *rt);
int ip_mc_output(struct sk_buff *skb);
int ip_finish_output(struct sk_buff *skb);

#endif
