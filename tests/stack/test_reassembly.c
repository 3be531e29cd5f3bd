/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fragments: datagrams are put together whatever the order of their parts; what
 * overlaps goes as a plain array of bytes with their writers says; each
 * fragment is waiting, dropped or in a datagram; on each kernel and in each
 * family.
 */
#include "net6_support.h"
#include "nic_support.h"
#include "sim/random.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/lib/checksum.h"
#include "tests/rounds.h"

#define CASES 10			/* kernels, families */
#define UNIT 8u
#define MAX_UNITS 12u
#define MAX_BYTES (UNIT * MAX_UNITS)

static const char *const kernels[] = {
	"linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6", "linux-6.1"
};

static struct nic_fixture *f;
static bool ip6;
static int case_index;
static u32 next_id;
static u64 sent;

/* ---- frames ---- */

/* The whole: a header of UDP without a sum, but for IPv6, which wants one. */
static void make_datagram(u8 *bytes, u32 len)
{
	const struct in6_addr from = FD00(1), to = FD00(2);
	u32 i;

	for (i = 8; i < len; i++)
		bytes[i] = (u8)(i * 7);
	put_be16(bytes, 1000);
	put_be16(bytes + 2, NET_PORT);
	put_be16(bytes + 4, (u16)len);
	put_be16(bytes + 6, 0);
	if (ip6)
		put_be16(bytes + 6,
			 csum_ipv6_magic(from.s6_addr, to.s6_addr, len, 17,
					 csum_partial(bytes, len, 0)));
}

static void send_fragment(u32 id, const u8 *data, u32 offset, u32 len,
			  bool more)
{
	const struct in6_addr from = FD00(1), to = FD00(2);
	u32 header = ip6 ? 48 : 20;
	u8 frame[14 + 48 + MAX_BYTES] = { 0 }, *ip = frame + 14;

	memcpy(frame, "\x02\0\0\0\0\x11\x02\0\0\0\0\x10", 12);
	put_be16(frame + 12, ip6 ? 0x86dd : 0x0800);
	if (ip6) {
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)(8 + len));
		ip[6] = 44;
		ip[7] = 64;
		memcpy(ip + 8, &from, 16);
		memcpy(ip + 24, &to, 16);
		ip[40] = 17;
		put_be16(ip + 42, (u16)(offset | more));
		put_be32(ip + 44, id);
	} else {
		ip[0] = 0x45;
		put_be16(ip + 2, (u16)(20 + len));
		put_be16(ip + 4, (u16)id);
		put_be16(ip + 6, (u16)(offset / 8 | (more ? 0x2000 : 0)));
		ip[8] = 64;
		ip[9] = 17;
		put_be32(ip + 12, NIC_ADDRESS(0));
		put_be32(ip + 16, NIC_ADDRESS(1));
		put_be16(ip + 10, csum_fold(csum_partial(ip, 20, 0)));
	}
	memcpy(ip + header, data, len);
	link_send(&f->link->ends[0], frame, 14 + header + len,
		  this_cpu->clock);
	sent++;
}

/* ---- accounts ---- */

static const struct kernel *receiver(void)
{
	return f->host[1].kernel;
}

static struct inet_frags *frags(void)
{
	return ip6 ? receiver()->ipv6->frags : receiver()->ipv4->frags;
}

static u64 counted(u32 index)
{
	return ip6 ? snmp_ip6(receiver(), index) : snmp_ip(receiver(), index);
}

static void verify_accounts(void)
{
	struct frag_report report = ip6 ? ip6_frag_report(receiver()) :
					  ip_frag_report(receiver());

	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMREQDS), sent);
	ck_assert_uint_eq(report.waiting + report.dropped + report.joined,
			  sent);
	ck_assert_uint_eq(report.datagrams, counted(IPSTATS_MIB_REASMOKS));
}

static void verify_nothing_waits(void)
{
	verify_accounts();
	ck_assert_uint_eq(frags()->report.waiting, 0);
	ck_assert_int_eq(frags()->fqdir->mem, 0);
	ck_assert_uint_eq(frags()->fqdir->nqueues, 0);
	ck_assert_ptr_null(frags()->fqdir->lru_first);
}

/* ---- fixture ---- */

static int open_port(void)
{
	struct sockaddr_any any = {
		.family = ip6 ? PF_INET6 : PF_INET, .port = NET_PORT,
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, 0);

	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	return fd;
}

static int read_port(int fd, u8 *buffer)
{
	return sys_recvfrom(fd, buffer, MAX_BYTES, MSG_DONTWAIT, NULL);
}

