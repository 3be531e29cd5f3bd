/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP-Lite from one host to another: its options, the bytes on the wire, what
 * is read, who else has the port, groups and errors; on each kernel and in each
 * family.
 */
#include <errno.h>
#include <string.h>

#include "icmp_support.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"
#include "udplite_support.h"

#define MOST 6000u		/* of the data, in several fragments */
#define MTU 1500u

/* ---- options ---- */

static void verify_option(int fd, int option)
{
	/* What is set, and what is so then. */
	static const u32 values[][2] = {
		{ 0, 0 },	  { 1, 8 },	    { 7, 8 },
		{ 8, 8 },	  { 9, 9 },	    { 65535, 65535 },
		{ 65536, 65535 }, { 0x7fffffff, 65535 },
		{ 0xffffffff, 8 }, { 0x80000000, 8 },
	};
	u32 i, value = 1;

	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDPLITE, option, &value), 0);
	ck_assert_uint_eq(value, 0);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ck_assert_int_eq(lite_option(fd, option, values[i][0]), 0);
		ck_assert_int_eq(sys_getsockopt(fd, SOL_UDP, option, &value),
				 0);
		ck_assert_uint_eq(value, values[i][1]);
	}
}

static void set_options(void *arg)
{
	const int family = lite.ip6 ? PF_INET6 : PF_INET;
	int fd = lite_open(0), udp = sys_socket(family, SOCK_DGRAM, 17);
	u32 value = 1;

	(void)arg;
	verify_option(fd, UDPLITE_SEND_CSCOV);
	verify_option(fd, UDPLITE_RECV_CSCOV);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDPLITE_SEND_CSCOV, 20),
			 0);
	ck_assert_int_eq(lite_option(fd, 12, 20), -ENOPROTOOPT);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDPLITE, 12, &value),
			 -ENOPROTOOPT);
	/* UDP covers all: that cannot be changed, but asked. */
	ck_assert_int_eq(sys_setsockopt(udp, SOL_UDP, UDPLITE_SEND_CSCOV, 20),
			 -ENOPROTOOPT);
	ck_assert_int_eq(lite_option(udp, UDPLITE_RECV_CSCOV, 20),
			 -ENOPROTOOPT);
	ck_assert_int_eq(sys_getsockopt(udp, SOL_UDP, UDPLITE_SEND_CSCOV,
					&value), 0);
	ck_assert_uint_eq(value, 0);
	ck_assert_int_eq(sys_setsockopt(-1, SOL_UDPLITE, UDPLITE_SEND_CSCOV, 8),
			 -EBADF);
	sys_close((u32)fd);
	sys_close((u32)udp);
}

START_TEST(test_options)
{
	lite_build(_i);
	nic_process(lite.nic, 0, 0, set_options, NULL);
	nic_run(lite.nic);
}
END_TEST

/* ---- the bytes on the wire, worked out by hand ---- */

/*
 * "abcdefgh" from port 1000 to 4242.  The pseudo headers, 10.4.0.1 to 10.4.0.2
 * and fd00::1 to fd00::2, protocol 136, 16 bytes, sum up to 14a3 and fa9c, the
 * ports to 147a.  A sum is what is wanting of ffff:
 *	12 covered: + 000c + 6162 + 6364		edef d3e9
 *	13:	    + 000d + 6162 + 6364 + 6500		52f1 38eb
 *	 8:	    + 0008				2925 0f1f
 *	all, said:  + 0000 + 6162 + 6364 + 6566 + 6768	bab2 a0ac
 *	all:	    + 0010 + the same			bac2 a0bc
 */
static const struct {
	s32 option;		/* -1: none is set */
	u16 field, sum4, sum6;
} by_hand[] = {
	{ 12, 12, 0x1210, 0x2c16 },   { 13, 13, 0xad0e, 0xc714 },
	{ 8, 8, 0xd6da, 0xf0e0 },     { 0, 0, 0x454d, 0x5f53 },
	{ -1, 16, 0x453d, 0x5f43 },   { 16, 16, 0x453d, 0x5f43 },
	{ 1000, 16, 0x453d, 0x5f43 },
};

