/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of structs: from tables, from pahole's text, from BTF. */
#include <bpf/btf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "net_support.h"
#include "stack/shape.h"

static char *write_file(const char *text, gssize len)
{
	char *path = NULL;
	int fd = g_file_open_tmp("shape-XXXXXX", &path, NULL);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert(g_file_set_contents(path, text, len, NULL));
	return path;
}

static struct shape_set *parse(const char *text, char **path, GError **error)
{
	struct shape_set *set;

	*path = write_file(text, -1);
	set = shapes_of_pahole(*path, error);
	g_unlink(*path);
	return set;
}

/* The member lies there. */
static void check_place(const struct shape_set *set, const char *type,
			const char *name, u32 offset, u32 size)
{
	const struct shape *shape = shape_find(set, type);
	struct shape_member at;

	ck_assert_ptr_nonnull(shape);
	ck_assert_msg(shape_place(set, shape, name, &at), "no %s.%s", type,
		      name);
	ck_assert_msg(at.offset == offset && at.size == size,
		      "%s.%s at %u, %u bytes", type, name, at.offset, at.size);
}

static const struct shape_member *member_of(const struct shape_set *set,
					    const char *type, u32 i)
{
	const struct shape *shape = shape_find(set, type);

	ck_assert_uint_lt(i, shape->members->len);
	return &g_array_index(shape->members, struct shape_member, i);
}

/* What pahole makes of structs that this test thought of. */
static const char sample[] =
	"struct sock_common {\n"
	"\tunion {\n"
	"\t\t__u64              skc_pair;             /*     0     8 */\n"
	"\t\tstruct {\n"
	"\t\t\t__u32      skc_daddr;            /*     0     4 */\n"
	"\t\t\t__u32      skc_rcv_saddr;        /*     4     4 */\n"
	"\t\t};                                       /*     0     8 */\n"
	"\t};                                               /*     0     8 */\n"
	"\tstruct proto *             skc_prot;             /*     8     8 */\n"
	"\n"
	"\t/* size: 16, cachelines: 1, members: 2 */\n"
	"\t/* last cacheline: 16 bytes */\n"
	"};\n"
	"struct sock {\n"
	"\tstruct sock_common         __sk_common;          /*     0    16 */\n"
	"\tstruct {\n"
	"\t\tatomic_t           rmem_alloc;           /*    16     4 */\n"
	"\n"
	"\t\t/* XXX 4 bytes hole, try to pack */\n"
	"\n"
	"\t\tstruct sk_buff *   tail;                 /*    24     8 */\n"
	"\t} sk_backlog;                                    /*    16    16 */\n"
	"\tu8                         sk_kern:1;            /*    32: 0  1 */\n"
	"\tu8                         sk_userlocks:4;       /*    32: 4  1 */\n"
	"\n"
	"\t/* Bitfield combined with next fields */\n"
	"\n"
	"\tunsigned int               :3;                   /*    32: 8  4 */\n"
	"\tu16                        sk_type[2][2];        /*    34     8 */\n"
	"\t/* --- cacheline 1 boundary (64 bytes) was 2 bytes ago --- */\n"
	"\tstruct list_head           list __attribute__((__aligned__(64)));"
	" /*    64    16 */\n"
	"\tvoid                       (*sk_destruct)(struct sock *);"
	" /*    80     8 */\n"
	"\tint                        (*const sk_ops[2])(int (*)(void), int);"
	" /*  0x58    16 */\n"
	"\tlong unsigned int          tail[];               /*   104     0 */\n"
	"\n"
	"\t/* size: 0x68, cachelines: 2, members: 9 */\n"
	"} __attribute__((__aligned__(8)));\n";

