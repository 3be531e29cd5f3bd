/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of UDP that receive, of both families. */
#ifndef STACK_NET_IPV4_UDP_RCV_H
#define STACK_NET_IPV4_UDP_RCV_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"
#include "stack/net/ipv4/udp.h"

/* Kernels whose routes are neither at nexthops nor by flows of RT_KEY_FIELDS
 * have no IPv4 here. */
#define NO_IPV4_MODEL "IPv4 by the routing cache"
#define HAS_IPV4_ROUTES() (has(IPV4_NEXTHOP_ROUTES) || has(RT_KEY_FIELDS))

/* What IP's layer has found out about a packet that came in: where it came
 * in; the addresses are in its headers. */
int udp_rcv(struct sk_buff *skb);
int udpv6_rcv(struct sk_buff *skb);
struct icmp_report;
/* Of either protocol, with its table. */
int __udp4_lib_rcv(struct sk_buff *skb, struct udp_table *table, u8 protocol);
int __udp6_lib_rcv(struct sk_buff *skb, struct udp_table *table, u8 protocol);
void __udp4_lib_err(struct sk_buff *skb, const struct icmp_report *report,
		    struct udp_table *table);
void __udp6_lib_err(struct sk_buff *skb, const struct icmp_report *report,
		    struct udp_table *table);
/* The length that a header says is one that there can be. */
bool udp_length_ok(u32 len, u32 ulen, bool udplite);

/* Does the socket speak UDP-Lite, for who receives.  There is no charge: later
 * kernels find it on a line that they touch anyway; that earlier ones look at
 * pcflag here, too, is left out. */
static inline bool sk_is_udplite(const struct sock *sk)
{
	return sk->sk_protocol == IPPROTO_UDPLITE_NUMBER;
}

int udp_recvmsg(struct sock *sk, struct msghdr *msg, u32 len);
int udpv6_recvmsg(struct sock *sk, struct msghdr *msg, u32 len);
int inet_recvmsg(struct socket *sock, struct msghdr *msg, u32 len);

/* Queues a datagram at a socket; takes over the packet.  0, or -1 if it was
 * dropped. */
int udp_queue_rcv_skb(struct sock *sk, struct sk_buff *skb);
int udpv6_queue_rcv_skb(struct sock *sk, struct sk_buff *skb);
/* The same, with the socket's lock taken for it where the one above is for who
 * has it. */
int udpv6_deliver(struct sock *sk, struct sk_buff *skb);
int udp_queue_rcv_one_skb(struct sock *sk, struct sk_buff *skb);
int __udp_queue_rcv_skb(struct sock *sk, struct sk_buff *skb);
/* For who holds the socket's lock, where all is asked under it. */
int udp_queue_rcv_held(struct sock *sk, struct sk_buff *skb);
/* Takes the socket's lock to queue it, or leaves it to who holds the socket. */
int udp_queue_locked(struct sock *sk, struct sk_buff *skb);

/* The next datagram; NULL and -errno in *err. */
struct sk_buff *udp_recv_skb(struct sock *sk, bool noblock, int *err);
void udp_free_skb(struct sock *sk, struct sk_buff *skb);
/* Frees what is left when the socket ends. */
void udp_destruct_queues(struct sock *sk);
/* A counter of the family and protocol of the socket. */
void udp_inc_stats(struct net *net, const struct sock *sk, u32 index);
/* Cuts a datagram to the length that its header says. */
void udp_trim(struct sk_buff *skb, u32 ulen);
/* A reader drops a datagram whose checksum is wrong. */
void udp_drop_bad(struct sock *sk, struct sk_buff *skb);

#endif
