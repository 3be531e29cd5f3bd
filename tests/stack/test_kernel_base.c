/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that refines another: what it says itself counts, all else is its
 * base's, and what it says wrong is refused with its file and line.
 */
#include <glib/gstdio.h>

#include "net_support.h"

static const char *const files[] = { "kernel.ini", "structs.tsv", "costs.tsv" };

static const char *const headings[] = {
	"", "struct\toffset\tsize\tfield\n",
	"function\tinstructions\tstores\tsource\n"
};

/* A folder of kernels: linux-3.6 as it is, and those that a test writes. */
static char *start(void)
{
	char *root = g_dir_make_tmp("udpsim-XXXXXX", NULL);
	g_autofree char *from = net_folder("linux-3.6");
	g_autofree char *to = NULL;
	u32 i;

	ck_assert_ptr_nonnull(root);
	to = g_build_filename(root, "linux-3.6", NULL);
	ck_assert_int_eq(g_mkdir(to, 0700), 0);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		g_autofree char *source = g_build_filename(from, files[i],
							   NULL);
		g_autofree char *copy = g_build_filename(to, files[i], NULL);
		g_autofree char *text = NULL;
		gsize size;

		ck_assert(g_file_get_contents(source, &text, &size, NULL));
		ck_assert(g_file_set_contents(copy, text, (gssize)size, NULL));
	}
	return root;
}

/* Its folder, to be freed.  The rows stand behind the tables' headings. */
static char *add_kernel(const char *root, const char *name, const char *ini,
			const char *structs, const char *costs)
{
	const char *const texts[] = { ini, structs, costs };
	char *folder = g_build_filename(root, name, NULL);
	u32 i;

	ck_assert_int_eq(g_mkdir(folder, 0700), 0);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		g_autofree char *path = g_build_filename(folder, files[i],
							 NULL);
		g_autofree char *text = g_strconcat(headings[i], texts[i],
						    NULL);

		ck_assert(g_file_set_contents(path, text, -1, NULL));
	}
	return folder;
}

static void stop(char *root)
{
	g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
	const char *name;
	u32 i;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *folder = g_build_filename(root, name, NULL);

		for (i = 0; i < ARRAY_SIZE(files); i++) {
			g_autofree char *path = g_build_filename(folder,
								 files[i],
								 NULL);
			g_unlink(path);
		}
		g_rmdir(folder);
	}
	g_rmdir(root);
	g_free(root);
}

#define INI(version, base) \
	"[kernel]\nversion = " version "\n# beside it\nbase = " base "\n"

static u32 offset_of(const struct kernel *kernel, enum struct_id id,
		     size_t member)
{
	return kernel->types[id].offsets[member];
}

