/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of UDP over IPv6 as the driver gets them, byte by byte.
 *
 * The expected bytes are worked out by hand.  Sums below are ones' complement
 * sums of 16-bit words in hexadecimal: a carry out of the top comes in again at
 * the bottom.  The parts that stay the same:
 *
 *	pseudo header	fd00 + 0001 (fd00::1) + fd00 + 0002 (fd00::2)
 *			+ 0011 (UDP) + UDP length = fa15 + UDP length
 *	UDP header	8000 (port 32768) + 1092 (port 4242) + UDP length
 *	together	8aa8 + twice the UDP length
 */
#include <errno.h>
#include <string.h>

#include "net6_support.h"
#include "stack/include/net/udp.h"

#define HEADERS 62u		/* Ethernet 14, IPv6 40, UDP 8 */

/* To 02:aa:bb:cc:dd:ee from 02:00:00:00:00:02: IPv6. */
#define ETHERNET \
	0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, \
	0x02, 0x00, 0x00, 0x00, 0x00, 0x02, \
	0x86, 0xdd
#define FD00_BYTES(n) 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n
/* fd00::1 > fd00::2 */
#define ADDRESSES FD00_BYTES(1), FD00_BYTES(2)
/* 32768 > 4242 */
#define PORTS 0x80, 0x00, 0x10, 0x92
/* UDP, hop limit 64 */
#define UDP_64 0x11, 0x40

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
	int fd = net6_socket();
	u32 i;

	net6_no_auto_labels(fd);
	for (i = 0; i < examples->n; i++) {
		const struct example *e = &examples->example[i];

		ck_assert_int_eq(net6_send_to(fd, e->payload, e->len, 0,
					      NET6_PEER), (int)e->len);
	}
	sys_close(fd);
}

static void verify_examples(const char *kernel, const struct example *example,
			    u32 n, bool tx_checksumming)
{
	struct net_setup setup = {
		.kernel = kernel, .tx_checksumming = tx_checksumming,
		.check = true,
	};
	struct net_fixture *net = net6_new(&setup);
	struct examples examples = { example, n };
	u32 i;

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_examples, &examples);
	ck_assert_uint_eq(net->packets->len, n);
	for (i = 0; i < n; i++)
		verify_packet(net, i, &example[i]);
	net_verify_rules(net);
	net_free(net);
}

/* ---- by hand ---- */

START_TEST(test_short_packets)
{
	static const struct example examples[] = {
		/* 8aa8 + 0010 = 8ab8, ~ 7547 */
		{ (const u8 *)"", 0, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x08, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x08, 0x75, 0x47 } },
		/* 8aa8 + 0012 = 8aba; + 4100 ("A" and a byte of zero) = cbba,
		 * ~ 3445 */
		{ (const u8 *)"A", 1, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x09, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x09, 0x34, 0x45 } },
		/* 8aa8 + 0014 = 8abc; + 4142 = cbfe, ~ 3401 */
		{ (const u8 *)"AB", 2, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x0a, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x0a, 0x34, 0x01 } },
		/* 8aa8 + 0016 = 8abe; + 4142 = cc00; + 4300 = 10f00, that is
		 * 0f01, ~ f0fe */
		{ (const u8 *)"ABC", 3, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x0b, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x0b, 0xf0, 0xfe } },
	};

	verify_examples(net6_kernels[_i], examples, ARRAY_SIZE(examples),
			false);
}
END_TEST

START_TEST(test_long_packets)
{
	u8 counted[64], filled[1452];
	const struct example examples[] = {
		/* Bytes 0, 1, ... 63, whose words add up to e403: high bytes
		 * 0 + 2 + ... + 62 = 3e0, low ones 1 + 3 + ... + 63 = 400, and
		 * 3e000 + 400 = 3e400.  8aa8 + 0090 = 8b38; + e403 = 16f3b,
		 * that is 6f3c, ~ 90c3 */
		{ counted, 64, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x48, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x48, 0x90, 0xc3 } },
		/* 1451 bytes of ab: 725 * abab = 1e62b47, + ab00 = 1e6d647,
		 * that is d82d.  8aa8 + 0b66 = 960e; + d82d = 16e3b, that is
		 * 6e3c, ~ 91c3 */
		{ filled, 1451, {
			ETHERNET, 0x60, 0, 0, 0, 0x05, 0xb3, UDP_64, ADDRESSES,
			PORTS, 0x05, 0xb3, 0x91, 0xc3 } },
		/* 1452 bytes of ab, the most that an mtu of 1500 takes:
		 * 726 * abab = 1e6d6f2, that is d8d8.  8aa8 + 0b68 = 9610;
		 * + d8d8 = 16ee8, that is 6ee9, ~ 9116 */
		{ filled, 1452, {
			ETHERNET, 0x60, 0, 0, 0, 0x05, 0xb4, UDP_64, ADDRESSES,
			PORTS, 0x05, 0xb4, 0x91, 0x16 } },
	};
	u32 i;

	for (i = 0; i < sizeof(counted); i++)
		counted[i] = (u8)i;
	memset(filled, 0xab, sizeof(filled));
	verify_examples(net6_kernels[_i], examples, ARRAY_SIZE(examples),
			false);
}
END_TEST

