/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated transactions a second of udp-rr's two hosts, both of them and the
 * link between counted, on one host thread; beside the datagrams a second of a
 * network simulator that models neither caches nor CPUs.  A transaction is two
 * datagrams.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scenarios/run.h"

#define ROUNDS 3
/* ns-3.37 as Debian packs it, UDP over IPv6 between two nodes joined by a
 * point-to-point link; measured on a machine of another kind. */
#define NS3_DATAGRAMS_PER_S 219000.0

struct rate {
	double transactions, seconds;
};

static struct rate run_once(u64 den, const char *scale)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = scenario_find("udp-rr", &error);
	struct scenario *scenario = path ? scenario_load(path, &error) : NULL;
	struct config *config = scenario ?
		scenario_resolve(scenario, 1, 0, NULL, &error) : NULL;
	struct run_options options = {
		.scale_num = 1, .scale_den = den, .scale_text = (char *)scale,
	};
	struct results *results = config ?
		run_config(scenario, config, &options, NULL, &error) : NULL;
	struct rate rate;

	if (!results) {
		fprintf(stderr, "bench: %s\n", error->message);
		exit(1);
	}
	rate.transactions = (double)results->operations;
	rate.seconds = (double)results->host_usec / 1e6;
	results_free(results);
	config_free(config);
	scenario_free(scenario);
	return rate;
}

/* What a long run does beyond a short one: set-up does not count. */
static double one_round(void)
{
	const struct rate less = run_once(20, "0.05");
	const struct rate more = run_once(1, "1");

	return (more.transactions - less.transactions) /
	       (more.seconds - less.seconds);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(void)
{
	double rates[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++)
		rates[i] = one_round();
	qsort(rates, ROUNDS, sizeof(rates[0]), compare);
	printf("bench transaction_rate %.0f transactions/s\n",
	       rates[ROUNDS / 2]);
	printf("bench transaction_rate_ns3_datagrams %.0f datagrams/s\n",
	       NS3_DATAGRAMS_PER_S);
	printf("bench transaction_ratio_ns3 %.3f ratio\n",
	       2 * rates[ROUNDS / 2] / NS3_DATAGRAMS_PER_S);
	return 0;
}
