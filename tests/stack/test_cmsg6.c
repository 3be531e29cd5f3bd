/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control messages of IPv6: the packets that come of them, byte by byte.
 *
 * The expected bytes are worked out by hand.  All go from fd00::1 to fd00::2
 * and carry an "A".  The sum is over the addresses of the two ends, whatever
 * the packet meets on its way:
 *
 *	fd00 + 0001 + fd00 + 0002 + 0011 (UDP) + 0009 (length) = fa1e
 *	+ 8000 (port 32768) + 1092 (port 4242) + 0009 + 4100 = 1cbb9,
 *	that is cbba, ~ 3445
 */
#include <errno.h>
#include <string.h>

#include "cmsg_support.h"

static const char *const kernels[] = {
	"linux-2.6.32", "linux-3.6", "linux-4.6", "linux-6.1",
};

#define KERNELS ((int)ARRAY_SIZE(kernels))

/* The device's, and another of this host. */
#define DEVICE "02000000"
#define OTHER "fd00 0000 0000 0001 0000 0000 0000 0005"
#define NOBODY "0000 0000 0000 0000 0000 0000 0000 0000"

static const struct example {
	const char *name;
	struct ctl_line ctl[CTL_MAX];
	const char *wire;
} examples[] = {
	{ "nothing", { { 0, 0, NULL, 0 } },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	{ "hop-limit", { V6_NUMBER(IPV6_HOPLIMIT, 7) },
	  "6000 0000 0009 11 07" SELF PEER UDP_A },
	{ "hop-limit-2292", { V6_NUMBER(IPV6_2292HOPLIMIT, 255) },
	  "6000 0000 0009 11 ff" SELF PEER UDP_A },
	{ "hop-limit-by-default", { V6_NUMBER(IPV6_HOPLIMIT, -1) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	{ "last-hop-limit", { V6_NUMBER(IPV6_HOPLIMIT, 7),
			      V6_NUMBER(IPV6_HOPLIMIT, 9) },
	  "6000 0000 0009 11 09" SELF PEER UDP_A },
	{ "class", { V6_NUMBER(IPV6_TCLASS, 0xb8) },
	  "6b80 0000 0009 11 40" SELF PEER UDP_A },
	{ "class-by-default", { V6_NUMBER(IPV6_TCLASS, -1) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	{ "class-and-hop-limit", { V6_NUMBER(IPV6_TCLASS, 1),
				   V6_NUMBER(IPV6_HOPLIMIT, 0) },
	  "6010 0000 0009 11 00" SELF PEER UDP_A },
	{ "packet-info", { V6_BYTES(IPV6_PKTINFO, SELF DEVICE) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	/* From fd00:0:0:1::5: cbba + 0001 + 0005 - 0001 = cbbf, ~ 3440. */
	{ "packet-info-source", { V6_BYTES(IPV6_PKTINFO, OTHER DEVICE) },
	  "6000 0000 0009 11 40" OTHER PEER "8000 1092 0009 3440 41" },
	{ "packet-info-2292", { V6_BYTES(IPV6_2292PKTINFO, OTHER "00000000") },
	  "6000 0000 0009 11 40" OTHER PEER "8000 1092 0009 3440 41" },
	{ "packet-info-of-device", { V6_BYTES(IPV6_PKTINFO, NOBODY DEVICE) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	{ "hop-options", { V6_BYTES(IPV6_HOPOPTS, "00" ALERT) },
	  "6000 0000 0011 00 40" SELF PEER
	  "11" ALERT UDP_A },
	{ "hop-options-2292", { V6_BYTES(IPV6_2292HOPOPTS, "00" ALERT) },
	  "6000 0000 0011 00 40" SELF PEER
	  "11" ALERT UDP_A },
	{ "destination-options", { V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS) },
	  "6000 0000 0011 3c 40" SELF PEER
	  "11" TUNNELS UDP_A },
	{ "destination-options-2292",
	  { V6_BYTES(IPV6_2292DSTOPTS, "00" TUNNELS) },
	  "6000 0000 0011 3c 40" SELF PEER
	  "11" TUNNELS UDP_A },
	{ "long-options", { V6_BYTES(IPV6_HOPOPTS,
				     "0001 010c 00000000 00000000 00000000") },
	  "6000 0000 0019 00 40" SELF PEER
	  "1101 010c 00000000 00000000 00000000" UDP_A },
	/* Next comes the header's address, and the end of the way is in the
	 * header. */
	{ "routing-header", { V6_BYTES(IPV6_RTHDR, "00" MOBILE THIRD) },
	  "6000 0000 0021 2b 40" SELF THIRD
	  "11" MOBILE PEER UDP_A },
	{ "routing-header-2292", { V6_BYTES(IPV6_2292RTHDR, "00" MOBILE THIRD) },
	  "6000 0000 0021 2b 40" SELF THIRD
	  "11" MOBILE PEER UDP_A },
	/* Pointless without a routing header. */
	{ "options-on-no-way", { V6_BYTES(IPV6_RTHDRDSTOPTS, "00" PADDING) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
	{ "options-on-no-way-and-others",
	  { V6_BYTES(IPV6_RTHDRDSTOPTS, "00" PADDING),
	    V6_BYTES(IPV6_HOPOPTS, "00" ALERT),
	    V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS) },
	  "6000 0000 0019 00 40" SELF PEER
	  "3c" ALERT "11" TUNNELS UDP_A },
	{ "options-on-the-way", { V6_BYTES(IPV6_RTHDRDSTOPTS, "00" PADDING),
				  V6_BYTES(IPV6_RTHDR, "00" MOBILE THIRD) },
	  "6000 0000 0029 3c 40" SELF THIRD
	  "2b" PADDING "11" MOBILE PEER UDP_A },
	/* Their order on the wire is their own. */
	{ "all-headers", { V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS),
			   V6_BYTES(IPV6_RTHDR, "00" MOBILE THIRD),
			   V6_BYTES(IPV6_RTHDRDSTOPTS, "00" PADDING),
			   V6_BYTES(IPV6_HOPOPTS, "00" ALERT),
			   V6_NUMBER(IPV6_HOPLIMIT, 3) },
	  "6000 0000 0039 00 03" SELF THIRD
	  "3c" ALERT "2b" PADDING "3c" MOBILE PEER "11" TUNNELS UDP_A },
	/* By RFC 2292 the order counts. */
	{ "options-before-routing-2292",
	  { V6_BYTES(IPV6_2292DSTOPTS, "00" TUNNELS),
	    V6_BYTES(IPV6_2292RTHDR, "00" MOBILE THIRD) },
	  "6000 0000 0029 3c 40" SELF THIRD
	  "2b" TUNNELS "11" MOBILE PEER UDP_A },
	{ "options-behind-routing-2292",
	  { V6_BYTES(IPV6_2292RTHDR, "00" MOBILE THIRD),
	    V6_BYTES(IPV6_2292DSTOPTS, "00" TUNNELS) },
	  "6000 0000 0029 2b 40" SELF THIRD
	  "3c" MOBILE PEER "11" TUNNELS UDP_A },
	/* Of other levels, they are nobody's. */
	{ "of-others", { CTL_NUMBER(SOL_IP, IP_PKTINFO, 0),
			 CTL_NUMBER(6, 1, 0) },
	  "6000 0000 0009 11 40" SELF PEER UDP_A },
};

static void send_example(void *arg)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);
	const struct example *e = arg;
	int fd = net6_socket();

	net6_no_auto_labels(fd);
	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, e->ctl), 1);
	ck_assert_uint_eq(net_sk(fd)->sk_omem_alloc, 0);
	/* The next one has nothing of it. */
	ck_assert_int_eq(net6_send_to(fd, "A", 1, 0, NET6_PEER), 1);
	sys_close(fd);
}

static struct net_fixture *new_fixture(const char *kernel)
{
	struct net_fixture *net = ctl_new(kernel);
	struct in6_addr other = FD00(5);
	GError *error = NULL;

	other.s6_addr[7] = 1;
	if (!inet6_add_address(net->kernel, net->dev, &other, 64, &error))
		ck_abort_msg("%s", error->message);
	machine_settle(net->machine);
	return net;
}

START_TEST(test_examples)
{
	const char *kernel = kernels[_i % KERNELS];
	const struct example *e = &examples[_i / KERNELS];
	struct net_fixture *net = new_fixture(kernel);

	net_run_one(net, send_example, (void *)(uintptr_t)e);
	ck_assert_uint_eq(net->packets->len, 2);
	ctl_verify_packet(net, 0, e->name, e->wire);
	ctl_verify_packet(net, 1, "nothing", examples[0].wire);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- flow labels ---- */

struct label {
	const struct ctl_line *ctl;
	bool leased;
	int result;
};

static void send_label(void *arg)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);
	const struct label *label = arg;
	int fd = net6_socket();

	net6_no_auto_labels(fd);
	if (label->leased)
		ck_assert_int_eq(ipv6_flowlabel_get(net_sk(fd), 0x12345,
						    IPV6_FL_S_ANY), 0);
	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, label->ctl), label->result);
	sys_close(fd);
}

/* A class that comes with the label was sent until the headers were made
 * otherwise; a label that nobody has leased goes out since nobody need lease
 * one. */
START_TEST(test_flow_info)
{
	static const struct ctl_line label[] = {
		V6_BYTES(IPV6_FLOWINFO, "00012345"), { 0, 0, NULL, 0 },
	};
	static const struct ctl_line with_class[] = {
		V6_BYTES(IPV6_FLOWINFO, "0ff12345"), { 0, 0, NULL, 0 },
	};
	bool old = _i < 2, leased = _i % 2;
	struct label plain = { label, leased, old && !leased ? -EINVAL : 1 };
	struct label classed = { with_class, leased, plain.result };
	struct net_fixture *net = new_fixture(old ? "linux-3.6" : "linux-6.1");

	net_run_one(net, send_label, &plain);
	net_run_one(net, send_label, &classed);
	if (plain.result < 0) {
		ck_assert_uint_eq(net->packets->len, 0);
	} else {
		ctl_verify_packet(net, 0, "flow-info",
				  "6001 2345 0009 11 40" SELF PEER UDP_A);
		ctl_verify_packet(net, 1, old ? "flow-info-and-class" :
						"flow-info",
				  old ? "6ff1 2345 0009 11 40" SELF PEER UDP_A :
				  "6001 2345 0009 11 40" SELF PEER UDP_A);
	}
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- marks ---- */

static void send_mark(void *arg)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);
	const struct ctl_line mark[] = {
		CTL_NUMBER(SOL_SOCKET, SO_MARK, 0x1234), { 0, 0, NULL, 0 },
	};
	int fd = net6_socket();

	(void)arg;
	net6_no_auto_labels(fd);
	ck_assert_int_eq(ctl_send(fd, &to, "A", 1, mark), 1);
	ck_assert_int_eq(net6_send_to(fd, "A", 1, 0, NET6_PEER), 1);
	sys_close(fd);
}