START_TEST(test_sum_of_zero)
{
	/* 8abc + 7543 = ffff, ~ 0: IPv6 has no packets without a sum, so that
	 * this one is sent as ffff. */
	static const struct example example = {
		(const u8 *)"uC", 2, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x0a, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x0a, 0xff, 0xff }
	};

	verify_examples(net6_kernels[_i], &example, 1, false);
}
END_TEST

/* Kernels before 4.0 do not ask the device. */
START_TEST(test_old_kernel_sums)
{
	static const struct example example = {
		(const u8 *)"A", 1, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x09, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x09, 0x34, 0x45 }
	};

	verify_examples("linux-3.6", &example, 1, true);
}
END_TEST

START_TEST(test_device_sums)
{
	/* Only the pseudo header's sum is there, not complemented: fa15 + 0009
	 * and fa15 + 000a.  "uC" is nothing special here. */
	static const struct example examples[] = {
		{ (const u8 *)"A", 1, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x09, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x09, 0xfa, 0x1e } },
		{ (const u8 *)"uC", 2, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x0a, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x0a, 0xfa, 0x1f } },
	};

	verify_examples("linux-6.1", examples, ARRAY_SIZE(examples), true);
}
END_TEST

/* ---- what a socket says of itself ---- */

static void send_marked(void *arg)
{
	int fd = net6_socket();
	struct ipv6_pinfo *np = &net6_sk(fd)->inet6;

	(void)arg;
	net6_no_auto_labels(fd);
	np->tclass = 0x5a;
	np->hop_limit = 5;
	net6_send_n(fd, 1, 0);
	np->tclass = 0xff;
	np->hop_limit = 0;
	net6_send_n(fd, 1, 0);
	sys_close(fd);
}

/* The sum is that of "x": 8aba + 7800 = 102ba, that is 02bb, ~ fd44. */
START_TEST(test_class_and_hop_limit)
{
	static const struct example examples[] = {
		{ (const u8 *)"x", 1, {
			ETHERNET, 0x65, 0xa0, 0, 0, 0, 0x09, 0x11, 5, ADDRESSES,
			PORTS, 0x00, 0x09, 0xfd, 0x44 } },
		{ (const u8 *)"x", 1, {
			ETHERNET, 0x6f, 0xf0, 0, 0, 0, 0x09, 0x11, 0, ADDRESSES,
			PORTS, 0x00, 0x09, 0xfd, 0x44 } },
	};
	struct net_setup setup = { .kernel = net6_kernels[_i] };
	struct net_fixture *net = net6_new(&setup);

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_marked, NULL);
	verify_packet(net, 0, &examples[0]);
	verify_packet(net, 1, &examples[1]);
	net_free(net);
}
END_TEST

/* The socket wants no sum: later kernels let it. */
static void send_unchecked(void *arg)
{
	int fd = net6_socket();

	(void)arg;
	net6_no_auto_labels(fd);
	net6_sk(fd)->udp.no_check6_tx = 1;
	net6_send_n(fd, 1, 0);
	sys_close(fd);
}

START_TEST(test_no_check)
{
	static const struct example example = {
		(const u8 *)"x", 1, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x09, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x09, 0, 0 }
	};
	struct net_setup setup = {
		.kernel = "linux-6.1", .tx_checksumming = _i,
	};
	struct net_fixture *net = net6_new(&setup);

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_unchecked, NULL);
	verify_packet(net, 0, &example);
	net_free(net);
}
END_TEST

/* ---- room for what is put in front ---- */

