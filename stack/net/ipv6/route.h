/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of IPv6 routes share: route.c, route_add.c, route_dst.c,
 * route_leaf.c and route_pcpu.c. */
#ifndef STACK_NET_IPV6_ROUTE_H
#define STACK_NET_IPV6_ROUTE_H

#include "stack/include/net/ip6_fib.h"

/* A prefix of one object into another. */
#define WRITE_KEY(p, member, from, from_member) \
	do { \
		const struct in6_addr key_ = \
			READ_ADDR6(from, from_member.addr); \
		WRITE_ADDR6(p, member.addr, key_); \
		WRITE(p, member.plen, READ(from, from_member.plen)); \
	} while (0)

/* By type: what a look-up that hits it returns. */
extern const int fib6_prop[NUM_RTN];

/* Destinations that are good on one link only. */
bool rt6_need_strict(const struct in6_addr *daddr);

static inline u32 rt6_srcprefs2flags(struct sock *sk)
{
	const struct udp6_sock *up = INET6_SK(sk);

	return (u32)READ(up, inet6.srcprefs) << 3;
}

/* A route by itself, all zero but for what each has, with this many
 * references; NULL without memory. */
struct rt6_info *ip6_dst_alloc(struct net *net, struct net_device *dev,
			       u16 flags);
/* Frees it, or leaves it to the end of all if somebody holds it. */
void rt6_free(struct rt6_info *rt);
void rt6_free_all(void);
struct dst_entry *ip6_dst_check(struct dst_entry *dst, u32 cookie);
/* Later kernels' dst_ops.destroy. */
void ip6_dst_last_reference(struct dst_entry *dst);
/* Is the time of this one over?  None has one but for what routers said. */
bool rt6_has_expired(const struct rt6_info *rt);
/* A route for one destination, with a reference, like those that the look-up
 * gives; NULL without memory. */
struct rt6_info *ip6_rt_cache_alloc(struct net *net,
				    const struct fib6_result *res,
				    const struct in6_addr *daddr,
				    const struct in6_addr *saddr);

/* ---- route_exception.c: kernels from 4.18 on ---- */

/* `saddr` NULL: the route is not by source. */
struct rt6_exception *
__rt6_find_exception_rcu(struct rt6_exception_bucket *bucket,
			 const struct in6_addr *daddr,
			 const struct in6_addr *saddr);
/* Makes the route the exception for its destination: 0 or -errno. */
int rt6_insert_exception(struct rt6_info *nrt, const struct fib6_result *res);
/* The exception of which this is the route goes; it has changed. */
void rt6_remove_exception_rt(struct rt6_info *rt);
void rt6_update_exception_stamp_rt(struct rt6_info *rt);
/* Set-up only: not charged.  The route has left the trie. */
void rt6_flush_exceptions(struct fib6_info *f6i);

/* ---- route_pmtu.c ---- */

/* A router does not pass what this socket sent, which is the packet whose
 * header is at `network`, for it is longer than `mtu`. */
void ip6_sk_update_pmtu(struct sk_buff *skb, u32 network, struct sock *sk,
			u32 mtu);
/* Before 3.6: the same, of whichever protocol the packet is. */
void rt6_pmtu_discovery(struct sk_buff *skb, u32 network, u32 mtu);
/* In an interval routes that have expired go. */
void fib6_force_start_gc(struct net *net);
void fib6_run_gc(struct net *net);
/* A change below the route: sockets ask again whether theirs is good. */
void fib6_update_sernum(struct fib6_info *f6i);

/* ---- route_leaf.c: kernels before 4.2 ---- */

struct rt6_info *ip6_route_output_leaf(struct net *net, struct sock *sk,
				       struct flowi6 *fl6);
/* 2: by this device; 0: it is not. */
s32 rt6_check_dev_leaf(const struct rt6_info *rt, u32 oif);
/* The leaf of a new route, up to 4.17; NULL without memory. */
struct rt6_info *ip6_leaf_new(struct net *net, const struct fib6_config *cfg);

/* Puts a clone into the trie; false: there is one already, or no memory. */
bool ip6_ins_rt(struct fib6_table *table, struct rt6_info *rt);

/* ---- route_pcpu.c: kernels 4.2 to 4.17 ---- */

/* The leaf for one destination, not in the trie yet; NULL without memory. */
struct rt6_info *ip6_rt_cache_alloc_leaf(struct net *net, struct rt6_info *rt,
					 const struct in6_addr *daddr);

/* Look-ups of input routes; fib6_rule_lookup() calls them for each table. */
struct rt6_info *ip6_pol_route_input_pcpu(struct net *net,
					  struct fib6_table *table,
					  struct flowi6 *fl6, u32 flags);
struct rt6_info *ip6_pol_route_input_leaf(struct net *net,
					  struct fib6_table *table,
					  struct flowi6 *fl6, u32 flags);
struct rt6_info *ip6_route_output_pcpu(struct net *net, struct sock *sk,
				       struct flowi6 *fl6);
/* The leaf that a CPU's copy is of; NULL: it is none. */
struct rt6_info *rt6_from(const struct rt6_info *rt);
bool rt6_check_expired(const struct rt6_info *rt);
void rt6_dst_from_metrics_check(struct rt6_info *rt);
/* The copies of a leaf that has been taken out. */
void rt6_free_pcpu(struct rt6_info *rt);

#endif
