/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations as they are watched: the sums agree, and the model is its own
 * truth. */
#include <string.h>

#include "scenarios/scenario.h"
#include "scenarios/verify.h"
#include "tests/scenarios/suites.h"
#include "tests/scenarios/truth_support.h"

static const struct {
	const char *kernel, *operation;
} runs[] = {
	{ "linux-3.6", "NULLSYS" },
	{ "linux-3.6", "C4SEND" },
	{ "linux-3.6", "U4SEND_CONF" },
	{ "linux-3.4", "U4SEND" },
	{ "linux-3.4", "LO4SEND" },
	{ "linux-3.4", "LO6SEND" },
	{ "linux-3.4-arm", "U4SEND" },
	{ "linux-3.4-arm", "C6SEND" },
	{ "linux-3.4-arm", "LO6SEND" },
	{ "linux-3.12", "U4SEND" },
	{ "linux-3.12", "LO4SEND" },
	{ "linux-3.12", "U6SEND" },
	{ "linux-3.15", "U6SEND" },
	{ "linux-6.1", "NULLSYS" },
};

static void set_up(void)
{
	const char *top = g_getenv("top_srcdir");

	g_setenv("UDPSIM_DATADIR", top ? top : ".", TRUE);
	truth_set_up();
}

static void tear_down(void)
{
	truth_tear_down();
	g_unsetenv("UDPSIM_DATADIR");
}

static struct object_map *shipped_objects(void)
{
	g_autofree char *path = g_build_filename(data_dir(), "stack", "kernels",
						 "objects.tsv", NULL);
	g_autoptr(GError) error = NULL;
	struct object_map *map = object_map_load(path, &error);

	assert_no_error(error);
	return map;
}

static struct operation *run(const char *kernel, const char *name)
{
	const struct operation_setup setup = { .kernel = kernel };
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(GError) error = NULL;
	struct operation *operation =
		operation_run(&setup, operation_find(name, NULL), map, &error);

	assert_no_error(error);
	ck_assert(operation->modelled);
	return operation;
}

/* What the operation has in all is what its functions, lines and calls have. */
START_TEST(test_sums)
{
	g_autoptr(Operation) o = run(runs[_i].kernel, runs[_i].operation);
	u64 instructions = 0, count[3] = { 0 }, lines[3] = { 0 }, called = 0;
	u64 callers = 0, entries = 0, calls = 0;
	u32 i, k, j;

	for (i = 0; i < o->functions->len; i++) {
		const struct operation_function *f = o->functions->pdata[i];

		instructions += f->instructions;
		entries += f->entries;
		for (k = 0; k < 3; k++)
			count[k] += f->count[k];
	}
	for (i = 0; i < o->calls->len; i++) {
		const struct operation_call *c = &g_array_index(
			o->calls, struct operation_call, i);

		called += c->instructions;
		calls += !g_str_equal(c->how, "return");
		ck_assert_str_ne(i ? "entry" : "call", c->how);
	}
	for (i = 0; i < o->lines->len; i++) {
		const struct operation_line *l = o->lines->pdata[i];

		for (k = 0; k < 3; k++)
			lines[k] += l->count[k];
		for (j = 0; j < l->functions->len; j++)
			callers += g_array_index(l->functions,
					struct operation_caller, j).count;
	}
	ck_assert_uint_gt(o->instructions, 0);
	ck_assert_uint_eq(instructions, o->instructions);
	ck_assert_uint_eq(called, o->instructions);
	ck_assert_uint_eq(calls, entries);
	for (k = 0; k < 3; k++) {
		ck_assert_uint_eq(count[k], o->count[k]);
		ck_assert_uint_eq(lines[k], o->count[k]);
	}
	ck_assert_uint_eq(callers, o->count[0] + o->count[1] + o->count[2]);
}
END_TEST

static void write_table(const struct operation *operation,
			const struct object_map *map,
			enum operation_table table)
{
	g_autofree char *text = operation_table(operation, operation, map,
						table);
	g_autofree char *name = g_strconcat(operation_table_names[table],
					    ".tsv", NULL);

	truth_write(name, text);
}

START_TEST(test_own_truth)
{
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(Operation) o = run(runs[_i].kernel, runs[_i].operation);
	const struct operation_setup setup = { .kernel = runs[_i].kernel };
	g_autoptr(GError) error = NULL;
	g_autoptr(Verify) verify = NULL;

	write_table(o, map, TABLE_OPERATIONS);
	write_table(o, map, TABLE_LINES);
	verify = verify_run(truth_folder(), NULL, &setup, map, &error);
	assert_no_error(error);
	ck_assert_uint_eq(verify->operations->len, 1);
	ck_assert_uint_gt(verify->truth, 3);
	ck_assert_uint_eq(verify->truth, verify->model);
	ck_assert_uint_eq(verify->truth, verify->common);
	ck_assert_uint_eq(verify->truth, verify->flags);
	ck_assert_uint_eq(((struct verify_operation *)
			   verify->operations->pdata[0])->instructions,
			  o->instructions);
}
END_TEST

