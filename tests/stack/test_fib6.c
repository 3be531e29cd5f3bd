/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trie of the IPv6 FIB: what a look-up finds against a search through a
 * list of all routes, by destination and by source, and the trie's invariants
 * after each change.  Each test runs on each kernel.
 */
#include <errno.h>

#include "ip6_support.h"
#include "ip6_text.h"
#include "tests/rounds.h"

struct route {
	struct in6_addr dst, src;
	u32 plen, slen;
	u32 metric;
	u32 dev;		/* by number */
};

static struct net_fixture *net;
static struct fib6_table *table;

static void setup(int kernel)
{
	net = ip6_new(kernel, 1);
	table = fib6_new_table(net->kernel, 100);
}

static void teardown(void)
{
	net_free(net);
}

/* ---- changes ---- */

static bool try_add(const struct route *route, enum fib6_add_mode mode)
{
	const struct fib6_config cfg = {
		.fc_dst = route->dst, .fc_dst_len = route->plen,
		.fc_src = route->src, .fc_src_len = route->slen,
		.fc_metric = route->metric, .fc_flags = RTF_UP,
		.fc_dev = ip6_dev(net, route->dev), .fc_mode = mode,
	};
	GError *error = NULL;
	bool ok = ip6_route_add(net->kernel, table, &cfg, &error);

	if (!ok) {
		ck_assert_ptr_nonnull(strstr(error->message, "already"));
		g_error_free(error);
	}
	return ok;
}

static u32 metric_of(struct object *leaf)
{
	return has(FIB6_RCU) ? leaf_f6i(leaf)->fib6_metric :
			       leaf_rt6(leaf)->rt6i_metric;
}

static const struct net_device *dev_of(struct object *leaf)
{
	return has(FIB6_RCU) ? leaf_f6i(leaf)->fib6_nh.nh_common.nhc_dev :
			       leaf_rt6(leaf)->dst.dev;
}

static struct object *find_leaf(const struct route *route)
{
	struct fib6_node *fn = fib6_locate(table, &route->dst, route->plen,
					   &route->src, route->slen);
	struct object *leaf;

	for (leaf = fn ? fn->leaf : NULL; leaf; leaf = fib6_leaf_next(leaf))
		if (metric_of(leaf) == route->metric)
			return leaf;
	return NULL;
}

static void del(const struct route *route)
{
	struct object *leaf = find_leaf(route);

	ck_assert_ptr_nonnull(leaf);
	ip6_del_rt(table, leaf);
}

/* ---- against a list of all routes ---- */

static bool fits(const struct in6_addr *addr, const struct in6_addr *prefix,
		 u32 plen)
{
	u32 bit;

	for (bit = 0; bit < plen; bit++)
		if (addr_bit_set(addr, bit) != addr_bit_set(prefix, bit))
			return false;
	return true;
}

/* Whether there are routes by source for just this prefix. */
static bool has_by_source(const struct route *routes, u32 n,
			  const struct route *route)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (routes[i].slen && routes[i].plen == route->plen &&
		    ipv6_addr_equal(&routes[i].dst, &route->dst))
			return true;
	return false;
}

static bool is_better(const struct route *a, const struct route *best)
{
	if (!best || a->plen != best->plen)
		return !best || a->plen > best->plen;
	if (a->slen != best->slen)
		return a->slen > best->slen;
	return a->metric < best->metric;
}

/* The longest destination that fits, of these the longest source.  Where a
 * prefix has routes by source, its others are passed over, as the kernel does;
 * but for those of the root. */
static const struct route *longest_match(const struct route *routes, u32 n,
					 const struct in6_addr *daddr,
					 const struct in6_addr *saddr)
{
	const struct route *best = NULL;
	u32 i;

	for (i = 0; i < n; i++) {
		const struct route *r = &routes[i];

		if (!fits(daddr, &r->dst, r->plen) ||
		    !fits(saddr, &r->src, r->slen))
			continue;
		if (!r->slen && r->plen && has_by_source(routes, n, r))
			continue;
		if (is_better(r, best))
			best = r;
	}
	return best;
}

