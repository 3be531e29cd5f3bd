/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What routes of the IPv4 FIB lead to: types, tos, priority and scope,
 * nexthops, gateways and sources, and which routes are refused.
 */
#include <errno.h>

#include "fib_support.h"

/* ---- kinds of routes ---- */

START_TEST(default_and_host_routes)
{
	struct fib_config cfg = fib_route(fib_fx, 0, 0, 4);

	fib_fails(IP(10, 2, 2, 2), -ENETUNREACH);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_uint_eq(fib_fx->main->tb_num_default, 1);
	fib_finds(IP(10, 2, 2, 2), 0, 4);
	fib_finds(UINT32_MAX, 0, 4);
	fib_finds(0, 0, 4);
	cfg = fib_route(fib_fx, IP(10, 2, 2, 2), 32, 2);
	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(10, 2, 2, 0), 24, 1);
	fib_insert(fib_fx->main, &cfg);
	fib_finds(IP(10, 2, 2, 2), 32, 2);
	fib_finds(IP(10, 2, 2, 3), 24, 1);
	fib_finds(IP(10, 2, 3, 2), 0, 4);
	cfg = fib_route(fib_fx, 0, 0, 4);
	fib_remove(fib_fx->main, &cfg);
	ck_assert_uint_eq(fib_fx->main->tb_num_default, 0);
	fib_fails(IP(10, 2, 3, 2), -ENETUNREACH);
}
END_TEST

START_TEST(routes_that_are_errors)
{
	static const struct {
		u32 type;
		int error;
	} kinds[] = {
		{ RTN_BLACKHOLE, -EINVAL },
		{ RTN_UNREACHABLE, -EHOSTUNREACH },
		{ RTN_PROHIBIT, -EACCES },
		{ RTN_THROW, -EAGAIN },
	};
	struct fib_config cfg = fib_route(fib_fx, 0, 0, 1);
	u32 i;

	fib_insert(fib_fx->main, &cfg);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		cfg = fib_error_route(IP(20 + i, 0, 0, 0), 8, kinds[i].type);
		fib_insert(fib_fx->main, &cfg);
		fib_fails(IP(20 + i, 1, 2, 3), kinds[i].error);
	}
	/* A longer prefix inside one of them is not affected. */
	cfg = fib_route(fib_fx, IP(20, 1, 2, 0), 24, 2);
	fib_insert(fib_fx->main, &cfg);
	fib_finds(IP(20, 1, 2, 3), 24, 2);
	fib_fails(IP(20, 1, 3, 3), -EINVAL);
	cfg = fib_route(fib_fx, IP(30, 0, 0, 0), 8, 1);
	cfg.fc_type = RTN_UNREACHABLE;
	fib_refuse(fib_fx->main, &cfg, "no device or gateway");
}
END_TEST

START_TEST(tos_chooses_among_aliases)
{
	struct fib_key key = { .daddr = IP(10, 1, 1, 1) };
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct fib_result res;

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 2);
	cfg.fc_tos = 0x10;
	fib_insert(fib_fx->main, &cfg);
	fib_refuse(fib_fx->main, &cfg, "already");
	cfg = fib_route(fib_fx, IP(10, 1, 0, 0), 16, 3);
	cfg.fc_tos = 0x08;
	fib_insert(fib_fx->main, &cfg);
	ck_assert_ptr_null(fib_verify(fib_fx->main));
	fib_finds(key.daddr, 8, 1);
	key.tos = 0x10;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_oif, 2);
	ck_assert_uint_eq(res.prefixlen, 8);
	key.tos = 0x08;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_oif, 3);
	ck_assert_uint_eq(res.prefixlen, 16);
	cfg.fc_tos = 0x10;
	ck_assert(!fib_table_delete(fib_fx->main, &cfg, NULL));
	cfg.fc_tos = 0x08;
	fib_remove(fib_fx->main, &cfg);
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
	ck_assert_uint_eq(res.prefixlen, 8);
}
END_TEST

START_TEST(priority_orders_aliases)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);

	cfg.fc_priority = 20;
	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 2);
	cfg.fc_priority = 10;
	fib_insert(fib_fx->main, &cfg);
	fib_finds(IP(10, 1, 1, 1), 8, 2);
	fib_remove(fib_fx->main, &cfg);
	fib_finds(IP(10, 1, 1, 1), 8, 1);
}
END_TEST

