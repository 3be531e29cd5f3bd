/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A datagram that is written in pieces, with MSG_MORE or on a corked socket, is
 * on the wire what one write makes of it, and the reader gets the same bytes;
 * what goes wrong loses all of it.
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

#define MOST   65507u
#define MOST6  65487u /* less by the 40 bytes of the header than it could be */
#define PIECES 7u

static const struct cork_case {
	const char *kernel;
	bool ip6;
} cases[] = {
	{ "linux-3.4", false },	 { "linux-3.6", false },
	{ "linux-3.12", false }, { "linux-4.6", false },
	{ "linux-6.1", false },	 { "linux-2.6.32", true },
	{ "linux-3.6", true },	 { "linux-3.12", true },
	{ "linux-4.6", true },	 { "linux-6.1", true },
};

static struct nic_fixture *f;
static bool ip6;
static u32 rounds, received, sent_len;
static u8 sent_bytes[MOST + 99], got_bytes[MOST + 99];

static struct sockaddr_any receiver_name(void)
{
	struct sockaddr_any to = { .port = NET_PORT };

	to.family = ip6 ? PF_INET6 : PF_INET;
	if (ip6)
		to.daddr6 = FD00(2);
	else
		to.daddr = NIC_ADDRESS(1);
	return to;
}

static int send_flags(int fd, const u8 *from, u32 len, u32 flags)
{
	const struct sockaddr_any to = receiver_name();

	return sys_sendto(fd, from, len, flags, &to,
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

/* ---- sizes ---- */

/* Many are small, and some stand where a packet is full. */
static u32 draw_size(struct random_stream *random, u32 most)
{
	static const u32 edges[] = { 0,	   1,	 1444, 1447, 1448, 1452, 1453,
				     1464, 1465, 1471, 1472, 1473, 2952, 2953 };

	switch (random_below(random, 4)) {
	case 0:
		return edges[random_below(random, ARRAY_SIZE(edges))];
	case 1:
		return (u32)random_below(random, 4500);
	case 2:
		return most - (u32)random_below(random, 3);
	}
	return (u32)random_below(random, most + 1);
}

/* The bytes in up to PIECES writes, in either way. */
static void send_in_pieces(int fd, struct random_stream *random, u32 len)
{
	bool cork = random_below(random, 2);
	u32 pieces = 2 + (u32)random_below(random, PIECES - 1), i, at = 0, edge;

	if (cork)
		ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 1), 0);
	for (i = 0; i < pieces; i++) {
		bool last = i == pieces - 1;
		u32 n = last ? len - at :
			       (u32)random_below(random, len - at + 1);

		/* Near the edge of a packet, now and then. */
		edge = 1440 + (u32)random_below(random, 40);
		if (!last && random_below(random, 3) == 0)
			n = MIN(len - at, edge);
		ck_assert_int_eq(send_flags(fd, sent_bytes + at, n,
					    cork || last ? 0 : MSG_MORE),
				 (int)n);
		at += n;
	}
	if (cork)
		ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 0), 0);
}

/* But for the identification and the header's sum. */
static void compare_frames(const GPtrArray *frames, u32 n)
{
	u8 one[2000], other[2000];
	u32 i;

	ck_assert_uint_eq(frames->len, 2 * n);
	for (i = 0; i < n; i++) {
		const GByteArray *a = nic_frame(frames, i);
		const GByteArray *b = nic_frame(frames, n + i);
		u32 at = ip6 ? 14 + 44 : 14 + 4, id = ip6 ? 4 : 2;

		if (n == 1)
			nic_verify_frame(b);
		ck_assert_uint_eq(a->len, b->len);
		memcpy(one, a->data, a->len);
		memcpy(other, b->data, b->len);
		if (!ip6 || one[14 + 6] == 44) {
			memset(one + at, 0, id);
			memset(other + at, 0, id);
		}
		if (!ip6) {
			memset(one + 24, 0, 2);
			memset(other + 24, 0, 2);
		}
		ck_assert_mem_eq(one, other, a->len);
	}
}

