/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lines of [layout] do to a kernel's structs, and what is said of
 * lines that are wrong.
 */
#include "net_support.h"

/* ---- lines that are wrong ---- */

static const struct {
	const char *key, *value, *message;
} bad_layouts[] = {
	{ "neighbor.confirmed", "own line",
	  "no modelled struct is called 'neighbor'" },
	{ "neighbor", "pad after lock",
	  "no modelled struct is called 'neighbor'" },
	/* It has a layout, but no part in the model. */
	{ "sock_common.skc_hash", "own line",
	  "no modelled struct is called 'sock_common'" },
	{ "neighbour.confirmd", "own line",
	  "struct neighbour has no field 'confirmd'" },
	{ "neighbour", "pad after confirmd",
	  "struct neighbour has no field 'confirmd'" },
	{ "udp_sock.sk_refcnt", "own line",
	  "struct udp_sock has no field 'sk_refcnt'" },
	{ "neighbour.confirmed", "its own line",
	  "must be \"own line\" or \"offset N\" with N up to 8192" },
	{ "neighbour.confirmed", "offset 8193",
	  "must be \"own line\" or \"offset N\" with N up to 8192" },
	{ "neighbour.confirmed", "offset -8",
	  "must be \"own line\" or \"offset N\" with N up to 8192" },
	{ "neighbour.confirmed", "offset",
	  "must be \"own line\" or \"offset N\" with N up to 8192" },
	{ "neighbour.confirmed", "pad after lock",
	  "must be \"own line\" or \"offset N\" with N up to 8192" },
	{ "neighbour", "own line",
	  "must be \"pad after FIELD\"; to move a field, write "
	  "neighbour.FIELD = own line" },
	{ "neighbour", "",
	  "must be \"pad after FIELD\"; to move a field, write "
	  "neighbour.FIELD = own line" },
};

START_TEST(test_bad_layout)
{
	const struct kernel_setting settings[] = {
		{ "dst_entry", "pad after __refcnt", "a.scenario:3" },
		{ bad_layouts[_i].key, bad_layouts[_i].value, "a.scenario:4" },
		{ NULL, NULL, NULL },
	};
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = { .folder = folder, .layout = settings };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_SETTING);
	g_autofree char *want = g_strdup_printf(
		"a.scenario:4: layout.%s = %s: %s", bad_layouts[_i].key,
		bad_layouts[_i].value, bad_layouts[_i].message);

	ck_assert_str_eq(message, want);
}
END_TEST

/* ---- what they do ---- */

/* Two kernels, as they are and with one or two lines of layout. */
struct pair {
	struct kernel *plain, *changed;
};

static struct pair load_pair(const char *key, const char *value,
			     const char *key2, const char *value2)
{
	const struct kernel_setting settings[] = {
		{ key, value, "" }, { key2, value2, "" }, { NULL, NULL, NULL },
	};
	g_autofree char *folder = net_kernel_folder();
	struct kernel_config config = { .folder = folder };
	struct pair pair;

	pair.plain = net_load(&config);
	config.layout = settings;
	pair.changed = net_load(&config);
	return pair;
}

static void unload_pair(struct pair *pair)
{
	net_unload(pair->plain);
	net_unload(pair->changed);
}

#define OFFSET(kernel, name, member) \
	((u32)(kernel)->types[STRUCT_##name].offsets[ \
		offsetof(struct name, member)])
#define SIZE(kernel, name) ((kernel)->types[STRUCT_##name].size)

/* Bytes of the C struct that lie on a line of the kernel's. */
static u32 bytes_on_line(const struct object_type *type, u8 line)
{
	u32 n = 0, i;

	for (i = 0; i < type->c_size; i++)
		n += type->tables[i] == line;
	return n;
}

START_TEST(test_own_line)
{
	struct pair pair = load_pair("neighbour.confirmed", "own line", NULL,
				     NULL);
	const struct object_type *type = &pair.changed->types[STRUCT_neighbour];

	/* 368 bytes, so it starts at the next line, 384, and is alone. */
	ck_assert_uint_eq(OFFSET(pair.changed, neighbour, confirmed), 384);
	ck_assert_uint_eq(type->size, 448);
	ck_assert_uint_eq(bytes_on_line(type, 6), sizeof(u64));
	ck_assert_uint_eq(OFFSET(pair.changed, neighbour, updated),
			  OFFSET(pair.plain, neighbour, updated));
	ck_assert_uint_eq(OFFSET(pair.changed, neighbour, primary_key),
			  OFFSET(pair.plain, neighbour, primary_key));
	unload_pair(&pair);
}
END_TEST

START_TEST(test_two_own_lines)
{
	/* In the order of the fields; a field takes its parts along. */
	struct pair pair = load_pair("neighbour.hh", "own line",
				     "neighbour.confirmed", "own line");
	struct kernel *k = pair.changed;

	ck_assert_uint_eq(OFFSET(k, neighbour, confirmed), 384);
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_len), 448);
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_lock.sequence), 452);
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_data), 464);
	ck_assert_uint_eq(SIZE(k, neighbour), 576);
	unload_pair(&pair);
}
END_TEST

