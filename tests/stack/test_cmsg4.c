/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control messages over IPv4: the packets that come of them, byte by byte.
 *
 * The expected bytes are worked out by hand.  All go from 10.2.2.1 to 10.2.2.2,
 * may not be fragmented, and carry an "A".
 *
 *	IPv4	4500 + 001d (29 bytes) + 4000 (DF) + 4011 (ttl 64, UDP)
 *		+ 0a02 + 0201 + 0a02 + 0202 = dd35, ~ 22ca
 *	UDP	0a02 + 0201 + 0a02 + 0202 + 0011 + 0009 = 1821
 *		+ 8000 + 1092 + 0009 + 4100 = e9bc, ~ 1643
 *
 * What changes is said with each.
 */
#include <errno.h>
#include <string.h>

#include "cmsg_support.h"
#include "stack/include/net/udp.h"

#define IP_TOS 1
#define IP_TTL 2
#define PMTUDISC_DO 2u

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

#define KERNELS ((int)ARRAY_SIZE(kernels))
#define OLD 0			/* knows packet info only */
#define NEW 2			/* knows marks */

#define ENDS "0a020201 0a020202"
#define OTHER IP(10, 9, 0, 7)
#define OTHER_TEXT "0a090007"
#define UDP4_A "8000 1092 0009 1643 41"
#define PLAIN "4500 001d 0000 4000 4011 22ca" ENDS UDP4_A
/* dd35 - 0c03 (10.2.2.1) + 0a10 (10.9.0.7) = db42, ~ 24bd; e9bc - 0c03 + 0a10
 * = e7c9, ~ 1836 */
#define FROM_OTHER "4500 001d 0000 4000 4011 24bd 0a090007 0a020202" \
		   "8000 1092 0009 1836 41"
#define DEVICE "02000000"

static const struct example {
	const char *name;
	struct ctl_line ctl[CTL_MAX];
	const char *wire;
	u32 priority;
	u32 mark;
	int since;		/* the first kernel that knows it */
	bool mapped;		/* from a socket of IPv6 */
} examples[] = {
	{ "nothing", { { 0, 0, NULL, 0 } }, PLAIN, 0, 0, OLD, false },
	{ "packet-info-source",
	  { CTL_BYTES(SOL_IP, IP_PKTINFO, "00000000" OTHER_TEXT "00000000") },
	  FROM_OTHER, 0, 0, OLD, false },
	{ "packet-info-device",
	  { CTL_BYTES(SOL_IP, IP_PKTINFO, DEVICE "00000000 00000000") },
	  PLAIN, 0, 0, OLD, false },
	/* dd35 - 3900 = a435, ~ 5bca */
	{ "ttl", { CTL_NUMBER(SOL_IP, IP_TTL, 7) },
	  "4500 001d 0000 4000 0711 5bca" ENDS UDP4_A, 0, 0, 1, false },
	/* dd35 + bf00 = 19c35, that is 9c36, ~ 63c9 */
	{ "largest-ttl", { CTL_NUMBER(SOL_IP, IP_TTL, 255) },
	  "4500 001d 0000 4000 ff11 63c9" ENDS UDP4_A, 0, 0, 1, false },
	/* dd45, ~ 22ba; little delay is interactive */
	{ "tos", { CTL_NUMBER(SOL_IP, IP_TOS, 0x10) },
	  "4510 001d 0000 4000 4011 22ba" ENDS UDP4_A, 6, 0, 1, false },
	/* dd3d, ~ 22c2; much at once is bulk */
	{ "tos-in-a-byte", { CTL_BYTES(SOL_IP, IP_TOS, "08") },
	  "4508 001d 0000 4000 4011 22c2" ENDS UDP4_A, 2, 0, 1, false },
	{ "tos-of-zero", { CTL_NUMBER(SOL_IP, IP_TOS, 0) },
	  PLAIN, 0, 0, 1, false },
	/* dd45 - 3900 = a445, ~ 5bba */
	{ "tos-and-ttl", { CTL_NUMBER(SOL_IP, IP_TOS, 0x10),
			   CTL_NUMBER(SOL_IP, IP_TTL, 7) },
	  "4510 001d 0000 4000 0711 5bba" ENDS UDP4_A, 6, 0, 1, false },
	{ "mark", { CTL_NUMBER(SOL_SOCKET, SO_MARK, 0x1234) },
	  PLAIN, 0, 0x1234, NEW, false },
	{ "mapped", { CTL_BYTES(SOL_IP, IP_PKTINFO,
				"00000000" OTHER_TEXT "00000000") },
	  FROM_OTHER, 0, 0, OLD, true },
	{ "mapped-packet-info-6",
	  { CTL_BYTES(SOL_IPV6, IPV6_PKTINFO,
		      "00000000 00000000 0000ffff" OTHER_TEXT DEVICE) },
	  FROM_OTHER, 0, 0, 1, true },
	{ "of-others", { CTL_NUMBER(6, 1, 0) }, PLAIN, 0, 0, OLD, false },
};

static struct net_fixture *new_fixture(int kernel)
{
	struct net_fixture *net = ctl_new(kernels[kernel]);
	struct net_device *other = dummy_new(net->kernel, "dummy1", 1500,
					     false);
	GError *error = NULL;

