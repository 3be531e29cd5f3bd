/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of sendto() and send() as the driver gets them, byte by byte, and
 * what a send counts and leaves behind.
 *
 * The expected bytes are worked out by hand.  Sums below are ones' complement
 * sums of 16-bit words in hexadecimal: a carry out of the top comes in again at
 * the bottom.  The parts that stay the same:
 *
 *	IPv4 header	4500 + length + id + 4000 (DF) + 4011 (ttl 64, UDP)
 *			+ 0a02 + 0201 (10.2.2.1) + 0a02 + 0202 (10.2.2.2)
 *			= dd18 + length + id
 *	pseudo header	0a02 + 0201 + 0a02 + 0202 + 0011 (UDP) + UDP length
 *			= 1818 + UDP length
 *	UDP header	8000 (port 32768) + 1092 (port 4242) + UDP length
 */
#include <errno.h>
#include <string.h>

#include "net_support.h"
#include "stack/include/net/udp.h"

#define HEADERS 42u		/* Ethernet 14, IPv4 20, UDP 8 */

/* To 02:aa:bb:cc:dd:ee from 02:00:00:00:00:02: IPv4. */
#define ETHERNET \
	0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, \
	0x02, 0x00, 0x00, 0x00, 0x00, 0x02, \
	0x08, 0x00
/* 10.2.2.1 > 10.2.2.2 */
#define ADDRESSES 0x0a, 0x02, 0x02, 0x01, 0x0a, 0x02, 0x02, 0x02
/* 32768 > 4242 */
#define PORTS 0x80, 0x00, 0x10, 0x92

struct example {
	const u8 *payload;
	u32 len;
	u8 headers[HEADERS];
};

static void verify_packet(const struct net_fixture *net, u32 index,
			  const struct example *example)
{
	const GByteArray *packet = net_packet(net, index);

	ck_assert_uint_eq(packet->len, HEADERS + example->len);
	ck_assert_mem_eq(packet->data, example->headers, HEADERS);
	if (example->len)
		ck_assert_mem_eq(packet->data + HEADERS, example->payload,
				 example->len);
}

struct examples {
	const struct example *example;
	u32 n;
};

static void send_examples(void *arg)
{
	const struct examples *examples = arg;
	int fd = net_socket();
	u32 i;

	for (i = 0; i < examples->n; i++) {
		const struct example *e = &examples->example[i];

		ck_assert_int_eq(net_send_to(fd, e->payload, e->len, 0,
					     NET_PEER), (int)e->len);
	}
	sys_close(fd);
}

static void verify_examples(const struct example *example, u32 n,
			    bool tx_checksumming)
{
	struct net_setup setup = { .tx_checksumming = tx_checksumming };
	struct net_fixture *net = net_new(&setup);
	struct examples examples = { example, n };
	u32 i;

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_examples, &examples);
	ck_assert_uint_eq(net->packets->len, n);
	for (i = 0; i < n; i++)
		verify_packet(net, i, &example[i]);
	net_free(net);
}

/* ---- by hand ---- */

START_TEST(test_short_packets)
{
	static const struct example examples[] = {
		/* IPv4: dd18 + 001c = dd34, ~ 22cb.
		 * UDP: 1818 + 0008 = 1820; + 8000 + 1092 + 0008 = a8ba,
		 * ~ 5745 */
		{ (const u8 *)"", 0, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xcb, ADDRESSES,
			PORTS, 0x00, 0x08, 0x57, 0x45 } },
		/* IPv4: dd18 + 001d = dd35, ~ 22ca.
		 * UDP: 1818 + 0009 = 1821; + 8000 + 1092 + 0009 = a8bc;
		 * + 4100 ("A" and a byte of zero) = e9bc, ~ 1643 */
		{ (const u8 *)"A", 1, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1d, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xca, ADDRESSES,
			PORTS, 0x00, 0x09, 0x16, 0x43 } },
		/* IPv4: dd18 + 001e = dd36, ~ 22c9.
		 * UDP: 1822 + 909c = a8be; + 4142 = ea00, ~ 15ff */
		{ (const u8 *)"AB", 2, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xc9, ADDRESSES,
			PORTS, 0x00, 0x0a, 0x15, 0xff } },
		/* IPv4: dd18 + 001f = dd37, ~ 22c8.
		 * UDP: 1823 + 909d = a8c0; + 4142 = ea02; + 4300 = 12d02,
		 * that is 2d03, ~ d2fc */
		{ (const u8 *)"ABC", 3, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xc8, ADDRESSES,
			PORTS, 0x00, 0x0b, 0xd2, 0xfc } },
	};

	verify_examples(examples, ARRAY_SIZE(examples), false);
}
END_TEST

