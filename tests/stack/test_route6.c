/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv6 routes as a sender gets them: which one, how long it is good, who shares
 * it; on each kernel.  Linux 6.1 keeps one ready a CPU, 3.6 one for each
 * address, which all CPUs share.
 */
#include <errno.h>

#include "ip6_support.h"
#include "stack/include/net/neighbour.h"

static struct net_fixture *net;

static void run(int kernel, void (*fn)(void *))
{
	net = ip6_new(kernel, 2);
	net_run_one(net, fn, NULL);
	net_verify_clean(net);
	net_free(net);
}

static const struct fib6_table *main_table(void)
{
	return net->kernel->init_net->ipv6.fib6_main_tbl;
}

static u32 num_routes(void)
{
	return net->kernel->ipv6->routes->len;
}

static struct rt6_info *find(const char *daddr)
{
	const struct in6_addr addr = ip6(daddr);

	return ip6_find(&addr);
}

static int way(const char *daddr)
{
	const struct in6_addr addr = ip6(daddr);

	return ip6_way(&addr);
}

static bool is_good(struct rt6_info *rt, u32 cookie)
{
	return rt->dst.ops->check(&rt->dst, cookie) == &rt->dst;
}

static bool del_route(const char *addr, u32 prefix)
{
	const struct in6_addr dst = ip6(addr);

	return inet6_del_route(net->kernel, &dst, prefix);
}

/* ---- which route ---- */

struct route {
	struct in6_addr dst;
	u32 plen;
	u32 dev;
};

#define ADDRESSES 100u
#define ROUTES 40u

static struct in6_addr any_address(struct random_stream *random)
{
	struct in6_addr addr = { { 0xfd } };
	u32 i, at;

	for (i = 0; i < 3; i++) {
		at = 1 + random_below(random, 15);
		addr.s6_addr[at] ^= (u8)(1u << random_below(random, 8));
	}
	return addr;
}

static void same_as_list(const struct route *routes, u32 n,
			 const struct in6_addr *daddr)
{
	const struct route *best = NULL;
	u32 i;

	for (i = 0; i < n; i++)
		if (ipv6_addr_diff(&routes[i].dst, daddr) >= routes[i].plen &&
		    (!best || routes[i].plen > best->plen))
			best = &routes[i];
	ck_assert_int_eq(ip6_way(daddr), best ?
			 (int)ip6_dev(net, best->dev)->ifindex : -ENETUNREACH);
}

static u32 change(struct random_stream *random, struct route *routes, u32 n)
{
	struct in6_addr dst = any_address(random);
	struct route new = {
		.plen = random_below(random, 129),
		.dev = random_below(random, IP6_DEVICES),
	};
	u32 i;

	new.dst = ipv6_addr_prefix(&dst, new.plen);
	for (i = 0; i < n; i++)
		if (routes[i].plen == new.plen &&
		    ipv6_addr_equal(&routes[i].dst, &new.dst))
			break;
	if (i == n && n < ROUTES && (!n || random_below(random, 3))) {
		ck_assert(inet6_add_route(net->kernel, ip6_dev(net, new.dev),
					  &new.dst, new.plen, NULL, NULL));
		routes[n] = new;
		return n + 1;
	}
	if (i == n)
		i = random_below(random, n);
	ck_assert(inet6_del_route(net->kernel, &routes[i].dst, routes[i].plen));
	routes[i] = routes[n - 1];
	return n - 1;
}

/* Clones that a change has made wrong must be gone, so all are asked again. */
static void ways_of_random_tables(void *arg)
{
	struct in6_addr addresses[ADDRESSES];
	struct route routes[ROUTES];
	struct random_stream random;
	u32 n = 0, step, i;

	(void)arg;
	random_seed(&random, 6, "ways", 0);
	for (i = 0; i < ADDRESSES; i++)
		addresses[i] = any_address(&random);
	for (step = 0; step < 200; step++) {
		const char *wrong;

		n = change(&random, routes, n);
		for (i = 0; i < ADDRESSES; i++)
			same_as_list(routes, n, &addresses[i]);
		wrong = ip6_verify(main_table());
		if (wrong)
			ck_abort_msg("step %u: %s", step, wrong);
	}
}

