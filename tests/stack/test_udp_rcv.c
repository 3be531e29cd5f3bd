/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that come in: who gets them, who waits for them, what does not fit
 * and what is left behind; on each kernel and in each family.
 */
#include <errno.h>

#include "net6_support.h"
#include "stack/include/linux/eventpoll.h"
#include "stack/include/linux/rx.h"

#define CASES ((int)G_N_ELEMENTS(cases))
#define LATE (50 * PS_PER_US)
#define MANY 1000u
#define LARGE 1000u

static const struct {
	const char *kernel;
	u16 family;
} cases[] = {
	{ "linux-3.6", PF_INET }, { "linux-3.6", PF_INET6 },
	{ "linux-6.1", PF_INET }, { "linux-6.1", PF_INET6 },
	{ "linux-2.6.32", PF_INET6 },
};

/* One test: a kernel, a family, and what its processes tell each other. */
struct test {
	struct net_fixture *net;
	struct rx_datagram datagram;
	u32 cpu;		/* that it arrives for */
	u16 family;
	struct sock *sk;
	struct sockaddr_any from;
	int got[4];
	ps_t when;
	u32 n;
};

static struct test test_new(int i)
{
	const struct net_setup setup = {
		.cores = 2, .check = true, .kernel = cases[i].kernel,
	};
	struct test test = {
		.net = net6_new(&setup), .family = cases[i].family,
	};

	test.datagram = (struct rx_datagram){
		.dev = test.net->dev, .len = 60,
		.from = { .family = test.family, .port = 53,
			  .daddr = NET_PEER, .daddr6 = NET6_PEER },
		.to = { .family = test.family, .port = NET_PORT,
			.daddr = NET_LOCAL, .daddr6 = NET6_LOCAL },
	};
	return test;
}

static void test_end(struct test *test)
{
	net_verify_clean(test->net);
	net_free(test->net);
}

static int open_bound(struct test *test)
{
	struct sockaddr_any any = { .family = test->family, .port = NET_PORT };
	int fd = sys_socket(test->family, SOCK_DGRAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(sys_bind(fd, &any, SOCKADDR_IN6_SIZE), 0);
	test->sk = net_sk(fd);
	return fd;
}

static u64 snmp(const struct test *test, u32 index)
{
	return test->family == PF_INET6 ?
		snmp_udp6(test->net->kernel, index) :
		snmp_udp(test->net->kernel, index);
}

static void arrive(void *arg, ps_t now)
{
	struct test *test = arg;

	rx_arrive(test->net->kernel, test->cpu, &test->datagram, now);
}

static void arrive_at(struct test *test, ps_t time)
{
	machine_at(test->net->machine, time, EVENT_DEVICE, test->cpu, 0,
		   arrive, test);
}

/* ---- a reader that waits ---- */

static void wait_for_one(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test);

	arrive_at(test, this_cpu->clock + LATE);
	test->when = this_cpu->clock;
	test->got[0] = sys_recvfrom(fd, NULL, 2000, 0, &test->from);
	test->when = this_cpu->clock - test->when;
	test->got[1] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	sys_close(fd);
}

/* It sleeps until the datagram is there, whichever CPU takes it. */
START_TEST(a_reader_sleeps_until_it_comes)
{
	struct test test = test_new(_i / 2);

	test.cpu = _i % 2;
	net_run_one(test.net, wait_for_one, &test);
	ck_assert_int_eq(test.got[0], 60);
	ck_assert_int_eq(test.got[1], -EAGAIN);
	ck_assert_uint_gt(test.when, LATE);
	ck_assert_uint_lt(test.when, LATE + 20 * PS_PER_US);
	ck_assert_uint_eq(test.from.family, test.family);
	ck_assert_uint_eq(test.from.port, 53);
	if (test.family == PF_INET)
		ck_assert_uint_eq(test.from.daddr, NET_PEER);
	else
		ck_assert(ipv6_addr_equal(&test.from.daddr6,
					  &NET6_PEER));
	ck_assert_uint_eq(net_calls(test.net, "schedule"), 1);
	ck_assert_uint_eq(net_calls(test.net, "try_to_wake_up"), 1);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INDATAGRAMS), 1);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INERRORS), 0);
	test_end(&test);
}
END_TEST

/* ---- order, and a buffer that is too small ---- */

static void queue_three(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test), i;

	for (i = 0; i < 3; i++) {
		test->datagram.len = 10u + (u32)i;
		rx_poll(&test->datagram, 1);
	}
	test->got[0] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->got[1] = sys_recvfrom(fd, NULL, 5, MSG_DONTWAIT, NULL);
	test->got[2] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->n = (u32)test->sk->sk_backlog.rmem_alloc;
	sys_close(fd);
}