static void same_as_list(const struct route *routes, u32 n,
			 const struct in6_addr *daddr,
			 const struct in6_addr *saddr)
{
	const struct route *best = longest_match(routes, n, daddr, saddr);
	const struct fib6_node *fn = fib6_node_lookup(&table->tb6_root, daddr,
						      saddr);

	if (!best) {
		ck_assert_ptr_eq(fn, &table->tb6_root);
		ck_assert_ptr_eq(fn->leaf, fib6_null_leaf());
		return;
	}
	ck_assert_uint_eq(fn->fn_bit, best->slen ? best->slen : best->plen);
	ck_assert_ptr_eq(fn->leaf, find_leaf(best));
	ck_assert_ptr_eq(dev_of(fn->leaf), ip6_dev(net, best->dev));
}

/* Addresses crowd together, or the trie would have no depth. */
static struct in6_addr any_address(struct random_stream *random, u32 crowd)
{
	static const struct in6_addr bases[] = {
		{ { 0x20, 0x01, 0x0d, 0xb8 } }, { { 0xfd } }, { { 0 } },
		{ { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1 } },
	};
	struct in6_addr addr = bases[random_below(random, ARRAY_SIZE(bases))];
	u32 i, at;

	for (i = 0; i < 2 + random_below(random, crowd); i++) {
		at = random_below(random, 16);
		addr.s6_addr[at] ^= (u8)(1u << random_below(random, 8));
	}
	return addr;
}

static u32 any_length(struct random_stream *random)
{
	static const u8 lengths[] = { 0, 8, 32, 48, 56, 64, 64, 127, 128, 128 };

	return random_below(random, 2) ?
		lengths[random_below(random, ARRAY_SIZE(lengths))] :
		random_below(random, 129);
}

static struct route any_route(struct random_stream *random)
{
	struct in6_addr dst = any_address(random, 6);
	struct route route = {
		.plen = any_length(random),
		.metric = 1 + random_below(random, 3),
		.dev = random_below(random, IP6_DEVICES),
	};

	route.dst = ipv6_addr_prefix(&dst, route.plen);
	return route;
}

/* By source, every other one. */
static struct route any_route_by_source(struct random_stream *random)
{
	struct in6_addr src = any_address(random, 6);
	struct route route = any_route(random);

	if (random_below(random, 2)) {
		route.slen = 1 + random_below(random, 128);
		route.src = ipv6_addr_prefix(&src, route.slen);
	}
	return route;
}

static const struct route *find_listed(const struct route *routes, u32 n,
				       const struct route *route)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (routes[i].plen == route->plen &&
		    routes[i].slen == route->slen &&
		    routes[i].metric == route->metric &&
		    ipv6_addr_equal(&routes[i].dst, &route->dst) &&
		    ipv6_addr_equal(&routes[i].src, &route->src))
			return &routes[i];
	return NULL;
}

/* Addresses in and beside prefixes, and any. */
static void compare(struct random_stream *random, const struct route *routes,
		    u32 n, u32 lookups)
{
	u32 i;

	for (i = 0; i < lookups; i++) {
		struct in6_addr daddr = any_address(random, 8);
		struct in6_addr saddr = any_address(random, 8);
		const struct route *r;
		u32 bit = random_below(random, 128);

		same_as_list(routes, n, &daddr, &saddr);
		if (!n)
			continue;
		r = &routes[random_below(random, n)];
		daddr = r->dst;
		same_as_list(routes, n, &daddr, &saddr);
		saddr = r->src;
		same_as_list(routes, n, &daddr, &saddr);
		daddr.s6_addr[bit / 8] ^= (u8)(0x80 >> bit % 8);
		same_as_list(routes, n, &daddr, &saddr);
		saddr.s6_addr[bit / 8] ^= (u8)(0x80 >> bit % 8);
		same_as_list(routes, n, &r->dst, &saddr);
	}
}

/* One random step: mostly insertions until `size` is reached, then as many
 * deletions as insertions; now and then a route takes another's place. */
static u32 change(struct random_stream *random, struct route *routes, u32 n,
		  u32 size)
{
	struct route route = any_route(random);
	struct route *old;
	u32 i;

	if (n < size && (random_below(random, 4) || !n)) {
		old = (struct route *)find_listed(routes, n, &route);
		ck_assert(try_add(&route, FIB6_ADD_EXCL) == !old);
		if (!old)
			routes[n++] = route;
		return n;
	}
	i = random_below(random, n);
	if (random_below(random, 3) == 0) {
		routes[i].dev = random_below(random, IP6_DEVICES);
		ck_assert(try_add(&routes[i], FIB6_ADD_REPLACE));
		return n;
	}
	del(&routes[i]);
	routes[i] = routes[n - 1];
	return n - 1;
}

