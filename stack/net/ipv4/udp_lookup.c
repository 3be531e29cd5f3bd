/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c: which socket gets a datagram.
 *
 * Readers walk a chain with no lock.  Where sockets are freed at once, one may
 * be closed and opened again under a reader's eyes.  So a reader sees by the
 * mark at the end that it has been led to another chain, takes a reference
 * only if somebody has one, and then looks again whether it is still the
 * socket that it meant.  Where sockets wait for a grace period none of that is
 * needed, and the caller gets no reference.
 *
 * The walks are the same for both families: what they compare is not.  What a
 * reader compares may change under its eyes, so those reads are marked.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock_reuseport.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/net/ipv4/udp_early_demux.h"
#include "stack/net/ipv4/udp_lookup.h"
#include "stack/net/ipv4/udp_rcv.h"

/* ---- what fits ---- */

s32 udp_score_port(const struct udp_query *q, struct sock *sk, u16 weight)
{
	u16 port = READ_ONCE(inet_sk(sk), inet_dport);

	return !port ? 0 : port == q->sport ? weight : -1;
}

s32 udp_score_device(const struct udp_query *q, struct sock *sk, u16 weight)
{
	u32 dev = READ_ONCE(sk, sk_bound_dev_if);

	return !dev ? 0 : dev == q->dif ? weight : -1;
}

/* The CPU that the socket's packets came in on last. */
s32 udp_score_cpu(struct sock *sk)
{
	return has(UDP_INCOMING_CPU) &&
	       READ_ONCE(sk, sk_incoming_cpu) == (s32)this_cpu->id;
}

/* How well a socket fits, -1: not at all. */
static s32 udp4_fits(const struct udp_query *q, struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	s32 score, part;
	u32 addr;

	if (READ_ONCE(sk, sk_net) != q->net ||
	    READ_ONCE(udp_sk(sk), udp_port_hash) != q->hnum ||
	    ipv6_only_sock(sk))
		return -1;
	addr = READ_ONCE(inet, inet_rcv_saddr);
	if (q->exact ? addr != q->rcv_saddr : addr && addr != q->daddr)
		return -1;
	score = READ_ONCE(sk, sk_family) == PF_INET ? 2 : 1;
	if (!q->exact && addr)
		score += 4;
	addr = READ_ONCE(inet, inet_daddr);
	if (addr && addr != q->saddr)
		return -1;
	score += addr ? 4 : 0;
	part = udp_score_port(q, sk, 4);
	if (part < 0)
		return -1;
	score += part;
	part = udp_score_device(q, sk, 4);
	if (part < 0)
		return -1;
	return score + part + udp_score_cpu(sk);
}

static s32 udp4_score(const struct udp_query *q, struct sock *sk)
{
	FUNCTION(compute_score);
	return udp4_fits(q, sk);
}

static u32 udp4_ehash(const struct udp_query *q)
{
	u32 secret = this_kernel()->ipv4->udp->ehash_secret;

	FUNCTION(udp_ehashfn);
	return jhash_3words(wire_order(q->daddr),
			    (u32)q->hnum << 16 | wire_order16(q->sport),
			    wire_order(q->saddr),
			    secret + net_hash_mix(q->net));
}

/* ---- the walks ---- */

/* What a walk along a chain has found so far. */
struct udp_walk {
	struct sock *result;
	s32 badness;
	bool shared;		/* the best one shares its port */
	u32 matches, hash;
	bool of_group;		/* a group has chosen: that is final */
	bool no_group;		/* what one chose did not fit */
	const void *end;
};

/* One more socket of a chain. */
static void walk_score(const struct udp_query *q, struct udp_walk *w,
		       struct sock *sk)
{
	s32 score = q->ops->score(q, sk);
	struct sock *sk2 = NULL;

	WORK(3);
	if (score > w->badness) {
		w->shared = has(SO_REUSEPORT) && READ_ONCE(sk, sk_reuseport) &&
			    (!has(UDP_REUSEPORT_CONNS) ||
			     READ_ONCE(sk, sk_state) != TCP_ESTABLISHED);
		if (w->shared) {
			w->hash = q->ops->ehash(q);
			if (has(UDP_REUSEPORT_GROUP) && !w->no_group)
				sk2 = reuseport_select_sock(sk, w->hash);
			w->of_group = sk2;
			w->matches = 1;
		}
		w->result = sk2 ? sk2 : sk;
		w->badness = score;
	} else if (score == w->badness && w->shared && w->result) {
		/* Each of those that share is as likely as the others. */
		w->matches++;
		if (!((u64)w->hash * w->matches >> 32))
			w->result = sk;
		w->hash = w->hash * 1664525 + 1013904223;
	}
}

static void walk_by_port(const struct udp_query *q, struct udp_walk *w,
			 struct udp_hslot *hslot)
{
	struct sock *sk;

	for (sk = READ_ONCE(hslot, head.first); !is_a_nulls(sk);
	     sk = READ_ONCE(sk, sk_node.next)) {
		walk_score(q, w, sk);
		if (w->of_group)
			return;
	}
	w->end = sk;
}

static void walk_by_address(const struct udp_query *q, struct udp_walk *w,
			    struct udp_hslot *hslot2)
{
	struct udp_sock *up;

	for (up = READ_ONCE(hslot2, head.first); !is_a_nulls(up);
	     up = READ_ONCE(up, udp_portaddr_node.next)) {
		walk_score(q, w, &up->inet.sk);
		if (w->of_group)
			return;
	}
	w->end = up;
}

