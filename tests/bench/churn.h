/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop that the benchmarks of socket life run: socket(), bind() to port 0,
 * close(), by one task of the experiment's kernel before its patch.
 */
#ifndef TESTS_BENCH_CHURN_H
#define TESTS_BENCH_CHURN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/run.h"

static const char churn_text[] =
	"[scenario]\n"
	"name = churn\n"
	"machine = desktop-2cpu\n"
	"kernel = linux-4.6\n"
	"[workload]\n"
	"program = socket-churn\n"
	"threads = 1\n"
	"count = 1\n"
	"[variant before]\n"
	"[variant after]\n"
	"patches = udp-sock-rcu-free\n";

/* Seconds of host time for so many loops of a variant (0: before). */
static inline double churn_seconds(u64 loops, u32 variant)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *count =
		g_strdup_printf("workload.count=%" G_GUINT64_FORMAT,
				(guint64)loops);
	char *sets[] = { count, NULL };
	struct scenario *scenario = scenario_parse("churn", churn_text,
						   strlen(churn_text), &error);
	struct config *config = scenario ?
		scenario_resolve(scenario, variant, 0, sets, &error) : NULL;
	struct run_options options = {
		.scale_num = 1, .scale_den = 1, .scale_text = (char *)"1",
	};
	struct results *results = config ?
		run_config(scenario, config, &options, NULL, &error) : NULL;
	double seconds;

	if (!results) {
		fprintf(stderr, "bench: %s\n", error->message);
		exit(1);
	}
	seconds = (double)results->host_usec / 1e6;
	results_free(results);
	config_free(config);
	scenario_free(scenario);
	return seconds;
}

#endif
