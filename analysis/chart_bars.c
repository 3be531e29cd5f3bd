/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars; see chart_bars.h. */
#include "chart_bars.h"

#include <math.h>
#include <string.h>

#include "figure.h"
#include "svg.h"

#define WIDTH 760.0
#define LEFT 66.0
#define TOP 34.0
#define PLOT 240.0	/* height of the bars' field */
#define BOTTOM 46.0
#define TICKS 6		/* about so many */

struct scale {
	double low, high, step;
	double zero, per_unit;	/* in units of the drawing */
};

/* 1, 2 or 5 times a power of ten, so that about TICKS of them fit. */
static double round_step(double range)
{
	double step = pow(10, floor(log10(range / TICKS)));
	double ratio = range / TICKS / step;

	return step * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

/* From zero to the largest value, rounded up to whole steps. */
static gboolean find_scale(const struct bar_chart *chart, struct scale *scale)
{
	gboolean any = FALSE;

	*scale = (struct scale){ 0 };
	for (guint i = 0; i < chart->num_groups * chart->num_series; i++) {
		double value = chart->values[i];

		if (!isfinite(value))
			continue;
		any = TRUE;
		scale->low = MIN(scale->low, value);
		scale->high = MAX(scale->high, value);
	}
	if (scale->high - scale->low < 1e-9)
		scale->high = scale->low + 1;
	scale->step = round_step(scale->high - scale->low);
	scale->low = floor(scale->low / scale->step) * scale->step;
	scale->high = ceil(scale->high / scale->step) * scale->step;
	scale->per_unit = PLOT / (scale->high - scale->low);
	scale->zero = TOP + scale->high * scale->per_unit;
	return any;
}

static void write_axis(struct html *html, const struct bar_chart *chart,
		       const struct scale *scale)
{
	int first = (int)lround(scale->low / scale->step);
	int last = (int)lround(scale->high / scale->step);

	for (int i = first; i <= last; i++) {
		double y = scale->zero - i * scale->step * scale->per_unit;
		svg_line(html, LEFT, y, WIDTH, y, i ? "grid" : "axis");
		svg_text(html, LEFT - 6, y + 4, "end soft",
			 html_number(html, i * scale->step));
	}
	svg_text(html, 0, 12, "strong", chart->unit);
	svg_text(html, (LEFT + WIDTH) / 2, TOP + PLOT + BOTTOM - 6,
		 "middle soft", chart->axis);
}

static void write_legend(struct html *html, const struct bar_chart *chart)
{
	double x = LEFT;

	for (guint i = 0; i < chart->num_series; i++) {
		const struct bar_series *series = &chart->series[i];
		struct svg_box box = { x, 3, 12, 12 };

		svg_rect(html, &box, series->class, NAN);
		svg_text(html, x + 17, 13, "start", series->name);
		x += 40 + 6.5 * (double)g_utf8_strlen(series->name, -1);
	}
}

static void write_bar(struct html *html, const struct bar_chart *chart,
		      const struct scale *scale, guint group, guint series,
		      double x, double width)
{
	double value = chart->values[group * chart->num_series + series];
	double height = fabs(value) * scale->per_unit;
	g_autofree char *figure = figure_format(value);
	g_autofree char *label = NULL;
	struct svg_box box = { x, scale->zero, width, height };

	if (!isfinite(value))
		return;
	if (value > 0)
		box.y -= height;
	label = g_strdup_printf("%s, %s: %s %s", chart->groups[group],
				chart->series[series].name, figure,
				chart->unit);
	svg_mark_open(html, label);
	svg_rect(html, &box, chart->series[series].class, value);
	if (svg_fitting(width + 4) >= (int)strlen(figure))
		svg_text(html, x + width / 2, value < 0 ?
			 box.y + height + 11 : box.y - 3, "middle", figure);
	svg_mark_close(html);
}

static void write_groups(struct html *html, const struct bar_chart *chart,
			 const struct scale *scale)
{
	double pitch = (WIDTH - LEFT) / chart->num_groups;
	double bar = MIN(pitch * 0.8 / chart->num_series, 64);
	double used = bar * chart->num_series;
	double told = -HUGE_VAL;	/* where the last name ends */

	for (guint i = 0; i < chart->num_groups; i++) {
		double middle = LEFT + (i + 0.5) * pitch;
		const char *name = chart->groups[i];
		double half = 3.2 * (double)g_utf8_strlen(name, -1);

		for (guint j = 0; j < chart->num_series; j++)
			write_bar(html, chart, scale, i, j,
				  middle - used / 2 + bar * j + 1, bar - 2);
		if (middle - half < told)
			continue;
		svg_text(html, middle, TOP + PLOT + 18, "middle", name);
		told = middle + half + 4;
	}
}

static void write_table(struct html *html, const struct bar_chart *chart)
{
	g_autoptr(GPtrArray) headings = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(headings, g_strdup(chart->axis));
	for (guint i = 0; i < chart->num_series; i++)
		g_ptr_array_add(headings,
				g_strdup_printf("%s (%s)",
						chart->series[i].name,
						chart->unit));
	g_ptr_array_add(headings, NULL);
	html_open(html, "details", NULL);
	html_element(html, "summary", "The figures of this chart");
	html_table_open(html, chart->title,
			(const char *const *)headings->pdata);
	for (guint i = 0; i < chart->num_groups; i++) {
		html_row_open(html, chart->groups[i]);
		for (guint j = 0; j < chart->num_series; j++) {
			g_autofree char *figure = figure_format(
				chart->values[i * chart->num_series + j]);

			html_figure(html, figure);
		}
		html_row_close(html);
	}
	html_table_close(html);
	html_close(html, "details");
}

void chart_bars(struct html *html, const struct bar_chart *chart)
{
	struct scale scale;

	if (!find_scale(chart, &scale))
		return;
	html_open(html, "figure", NULL);
	html_open(html, "figcaption", NULL);
	html_printf(html, "%s. %s", chart->title, chart->description);
	html_close(html, "figcaption");
	svg_open(html, WIDTH, TOP + PLOT + BOTTOM, "bars fit", chart->title,
		 chart->description);
	write_axis(html, chart, &scale);
	write_legend(html, chart);
	write_groups(html, chart, &scale);
	svg_close(html);
	write_table(html, chart);
	html_close(html, "figure");
}