START_TEST(test_mark)
{
	struct net_fixture *net = new_fixture(kernels[_i]);

	net_run_one(net, send_mark, NULL);
	ctl_verify_packet(net, 0, "nothing", examples[0].wire);
	ck_assert_uint_eq(ctl_seen[0].mark, _i == KERNELS - 1 ? 0x1234 : 0);
	ck_assert_uint_eq(ctl_seen[1].mark, 0);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* ---- what is too long for one packet ---- */

#define LONG 1500u

/* From byte `at` of the IPv6 packet on. */
static void verify_bytes(const struct net_fixture *net, u32 index, u32 at,
			 const char *hex)
{
	const GByteArray *packet = net_packet(net, index);
	u8 wanted[256];
	u32 len = ctl_hex(hex, wanted, sizeof(wanted));

	ck_assert_uint_ge(packet->len, 14 + at + len);
	ck_assert_mem_eq(packet->data + 14 + at, wanted, len);
}

struct parts {
	struct ctl_line ctl[CTL_MAX];
	/* Up to the identification, and what comes behind that of the first;
	 * how much stands in front of it. */
	const char *first, *second, *behind;
	u32 at, len, rest;
};

/* UDP's length is 05e4.  fa15 + 05e4 = fff9; + 8000 + 1092 + 05e4 = 9670; the
 * data is 750 * 4141 = bf2c6e, that is 2d2d; c39d, ~ 3c62. */
#define UDP_LONG "8000 1092 05e4 3c62 4141"

static const struct parts parts[] = {
	/* Each fragment has all the options; 1432 of 1508 bytes fit the first:
	 * 1500 - 40 - 16 - 8, less what is no multiple of eight. */
	{ { V6_BYTES(IPV6_HOPOPTS, "00" ALERT),
	    V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS) },
	  "6000 0000 05b0 00 40" SELF PEER "3c" ALERT "2c" TUNNELS "1100 0001",
	  "6000 0000 0064 00 40" SELF PEER "3c" ALERT "2c" TUNNELS "1100 0598",
	  UDP_LONG, 60, 40 + 16 + 8 + 1432, 76 },
	/* Those for the last host are parted with the data: 1424 of 1516 bytes,
	 * as 1500 - 40 - 24 - 8 = 1428. */
	{ { V6_BYTES(IPV6_RTHDR, "00" MOBILE THIRD),
	    V6_BYTES(IPV6_DSTOPTS, "00" TUNNELS) },
	  "6000 0000 05b0 2b 40" SELF THIRD "2c" MOBILE PEER "3c00 0001",
	  "6000 0000 007c 2b 40" SELF THIRD "2c" MOBILE PEER "3c00 0590",
	  "11" TUNNELS UDP_LONG, 68, 40 + 24 + 8 + 1424, 92 },
};

