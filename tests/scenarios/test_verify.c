/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scores of the yardstick, on traces and operations made by hand. */
#include <math.h>
#include <string.h>

#include "scenarios/scenario.h"
#include "scenarios/verify.h"
#include "scenarios/watch.h"
#include "tests/scenarios/suites.h"
#include "tests/scenarios/truth_support.h"

static const char objects[] =
	"named\tsk\t-\tudp_sock\texact\t-\n"
	"slab\tUDP\t-\tudp_sock\texact\t-\n"
	"percpu\tcpu_number\t-\tcpu_number\texact\t-\n"
	"named\tip_idents\t-\tip_idents\tany\thashed\n"
	"named\tcred\t-\t-\texact\tnot modelled here\n"
	"static\tudp_prot\t-\tproto\texact\t-\n";

static const char operations[] =
	OPERATIONS_HEAD "NULLSYS\t100\t0\nC4SEND\t1000\t900\n";

/* Six lines of sk, one of which stands in two rows; see test_scores. */
static const char lines[] =
	LINES_HEAD
	"C4SEND\tnamed\tsk[s]\t0\t5\t0\t0\ta(R); b(R)\tf:5\n"
	"C4SEND\tnamed\tsk[s]\t1\t1\t1\t0\tc(RW)\tf:1\n"
	"C4SEND\tnamed\tsk[s]\t2\t1\t0\t1\td(A)\tg:1\n"
	"C4SEND\tnamed\tsk[r]\t2\t0\t1\t0\te(W)\th:1\n"
	"C4SEND\tslab\tUDP\t3\t1\t0\t0\tx(R)\tf:1\n"
	"C4SEND\tpercpu1\tcpu_number\t0\t1\t0\t0\ty(R)\tf:1\n"
	"C4SEND\tnamed\tip_idents[] (hash)\t77\t0\t0\t1\tz(A)\tf:1\n"
	"C4SEND\tnamed\tcred\t4\t1\t0\t0\tw(R)\tf:1\n"
	"C4SEND\tstatic\tudp_prot\t\t1\t0\t0\tsendmsg(R)\tf:1\n"
	"NULLSYS\tpercpu0\tcpu_number\t0\t1\t0\t0\ty(R)\tf:1\n";

/* ---- operations made by hand ---- */

static void touch(struct operation *operation, const char *type, u32 number,
		  const char *member, enum access_kind kind)
{
	struct operation_line *line = g_new0(struct operation_line, 1);
	struct operation_field field = { .member = member };
	struct operation_caller caller = { "model_function", 1 };

	line->type = type;
	line->line = number;
	line->count[kind] = 1;
	line->fields = g_array_new(FALSE, TRUE, sizeof(field));
	line->functions = g_array_new(FALSE, TRUE, sizeof(caller));
	field.kinds[kind] = true;
	g_array_append_val(line->fields, field);
	g_array_append_val(line->functions, caller);
	g_ptr_array_add(operation->lines, line);
}

static struct operation *made(const char *name, u64 instructions)
{
	struct operation *operation =
		watch_operation_new(operation_find(name, NULL));

	operation->modelled = true;
	operation->instructions = instructions;
	return operation;
}

static struct verify *read_truth(const struct object_map *map)
{
	g_autoptr(GError) error = NULL;
	struct verify *verify;

	truth_write("operations.tsv", operations);
	truth_write("lines.tsv", lines);
	verify = verify_read(truth_folder(), NULL, map, &error);
	assert_no_error(error);
	ck_assert_uint_eq(verify->operations->len, 2);
	return verify;
}

static struct verify_operation *nth(const struct verify *verify, u32 n)
{
	return verify->operations->pdata[n];
}

/* The state of a line: "both", "missing", "surplus"; NULL: not there. */
static const char *state_of(const struct verify_operation *o,
			    const char *object, u32 number)
{
	u32 i;

	for (i = 0; i < o->lines->len; i++) {
		const struct verify_line *l = o->lines->pdata[i];

		if (g_str_equal(l->object, object) && l->line == number)
			return l->in_truth && l->in_model ? "both" :
				l->in_truth ? "missing" : "surplus";
	}
	return NULL;
}

