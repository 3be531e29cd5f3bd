/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/ip_sockglue.c, the errors that a socket has asked for with
 * IP_RECVERR.  Packet info of the message is not given with them.
 */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/udp.h"

void ip_icmp_error(struct sock *sk, struct sk_buff *skb, int err,
		   const struct icmp_report *report)
{
	FUNCTION(ip_icmp_error);
	sock_icmp_error(sk, skb, err, SO_EE_ORIGIN_ICMP, report,
			report->network + 16);
}

void ip_local_error(struct sock *sk, int err, u32 daddr, u16 port, u32 info)
{
	struct sk_buff *skb;
	u32 network;

	FUNCTION(ip_local_error);
	if (!READ((struct inet_sock *)(void *)sk, recverr))
		return;
	skb = sock_local_error_skb(IP_HLEN, err, info, 16, port);
	if (!skb)
		return;
	network = READ(skb, network_header);
	put_be32(skb_bytes(skb, network + 16), daddr);
	WRITE_SKB_DATA(skb, network + 16, 4);
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

/* Whom the datagram was for, and who says so. */
static void addresses(struct sk_buff *skb, struct msghdr *msg)
{
	struct sock_exterr err = READ(skb, cb.err);
	u32 network = READ(skb, network_header);
	u32 at = network + err.addr_offset;

	if (msg->from && err.port) {
		READ_SKB_DATA(skb, at, 4);
		*msg->from = (struct sockaddr_any){
			.family = PF_INET, .port = err.port,
			.daddr = get_be32(skb_bytes(skb, at)),
		};
	}
	if (!msg->error || err.ee_origin != SO_EE_ORIGIN_ICMP)
		return;
	READ_SKB_DATA(skb, network + 12, 4);
	msg->error->offender = (struct sockaddr_any){
		.family = PF_INET,
		.daddr = get_be32(skb_bytes(skb, network + 12)),
	};
}

int ip_recv_error(struct sock *sk, struct msghdr *msg, u32 len)
{
	struct sk_buff *skb;
	u32 copied;

	FUNCTION(ip_recv_error);
	if (msg->from)
		*msg->from = (struct sockaddr_any){ 0 };
	skb = sock_dequeue_err_skb(sk);
	if (!skb)
		return -EAGAIN;
	copied = sock_copy_error(skb, msg, len);
	addresses(skb, msg);
	kfree_skb(skb);
	return (int)copied;
}
