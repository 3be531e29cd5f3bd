/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control messages that a kernel refuses: with which error, and that nothing
 * goes and nothing is left behind. */
#include <errno.h>
#include <string.h>

#include "cmsg_support.h"
#include "stack/include/linux/cred.h"

#define IP_TOS 1
#define IP_TTL 2

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

#define KERNELS ((int)ARRAY_SIZE(kernels))
#define NEWEST (KERNELS - 1)

#define FOREIGN "fd00 0000 0000 0000 0000 0000 0000 0077"
#define LINK_LOCAL "fe80 0000 0000 0000 0000 0000 0000 0077"
#define DEVICE "02000000"
#define NO_DEVICE "63000000"
#define PAD "0000 0104 0000 0000"
#define MAPPED_SELF "0000 0000 0000 0000 0000 ffff 0a02 0201"

#define V4_NUMBER(type, number) CTL_NUMBER(SOL_IP, type, number)
#define V4_BYTES(type, hex) CTL_BYTES(SOL_IP, type, hex)

struct bad {
	struct ctl_line ctl[CTL_MAX];
	int err;
	int since;		/* the first kernel that looks at it */
};

static const struct bad bad6[] = {
	{ { V6_BYTES(IPV6_PKTINFO, SELF "000000") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_PKTINFO, SELF NO_DEVICE) }, ENODEV, 0 },
	{ { V6_BYTES(IPV6_PKTINFO, FOREIGN DEVICE) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_2292PKTINFO, FOREIGN "00000000") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_PKTINFO, LINK_LOCAL "00000000") }, EINVAL, 0 },
	/* Two devices. */
	{ { V6_BYTES(IPV6_PKTINFO, SELF DEVICE),
	    V6_BYTES(IPV6_PKTINFO, SELF "01000000") }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_HOPLIMIT, 256) }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_HOPLIMIT, -2) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_HOPLIMIT, "0700") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_2292HOPLIMIT, "0700000000") }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_TCLASS, 256) }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_TCLASS, -2) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_TCLASS, "07") }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_DONTFRAG, 2) }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_DONTFRAG, -1) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_DONTFRAG, "01") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_FLOWINFO, "000123") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_HOPOPTS, "00") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_HOPOPTS, "0001 0104 0000 0000") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_HOPOPTS, PAD), V6_BYTES(IPV6_HOPOPTS, PAD) },
	  EINVAL, 0 },
	{ { V6_BYTES(IPV6_2292HOPOPTS, PAD), V6_BYTES(IPV6_HOPOPTS, PAD) },
	  EINVAL, 0 },
	{ { V6_BYTES(IPV6_DSTOPTS, "00") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_DSTOPTS, "0001 0104 0000 0000") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_RTHDRDSTOPTS, "0001 0104 0000 0000") }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_2292DSTOPTS, PAD), V6_BYTES(IPV6_2292DSTOPTS, PAD) },
	  EINVAL, 0 },
	{ { V6_BYTES(IPV6_RTHDR, "000202") }, EINVAL, 0 },
	/* Type 0, no segments left, too long, shorter than it says. */
	{ { V6_BYTES(IPV6_RTHDR, "0002 0001 00000000" FOREIGN) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_RTHDR, "0002 0200 00000000" FOREIGN) }, EINVAL, 0 },
	{ { V6_BYTES(IPV6_2292RTHDR, "0004 0202 00000000" FOREIGN FOREIGN) },
	  EINVAL, 0 },
	{ { V6_BYTES(IPV6_RTHDR, "0002 0201 00000000 fd00") }, EINVAL, 0 },
	{ { V6_NUMBER(IPV6_V6ONLY, 1) }, EINVAL, 0 },
	{ { CTL_NUMBER(SOL_SOCKET, 3, 0) }, EINVAL, NEWEST },
	{ { CTL_BYTES(SOL_SOCKET, SO_MARK, "0100") }, EINVAL, NEWEST },
	{ { CTL_NUMBER(SOL_UDP, 1, 0) }, EINVAL, NEWEST },
};

static const struct bad bad4[] = {
	{ { V4_BYTES(IP_PKTINFO, DEVICE "0a020201") }, EINVAL, 0 },
	{ { V4_BYTES(IP_PKTINFO, NO_DEVICE "00000000 00000000") }, ENODEV, 0 },
	{ { V4_BYTES(IP_PKTINFO, DEVICE "0a020277 00000000") }, EINVAL, 0 },
	{ { V4_NUMBER(IP_TTL, 0) }, EINVAL, 0 },
	{ { V4_NUMBER(IP_TTL, 256) }, EINVAL, 0 },
	{ { V4_BYTES(IP_TTL, "07") }, EINVAL, 0 },
	{ { V4_NUMBER(IP_TOS, 256) }, EINVAL, 0 },
	{ { V4_NUMBER(IP_TOS, -1) }, EINVAL, 0 },
	{ { V4_BYTES(IP_TOS, "1000") }, EINVAL, 0 },
	{ { V4_NUMBER(10, 1) }, EINVAL, 0 },
	{ { CTL_NUMBER(SOL_SOCKET, 3, 0) }, EINVAL, NEWEST },
	{ { CTL_NUMBER(SOL_UDP, 1, 0) }, EINVAL, NEWEST },
};

/* Of a socket of IPv6 that sends IPv4. */
static const struct bad bad_mapped[] = {
	{ { V6_BYTES(IPV6_PKTINFO, SELF DEVICE) }, EINVAL, 1 },
	{ { V6_BYTES(IPV6_PKTINFO, MAPPED_SELF "000000") }, EINVAL, 1 },
};

