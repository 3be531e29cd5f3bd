/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/inet_connection_sock.c: whose addresses meet, and which ports
 * may be given away. */
#include "stack/include/net/ipv6.h"
#include "stack/include/net/udp.h"

bool ipv6_only_sock(struct sock *sk)
{
	if (READ_ONCE(sk, sk_family) != PF_INET6)
		return false;
	return READ_ONCE((struct udp6_sock *)(void *)sk, inet6.ipv6only);
}

/* Of what is seen of a socket in IPv4's terms: no address is all of them. */
static bool ipv4_rcv_saddr_equal(struct sock *sk, struct sock *sk2)
{
	u32 addr, addr2;

	if (ipv6_only_sock(sk2))
		return false;
	addr = READ(inet_sk(sk), inet_rcv_saddr);
	addr2 = READ(inet_sk(sk2), inet_rcv_saddr);
	return addr == addr2 || !addr || !addr2;
}

static bool ipv6_rcv_saddr_equal(struct sock *sk, struct sock *sk2)
{
	bool is_v6 = READ(sk2, sk_family) == PF_INET6;
	struct in6_addr addr = READ_ADDR6(sk, sk_v6_rcv_saddr);
	struct in6_addr addr2 = { { 0 } };
	u32 type = ipv6_addr_type(&addr), type2 = IPV6_ADDR_MAPPED;

	if (is_v6) {
		addr2 = READ_ADDR6(sk2, sk_v6_rcv_saddr);
		type2 = ipv6_addr_type(&addr2);
	}
	if (type == IPV6_ADDR_MAPPED && type2 == IPV6_ADDR_MAPPED)
		return ipv4_rcv_saddr_equal(sk, sk2);
	if (type == IPV6_ADDR_ANY && type2 == IPV6_ADDR_ANY)
		return true;
	if (type2 == IPV6_ADDR_ANY &&
	    !(type == IPV6_ADDR_MAPPED && ipv6_only_sock(sk2)))
		return true;
	if (type == IPV6_ADDR_ANY &&
	    !(type2 == IPV6_ADDR_MAPPED && ipv6_only_sock(sk)))
		return true;
	return is_v6 && ipv6_addr_equal(&addr, &addr2);
}

bool inet_rcv_saddr_equal(struct sock *sk, struct sock *sk2)
{
	FUNCTION(inet_rcv_saddr_equal);
	return READ(sk, sk_family) == PF_INET6 ? ipv6_rcv_saddr_equal(sk, sk2) :
	       ipv4_rcv_saddr_equal(sk, sk2);
}

bool inet_rcv_saddr_same(struct sock *sk, struct sock *sk2)
{
	struct in6_addr addr, addr2;
	u32 rcv_saddr;

	if (READ(sk, sk_family) != PF_INET6) {
		rcv_saddr = READ(inet_sk(sk), inet_rcv_saddr);
		return rcv_saddr == READ(inet_sk(sk2), inet_rcv_saddr);
	}
	addr = READ_ADDR6(sk, sk_v6_rcv_saddr);
	addr2 = READ_ADDR6(sk2, sk_v6_rcv_saddr);
	return ipv6_addr_equal(&addr, &addr2);
}

/* The range may be changed while it is read: then it is read again. */
static void read_range_of_net(struct net *net, u32 *low, u32 *high)
{
	u32 start;

	do {
		start = READ_SEQBEGIN(net, ipv4.ip_local_ports.lock);
		*low = READ_AT(net, ipv4.ip_local_ports.range, 0);
		*high = READ_AT(net, ipv4.ip_local_ports.range, 1);
	} while (READ_SEQRETRY(net, ipv4.ip_local_ports.lock, start));
}

static void read_range_of_all(u32 *low, u32 *high)
{
	struct sysctl_local_ports *ports =
		this_kernel()->ipv4->udp->local_ports;
	u32 start;

	do {
		start = READ_SEQBEGIN(ports, lock);
		*low = READ_AT(ports, range, 0);
		*high = READ_AT(ports, range, 1);
	} while (READ_SEQRETRY(ports, lock, start));
}

void inet_sk_get_local_port_range(struct sock *sk, u32 *low, u32 *high)
{
	u32 own;

	FUNCTION(inet_sk_get_local_port_range);
	if (!has(LOCAL_PORTS_NETNS)) {
		read_range_of_all(low, high);
		return;
	}
	read_range_of_net(READ(sk, sk_net), low, high);
	if (!has(SOCK_LOCAL_PORT_RANGE))
		return;
	/* A socket may have a range of its own within that. */
	own = READ(inet_sk(sk), local_port_range.lo);
	if (own >= *low && own <= *high)
		*low = own;
	own = READ(inet_sk(sk), local_port_range.hi);
	if (own && own >= *low && own <= *high)
		*high = own;
}

bool inet_is_local_reserved_port(struct net *net, u16 port)
{
	struct local_reserved_ports *ports =
		this_kernel()->ipv4->udp->reserved_ports;

	if (has(LOCAL_PORTS_NETNS)) {
		ports = READ(net, ipv4.sysctl_local_reserved_ports);
		if (!ports)
			return false;
	}
	return READ_AT(ports, bits, port / 64) >> port % 64 & 1;
}

/* ---- set-up ---- */

void inet_set_local_port_range(struct kernel *kernel, u32 low, u32 high)
{
	struct sysctl_local_ports *ports = kernel->ipv4->udp->local_ports;
	struct net *net = kernel->init_net;

	ports->range[0] = net->ipv4.ip_local_ports.range[0] = low;
	ports->range[1] = net->ipv4.ip_local_ports.range[1] = high;
}

void inet_reserve_local_port(struct kernel *kernel, u16 port, bool reserve)
{
	u64 *word = &kernel->ipv4->udp->reserved_ports->bits[port / 64];

	*word &= ~(1ull << port % 64);
	*word |= (u64)reserve << port % 64;
}
