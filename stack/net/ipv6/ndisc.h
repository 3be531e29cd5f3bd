/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Neighbour discovery's packets (include/net/ndisc.h, RFC 4861). */
#ifndef STACK_NET_IPV6_NDISC_H
#define STACK_NET_IPV6_NDISC_H

#include "stack/include/linux/in6.h"
#include "stack/include/linux/netdevice.h"

#define NDISC_NEIGHBOUR_SOLICITATION 135
#define NDISC_NEIGHBOUR_ADVERTISEMENT 136
#define ND_OPT_SOURCE_LL_ADDR 1
#define ND_OPT_TARGET_LL_ADDR 2
#define ND_MSG_LEN 24u		/* without options */
#define ND_OPT_LEN 8u		/* a link-layer address of Ethernet */

/* Flags of an advertisement. */
#define ND_ROUTER 0x80
#define ND_SOLICITED 0x40
#define ND_OVERRIDE 0x20

struct nd_msg {
	u8 type;
	u8 flags;
	const struct in6_addr *target;
	u8 option;		/* kind of the device's own address; 0: none */
};

/* The device's link-local address; false where it has none. */
bool ipv6_get_lladdr(const struct net_device *dev, struct in6_addr *addr);
/* A group's address in Ethernet: 33:33 and its low 32 bits. */
void ipv6_eth_mc_map(const struct in6_addr *addr, u8 *lladdr);
/* Such a packet from its IPv6 header on; NULL without memory. */
struct sk_buff *ndisc_alloc_skb(struct net_device *dev,
				const struct nd_msg *msg,
				const struct in6_addr *saddr,
				const struct in6_addr *daddr);

/* An ICMPv6 message of neighbour discovery has come; used up. */
int ndisc_rcv(struct sk_buff *skb);

#endif
