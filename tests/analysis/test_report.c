/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of `udpsim report`: its bars are as high as the numbers of the
 * database, its sums are those of plain SQL, and nothing from a database
 * becomes markup.  The page is read as XML, so that it must be well formed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"
#include "suites.h"
#include "support.h"

/* What a reader of the drawings collects. */
struct drawing {
	char class[32];		/* of the svg that is open, or "" */
	GArray *bars;		/* struct bar */
	GArray *ticks;		/* struct tick, of one chart */
	GPtrArray *texts;	/* char *: all of the scenario's text */
	double tick_y, flame_widest, flame_value, time_width, heat_stall;
	bool in_tick, in_scenario;
	unsigned int frames, unnamed;
};

struct bar {
	double value, height, y;
	double zero, per_unit;	/* of its chart, from the labels of its axis */
};

struct tick {
	double y, value;
};

static const char *attribute(const gchar **names, const gchar **values,
			     const char *name)
{
	for (int i = 0; names[i]; i++)
		if (g_str_equal(names[i], name))
			return values[i];
	return "";
}

static double number(const gchar **names, const gchar **values,
		     const char *name)
{
	return g_ascii_strtod(attribute(names, values, name), NULL);
}

static void read_rect(struct drawing *d, const gchar **names,
		      const gchar **values)
{
	struct bar bar = {
		.value = number(names, values, "data-value"),
		.height = number(names, values, "height"),
		.y = number(names, values, "y"),
	};
	double width = number(names, values, "width");

	if (!*attribute(names, values, "data-value"))
		return;
	if (g_str_has_prefix(d->class, "bars"))
		g_array_append_val(d->bars, bar);
	if (g_str_has_prefix(d->class, "flame")) {
		d->frames++;
		if (width > d->flame_widest) {
			d->flame_widest = width;
			d->flame_value = bar.value;
		}
	}
	if (g_str_has_prefix(d->class, "time"))
		d->time_width += bar.value;
}

static void on_start(GMarkupParseContext *context, const gchar *element,
		     const gchar **names, const gchar **values,
		     gpointer user_data, GError **error)
{
	struct drawing *d = user_data;
	const char *class = attribute(names, values, "class");

	(void)context;
	(void)error;
	if (g_str_equal(element, "svg"))
		g_strlcpy(d->class, class, sizeof(d->class));
	else if (g_str_equal(element, "rect"))
		read_rect(d, names, values);
	d->in_tick = g_str_equal(element, "text") &&
		     g_str_has_prefix(d->class, "bars") &&
		     g_str_equal(class, "end soft");
	d->tick_y = d->in_tick ? number(names, values, "y") : 0;
	d->in_scenario = g_str_equal(class, "scenario");
}

/* At the end of a chart its bars get its scale: that of its lowest and its
 * highest label. */
static void on_end(GMarkupParseContext *context, const gchar *element,
		   gpointer user_data, GError **error)
{
	struct drawing *d = user_data;
	const struct tick *first, *last;

	(void)context;
	(void)error;
	if (!g_str_equal(element, "svg"))
		return;
	if (g_str_has_prefix(d->class, "bars")) {
		ck_assert_uint_ge(d->ticks->len, 2);
		first = &g_array_index(d->ticks, struct tick, 0);
		last = &g_array_index(d->ticks, struct tick,
				      d->ticks->len - 1);
		for (guint i = 0; i < d->bars->len; i++) {
			struct bar *bar = &g_array_index(d->bars, struct bar,
							 i);

			if (bar->per_unit > 0)
				continue;
			bar->per_unit = (first->y - last->y) /
					(last->value - first->value);
			bar->zero = first->y - 4 +
				    first->value * bar->per_unit;
		}
		g_array_set_size(d->ticks, 0);
	}
	*d->class = '\0';
}

static void on_text(GMarkupParseContext *context, const gchar *text,
		    gsize length, gpointer user_data, GError **error)
{
	struct drawing *d = user_data;
	struct tick tick = { d->tick_y, 0 };

	(void)context;
	(void)error;
	if (d->in_tick) {
		g_autofree char *copy = g_strndup(text, length);

		tick.value = g_ascii_strtod(copy, NULL);
		g_array_append_val(d->ticks, tick);
	}
	if (d->in_scenario)
		g_ptr_array_add(d->texts, g_strndup(text, length));
	d->in_tick = d->in_scenario = false;
}

