/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfifo_fast between dev_queue_xmit() and a driver that the test plays: what
 * goes past the queue, what waits and in which order it goes, what is dropped.
 */
#include <errno.h>

#include "net_support.h"
#include "queue_support.h"
#include "stack/include/linux/sched.h"

static struct net_fixture *net;
static struct queue_device *q;

static const char *const kernels[] = {
	"linux-2.6.32", "linux-3.4", "linux-3.6", "linux-3.12", "linux-3.15",
	"linux-4.6", "linux-6.1",
};

static void build(const char *kernel, u32 cores, u32 len)
{
	struct net_setup setup = {
		.cores = cores, .check = true, .kernel = kernel,
	};

	net = net_new(&setup);
	q = queue_device_new(net, 1, len);
}

static void teardown(void)
{
	g_clear_pointer(&q, queue_device_free);
	g_clear_pointer(&net, net_free);
}

static struct netdev_queue *txq(void)
{
	return q->dev->_tx[0];
}

/* Hands over packets with these priorities and marks 0, 1, 2 ... */
static const u32 *priorities;
static u32 num_packets;
static int results[64];

static void send_all(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < num_packets; i++)
		results[i] = queue_send(q, (u8)i, priorities ? priorities[i] :
					0);
}

static void stop_send_wake(void *arg)
{
	netif_tx_stop_queue(txq());
	send_all(arg);
	ck_assert_uint_eq(q->num_sent, 0);
	local_bh_disable();
	netif_tx_wake_queue(txq());
	local_bh_enable();	/* the softirq runs here */
}

static void expect_order(const u8 *marks, u32 n)
{
	u32 i;

	ck_assert_uint_eq(q->num_sent, n);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(q->sent[i].mark, marks[i]);
	ck_assert_uint_eq(txq()->qdisc->q.qlen, 0);
	ck_assert_ptr_null(txq()->qdisc->gso_skb);
	net_verify_clean(net);
}

START_TEST(test_an_empty_queue_is_gone_past)
{
	static const u8 order[] = { 0, 1, 2 };

	build(kernels[_i], 1, 100);
	num_packets = 3;
	priorities = NULL;
	net_run_one(net, send_all, NULL);
	expect_order(order, 3);
	ck_assert_uint_eq(net_calls(net, "pfifo_fast_enqueue"), 0);
	ck_assert_uint_eq(net_calls(net, "sch_direct_xmit"), 3);
	ck_assert_uint_eq(txq()->qdisc->bstats.packets, 3);
	/* The driver's lock was held, and by whom was noted. */
	ck_assert_uint_eq(q->unlocked, 0);
	ck_assert_int_eq(txq()->xmit_lock_owner, -1);
}
END_TEST

/* The first one went to the driver's door, and keeps its place: behind it the
 * priorities 6 and 7 go first, then 0, then 1. */
START_TEST(test_bands_by_priority)
{
	static const u32 wanted[] = { 1, 1, 0, 7, 2, 6, 4, 100 };
	static const u8 order[] = { 0, 3, 5, 2, 6, 7, 1, 4 };

	build(kernels[_i], 1, 100);
	num_packets = G_N_ELEMENTS(wanted);
	priorities = wanted;
	net_run_one(net, stop_send_wake, NULL);
	expect_order(order, num_packets);
	ck_assert_uint_eq(txq()->qdisc->qstats.requeues, 1);
	ck_assert_uint_eq(txq()->qdisc->qstats.backlog, 0);
	ck_assert_uint_eq(txq()->qdisc->bstats.packets, num_packets);
}
END_TEST

START_TEST(test_a_full_queue_drops)
{
	static const u8 order[] = { 0, 1, 2, 3 };
	u32 i;

	build(kernels[_i], 1, 4);
	num_packets = 7;
	priorities = NULL;
	net_run_one(net, stop_send_wake, NULL);
	for (i = 0; i < num_packets; i++)
		ck_assert_int_eq(results[i], i < 4 ? NET_XMIT_SUCCESS :
				 NET_XMIT_DROP);
	expect_order(order, 4);
	ck_assert_uint_eq(txq()->qdisc->qstats.drops, 3);
}
END_TEST

/* A driver that says no gets the same packet again, from the softirq. */
START_TEST(test_busy_driver)
{
	static const u8 order[] = { 0, 1 };

	build(kernels[_i], 1, 100);
	q->refuse = 2;
	num_packets = 2;
	priorities = NULL;
	net_run_one(net, send_all, NULL);
	expect_order(order, 2);
	ck_assert_uint_eq(txq()->qdisc->qstats.requeues, 2);
	ck_assert_uint_ge(net_calls(net, "net_tx_action"), 1);
}
END_TEST

/* ---- several CPUs ---- */

#define EACH 200u

static void send_many(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < EACH; i++) {
		int rc = queue_send(q, (u8)this_cpu->id, 0);

		if (rc)
			ck_abort_msg("dropped");
	}
}

/* Each packet goes once, those of a CPU in their order, under the locks that
 * the checks watch. */
START_TEST(test_cpus_share_a_queue)
{
	struct net_process processes[4];
	u32 i, last[4] = { 0 }, seen[4] = { 0 };

	build(kernels[_i], 4, 1000);
	for (i = 0; i < 4; i++)
		processes[i] = (struct net_process){
			.cpu = i, .fn = send_many,
		};
	net_run(net, processes, 4);
	ck_assert_uint_eq(q->num_sent, 4 * EACH);
	for (i = 0; i < q->num_sent; i++) {
		u32 cpu = q->sent[i].mark;

		ck_assert_uint_lt(cpu, 4);
		if (seen[cpu]++)
			ck_assert_uint_gt(q->sent[i].number, last[cpu]);
		last[cpu] = q->sent[i].number;
	}
	ck_assert_uint_eq(q->unlocked, 0);
	/* They met: some packets were queued for another CPU to send. */
	ck_assert_uint_gt(net_calls(net, "pfifo_fast_enqueue"), 0);
	net_verify_clean(net);
}
END_TEST

Suite *suite_qdisc(void)
{
	Suite *suite = suite_create("qdisc");
	TCase *tc = tcase_create("qdisc");
	int n = G_N_ELEMENTS(kernels);

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_an_empty_queue_is_gone_past, 0, n);
	tcase_add_loop_test(tc, test_bands_by_priority, 0, n);
	tcase_add_loop_test(tc, test_a_full_queue_drops, 0, n);
	tcase_add_loop_test(tc, test_busy_driver, 0, n);
	tcase_add_loop_test(tc, test_cpus_share_a_queue, 0, n);
	suite_add_tcase(suite, tc);
	return suite;
}