struct test {
	int kernel;
	struct sockaddr_any to;
	const struct bad *bad;
	u32 n;
	bool ip6;
};

static void send_bad(void *arg)
{
	const struct test *test = arg;
	int fd = test->ip6 ? net6_socket() : net_socket();
	u32 i;

	for (i = 0; i < test->n; i++) {
		const struct bad *bad = &test->bad[i];
		int err;

		if (test->kernel < bad->since)
			continue;
		err = ctl_send(fd, &test->to, "A", 1, bad->ctl);
		ck_assert_msg(err == -bad->err, "%u: %d, wanted is %d", i, err,
			      -bad->err);
		ck_assert_uint_eq(net_sk(fd)->sk_omem_alloc, 0);
		ck_assert_uint_eq(net_sk(fd)->sk_wmem_alloc, 1);
	}
	sys_close(fd);
}

static void run(struct test *test, void (*fn)(void *arg))
{
	struct net_fixture *net = ctl_new(kernels[test->kernel]);

	net_run_one(net, fn, test);
	ck_assert_uint_eq(net->packets->len, 0);
	net_verify_clean(net);
	net_free(net);
}

START_TEST(test_bad6)
{
	struct test test = {
		.kernel = _i, .to = net6_name(NET6_PEER), .bad = bad6,
		.n = ARRAY_SIZE(bad6), .ip6 = true,
	};

	run(&test, send_bad);
}
END_TEST

static const struct sockaddr_any peer4 = {
	.family = PF_INET, .daddr = NET_PEER, .port = NET_PORT,
};

START_TEST(test_bad4)
{
	struct test test = {
		.kernel = _i, .to = peer4, .bad = bad4, .n = ARRAY_SIZE(bad4),
	};

	run(&test, send_bad);
}
END_TEST

START_TEST(test_bad_mapped)
{
	struct test test = {
		.kernel = _i, .to = net6_name(MAPPED(2)), .bad = bad_mapped,
		.n = ARRAY_SIZE(bad_mapped), .ip6 = true,
	};

	run(&test, send_bad);
}
END_TEST

/* ---- who may not ---- */

static const struct bad forbidden[] = {
	{ { V6_BYTES(IPV6_HOPOPTS, PAD) }, EPERM, 0 },
	{ { V6_BYTES(IPV6_2292HOPOPTS, PAD) }, EPERM, 0 },
	{ { V6_BYTES(IPV6_DSTOPTS, PAD) }, EPERM, 0 },
	{ { V6_BYTES(IPV6_2292DSTOPTS, PAD) }, EPERM, 0 },
	{ { V6_BYTES(IPV6_RTHDRDSTOPTS, PAD) }, EPERM, 0 },
	/* Their form is looked at first. */
	{ { V6_BYTES(IPV6_HOPOPTS, "00") }, EINVAL, 0 },
	{ { CTL_NUMBER(SOL_SOCKET, SO_MARK, 1) }, EPERM, NEWEST },
};

static void send_forbidden(void *arg)
{
	current_task()->cred->cap_effective = 0;
	send_bad(arg);
}

START_TEST(test_forbidden)
{
	struct test test = {
		.kernel = _i, .to = net6_name(NET6_PEER), .bad = forbidden,
		.n = ARRAY_SIZE(forbidden), .ip6 = true,
	};

	run(&test, send_forbidden);
}
END_TEST

/* ---- their frame ---- */

static void set_length(struct ctl_text *text, u64 len)
{
	memcpy(text->data, &len, sizeof(len));
}

static void send_misshapen(void *arg)
{
	const struct ctl_line line = V6_NUMBER(IPV6_HOPLIMIT, 7);
	const struct test *test = arg;
	struct ctl_text text = { .len = 0 };
	int fd = net6_socket();

	ctl_add(&text, &line);
	set_length(&text, CMSG_LEN(4) + 1000);
	ck_assert_int_eq(ctl_send_text(fd, &test->to, "A", 1, &text), -EINVAL);
	set_length(&text, CMSG_HLEN - 1);
	ck_assert_int_eq(ctl_send_text(fd, &test->to, "A", 1, &text), -EINVAL);
	set_length(&text, ~0ull);
	ck_assert_int_eq(ctl_send_text(fd, &test->to, "A", 1, &text), -EINVAL);
	/* More than a socket may have of such memory, and than there can be. */
	text.len = 20480;
	ck_assert_int_eq(ctl_send_text(fd, &test->to, "A", 1, &text), -ENOBUFS);
	text.len = 0x80000000u;
	ck_assert_int_eq(ctl_send_text(fd, &test->to, "A", 1, &text), -ENOBUFS);
	sys_close(fd);
}

START_TEST(test_misshapen)
{
	struct test test = { .kernel = _i, .to = net6_name(NET6_PEER) };

	run(&test, send_misshapen);
}
END_TEST

Suite *suite_cmsg_errors(void)
{
	Suite *suite = suite_create("cmsg_errors");
	TCase *tcase = tcase_create("refused");

	tcase_add_loop_test(tcase, test_bad6, 0, KERNELS);
	tcase_add_loop_test(tcase, test_bad4, 0, KERNELS);
	tcase_add_loop_test(tcase, test_bad_mapped, 0, KERNELS);
	tcase_add_loop_test(tcase, test_forbidden, 0, KERNELS);
	tcase_add_loop_test(tcase, test_misshapen, 0, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
