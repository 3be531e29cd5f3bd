/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP errors that come in: which socket hears of them, and as what; on each
 * kernel and in each family.
 */
#include <errno.h>

#include "icmp_support.h"
#include "stack/include/net/icmp.h"
#include "stack/net/ipv6/ndisc.h"

#define CASES (2 * NET6_KERNELS)	/* kernels, families */

struct test {
	struct net_fixture *net;
	bool ip6;
	int fd;
	u8 type, code;
};

static struct test *test_new(int i)
{
	const struct net_setup setup = {
		.check = true, .kernel = net6_kernels[i / 2],
	};
	struct test *test = g_new0(struct test, 1);

	test->net = net6_new(&setup);
	test->ip6 = i % 2;
	return test;
}

static void test_end(struct test *test)
{
	net_verify_clean(test->net);
	net_free(test->net);
	g_free(test);
}

/* ---- messages ---- */

/* The router's word about the last packet that went out, of which it repeats
 * the first `part` bytes from the IP header on. */
static struct sk_buff *error_about(const struct test *test, u32 part)
{
	const struct icmp_word word = {
		.ip6 = test->ip6, .type = test->type, .code = test->code,
	};

	return icmp_about_last(test->net, &word, part);
}

static u32 whole(const struct test *test)
{
	return test->ip6 ? 48 : 28;
}

static void take(const struct test *test, struct sk_buff *skb)
{
	icmp_take(test->ip6, skb);
}

static u64 errors(const struct test *test)
{
	return test->ip6 ? snmp_icmp6(test->net->kernel, ICMP6_MIB_INERRORS) :
			   snmp_icmp(test->net->kernel, ICMP_MIB_INERRORS);
}

static u64 messages(const struct test *test)
{
	return test->ip6 ? snmp_icmp6(test->net->kernel, ICMP6_MIB_INMSGS) :
			   snmp_icmp(test->net->kernel, ICMP_MIB_INMSGS);
}

/* ---- sockets ---- */

static int send_one(const struct test *test, bool connected)
{
	if (connected)
		return net_send(test->fd, "x", 1, 0);
	return test->ip6 ? net6_send_to(test->fd, "x", 1, 0, NET6_PEER) :
			   net_send_to(test->fd, "x", 1, 0, NET_PEER);
}

static void open_socket(struct test *test, bool connected, bool recverr)
{
	if (connected)
		test->fd = test->ip6 ? net6_socket_to(NET6_PEER) :
				       net_socket_to(NET_PEER);
	else
		test->fd = test->ip6 ? net6_socket() : net_socket();
	if (!recverr)
		return;
	if (test->ip6)
		net6_sk(test->fd)->inet6.recverr = 1;
	else
		net_inet(test->fd)->recverr = 1;
}

/* What a type and code mean to a connected socket, and to one that has asked
 * for errors; by RFC 1122, 4.1.3.3, and Linux. */
static const struct meaning {
	u8 type, code;
	int connected, asked;
} meanings[2][10] = { {
	{ ICMP_DEST_UNREACH, 0, 0, ENETUNREACH },
	{ ICMP_DEST_UNREACH, ICMP_HOST_UNREACH, 0, EHOSTUNREACH },
	{ ICMP_DEST_UNREACH, 2, ENOPROTOOPT, ENOPROTOOPT },
	{ ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, ECONNREFUSED, ECONNREFUSED },
	{ ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, EMSGSIZE, EMSGSIZE },
	{ ICMP_DEST_UNREACH, 13, EHOSTUNREACH, EHOSTUNREACH },
	{ ICMP_DEST_UNREACH, 99, 0, EHOSTUNREACH },
	{ ICMP_TIME_EXCEEDED, 0, 0, EHOSTUNREACH },
	{ ICMP_PARAMETERPROB, 0, EPROTO, EPROTO },
	{ 8, 0, 0, 0 },		/* an echo request is no error */
}, {
	{ ICMPV6_DEST_UNREACH, ICMPV6_NOROUTE, 0, ENETUNREACH },
	{ ICMPV6_DEST_UNREACH, 1, EACCES, EACCES },
	{ ICMPV6_DEST_UNREACH, ICMPV6_ADDR_UNREACH, 0, EHOSTUNREACH },
	{ ICMPV6_DEST_UNREACH, ICMPV6_PORT_UNREACH, ECONNREFUSED,
	  ECONNREFUSED },
	{ ICMPV6_DEST_UNREACH, 99, EPROTO, EPROTO },
	{ ICMPV6_PKT_TOOBIG, 0, EMSGSIZE, EMSGSIZE },
	{ ICMPV6_TIME_EXCEED, 0, 0, EHOSTUNREACH },
	{ ICMPV6_PARAMPROB, 0, EPROTO, EPROTO },
	{ ICMPV6_PARAMPROB, 1, EPROTO, EPROTO },
	{ 128, 0, 0, 0 },
} };

