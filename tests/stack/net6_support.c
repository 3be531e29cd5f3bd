/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of stack/net/ipv6/ share; see net6_support.h. */
#include <string.h>

#include "net6_support.h"
#include "stack/lib/siphash.h"
#include "stack/net/core/flow_dissector.h"

const char *const net6_kernels[NET6_KERNELS] = { "linux-3.6", "linux-6.1" };

struct net_fixture *net6_new(const struct net_setup *setup)
{
	static const u8 lladdr[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee };
	const struct in6_addr local = NET6_LOCAL, peer = NET6_PEER;
	struct net_fixture *net = net_new(setup);
	GError *error = NULL;

	if (!inet6_add_address(net->kernel, net->dev, &local, 64, &error))
		ck_abort_msg("%s", error->message);
	ck_assert_ptr_nonnull(neigh_add6(net->kernel, net->dev, &peer, lladdr,
					 NUD_REACHABLE));
	machine_settle(net->machine);
	return net;
}

struct sockaddr_any net6_name(struct in6_addr addr)
{
	return (struct sockaddr_any){
		.family = PF_INET6, .daddr6 = addr, .port = NET_PORT,
	};
}

int net6_socket(void)
{
	int fd = sys_socket(PF_INET6, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	return fd;
}

int net6_connect(int fd, struct in6_addr addr)
{
	const struct sockaddr_any to = net6_name(addr);

	return sys_connect(fd, &to, SOCKADDR_IN6_SIZE);
}

int net6_socket_to(struct in6_addr addr)
{
	int fd = net6_socket();

	ck_assert_int_eq(net6_connect(fd, addr), 0);
	return fd;
}

struct udp6_sock *net6_sk(int fd)
{
	return (struct udp6_sock *)(void *)net_sk(fd);
}

void net6_no_auto_labels(int fd)
{
	net6_sk(fd)->inet6.autoflowlabel_set = 1;
	net6_sk(fd)->inet6.autoflowlabel = 0;
}

int net6_send_to(int fd, const void *data, u32 len, u32 flags,
		 struct in6_addr addr)
{
	const struct sockaddr_any to = net6_name(addr);

	return sys_sendto(fd, data, len, flags, &to, SOCKADDR_IN6_SIZE);
}

void net6_send_n(int fd, u32 n, u32 flags)
{
	u32 i;

	for (i = 0; i < n; i++)
		ck_assert_int_eq(net6_send_to(fd, "x", 1, flags, NET6_PEER),
				 1);
}

u32 net6_label_of_hash(u32 hash)
{
	u32 word = hash << 16 | hash >> 16;

	return ((word & 0xff) << 24 | (word >> 8 & 0xff) << 16 |
		(word >> 16 & 0xff) << 8 | word >> 24) & 0xfffff;
}

u32 net6_label_of_flow(const struct net_fixture *net, const u8 *ip)
{
	const u64 *secret = net->kernel->net_core->hashrnd->key;
	const u8 *udp = ip + 40;
	bool by_port = (udp[2] | udp[3] << 8) < (udp[0] | udp[1] << 8);
	bool by_addr = memcmp(ip + 24, ip + 8, 16) < 0;
	u8 keys[72] = { [2] = 17 };

	memcpy(keys + 28, udp + (by_port ? 2 : 0), 2);
	memcpy(keys + 30, udp + (by_port ? 0 : 2), 2);
	memcpy(keys + 36, ip + (by_addr ? 24 : 8), 16);
	memcpy(keys + 52, ip + (by_addr ? 8 : 24), 16);
	return net6_label_of_hash((u32)siphash(secret, keys, sizeof(keys)));
}
