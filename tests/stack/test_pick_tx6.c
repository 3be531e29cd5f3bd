/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which transmit queue a datagram over IPv6 goes through.  Until 4.17 a
 * connected send stores the route that the socket has, which makes the socket
 * forget its queue, so that each packet's is chosen anew; unless a patch stops
 * the one or the kernel never remembers anyway.
 */
#include "net6_support.h"
#include "queue_support.h"

#define QUEUES 8u
#define SENDS 200u
#define SOCKETS 64u
#define NO_QUEUE (-1)
#define PEER6(n) ((struct in6_addr){ .s6_addr = { 0xfd, 0x03, [15] = (n) } })

static const struct {
	const char *kernel;
	const char *patches[3];
	u32 hashes;		/* for SENDS packets of a connected socket */
	bool forgets;		/* what it had, with each send */
} cases[] = {
	{ "linux-2.6.32", { NULL }, SENDS, false },
	{ "linux-2.6.32", { "sk-tx-queue-mapping" }, SENDS, true },
	{ "linux-2.6.32", { "udp6-no-dst-store" }, SENDS, false },
	{ "linux-2.6.32", { "sk-tx-queue-mapping", "udp6-no-dst-store" },
	  1, false },
	{ "linux-2.6.32", { "sk-tx-queue-mapping", "udp6-no-dst-store-rfc" },
	  1, false },
	{ "linux-3.6", { NULL }, SENDS, true },
	{ "linux-4.6", { NULL }, SENDS, true },
	{ "linux-6.1", { NULL }, 1, false },
};

static struct net_fixture *net;
static struct queue_device *q;
static bool leaks;	/* as test_dst_store.c shows */

static void add_ipv6(void)
{
	static const u8 mac[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0x03 };
	const struct in6_addr own = PEER6(1);
	GError *error = NULL;
	u8 i;

	if (!inet6_add_address(net->kernel, q->dev, &own, 64, &error))
		ck_abort_msg("%s", error->message);
	for (i = 2; i <= 9; i++) {
		const struct in6_addr peer = PEER6(i);

		neigh_add6(net->kernel, q->dev, &peer, mac, NUD_REACHABLE);
	}
	machine_settle(net->machine);
}

static void build(int i)
{
	const struct net_setup setup = {
		.kernel = cases[i].kernel, .check = true,
		.patches = cases[i].patches[0] ? cases[i].patches : NULL,
	};

	leaks = cases[i].patches[0] && cases[i].patches[1] &&
		g_str_equal(cases[i].patches[1], "udp6-no-dst-store-rfc");
	net = net_new(&setup);
	q = queue_device_new(net, QUEUES, 1000);
	add_ipv6();
}

static void teardown(void)
{
	g_clear_pointer(&q, queue_device_free);
	g_clear_pointer(&net, net_free);
}

static void run(void (*fn)(void *arg))
{
	net_run_one(net, fn, NULL);
	if (!leaks)
		net_verify_clean(net);
}

static u64 hashes(void)
{
	return net_calls(net, "skb_tx_hash");
}

static void verify_one_queue(void)
{
	u32 i;

	for (i = 0; i < q->num_sent; i++) {
		ck_assert_uint_lt(q->sent[i].queue, QUEUES);
		ck_assert_uint_eq(q->sent[i].queue, q->sent[0].queue);
	}
}

/* ---- a connected socket ---- */

static s32 remembered;

static void send_connected(void *arg)
{
	int fd = net6_socket_to(PEER6(2));
	u32 i;

	(void)arg;
	for (i = 0; i < SENDS; i++)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	remembered = net_sk(fd)->sk_tx_queue_mapping;
	sys_close((u32)fd);
}

START_TEST(test_a_connected_socket)
{
	u64 writes;

	build(_i);
	run(send_connected);
	ck_assert_uint_eq(q->num_sent, SENDS);
	verify_one_queue();
	ck_assert_uint_eq(hashes(), cases[_i].hashes);
	ck_assert_uint_eq(net->kernel->net_core->tx_picked, SENDS);
	ck_assert_uint_eq(net->kernel->net_core->tx_hashed, cases[_i].hashes);
	writes = net_hits(net, "sock", "sk_tx_queue_mapping", ACCESS_WRITE);
	if (!kernel_has(net->kernel, SK_TX_QUEUE_MAPPING))
		ck_assert_uint_eq(writes, 0);
	else if (cases[_i].forgets)
		ck_assert_uint_ge(writes, 2 * SENDS);
	else
		ck_assert_uint_lt(writes, 10);
	if (cases[_i].forgets)
		ck_assert_int_eq(remembered, NO_QUEUE);
	else if (cases[_i].hashes == 1)
		ck_assert_int_eq(remembered, q->sent[0].queue);
}
END_TEST

/* ---- others ---- */

/* It has no route of its own to forget, nor to remember a queue by. */
static void send_to(void *arg)
{
	int fd = net6_socket();
	u32 i;

	(void)arg;
	for (i = 0; i < SENDS; i++)
		ck_assert_int_eq(net6_send_to(fd, "x", 1, 0, PEER6(2)), 1);
	sys_close((u32)fd);
}

START_TEST(test_an_unconnected_socket)
{
	build(_i);
	run(send_to);
	ck_assert_uint_eq(q->num_sent, SENDS);
	verify_one_queue();
	ck_assert_uint_eq(hashes(), SENDS);
}
END_TEST

static void send_many(void *arg)
{
	int fds[SOCKETS];
	u32 i;

	(void)arg;
	for (i = 0; i < SOCKETS; i++) {
		fds[i] = net6_socket_to(PEER6((u8)(2 + i % 8)));
		ck_assert_int_eq(net_send(fds[i], "x", 1, 0), 1);
	}
	for (i = 0; i < SOCKETS; i++)
		sys_close((u32)fds[i]);
}

START_TEST(test_sockets_spread)
{
	u32 i, used = 0;

	build(_i);
	run(send_many);
	ck_assert_uint_eq(q->num_sent, SOCKETS);
	for (i = 0; i < q->num_sent; i++) {
		ck_assert_uint_lt(q->sent[i].queue, QUEUES);
		used |= 1u << q->sent[i].queue;
	}
	ck_assert_uint_eq(used, (1u << QUEUES) - 1);
}
END_TEST

/* ---- by the driver ---- */

static u16 select_queue(struct net_device *dev, struct sk_buff *skb)
{
	(void)dev;
	(void)skb;
	return 5;
}

START_TEST(test_the_driver_may_choose)
{
	build(_i);
	((struct net_device_ops *)q->dev->netdev_ops)->ndo_select_queue =
		select_queue;
	run(send_connected);
	ck_assert_uint_eq(q->num_sent, SENDS);
	ck_assert_uint_eq(q->sent[0].queue, 5);
	verify_one_queue();
	ck_assert_uint_eq(hashes(), 0);
}
END_TEST

Suite *suite_pick_tx6(void)
{
	Suite *suite = suite_create("pick_tx6");
	TCase *tc = tcase_create("pick_tx6");
	int n = G_N_ELEMENTS(cases);

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, test_a_connected_socket, 0, n);
	tcase_add_loop_test(tc, test_an_unconnected_socket, 0, n);
	tcase_add_loop_test(tc, test_sockets_spread, 0, n);
	tcase_add_loop_test(tc, test_the_driver_may_choose, 0, n);
	suite_add_tcase(suite, tc);
	return suite;
}
