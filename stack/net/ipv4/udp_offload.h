/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams of one size that go as one packet, until somebody has to cut it. */
#ifndef STACK_NET_IPV4_UDP_OFFLOAD_H
#define STACK_NET_IPV4_UDP_OFFLOAD_H

#include "stack/include/net/sock.h"

#define UDP_MAX_SEGMENTS 64u

/* Its data in pieces of `mss` bytes, each behind a copy of the `headers` bytes
 * from skb->data on; hanging on each other.  NULL without memory. */
struct sk_buff *skb_segment(struct sk_buff *skb, u32 headers, u32 mss);
/* The packets that a packet with a gso_size stands for, with right headers; it
 * itself is gone, also where there is no memory: NULL. */
struct sk_buff *skb_gso_segment(struct sk_buff *skb);

/* ---- sockets ---- */

/* Before a datagram goes that is to be cut: can it be?  0 or -errno; `fragsize`
 * is what a packet may have, `len` the datagram's length with its header. */
int udp_gso_prepare(struct sock *sk, struct sk_buff *skb, u32 gso_size,
		    u32 fragsize, u32 len);
/* Gives a packet to `one`, or where the socket does not take it whole each of
 * those that it stands for; what the last call gave. */
int udp_rcv_segments(struct sock *sk, struct sk_buff *skb,
		     int (*one)(struct sock *sk, struct sk_buff *skb));
/* What the reader is told of one. */
void udp_cmsg_recv(struct msghdr *msg, const struct sock *sk,
		   const struct sk_buff *skb);
/* UDP_SEGMENT and UDP_GRO: 0, -errno, or 1: another option. */
int udp_gso_setsockopt(struct sock *sk, int option, u32 value);
int udp_gso_getsockopt(struct sock *sk, int option, u32 *value);

#endif
