/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/udp.c, the part that receives; see ipv4/udp_rcv.c for what
 * is left out, and ipv4/udp_queue.c for what lies between.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/udp.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/core/busy_poll.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/ip_pktinfo.h"
#include "stack/net/ipv4/udp_csum.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_offload.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

static int queue_rcv_one(struct sock *sk, struct sk_buff *skb)
{
	FUNCTION(udpv6_queue_rcv_skb);
	if (has(UDP6_DST_DROP))
		skb_dst_drop(skb);
	if (!has(SK_BACKLOG_LIMIT))
		return udp_queue_rcv_held(sk, skb);
	return udp_queue_rcv_one_skb(sk, skb);
}

int udpv6_queue_rcv_skb(struct sock *sk, struct sk_buff *skb)
{
	return udp_rcv_segments(sk, skb, queue_rcv_one);
}

int udpv6_deliver(struct sock *sk, struct sk_buff *skb)
{
	return has(SK_BACKLOG_LIMIT) ? udpv6_queue_rcv_skb(sk, skb) :
				       udp_queue_locked(sk, skb);
}

static int refuse(struct net *net, struct sk_buff *skb, bool udplite)
{
	UDP6_INC_STATS(net, UDP_MIB_INERRORS, udplite);
	kfree_skb(skb);
	return 0;
}

static int bad_checksum(struct net *net, struct sk_buff *skb, bool udplite)
{
	if (has(IP_ECN_STATS))
		UDP6_INC_STATS(net, UDP_MIB_CSUMERRORS, udplite);
	return refuse(net, skb, udplite);
}

/* Its sender hears of it, unless it is not what it sent. */
static int no_socket(struct net *net, struct sk_buff *skb, bool udplite)
{
	if (!udp_lib_checksum_complete(skb, udplite))
		return bad_checksum(net, skb, udplite);
	UDP6_INC_STATS(net, UDP_MIB_NOPORTS, udplite);
	icmpv6_send(skb, ICMPV6_DEST_UNREACH, ICMPV6_PORT_UNREACH, 0);
	kfree_skb(skb);
	return 0;
}

static struct in6_addr address_at(const u8 *p)
{
	struct in6_addr address;

	memcpy(address.s6_addr, p, sizeof(address.s6_addr));
	return address;
}

/* With the cookie by which a change of the tables is seen. */
static void remember_route(struct sock *sk, struct sk_buff *skb)
{
	struct rt6_info *rt;

	if (!udp_sk_rx_dst_set(sk, skb))
		return;
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	if (rt)
		WRITE(sk, sk_rx_dst_cookie, rt6_get_cookie(rt));
}

int __udp6_lib_rcv(struct sk_buff *skb, struct udp_table *table, u8 protocol)
{
	const bool udplite = protocol == IPPROTO_UDPLITE_NUMBER;
	struct net *net = this_kernel()->init_net;
	u32 transport, network, ulen;
	struct in6_addr saddr, daddr;
	struct net_device *dev;
	struct sock *sk;
	const u8 *uh;

	FUNCTION(__udp6_lib_rcv);
	dev = READ(skb, dev);
	(void)READ(dev, nd_net);
	transport = READ(skb, transport_header);
	network = READ(skb, network_header);
	uh = skb_bytes(skb, transport);
	READ_SKB_DATA(skb, transport, UDP_HLEN);
	READ_SKB_DATA(skb, network, IPV6_HLEN);
	ulen = get_be16(uh + 4);
	if (!udp_length_ok(READ(skb, len), ulen, udplite))
		return refuse(net, skb, udplite);
	if (!udplite)
		udp_trim(skb, ulen);
	if (!udp6_csum_init(skb, network, transport, skb->len, protocol))
		return udplite ? bad_checksum(net, skb, udplite) :
				 refuse(net, skb, udplite);
	sk = skb_steal_sock(skb);
	if (sk) {
		remember_route(sk, skb);
		udpv6_deliver(sk, skb);
		sock_put(sk);
		return 0;
	}
	(void)READ(skb, _skb_refdst);
	(void)READ(dev, ifindex);
	rcu_read_lock();
	saddr = address_at(skb_bytes(skb, network) + 8);
	daddr = address_at(skb_bytes(skb, network) + 24);
	if (ipv6_addr_is_multicast(&daddr)) {
		__udp6_lib_mcast_deliver(net, skb, &saddr, get_be16(uh), &daddr,
					 get_be16(uh + 2), dev->ifindex, table);
		rcu_read_unlock();
		return 0;
	}
	sk = __udp6_lib_lookup(net, &saddr, get_be16(uh), &daddr,
			       get_be16(uh + 2), dev->ifindex, table);
	if (sk) {
		if (has(BUSY_POLL) && !has(BUSY_POLL_CONNECTED))
			sk_mark_napi_id(sk, skb);
		udpv6_deliver(sk, skb);
		if (!has(UDP_SOCK_RCU_FREE))
			sock_put(sk);
	}
	rcu_read_unlock();
	return sk ? 0 : no_socket(net, skb, udplite);
}

int udpv6_rcv(struct sk_buff *skb)
{
	return __udp6_lib_rcv(skb, this_kernel()->ipv4->udp->table,
			      IPPROTO_UDP_NUMBER);
}

/* ---- the reader ---- */

static void copy_sender6(struct sk_buff *skb, struct msghdr *msg)
{
	u32 transport = READ(skb, transport_header);
	u32 network = READ(skb, network_header);

	READ_SKB_DATA(skb, transport, 2);
	READ_SKB_DATA(skb, network + 8, 16);
	*msg->from = (struct sockaddr_any){
		.family = PF_INET6,
		.port = get_be16(skb_bytes(skb, transport)),
		.daddr6 = address_at(skb_bytes(skb, network + 8)),
	};
}

int udpv6_recvmsg(struct sock *sk, struct msghdr *msg, u32 len)
{
	const bool udplite = sk_is_udplite(sk);
	const u32 room = len;
	struct sk_buff *skb;
	struct net *net;
	int err;

	FUNCTION(udpv6_recvmsg);
	STACK_PROTECTOR();
	if (msg->msg_flags & MSG_ERRQUEUE)
		return ipv6_recv_error(sk, msg, len);
	for (;;) {
		skb = udp_recv_skb(sk, msg->msg_flags & MSG_DONTWAIT, &err);
		if (!skb)
			return err;
		len = room;
		if (udp_copy(skb, msg, &len, udplite))
			break;
		udp_drop_bad(sk, skb);
	}
	net = READ(sk, sk_net);
	UDP6_INC_STATS(net, UDP_MIB_INDATAGRAMS, udplite);
	(void)READ(sk, sk_flags);
	(void)READ(sk, sk_stamp);
	if (msg->from)
		copy_sender6(skb, msg);
	udp_cmsg_recv(msg, sk, skb);
	ip6_datagram_recv_ctl(sk, msg, skb);
	udp_free_skb(sk, skb);
	return (int)len;
}