START_TEST(first_come_first_read)
{
	struct test test = test_new(_i);

	net_run_one(test.net, queue_three, &test);
	ck_assert_int_eq(test.got[0], 10);
	ck_assert_int_eq(test.got[1], 5);	/* the rest is gone */
	ck_assert_int_eq(test.got[2], 12);
	ck_assert_uint_eq(test.n, 0);
	test_end(&test);
}
END_TEST

/* The reader sums up what no device has: it gets what is right, whole or in
 * part, and never sees what is wrong. */
static void queue_damaged(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test), i;

	for (i = 0; i < 5; i++) {
		test->datagram.len = 20u + (u32)i;
		test->datagram.unsummed = true;
		test->datagram.damaged = i % 2;
		rx_poll(&test->datagram, 1);
	}
	test->got[0] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->got[1] = sys_recvfrom(fd, NULL, 5, MSG_DONTWAIT, NULL);
	test->got[2] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->got[3] = sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->n = (u32)test->sk->sk_backlog.rmem_alloc;
	ck_assert_uint_eq(test->sk->sk_drops, 2);
	sys_close(fd);
}

START_TEST(a_wrong_sum_is_not_read)
{
	struct test test = test_new(_i);
	const u32 bad = kernel_has(test.net->kernel, IP_ECN_STATS) ? 2 : 0;

	net_run_one(test.net, queue_damaged, &test);
	ck_assert_int_eq(test.got[0], 20);
	ck_assert_int_eq(test.got[1], 5);
	ck_assert_int_eq(test.got[2], 24);
	ck_assert_int_eq(test.got[3], -EAGAIN);
	ck_assert_uint_eq(test.n, 0);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INDATAGRAMS), 3);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INERRORS), 2);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_CSUMERRORS), bad);
	test_end(&test);
}
END_TEST

static void flood(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test);

	test->datagram.len = LARGE;
	rx_poll(&test->datagram, MANY);
	ck_assert_uint_gt((u32)test->sk->sk_backlog.rmem_alloc,
			  test->sk->sk_rcvbuf - 4096);
	test->got[0] = (int)test->sk->sk_drops;
	while (sys_recvfrom(fd, NULL, LARGE, MSG_DONTWAIT, NULL) == LARGE)
		test->n++;
	test->got[1] = test->sk->sk_backlog.rmem_alloc;
	sys_close(fd);
}

/* What does not fit is dropped and counted; all memory comes back. */
START_TEST(a_full_buffer_drops)
{
	struct test test = test_new(_i);

	net_run_one(test.net, flood, &test);
	ck_assert_uint_gt(test.n, 50);
	ck_assert_uint_eq(test.n + (u32)test.got[0], MANY);
	ck_assert_int_eq(test.got[1], 0);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INDATAGRAMS), test.n);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_RCVBUFERRORS),
			  (u64)test.got[0]);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INERRORS), (u64)test.got[0]);
	ck_assert_int_eq(test.net->kernel->net_core->sockets->udp_memory->
			 memory_allocated <= 1, 1);
	test_end(&test);
}
END_TEST

/* ---- nobody there; closed unread ---- */

static void nobody(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test);

	test->datagram.to.port = NET_PORT + 1;
	rx_poll(&test->datagram, 2);
	test->datagram.to.port = NET_PORT;
	rx_poll(&test->datagram, 3);
	sys_close(fd);
	rx_poll(&test->datagram, 4);
}

START_TEST(nobody_listens)
{
	struct test test = test_new(_i);

	net_run_one(test.net, nobody, &test);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_NOPORTS), 6);
	ck_assert_uint_eq(snmp(&test, UDP_MIB_INDATAGRAMS), 0);
	test_end(&test);
}
END_TEST

/* ---- a task holds the socket ---- */

static void hold(void *arg)
{
	struct test *test = arg;
	int fd = open_bound(test);
	u32 queued;

	lock_sock_nested(test->sk);
	rx_poll(&test->datagram, 2);
	queued = test->sk->sk_receive_queue.qlen;
	release_sock(test->sk);
	test->got[0] = (int)queued;
	test->got[1] = (int)test->sk->sk_receive_queue.qlen;
	sys_close(fd);
}

/* Kernels that go through the socket's lock keep packets until it is free. */
START_TEST(a_held_socket_has_a_backlog)
{
	struct test test = test_new(_i);
	bool own_lock = kernel_has(test.net->kernel, UDP_READER_QUEUE);

	net_run_one(test.net, hold, &test);
	ck_assert_int_eq(test.got[0], own_lock ? 2 : 0);
	ck_assert_int_eq(test.got[1], 2);
	test_end(&test);
}
END_TEST

