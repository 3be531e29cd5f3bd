/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv6 routes and addresses that cannot be: what is refused, with a message
 * that says why; and what happens without memory; on each kernel. */
#include <errno.h>

#include "ip6_support.h"
#include "stack/include/linux/slab.h"
#include "stack/layout.h"

static struct net_fixture *net;

static const struct fib6_table *main_table(void)
{
	return net->kernel->init_net->ipv6.fib6_main_tbl;
}

static int way(const char *daddr)
{
	const struct in6_addr addr = ip6(daddr);

	return ip6_way(&addr);
}

static bool del_route(const char *addr, u32 prefix)
{
	const struct in6_addr dst = ip6(addr);

	return inet6_del_route(net->kernel, &dst, prefix);
}

/* ---- what is refused ---- */

static void refuse_route(u32 dev, const char *addr, u32 prefix,
			 const char *gateway, const char *text)
{
	struct in6_addr dst = ip6(addr), gw = ip6(gateway ? gateway : "::");
	GError *error = NULL;

	ck_assert(!inet6_add_route(net->kernel, dev == UINT32_MAX ? NULL :
				   ip6_dev(net, dev), &dst, prefix,
				   gateway ? &gw : NULL, &error));
	ck_assert(g_error_matches(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK));
	ck_assert_msg(strstr(error->message, text) != NULL, "%s",
		      error->message);
	g_error_free(error);
}

static void refuse_address(struct net_device *dev, const char *addr, u32 prefix,
			   const char *text)
{
	struct in6_addr address = ip6(addr);
	GError *error = NULL;

	ck_assert(!inet6_add_address(net->kernel, dev, &address, prefix,
				     &error));
	ck_assert(g_error_matches(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK));
	ck_assert_msg(strstr(error->message, text) != NULL, "%s",
		      error->message);
	g_error_free(error);
}

START_TEST(what_makes_no_sense_is_refused)
{
	const u32 none = UINT32_MAX;
	u32 leaves;

	net = ip6_new(_i, 1);
	leaves = ip6_num_leaves(main_table());
	refuse_route(0, "fd00::", 129, NULL, "128 bits");
	refuse_route(none, "fd00::", 64, NULL, "no device");
	refuse_route(none, "fd00::", 64, "2001:db8:eeee::1", "no network");
	refuse_route(none, "fd00::", 64, "fe80::1", "link-local");
	refuse_route(1, "fd00::", 64, "2001:db8:ffff::2", "no network");
	refuse_route(0, "fd00::", 64, "ff02::1", "not the address");
	refuse_route(none, "fd00::77", 64, NULL, "route fd00::/64");
	ck_assert_uint_eq(ip6_num_leaves(main_table()), leaves);
	net_free(net);
}
END_TEST

START_TEST(what_there_is_already_is_refused)
{
	struct net_device *bare;

	net = ip6_new(_i, 1);
	ip6_add_route(net, ip6_dev(net, 0), "fd00::", 64, NULL);
	refuse_route(0, "fd00::", 64, NULL, "already");
	refuse_route(1, "fd00::1", 64, NULL, "already");
	ck_assert(!del_route("fd00::", 63));
	ck_assert(!del_route("::1", 128) || has(FIB6_RCU));
	ck_assert(del_route("fd00::", 64));
	ck_assert(!del_route("fd00::", 64));
	bare = dummy_new(net->kernel, "bare", 1500, false);
	refuse_route(IP6_DEVICES, "fd00::", 64, NULL, "no IPv6 address");
	refuse_address(bare, "ff02::1", 64, "one host");
	refuse_address(bare, "::", 64, "one host");
	refuse_address(bare, "::1", 128, "loopback");
	refuse_address(bare, "fd00::1", 0, "1 to 128");
	ip6_add_address(net, bare, "fd00::1", 64);
	refuse_address(bare, "fd00::1", 64, "already");
	refuse_address(dummy_new(net->kernel, "small", 1279, false), "fd00::2",
		       64, "1280");
	net_free(net);
}
END_TEST

/* ---- without memory ---- */

static struct object *hog[65536];

static u32 take_all(struct any_cache *cache)
{
	u32 n = 0;

	while ((hog[n] = kmem_cache_alloc(cache, GFP_KERNEL)))
		ck_assert_uint_lt(++n, ARRAY_SIZE(hog));
	return n;
}

static void give_back(struct any_cache *cache, u32 n)
{
	while (n--)
		kmem_cache_free(cache, hog[n]);
}

/* Whatever is missing when a route is made, it is as if there were none; and
 * all is well when there is memory again. */
static void starve(void *arg)
{
	struct ipv6_room *room = net->kernel->ipv6;
	u32 leaves = ip6_num_leaves(main_table()), n;

	(void)arg;
	n = take_all(room->ip6_dst_cache);
	ck_assert_int_eq(way("2001:db8:ffff:1::2"), -ENETUNREACH);
	give_back(room->ip6_dst_cache, n);
	n = take_all(room->fib6_nodes);
	/* A clone that finds no node serves this once. */
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 1)->ifindex);
	refuse_route(0, "fd00::", 64, NULL, "no memory");
	refuse_route(0, "2001:db8:ffff:1::", 48, NULL, "no memory");
	give_back(room->fib6_nodes, n);
	ck_assert_uint_eq(ip6_num_leaves(main_table()), leaves);
	ip6_add_route(net, ip6_dev(net, 0), "fd00::", 64, NULL);
	ck_assert_int_eq(way("fd00::2"), (int)ip6_dev(net, 0)->ifindex);
	ck_assert_int_eq(way("2001:db8:ffff:1::2"),
			 (int)ip6_dev(net, 1)->ifindex);
}

