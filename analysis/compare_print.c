/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a comparison: as a table for people, as JSON for scripts.
 *
 * People get figures as figure.h has them; scripts get the whole double.
 */
#include "compare.h"
#include "color.h"
#include "json_build.h"

#include <math.h>

#include "figure.h"

enum column {
	COLUMN_SCENARIO,
	COLUMN_POINT,
	COLUMN_METRIC,
	COLUMN_BEFORE,
	COLUMN_BEFORE_SPREAD,
	COLUMN_AFTER,
	COLUMN_AFTER_SPREAD,
	COLUMN_DELTA,
	COLUMN_PUBLISHED_BEFORE,
	COLUMN_PUBLISHED_AFTER,
	COLUMN_PUBLISHED_DELTA,
	COLUMN_ERROR,
	NUM_COLUMNS
};

/* Two lines of heading. */
static const char *const heading[2][NUM_COLUMNS] = {
	{ "", "", "", "", "before", "", "after", "", "published",
	  "published", "published", "error" },
	{ "scenario", "point", "metric", "before", "min..max", "after",
	  "min..max", "delta %", "before", "after", "delta %", "points" },
};

#define LAST_TEXT_COLUMN COLUMN_METRIC	/* the rest is set to the right */

struct table {
	GPtrArray *cells;	/* char *, NUM_COLUMNS a row */
	glong width[NUM_COLUMNS];
	bool shown[NUM_COLUMNS];
};

static char *format_range(const struct comparison_spread *spread)
{
	g_autofree char *minimum = figure_format(spread->minimum);
	g_autofree char *maximum = figure_format(spread->maximum);

	return g_strdup_printf("%s..%s", minimum, maximum);
}

/* One sample has no spread. */
static char *format_spread(const struct comparison_spread *spread)
{
	if (spread->samples < 2)
		return g_strdup("-");
	return format_range(spread);
}

static void add_row(struct table *table, const struct comparison_row *row)
{
	char *cell[NUM_COLUMNS] = {
		[COLUMN_SCENARIO] = g_strdup(row->scenario),
		[COLUMN_POINT] = g_strdup(*row->point ? row->point : "-"),
		[COLUMN_METRIC] = g_strdup(row->metric),
		[COLUMN_BEFORE] = figure_format(row->before),
		[COLUMN_BEFORE_SPREAD] = format_spread(&row->before_spread),
		[COLUMN_AFTER] = figure_format(row->after),
		[COLUMN_AFTER_SPREAD] = format_spread(&row->after_spread),
		[COLUMN_DELTA] = figure_format_delta(row->delta_pct),
		[COLUMN_PUBLISHED_BEFORE] =
			figure_format(row->published_before),
		[COLUMN_PUBLISHED_AFTER] =
			figure_format(row->published_after),
		[COLUMN_PUBLISHED_DELTA] =
			figure_format_delta(row->published_delta_pct),
		[COLUMN_ERROR] = figure_format_delta(row->error_points),
	};

	for (int i = 0; i < NUM_COLUMNS; i++)
		g_ptr_array_add(table->cells, cell[i]);
}

/* A point or a spread that no row has needs no column. */
static bool may_be_left_out(int column)
{
	return column == COLUMN_POINT || column == COLUMN_BEFORE_SPREAD ||
	       column == COLUMN_AFTER_SPREAD;
}

static void measure(struct table *table)
{
	for (int i = 0; i < NUM_COLUMNS; i++) {
		table->width[i] = MAX(g_utf8_strlen(heading[0][i], -1),
				      g_utf8_strlen(heading[1][i], -1));
		table->shown[i] = !may_be_left_out(i);
	}
	for (guint i = 0; i < table->cells->len; i++) {
		const char *cell = table->cells->pdata[i];
		int column = (int)(i % NUM_COLUMNS);

		table->width[column] = MAX(table->width[column],
					   g_utf8_strlen(cell, -1));
		if (!g_str_equal(cell, "-"))
			table->shown[column] = true;
	}
}

static void print_line(FILE *file, const struct table *table,
		       const char *const *cell)
{
	g_autoptr(GString) line = g_string_new(NULL);

	for (int i = 0; i < NUM_COLUMNS; i++) {
		int gap = (int)(table->width[i] - g_utf8_strlen(cell[i], -1));

		if (!table->shown[i])
			continue;
		if (line->len)
			g_string_append(line, "  ");
		if (i <= LAST_TEXT_COLUMN)
			g_string_append_printf(line, "%s%*s", cell[i], gap,
					       "");
		else
			g_string_append_printf(line, "%*s%s", gap, "",
					       cell[i]);
	}
	fprintf(file, "%s\n", g_strchomp(line->str));
}

static void print_note(FILE *file)
{
	fprintf(file, "%snote:%s ", color_on(file, COLOR_NOTE),
		color_off(file));
}

