/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers that a socket wants in all its packets: set, read, changed, taken
 * away, and beside those of a message; byte by byte, as in test_cmsg6.c. */
#include <errno.h>
#include <string.h>

#include "cmsg_support.h"
#include "stack/include/linux/cred.h"

static const char *const kernels[] = {
	"linux-2.6.32", "linux-3.6", "linux-4.6", "linux-6.1",
};

#define KERNELS ((int)ARRAY_SIZE(kernels))
#define NEWEST (KERNELS - 1)
#define OPTMEM_MAX 20480u

#define ROUTE "00" MOBILE THIRD

#define PLAIN "6000 0000 0009 11 40" SELF PEER UDP_A
#define WITH_ALERT "6000 0000 0011 00 40" SELF PEER "11" ALERT UDP_A
#define WITH_TUNNELS "6000 0000 0011 3c 40" SELF PEER "11" TUNNELS UDP_A
#define WITH_BOTH "6000 0000 0019 00 40" SELF PEER \
		  "3c" ALERT "11" TUNNELS UDP_A
#define WITH_ROUTE "6000 0000 0021 2b 40" SELF THIRD "11" MOBILE PEER UDP_A
#define WITH_ALL(hlimit) "6000 0000 0039 00" hlimit SELF THIRD \
			 "3c" ALERT "2b" PADDING "3c" MOBILE PEER \
			 "11" TUNNELS UDP_A
#define WITHOUT_ALERT "6000 0000 0031 3c 40" SELF THIRD \
		      "2b" PADDING "3c" MOBILE PEER "11" TUNNELS UDP_A

static const struct ctl_line no_ctl[] = { { 0, 0, NULL, 0 } };

static int set(int fd, int option, const char *hex)
{
	u8 bytes[128];
	u32 len = ctl_hex(hex, bytes, sizeof(bytes));

	return sys_setsockopt_bytes(fd, SOL_IPV6, option, bytes, len);
}

/* The socket has just these bytes for that option. */
static void has_header(int fd, int option, const char *hex)
{
	u8 wanted[128], bytes[128];
	u32 n = ctl_hex(hex, wanted, sizeof(wanted)), len = sizeof(bytes);

	ck_assert_int_eq(sys_getsockopt_bytes(fd, SOL_IPV6, option, bytes,
					      &len), 0);
	ck_assert_uint_eq(len, n);
	ck_assert_mem_eq(bytes, wanted, n);
}

static void say_a(int fd, const struct ctl_line *ctl)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);

	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, ctl), 1);
}

static int open_socket(void)
{
	int fd = net6_socket();

	net6_no_auto_labels(fd);
	return fd;
}

static void has_sent(struct net_fixture *net, const char *const *wire, u32 n)
{
	u32 i;

	ck_assert_uint_eq(net->packets->len, n);
	for (i = 0; i < n; i++)
		ctl_verify_packet(net, i, "sticky", wire[i]);
	net_verify_clean(net);
	net_free(net);
}

/* ---- one after another ---- */

static void send_more_and_less(void *arg)
{
	const struct ctl_line hop_limit[] = {
		V6_NUMBER(IPV6_HOPLIMIT, 3), { 0, 0, NULL, 0 },
	};
	const struct ctl_line tunnels[] = {
		V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS), { 0, 0, NULL, 0 },
	};
	int fd = open_socket();

	(void)arg;
	has_header(fd, IPV6_HOPOPTS, "");
	ck_assert_int_eq(set(fd, IPV6_HOPOPTS, "00" ALERT), 0);
	say_a(fd, no_ctl);			/* 0 */
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "00" TUNNELS), 0);
	say_a(fd, no_ctl);			/* 1 */
	/* Pointless until there is a route. */
	ck_assert_int_eq(set(fd, IPV6_RTHDRDSTOPTS, "00" PADDING), 0);
	say_a(fd, no_ctl);			/* 2 */
	ck_assert_int_eq(set(fd, IPV6_RTHDR, ROUTE), 0);
	say_a(fd, no_ctl);			/* 3 */
	has_header(fd, IPV6_HOPOPTS, "00" ALERT);
	has_header(fd, IPV6_RTHDRDSTOPTS, "00" PADDING);
	has_header(fd, IPV6_RTHDR, ROUTE);
	has_header(fd, IPV6_DSTOPTS, "00" TUNNELS);
	/* What a message says of other things leaves them; but one header of
	 * the message's stands for all of the socket's. */
	say_a(fd, hop_limit);			/* 4 */
	say_a(fd, tunnels);			/* 5 */
	say_a(fd, no_ctl);			/* 6 */
	ck_assert_int_eq(set(fd, IPV6_HOPOPTS, ""), 0);
	say_a(fd, no_ctl);			/* 7 */
	has_header(fd, IPV6_HOPOPTS, "");
	ck_assert_int_eq(set(fd, IPV6_RTHDR, ""), 0);
	say_a(fd, no_ctl);			/* 8 */
	has_header(fd, IPV6_RTHDRDSTOPTS, "00" PADDING);
	ck_assert_uint_gt(net_sk(fd)->sk_omem_alloc, 0);
	ck_assert_int_eq(set(fd, IPV6_RTHDRDSTOPTS, ""), 0);
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, ""), 0);
	ck_assert_uint_eq(net_sk(fd)->sk_omem_alloc, 0);
	ck_assert_ptr_null(net6_sk(fd)->inet6.opt);
	say_a(fd, no_ctl);			/* 9 */
	sys_close(fd);
}