/* Scripts and styles are no XML. */
static void cut(GString *page, const char *from, const char *to)
{
	char *begin = strstr(page->str, from);
	char *end = begin ? strstr(begin, to) : NULL;

	ck_assert_ptr_nonnull(end);
	g_string_erase(page, begin - page->str, end + strlen(to) - begin);
}

static struct drawing *read_page(const char *text)
{
	static const GMarkupParser parser = { on_start, on_end, on_text, NULL,
					      NULL };
	struct drawing *d = g_new0(struct drawing, 1);
	GString *page = g_string_new(text);
	GError *error = NULL;
	GMarkupParseContext *context;

	d->bars = g_array_new(FALSE, TRUE, sizeof(struct bar));
	d->ticks = g_array_new(FALSE, TRUE, sizeof(struct tick));
	d->texts = g_ptr_array_new_with_free_func(g_free);
	cut(page, "<!DOCTYPE html>", "\n");
	cut(page, "<style>", "</style>");
	cut(page, "<script>", "</script>");
	context = g_markup_parse_context_new(&parser, 0, d, NULL);
	ck_assert_msg(g_markup_parse_context_parse(context, page->str,
						   (gssize)page->len, &error) &&
		      g_markup_parse_context_end_parse(context, &error), "%s",
		      error ? error->message : "");
	g_markup_parse_context_free(context);
	g_string_free(page, TRUE);
	return d;
}

static void drawing_free(struct drawing *d)
{
	g_array_unref(d->bars);
	g_array_unref(d->ticks);
	g_ptr_array_unref(d->texts);
	g_free(d);
}

static char *make_page(const char *path)
{
	g_autoptr(GError) error = NULL;
	sqlite3 *db = database_open(path, DATABASE_READ, &error);
	GString *page;

	ck_assert_msg(db != NULL, "%s", error ? error->message : "");
	page = report_page(db, path, NULL, &error);
	database_close(db);
	ck_assert_msg(page != NULL, "%s", error ? error->message : "");
	return g_string_free(page, FALSE);
}

static void record_pair(const char *path)
{
	support_record(path, support_results("before", 2.25));
	support_record(path, support_results("after", 1.9));
}

static double query_number(const char *path, const char *sql)
{
	return g_ascii_strtod(support_query(path, sql), NULL);
}

static void expect_bar(const struct drawing *d, guint index, double value)
{
	const struct bar *bar = &g_array_index(d->bars, struct bar, index);
	double height = fabs(value) * bar->per_unit;

	ck_assert_double_eq_tol(bar->value, value, 1e-9);
	ck_assert_double_eq_tol(bar->height, height, 0.01);
	ck_assert_double_eq_tol(bar->y, value > 0 ? bar->zero - height :
						    bar->zero, 0.01);
}

/* The first chart is the difference of elapsed_s, the second its figures. */
START_TEST(test_bars)
{
	const char *path = support_path("r.db");
	g_autofree char *page = NULL;
	struct drawing *d;
	const char *const columns[] = {
		"delta_pct", "published_delta_pct", "before",
		"published_before", "after", "published_after"
	};

	record_pair(path);
	page = make_page(path);
	d = read_page(page);
	ck_assert_uint_eq(d->bars->len, G_N_ELEMENTS(columns));
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		g_autofree char *sql = g_strdup_printf(
			"SELECT printf('%%.17g', %s) FROM comparison "
			"WHERE metric = 'elapsed_s'", columns[i]);

		expect_bar(d, i, query_number(path, sql));
	}
	drawing_free(d);
}
END_TEST

