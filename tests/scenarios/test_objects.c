/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of objects: what covers what, and every way to get it wrong. */
#include <string.h>

#include "scenarios/scenario.h"
#include "stack/structs.h"
#include "tests/scenarios/suites.h"
#include "tests/scenarios/truth_support.h"

static const char rows[] =
	"# a comment\n"
	"named\tsk\t-\tsock,udp_sock\texact\t-\n"
	"slab\tUDP*\t-\tudp_sock\texact\t-\n"
	"named\tkmem_cache\t-\tkmem_cache\texact\t-\n"
	"percpu\tkmem_cache.cpu_slab\t-\tkmem_cache_cpu\texact\t-\n"
	"slab\tkmalloc-64\tfib_*\ttnode\tany\tsmall\n"
	"slab\tkmalloc-64\t*_label,other\tlabel\texact\t-\n"
	"named\tcred\t-\t-\texact\tnot modelled\n"
	"static\t*_ops\t-\tproto_ops\texact\t-\n"
	"kstack\t-\t-\tthread_info\texact\t-\n";

static void check_truth(const struct object_map *map, const char *object,
			const char *functions, const char *group)
{
	const struct object_group *g = object_map_truth(map, object, functions);

	if (!group) {
		ck_assert_ptr_null(g);
		return;
	}
	ck_assert_ptr_nonnull(g);
	ck_assert_str_eq(g->name, group);
}

START_TEST(test_truth)
{
	g_autoptr(ObjectMap) map = truth_objects(rows);

	check_truth(map, "sk[s]", "udp_sendmsg:3", "sk");
	check_truth(map, "UDPv6", "x:1", "sk");
	check_truth(map, "socks", "x:1", NULL);
	check_truth(map, "sock", "x:1", "sk");		/* a type */
	check_truth(map, "thread_info", "", "thread_info");
	check_truth(map, "kmem_cache[kmalloc-512]", "x:1", "kmem_cache");
	check_truth(map, "kmem_cache[UDP].cpu_slab", "x:1",
		    "kmem_cache.cpu_slab");
	check_truth(map, "cred[] (of the task)", "", "cred");
	check_truth(map, "skb.head(kmalloc-64)", "fib_x:1", NULL);
}
END_TEST

/* General-purpose memory is told apart by who touches it. */
START_TEST(test_functions)
{
	g_autoptr(ObjectMap) map = truth_objects(rows);

	check_truth(map, "kmalloc-64", "a:1, fib_table_lookup:7", "kmalloc-64");
	ck_assert(object_map_truth(map, "kmalloc-64", "fib_x:1")->any_line);
	ck_assert(!object_map_truth(map, "kmalloc-64", "y_label:1")->any_line);
	check_truth(map, "kmalloc-64", "other:1", "kmalloc-64");
	check_truth(map, "kmalloc-64", "others:1, no_fib_x:2", NULL);
	check_truth(map, "kmalloc-64", "", NULL);
	/* What the model prints says its type. */
	ck_assert_ptr_eq(object_map_truth(map, "kmalloc-64[label]", "z:1"),
			 object_map_type(map, "label")->group);
}
END_TEST

START_TEST(test_types)
{
	g_autoptr(ObjectMap) map = truth_objects(rows);
	const struct object_row *sock = object_map_type(map, "sock");
	const struct object_row *udp = object_map_type(map, "udp_sock");

	ck_assert_ptr_eq(sock, udp);	/* the first row that has it */
	ck_assert_str_eq(udp->class, "named");
	ck_assert(udp->group->counted && udp->group->modelled);
	ck_assert(!object_map_type(map, "proto_ops")->group->counted);
	ck_assert(!object_map_type(map, "thread_info")->group->counted);
	ck_assert_str_eq(object_map_type(map, "thread_info")->group->name,
			 "thread_info");
	ck_assert_ptr_null(object_map_type(map, "-"));
	ck_assert_ptr_null(object_map_type(map, "inet_sock"));
	ck_assert(!object_map_truth(map, "cred", "")->modelled);
	ck_assert_str_eq(object_map_truth(map, "cred", "")->row->reason,
			 "not modelled");
}
END_TEST

START_TEST(test_classes)
{
	ck_assert(class_is_counted("named"));
	ck_assert(class_is_counted("slab"));
	ck_assert(class_is_counted("percpu"));
	ck_assert(class_is_counted("percpu1"));
	ck_assert(!class_is_counted("page"));
	ck_assert(!class_is_counted("static"));
	ck_assert(!class_is_counted("module"));
}
END_TEST