static void send_with_room(void *arg)
{
	static const u8 filled[1452];
	int fd = net6_socket_to(NET6_PEER);
	struct rt6_info *rt = (struct rt6_info *)(void *)
		net_sk(fd)->sk_dst_cache;

	(void)arg;
	net6_no_auto_labels(fd);
	ck_assert_int_eq(net_send(fd, filled, 1452, 0), 1452);
	/* Sixteen bytes that no fragment goes without. */
	rt->rt6i_nfheader_len = 16;
	rt->dst.header_len = 16;
	ck_assert_int_eq(net_send(fd, filled, 1437, 0), -EMSGSIZE);
	ck_assert_int_eq(net_send(fd, filled, 1436, 0), 1436);
	ck_assert_int_eq(net_send(fd, "A", 1, 0), 1);
	/* And room for IPsec, which does not count here. */
	rt->dst.header_len = 16 + 200;
	rt->dst.trailer_len = 300;
	ck_assert_int_eq(net_send(fd, filled, 1437, 0), -EMSGSIZE);
	ck_assert_int_eq(net_send(fd, "A", 1, 0), 1);
	rt->rt6i_nfheader_len = rt->dst.header_len = rt->dst.trailer_len = 0;
	sys_close(fd);
}

/* Objects of the general cache for 512 bytes and for 1024 that have ever been
 * made. */
static u32 general_objects(const struct kernel *kernel, const char *name)
{
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(kernel, i, &info); i++)
		if (g_str_equal(info.name, name))
			return info.num_objs;
	ck_abort_msg("no cache %s", name);
}

START_TEST(test_header_room)
{
	/* 8aba + 4100 = cbba, ~ 3445; a device that could sum up is not asked
	 * where something may stand between the headers. */
	static const struct example example = {
		(const u8 *)"A", 1, {
			ETHERNET, 0x60, 0, 0, 0, 0, 0x09, UDP_64, ADDRESSES,
			PORTS, 0x00, 0x09, 0x34, 0x45 }
	};
	struct net_setup setup = {
		.kernel = net6_kernels[_i], .tx_checksumming = true,
	};
	struct net_fixture *net = net6_new(&setup);
	const char *cache = _i ? "kmalloc-1k" : "size-1024";
	u32 before = general_objects(net->kernel, cache);

	inet_set_local_port_range(net->kernel, 32768, 32768);
	net_run_one(net, send_with_room, NULL);
	ck_assert_uint_eq(net->packets->len, 4);
	verify_packet(net, 2, &example);
	verify_packet(net, 3, &example);
	/* 9 + 56 + 16 + 200 + 300 + 8 bytes, and what stands behind. */
	ck_assert_uint_gt(general_objects(net->kernel, cache), before);
	net_free(net);
}
END_TEST

/* ---- at random ---- */

#define RANDOM_PACKETS 1000u

struct wanted {
	u8 payload[1452];
	u32 len;
	struct in6_addr daddr;
	u16 dport;
	u8 tclass, hop_limit;
	u32 label;		/* 0: an automatic one */
	bool connected;
};

static void random_packet(struct random_stream *random, struct wanted *w)
{
	u64 bits = random_u64(random);
	u32 i;

	w->len = (u32)(random_u64(random) % (sizeof(w->payload) + 1));
	w->daddr = NET6_PEER;
	for (i = 8; i < 16; i++)
		w->daddr.s6_addr[i] = (u8)random_u64(random);
	w->dport = (u16)(bits | 1);
	w->tclass = bits >> 16 & 0xff;
	w->hop_limit = bits >> 24 & 0xff;
	w->connected = bits >> 32 & 1;
	w->label = bits >> 33 & 1 ? bits >> 40 & 0xfffff : 0;
	for (i = 0; i < w->len; i++)
		w->payload[i] = (u8)random_u64(random);
	/* Runs of ones and zeroes try the carries. */
	if (bits >> 34 & 1)
		memset(w->payload, bits >> 35 & 1 ? 0xff : 0, w->len / 2);
}

