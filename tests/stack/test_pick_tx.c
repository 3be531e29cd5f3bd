/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which transmit queue a datagram goes through: what a socket remembers and
 * when it forgets it, the hash, the map of CPUs, and the driver's own choice.
 */
#include "net_support.h"
#include "queue_support.h"

#define QUEUES 8u
#define NO_QUEUE (-1)

static struct net_fixture *net;
static struct queue_device *q;
static const char *const kernels[] = {
	"linux-3.4", "linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6",
	"linux-6.1",
};

static void build(int kernel, u32 cores)
{
	struct net_setup setup = {
		.cores = cores, .kernel = kernels[kernel],
	};

	net = net_new(&setup);
	q = queue_device_new(net, QUEUES, 1000);
}

static void teardown(void)
{
	g_clear_pointer(&q, queue_device_free);
	g_clear_pointer(&net, net_free);
}

static u64 hashes(void)
{
	return net_calls(net, "skb_tx_hash");
}

static void send_connected(int fd, u32 n)
{
	while (n--)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
}

/* ---- a connected socket ---- */

static void keep_process(void *arg)
{
	int fd = net_socket_to(QUEUE_PEER(1));
	u64 before;

	(void)arg;
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, NO_QUEUE);
	before = hashes();
	send_connected(fd, 1000);
	ck_assert_uint_eq(hashes() - before, 1);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, q->sent[0].queue);
	sys_close((u32)fd);
}

START_TEST(test_a_connected_socket_keeps_its_queue)
{
	u32 i;

	build(_i, 1);
	net_run_one(net, keep_process, NULL);
	ck_assert_uint_eq(q->num_sent, 1000);
	for (i = 1; i < q->num_sent; i++)
		ck_assert_uint_eq(q->sent[i].queue, q->sent[0].queue);
}
END_TEST

static void connect_process(void *arg)
{
	int fd = net_socket_to(QUEUE_PEER(1));
	u64 before;

	(void)arg;
	send_connected(fd, 10);
	before = hashes();
	ck_assert_int_eq(net_connect(fd, QUEUE_PEER(2), NET_PORT), 0);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, NO_QUEUE);
	send_connected(fd, 10);
	ck_assert_uint_eq(hashes() - before, 1);
	sys_close((u32)fd);
}

START_TEST(test_connect_forgets_it_once)
{
	build(_i, 1);
	net_run_one(net, connect_process, NULL);
	ck_assert_uint_eq(q->num_sent, 20);
}
END_TEST

/* Fewer queues than the number that the socket remembers. */
static void fewer_process(void *arg)
{
	int fd = net_socket_to(QUEUE_PEER(1));
	u64 before;

	(void)arg;
	send_connected(fd, 1);
	net_sk(fd)->sk_tx_queue_mapping = QUEUES - 1;
	q->dev->real_num_tx_queues = 2;
	before = hashes();
	send_connected(fd, 5);
	ck_assert_uint_eq(hashes() - before, 1);
	ck_assert_int_lt(net_sk(fd)->sk_tx_queue_mapping, 2);
	sys_close((u32)fd);
}

START_TEST(test_a_number_that_is_too_large_is_none)
{
	build(_i, 1);
	net_run_one(net, fewer_process, NULL);
}
END_TEST

/* ---- others ---- */

static void sendto_process(void *arg)
{
	int fd = net_socket();
	u32 i;

	(void)arg;
	for (i = 0; i < 100; i++)
		ck_assert_int_eq(net_send_to(fd, "x", 1, 0, QUEUE_PEER(1)), 1);
	ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, NO_QUEUE);
	sys_close((u32)fd);
}

START_TEST(test_an_unconnected_socket_is_hashed_each_time)
{
	u32 i;

	build(_i, 1);
	net_run_one(net, sendto_process, NULL);
	ck_assert_uint_eq(hashes(), 100);
	for (i = 1; i < q->num_sent; i++)
		ck_assert_uint_eq(q->sent[i].queue, q->sent[0].queue);
}
END_TEST

/* Sockets spread over the queues: each has had one of 64. */
static void spread_process(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < 64; i++) {
		int fd = net_socket_to(QUEUE_PEER(1 + i % 8));

		send_connected(fd, 1);
	}
}

START_TEST(test_sockets_spread)
{
	u32 i, used = 0;

	build(_i, 1);
	net_run_one(net, spread_process, NULL);
	ck_assert_uint_eq(q->num_sent, 64);
	for (i = 0; i < q->num_sent; i++) {
		ck_assert_uint_lt(q->sent[i].queue, QUEUES);
		used |= 1u << q->sent[i].queue;
	}
	ck_assert_uint_eq(used, (1u << QUEUES) - 1);
}
END_TEST

/* ---- by the CPU ---- */

static void one_process(void *arg)
{
	int fd = net_socket_to(QUEUE_PEER(1));

	(void)arg;
	send_connected(fd, 3);
	sys_close((u32)fd);
}

START_TEST(test_xps_goes_by_the_cpu)
{
	struct net_process processes[3];
	u32 i;

	build(_i, 4);
	/* CPU 3 has no queue of its own: a hash says. */
	for (i = 0; i < 3; i++)
		netif_set_xps_queue(net->kernel, q->dev, i, (u16)(6 - i));
	for (i = 0; i < 3; i++)
		processes[i] = (struct net_process){
			.cpu = i + 1, .fn = one_process,
		};
	net_run(net, processes, 3);
	ck_assert_uint_eq(q->num_sent, 9);
	for (i = 0; i < 9; i++)
		if (q->sent[i].cpu < 3)
			ck_assert_uint_eq(q->sent[i].queue,
					  6 - q->sent[i].cpu);
	ck_assert_uint_eq(hashes(), 1);
}
END_TEST

/* ---- by the driver ---- */

static u32 asked;

static u16 select_queue(struct net_device *dev, struct sk_buff *skb)
{
	(void)dev;
	(void)skb;
	return asked++ % 2 ? 5 : QUEUES;	/* the second is none */
}

START_TEST(test_the_driver_may_choose)
{
	u32 i;

	build(_i, 1);
	asked = 0;
	((struct net_device_ops *)q->dev->netdev_ops)->ndo_select_queue =
		select_queue;
	net_run_one(net, one_process, NULL);
	ck_assert_uint_eq(asked, 3);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(q->sent[i].queue, i % 2 ? 5 : 0);
	ck_assert_uint_eq(hashes(), 0);
}
END_TEST

Suite *suite_pick_tx(void)
{
	Suite *suite = suite_create("pick_tx");
	TCase *tc = tcase_create("pick_tx");
	int n = G_N_ELEMENTS(kernels);

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_a_connected_socket_keeps_its_queue, 0, n);
	tcase_add_loop_test(tc, test_connect_forgets_it_once, 0, n);
	tcase_add_loop_test(tc, test_a_number_that_is_too_large_is_none, 0, n);
	tcase_add_loop_test(tc, test_an_unconnected_socket_is_hashed_each_time,
			    0, n);
	tcase_add_loop_test(tc, test_sockets_spread, 0, n);
	tcase_add_loop_test(tc, test_xps_goes_by_the_cpu, 0, n);
	tcase_add_loop_test(tc, test_the_driver_may_choose, 0, n);
	suite_add_tcase(suite, tc);
	return suite;
}