START_TEST(longest_prefix_wins)
{
	run(_i, ways_of_random_tables);
}
END_TEST

/* On a link each device has its own route, and the flow says which. */
static void devices_of_links(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < IP6_DEVICES; i++) {
		struct flowi6 fl6 = {
			.daddr = ip6("fe80::77"),
			.flowi6_oif = ip6_dev(net, i)->ifindex,
		};
		struct dst_entry *dst =
			ip6_route_output(net->kernel->init_net, NULL, &fl6);

		ck_assert_int_eq(dst->error, 0);
		ck_assert_ptr_eq(dst->dev, ip6_dev(net, i));
		dst_release(dst);
		fl6.daddr = ip6("ff02::1");
		dst = ip6_route_output(net->kernel->init_net, NULL, &fl6);
		ck_assert_ptr_eq(dst->dev, ip6_dev(net, i));
		dst_release(dst);
	}
}

START_TEST(device_of_the_flow)
{
	run(_i, devices_of_links);
}
END_TEST

static void ways_to_this_host(void *arg)
{
	int lo = (int)net->kernel->init_net->loopback_dev->ifindex;

	(void)arg;
	ck_assert_int_eq(way("::1"), lo);
	ck_assert_int_eq(way("2001:db8:ffff:1::1"), lo);
	ck_assert_int_eq(way("fd00::1"), -ENETUNREACH);
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 1)->ifindex);
	ck_assert_int_eq(net->kernel->init_net->ipv6.ip6_null_entry->
			 dst.__refcnt, 1);
}

START_TEST(this_host_and_nowhere)
{
	run(_i, ways_to_this_host);
}
END_TEST

static const struct in6_addr *gateway_of(const struct rt6_info *rt)
{
	return rt->rt6i_flags & RTF_GATEWAY ? &rt->rt6i_gateway : NULL;
}

static void check_gateway(const char *daddr, const char *gateway)
{
	struct in6_addr wanted = ip6(gateway);
	struct rt6_info *rt = find(daddr);

	ck_assert_int_eq(rt->dst.error, 0);
	ck_assert_ptr_nonnull(gateway_of(rt));
	ck_assert(ipv6_addr_equal(gateway_of(rt), &wanted));
	dst_release(&rt->dst);
}

static void ways_by_gateway(void *arg)
{
	struct rt6_info *rt;

	(void)arg;
	ip6_add_route(net, NULL, "::", 0, "2001:db8:ffff:2::99");
	ip6_add_route(net, ip6_dev(net, 3), "fd00::", 8, "fe80::1");
	ck_assert_int_eq(way("2600::1"), (int)ip6_dev(net, 2)->ifindex);
	ck_assert_int_eq(way("fd11::1"), (int)ip6_dev(net, 3)->ifindex);
	check_gateway("2600::1", "2001:db8:ffff:2::99");
	check_gateway("fd11::1", "fe80::1");
	/* What is on a link takes none. */
	rt = find("2001:db8:ffff:2::99");
	ck_assert_ptr_null(gateway_of(rt));
	dst_release(&rt->dst);
}

START_TEST(gateways)
{
	net = ip6_new(_i, 1);
	net_run_one(net, ways_by_gateway, NULL);
	net_free(net);
}
END_TEST

/* ---- who shares it ---- */

#define TIMES 5

static struct rt6_info *found[2][TIMES];

static void find_some(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < TIMES; i++) {
		found[this_cpu->id][i] = find("2001:db8:ffff:1::2");
		dst_release(&found[this_cpu->id][i]->dst);
	}
}

static void find_on_both_cpus(void)
{
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = find_some }, { .cpu = 1, .fn = find_some },
	};

	net_run(net, processes, 2);
}

