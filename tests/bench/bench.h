/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the benchmarks of the engine room measure: the processor's time of this
 * process, so that other work on the computer disturbs little, and the median
 * of five runs.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <glib.h>
#include <stdlib.h>
#include <time.h>

#define RUNS 5

static inline double cpu_seconds(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		g_error("no clock of the process's time");
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline double median(double values[RUNS])
{
	qsort(values, RUNS, sizeof(values[0]), compare_doubles);
	return values[RUNS / 2];
}

#endif
