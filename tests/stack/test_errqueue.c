/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A socket's queue of errors: each error that ICMP and ICMPv6 have, as errno and
 * as extended error; and those of this host itself.
 */
#include <errno.h>
#include <string.h>

#include "icmp_support.h"
#include "stack/include/net/icmp.h"

#define HELLO "hello"
#define HELLO_LEN 5u
#define ROUTER IP(10, 2, 2, 9)	/* of icmp_support.c */

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

#define CASES (2 * (int)ARRAY_SIZE(kernels))

struct test {
	bool ip6;
	struct net_fixture *net;
	int fd;
};

static void run(int i, void (*fn)(void *arg))
{
	const struct net_setup setup = {
		.check = true, .kernel = kernels[i / 2],
	};
	struct test test = { .ip6 = i & 1, .net = net6_new(&setup) };

	net_run_one(test.net, fn, &test);
	net_verify_clean(test.net);
	net_free(test.net);
}

/* ---- what it is about ---- */

static void set_recverr(const struct test *test, u32 on)
{
	ck_assert_int_eq(sys_setsockopt(test->fd,
					test->ip6 ? SOL_IPV6 : SOL_IP,
					test->ip6 ? IPV6_RECVERR : IP_RECVERR,
					on), 0);
}

static void open_socket(struct test *test)
{
	test->fd = test->ip6 ? net6_socket_to(NET6_PEER) :
			       net_socket_to(NET_PEER);
	set_recverr(test, 1);
}

static void say_hello(const struct test *test)
{
	ck_assert_int_eq(net_send(test->fd, HELLO, HELLO_LEN, 0), HELLO_LEN);
}

/* The router's word about the last datagram, with the first `part` bytes of its
 * data. */
static void hear(const struct test *test, u8 type, u8 code, u32 info, u32 part)
{
	const struct icmp_word word = {
		.ip6 = test->ip6, .type = type, .code = code, .info = info,
	};

	icmp_take(test->ip6, icmp_about_last(test->net, &word,
					     (test->ip6 ? 48 : 28) + part));
}

static void hear_unreachable(const struct test *test)
{
	if (test->ip6)
		hear(test, ICMPV6_DEST_UNREACH, ICMPV6_PORT_UNREACH, 0,
		     HELLO_LEN);
	else
		hear(test, ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, 0, HELLO_LEN);
}

struct got {
	struct recv_error error;
	struct sockaddr_any from;
	u8 data[HELLO_LEN];
	u32 flags;
};

static int get(const struct test *test, struct got *got, u32 room)
{
	struct msghdr msg = {
		.to = got->data, .from = &got->from, .error = &got->error,
		.msg_flags = MSG_ERRQUEUE,
	};
	int len;

	memset(got, 0, sizeof(*got));
	len = sys_recvmsg(test->fd, &msg, room);
	got->flags = msg.msg_flags;
	return len;
}

static u32 pending(const struct test *test)
{
	u32 err = 0;

	ck_assert_int_eq(sys_getsockopt(test->fd, SOL_SOCKET, SO_ERROR, &err),
			 0);
	return err;
}

static void is_from_peer(const struct test *test, const struct got *got)
{
	const struct in6_addr peer = NET6_PEER;

	ck_assert_uint_eq(got->from.port, NET_PORT);
	ck_assert_uint_eq(got->from.family, test->ip6 ? PF_INET6 : PF_INET);
	if (test->ip6)
		ck_assert_mem_eq(&got->from.daddr6, &peer, sizeof(peer));
	else
		ck_assert_uint_eq(got->from.daddr, NET_PEER);
}

static void is_told_by_router(const struct test *test, const struct got *got)
{
	const struct in6_addr router = FD00(9);

	ck_assert_uint_eq(got->error.offender.family,
			  test->ip6 ? PF_INET6 : PF_INET);
	if (test->ip6)
		ck_assert_mem_eq(&got->error.offender.daddr6, &router,
				 sizeof(router));
	else
		ck_assert_uint_eq(got->error.offender.daddr, ROUTER);
}

