/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of UDP-Lite as they may come in: with wrong sums, coverages that
 * cannot be, less covered than a socket wants; into a socket that is held; to
 * several of a group; on each kernel and in each family.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/net/udp.h"
#include "udplite_support.h"

#define BYTES 100u		/* of data; 108 with the header */
#define WHOLE BYTES
#define NO_MINIMUM (-1)

enum fate { READ_IT, BAD_SUM, BAD_HEADER, UNWANTED };

static void run_receiver(void (*fn)(void *arg), void *arg)
{
	nic_process(lite.nic, 1, 1, fn, arg);
	ck_assert(world_run(lite.nic->world));
}

/* ---- one datagram ---- */

/*
 * Byte 50 from the header on is inside a coverage of 60 and outside one of 40.
 * One that is cut by the reader is verified as a whole.
 */
static const struct arrival {
	struct lite_frame frame;
	s32 minimum;
	u32 room;		/* of the reader */
	enum fate fate;
} arrivals[] = {
	{ { BYTES, 108, .damaged = 0 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 0, .damaged = 0 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 40, .damaged = 0 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 8, .damaged = 0 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 40, .damaged = 50 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 50, .damaged = 50 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 51, .damaged = 50 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 60, .damaged = 50 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 108, .damaged = 50 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 0, .damaged = 107 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 107, .damaged = 107 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { BYTES, 40, .damaged = 50 }, NO_MINIMUM, 10, READ_IT },
	{ { BYTES, 60, .damaged = 50 }, NO_MINIMUM, 10, BAD_SUM },
	{ { BYTES, 0, .damaged = 107 }, NO_MINIMUM, 10, BAD_SUM },
	/* Sums are not optional. */
	{ { BYTES, 108, .no_sum = true }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 0, .no_sum = true }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 40, .no_sum = true }, NO_MINIMUM, WHOLE, BAD_SUM },
	/* The header at least, and no more than there is. */
	{ { BYTES, 1, .damaged = 0 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 7, .damaged = 0 }, NO_MINIMUM, WHOLE, BAD_SUM },
	{ { BYTES, 6, .fitting = true, .damaged = 7 }, NO_MINIMUM, WHOLE,
	  BAD_SUM },
	{ { BYTES, 109, .damaged = 0 }, NO_MINIMUM, WHOLE, BAD_HEADER },
	{ { BYTES, 65535, .damaged = 0 }, NO_MINIMUM, WHOLE, BAD_HEADER },
	/* What the reader wants covered; 0: all. */
	{ { BYTES, 40, .damaged = 0 }, 41, WHOLE, UNWANTED },
	{ { BYTES, 40, .damaged = 0 }, 40, WHOLE, READ_IT },
	{ { BYTES, 40, .damaged = 50 }, 20, WHOLE, READ_IT },
	{ { BYTES, 107, .damaged = 0 }, 0, WHOLE, UNWANTED },
	{ { BYTES, 108, .damaged = 0 }, 0, WHOLE, READ_IT },
	{ { BYTES, 0, .damaged = 0 }, 0, WHOLE, READ_IT },
	/* All of it is enough for any: nothing is left uncovered. */
	{ { BYTES, 0, .damaged = 0 }, 1000, WHOLE, READ_IT },
	{ { BYTES, 107, .damaged = 0 }, 1000, WHOLE, UNWANTED },
	/* Nothing but a header. */
	{ { 0, 8, .damaged = 0 }, NO_MINIMUM, WHOLE, READ_IT },
	{ { 0, 0, .damaged = 0 }, 8, WHOLE, READ_IT },
	{ { 0, 0, .damaged = 1 }, NO_MINIMUM, WHOLE, BAD_SUM },
};

static int result, after;
static u32 drops, left;
static u8 bytes[LITE_MOST];
static u64 before[NUM_UDP_MIB];

static u64 counted(u32 index)
{
	return lite_count(1, index) - before[index];
}