#define OFFSET(kernel, name, member) \
	offset_of(kernel, STRUCT_##name, offsetof(struct name, member))

static u64 instructions_of(const struct kernel *kernel, const char *function)
{
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		if (g_str_equal(__start_function_sites[i].name, function))
			return kernel->machine->account.costs[i].instructions;
	ck_abort_msg("no function %s", function);
}

/* ---- what it says and what it does not ---- */

START_TEST(test_nothing_of_its_own)
{
	char *root = start();
	g_autofree char *base = g_build_filename(root, "linux-3.6", NULL);
	g_autofree char *folder = add_kernel(root, "linux-3.6.1",
					     INI("3.6.1", "linux-3.6"), "", "");
	struct kernel_config config = { .folder = folder };
	struct kernel_config plain = { .folder = base };
	struct kernel *kernel = net_load(&config), *other = net_load(&plain);
	u32 i;
	int id;

	ck_assert_str_eq(kernel->name, "linux-3.6.1");
	ck_assert_str_eq(kernel->version, "3.6.1");
	ck_assert_uint_eq(kernel->parameters.hz, 1000);
	ck_assert_str_eq(kernel->parameters.allocator, "slab");
	for (id = 0; id < NUM_STRUCTS; id++) {
		const struct object_type *a = &kernel->types[id];
		const struct object_type *b = &other->types[id];

		ck_assert_uint_eq(a->size, b->size);
		ck_assert_mem_eq(a->tables, b->tables, a->c_size);
	}
	for (i = 0; i < num_function_sites(); i++)
		ck_assert_uint_eq(kernel->machine->account.costs[i].instructions,
				  other->machine->account.costs[i].instructions);
	net_unload(kernel);
	net_unload(other);
	stop(root);
}
END_TEST

START_TEST(test_what_it_says)
{
	char *root = start();
	g_autofree char *folder = add_kernel(
		root, "linux-3.7", INI("3.6.2", "linux-3.6")
		"hz = 250\nallocator = slub\n",
		"neighbour\t32\t8\tconfirmed\n", "dst_release\t77\t3\ttest\n");
	/* The base has a base. */
	g_autofree char *second = add_kernel(
		root, "linux-3.8", INI("3.6.3", "linux-3.7") "hz = 300\n",
		"neighbour\t40\t8\tconfirmed\n", "");
	struct kernel_config config = { .folder = folder };
	struct kernel *kernel = net_load(&config);

	ck_assert_uint_eq(kernel->parameters.hz, 250);
	ck_assert_str_eq(kernel->parameters.allocator, "slub");
	ck_assert_uint_eq(OFFSET(kernel, neighbour, confirmed), 32);
	ck_assert_uint_eq(OFFSET(kernel, neighbour, primary_key), 368);
	ck_assert_uint_eq(instructions_of(kernel, "dst_release"), 77);
	net_unload(kernel);

	config.folder = second;
	kernel = net_load(&config);
	ck_assert_uint_eq(kernel->parameters.hz, 300);
	ck_assert_str_eq(kernel->parameters.allocator, "slub");
	ck_assert_uint_eq(OFFSET(kernel, neighbour, confirmed), 40);
	ck_assert_uint_eq(instructions_of(kernel, "dst_release"), 77);
	net_unload(kernel);
	stop(root);
}
END_TEST

/* ---- what is refused ---- */

static const struct {
	const char *ini, *structs, *costs, *message;
} wrong[] = {
	{ INI("3.7", "linux-3.5"), "", "",
	  "kernel.ini:4: base = linux-3.5: no kernel has this name; 'udpsim "
	  "list kernels' names them" },
	{ INI("3.7", "../linux-3.6"), "", "",
	  "kernel.ini:4: base = ../linux-3.6: no kernel has this name; 'udpsim "
	  "list kernels' names them" },
	{ INI("3.7", ""), "", "",
	  "kernel.ini:4: base = : no kernel has this name; 'udpsim list "
	  "kernels' names them" },
	{ INI("3.7", "linux-3.7"), "", "",
	  "kernel.ini:4: base = linux-3.7: a kernel cannot refine itself, nor "
	  "one that refines it" },
	{ INI("3.6", "linux-3.6") "hz = 1\n", "", "",
	  "kernel.ini: hz must be from 100 to 1000" },
	{ INI("3.6", "linux-3.6"), "neighbor\t24\t8\tconfirmed\n", "",
	  "structs.tsv:2: the base kernel has no such struct; its row (whole) "
	  "must come first" },
	{ INI("3.6", "linux-3.6"), "neighbour\t24\t8\tconfirmed\n"
	  "neighbour\t0\t368\t(whole)\n", "",
	  "structs.tsv:3: the row (whole) replaces the base kernel's struct, "
	  "so it must come before the fields, and once" },
	{ INI("3.6", "linux-3.6"), "neighbour\t24\t8\tconfirmed\n"
	  "neighbour\t32\t8\tconfirmed\n", "",
	  "structs.tsv:3: this field stands twice" },
	{ INI("3.6", "linux-3.6"), "sock\t0\t648\t(whole)\n", "",
	  "structs.tsv: sock is replaced, but not inet_sock, which begins with "
	  "it; add its row (whole) and its fields" },
	{ INI("3.6", "linux-3.6"), "", "dst_release\tmany\t0\ta guess\n",
	  "costs.tsv:2: instructions and stores must be numbers, at most "
	  "1000000, or both '-' where this kernel has no such function" },
};

START_TEST(test_refused)
{
	char *root = start();
	g_autofree char *folder = add_kernel(root, "linux-3.7", wrong[_i].ini,
					     wrong[_i].structs,
					     wrong[_i].costs);
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *want = g_strdup_printf("%s/%s", folder,
						wrong[_i].message);

	ck_assert_str_eq(message, want);
	stop(root);
}
END_TEST

START_TEST(test_circle)
{
	char *root = start();
	g_autofree char *a = add_kernel(root, "linux-a", INI("3.6", "linux-b"),
					"", "");
	g_autofree char *b = add_kernel(root, "linux-b", INI("3.6", "linux-a"),
					"", "");
	struct kernel_config config = { .folder = a };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *want = g_strdup_printf(
		"%s/kernel.ini:4: base = linux-a: a kernel cannot refine "
		"itself, nor one that refines it", b);

	ck_assert_str_eq(message, want);
	stop(root);
}
END_TEST

/* A struct that is replaced has all its members of this table only. */
START_TEST(test_replaced_struct)
{
	char *root = start();
	g_autofree char *folder = add_kernel(
		root, "linux-3.7", INI("3.6", "linux-3.6"),
		"neighbour\t0\t400\t(whole)\nneighbour\t24\t8\tconfirmed\n",
		"");
	struct kernel_config config = { .folder = folder };
	g_autofree char *message = net_refusal(&config, KERNEL_ERROR_DATA);
	g_autofree char *head = g_strdup_printf("%s/structs.tsv: neighbour.",
						folder);

	ck_assert(g_str_has_prefix(message, head));
	ck_assert(g_str_has_suffix(message, "but not placed; add a row with "
				   "its offset and size"));
	stop(root);
}
END_TEST

Suite *suite_kernel_base(void)
{
	Suite *suite = suite_create("kernel_base");
	TCase *says = tcase_create("says");
	TCase *refused = tcase_create("refused");

	tcase_add_test(says, test_nothing_of_its_own);
	tcase_add_test(says, test_what_it_says);
	suite_add_tcase(suite, says);
	tcase_add_loop_test(refused, test_refused, 0, ARRAY_SIZE(wrong));
	tcase_add_test(refused, test_circle);
	tcase_add_test(refused, test_replaced_struct);
	suite_add_tcase(suite, refused);
	return suite;
}