static void send_by_hand(void *arg)
{
	int fd = lite_open(LITE_PORT);
	u32 i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(by_hand); i++) {
		/* The default comes back with a new socket only. */
		if (by_hand[i].option < 0) {
			sys_close((u32)fd);
			fd = lite_open(LITE_PORT);
		} else {
			ck_assert_int_eq(lite_option(fd, UDPLITE_SEND_CSCOV,
						     (u32)by_hand[i].option),
					 0);
		}
		ck_assert_int_eq(lite_send_to(fd, "abcdefgh", 8, NET_PORT,
					      false), 8);
	}
	sys_close((u32)fd);
}

START_TEST(test_wire)
{
	u32 i, header;

	lite_build(_i);
	header = lite.ip6 ? 40 : 20;
	nic_process(lite.nic, 0, 0, send_by_hand, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(lite.nic->host[0].sent->len, ARRAY_SIZE(by_hand));
	for (i = 0; i < ARRAY_SIZE(by_hand); i++) {
		const u8 *ip = nic_frame(lite.nic->host[0].sent, i)->data + 14;
		const u8 *uh = ip + header;

		ck_assert_uint_eq(ip[lite.ip6 ? 6 : 9], 136);
		ck_assert_uint_eq(get_be16(ip + (lite.ip6 ? 4 : 2)),
				  lite.ip6 ? 16 : 36);
		ck_assert_uint_eq(get_be16(uh), 1000);
		ck_assert_uint_eq(get_be16(uh + 2), 4242);
		ck_assert_uint_eq(get_be16(uh + 4), by_hand[i].field);
		ck_assert_uint_eq(get_be16(uh + 6), lite.ip6 ?
				  by_hand[i].sum6 : by_hand[i].sum4);
		ck_assert_mem_eq(uh + 8, "abcdefgh", 8);
	}
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS),
			  ARRAY_SIZE(by_hand));
	lite_verify_apart();
}
END_TEST

/* ---- any length and coverage ---- */

static struct random_stream random_numbers;
static u8 sent_bytes[MOST + 8], got_bytes[MOST + 1];
static u32 rounds, sent_len, covered, received, whole;

static void pick(u32 i)
{
	/* Longer than 76 bytes of which part is covered, or all of fewer: see
	 * udplite_checksum_small(). */
	u32 k, most = i % 3 ? 1400 : MOST;

	sent_len = 69 + (u32)random_below(&random_numbers, most - 69);
	covered = (u32)random_below(&random_numbers, sent_len + 20);
	if (i % 7 == 0) {
		sent_len = i / 7 % 69;
		covered = 0;
	}
	for (k = 0; k < sent_len; k += 8) {
		u64 bits = random_u64(&random_numbers);

		memcpy(sent_bytes + k, &bits, 8);
	}
}

static void send_random(void *arg)
{
	int fd = lite_open(0);
	u32 i;

	(void)arg;
	random_seed(&random_numbers, 1, "udplite", lite.ip6);
	nic_sleep(100 * PS_PER_US);
	for (i = 0; i < rounds; i++) {
		pick(i);
		ck_assert_int_eq(lite_option(fd, UDPLITE_SEND_CSCOV, covered),
				 0);
		ck_assert_int_eq(lite_send_to(fd, sent_bytes, sent_len,
					      NET_PORT, false), (int)sent_len);
		whole += sent_len + 8u + (lite.ip6 ? 40u : 20u) <= MTU;
		nic_sleep(400 * PS_PER_US);
	}
	sys_close((u32)fd);
}

static void receive_random(void *arg)
{
	int fd = lite_open(NET_PORT);
	u32 i;

	(void)arg;
	for (i = 0; i < rounds; i++) {
		int n = sys_recvfrom(fd, got_bytes, sizeof(got_bytes), 0, NULL);

		ck_assert_int_eq(n, (int)sent_len);
		ck_assert_mem_eq(got_bytes, sent_bytes, (u32)n);
		received++;
	}
	sys_close((u32)fd);
}

