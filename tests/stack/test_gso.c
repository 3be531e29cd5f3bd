/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A write that is cut into datagrams of one size (UDP_SEGMENT) is on the wire
 * what as many writes make of it; over loopback the reader gets them one by
 * one, or all at once and is told their size (UDP_GRO).
 */
#include <errno.h>
#include <string.h>

#include "net6_support.h"
#include "nic_support.h"
#include "sim/check.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/netns.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"

#define MOST 65507u

static struct nic_fixture *f;
static bool ip6, local, gro;
static u32 rounds, sent_len, segment, received;
static u8 sent_bytes[MOST + 9], got_bytes[MOST + 2];

static struct sockaddr_any receiver_name(void)
{
	struct sockaddr_any to = { .port = NET_PORT };

	to.family = ip6 ? PF_INET6 : PF_INET;
	if (ip6)
		to.daddr6 = FD00(local ? 1 : 2);
	else
		to.daddr = NIC_ADDRESS(local ? 0 : 1);
	return to;
}

static int send_from(int fd, u32 at, u32 len, u32 flags)
{
	const struct sockaddr_any to = receiver_name();

	return sys_sendto(fd, sent_bytes + at, len, flags, &to,
			  ip6 ? SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE);
}

static int new_socket(void)
{
	return sys_socket(ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);
}

static void fill(struct random_stream *random, u32 len)
{
	u32 i;

	for (i = 0; i < len; i += 8) {
		u64 bits = random_u64(random);

		memcpy(sent_bytes + i, &bits, 8);
	}
}

static u32 datagrams(u32 len)
{
	return (len + segment - 1) / segment;
}

/* As a sender that does it itself would: headers and sums are right, the
 * identifications (IPv4) follow each other. */
static void verify_frames(const GPtrArray *frames)
{
	u32 headers = ip6 ? 14 + 48 : 14 + 28, i, at = 0, id = 0;

	ck_assert_uint_eq(frames->len, datagrams(sent_len));
	for (i = 0; i < frames->len; i++) {
		const GByteArray *frame = nic_frame(frames, i);
		u32 len = MIN(segment, sent_len - at);

		nic_verify_frame(frame);
		ck_assert_uint_eq(get_be16(frame->data + headers - 4),
				  len + 8);
		ck_assert_mem_eq(frame->data + headers, sent_bytes + at, len);
		at += len;
		if (ip6)
			continue;
		if (i)
			ck_assert_uint_eq(get_be16(frame->data + 18),
					  (id + 1) & 0xffff);
		id = get_be16(frame->data + 18);
	}
}

static void draw(struct random_stream *random)
{
	segment = 1 + (u32)random_below(random, ip6 ? 1452 : 1472);
	sent_len = 1 + (u32)random_below(random, 64 * segment);
	sent_len = MIN(sent_len, MOST - 20);
	fill(random, sent_len);
}

static void send_segments(void *arg)
{
	GPtrArray *frames = f->host[0].sent;
	struct random_stream random;
	int fd = new_socket();
	u32 i, part;

	(void)arg;
	random_seed(&random, 1, "segments", ip6);
	nic_sleep(100 * PS_PER_US);
	for (i = 0; i < rounds; i++) {
		draw(&random);
		ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT,
						segment), 0);
		/* In one write, or in two. */
		part = i % 3 == 2 ? sent_len / 2 : 0;
		if (part)
			ck_assert_int_eq(send_from(fd, 0, part, MSG_MORE),
					 (int)part);
		ck_assert_int_eq(send_from(fd, part, sent_len - part, 0),
				 (int)(sent_len - part));
		nic_sleep(1 * PS_PER_MS);
		if (!local)
			verify_frames(frames);
		g_ptr_array_set_size(frames, 0);
	}
	sys_close((u32)fd);
}