/* ---- scores ---- */

static struct verify *scored(const struct object_map *map)
{
	g_autoptr(Operation) send = made("C4SEND", 1050);
	g_autoptr(Operation) null = made("NULLSYS", 100);
	struct verify *verify = read_truth(map);

	touch(send, "udp_sock", 0, "a", ACCESS_READ);
	touch(send, "udp_sock", 1, "c", ACCESS_READ);	/* not written */
	touch(send, "udp_sock", 2, "d", ACCESS_ATOMIC);
	touch(send, "udp_sock", 2, "e", ACCESS_WRITE);
	touch(send, "udp_sock", 9, "q", ACCESS_READ);	/* surplus */
	touch(send, "ip_idents", 5, "z", ACCESS_WRITE);	/* not atomic */
	touch(send, "proto", 0, "sendmsg", ACCESS_READ);
	touch(send, "unheard_of", 0, "u", ACCESS_READ);
	touch(null, "cpu_number", 0, "y", ACCESS_READ);
	verify_add_model(verify, nth(verify, 0), null, map);
	verify_add_model(verify, nth(verify, 1), send, map);
	return verify;
}

START_TEST(test_scores)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) verify = scored(map);
	const struct verify_operation *o = nth(verify, 1);

	/* sk 0 to 3, cpu_number, ip_idents, cred; static data do not count. */
	ck_assert_uint_eq(o->truth, 7);
	/* sk 0, 1, 2, 9, ip_idents, unheard_of */
	ck_assert_uint_eq(o->model, 6);
	ck_assert_uint_eq(o->common, 4);
	ck_assert_uint_eq(o->flags, 2);
	ck_assert_uint_eq(o->instructions, 1050);
	ck_assert_uint_eq(o->instructions_truth, 1000);
	ck_assert_uint_eq(verify->truth, 8);
	ck_assert_uint_eq(verify->model, 7);
	ck_assert_uint_eq(verify->common, 5);
	ck_assert_uint_eq(verify->flags, 3);
}
END_TEST

START_TEST(test_lines)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) verify = scored(map);
	const struct verify_operation *o = nth(verify, 1);

	ck_assert_str_eq(state_of(o, "sk", 0), "both");
	ck_assert_str_eq(state_of(o, "sk", 2), "both");
	ck_assert_str_eq(state_of(o, "sk", 3), "missing");
	ck_assert_str_eq(state_of(o, "sk", 9), "surplus");
	ck_assert_str_eq(state_of(o, "cpu_number", 0), "missing");
	ck_assert_str_eq(state_of(o, "ip_idents", 77), "both");
	ck_assert_str_eq(state_of(o, "cred", 4), "missing");
	ck_assert_str_eq(state_of(o, "unheard_of", 0), "surplus");
	ck_assert_ptr_null(state_of(o, "udp_prot", 0));
	ck_assert_ptr_null(state_of(o, "proto", 0));
}
END_TEST

/* An operation that the model cannot do counts nowhere, but is there. */
START_TEST(test_not_modelled)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) verify = read_truth(map);
	g_autoptr(Operation) send = made("C4SEND", 0);

	send->modelled = false;
	verify_add_model(verify, nth(verify, 1), send, map);
	ck_assert(!nth(verify, 1)->modelled);
	ck_assert_uint_eq(verify->truth, 0);
}
END_TEST

/* Without lines.tsv only the instructions count. */
START_TEST(test_totals_only)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Operation) send = made("C4SEND", 990);
	g_autoptr(Verify) verify = NULL;
	g_autoptr(GError) error = NULL;

	truth_write("operations.tsv", operations);
	verify = verify_read(truth_folder(), NULL, map, &error);
	assert_no_error(error);
	ck_assert(!verify->has_lines);
	touch(send, "udp_sock", 0, "a", ACCESS_READ);
	verify_add_model(verify, nth(verify, 1), send, map);
	ck_assert_uint_eq(nth(verify, 1)->instructions, 990);
	ck_assert_uint_eq(verify->truth + verify->model, 0);
}
END_TEST

