/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's data files, the patches and parameters that a scenario may set,
 * and what is said where they are wrong.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "net_support.h"

/* ---- the files as they are ---- */

static bool same_features(features_t a, features_t b)
{
	return !memcmp(&a, &b, sizeof(a));
}

START_TEST(test_as_it_is)
{
	g_autofree char *folder = net_kernel_folder(), *patches = NULL;
	struct kernel_config config = { .folder = folder };
	struct kernel *kernel = net_load(&config);

	ck_assert_str_eq(kernel->name, "linux-3.6");
	ck_assert_str_eq(kernel->version, "3.6");
	ck_assert_uint_eq(kernel->parameters.hz, 1000);
	ck_assert_str_eq(kernel->parameters.allocator, "slab");
	ck_assert(same_features(kernel->features,
				features_of_version("3.6")));
	patches = kernel_patches(kernel);
	ck_assert_str_eq(patches, "");
	/* One of each: read by DWARF, beyond the end, in a larger struct. */
	ck_assert_uint_eq(kernel->types[STRUCT_neighbour].offsets[
			  offsetof(struct neighbour, primary_key)], 368);
	ck_assert_uint_eq(kernel->types[STRUCT_rtable].offsets[
			  offsetof(struct rtable, dst.__refcnt)], 128);
	ck_assert_uint_eq(kernel->types[STRUCT_udp_sock].offsets[
			  offsetof(struct udp_sock, inet.sk.sk_wmem_alloc)],
			  236);
	net_unload(kernel);
}
END_TEST

/* ---- files that are wrong ---- */

/* Is this what is said of a missing member, by some site that uses it? */
static bool names_a_site(const char *message, const char *folder,
			 const char *type, const char *member)
{
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];
		g_autofree char *text = NULL;

		if (!g_str_equal(site->type, type) ||
		    !g_str_equal(site->member, member))
			continue;
		text = g_strdup_printf("%s/structs.tsv: %s.%s is used by %s "
				       "(%s:%u) but not placed; add a row with "
				       "its offset and size", folder, type,
				       member, site->function, site->file,
				       site->source_line);
		if (g_str_equal(message, text))
			return true;
	}
	return false;
}

START_TEST(test_missing_member)
{
	static const struct {
		const char *row, *type, *member;
	} members[] = {
		{ "neighbour\t24\t8\tconfirmed", "neighbour", "confirmed" },
		{ "neighbour\t216\t2\thh.hh_len", "neighbour", "hh.hh_len" },
		{ "dst_entry\t128\t4\t__refcnt", "dst_entry", "__refcnt" },
		{ "sock\t236\t4\tsk_wmem_alloc", "sock", "sk_wmem_alloc" },
	};
	u32 number;
	char *folder = net_changed_folder("linux-3.6", "structs.tsv", members[_i].row, NULL,
				      &number);
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);

	if (!names_a_site(message, folder, members[_i].type,
			  members[_i].member))
		ck_abort_msg("%s", message);
	net_remove_folder(folder);
}
END_TEST

START_TEST(test_missing_cost)
{
	u32 number;
	char *folder = net_changed_folder("linux-3.6", "costs.tsv", "dst_release\t", NULL,
				      &number);
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *start =
		g_strdup_printf("%s/costs.tsv: dst_release() (", folder);

	ck_assert(g_str_has_prefix(message, start));
	ck_assert(g_str_has_suffix(message, "stack/net/core/dst.c) has no row; "
				   "give it its own count or its nearest "
				   "relative's, and say which"));
	net_remove_folder(folder);
}
END_TEST