START_TEST(test_pahole)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	g_autoptr(ShapeSet) set = parse(sample, &path, &error);

	ck_assert_msg(set != NULL, "%s", error ? error->message : "");
	ck_assert_uint_eq(set->shapes->len, 2);
	ck_assert_uint_eq(shape_find(set, "sock")->size, 104);
	check_place(set, "sock", "__sk_common", 0, 16);
	check_place(set, "sock", "sk_backlog", 16, 16);
	check_place(set, "sock", "sk_backlog.rmem_alloc", 16, 4);
	check_place(set, "sock", "sk_backlog.tail", 24, 8);
	check_place(set, "sock", "sk_userlocks", 32, 1);
	check_place(set, "sock", "sk_type", 34, 8);
	check_place(set, "sock", "list", 64, 16);
	check_place(set, "sock", "sk_destruct", 80, 8);
	check_place(set, "sock", "sk_ops", 88, 16);
	check_place(set, "sock", "tail", 104, 0);
	/* By the kernel's macros, and in the struct that stands first. */
	check_place(set, "sock", "sk_prot", 8, 8);
	check_place(set, "sock", "inet_rcv_saddr", 4, 4);
	check_place(set, "sock", "__sk_common.skc_daddr", 0, 4);
}
END_TEST

START_TEST(test_pahole_types)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	g_autoptr(ShapeSet) set = parse(sample, &path, &error);
	const struct shape_member *m = member_of(set, "sock", 0);

	ck_assert_str_eq(m->of, "sock_common");
	m = member_of(set, "sock", 1);
	ck_assert_str_eq(m->name, "sk_backlog");
	ck_assert_str_eq(m->type, "struct");
	m = member_of(set, "sock", 5);
	ck_assert_str_eq(m->name, "sk_userlocks");
	ck_assert_uint_eq(m->bit, 4);
	ck_assert_uint_eq(m->bits, 4);
	m = member_of(set, "sock", 6);
	ck_assert_str_eq(m->name, "sk_type");
	ck_assert_str_eq(m->dims, "[2][2]");
	ck_assert_str_eq(m->type, "u16");
	m = member_of(set, "sock", 7);
	ck_assert_str_eq(m->of, "list_head");
	ck_assert_str_eq(m->type, "struct list_head");
	m = member_of(set, "sock", 9);
	ck_assert_str_eq(m->name, "sk_ops");
	ck_assert_str_eq(m->type, "int (*)(int (*)(void), int)");
}
END_TEST

/* With --expand_types, structs within have names and come as comments say. */
START_TEST(test_pahole_expanded)
{
	static const char text[] =
		"struct a {\n"
		"\tstruct b {\n"
		"\t\t/* typedef u32 */ unsigned int x;      /*     0     4 */\n"
		"\t\tunion {\n"
		"\t\t\tint y;                           /*     4     4 */\n"
		"\t\t} in;                                    /*     4     4 */\n"
		"\t} first;                                         /*     0     8 */\n"
		"\t/* typedef z_t */ struct {\n"
		"\t\tint z;                                   /*     8     4 */\n"
		"\t} second;                                        /*     8     4 */\n"
		"\t/* size: 12, cachelines: 1, members: 2 */\n"
		"};\n";
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	g_autoptr(ShapeSet) set = parse(text, &path, &error);

	ck_assert_msg(set != NULL, "%s", error ? error->message : "");
	check_place(set, "a", "first.x", 0, 4);
	check_place(set, "a", "first.in.y", 4, 4);
	check_place(set, "a", "second.z", 8, 4);
	ck_assert_str_eq(member_of(set, "a", 0)->of, "b");
}
END_TEST