START_TEST(append_goes_behind)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 2);
	fib_refuse(fib_fx->main, &cfg, "already");
	cfg.fc_append = true;
	fib_insert(fib_fx->main, &cfg);
	fib_refuse(fib_fx->main, &cfg, "already");
	fib_finds(IP(10, 1, 1, 1), 8, 1);
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	fib_remove(fib_fx->main, &cfg);
	fib_finds(IP(10, 1, 1, 1), 8, 2);
}
END_TEST

START_TEST(scope_and_device_must_fit)
{
	struct fib_key key = { .daddr = IP(10, 1, 1, 1) };
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct fib_result res;

	cfg.fc_scope = RT_SCOPE_UNIVERSE;
	fib_insert(fib_fx->main, &cfg);
	key.scope = RT_SCOPE_LINK;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res),
			 -ENETUNREACH);
	key.scope = RT_SCOPE_UNIVERSE;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
	ck_assert_uint_eq(res.scope, RT_SCOPE_UNIVERSE);
	key.oif = 2;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res),
			 -ENETUNREACH);
	key.oif = 1;
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
}
END_TEST

/* ---- nexthops ---- */

START_TEST(several_nexthops_and_dead_ones)
{
	struct fib_nexthop ways[3];
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct fib_key key = { .daddr = IP(10, 1, 1, 1), .oif = 3 };
	struct fib_result res;
	u32 i;

	for (i = 0; i < 3; i++)
		ways[i] = (struct fib_nexthop){ .dev = fib_fx->dev[i + 1],
						.oif = i + 1 };
	cfg.fc_mp = ways;
	cfg.fc_mp_len = 3;
	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, 0, 0, 4);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(tb_lookup(fib_fx->main, &key, &res), 0);
	ck_assert_uint_eq(res.nh_sel, 2);
	fib_finds(key.daddr, 8, 1);
	ck_assert_uint_eq(fib_sync_down_dev(fib_fx->fib, fib_fx->dev[1]), 0);
	fib_finds(key.daddr, 8, 2);
	ck_assert_uint_eq(fib_sync_down_dev(fib_fx->fib, fib_fx->dev[2]), 0);
	fib_finds(key.daddr, 8, 3);
	ck_assert_uint_eq(fib_sync_down_dev(fib_fx->fib, fib_fx->dev[3]), 1);
	fib_finds(key.daddr, 0, 4);
	ck_assert_uint_eq(fib_sync_up(fib_fx->fib, fib_fx->dev[2]), 1);
	fib_finds(key.daddr, 8, 2);
}
END_TEST

START_TEST(gateway_is_looked_up)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 2, 2, 0), 24, 3);
	struct fib_result res;

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, 0, 0, 1);
	cfg.fc_scope = RT_SCOPE_UNIVERSE;
	cfg.fc_nh = (struct fib_nexthop){ .gw = IP(10, 2, 3, 1) };
	fib_refuse(fib_fx->main, &cfg, "gateway 10.2.3.1 is on no network");
	cfg.fc_nh.gw = IP(10, 2, 2, 1);
	cfg.fc_nh.oif = 1;
	fib_refuse(fib_fx->main, &cfg, "over this device");
	cfg.fc_nh.oif = 0;
	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(8, 8, 8, 8), &res), 0);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_gw, IP(10, 2, 2, 1));
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_oif, 3);
	ck_assert_ptr_eq(FIB_RES_NH(res)->nh_dev, fib_fx->dev[3]);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_scope, RT_SCOPE_LINK);
	/* A gateway behind that gateway would not be on the link. */
	cfg = fib_route(fib_fx, IP(20, 0, 0, 0), 8, 1);
	cfg.fc_scope = RT_SCOPE_UNIVERSE;
	cfg.fc_nh = (struct fib_nexthop){ .gw = IP(8, 8, 8, 8) };
	fib_refuse(fib_fx->main, &cfg, "is on no network");
}
END_TEST

START_TEST(source_must_be_local)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 2, 2, 0), 24, 1);
	struct fib_result res;

	cfg.fc_prefsrc = IP(10, 2, 2, 1);
	fib_refuse(fib_fx->main, &cfg, "source 10.2.2.1 is no address");
	cfg = fib_local_route(fib_fx, IP(10, 2, 2, 1), 1);
	fib_insert(fib_fx->local, &cfg);
	cfg = fib_route(fib_fx, IP(10, 2, 2, 0), 24, 1);
	cfg.fc_prefsrc = IP(10, 2, 2, 1);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 2, 2, 2), &res), 0);
	ck_assert_uint_eq(res.fi->fib_prefsrc, IP(10, 2, 2, 1));
	ck_assert_int_eq(fib_find(fib_fx->local, IP(10, 2, 2, 1), &res), 0);
	ck_assert_uint_eq(res.type, RTN_LOCAL);
	ck_assert_uint_eq(res.scope, RT_SCOPE_HOST);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_scope, RT_SCOPE_NOWHERE);
}
END_TEST

