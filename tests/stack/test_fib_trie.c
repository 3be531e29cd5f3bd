/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tries of the IPv4 FIB, both kinds: what a look-up finds against a search
 * through a list of all routes, the invariants after each change, and that they
 * hold where memory runs out.  What only one kind has is in test_fib_lc.c and
 * test_fib_key_vector.c.
 */
#include <errno.h>

#include "fib_support.h"
#include "stack/include/linux/slab.h"
#include "tests/rounds.h"

/* ---- against a list of all routes ---- */

struct route {
	u32 dst;
	u32 plen;
	u32 oif;
	u32 type;
};

static u32 mask(u32 plen)
{
	return plen ? UINT32_MAX << (32 - plen) : 0;
}

static const struct route *longest_match(const struct route *routes, u32 n,
					 u32 daddr)
{
	const struct route *best = NULL;
	u32 i;

	for (i = 0; i < n; i++)
		if (!((daddr ^ routes[i].dst) & mask(routes[i].plen)) &&
		    (!best || routes[i].plen > best->plen))
			best = &routes[i];
	return best;
}

static void same_as_list(const struct route *routes, u32 n, u32 daddr)
{
	const struct route *best = longest_match(routes, n, daddr);
	struct fib_result res = { .fi = NULL };
	int err = fib_find(fib_fx->main, daddr, &res);

	if (!best) {
		ck_assert_int_eq(err, -ENETUNREACH);
	} else if (best->type != RTN_UNICAST) {
		ck_assert_int_eq(err, fib_props[best->type].error);
	} else {
		ck_assert_int_eq(err, 0);
		ck_assert_uint_eq(res.prefixlen, best->plen);
		ck_assert_uint_eq(res.type, best->type);
		ck_assert_uint_eq(FIB_RES_NH(res)->nh_oif, best->oif);
	}
}

/* Addresses crowd together, the more so the larger `crowd` is, or the trie
 * would have neither long skips nor wide nodes. */
static u32 any_address(struct random_stream *random, u32 crowd)
{
	static const u32 bases[] = {
		IP(10, 0, 0, 0), IP(10, 2, 2, 0), IP(192, 168, 0, 0),
		IP(127, 0, 0, 0), IP(255, 255, 255, 0), 0,
	};
	u32 low;

	if (!crowd || random_below(random, 8) == 0)
		return random_u64(random);
	low = random_u64(random) >> 32 >> crowd * 8;
	return bases[random_below(random, ARRAY_SIZE(bases))] ^ low;
}

static struct route any_route(struct random_stream *random, u32 crowd)
{
	static const u8 lengths[] = { 0, 8, 16, 24, 24, 31, 32, 32 };
	struct route route = { .type = RTN_UNICAST };

	route.plen = random_below(random, 2) ?
		lengths[random_below(random, ARRAY_SIZE(lengths))] :
		random_below(random, 33);
	route.dst = any_address(random, crowd) & mask(route.plen);
	route.oif = 1 + random_below(random, FIB_DEVICES);
	if (random_below(random, 8) == 0)
		route.type = RTN_BLACKHOLE + random_below(random, 4);
	return route;
}

static struct fib_config config_of(const struct route *route)
{
	return route->type == RTN_UNICAST ?
		fib_route(fib_fx, route->dst, route->plen, route->oif) :
		fib_error_route(route->dst, route->plen, route->type);
}

static bool is_listed(const struct route *routes, u32 n,
		      const struct route *route)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (routes[i].dst == route->dst &&
		    routes[i].plen == route->plen)
			return true;
	return false;
}

/* Addresses on both sides of a prefix's ends, and any. */
static void compare(struct random_stream *random, const struct route *routes,
		    u32 n, u32 lookups, u32 crowd)
{
	u32 i;

	for (i = 0; i < lookups; i++) {
		same_as_list(routes, n, random_u64(random));
		same_as_list(routes, n, any_address(random, crowd));
		if (n) {
			const struct route *r =
				&routes[random_below(random, n)];
			u32 end = r->dst | ~mask(r->plen);

			same_as_list(routes, n, r->dst);
			same_as_list(routes, n, r->dst - 1);
			same_as_list(routes, n, end);
			same_as_list(routes, n, end + 1);
			same_as_list(routes, n, r->dst ^
				     1u << random_below(random, 32));
		}
	}
}

/* One random step: mostly insertions until `size` is reached, then as many
 * deletions as insertions. */