/* ---- each error ---- */

static const struct told {
	u8 type, code;
	u32 word;		/* behind the message's checksum */
	u32 info;		/* what the socket reads of it */
	int err;
} all_told[2][13] = { {
	{ ICMP_DEST_UNREACH, 0, 0, 0, ENETUNREACH },
	{ ICMP_DEST_UNREACH, ICMP_HOST_UNREACH, 0, 0, EHOSTUNREACH },
	{ ICMP_DEST_UNREACH, ICMP_PROT_UNREACH, 0, 0, ENOPROTOOPT },
	{ ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, 0, 0, ECONNREFUSED },
	{ ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, 1400, 1400, EMSGSIZE },
	{ ICMP_DEST_UNREACH, 5, 0, 0, EOPNOTSUPP },
	{ ICMP_DEST_UNREACH, 6, 0, 0, ENETUNREACH },
	{ ICMP_DEST_UNREACH, 7, 0, 0, EHOSTDOWN },
	{ ICMP_DEST_UNREACH, 8, 0, 0, ENONET },
	{ ICMP_DEST_UNREACH, 13, 0, 0, EHOSTUNREACH },
	{ ICMP_TIME_EXCEEDED, 0, 0, 0, EHOSTUNREACH },
	{ ICMP_TIME_EXCEEDED, ICMP_EXC_FRAGTIME, 0, 0, EHOSTUNREACH },
	{ ICMP_PARAMETERPROB, 0, 9u << 24, 9, EPROTO },
}, {
	{ ICMPV6_DEST_UNREACH, ICMPV6_NOROUTE, 0, 0, ENETUNREACH },
	{ ICMPV6_DEST_UNREACH, 1, 0, 0, EACCES },
	{ ICMPV6_DEST_UNREACH, 2, 0, 0, EHOSTUNREACH },
	{ ICMPV6_DEST_UNREACH, ICMPV6_ADDR_UNREACH, 0, 0, EHOSTUNREACH },
	{ ICMPV6_DEST_UNREACH, ICMPV6_PORT_UNREACH, 0, 0, ECONNREFUSED },
	{ ICMPV6_DEST_UNREACH, 5, 0, 0, EACCES },
	{ ICMPV6_DEST_UNREACH, 6, 0, 0, EACCES },
	{ ICMPV6_DEST_UNREACH, 99, 0, 0, EPROTO },
	{ ICMPV6_PKT_TOOBIG, 0, 1400, 1400, EMSGSIZE },
	{ ICMPV6_TIME_EXCEED, 0, 0, 0, EHOSTUNREACH },
	{ ICMPV6_TIME_EXCEED, ICMPV6_EXC_FRAGTIME, 0, 0, EHOSTUNREACH },
	{ ICMPV6_PARAMPROB, ICMPV6_HDR_FIELD, 40, 40, EPROTO },
	{ ICMPV6_PARAMPROB, ICMPV6_UNK_NEXTHDR, 6, 6, EPROTO },
} };

static void each(void *arg)
{
	struct test *test = arg;
	const struct told *told = all_told[test->ip6];
	struct got got;
	u32 i;

	open_socket(test);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	for (i = 0; i < ARRAY_SIZE(all_told[0]); i++, told++) {
		say_hello(test);
		hear(test, told->type, told->code, told->word, HELLO_LEN);
		/* As errno, with the next call. */
		ck_assert_int_eq(net_send(test->fd, "x", 1, 0), -told->err);
		ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
		ck_assert_mem_eq(got.data, HELLO, HELLO_LEN);
		ck_assert_uint_eq(got.flags, MSG_ERRQUEUE);
		ck_assert(got.error.valid);
		ck_assert_uint_eq(got.error.ee.ee_errno, (u32)told->err);
		ck_assert_uint_eq(got.error.ee.ee_origin, test->ip6 ?
				  SO_EE_ORIGIN_ICMP6 : SO_EE_ORIGIN_ICMP);
		ck_assert_uint_eq(got.error.ee.ee_type, told->type);
		ck_assert_uint_eq(got.error.ee.ee_code, told->code);
		ck_assert_uint_eq(got.error.ee.ee_info, told->info);
		is_from_peer(test, &got);
		is_told_by_router(test, &got);
		ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	}
	sys_close(test->fd);
}

