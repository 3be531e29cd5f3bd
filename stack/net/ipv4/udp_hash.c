/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/udp.c: the choice of a port, and a socket's ways onto the
 * chains of the hash tables and off them. */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock_reuseport.h"
#include "stack/include/net/udp.h"

/* ---- chains ---- */

/* First onto a chain: readers see the socket when the slot points to it. */
#define CHAIN_ADD_HEAD(slot, p, node) \
	do { \
		struct udp_hslot *slot_ = (slot); \
		__typeof__(p) new_ = (p); \
		__typeof__(p) first_ = READ_ONCE(slot_, head.first); \
		WRITE_ONCE(new_, node.next, first_); \
		WRITE(new_, node.pprev, slot_); \
		WRITE_ONCE(slot_, head.first, new_); \
		if (!is_a_nulls(first_)) \
			WRITE(first_, node.pprev, new_); \
	} while (0)

/* Last onto a chain. */
#define CHAIN_ADD_TAIL(slot, p, node) \
	do { \
		struct udp_hslot *head_ = (slot); \
		__typeof__(p) added_ = (p); \
		__typeof__(p) last_ = NULL; \
		__typeof__(p) at_ = READ_ONCE(head_, head.first); \
		for (; !is_a_nulls(at_); at_ = READ_ONCE(at_, node.next)) \
			last_ = at_; \
		if (!last_) { \
			CHAIN_ADD_HEAD(head_, added_, node); \
			break; \
		} \
		WRITE_ONCE(added_, node.next, at_); \
		WRITE(added_, node.pprev, last_); \
		WRITE_ONCE(last_, node.next, added_); \
	} while (0)

/* A reader who stands on the socket goes on from there: `next` stays. */
#define CHAIN_DEL(slot, p, node) \
	do { \
		struct udp_hslot *slot_ = (slot); \
		__typeof__(p) gone_ = (p); \
		__typeof__(p) next_ = READ(gone_, node.next); \
		void *pprev_ = READ(gone_, node.pprev); \
		if (pprev_ == slot_) \
			WRITE_ONCE(slot_, head.first, next_); \
		else \
			WRITE_ONCE((__typeof__(p))pprev_, node.next, next_); \
		if (!is_a_nulls(next_)) \
			WRITE(next_, node.pprev, pprev_); \
		WRITE(gone_, node.pprev, NULL); \
	} while (0)

/* ---- conflicts ---- */

/* Why two sockets may not have one port, but for their addresses. */
static bool may_conflict(struct sock *sk, struct sock *sk2)
{
	u32 dev;

	if (READ(sk2, sk_reuse) && READ(sk, sk_reuse))
		return false;
	dev = READ(sk2, sk_bound_dev_if);
	if (!dev || !READ(sk, sk_bound_dev_if))
		return true;
	return dev == sk->sk_bound_dev_if;
}

/* Two sockets of one user that both said SO_REUSEPORT share the port. */
static bool share_port(struct sock *sk, struct sock *sk2, u32 uid)
{
	if (!has(SO_REUSEPORT) || !READ(sk2, sk_reuseport) ||
	    !READ(sk, sk_reuseport))
		return false;
	/* One that is in a group already has been bound before. */
	if (has(UDP_REUSEPORT_GROUP) && READ_ONCE(sk, sk_reuseport_cb))
		return false;
	return uid == sock_i_uid(sk2);
}

/* May the two share, one need not look on: the port's group has been through
 * this before. */
static bool quits_early(const u64 *bitmap)
{
	return has(UDP_REUSEPORT_QUIT_EARLY) && !bitmap;
}

/*
 * Is a port in use for this socket?  With a bitmap, all ports of the chain are
 * looked at, and those in use are marked in it.
 */
static bool udp_lib_lport_inuse(struct net *net, u16 num,
				struct udp_hslot *hslot, u64 *bitmap,
				struct sock *sk, u32 log)
{
	struct sock *sk2;
	u32 uid = 0, port;

	FUNCTION(udp_lib_lport_inuse);
	if (has(SO_REUSEPORT))
		uid = sock_i_uid(sk);
	for (sk2 = READ_ONCE(hslot, head.first); !is_a_nulls(sk2);
	     sk2 = READ_ONCE(sk2, sk_node.next)) {
		WORK(14);
		if (READ(sk2, sk_net) != net || sk2 == sk)
			continue;
		port = READ(udp_sk(sk2), udp_port_hash);
		if ((!bitmap && port != num) || !may_conflict(sk, sk2) ||
		    !inet_rcv_saddr_equal(sk, sk2))
			continue;
		if (share_port(sk, sk2, uid)) {
			if (quits_early(bitmap))
				return false;
			continue;
		}
		if (!bitmap)
			return true;
		bitmap[(port >> log) / 64] |= 1ull << (port >> log) % 64;
	}
	return false;
}

