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