START_TEST(test_each)
{
	run(_i, each);
}
END_TEST

/* ---- the queue ---- */

/* Several wait: the socket's error is that of the first, and then of the one
 * behind it.  What is left goes with the socket. */
static void several(void *arg)
{
	struct test *test = arg;
	struct got got;
	u32 i;

	open_socket(test);
	say_hello(test);
	for (i = 0; i < 3; i++)
		hear_unreachable(test);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	ck_assert_uint_eq(pending(test), 0);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(pending(test), 0);
	hear_unreachable(test);
	/* Who reads it has no other error left. */
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(pending(test), 0);
	hear_unreachable(test);
	hear_unreachable(test);
	sys_close(test->fd);
}

START_TEST(test_several)
{
	run(_i, several);
}
END_TEST

static void off(void *arg)
{
	struct test *test = arg;
	struct got got;

	open_socket(test);
	say_hello(test);
	hear_unreachable(test);
	set_recverr(test, 0);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	hear_unreachable(test);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	sys_close(test->fd);
}

START_TEST(test_off)
{
	run(_i, off);
}
END_TEST

/* More than a reader has room for, and less than the datagram's own. */
static void parts(void *arg)
{
	struct test *test = arg;
	struct got got;

	open_socket(test);
	say_hello(test);
	hear_unreachable(test);
	ck_assert_int_eq(get(test, &got, 2), 2);
	ck_assert_mem_eq(got.data, HELLO, 2);
	ck_assert_uint_eq(got.flags, MSG_ERRQUEUE | MSG_TRUNC);
	hear(test, test->ip6 ? ICMPV6_DEST_UNREACH : ICMP_DEST_UNREACH, 1, 0,
	     0);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), 0);
	is_from_peer(test, &got);
	sys_close(test->fd);
}

START_TEST(test_parts)
{
	run(_i, parts);
}
END_TEST

/* The queue has the room of the socket's buffer: the rest is lost, and nothing
 * else of it. */
static void full(void *arg)
{
	struct test *test = arg;
	struct got got;
	u32 n = 0, i;

	open_socket(test);
	say_hello(test);
	for (i = 0; i < 2000; i++)
		hear_unreachable(test);
	while (get(test, &got, HELLO_LEN) == (int)HELLO_LEN)
		n++;
	ck_assert_uint_gt(n, 50);
	ck_assert_uint_lt(n, 2000);
	ck_assert_int_eq(net_sk(test->fd)->sk_backlog.rmem_alloc, 0);
	sys_close(test->fd);
}

START_TEST(test_full)
{
	run(_i, full);
}
END_TEST

/* ---- this host's own ---- */

static void discover(const struct test *test, u32 mode)
{
	ck_assert_int_eq(sys_setsockopt(test->fd,
					test->ip6 ? SOL_IPV6 : SOL_IP,
					test->ip6 ? IPV6_MTU_DISCOVER :
						    IP_MTU_DISCOVER,
					mode), 0);
}

