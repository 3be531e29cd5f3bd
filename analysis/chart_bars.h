/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars in groups on an axis with a unit, up and down from zero; below them the
 * same figures as a table.
 */
#ifndef ANALYSIS_CHART_BARS_H
#define ANALYSIS_CHART_BARS_H

#include "html.h"

struct bar_series {
	const char *name;
	const char *class;	/* of the style sheet */
};

struct bar_chart {
	const char *title, *description;
	const char *unit;	/* of the values: "%" */
	const char *axis;	/* what the groups are: "workload.threads" */
	const struct bar_series *series;
	guint num_series;
	const char *const *groups;	/* their names */
	guint num_groups;
	const double *values;	/* group by group; NAN: there is none */
};

/* Writes nothing where no value is known. */
void chart_bars(struct html *html, const struct bar_chart *chart);

#endif
