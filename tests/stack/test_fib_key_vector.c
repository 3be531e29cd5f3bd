/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trie of key vectors: its shape, that of the reference trace among them,
 * which nodes a look-up enters and which it can leave out, the order of
 * aliases, the trie that two tables share, and the counters.
 */
#include <errno.h>

#include "fib_support.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/netns.h"

static struct tnode *root(const struct fib_table *tb)
{
	ck_assert_ptr_nonnull(tb->tb_data->__data.kv.tnode);
	return tb->tb_data->__data.kv.tnode;
}

static void insert(u32 dst, u32 plen, u32 oif)
{
	struct fib_config cfg = fib_route(fib_fx, dst, plen, oif);

	fib_insert(fib_fx->main, &cfg);
	ck_assert_ptr_null(fib_verify(fib_fx->main));
}

static void delete(u32 dst, u32 plen, u32 oif)
{
	struct fib_config cfg = fib_route(fib_fx, dst, plen, oif);

	fib_remove(fib_fx->main, &cfg);
	ck_assert_ptr_null(fib_verify(fib_fx->main));
}

static void is_tnode(const struct tnode *n, u32 key, u32 pos, u32 bits,
		     u32 slen)
{
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(n->kv.key, key);
	ck_assert_uint_eq(n->kv.pos, pos);
	ck_assert_uint_eq(n->kv.bits, bits);
	ck_assert_uint_eq(n->kv.slen, slen);
}

/* ---- shape ---- */

START_TEST(dense_table_becomes_one_node)
{
	u32 i;

	for (i = 0; i < 256; i++)
		insert(IP(10, 0, i, 0), 24, 1 + i % 4);
	/* And twice as wide as that: the root may be half empty. */
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 7, 9, 8);
	ck_assert_uint_eq(root(fib_fx->main)->empty_children, 256);
	ck_assert_uint_eq(root(fib_fx->main)->full_children, 0);
	for (i = 0; i < 256; i++)
		fib_finds(IP(10, 0, i, 99), 24, 1 + i % 4);
}
END_TEST

START_TEST(sparse_table_shrinks_again)
{
	u32 i;

	for (i = 0; i < 256; i++)
		insert(IP(10, 0, i, 0), 24, 1);
	for (i = 255; i >= 2; i--) {
		const struct tnode *tn;
		u32 length;

		delete(IP(10, 0, i, 0), 24, 1);
		tn = root(fib_fx->main);
		length = 1u << tn->kv.bits;
		/* What is left is too much to halve, too little to double. */
		ck_assert(tn->kv.bits == 1 ||
			  100 * (length - tn->empty_children) >= 15 * length);
		ck_assert(50 * (length - tn->empty_children +
				tn->full_children) < 30 * length ||
			  !tn->kv.pos);
	}
	/* Two of eight is more than 15 percent. */
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 7, 3, 8);
	delete(IP(10, 0, 1, 0), 24, 1);
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 0, 0, 8);
}
END_TEST

/* Below the root it takes half of the doubled node, for the root 30 percent:
 * two leaves in two slots are doubled once in either place, three leaves in
 * four slots at the root only. */
START_TEST(root_doubles_sooner)
{
	insert(IP(10, 0, 0, 0), 8, 1);
	insert(IP(74, 0, 0, 0), 8, 1);
	insert(IP(138, 0, 0, 0), 8, 1);
	is_tnode(root(fib_fx->main), 0, 29, 3, 29);
	delete(IP(138, 0, 0, 0), 8, 1);
	insert(IP(192, 0, 2, 1), 32, 1);
	insert(IP(192, 0, 2, 64), 32, 1);
	insert(IP(192, 0, 2, 128), 32, 1);
	is_tnode(root(fib_fx->main)->kv.tnode[6], IP(192, 0, 2, 0), 6, 2, 6);
}
END_TEST