/* The columns are those of the traces, name by name. */
START_TEST(test_columns)
{
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(Operation) o = run("linux-6.1", "NULLSYS");
	u32 i;

	for (i = 0; i < NUM_OPERATION_TABLES; i++) {
		g_autofree char *text = operation_table(o, o, map, i);
		g_autofree char *name = g_strconcat(operation_table_names[i],
						    ".tsv", NULL);
		g_autofree char *path = g_build_filename(
			data_dir(), "tests", "truth", "linux-6.1", name, NULL);
		g_autofree char *truth = NULL;
		size_t head;

		ck_assert(g_file_get_contents(path, &truth, NULL, NULL));
		head = strcspn(truth, "\n") + 1;
		ck_assert_int_eq(strncmp(text, truth, head), 0);
	}
}
END_TEST

START_TEST(test_twice)
{
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(Operation) a = run("linux-3.6", "U4SEND");
	g_autoptr(Operation) b = run("linux-3.6", "U4SEND");
	u32 i;

	for (i = 0; i < NUM_OPERATION_TABLES; i++) {
		g_autofree char *x = operation_table(a, a, map, i);
		g_autofree char *y = operation_table(b, b, map, i);

		ck_assert_str_eq(x, y);
	}
}
END_TEST

/* A confirmed send writes what all senders to the neighbour read. */
START_TEST(test_shared)
{
	g_autoptr(Operation) o = run("linux-3.6", "U4SEND_CONF");
	u32 i, shared = 0;

	for (i = 0; i < o->touched->len; i++) {
		const struct operation_touch *touch = &g_array_index(
			o->touched, struct operation_touch, i);

		if (g_str_equal(touch->type, "udp_sock") ||
		    g_str_equal(touch->type, "sk_buff"))
			ck_assert(!touch->shared);
		if (touch->shared && touch->written) {
			ck_assert_str_eq(touch->type, "neighbour");
			shared++;
		}
	}
	ck_assert_uint_eq(shared, 1);
}
END_TEST

START_TEST(test_not_modelled)
{
	const struct operation_setup setup = { .kernel = "linux-2.6.32" };
	const struct operation_setup wrong = { .kernel = "linux-3.66" };
	const struct operation_kind *kind = operation_find("MC4RECV", NULL);
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(GError) error = NULL;
	g_autoptr(Operation) o = operation_run(&setup, kind, map, &error);

	assert_no_error(error);
	ck_assert(!o->modelled);
	ck_assert_ptr_null(operation_run(&wrong, kind, map, &error));
	assert_message(error, "no kernel is called 'linux-3.66'; did you mean "
		       "'linux-3.6'?");
}
END_TEST

START_TEST(test_patches)
{
	static const char *const once[] = { "neigh-confirm-once", NULL };
	const struct operation_setup setup = { "linux-3.6", once };
	const struct operation_kind *kind = operation_find("U4SEND_CONF", NULL);
	g_autoptr(ObjectMap) map = shipped_objects();
	g_autoptr(GError) error = NULL;
	g_autoptr(Operation) o = operation_run(&setup, kind, map, &error);
	u32 i;

	assert_no_error(error);
	for (i = 0; i < o->touched->len; i++) {
		const struct operation_touch *touch = &g_array_index(
			o->touched, struct operation_touch, i);

		ck_assert(!touch->shared || !touch->written);
	}
}
END_TEST

START_TEST(test_patch_list)
{
	g_auto(GStrv) list = operation_patches(" a;-b ;; c;");
	g_auto(GStrv) none = operation_patches(NULL);
	g_autofree char *joined = g_strjoinv("|", list);

	ck_assert_str_eq(joined, "a|-b|c");
	ck_assert_ptr_null(none[0]);
}
END_TEST

Suite *operation_suite(void)
{
	Suite *suite = suite_create("operation");
	TCase *tcase = tcase_create("operation");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, test_sums, 0, G_N_ELEMENTS(runs));
	tcase_add_loop_test(tcase, test_own_truth, 0, G_N_ELEMENTS(runs));
	tcase_add_test(tcase, test_columns);
	tcase_add_test(tcase, test_twice);
	tcase_add_test(tcase, test_shared);
	tcase_add_test(tcase, test_not_modelled);
	tcase_add_test(tcase, test_patches);
	tcase_add_test(tcase, test_patch_list);
	suite_add_tcase(suite, tcase);
	return suite;
}
