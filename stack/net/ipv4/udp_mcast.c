/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c: a datagram for a group goes to each socket that fits.
 *
 * Where sockets are reused at once, the chain is locked while those that fit
 * are gathered, each with a reference; they get the packet afterwards.  Where
 * sockets wait for a grace period, neither is needed: all but the first get a
 * copy as they are found, the first the packet itself.
 *
 * A socket that is in the group gets what its filter lets through, another one
 * what comes for its port, unless it has said otherwise (IP_MULTICAST_ALL).
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/mld.h"
#include "stack/include/net/netns.h"
#include "stack/net/ipv4/udp_lookup.h"

#define STACK 32u		/* 256 bytes of pointers */

struct mcast {
	const struct udp_query *q;
	struct sk_buff *skb;
	struct sock *first;
	struct sock *stack[STACK];
	u32 count;
	bool given;		/* somebody has got it before */
};

/* The packet itself for the last one, a copy for others. */
static void give(struct mcast *m, struct sock *sk, bool last)
{
	struct sk_buff *skb = last ? m->skb : skb_clone(m->skb);

	m->given = true;
	if (skb)
		m->q->ops->deliver(sk, skb);
	else
		ATOMIC_INC(sk, sk_drops);
}

static void flush_stack(struct mcast *m, bool last)
{
	u32 i;

	FUNCTION(flush_stack);
	for (i = 0; i < m->count; i++) {
		give(m, m->stack[i], last && i == m->count - 1);
		sock_put(m->stack[i]);
	}
	m->count = 0;
}

static void take(struct mcast *m, struct sock *sk)
{
	WORK(4);
	if (!has(UDP_SOCK_RCU_FREE)) {
		if (m->count == STACK)
			flush_stack(m, false);
		sock_hold(sk);
		m->stack[m->count++] = sk;
	} else if (!m->first) {
		m->first = sk;
	} else {
		give(m, sk, false);
	}
}

/* By the socket's groups, and their sources. */
static bool is_wanted(const struct udp_query *q, struct sock *sk)
{
	if (q->v6)
		return inet6_mc_check(sk, &q->daddr6, &q->saddr6);
	return ip_mc_sf_allow(sk, q->daddr, q->saddr, q->dif);
}

static void walk(struct mcast *m, struct udp_hslot *hslot, bool by_address)
{
	void *p;

	if (!has(UDP_SOCK_RCU_FREE))
		SPIN_LOCK_NESTED(hslot, lock);
	p = READ_ONCE(hslot, head.first);
	while (!is_a_nulls(p)) {
		struct sock *sk = p;

		if (has(UDP_L3MDEV_ACCEPT))
			(void)READ(m->q->net, ipv4.sysctl_udp_l3mdev_accept);
		if (m->q->ops->fits(m->q, sk) >= 0 && is_wanted(m->q, sk))
			take(m, sk);
		if (by_address)
			p = READ_ONCE(udp_sk(sk), udp_portaddr_node.next);
		else
			p = READ_ONCE(sk, sk_node.next);
	}
	if (!has(UDP_SOCK_RCU_FREE))
		SPIN_UNLOCK_NESTED(hslot, lock);
}

/* The chain of the port; or if it is long those of the address and of none. */
static void walk_all(struct mcast *m, struct udp_query *q)
{
	struct udp_table *table = q->table;
	struct udp_hslot *hslot = udp_hashslot(table, q->net, q->hnum);
	struct udp_hslot *of_none;

	q->exact = false;
	if (!has(UDP_MCAST_HASH2) || READ_ONCE(hslot, count) <= 10) {
		walk(m, hslot, false);
		return;
	}
	of_none = udp_hashslot2(table, q->ops->portaddr_hash(q, true));
	hslot = udp_hashslot2(table, q->ops->portaddr_hash(q, false));
	walk(m, hslot, true);
	if (hslot != of_none)
		walk(m, of_none, true);
}

void udp_lib_mcast_deliver(struct udp_query *q, struct sk_buff *skb)
{
	struct mcast m = { .q = q, .skb = skb };

	walk_all(&m, q);
	if (m.first)
		give(&m, m.first, true);
	else if (m.count)
		flush_stack(&m, true);
	else
		consume_skb(skb);
}