/* It was closed and perhaps opened again before it was held: is it worse than
 * what was seen? */
static bool is_another(const struct udp_query *q, struct udp_walk *w)
{
	if (has(UDP_LOOKUP_NO_RECHECK))
		return false;
	return q->ops->score(q, w->result) < w->badness;
}

/* Along one chain until nothing comes in between. */
static struct sock *lookup_chain(const struct udp_query *q,
				 struct udp_hslot *hslot, u32 slot,
				 bool by_address)
{
	const void *mark = (const void *)((uintptr_t)slot << 1 | 1);
	struct udp_walk w = { 0 };

	for (;;) {
		w = (struct udp_walk){
			.badness = q->v6 ? -1 : 0,
			.no_group = w.no_group || w.of_group,
		};
		if (by_address)
			walk_by_address(q, &w, hslot);
		else
			walk_by_port(q, &w, hslot);
		if (has(UDP_SOCK_RCU_FREE))
			return w.result;
		if (!w.of_group && w.end != mark) {
			WORK(4);
			continue;
		}
		if (!w.result || !udp_hold_not_zero(w.result))
			return NULL;
		if (!is_another(q, &w))
			return w.result;
		sock_put(w.result);
	}
}

static struct sock *lookup2(const struct udp_query *q,
			    struct udp_hslot *hslot2, u32 slot2)
{
	if (q->v6) {
		FUNCTION(udp6_lib_lookup2);
		return lookup_chain(q, hslot2, slot2, true);
	}
	FUNCTION(udp4_lib_lookup2);
	return lookup_chain(q, hslot2, slot2, true);
}

/* By the second table: a socket with the address, else one with none. */
static struct sock *lookup_by_address(struct udp_query *q,
				      struct udp_table *table, u32 mask)
{
	struct udp_hslot *hslot2;
	struct sock *sk;
	u32 hash;

	q->exact = true;
	hash = q->ops->portaddr_hash(q, false);
	hslot2 = udp_hashslot2(table, hash);
	sk = lookup2(q, hslot2, hash & mask);
	if (sk)
		return sk;
	hash = q->ops->portaddr_hash(q, true);
	hslot2 = udp_hashslot2(table, hash);
	return lookup2(q, hslot2, hash & mask);
}

/* A long chain of the port is worth a look at those of the two addresses: if
 * they are no longer.  *done: the result is final. */
static struct sock *lookup_long(struct udp_query *q, struct udp_table *table,
				u32 mask, u32 count, bool *done)
{
	struct udp_hslot *hslot2;
	struct sock *sk = NULL;
	u32 hash, i;

	q->exact = true;
	for (i = 0; i < 2 && !sk; i++) {
		hash = q->ops->portaddr_hash(q, i);
		hslot2 = udp_hashslot2(table, hash);
		*done = count >= READ_ONCE(hslot2, count);
		if (!*done)
			return NULL;
		sk = lookup2(q, hslot2, hash & mask);
	}
	return sk;
}

struct sock *udp_lib_lookup(struct udp_query *q)
{
	struct udp_table *table = q->table;
	u32 mask = UDP_TABLE_MASK(table), count = 0, slot;
	struct udp_hslot *hslot;
	bool done = false;
	struct sock *sk;

	if (has(UDP_LOOKUP_HASH2))
		return lookup_by_address(q, table, mask);
	slot = (q->hnum + net_hash_mix(q->net)) & mask;
	hslot = udp_hashslot(table, q->net, q->hnum);
	if (has(UDP_HASH2))
		count = READ_ONCE(hslot, count);
	if (count > 10) {
		sk = lookup_long(q, table, mask, count, &done);
		if (done)
			return sk;
	}
	q->exact = false;
	return lookup_chain(q, hslot, slot, false);
}

/* ---- IPv4 ---- */

static u32 udp4_portaddr(struct udp_query *q, bool any)
{
	q->rcv_saddr = any ? 0 : q->daddr;
	return ipv4_portaddr_hash(q->net, q->rcv_saddr, q->hnum);
}

static const struct udp_query_ops udp4_query_ops = {
	.score = udp4_score,
	.fits = udp4_fits,
	.portaddr_hash = udp4_portaddr,
	.ehash = udp4_ehash,
	.deliver = udp_queue_rcv_skb,
};

struct udp_query udp4_query(struct net *net, u32 saddr, u16 sport, u32 daddr,
			    u16 dport, u32 dif, struct udp_table *table)
{
	return (struct udp_query){
		.ops = &udp4_query_ops, .net = net, .table = table,
		.hnum = dport, .sport = sport, .dif = dif, .saddr = saddr,
		.daddr = daddr,
	};
}

struct sock *__udp4_lib_lookup(struct net *net, u32 saddr, u16 sport,
			       u32 daddr, u16 dport, u32 dif,
			       struct udp_table *table)
{
	struct udp_query q = udp4_query(net, saddr, sport, daddr, dport, dif,
					table);
	struct sock *sk;

	FUNCTION(__udp4_lib_lookup);
	rcu_read_lock();
	sk = udp_lib_lookup(&q);
	rcu_read_unlock();
	return sk;
}

void __udp4_lib_mcast_deliver(struct net *net, struct sk_buff *skb, u32 saddr,
			      u16 sport, u32 daddr, u16 dport, u32 dif,
			      struct udp_table *table)
{
	struct udp_query q = udp4_query(net, saddr, sport, daddr, dport, dif,
					table);

	FUNCTION(__udp4_lib_mcast_deliver);
	udp_lib_mcast_deliver(&q, skb);
}
