/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c, the part that receives: from IP's layer to a socket,
 * and from the socket to the reader.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/busy_poll.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/ip_pktinfo.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/udp_csum.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_offload.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

void udp_inc_stats(struct net *net, const struct sock *sk, u32 index)
{
	bool udplite = sk_is_udplite(sk);

	if (sk->sk_family == PF_INET6)
		UDP6_INC_STATS(net, index, udplite);
	else
		UDP_INC_STATS(net, index, udplite);
}

static int queue_rcv_one(struct sock *sk, struct sk_buff *skb)
{
	ipv4_pktinfo_prepare(sk, skb);
	return udp_queue_rcv_one_skb(sk, skb);
}

int udp_queue_rcv_skb(struct sock *sk, struct sk_buff *skb)
{
	return udp_rcv_segments(sk, skb, queue_rcv_one);
}

/* A lookup may have taken a reference. */
static void put_found(struct sock *sk)
{
	if (!has(UDP_SOCK_RCU_FREE))
		sock_put(sk);
}

static int bad_checksum(struct net *net, struct sk_buff *skb, bool udplite)
{
	if (has(IP_ECN_STATS))
		UDP_INC_STATS(net, UDP_MIB_CSUMERRORS, udplite);
	UDP_INC_STATS(net, UDP_MIB_INERRORS, udplite);
	kfree_skb(skb);
	return 0;
}

/* Its sender hears of it, unless it is not what it sent. */
static int no_socket(struct net *net, struct sk_buff *skb, bool udplite)
{
	if (!udp_lib_checksum_complete(skb, udplite))
		return bad_checksum(net, skb, udplite);
	UDP_INC_STATS(net, UDP_MIB_NOPORTS, udplite);
	icmp_send(skb, ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, 0);
	kfree_skb(skb);
	return 0;
}

/* What lies behind the datagram was padding. */
void udp_trim(struct sk_buff *skb, u32 ulen)
{
	if (ulen < skb->len)
		WRITE(skb, len, ulen);
}

/* Of UDP-Lite the field is what the sum covers: that cannot be more than there
 * is, either. */
bool udp_length_ok(u32 len, u32 ulen, bool udplite)
{
	return ulen <= len && (udplite ? len : ulen) >= UDP_HLEN;
}

static int bad_length(struct net *net, struct sk_buff *skb, bool udplite)
{
	UDP_INC_STATS(net, UDP_MIB_INERRORS, udplite);
	kfree_skb(skb);
	return 0;
}

/* A group, or the broadcast of the link; the kernel asks the packet's route,
 * which knows those of networks too. */
static bool is_of_many(u32 daddr)
{
	return daddr >> 28 == 0xe || daddr == INADDR_BROADCAST;
}

