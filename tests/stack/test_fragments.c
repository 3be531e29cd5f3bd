/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of any length go from one host to the other: what is longer than
 * the MTU in fragments, which are put together again.
 */
#include <errno.h>
#include <string.h>

#include "net6_support.h"
#include "nic_support.h"
#include "stack/include/net/netns.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"

#define MOST  65507u
#define MOST6 65527u /* a payload of 65,535 bytes, less UDP's header */
#define MTU   1500u

static const struct fragments_case {
	const char *kernel;
	bool ip6;
} cases[] = {
	{ "linux-2.6.32", true }, { "linux-3.6", false },
	{ "linux-3.6", true },	  { "linux-4.6", false },
	{ "linux-4.6", true },	  { "linux-6.1", false },
	{ "linux-6.1", true },
};

static struct nic_fixture *f;
static bool ip6;
static u32 rounds, received;
static u32 expected_frames, sent_len;
static u8 sent_bytes[MOST6 + 9], got_bytes[MOST6 + 2];

static u64 counted(u32 host, u32 index)
{
	const struct kernel *kernel = f->host[host].kernel;

	return ip6 ? snmp_ip6(kernel, index) : snmp_ip(kernel, index);
}

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

static int try_to_send(int fd, u32 len)
{
	const struct sockaddr_any to = receiver_name();

	return sys_sendto(fd, sent_bytes, len, 0, &to,
			  ip6 ? SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE);
}

/* How many packets a datagram is, and whether that makes them fragments. */
static u32 packets_of(u32 len)
{
	u32 header = ip6 ? 40 : 20, most = MTU - header;

	len += 8;
	if (len <= most)
		return 1;
	if (!ip6) /* the last one may have up to all of it */
		return (len - most + 1479) / 1480 + 1;
	return (len + 1447) / 1448;
}

static void fill(struct random_stream *random, u32 len)
{
	u32 i;

	for (i = 0; i < len; i += 8) {
		u64 bits = random_u64(random);

		memcpy(sent_bytes + i, &bits, 8);
	}
}

/* The receiver reads each before the next goes. */
static void send_sizes(void *arg)
{
	int fd = sys_socket(ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);
	u32 most = ip6 ? MOST6 : MOST, i, len;
	struct random_stream random;
	u32 fragments = 0, fragmented = 0;

	(void)arg;
	random_seed(&random, 1, "sizes", ip6);
	nic_sleep(100 * PS_PER_US);
	ck_assert_int_eq(try_to_send(fd, most + 1), -EMSGSIZE);
	for (i = 0; i < rounds; i++) {
		len = (u32)random_below(&random, most + 1);
		if (i < 8) /* the edges first */
			len = (const u32[]){ 0,	   1,	 1444, 1452,
					     1453, 1472, 1473, most }[i];
		fill(&random, len);
		sent_len = len;
		ck_assert_int_eq(try_to_send(fd, len), (int)len);
		expected_frames += packets_of(len);
		if (packets_of(len) > 1) {
			fragmented++;
			fragments += packets_of(len);
		}
		nic_sleep(400 * PS_PER_US);
	}
	ck_assert_uint_eq(counted(0, IPSTATS_MIB_FRAGOKS), fragmented);
	ck_assert_uint_eq(counted(0, IPSTATS_MIB_FRAGCREATES), fragments);
	ck_assert_uint_eq(counted(0, IPSTATS_MIB_FRAGFAILS), 0);
	sys_close((u32)fd);
}

static void receive_sizes(void *arg)
{
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET,
		.port = NET_PORT,
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, 0);
	u32 i;

	(void)arg;
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	for (i = 0; i < rounds; i++) {
		int n = sys_recvfrom(fd, got_bytes, sizeof(got_bytes), 0, NULL);

		ck_assert_int_eq(n, (int)sent_len);
		ck_assert_mem_eq(got_bytes, sent_bytes, (u32)n);
		received++;
	}
	sys_close((u32)fd);
}

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = cases[i].kernel,
		.cores = 2,
		.check = true,
		.node_mib = 64,
	};

	ip6 = cases[i].ip6;
	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	expected_frames = received = 0;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