static u32 change(struct random_stream *random, struct route *routes, u32 n,
		  u32 size, u32 crowd)
{
	struct route route = any_route(random, crowd);
	bool grow = n < size && random_below(random, 4);
	struct fib_config cfg;
	u32 i;

	if (grow || !n) {
		cfg = config_of(&route);
		if (is_listed(routes, n, &route)) {
			fib_refuse(fib_fx->main, &cfg, "already");
			return n;
		}
		fib_insert(fib_fx->main, &cfg);
		routes[n] = route;
		return n + 1;
	}
	i = random_below(random, n);
	cfg = config_of(&routes[i]);
	fib_remove(fib_fx->main, &cfg);
	routes[i] = routes[n - 1];
	return n - 1;
}

static void random_table(u64 seed, u32 size, u32 steps, u32 crowd)
{
	struct route *routes = g_new(struct route, size + 1);
	struct random_stream random;
	u32 n = 0, i;

	random_seed(&random, seed, "fib", size);
	for (i = 0; i < steps; i++) {
		const char *wrong;

		n = change(&random, routes, n, size, crowd);
		if (size < 200 || i % 64 == 0) {
			wrong = fib_verify(fib_fx->main);
			if (wrong)
				ck_abort_msg("seed %u, step %u: %s",
					     (unsigned int)seed, i, wrong);
			compare(&random, routes, n, 4, crowd);
		}
	}
	ck_assert_ptr_null(fib_verify(fib_fx->main));
	compare(&random, routes, n, 500, crowd);
	while (n) {	/* and all out again */
		struct fib_config cfg = config_of(&routes[--n]);

		fib_remove(fib_fx->main, &cfg);
		if (n % 16 == 0)
			ck_assert_ptr_null(fib_verify(fib_fx->main));
	}
	ck_assert(fib_is_empty(fib_fx->main));
	ck_assert_uint_eq(fib_fx->fib->infos->len, 0);
	g_free(routes);
}

