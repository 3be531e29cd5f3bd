/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes as the stack holds them (include/net/dst.h, route.h, flow.h). */
#ifndef STACK_NET_DST_H
#define STACK_NET_DST_H

#include "stack/include/linux/rcupdate.h"
#include "stack/kernel.h"

#define DST_OBSOLETE_FORCE_CHK 0xffffu	/* ->check() must be asked */
#define DST_OBSOLETE_KILL 0xfffeu	/* it is not good any more */
#define DST_OBSOLETE_DEAD 2u
#define DST_NOXFRM 0x0002u
#define DST_HOST 0x0001u
#define DST_NOCACHE 0x0010u	/* of one packet alone, until 4.13 */

#define RTAX_MTU 2u
#define RTAX_HOPLIMIT 10u
#define RTAX_FEATURES 12u
#define RTAX_MAX 13u		/* of 2.6.32 */

#define RTCF_LOCAL 0x80000000u
#define RTCF_BROADCAST 0x10000000u
#define RTCF_MULTICAST 0x20000000u
#define INADDR_BROADCAST 0xffffffffu
#define INADDR_LOOPBACK 0x7f000001u

struct dst_ops {
	struct object object;
	u16 family;
	u16 protocol;
	struct dst_entry *(*check)(struct dst_entry *dst, u32 cookie);
	u32 (*mtu)(const struct dst_entry *dst);
	/* The next hop cannot be reached; the packet stays the caller's. */
	void (*link_failure)(struct sk_buff *skb);
	/* Frees a route that nobody has any more; NULL: references do not
	 * tell.  The model's own: not charged. */
	void (*destroy)(struct dst_entry *dst);
};

struct dst_entry {
	struct object object;
	struct net_device *dev;
	struct dst_ops *ops;
	u64 _metrics;
	struct dst_metrics *own;	/* where that points; NULL: default */
	u32 metrics[RTAX_MAX];	/* before 2.6.39: RTAX_* from 1 on */
	struct hh_entry *hh;	/* before 3.1: the neighbour's header */
	u64 expires;
	struct dst_entry *path;
	void *xfrm;
	int (*input)(struct sk_buff *skb);
	int (*output)(struct sk_buff *skb);
	u16 flags;
	u16 pending_confirm;
	s16 error;		/* -errno: packets must not take it */
	u16 obsolete;
	u16 header_len;
	u16 trailer_len;
	void *lwtstate;		/* no light-weight tunnels: always NULL */
	s32 __refcnt;
	u32 __use;
	u64 lastuse;
	struct rcu_head rcu_head;
	struct rt6_info *rt6_next;	/* before 4.18: see ip6_fib.h */
	bool dying;		/* the model's own: dst_destroy() will come */
};

struct rtable {
	struct dst_entry dst;
	u32 rt_genid;
	u32 rt_flags;
	u16 rt_type;
	u8 rt_is_input;
	u8 rt_uses_gateway;
	u8 rt_gw_family;	/* 0: the destination is on the link */
	u32 rt_iif;
	u32 rt_gateway;		/* host order here, as all IPv4 addresses */
	u32 rt_pmtu;
	bool rt_mtu_locked;
	/* Before 3.6, in the routing cache: what it is found by, and what its
	 * flow is. */
	u32 rt_key_dst, rt_key_src;
	u8 rt_key_tos;
	u32 rt_dst, rt_src;
	u32 rt_route_iif;	/* 0: it goes out */
	u32 rt_oif, rt_mark;
	u32 rt_spec_dst;
	u32 rt_peer_genid;
	struct rtable *rt_next;	/* of the chain */
	struct neighbour *neighbour;	/* the kernel's is dst._neighbour */
	/* The model's own. */
	u32 number;		/* among all routes */
	struct rtable *dead_next;
};

/* What a route is asked for; lives on the stack, so it is not charged. */
struct flowi4 {
	u32 daddr, saddr;
	u16 fl4_sport, fl4_dport;
	u32 flowi4_oif;
	u32 flowi4_mark;
	u8 flowi4_tos;
	u8 flowi4_scope;
	u8 flowi4_proto;
	u8 flowi4_flags;
};

/* Drops a reference; NULL is none. */
void dst_release(struct dst_entry *dst);
u32 dst_mtu(const struct dst_entry *dst);
/* One of RTAX_*, as it stands, and another for it. */
u32 dst_metric_raw(const struct dst_entry *dst, u32 metric);
void dst_metric_set(struct dst_entry *dst, u32 metric, u32 value);
/* When what is known of the way ends: never later than it was. */
void dst_set_expires(struct dst_entry *dst, u32 timeout);
void dst_confirm(struct dst_entry *dst);
/* The packet cannot reach the next hop of its route: its sender is told. */
void dst_link_failure(struct sk_buff *skb);

/* Finds the route for a flow and fills in its source address; takes a
 * reference.  NULL and -errno in *err where there is none. */
struct rtable *ip_route_output_flow(struct net *net, struct flowi4 *fl4,
				    struct sock *sk, int *err);
/* As a routing change does: every cached route is stale from here on. */
void rt_cache_flush(struct net *net);

#endif
