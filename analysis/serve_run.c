/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /run: one run, and /lines: its hottest lines. */
#include <stdio.h>
#include <stdlib.h>

#include "serve.h"

#include "lines.h"

#define NUM_LINES 10u
#define MAX_LINES 1000

void serve_build_run(JsonBuilder *builder, const struct report_run *run)
{
	build_integer(builder, "id", run->id);
	build_text(builder, "scenario", run->scenario);
	build_text(builder, "title", run->title);
	build_text(builder, "source", run->source);
	build_text(builder, "variant", run->variant);
	build_text(builder, "point", run->point);
	build_text(builder, "kernel", run->kernel);
	build_text(builder, "patches", run->patches);
	build_text(builder, "machine", run->machine);
	build_text(builder, "seed", run->seed);
	build_text(builder, "scale", run->scale);
	build_integer(builder, "repeats", run->repeats);
	build_integer(builder, "operations", run->operations);
	build_text(builder, "overrides", run->overrides);
	build_text(builder, "scenario_text", run->text);
	build_text(builder, "scenario_sha256", run->sha256);
	build_text(builder, "model_version", run->version);
}

/* The run that the address names; NULL and report->error where there is
 * none. */
static struct report_pair *read_run(struct report *report,
				    const struct evkeyvalq *query,
				    const char *parameter)
{
	gint64 id;

	if (!serve_query_number(query, parameter, 0, &id, &report->error))
		return NULL;
	return report_pair_read(report, 0, id);
}

static char *title_of(const char *what, const struct report_run *run)
{
	return g_strdup_printf("%s %" G_GINT64_FORMAT ": %s%s%s%s%s", what,
			       run->id, run->scenario,
			       *run->variant ? ", " : "", run->variant,
			       *run->point ? ", " : "", run->point);
}

/* Leads to the comparison with a run that the reader names. */
static void write_compare_form(struct html *html, const struct report_run *run)
{
	html_open(html, "form", "method", "get", "action", "/compare", NULL);
	html_void(html, "input", "type", "hidden", "name", "after", "value",
		  html_integer(html, run->id), NULL);
	html_open(html, "label", NULL);
	html_text(html, "Compare with run ");
	html_void(html, "input", "type", "number", "name", "before", "min",
		  "1", "required", "required", NULL);
	html_close(html, "label");
	html_open(html, "button", "type", "submit", NULL);
	html_text(html, "Compare");
	html_close(html, "button");
	html_close(html, "form");
}

void serve_run_html(struct report *report, const struct evkeyvalq *query)
{
	struct report_pair *pair = read_run(report, query, "id");
	g_autofree char *title = NULL;

	if (!pair)
		return;
	title = title_of("Run", &pair->after);
	page_open(report, title);
	write_compare_form(report->html, &pair->after);
	report_write_lines(report, pair->after.id, NUM_LINES);
	html_element(report->html, "h2", "Time, structs and calls");
	report_write_pair(report, pair);
	page_close(report);
	report_pair_free(pair);
}

void serve_run_json(struct report *report, const struct evkeyvalq *query,
		    JsonBuilder *builder)
{
	struct report_pair *pair = read_run(report, query, "id");
	GPtrArray *metrics;

	if (!pair)
		return;
	metrics = report_metrics(report, pair);
	serve_build_run(builder, &pair->after);
	build_array(builder, "metrics");
	for (guint i = 0; i < metrics->len; i++) {
		const struct report_metric *metric = metrics->pdata[i];

		json_builder_begin_object(builder);
		build_text(builder, "metric", metric->name);
		build_text(builder, "unit", metric->unit);
		build_number(builder, "value", metric->after);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	g_ptr_array_unref(metrics);
	report_pair_free(pair);
}

static bool read_limit(struct report *report, const struct evkeyvalq *query,
		       guint *ret_limit)
{
	gint64 limit;

	if (!serve_query_number(query, "limit", NUM_LINES, &limit,
				&report->error))
		return false;
	*ret_limit = (guint)MIN(limit, MAX_LINES);
	return true;
}

void serve_lines_html(struct report *report, const struct evkeyvalq *query)
{
	struct report_pair *pair = read_run(report, query, "run");
	g_autofree char *title = NULL;
	guint limit;

	if (pair && read_limit(report, query, &limit)) {
		title = title_of("Lines of run", &pair->after);
		page_open(report, title);
		report_write_lines(report, pair->after.id, limit);
		page_close(report);
	}
	report_pair_free(pair);
}

void serve_lines_json(struct report *report, const struct evkeyvalq *query,
		      JsonBuilder *builder)
{
	struct lines *lines;
	guint limit;
	gint64 id;

	if (!serve_query_number(query, "run", 0, &id, &report->error) ||
	    !read_limit(report, query, &limit))
		return;
	lines = lines_read(report->db, report->path, id, limit,
			   &report->error);
	if (!lines)
		return;
	lines_build_json(builder, lines);
	lines_free(lines);
}