static const struct {
	const char *file, *line, *otherwise, *message;
} bad_rows[] = {
	{ "structs.tsv", "neighbour\t24\t", "neighbour\t24\t8",
	  "too few columns; they are parted by tabs" },
	{ "structs.tsv", "neighbour\t24\t", "neighbour 24 8 confirmed",
	  "too few columns; they are parted by tabs" },
	{ "structs.tsv", "neighbour\t24\t", "neighbour\t0x18\t8\tconfirmed",
	  "offset and size must be numbers, or both '-' where this kernel has "
	  "no such field" },
	{ "structs.tsv", "neighbour\t24\t", "neighbour\t24\t-8\tconfirmed",
	  "offset and size must be numbers, or both '-' where this kernel has "
	  "no such field" },
	{ "structs.tsv", "neighbour\t24\t", "neighbour\t24\t8\ttbl",
	  "this field stands twice" },
	{ "costs.tsv", "dst_release\t", "dst_release\t8\t0",
	  "too few columns; they are parted by tabs" },
	{ "costs.tsv", "dst_release\t", "dst_release\tmany\t0\ta guess",
	  "instructions and stores must be numbers, at most 1000000, or both "
	  "'-' where this kernel has no such function" },
	{ "costs.tsv", "dst_release\t", "dst_release\t1000001\t0\ta guess",
	  "instructions and stores must be numbers, at most 1000000, or both "
	  "'-' where this kernel has no such function" },
	{ "costs.tsv", "dst_release\t", "dst_release\t8\t9\ta guess",
	  "instructions and stores must be numbers, at most 1000000, or both "
	  "'-' where this kernel has no such function" },
};

START_TEST(test_bad_row)
{
	u32 number;
	char *folder = net_changed_folder("linux-3.6", bad_rows[_i].file, bad_rows[_i].line,
				      bad_rows[_i].otherwise, &number);
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *want = g_strdup_printf("%s/%s:%u: %s", folder,
						bad_rows[_i].file, number,
						bad_rows[_i].message);

	ck_assert_str_eq(message, want);
	net_remove_folder(folder);
}
END_TEST

static const struct {
	const char *line, *otherwise, *message;
} bad_ini[] = {
	{ "hz = ", "hz = 0", "hz must be from 100 to 1000" },
	{ "hz = ", "hz = 1001", "hz must be from 100 to 1000" },
	{ "allocator = ", "allocator = slob",
	  "allocator must be slab or slub" },
	{ "version = ", NULL, NULL },	/* what GLib says of it */
	{ "hz = ", "hz = often", NULL },
	{ "allocator = ", NULL, NULL },
	{ "[kernel]", "[colonel]", NULL },
};

START_TEST(test_bad_ini)
{
	u32 number;
	char *folder = net_changed_folder("linux-3.6", "kernel.ini", bad_ini[_i].line,
				      bad_ini[_i].otherwise, &number);
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *want = g_strdup_printf("%s/kernel.ini: %s", folder,
						bad_ini[_i].message ?
						bad_ini[_i].message : "");

	if (bad_ini[_i].message)
		ck_assert_str_eq(message, want);
	else
		ck_assert(g_str_has_prefix(message, want));
	net_remove_folder(folder);
}
END_TEST

/* ---- patches ---- */

/* What an old kernel's tables do not have cannot be patched in, nor what a new
 * one's lack be had by taking the patch away. */
START_TEST(test_patch_beyond_the_tables)
{
	static const struct {
		const char *kernel, *patch, *message;
	} cases[] = {
		{ "linux-3.6", "fib-trie-key-vector",
		  "linux-3.6 cannot be patched with 'fib-trie-key-vector': "
		  "that needs tnode.kv.key, which its tables do not have" },
		{ "linux-3.6", "route-output-rcu",
		  "linux-3.6 cannot be patched with 'route-output-rcu': that "
		  "needs ip_route_output_key_hash_rcu(), which its tables do "
		  "not have" },
		{ "linux-6.1", "-fib-trie-key-vector",
		  "linux-6.1 cannot be without 'fib-trie-key-vector': that "
		  "needs leaf.key, which its tables do not have" },
	};
	g_autofree char *path = g_build_filename("stack/kernels",
						 cases[_i].kernel, NULL);
	g_autofree char *folder = net_source_file(path), *message = NULL;
	const char *const patches[] = { cases[_i].patch, NULL };
	struct kernel_config config = { .folder = folder, .patches = patches };

	message = net_refusal(&config, KERNEL_ERROR_SETTING);
	ck_assert_str_eq(message, cases[_i].message);
}
END_TEST

