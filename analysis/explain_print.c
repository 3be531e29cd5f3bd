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

/* "instructions -35.1 ns, stalls -123.4 ns": kinds that do not round to
 * nothing, in the order of the account. */
static void append_kinds(GString *text, const struct explanation *e)
{
	static const char *const kinds[][2] = {
		{ "instructions", "instructions" }, { "stall", "stalls" },
		{ "lock", "lock waits" }, { "hardware", "the hardware" },
		{ "wake-up", "wake-ups" }, { "idle", "idle" },
		{ "outside", "work outside" },
	};
	const char *before = " By kind: ";

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		double sum = 0;

		for (guint j = 0; j < e->rows->len; j++) {
			const struct explain_row *row = e->rows->pdata[j];

			if (g_str_equal(row->kind, kinds[i][0]))
				sum += difference(row);
		}
		if (fabs(sum) < 0.05)
			continue;
		g_string_append_printf(text, "%s%s %s ns", before, kinds[i][1],
				       figure("%+.1f", sum).text);
		before = ", ";
	}
	g_string_append_c(text, '.');
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
		g_string_append_printf(text, "%s: %s%s%s", row->kind, row->name,
				       *row->file ? ", " : "", row->file);
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
	append_kinds(text, e);
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

static void print_roles(FILE *file, const struct explanation *e)
{
	fprintf(file, "\nThe time of the CPUs, ns an operation, before and "
		"after:\n%10s %10s %10s %10s %10s %10s  CPUs\n", "work",
		"work", "waking", "waking", "idle", "idle");
	for (guint i = 0; i < e->roles->len; i++) {
		const struct explain_role *role = e->roles->pdata[i];
		gint64 cpus = MAX(role->cpus[0], role->cpus[1]);

		for (int side = 0; side < 2; side++)
			fprintf(file, "%s%10s", side ? " " : "",
				figure("%.2f", role->work_ns[side]).text);
		for (int side = 0; side < 2; side++)
			fprintf(file, " %10s",
				figure("%.2f", role->waking_ns[side]).text);
		for (int side = 0; side < 2; side++)
			fprintf(file, " %10s",
				figure("%.2f", role->idle_ns[side]).text);
		fprintf(file, "  %" G_GINT64_FORMAT " %s%s%s\n", cpus,
			role->host, *role->host ? ", " : "", role->name);
	}
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
	fprintf(file, "%10s  residue (%s %%)\n", figure("%+.2f",
		fabs(e->residue_ns) < 0.005 ? 0 : e->residue_ns).text,
		figure("%.2f", pct).text);
	fprintf(file, "%10s %10s %10s  ns_per_op\n",
		figure("%+.2f", e->after_ns - e->before_ns).text,
		figure("%.2f", e->before_ns).text,
		figure("%.2f", e->after_ns).text);
	if (pct >= 1)
		fprintf(file, "%snote:%s the residue is not below 1 %%: the "
			"repeats of a run did not do equally many operations, "
			"or the model let time pass that it charged to "
			"nothing\n",
			color_on(file, COLOR_NOTE), color_off(file));
	print_roles(file, e);
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

static void build_role(JsonBuilder *builder, const struct explain_role *role)
{
	json_builder_begin_object(builder);
	build_text(builder, "host", role->host);
	build_text(builder, "role", role->name);
	build_integer(builder, "before_cpus", role->cpus[0]);
	build_integer(builder, "after_cpus", role->cpus[1]);
	build_number(builder, "before_work_ns", role->work_ns[0]);
	build_number(builder, "after_work_ns", role->work_ns[1]);
	build_number(builder, "before_waking_ns", role->waking_ns[0]);
	build_number(builder, "after_waking_ns", role->waking_ns[1]);
	build_number(builder, "before_idle_ns", role->idle_ns[0]);
	build_number(builder, "after_idle_ns", role->idle_ns[1]);
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
	build_array(builder, "roles");
	for (guint i = 0; i < e->roles->len; i++)
		build_role(builder, e->roles->pdata[i]);
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
