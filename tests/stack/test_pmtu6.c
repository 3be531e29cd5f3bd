/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MTU of an IPv6 path, as routers tell it: see test_pmtu.c.
 */
#include <errno.h>

#include "icmp_support.h"
#include "ip6_support.h"
#include "stack/net/ipv6/route.h"

#define OTHER FD00(7)
#define EXPIRES_S 600
#define GC_INTERVAL_S 30

static const struct era {
	const char *kernel;
	bool by_lookup;		/* look-ups see what has expired */
} eras[] = {
	{ "linux-2.6.32", false },
	{ "linux-3.6", false },
	{ "linux-3.12", false },
	{ "linux-3.15", false },
	{ "linux-4.6", true },
	{ "linux-6.1", true },
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
	struct test test = { .era = &eras[i], .net = net6_new(&setup) };

	net_run_one(test.net, fn, &test);
	net_verify_clean(test.net);
	net_free(test.net);
}

static u32 mtu_of(int fd)
{
	u32 mtu = 0;

	ck_assert_int_eq(sys_getsockopt(fd, SOL_IPV6, IPV6_MTU, &mtu), 0);
	return mtu;
}

static u32 mtu_to(struct in6_addr daddr)
{
	int fd = net6_socket_to(daddr);
	u32 mtu = mtu_of(fd);

	sys_close(fd);
	return mtu;
}

/* Sends one byte to an address and hears that it was too long. */
static void too_big(const struct test *test, struct in6_addr daddr, u32 mtu)
{
	int fd = net6_socket_to(daddr);

	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(test->net, true, mtu);
	sys_close(fd);
}

static void collect(const struct test *test)
{
	local_bh_disable();
	fib6_run_gc(test->net->kernel->init_net);
	local_bh_enable();
}

/* Routes that hold what was learnt. */
static u32 learnt(const struct test *test)
{
	const GPtrArray *routes = test->net->kernel->ipv6->routes;
	u32 i, n = 0;

	for (i = 0; i < routes->len; i++) {
		const struct rt6_info *rt = g_ptr_array_index(routes, i);

		if (rt->rt6i_flags & RTF_EXPIRES)
			n += has(FIB6_RCU) ? rt->from != NULL :
					     rt->rt6i_node != NULL;
	}
	return n;
}

static void learns(void *arg)
{
	const struct test *test = arg;
	int fd = net6_socket_to(NET6_PEER), other = net6_socket_to(NET6_PEER);
	const struct timer_list *timer;
	u32 err = 0;
	u64 wait;

	ck_assert_uint_eq(mtu_of(fd), 1500);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(test->net, true, 1400);
	ck_assert_uint_eq(learnt(test), 1);
	timer = &test->net->kernel->init_net->ipv6.ip6_fib_timer;
	ck_assert(timer->pending);
	/* Kernels with timer slack let it come a little later. */
	wait = timer->expires - jiffies_data()->jiffies;
	ck_assert_uint_ge(wait, GC_INTERVAL_S * HZ);
	ck_assert_uint_le(wait, GC_INTERVAL_S * HZ * 257 / 256);
	ck_assert_int_eq(sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &err), 0);
	ck_assert_uint_eq(err, has(UDP6_TOOBIG_HARD) ? EMSGSIZE : 0);
	/* At the latest with the next datagram each knows. */
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(net_send(other, "x", 1, 0), 1);
	ck_assert_uint_eq(mtu_of(fd), 1400);
	ck_assert_uint_eq(mtu_of(other), 1400);
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1400);
	ck_assert_uint_eq(mtu_to(OTHER), 1500);
	/* A second word, to the same: still one route. */
	icmp_too_big(test->net, true, 1300);
	ck_assert_uint_eq(learnt(test), 1);
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1300);
	sys_close(fd);
	sys_close(other);
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

	too_big(test, NET6_PEER, 1400);
	fd = net6_socket_to(NET6_PEER);
	jiffies_data()->jiffies += EXPIRES_S * HZ - 1;
	collect(test);
	ck_assert_uint_eq(learnt(test), 1);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_uint_eq(mtu_of(fd), 1400);
	jiffies_data()->jiffies += 2;
	if (test->era->by_lookup)
		ck_assert_uint_eq(mtu_to(NET6_PEER), 1500);
	collect(test);
	ck_assert_uint_eq(learnt(test), 0);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	ck_assert_uint_eq(mtu_of(fd), 1500);
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1500);
	/* And again. */
	too_big(test, NET6_PEER, 1350);
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1350);
	sys_close(fd);
}