static const struct {
	const char *text, *message;
} refusals[] = {
	{ "", ": is empty; the first line must name the columns" },
	{ "# nothing else\n", ": is empty; the first line must name the "
	  "columns" },
	{ "class\tname\n", ":1: column 2 is 'name'; it must be 'object'" },
	{ "class\n", ":1: column 2 is ''; it must be 'object'" },
	{ OBJECTS_HEAD "named\tsk\n",
	  ":2: 2 fields; the table has 6 columns, parted by tabs" },
	{ OBJECTS_HEAD "\n# x\nnamed\t\t-\ta\texact\t-\n",
	  ":4: column 'object' is empty; write '-' where there is nothing" },
	{ OBJECTS_HEAD "heap\tsk\t-\ta\texact\t-\n",
	  ":2: no class is called 'heap'; named, slab, percpu, page, static, "
	  "rodata, module and kstack are" },
	{ OBJECTS_HEAD "named\tsk\t-\ta\tsome\t-\n",
	  ":2: 'some' is no rule for lines; give exact or any" },
	{ OBJECTS_HEAD "named\t-\t-\t-\texact\tx\n",
	  ":2: neither an object nor a type; give one of them at least" },
	{ OBJECTS_HEAD "named\tsk\t-\t-\texact\t-\n",
	  ":2: say in column 'reason' why the model leaves it out" },
	{ OBJECTS_HEAD "named\tsk\t-\ta\tany\t-\n",
	  ":2: say in column 'reason' why its lines are a matter of chance" },
	{ OBJECTS_HEAD "named\tsk\t-\ta\texact\t-\nslab\tx\t-\ta\tany\ty\n",
	  ":3: the rule for lines is not that of line 2, whose objects are "
	  "the same" },
	{ OBJECTS_HEAD "named\tp\t-\ta\texact\t-\nnamed\tq\t-\tb\texact\t-\n"
	  "named\tr\t-\ta,b\texact\t-\n",
	  ":4: b belongs to the objects of line 3 already; one row must name "
	  "all types of an object" },
	{ OBJECTS_HEAD "named\t\xff\t-\ta\texact\t-\n",
	  ": is not UTF-8 text" },
};

START_TEST(test_refusals)
{
	g_autofree char *message = truth_objects_refusal(refusals[_i].text);

	ck_assert_str_eq(message, refusals[_i].message);
}
END_TEST

START_TEST(test_no_file)
{
	g_autofree char *path = truth_path("objects.tsv");
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(object_map_load(path, &error));
	ck_assert(g_error_matches(error, SCENARIO_ERROR, SCENARIO_ERROR_IO));
	ck_assert(strstr(error->message, "objects.tsv: cannot read: "));
}
END_TEST

static const char *const structs[] = {
#define STRUCT_NAMED(name, base) #name,
	STRUCTS(STRUCT_NAMED)
#undef STRUCT_NAMED
	NULL
};

/* The shipped table has a row for each struct of the model, or the yardstick
 * would count its lines as surplus; and it names no others. */
START_TEST(test_shipped)
{
	const char *top = g_getenv("top_srcdir");
	g_autofree char *path = g_build_filename(top ? top : ".", "stack",
						 "kernels", "objects.tsv",
						 NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(ObjectMap) map = object_map_load(path, &error);
	u32 i;

	assert_no_error(error);
	for (i = 0; structs[i]; i++)
		if (!object_map_type(map, structs[i]))
			ck_abort_msg("%s: no row has the type %s", path,
				     structs[i]);
	for (i = 0; i < object_map_rows(map)->len; i++) {
		const struct object_row *row = object_map_rows(map)->pdata[i];
		char **type;

		for (type = row->types; type && *type; type++)
			if (!g_strv_contains(structs, *type))
				ck_abort_msg("%s:%u: no struct is called %s",
					     path, row->line, *type);
	}
}
END_TEST

Suite *objects_suite(void)
{
	Suite *suite = suite_create("objects");
	TCase *tcase = tcase_create("objects");

	tcase_add_checked_fixture(tcase, truth_set_up, truth_tear_down);
	tcase_add_test(tcase, test_truth);
	tcase_add_test(tcase, test_functions);
	tcase_add_test(tcase, test_types);
	tcase_add_test(tcase, test_classes);
	tcase_add_loop_test(tcase, test_refusals, 0, G_N_ELEMENTS(refusals));
	tcase_add_test(tcase, test_no_file);
	tcase_add_test(tcase, test_shipped);
	suite_add_tcase(suite, tcase);
	return suite;
}
