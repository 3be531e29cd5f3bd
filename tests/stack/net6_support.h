/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of stack/net/ipv6/ share beyond net_support.h: the same
 * network with IPv6 on it.
 *	dummy0	fd00::1/64
 *	fd00::2 on it, 02:aa:bb:cc:dd:ee, reachable
 */
#ifndef TESTS_STACK_NET6_SUPPORT_H
#define TESTS_STACK_NET6_SUPPORT_H

#include "net_support.h"
#include "stack/include/net/ip6_fib.h"
#include "stack/include/net/ipv6.h"

/* fd00::N, and ::ffff:10.2.2.N */
#define FD00(n) ((struct in6_addr){ .s6_addr = { 0xfd, [15] = (n) } })
#define MAPPED(n) ((struct in6_addr){ \
	.s6_addr = { [10] = 0xff, 0xff, 10, 2, 2, (n) } })
#define NET6_LOCAL FD00(1)
#define NET6_PEER FD00(2)

/* The kernels that the loops of the suites run on. */
#define NET6_KERNELS 2
extern const char *const net6_kernels[NET6_KERNELS];

struct net_fixture *net6_new(const struct net_setup *setup);
/* Room for a name: the port is NET_PORT. */
struct sockaddr_any net6_name(struct in6_addr addr);

/* ---- for code that runs in a process ---- */

int net6_socket(void);
int net6_socket_to(struct in6_addr addr);
struct udp6_sock *net6_sk(int fd);
/* The labels of this socket's packets are what it says, 0 by default. */
void net6_no_auto_labels(int fd);

int net6_connect(int fd, struct in6_addr addr);
int net6_send_to(int fd, const void *data, u32 len, u32 flags,
		 struct in6_addr addr);
/* One byte to NET6_PEER, n times; all must go. */
void net6_send_n(int fd, u32 n, u32 flags);

/* ---- what is wanted ---- */

/* A hash of 32 bits as a label: its halves change places, and the bytes of the
 * word as a little-endian host has it go out in that order. */
u32 net6_label_of_hash(u32 hash);
/* The label of a flow, told by its IPv6 packet: protocol, ports and addresses
 * are hashed, the smaller of each first, as bytes in their places. */
u32 net6_label_of_flow(const struct net_fixture *net, const u8 *ip);

Suite *suite_bind(void);
Suite *suite_udp_rcv(void);
Suite *suite_rcv_locks(void);
Suite *suite_udp_lookup(void);
Suite *suite_udp6_send(void);
Suite *suite_udp6_labels(void);
Suite *suite_udp6_socket(void);
Suite *suite_udp6_errors(void);
Suite *suite_icmp(void);
Suite *suite_siphash(void);
Suite *suite_dst_store(void);
Suite *suite_early_demux(void);
Suite *suite_tx_hint(void);
Suite *suite_socket_life(void);

#endif