static void build(int i)
{
	const struct nic_setup setup = {
		.kernel = kernels[i / 2], .cores = 2, .strangers = true,
		.check = true, .node_mib = 32,
	};

	f = nic_fixture_new(&setup);
	nic_make_friends(f);
	case_index = i;
	ip6 = i % 2;
	next_id = 1;
	sent = 0;
}

static void teardown(void)
{
	g_clear_pointer(&f, nic_fixture_free);
}

static void run(int i, void (*fn)(void *arg))
{
	build(i);
	nic_process(f, 1, 1, fn, NULL);
	ck_assert(world_run(f->world));
}

/* ---- all orders ---- */

/* The datagram in n parts, of which order[] says which comes when. */
static void send_in_order(int fd, const u32 *order, u32 n)
{
	u8 bytes[MAX_BYTES], got[MAX_BYTES];
	u32 len = n * 2 * UNIT - 3, i, id = next_id++;

	make_datagram(bytes, len);
	for (i = 0; i < n; i++) {
		u32 offset = order[i] * 2 * UNIT;
		bool more = order[i] + 1 < n;

		send_fragment(id, bytes + offset, offset,
			      more ? 2 * UNIT : len - offset, more);
	}
	nic_sleep(100 * PS_PER_US);
	ck_assert_int_eq(read_port(fd, got), (int)len - 8);
	ck_assert_mem_eq(got, bytes + 8, len - 8);
	ck_assert_int_lt(read_port(fd, got), 0);
}

/* The next order after this one; false: it was the last. */
static bool next_order(u32 *order, u32 n)
{
	u32 i = n - 1, j = n - 1, k;

	while (i && order[i - 1] > order[i])
		i--;
	if (!i)
		return false;
	while (order[j] < order[i - 1])
		j--;
	k = order[i - 1];
	order[i - 1] = order[j];
	order[j] = k;
	for (j = n - 1; i < j; i++, j--) {
		k = order[i];
		order[i] = order[j];
		order[j] = k;
	}
	return true;
}

static void send_all_orders(void *arg)
{
	int fd = open_port();
	u32 n;

	(void)arg;
	for (n = 2; n <= 6; n++) {
		u32 order[6] = { 0, 1, 2, 3, 4, 5 };

		do
			send_in_order(fd, order, n);
		while (next_order(order, n));
	}
	verify_nothing_waits();
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMOKS), 2 + 6 + 24 + 120 + 720);
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMFAILS), 0);
	sys_close((u32)fd);
}

START_TEST(test_all_orders)
{
	run(_i, send_all_orders);
}
END_TEST

/* ---- overlaps: by bytes ---- */

enum rule { TRIM, OVERLAP_KILLS, DUPLICATE_IS_IGNORED };

static enum rule rule_of_case(void)
{
	if (case_index / 2 == 4)
		return DUPLICATE_IS_IGNORED;
	return ip6 ? OVERLAP_KILLS : TRIM;
}

struct reference {
	u8 bytes[MAX_BYTES];
	u32 writer[MAX_BYTES];	/* 0: nobody */
	u32 len;
	u32 writers;
};

static u32 bytes_there(const struct reference *r, u32 from, u32 to)
{
	u32 n = 0, i;

	for (i = from; i < to; i++)
		n += r->writer[i] != 0;
	return n;
}

static void reference_add(struct reference *r, const u8 *data, u32 from, u32 to)
{
	u32 there = bytes_there(r, from, to), at = from;

	if (there && rule_of_case() != TRIM) {
		if (rule_of_case() == OVERLAP_KILLS || there < to - from)
			memset(r->writer, 0, sizeof(r->writer));
		return;
	}
	/* One that began before keeps what it has, all others yield. */
	if (from && r->writer[from] && r->writer[from - 1] == r->writer[from])
		while (at < to && r->writer[at] == r->writer[from])
			at++;
	r->writers++;
	for (; at < to; at++) {
		r->bytes[at] = data[at - from];
		r->writer[at] = r->writers;
	}
}

/* True: the datagram was whole, as the reference has it, and was read. */
static bool random_fragment(int fd, struct random_stream *random,
			    struct reference *r, const u8 *whole, u32 id)
{
	u32 units = (r->len + UNIT - 1) / UNIT, from, to, i;
	u8 data[MAX_BYTES], got[MAX_BYTES];

	from = UNIT * (u32)random_below(random, units);
	to = from + UNIT * (1 + (u32)random_below(random, 3));
	to = MIN(to, r->len);
	memcpy(data, whole + from, to - from);
	for (i = 0; !ip6 && i < to - from; i++)	/* not the header of UDP */
		if (from + i >= 8)
			data[i] = (u8)random_below(random, 256);
	send_fragment(id, data, from, to - from, to < r->len);
	reference_add(r, data, from, to);
	nic_sleep(150 * PS_PER_US);
	if (bytes_there(r, 0, r->len) < r->len) {
		ck_assert_int_lt(read_port(fd, got), 0);
		return false;
	}
	ck_assert_int_eq(read_port(fd, got), (int)r->len - 8);
	ck_assert_mem_eq(got, r->bytes + 8, r->len - 8);
	return true;
}