START_TEST(bad_routes_are_refused)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 2, 2, 1), 24, 1);

	fib_refuse(fib_fx->main, &cfg, "10.2.2.0 would be right");
	cfg = fib_route(fib_fx, 0, 33, 1);
	fib_refuse(fib_fx->main, &cfg, "0 to 32");
	cfg = fib_route(fib_fx, 0, 0, 1);
	cfg.fc_nh.oif = 0;
	fib_refuse(fib_fx->main, &cfg, "no device and no gateway");
	cfg = fib_local_route(fib_fx, IP(10, 2, 2, 1), 1);
	cfg.fc_scope = RT_SCOPE_LINK;
	fib_refuse(fib_fx->local, &cfg, "scope 253 is too wide");
	cfg = fib_route(fib_fx, 0, 0, 1);
	cfg.fc_type = NUM_RTN;
	fib_refuse(fib_fx->main, &cfg, "no route type");
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	ck_assert(!fib_table_delete(fib_fx->main, &cfg, NULL));
	ck_assert(fib_is_empty(fib_fx->main));
	ck_assert_uint_eq(fib_fx->fib->infos->len, 0);
}
END_TEST

START_TEST(equal_routes_share_a_fib_info)
{
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct fib_result a, b;

	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(11, 0, 0, 0), 8, 1);
	fib_insert(fib_fx->main, &cfg);
	cfg = fib_route(fib_fx, IP(12, 0, 0, 0), 8, 2);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_uint_eq(fib_fx->fib->infos->len, 2);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 0, 0, 1), &a), 0);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(11, 0, 0, 1), &b), 0);
	ck_assert_ptr_eq(a.fi, b.fi);
	ck_assert_int_eq(a.fi->fib_treeref, 2);
	cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	fib_remove(fib_fx->main, &cfg);
	ck_assert_int_eq(b.fi->fib_treeref, 1);
	ck_assert_uint_eq(b.fi->fib_dead, 0);
}
END_TEST

START_TEST(each_cpu_has_its_cell)
{
	const struct machine *machine = fib_fx->kernel->machine;
	struct fib_config cfg = fib_route(fib_fx, IP(10, 0, 0, 0), 8, 1);
	struct nh_pcpu_rth **cells;
	struct fib_result res;
	u32 i, j;

	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 0, 0, 1), &res), 0);
	cells = FIB_RES_NH(res)->nh_pcpu_rth_output;
	for (i = 0; i < machine->num_cpus; i++) {
		u32 line = cells[i]->object.line;

		ck_assert_ptr_null(cells[i]->rth);
		ck_assert_uint_eq(machine_line_node(machine, line),
				  machine->cpus[i].package);
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(cells[j]->object.line, line);
	}
	/* The next nexthop gets the cells of the last, empty again. */
	cells[0]->rth = (struct rtable *)fib_fx;
	fib_remove(fib_fx->main, &cfg);
	ck_assert_uint_eq(fib_fx->fib->spare_cells->len, 1);
	fib_insert(fib_fx->main, &cfg);
	ck_assert_int_eq(fib_find(fib_fx->main, IP(10, 0, 0, 1), &res), 0);
	ck_assert_ptr_eq(FIB_RES_NH(res)->nh_pcpu_rth_output, cells);
	ck_assert_ptr_null(cells[0]->rth);
}
END_TEST

static TCase *routes_case(const char *name, void (*setup)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, fib_teardown);
	tcase_add_test(tc, default_and_host_routes);
	tcase_add_test(tc, routes_that_are_errors);
	tcase_add_test(tc, tos_chooses_among_aliases);
	tcase_add_test(tc, priority_orders_aliases);
	tcase_add_test(tc, append_goes_behind);
	tcase_add_test(tc, scope_and_device_must_fit);
	tcase_add_test(tc, several_nexthops_and_dead_ones);
	tcase_add_test(tc, gateway_is_looked_up);
	tcase_add_test(tc, source_must_be_local);
	tcase_add_test(tc, bad_routes_are_refused);
	tcase_add_test(tc, equal_routes_share_a_fib_info);
	tcase_add_test(tc, each_cpu_has_its_cell);
	return tc;
}

Suite *suite_fib_semantics(void)
{
	Suite *suite = suite_create("fib_semantics");

	suite_add_tcase(suite, routes_case("LC-trie", fib_setup));
	suite_add_tcase(suite, routes_case("key vectors",
					   fib_setup_key_vector));
	return suite;
}
