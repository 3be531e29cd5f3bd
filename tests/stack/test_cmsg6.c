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

#define SELF "fd00 0000 0000 0000 0000 0000 0000 0001"
#define PEER "fd00 0000 0000 0000 0000 0000 0000 0002"
#define THIRD "fd00 0000 0000 0000 0000 0000 0000 0003"
/* The device's, and another of this host. */
#define DEVICE "02000000"
#define OTHER "fd00 0000 0000 0001 0000 0000 0000 0005"
#define NOBODY "0000 0000 0000 0000 0000 0000 0000 0000"

#define UDP_A "8000 1092 0009 3445 41"

/* Options as the program gives them, without their first byte, which the kernel
 * writes: a router alert (5) for routers along the way that speak MLD (0), and
 * padding of no bytes; padding of four; a limit (4) of five tunnels, and padding
 * of one byte. */
#define ALERT "00 0502 0000 0100"
#define PADDING "00 0104 0000 0000"
#define TUNNELS "00 0401 05 0101 00"
/* A routing header of mobile hosts (2) with one segment left; an address comes
 * behind. */
#define MOBILE "02 02 01 0000 0000"

#define V6_NUMBER(type, number) CTL_NUMBER(SOL_IPV6, type, number)
#define V6_BYTES(type, hex) CTL_BYTES(SOL_IPV6, type, hex)

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

Suite *suite_cmsg6(void)
{
	Suite *suite = suite_create("cmsg6");
	TCase *tcase = tcase_create("packets");

	tcase_add_loop_test(tcase, test_examples, 0,
			    (int)ARRAY_SIZE(examples) * KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
