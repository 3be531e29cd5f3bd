/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MTU of a path, as routers tell it: what the next datagrams may have, for
 * how long, and that nothing of it is left when a route goes.
 */
#include <errno.h>

#include "icmp_support.h"
#include "neigh_support.h"
#include "stack/net/ipv4/route.h"

#define OTHER IP(10, 2, 2, 7)
#define EXPIRES_S 600

static const struct era {
	const char *kernel;
	bool refreshes;		/* sockets learn of it at once */
	bool removes;		/* an exception goes when it has expired */
} eras[] = {
	{ "linux-3.6", false, false },
	{ "linux-3.12", true, false },
	{ "linux-3.15", true, false },
	{ "linux-4.6", true, false },
	{ "linux-6.1", true, true },
};

struct test {
	const struct era *era;
	struct net_fixture *net;
};

static void run(int i, void (*fn)(void *arg))
{
	const struct net_setup setup = {
		.check = true, .kernel = eras[i].kernel,
	};
	struct test test = { .era = &eras[i], .net = net_new(&setup) };

	net_run_one(test.net, fn, &test);
	net_verify_clean(test.net);
	net_free(test.net);
}

static u32 exceptions(const struct test *test)
{
	const struct fnhe_vars *vars = test->net->kernel->ipv4->fnhe;

	return vars ? vars->count : 0;
}

static u32 mtu_of(int fd)
{
	u32 mtu = 0;

	ck_assert_int_eq(sys_getsockopt(fd, SOL_IP, IP_MTU, &mtu), 0);
	return mtu;
}

/* What a new socket to an address finds. */
static u32 mtu_to(u32 daddr)
{
	int fd = net_socket_to(daddr);
	u32 mtu = mtu_of(fd);

	sys_close(fd);
	return mtu;
}

/* Sends one byte to an address and hears that it was too long. */
static void too_big(const struct test *test, u32 daddr, u32 mtu)
{
	int fd = net_socket_to(daddr);

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(test->net, false, mtu);
	sys_close(fd);
}

static void learns(void *arg)
{
	const struct test *test = arg;
	int fd = net_socket_to(NET_PEER);
	u32 err = 0;

	ck_assert_uint_eq(mtu_of(fd), 1500);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(test->net, false, 1000);
	ck_assert_uint_eq(exceptions(test), 1);
	/* The sender hears of it, once. */
	ck_assert_int_eq(sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &err), 0);
	ck_assert_uint_eq(err, EMSGSIZE);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &err), 0);
	ck_assert_uint_eq(err, 0);
	/* This one keeps its route in the kernels that tell nobody. */
	ck_assert_uint_eq(mtu_of(fd), test->era->refreshes ? 1000 : 1500);
	ck_assert_uint_eq(mtu_to(NET_PEER), 1000);
	/* Nobody else's path is the narrower for it. */
	ck_assert_uint_eq(mtu_to(OTHER), 1500);
	/* A second word, to the same: there is one exception still. */
	icmp_too_big(test->net, false, 800);
	ck_assert_uint_eq(exceptions(test), 1);
	if (test->era->refreshes) {
		ck_assert_uint_eq(mtu_of(fd), 800);
		ck_assert_uint_eq(mtu_to(NET_PEER), 800);
	}
	sys_close(fd);
}

START_TEST(test_learns)
{
	run(_i, learns);
}
END_TEST

/* As long as it holds, and not a jiffy longer. */
static void expires(void *arg)
{
	const struct test *test = arg;
	int fd;

	too_big(test, NET_PEER, 1000);
	fd = net_socket_to(NET_PEER);
	ck_assert_uint_eq(mtu_of(fd), 1000);
	jiffies_data()->jiffies += EXPIRES_S * HZ - 1;
	ck_assert_uint_eq(mtu_of(fd), 1000);
	ck_assert_uint_eq(mtu_to(NET_PEER), 1000);
	jiffies_data()->jiffies += 2;
	ck_assert_uint_eq(mtu_of(fd), 1500);
	ck_assert_uint_eq(mtu_to(NET_PEER), 1500);
	ck_assert_uint_eq(exceptions(test), !test->era->removes);
	/* And again. */
	too_big(test, NET_PEER, 900);
	ck_assert_uint_eq(exceptions(test), 1);
	if (test->era->refreshes)
		ck_assert_uint_eq(mtu_to(NET_PEER), 900);
	sys_close(fd);
}

