/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which runs make a pair, what the differences come to, what is shown and how
 * it is printed.
 */
#include <json-glib/json-glib.h>
#include <locale.h>
#include <math.h>

#include "analysis/compare.h"
#include "suites.h"
#include "support.h"

static struct comparison *read_choice(const char *path,
				      const struct comparison_choice *choice)
{
	g_autoptr(GError) error = NULL;
	struct comparison *comparison = compare_read(path, choice, &error);

	ck_assert_msg(comparison != NULL, "%s", error ? error->message : "");
	return comparison;
}

static struct comparison *read_comparison(const char *path)
{
	static const char *const all[] = { "all", NULL };
	static const struct comparison_choice choice = { all, false };

	return read_choice(path, &choice);
}

static const struct comparison_row *
find_row(const struct comparison *comparison, const char *point,
	 const char *metric)
{
	for (guint i = 0; i < comparison->rows->len; i++) {
		const struct comparison_row *row = comparison->rows->pdata[i];

		if (g_str_equal(row->point, point) &&
		    g_str_equal(row->metric, metric))
			return row;
	}
	ck_abort_msg("no row %s, %s", point, metric);
	return NULL;
}

/* What print writes; free with g_free(). */
static char *printed(void (*print)(FILE *file,
				   const struct comparison *comparison),
		     const struct comparison *comparison)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(file);
	print(file, comparison);
	fclose(file);
	return text;
}

static void record_metric(const char *path, const char *variant,
			  const char *point, const char *metric, double value)
{
	struct results *results = support_bare("s", variant, point);

	results_add_metric(results, metric, "s", value);
	support_record(path, results);
}

START_TEST(published_experiment)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	const struct comparison_row *row;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	comparison = read_comparison(path);
	ck_assert_uint_eq(comparison->rows->len, 3);
	ck_assert_uint_eq(comparison->notes->len, 0);
	row = comparison->rows->pdata[0];
	ck_assert_str_eq(row->scenario, "neigh-confirmed");
	ck_assert_str_eq(row->title, "A title");
	ck_assert_str_eq(row->metric, "elapsed_s");
	ck_assert_str_eq(row->before_variant, "before");
	ck_assert_str_eq(row->after_variant, "after");
	ck_assert_double_eq(row->before, 2.5);
	ck_assert_double_eq(row->after, 2);
	ck_assert_double_eq_tol(row->delta_pct, -20, 1e-12);
	ck_assert_double_eq_tol(row->published_before, 2.26175, 1e-12);
	ck_assert_double_eq_tol(row->published_after, 1.89375, 1e-12);
	ck_assert_double_eq_tol(row->published_delta_pct, -16.2706, 1e-4);
	ck_assert_double_eq_tol(row->error_points, -20 + 16.2706, 1e-4);
	ck_assert(row->published);
	ck_assert_uint_eq(row->before_spread.samples, 4);
	ck_assert_double_eq(row->before_spread.minimum, 2.125);
	ck_assert_double_eq(row->before_spread.maximum, 2.875);
	ck_assert_double_eq(row->after_spread.minimum, 1.625);
	ck_assert_double_eq(row->published_before_spread.minimum, 2.235);
	ck_assert_double_eq(row->published_before_spread.maximum, 2.318);
	ck_assert_uint_eq(row->published_after_spread.samples, 4);
	/* 200 * sqrt(0.00144958 / 4 + 0.0000755833 / 4) / 2.26175 */
	ck_assert_double_eq_tol(row->noise_pct, 1.7210, 1e-4);

	row = comparison->rows->pdata[1];
	ck_assert_str_eq(row->metric, "ns_per_op");
	ck_assert(!row->published);
	ck_assert(isnan(row->published_before));
	ck_assert(isnan(row->error_points));
	ck_assert_uint_eq(row->before_spread.samples, 0);
}
END_TEST

START_TEST(what_is_unknown_is_null)
{
	const char *path = support_path("r.db");
	struct results *results = support_bare("s", "before", "");

	results_add_metric(results, "zero", "1", 0);
	results_add_metric(results, "gone", "1", 5);
	results_add_metric(results, "nan", "1", NAN);
	support_publish(results, "", "sd", "before", 82);
	support_record(path, results);
	results = support_bare("s", "after", "");
	results_add_metric(results, "zero", "1", 1);
	results_add_metric(results, "come", "1", 6);
	results_add_metric(results, "nan", "1", 1);
	support_record(path, results);
	ck_assert_str_eq(support_query(path,
		"SELECT metric, before, after, delta_pct, published_before, "
		"published_after, published_delta_pct, error_points "
		"FROM comparison ORDER BY metric"),
		"come|NULL|6.0|NULL|NULL|NULL|NULL|NULL\n"
		"gone|5.0|NULL|NULL|NULL|NULL|NULL|NULL\n"
		"nan|NULL|1.0|NULL|NULL|NULL|NULL|NULL\n"
		"sd|NULL|NULL|NULL|82.0|NULL|NULL|NULL\n"
		"zero|0.0|1.0|NULL|NULL|NULL|NULL|NULL\n");
}
END_TEST