static void receive_segments(void *arg)
{
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET,
		.port = NET_PORT,
	};
	int fd = new_socket(), n;
	u32 at = 0, told;
	struct msghdr msg = { .to = got_bytes, .gso_size = &told };

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_GRO, gro), 0);
	while (received < rounds) {
		told = 0;
		n = sys_recvmsg(fd, &msg, sizeof(got_bytes));
		if (gro && datagrams(sent_len) > 1) {
			ck_assert_int_eq(n, (int)sent_len);
			ck_assert_uint_eq(told, segment);
		} else {
			ck_assert_int_eq(n, (int)MIN(segment, sent_len - at));
			ck_assert_uint_eq(told, 0);
		}
		ck_assert_mem_eq(got_bytes, sent_bytes + at, (u32)n);
		at += (u32)n;
		if (at == sent_len) {
			received++;
			at = 0;
		}
	}
	sys_close((u32)fd);
}

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = "linux-6.1", .cores = 2, .check = true,
		.node_mib = 64,
	};

	ip6 = i & 1;
	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	received = 0;
	local = gro = false;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

/* Each page and each packet was given back. */
static void nothing_is_left(void)
{
	u32 i;

	nic_end_processes(f);
	for (i = 0; i < 2; i++) {
		struct machine *machine = f->host[i].machine;
		const char *const *findings;

		this_cpu = &machine->cpus[0];
		rcu_barrier();
		check_leaks(machine);
		findings = check_findings(machine->check);
		ck_assert_msg(!findings[0], "%s", findings[0]);
	}
}

static void go(void)
{
	rounds = test_rounds(120);
	nic_process(f, !local, 1, receive_segments, NULL);
	nic_process(f, 0, 0, send_segments, NULL);
	nic_run(f);
	ck_assert_uint_eq(received, rounds);
	nothing_is_left();
}

START_TEST(test_wire)
{
	build(_i);
	go();
}
END_TEST

START_TEST(test_one_by_one)
{
	build(_i);
	local = true;
	go();
}
END_TEST

START_TEST(test_all_at_once)
{
	build(_i);
	local = gro = true;
	go();
}
END_TEST

/* ---- what cannot be ---- */

static void refuse(void *arg)
{
	int fd = new_socket(), lite = sys_socket(ip6 ? PF_INET6 : PF_INET,
						 SOCK_DGRAM,
						 IPPROTO_UDPLITE_NUMBER);
	u32 value;

	(void)arg;
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 65536),
			 -EINVAL);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, (u32)-1),
			 -EINVAL);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 100), 0);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDP, UDP_SEGMENT, &value), 0);
	ck_assert_uint_eq(value, 100);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_GRO, 3), 0);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDP, UDP_GRO, &value), 0);
	ck_assert_uint_eq(value, 1);
	/* 64 datagrams, and one byte more. */
	ck_assert_int_eq(send_from(fd, 0, 6400, 0), 6400);
	ck_assert_int_eq(send_from(fd, 0, 6401, 0), -EINVAL);
	/* A datagram that is itself too long for a packet. */
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT,
					ip6 ? 1453 : 1473), 0);
	ck_assert_int_eq(send_from(fd, 0, 3000, 0), -EINVAL);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 0), 0);
	ck_assert_int_eq(send_from(fd, 0, 3000, 0), 3000);
	ck_assert_int_eq(sys_setsockopt(lite, SOL_UDP, UDP_SEGMENT, 100), 0);
	ck_assert_int_eq(send_from(lite, 0, 300, 0), -EIO);
	sys_close((u32)fd);
	sys_close((u32)lite);
}

START_TEST(test_refused)
{
	build(_i);
	nic_process(f, 0, 0, refuse, NULL);
	nic_run(f);
	nothing_is_left();
}
END_TEST

static void has_no_option(void *arg)
{
	int fd = new_socket();

	(void)arg;
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_SEGMENT, 100),
			 -ENOPROTOOPT);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_GRO, 1), -ENOPROTOOPT);
	sys_close((u32)fd);
}

START_TEST(test_before_4_18)
{
	const struct nic_setup setup = { .kernel = "linux-4.6", .cores = 2 };

	ip6 = false;
	f = nic_fixture_new(&setup);
	nic_process(f, 0, 0, has_no_option, NULL);
	nic_run(f);
}
END_TEST

Suite *suite_gso(void)
{
	Suite *suite = suite_create("gso");
	TCase *tcase = tcase_create("all");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_loop_test(tcase, test_wire, 0, 2);
	tcase_add_loop_test(tcase, test_one_by_one, 0, 2);
	tcase_add_loop_test(tcase, test_all_at_once, 0, 2);
	tcase_add_loop_test(tcase, test_refused, 0, 2);
	tcase_add_test(tcase, test_before_4_18);
	suite_add_tcase(suite, tcase);
	return suite;
}