START_TEST(test_pahole_errors)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "", ":1: there is no struct in this file" },
		{ "what\n", ":1: 'what' does not begin a struct" },
		{ "\nstruct {\n};\n", ":2: this struct has no name" },
		{ "struct a {\n\tint x;\n};\n", ":2: 'int x;' has no place" },
		{ "struct a {\n\tint x /* 0 4 */\n", ":2: 'int x' does not end" },
		{ "struct a {\n\tx; /* 0 4 */\n", ":2: 'x' has no type" },
		{ "struct a {\n\tint 5; /* 0 4 */\n", ":2: no name in" },
		{ "struct a {\n\tint x; /* 0 99999999999 */\n",
		  "a number is too large" },
		{ "struct a {\n\tint x:65; /* 0 4 */\n", "65 bits" },
		{ "struct a {\n\tint x; /* 0 4 */\n};\n",
		  ":3: struct a has no line with its size" },
		{ "struct a {\n\tint x; /* 4 4 */\n\t/* size: 6, y */\n};\n",
		  ":4: struct a has 6 bytes, but x ends at 8" },
		{ "struct a {\n\tint x; /* 4 4 */\n", "struct a does not end" },
		{ "struct a {\n\t/* size: 4\n", ":2: a comment that does not" },
		{ "}\n", ":1: a '}' where no struct is open" },
		{ "struct a {\n\tunion {\n\t} int:3; /* 0 4 */\n",
		  ":3: 'int:3' is no member" },
		{ "struct a {\n\tunion {\n\t} x /* 0 4 */\n",
		  ":3: '} x' does not end" },
		{ "struct a\xff {\n", ":1: this is no text" },
	};
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = NULL;

		ck_assert_ptr_null(parse(wrong[i].text, &path, &error));
		ck_assert(g_error_matches(error, SHAPE_ERROR,
					  SHAPE_ERROR_FORMAT));
		ck_assert_msg(g_str_has_prefix(error->message, path) &&
			      strstr(error->message, wrong[i].message),
			      "%u: %s", i, error->message);
	}
}
END_TEST

/* ---- BTF ---- */

static int add_field(struct btf *btf, const char *name, int type, u32 byte)
{
	return btf__add_field(btf, name, type, byte * 8, 0);
}

/*
 * struct inner { u32 a; u32 b; };
 * struct outer {
 *	struct inner in;
 *	union { u64 *p; struct { u32 lo; u32 hi; } half; };
 *	u32 flag : 3; u32 mode : 7;
 *	named_t lock;			a typedef of a nameless struct
 *	const u32 array[2][3];
 * };
 */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int u32_id = btf__add_int(btf, "unsigned int", 4, 0);
	int inner = btf__add_struct(btf, "inner", 8), half, choice, lock, array;
	int pointer, named;

	add_field(btf, "a", u32_id, 0);
	add_field(btf, "b", u32_id, 4);
	pointer = btf__add_ptr(btf, u32_id);
	half = btf__add_struct(btf, NULL, 8);
	add_field(btf, "lo", u32_id, 0);
	add_field(btf, "hi", u32_id, 4);
	choice = btf__add_union(btf, NULL, 8);
	add_field(btf, "p", pointer, 0);
	add_field(btf, "half", half, 0);
	lock = btf__add_struct(btf, NULL, 8);
	add_field(btf, "owner", u32_id, 0);
	add_field(btf, "next", u32_id, 4);
	named = btf__add_typedef(btf, "named_t", lock);
	array = btf__add_array(btf, u32_id, btf__add_const(btf, u32_id), 3);
	array = btf__add_array(btf, u32_id, array, 2);
	btf__add_struct(btf, "outer", 56);
	add_field(btf, "in", inner, 0);
	add_field(btf, NULL, choice, 8);
	btf__add_field(btf, "flag", u32_id, 16 * 8, 3);
	btf__add_field(btf, "mode", u32_id, 16 * 8 + 3, 7);
	add_field(btf, "lock", named, 24);
	ck_assert_int_eq(add_field(btf, "array", array, 32), 0);
	return btf;
}

static char *write_btf(struct btf *btf)
{
	u32 size;
	const void *data = btf__raw_data(btf, &size);
	char *path = write_file(data, size);

	btf__free(btf);
	return path;
}