START_TEST(test_long_packets)
{
	u8 counted[64], filled[1472];
	const struct example examples[] = {
		/* Bytes 0, 1, ... 63.
		 * IPv4: dd18 + 005c = dd74, ~ 228b.
		 * UDP: 1818 + 0048 = 1860; + 8000 + 1092 + 0048 = a93a.  High
		 * bytes 0 + 2 + ... + 62 = 992 = 3e0, low ones 1 + 3 + ... + 63
		 * = 1024 = 400: 3e000 + 400 = 3e400, that is e403;
		 * a93a + e403 = 18d3d, that is 8d3e, ~ 72c1 */
		{ counted, 64, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x5c, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0x8b, ADDRESSES,
			PORTS, 0x00, 0x48, 0x72, 0xc1 } },
		/* 1471 bytes of ab: 735 words and half a one.
		 * IPv4: dd18 + 05db = e2f3, ~ 1d0c.
		 * UDP: 1818 + 05c7 = 1ddf; + 8000 + 1092 + 05c7 = b438.
		 * 735 * abab = 1ed7ff5, + ab00 = 1ed8af5, that is 8ce2;
		 * b438 + 8ce2 = 1411a, that is 411b, ~ bee4 */
		{ filled, 1471, {
			ETHERNET,
			0x45, 0x00, 0x05, 0xdb, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x1d, 0x0c, ADDRESSES,
			PORTS, 0x05, 0xc7, 0xbe, 0xe4 } },
		/* 1472 bytes of ab, the most that an mtu of 1500 takes.
		 * IPv4: dd18 + 05dc = e2f4, ~ 1d0b.
		 * UDP: 1818 + 05c8 = 1de0; + 8000 + 1092 + 05c8 = b43a.
		 * 736 * abab = 1ed8ba0, that is 8d8d; b43a + 8d8d = 141c7,
		 * that is 41c8, ~ be37 */
		{ filled, 1472, {
			ETHERNET,
			0x45, 0x00, 0x05, 0xdc, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x1d, 0x0b, ADDRESSES,
			PORTS, 0x05, 0xc8, 0xbe, 0x37 } },
	};
	u32 i;

	for (i = 0; i < sizeof(counted); i++)
		counted[i] = (u8)i;
	memset(filled, 0xab, sizeof(filled));
	verify_examples(examples, ARRAY_SIZE(examples), false);
}
END_TEST

START_TEST(test_sum_of_zero)
{
	/* A sum of zero would say that there is none: it is sent as ffff.
	 * IPv4: dd36, ~ 22c9.  UDP: a8be as above; + 5741 = ffff, ~ 0 */
	static const struct example example = {
		(const u8 *)"WA", 2, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xc9, ADDRESSES,
			PORTS, 0x00, 0x0a, 0xff, 0xff }
	};

	verify_examples(&example, 1, false);
}
END_TEST

START_TEST(test_device_sums)
{
	/* Only the pseudo header's sum is there, not complemented: 1821 for
	 * one byte, 1822 for two.  "WA" is nothing special here. */
	static const struct example examples[] = {
		{ (const u8 *)"A", 1, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1d, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xca, ADDRESSES,
			PORTS, 0x00, 0x09, 0x18, 0x21 } },
		{ (const u8 *)"WA", 2, {
			ETHERNET,
			0x45, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x40, 0x00,
			0x40, 0x11, 0x22, 0xc9, ADDRESSES,
			PORTS, 0x00, 0x0a, 0x18, 0x22 } },
	};

	verify_examples(examples, ARRAY_SIZE(examples), true);
}
END_TEST

/* ---- what a socket says of itself ---- */

static void send_marked(void *arg)
{
	int fd = net_socket();

	(void)arg;
	net_inet(fd)->tos = 0x10;
	net_inet(fd)->uc_ttl = 5;
	net_send_n(fd, 1, 0);
	net_inet(fd)->uc_ttl = 0;
	net_sk(fd)->sk_no_check = 1;
	net_send_n(fd, 1, 0);
	sys_close(fd);
}

