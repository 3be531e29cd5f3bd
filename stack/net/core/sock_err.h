/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A socket's queue of errors: IP_RECVERR, IPV6_RECVERR and MSG_ERRQUEUE
 * (include/linux/errqueue.h). */
#ifndef STACK_NET_CORE_SOCK_ERR_H
#define STACK_NET_CORE_SOCK_ERR_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/sock.h"

/* An error that a router or a host has told about a datagram of ours: its IP
 * header is at `network`, its UDP header at `at`. */
struct icmp_report {
	u32 network, at;
	u8 type, code;
	u32 info;
};

/* ---- sock_err.c ---- */

/* The packet, which bears its error, waits for a reader; -ENOMEM: there are too
 * many, and it is still the caller's. */
int sock_queue_err_skb(struct sock *sk, struct sk_buff *skb);
/* The next, NULL: there is none.  The socket's error is that of the one behind
 * it, or none. */
struct sk_buff *sock_dequeue_err_skb(struct sock *sk);
/* A copy of the packet, from behind the datagram's UDP header on, with its error
 * is queued. */
void sock_icmp_error(struct sock *sk, struct sk_buff *skb, int err, u8 origin,
		     const struct icmp_report *report, u32 addr_at);
/* A packet that has nothing but an IP header of ours; NULL without memory. */
struct sk_buff *sock_local_error_skb(u32 header, int err, u32 info,
				     u32 addr_offset, u16 port);
/* Its bytes to the reader, and its error but for the offender; how many bytes,
 * which are not more than there is room for. */
u32 sock_copy_error(struct sk_buff *skb, struct msghdr *msg, u32 len);
void sock_purge_errors(struct sock *sk);

/* ---- ip_recverr.c, ip6_recverr.c ---- */

void ip_icmp_error(struct sock *sk, struct sk_buff *skb, int err,
		   const struct icmp_report *report);
/* It was not sent at all: for who has asked. */
void ip_local_error(struct sock *sk, int err, u32 daddr, u16 port, u32 info);
int ip_recv_error(struct sock *sk, struct msghdr *msg, u32 len);

void ipv6_icmp_error(struct sock *sk, struct sk_buff *skb, int err,
		     const struct icmp_report *report);
void ipv6_local_error(struct sock *sk, int err, const struct flowi6 *fl6,
		      u32 info);
int ipv6_recv_error(struct sock *sk, struct msghdr *msg, u32 len);

#endif
