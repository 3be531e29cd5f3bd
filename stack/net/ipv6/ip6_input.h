/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of IPv6 that receive. */
#ifndef STACK_NET_IPV6_IP6_INPUT_H
#define STACK_NET_IPV6_IP6_INPUT_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ipv6.h"

/* The handler of ETH_P_IPV6: from a device, used up. */
int ipv6_rcv(struct sk_buff *skb, struct net_device *dev);
/* dst_entry.input of what is for this host. */
int ip6_input(struct sk_buff *skb);
/* The route of a packet that came in, never NULL; with a reference, but for
 * kernels with FIB6_RCU. */
struct dst_entry *ip6_route_input_lookup(struct net *net, struct flowi6 *fl6);

#endif