/* The widest frame, and the parts of both bars, come to the sums of SQL. */
START_TEST(test_sums)
{
	const char *path = support_path("r.db");
	g_autofree char *page = NULL;
	struct drawing *d;

	record_pair(path);
	page = make_page(path);
	d = read_page(page);
	ck_assert_uint_eq(d->frames, 4);	/* two a run */
	ck_assert_double_eq_tol(d->flame_widest, 1180, 0.01);
	ck_assert_double_eq_tol(d->flame_value, query_number(path,
		"SELECT printf('%.17g', sum(instruction_ps + stall_ps) / 1000.0"
		" / operations) FROM function JOIN run ON run.id = run"
		" WHERE run = 1"), 1e-9);
	ck_assert_double_eq_tol(d->time_width, query_number(path,
		"SELECT printf('%.17g', sum(1.0 * (instruction_ps + stall_ps)"
		" / 1000.0 / operations)) FROM function"
		" JOIN run ON run.id = run"), 1e-9);
	drawing_free(d);
}
END_TEST

/* The rule of which published figure belongs to a pair is that of the view. */
START_TEST(test_metrics_are_the_views)
{
	const char *path = support_path("r.db");
	g_autoptr(GError) error = NULL;
	struct report report = { .path = path };
	struct report_pair *pair, *swapped;
	GPtrArray *metrics;

	record_pair(path);
	report.db = database_open(path, DATABASE_READ, &error);
	ck_assert_ptr_nonnull(report.db);
	pair = report_pair_read(&report, 1, 2);
	metrics = report_metrics(&report, pair);
	ck_assert_uint_eq(metrics->len, 3);
	for (guint i = 0; i < metrics->len; i++) {
		const struct report_metric *metric = metrics->pdata[i];
		g_autofree char *sql = g_strdup_printf(
			"SELECT printf('%%.17g', error_points) FROM comparison"
			" WHERE metric = '%s'", metric->name);

		if (isfinite(metric->error_points))
			ck_assert_double_eq_tol(metric->error_points,
						query_number(path, sql), 1e-9);
		else
			ck_assert_str_eq(support_query(path,
				"SELECT count(error_points) FROM comparison "
				"WHERE metric <> 'elapsed_s'"), "0\n");
	}
	ck_assert(((struct report_metric *)metrics->pdata[0])->published);
	g_ptr_array_unref(metrics);
	/* The other way round, nothing was published. */
	swapped = report_pair_read(&report, 2, 1);
	metrics = report_metrics(&report, swapped);
	ck_assert(!((struct report_metric *)metrics->pdata[0])->published);
	g_ptr_array_unref(metrics);
	report_pair_free(pair);
	report_pair_free(swapped);
	ck_assert_ptr_null(report.error);
	database_close(report.db);
}
END_TEST

/* Which runs are a pair is the rule of the view, for any names and order. */
START_TEST(test_pairs_are_the_views)
{
	static const char *const variants[] = {
		"before", "after", "", "a", "z", "Before"
	};
	static const char *const points[] = { "", "n=1", "n=2", "n=3", "n=4" };
	const char *path = support_path("r.db");
	g_autoptr(GString) seen = g_string_new(NULL);
	struct report report = { .path = path };
	GPtrArray *pairs;

	for (guint i = 0; i < 60; i++)
		support_record(path, support_bare(i % 7 < 4 ? "one" : "two",
			variants[i * i * 5 % 37 % G_N_ELEMENTS(variants)],
			points[i * 11 % 13 % G_N_ELEMENTS(points)]));
	report.db = database_open(path, DATABASE_READ, NULL);
	ck_assert_ptr_nonnull(report.db);
	pairs = report_pairs(&report, NULL);
	for (guint i = 0; i < pairs->len; i++) {
		const struct report_pair *pair = pairs->pdata[i];

		if (pair->before.id)
			g_string_append_printf(seen, "%d|%d\n",
					       (int)pair->before.id,
					       (int)pair->after.id);
	}
	g_ptr_array_unref(pairs);
	ck_assert_str_eq(seen->str, support_query(path,
		"SELECT before_run, after_run FROM comparison_pair AS p ORDER BY"
		" (SELECT min(id) FROM run WHERE scenario = p.scenario),"
		" (SELECT min(id) FROM run WHERE scenario = p.scenario"
		"  AND point = p.point)"));
	ck_assert_uint_ge(seen->len, 8);
	pairs = report_pairs(&report, "two");
	for (guint i = 0; i < pairs->len; i++)
		ck_assert_str_eq(((struct report_pair *)
				  pairs->pdata[i])->after.scenario, "two");
	ck_assert_uint_eq(pairs->len, (guint)query_number(path,
		"SELECT count(DISTINCT point) FROM run"
		" WHERE scenario = 'two'"));
	g_ptr_array_unref(pairs);
	ck_assert_ptr_null(report.error);
	database_close(report.db);
}
END_TEST