/* Of what went in one packet the sum is right, over just what it says. */
static u32 verify_sums(const GPtrArray *frames)
{
	u32 i, n = 0, header = lite.ip6 ? 40 : 20;

	for (i = 0; i < frames->len; i++) {
		const u8 *ip = nic_frame(frames, i)->data + 14;
		u32 len = lite.ip6 ? get_be16(ip + 4) : get_be16(ip + 2) - 20u;
		u32 field = get_be16(ip + header + 4);

		if (ip[lite.ip6 ? 6 : 9] != 136 ||
		    (!lite.ip6 && get_be16(ip + 6) & 0x3fff))
			continue;
		ck_assert_uint_le(field, len);
		ck_assert_uint_ne(get_be16(ip + header + 6), 0);
		ck_assert_uint_eq(lite_sum(ip, field ? field : len), 0xffff);
		n++;
	}
	return n;
}

START_TEST(test_any_length)
{
	lite_build(_i);
	rounds = test_rounds(70);
	received = whole = 0;
	nic_process(lite.nic, 1, 1, receive_random, NULL);
	nic_process(lite.nic, 0, 0, send_random, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(received, rounds);
	ck_assert_uint_eq(verify_sums(lite.nic->host[0].sent), whole);
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS), rounds);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INDATAGRAMS), rounds);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), 0);
	lite_verify_apart();
}
END_TEST

/* ---- in pieces ---- */

#define PIECES 5u

/* A coverage is of the datagram, however it was written. */
static void send_in_pieces(void *arg)
{
	int fd = lite_open(0);
	u32 i, k, at, n;

	(void)arg;
	random_seed(&random_numbers, 2, "udplite", 0);
	nic_sleep(100 * PS_PER_US);
	for (i = 0; i < rounds; i++) {
		pick(i);
		ck_assert_int_eq(lite_option(fd, UDPLITE_SEND_CSCOV, covered),
				 0);
		for (k = at = 0; k < PIECES; k++, at += n) {
			bool last = k == PIECES - 1;

			n = last ? sent_len - at : (u32)random_below(
				&random_numbers, sent_len - at + 1);
			ck_assert_int_eq(lite_send_more(fd, sent_bytes + at, n,
							!last), (int)n);
		}
		whole += sent_len + 8u + 20u <= MTU;
		nic_sleep(400 * PS_PER_US);
	}
	sys_close((u32)fd);
}

START_TEST(test_pieces)
{
	lite_build(2 * _i + 1);
	ck_assert(!lite.ip6);	/* IPv6's sockets cannot be corked here */
	rounds = test_rounds(70);
	received = whole = 0;
	nic_process(lite.nic, 1, 1, receive_random, NULL);
	nic_process(lite.nic, 0, 0, send_in_pieces, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(received, rounds);
	ck_assert_uint_eq(verify_sums(lite.nic->host[0].sent), whole);
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS), rounds);
	lite_verify_apart();
}
END_TEST

/* ---- in segments ---- */

static void send_segments(void *arg)
{
	int fd = lite_open(0);

	(void)arg;
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 100), 0);
	ck_assert_int_eq(lite_send_to(fd, sent_bytes, 300, NET_PORT, false),
			 -EIO);
	ck_assert_int_eq(net_sk(fd)->sk_wmem_alloc, 1);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 0), 0);
	ck_assert_int_eq(lite_send_to(fd, sent_bytes, 300, NET_PORT, false),
			 300);
	sys_close((u32)fd);
}

/* Nobody can cut it, since each part would need a sum of its own. */
START_TEST(test_segments)
{
	lite_build(LITE_CASES - 2);
	ck_assert(lite_has(UDP_GSO) && !lite.ip6);
	nic_process(lite.nic, 0, 0, send_segments, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(lite.nic->host[0].sent->len, 1);
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS), 1);
}
END_TEST

/* ---- one port, two protocols ---- */

static int open_udp(u16 port)
{
	const struct sockaddr_any any = {
		.family = lite.ip6 ? PF_INET6 : PF_INET, .port = port,
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, 0);

	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	return fd;
}

