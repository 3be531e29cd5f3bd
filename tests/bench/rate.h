/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations of a scenario a second on one host thread: the median of some
 * rounds.
 */
#ifndef TESTS_BENCH_RATE_H
#define TESTS_BENCH_RATE_H

#include <stdio.h>
#include <stdlib.h>

#include "scenarios/run.h"

#define ROUNDS 3

struct rate_of {
	const char *scenario;
	unsigned int variant;
	u64 less, more;		/* one part in so many of the scenario */
};

struct rate {
	double operations, seconds;
};

static inline struct rate rate_once(const struct rate_of *of, u64 den)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = scenario_find(of->scenario, &error);
	struct scenario *scenario = path ? scenario_load(path, &error) : NULL;
	struct config *config = scenario ?
		scenario_resolve(scenario, of->variant, 0, NULL, &error) : NULL;
	g_autofree char *scale = g_strdup_printf("1/%u", (u32)den);
	struct run_options options = {
		.scale_num = 1, .scale_den = den, .scale_text = scale,
	};
	struct results *results = config ?
		run_config(scenario, config, &options, NULL, &error) : NULL;
	struct rate rate;

	if (!results) {
		fprintf(stderr, "bench: %s\n", error->message);
		exit(1);
	}
	rate.operations = (double)results->operations;
	rate.seconds = (double)results->host_usec / 1e6;
	results_free(results);
	config_free(config);
	scenario_free(scenario);
	return rate;
}

static inline int rate_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What a long run does beyond a short one: set-up does not count. */
static inline double rate_median(const struct rate_of *of)
{
	double rates[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const struct rate less = rate_once(of, of->less);
		const struct rate more = rate_once(of, of->more);

		rates[i] = (more.operations - less.operations) /
			   (more.seconds - less.seconds);
	}
	qsort(rates, ROUNDS, sizeof(rates[0]), rate_compare);
	return rates[ROUNDS / 2];
}

#endif