START_TEST(points_meet_their_published_rows)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	const struct comparison_row *row;

	for (int side = 0; side < 2; side++) {
		static const char *const points[] = { "t=1", "t=2", "t=12" };
		const char *name = side ? "after" : "before";

		for (int i = 0; i < 3; i++) {
			struct results *results = support_bare("s", name,
							       points[i]);

			results_add_metric(results, "tps", "1/s",
					   100 * (i + 1) + side);
			support_publish(results, "t=1", "tps", name,
					50 + side);
			support_publish(results, "t=12", "tps", name,
					70 + side);
			support_publish(results, "t=8", "tps", name, 80);
			support_publish(results, "", "tps", name, 10 + side);
			support_record(path, results);
		}
	}
	/* In order of recording: not "t=1", "t=12", "t=2". */
	comparison = read_comparison(path);
	ck_assert_uint_eq(comparison->rows->len, 3);
	row = comparison->rows->pdata[1];
	ck_assert_str_eq(row->point, "t=2");
	ck_assert_double_eq(row->after, 201);
	/* t=2 has no row of its own: that of the whole experiment. */
	ck_assert_double_eq(row->published_after, 11);
	row = comparison->rows->pdata[2];
	ck_assert_str_eq(row->point, "t=12");
	ck_assert_double_eq(row->published_before, 70);
	ck_assert_double_eq(row->published_before_spread.maximum, 70);
	ck_assert_double_eq(find_row(comparison, "t=1",
				     "tps")->published_before, 50);
	ck_assert_uint_eq(comparison->notes->len, 1);
	ck_assert_str_eq(comparison->notes->pdata[0],
			 "s: no run stands for the published row t=8 (tps)");
}
END_TEST

START_TEST(the_latest_runs_count)
{
	const char *path = support_path("r.db");

	record_metric(path, "after", "", "m", 1);
	ck_assert_str_eq(support_query(path, "SELECT * FROM comparison"), "");
	record_metric(path, "before", "", "m", 2);
	record_metric(path, "before", "", "m", 4);
	record_metric(path, "aside", "", "m", 9);
	ck_assert_str_eq(support_query(path, "SELECT before_variant, "
		"after_variant, before_run, after_run, before, after "
		"FROM comparison"), "before|after|3|1|4.0|1.0\n");
}
END_TEST

START_TEST(variants_by_other_names)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *text = NULL;

	record_metric(path, "slab", "", "m", 2);
	record_metric(path, "rcu", "", "m", 3);
	record_metric(path, "rcu-tuned", "", "m", 1);
	record_metric(path, "slab", "", "m", 4);
	ck_assert_str_eq(support_query(path, "SELECT before_variant, "
		"after_variant, before, after, delta_pct FROM comparison"),
		"slab|rcu-tuned|4.0|1.0|-75.0\n");
	comparison = read_comparison(path);
	text = printed(compare_print_table, comparison);
	ck_assert(strstr(text, "note: s: before is the variant \"slab\", "
			 "after is \"rcu-tuned\"\n") != NULL);
}
END_TEST

START_TEST(one_variant_is_no_pair)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;

	record_metric(path, "", "", "m", 2);
	record_metric(path, "", "", "m", 3);
	comparison = read_comparison(path);
	ck_assert_uint_eq(comparison->rows->len, 0);
	ck_assert_uint_eq(comparison->notes->len, 0);
}
END_TEST

START_TEST(unlike_runs_are_noted)
{
	static const char *const expected[] = {
		"s: before was run at scale 1, after at scale 0.1: "
		"run both alike",
		"s: before was run with seed 1, after with seed 7: "
		"run both alike",
		"s: before is the result of 1 repeats, after of 2",
		"s: before and after come from different texts of the "
		"scenario file: run both again",
	};
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	struct results *results;

	record_metric(path, "before", "", "m", 2);
	results = support_bare("s", "after", "");
	results_add_metric(results, "m", "s", 1);
	g_free(results->scale);
	results->scale = g_strdup("0.1");
	results->seed = 7;
	results->repeats = 2;
	g_free(results->text);
	results->text = g_strdup("[scenario]\n#\n");
	support_record(path, results);
	comparison = read_comparison(path);
	ck_assert_uint_eq(comparison->notes->len, G_N_ELEMENTS(expected));
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
		ck_assert_str_eq(comparison->notes->pdata[i], expected[i]);
}
END_TEST