START_TEST(test_unknown_patch)
{
	static const char *const names[][2] = {
		{ "neigh-confirm-twice", "neigh-confirm-twice" },
		{ "-neigh-confirm-twice", "neigh-confirm-twice" },
		{ "--neigh-confirm-once", "-neigh-confirm-once" },
		{ "", "" },
		{ "Neigh-Confirm-Once", "Neigh-Confirm-Once" },
	};
	const char *const patches[] = { "neigh-confirm-once", names[_i][0],
					NULL };
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = { .folder = folder, .patches = patches };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_SETTING);
	g_autofree char *want = g_strdup_printf("no patch is called '%s'; "
						"'udpsim list patches' has "
						"them all", names[_i][1]);

	ck_assert_str_eq(message, want);
}
END_TEST

static features_t with(features_t features, enum feature feature)
{
	features_set(&features, feature, true);
	return features;
}

static void verify_patches(const char *folder, const char *const *patches,
			   const char *text, features_t features)
{
	struct kernel_config config = { .folder = folder, .patches = patches };
	struct kernel *kernel = net_load(&config);
	g_autofree char *have = kernel_patches(kernel);

	ck_assert_str_eq(have, text);
	ck_assert(same_features(kernel->features, features));
	net_unload(kernel);
}

#define PATCHES(...) ((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(test_patches)
{
	const features_t none = features_of_version("3.6");	/* of these */
	const features_t once = with(none, NEIGH_CONFIRM_ONCE);
	g_autofree char *folder = net_kernel_folder();

	verify_patches(folder, PATCHES("neigh-confirm-once"),
		       "+neigh-confirm-once", once);
	/* The order is the table's, whatever order they come in. */
	verify_patches(folder, PATCHES("neigh-hh-output-inline",
				       "neigh-confirm-once"),
		       "+neigh-confirm-once;+neigh-hh-output-inline",
		       with(once, NEIGH_HH_OUTPUT_INLINE));
	verify_patches(folder, PATCHES("neigh-confirm-once",
				       "-neigh-confirm-once"), "", none);
	verify_patches(folder, PATCHES("-neigh-confirm-once",
				       "neigh-confirm-once"),
		       "+neigh-confirm-once", once);
	/* What is not there may be taken away. */
	verify_patches(folder, PATCHES("-neigh-confirm-once"), "", none);
}
END_TEST

START_TEST(test_patches_of_a_later_version)
{
	u32 number;
	char *folder = net_changed_folder("linux-3.6", "kernel.ini", "version = ",
				      "version = 3.8", &number);
	features_t all = features_of_version("3.8"), rest;

	/* 3.6's tables have no grace-period thread. */
	features_set(&all, RCU_GP_KTHREAD, false);
	rest = all;
	features_set(&rest, NEIGH_CONFIRM_ONCE, false);
	verify_patches(folder, PATCHES("-rcu-gp-kthread"), "-rcu-gp-kthread",
		       all);
	verify_patches(folder, PATCHES("-rcu-gp-kthread",
				       "-neigh-confirm-once"),
		       "-neigh-confirm-once;-rcu-gp-kthread", rest);
	verify_patches(folder, PATCHES("spin-locks-queued", "-rcu-gp-kthread",
				       "-neigh-confirm-once"),
		       "-neigh-confirm-once;-rcu-gp-kthread;"
		       "+spin-locks-queued",
		       with(rest, SPIN_LOCKS_QUEUED));
	net_remove_folder(folder);
}
END_TEST

START_TEST(test_versions)
{
	/* In the order of their release. */
	static const char *const versions[] = {
		"2.6.9", "2.6.32", "3.1", "3.6", "3.6.11", "3.7", "3.7.0",
		"3.12", "4.1.52", "4.2", "4.10", "6.1", "10.0"
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		features_t set = features_of_version(versions[i]);

		ck_assert(features_has(&set, NEIGH_CONFIRM_ONCE) == (i >= 5));
		ck_assert(features_has(&set, NEIGH_HH_OUTPUT_INLINE) ==
			  (i >= 5));
		ck_assert(features_has(&set, SPIN_LOCKS_QUEUED) == (i >= 9));
	}
	for (i = 0; i < NUM_FEATURES; i++) {
		ck_assert_int_eq(feature_find(feature_info[i].name), (int)i);
		ck_assert_ptr_nonnull(feature_info[i].title);
		ck_assert_ptr_nonnull(feature_info[i].source);
	}
	ck_assert_int_eq(feature_find("neigh"), -1);
}
END_TEST

