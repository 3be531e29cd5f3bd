/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/udp.c: the hash of an IPv6 socket. */
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/udp.h"

int udp_v6_get_port(struct sock *sk, u16 snum)
{
	u32 nulladdr, partial;
	struct in6_addr addr;
	struct net *net;

	FUNCTION(udp_v6_get_port);
	if (!has(UDP_HASH2))
		return udp_lib_get_port(sk, snum, 0);
	net = READ(sk, sk_net);
	/* No address hashes as that of IPv4; the compiler has it in line. */
	nulladdr = ipv4_portaddr_hash(net, 0, snum);
	addr = READ_ADDR6(sk, sk_v6_rcv_saddr);
	partial = ipv6_portaddr_hash(net, &addr, 0);
	WRITE(udp_sk(sk), udp_portaddr_hash, (u16)partial);
	return udp_lib_get_port(sk, snum, nulladdr);
}

void udp_v6_rehash(struct sock *sk)
{
	struct in6_addr addr;
	u16 num;

	if (!has(UDP_HASH2))
		return;
	addr = READ_ADDR6(sk, sk_v6_rcv_saddr);
	num = READ(inet_sk(sk), inet_num);
	udp_lib_rehash(sk, (u16)ipv6_portaddr_hash(READ(sk, sk_net), &addr,
						   num));
}
