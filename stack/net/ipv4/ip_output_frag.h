/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of IPv4 and IPv6: datagrams that need several packets. */
#ifndef STACK_NET_IPV4_IP_OUTPUT_FRAG_H
#define STACK_NET_IPV4_IP_OUTPUT_FRAG_H

#include "stack/include/net/sock.h"
#include "stack/net/ipv4/udp.h"

#define IP_DF 0x4000u		/* do not fragment: PMTU discovery */
#define IP_MF 0x2000u		/* more fragments */

/* A packet for a part of a datagram but the first, charged to the socket; NULL
 * and -ENOBUFS in *err. */
struct sk_buff *sock_wmalloc_more(struct sock *sk, u32 size, int *err);
/* Behind the others of the datagram, on the stack. */
void skb_queue_fragment(struct sk_buff_head *queue, struct sk_buff *skb);
/* The parts behind the first, without the room for their headers, become its
 * frag_list; NULL: there are none. */
void skb_join_fragments(struct sk_buff *skb, struct sk_buff *rest,
			u32 headers);
/* Up to `want` more bytes from the user behind the others, in a page.  `ip6`
 * says where kernels without a page of the task's keep one.  Gives how many, or
 * -errno. */
int ip_append_page(struct sock *sk, bool ip6, struct sk_buff *skb,
		   getfrag_t getfrag, const u8 *from, u32 want);
/* A new part begins with what is too much in the one before, from `most` bytes
 * on: they go to `to`. */
void skb_move_gap(struct sk_buff *prev, u32 most, struct sk_buff *skb, u32 to);
/* Takes the frag_list off, and lets the first packet be a part again. */
struct sk_buff *skb_take_fragments(struct sk_buff *skb);
/* What all parts of a datagram have of the first. */
void ip_copy_metadata(struct sk_buff *to, struct sk_buff *from);

/* Sends a datagram of parts that fit an MTU as fragments; 0 or -errno. */
int ip_fragment(struct sk_buff *skb, u32 mtu);
int ip_finish_output2(struct sk_buff *skb);
int ip6_fragment(struct sk_buff *skb, u32 mtu);
int ip6_finish_output2(struct sk_buff *skb);

#endif