/* ---- parameters ---- */

#define NO_SUCH_PARAMETER "no such parameter; there are kernel.hz, " \
	"mm.allocator, slab.CACHE.limit, udp.hash_entries, " \
	"net.ipv4.ip_local_port_range, " \
	"net.ipv4.conf.all.rp_filter, " \
	"net.ipv4.conf.all.force_igmp_version, net.ipv4.igmp_qrv, " \
	"net.ipv6.conf.all.force_mld_version, net.ipv6.mld_qrv, " \
	"rcu.blimit, rcu.qhimark, " \
	"rcu.qlowmark, rcu.jiffies_till_first_fqs and " \
	"rcu.jiffies_till_next_fqs"
#define BAD_RANGE "must be two ports, the lower first: 32768 60999"

static const struct {
	const char *key, *value, *message;
} bad_parameters[] = {
	{ "kernel.hz", "99", "must be from 100 to 1000" },
	{ "kernel.hz", "1001", "must be from 100 to 1000" },
	{ "kernel.hz", "", "must be from 100 to 1000" },
	{ "kernel.hz", "250 ", "must be from 100 to 1000" },
	{ "mm.allocator", "slob", "must be slab or slub" },
	{ "mm.allocator", "SLAB", "must be slab or slub" },
	{ "slab.UDP.limit", "0", "must be from 1 to 4096" },
	{ "slab.UDP.limit", "4097", "must be from 1 to 4096" },
	{ "slab.UDP.limit", "-1", "must be from 1 to 4096" },
	{ "slab.UPD.limit", "54", "no cache has this name; slabinfo has UDP, "
	  "filp, skbuff_head_cache, size-512, ..." },
	{ "slab..limit", "54", NO_SUCH_PARAMETER },
	{ "slab.UDP.batchcount", "54", NO_SUCH_PARAMETER },
	{ "kernel.HZ", "250", NO_SUCH_PARAMETER },
	{ "udp.hash_entries", "255", "must be from 256 to 65536" },
	{ "udp.hash_entries", "65537", "must be from 256 to 65536" },
	{ "net.ipv4.ip_local_port_range", "61000 32768", BAD_RANGE },
	{ "net.ipv4.ip_local_port_range", "32768", BAD_RANGE },
	{ "net.ipv4.ip_local_port_range", "0 9", BAD_RANGE },
	{ "net.ipv4.ip_local_port_range", "9 65536", BAD_RANGE },
	{ "net.ipv4.conf.all.rp_filter", "3",
	  "must be 0 (off), 1 (strict) or 2 (loose)" },
	{ "rcu.blimit", "0", "must be from 1 to 1000000" },
	{ "rcu.jiffies_till_first_fqs", "1001", "must be from 1 to 1000" },
};

START_TEST(test_bad_parameter)
{
	const struct kernel_setting settings[] = {
		{ "kernel.hz", "250", "a.scenario:7" },
		{ bad_parameters[_i].key, bad_parameters[_i].value,
		  "a.scenario:8" },
		{ NULL, NULL, NULL },
	};
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = {
		.folder = folder, .parameters = settings,
	};
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_SETTING);
	g_autofree char *want = g_strdup_printf(
		"a.scenario:8: parameters.%s = %s: %s", bad_parameters[_i].key,
		bad_parameters[_i].value, bad_parameters[_i].message);

	ck_assert_str_eq(message, want);
}
END_TEST

static struct slabinfo cache_info(const struct kernel *kernel, const char *name)
{
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(kernel, i, &info); i++)
		if (g_str_equal(info.name, name))
			return info;
	ck_abort_msg("no cache %s", name);
}

