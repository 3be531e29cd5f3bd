/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before and after: what a patch changes in the model, what it was published
 * to change, and how far the two are apart.
 */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "database.h"

/* The figures of one run's repeats, or of a published row's. */
struct comparison_spread {
	unsigned int samples;
	double minimum, maximum;	/* NAN where there are none */
	double variance;	/* of a sample; NAN where there are not two */
};

/* One metric of one scenario at one point of its sweep.  A real number that
 * is not known is NAN. */
struct comparison_row {
	char *scenario, *title, *point;
	char *metric;		/* carries its unit: "elapsed_s" */
	char *before_variant, *after_variant;
	gint64 before_run, after_run;
	double before, after, delta_pct;
	double published_before, published_after;	/* means */
	double published_delta_pct;
	double error_points;	/* delta_pct - published_delta_pct */
	/* Two standard errors of the difference of the published means, in
	 * per cent of the one before (Welch: the variances need not be
	 * alike): a smaller difference is in the noise of the published runs.
	 * NAN where not both sides were published twice or more. */
	double noise_pct;
	bool published;		/* the scenario gives figures for it */
	struct comparison_spread before_spread, after_spread;
	struct comparison_spread published_before_spread;
	struct comparison_spread published_after_spread;
};

struct comparison {
	GPtrArray *rows;	/* struct comparison_row *, owned; in order of
				 * recording, a point's published metrics
				 * first, then by name */
	GPtrArray *notes;	/* char *, owned: what a reader must know */
	gint64 pairs;		/* of runs, before and after */
};

/* Which metrics to read: those named ("all" stands for every one), and with
 * `published` those for which figures were published, too. */
struct comparison_choice {
	const char *const *metrics;	/* NULL-terminated */
	bool published;
};

/* The published metrics and the few that explain most. */
extern const struct comparison_choice compare_key;
/* The published metrics alone. */
extern const struct comparison_choice compare_published;

/* Reads what the database can compare; possibly no rows.  Free with
 * comparison_free().  NULL and an error where it cannot be read, or, of a
 * choice without `published`, where nothing of a name is recorded:
 * RECORD_ERROR_NAME, with the nearest known name. */
struct comparison *compare_read(const char *path,
				const struct comparison_choice *choice,
				GError **error);
void comparison_free(struct comparison *comparison);
typedef struct comparison Comparison;	/* for g_autoptr(Comparison) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparison, comparison_free)

/* An aligned table for people, and its notes. */
void compare_print_table(FILE *file, const struct comparison *comparison);

/* {"experiments":[{"name":...,"rows":[{"row":...,"metric":...,
 * "published_before":...,"published_after":...,"published_delta_pct":...,
 * "before":...,"after":...,"delta_pct":...,"error_points":...,
 * "noise_pct":...}]}]} on one
 * line; null for what is not known.  `row` is the point of the sweep. */
void compare_print_json(FILE *file, const struct comparison *comparison);

#endif
