/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/datagram.c: connect() of a datagram socket. */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv6/udp.h"

static bool is_none(const struct in6_addr *addr)
{
	static const struct in6_addr mapped_none = {
		.s6_addr = { [10] = 0xff, [11] = 0xff },
	};

	return ipv6_addr_any(addr) || ipv6_addr_equal(addr, &mapped_none);
}

/* An IPv4 peer, written in either way: the socket shows IPv4's addresses as
 * mapped ones. */
static int ip6_connect_ipv4(struct udp6_sock *up6,
			    const struct sockaddr_any *addr, u32 addr_len)
{
	struct inet_sock *inet = &up6->udp.inet;
	struct sock *sk = &inet->sk;
	struct in6_addr was;
	int err;

	err = ip4_datagram_connect(sk, addr, addr_len);
	if (err)
		return err;
	WRITE_ADDR6(sk, sk_v6_daddr, ipv6_addr_v4(READ(inet, inet_daddr)));
	was = READ_ADDR6(up6, inet6.saddr);
	if (is_none(&was))
		WRITE_ADDR6(up6, inet6.saddr,
			    ipv6_addr_v4(READ(inet, inet_saddr)));
	was = READ_ADDR6(sk, sk_v6_rcv_saddr);
	if (is_none(&was)) {
		WRITE_ADDR6(sk, sk_v6_rcv_saddr,
			    ipv6_addr_v4(READ(inet, inet_rcv_saddr)));
		sk_rehash(sk, READ(READ(sk, sk_prot), rehash));
	}
	return 0;
}

/* A link-local peer is on a certain link. */
static int ip6_connect_scope(struct udp6_sock *up6,
			     const struct sockaddr_any *addr, u32 addr_len,
			     const struct in6_addr *daddr)
{
	struct sock *sk = &up6->udp.inet.sk;
	u32 oif;

	if (!ipv6_addr_needs_scope_id(daddr))
		return 0;
	oif = READ(sk, sk_bound_dev_if);
	if (addr_len >= SOCKADDR_IN6_SIZE && addr->scope_id) {
		if (oif && oif != addr->scope_id)
			return -EINVAL;
		oif = addr->scope_id;
	}
	if (!oif && ipv6_addr_is_multicast(daddr))
		oif = READ(up6, inet6.mcast_oif);
	if (!oif)
		return -EINVAL;
	WRITE_ONCE(sk, sk_bound_dev_if, oif);
	return 0;
}

/* The routing header's first hop: the label's, or the socket's. */
static const struct in6_addr *first_hop(struct udp6_sock *up6,
					struct ip6_flowlabel *label,
					struct flowi6 *fl6,
					struct in6_addr *orig)
{
	const struct in6_addr *final;
	struct ipv6_txoptions *opt;

	if (has(TXOPT_RCU))
		rcu_read_lock();
	opt = label ? READ(label, opt) : READ_ONCE(up6, inet6.opt);
	final = fl6_update_dst(fl6, opt, orig);
	if (has(TXOPT_RCU))
		rcu_read_unlock();
	return final;
}

int ip6_datagram_dst_update(struct udp6_sock *up6, struct ip6_flowlabel *label)
{
	struct inet_sock *inet = &up6->udp.inet;
	struct sock *sk = &inet->sk;
	const struct in6_addr *final;
	struct in6_addr orig;
	struct flowi6 fl6 = { 0 };
	struct dst_entry *dst;
	struct in6_addr was;
	int err;

	fl6.flowi6_proto = READ(sk, sk_protocol);
	fl6.daddr = READ_ADDR6(sk, sk_v6_daddr);
	fl6.saddr = READ_ADDR6(up6, inet6.saddr);
	fl6.flowi6_oif = READ(sk, sk_bound_dev_if);
	fl6.flowi6_mark = READ(sk, sk_mark);
	fl6.fl6_dport = READ(inet, inet_dport);
	fl6.fl6_sport = READ(inet, inet_sport);
	fl6.flowlabel = READ(up6, inet6.flow_label);
	if (!fl6.flowi6_oif)
		fl6.flowi6_oif = READ(up6, inet6.sticky_pktinfo.ipi6_ifindex);
	if (!fl6.flowi6_oif && ipv6_addr_is_multicast(&fl6.daddr))
		fl6.flowi6_oif = READ(up6, inet6.mcast_oif);
	security_sk_classify_flow();
	final = first_hop(up6, label, &fl6, &orig);
	dst = ip6_dst_lookup_flow(sk, &fl6, final, &err);
	if (!dst)
		return err;
	was = READ_ADDR6(up6, inet6.saddr);
	if (ipv6_addr_any(&was))
		WRITE_ADDR6(up6, inet6.saddr, fl6.saddr);
	was = READ_ADDR6(sk, sk_v6_rcv_saddr);
	if (ipv6_addr_any(&was)) {
		WRITE_ADDR6(sk, sk_v6_rcv_saddr, fl6.saddr);
		WRITE(inet, inet_rcv_saddr, LOOPBACK4_IPV6);
		sk_rehash(sk, READ(READ(sk, sk_prot), rehash));
	}
	ip6_sk_dst_store_flow(sk, dst, &fl6);
	return 0;
}

struct peer {
	struct ip6_flowlabel *label;	/* leased, or NULL */
	struct in6_addr daddr;
	u32 flow_label;
	u16 dport;
};

