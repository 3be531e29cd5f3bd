/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packet info: what a reader may ask about a datagram beyond its sender. */
#ifndef STACK_NET_IPV4_IP_PKTINFO_H
#define STACK_NET_IPV4_IP_PKTINFO_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"

#define IP_CMSG_PKTINFO 1u	/* of inet_sock.cmsg_flags */

/* Before a datagram is queued: notes in the packet what its reader may ask, and
 * parts with its route. */
void ipv4_pktinfo_prepare(struct sock *sk, struct sk_buff *skb);
/* For the reader of one, if `msg` has room for it. */
void ip_cmsg_recv(struct msghdr *msg, struct sk_buff *skb);
/* setsockopt(IP_PKTINFO) */
int ip_set_pktinfo(struct sock *sk, bool on);

/* The same for IPv6: net/ipv6/datagram.c and ipv6_sockglue.c. */
void ip6_datagram_recv_ctl(struct sock *sk, struct msghdr *msg,
			   struct sk_buff *skb);
int ipv6_set_pktinfo(struct sock *sk, bool on);

#endif
