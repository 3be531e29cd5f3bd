/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between ip6_append.c, which makes packets of data, and ip6_cork.c, which has
 * the state of that in the socket. */
#ifndef STACK_NET_IPV6_IP6_APPEND_H
#define STACK_NET_IPV6_IP6_APPEND_H

#include "stack/net/ipv6/udp.h"

/* More data behind what is in the queue: as many packets as it takes, each but
 * the last with a multiple of eight bytes.  0 or -errno; what is there then is
 * the caller's to free. */
int ip6_append(struct sock *sk, const struct ip6_cork *cork,
	       struct sk_buff_head *queue, getfrag_t getfrag, const u8 *data,
	       u32 length, u32 flags);
/* The packet's header, with the other parts hung on it; what *cork has is
 * released. */
void __ip6_make_skb(struct sock *sk, struct sk_buff *skb,
		    struct ip6_cork *cork);
void ip6_count_out(struct net *net, struct rt6_info *rt, struct sk_buff *skb);

/* Must each packet have a fragment header? */
bool dst_allfrag(const struct dst_entry *dst);
/* The route under IPsec's, if there is any of that. */
struct dst_entry *xfrm_dst_path(struct dst_entry *dst);
/* How long a packet may be. */
u32 ip6_cork_mtu(struct udp6_sock *up6, struct dst_entry *dst);

#endif
