/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The LC-trie of older kernels: its shape, and which fields and lines one
 * look-up touches.
 */
#include <errno.h>

#include "fib_support.h"

/* ---- the trie's shape ---- */

static struct tnode *root(void)
{
	ck_assert(!fib_node_is_leaf(fib_fx->main->trie));
	return (struct tnode *)fib_fx->main->trie;
}

static void insert_networks(u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct fib_config cfg =
			fib_route(fib_fx, IP(10, 0, i, 0), 24, 1 + i % 4);

		fib_insert(fib_fx->main, &cfg);
		ck_assert_ptr_null(fib_verify(fib_fx->main));
	}
}

START_TEST(dense_table_becomes_one_node)
{
	u32 i;

	insert_networks(256);
	ck_assert_uint_eq(root()->pos, 16);
	ck_assert_uint_eq(root()->bits, 8);
	ck_assert_uint_eq(root()->empty_children, 0);
	ck_assert_uint_eq(root()->full_children, 0);
	for (i = 0; i < 256; i++)
		fib_finds(IP(10, 0, i, 99), 24, 1 + i % 4);
}
END_TEST

START_TEST(sparse_table_shrinks_again)
{
	u32 i;

	insert_networks(256);
	/* From the far end; two are left. */
	for (i = 255; i >= 2; i--) {
		struct fib_config cfg =
			fib_route(fib_fx, IP(10, 0, i, 0), 24, 1 + i % 4);

		fib_remove(fib_fx->main, &cfg);
		ck_assert_ptr_null(fib_verify(fib_fx->main));
		/* A root keeps 15 percent in use, or halves. */
		if (!root()->full_children && root()->bits > 1)
			ck_assert_uint_ge(100 * i, 15u << root()->bits);
	}
	ck_assert_uint_eq(root()->pos + root()->bits, 24);
	ck_assert_uint_le(root()->bits, 3);
}
END_TEST

/* Hosts 128, 64, 32 ... 1: a chain in which each node has a leaf and one full
 * child.  With b bits, b + 1 of the 2^b slots are in use. */
static void insert_chain(void)
{
	u32 host;

	for (host = 128; host; host >>= 1) {
		struct fib_config cfg =
			fib_route(fib_fx, IP(10, 0, 0, host), 32, 1);

		fib_insert(fib_fx->main, &cfg);
		ck_assert_ptr_null(fib_verify(fib_fx->main));
	}
}

START_TEST(root_doubles_sooner)
{
	struct fib_config cfg = fib_route(fib_fx, IP(200, 0, 0, 1), 32, 2);
	const struct tnode *below;

	/* Doubled, 3 bits have 5 of 16 slots in use: 30 percent are enough.
	 * 4 bits would have 6 of 32. */
	insert_chain();
	ck_assert_uint_eq(root()->pos, 24);
	ck_assert_uint_eq(root()->bits, 4);
	fib_table_free(fib_fx->main);
	fib_fx->main = fib_table_new(fib_fx->fib, RT_TABLE_MAIN);

	/* Below the root it takes 50 percent: 2 bits have 4 of 8, 3 bits
	 * 5 of 16. */
	fib_insert(fib_fx->main, &cfg);
	insert_chain();
	ck_assert_uint_eq(root()->pos, 0);
	ck_assert_uint_eq(root()->bits, 1);
	below = (const struct tnode *)root()->child[0];
	ck_assert_uint_eq(below->pos, 24);
	ck_assert_uint_eq(below->bits, 3);
}
END_TEST

START_TEST(prefixes_of_one_key_share_a_leaf)
{
	static const u32 lengths[] = { 16, 8, 32, 24 };
	const struct leaf *l;
	u32 i;

	for (i = 0; i < 4; i++) {
		struct fib_config cfg =
			fib_route(fib_fx, IP(10, 0, 0, 0), lengths[i], 1 + i);

		fib_insert(fib_fx->main, &cfg);
	}
	ck_assert(fib_node_is_leaf(fib_fx->main->trie));
	l = (struct leaf *)fib_fx->main->trie;
	ck_assert_uint_eq(l->list->plen, 32);
	ck_assert_uint_eq(l->list->hlist->plen, 24);
	fib_finds(IP(10, 0, 0, 0), 32, 3);
	fib_finds(IP(10, 0, 0, 1), 24, 4);
	fib_finds(IP(10, 0, 1, 0), 16, 1);
	fib_finds(IP(10, 1, 0, 0), 8, 2);
	fib_fails(IP(11, 0, 0, 0), -ENETUNREACH);
}
END_TEST

/* ---- what a look-up touches ---- */

/* Reads of a member since the last fib_fx. */
#define READS(type, member) fib_hits(fib_fx, type, member, ACCESS_READ)