START_TEST(test_expires)
{
	run(_i, expires);
}
END_TEST

/* Before the garbage collector has come: old kernels have no place for another
 * clone and keep the one that has expired. */
static void before_collection(void *arg)
{
	const struct test *test = arg;
	bool kept = !test->era->by_lookup;

	too_big(test, NET6_PEER, 1400);
	jiffies_data()->jiffies += EXPIRES_S * HZ + 1;
	ck_assert_uint_eq(mtu_to(NET6_PEER), kept ? 1400 : 1500);
	collect(test);
	ck_assert_uint_eq(learnt(test), 0);
	ck_assert_uint_eq(mtu_to(NET6_PEER), kept ? 1400 : 1500);
}

START_TEST(test_before_collection)
{
	run(_i, before_collection);
}
END_TEST

/* A new word about a route that has expired and is still there. */
static void renewed(void *arg)
{
	const struct test *test = arg;

	too_big(test, NET6_PEER, 1400);
	jiffies_data()->jiffies += EXPIRES_S * HZ + 1;
	too_big(test, NET6_PEER, 1300);
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1300);
	jiffies_data()->jiffies += EXPIRES_S * HZ - 1;
	ck_assert_uint_eq(mtu_to(NET6_PEER), 1300);
}

START_TEST(test_renewed)
{
	run(_i, renewed);
}
END_TEST

static void bounds(void *arg)
{
	const struct test *test = arg;

	too_big(test, NET6_PEER, 1000);
	ck_assert_uint_eq(mtu_to(NET6_PEER), has(RT6_PMTU_MIN) ? 1500 : 1280);
	too_big(test, OTHER, 9000);
	ck_assert_uint_eq(mtu_to(OTHER), 1500);
	ck_assert_uint_eq(learnt(test), !has(RT6_PMTU_MIN));
}

START_TEST(test_bounds)
{
	run(_i, bounds);
}
END_TEST

/* Sends so much from an open socket: the packets and the longest of them. */
static u32 sent(const struct test *test, int fd, u32 len, u32 *longest)
{
	static const u8 data[1452];
	u32 before = test->net->packets->len, i;

	ck_assert_int_eq(net_send(fd, data, len, 0), (int)len);
	*longest = 0;
	for (i = before; i < test->net->packets->len; i++)
		*longest = MAX(*longest, net_packet(test->net, i)->len - 14);
	return test->net->packets->len - before;
}

/* What IPV6_MTU_DISCOVER, IPV6_DONTFRAG and IPV6_MTU do by it. */
static void modes(void *arg)
{
	const struct test *test = arg;
	u8 data[1452] = { 0 };
	u32 longest;
	int fd;

	too_big(test, NET6_PEER, 1300);
	fd = net6_socket_to(NET6_PEER);
	ck_assert_uint_eq(sent(test, fd, 1252, &longest), 1);
	ck_assert_uint_eq(longest, 1300);
	ck_assert_uint_eq(sent(test, fd, 1253, &longest), 2);
	ck_assert_uint_le(longest, 1300);
	/* Routers are not believed, and nothing is cut. */
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU_DISCOVER,
					IP_PMTUDISC_PROBE), 0);
	ck_assert_uint_eq(sent(test, fd, 1452, &longest), 1);
	ck_assert_uint_eq(longest, 1500);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU_DISCOVER,
					IP_PMTUDISC_DO), 0);
	ck_assert_uint_eq(sent(test, fd, 1252, &longest), 1);
	ck_assert_int_eq(net_send(fd, data, 1253, 0), -EMSGSIZE);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU_DISCOVER, 9),
			 -EINVAL);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU_DISCOVER,
					IP_PMTUDISC_WANT), 0);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU, 1000),
			 -EINVAL);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU, 1280), 0);
	ck_assert_uint_eq(sent(test, fd, 1452, &longest), 2);
	ck_assert_uint_le(longest, 1280);
	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU, 0), 0);
	if (!has(IPV6_DONTFRAG_OPTION)) {
		ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_DONTFRAG,
						1), -ENOPROTOOPT);
	} else {
		ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_DONTFRAG,
						1), 0);
		ck_assert_int_eq(net_send(fd, data, 1253, 0), -EMSGSIZE);
		ck_assert_uint_eq(sent(test, fd, 1252, &longest), 1);
	}
	sys_close(fd);
}