/* How far the published repeats lie apart says what the error is worth. */
static void print_published_spread(FILE *file,
				   const struct comparison_row *row)
{
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;

	if (row->published_before_spread.samples < 2 &&
	    row->published_after_spread.samples < 2)
		return;
	before = format_range(&row->published_before_spread);
	after = format_range(&row->published_after_spread);
	print_note(file);
	fprintf(file, "%s%s%s: published %s ranges over before %s, "
		"after %s\n", row->scenario, *row->point ? ", " : "",
		row->point, row->metric, before, after);
}

static const char *noise_verdict(const struct comparison_row *row, double delta)
{
	return fabs(delta) < row->noise_pct ? "is in the noise" :
					      "is more than that";
}

/* Whether the published runs could show such a difference at all. */
static void print_noise(FILE *file, const struct comparison_row *row)
{
	g_autofree char *noise = NULL;
	g_autofree char *delta = NULL;
	g_autofree char *published = NULL;

	if (isnan(row->noise_pct) || isnan(row->delta_pct))
		return;
	noise = figure_format(row->noise_pct);
	delta = figure_format_delta(row->delta_pct);
	published = figure_format_delta(row->published_delta_pct);
	print_note(file);
	fprintf(file, "%s%s%s: %s: the published runs tell %s %% from nothing "
		"(two standard errors): the model's %s %% %s, the published "
		"%s %% %s\n", row->scenario, *row->point ? ", " : "",
		row->point, row->metric, noise, delta,
		noise_verdict(row, row->delta_pct), published,
		noise_verdict(row, row->published_delta_pct));
}

static void print_variants(FILE *file, const struct comparison_row *row,
			   const struct comparison_row *previous)
{
	if (previous && g_str_equal(row->scenario, previous->scenario))
		return;
	if (g_str_equal(row->before_variant, "before") &&
	    g_str_equal(row->after_variant, "after"))
		return;
	print_note(file);
	fprintf(file, "%s: before is the variant \"%s\", after is "
		"\"%s\"\n", row->scenario, row->before_variant,
		row->after_variant);
}

void compare_print_table(FILE *file, const struct comparison *comparison)
{
	const struct comparison_row *previous = NULL;
	struct table table = {
		.cells = g_ptr_array_new_with_free_func(g_free),
	};

	for (guint i = 0; i < comparison->rows->len; i++)
		add_row(&table, comparison->rows->pdata[i]);
	measure(&table);
	print_line(file, &table, heading[0]);
	print_line(file, &table, heading[1]);
	for (guint i = 0; i < table.cells->len; i += NUM_COLUMNS)
		print_line(file, &table, (const char *const *)
			   &table.cells->pdata[i]);
	for (guint i = 0; i < comparison->notes->len; i++) {
		print_note(file);
		fprintf(file, "%s\n",
			(const char *)comparison->notes->pdata[i]);
	}
	for (guint i = 0; i < comparison->rows->len; i++) {
		const struct comparison_row *row = comparison->rows->pdata[i];

		print_variants(file, row, previous);
		print_published_spread(file, row);
		print_noise(file, row);
		previous = row;
	}
	g_ptr_array_unref(table.cells);
}

static void build_row(JsonBuilder *builder, const struct comparison_row *row)
{
	json_builder_begin_object(builder);
	build_text(builder, "row", row->point);
	build_text(builder, "metric", row->metric);
	build_number(builder, "published_before", row->published_before);
	build_number(builder, "published_after", row->published_after);
	build_number(builder, "published_delta_pct",
		     row->published_delta_pct);
	build_number(builder, "before", row->before);
	build_number(builder, "after", row->after);
	build_number(builder, "delta_pct", row->delta_pct);
	build_number(builder, "error_points", row->error_points);
	build_number(builder, "noise_pct", row->noise_pct);
	json_builder_end_object(builder);
}

/* Rows of a scenario stand together. */
static void build_experiments(JsonBuilder *builder,
			      const GPtrArray *rows)
{
	const char *scenario = NULL;

	for (guint i = 0; i < rows->len; i++) {
		const struct comparison_row *row = rows->pdata[i];

		if (!scenario || !g_str_equal(row->scenario, scenario)) {
			if (scenario) {
				json_builder_end_array(builder);
				json_builder_end_object(builder);
			}
			scenario = row->scenario;
			json_builder_begin_object(builder);
			build_text(builder, "name", scenario);
			build_array(builder, "rows");
		}
		build_row(builder, row);
	}
	if (scenario) {
		json_builder_end_array(builder);
		json_builder_end_object(builder);
	}
}

void compare_print_json(FILE *file, const struct comparison *comparison)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	build_array(builder, "experiments");
	build_experiments(builder, comparison->rows);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	build_print(builder, file);
}
