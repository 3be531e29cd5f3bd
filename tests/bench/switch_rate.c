/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a coroutine switch costs: two that do nothing but switch, then a ring
 * of 24, as many as a large machine has CPUs. */
#include <stdio.h>

#include "bench.h"
#include "sim/coroutine.h"

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
	double begin, end;
	u32 i;

	ring_size = size;
	for (i = 0; i < size; i++)
		coroutine_init(&ring[i], pass_on, &ring[i]);
	left = SWITCHES;
	begin = cpu_seconds();
	coroutine_switch(&thread, &ring[0]);
	end = cpu_seconds();
	for (i = 0; i < size; i++)
		coroutine_fini(&ring[i]);
	return (end - begin) * 1e9 / SWITCHES;
}

static double typical(u32 size)
{
	double ns[RUNS];
	u32 i;

	for (i = 0; i < RUNS; i++)
		ns[i] = ns_per_switch(size);
	return median(ns);
}

int main(void)
{
	printf("bench switch_rate %.2f ns\n", typical(2));
	printf("bench switch_rate_ring %.2f ns\n", typical(MAX_RING));
	return EXIT_SUCCESS;
}
