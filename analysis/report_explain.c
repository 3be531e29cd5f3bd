/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of explain.h as a section of a page. */
#include "report.h"

#include "explain.h"
#include "figure.h"

#define NUM_ROWS 20u		/* that are shown; the rest is one more */

static void write_row(struct html *html, const struct explain_row *row)
{
	g_autofree char *delta = figure_format_delta(row->after_ns -
						     row->before_ns);
	g_autofree char *before = figure_format(row->before_ns);
	g_autofree char *after = figure_format(row->after_ns);
	g_autofree char *before_count = figure_format(row->before_count);
	g_autofree char *after_count = figure_format(row->after_count);
	g_autofree char *where = g_strdup_printf("%s%s%s", row->function,
						 *row->file ? " " : "",
						 row->file);

	html_row_open(html, row->name);
	html_cell(html, row->kind);
	html_figure(html, delta);
	html_figure(html, before);
	html_figure(html, after);
	html_figure(html, before_count);
	html_figure(html, after_count);
	html_figure(html, row->line < 0 ? "-" : html_integer(html, row->line));
	html_cell(html, where);
	html_row_close(html);
}

/* Two rows that are no causes: what is left, and the sum. */
static void write_sum(struct html *html, const char *name, double delta,
		      const char *before, const char *after)
{
	g_autofree char *text = figure_format_delta(delta);

	html_row_open(html, name);
	html_cell(html, "");
	html_figure(html, text);
	html_figure(html, before);
	html_figure(html, after);
	for (int i = 0; i < 3; i++)
		html_figure(html, "");
	html_cell(html, "");
	html_row_close(html);
}

static void write_table(struct html *html, const struct explanation *e)
{
	static const char *const headings[] = {
		"what", "kind", "difference, ns", "before, ns", "after, ns",
		"count before", "count after", "line", "where", NULL
	};
	guint shown = MIN(NUM_ROWS, e->rows->len);
	g_autofree char *before = figure_format(e->before_ns);
	g_autofree char *after = figure_format(e->after_ns);

	html_table_open(html, "The difference of ns_per_op and its causes, for "
			      "one operation", headings);
	for (guint i = 0; i < shown; i++)
		write_row(html, e->rows->pdata[i]);
	if (shown < e->rows->len) {
		struct explain_row rest = explain_rest(e, shown);

		write_row(html, &rest);
	}
	write_sum(html, "residue", e->residue_ns, "", "");
	write_sum(html, "ns_per_op", e->after_ns - e->before_ns, before,
		  after);
	html_table_close(html);
}

void report_write_explanation(struct report *report,
			      const struct report_pair *pair)
{
	g_autoptr(GPtrArray) all = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *summary = NULL;

	if (report->error || !pair->before.id)
		return;
	all = explain_runs(pair->before.id, pair->after.id);
	html_element(report->html, "h3", "Why");
	if (!explain_read(report->db, report->path, all->pdata[0], &error)) {
		/* Runs that lack a metric have no account, but a page. */
		if (g_error_matches(error, RECORD_ERROR, RECORD_ERROR_NAME))
			html_element(report->html, "p", "These runs lack "
				     "ns_per_op or the times of their CPUs, so "
				     "that there is no account of their "
				     "difference.");
		else
			report->error = g_steal_pointer(&error);
		return;
	}
	summary = explain_summary(all->pdata[0]);
	html_element(report->html, "p", summary);
	write_table(report->html, all->pdata[0]);
}
