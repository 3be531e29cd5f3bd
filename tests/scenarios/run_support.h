/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios that a test has as a text, run in its own process. */
#ifndef TESTS_SCENARIOS_RUN_SUPPORT_H
#define TESTS_SCENARIOS_RUN_SUPPORT_H

#include "scenarios/run.h"

/* Settings such as "workload.count=5", as the vector that the others take. */
#define SETS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* What to run: one variant of a text, with settings, at 1/den of its size
 * (0: the whole).  `stop`: as SIGINT sets it; NULL: nobody does. */
struct try {
	const char *text;
	const char *const *sets;
	u32 variant;
	u64 den;
	atomic_int *stop;
};

/* Its results; NULL and an error. */
struct results *try_scenario(const struct try *try, GError **error);
/* The same, where it must go well. */
struct results *run_scenario(const struct try *try);

/* A figure of the results, which must be there. */
double metric(const struct results *results, const char *name);

#endif