static void take_one(const struct arrival *a)
{
	int fd = lite_open(NET_PORT);
	u32 i;

	for (i = 0; i < NUM_UDP_MIB; i++)
		before[i] = lite_count(1, i);
	if (a->minimum != NO_MINIMUM)
		ck_assert_int_eq(lite_option(fd, UDPLITE_RECV_CSCOV,
					     (u32)a->minimum), 0);
	lite_inject(&a->frame);
	result = lite_read(fd, bytes, a->room);
	after = lite_read(fd, bytes + 100, 1);
	drops = (u32)net_sk(fd)->sk_drops;
	left = (u32)net_sk(fd)->sk_backlog.rmem_alloc;
	sys_close((u32)fd);
}

static void verify_read(const struct arrival *a)
{
	u32 n = MIN(a->frame.len, a->room), i;

	ck_assert_int_eq(result, (int)n);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(bytes[i], (u8)(i * 7) ^
				  (a->frame.damaged == i + 8));
	ck_assert_uint_eq(counted(UDP_MIB_INDATAGRAMS), 1);
	ck_assert_uint_eq(counted(UDP_MIB_INERRORS), 0);
	ck_assert_uint_eq(counted(UDP_MIB_CSUMERRORS), 0);
	ck_assert_uint_eq(drops, 0);
}

static void verify_dropped(const struct arrival *a)
{
	ck_assert_int_eq(result, -EAGAIN);
	ck_assert_uint_eq(counted(UDP_MIB_INDATAGRAMS), 0);
	ck_assert_uint_eq(counted(UDP_MIB_INERRORS), 1);
	ck_assert_uint_eq(counted(UDP_MIB_CSUMERRORS),
			  a->fate == BAD_SUM && lite_has(IP_ECN_STATS));
	ck_assert_uint_eq(counted(UDP_MIB_RCVBUFERRORS), 0);
	if (a->fate == UNWANTED)
		ck_assert_uint_eq(drops, lite_has(UDP_DROPS_COUNTED));
}

static void take_each(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(arrivals); i++) {
		take_one(&arrivals[i]);
		if (arrivals[i].fate == READ_IT)
			verify_read(&arrivals[i]);
		else
			verify_dropped(&arrivals[i]);
		ck_assert_int_eq(after, -EAGAIN);
		ck_assert_uint_eq(left, 0);
	}
	result = (int)i;
}

START_TEST(test_arrival)
{
	lite_build(_i);
	run_receiver(take_each, NULL);
	ck_assert_int_eq(result, ARRAY_SIZE(arrivals));
	ck_assert_uint_eq(lite_count(1, UDP_MIB_NOPORTS), 0);
	lite_verify_apart();
}
END_TEST

/* ---- short ones ---- */

/* 76 bytes with the header are short, 77 are not. */
static void take_short(void *arg)
{
	struct arrival *a = arg;
	int fd = lite_open(NET_PORT);
	u32 i;

	for (i = 0; i < 4; i++) {
		a->frame.len = i % 2 ? 69 : 68;
		a->frame.cscov = i < 2 ? 20 : 0;
		lite_inject(&a->frame);
		result = lite_read(fd, bytes, LITE_MOST);
		left |= (result == (int)a->frame.len) << i;
	}
	sys_close((u32)fd);
}

/* From 3.16 to 4.15 they are summed up as they come in, and all of them: there
 * one of which a part is covered never arrives. */
START_TEST(test_short)
{
	struct arrival a = { .minimum = NO_MINIMUM };
	bool lost;

	lite_build(_i);
	lost = lite_has(SKB_CHECKSUM_INIT) && !lite_has(UDPLITE_PARTIAL_INIT);
	left = 0;
	run_receiver(take_short, &a);
	ck_assert_uint_eq(left, lost ? 0xe : 0xf);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), lost);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_CSUMERRORS), lost);
}
END_TEST

/* ---- a task holds the socket ---- */

static u32 queued;
static s32 backlog;