int __udp4_lib_rcv(struct sk_buff *skb, struct udp_table *table, u8 protocol)
{
	const bool udplite = protocol == IPPROTO_UDPLITE_NUMBER;
	struct net *net = this_kernel()->init_net;
	u32 transport, network, ulen;
	struct net_device *dev;
	const u8 *uh, *network_header;
	struct sock *sk;

	FUNCTION(__udp4_lib_rcv);
	dev = READ(skb, dev);
	(void)READ(dev, nd_net);
	transport = READ(skb, transport_header);
	network = READ(skb, network_header);
	uh = skb_bytes(skb, transport);
	READ_SKB_DATA(skb, transport, UDP_HLEN);
	READ_SKB_DATA(skb, network, IP_HLEN);
	ulen = get_be16(uh + 4);
	if (!udp_length_ok(READ(skb, len), ulen, udplite))
		return bad_length(net, skb, udplite);
	if (!udplite)
		udp_trim(skb, ulen);
	if (!udp4_csum_init(skb, network, transport, skb->len, protocol))
		return bad_checksum(net, skb, udplite);
	sk = skb_steal_sock(skb);
	if (sk) {
		udp_sk_rx_dst_set(sk, skb);
		udp_queue_rcv_skb(sk, skb);
		sock_put(sk);
		return 0;
	}
	(void)READ(skb, _skb_refdst);
	(void)READ(dev, ifindex);
	rcu_read_lock();
	network_header = skb_bytes(skb, network);
	if (is_of_many(get_be32(network_header + 16))) {
		__udp4_lib_mcast_deliver(net, skb,
					 get_be32(network_header + 12),
					 get_be16(uh),
					 get_be32(network_header + 16),
					 get_be16(uh + 2), dev->ifindex, table);
		rcu_read_unlock();
		return 0;
	}
	sk = __udp4_lib_lookup(net, get_be32(network_header + 12),
			       get_be16(uh), get_be32(network_header + 16),
			       get_be16(uh + 2), dev->ifindex, table);
	if (!sk) {
		rcu_read_unlock();
		return no_socket(net, skb, udplite);
	}
	if (has(BUSY_POLL) && !has(BUSY_POLL_CONNECTED))
		sk_mark_napi_id(sk, skb);
	udp_queue_rcv_skb(sk, skb);
	put_found(sk);
	rcu_read_unlock();
	return 0;
}

int udp_rcv(struct sk_buff *skb)
{
	return __udp4_lib_rcv(skb, this_kernel()->ipv4->udp->table,
			      IPPROTO_UDP_NUMBER);
}

/* ---- the reader ---- */

/* Timestamps and the number of drops, if asked for. */
static void sock_recv_cmsgs(struct sock *sk)
{
	(void)READ(sk, sk_flags);
	if (has(SOCK_TSFLAGS))
		(void)READ(sk, sk_tsflags);
	(void)READ(sk, sk_stamp);
}

static void copy_sender(struct sk_buff *skb, struct msghdr *msg)
{
	u32 transport = READ(skb, transport_header);
	u32 network = READ(skb, network_header);

	READ_SKB_DATA(skb, transport, 2);
	READ_SKB_DATA(skb, network + 12, 4);
	*msg->from = (struct sockaddr_any){
		.family = PF_INET,
		.port = get_be16(skb_bytes(skb, transport)),
		.daddr = get_be32(skb_bytes(skb, network + 12)),
	};
}

int udp_recvmsg(struct sock *sk, struct msghdr *msg, u32 len)
{
	const bool udplite = sk_is_udplite(sk);
	const u32 room = len;
	struct net *net;
	struct sk_buff *skb;
	int err;

	FUNCTION(udp_recvmsg);
	STACK_PROTECTOR();
	if (!HAS_IPV4_ROUTES())
		return not_modelled(NO_IPV4_MODEL);
	if (msg->msg_flags & MSG_ERRQUEUE)
		return ip_recv_error(sk, msg, len);
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
	UDP_INC_STATS(net, UDP_MIB_INDATAGRAMS, udplite);
	sock_recv_cmsgs(sk);
	if (msg->from)
		copy_sender(skb, msg);
	udp_cmsg_recv(msg, sk, skb);
	if (READ((struct inet_sock *)(void *)sk, cmsg_flags))
		ip_cmsg_recv(msg, skb);
	udp_free_skb(sk, skb);
	return (int)len;
}

/* All that it was before it noted who reads a flow. */
static int sock_common_recvmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	struct sock *sk = READ(sock, sk);
	struct proto *prot;

	FUNCTION(sock_common_recvmsg);
	prot = READ(sk, sk_prot);
	return READ(prot, recvmsg)(sk, msg, len);
}

int inet_recvmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	struct sock *sk;
	struct proto *prot;

	if (!has(RFS))
		return sock_common_recvmsg(sock, msg, len);
	sk = READ(sock, sk);
	FUNCTION(inet_recvmsg);
	STACK_PROTECTOR();
	prot = READ(sk, sk_prot);
	return READ(prot, recvmsg)(sk, msg, len);
}