START_TEST(test_more_and_less)
{
	static const char *const wire[] = {
		WITH_ALERT, WITH_BOTH, WITH_BOTH, WITH_ALL("40"),
		WITH_ALL("03"), WITH_TUNNELS, WITH_ALL("40"), WITHOUT_ALERT,
		WITH_TUNNELS, PLAIN,
	};
	struct net_fixture *net = ctl_new(kernels[_i]);

	net_run_one(net, send_more_and_less, NULL);
	has_sent(net, wire, ARRAY_SIZE(wire));
}
END_TEST

/* ---- another in its place; with the socket they go ---- */

static void send_replaced(void *arg)
{
	u8 bytes[8];
	u32 len = 4;
	int fd = open_socket();

	(void)arg;
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "00" PADDING), 0);
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "00" TUNNELS), 0);
	say_a(fd, no_ctl);
	/* As much as there is room for. */
	ck_assert_int_eq(sys_getsockopt_bytes(fd, SOL_IPV6, IPV6_DSTOPTS, bytes,
					      &len), 0);
	ck_assert_uint_eq(len, 4);
	ck_assert_mem_eq(bytes, "\0\0\4\1", 4);
	sys_close(fd);
}

START_TEST(test_replaced)
{
	static const char *const wire[] = { WITH_TUNNELS };
	struct net_fixture *net = ctl_new(kernels[_i]);

	net_run_one(net, send_replaced, NULL);
	has_sent(net, wire, ARRAY_SIZE(wire));
}
END_TEST

/* ---- the route of a connected socket ---- */

static void send_connected(void *arg)
{
	int fd = open_socket();

	(void)arg;
	ck_assert_int_eq(set(fd, IPV6_RTHDR, ROUTE), 0);
	ck_assert_int_eq(net6_connect(fd, NET6_PEER), 0);
	ck_assert_int_eq(net_send(fd, "A", 1, 0), 1);
	ck_assert_int_eq(set(fd, IPV6_RTHDR, ""), 0);
	ck_assert_int_eq(net_send(fd, "A", 1, 0), 1);
	sys_close(fd);
}

START_TEST(test_connected)
{
	static const char *const wire[] = { WITH_ROUTE, PLAIN };
	struct net_fixture *net = ctl_new(kernels[_i]);

	net_run_one(net, send_connected, NULL);
	has_sent(net, wire, ARRAY_SIZE(wire));
}
END_TEST

/* ---- all at once ---- */

static void send_all_at_once(void *arg)
{
	const struct ctl_line lines[] = {
		V6_BYTES(IPV6_HOPOPTS, "00" ALERT),
		V6_NUMBER(IPV6_HOPLIMIT, 9),	/* and nobody minds */
		V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS),
		{ 0, 0, NULL, 0 },
	};
	const struct ctl_line bad[] = {
		V6_BYTES(IPV6_HOPOPTS, "00"), { 0, 0, NULL, 0 },
	};
	struct ctl_text text = ctl_text(lines), wrong = ctl_text(bad);
	int fd = open_socket();

	(void)arg;
	ck_assert_int_eq(sys_setsockopt_bytes(fd, SOL_IPV6,
					      IPV6_2292PKTOPTIONS, text.data,
					      text.len), 0);
	say_a(fd, no_ctl);
	has_header(fd, IPV6_HOPOPTS, "00" ALERT);
	has_header(fd, IPV6_RTHDR, "");
	ck_assert_int_eq(sys_setsockopt_bytes(fd, SOL_IPV6,
					      IPV6_2292PKTOPTIONS, wrong.data,
					      wrong.len), -EINVAL);
	say_a(fd, no_ctl);
	ck_assert_int_eq(sys_setsockopt_bytes(fd, SOL_IPV6,
					      IPV6_2292PKTOPTIONS, NULL, 0), 0);
	ck_assert_uint_eq(net_sk(fd)->sk_omem_alloc, 0);
	say_a(fd, no_ctl);
	sys_close(fd);
}

START_TEST(test_all_at_once)
{
	static const char *const wire[] = { WITH_BOTH, WITH_BOTH, PLAIN };
	struct net_fixture *net = ctl_new(kernels[_i]);

	net_run_one(net, send_all_at_once, NULL);
	has_sent(net, wire, ARRAY_SIZE(wire));
}
END_TEST

/* ---- segments ---- */

/* Two of them, the last one (1) left: the host that comes next stands behind
 * the end of the way, whose place the kernel fills. */