/* Both ask at once: the later one finds what the first has made. */
START_TEST(made_once)
{
	u32 before, i;

	net = ip6_new(_i, 2);
	before = num_routes();
	find_on_both_cpus();
	for (i = 1; i < TIMES; i++) {
		ck_assert_ptr_eq(found[0][i], found[0][0]);
		ck_assert_ptr_eq(found[1][i], found[1][0]);
	}
	if (has(RT6_PCPU)) {	/* a ready one for each CPU */
		ck_assert_uint_eq(num_routes(), before + 2);
		ck_assert_ptr_ne(found[0][0], found[1][0]);
		ck_assert_uint_eq(found[0][0]->rt6i_flags & RTF_PCPU,
				  RTF_PCPU);
		ck_assert_int_eq(found[0][0]->dst.__refcnt, has(FIB6_RCU));
	} else {		/* one clone for the address */
		ck_assert_uint_eq(num_routes(), before + 1);
		ck_assert_ptr_eq(found[0][0], found[1][0]);
		ck_assert_uint_eq(found[0][0]->rt6i_flags & RTF_CACHE,
				  RTF_CACHE);
		ck_assert_int_eq(found[0][0]->dst.__refcnt, 0);
		ck_assert_uint_eq(found[0][0]->dst.__use, 2 * TIMES);
		ck_assert_ptr_nonnull(found[0][0]->n);
	}
	find_on_both_cpus();
	ck_assert_uint_eq(num_routes(), before + (has(RT6_PCPU) ? 2 : 1));
	ck_assert_ptr_null(ip6_verify(main_table()));
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* Addresses in an order of each CPU's own; some of them both ask for. */
static void find_many(void *arg)
{
	struct random_stream random;
	u32 i;

	(void)arg;
	random_seed(&random, 3, "many", this_cpu->id);
	for (i = 0; i < 80; i++) {
		u32 network = random_below(&random, 4);
		u32 host = random_below(&random, 40) + 2;
		g_autofree char *addr =
			g_strdup_printf("2001:db8:ffff:%u::%x", network, host);
		struct rt6_info *rt = find(addr);

		ck_assert_int_eq(rt->dst.error, 0);
		dst_release(&rt->dst);
	}
}

/* Readers and writers of the table at once: no race, and nothing lost. */
START_TEST(both_cpus_change_the_table)
{
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = find_many }, { .cpu = 1, .fn = find_many },
	};
	u32 before, leaves;

	net = ip6_new(_i, 2);
	before = num_routes();
	leaves = ip6_num_leaves(main_table());
	net_run(net, processes, 2);
	if (has(RT6_PCPU)) {
		ck_assert_uint_eq(num_routes() - before, 2 * IP6_DEVICES);
		ck_assert_uint_eq(ip6_num_leaves(main_table()), leaves);
	} else {
		ck_assert_uint_gt(num_routes() - before, 80);
		ck_assert_uint_eq(ip6_num_leaves(main_table()) - leaves,
				  num_routes() - before);
	}
	net_verify_clean(net);
	net_free(net);
}
END_TEST

/* 3.6: as many clones as addresses; later none, whatever the address. */
static void many_addresses(void *arg)
{
	u32 before = num_routes(), leaves = ip6_num_leaves(main_table()), i;

	(void)arg;
	for (i = 0; i < 20; i++) {
		g_autofree char *addr =
			g_strdup_printf("2001:db8:ffff:1::%x", 2 + i % 10);

		dst_release(&find(addr)->dst);
	}
	ck_assert_uint_eq(num_routes() - before, has(RT6_PCPU) ? 1 : 10);
	ck_assert_uint_eq(ip6_num_leaves(main_table()) - leaves,
			  has(RT6_PCPU) ? 0 : 10);
	/* They go with the route that they are of. */
	ck_assert(del_route("2001:db8:ffff:1::", 64));
	ck_assert_uint_eq(ip6_num_leaves(main_table()), leaves - 1);
	ck_assert_uint_le(num_routes(), before);
}

START_TEST(clones_come_and_go)
{
	net = ip6_new(_i, 1);
	net_run_one(net, many_addresses, NULL);
	net_free(net);
}
END_TEST