/* The same by the chain of an address, for one port. */
static bool udp_lib_lport_inuse2(struct net *net, u16 num,
				 struct udp_hslot *hslot2, struct sock *sk)
{
	struct udp_sock *up2;
	bool inuse = false, done = false;
	u32 uid = 0;

	FUNCTION(udp_lib_lport_inuse2);
	if (has(SO_REUSEPORT))
		uid = sock_i_uid(sk);
	SPIN_LOCK_NESTED(hslot2, lock);
	for (up2 = READ_ONCE(hslot2, head.first); !done && !is_a_nulls(up2);
	     up2 = READ_ONCE(up2, udp_portaddr_node.next)) {
		struct sock *sk2 = &up2->inet.sk;

		WORK(14);
		if (READ(sk2, sk_net) != net || sk2 == sk ||
		    READ(up2, udp_port_hash) != num || !may_conflict(sk, sk2) ||
		    !inet_rcv_saddr_equal(sk, sk2))
			continue;
		inuse = !share_port(sk, sk2, uid);
		done = inuse || quits_early(NULL);
	}
	SPIN_UNLOCK_NESTED(hslot2, lock);
	return inuse;
}

/* A wanted port: where its own chain is long, the two chains of addresses on
 * which somebody in the way can be are looked at instead. */
static bool wanted_port_inuse(struct udp_table *table, struct net *net,
			      u16 snum, struct udp_hslot *hslot,
			      struct sock *sk, u32 hash2_nulladdr)
{
	struct udp_hslot *hslot2;
	u32 slot2, mask, count = 0;

	if (has(UDP_HASH2))
		count = READ(hslot, count);
	if (count > 10) {
		mask = READ(table, mask);
		slot2 = (READ(udp_sk(sk), udp_portaddr_hash) ^ snum) & mask;
		hash2_nulladdr &= mask;
		hslot2 = udp_hashslot2(table, slot2);
		if (count >= READ(hslot2, count))
			return udp_lib_lport_inuse2(net, snum, hslot2, sk) ||
			       (hash2_nulladdr != slot2 &&
				udp_lib_lport_inuse2(net, snum,
					udp_hashslot2(table, hash2_nulladdr),
					sk));
	}
	return udp_lib_lport_inuse(net, snum, hslot, NULL, sk, 0);
}

/* ---- the search ---- */

/* Tries the ports of one chain from `first` on, `step` apart: the port, or 0
 * where all that are in range are taken. */
static u16 free_port_of_chain(struct udp_table *table, struct net *net,
			      u16 first, u16 step, u32 low, u32 high,
			      const u64 *bitmap)
{
	u32 log = UDP_TABLE_LOG(table), bit;
	u16 snum = first;

	do {
		bit = snum >> log;
		if (low <= snum && snum <= high &&
		    !(bitmap[bit / 64] >> bit % 64 & 1) &&
		    !inet_is_local_reserved_port(net, snum))
			return snum;
		WORK(9);
		snum += step;
	} while (snum != first);
	return 0;
}

/* Any free port: begins at a random one, and goes from chain to chain.  Leaves
 * the lock of the chain taken; NULL where there is none. */
static struct udp_hslot *find_port(struct sock *sk, struct udp_table *table,
				   struct net *net, u16 *snum)
{
	u32 low, high, rand, mask, i;
	struct udp_hslot *hslot;
	u16 first;

	inet_sk_get_local_port_range(sk, &low, &high);
	rand = get_random_u32();
	first = (u16)(((u64)rand * (high - low + 1) >> 32) + low);
	mask = UDP_TABLE_MASK(table);
	/* An odd multiple of the table's size visits all of a chain's ports. */
	rand = (rand | 1) * (mask + 1);
	for (i = 0; i <= mask; i++, first++) {
		u64 bitmap[PORTS_PER_CHAIN / 64] = { 0 };

		hslot = udp_hashslot(table, net, first);
		SPIN_LOCK_BH(hslot, lock);
		udp_lib_lport_inuse(net, 0, hslot, bitmap, sk,
				    UDP_TABLE_LOG(table));
		*snum = free_port_of_chain(table, net, first, (u16)rand, low,
					   high, bitmap);
		if (*snum)
			return hslot;
		SPIN_UNLOCK_BH(hslot, lock);
		WORK(20);
	}
	return NULL;
}

