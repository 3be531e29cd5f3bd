/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the look-ups of both families. */
#ifndef STACK_NET_IPV4_UDP_LOOKUP_H
#define STACK_NET_IPV4_UDP_LOOKUP_H

#include "stack/include/net/udp.h"

struct udp_query_ops;

/* What a datagram says of the socket that it is for; on the stack. */
struct udp_query {
	const struct udp_query_ops *ops;
	struct net *net;
	struct udp_table *table;	/* of its protocol */
	u16 hnum;		/* its destination's port */
	u16 sport;
	u32 dif;		/* the device that it came in on */
	bool v6;
	bool exact;		/* sockets must have this address and no other,
				 * which may be that of none: */
	u32 rcv_saddr;
	struct in6_addr rcv_saddr6;
	u32 saddr, daddr;
	struct in6_addr saddr6, daddr6;
};

/* What a family does its own way. */
struct udp_query_ops {
	s32 (*score)(const struct udp_query *q, struct sock *sk);
	/* The same, where it is part of what is charged for the caller. */
	s32 (*fits)(const struct udp_query *q, struct sock *sk);
	/* The hash of the port and the destination, or of no address; sets what
	 * `exact` asks for. */
	u32 (*portaddr_hash)(struct udp_query *q, bool any);
	u32 (*ehash)(const struct udp_query *q);	/* of the flow */
	int (*deliver)(struct sock *sk, struct sk_buff *skb);
};

/* What IPv4 asks. */
struct udp_query udp4_query(struct net *net, u32 saddr, u16 sport, u32 daddr,
			    u16 dport, u32 dif, struct udp_table *table);

struct sock *udp_lib_lookup(struct udp_query *q);
/* To each socket that fits; takes over the packet. */
void udp_lib_mcast_deliver(struct udp_query *q, struct sk_buff *skb);
/* Parts of a score: 0, the weight, or -1 where the socket does not fit. */
s32 udp_score_port(const struct udp_query *q, struct sock *sk, u16 weight);
s32 udp_score_device(const struct udp_query *q, struct sock *sk, u16 weight);
s32 udp_score_cpu(struct sock *sk);

#endif
