/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an account: in words and as a table for people, as JSON for
 * scripts.  No number goes through the C library's locale. */
#include "explain.h"
#include "color.h"
#include "json_build.h"

#include <math.h>

#define SUMMARY_ROWS 3u

struct figure { char text[G_ASCII_DTOSTR_BUF_SIZE]; };

static struct figure figure(const char *format, double value)
{
	struct figure f;

	g_ascii_formatd(f.text, sizeof(f.text), format, value);
	return f;
}

static double difference(const struct explain_row *row)
{
	return row->after_ns - row->before_ns;
}

static void append_cause(GString *text, const struct explain_row *row)
{
	g_string_append_printf(text, " %s ns is ",
			       figure("%+.1f", difference(row)).text);
	if (g_str_equal(row->kind, "instructions"))
		g_string_append_printf(text, "instructions of %s (%s)",
				       row->name, *row->file ? row->file :
				       "no model file");
	else if (g_str_equal(row->kind, "stall"))
		g_string_append_printf(text, "stalls at %s, line %"
				       G_GINT64_FORMAT ", most in %s (%s)",
				       row->name, row->line, row->function,
				       row->file);
	else
		g_string_append_printf(text, "%s: %s", row->kind, row->name);
	g_string_append_c(text, '.');
}

char *explain_summary(const struct explanation *e)
{
	double total = e->after_ns - e->before_ns;
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%s%s%s: ", e->pair.scenario,
			*e->pair.point ? ", " : "", e->pair.point);
	if (total == 0)
		g_string_append(text, "before and after take the same time.");
	else
		g_string_append_printf(text, "after is %s ns (%s %%) an "
			"operation %s.", figure("%.1f", fabs(total)).text,
			figure("%.2f", 100 * fabs(total) / e->before_ns).text,
			total < 0 ? "faster" : "slower");
	for (guint i = 0; i < MIN(SUMMARY_ROWS, e->rows->len); i++) {
		const struct explain_row *row = e->rows->pdata[i];

		if (difference(row) != 0)
			append_cause(text, row);
	}
	return g_string_free(text, FALSE);
}

static void print_row(FILE *file, const struct explain_row *row)
{
	double ns = difference(row);
	const char *color = color_of_change(file, ns);
	g_autofree char *line = row->line < 0 ? g_strdup("-") :
		g_strdup_printf("%" G_GINT64_FORMAT, row->line);

	fprintf(file, "%s%10s%s %10s %10s %9s %9s  %-12s %4s  %s",
		color, figure("%+.2f", ns).text, *color ? color_off(file) : "",
		figure("%.2f", row->before_ns).text,
		figure("%.2f", row->after_ns).text,
		figure("%.3f", row->before_count).text,
		figure("%.3f", row->after_count).text, row->kind, line,
		row->name);
	if (*row->function && !g_str_equal(row->function, row->name))
		fprintf(file, "  %s", row->function);
	fprintf(file, "%s%s\n", *row->file ? "  " : "", row->file);
}

void explain_print_text(FILE *file, const struct explanation *e, guint limit)
{
	guint shown = limit ? MIN(limit, e->rows->len) : e->rows->len;
	double pct = explain_residue_pct(e);
	g_autofree char *summary = explain_summary(e);

	fprintf(file, "%s\n\n", summary);
	fprintf(file, "%10s %10s %10s %9s %9s  %-12s %4s  %s\n", "ns/op",
		"before", "after", "count", "count", "kind", "line",
		"what, function, model file");
	for (guint i = 0; i < shown; i++)
		print_row(file, e->rows->pdata[i]);
	if (shown < e->rows->len) {
		struct explain_row rest = explain_rest(e, shown);

		print_row(file, &rest);
	}
	fprintf(file, "%10s  residue (%s %%)\n",
		figure("%+.2f", e->residue_ns).text, figure("%.2f", pct).text);
	fprintf(file, "%10s %10s %10s  ns_per_op\n",
		figure("%+.2f", e->after_ns - e->before_ns).text,
		figure("%.2f", e->before_ns).text,
		figure("%.2f", e->after_ns).text);
	if (pct >= 1)
		fprintf(file, "%snote:%s the residue is not below 1 %%: work "
			"before and beside the threads (set-up, other CPUs) "
			"weighs too much in this run\n",
			color_on(file, COLOR_NOTE), color_off(file));
}

static void build_row(JsonBuilder *builder, const struct explain_row *row)
{
	json_builder_begin_object(builder);
	build_text(builder, "kind", row->kind);
	build_text(builder, "name", row->name);
	build_text(builder, "function", row->function);
	build_text(builder, "file", row->file);
	json_builder_set_member_name(builder, "line");
	if (row->line < 0)
		json_builder_add_null_value(builder);
	else
		json_builder_add_int_value(builder, row->line);
	build_number(builder, "before_count", row->before_count);
	build_number(builder, "after_count", row->after_count);
	build_number(builder, "before_ns", row->before_ns);
	build_number(builder, "after_ns", row->after_ns);
	build_number(builder, "delta_ns", difference(row));
	json_builder_end_object(builder);
}

void explain_build_json(JsonBuilder *builder, const struct explanation *e,
			guint limit)
{
	guint shown = limit ? MIN(limit, e->rows->len) : e->rows->len;

	json_builder_begin_object(builder);
	build_text(builder, "scenario", e->pair.scenario);
	build_text(builder, "point", e->pair.point);
	build_integer(builder, "before_run", e->pair.before);
	build_integer(builder, "after_run", e->pair.after);
	build_number(builder, "before_ns", e->before_ns);
	build_number(builder, "after_ns", e->after_ns);
	build_number(builder, "delta_ns", e->after_ns - e->before_ns);
	build_number(builder, "residue_ns", e->residue_ns);
	build_number(builder, "residue_pct", explain_residue_pct(e));
	build_array(builder, "rows");
	for (guint i = 0; i < shown; i++)
		build_row(builder, e->rows->pdata[i]);
	if (shown < e->rows->len) {
		struct explain_row rest = explain_rest(e, shown);

		build_row(builder, &rest);
	}
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

void explain_print_json(FILE *file, const GPtrArray *all, guint limit)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	build_array(builder, "explanations");
	for (guint i = 0; i < all->len; i++)
		explain_build_json(builder, all->pdata[i], limit);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	build_print(builder, file);
}