static void send_sizes(void *arg)
{
	GPtrArray *frames = f->host[0].sent;
	struct random_stream random;
	int fd = new_socket();
	u32 i, n;

	(void)arg;
	random_seed(&random, 1, "corked sizes", ip6);
	nic_sleep(100 * PS_PER_US);
	for (i = 0; i < rounds; i++) {
		sent_len = draw_size(&random, ip6 ? MOST6 : MOST);
		fill(&random, sent_len);
		ck_assert_int_eq(send_flags(fd, sent_bytes, sent_len, 0),
				 (int)sent_len);
		nic_sleep(100 * PS_PER_US);
		n = frames->len;
		send_in_pieces(fd, &random, sent_len);
		nic_sleep(100 * PS_PER_US);
		compare_frames(frames, n);
		g_ptr_array_set_size(frames, 0);
		g_ptr_array_set_size(f->host[1].received, 0);
	}
	sys_close((u32)fd);
}

static void receive_sizes(void *arg)
{
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET,
		.port = NET_PORT,
	};
	int fd = new_socket();
	u32 i;

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	for (i = 0; i < 2 * rounds; i++) {
		int n = sys_recvfrom(fd, got_bytes, sizeof(got_bytes), 0, NULL);

		ck_assert_int_eq(n, (int)sent_len);
		ck_assert_mem_eq(got_bytes, sent_bytes, (u32)n);
		received++;
	}
	sys_close((u32)fd);
}

