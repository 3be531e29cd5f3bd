/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/datagram.c, the errors that a socket has asked for with
 * IPV6_RECVERR.  Where its peer is one of IPv4, it reads what
 * ipv4/ip_recverr.c has queued.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv6/udp.h"

void ipv6_icmp_error(struct sock *sk, struct sk_buff *skb, int err,
		     const struct icmp_report *report)
{
	FUNCTION(ipv6_icmp_error);
	sock_icmp_error(sk, skb, err, SO_EE_ORIGIN_ICMP6, report,
			report->network + 24);
}

void ipv6_local_error(struct sock *sk, int err, const struct flowi6 *fl6,
		      u32 info)
{
	struct sk_buff *skb;
	u32 network;

	FUNCTION(ipv6_local_error);
	if (!READ(INET6_SK(sk), inet6.recverr))
		return;
	skb = sock_local_error_skb(IPV6_HLEN, err, info, 24, fl6->fl6_dport);
	if (!skb)
		return;
	WRITE(skb, protocol, ETH_P_IPV6);
	network = READ(skb, network_header);
	memcpy(skb_bytes(skb, network + 24), fl6->daddr.s6_addr, 16);
	WRITE_SKB_DATA(skb, network + 24, 16);
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

/* The address at a place of the packet, which is one of IPv6 or of IPv4. */
static struct in6_addr address_at(const struct sk_buff *skb, u32 at, bool ip6)
{
	struct in6_addr addr;

	READ_SKB_DATA(skb, at, ip6 ? 16 : 4);
	if (!ip6)
		return ipv6_addr_v4(get_be32(skb_bytes(skb, at)));
	memcpy(addr.s6_addr, skb_bytes(skb, at), 16);
	return addr;
}

/* Whom the datagram was for, and who says so. */
static void addresses(struct sk_buff *skb, struct msghdr *msg)
{
	bool ip6 = READ(skb, protocol) == ETH_P_IPV6;
	struct sock_exterr err = READ(skb, cb.err);
	u32 network = READ(skb, network_header);

	if (msg->from && err.port)
		*msg->from = (struct sockaddr_any){
			.family = PF_INET6, .port = err.port,
			.daddr6 = address_at(skb, network + err.addr_offset,
					     ip6),
		};
	if (!msg->error || err.ee_origin == SO_EE_ORIGIN_LOCAL)
		return;
	ip6 = err.ee_origin == SO_EE_ORIGIN_ICMP6;
	msg->error->offender = (struct sockaddr_any){
		.family = PF_INET6,
		.daddr6 = address_at(skb, network + (ip6 ? 8 : 12), ip6),
	};
}

int ipv6_recv_error(struct sock *sk, struct msghdr *msg, u32 len)
{
	struct sk_buff *skb;
	u32 copied;

	FUNCTION(ipv6_recv_error);
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
