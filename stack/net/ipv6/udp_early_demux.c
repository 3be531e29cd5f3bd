/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/udp.c: early demux; see ipv4/udp_early_demux.c.  Groups have
 * none over IPv6. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_lookup.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

/* Both ends of a connection, and the device. */
static bool inet6_match(const struct udp_query *q, struct sock *sk)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct in6_addr own;

	if (READ_ONCE(inet, inet_dport) != q->sport ||
	    READ_ONCE(inet, inet_num) != q->hnum ||
	    READ_ONCE(sk, sk_family) != PF_INET6)
		return false;
	own = READ_ADDR6(sk, sk_v6_daddr);
	if (!ipv6_addr_equal(&own, &q->saddr6))
		return false;
	own = READ_ADDR6(sk, sk_v6_rcv_saddr);
	if (!ipv6_addr_equal(&own, &q->daddr6))
		return false;
	return udp_score_device(q, sk, 1) >= 0 &&
	       READ_ONCE(sk, sk_net) == q->net;
}

static struct sock *__udp6_lib_demux_lookup(struct udp_query *q)
{
	struct udp_table *table = this_kernel()->ipv4->udp->table;
	struct udp_hslot *hslot2;
	struct udp_sock *up;
	u32 hash;

	FUNCTION(__udp6_lib_demux_lookup);
	hash = ipv6_portaddr_hash(q->net, &q->daddr6, q->hnum);
	hslot2 = udp_hashslot2(table, hash);
	up = READ_ONCE(hslot2, head.first);
	if (is_a_nulls(up) || !inet6_match(q, &up->inet.sk) ||
	    !udp_hold_not_zero(&up->inet.sk))
		return NULL;
	return &up->inet.sk;
}

static struct in6_addr address_at(const u8 *p)
{
	struct in6_addr address;

	memcpy(address.s6_addr, p, sizeof(address.s6_addr));
	return address;
}

void udp_v6_early_demux(struct sk_buff *skb)
{
	struct udp_query q = { .v6 = true };
	u32 transport, network;
	struct net_device *dev;
	struct dst_entry *dst;
	struct sock *sk;
	const u8 *uh;

	FUNCTION(udp_v6_early_demux);
	transport = READ(skb, transport_header);
	network = READ(skb, network_header);
	if (READ(skb, len) < transport - network + UDP_HLEN ||
	    READ(skb, pkt_type) != PACKET_HOST)
		return;
	READ_SKB_DATA(skb, network, IPV6_HLEN);
	READ_SKB_DATA(skb, transport, UDP_HLEN);
	uh = skb_bytes(skb, transport);
	dev = READ(skb, dev);
	q.net = READ(dev, nd_net);
	q.dif = READ(dev, ifindex);
	q.sport = get_be16(uh);
	q.hnum = get_be16(uh + 2);
	q.saddr6 = address_at(skb_bytes(skb, network) + 8);
	q.daddr6 = address_at(skb_bytes(skb, network) + 24);
	sk = __udp6_lib_demux_lookup(&q);
	if (!sk)
		return;
	udp_early_attach(skb, sk);
	dst = udp_rx_dst(sk, READ(sk, sk_rx_dst_cookie));
	if (dst) {
		skb->dst_noref = true;
		WRITE(skb, _skb_refdst, dst);
	}
}