static char *long_data(void)
{
	return g_strnfill(LONG, 'A');
}

static void send_parts(void *arg)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);
	const struct parts *p = arg;
	g_autofree char *data = long_data();
	int fd = net6_socket();

	net6_no_auto_labels(fd);
	ck_assert_int_eq(ctl_send(fd, &to, data, LONG, p->ctl), (int)LONG);
	sys_close(fd);
}

START_TEST(test_parts)
{
	const struct parts *p = &parts[_i / KERNELS];
	struct net_fixture *net = new_fixture(kernels[_i % KERNELS]);
	const GByteArray *first, *second;

	net_run_one(net, send_parts, (void *)(uintptr_t)p);
	ck_assert_uint_eq(net->packets->len, 2);
	first = net_packet(net, 0);
	second = net_packet(net, 1);
	ck_assert_uint_eq(first->len, 14 + p->len);
	ck_assert_uint_eq(second->len, 14 + p->at + 4 + p->rest);
	verify_bytes(net, 0, 0, p->first);
	verify_bytes(net, 0, p->at + 4, p->behind);
	verify_bytes(net, 1, 0, p->second);
	ck_assert_mem_eq(first->data + 14 + p->at, second->data + 14 + p->at,
			 4);
	verify_bytes(net, 1, p->at + 4 + p->rest - 2, "4141");
	ctl_dump(net, 0, _i / KERNELS ? "routed-parts" : "parts");
	ctl_dump(net, 1, _i / KERNELS ? "routed-parts" : "parts");
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* By the message, whatever the socket says. */
static void send_unparted(void *arg)
{
	const struct sockaddr_any to = net6_name(NET6_PEER);
	const struct ctl_line not[] = {
		V6_NUMBER(IPV6_DONTFRAG, 1), { 0, 0, NULL, 0 },
	};
	const struct ctl_line may[] = {
		V6_NUMBER(IPV6_DONTFRAG, 0), { 0, 0, NULL, 0 },
	};
	const struct ctl_line none[] = { { 0, 0, NULL, 0 } };
	g_autofree char *data = long_data();
	int fd = net6_socket();

	(void)arg;
	ck_assert_int_eq(ctl_send(fd, &to, data, LONG, not), -EMSGSIZE);
	ck_assert_int_eq(ctl_send(fd, &to, data, 1452, not), 1452);
	ck_assert_int_eq(ctl_send(fd, &to, data, LONG, may), (int)LONG);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_DONTFRAG, 1), 0);
	ck_assert_int_eq(ctl_send(fd, &to, data, LONG, none), -EMSGSIZE);
	ck_assert_int_eq(ctl_send(fd, &to, data, LONG, may), (int)LONG);
	sys_close(fd);
}

START_TEST(test_unparted)
{
	struct net_fixture *net = new_fixture(kernels[_i]);

	net_run_one(net, send_unparted, NULL);
	ck_assert_uint_eq(net->packets->len, 5);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

Suite *suite_cmsg6(void)
{
	Suite *suite = suite_create("cmsg6");
	TCase *tcase = tcase_create("packets");

	tcase_add_loop_test(tcase, test_examples, 0,
			    (int)ARRAY_SIZE(examples) * KERNELS);
	tcase_add_loop_test(tcase, test_flow_info, 0, 4);
	tcase_add_loop_test(tcase, test_mark, 0, KERNELS);
	tcase_add_loop_test(tcase, test_parts, 0,
			    (int)ARRAY_SIZE(parts) * KERNELS);
	/* Linux 2.6.32 has no such option. */
	tcase_add_loop_test(tcase, test_unparted, 1, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
