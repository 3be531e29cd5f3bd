/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/datagram.c: connect() of a datagram socket. */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_rcv.h"

/* The route is kept in the socket. */
int ip4_datagram_connect(struct sock *sk, const struct sockaddr_any *addr,
			 u32 addr_len)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct flowi4 fl4;
	u32 daddr = addr->daddr;
	u16 dport = addr->port;
	struct rtable *rt;
	int err;
	u32 id;

	if (addr_len < SOCKADDR_IN_SIZE)
		return -EINVAL;
	if (addr->family != PF_INET)
		return -EAFNOSUPPORT;
	if (!HAS_IPV4_ROUTES())
		return not_modelled(NO_IPV4_MODEL);
	fl4 = (struct flowi4){
		.daddr = daddr, .fl4_dport = dport,
		.saddr = READ(inet, inet_saddr),
		.fl4_sport = READ(inet, inet_sport),
		.flowi4_proto = READ(sk, sk_protocol),
	};
	rt = ip_route_output_flow(READ(sk, sk_net), &fl4, sk, &err);
	if (!rt) {
		if (err == -ENETUNREACH)
			IP_INC_STATS(READ(sk, sk_net), IPSTATS_MIB_OUTNOROUTES);
		return err;
	}
	if (!inet->inet_saddr)
		WRITE(inet, inet_saddr, fl4.saddr);
	if (!inet->inet_rcv_saddr) {
		WRITE(inet, inet_rcv_saddr, fl4.saddr);
		sk_rehash(sk, READ(READ(sk, sk_prot), rehash));
	}
	WRITE(inet, inet_daddr, daddr);
	WRITE(inet, inet_dport, dport);
	WRITE(inet, cork.fl.saddr, fl4.saddr);
	WRITE(inet, cork.fl.daddr, daddr);
	WRITE(inet, cork.fl.fl4_dport, dport);
	WRITE(sk, sk_state, TCP_ESTABLISHED);
	sk_set_txhash(sk);
	/* 3.6 draws it from the clock; the simulated one serves.  Where also
	 * fragments take it, sockets must be apart: the kernel draws a random
	 * number, here the port stands for that, spread by the golden ratio's
	 * part of 16 bits. */
	id = (u32)(this_cpu->clock / PS_PER_MS);
	if (has(IP_IDENTS_HASHED))
		id += inet->inet_sport * 40503u;
	WRITE(inet, inet_id, (u16)id);
	sk_dst_set(sk, &rt->dst);
	return 0;
}

/* A connected socket's route has gone stale while a task held the socket: it
 * looks for another. */
void ip4_datagram_release_cb(struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	struct dst_entry *dst;
	struct dst_ops *ops;
	struct flowi4 fl4;
	struct rtable *rt;
	int err;

	FUNCTION(ip4_datagram_release_cb);
	STACK_PROTECTOR();
	rcu_read_lock();
	dst = READ_ONCE(sk, sk_dst_cache);
	if (!dst || !READ(dst, obsolete))
		goto out_unlock;
	ops = READ(dst, ops);
	if (READ(ops, check)(dst, 0))
		goto out_unlock;
	fl4 = (struct flowi4){ .daddr = READ(inet, inet_daddr) };
	fl4.saddr = READ(inet, inet_saddr);
	fl4.fl4_dport = READ(inet, inet_dport);
	fl4.fl4_sport = READ(inet, inet_sport);
	fl4.flowi4_proto = READ(sk, sk_protocol);
	rt = ip_route_output_flow(READ(sk, sk_net), &fl4, sk, &err);
	sk_dst_set(sk, rt ? &rt->dst : NULL);
out_unlock:
	rcu_read_unlock();
}