START_TEST(test_own_line_in_a_larger_struct)
{
	struct pair pair = load_pair("sock.sk_wmem_alloc", "own line",
				     NULL, NULL);
	u32 size = SIZE(pair.plain, udp_sock);
	u32 line = (size + LINE_SIZE - 1) / LINE_SIZE;
	struct kernel *k = pair.changed;

	/* Behind what stands behind the sock. */
	ck_assert_uint_eq(OFFSET(k, udp_sock, inet.sk.sk_wmem_alloc),
			  line * LINE_SIZE);
	ck_assert_uint_eq(SIZE(k, udp_sock), (line + 1) * LINE_SIZE);
	ck_assert_uint_eq(bytes_on_line(&k->types[STRUCT_udp_sock], (u8)line),
			  sizeof(s32));
	ck_assert_uint_eq(OFFSET(k, udp_sock, pending),
			  OFFSET(pair.plain, udp_sock, pending));
	unload_pair(&pair);
}
END_TEST

START_TEST(test_offset)
{
	struct pair pair = load_pair("neighbour.confirmed", "offset 200",
				     "neighbour.hh", "offset 400");
	struct kernel *k = pair.changed;

	ck_assert_uint_eq(OFFSET(k, neighbour, confirmed), 200);
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_len), 400);
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_data), 416);
	ck_assert_uint_eq(OFFSET(k, neighbour, output), 328);
	ck_assert_uint_eq(SIZE(k, neighbour), 512);
	unload_pair(&pair);
}
END_TEST

START_TEST(test_pad_after)
{
	struct pair pair = load_pair("dst_entry", "pad after __refcnt", NULL,
				     NULL);
	struct kernel *k = pair.changed;

	ck_assert_uint_eq(OFFSET(k, dst_entry, __refcnt), 128);
	ck_assert_uint_eq(OFFSET(k, rtable, dst.__refcnt), 128);
	/* __use comes to 192, lastuse, which wants eight bytes, to 200: 64
	 * more from there on, and for the struct.  rtable's own fields follow
	 * its end. */
	ck_assert_uint_eq(SIZE(k, dst_entry), 152 + 64);
	ck_assert_uint_eq(OFFSET(k, rtable, rt_genid), 152 + 64);
	ck_assert_uint_eq(OFFSET(k, rtable, rt_gateway), 168 + 64);
	ck_assert_uint_eq(SIZE(k, rtable), 192 + 64);
	ck_assert_uint_eq(bytes_on_line(&k->types[STRUCT_rtable], 2),
			  sizeof(s32));
	unload_pair(&pair);
}
END_TEST

START_TEST(test_pad_after_moves_what_follows)
{
	struct pair pair = load_pair("neighbour", "pad after hh", NULL, NULL);
	struct kernel *k = pair.changed;

	/* hh ends at 328: 56 bytes to the next line. */
	ck_assert_uint_eq(OFFSET(k, neighbour, hh.hh_data), 232);
	ck_assert_uint_eq(OFFSET(k, neighbour, nud_state), 173);
	ck_assert_uint_eq(OFFSET(k, neighbour, output), 384);
	ck_assert_uint_eq(OFFSET(k, neighbour, dev), 416);
	ck_assert_uint_eq(OFFSET(k, neighbour, primary_key), 424);
	ck_assert_uint_eq(SIZE(k, neighbour), 424);
	unload_pair(&pair);
}
END_TEST

START_TEST(test_pad_after_keeps_alignment)
{
	struct pair pair = load_pair("neighbour", "pad after lock", NULL, NULL);
	struct kernel *k = pair.changed;

	/* lock ends at 44: 20 bytes to the next line, which refcnt begins.
	 * What stood at 48 wants 8 bytes, so it comes to 72: 24 more from
	 * there on. */
	ck_assert_uint_eq(OFFSET(k, neighbour, lock), 40);
	ck_assert_uint_eq(OFFSET(k, neighbour, refcnt), 64);
	ck_assert_uint_eq(OFFSET(k, neighbour, nud_state), 173 + 24);
	ck_assert_uint_eq(OFFSET(k, neighbour, output), 328 + 24);
	ck_assert_uint_eq(SIZE(k, neighbour), 368 + 24);
	unload_pair(&pair);
}
END_TEST

/* ---- suite ---- */

Suite *suite_layout(void)
{
	Suite *suite = suite_create("layout");
	TCase *wrong = tcase_create("wrong");
	TCase *effect = tcase_create("effect");

	tcase_add_loop_test(wrong, test_bad_layout, 0,
			    ARRAY_SIZE(bad_layouts));
	suite_add_tcase(suite, wrong);
	tcase_add_test(effect, test_own_line);
	tcase_add_test(effect, test_two_own_lines);
	tcase_add_test(effect, test_own_line_in_a_larger_struct);
	tcase_add_test(effect, test_offset);
	tcase_add_test(effect, test_pad_after);
	tcase_add_test(effect, test_pad_after_moves_what_follows);
	tcase_add_test(effect, test_pad_after_keeps_alignment);
	suite_add_tcase(suite, effect);
	return suite;
}