static void build(int i, bool check)
{
	const struct nic_setup setup = {
		.kernel = cases[i].kernel,
		.cores = 2,
		.check = check,
		.node_mib = 64,
	};

	ip6 = cases[i].ip6;
	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	received = 0;
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

START_TEST(test_sizes)
{
	build(_i, true);
	rounds = test_rounds(150);
	nic_process(f, 1, 1, receive_sizes, NULL);
	nic_process(f, 0, 0, send_sizes, NULL);
	nic_run(f);
	ck_assert_uint_eq(received, 2 * rounds);
	nothing_is_left();
}
END_TEST

/* Most of them without the checks, which are slow. */
START_TEST(test_many_sizes)
{
	build(_i, false);
	rounds = test_rounds(1000);
	nic_process(f, 1, 1, receive_sizes, NULL);
	nic_process(f, 0, 0, send_sizes, NULL);
	nic_run(f);
	ck_assert_uint_eq(received, 2 * rounds);
}
END_TEST

/* ---- over loopback ---- */

/* The reader has the pages that the writer filled. */
static void send_to_itself(void *arg)
{
	struct sockaddr_any to = {
		.family = PF_INET, .daddr = NIC_ADDRESS(0), .port = NET_PORT,
	};
	u32 to_len = SOCKADDR_IN6_SIZE;
	int fd = new_socket(), reader = new_socket(), n;
	struct random_stream random;
	u32 i, at;

	(void)arg;
	if (ip6) {
		to.family = PF_INET6;
		to.daddr6 = FD00(1);
	}
	random_seed(&random, 1, "corked to itself", 0);
	ck_assert_int_eq(sys_bind(reader, &to, to_len), 0);
	for (i = 0; i < rounds; i++) {
		u32 len = draw_size(&random, ip6 ? MOST6 : MOST), asked;

		fill(&random, len);
		for (at = 0; at < len; at += (u32)n) {
			u32 piece = 1 + (u32)random_below(&random, len);

			piece = MIN(piece, len - at);
			n = sys_sendto(fd, sent_bytes + at, piece, MSG_MORE,
				       &to, to_len);
			ck_assert_int_eq(n, (int)piece);
		}
		/* An empty write ends it; the name is not looked at. */
		ck_assert_int_eq(sys_sendto(fd, NULL, 0, 0, &to, to_len), 0);
		asked = i & 1 ? len + 1 : (u32)random_below(&random, len + 1);
		memset(got_bytes, 0, sizeof(got_bytes));
		n = sys_recvfrom(reader, got_bytes, asked, MSG_DONTWAIT, NULL);
		ck_assert_int_eq(n, (int)MIN(asked, len));
		ck_assert_mem_eq(got_bytes, sent_bytes, (u32)n);
	}
	sys_close((u32)fd);
	sys_close((u32)reader);
}

START_TEST(test_loopback)
{
	build(_i, true);
	rounds = test_rounds(150);
	nic_process(f, 0, 0, send_to_itself, NULL);
	nic_run(f);
	nothing_is_left();
}
END_TEST

/* ---- what goes wrong ---- */

static u64 sent_datagrams(void)
{
	return ip6 ? snmp_udp6(f->host[0].kernel, UDP_MIB_OUTDATAGRAMS) :
		     snmp_udp(f->host[0].kernel, UDP_MIB_OUTDATAGRAMS);
}

static void frames_are(u32 n)
{
	nic_sleep(20 * PS_PER_US);
	ck_assert_uint_eq(f->host[0].sent->len, n);
	ck_assert_uint_eq(sent_datagrams(), n);
}

static void go_wrong(void *arg)
{
	const u32 most = ip6 ? 65527 : MOST;
	u32 cork = 7, n = 0;
	int fd = new_socket();

	(void)arg;
	nic_sleep(100 * PS_PER_US);
	/* One byte too many, at once and in pieces: all is lost, and the next
	 * begins anew. */
	ck_assert_int_eq(send_flags(fd, sent_bytes, most + 1, 0), -EMSGSIZE);
	ck_assert_int_eq(send_flags(fd, sent_bytes, most - 9, MSG_MORE),
			 (int)most - 9);
	ck_assert_int_eq(send_flags(fd, sent_bytes, 10, 0), -EMSGSIZE);
	frames_are(n);
	ck_assert_int_eq(send_flags(fd, sent_bytes, 10, MSG_MORE), 10);
	ck_assert_int_eq(send_flags(fd, sent_bytes, 10, 0), 10);
	frames_are(++n);
	/* More is taken without a name; nothing without either. */
	ck_assert_int_eq(sys_sendto(fd, sent_bytes, 1, 0, NULL, 0),
			 -EDESTADDRREQ);
	ck_assert_int_eq(send_flags(fd, sent_bytes, 10, MSG_MORE), 10);
	ck_assert_int_eq(sys_sendto(fd, sent_bytes, 1, 0, NULL, 0), 1);
	frames_are(++n);
	/* The option; a socket that is corked twice; one with nothing. */
	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDP, UDP_CORK, &cork), 0);
	ck_assert_uint_eq(cork, 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 5), 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 5), 0);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_UDP, UDP_CORK, &cork), 0);
	ck_assert_uint_eq(cork, 1);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, 99, 1), -ENOPROTOOPT);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 0), 0);
	frames_are(n);
	/* A socket that is closed takes it along. */
	ck_assert_int_eq(send_flags(fd, sent_bytes, 3000, MSG_MORE), 3000);
	sys_close((u32)fd);
	frames_are(n);
}

START_TEST(test_errors)
{
	build(_i, true);
	nic_process(f, 0, 0, go_wrong, NULL);
	nic_run(f);
	nothing_is_left();
}
END_TEST

Suite *suite_cork(void)
{
	Suite *suite = suite_create("cork");
	TCase *tcase = tcase_create("all");
	int n = ARRAY_SIZE(cases);

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_loop_test(tcase, test_sizes, 0, n);
	tcase_add_loop_test(tcase, test_many_sizes, 0, n);
	tcase_add_loop_test(tcase, test_loopback, 0, n);
	tcase_add_loop_test(tcase, test_errors, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}