START_TEST(test_tos_ttl_no_check)
{
	/* IPv4: 4510 + 001d + 4000 + 0511 + 1807 = a245, ~ 5dba; with a ttl
	 * of 0: 4510 + 001d + 4000 + 0011 + 1807 = 9d45, ~ 62ba.
	 * UDP: a8bc + 7800 = 120bc, that is 20bd, ~ df42; the second socket
	 * wants no sum at all. */
	static const struct example examples[] = {
		{ (const u8 *)"x", 1, {
			ETHERNET,
			0x45, 0x10, 0x00, 0x1d, 0x00, 0x00, 0x40, 0x00,
			0x05, 0x11, 0x5d, 0xba, ADDRESSES,
			PORTS, 0x00, 0x09, 0xdf, 0x42 } },
		{ (const u8 *)"x", 1, {
			ETHERNET,
			0x45, 0x10, 0x00, 0x1d, 0x00, 0x00, 0x40, 0x00,
			0x00, 0x11, 0x62, 0xba, ADDRESSES,
			PORTS, 0x00, 0x09, 0x00, 0x00 } },
	};
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_marked, NULL);
	verify_packet(net, 0, &examples[0]);
	verify_packet(net, 1, &examples[1]);
	net_free(net);
}
END_TEST

static u16 be16_at(const GByteArray *packet, u32 at)
{
	return (u16)(packet->data[at] << 8 | packet->data[at + 1]);
}

static void send_connected(void *arg)
{
	int fd = net_socket_to(NET_PEER);
	u32 i;

	(void)arg;
	net_inet(fd)->inet_id = 0xfffe;
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	/* One that is addressed all the same counts as well. */
	net_send_n(fd, 1, 0);
	sys_close(fd);
}

START_TEST(test_ident)
{
	static const u16 idents[] = { 0xfffe, 0xffff, 0, 1 };
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	u32 i;

	net_run_one(net, send_connected, NULL);
	ck_assert_uint_eq(net->packets->len, ARRAY_SIZE(idents));
	for (i = 0; i < ARRAY_SIZE(idents); i++) {
		const GByteArray *packet = net_packet(net, i);

		ck_assert_uint_eq(be16_at(packet, ETH_HLEN + 4), idents[i]);
		/* DF, no offset */
		ck_assert_uint_eq(be16_at(packet, ETH_HLEN + 6), 0x4000);
	}
	net_free(net);
}
END_TEST

static void send_from_two(void *arg)
{
	int a = net_socket(), b = net_socket();

	(void)arg;
	net_send_n(a, 1, 0);
	net_send_n(b, 1, 0);
	net_send_n(a, 1, 0);
	sys_close(a);
	sys_close(b);
}

START_TEST(test_ports)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	u16 ports[3];
	u32 i;

	inet_set_local_port_range(net->kernel, 32768, 32769);
	net_run_one(net, send_from_two, NULL);
	for (i = 0; i < 3; i++)
		ports[i] = be16_at(net_packet(net, i), ETH_HLEN + 20);
	/* The first keeps its port, the other gets the one that is left. */
	ck_assert_uint_eq(ports[0], ports[2]);
	ck_assert_uint_eq(ports[0] + ports[1], 32768 + 32769);
	net_free(net);
}
END_TEST

/* ---- at random ---- */

#define RANDOM_PACKETS 2000u

struct wanted {
	u8 payload[1472];
	u32 len;
	u32 daddr;
	u16 dport;
	u8 tos, ttl;
	bool connected;
};

static void random_packet(struct random_stream *random, struct wanted *w)
{
	u64 bits = random_u64(random);
	u32 i;

	w->len = (u32)(random_u64(random) % (sizeof(w->payload) + 1));
	w->daddr = IP(10, 2, 2, 2 + bits % 253);
	w->dport = (u16)(bits >> 16 | 1);
	w->tos = bits >> 32 & 0xfc;
	w->ttl = bits >> 40 & 0xff;
	w->connected = bits >> 48 & 1;
	for (i = 0; i < w->len; i++)
		w->payload[i] = (u8)random_u64(random);
	/* Runs of ones and zeroes try the carries. */
	if (bits >> 49 & 1)
		memset(w->payload, bits >> 50 & 1 ? 0xff : 0, w->len / 2);
}

static void send_random(void *arg)
{
	struct wanted *wanted = arg;
	u32 i;

	for (i = 0; i < RANDOM_PACKETS; i++) {
		struct sockaddr_any to = { .family = PF_INET };
		struct wanted *w = &wanted[i];
		int fd = net_socket(), sent;

		net_inet(fd)->tos = w->tos;
		net_inet(fd)->uc_ttl = w->ttl;
		if (w->connected)
			ck_assert_int_eq(net_connect(fd, w->daddr, w->dport),
					 0);
		to.daddr = w->daddr;
		to.port = w->dport;
		sent = sys_sendto(fd, w->payload, w->len, 0,
				  w->connected ? NULL : &to, SOCKADDR_IN_SIZE);
		ck_assert_int_eq(sent, (int)w->len);
		sys_close(fd);
	}
}