static void check_choice(const char *path,
			 const struct comparison_choice *choice, guint rows,
			 const char *metric)
{
	g_autoptr(Comparison) comparison = read_choice(path, choice);

	ck_assert_uint_eq(comparison->rows->len, rows);
	ck_assert_int_eq(comparison->pairs, 1);
	find_row(comparison, "", metric);
}

START_TEST(choices)
{
	const char *path = support_path("r.db");
	static const char *const all[] = { "rtt_us", "all", NULL };
	static const char *const one[] = { "rtt_us", NULL };
	static const char *const wrong[] = { "rtt_us", "elapsd_s", NULL };
	const struct comparison_choice choice_all = { all, false };
	const struct comparison_choice choice_one = { one, false };
	const struct comparison_choice choice_more = { one, true };
	const struct comparison_choice choice_wrong = { wrong, false };
	g_autoptr(GError) error = NULL;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	check_choice(path, &choice_all, 3, "rtt_us");
	check_choice(path, &choice_one, 1, "rtt_us");
	check_choice(path, &choice_more, 2, "rtt_us");
	check_choice(path, &compare_key, 2, "ns_per_op");
	check_choice(path, &compare_published, 1, "elapsed_s");
	ck_assert_ptr_null(compare_read(path, &choice_wrong, &error));
	ck_assert(g_error_matches(error, RECORD_ERROR, RECORD_ERROR_NAME));
	ck_assert(strstr(error->message, "\"elapsd_s\"") != NULL);
	ck_assert(strstr(error->message, "nearest is \"elapsed_s\"") != NULL);
}
END_TEST

START_TEST(table_for_people)
{
	static const char expected[] =
		"                                          before         "
		"       after           published  published  published   "
		"error\n"
		"scenario         metric     before      min..max  after  "
		"    min..max  delta %     before      after    delta %  p"
		"oints\n"
		"neigh-confirmed  elapsed_s   2.500  2.125..2.875  2.000  "
		"1.625..2.375   -20.00      2.262      1.894     -16.27   "
		"-3.73\n"
		"neigh-confirmed  ns_per_op   100.0             -  80.00  "
		"           -   -20.00          -          -          -   "
		"    -\n"
		"note: neigh-confirmed: published elapsed_s ranges over be"
		"fore 2.235..2.318, after 1.884..1.905\n"
		"note: neigh-confirmed: elapsed_s: the published runs tell "
		"1.721 % from nothing (two standard errors): the model's -20.0"
		"0 % is more than that, the published -16.27 % is more than "
		"that\n";
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *text = NULL;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	comparison = read_choice(path, &compare_key);
	text = printed(compare_print_table, comparison);
	ck_assert_str_eq(text, expected);
}
END_TEST

static void append_members(GString *text, JsonObject *object)
{
	g_autoptr(GList) names = json_object_get_members(object);

	for (GList *name = names; name; name = name->next)
		g_string_append_printf(text, "%s ",
				       (const char *)name->data);
}

START_TEST(json_for_scripts)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *text = NULL;
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GString) members = g_string_new(NULL);
	JsonObject *object;
	JsonArray *experiments, *rows;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	record_metric(path, "before", "say \"t\"\n\\1", "m", 2);
	record_metric(path, "after", "say \"t\"\n\\1", "m", 0.1);
	comparison = read_comparison(path);
	text = printed(compare_print_json, comparison);
	ck_assert(strchr(text, '\n') == text + strlen(text) - 1);
	ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	append_members(members, object);
	experiments = json_object_get_array_member(object, "experiments");
	ck_assert_uint_eq(json_array_get_length(experiments), 2);
	object = json_array_get_object_element(experiments, 0);
	append_members(members, object);
	ck_assert_str_eq(json_object_get_string_member(object, "name"),
			 "neigh-confirmed");
	rows = json_object_get_array_member(object, "rows");
	ck_assert_uint_eq(json_array_get_length(rows), 3);
	object = json_array_get_object_element(rows, 0);
	append_members(members, object);
	ck_assert_str_eq(members->str, "experiments name rows row metric "
			 "published_before published_after "
			 "published_delta_pct before after delta_pct "
			 "error_points noise_pct ");
	ck_assert_str_eq(json_object_get_string_member(object, "row"), "");
	ck_assert_str_eq(json_object_get_string_member(object, "metric"),
			 "elapsed_s");
	ck_assert_double_eq(json_object_get_double_member(object, "before"),
			    2.5);
	ck_assert_double_eq_tol(json_object_get_double_member(object,
			"published_delta_pct"), -16.2706, 1e-4);
	object = json_array_get_object_element(rows, 1);
	ck_assert(json_object_get_null_member(object, "error_points"));
	ck_assert(json_object_get_null_member(object, "published_before"));
	object = json_array_get_object_element(experiments, 1);
	rows = json_object_get_array_member(object, "rows");
	object = json_array_get_object_element(rows, 0);
	ck_assert_str_eq(json_object_get_string_member(object, "row"),
			 "say \"t\"\n\\1");
	ck_assert_double_eq(json_object_get_double_member(object, "after"),
			    0.1);
}
END_TEST