static void hold(void *arg)
{
	const struct lite_frame frame = { .len = BYTES, .cscov = 40 };
	int fd = lite_open(NET_PORT);
	struct sock *sk = net_sk(fd);

	(void)arg;
	lock_sock_nested(sk);
	lite_inject(&frame);
	queued = sk->sk_receive_queue.qlen;
	release_sock(sk);
	result = lite_read(fd, bytes, BYTES);
	drops = (u32)sk->sk_drops;
	backlog = (s32)sk->sk_backlog.len;
	left = (u32)sk->sk_backlog.rmem_alloc;
	/* The next one finds the socket free. */
	lite_inject(&frame);
	after = lite_read(fd, bytes, BYTES);
	sys_close((u32)fd);
}

/* Before 4.9 what has waited for the owner waits again, for the owner's own
 * release, until the buffer is full of it: it ends, and it is lost.  IPv6 of
 * 2.6.32 does not ask for an owner that late; from 4.10 on nobody does. */
START_TEST(test_backlog)
{
	struct net_fixture host = { 0 };
	bool lost;

	lite_build(_i);
	host.machine = lite.nic->host[1].machine;
	lost = !lite_has(UDPLITE_BACKLOG) && lite_has(SK_BACKLOG_LIMIT);
	run_receiver(hold, NULL);
	ck_assert_uint_eq(queued, lite_has(UDP_READER_QUEUE));
	ck_assert_int_eq(result, lost ? -EAGAIN : (int)BYTES);
	ck_assert_int_eq(after, (int)BYTES);
	ck_assert_int_eq(backlog, 0);
	ck_assert_uint_eq(left, 0);
	ck_assert_uint_eq(drops, lost);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), lost);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_RCVBUFERRORS), lost);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INDATAGRAMS), 2 - lost);
	if (lost)
		ck_assert_uint_gt(net_calls(&host, "udp_queue_rcv_skb"), 50);
}
END_TEST

/* ---- a group ---- */

static int group_results[4];

static void take_of_group(void *arg)
{
	static const s32 minimum[3] = { NO_MINIMUM, 40, 41 };
	const struct lite_frame frame = {
		.len = BYTES, .cscov = 40, .damaged = 50, .group = true,
	};
	int fds[4], i;

	(void)arg;
	for (i = 0; i < 4; i++) {
		const u32 one = 1;
		const struct sockaddr_any any = {
			.family = lite.ip6 ? PF_INET6 : PF_INET,
			.port = NET_PORT,
		};

		/* The last one speaks UDP. */
		fds[i] = i < 3 ? lite_open(0) :
			 sys_socket(any.family, SOCK_DGRAM, 0);
		ck_assert_int_eq(sys_setsockopt(fds[i], SOL_SOCKET,
						SO_REUSEADDR, one), 0);
		ck_assert_int_eq(sys_bind(fds[i], &any, SOCKADDR_IN6_SIZE), 0);
		ck_assert_int_eq(lite_join(fds[i]), 0);
		if (i < 3 && minimum[i] != NO_MINIMUM)
			ck_assert_int_eq(lite_option(fds[i],
						     UDPLITE_RECV_CSCOV,
						     (u32)minimum[i]), 0);
	}
	lite_inject(&frame);
	for (i = 0; i < 4; i++)
		group_results[i] = lite_read(fds[i], bytes, BYTES);
	for (i = 0; i < 4; i++)
		sys_close((u32)fds[i]);
}

/* Each says for itself how much is enough. */
START_TEST(test_group)
{
	lite_build(_i);
	run_receiver(take_of_group, NULL);
	ck_assert_int_eq(group_results[0], BYTES);
	ck_assert_int_eq(group_results[1], BYTES);
	ck_assert_int_eq(group_results[2], -EAGAIN);
	ck_assert_int_eq(group_results[3], -EAGAIN);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INDATAGRAMS), 2);
	ck_assert_uint_eq(lite_count(1, UDP_MIB_INERRORS), 1);
	lite_verify_apart();
}
END_TEST

Suite *suite_udplite_rcv(void)
{
	Suite *suite = suite_create("udplite_rcv");
	TCase *tcase = tcase_create("all");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, NULL, lite_end);
	tcase_add_loop_test(tcase, test_arrival, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_short, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_backlog, 0, LITE_CASES);
	tcase_add_loop_test(tcase, test_group, 0, LITE_CASES);
	suite_add_tcase(suite, tcase);
	return suite;
}
