/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket of a datagram that IP's layer has found before UDP's asks. */
#ifndef STACK_NET_IPV4_UDP_EARLY_DEMUX_H
#define STACK_NET_IPV4_UDP_EARLY_DEMUX_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"

/* With UDP's header at skb->transport_header, before the packet has a route: if
 * one socket alone can be meant, the packet holds it from here on, and takes
 * the route that the socket remembers if that is still good. */
void udp_v4_early_demux(struct sk_buff *skb);
void udp_v6_early_demux(struct sk_buff *skb);

/* For both families: a reference, if the socket has one still. */
bool udp_hold_not_zero(struct sock *sk);
/* The packet holds `sk`, whose reference it takes over. */
void udp_early_attach(struct sk_buff *skb, struct sock *sk);
/* Gives the route that the socket remembers, if it is still good. */
struct dst_entry *udp_rx_dst(struct sock *sk, u32 cookie);

/* Takes the socket from the packet, with its reference; NULL: none was found. */
struct sock *skb_steal_sock(struct sk_buff *skb);
/* The socket is to remember the packet's route.  True: it is another one than
 * before. */
bool udp_sk_rx_dst_set(struct sock *sk, struct sk_buff *skb);

#endif