/* Too long for the link: with DO kernels before 3.14 find that out too late. */
static void too_long(void *arg)
{
	static const u8 data[1500];
	struct test *test = arg;
	struct got got;

	open_socket(test);
	discover(test, IP_PMTUDISC_DO);
	ck_assert_int_eq(net_send(test->fd, data, sizeof(data), 0), -EMSGSIZE);
	if (has(IP_MAXNONFRAGSIZE)) {
		ck_assert_int_eq(get(test, &got, HELLO_LEN), 0);
		ck_assert_uint_eq(got.error.ee.ee_errno, EMSGSIZE);
		ck_assert_uint_eq(got.error.ee.ee_origin, SO_EE_ORIGIN_LOCAL);
		ck_assert_uint_eq(got.error.ee.ee_type, 0);
		ck_assert_uint_eq(got.error.ee.ee_code, 0);
		ck_assert_uint_eq(got.error.ee.ee_info, 1500);
		ck_assert_uint_eq(got.error.offender.family, 0);
		is_from_peer(test, &got);
	}
	ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	/* It is no pending error. */
	ck_assert_uint_eq(pending(test), 0);
	set_recverr(test, 0);
	ck_assert_int_eq(net_send(test->fd, data, sizeof(data), 0), -EMSGSIZE);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), -EAGAIN);
	sys_close(test->fd);
}

START_TEST(test_too_long)
{
	run(_i, too_long);
}
END_TEST

/* A local error in the queue, and one of ICMP behind it and in front of it. */
static void mixed(void *arg)
{
	static const u8 data[1500];
	struct test *test = arg;
	struct got got;

	open_socket(test);
	say_hello(test);
	discover(test, IP_PMTUDISC_DO);
	hear_unreachable(test);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	ck_assert_int_eq(net_send(test->fd, data, sizeof(data), 0), -EMSGSIZE);
	hear_unreachable(test);
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	if (has(IP_MAXNONFRAGSIZE)) {
		/* Kernels before 3.19 make a pending error of either. */
		ck_assert_uint_eq(pending(test), 0);
		ck_assert_int_eq(get(test, &got, HELLO_LEN), 0);
	}
	ck_assert_uint_eq(pending(test), ECONNREFUSED);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(pending(test), 0);
	sys_close(test->fd);
}

START_TEST(test_mixed)
{
	run(_i, mixed);
}
END_TEST

/* An IPv6 socket with an IPv4 peer: its errors come by ICMP, and the addresses
 * are mapped ones. */
static void mapped(void *arg)
{
	const struct in6_addr peer = MAPPED(2), router = MAPPED(9);
	struct test *test = arg;
	struct got got;

	test->fd = net6_socket_to(peer);
	ck_assert_int_eq(sys_setsockopt(test->fd, SOL_IP, IP_RECVERR, 1), 0);
	test->ip6 = false;
	say_hello(test);
	hear_unreachable(test);
	ck_assert_int_eq(get(test, &got, HELLO_LEN), HELLO_LEN);
	ck_assert_uint_eq(got.error.ee.ee_origin, SO_EE_ORIGIN_ICMP);
	ck_assert_uint_eq(got.error.ee.ee_errno, ECONNREFUSED);
	ck_assert_uint_eq(got.from.family, PF_INET6);
	ck_assert_mem_eq(&got.from.daddr6, &peer, sizeof(peer));
	ck_assert_mem_eq(&got.error.offender.daddr6, &router, sizeof(router));
	sys_close(test->fd);
}

START_TEST(test_mapped)
{
	run(2 * _i + 1, mapped);
}
END_TEST

Suite *suite_errqueue(void)
{
	Suite *suite = suite_create("errqueue");
	TCase *tcase = tcase_create("errqueue");

	tcase_add_loop_test(tcase, test_each, 0, CASES);
	tcase_add_loop_test(tcase, test_several, 0, CASES);
	tcase_add_loop_test(tcase, test_off, 0, CASES);
	tcase_add_loop_test(tcase, test_parts, 0, CASES);
	tcase_add_loop_test(tcase, test_full, 0, CASES);
	tcase_add_loop_test(tcase, test_too_long, 0, CASES);
	tcase_add_loop_test(tcase, test_mixed, 0, CASES);
	tcase_add_loop_test(tcase, test_mapped, 0, CASES / 2);
	suite_add_tcase(suite, tcase);
	return suite;
}
