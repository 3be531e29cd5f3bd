/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UDP-Lite between two hosts; see udplite_support.h. */
#include <string.h>

#include "stack/include/net/mld.h"
#include "stack/lib/checksum.h"
#include "udplite_support.h"

#define GROUP4 IP(239, 1, 1, 1)
#define GROUP6 ((struct in6_addr){ .s6_addr = { 0xff, 0x15, [15] = 1 } })

static const struct {
	const char *kernel;
	bool ip6;
} cases[LITE_CASES] = {
	{ "linux-2.6.32", true }, { "linux-3.6", false },
	{ "linux-3.6", true },	  { "linux-4.6", false },
	{ "linux-4.6", true },	  { "linux-6.1", false },
	{ "linux-6.1", true },
};

struct lite_fixture lite;

const char *lite_kernel(int i, bool *ip6)
{
	*ip6 = cases[i].ip6;
	return cases[i].kernel;
}

void lite_build(int i)
{
	const struct nic_setup setup = {
		.kernel = cases[i].kernel, .cores = 2, .check = true,
		.node_mib = 64,
	};

	lite.ip6 = cases[i].ip6;
	lite.nic = nic_fixture_new(&setup);
	nic_make_friends(lite.nic);
}

void lite_end(void)
{
	g_clear_pointer(&lite.nic, nic_fixture_free);
}

bool lite_has(enum feature feature)
{
	return kernel_has(lite.nic->host[1].kernel, feature);
}

/* ---- processes ---- */

int lite_open(u16 port)
{
	const struct sockaddr_any any = {
		.family = lite.ip6 ? PF_INET6 : PF_INET, .port = port,
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, IPPROTO_UDPLITE_NUMBER);

	ck_assert_int_ge(fd, 0);
	if (port)
		ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	return fd;
}

int lite_option(int fd, int option, u32 value)
{
	return sys_setsockopt(fd, SOL_UDPLITE, option, value);
}

static int send_flags(int fd, const void *data, u32 len, u32 flags, u16 port,
		      bool group)
{
	const struct sockaddr_any to = {
		.family = lite.ip6 ? PF_INET6 : PF_INET, .port = port,
		.daddr = group ? GROUP4 : NIC_ADDRESS(1),
		.daddr6 = group ? GROUP6 : FD00(2),
	};

	return sys_sendto(fd, data, len, flags, &to,
			  lite.ip6 ? SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE);
}

int lite_send_to(int fd, const void *data, u32 len, u16 port, bool group)
{
	return send_flags(fd, data, len, 0, port, group);
}

int lite_send_more(int fd, const void *data, u32 len, bool more)
{
	return send_flags(fd, data, len, more ? MSG_MORE : 0, NET_PORT, false);
}

int lite_join(int fd)
{
	const struct group_source_req req = {
		.ifindex = lite.nic->host[1].dev->ifindex, .group = GROUP4,
		.group6 = GROUP6,
	};

	return sys_setsockopt_group(fd, lite.ip6 ? SOL_IPV6 : SOL_IP,
				    lite.ip6 ? IPV6_JOIN_GROUP :
					       IP_ADD_MEMBERSHIP, &req);
}

int lite_read(int fd, void *data, u32 len)
{
	return sys_recvfrom(fd, data, len, MSG_DONTWAIT, NULL);
}

/* ---- datagrams made by hand ---- */

static u32 fill_ip(u8 *ip, u32 len, bool group)
{
	const struct in6_addr from = FD00(1), to = group ? GROUP6 : FD00(2);

	if (lite.ip6) {
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)len);
		ip[6] = IPPROTO_UDPLITE_NUMBER;
		ip[7] = 64;
		memcpy(ip + 8, &from, 16);
		memcpy(ip + 24, &to, 16);
		return 40;
	}
	ip[0] = 0x45;
	put_be16(ip + 2, (u16)(20 + len));
	ip[8] = 64;
	ip[9] = IPPROTO_UDPLITE_NUMBER;
	put_be32(ip + 12, NIC_ADDRESS(0));
	put_be32(ip + 16, group ? GROUP4 : NIC_ADDRESS(1));
	put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	return 20;
}

static void fill_mac(u8 *frame, bool group)
{
	memcpy(frame, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10", 12);
	if (group && lite.ip6)
		memcpy(frame, "\x33\x33\0\0\0\1", 6);
	else if (group)
		memcpy(frame, "\1\0\x5e\1\1\1", 6);
	put_be16(frame + 12, lite.ip6 ? 0x86dd : 0x0800);
}

void lite_inject(const struct lite_frame *d)
{
	u8 frame[14 + 40 + LITE_MOST] = { 0 }, *ip = frame + 14, *uh;
	u32 header, covered = d->cscov, i;

	fill_mac(frame, d->group);
	header = fill_ip(ip, 8 + d->len, d->group);
	uh = ip + header;
	put_be16(uh, LITE_PORT);
	put_be16(uh + 2, NET_PORT);
	put_be16(uh + 4, d->cscov);
	for (i = 0; i < d->len; i++)
		uh[8 + i] = (u8)(i * 7);
	if (!covered || covered > 8 + d->len)
		covered = 8 + d->len;
	if (d->fitting) {
		put_be16(uh, 0);
		put_be16(uh, (u16)~lite_sum(ip, 6));
	}
	if (!d->no_sum)
		put_be16(uh + 6, (u16)~lite_sum(ip, covered));
	if (d->damaged)
		uh[d->damaged] ^= 1;
	link_send(&lite.nic->link->ends[0], frame, 14 + header + 8 + d->len,
		  this_cpu->clock);
	nic_sleep(200 * PS_PER_US);
}

/* ---- accounts ---- */

u64 lite_count(u32 host, u32 index)
{
	const struct kernel *kernel = lite.nic->host[host].kernel;

	return lite.ip6 ? snmp_udplite6(kernel, index) :
			  snmp_udplite(kernel, index);
}

u64 udp_count(u32 host, u32 index)
{
	const struct kernel *kernel = lite.nic->host[host].kernel;

	return lite.ip6 ? snmp_udp6(kernel, index) : snmp_udp(kernel, index);
}

void lite_verify_apart(void)
{
	u32 host, i;

	for (host = 0; host < 2; host++)
		for (i = 0; i < NUM_UDP_MIB; i++)
			ck_assert_uint_eq(udp_count(host, i), 0);
}

u32 lite_sum(const u8 *ip, u32 covered)
{
	u32 header = lite.ip6 ? 40 : 20;
	u32 len = lite.ip6 ? get_be16(ip + 4) : get_be16(ip + 2) - 20u;
	u32 sum = len + IPPROTO_UDPLITE_NUMBER;

	sum = lite.ip6 ? nic_sum_words(sum, ip + 8, 32) :
			 nic_sum_words(sum, ip + 12, 8);
	return nic_sum_words(sum, ip + header, covered);
}