static void random_table(u64 seed, u32 size, u32 steps)
{
	struct route *routes = g_new(struct route, size + 1);
	struct random_stream random;
	u32 n = 0, i;

	random_seed(&random, seed, "fib6", size);
	for (i = 0; i < steps; i++) {
		const char *wrong;

		n = change(&random, routes, n, size);
		if (size >= 200 && i % 64)
			continue;
		wrong = ip6_verify(table);
		if (wrong)
			ck_abort_msg("seed %u, size %u, step %u: %s",
				     (unsigned int)seed, size, i, wrong);
		compare(&random, routes, n, 3);
	}
	ck_assert_uint_eq(ip6_num_leaves(table), n);
	compare(&random, routes, n, 300);
	while (n) {
		del(&routes[--n]);
		if (n % 16 == 0)
			ck_assert_ptr_null(ip6_verify(table));
	}
	ck_assert_ptr_null(table->tb6_root.left);
	ck_assert_ptr_null(table->tb6_root.right);
	ck_assert_ptr_null(table->tb6_root.subtree);
	g_free(routes);
}

START_TEST(small_tables_agree_with_list)
{
	static const u32 sizes[] = { 1, 2, 3, 5, 8, 20, 60, 150 };
	u32 i, seed;

	setup(_i);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (seed = 0; seed < test_rounds(6); seed++)
			random_table(seed, sizes[i], 3 * sizes[i] + 20);
	teardown();
}
END_TEST

START_TEST(large_tables_agree_with_list)
{
	setup(_i);
	random_table(1, 400, 1500);
	random_table(2, 1500, 2500);
	teardown();
}
END_TEST

/*
 * Insertions only, then all out again.  The kernel's trie forgets which prefix
 * a node stands for when the route whose leaf it was goes and others by source
 * stay: it then compares with a longer prefix from below.
 */
static void random_table_by_source(u64 seed, u32 size)
{
	struct route *routes = g_new(struct route, size);
	struct random_stream random;
	u32 n = 0, i;

	random_seed(&random, seed, "fib6 source", size);
	while (n < size) {
		routes[n] = any_route_by_source(&random);
		if (find_listed(routes, n, &routes[n])) {
			ck_assert(!try_add(&routes[n], FIB6_ADD_EXCL));
			continue;
		}
		ck_assert(try_add(&routes[n++], FIB6_ADD_EXCL));
		ck_assert_ptr_null(ip6_verify(table));
		compare(&random, routes, n, 3);
	}
	compare(&random, routes, n, 300);
	while (n) {
		i = random_below(&random, n);
		del(&routes[i]);
		routes[i] = routes[--n];
		ck_assert_ptr_null(ip6_verify(table));
	}
	ck_assert_uint_eq(ip6_num_leaves(table), 0);
	ck_assert_ptr_null(table->tb6_root.subtree);
	g_free(routes);
}

