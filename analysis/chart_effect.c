/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of a patch along the sweep of its scenario, beside what was
 * published: for each metric a chart of the difference in per cent, and one of
 * the figures themselves.
 */
#include "report.h"

#include <math.h>
#include <string.h>

#include "chart_bars.h"

/* Where the scenario has no published metric, this one says most. */
#define METRIC_OF_COST "ns_per_op"

struct effect {
	GPtrArray *pairs;	/* the caller's */
	GPtrArray *metrics;	/* of each pair: GPtrArray * */
	GPtrArray *groups;	/* names, owned */
	char *axis;
};

/* "workload.threads" of "workload.threads=4", if that is all there is. */
static char *only_key(const char *point)
{
	const char *equals = strchr(point, '=');

	if (!equals || strchr(point, ';'))
		return NULL;
	return g_strndup(point, (gsize)(equals - point));
}

/* The key of all points, or "point" where they have several. */
static char *find_axis(GPtrArray *pairs)
{
	const struct report_pair *first = pairs->pdata[0];
	g_autofree char *axis = only_key(first->after.point);

	for (guint i = 1; axis && i < pairs->len; i++) {
		const struct report_pair *pair = pairs->pdata[i];
		g_autofree char *key = only_key(pair->after.point);

		if (g_strcmp0(key, axis) != 0)
			g_clear_pointer(&axis, g_free);
	}
	if (axis)
		return g_steal_pointer(&axis);
	return g_strdup(*first->after.point ? "point of the sweep" :
					      "scenario");
}

static char *group_name(const struct report_pair *pair, bool one_key)
{
	const char *point = pair->after.point;

	if (!*point)
		return g_strdup(pair->after.scenario);
	return g_strdup(one_key ? strchr(point, '=') + 1 : point);
}

static void effect_read(struct report *report, GPtrArray *pairs,
			struct effect *effect)
{
	bool one_key;

	effect->pairs = pairs;
	effect->metrics = g_ptr_array_new_with_free_func(
		(GDestroyNotify)g_ptr_array_unref);
	effect->groups = g_ptr_array_new_with_free_func(g_free);
	effect->axis = find_axis(pairs);
	one_key = strchr(effect->axis, '.') != NULL;
	for (guint i = 0; i < pairs->len; i++) {
		g_ptr_array_add(effect->metrics,
				report_metrics(report, pairs->pdata[i]));
		g_ptr_array_add(effect->groups,
				group_name(pairs->pdata[i], one_key));
	}
}

static void effect_clear(struct effect *effect)
{
	g_ptr_array_unref(effect->metrics);
	g_ptr_array_unref(effect->groups);
	g_free(effect->axis);
}

static const struct report_metric *find_metric(GPtrArray *metrics,
					       const char *name)
{
	for (guint i = 0; i < metrics->len; i++) {
		const struct report_metric *metric = metrics->pdata[i];

		if (g_str_equal(metric->name, name))
			return metric;
	}
	return NULL;
}

static void write_chart(struct report *report, const struct effect *effect,
			struct bar_chart *chart)
{
	chart->axis = effect->axis;
	chart->groups = (const char *const *)effect->groups->pdata;
	chart->num_groups = effect->groups->len;
	chart_bars(report->html, chart);
}

static void write_difference(struct report *report,
			     const struct effect *effect, const char *name)
{
	static const struct bar_series series[] = {
		{ "predicted", "s0" }, { "published", "s3" }
	};
	g_autofree char *title = g_strdup_printf("Change of %s", name);
	g_autofree double *values = g_new(double, 2 * effect->pairs->len);
	struct bar_chart chart = {
		.title = title, .unit = "%", .series = series,
		.description = "After against before, in per cent of before, "
			       "as predicted and as published.",
		.num_series = G_N_ELEMENTS(series), .values = values,
	};

	for (guint i = 0; i < effect->pairs->len; i++) {
		const struct report_metric *metric =
			find_metric(effect->metrics->pdata[i], name);

		values[2 * i] = metric ? metric->delta_pct : NAN;
		values[2 * i + 1] = metric ? metric->published_delta_pct : NAN;
	}
	write_chart(report, effect, &chart);
}

static void write_figures(struct report *report, const struct effect *effect,
			  const char *name, const char *unit)
{
	static const struct bar_series series[] = {
		{ "before", "s0" }, { "before, published", "s1" },
		{ "after", "s2" }, { "after, published", "s3" }
	};
	g_autofree double *values = g_new(double, 4 * effect->pairs->len);
	struct bar_chart chart = {
		.title = name, .unit = unit, .series = series,
		.description = "Before and after, as predicted and as "
			       "published.",
		.num_series = G_N_ELEMENTS(series), .values = values,
	};

	for (guint i = 0; i < effect->pairs->len; i++) {
		const struct report_metric *metric =
			find_metric(effect->metrics->pdata[i], name);

		values[4 * i] = metric ? metric->before : NAN;
		values[4 * i + 1] = metric ? metric->published_before : NAN;
		values[4 * i + 2] = metric ? metric->after : NAN;
		values[4 * i + 3] = metric ? metric->published_after : NAN;
	}
	write_chart(report, effect, &chart);
}

/* Each metric once, in the order of the pair that has it first. */
static void write_published(struct report *report, const struct effect *effect)
{
	g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < effect->metrics->len; i++) {
		GPtrArray *metrics = effect->metrics->pdata[i];

		for (guint j = 0; j < metrics->len; j++) {
			struct report_metric *metric = metrics->pdata[j];

			if (!metric->published ||
			    !g_hash_table_add(done, metric->name))
				continue;
			write_difference(report, effect, metric->name);
			write_figures(report, effect, metric->name,
				      metric->unit);
		}
	}
	if (g_hash_table_size(done))
		return;
	write_difference(report, effect, METRIC_OF_COST);
	write_figures(report, effect, METRIC_OF_COST, "ns");
}

void chart_effect(struct report *report, GPtrArray *pairs)
{
	struct effect effect;

	if (!pairs->len || report->error)
		return;
	effect_read(report, pairs, &effect);
	if (!report->error)
		write_published(report, &effect);
	effect_clear(&effect);
}
