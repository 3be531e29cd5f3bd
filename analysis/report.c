/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the sections of a page together: the predictions of all, then scenario
 * by scenario the effect and, pair by pair, why.
 */
#include "report.h"

#include <math.h>

#include "figure.h"

/* More pairs than this would make a page that no browser likes; the table of
 * predictions has all of them. */
#define MAX_DETAILED 16u

static const char *const metric_headings[] = {
	"metric", "unit", "before", "after", "change, %", "published before",
	"published after", "published change, %", "error, points", NULL
};

/* One more, for where several pairs share a table. */
static const char *const prediction_headings[] = {
	"scenario", "point", "metric", "unit", "before", "after", "change, %",
	"published before", "published after", "published change, %",
	"error, points", NULL
};

static void write_figures(struct html *html, const struct report_metric *metric)
{
	const double figures[] = {
		metric->before, metric->after, metric->delta_pct,
		metric->published_before, metric->published_after,
		metric->published_delta_pct, metric->error_points,
	};
	const bool delta[] = { false, false, true, false, false, true, true };

	html_cell(html, metric->unit);
	for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
		g_autofree char *text = delta[i] ?
			figure_format_delta(figures[i]) :
			figure_format(figures[i]);

		html_figure(html, text);
	}
}

void report_write_predictions(struct report *report, GPtrArray *pairs)
{
	struct html *html = report->html;

	html_element(html, "h2", "Predicted and published");
	html_table_open(html, "Predictions, in the units of the metrics; the "
			"error is the predicted less the published change",
			prediction_headings);
	for (guint i = 0; i < pairs->len; i++) {
		const struct report_pair *pair = pairs->pdata[i];
		g_autoptr(GPtrArray) metrics = report_metrics(report, pair);

		for (guint j = 0; j < metrics->len; j++) {
			const struct report_metric *metric = metrics->pdata[j];

			if (!report_is_key_metric(metric))
				continue;
			html_row_open(html, pair->after.scenario);
			html_cell(html, pair->after.point);
			html_cell(html, metric->name);
			write_figures(html, metric);
			html_row_close(html);
		}
	}
	html_table_close(html);
}

void report_write_metrics(struct report *report, const struct report_pair *pair)
{
	g_autoptr(GPtrArray) metrics = report_metrics(report, pair);
	struct html *html = report->html;

	html_open(html, "details", NULL);
	html_element(html, "summary", "All metrics");
	html_table_open(html, "Metrics", metric_headings);
	for (guint i = 0; i < metrics->len; i++) {
		const struct report_metric *metric = metrics->pdata[i];

		html_row_open(html, metric->name);
		write_figures(html, metric);
		html_row_close(html);
	}
	html_table_close(html);
	html_close(html, "details");
}

void report_write_pair(struct report *report, const struct report_pair *pair)
{
	const struct report_run *run = &pair->after;

	html_open(report->html, "p", "class", "soft", NULL);
	html_printf(report->html, "%s. Source: %s. Machine %s, kernel %s.",
		    run->title, *run->source ? run->source : "none",
		    run->machine, run->kernel);
	html_close(report->html, "p");
	report_write_explanation(report, pair);
	report_write_metrics(report, pair);
	chart_time(report, pair);
	chart_heat(report, pair);
	chart_flame(report, pair);
	report_write_reproduce(report, pair);
}

static void write_details(struct report *report, const struct report_pair *pair,
			  bool open)
{
	struct html *html = report->html;

	html_open(html, "details", "class", "pair", "open",
		  open ? "open" : NULL, NULL);
	html_open(html, "summary", NULL);
	if (*pair->after.point)
		html_printf(html, "%s: ", pair->after.point);
	if (pair->before.id)
		html_printf(html, "%s against %s, in detail",
			    report_label(&pair->before),
			    report_label(&pair->after));
	else
		html_printf(html, "%s, in detail", report_label(&pair->after));
	html_close(html, "summary");
	report_write_pair(report, pair);
	html_close(html, "details");
}

/* The pairs that are of the same scenario as the first; not owned. */
static GPtrArray *of_scenario(GPtrArray *pairs, guint first)
{
	const struct report_pair *pair = pairs->pdata[first];
	GPtrArray *own = g_ptr_array_new();

	for (guint i = first; i < pairs->len; i++) {
		const struct report_pair *other = pairs->pdata[i];

		if (g_str_equal(other->after.scenario, pair->after.scenario))
			g_ptr_array_add(own, pairs->pdata[i]);
	}
	return own;
}

static void write_scenario(struct report *report, GPtrArray *pairs,
			   guint *detailed)
{
	const struct report_pair *first = pairs->pdata[0];

	html_open(report->html, "h2", NULL);
	html_printf(report->html, "%s: %s", first->after.scenario,
		    first->after.title);
	html_close(report->html, "h2");
	chart_effect(report, pairs);
	for (guint i = 0; i < pairs->len && !report->error; i++)
		if ((*detailed)++ < MAX_DETAILED)
			write_details(report, pairs->pdata[i], i == 0);
}

void report_write(struct report *report, GPtrArray *pairs, const char *title)
{
	g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);
	guint detailed = 0;

	page_open(report, title);
	report_write_predictions(report, pairs);
	if (pairs->len > MAX_DETAILED) {
		html_open(report->html, "p", "class", "note", NULL);
		html_printf(report->html, "Only the first %u of %u pairs are "
			    "shown in detail; choose a scenario to see its "
			    "own.", MAX_DETAILED, pairs->len);
		html_close(report->html, "p");
	}
	for (guint i = 0; i < pairs->len && !report->error; i++) {
		const struct report_pair *pair = pairs->pdata[i];
		g_autoptr(GPtrArray) own = NULL;

		if (!g_hash_table_add(done, pair->after.scenario))
			continue;
		own = of_scenario(pairs, i);
		write_scenario(report, own, &detailed);
	}
	page_close(report);
}

static GPtrArray *read_pairs(struct report *report, const char *scenario)
{
	g_autoptr(GPtrArray) pairs = report_pairs(report, scenario);

	if (report->error)
		return NULL;
	if (pairs->len)
		return g_steal_pointer(&pairs);
	g_set_error(&report->error, RECORD_ERROR, RECORD_ERROR_NAME,
		    "%s: no run%s%s; record one with \"udpsim run\"",
		    report->path, scenario ? " of " : "",
		    scenario ? scenario : "");
	return NULL;
}

/* All of it from one state of the database. */
GString *report_page(sqlite3 *db, const char *path, const char *scenario,
		     GError **error)
{
	struct report report = { .db = db, .path = path };
	g_autoptr(GPtrArray) pairs = NULL;
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *name = g_filename_display_name(base);
	g_autofree char *title = g_strdup_printf("udpsim: %s", name);
	GString *page = NULL;

	if (!database_execute(db, path, "BEGIN", error))
		return NULL;
	pairs = read_pairs(&report, scenario);
	if (pairs) {
		report.html = html_new();
		report_write(&report, pairs, title);
		page = html_finish(report.html);
	}
	if (!report.error)
		database_execute(db, path, "COMMIT", &report.error);
	else
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	if (!report.error)
		return page;
	if (page)
		g_string_free(page, TRUE);
	g_propagate_error(error, report.error);
	return NULL;
}