START_TEST(routes_by_source_agree_with_list)
{
	static const u32 sizes[] = { 2, 5, 20, 60, 200 };
	u32 i, seed;

	setup(1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (seed = 0; seed < test_rounds(6); seed++)
			random_table_by_source(seed, sizes[i]);
	teardown();
}
END_TEST

/* ---- by hand ---- */

static struct route route(const char *dst, u32 plen, u32 metric, u32 dev)
{
	return (struct route){
		.dst = ip6(dst), .plen = plen, .metric = metric, .dev = dev,
	};
}

START_TEST(smaller_metric_comes_first)
{
	const struct route far = route("fd00::", 64, 20, 0);
	const struct route near = route("fd00::", 64, 10, 1);
	const struct in6_addr any = ip6("::"), daddr = ip6("fd00::2");
	struct object *leaf;

	setup(_i);
	ck_assert(try_add(&far, FIB6_ADD_EXCL));
	ck_assert(try_add(&near, FIB6_ADD_EXCL));
	leaf = fib6_node_lookup(&table->tb6_root, &daddr, &any)->leaf;
	ck_assert_uint_eq(metric_of(leaf), 10);
	ck_assert_uint_eq(metric_of(fib6_leaf_next(leaf)), 20);
	ck_assert(!try_add(&near, FIB6_ADD_EXCL));
	ck_assert(!try_add(&near, FIB6_ADD_APPEND));
	del(&near);
	leaf = fib6_node_lookup(&table->tb6_root, &daddr, &any)->leaf;
	ck_assert_uint_eq(metric_of(leaf), 20);
	ck_assert_ptr_null(ip6_verify(table));
	teardown();
}
END_TEST

/* Equal ones stand in the order in which they came. */
START_TEST(equal_metrics_append)
{
	const struct route first = route("fe80::", 64, 256, 0);
	const struct route second = route("fe80::", 64, 256, 1);
	const struct in6_addr any = ip6("::"), daddr = ip6("fe80::2");
	struct object *leaf;

	setup(_i);
	ck_assert(try_add(&first, FIB6_ADD_APPEND));
	ck_assert(try_add(&second, FIB6_ADD_APPEND));
	leaf = fib6_node_lookup(&table->tb6_root, &daddr, &any)->leaf;
	ck_assert_ptr_eq(dev_of(leaf), ip6_dev(net, 0));
	ck_assert_ptr_eq(dev_of(fib6_leaf_next(leaf)), ip6_dev(net, 1));
	ck_assert_ptr_null(ip6_verify(table));
	teardown();
}
END_TEST

/* Every node from the root to the change gets a new number, and no other. */
START_TEST(change_renumbers_its_path)
{
	const struct route a = route("fd00::", 64, 1, 0);
	const struct route b = route("fd00:0:0:1::", 64, 1, 0);
	const struct route c = route("fd00::", 16, 1, 0);
	const struct fib6_node *fa, *fb, *in;
	u32 before_a, before_b, before_in;

	setup(_i);
	ck_assert(try_add(&a, FIB6_ADD_EXCL));
	ck_assert(try_add(&b, FIB6_ADD_EXCL));
	fa = fib6_locate(table, &a.dst, 64, &a.dst, 0);
	fb = fib6_locate(table, &b.dst, 64, &b.dst, 0);
	in = fa->parent;
	ck_assert_ptr_eq(in, fb->parent);
	ck_assert_uint_eq(in->fn_bit, 63);
	ck_assert_uint_eq(in->fn_flags & RTN_RTINFO, 0);
	ck_assert_uint_eq(fb->fn_sernum, table->tb6_root.fn_sernum);
	ck_assert_uint_ne(fa->fn_sernum, fb->fn_sernum);
	before_a = fa->fn_sernum;
	before_b = fb->fn_sernum;
	before_in = in->fn_sernum;
	ck_assert(try_add(&c, FIB6_ADD_EXCL));
	ck_assert_uint_eq(fa->fn_sernum, before_a);
	ck_assert_uint_eq(fb->fn_sernum, before_b);
	ck_assert_uint_eq(in->fn_sernum, before_in);
	ck_assert_uint_gt(table->tb6_root.fn_sernum, before_b);
	teardown();
}
END_TEST

START_TEST(text_is_that_of_the_c_library)
{
	struct random_stream random;
	u32 i, k;

	random_seed(&random, 1, "text", 0);
	for (i = 0; i < 4000; i++) {
		struct in6_addr addr = { .s6_addr = { 0x20, 1 } };
		g_autofree char *ours = NULL;
		char theirs[64];

		for (k = 1; k < 8; k++)
			if (random_below(&random, 2))
				addr.s6_addr[2 * k + 1] =
					(u8)random_u64(&random);
		ours = ipv6_addr_text(&addr);
		ip6_to_text(addr.s6_addr, theirs, sizeof(theirs));
		ck_assert_str_eq(ours, theirs);
	}
}
END_TEST

Suite *suite_fib6(void)
{
	Suite *suite = suite_create("fib6");
	TCase *list = tcase_create("list");
	TCase *hand = tcase_create("hand");

	tcase_set_timeout(list, 300);
	tcase_add_loop_test(list, small_tables_agree_with_list, 0,
			    IP6_KERNELS);
	tcase_add_loop_test(list, large_tables_agree_with_list, 0,
			    IP6_KERNELS);
	tcase_add_test(list, routes_by_source_agree_with_list);
	suite_add_tcase(suite, list);
	tcase_add_loop_test(hand, smaller_metric_comes_first, 0, IP6_KERNELS);
	tcase_add_loop_test(hand, equal_metrics_append, 0, IP6_KERNELS);
	tcase_add_loop_test(hand, change_renumbers_its_path, 0, IP6_KERNELS);
	tcase_add_test(hand, text_is_that_of_the_c_library);
	suite_add_tcase(suite, hand);
	return suite;
}