static unsigned int count(const char *text, const char *part)
{
	unsigned int found = 0;

	for (; (text = strstr(text, part)); text++)
		found++;
	return found;
}

/* Each text of the database is an attack; the page has the same markup as one
 * without, and shows the text. */
START_TEST(test_escapes)
{
	static const char evil[] =
		"</pre><script>alert(1)</script><img src=x onerror=alert(2)>"
		"\" onload='alert(3)' &amp; \x01\xff]]>";
	const char *path = support_path("r.db");
	g_autofree char *page = NULL;
	struct drawing *d;
	sqlite3 *db;
	sqlite3_stmt *statement;

	record_pair(path);
	db = database_open(path, DATABASE_WRITE, NULL);
	ck_assert_ptr_nonnull(db);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
		"UPDATE run SET scenario_text = ?1, title = ?1, source = ?1,"
		" scenario = ?1, machine = ?1, kernel = ?1, patches = ?1,"
		" overrides = ?1, seed = ?1, scale = ?1, model_version = ?1,"
		" point = ?1, scenario_sha256 = ?1, variant = ?1 || id", -1,
		&statement, NULL), SQLITE_OK);
	sqlite3_bind_text(statement, 1, evil, -1, SQLITE_STATIC);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
		"UPDATE function SET name = ?1, file = ?1", -1, &statement,
		NULL), SQLITE_OK);
	sqlite3_bind_text(statement, 1, evil, -1, SQLITE_STATIC);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
	database_close(db);
	page = make_page(path);
	ck_assert_uint_eq(count(page, "<script"), 1);
	ck_assert_uint_eq(count(page, "<img"), 0);
	ck_assert(g_utf8_validate(page, -1, NULL));
	d = read_page(page);
	ck_assert_uint_ge(d->texts->len, 1);
	ck_assert_msg(g_str_has_prefix(d->texts->pdata[0],
		"</pre><script>alert(1)</script><img src=x onerror=alert(2)>"
		"\" onload='alert(3)' &amp; \xef\xbf\xbd\xef\xbf\xbd]]>"),
		"%s", (char *)d->texts->pdata[0]);
	drawing_free(d);
}
END_TEST

/* Huge figures, loops in the calling tree, no operations: what only a forged
 * file has. */
START_TEST(test_forged)
{
	static const char *const forgeries[] = {
		"UPDATE run SET operations = 0",
		"UPDATE metric SET value = 1e300",
		"UPDATE metric SET value = NULL",
		"UPDATE sample SET value = -9e999",
		"UPDATE function SET parent = id",
		"UPDATE function SET instruction_ps = 9223372036854775807",
		"UPDATE function SET instruction_ps = -5, stall_ps = -7",
		"UPDATE field_access SET stall_ps = -1, reads = -3",
		"UPDATE published SET value = 0",
		"UPDATE line SET stall_ps = 4000000000000000000",
	};

	for (guint i = 0; i < G_N_ELEMENTS(forgeries); i++) {
		g_autofree char *name = g_strdup_printf("f%u.db", i);
		const char *path = support_path(name);
		g_autofree char *page = NULL;

		record_pair(path);
		support_sql(path, forgeries[i]);
		page = make_page(path);
		drawing_free(read_page(page));
	}
}
END_TEST

/* A single run has a page of its own, without a comparison. */
START_TEST(test_single)
{
	const char *path = support_path("r.db");
	g_autofree char *page = NULL;

	support_record(path, support_results("before", 2.25));
	page = make_page(path);
	drawing_free(read_page(page));
	ck_assert_uint_eq(count(page, "<h3>Why</h3>"), 0);
	ck_assert_uint_ge(count(page, "class=\"flame\""), 1);
}
END_TEST

Suite *suite_report(void)
{
	const TTest *const tests[] = {
		test_bars, test_sums, test_metrics_are_the_views,
		test_pairs_are_the_views, test_escapes,
		test_forged, test_single, NULL
	};

	return support_suite("report", tests);
}