#define SEGMENTS(last) "04 04" last "01 00 0000"
#define NOBODY "0000 0000 0000 0000 0000 0000 0000 0000"

static void send_segments(void *arg)
{
	bool known = *(const bool *)arg;
	int fd = open_socket();

	ck_assert_int_eq(set(fd, IPV6_RTHDR, "00" SEGMENTS("01") NOBODY THIRD),
			 known ? 0 : -EINVAL);
	say_a(fd, no_ctl);
	/* More left than there are; more than fit. */
	ck_assert_int_eq(set(fd, IPV6_RTHDR, "00" SEGMENTS("02") NOBODY THIRD),
			 -EINVAL);
	ck_assert_int_eq(set(fd, IPV6_RTHDR, "00 02 04 01 01 00 0000" THIRD),
			 -EINVAL);
	sys_close(fd);
}

START_TEST(test_segments)
{
	static const char *const known[] = {
		"6000 0000 0031 2b 40" SELF THIRD
		"11" SEGMENTS("01") PEER THIRD UDP_A
	};
	static const char *const unknown[] = { PLAIN };
	struct net_fixture *net = ctl_new(kernels[_i]);
	bool newest = _i == NEWEST;

	net_run_one(net, send_segments, &newest);
	has_sent(net, newest ? known : unknown, 1);
}
END_TEST

/* ---- refused ---- */

static void refuse(void *arg)
{
	static const u8 zeroes[OPTMEM_MAX];
	int fd = open_socket(), fd4 = net_socket();
	u32 len = 8, had;
	u8 bytes[8];

	(void)arg;
	ck_assert_int_eq(set(fd, IPV6_HOPOPTS, "00" ALERT), 0);
	had = net_sk(fd)->sk_omem_alloc;
	ck_assert_int_eq(set(fd, IPV6_HOPOPTS, "00"), -EINVAL);
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "0000 0102 0000"), -EINVAL);
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "0001 0104 0000 0000"), -EINVAL);
	ck_assert_int_eq(sys_setsockopt_bytes(fd, SOL_IPV6, IPV6_DSTOPTS,
					      zeroes, 2048), -EINVAL);
	/* Type 0, nothing left, too long. */
	ck_assert_int_eq(set(fd, IPV6_RTHDR, "0002 0001 00000000" THIRD),
			 -EINVAL);
	ck_assert_int_eq(set(fd, IPV6_RTHDR, "0002 0200 00000000" THIRD),
			 -EINVAL);
	ck_assert_int_eq(set(fd, IPV6_RTHDR, "0004 0201 00000000" THIRD THIRD),
			 -EINVAL);
	ck_assert_int_eq(sys_setsockopt_bytes(fd, SOL_IPV6, IPV6_2292PKTOPTIONS,
					      zeroes, OPTMEM_MAX), -ENOBUFS);
	ck_assert_int_eq(set(fd, IPV6_V6ONLY, "01000000"), -ENOPROTOOPT);
	ck_assert_int_eq(set(fd4, IPV6_HOPOPTS, "00" ALERT), -ENOPROTOOPT);
	ck_assert_int_eq(sys_getsockopt_bytes(fd4, SOL_IPV6, IPV6_HOPOPTS,
					      bytes, &len), -ENOPROTOOPT);
	/* All of it left the socket's as they were. */
	ck_assert_uint_eq(net_sk(fd)->sk_omem_alloc, had);
	has_header(fd, IPV6_HOPOPTS, "00" ALERT);
	say_a(fd, no_ctl);
	current_task()->cred->cap_effective = 0;
	ck_assert_int_eq(set(fd, IPV6_HOPOPTS, ""), -EPERM);
	ck_assert_int_eq(set(fd, IPV6_DSTOPTS, "00" TUNNELS), -EPERM);
	ck_assert_int_eq(set(fd, IPV6_RTHDRDSTOPTS, "00" PADDING), -EPERM);
	ck_assert_int_eq(set(fd, IPV6_RTHDR, ROUTE), 0);
	sys_close(fd);
	sys_close(fd4);
}

START_TEST(test_refused)
{
	static const char *const wire[] = { WITH_ALERT };
	struct net_fixture *net = ctl_new(kernels[_i]);

	net_run_one(net, refuse, NULL);
	has_sent(net, wire, ARRAY_SIZE(wire));
}
END_TEST

Suite *suite_sticky6(void)
{
	Suite *suite = suite_create("sticky6");
	TCase *tcase = tcase_create("headers");

	tcase_add_loop_test(tcase, test_more_and_less, 0, KERNELS);
	tcase_add_loop_test(tcase, test_replaced, 0, KERNELS);
	tcase_add_loop_test(tcase, test_connected, 0, KERNELS);
	tcase_add_loop_test(tcase, test_all_at_once, 0, KERNELS);
	tcase_add_loop_test(tcase, test_segments, 0, KERNELS);
	tcase_add_loop_test(tcase, test_refused, 0, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