START_TEST(no_memory)
{
	const struct net_setup setup = {
		.node_mib = 16, .kernel = ip6_kernels[_i],
	};

	net = net_new(&setup);
	dummy_new(net->kernel, "dummy1", 1500, false);
	ip6_add_address(net, ip6_dev(net, 0), "2001:db8:ffff::1", 64);
	ip6_add_address(net, ip6_dev(net, 1), "2001:db8:ffff:1::1", 64);
	net_run_one(net, starve, NULL);
	net_free(net);
}
END_TEST

/* ---- patches ---- */

/* What of IPv6 can be patched in and out, and what the tables forbid. */
static const struct {
	int kernel;
	const char *patch;
	const char *lacks;	/* NULL: nothing, it works */
} patches[] = {
	{ 0, "saddr-rfc6724", NULL },
	{ 0, "ipv6-router-pref", NULL },
	{ 0, "ipv6-mip6", NULL },
	{ 0, "fib6-rcu", "fib6_info.fib6_next" },
	{ 0, "saddr-rcu", "__ipv6_dev_get_saddr()" },
	{ 0, "saddr-oif-only", "inet6_dev.cnf.use_oif_addrs_only" },
	{ 0, "l3mdev", "l3mdev_master_ifindex_rcu()" },
	{ 0, "addrlabel-netns", "net.ipv6.ip6addrlbl_table.head" },
	{ 0, "ipv6-multiple-tables", "net.ipv6.fib6_local_tbl" },
	{ 0, "ipv6-subtrees", "fib6_node.subtree" },
	{ 0, "ipv6-optimistic-dad", "inet6_dev.cnf.optimistic_dad" },
	{ 0, "ipv6-privacy", "inet6_dev.cnf.use_tempaddr" },
	{ 1, "-saddr-rfc6724", NULL },
	{ 1, "-saddr-rcu", NULL },
	{ 1, "-saddr-oif-only", NULL },
	{ 1, "-l3mdev", NULL },
	{ 1, "-prefsrc-l3mdev", NULL },
	{ 1, "-dst-lwtstate", NULL },
	{ 1, "-ipv6-multiple-tables", NULL },
	{ 1, "-ipv6-subtrees", NULL },
	{ 1, "-ipv6-router-pref", NULL },
	{ 1, "-ipv6-optimistic-dad", NULL },
	{ 1, "-ipv6-mip6", NULL },
	{ 1, "-ipv6-privacy", NULL },
	{ 1, "-fib6-rcu", "rt6_info.rt6i_node" },
	{ 1, "-addrlabel-netns", "ip6addrlbl_table.head" },
};

static void find_and_choose(void *arg)
{
	const struct in6_addr daddr = ip6("2001:db8:ffff:1::2");
	const struct in6_addr right = ip6("2001:db8:ffff:1::1");
	struct rt6_info *rt = ip6_find(&daddr);
	u32 cookie = rt6_get_cookie(rt);
	struct in6_addr saddr;

	(void)arg;
	ck_assert_ptr_eq(rt->dst.dev, ip6_dev(net, 1));
	ck_assert_int_eq(ip6_route_get_saddr(net->kernel->init_net, rt, &daddr,
					     0, &saddr), 0);
	ck_assert(ipv6_addr_equal(&saddr, &right));
	ck_assert_ptr_eq(rt->dst.ops->check(&rt->dst, cookie), &rt->dst);
	ck_assert_uint_eq(ip6_mtu(&rt->dst), 1500);
	dst_release(&rt->dst);
	ck_assert_int_eq(way("::1"), 1);	/* lo */
}

static void work_patched(const struct net_setup *setup)
{
	net = net_new(setup);
	dummy_new(net->kernel, "dummy1", 1500, false);
	ip6_add_address(net, ip6_dev(net, 0), "2001:db8:ffff::1", 64);
	ip6_add_address(net, ip6_dev(net, 1), "2001:db8:ffff:1::1", 64);
	net_run_one(net, find_and_choose, NULL);
	layout_check_absent(net->kernel);
	net_free(net);
}

START_TEST(patched)
{
	const char *const names[] = { patches[_i].patch, NULL };
	const struct net_setup setup = {
		.kernel = ip6_kernels[patches[_i].kernel], .patches = names,
	};
	g_autofree char *folder = net_folder(setup.kernel);
	const struct kernel_config config = {
		.folder = folder, .patches = names,
	};
	g_autofree char *message = NULL;

	if (!patches[_i].lacks) {
		work_patched(&setup);
		return;
	}
	message = net_refusal(&config, KERNEL_ERROR_SETTING);
	ck_assert_msg(strstr(message, patches[_i].lacks) != NULL, "%s",
		      message);
}
END_TEST

Suite *suite_route6_errors(void)
{
	Suite *suite = suite_create("route6 errors");
	TCase *tc = tcase_create("route6 errors");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, what_makes_no_sense_is_refused, 0,
			    IP6_KERNELS);
	tcase_add_loop_test(tc, what_there_is_already_is_refused, 0,
			    IP6_KERNELS);
	tcase_add_loop_test(tc, no_memory, 0, IP6_KERNELS);
	tcase_add_loop_test(tc, patched, 0, ARRAY_SIZE(patches));
	suite_add_tcase(suite, tc);
	return suite;
}