START_TEST(prefixes_of_one_key_share_a_leaf)
{
	static const u32 lengths[] = { 16, 8, 32, 24 };
	const struct fib_alias *fa;
	u32 i;

	for (i = 0; i < 4; i++)
		insert(IP(10, 0, 0, 0), lengths[i], 1 + i);
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 0, 0, 24);
	for (fa = root(fib_fx->main)->kv.leaf, i = 0; fa; fa = fa->fa_list)
		ck_assert_uint_eq(fa->fa_slen, 8 * i++);
	ck_assert_uint_eq(i, 4);
	fib_finds(IP(10, 0, 0, 0), 32, 3);
	fib_finds(IP(10, 0, 0, 1), 24, 4);
	fib_finds(IP(10, 0, 1, 0), 16, 1);
	fib_finds(IP(10, 1, 0, 0), 8, 2);
	fib_fails(IP(11, 0, 0, 0), -ENETUNREACH);
	delete(IP(10, 0, 0, 0), 8, 2);
	ck_assert_uint_eq(root(fib_fx->main)->kv.slen, 16);
}
END_TEST

START_TEST(nodes_have_the_kernels_sizes)
{
	insert(IP(10, 0, 0, 0), 32, 1);
	ck_assert_uint_eq(ksize(root(fib_fx->main)), 48);
	insert(IP(10, 0, 0, 1), 32, 1);		/* 40 bytes and 2 children */
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 0, 1, 0);
	ck_assert_uint_eq(ksize(root(fib_fx->main)), 64);
	insert(IP(10, 0, 0, 2), 32, 1);		/* and 4 */
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 0, 2, 0);
	ck_assert_uint_eq(ksize(root(fib_fx->main)), 96);
}
END_TEST

/* ---- look-ups ---- */

#define READS(type, member) fib_hits(fib_fx, type, member, ACCESS_READ)

/* The addresses of lo and of 10.9.9.1/24, which the machine of the trace had:
 * a root and the tnode below it with four children, then one with two. */
START_TEST(walk_of_the_trace)
{
	struct net *net = fib_fx->kernel->init_net;
	struct net_device *dev = register_netdevice(fib_fx->kernel, "dummy0",
						    1500);
	const struct tnode *n;
	struct fib_result res;

	ck_assert(inet_add_address(fib_fx->kernel, dev, IP(10, 9, 9, 1), 24,
				   NULL));
	ck_assert_ptr_null(fib_verify(net->ipv4.fib_main));
	n = root(net->ipv4.fib_main);
	is_tnode(n, 0, 29, 2, 29);
	ck_assert_uint_eq(ksize(n), 96);
	n = n->kv.tnode[0];
	is_tnode(n, IP(10, 9, 9, 0), 6, 2, 8);
	ck_assert_uint_eq(ksize(n), 96);
	n = n->kv.tnode[0];
	is_tnode(n, IP(10, 9, 9, 0), 0, 1, 8);
	ck_assert_uint_eq(ksize(n), 64);
	is_tnode(n->kv.tnode[0], IP(10, 9, 9, 0), 0, 0, 8);
	ck_assert_ptr_null(n->kv.tnode[0]->kv.leaf->fa_list);

	fib_forget(fib_fx);
	ck_assert_int_eq(fib_find(net->ipv4.fib_main, IP(10, 9, 9, 2), &res),
			 0);
	ck_assert_uint_eq(res.prefixlen, 24);
	ck_assert_ptr_eq(FIB_RES_NH(res)->nh_dev, dev);
	/* Four nodes, the last two a second time for the shorter prefix. */
	ck_assert_uint_eq(READS("tnode", "kv.tnode"), 3);
	ck_assert_uint_eq(READS("tnode", "kv.leaf"), 1);
	ck_assert_uint_eq(READS("tnode", "kv.pos"), 5);
	ck_assert_uint_eq(READS("tnode", "kv.bits"), 5);
	ck_assert_uint_eq(READS("tnode", "parent"), 0);
	ck_assert_uint_eq(READS("fib_alias", "fa_info"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_tos"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_list"), 0);
	ck_assert_uint_eq(READS("fib_nh", "nh_flags"), 1);
	ck_assert_uint_eq(READS("fib_nh", "nh_oif"), 0);
}
END_TEST

