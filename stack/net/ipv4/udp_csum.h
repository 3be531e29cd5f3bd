/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksums of UDP datagrams that come in. */
#ifndef STACK_NET_IPV4_UDP_CSUM_H
#define STACK_NET_IPV4_UDP_CSUM_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"

/* Notes of a datagram of len bytes, whose headers lie at these offsets of the
 * buffer, what its checksum must come to.  Over IPv6 and of UDP-Lite none may
 * be without one: false then, and where what it covers cannot be. */
bool udp4_csum_init(struct sk_buff *skb, u32 network, u32 transport, u32 len,
		    u8 protocol);
bool udp6_csum_init(struct sk_buff *skb, u32 network, u32 transport, u32 len,
		    u8 protocol);
/* Is the sum right?  For one that no reader will see; from its header on. */
bool udp_lib_checksum_complete(struct sk_buff *skb, bool udplite);
/* The same without asking whether it is known: of `len` bytes from `from`. */
bool __skb_checksum_complete(struct sk_buff *skb, u32 from, u32 len);
/* Before the UDP header at its data is pulled. */
void udp_csum_pull_header(struct sk_buff *skb);

/* Gives the reader up to *len bytes of a datagram and says in *len how many;
 * false where its checksum is wrong. */
bool udp_copy(struct sk_buff *skb, struct msghdr *msg, u32 *len, bool udplite);

#endif