START_TEST(test_parameters)
{
	static const struct kernel_setting settings[] = {
		{ "slab.UDP.limit", "7", "" },
		{ "kernel.hz", "250", "" },
		{ "slab.size-512.limit", "4096", "" },
		{ "net.ipv4.conf.all.rp_filter", "2", "" },
		{ NULL, NULL, NULL },
	};
	static const struct kernel_setting slub[] = {
		{ "mm.allocator", "slub", "" },
		{ NULL, NULL, NULL },
	};
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = {
		.folder = folder, .parameters = settings,
	};
	struct kernel *kernel = net_load(&config);

	ck_assert_uint_eq(kernel->parameters.hz, 250);
	ck_assert_uint_eq(kernel->parameters.rp_filter, 2);
	ck_assert_uint_eq(kernel->init_net->ipv4.devconf_all->
			  data[IPV4_DEVCONF_RP_FILTER], 2);
	ck_assert_uint_eq(cache_info(kernel, "UDP").limit, 7);
	ck_assert_uint_eq(cache_info(kernel, "UDP").batchcount, 4);
	ck_assert_uint_eq(cache_info(kernel, "size-512").limit, 4096);
	ck_assert_uint_eq(cache_info(kernel, "filp").limit, 120);
	/* Five minutes before 32 bits of jiffies wrap. */
	ck_assert_uint_eq(jiffies_data()->jiffies, 0x100000000u - 300 * 250);
	net_unload(kernel);

	config.parameters = slub;
	kernel = net_load(&config);
	ck_assert_str_eq(kernel->parameters.allocator, "slub");
	cache_info(kernel, "kmalloc-512");
	net_unload(kernel);
}
END_TEST

/* SLUB's CPUs have no arrays whose length could be limited. */
START_TEST(test_limit_of_slub)
{
	static const struct kernel_setting settings[] = {
		{ "mm.allocator", "slub", "a.scenario:7" },
		{ "slab.UDP.limit", "54", "a.scenario:8" },
		{ NULL, NULL, NULL },
	};
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = {
		.folder = folder, .parameters = settings,
	};
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_SETTING);

	ck_assert_str_eq(message, "a.scenario:8: parameters.slab.UDP.limit = "
			 "54: SLUB has no such limit; mm.allocator = slab has");
}
END_TEST

/* Linux 6.1 is built with SLUB, and its tables have nothing else. */
START_TEST(test_allocator_without_tables)
{
	static const struct kernel_setting settings[] = {
		{ "kernel.hz", "250", "a.scenario:7" },
		{ "mm.allocator", "slab", "a.scenario:8" },
		{ NULL, NULL, NULL },
	};
	g_autofree char *folder = net_source_file("stack/kernels/linux-6.1");
	struct kernel_config config = {
		.folder = folder, .parameters = settings,
	};
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_SETTING);

	ck_assert_str_eq(message, "a.scenario:8: parameters.mm.allocator = "
			 "slab: the tables of this kernel do not have it");
}
END_TEST

START_TEST(test_too_little_memory)
{
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal_with(&config,
						    KERNEL_ERROR_SETTING, 15);

	ck_assert_str_eq(message, "node 0 of the machine has 15 MiB; a kernel "
			 "needs 16 on each");
}
END_TEST

/* ---- suite ---- */

Suite *suite_kernel_data(void)
{
	Suite *suite = suite_create("kernel_data");
	TCase *data = tcase_create("files");
	TCase *patches = tcase_create("patches");
	TCase *parameters = tcase_create("parameters");

	tcase_add_test(data, test_as_it_is);
	tcase_add_loop_test(data, test_missing_member, 0, 4);
	tcase_add_test(data, test_missing_cost);
	tcase_add_loop_test(data, test_bad_row, 0, ARRAY_SIZE(bad_rows));
	tcase_add_loop_test(data, test_bad_ini, 0, ARRAY_SIZE(bad_ini));
	suite_add_tcase(suite, data);
	tcase_add_loop_test(patches, test_unknown_patch, 0, 5);
	tcase_add_loop_test(patches, test_patch_beyond_the_tables, 0, 3);
	tcase_add_test(patches, test_patches);
	tcase_add_test(patches, test_patches_of_a_later_version);
	tcase_add_test(patches, test_versions);
	suite_add_tcase(suite, patches);
	tcase_add_loop_test(parameters, test_bad_parameter, 0,
			    ARRAY_SIZE(bad_parameters));
	tcase_add_test(parameters, test_parameters);
	tcase_add_test(parameters, test_limit_of_slub);
	tcase_add_test(parameters, test_allocator_without_tables);
	tcase_add_test(parameters, test_too_little_memory);
	suite_add_tcase(suite, parameters);
	return suite;
}
