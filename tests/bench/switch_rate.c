/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a coroutine switch costs: two that do nothing but switch, then a ring
 * of 24, as many as a large machine has CPUs.  The median of five runs. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/coroutine.h"

#define RUNS 5
#define SWITCHES 10000000u
#define MAX_RING 24u

static struct coroutine thread, ring[MAX_RING];
static u32 left, ring_size;

static void pass_on(void *arg)
{
	struct coroutine *self = arg;
	struct coroutine *next = &ring[(self - ring + 1) % ring_size];

	for (;;) {
		if (!left--)
			coroutine_switch(self, &thread);
		coroutine_switch(self, next);
	}
}

static double ns_per_switch(u32 size)
{
	gint64 begin, end;
	u32 i;

	ring_size = size;
	for (i = 0; i < size; i++)
		coroutine_init(&ring[i], pass_on, &ring[i]);
	left = SWITCHES;
	begin = g_get_monotonic_time();
	coroutine_switch(&thread, &ring[0]);
	end = g_get_monotonic_time();
	for (i = 0; i < size; i++)
		coroutine_fini(&ring[i]);
	return (double)(end - begin) * 1e3 / SWITCHES;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(u32 size)
{
	double ns[RUNS];
	u32 i;

	for (i = 0; i < RUNS; i++)
		ns[i] = ns_per_switch(size);
	qsort(ns, RUNS, sizeof(ns[0]), compare_doubles);
	return ns[RUNS / 2];
}

int main(void)
{
	printf("bench switch_rate %.2f ns\n", median(2));
	printf("bench switch_rate_ring %.2f ns\n", median(MAX_RING));
	return EXIT_SUCCESS;
}