START_TEST(fields_of_one_lookup)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(192, 168, 0, 0), 16, 2);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_uint_eq(fib_all_hits(fib_fx), 0);
	fib_finds(IP(10, 1, 2, 3), 8, 1);
	/* The root, its slot 0, the leaf there and what hangs on it. */
	ck_assert_uint_eq(READS("fib_table", "trie"), 1);
	ck_assert_uint_eq(READS("tnode", "parent"), 1);
	ck_assert_uint_eq(READS("tnode", "pos"), 1);
	ck_assert_uint_eq(READS("tnode", "bits"), 1);
	ck_assert_uint_eq(READS("tnode", "child"), 1);
	ck_assert_uint_eq(READS("tnode", "key"), 0);
	ck_assert_uint_eq(READS("leaf", "parent"), 1);
	ck_assert_uint_eq(READS("leaf", "list"), 1);
	ck_assert_uint_eq(READS("leaf", "key"), 1);
	ck_assert_uint_eq(READS("leaf_info", "mask_plen"), 1);
	ck_assert_uint_eq(READS("leaf_info", "falh"), 1);
	ck_assert_uint_eq(READS("leaf_info", "plen"), 1);
	ck_assert_uint_eq(READS("leaf_info", "hlist"), 0);
	ck_assert_uint_eq(READS("fib_alias", "fa_info"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_tos"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_type"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_state"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_list"), 0);
	ck_assert_uint_eq(READS("fib_info", "fib_dead"), 1);
	ck_assert_uint_eq(READS("fib_info", "fib_scope"), 1);
	ck_assert_uint_eq(READS("fib_info", "fib_flags"), 1);
	ck_assert_uint_eq(READS("fib_info", "fib_nhs"), 1);
	ck_assert_uint_eq(READS("fib_nh", "nh_flags"), 1);
	ck_assert_uint_eq(READS("fib_nh", "nh_oif"), 0);
	/* The alias is marked at its first use only. */
	ck_assert_uint_eq(fib_hits(fib_fx, "fib_alias", "fa_state",
				   ACCESS_WRITE), 1);
	ck_assert_uint_eq(fib_all_hits(fib_fx), 21);
	fib_finds(IP(10, 1, 2, 3), 8, 1);
	ck_assert_uint_eq(fib_all_hits(fib_fx), 41);
}
END_TEST

START_TEST(fields_of_a_miss)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(192, 168, 0, 0), 16, 2);
	fib_insert(fib_fx->main, &cfg);
	/* Slot 1's leaf does not match, slot 0's neither; then up and out. */
	fib_fails(IP(192, 169, 0, 1), -ENETUNREACH);
	ck_assert_uint_eq(READS("tnode", "child"), 2);
	ck_assert_uint_eq(READS("tnode", "pos"), 2);
	ck_assert_uint_eq(READS("tnode", "parent"), 2);
	ck_assert_uint_eq(READS("leaf", "parent"), 2);
	ck_assert_uint_eq(READS("leaf", "key"), 2);
	ck_assert_uint_eq(READS("leaf_info", "mask_plen"), 2);
	ck_assert_uint_eq(READS("leaf_info", "hlist"), 2);
	ck_assert_uint_eq(READS("leaf_info", "falh"), 0);
	ck_assert_uint_eq(READS("fib_alias", "fa_info"), 0);
}
END_TEST

START_TEST(empty_table_reads_its_root_only)
{
	fib_fails(IP(10, 0, 0, 1), -ENETUNREACH);
	ck_assert_uint_eq(READS("fib_table", "trie"), 1);
	ck_assert_uint_eq(fib_all_hits(fib_fx), 1);
}
END_TEST

START_TEST(lines_of_a_wide_node)
{
	u64 node;
	u32 i;

	insert_networks(256);
	node = object_address(&root()->object);
	for (i = 0; i < 256; i += 8)
		ck_assert(!fib_has_line(fib_fx, node + 56 + 8 * i));
	fib_finds(IP(10, 0, 200, 1), 24, 1);
	for (i = 0; i < 256; i++) {
		u64 line = (node + 56 + 8 * i) >> LINE_SHIFT;
		bool touched = line == (node + 56 + 8 * 200) >> LINE_SHIFT ||
			       line == node >> LINE_SHIFT;

		ck_assert_int_eq(fib_has_line(fib_fx, node + 56 + 8 * i),
				 touched);
	}
}
END_TEST

START_TEST(nexthops_lie_behind_their_fib_info)
{
	struct fib_nexthop ways[2] = {
		{ .dev = fib_fx->dev[1], .oif = 1 },
		{ .dev = fib_fx->dev[2], .oif = 2 },
	};
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct fib_result res;
	u64 start;
	u32 i;

	cfg.fc_mp = ways;
	cfg.fc_mp_len = 2;
	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 0, 0, 1), &res), 0);
	start = object_address(&res.fi->object);
	for (i = 0; i < 2; i++) {
		struct fib_nh *nh = &res.fi->fib_nh[i];

		ck_assert_uint_eq(object_address(&nh->object),
				  start + 96 + 88 * i);
		ck_assert_uint_eq(MEMBER_LINE(nh, nh_flags),
				  (start + 96 + 88 * i + 32) >> LINE_SHIFT);
		ck_assert_ptr_eq(nh->nh_parent, res.fi);
	}
	ck_assert(fib_has_line(fib_fx, start + 96 + 32));
}
END_TEST

static TCase *shape_case(void)
{
	TCase *tc = tcase_create("shape");

	tcase_add_checked_fixture(tc, fib_setup, fib_teardown);
	tcase_add_test(tc, dense_table_becomes_one_node);
	tcase_add_test(tc, sparse_table_shrinks_again);
	tcase_add_test(tc, root_doubles_sooner);
	tcase_add_test(tc, prefixes_of_one_key_share_a_leaf);
	return tc;
}

static TCase *charges_case(void)
{
	TCase *tc = tcase_create("charges");

	tcase_add_checked_fixture(tc, fib_setup, fib_teardown);
	tcase_add_test(tc, fields_of_one_lookup);
	tcase_add_test(tc, fields_of_a_miss);
	tcase_add_test(tc, empty_table_reads_its_root_only);
	tcase_add_test(tc, lines_of_a_wide_node);
	tcase_add_test(tc, nexthops_lie_behind_their_fib_info);
	return tc;
}

Suite *suite_fib_lc(void)
{
	Suite *suite = suite_create("fib_lc");

	suite_add_tcase(suite, shape_case());
	suite_add_tcase(suite, charges_case());
	return suite;
}