START_TEST(small_tables_agree_with_list)
{
	static const u32 sizes[] = { 1, 2, 3, 5, 8, 20, 60, 150 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		random_table(_i, sizes[i], 3 * sizes[i] + 20, _i % 4);
}
END_TEST

START_TEST(large_tables_agree_with_list)
{
	random_table(100 + _i, _i % 2 ? 2000 : 500, 4000, _i % 4);
}
END_TEST

START_TEST(every_subset_of_short_prefixes)
{
	/* All prefixes of two bits and fewer. */
	static const struct route all[] = {
		{ 0, 0, 1, RTN_UNICAST },
		{ 0, 1, 2, RTN_UNICAST },
		{ 1u << 31, 1, 3, RTN_UNICAST },
		{ 0, 2, 4, RTN_UNICAST },
		{ 1u << 30, 2, 1, RTN_UNICAST },
		{ 1u << 31, 2, 2, RTN_UNICAST },
		{ 3u << 30, 2, 3, RTN_UNICAST },
	};
	struct route routes[ARRAY_SIZE(all)];
	u32 set, i, n;

	for (set = 0; set < 1u << ARRAY_SIZE(all); set++) {
		for (i = 0, n = 0; i < ARRAY_SIZE(all); i++)
			if (set & 1u << i)
				routes[n++] = all[i];
		for (i = 0; i < n; i++) {
			struct fib_config cfg = config_of(&routes[i]);

			fib_insert(fib_fx->main, &cfg);
		}
		ck_assert_ptr_null(fib_verify(fib_fx->main));
		for (i = 0; i < 8; i++)
			same_as_list(routes, n, i << 29 | i);
		for (i = 0; i < n; i++) {
			struct fib_config cfg = config_of(&routes[i]);

			fib_remove(fib_fx->main, &cfg);
		}
		ck_assert(fib_is_empty(fib_fx->main));
	}
}
END_TEST

/* ---- without memory ---- */

/* The kernel's sizes of what a route takes, and some larger nodes. */
static const u32 sizes[] = { 64, 96, 128, 192, 256, 512, 1024, 2048 };
#define CLASSES (2 + ARRAY_SIZE(sizes))

static void *take(u32 class)
{
	if (class < 2)
		return kmem_cache_alloc(class ? fib_fx->fib->fn_alias_kmem :
						fib_fx->fib->trie_leaf_kmem,
					GFP_KERNEL);
	return kmalloc(sizes[class - 2], STRUCT_tnode, sizeof(struct tnode),
		       GFP_KERNEL);
}

static void give_back(GPtrArray *taken, u32 class)
{
	void *p = g_ptr_array_steal_index(taken, taken->len - 1);

	if (class < 2)
		kmem_cache_free(class ? fib_fx->fib->fn_alias_kmem :
					fib_fx->fib->trie_leaf_kmem, p);
	else
		kfree(p);
}

/* Nexthops keep the per-CPU memory of those before them: let there be some. */
static void make_cells(void)
{
	u32 i;

	for (i = 1; i <= 8; i++) {
		struct fib_config cfg = i <= FIB_DEVICES ?
			fib_route(fib_fx, i << 24, 8, i) :
			fib_error_route(i << 24, 8, RTN_BLACKHOLE + i % 4);

		fib_insert(fib_fx->main, &cfg);
	}
	for (i = 1; i <= 8; i++) {
		struct fib_config cfg = { .fc_dst = i << 24, .fc_dst_len = 8,
					  .fc_scope = RT_SCOPE_NOWHERE };

		fib_remove(fib_fx->main, &cfg);
	}
}

/* All there is, as much of each class as of another. */
static void take_all(GPtrArray **taken)
{
	bool more = true;
	u32 class;
	void *p;

	for (class = 0; class < CLASSES; class++)
		taken[class] = g_ptr_array_new();
	while (more)
		for (class = 0, more = false; class < CLASSES; class++) {
			p = take(class);
			if (!p)
				continue;
			g_ptr_array_add(taken[class], p);
			more = true;
		}
}

/* Of which class memory comes back: mostly what a leaf takes, so that nodes
 * fail more often. */
static u32 piece(struct random_stream *random)
{
	/* A leaf, an alias, a leaf_info, a fib_info of either kernel. */
	static const u8 often[] = { 0, 1, 2, 5, 6 };
	bool is_lc = !has(FIB_TRIE_KEY_VECTOR);
	u32 class;

	if (random_below(random, 12) == 0)
		return random_below(random, CLASSES);
	do
		class = often[random_below(random, ARRAY_SIZE(often))];
	while (class == 2 && !is_lc);
	return class;
}

/* Inserts with one more piece of memory each time, but a random one. */
static u32 insert_in_need(struct random_stream *random, struct route *routes,
			  u32 steps, u32 crowd, GPtrArray **taken)
{
	u32 n = 0, i, class;

	for (i = 0; i < steps; i++) {
		struct route route = any_route(random, crowd);
		struct fib_config cfg = config_of(&route);

		class = piece(random);
		if (taken[class]->len)
			give_back(taken[class], class);
		if (is_listed(routes, n, &route))
			continue;
		if (fib_table_insert(fib_fx->main, &cfg, NULL))
			routes[n++] = route;
		ck_assert_ptr_null(fib_verify(fib_fx->main));
		if (i % 16 == 0)
			compare(random, routes, n, 4, crowd);
	}
	return n;
}

/* Each allocation of a change fails some time.  What could not be inserted
 * leaves no trace, and the rest is found. */
START_TEST(no_memory_now_and_then)
{
	GPtrArray *taken[CLASSES];
	struct route routes[600];
	struct random_stream random;
	u32 n, class;

	fib_setup_on(_i % 2 ? "linux-6.1" : "linux-3.6", 1, 16);
	make_cells();
	take_all(taken);
	random_seed(&random, _i, "no memory", 0);
	n = insert_in_need(&random, routes, ARRAY_SIZE(routes), _i / 2, taken);
	ck_assert_uint_gt(n, 16);
	ck_assert_uint_lt(n, 400);
	while (n) {
		struct fib_config cfg = config_of(&routes[--n]);

		fib_remove(fib_fx->main, &cfg);
	}
	ck_assert(fib_is_empty(fib_fx->main));
	for (class = 0; class < CLASSES; class++) {
		while (taken[class]->len)
			give_back(taken[class], class);
		g_ptr_array_unref(taken[class]);
	}
	fib_teardown();
}
END_TEST

static TCase *lists_case(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, fib_teardown);
	tcase_add_loop_test(tc, small_tables_agree_with_list, 0,
			    MAX(test_rounds(24), 4));
	tcase_add_loop_test(tc, large_tables_agree_with_list, 0,
			    MAX(test_rounds(8), 4));
	tcase_add_test(tc, every_subset_of_short_prefixes);
	return tc;
}

Suite *suite_fib_trie(void)
{
	Suite *suite = suite_create("fib_trie");
	TCase *memory = tcase_create("memory");

	suite_add_tcase(suite, lists_case("LC-trie, against a list",
					  fib_setup));
	suite_add_tcase(suite, lists_case("key vectors, against a list",
					  fib_setup_key_vector));
	tcase_add_loop_test(memory, no_memory_now_and_then, 0, 8);
	suite_add_tcase(suite, memory);
	return suite;
}
