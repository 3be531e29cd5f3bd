/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of lines.h as a section of a page. */
#include "report.h"

#include "figure.h"
#include "lines.h"

#define NUM_FIELDS 16u		/* of a line that are shown; the costliest */

static void count_cell(struct html *html, gint64 count, double operations)
{
	g_autofree char *text = figure_format((double)count / operations);

	html_figure(html, text);
}

static void write_line(struct html *html, const struct hot_line *line,
		       double operations)
{
	const gint64 counts[] = {
		line->reads, line->writes, line->atomics, line->hitm_core,
		line->hitm_package, line->invalidations,
	};
	g_autofree char *name = g_strdup_printf(
		"%s%s%s, line %" G_GINT64_FORMAT, line->host,
		*line->host ? ": " : "", line->type, line->line);

	html_row_open(html, name);
	html_cell(html, verdict_name(line->verdict));
	count_cell(html, line->stall_ps, operations * 1000);
	for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
		count_cell(html, counts[i], operations);
	html_figure(html, html_integer(html, line->readers));
	html_figure(html, html_integer(html, line->writers));
	html_row_close(html);
}

static void write_field(struct html *html, const struct line_field *field,
			double operations)
{
	html_row_open(html, field->field);
	html_element(html, "td", field->function);
	html_cell(html, field->file);
	count_cell(html, field->stall_ps, operations * 1000);
	count_cell(html, field->reads, operations);
	count_cell(html, field->writes, operations);
	count_cell(html, field->atomics, operations);
	count_cell(html, field->hitm, operations);
	html_row_close(html);
}

static void write_fields(struct html *html, const struct hot_line *line,
			 double operations)
{
	static const char *const headings[] = {
		"field", "function", "file", "stall, ns", "reads", "writes",
		"atomics", "HITM", NULL
	};
	guint shown = MIN(NUM_FIELDS, line->fields->len);
	g_autofree char *name = g_strdup_printf(
		"%s, line %" G_GINT64_FORMAT ": its fields", line->type,
		line->line);

	html_open(html, "details", NULL);
	html_element(html, "summary", name);
	html_table_open(html, "By field and function, an operation; the stall "
			      "has what locked operations take by themselves",
			headings);
	for (guint i = 0; i < shown; i++)
		write_field(html, line->fields->pdata[i], operations);
	html_table_close(html);
	if (shown < line->fields->len) {
		html_open(html, "p", "class", "note", NULL);
		html_printf(html, "%u more that cost less.",
			    line->fields->len - shown);
		html_close(html, "p");
	}
	html_close(html, "details");
}

void report_write_lines(struct report *report, gint64 run, guint limit)
{
	static const char *const headings[] = {
		"line", "verdict", "stall, ns", "reads", "writes", "atomics",
		"HITM, core", "HITM, package", "invalidations", "readers",
		"writers", NULL
	};
	struct lines *lines;

	if (report->error)
		return;
	lines = lines_read(report->db, report->path, run, limit,
			   &report->error);
	if (!lines)
		return;
	html_element(report->html, "h2", "Hottest lines");
	if (lines->operations > 0 && lines->lines->len) {
		html_table_open(report->html, "What an operation does to them",
				headings);
		for (guint i = 0; i < lines->lines->len; i++)
			write_line(report->html, lines->lines->pdata[i],
				   lines->operations);
		html_table_close(report->html);
		for (guint i = 0; i < lines->lines->len; i++)
			write_fields(report->html, lines->lines->pdata[i],
				     lines->operations);
	} else {
		html_element(report->html, "p", "The run has none.");
	}
	lines_free(lines);
}
