/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ARP packets (net/ipv4/arp.c, include/uapi/linux/if_arp.h). */
#ifndef STACK_NET_IPV4_ARP_H
#define STACK_NET_IPV4_ARP_H

#include "stack/include/linux/netdevice.h"

#define ARP_LEN 28u		/* of Ethernet and IPv4 */
#define ARPOP_REQUEST 1
#define ARPOP_REPLY 2

/* Sends one, to a link-layer address, NULL: the broadcast; target_hw NULL: not
 * known. */
void arp_send(u16 op, u32 target, struct net_device *dev, u32 source,
	      const u8 *dest_hw, const u8 *target_hw);
/* What the local table says of an address: RTN_LOCAL and so on. */
u8 inet_addr_type(u32 addr);

/* A packet of the device has come, from its ARP header on; used up. */
int arp_rcv(struct sk_buff *skb, struct net_device *dev);

#endif