START_TEST(test_expires)
{
	run(_i, expires);
}
END_TEST

/* Who holds a route that is stale looks for another, once. */
static void looks_again(void *arg)
{
	const struct test *test = arg;
	struct ipv4 *ipv4 = test->net->kernel->ipv4;
	int fd = net_socket_to(NET_PEER), other = net_socket_to(NET_PEER);
	u64 before;

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(net_send(other, "x", 1, 0), 1);
	icmp_too_big(test->net, false, 1000);
	sys_getsockopt(other, SOL_SOCKET, SO_ERROR, &(u32){ 0 });
	sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &(u32){ 0 });
	before = ipv4->fib_lookups;
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_uint_eq(ipv4->fib_lookups - before, test->era->refreshes);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(net_send(other, "x", 1, 0), 1);
	ck_assert_uint_eq(ipv4->fib_lookups - before, test->era->refreshes);
	ck_assert_uint_eq(mtu_of(fd), test->era->refreshes ? 1000 : 1500);
	ck_assert_uint_eq(mtu_of(other), test->era->refreshes ? 1000 : 1500);
	sys_close(fd);
	sys_close(other);
}

START_TEST(test_looks_again)
{
	run(_i, looks_again);
}
END_TEST

/* A word that makes no sense does no harm. */
static void bounds(void *arg)
{
	const struct test *test = arg;

	too_big(test, NET_PEER, 100);
	ck_assert_uint_eq(mtu_to(NET_PEER), 552);
	if (!has(PMTU_NO_INCREASE))
		return;
	too_big(test, OTHER, 9000);
	ck_assert_uint_eq(mtu_to(OTHER), 1500);
	ck_assert_uint_eq(exceptions(test), 1);
}

START_TEST(test_bounds)
{
	run(_i, bounds);
}
END_TEST

/* With DO, what does not fit is refused before it goes. */
static void refuses(void *arg)
{
	const struct test *test = arg;
	u8 data[1000] = { 0 };
	int fd;

	too_big(test, NET_PEER, 1000);
	fd = net_socket_to(NET_PEER);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MTU_DISCOVER,
					IP_PMTUDISC_DO), 0);
	ck_assert_int_eq(net_send(fd, data, 1000 - 28, 0), 1000 - 28);
	ck_assert_int_eq(net_send(fd, data, 1000 - 27, 0), -EMSGSIZE);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MTU_DISCOVER, 9),
			 -EINVAL);
	sys_close(fd);
}

START_TEST(test_refuses)
{
	run(_i, refuses);
}
END_TEST

/* With WANT it goes in fragments, none of them longer than the path takes. */
static void fragments(void *arg)
{
	const struct test *test = arg;
	u32 before, i;
	u8 data[1400] = { 0 };
	int fd;

	too_big(test, NET_PEER, 600);
	fd = net_socket_to(NET_PEER);
	before = test->net->packets->len;
	ck_assert_int_eq(net_send(fd, data, sizeof(data), 0), sizeof(data));
	/* 1408 bytes, 576 to a fragment. */
	ck_assert_uint_eq(test->net->packets->len - before, 3);
	for (i = before; i < test->net->packets->len; i++)
		ck_assert_uint_le(net_packet(test->net, i)->len, 14 + 600);
	sys_close(fd);
}

START_TEST(test_fragments)
{
	run(_i, fragments);
}
END_TEST