static void send_random(void *arg)
{
	struct wanted *wanted = arg;
	u32 i;

	for (i = 0; i < RANDOM_PACKETS; i++) {
		struct wanted *w = &wanted[i];
		struct sockaddr_any to = net6_name(w->daddr);
		int fd = net6_socket(), sent;

		to.port = w->dport;
		to.flowinfo = w->label;
		net6_sk(fd)->inet6.tclass = w->tclass;
		net6_sk(fd)->inet6.hop_limit = w->hop_limit;
		net6_sk(fd)->inet6.sndflow = w->label != 0;
		if (w->label)
			ipv6_flowlabel_get(net_sk(fd), w->label,
					   IPV6_FL_S_ANY);
		if (w->connected)
			ck_assert_int_eq(sys_connect(fd, &to,
						     SOCKADDR_IN6_SIZE), 0);
		sent = sys_sendto(fd, w->payload, w->len, 0,
				  w->connected ? NULL : &to, SOCKADDR_IN6_SIZE);
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

static const char *wrong_ipv6(const struct net_fixture *net, const u8 *ip,
			      const struct wanted *w)
{
	const struct in6_addr local = NET6_LOCAL;
	u32 length = w->len + 8, label = w->label;
	bool auto_labels = kernel_has(net->kernel, AUTO_FLOWLABELS);

	if (ip[0] != (0x60 | w->tclass >> 4) || ip[1] >> 4 != (w->tclass & 15))
		return "IPv6: version or class";
	if (ip[4] != length >> 8 || ip[5] != (length & 255))
		return "IPv6: length";
	if (ip[6] != 17 || ip[7] != w->hop_limit)
		return "IPv6: next header or hop limit";
	if (memcmp(ip + 8, local.s6_addr, 16) ||
	    memcmp(ip + 24, w->daddr.s6_addr, 16))
		return "IPv6: addresses";
	if (!label && auto_labels) {
		if (w->connected)
			return NULL;	/* drawn at random */
		label = net6_label_of_flow(net, ip);
	}
	if ((u32)((ip[1] & 15) << 16 | ip[2] << 8 | ip[3]) != label)
		return "IPv6: flow label";
	return NULL;
}

static const char *wrong_udp(const u8 *ip, const struct wanted *w, bool partial)
{
	const u8 *udp = ip + 40;
	u32 length = w->len + 8, remainder;
	const u8 pseudo[] = {
		0, 0, (u8)(length >> 8), (u8)length, 0, 0, 0, 17
	};

	if (udp[2] != w->dport >> 8 || udp[3] != (w->dport & 255))
		return "UDP: destination port";
	if (udp[4] != length >> 8 || udp[5] != (length & 255))
		return "UDP: length";
	remainder = remainder_65535(0, ip + 8, 32);
	remainder = remainder_65535(remainder, pseudo, sizeof(pseudo));
	if (partial)
		return remainder == (u32)(udp[6] << 8 | udp[7]) % 65535 ?
		       NULL : "UDP: the pseudo header's sum";
	if (!udp[6] && !udp[7])
		return "UDP: no checksum";
	return remainder_65535(remainder, udp, length) ? "UDP: checksum" : NULL;
}

static void verify_random(const struct net_fixture *net, u32 i,
			  const struct wanted *w, bool partial)
{
	const GByteArray *packet = net_packet(net, i);
	const u8 *ip = packet->data + ETH_HLEN;
	const char *wrong;

	ck_assert_uint_eq(packet->len, HEADERS + w->len);
	wrong = wrong_ipv6(net, ip, w);
	if (!wrong)
		wrong = wrong_udp(ip, w, partial);
	if (!wrong && memcmp(ip + 48, w->payload, w->len))
		wrong = "payload";
	if (wrong)
		ck_abort_msg("packet %u of %u bytes: %s", i, w->len, wrong);
}

START_TEST(test_random_packets)
{
	struct net_setup setup = {
		.kernel = net6_kernels[_i / 2], .tx_checksumming = _i % 2,
	};
	struct net_fixture *net = net6_new(&setup);
	g_autofree struct wanted *wanted =
		g_new(struct wanted, RANDOM_PACKETS);
	struct random_stream random;
	u32 i;

	random_seed(&random, 1, "packets", (u32)_i);
	for (i = 0; i < RANDOM_PACKETS; i++)
		random_packet(&random, &wanted[i]);
	net_run_one(net, send_random, wanted);
	ck_assert_uint_eq(net->packets->len, RANDOM_PACKETS);
	for (i = 0; i < RANDOM_PACKETS; i++)
		verify_random(net, i, &wanted[i], _i == 3);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_udp6_send(void)
{
	Suite *suite = suite_create("udp6_send");
	TCase *by_hand = tcase_create("by_hand");
	TCase *at_random = tcase_create("at_random");

	tcase_add_loop_test(by_hand, test_short_packets, 0, NET6_KERNELS);
	tcase_add_loop_test(by_hand, test_long_packets, 0, NET6_KERNELS);
	tcase_add_loop_test(by_hand, test_sum_of_zero, 0, NET6_KERNELS);
	tcase_add_test(by_hand, test_old_kernel_sums);
	tcase_add_test(by_hand, test_device_sums);
	tcase_add_loop_test(by_hand, test_class_and_hop_limit, 0,
			    NET6_KERNELS);
	tcase_add_loop_test(by_hand, test_no_check, 0, 2);
	tcase_add_loop_test(by_hand, test_header_room, 0, NET6_KERNELS);
	suite_add_tcase(suite, by_hand);
	tcase_add_loop_test(at_random, test_random_packets, 0,
			    2 * NET6_KERNELS);
	suite_add_tcase(suite, at_random);
	return suite;
}
