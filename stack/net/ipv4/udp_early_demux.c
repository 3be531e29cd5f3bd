/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c: early demux.  Before a datagram is routed, the socket
 * that it is for is looked for, since that may remember the route of the one
 * before.  Only sure cases count: for one address, the first socket of the
 * chain of that address and port, if it is connected to the sender; for a
 * group, the one socket of the port that fits, if there is one.
 *
 * A reference is taken even where sockets wait for a grace period, as packets
 * may outlive one.
 */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_lookup.h"
#include "stack/net/ipv4/udp_rcv.h"

/* ---- both families ---- */

bool udp_hold_not_zero(struct sock *sk)
{
	if (!READ_ONCE(sk, sk_refcnt))
		return false;
	return ATOMIC_ADD_RETURN(sk, sk_refcnt, 1) > 1;
}

/* Of a packet that does not get as far as UDP. */
static void sock_edemux(struct sk_buff *skb)
{
	FUNCTION(sock_edemux);
	sock_put(READ(skb, sk));
}

void udp_early_attach(struct sk_buff *skb, struct sock *sk)
{
	WRITE(skb, sk, sk);
	WRITE(skb, destructor, sock_edemux);
}

struct dst_entry *udp_rx_dst(struct sock *sk, u32 cookie)
{
	struct dst_entry *dst = READ_ONCE(sk, sk_rx_dst);
	struct dst_ops *ops;

	if (!dst || !READ(dst, obsolete))
		return dst;
	ops = READ(dst, ops);
	return READ(ops, check)(dst, cookie);
}

struct sock *skb_steal_sock(struct sk_buff *skb)
{
	struct sock *sk = READ(skb, sk);

	if (!sk)
		return NULL;
	WRITE(skb, destructor, NULL);
	WRITE(skb, sk, NULL);
	return sk;
}

bool udp_sk_rx_dst_set(struct sock *sk, struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst), *old;

	if (READ_ONCE(sk, sk_rx_dst) == dst)
		return false;
	if (dst)
		ATOMIC_INC(dst, __refcnt);
	old = ATOMIC_XCHG(sk, sk_rx_dst, dst);
	dst_release(old);
	return true;
}

/* ---- IPv4 ---- */

/* Both ends of a connection, and the device. */
static bool inet_match(const struct udp_query *q, struct sock *sk)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;

	if (READ_ONCE(inet, inet_dport) != q->sport ||
	    READ_ONCE(inet, inet_num) != q->hnum ||
	    READ_ONCE(inet, inet_daddr) != q->saddr ||
	    READ_ONCE(inet, inet_rcv_saddr) != q->daddr)
		return false;
	return udp_score_device(q, sk, 1) >= 0 &&
	       READ_ONCE(sk, sk_net) == q->net;
}

static bool fits_still(const struct udp_query *q, struct sock *sk)
{
	return q->exact ? inet_match(q, sk) : q->ops->fits(q, sk) >= 0;
}

/* A reference, and a second look, since the socket may have been another's
 * meanwhile. */
static struct sock *hold_found(const struct udp_query *q, struct sock *sk)
{
	if (!sk || !udp_hold_not_zero(sk))
		return NULL;
	if (has(UDP_SOCK_RCU_FREE) || fits_still(q, sk))
		return sk;
	sock_put(sk);
	return NULL;
}

/* The first socket of the address and port, and no other. */
static struct sock *__udp4_lib_demux_lookup(struct udp_query *q)
{
	struct udp_table *table = q->table;
	struct udp_hslot *hslot2;
	struct udp_sock *up;
	u32 hash;

	FUNCTION(__udp4_lib_demux_lookup);
	hash = ipv4_portaddr_hash(q->net, q->daddr, q->hnum);
	hslot2 = udp_hashslot2(table, hash);
	q->exact = true;
	up = READ_ONCE(hslot2, head.first);
	if (is_a_nulls(up) || !inet_match(q, &up->inet.sk))
		return NULL;
	return hold_found(q, &up->inet.sk);
}

