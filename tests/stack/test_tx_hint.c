/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transmit queue that a connected UDPv6 socket of 2.6.32 remembers, over
 * devices of eight queues: without the patch of 2009 it is chosen anew for
 * each of a million sends, with it once; and a change of the route, of the
 * device and of the peer makes the socket forget it once.
 */
#include "net6_support.h"
#include "stack/include/net/sch_generic.h"

#define QUEUES 8u
#ifdef __SANITIZE_ADDRESS__
#define SENDS 50000u		/* a million would take minutes */
#else
#define SENDS 1000000u
#endif
#define FEW 10u
#define NO_QUEUE (-1)
#define FD01(n) ((struct in6_addr){ .s6_addr = { 0xfd, 1, [15] = (n) } })

static const char *const variants[][3] = {
	{ "sk-tx-queue-mapping" },
	{ "sk-tx-queue-mapping", "udp6-no-dst-store-rfc" },
	{ "sk-tx-queue-mapping", "udp6-no-dst-store" },
};

enum { BEFORE, POSTED, CORRECTED };

struct test {
	struct net_fixture *net;
	struct net_device *dev[2];
	u32 sent[2][QUEUES];
	int variant;
};

static int queue_xmit(struct sk_buff *skb, struct net_device *dev)
{
	u32 *sent = dev->priv;

	sent[skb->queue_mapping]++;
	consume_skb(skb);
	return NETDEV_TX_OK;
}

static struct net_device *device_new(struct test *t, u32 i)
{
	struct kernel *kernel = t->net->kernel;
	static const u8 mac[] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0x03 };
	struct net_device_ops *ops = STATIC_OBJECT(kernel, net_device_ops, 0);
	struct net_device *dev = register_netdevice_mq(kernel, i ? "mq1" :
						       "mq0", 1500, QUEUES,
						       1000);
	const struct in6_addr addr = FD01((u8)(0x10 * i + 1));
	GError *error = NULL;
	u8 peer;

	ops->ndo_start_xmit = queue_xmit;
	dev->netdev_ops = ops;
	dev->priv = t->sent[i];
	ether_setup(kernel, dev);
	dev->flags = IFF_UP | IFF_NOARP;
	dev->dev_addr[0] = 0x02;
	dev->dev_addr[5] = (u8)(0x10 + i);
	if (!inet6_add_address(kernel, dev, &addr, i ? 128 : 64, &error))
		ck_abort_msg("%s", error->message);
	for (peer = 2; peer < 4; peer++)
		neigh_add6(kernel, dev, &FD01(peer), mac, NUD_PERMANENT);
	return dev;
}

static void build(struct test *t, int variant)
{
	struct net_setup setup = {
		.kernel = "linux-2.6.32", .patches = variants[variant],
	};

	*t = (struct test){ .net = net6_new(&setup), .variant = variant };
	t->dev[0] = device_new(t, 0);
	t->dev[1] = device_new(t, 1);
	machine_settle(t->net->machine);
}

static u64 hashes(const struct test *t)
{
	return net_calls(t->net, "skb_tx_hash");
}

static void send(int fd, u32 n)
{
	while (n--)
		ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
}

static u32 queues_used(const struct test *t, u32 dev)
{
	u32 i, used = 0;

	for (i = 0; i < QUEUES; i++)
		used += t->sent[dev][i] > 0;
	return used;
}

static u32 sent_by(const struct test *t, u32 dev)
{
	u32 i, sum = 0;

	for (i = 0; i < QUEUES; i++)
		sum += t->sent[dev][i];
	return sum;
}

/* ---- a million sends ---- */

static void send_many(void *arg)
{
	struct test *t = arg;
	int fd = net6_socket_to(FD01(2));
	u64 before = hashes(t);

	send(fd, SENDS);
	ck_assert_uint_eq(hashes(t) - before, t->variant == BEFORE ? SENDS : 1);
	if (t->variant == BEFORE)
		ck_assert_int_eq(net_sk(fd)->sk_tx_queue_mapping, NO_QUEUE);
	else
		ck_assert_uint_eq(t->sent[0][net_sk(fd)->sk_tx_queue_mapping],
				  SENDS);
	sys_close((u32)fd);
}

START_TEST(a_million_sends)
{
	struct test t;

	build(&t, _i);
	net_run_one(t.net, send_many, &t);
	ck_assert_uint_eq(queues_used(&t, 0), 1);
	ck_assert_uint_eq(sent_by(&t, 0), SENDS);
	net_free(t.net);
}
END_TEST

/* ---- what makes it forget ---- */

static void add_route(struct test *t, u32 dev, u32 prefix)
{
	GError *error = NULL;

	if (!inet6_add_route(t->net->kernel, t->dev[dev], &FD01(0), prefix,
			     NULL, &error))
		ck_abort_msg("%s", error->message);
}

/* A nearer route on the same device. */
static void change_route(struct test *t, int fd)
{
	(void)fd;
	add_route(t, 0, 120);
}

static void change_device(struct test *t, int fd)
{
	(void)fd;
	add_route(t, 1, 120);
}

static void change_peer(struct test *t, int fd)
{
	(void)t;
	ck_assert_int_eq(net6_connect(fd, FD01(3)), 0);
}

static const struct change {
	void (*make)(struct test *t, int fd);
	u32 dev;		/* that the socket sends by then */
	u32 hashes;
} changes[] = {
	/* The send that finds that its route is gone stores the new one behind
	 * the choice of a queue, which so is of no use to the next. */
	{ change_route, 0, 2 },
	{ change_device, 1, 2 },
	{ change_peer, 0, 1 },
};

struct change_test {
	struct test t;
	const struct change *change;
};

static void send_and_change(void *arg)
{
	struct change_test *c = arg;
	struct test *t = &c->t;
	int fd = net6_socket_to(FD01(2));
	u64 before;

	send(fd, FEW);
	before = hashes(t);
	send(fd, FEW);
	ck_assert_uint_eq(hashes(t) - before, 0);
	c->change->make(t, fd);
	send(fd, FEW);
	ck_assert_uint_eq(hashes(t) - before, c->change->hashes);
	send(fd, FEW);
	ck_assert_uint_eq(hashes(t) - before, c->change->hashes);
	ck_assert_int_ne(net_sk(fd)->sk_tx_queue_mapping, NO_QUEUE);
	ck_assert_ptr_eq(net_sk(fd)->sk_dst_cache->dev,
			 t->dev[c->change->dev]);
	sys_close((u32)fd);
}

START_TEST(a_change_is_forgotten_once)
{
	struct change_test c = { .change = &changes[_i / 2] };

	build(&c.t, _i % 2 ? CORRECTED : POSTED);
	net_run_one(c.t.net, send_and_change, &c);
	ck_assert_uint_eq(sent_by(&c.t, 0) + sent_by(&c.t, 1), 4 * FEW);
	ck_assert_uint_eq(sent_by(&c.t, 1), c.change->dev ? 2 * FEW : 0);
	net_free(c.t.net);
}
END_TEST

Suite *suite_tx_hint(void)
{
	Suite *suite = suite_create("tx_hint");
	TCase *tcase = tcase_create("tx_hint");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, a_million_sends, 0, ARRAY_SIZE(variants));
	tcase_add_loop_test(tcase, a_change_is_forgotten_once, 0,
			    2 * ARRAY_SIZE(changes));
	suite_add_tcase(suite, tcase);
	return suite;
}
