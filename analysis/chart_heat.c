/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the structs that cost most, field by field: how often each is
 * read and written in an operation, how often it came modified from another
 * core (HITM), and how long its users waited for it.  Each cell has its number;
 * the shade, by the largest of its column in the struct, only draws the eye.
 */
#include "report.h"

#include <math.h>

#include "figure.h"
#include "svg.h"

#define NUM_STRUCTS 6
#define NUM_FIELDS 28		/* that a struct shows */
#define LEFT 210.0
#define CELL 86.0
#define ROW 18.0
#define HEAD 44.0
#define NUM_FIGURES 4
#define NUM_SHADES 8

static const char *const figure_name[NUM_FIGURES] = {
	"reads", "writes", "HITM", "stall, ns"
};

struct field {
	char *name;
	gint64 line;
	double figure[2][NUM_FIGURES];	/* an operation: before, after */
};

static const char structs_sql[] =
	"SELECT type FROM line WHERE run IN (?1, ?2) GROUP BY type"
	" HAVING sum(stall_ps) > 0 ORDER BY sum(stall_ps) DESC, type LIMIT 6";

/* ?3: the type; one row a field and line, whose side the last column says. */
static const char fields_sql[] =
	"SELECT f.field, f.line,"
	" sum(f.reads) * 1.0 / nullif(r.operations, 0),"
	" sum(f.writes + f.atomics) * 1.0 / nullif(r.operations, 0),"
	" sum(f.hitm_core + f.hitm_package) * 1.0 / nullif(r.operations, 0),"
	" sum(f.stall_ps) / 1000.0 / nullif(r.operations, 0), r.id = ?2"
	" FROM field_access AS f JOIN run AS r ON r.id = f.run"
	" WHERE f.run IN (?1, ?2) AND f.type = ?3"
	" GROUP BY f.run, f.field, f.line ORDER BY f.line, f.field, f.run";

static void field_free(gpointer data)
{
	struct field *field = data;

	g_free(field->name);
	g_free(field);
}

/* The rows of one field, before and after, follow each other. */
static struct field *field_of(GPtrArray *fields, const char *name, gint64 line)
{
	struct field *field = fields->len ? fields->pdata[fields->len - 1] :
					    NULL;

	if (field && field->line == line && g_str_equal(field->name, name))
		return field;
	field = g_new0(struct field, 1);
	field->name = g_strdup(name);
	field->line = line;
	g_ptr_array_add(fields, field);
	return field;
}

static double weight(const struct field *field)
{
	return field->figure[0][3] + field->figure[1][3];
}

/* Those that cost nothing go first, until the struct fits. */
static void keep_costly(GPtrArray *fields)
{
	while (fields->len > NUM_FIELDS) {
		guint least = 0;

		for (guint i = 1; i < fields->len; i++)
			if (weight(fields->pdata[i]) <
			    weight(fields->pdata[least]))
				least = i;
		g_ptr_array_remove_index(fields, least);
	}
}

static GPtrArray *read_fields(struct report *report,
			      const struct report_pair *pair, const char *type)
{
	GPtrArray *fields = g_ptr_array_new_with_free_func(field_free);
	sqlite3_stmt *statement = report_prepare(report, fields_sql,
						 pair->before.id,
						 pair->after.id);

	if (statement)
		sqlite3_bind_text(statement, 3, type, -1, SQLITE_TRANSIENT);
	while (report_next(report, statement)) {
		g_autofree char *name = database_text(statement, 0);
		int side = sqlite3_column_int(statement, 6) != 0;
		struct field *field = field_of(fields, name,
			sqlite3_column_int64(statement, 1));

		for (int i = 0; i < NUM_FIGURES; i++) {
			double value = report_column_real(statement, 2 + i);

			field->figure[side][i] = isfinite(value) ? value : 0;
		}
	}
	return fields;
}

static double largest(GPtrArray *fields, int figure)
{
	double most = 0;

	for (guint i = 0; i < fields->len; i++) {
		const struct field *field = fields->pdata[i];

		most = MAX(most, MAX(field->figure[0][figure],
				     field->figure[1][figure]));
	}
	return most;
}