/* ---- waiting for several ---- */

static void wait_for_any(void *arg)
{
	struct test *test = arg;
	struct eventpoll *ep = eventpoll_new(this_cpu);
	int other = sys_socket(test->family, SOCK_DGRAM, 0);
	int fd = open_bound(test);

	ck_assert_int_eq(sys_epoll_ctl_add(ep, other), 0);
	ck_assert_int_eq(sys_epoll_ctl_add(ep, fd), 0);
	ck_assert_int_eq(sys_epoll_ctl_add(ep, 1000), -EBADF);
	test->got[0] = sys_epoll_wait(ep, this_cpu->clock + LATE) == -1;
	arrive_at(test, this_cpu->clock + LATE);
	test->when = this_cpu->clock;
	test->got[1] = sys_epoll_wait(ep, TIME_NEVER) == fd;
	test->when = this_cpu->clock - test->when;
	sys_recvfrom(fd, NULL, 2000, MSG_DONTWAIT, NULL);
	test->got[2] = sys_epoll_wait(ep, 0) == -1;
	eventpoll_release_file(ep, fd);
	eventpoll_release_file(ep, other);
	sys_close(fd);
	sys_close(other);
	eventpoll_free(ep);
}

START_TEST(one_of_several_becomes_readable)
{
	struct test test = test_new(_i);

	net_run_one(test.net, wait_for_any, &test);
	ck_assert_int_eq(test.got[0], 1);
	ck_assert_int_eq(test.got[1], 1);
	ck_assert_int_eq(test.got[2], 1);
	ck_assert_uint_gt(test.when, LATE);
	ck_assert_uint_lt(test.when, LATE + 20 * PS_PER_US);
	test_end(&test);
}
END_TEST

/* ---- a group ---- */

#define MEMBERS 40u

static void listen_together(void *arg)
{
	struct test *test = arg;
	int fds[MEMBERS];
	u32 i;

	for (i = 0; i < MEMBERS; i++) {
		struct sockaddr_any any = { .family = test->family,
					    .port = NET_PORT };

		fds[i] = sys_socket(test->family, SOCK_DGRAM, 0);
		sys_setsockopt(fds[i], SOL_SOCKET, SO_REUSEADDR, 1);
		ck_assert_int_eq(sys_bind(fds[i], &any, SOCKADDR_IN6_SIZE), 0);
	}
	/* One has another peer: it is for none of its business. */
	net_inet(fds[7])->inet_dport = 54;
	arrive_at(test, this_cpu->clock + LATE);
	test->got[0] = sys_recvfrom(fds[0], NULL, 2000, 0, &test->from);
	for (i = 1; i < MEMBERS; i++)
		ck_assert_int_eq(sys_recvfrom(fds[i], NULL, 2000, MSG_DONTWAIT,
					      NULL), i == 7 ? -EAGAIN : 60);
	for (i = 0; i < MEMBERS; i++) {
		/* Nobody is held any more. */
		ck_assert_int_eq(net_sk(fds[i])->sk_refcnt, 2);
		sys_close(fds[i]);
	}
}

START_TEST(each_of_a_group_gets_it)
{
	struct test test = test_new(_i);

	test.datagram.to.daddr = 0xe0010203;
	test.datagram.to.daddr6 = (struct in6_addr){
		.s6_addr = { 0xff, 0x02, [15] = 9 },
	};
	net_run_one(test.net, listen_together, &test);
	ck_assert_int_eq(test.got[0], 60);
	test_end(&test);
}
END_TEST

Suite *suite_udp_rcv(void)
{
	Suite *suite = suite_create("udp_rcv");
	TCase *tests = tcase_create("tests");

	tcase_add_loop_test(tests, a_reader_sleeps_until_it_comes, 0,
			    2 * CASES);
	tcase_add_loop_test(tests, first_come_first_read, 0, CASES);
	tcase_add_loop_test(tests, a_wrong_sum_is_not_read, 0, CASES);
	tcase_add_loop_test(tests, a_full_buffer_drops, 0, CASES);
	tcase_add_loop_test(tests, nobody_listens, 0, CASES);
	tcase_add_loop_test(tests, a_held_socket_has_a_backlog, 0, CASES);
	tcase_add_loop_test(tests, one_of_several_becomes_readable, 0, CASES);
	tcase_add_loop_test(tests, each_of_a_group_gets_it, 0, CASES);
	suite_add_tcase(suite, tests);
	return suite;
}