/* ---- how long it is good ---- */

static void cookies(void *arg)
{
	struct rt6_info *rt = find("2001:db8:ffff:1::2"), *again;
	u32 cookie = rt6_get_cookie(rt);

	(void)arg;
	ck_assert_uint_ne(cookie, 0);
	ck_assert(is_good(rt, cookie));
	ck_assert(!is_good(rt, cookie + 1));
	/* A change elsewhere leaves it alone. */
	ip6_add_route(net, ip6_dev(net, 0), "fd00::", 16, NULL);
	ck_assert(is_good(rt, cookie));
	/* One below its node does not, even if it changes nothing for this
	 * one; but a clone has a node of its own. */
	ip6_add_route(net, ip6_dev(net, 2), "2001:db8:ffff:1:8000::", 66, NULL);
	ck_assert(is_good(rt, cookie) != has(RT6_PCPU));
	/* It is the same ready one, with another number of its node. */
	again = find("2001:db8:ffff:1::2");
	ck_assert_ptr_eq(again, rt);
	ck_assert(is_good(rt, rt6_get_cookie(rt)));
	ck_assert((rt6_get_cookie(rt) == cookie) != has(RT6_PCPU));
	cookie = rt6_get_cookie(rt);
	dst_release(&rt->dst);
	/* Gone for good with the route that it is of. */
	ck_assert(del_route("2001:db8:ffff:1::", 64));
	ck_assert(!is_good(again, cookie));
	ck_assert_uint_eq(rt6_get_cookie(again), 0);
	ck_assert(!is_good(again, 0));
	ck_assert_int_eq(way("2001:db8:ffff:1::2"), -ENETUNREACH);
	ip6_add_route(net, ip6_dev(net, 3), "2001:db8:ffff:1::", 64, NULL);
	ck_assert(!is_good(again, cookie));
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 3)->ifindex);
	dst_release(&again->dst);
}

START_TEST(cookie_goes_stale)
{
	net = ip6_new(_i, 1);
	net_run_one(net, cookies, NULL);
	net_free(net);
}
END_TEST

static void longer_route(void *arg)
{
	struct rt6_info *rt = find("2001:db8:ffff:1::2");
	u32 cookie = rt6_get_cookie(rt);

	(void)arg;
	ip6_add_route(net, ip6_dev(net, 3), "2001:db8:ffff:1::", 96, NULL);
	ck_assert(!is_good(rt, cookie));
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 3)->ifindex);
	ck_assert(del_route("2001:db8:ffff:1::", 96));
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 1)->ifindex);
	dst_release(&rt->dst);
}

START_TEST(longer_prefix_takes_over)
{
	run(_i, longer_route);
}
END_TEST

/* ---- what it says of the way ---- */

static void way_numbers(void *arg)
{
	struct rt6_info *rt = find("2001:db8:ffff:1::2");
	struct inet6_dev *idev = ip6_dev(net, 1)->ip6_ptr;

	(void)arg;
	ck_assert_uint_eq(ip6_mtu(&rt->dst), 1500);
	ck_assert_uint_eq(ip6_dst_hoplimit(&rt->dst), 64);
	idev->cnf.mtu6 = 1280;
	idev->cnf.hop_limit = 3;
	ck_assert_uint_eq(ip6_mtu(&rt->dst), 1280);
	ck_assert_uint_eq(ip6_dst_hoplimit(&rt->dst), 3);
	dst_release(&rt->dst);
}

START_TEST(mtu_and_hop_limit)
{
	run(_i, way_numbers);
}
END_TEST

Suite *suite_route6(void)
{
	Suite *suite = suite_create("route6");
	TCase *tc = tcase_create("route6");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, longest_prefix_wins, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, device_of_the_flow, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, this_host_and_nowhere, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, gateways, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, made_once, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, both_cpus_change_the_table, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, clones_come_and_go, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, cookie_goes_stale, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, longer_prefix_takes_over, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, mtu_and_hop_limit, 0, IP6_KERNELS);
	suite_add_tcase(suite, tc);
	return suite;
}
