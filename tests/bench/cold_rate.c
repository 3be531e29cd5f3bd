/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many accesses a second miss the core's own caches: one CPU goes round a
 * set of lines that fits into L3 only, as a queue of objects that wait for
 * their memory does.  Half of them are read, half are written.
 */
#include <stdio.h>

#include "bench.h"

#define STRUCT_NAME(p) _Generic((p), struct record *: "record")

#include "sim/access.h"

#define NUM_RECORDS (100u << 10)	/* 6.4 MB */
#define ROUNDS 10u

struct record {
	struct object object;
	u64 value;
};

static struct object_type record_type;
static double begin;

static void touch(struct record *r)
{
	FUNCTION(touch);

	WRITE(r, value, READ(r + 1, value) + 1);
}

static void rounds(void *arg)
{
	struct record *records = arg;
	u32 i, j;

	for (i = 0; i < ROUNDS + 1; i++) {
		if (i == 1)	/* the first fills the caches */
			begin = cpu_seconds();
		for (j = 0; j < NUM_RECORDS; j += 2)
			touch(records + j);
	}
}

static struct record *records_new(struct machine *machine)
{
	struct record *records = g_new0(struct record, NUM_RECORDS);
	u64 page = 0;
	u32 i;

	for (i = 0; i < NUM_RECORDS; i++) {
		if (i % LINES_PER_PAGE == 0)
			page = machine_alloc_pages(machine, 0, 0);
		object_init(&records[i].object, &record_type,
			    page + i % LINES_PER_PAGE * LINE_SIZE);
	}
	return records;
}

/* Accesses a second of host time. */
static double run(void)
{
	struct machine_profile profile = {
		.packages = 1,
		.cores = 12,
		.threads = 1,
		.clock_khz = 2500000,
		.node_bytes = 1ull << 30,
		.cpi_milli = 1000,
		.smt_milli = 1500,
		.l1d = { 32 << 10, 8 },
		.l2 = { 256 << 10, 8 },
		.l3 = { 30 << 20, 20 },
		.line_fill_buffers = 10,
		.latency = { 1600, 4800, 1800, 20000, 25000, 40000, 70000,
			     80000, 90000, 130000 },
		.store_buffer = 42,
		.atomic_ps = 7000,
		.fence_ps = 10000,
	};
	struct machine *machine = machine_new(&profile, 1, false);
	struct record *records = records_new(machine);
	struct context *context = context_new(machine->cpus, "rounds", rounds,
					      records);
	u64 misses = 0;
	double end;
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		account_set_cost(machine, i, 50, 5);
	g_assert_true(machine_run(machine));
	end = cpu_seconds();
	for (i = 0; i < num_access_sites(); i++)
		misses += machine->account.sites[i].level[LEVEL_L3_HIT];
	g_assert_cmpuint(misses, ==, ROUNDS * NUM_RECORDS);
	context_free(context);
	machine_free(machine);
	g_free(records);
	return (double)ROUNDS * NUM_RECORDS / (end - begin);
}

int main(void)
{
	double rates[RUNS];
	u32 i;

	object_type_init(&record_type, "record", sizeof(struct record),
			 LINE_SIZE);
	object_type_place(&record_type, offsetof(struct record, value), 8, 0);
	for (i = 0; i < RUNS; i++)
		rates[i] = run();
	printf("bench cold_rate %.0f accesses/s\n", median(rates));
	object_type_fini(&record_type);
	return EXIT_SUCCESS;
}
