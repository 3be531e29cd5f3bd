/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU each thread of a workload runs on.
 *
 * Without [workload] cpus, the threads go where Linux's load balancer spreads
 * busy tasks: over packages first, then over the cores of each, and onto
 * second hyper-threads only when every core has one.  What is left when every
 * CPU has one goes the same way again: those on one CPU share it by turns.
 */
#include <stdlib.h>
#include <string.h>

#include "scenarios/run.h"

static void spread(const struct machine_profile *profile, u32 *cpus)
{
	u32 cores = profile->packages * profile->cores, n = 0, thread, core, p;

	for (thread = 0; thread < profile->threads; thread++)
		for (core = 0; core < profile->cores; core++)
			for (p = 0; p < profile->packages; p++)
				cpus[n++] = thread * cores +
					    p * profile->cores + core;
}

bool cpus_parse(const char *text, u32 limit, u32 *cpus, u32 *n)
{
	*n = 0;
	while (*text) {
		char *end;
		unsigned long from, to;

		if (!g_ascii_isdigit(*text))
			return false;
		from = to = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!g_ascii_isdigit(end[1]))
				return false;
			to = strtoul(end + 1, &end, 10);
		}
		if (from > to || to >= limit || *n + (to - from) >= limit)
			return false;
		for (; from <= to; from++)
			cpus[(*n)++] = (u32)from;
		if (*end && *end != ',')
			return false;
		text = *end ? end + 1 : end;
	}
	return *n > 0;
}

u32 *place_threads(const struct machine_profile *profile, const char *key,
		   const char *cpus, u32 threads, GError **error)
{
	u32 limit = profile->packages * profile->cores * profile->threads;
	g_autofree u32 *list = g_new0(u32, limit + 1);
	u32 n = limit, i, j, *placed;

	if (!cpus) {
		spread(profile, list);
	} else if (!cpus_parse(cpus, limit, list, &n)) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "workload.%s = %s: must be a list such as "
			    "0-2,5 of CPUs from 0 to %u (%s)", key, cpus,
			    limit - 1, profile->name);
		return NULL;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (list[i] == list[j]) {
				g_set_error(error, SCENARIO_ERROR,
					    SCENARIO_ERROR_VALUE,
					    "workload.%s = %s: CPU %u stands "
					    "twice", key, cpus, list[i]);
				return NULL;
			}
	placed = g_new(u32, MAX(threads, 1));	/* a host may have none */
	for (i = 0; i < threads; i++)
		placed[i] = list[i % n];
	return placed;
}