/*
 * RFC 1071 in another way than the model's: the words are the digits of one
 * large number to base 65536, whose remainder by 65535 is that of the sum of
 * its digits.  With the checksum among them it is 0.
 */
static u32 remainder_65535(u32 remainder, const u8 *bytes, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		u32 digit = i % 2 ? bytes[i] : (u32)bytes[i] << 8;

		if (i % 2)
			remainder = (remainder + digit) % 65535;
		else
			remainder = (remainder * 65536ull + digit) % 65535;
	}
	return remainder;
}

static const char *wrong_ipv4(const u8 *ip, const struct wanted *w)
{
	const u8 address[] = { 10, 2, 2, 1, 10, 2, 2, (u8)w->daddr };
	u32 length = w->len + 28;

	if (ip[0] != 0x45 || ip[1] != w->tos || ip[8] != w->ttl || ip[9] != 17)
		return "IPv4: version, tos, ttl or protocol";
	if (ip[2] != length >> 8 || ip[3] != (length & 255))
		return "IPv4: length";
	if (memcmp(ip + 12, address, sizeof(address)))
		return "IPv4: addresses";
	if (remainder_65535(0, ip, 20))
		return "IPv4: checksum";
	return NULL;
}

static const char *wrong_udp(const u8 *ip, const struct wanted *w)
{
	const u8 *udp = ip + 20;
	u32 length = w->len + 8, remainder;

	if (udp[2] != w->dport >> 8 || udp[3] != (w->dport & 255))
		return "UDP: destination port";
	if (udp[4] != length >> 8 || udp[5] != (length & 255))
		return "UDP: length";
	if (!udp[6] && !udp[7])
		return "UDP: no checksum";
	remainder = remainder_65535(17 + length, ip + 12, 8);
	if (remainder_65535(remainder, udp, length))
		return "UDP: checksum";
	if (memcmp(udp + 8, w->payload, w->len))
		return "UDP: payload";
	return NULL;
}

static void verify_random(const struct net_fixture *net,
			  const struct wanted *wanted)
{
	u32 i;

	ck_assert_uint_eq(net->packets->len, RANDOM_PACKETS);
	for (i = 0; i < RANDOM_PACKETS; i++) {
		const GByteArray *packet = net_packet(net, i);
		const u8 *ip = packet->data + ETH_HLEN;
		const char *wrong = wrong_ipv4(ip, &wanted[i]);

		ck_assert_uint_eq(packet->len, HEADERS + wanted[i].len);
		if (!wrong)
			wrong = wrong_udp(ip, &wanted[i]);
		if (wrong)
			ck_abort_msg("packet %u, %u bytes: %s", i,
				     wanted[i].len, wrong);
	}
}

START_TEST(test_random_packets)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	g_autofree struct wanted *wanted =
		g_new0(struct wanted, RANDOM_PACKETS);
	struct random_stream random;
	u32 i;

	random_seed(&random, 1, "random packets", 0);
	for (i = 0; i < RANDOM_PACKETS; i++)
		random_packet(&random, &wanted[i]);
	net_run_one(net, send_random, wanted);
	verify_random(net, wanted);
	net_free(net);
}
END_TEST

/* ---- a checksum that the device left to software ---- */

START_TEST(test_checksum_help)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	u8 *udp;

	/* "A" from above: the pseudo header's sum in the packet, 1643 out. */
	skb_reserve(skb, 16);
	udp = skb_bytes(skb, skb_put(skb, 9));
	memcpy(udp, (const u8[]){ PORTS, 0x00, 0x09, 0x18, 0x21, 'A' }, 9);
	skb->csum_start = 16;
	skb->csum_offset = 6;
	skb->ip_summed = CHECKSUM_PARTIAL;
	ck_assert_int_eq(skb_checksum_help(skb), 0);
	ck_assert_uint_eq(skb->ip_summed, CHECKSUM_NONE);
	ck_assert_uint_eq(udp[6], 0x16);
	ck_assert_uint_eq(udp[7], 0x43);
	kfree_skb(skb);
	net_free(net);
}
END_TEST

/* ---- counters, and what is left behind ---- */

#define SENDS 50u