	if (!inet_add_address(net->kernel, other, OTHER, 24, &error))
		ck_abort_msg("%s", error->message);
	machine_settle(net->machine);
	return net;
}

static int open_socket(bool mapped, struct sockaddr_any *to)
{
	int fd = mapped ? net6_socket() : net_socket();

	/* No packet needs an identification then. */
	if (mapped)
		net_inet(fd)->pmtudisc = PMTUDISC_DO;
	else
		ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MTU_DISCOVER,
						PMTUDISC_DO), 0);
	*to = net6_name(MAPPED(2));
	if (!mapped)
		*to = (struct sockaddr_any){
			.family = PF_INET, .daddr = NET_PEER, .port = NET_PORT,
		};
	return fd;
}

static void send_example(void *arg)
{
	const struct example *e = arg;
	struct sockaddr_any to;
	int fd = open_socket(e->mapped, &to);

	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, e->ctl), 1);
	/* The next one has nothing of it. */
	ck_assert_int_eq(sys_sendto(fd, (const u8 *)"A", 1, 0, &to,
				    e->mapped ? SOCKADDR_IN6_SIZE :
						SOCKADDR_IN_SIZE), 1);
	sys_close(fd);
}

START_TEST(test_examples)
{
	int kernel = _i % KERNELS;
	const struct example *e = &examples[_i / KERNELS];
	struct net_fixture *net;

	if (kernel < e->since)
		return;		/* test_unknown has those */
	net = new_fixture(kernel);
	net_run_one(net, send_example, (void *)(uintptr_t)e);
	ck_assert_uint_eq(net->packets->len, 2);
	ctl_verify_packet(net, 0, e->name, e->wire);
	ctl_verify_packet(net, 1, "nothing", PLAIN);
	ck_assert_uint_eq(ctl_seen[0].mark, e->mark);
	ck_assert_uint_eq(ctl_seen[0].priority, e->priority);
	ck_assert_uint_eq(ctl_seen[1].mark, 0);
	ck_assert_uint_eq(ctl_seen[1].priority, 0);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- kernels that do not know them ---- */

static void send_unknown(void *arg)
{
	const struct ctl_line unknown[][2] = {
		{ CTL_NUMBER(SOL_IP, IP_TTL, 7) },
		{ CTL_NUMBER(SOL_IP, IP_TOS, 0x10) },
	};
	const struct ctl_line mark[2] = {
		CTL_NUMBER(SOL_SOCKET, SO_MARK, 0x1234),
	};
	struct sockaddr_any to;
	int fd = open_socket(false, &to);
	u32 i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		ck_assert_int_eq(ctl_send(fd, &to, "A", 1, unknown[i]),
				 -EINVAL);
	/* Of another level, so that nobody looks at it. */
	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, mark), 1);
	sys_close(fd);
}

START_TEST(test_unknown)
{
	struct net_fixture *net = new_fixture(OLD);

	net_run_one(net, send_unknown, NULL);
	ck_assert_uint_eq(net->packets->len, 1);
	ctl_verify_packet(net, 0, "nothing", PLAIN);
	ck_assert_uint_eq(ctl_seen[0].mark, 0);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- corked sockets ---- */

/* The first part's message counts. */
static void send_corked(void *arg)
{
	const struct ctl_line wanted[] = {
		CTL_NUMBER(SOL_IP, IP_TTL, 7), CTL_NUMBER(SOL_IP, IP_TOS, 0x10),
		CTL_NUMBER(SOL_SOCKET, SO_MARK, 0x1234),
		{ 0, 0, NULL, 0 },
	};
	const struct ctl_line late[] = {
		CTL_NUMBER(SOL_IP, IP_TTL, 9), { 0, 0, NULL, 0 },
	};
	struct sockaddr_any to;
	int fd = open_socket(false, &to);

	(void)arg;
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 1), 0);
	ck_assert_int_eq(ctl_send(fd, &to, "", 0, wanted), 0);
	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, late), 1);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_UDP, UDP_CORK, 0), 0);
	ck_assert_int_eq(sys_sendto(fd, (const u8 *)"A", 1, 0, &to,
				    SOCKADDR_IN_SIZE), 1);
	sys_close(fd);
}

START_TEST(test_corked)
{
	struct net_fixture *net = new_fixture(NEW);

	net_run_one(net, send_corked, NULL);
	ck_assert_uint_eq(net->packets->len, 2);
	ctl_verify_packet(net, 0, "tos-and-ttl",
			  "4510 001d 0000 4000 0711 5bba" ENDS UDP4_A);
	ck_assert_uint_eq(ctl_seen[0].mark, 0x1234);
	ck_assert_uint_eq(ctl_seen[0].priority, 6);
	ctl_verify_packet(net, 1, "nothing", PLAIN);
	ck_assert_uint_eq(ctl_seen[1].mark, 0);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

Suite *suite_cmsg4(void)
{
	Suite *suite = suite_create("cmsg4");
	TCase *tcase = tcase_create("packets");

	tcase_add_loop_test(tcase, test_examples, 0,
			    (int)ARRAY_SIZE(examples) * KERNELS);
	tcase_add_test(tcase, test_unknown);
	tcase_add_test(tcase, test_corked);
	suite_add_tcase(suite, tcase);
	return suite;
}
