/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated loops of socket(), bind() and close() a second, beside what this
 * computer's own kernel does on the same loop in the same run.
 */
#include "tests/bench/churn.h"
#include "tests/bench/native_churn.h"

#define ROUNDS 5
#define SHORT 50000
#define LOOPS 400000	/* a long run less a short one: no set-up */
#define NATIVE_LOOPS 200000

static double simulated_rate(void)
{
	double less = churn_seconds(SHORT, 0);

	return (LOOPS - SHORT) / (churn_seconds(LOOPS, 0) - less);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double median(double values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof(values[0]), compare);
	return values[ROUNDS / 2];
}

int main(void)
{
	double simulated[ROUNDS], native[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		simulated[i] = simulated_rate();
		native[i] = native_churn_rate(NATIVE_LOOPS);
	}
	printf("bench churn_rate %.0f loops/s\n", median(simulated));
	printf("bench churn_native %.0f loops/s\n", median(native));
	printf("bench churn_ratio_native %.3f ratio\n",
	       simulated[ROUNDS / 2] / native[ROUNDS / 2]);
	return 0;
}