START_TEST(test_selection)
{
	static const char *const only[] = { "C4SEND", NULL };
	static const char *const absent[] = { "SOCK4", NULL };
	static const char *const wrong[] = { "C4SENT", NULL };
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) all = read_truth(map);
	g_autoptr(GError) error = NULL, none = NULL;
	g_autoptr(Verify) some =
		verify_read(truth_folder(), only, map, &error);

	assert_no_error(error);
	ck_assert_uint_eq(all->operations->len, 2);
	ck_assert_uint_eq(some->operations->len, 1);
	ck_assert_str_eq(nth(some, 0)->name, "C4SEND");
	ck_assert_ptr_null(verify_read(truth_folder(), absent, map, &error));
	ck_assert(g_str_has_suffix(error->message,
				   "/operations.tsv: has no SOCK4"));
	ck_assert_ptr_null(verify_read(truth_folder(), wrong, map, &none));
	assert_message(none, "no operation is called 'C4SENT'; did you mean "
		       "'C4SEND'?");
}
END_TEST

/* ---- what is printed ---- */

static char *printed(const struct verify *verify, bool json, bool verbose)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	if (json)
		verify_print_json(file, verify);
	else
		verify_print_text(file, verify, verbose);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

static void must_have(const char *text, const char *part)
{
	if (!strstr(text, part))
		ck_abort_msg("'%s' is not in:\n%s", part, text);
}

START_TEST(test_text)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) verify = scored(map);
	char *brief = printed(verify, false, false);
	char *verbose = printed(verify, false, true);

	must_have(brief, "\nC4SEND                1050    1000   1.050      "
		  "0.571      0.667      0.500      7      6       4\n");
	must_have(brief, "\ntotal   ");
	ck_assert_ptr_null(strstr(brief, "missing"));
	must_have(verbose, "C4SEND       missing  sk line 3\n"
		  "             truth: x(R) | f:1\n");
	must_have(verbose, "C4SEND       surplus  sk line 9\n"
		  "             model: q(R) | model_function:1\n");
	must_have(verbose, "C4SEND       missing  cred line 4\n"
		  "             left out: not modelled here\n");
	must_have(verbose, "C4SEND       differs  ip_idents (any line): "
		  "atomic, in the model written\n");
	must_have(verbose, "C4SEND       differs  sk line 1: written, in the "
		  "model read only\n"
		  "             truth: c(RW) | f:1\n"
		  "             model: c(R) | model_function:1\n");
	ck_assert_ptr_null(strstr(verbose, "sk line 0"));
	ck_assert_ptr_null(strstr(verbose, "sk line 2"));
	free(brief);
	free(verbose);
}
END_TEST

START_TEST(test_json)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(Verify) verify = scored(map);
	g_autoptr(Verify) empty = read_truth(map);
	char *text = printed(verify, true, false);
	char *nothing = printed(empty, true, false);

	must_have(text, "\"recall\" : 0.625,");
	must_have(text, "\"operation\" : \"C4SEND\",\n"
		  "      \"modelled\" : true,\n"
		  "      \"instructions\" : 1050,\n"
		  "      \"instructions_truth\" : 1000,\n");
	must_have(text, "\"flags\" : 0.5,");
	must_have(text, "\"left_out\" : \"not modelled here\"");
	must_have(nothing, "\"recall\" : null,\n  \"precision\" : null,");
	must_have(nothing, "\"modelled\" : false,\n"
		  "      \"instructions\" : null,\n"
		  "      \"instructions_truth\" : 1000,\n"
		  "      \"recall\" : null,\n"
		  "      \"precision\" : null,\n");
	free(text);
	free(nothing);
}
END_TEST

/* ---- bad files ---- */