static void own_port_twice(void *arg)
{
	const struct sockaddr_any any = {
		.family = lite.ip6 ? PF_INET6 : PF_INET, .port = NET_PORT,
	};
	int lite_fd = lite_open(NET_PORT), udp_fd = open_udp(NET_PORT);
	int third = lite_open(0);
	u8 bytes[8];

	(void)arg;
	ck_assert_int_eq(sys_bind(third, &any, SOCKADDR_IN6_SIZE),
			 -EADDRINUSE);
	nic_sleep(PS_PER_MS);
	ck_assert_int_eq(lite_read(lite_fd, bytes, 8), 4);
	ck_assert_mem_eq(bytes, "lite", 4);
	ck_assert_int_eq(lite_read(lite_fd, bytes, 8), -EAGAIN);
	ck_assert_int_eq(lite_read(udp_fd, bytes, 8), 3);
	ck_assert_mem_eq(bytes, "udp", 3);
	ck_assert_int_eq(lite_read(udp_fd, bytes, 8), -EAGAIN);
	sys_close((u32)lite_fd);
	ck_assert_int_eq(sys_bind(third, &any, SOCKADDR_IN6_SIZE), 0);
	sys_close((u32)udp_fd);
	sys_close((u32)third);
}

static void send_both(void *arg)
{
	int lite_fd = lite_open(LITE_PORT), udp_fd = open_udp(LITE_PORT);

	(void)arg;
	nic_sleep(100 * PS_PER_US);
	ck_assert_int_eq(lite_send_to(udp_fd, "udp", 3, NET_PORT, false), 3);
	ck_assert_int_eq(lite_send_to(lite_fd, "lite", 4, NET_PORT, false), 4);
	sys_close((u32)lite_fd);
	sys_close((u32)udp_fd);
}

START_TEST(test_ports)
{
	lite_build(_i);
	nic_process(lite.nic, 1, 1, own_port_twice, NULL);
	nic_process(lite.nic, 0, 0, send_both, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS), 1);
	ck_assert_uint_eq(udp_count(0, UDP_MIB_OUTDATAGRAMS), 1);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INDATAGRAMS), 1);
	ck_assert_uint_eq(udp_count(1, UDP_MIB_INDATAGRAMS), 1);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_NOPORTS), 0);
}
END_TEST

/* ---- a group ---- */

static void listen_to_group(void *arg)
{
	int fd = lite_open(NET_PORT);

	(void)arg;
	ck_assert_int_eq(lite_join(fd), 0);
	ck_assert_int_eq(lite_option(fd, UDPLITE_RECV_CSCOV, 20), 0);
	nic_sleep(PS_PER_MS);
	ck_assert_int_eq(lite_read(fd, got_bytes, MOST), 101);
	ck_assert_mem_eq(got_bytes, sent_bytes, 101);
	ck_assert_int_eq(lite_read(fd, got_bytes, MOST), -EAGAIN);
	received++;
	sys_close((u32)fd);
}

/* One that covers too little, and one that does not. */
static void send_to_group(void *arg)
{
	int fd = lite_open(0);
	u32 i;

	(void)arg;
	for (i = 0; i < 101; i++)
		sent_bytes[i] = (u8)(i * 3);
	if (!lite.ip6) {
		net_inet(fd)->mc_index = lite.nic->host[0].dev->ifindex;
		net_inet(fd)->mc_addr = NIC_ADDRESS(0);
	}
	nic_sleep(100 * PS_PER_US);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(lite_option(fd, UDPLITE_SEND_CSCOV, 19 + i),
				 0);
		ck_assert_int_eq(lite_send_to(fd, sent_bytes, 100 + i, NET_PORT,
					      true), (int)(100 + i));
	}
	sys_close((u32)fd);
}

START_TEST(test_group)
{
	lite_build(_i);
	received = 0;
	nic_process(lite.nic, 1, 1, listen_to_group, NULL);
	nic_process(lite.nic, 0, 0, send_to_group, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(received, 1);
	ck_assert_uint_eq(verify_sums(lite.nic->host[0].sent), 2);
	ck_assert_uint_eq(lite_count(0, UDP_MIB_OUTDATAGRAMS), 2);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INDATAGRAMS), 1);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), 1);
	lite_verify_apart();
}
END_TEST

/* ---- nobody listens ---- */