START_TEST(test_btf)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = write_btf(make_btf());
	g_autoptr(ShapeSet) set = shapes_of_btf(path, &error);
	const struct shape_member *m;

	g_unlink(path);
	ck_assert_msg(set != NULL, "%s", error ? error->message : "");
	ck_assert_uint_eq(set->shapes->len, 2);
	ck_assert_uint_eq(shape_find(set, "outer")->size, 56);
	check_place(set, "outer", "in", 0, 8);
	check_place(set, "outer", "in.b", 4, 4);
	check_place(set, "outer", "p", 8, 8);
	check_place(set, "outer", "half", 8, 8);
	check_place(set, "outer", "half.hi", 12, 4);
	check_place(set, "outer", "mode", 16, 4);
	check_place(set, "outer", "lock.next", 28, 4);
	check_place(set, "outer", "array", 32, 24);
	m = member_of(set, "outer", 0);
	ck_assert_str_eq(m->type, "struct inner");
	ck_assert_str_eq(m->of, "inner");
	m = member_of(set, "outer", 6);
	ck_assert_str_eq(m->name, "mode");
	ck_assert_uint_eq(m->bit, 3);
	ck_assert_uint_eq(m->bits, 7);
	m = member_of(set, "outer", 7);
	ck_assert_str_eq(m->type, "named_t");
	m = member_of(set, "outer", 10);
	ck_assert_str_eq(m->type, "const unsigned int");
	ck_assert_str_eq(m->dims, "[2][3]");
}
END_TEST

START_TEST(test_btf_errors)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = write_file("no BTF", -1), *wrong = NULL;
	struct btf *btf = btf__new_empty();

	ck_assert_ptr_null(shapes_of_btf(path, &error));
	ck_assert(g_error_matches(error, SHAPE_ERROR, SHAPE_ERROR_FORMAT));
	ck_assert_msg(strstr(error->message, "no BTF in it"), "%s",
		      error->message);
	g_clear_error(&error);
	g_unlink(path);
	ck_assert_ptr_null(shapes_of_btf(path, &error));
	ck_assert(error->domain == G_FILE_ERROR);
	g_clear_error(&error);

	/* A typedef that names itself. */
	btf__add_typedef(btf, "round", 1);
	btf__add_struct(btf, "s", 8);
	add_field(btf, "x", 1, 0);
	wrong = write_btf(btf);
	ck_assert_ptr_null(shapes_of_btf(wrong, &error));
	g_unlink(wrong);
	ck_assert_msg(strstr(error->message, "type 2, s: a member has no type"),
		      "%s", error->message);
}
END_TEST

/* ---- tables ---- */

static struct shape_set *kernel_shapes(const char *kernel,
				       const struct kernel_setting *layout)
{
	g_autofree char *folder = net_folder(kernel);
	struct kernel_config config = { .folder = folder, .layout = layout };
	g_autoptr(GError) error = NULL;
	struct shape_set *set = shapes_of_kernel(&config, &error);

	ck_assert_msg(set != NULL, "%s", error ? error->message : "");
	return set;
}

START_TEST(test_kernel)
{
	const struct kernel_setting own[] = {
		{ "sock.sk_dst_cache", "own line", "x:1" }, { NULL, NULL, NULL },
	};
	g_autoptr(ShapeSet) set = kernel_shapes("linux-6.1", NULL);
	g_autoptr(ShapeSet) moved = kernel_shapes("linux-6.1", own);
	u32 size = shape_find(set, "udp_sock")->size;

	check_place(set, "sock", "sk_wmem_alloc", 340, 4);
	check_place(set, "udp_sock", "sk_wmem_alloc", 340, 4);
	ck_assert_ptr_null(shape_find(set, "rt_hash_bucket"));
	check_place(moved, "udp_sock", "sk_dst_cache", (size + 63) / 64 * 64,
		    8);
	ck_assert_uint_eq(shape_find(moved, "udp_sock")->size,
			  (size + 63) / 64 * 64 + 64);
}
END_TEST

Suite *suite_shape(void)
{
	Suite *suite = suite_create("shape");
	TCase *tcase = tcase_create("shape");

	tcase_add_test(tcase, test_pahole);
	tcase_add_test(tcase, test_pahole_types);
	tcase_add_test(tcase, test_pahole_expanded);
	tcase_add_test(tcase, test_pahole_errors);
	tcase_add_test(tcase, test_btf);
	tcase_add_test(tcase, test_btf_errors);
	tcase_add_test(tcase, test_kernel);
	suite_add_tcase(suite, tcase);
	return suite;
}
