/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of an operation goes: the instructions of the functions that
 * take most, those of all others, waiting for memory, and the time in which
 * the threads did not run.  Beside the threads the calling tree has what ran
 * before and around them, so that the sum may lie a little above ns_per_op.
 *
 * The two runs have one scale, so that their bars may be held against each
 * other; each part has a letter, which the table explains.
 */
#include "report.h"

#include <math.h>

#include "figure.h"
#include "svg.h"

#define WIDTH 760.0
#define LEFT 66.0
#define BAR 46.0
#define PITCH 74.0
#define NUM_NAMED 8		/* functions that have a part of their own */

struct part {
	char *name;
	const char *class;
	double ns[2];		/* an operation: before, after */
};

/* The functions that take most in either run, and the rest as ''. */
static const char parts_sql[] =
	"WITH cost AS (SELECT f.name,"
	"  sum(iif(f.run = ?1, f.instruction_ps, 0)) / 1000.0 /"
	"   (SELECT nullif(operations, 0) FROM run WHERE id = ?1) AS before,"
	"  sum(iif(f.run = ?2, f.instruction_ps, 0)) / 1000.0 /"
	"   (SELECT nullif(operations, 0) FROM run WHERE id = ?2) AS after"
	"  FROM function AS f WHERE f.run IN (?1, ?2) GROUP BY f.name),"
	" ranked AS (SELECT *, row_number() OVER (ORDER BY"
	"  coalesce(before, 0) + coalesce(after, 0) DESC, name) AS rank"
	"  FROM cost)"
	" SELECT iif(rank <= 8, name, ''), total(before), total(after)"
	" FROM ranked GROUP BY iif(rank <= 8, rank, 9)"
	" ORDER BY min(rank)";

static const char total_sql[] =
	"SELECT total(f.stall_ps) / 1000.0 / nullif(r.operations, 0),"
	" (SELECT value FROM metric WHERE run = ?1 AND name = 'ns_per_op')"
	" - (SELECT value FROM metric WHERE run = ?1"
	"  AND name = 'cpu_ns_per_op')"
	" FROM run AS r LEFT JOIN function AS f ON f.run = r.id"
	" WHERE r.id = ?1";

static void part_free(gpointer data)
{
	struct part *part = data;

	g_free(part->name);
	g_free(part);
}

static struct part *add_part(GPtrArray *parts, char *name, const char *class)
{
	struct part *part = g_new0(struct part, 1);

	part->name = name;
	part->class = class;
	g_ptr_array_add(parts, part);
	return part;
}

static double known(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

static void add_total(struct report *report, gint64 run, int side,
		      struct part *stall, struct part *idle)
{
	sqlite3_stmt *statement = report_prepare(report, total_sql, run, 0);

	while (report_next(report, statement)) {
		stall->ns[side] = known(report_column_real(statement, 0));
		idle->ns[side] = known(report_column_real(statement, 1));
	}
}

static GPtrArray *read_parts(struct report *report,
			     const struct report_pair *pair)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func(part_free);
	struct part *stall, *idle;
	sqlite3_stmt *statement = report_prepare(report, parts_sql,
						 pair->before.id,
						 pair->after.id);

	G_STATIC_ASSERT(NUM_NAMED == 8);	/* in the statement, too */
	while (report_next(report, statement)) {
		char *name = database_text(statement, 0);
		struct part *part;

		if (!*name) {
			g_free(name);
			part = add_part(parts, g_strdup("all other functions"),
					"rest");
		} else {
			part = add_part(parts, name,
					parts->len % 2 ? "tint2" : "tint");
		}
		part->ns[0] = known(report_column_real(statement, 1));
		part->ns[1] = known(report_column_real(statement, 2));
	}
	stall = add_part(parts, g_strdup("waiting for memory"), "wait");
	idle = add_part(parts, g_strdup("threads that do not run"), "idle");
	if (pair->before.id)
		add_total(report, pair->before.id, 0, stall, idle);
	add_total(report, pair->after.id, 1, stall, idle);
	return parts;
}

static double sum(GPtrArray *parts, int side)
{
	double total = 0;

	for (guint i = 0; i < parts->len; i++)
		total += ((struct part *)parts->pdata[i])->ns[side];
	return total;
}

static char *letter(guint index)
{
	return g_strdup_printf("%c", 'a' + (int)index);
}

static void write_bar(struct html *html, GPtrArray *parts, int side,
		      const char *name, double y, double per_ns)
{
	double x = LEFT;
	g_autofree char *total = figure_format(sum(parts, side));
	g_autofree char *text = g_strdup_printf("%s: %s ns an operation", name,
						total);

	svg_text(html, LEFT, y - 6, "strong", text);
	for (guint i = 0; i < parts->len; i++) {
		const struct part *part = parts->pdata[i];
		double width = part->ns[side] * per_ns;
		g_autofree char *figure = figure_format(part->ns[side]);
		g_autofree char *key = letter(i);
		g_autofree char *label = g_strdup_printf(
			"%s, %s: %s: %s ns an operation", name, key,
			part->name, figure);
		struct svg_box box = { x, y, width, BAR };

		if (part->ns[side] <= 0)
			continue;
		svg_mark_open(html, label);
		svg_rect(html, &box, part->class, part->ns[side]);
		if (svg_fitting(width) >= 2)
			svg_text(html, x + width / 2, y + BAR / 2 + 4, "middle",
				 key);
		svg_mark_close(html);
		x += width;
	}
}

static void write_table(struct html *html, GPtrArray *parts, bool both)
{
	static const char *const headings[] = {
		"part", "what", "before, ns", "after, ns", "difference, ns",
		NULL
	};
	static const char *const single[] = { "part", "what", "ns", NULL };

	html_table_open(html, "Time of an operation",
			both ? headings : single);
	for (guint i = 0; i < parts->len; i++) {
		const struct part *part = parts->pdata[i];
		g_autofree char *key = letter(i);
		g_autofree char *before = figure_format(part->ns[0]);
		g_autofree char *after = figure_format(part->ns[1]);
		g_autofree char *delta = figure_format_delta(part->ns[1] -
							     part->ns[0]);

		html_row_open(html, key);
		html_cell(html, part->name);
		if (both)
			html_figure(html, before);
		html_figure(html, after);
		if (both)
			html_figure(html, delta);
		html_row_close(html);
	}
	html_table_close(html);
}

void chart_time(struct report *report, const struct report_pair *pair)
{
	static const char title[] = "Where the time of an operation goes";
	g_autoptr(GPtrArray) parts = read_parts(report, pair);
	bool both = pair->before.id != 0;
	double most = MAX(sum(parts, 0), sum(parts, 1));
	double y = 22;
	struct html *html = report->html;

	if (report->error || most <= 0)
		return;
	html_open(html, "figure", NULL);
	html_open(html, "figcaption", NULL);
	html_printf(html, "%s, in nanoseconds: instructions by function, "
		    "waiting for memory, and the rest of the time in which it "
		    "went on.", title);
	html_close(html, "figcaption");
	svg_open(html, WIDTH, (both ? 2 : 1) * PITCH + 4, "time fit", title,
		 "Bars of parts, in nanoseconds an operation");
	if (both) {
		write_bar(html, parts, 0, report_label(&pair->before), y,
			  (WIDTH - LEFT - 2) / most);
		y += PITCH;
	}
	write_bar(html, parts, 1, report_label(&pair->after), y,
		  (WIDTH - LEFT - 2) / most);
	svg_close(html);
	write_table(html, parts, both);
	html_close(html, "figure");
}