START_TEST(json_of_nothing)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *text = NULL;

	record_metric(path, "", "", "m", 2);
	comparison = read_comparison(path);
	text = printed(compare_print_json, comparison);
	ck_assert_str_eq(text, "{\"experiments\":[]}\n");
}
END_TEST

/* Bytes that are no UTF-8 must not reach a terminal or break the JSON. */
START_TEST(text_that_is_no_utf8)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *text = NULL;

	record_metric(path, "before", "", "m", 2);
	record_metric(path, "after", "", "m", 1);
	support_sql(path, "UPDATE run SET scenario = "
		    "CAST(x'61ff62' AS TEXT)");
	comparison = read_comparison(path);
	text = printed(compare_print_json, comparison);
	ck_assert(g_utf8_validate(text, -1, NULL));
	ck_assert(strstr(text, "\"name\":\"a\xef\xbf\xbd" "b\"") != NULL);
}
END_TEST

/* Makes a locale with a decimal comma where the system has none. */
static bool set_comma_locale(void)
{
	static const char *const names[] = {
		"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
		"de_DE", "fr_FR",
	};
	const char *made = support_path("de_DE.UTF-8");
	g_autofree char *folder = g_path_get_dirname(made);
	g_autofree char *command = g_strdup_printf(
		"localedef --no-archive -i de_DE -f UTF-8 '%s'", made);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (setlocale(LC_ALL, names[i]))
			return true;
	}
	g_setenv("LOCPATH", folder, TRUE);
	return g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL) &&
	       setlocale(LC_ALL, "de_DE.UTF-8");
}

START_TEST(a_decimal_comma_stays_out)
{
	const char *path = support_path("r.db");
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *table = NULL;
	g_autofree char *json = NULL;
	g_autofree char *comma_table = NULL;
	g_autofree char *comma_json = NULL;
	g_autofree char *half = NULL;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	comparison = read_comparison(path);
	table = printed(compare_print_table, comparison);
	json = printed(compare_print_json, comparison);
	if (!set_comma_locale()) {
		fprintf(stderr, "test_compare: NOT RUN: no locale with a "
			"decimal comma, nor localedef to make one\n");
		return;
	}
	half = g_strdup_printf("%.1f", 0.5);
	ck_assert_str_eq(half, "0,5");
	comma_table = printed(compare_print_table, comparison);
	comma_json = printed(compare_print_json, comparison);
	setlocale(LC_ALL, "C");
	ck_assert_str_eq(comma_table, table);
	ck_assert_str_eq(comma_json, json);
}
END_TEST

/* A table that grows with the runs is searched by an index; a scan of it, once
 * for each metric of each pair, is what made compare slow. */
START_TEST(no_table_is_scanned)
{
	static const char *const grown[] = {
		"metric", "sample", "published", "line", "function"
	};
	const char *path = support_path("r.db");
	const char *plan;

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	plan = support_query(path, "EXPLAIN QUERY PLAN "
			     "SELECT * FROM comparison");
	ck_assert_ptr_nonnull(strstr(plan, "SEARCH q"));
	for (gsize i = 0; i < G_N_ELEMENTS(grown); i++) {
		g_autofree char *scan = g_strdup_printf("SCAN %s", grown[i]);

		ck_assert_msg(!strstr(plan, scan), "%s", plan);
	}
	ck_assert_msg(!strstr(plan, "SCAN q") && !strstr(plan, "SCAN m") &&
		      !strstr(plan, "SCAN b"), "%s", plan);
}
END_TEST

Suite *suite_compare(void)
{
	const TTest *const tests[] = {
		published_experiment,
		what_is_unknown_is_null,
		points_meet_their_published_rows,
		the_latest_runs_count,
		variants_by_other_names,
		one_variant_is_no_pair,
		unlike_runs_are_noted,
		choices,
		table_for_people,
		json_for_scripts,
		json_of_nothing,
		text_that_is_no_utf8,
		a_decimal_comma_stays_out,
		no_table_is_scanned,
		NULL
	};

	return support_suite("compare", tests);
}