/* By the square root, so that the lesser ones still differ. */
static int shade(double value, double most)
{
	return most > 0 ? (int)ceil(NUM_SHADES * sqrt(value / most)) : 0;
}

static void write_cell(struct html *html, double x, double y, double value,
		       double most)
{
	char class[8];
	g_autofree char *text = value <= 0 ? g_strdup("") :
		value < 0.0005 ? g_strdup("<0.001") : figure_format(value);
	struct svg_box box = { x + 1, y + 1, CELL - 2, ROW - 2 };

	g_snprintf(class, sizeof(class), "h%d", shade(value, most));
	svg_rect(html, &box, class, value);
	svg_text(html, x + CELL - 6, y + 13, "end", text);
}

static void write_heading(struct html *html, const struct report_pair *pair,
			  int first)
{
	static const char *const side_name[2] = { "before", "after" };

	for (int side = first; side < 2; side++) {
		double x = LEFT + (side - first) * NUM_FIGURES * CELL;
		const struct report_run *run = side ? &pair->after :
						      &pair->before;

		svg_text(html, x + 6, 14, "strong", first ?
			 report_label(run) : side_name[side]);
		for (int i = 0; i < NUM_FIGURES; i++)
			svg_text(html, x + (i + 1) * CELL - 6, 34, "end soft",
				 figure_name[i]);
	}
	svg_text(html, 0, 34, "soft", "line");
	svg_text(html, 40, 34, "soft", "field");
}

static void write_rows(struct html *html, GPtrArray *fields, int first)
{
	double most[NUM_FIGURES];
	double width = LEFT + (2 - first) * NUM_FIGURES * CELL;
	gint64 line = -1;

	for (int i = 0; i < NUM_FIGURES; i++)
		most[i] = largest(fields, i);
	for (guint i = 0; i < fields->len; i++) {
		const struct field *field = fields->pdata[i];
		double y = HEAD + i * ROW;

		if (field->line != line) {
			svg_line(html, 0, y, width, y, "axis");
			svg_text(html, 0, y + 13, "strong",
				 html_integer(html, field->line));
			line = field->line;
		}
		svg_text(html, 40, y + 13, "start", field->name);
		for (int side = first; side < 2; side++)
			for (int j = 0; j < NUM_FIGURES; j++)
				write_cell(html, LEFT + ((side - first) *
					   NUM_FIGURES + j) * CELL, y,
					   field->figure[side][j], most[j]);
	}
}

static void write_struct(struct report *report, const struct report_pair *pair,
			 const char *type)
{
	g_autoptr(GPtrArray) fields = read_fields(report, pair, type);
	g_autofree char *title = g_strdup_printf("Lines of struct %s", type);
	struct html *html = report->html;
	int first = pair->before.id ? 0 : 1;
	guint all = fields->len;

	keep_costly(fields);
	if (!fields->len)
		return;
	html_open(html, "figure", NULL);
	html_open(html, "figcaption", NULL);
	html_printf(html, "%s: accesses and nanoseconds an operation, by line "
		    "and field", title);
	if (fields->len < all)
		html_printf(html, "; the %u fields of %u that are waited for "
			    "most", fields->len, all);
	html_close(html, "figcaption");
	svg_open(html, LEFT + (2 - first) * NUM_FIGURES * CELL,
		 HEAD + fields->len * ROW + 4, "heat", title,
		 "A table of fields: reads, writes, modified copies taken from "
		 "other cores, nanoseconds of waiting");
	write_heading(html, pair, first);
	write_rows(html, fields, first);
	svg_close(html);
	html_close(html, "figure");
}

void chart_heat(struct report *report, const struct report_pair *pair)
{
	g_autoptr(GPtrArray) types = g_ptr_array_new_with_free_func(g_free);
	sqlite3_stmt *statement = report_prepare(report, structs_sql,
						 pair->before.id,
						 pair->after.id);

	G_STATIC_ASSERT(NUM_STRUCTS == 6);	/* in the statement, too */
	while (report_next(report, statement))
		g_ptr_array_add(types, database_text(statement, 0));
	if (!types->len)
		return;
	html_element(report->html, "h3", "Hot structs");
	for (guint i = 0; i < types->len; i++)
		write_struct(report, pair, types->pdata[i]);
}