static void knock(void *arg)
{
	const struct sockaddr_any to = {
		.family = lite.ip6 ? PF_INET6 : PF_INET, .port = NET_PORT,
		.daddr = NIC_ADDRESS(1), .daddr6 = FD00(2),
	};
	int fd = lite_open(0);

	(void)arg;
	ck_assert_int_eq(lite_option(fd, UDPLITE_SEND_CSCOV, 8), 0);
	ck_assert_int_eq(sys_connect(fd, &to, lite.ip6 ? SOCKADDR_IN6_SIZE :
						 SOCKADDR_IN_SIZE), 0);
	ck_assert_int_eq(net_send(fd, sent_bytes, 100, 0), 100);
	nic_sleep(PS_PER_MS);
	ck_assert_int_eq(net_send(fd, sent_bytes, 100, 0), -ECONNREFUSED);
	ck_assert_int_eq(net_send(fd, sent_bytes, 100, 0), 100);
	nic_sleep(PS_PER_MS);
	sys_close((u32)fd);
}

static void listen_for_udp(void *arg)
{
	int fd = open_udp(NET_PORT);
	u8 byte;

	(void)arg;
	nic_sleep(3 * PS_PER_MS);
	ck_assert_int_eq(lite_read(fd, &byte, 1), -EAGAIN);
	sys_close((u32)fd);
}

/* A socket of UDP on the port is nobody. */
START_TEST(test_no_port)
{
	lite_build(_i);
	nic_process(lite.nic, 1, 1, listen_for_udp, NULL);
	nic_process(lite.nic, 0, 0, knock, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_NOPORTS), 2);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), 0);
	lite_verify_apart();
}
END_TEST

/* ---- a router's word ---- */

static void connect_to_peer(int fd, bool ip6)
{
	ck_assert_int_eq(ip6 ? net6_connect(fd, NET6_PEER) :
			       net_connect(fd, NET_PEER, NET_PORT), 0);
}

/* The same ports, both protocols: it is about one of them. */
static void hear_of_path(void *arg)
{
	const struct net_fixture *net = arg;
	const bool ip6 = lite.ip6;
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET, .port = LITE_PORT,
	};
	int fd = lite_open(LITE_PORT), udp;
	u32 err = 0;

	udp = sys_socket(any.family, SOCK_DGRAM, 0);
	ck_assert_int_eq(sys_bind(udp, &any, SOCKADDR_IN6_SIZE), 0);
	connect_to_peer(fd, ip6);
	connect_to_peer(udp, ip6);
	if (ip6)
		net6_sk(fd)->inet6.recverr = net6_sk(udp)->inet6.recverr = 1;
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(net, ip6, 1300);
	ck_assert_int_eq(sys_getsockopt(udp, SOL_SOCKET, SO_ERROR, &err), 0);
	ck_assert_uint_eq(err, 0);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &err), 0);
	ck_assert_uint_eq(err, EMSGSIZE);
	sys_close((u32)fd);
	sys_close((u32)udp);
}

START_TEST(test_too_big)
{
	const struct net_setup setup = {
		.check = true, .kernel = lite_kernel(_i, &lite.ip6),
	};
	struct net_fixture *net = net6_new(&setup);

	net_run_one(net, hear_of_path, net);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- without it ---- */

static void only_udp(void *arg)
{
	int fd = open_udp(LITE_PORT);

	(void)arg;
	ck_assert_int_eq(lite_send_to(fd, "x", 1, NET_PORT, false), 1);
	nic_sleep(PS_PER_MS);
	sys_close((u32)fd);
}

/* Who does not use it has nothing of it: no table, no cache, no counters. */
START_TEST(test_unused)
{
	u32 i;

	lite_build(_i);
	nic_process(lite.nic, 0, 0, only_udp, NULL);
	nic_run(lite.nic);
	ck_assert_uint_eq(udp_count(1, UDP_MIB_NOPORTS), 1);
	for (i = 0; i < 2; i++)
		ck_assert_ptr_null(lite.nic->host[i].kernel->ipv4->udp->
				   udplite);
}
END_TEST

Suite *suite_udplite(void)
{
	Suite *suite = suite_create("udplite");
	TCase *tcase = tcase_create("all");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, NULL, lite_end);
	tcase_add_loop_test(tcase, test_options, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_wire, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_any_length, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_pieces, 0, LITE_CASES / 2);
	tcase_add_test(tcase, test_segments);
	tcase_add_loop_test(tcase, test_ports, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_too_big, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_group, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_no_port, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_unused, 0, LITE_CASES);
	suite_add_tcase(suite, tcase);
	return suite;
}