static void send_counted(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket();
	u32 i;

	for (i = 0; i < SENDS; i++) {
		u8 payload[SENDS] = { 0 };

		ck_assert_int_eq(net_send_to(fd, payload, i, 0, NET_PEER),
				 (int)i);
		ck_assert_int_eq(net_sk(fd)->sk_wmem_alloc, 1);
		/* The CPU's cached route holds the only reference. */
		ck_assert_int_eq(net_newest_route(net)->dst.__refcnt, 1);
	}
	sys_close(fd);
}

START_TEST(test_counters)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });
	const struct kernel *kernel = net->kernel;

	net_run_one(net, send_counted, net);
	ck_assert_uint_eq(snmp_ip(kernel, IPSTATS_MIB_OUTPKTS), SENDS);
	/* Headers of 28 bytes and payloads of 0 + 1 + ... + 49 = 1225. */
	ck_assert_uint_eq(snmp_ip(kernel, IPSTATS_MIB_OUTOCTETS),
			  SENDS * 28 + 1225);
	ck_assert_uint_eq(snmp_udp(kernel, UDP_MIB_OUTDATAGRAMS), SENDS);
	ck_assert_uint_eq(snmp_ip(kernel, IPSTATS_MIB_OUTDISCARDS), 0);
	ck_assert_uint_eq(snmp_ip(kernel, IPSTATS_MIB_OUTNOROUTES), 0);
	ck_assert_uint_eq(snmp_udp(kernel, UDP_MIB_SNDBUFERRORS), 0);
	ck_assert_uint_eq(net->dev->dstats[0]->tx_packets, SENDS);
	ck_assert_uint_eq(net->dev->dstats[0]->tx_bytes, SENDS * 42 + 1225);
	net_free(net);
}
END_TEST

static void send_and_hold(void *arg)
{
	struct net_fixture *net = arg;
	int fd = net_socket_to(NET_PEER);

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	/* The connected socket has one more. */
	ck_assert_int_eq(net_newest_route(net)->dst.__refcnt, 2);
	ck_assert_int_eq(net_connect(fd, NET_PEER, NET_PORT), 0);
	ck_assert_int_eq(net_newest_route(net)->dst.__refcnt, 2);
	sys_close(fd);
	ck_assert_int_eq(net_newest_route(net)->dst.__refcnt, 1);
}

START_TEST(test_references_of_connected)
{
	struct net_fixture *net = net_new(&(struct net_setup){ 0 });

	net_run_one(net, send_and_hold, net);
	net_free(net);
}
END_TEST

/* Connected or not, checksums or not: no packet buffer, no head of one, no
 * socket and no file stays. */
START_TEST(test_nothing_left)
{
	struct net_setup setup = { .check = true, .tx_checksumming = _i };
	struct net_fixture *net = net_new(&setup);

	net_run_one(net, send_counted, net);	/* makes the cached route */
	net_run_one(net, send_counted, net);
	net_run_one(net, send_and_hold, net);
	net_verify_clean(net);
	net_free(net);
}
END_TEST

static void lose_packet(void *arg)
{
	(void)arg;
	alloc_skb(100, GFP_KERNEL);
}

START_TEST(test_a_leak_is_seen)
{
	struct net_setup setup = { .check = true };
	struct net_fixture *net = net_new(&setup);
	const char *const *findings;

	net_run_one(net, lose_packet, NULL);
	check_leaks(net->machine);
	findings = check_findings(net->machine->check);
	ck_assert(g_strv_contains(findings, "sk_buff: leaked (never freed)"));
	ck_assert(g_strv_contains(findings, "skb_head: leaked (never freed)"));
	net_free(net);
}
END_TEST

Suite *suite_udp_send(void)
{
	Suite *suite = suite_create("udp_send");
	TCase *bytes = tcase_create("bytes");
	TCase *random = tcase_create("random");
	TCase *counts = tcase_create("counts");

	tcase_add_test(bytes, test_short_packets);
	tcase_add_test(bytes, test_long_packets);
	tcase_add_test(bytes, test_sum_of_zero);
	tcase_add_test(bytes, test_device_sums);
	tcase_add_test(bytes, test_tos_ttl_no_check);
	tcase_add_test(bytes, test_ident);
	tcase_add_test(bytes, test_ports);
	tcase_add_test(bytes, test_checksum_help);
	suite_add_tcase(suite, bytes);
	tcase_add_test(random, test_random_packets);
	suite_add_tcase(suite, random);
	tcase_add_test(counts, test_counters);
	tcase_add_test(counts, test_references_of_connected);
	tcase_add_loop_test(counts, test_nothing_left, 0, 2);
	tcase_add_test(counts, test_a_leak_is_seen);
	suite_add_tcase(suite, counts);
	return suite;
}
