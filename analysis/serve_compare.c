/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /compare: any two runs, and /report: all that there are, or one scenario. */
#include "serve.h"

#include "explain.h"

/* More than this take too long to make and to read. */
#define MAX_PAIRS 100u

static struct report_pair *read_pair(struct report *report,
				     const struct evkeyvalq *query)
{
	gint64 before, after;

	if (!serve_query_number(query, "before", 0, &before, &report->error) ||
	    !serve_query_number(query, "after", 0, &after, &report->error))
		return NULL;
	return report_pair_read(report, before, after);
}

static void write_run_link(struct html *html, const struct report_run *run)
{
	g_autofree char *address = g_strdup_printf(
		"/run?id=%" G_GINT64_FORMAT, run->id);

	html_open(html, "li", NULL);
	html_open(html, "a", "href", address, NULL);
	html_printf(html, "Run %" G_GINT64_FORMAT, run->id);
	html_close(html, "a");
	html_printf(html, ": %s%s%s%s%s", run->scenario,
		    *run->variant ? ", " : "", run->variant,
		    *run->point ? ", " : "", run->point);
	html_close(html, "li");
}

void serve_compare_html(struct report *report, const struct evkeyvalq *query)
{
	struct report_pair *pair = read_pair(report, query);
	g_autoptr(GPtrArray) pairs = NULL;
	g_autofree char *title = NULL;

	if (!pair)
		return;
	title = g_strdup_printf("Run %" G_GINT64_FORMAT " against run %"
				G_GINT64_FORMAT, pair->before.id,
				pair->after.id);
	page_open(report, title);
	html_open(report->html, "ul", NULL);
	write_run_link(report->html, &pair->before);
	write_run_link(report->html, &pair->after);
	html_close(report->html, "ul");
	pairs = g_ptr_array_new();
	g_ptr_array_add(pairs, pair);
	report_write_predictions(report, pairs);
	html_element(report->html, "h2", "Effect and causes");
	chart_effect(report, pairs);
	report_write_pair(report, pair);
	page_close(report);
	report_pair_free(pair);
}

void serve_build_metrics(JsonBuilder *builder, GPtrArray *metrics)
{
	build_array(builder, "metrics");
	for (guint i = 0; i < metrics->len; i++) {
		const struct report_metric *metric = metrics->pdata[i];

		json_builder_begin_object(builder);
		build_text(builder, "metric", metric->name);
		build_text(builder, "unit", metric->unit);
		build_number(builder, "before", metric->before);
		build_number(builder, "after", metric->after);
		build_number(builder, "delta_pct", metric->delta_pct);
		build_number(builder, "published_before",
			     metric->published_before);
		build_number(builder, "published_after",
			     metric->published_after);
		build_number(builder, "published_delta_pct",
			     metric->published_delta_pct);
		build_number(builder, "error_points", metric->error_points);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

/* null where the runs lack what an account needs. */
static void build_account(struct report *report, JsonBuilder *builder,
			  const struct report_pair *pair)
{
	g_autoptr(GPtrArray) all = explain_runs(pair->before.id,
						pair->after.id);
	g_autoptr(GError) error = NULL;

	json_builder_set_member_name(builder, "explanation");
	if (report->error ||
	    !explain_read(report->db, report->path, all->pdata[0], &error)) {
		json_builder_add_null_value(builder);
		if (!report->error &&
		    !g_error_matches(error, RECORD_ERROR, RECORD_ERROR_NAME))
			report->error = g_steal_pointer(&error);
		return;
	}
	explain_build_json(builder, all->pdata[0], 0);
}

void serve_compare_json(struct report *report, const struct evkeyvalq *query,
			JsonBuilder *builder)
{
	struct report_pair *pair = read_pair(report, query);
	GPtrArray *metrics;

	if (!pair)
		return;
	json_builder_set_member_name(builder, "before");
	json_builder_begin_object(builder);
	serve_build_run(builder, &pair->before);
	json_builder_end_object(builder);
	json_builder_set_member_name(builder, "after");
	json_builder_begin_object(builder);
	serve_build_run(builder, &pair->after);
	json_builder_end_object(builder);
	metrics = report_metrics(report, pair);
	serve_build_metrics(builder, metrics);
	build_account(report, builder, pair);
	g_ptr_array_unref(metrics);
	report_pair_free(pair);
}

/* ---- the report ---- */

static GPtrArray *read_pairs(struct report *report,
			     const struct evkeyvalq *query)
{
	const char *scenario = serve_query_text(query, "scenario");
	GPtrArray *pairs = report_pairs(report, *scenario ? scenario : NULL);

	if (!report->error && !pairs->len && *scenario)
		g_set_error(&report->error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: no run of %s", report->path, scenario);
	if (!report->error)
		return pairs;
	g_ptr_array_unref(pairs);
	return NULL;
}

/* Where there is too much for one page: a page for each scenario. */
static void write_choice(struct report *report)
{
	sqlite3_stmt *statement = report_prepare(report,
		"SELECT scenario, count(*) FROM run GROUP BY scenario"
		" ORDER BY min(id) LIMIT 1000", 0, 0);
	struct html *html = report->html;

	html_element(html, "p", "These are too many for one page; choose a "
				"scenario.");
	html_open(html, "ul", NULL);
	while (report_next(report, statement)) {
		g_autofree char *name = database_text(statement, 0);
		g_autofree char *word = g_uri_escape_string(name, NULL, FALSE);
		g_autofree char *address = g_strconcat("/report?scenario=",
						       word, NULL);

		html_open(html, "li", NULL);
		html_open(html, "a", "href", address, NULL);
		html_text(html, name);
		html_close(html, "a");
		html_printf(html, ": %" G_GINT64_FORMAT " runs",
			    (gint64)sqlite3_column_int64(statement, 1));
		html_close(html, "li");
	}
	html_close(html, "ul");
}

void serve_report_html(struct report *report, const struct evkeyvalq *query)
{
	g_autoptr(GPtrArray) pairs = read_pairs(report, query);
	const char *scenario = serve_query_text(query, "scenario");

	if (!pairs)
		return;
	if (pairs->len && (*scenario || pairs->len <= MAX_PAIRS)) {
		report_write(report, pairs, *scenario ? scenario : "Report");
		return;
	}
	page_open(report, "Report");
	if (pairs->len)
		write_choice(report);
	else
		html_element(report->html, "p", "No run is recorded yet.");
	page_close(report);
}

void serve_report_json(struct report *report, const struct evkeyvalq *query,
		       JsonBuilder *builder)
{
	g_autoptr(GPtrArray) pairs = read_pairs(report, query);
	const char *scenario = serve_query_text(query, "scenario");

	if (!pairs)
		return;
	if (pairs->len > MAX_PAIRS && !*scenario) {
		g_set_error(&report->error, SERVE_ERROR, SERVE_ERROR_ADDRESS,
			    "%u pairs are too many for one answer; name a "
			    "scenario", pairs->len);
		return;
	}
	build_array(builder, "pairs");
	for (guint i = 0; i < pairs->len; i++) {
		const struct report_pair *pair = pairs->pdata[i];
		GPtrArray *metrics = report_metrics(report, pair);

		json_builder_begin_object(builder);
		build_text(builder, "scenario", pair->after.scenario);
		build_text(builder, "point", pair->after.point);
		build_integer(builder, "before_run", pair->before.id);
		build_integer(builder, "after_run", pair->after.id);
		serve_build_metrics(builder, metrics);
		json_builder_end_object(builder);
		g_ptr_array_unref(metrics);
	}
	json_builder_end_array(builder);
}