/* ---- groups ---- */

/* Are two sockets with one port of one group?  Those of a group are alike in
 * all that a look-up asks for. */
static bool same_group(struct sock *sk, struct sock *sk2, u32 uid)
{
	u32 value = READ(sk, sk_family);
	bool only;

	if (value != READ(sk2, sk_family))
		return false;
	only = ipv6_only_sock(sk);
	if (only != ipv6_only_sock(sk2))
		return false;
	value = READ(sk, sk_bound_dev_if);
	if (value != READ(sk2, sk_bound_dev_if) || !READ(sk2, sk_reuseport))
		return false;
	return uid == sock_i_uid(sk2) && inet_rcv_saddr_same(sk, sk2);
}

int udp_reuseport_add_sock(struct sock *sk, struct udp_hslot *hslot)
{
	struct net *net = READ(sk, sk_net);
	u32 uid = sock_i_uid(sk), num = READ(udp_sk(sk), udp_port_hash);
	struct sock *sk2;

	FUNCTION(udp_reuseport_add_sock);
	for (sk2 = READ_ONCE(hslot, head.first); !is_a_nulls(sk2);
	     sk2 = READ_ONCE(sk2, sk_node.next)) {
		WORK(14);
		if (READ(sk2, sk_net) == net && sk2 != sk &&
		    READ(udp_sk(sk2), udp_port_hash) == num &&
		    same_group(sk, sk2, uid))
			return reuseport_add_sock(sk, sk2);
	}
	return reuseport_alloc(sk);
}

/* ---- onto the chains and off ---- */

static void portaddr_add(struct udp_hslot *hslot2, struct sock *sk, bool tail)
{
	struct udp_sock *up = udp_sk(sk);

	SPIN_LOCK_NESTED(hslot2, lock);
	if (tail)
		CHAIN_ADD_TAIL(hslot2, up, udp_portaddr_node);
	else
		CHAIN_ADD_HEAD(hslot2, up, udp_portaddr_node);
	UPDATE(hslot2, count, += 1);
	SPIN_UNLOCK_NESTED(hslot2, lock);
}

static void portaddr_del(struct udp_hslot *hslot2, struct sock *sk)
{
	struct udp_sock *up = udp_sk(sk);

	SPIN_LOCK_NESTED(hslot2, lock);
	CHAIN_DEL(hslot2, up, udp_portaddr_node);
	UPDATE(hslot2, count, -= 1);
	SPIN_UNLOCK_NESTED(hslot2, lock);
}

/* IPv6 sockets that share a port come last, so that look-ups find those of
 * IPv4 first. */
static bool adds_last(struct sock *sk)
{
	return has(REUSEPORT_TAIL) && READ(sk, sk_reuseport) &&
	       READ(sk, sk_family) == PF_INET6;
}

/* Puts a socket with a port on both chains; the first is locked. */
static void add_to_chains(struct sock *sk, struct udp_table *table,
			  struct net *net, struct udp_hslot *hslot)
{
	bool tail = adds_last(sk);
	u32 hash;

	if (has(UDP_SOCK_RCU_FREE))
		UPDATE(sk, sk_flags, |= 1u << SOCK_RCU_FREE);
	ATOMIC_INC(sk, sk_refcnt);
	if (tail)
		CHAIN_ADD_TAIL(hslot, sk, sk_node);
	else
		CHAIN_ADD_HEAD(hslot, sk, sk_node);
	if (has(UDP_HASH2))
		UPDATE(hslot, count, += 1);
	sock_prot_inuse_add(net, READ(sk, sk_prot), 1);
	if (!has(UDP_HASH2))
		return;
	hash = READ(udp_sk(sk), udp_portaddr_hash);
	portaddr_add(udp_hashslot2(table, hash), sk, tail);
}

static void set_port(struct sock *sk, u16 snum)
{
	WRITE(inet_sk(sk), inet_num, snum);
	WRITE(udp_sk(sk), udp_port_hash, snum);
	if (has(UDP_HASH2))
		UPDATE(udp_sk(sk), udp_portaddr_hash, ^= snum);
}