static void send_at_random(void *arg)
{
	u32 trials = test_rounds(300), i, n, done = 0;
	struct random_stream random;
	int fd = open_port();

	(void)arg;
	random_seed(&random, 1, "fragments", (u32)case_index);
	for (i = 0; i < trials; i++) {
		struct reference r = { .len = 0 };
		u8 whole[MAX_BYTES];

		/* More than the longest fragment, or it would be none. */
		r.len = 3 * UNIT + 1 + (u32)random_below(&random, 60);
		make_datagram(whole, r.len);
		for (n = 0; n < 40; n++)
			if (random_fragment(fd, &random, &r, whole, next_id)) {
				done++;
				break;
			}
		next_id++;
	}
	verify_accounts();
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMOKS), done);
	ck_assert_uint_gt(done, 0);
	sys_close((u32)fd);
}

START_TEST(test_overlaps)
{
	run(_i, send_at_random);
}
END_TEST

/* ---- too late ---- */

static u64 icmp_received(void)
{
	const struct kernel *k = f->host[0].kernel;

	return ip6 ? snmp_icmp6(k, ICMP6_MIB_INMSGS) :
		     snmp_icmp(k, ICMP_MIB_INMSGS);
}

static void wait_for_time(void *arg)
{
	u8 bytes[MAX_BYTES];
	const GByteArray *frame;
	int fd = open_port();

	(void)arg;
	make_datagram(bytes, 6 * UNIT);
	send_fragment(1, bytes, 0, 2 * UNIT, true);
	send_fragment(2, bytes + 2 * UNIT, 2 * UNIT, 2 * UNIT, true);
	nic_sleep((ip6 ? 55 : 25) * 1000 * PS_PER_MS);
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMTIMEOUT), 0);
	ck_assert_uint_eq(frags()->report.waiting, 2);
	nic_sleep((ip6 ? 15 : 10) * 1000 * PS_PER_MS);
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMTIMEOUT), 2);
	ck_assert_uint_eq(counted(IPSTATS_MIB_REASMFAILS), 2);
	verify_nothing_waits();
	/* Only of that whose first fragment was there. */
	ck_assert_uint_eq(icmp_received(), 1);
	frame = nic_frame(f->host[1].sent, f->host[1].sent->len - 1);
	ck_assert_uint_eq(frame->data[14 + (ip6 ? 40 : 20)], ip6 ? 3 : 11);
	ck_assert_uint_eq(frame->data[14 + (ip6 ? 41 : 21)], 1);
	sys_close((u32)fd);
}

START_TEST(test_timeout)
{
	build(_i);
	nic_process(f, 1, 1, wait_for_time, NULL);
	nic_run_ticking(f);
}
END_TEST

/* ---- too much ---- */

#define LIMIT 20000u

static void fill_memory(void *arg)
{
	u8 bytes[MAX_BYTES];
	int fd = open_port();
	u32 i;

	(void)arg;
	make_datagram(bytes, 6 * UNIT);
	send_fragment(next_id++, bytes, 0, 2 * UNIT, true);
	nic_sleep(100 * PS_PER_US);
	frags()->fqdir->high_thresh = LIMIT;
	frags()->fqdir->low_thresh = LIMIT / 2;
	for (i = 0; i < 100; i++) {
		send_fragment(next_id++, bytes, 0, 2 * UNIT, true);
		nic_sleep(150 * PS_PER_US);
		ck_assert_int_lt(frags()->fqdir->mem, LIMIT + 4000);
		verify_accounts();
	}
	ck_assert_uint_gt(counted(IPSTATS_MIB_REASMFAILS), 50);
	ck_assert_uint_gt(frags()->report.waiting, 3);
	sys_close((u32)fd);
}

START_TEST(test_limit)
{
	run(_i, fill_memory);
}
END_TEST

Suite *suite_reassembly(void)
{
	Suite *suite = suite_create("reassembly");
	TCase *tc = tcase_create("reassembly");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_all_orders, 0, CASES);
	tcase_add_loop_test(tc, test_overlaps, 0, CASES);
	tcase_add_loop_test(tc, test_timeout, 0, CASES);
	tcase_add_loop_test(tc, test_limit, 0, CASES);
	suite_add_tcase(suite, tc);
	return suite;
}