START_TEST(no_way_to_long_prefixes)
{
	/* Hosts only: whoever is none of them is sent away by the first node,
	 * whose slen says that there is nothing shorter. */
	insert(IP(10, 0, 0, 1), 32, 1);
	insert(IP(10, 0, 0, 2), 32, 1);
	insert(IP(10, 0, 0, 4), 32, 1);
	insert(IP(10, 0, 0, 7), 32, 1);
	is_tnode(root(fib_fx->main), IP(10, 0, 0, 0), 0, 3, 0);
	fib_fails(IP(10, 0, 1, 1), -ENETUNREACH);
	ck_assert_uint_eq(READS("tnode", "kv.tnode"), 0);
	ck_assert_uint_eq(READS("tnode", "kv.slen"), 1);
	/* An empty slot: back, and out without another child. */
	fib_fails(IP(10, 0, 0, 3), -ENETUNREACH);
	ck_assert_uint_eq(READS("tnode", "kv.tnode"), 1);
	ck_assert_uint_eq(READS("fib_alias", "fa_info"), 0);
}
END_TEST

START_TEST(empty_table_reads_its_root_only)
{
	fib_fails(IP(10, 0, 0, 1), -ENETUNREACH);
	ck_assert_uint_eq(READS("fib_table", "tb_data"), 1);
	ck_assert_uint_eq(READS("fib_table", "__data.kv.tnode"), 1);
	ck_assert_uint_eq(READS("fib_table", "__data.stats"), 1);
	ck_assert_uint_eq(fib_all_hits(fib_fx), 3);
}
END_TEST

START_TEST(lookups_are_counted)
{
	const struct trie_use_stats *stats = fib_fx->main->__data.stats[0];

	fib_fails(IP(10, 0, 0, 1), -ENETUNREACH);
	ck_assert_uint_eq(stats->gets, 0);	/* of a trie, and it is none */
	insert(0, 0, 4);
	insert(IP(10, 0, 0, 0), 24, 1);
	insert(IP(10, 0, 0, 64), 28, 1);
	fib_finds(IP(10, 0, 0, 1), 24, 1);
	ck_assert_uint_eq(stats->gets, 1);
	ck_assert_uint_eq(stats->semantic_match_passed, 1);
	ck_assert_uint_eq(stats->backtrack, 0);
	/* The /28 might be the one, but is not. */
	fib_finds(IP(10, 0, 0, 99), 24, 1);
	ck_assert_uint_eq(stats->semantic_match_miss, 1);
	ck_assert_uint_eq(stats->gets, 2);
	ck_assert_uint_eq(stats->semantic_match_passed, 2);
	fib_finds(IP(99, 0, 0, 1), 0, 4);
	ck_assert_uint_eq(stats->gets, 3);
	ck_assert_uint_eq(stats->semantic_match_passed, 3);
	ck_assert_uint_eq(stats->semantic_match_miss, 1);
}
END_TEST

/* ---- aliases and tables ---- */

static void insert_alias(struct fib_table *tb, u32 plen, u32 tos, u32 priority)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), plen, 1);

	cfg.fc_tos = tos;
	cfg.fc_priority = priority;
	fib_insert(tb, &cfg);
	ck_assert_ptr_null(fib_verify(tb));
}

START_TEST(order_of_aliases)
{
	/* In the order in which they must stand. */
	static const struct {
		u8 plen, tos, priority;
		bool is_local;
	} want[] = {
		{ 24, 0x10, 0, true }, { 24, 0, 1, true }, { 24, 0, 2, true },
		{ 24, 0x08, 0, false }, { 24, 0, 0, false },
		{ 16, 0, 0, true }, { 16, 0x10, 5, false }, { 8, 0, 0, false },
	};
	static const u8 orders[][8] = {
		{ 0, 1, 2, 3, 4, 5, 6, 7 }, { 7, 6, 5, 4, 3, 2, 1, 0 },
		{ 3, 7, 0, 5, 2, 6, 1, 4 }, { 4, 1, 6, 2, 5, 0, 7, 3 },
	};
	const struct fib_alias *fa;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		u32 j = orders[_i][i];

		insert_alias(want[j].is_local ? fib_fx->local : fib_fx->main,
			     want[j].plen, want[j].tos, want[j].priority);
	}
	fa = root(fib_fx->main)->kv.leaf;
	for (i = 0; i < ARRAY_SIZE(want); i++, fa = fa->fa_list) {
		ck_assert_uint_eq(fa->fa_slen, 32 - want[i].plen);
		ck_assert_uint_eq(fa->fa_tos, want[i].tos);
		ck_assert_uint_eq(fa->fa_info->fib_priority, want[i].priority);
		ck_assert_uint_eq(fa->tb_id, want[i].is_local ?
				  RT_TABLE_LOCAL : RT_TABLE_MAIN);
	}
	ck_assert_ptr_null(fa);
}
END_TEST

