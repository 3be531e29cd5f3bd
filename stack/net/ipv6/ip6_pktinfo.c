/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/datagram.c and ipv6_sockglue.c, packet info: on which device a
 * datagram came in, and to which address; looked up by the reader alone. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6.h"
#include "stack/net/ipv4/ip_pktinfo.h"

#define RXINFO 1u		/* of ipv6_pinfo.rxopt */

static struct udp6_sock *udp6_sk(struct sock *sk)
{
	return (struct udp6_sock *)(void *)sk;
}

/* What readers may ask for is a word of bits, most often none. */
void ip6_datagram_recv_ctl(struct sock *sk, struct msghdr *msg,
			   struct sk_buff *skb)
{
	struct udp6_sock *up6 = INET6_SK(sk);
	u32 at;

	if (!READ(up6, inet6.rxopt))
		return;
	FUNCTION(ip6_datagram_recv_ctl);
	at = READ(skb, network_header) + 24;
	READ_SKB_DATA(skb, at, 16);
	if (!msg->pktinfo)
		return;
	msg->pktinfo->ifindex = READ(skb, skb_iif);
	memcpy(msg->pktinfo->addr6.s6_addr, skb_bytes(skb, at), 16);
	msg->pktinfo->valid = true;
}

int ipv6_set_pktinfo(struct sock *sk, bool on)
{
	u16 bits;

	if (READ(sk, sk_family) != PF_INET6)
		return -ENOPROTOOPT;
	lock_sock_nested(sk);
	bits = READ(udp6_sk(sk), inet6.rxopt);
	WRITE(udp6_sk(sk), inet6.rxopt, on ? bits | RXINFO : bits & ~RXINFO);
	release_sock(sk);
	return 0;
}