START_TEST(test_modes)
{
	run(_i, modes);
}
END_TEST

/* With INTERFACE nobody's word counts. */
static void deaf(void *arg)
{
	const struct test *test = arg;
	int fd = net6_socket_to(NET6_PEER);
	bool there = has(IP_FWD_USE_PMTU);

	ck_assert_int_eq(sys_setsockopt(fd, SOL_IPV6, IPV6_MTU_DISCOVER,
					IP_PMTUDISC_INTERFACE),
			 there ? 0 : -EINVAL);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	icmp_too_big(test->net, true, 1300);
	ck_assert_uint_eq(learnt(test), !there);
	ck_assert_int_eq(net_send(fd, "x", 1, 0), 1);
	sys_close(fd);
}

START_TEST(test_deaf)
{
	run(_i, deaf);
}
END_TEST

/* Many destinations; the route's end is that of all of them. */
static void many(void *arg)
{
	struct in6_addr daddr = { { 0xfc } };
	const struct test *test = arg;
	u32 i;

	for (i = 0; i < 200; i++) {
		daddr.s6_addr[15] = (u8)i;
		too_big(test, daddr, 1300 + i);
	}
	for (i = 0; i < 200; i++) {
		daddr.s6_addr[15] = (u8)i;
		ck_assert_uint_eq(mtu_to(daddr), MIN(1300 + i, 1500));
	}
	ck_assert_uint_eq(learnt(test), 200);
}

static void nothing(void *arg)
{
	ck_assert_uint_eq(learnt(arg), 0);
}

START_TEST(test_many)
{
	const struct net_setup setup = {
		.check = true, .kernel = eras[_i].kernel,
	};
	struct test test = { .era = &eras[_i], .net = net6_new(&setup) };
	struct in6_addr network = { { 0xfc } };
	GError *error = NULL;

	if (!inet6_add_route(test.net->kernel, test.net->dev, &network, 16,
			     NULL, &error))
		ck_abort_msg("%s", error->message);
	net_run_one(test.net, many, &test);
	net_verify_clean(test.net);
	ck_assert(inet6_del_route(test.net->kernel, &network, 16));
	net_run_one(test.net, nothing, &test);
	net_free(test.net);
}
END_TEST

/* A route that comes and goes leaves nothing behind, and nothing held. */
static void comes_and_goes(void *arg)
{
	const struct test *test = arg;
	struct in6_addr network = { { 0xfc } };
	GError *error = NULL;

	if (!inet6_add_route(test->net->kernel, test->net->dev, &network, 16,
			     NULL, &error))
		ck_abort_msg("%s", error->message);
	ck_assert(inet6_del_route(test->net->kernel, &network, 16));
}

START_TEST(test_comes_and_goes)
{
	run(_i, comes_and_goes);
}
END_TEST

Suite *suite_pmtu6(void)
{
	Suite *suite = suite_create("pmtu6");
	TCase *tcase = tcase_create("ipv6");
	const int n = ARRAY_SIZE(eras);

	tcase_add_loop_test(tcase, test_learns, 0, n);
	tcase_add_loop_test(tcase, test_expires, 0, n);
	tcase_add_loop_test(tcase, test_before_collection, 0, n);
	tcase_add_loop_test(tcase, test_renewed, 0, n);
	tcase_add_loop_test(tcase, test_bounds, 0, n);
	tcase_add_loop_test(tcase, test_modes, 0, n);
	tcase_add_loop_test(tcase, test_deaf, 0, n);
	tcase_add_loop_test(tcase, test_many, 0, n);
	tcase_add_loop_test(tcase, test_comes_and_goes, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}
