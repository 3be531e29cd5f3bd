/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mix that the benchmarks of the whole model run: neigh-confirmed's 24
 * processes, one variant, one seed, one host thread.
 */
#ifndef TESTS_BENCH_FLOOD_H
#define TESTS_BENCH_FLOOD_H

#include <stdio.h>
#include <stdlib.h>

#include "scenarios/run.h"

#define ROUNDS 5

struct flood {
	double accesses, sends, seconds;
};

static inline void flood_once(const char *scale, u64 den, struct flood *flood)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = scenario_find("neigh-confirmed", &error);
	struct scenario *scenario = path ? scenario_load(path, &error) : NULL;
	char one[] = "scenario.repeat=1", *sets[] = { one, NULL };
	struct config *config = scenario ?
		scenario_resolve(scenario, 0, 0, sets, &error) : NULL;
	struct run_options options = {
		.scale_num = 1, .scale_den = den, .scale_text = (char *)scale,
	};
	struct results *results = config ?
		run_config(scenario, config, &options, NULL, &error) : NULL;

	if (!results) {
		fprintf(stderr, "bench: %s\n", error->message);
		exit(1);
	}
	flood->accesses = (double)results->accesses;
	flood->sends = (double)results->operations;
	flood->seconds = (double)results->host_usec / 1e6;
	results_free(results);
	config_free(config);
	scenario_free(scenario);
}

static inline int flood_compare(const void *a, const void *b)
{
	const struct flood *x = a, *y = b;
	double rx = x->sends / x->seconds, ry = y->sends / y->seconds;

	return rx < ry ? -1 : rx > ry;
}

/* The median of five: what a long run does beyond a short one, so that set-up
 * does not count. */
static inline struct flood flood_median(void)
{
	struct flood rounds[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct flood less;

		flood_once("0.0025", 400, &less);
		flood_once("0.025", 40, &rounds[i]);
		rounds[i].accesses -= less.accesses;
		rounds[i].sends -= less.sends;
		rounds[i].seconds -= less.seconds;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), flood_compare);
	return rounds[ROUNDS / 2];
}

#endif