START_TEST(test_sizes)
{
	build(_i);
	rounds = test_rounds(150);
	nic_process(f, 1, 1, receive_sizes, NULL);
	nic_process(f, 0, 0, send_sizes, NULL);
	nic_run(f);
	ck_assert_uint_eq(received, rounds);
	ck_assert_uint_eq(f->host[0].sent->len, expected_frames);
	ck_assert_uint_eq(counted(1, IPSTATS_MIB_REASMFAILS), 0);
	ck_assert_uint_eq(counted(1, IPSTATS_MIB_REASMOKS),
			  counted(0, IPSTATS_MIB_FRAGOKS));
}
END_TEST

/* ---- the bytes on the wire ---- */

#define WIRE_LEN 4000u

static void send_one(void *arg)
{
	int fd = sys_socket(ip6 ? PF_INET6 : PF_INET, SOCK_DGRAM, 0);

	(void)arg;
	memset(sent_bytes, 0x5a, WIRE_LEN);
	ck_assert_int_eq(try_to_send(fd, WIRE_LEN), WIRE_LEN);
	sys_close((u32)fd);
}

/* Header for header: 4008 bytes are 1480, 1480 and 1048, or 1448, 1448 and 1112
 * behind the fragment header; one identification, and the sum over all. */
START_TEST(test_wire)
{
	static const u32 lengths[2][3] = { { 1480, 1480, 1048 },
					   { 1448, 1448, 1112 } };
	u8 all[WIRE_LEN + 8];
	u32 i, at = 0, header = ip6 ? 48 : 20, id[3], sum;

	build(_i);
	header = ip6 ? 48 : 20;
	nic_process(f, 0, 0, send_one, NULL);
	nic_run(f);
	ck_assert_uint_eq(f->host[0].sent->len, 3);
	for (i = 0; i < 3; i++) {
		const u8 *ip = nic_frame(f->host[0].sent, i)->data + 14;
		u32 len = lengths[ip6][i], place;

		ck_assert_uint_eq(get_be16(ip + (ip6 ? 4 : 2)),
				  len + (ip6 ? 8 : 20));
		place = get_be16(ip + (ip6 ? 42 : 6));
		ck_assert_uint_eq(place,
				  ip6 ? (at | (i < 2)) :
					(at / 8 | (i < 2 ? 0x2000u : 0)));
		id[i] = ip6 ? get_be32(ip + 44) : get_be16(ip + 4);
		ck_assert_uint_eq(id[i], id[0]);
		ck_assert_uint_eq(ip[ip6 ? 6 : 9], ip6 ? 44 : 17);
		if (ip6)
			ck_assert_uint_eq(ip[40], 17);
		else
			ck_assert_uint_eq(csum_fold(csum_partial(ip, 20, 0)),
					  0);
		memcpy(all + at, ip + header, len);
		at += len;
	}
	ck_assert_uint_eq(get_be16(all + 4), WIRE_LEN + 8);
	sum = csum_partial(all, sizeof(all), 0);
	sum = csum_partial(nic_frame(f->host[0].sent, 0)->data + 14 +
				   (ip6 ? 8 : 12),
			   ip6 ? 32 : 8, sum);
	ck_assert_uint_eq(csum_fold(sum + 17 + WIRE_LEN + 8), 0);
	ck_assert_mem_eq(all + 8, sent_bytes, WIRE_LEN);
}
END_TEST

Suite *suite_fragments(void)
{
	Suite *suite = suite_create("fragments");
	TCase *tcase = tcase_create("all");
	int n = ARRAY_SIZE(cases);

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_loop_test(tcase, test_sizes, 0, n);
	tcase_add_loop_test(tcase, test_wire, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}