START_TEST(local_and_main_share_a_trie)
{
	struct fib_config mine = fib_local_route(fib_fx, IP(10, 2, 2, 1), 1);
	struct fib_config host = fib_route(fib_fx, IP(10, 2, 2, 1), 32, 2);
	struct fib_result res;

	ck_assert_ptr_eq(fib_fx->local->tb_data, fib_fx->main);
	ck_assert_uint_eq(ksize(fib_fx->local), 64);	/* no trie in it */
	ck_assert_uint_eq(ksize(fib_fx->main), 96);
	insert(IP(10, 2, 2, 0), 24, 1);
	fib_insert(fib_fx->main, &host);
	fib_insert(fib_fx->local, &mine);
	/* Of equal prefixes the local one comes first. */
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 2, 2, 1), &res), 0);
	ck_assert_uint_eq(res.type, RTN_LOCAL);
	ck_assert(!fib_table_delete(fib_fx->local, &host, NULL));
	fib_remove(fib_fx->local, &mine);
	ck_assert_ptr_null(fib_verify(fib_fx->main));
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 2, 2, 1), &res), 0);
	ck_assert_uint_eq(res.type, RTN_UNICAST);
	/* One table goes, the other's routes stay. */
	fib_insert(fib_fx->local, &mine);
	fib_table_free(fib_fx->local);
	ck_assert_ptr_null(fib_verify(fib_fx->main));
	fib_finds(IP(10, 2, 2, 1), 32, 2);
	fib_finds(IP(10, 2, 2, 2), 24, 1);
	fib_fx->local = fib_table_new(fib_fx->fib, RT_TABLE_LOCAL);
	ck_assert_ptr_eq(fib_fx->local->tb_data, fib_fx->main);
	ck_assert_ptr_eq(fib_table_new(fib_fx->fib, RT_TABLE_LOCAL),
			 fib_fx->local);
}
END_TEST

Suite *suite_fib_key_vector(void)
{
	Suite *suite = suite_create("fib_key_vector");
	TCase *shape = tcase_create("shape");
	TCase *lookups = tcase_create("look-ups");
	TCase *aliases = tcase_create("aliases");

	tcase_add_checked_fixture(shape, fib_setup_key_vector, fib_teardown);
	tcase_add_test(shape, dense_table_becomes_one_node);
	tcase_add_test(shape, sparse_table_shrinks_again);
	tcase_add_test(shape, root_doubles_sooner);
	tcase_add_test(shape, prefixes_of_one_key_share_a_leaf);
	tcase_add_test(shape, nodes_have_the_kernels_sizes);
	suite_add_tcase(suite, shape);
	tcase_add_checked_fixture(lookups, fib_setup_key_vector, fib_teardown);
	tcase_add_test(lookups, walk_of_the_trace);
	tcase_add_test(lookups, no_way_to_long_prefixes);
	tcase_add_test(lookups, empty_table_reads_its_root_only);
	tcase_add_test(lookups, lookups_are_counted);
	suite_add_tcase(suite, lookups);
	tcase_add_checked_fixture(aliases, fib_setup_key_vector, fib_teardown);
	tcase_add_loop_test(aliases, order_of_aliases, 0, 4);
	tcase_add_test(aliases, local_and_main_share_a_trie);
	suite_add_tcase(suite, aliases);
	return suite;
}
