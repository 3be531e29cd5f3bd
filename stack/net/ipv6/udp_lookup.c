/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/udp.c: which socket gets a datagram.  The walks along the
 * chains are in ipv4/udp_lookup.c. */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/net/ipv4/udp_lookup.h"
#include "stack/net/ipv4/udp_rcv.h"

/* An address of the socket: 0 if it has none, 1 if it is this one, -1. */
static s32 score_address(const struct in6_addr *own,
			 const struct in6_addr *addr)
{
	if (ipv6_addr_any(own))
		return 0;
	return ipv6_addr_equal(own, addr) ? 1 : -1;
}

static s32 udp6_fits(const struct udp_query *q, struct sock *sk)
{
	struct in6_addr own;
	s32 score = 0, part;

	if (READ_ONCE(sk, sk_net) != q->net ||
	    READ_ONCE(udp_sk(sk), udp_port_hash) != q->hnum ||
	    READ_ONCE(sk, sk_family) != PF_INET6)
		return -1;
	own = READ_ADDR6(sk, sk_v6_rcv_saddr);
	if (q->exact && !ipv6_addr_equal(&own, &q->rcv_saddr6))
		return -1;
	part = q->exact ? 0 : score_address(&own, &q->daddr6);
	if (part < 0)
		return -1;
	score += part;
	part = udp_score_port(q, sk, 1);
	if (part < 0)
		return -1;
	score += part;
	own = READ_ADDR6(sk, sk_v6_daddr);
	part = score_address(&own, &q->saddr6);
	if (part < 0)
		return -1;
	score += part;
	part = udp_score_device(q, sk, 1);
	if (part < 0)
		return -1;
	return score + part + udp_score_cpu(sk);
}

static s32 udp6_score(const struct udp_query *q, struct sock *sk)
{
	FUNCTION(compute_score);
	return udp6_fits(q, sk);
}

/* A word of an address as a little-endian host loads it. */
static u32 word_of(const struct in6_addr *addr, u32 i)
{
	const u8 *byte = addr->s6_addr + 4 * i;

	return byte[0] | (u32)byte[1] << 8 | (u32)byte[2] << 16 |
	       (u32)byte[3] << 24;
}

static u32 udp6_ehash(const struct udp_query *q)
{
	u32 secret = this_kernel()->ipv4->udp->ehash_secret;
	u32 fhash = jhash_3words(word_of(&q->saddr6, 0) ^
				 word_of(&q->saddr6, 1),
				 word_of(&q->saddr6, 2),
				 word_of(&q->saddr6, 3), ~secret);

	FUNCTION(udp_ehashfn);
	return jhash_3words(word_of(&q->daddr6, 3), fhash,
			    (u32)q->hnum << 16 | wire_order16(q->sport),
			    secret + net_hash_mix(q->net));
}

static u32 udp6_portaddr(struct udp_query *q, bool any)
{
	static const struct in6_addr none;

	q->rcv_saddr6 = any ? none : q->daddr6;
	return ipv6_portaddr_hash(q->net, &q->rcv_saddr6, q->hnum);
}

static const struct udp_query_ops udp6_query_ops = {
	.score = udp6_score,
	.fits = udp6_fits,
	.portaddr_hash = udp6_portaddr,
	.ehash = udp6_ehash,
	.deliver = udpv6_deliver,
};

struct sock *__udp6_lib_lookup(struct net *net, const struct in6_addr *saddr,
			       u16 sport, const struct in6_addr *daddr,
			       u16 dport, u32 dif, struct udp_table *table)
{
	struct udp_query q = {
		.ops = &udp6_query_ops, .net = net, .table = table,
		.v6 = true, .hnum = dport, .sport = sport, .dif = dif,
		.saddr6 = *saddr, .daddr6 = *daddr,
	};
	struct sock *sk;

	FUNCTION(__udp6_lib_lookup);
	rcu_read_lock();
	sk = udp_lib_lookup(&q);
	rcu_read_unlock();
	return sk;
}

void __udp6_lib_mcast_deliver(struct net *net, struct sk_buff *skb,
			      const struct in6_addr *saddr, u16 sport,
			      const struct in6_addr *daddr, u16 dport, u32 dif,
			      struct udp_table *table)
{
	struct udp_query q = {
		.ops = &udp6_query_ops, .net = net, .table = table,
		.v6 = true, .hnum = dport, .sport = sport, .dif = dif,
		.saddr6 = *saddr, .daddr6 = *daddr,
	};

	FUNCTION(__udp6_lib_mcast_deliver);
	udp_lib_mcast_deliver(&q, skb);
}