static const struct {
	const char *operations, *lines, *message;
} refusals[] = {
	{ "", NULL, "operations.tsv: is empty; the first line must name the "
	  "columns" },
	{ "op\tinstructions\n", NULL, "operations.tsv:1: column 2 is "
	  "'instructions'; it must be 'insns'" },
	{ OPERATIONS_HEAD "C4SEND\t1\n", NULL, "operations.tsv:2: 2 fields; "
	  "the table has 3 columns, parted by tabs" },
	{ OPERATIONS_HEAD "C4SEND\tmany\t0\n", NULL, "operations.tsv:2: "
	  "'many' of column 'insns' is no whole number" },
	{ OPERATIONS_HEAD "C4SEND\t-1\t0\n", NULL, "operations.tsv:2: '-1' of "
	  "column 'insns' is no whole number" },
	{ OPERATIONS_HEAD "C4SEND\t0\t0\n", NULL, "operations.tsv:2: an "
	  "operation of 0 instructions is none" },
	{ OPERATIONS_HEAD "C5SEND\t9\t0\n", NULL, "operations.tsv:2: no "
	  "operation is called 'C5SEND'; did you mean 'C4SEND'?" },
	{ OPERATIONS_HEAD "C4SEND\t9\t0\nC4SEND\t9\t0\n", NULL,
	  "operations.tsv:3: C4SEND stands here twice" },
	{ operations, "", "lines.tsv: is empty; the first line must name the "
	  "columns" },
	{ operations, LINES_HEAD "U4SEND\tnamed\tsk\t0\t1\t0\t0\ta\tf:1\n",
	  "lines.tsv:2: operation 'U4SEND' does not stand in "
	  "operations.tsv" },
	{ operations, LINES_HEAD "C4SEND\tnamed\tsk\t\t1\t0\t0\ta\tf:1\n",
	  "lines.tsv:2: '' of column 'line' is no whole number" },
	{ operations, LINES_HEAD "C4SEND\tnamed\tsk\t0\t1\tx\t0\ta\tf:1\n",
	  "lines.tsv:2: 'x' of column 'writes' is no whole number" },
	{ operations, LINES_HEAD "C4SEND\tnamed\tsk\t0\t1\t0\t1.5\ta\tf:1\n",
	  "lines.tsv:2: '1.5' of column 'atomics' is no whole number" },
	{ operations, LINES_HEAD "C4SEND\tnamed\tmystery[x]\t0\t1\t0\t0\ta\t"
	  "f:1\n", "lines.tsv:2: no row of objects.tsv covers the object "
	  "'mystery[x]'; add one" },
};

START_TEST(test_refusals)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(GError) error = NULL;
	const char *base;

	truth_write("operations.tsv", refusals[_i].operations);
	if (refusals[_i].lines)
		truth_write("lines.tsv", refusals[_i].lines);
	ck_assert_ptr_null(verify_read(truth_folder(), NULL, map, &error));
	ck_assert_ptr_nonnull(error);
	ck_assert(g_str_has_prefix(error->message, truth_folder()));
	base = error->message + strlen(truth_folder()) + 1;
	ck_assert_str_eq(base, refusals[_i].message);
	ck_assert(g_error_matches(error, SCENARIO_ERROR,
				  SCENARIO_ERROR_SYNTAX));
}
END_TEST

START_TEST(test_no_folder)
{
	g_autoptr(ObjectMap) map = truth_objects(objects);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(verify_read("/no/such", NULL, map, &error));
	ck_assert(g_error_matches(error, SCENARIO_ERROR, SCENARIO_ERROR_IO));
	ck_assert(g_str_has_prefix(error->message,
				   "/no/such/operations.tsv: cannot read: "));
}
END_TEST

Suite *verify_suite(void)
{
	Suite *suite = suite_create("verify");
	TCase *tcase = tcase_create("verify");

	tcase_add_checked_fixture(tcase, truth_set_up, truth_tear_down);
	tcase_add_test(tcase, test_scores);
	tcase_add_test(tcase, test_lines);
	tcase_add_test(tcase, test_not_modelled);
	tcase_add_test(tcase, test_totals_only);
	tcase_add_test(tcase, test_selection);
	tcase_add_test(tcase, test_text);
	tcase_add_test(tcase, test_json);
	tcase_add_loop_test(tcase, test_refusals, 0, G_N_ELEMENTS(refusals));
	tcase_add_test(tcase, test_no_folder);
	suite_add_tcase(suite, tcase);
	return suite;
}