/* With PROBE the routers' word is not believed, and nothing is cut. */
static void probes(void *arg)
{
	const struct test *test = arg;
	const GByteArray *packet;
	u8 data[1400] = { 0 };
	u32 before;
	int fd;

	too_big(test, NET_PEER, 600);
	fd = net_socket_to(NET_PEER);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IP, IP_MTU_DISCOVER,
					IP_PMTUDISC_PROBE), 0);
	before = test->net->packets->len;
	ck_assert_int_eq(net_send(fd, data, sizeof(data), 0), sizeof(data));
	ck_assert_uint_eq(test->net->packets->len - before, 1);
	packet = net_packet(test->net, before);
	ck_assert_uint_eq(packet->len, 14 + 28 + sizeof(data));
	ck_assert_uint_eq(packet->data[14 + 6], 0x40);
	sys_close(fd);
}

START_TEST(test_probes)
{
	run(_i, probes);
}
END_TEST

/* Many destinations: a chain does not grow without end, and the route's end is
 * that of all its exceptions. */
static void many(void *arg)
{
	const struct test *test = arg;
	struct kernel *kernel = test->net->kernel;
	GError *error = NULL;
	u32 i;

	if (!inet_add_route(kernel, test->net->dev, IP(10, 9, 0, 0), 16, 0,
			    &error))
		ck_abort_msg("%s", error->message);
	for (i = 0; i < 200; i++)
		too_big(test, IP(10, 9, 0, i), 1000 + i);
	if (test->era->refreshes)
		for (i = 0; i < 200; i++)
			ck_assert_uint_eq(mtu_to(IP(10, 9, 0, i)), 1000 + i);
	ck_assert_uint_eq(exceptions(test), 200);
	ck_assert(inet_del_route(kernel, IP(10, 9, 0, 0), 16));
	ck_assert_uint_eq(exceptions(test), 0);
}

START_TEST(test_many)
{
	run(_i, many);
}
END_TEST

/* Of one nexthop: more than its chains take. */
static void flood(void *arg)
{
	const struct test *test = arg;
	GError *error = NULL;
	u32 i;

	if (!inet_add_route(test->net->kernel, test->net->dev,
			    IP(10, 0, 0, 0), 8, 0, &error))
		ck_abort_msg("%s", error->message);
	/* The first kernels' hash has these in one chain. */
	for (i = 0; i < 40; i++)
		too_big(test, IP(10, 64 + i, 7, 7), 1000);
	ck_assert_uint_gt(exceptions(test), 0);
	ck_assert_uint_le(exceptions(test), 40);
	ck_assert_uint_eq(mtu_to(IP(10, 64 + 39, 7, 7)), 1000);
	ck_assert(inet_del_route(test->net->kernel, IP(10, 0, 0, 0), 8));
	ck_assert_uint_eq(exceptions(test), 0);
}

START_TEST(test_flood)
{
	run(_i, flood);
}
END_TEST

static void without_route(void *arg)
{
	int fd = net_socket();
	u32 mtu;

	(void)arg;
	ck_assert_int_eq(sys_getsockopt(fd, SOL_IP, IP_MTU, &mtu), -ENOTCONN);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_IP, 99, &mtu), -ENOPROTOOPT);
	ck_assert_int_eq(sys_getsockopt(77, SOL_IP, IP_MTU, &mtu), -EBADF);
	sys_close(fd);
}

START_TEST(test_without_route)
{
	run(_i, without_route);
}
END_TEST

Suite *suite_pmtu(void)
{
	Suite *suite = suite_create("pmtu");
	TCase *tcase = tcase_create("ipv4");
	const int n = ARRAY_SIZE(eras);

	tcase_add_loop_test(tcase, test_learns, 0, n);
	tcase_add_loop_test(tcase, test_expires, 0, n);
	tcase_add_loop_test(tcase, test_looks_again, 0, n);
	tcase_add_loop_test(tcase, test_bounds, 0, n);
	tcase_add_loop_test(tcase, test_refuses, 0, n);
	tcase_add_loop_test(tcase, test_fragments, 0, n);
	tcase_add_loop_test(tcase, test_probes, 0, n);
	tcase_add_loop_test(tcase, test_many, 0, n);
	tcase_add_loop_test(tcase, test_flood, 0, n);
	tcase_add_loop_test(tcase, test_without_route, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}
