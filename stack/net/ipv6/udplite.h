/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UDP-Lite over IPv6; see ipv4/udplite.h. */
#ifndef STACK_NET_IPV6_UDPLITE_H
#define STACK_NET_IPV6_UDPLITE_H

#include "stack/net/ipv4/udplite.h"

int udplitev6_rcv(struct sk_buff *skb);
void udplitev6_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
		   u32 info);
void udplitev6_init(struct kernel *kernel, struct udplite_room *room);

#endif