/* Old kernels tell only those of it who have asked. */
static bool is_told(const struct test *test, const struct meaning *m)
{
	return !test->ip6 || m->type != ICMPV6_PKT_TOOBIG ||
	       has(UDP6_TOOBIG_HARD);
}

/* The next call fails with it, once. */
static void expect_error(struct test *test, bool connected, int err)
{
	int got = send_one(test, connected);

	if (err)
		ck_assert_msg(got == -err, "%u, %u: %d instead of %d",
			      test->type, test->code, got, -err);
	ck_assert_int_eq(err ? send_one(test, connected) : got, 1);
}

static void all_meanings(void *arg)
{
	struct test *test = arg;
	u32 i, j;

	for (j = 0; j < 4; j++) {
		bool connected = j & 1, asked = j & 2;

		open_socket(test, connected, asked);
		ck_assert_int_eq(send_one(test, connected), 1);
		for (i = 0; i < ARRAY_SIZE(meanings[0]); i++) {
			const struct meaning *m = &meanings[test->ip6][i];

			test->type = m->type;
			test->code = m->code;
			take(test, error_about(test, whole(test)));
			if (asked)
				expect_error(test, connected, m->asked);
			else if (connected)
				expect_error(test, true, is_told(test, m) ?
							 m->connected : 0);
			else
				expect_error(test, false, 0);
		}
		sys_close(test->fd);
	}
	ck_assert_uint_eq(messages(test), 4 * ARRAY_SIZE(meanings[0]));
	ck_assert_uint_eq(errors(test), 0);
}

START_TEST(test_meanings)
{
	struct test *test = test_new(_i);

	net_run_one(test->net, all_meanings, test);
	test_end(test);
}
END_TEST

/* Of whom nobody knows anything. */
static void to_nobody(void *arg)
{
	struct test *test = arg;
	struct sk_buff *skb;

	open_socket(test, true, false);
	ck_assert_int_eq(send_one(test, true), 1);
	test->type = test->ip6 ? ICMPV6_DEST_UNREACH : ICMP_DEST_UNREACH;
	test->code = test->ip6 ? ICMPV6_PORT_UNREACH : ICMP_PORT_UNREACH;
	skb = error_about(test, whole(test));
	sys_close(test->fd);
	take(test, skb);
	ck_assert_uint_eq(errors(test), 1);
}

START_TEST(test_no_socket)
{
	struct test *test = test_new(_i);

	net_run_one(test->net, to_nobody, test);
	test_end(test);
}
END_TEST

static void broken(void *arg)
{
	struct test *test = arg;
	struct sk_buff *skb;

	open_socket(test, true, true);
	ck_assert_int_eq(send_one(test, true), 1);
	test->type = test->ip6 ? ICMPV6_DEST_UNREACH : ICMP_DEST_UNREACH;
	test->code = test->ip6 ? ICMPV6_PORT_UNREACH : ICMP_PORT_UNREACH;
	/* Not even the ports; a message without its datagram; a stump. */
	take(test, error_about(test, whole(test) - 8 + 7));
	take(test, error_about(test, 0));
	skb = error_about(test, whole(test));
	skb->len = ICMP_HLEN - 1;
	take(test, skb);
	/* Its sum is wrong. */
	skb = error_about(test, whole(test));
	skb_bytes(skb, skb->transport_header)[4] ^= 1;
	take(test, skb);
	/* About a datagram of another protocol. */
	skb = error_about(test, whole(test));
	skb_bytes(skb, skb->transport_header)[ICMP_HLEN + (test->ip6 ? 6 : 9)]
		= 6;
	icmp_sum_up(test->ip6, skb_bytes(skb, skb->network_header), skb->len);
	take(test, skb);
	ck_assert_int_eq(send_one(test, true), 1);
	ck_assert_uint_eq(messages(test), 5);
	/* ICMPv6 counts those that are about nothing as none. */
	ck_assert_uint_eq(errors(test), test->ip6 ? 2 : 4);
	/* A device that has summed up is believed. */
	skb = error_about(test, whole(test));
	skb_bytes(skb, skb->transport_header)[4] ^= 1;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	take(test, skb);
	expect_error(test, true, ECONNREFUSED);
	sys_close(test->fd);
}

START_TEST(test_broken)
{
	struct test *test = test_new(_i);

	net_run_one(test->net, broken, test);
	test_end(test);
}
END_TEST

Suite *suite_icmp(void)
{
	Suite *suite = suite_create("icmp");
	TCase *tcase = tcase_create("icmp");

	tcase_add_loop_test(tcase, test_meanings, 0, CASES);
	tcase_add_loop_test(tcase, test_no_socket, 0, CASES);
	tcase_add_loop_test(tcase, test_broken, 0, CASES);
	suite_add_tcase(suite, tcase);
	return suite;
}