static struct peer ip6_set_peer(struct udp6_sock *up6, const struct peer *peer)
{
	struct inet_sock *inet = &up6->udp.inet;
	struct peer was = { .label = NULL };

	was.daddr = READ_ADDR6(&inet->sk, sk_v6_daddr);
	was.flow_label = READ(up6, inet6.flow_label);
	was.dport = READ(inet, inet_dport);
	WRITE_ADDR6(&inet->sk, sk_v6_daddr, peer->daddr);
	WRITE(up6, inet6.flow_label, peer->flow_label);
	WRITE(inet, inet_dport, peer->dport);
	return was;
}

/* The label that a program gives with the address: one that it may use. */
static int ip6_connect_label(struct udp6_sock *up6, u32 flowinfo,
			     struct peer *peer)
{
	u32 label;

	if (!READ(up6, inet6.sndflow))
		return 0;
	peer->flow_label = flowinfo & IPV6_FLOWINFO_MASK;
	label = peer->flow_label & IPV6_FLOWLABEL_MASK;
	if (label && fl6_sock_lookup(&up6->udp.inet.sk, label, &peer->label))
		return -EINVAL;
	return 0;
}

/* An IPv6 peer. */
static int ip6_connect_peer(struct udp6_sock *up6,
			    const struct sockaddr_any *addr, u32 addr_len,
			    struct peer *peer)
{
	struct sock *sk = &up6->udp.inet.sk;
	struct peer was;
	int err;

	err = ip6_connect_scope(up6, addr, addr_len, &peer->daddr);
	if (err)
		return err;
	was = ip6_set_peer(up6, peer);
	err = ip6_datagram_dst_update(up6, peer->label);
	if (err) {
		if (has(IP6_CONNECT_RESTORE))
			ip6_set_peer(up6, &was);
		return err;
	}
	WRITE(sk, sk_state, TCP_ESTABLISHED);
	sk_set_txhash(sk);
	return 0;
}

/* No address means this host, over IPv4 if the socket has such an address. */
static struct in6_addr ip6_connect_self(struct sock *sk)
{
	static const struct in6_addr loopback = { .s6_addr = { [15] = 1 } };
	struct in6_addr addr;

	if (!has(IP6_MAPPED_SOURCE))
		return loopback;
	addr = READ_ADDR6(sk, sk_v6_rcv_saddr);
	return ipv6_addr_v4mapped(&addr) ? ipv6_addr_v4(INADDR_LOOPBACK) :
	       loopback;
}

/* The address is one of IPv6, by its family. */
static int ip6_connect_inet6(struct udp6_sock *up6,
			     const struct sockaddr_any *addr, u32 addr_len,
			     struct peer *peer)
{
	peer->daddr = addr->daddr6;
	if (ipv6_addr_any(&peer->daddr))
		peer->daddr = ip6_connect_self(&up6->udp.inet.sk);
	peer->dport = addr->port;
	if (ipv6_addr_v4mapped(&peer->daddr)) {
		const struct sockaddr_any sin = {
			.family = PF_INET, .port = addr->port,
			.daddr = ipv6_addr_to_v4(&peer->daddr),
		};

		return READ(up6, inet6.ipv6only) ? -ENETUNREACH :
		       ip6_connect_ipv4(up6, &sin, SOCKADDR_IN_SIZE);
	}
	return ip6_connect_peer(up6, addr, addr_len, peer);
}

int ip6_datagram_connect(struct sock *sk, const struct sockaddr_any *addr,
			 u32 addr_len)
{
	struct udp6_sock *up6 = INET6_SK(sk);
	struct peer peer = { .label = NULL };
	int err;

	if (addr_len < sizeof(u16))
		return -EINVAL;
	if (addr->family == PF_INET)
		return READ(up6, inet6.ipv6only) ? -EAFNOSUPPORT :
		       ip6_connect_ipv4(up6, addr, addr_len);
	if (addr_len < SIN6_LEN_RFC2133)
		return -EINVAL;
	if (addr->family != PF_INET6)
		return -EAFNOSUPPORT;
	err = ip6_connect_label(up6, addr->flowinfo, &peer);
	if (err)
		return err;
	err = ip6_connect_inet6(up6, addr, addr_len, &peer);
	fl6_sock_release(peer.label);
	return err;
}

/* As ip4_datagram_release_cb(), for a peer of IPv6. */
void ip6_datagram_release_cb(struct sock *sk)
{
	struct in6_addr daddr;
	struct dst_entry *dst;
	struct dst_ops *ops;
	u32 cookie;

	FUNCTION(ip6_datagram_release_cb);
	daddr = READ_ADDR6(sk, sk_v6_daddr);
	if (ipv6_addr_v4mapped(&daddr))
		return;
	rcu_read_lock();
	dst = READ_ONCE(sk, sk_dst_cache);
	if (!dst || !READ(dst, obsolete)) {
		rcu_read_unlock();
		return;
	}
	ops = READ(dst, ops);
	cookie = READ(udp6_sk(sk), inet6.dst_cookie);
	dst = READ(ops, check)(dst, cookie);
	rcu_read_unlock();
	if (!dst)
		ip6_datagram_dst_update(udp6_sk(sk), NULL);
}
