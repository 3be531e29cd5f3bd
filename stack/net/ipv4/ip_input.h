/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of IPv4 that receive. */
#ifndef STACK_NET_IPV4_IP_INPUT_H
#define STACK_NET_IPV4_IP_INPUT_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/dst.h"

/* The handler of ETH_P_IP: from a device, used up. */
int ip_rcv(struct sk_buff *skb, struct net_device *dev);
/* dst_entry.input of what is for this host. */
int ip_local_deliver(struct sk_buff *skb);
/* Gives the packet its route, most often without a reference.  0 or -errno. */
int ip_route_input_noref(struct sk_buff *skb, u32 daddr, u32 saddr, u8 tos,
			 struct net_device *dev);

#endif