int udp_lib_get_port(struct sock *sk, u16 snum, u32 hash2_nulladdr)
{
	struct udp_hslot *hslot;
	struct udp_table *table;
	struct net *net;
	int error = 1;

	FUNCTION(udp_lib_get_port);
	STACK_PROTECTOR();
	table = READ(READ(sk, sk_prot), h);
	net = READ(sk, sk_net);
	if (!snum) {
		hslot = find_port(sk, table, net, &snum);
		if (!hslot)
			return 1;
	} else {
		hslot = udp_hashslot(table, net, snum);
		SPIN_LOCK_BH(hslot, lock);
		if (wanted_port_inuse(table, net, snum, hslot, sk,
				      hash2_nulladdr))
			goto out_unlock;
	}
	set_port(sk, snum);
	if (sk_unhashed(sk)) {
		if (has(UDP_REUSEPORT_GROUP) && READ(sk, sk_reuseport) &&
		    udp_reuseport_add_sock(sk, hslot)) {
			set_port(sk, 0);
			UPDATE(udp_sk(sk), udp_portaddr_hash, ^= snum);
			goto out_unlock;
		}
		add_to_chains(sk, table, net, hslot);
	}
	error = 0;
out_unlock:
	SPIN_UNLOCK_BH(hslot, lock);
	return error;
}

void udp_lib_unhash(struct sock *sk)
{
	struct udp_hslot *hslot, *hslot2 = NULL;
	struct udp_table *table;
	struct net *net;

	FUNCTION(udp_lib_unhash);
	if (sk_unhashed(sk))
		return;
	table = READ(READ(sk, sk_prot), h);
	net = READ(sk, sk_net);
	hslot = udp_hashslot(table, net, READ(udp_sk(sk), udp_port_hash));
	if (has(UDP_HASH2))
		hslot2 = udp_hashslot2(table, READ(udp_sk(sk),
						   udp_portaddr_hash));
	SPIN_LOCK_BH(hslot, lock);
	if (has(UDP_REUSEPORT_GROUP) && READ_ONCE(sk, sk_reuseport_cb))
		reuseport_detach_sock(sk);
	if (!sk_unhashed(sk)) {
		CHAIN_DEL(hslot, sk, sk_node);
		ATOMIC_DEC(sk, sk_refcnt);
		if (has(UDP_HASH2))
			UPDATE(hslot, count, -= 1);
		WRITE(inet_sk(sk), inet_num, 0);
		sock_prot_inuse_add(net, READ(sk, sk_prot), -1);
		if (has(UDP_HASH2))
			portaddr_del(hslot2, sk);
	}
	SPIN_UNLOCK_BH(hslot, lock);
}

/* The lock of the first chain keeps others from the port meanwhile. */
void udp_lib_rehash(struct sock *sk, u16 newhash)
{
	struct udp_hslot *hslot, *hslot2, *nhslot2;
	struct udp_table *table;
	bool grouped;

	FUNCTION(udp_lib_rehash);
	if (sk_unhashed(sk))
		return;
	table = READ(READ(sk, sk_prot), h);
	hslot2 = udp_hashslot2(table, READ(udp_sk(sk), udp_portaddr_hash));
	nhslot2 = udp_hashslot2(table, newhash);
	WRITE(udp_sk(sk), udp_portaddr_hash, newhash);
	grouped = has(UDP_REUSEPORT_GROUP) && READ_ONCE(sk, sk_reuseport_cb);
	if (hslot2 == nhslot2 && !grouped)
		return;
	hslot = udp_hashslot(table, READ(sk, sk_net),
			     READ(udp_sk(sk), udp_port_hash));
	SPIN_LOCK_BH(hslot, lock);
	if (grouped)
		reuseport_detach_sock(sk);
	if (hslot2 != nhslot2) {
		portaddr_del(hslot2, sk);
		portaddr_add(nhslot2, sk, false);
	}
	SPIN_UNLOCK_BH(hslot, lock);
}

int udp_v4_get_port(struct sock *sk, u16 snum)
{
	struct inet_sock *inet = inet_sk(sk);
	struct net *net;
	u32 nulladdr, partial;

	FUNCTION(udp_v4_get_port);
	if (!has(UDP_HASH2))
		return udp_lib_get_port(sk, snum, 0);
	net = READ(sk, sk_net);
	nulladdr = ipv4_portaddr_hash(net, 0, snum);
	partial = ipv4_portaddr_hash(net, READ(inet, inet_rcv_saddr), 0);
	/* The port comes in when it is known. */
	WRITE(udp_sk(sk), udp_portaddr_hash, (u16)partial);
	return udp_lib_get_port(sk, snum, nulladdr);
}

void udp_v4_rehash(struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	u32 addr;
	u16 num;

	if (!has(UDP_HASH2))
		return;
	addr = READ(inet, inet_rcv_saddr);
	num = READ(inet, inet_num);
	udp_lib_rehash(sk, (u16)ipv4_portaddr_hash(READ(sk, sk_net), addr,
						   num));
}