/* The only one of the port that fits; `count` says how many do. */
static struct sock *walk_group(const struct udp_query *q,
			       struct udp_hslot *hslot, const void *mark,
			       u32 *count)
{
	struct sock *sk, *result;

	do {
		*count = 0;
		result = NULL;
		for (sk = READ_ONCE(hslot, head.first); !is_a_nulls(sk);
		     sk = READ_ONCE(sk, sk_node.next)) {
			WORK(6);
			if (q->ops->fits(q, sk) < 0)
				continue;
			result = sk;
			++*count;
		}
	} while (!has(UDP_SOCK_RCU_FREE) && sk != mark);
	return result;
}

static struct sock *__udp4_lib_mcast_demux_lookup(struct udp_query *q)
{
	struct udp_table *table = q->table;
	u32 slot = (q->hnum + net_hash_mix(q->net)) & UDP_TABLE_MASK(table);
	const void *mark = (const void *)((uintptr_t)slot << 1 | 1);
	struct udp_hslot *hslot;
	struct sock *result;
	u32 count;

	FUNCTION(__udp4_lib_mcast_demux_lookup);
	hslot = udp_hashslot(table, q->net, q->hnum);
	if (has(UDP_DEMUX_SHORT_CHAIN) && READ_ONCE(hslot, count) > 10)
		return NULL;
	q->exact = false;
	result = walk_group(q, hslot, mark, &count);
	return count == 1 ? hold_found(q, result) : NULL;
}

/* Routes of one packet alone have to be counted; others live as long as the
 * reader is looking. */
static void attach_route(struct sk_buff *skb, struct dst_entry *dst)
{
	bool counted = !has(DST_HOLD_SAFE) &&
		       READ(dst, flags) & DST_NOCACHE;

	if (counted)
		ATOMIC_INC(dst, __refcnt);
	skb->dst_noref = !counted;
	WRITE(skb, _skb_refdst, dst);
}

/* The route that the socket remembers may be that of another group. */
static bool is_ours(const struct net_device *dev, const struct udp_query *q)
{
	struct in_device *in_dev;

	if (!has(UDP_DEMUX_MC_OURS))
		return true;
	in_dev = READ(dev, ip_ptr);
	return in_dev && ip_check_mc_rcu(in_dev, q->daddr, q->saddr,
					 IPPROTO_UDP_NUMBER);
}

void udp_v4_early_demux(struct sk_buff *skb)
{
	u32 transport, network, type, dif;
	const u8 *iph, *uh;
	struct net_device *dev;
	struct dst_entry *dst;
	struct udp_query q;
	struct sock *sk;
	struct net *net;

	FUNCTION(udp_v4_early_demux);
	transport = READ(skb, transport_header);
	network = READ(skb, network_header);
	if (READ(skb, len) < transport - network + UDP_HLEN)
		return;
	iph = skb_bytes(skb, network);
	uh = skb_bytes(skb, transport);
	READ_SKB_DATA(skb, network, IP_HLEN);
	READ_SKB_DATA(skb, transport, UDP_HLEN);
	dev = READ(skb, dev);
	net = READ(dev, nd_net);
	dif = READ(dev, ifindex);
	q = udp4_query(net, get_be32(iph + 12), get_be16(uh),
		       get_be32(iph + 16), get_be16(uh + 2), dif,
		       this_kernel()->ipv4->udp->table);
	type = READ(skb, pkt_type);
	if (type == PACKET_HOST)
		sk = __udp4_lib_demux_lookup(&q);
	else if (type == PACKET_BROADCAST ||
		 (type == PACKET_MULTICAST && is_ours(dev, &q)))
		sk = __udp4_lib_mcast_demux_lookup(&q);
	else
		return;
	if (!sk)
		return;
	udp_early_attach(skb, sk);
	dst = udp_rx_dst(sk, 0);
	if (dst)
		attach_route(skb, dst);
}
