/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU does not wait for: stores in its buffer, lines that are still on
 * their way.  All in absolute times on one CPU, whose every miss takes MISS.
 */
#include "support.h"

#define MISS 70000u		/* local DRAM less L1 */
#define L2 3000u
#define DEPTH 4u		/* of the store buffer */

static struct machine_profile profile;
static struct machine *machine;
static struct cell *cells;

static void build(void)
{
	machine = support_machine(&profile, 1, false);
	cells = cells_new(machine, 0, 64);
	this_cpu = &machine->cpus[0];
}

static void setup(void)
{
	profile = small_profile(1, 2, 1);
	profile.store_buffer = DEPTH;
	build();
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

static void rebuild(void)
{
	teardown();
	build();
}

static void at(ps_t time)
{
	ck_assert_uint_eq(this_cpu->clock, time);
}

static void two_stores(void)
{
	FUNCTION(two_stores);
}

static void load(u32 cell)
{
	FUNCTION(load);		/* of no cost: it counts the uses for LRU */

	READ(&cells[cell], value);
}

static void store(u32 cell)
{
	WRITE(&cells[cell], value, 1);
}

static void atomic(u32 cell)
{
	ATOMIC_INC(&cells[cell], value);
}

static void prefetch(u32 cell)
{
	PREFETCH(&cells[cell], value);
}

/* Makes a line this CPU's own, modified, in L1; then starts time anew. */
static void own(u32 cell)
{
	atomic(cell);
	this_cpu->clock = 0;
}

/* ---- the store buffer ---- */

START_TEST(test_locked_operation_waits_for_stores)
{
	own(1);
	store(0);
	at(0);
	WORK(20);
	atomic(1);
	at(MISS + profile.atomic_ps);
	/* The wait is the doing of the store. */
	ck_assert_uint_eq(sites_of(machine, "store", "value",
				   ACCESS_WRITE).stall_ps, MISS - 20000);
	ck_assert_uint_eq(sites_of(machine, "atomic", "value",
				   ACCESS_ATOMIC).stall_ps,
			  MISS + 2 * profile.atomic_ps);
	/* Drained: the next one waits for nothing. */
	atomic(1);
	at(MISS + 2 * profile.atomic_ps);
}
END_TEST

START_TEST(test_fence_waits_for_stores)
{
	store(0);
	FENCE();
	at(MISS + profile.fence_ps);
	FENCE();
	at(MISS + 2 * profile.fence_ps);
}
END_TEST

START_TEST(test_full_store_buffer)
{
	u32 i;

	for (i = 0; i < DEPTH; i++)
		store(i);
	at(0);			/* their misses overlap */
	store(DEPTH);		/* waits for the first, begins then */
	at(MISS);
	FENCE();
	at(2 * MISS + profile.fence_ps);
}
END_TEST

/* A store that has its line drains behind one that does not. */
START_TEST(test_stores_drain_in_order)
{
	u32 i;

	own(1);
	store(0);
	for (i = 1; i < DEPTH; i++)
		store(1);
	at(0);
	ck_assert_uint_eq(this_cpu->num_stores, DEPTH);
	store(1);
	at(MISS);
	ck_assert_uint_eq(this_cpu->num_stores, 0);
	FENCE();
	at(MISS + profile.fence_ps);
}
END_TEST

START_TEST(test_stores_that_hit_cost_nothing)
{
	u32 i;

	own(0);
	for (i = 0; i < 100; i++)
		store(0);
	FENCE();
	at(profile.fence_ps);
}
END_TEST

/* A function's own stores queue behind a store that misses; they come, all
 * told, half-way through it. */
START_TEST(test_stores_of_functions)
{
	account_set_cost(machine, function_index("two_stores"), 10, 2);
	two_stores();
	at(10000);
	ck_assert_uint_eq(this_cpu->num_stores, 0);
	store(0);
	two_stores();
	at(20000);
	ck_assert_uint_eq(this_cpu->num_stores, 3);
	two_stores();		/* its second one waits for room */
	at(MISS + 15000);
	two_stores();
	at(MISS + 25000);
	ck_assert_uint_eq(this_cpu->num_stores, 0);
}
END_TEST

/* Two busy hyper-threads have half of the buffer each. */
START_TEST(test_siblings_share_the_store_buffer)
{
	u32 i;

	this_cpu->smt_busy = 1;
	for (i = 0; i < DEPTH / 2; i++)
		store(i);
	at(0);
	store(DEPTH);
	at(MISS);
}
END_TEST

/* More stores than the buffer holds, at once: none gets lost. */
START_TEST(test_no_store_is_lost)
{
	profile.store_buffer = 2;
	rebuild();
	account_set_cost(machine, function_index("two_stores"), 0, 2);
	store(0);
	store(1);
	WORK(1);
	store(2);		/* waits for the first; begins then */
	at(MISS);
	ck_assert_uint_eq(this_cpu->num_stores, 1);
	two_stores();		/* one more fits, then all drain at once */
	at(2 * MISS);
	ck_assert_uint_eq(this_cpu->num_stores, 0);
}
END_TEST

/* ---- lines on their way ---- */

START_TEST(test_load_of_a_line_that_is_filling)
{
	store(0);
	WORK(20);
	load(0);
	at(MISS);
	load(0);
	at(MISS);
	ck_assert_uint_eq(sites_of(machine, "load", "value",
				   ACCESS_READ).stall_ps, MISS - 20000);
	store(1);
	WORK(100);
	load(1);		/* long there */
	at(MISS + 100000);
}
END_TEST

START_TEST(test_prefetches_overlap)
{
	u32 i;

	for (i = 0; i < 5; i++)
		prefetch(i);
	at(0);
	WORK(10);
	for (i = 0; i < 5; i++)
		load(i);
	at(MISS);
	prefetch(5);
	prefetch(5);
	WORK(200);
	load(5);
	at(MISS + 200000);
	/* One that is here already starts nothing. */
	prefetch(5);
	load(5);
	at(MISS + 200000);
}
END_TEST

/* A store to a line that was prefetched for itself alone. */
START_TEST(test_store_after_prefetch)
{
	prefetch(0);
	WORK(10);
	store(0);
	at(10000);
	FENCE();
	at(MISS + profile.fence_ps);
}
END_TEST

/* The line is shared: its data are on their way, the right to write is not;
 * the store can drain when it has both. */
START_TEST(test_store_after_shared_prefetch)
{
	ps_t upgrade = load_ps(machine, LEVEL_OTHER_CORE_CLEAN);

	load(0);
	this_cpu = &machine->cpus[1];
	this_cpu->clock = 1000000;
	prefetch(0);
	at(1000000);
	store(0);
	FENCE();
	at(1000000 + upgrade + profile.fence_ps);
}
END_TEST

START_TEST(test_prefetch_from_l2)
{
	load(0);
	load(4);
	load(8);
	this_cpu->clock = 1000000;
	prefetch(0);
	at(1000000);
	load(0);
	at(1000000 + L2);
}
END_TEST

/* Another CPU looks at a line that this one is still fetching: it waits until
 * the line is here, and this one's own load does so too. */
START_TEST(test_filling_line_read_by_another)
{
	ps_t move = load_ps(machine, LEVEL_OTHER_CORE_HITM);

	atomic(0);
	this_cpu = &machine->cpus[1];
	atomic(0);
	this_cpu = &machine->cpus[0];
	this_cpu->clock = 1000000;
	store(0);
	at(1000000);
	this_cpu = &machine->cpus[1];
	this_cpu->clock = 1000000;
	load(0);
	at(1000000 + 2 * move);
	this_cpu = &machine->cpus[0];
	load(0);
	at(1000000 + move);
	verify_lines(machine, cells[0].object.line, 1);
}
END_TEST

/* ---- line fill buffers ---- */

static void copy_lines(void)
{
	FUNCTION(copy_lines);

	COPY(&cells[0], bytes, 0, 4 * LINE_SIZE);
}

static void read_lines(void)
{
	FUNCTION(read_lines);

	READ_BYTES(&cells[8], bytes, 0, 4 * LINE_SIZE);
}

START_TEST(test_copy_overlaps_what_reads_do_not)
{
	read_lines();
	at(4 * MISS);
	this_cpu->clock = 0;
	copy_lines();
	at(MISS);
	/* Each line read once; the prefetches are what missed. */
	ck_assert_uint_eq(hits_of(machine, "copy_lines", "bytes", ACCESS_READ),
			  4);
	ck_assert_uint_eq(sites_of(machine, "copy_lines", "bytes",
				   ACCESS_PREFETCH).level[LEVEL_LOCAL_DRAM], 4);
	copy_lines();
	at(MISS);
}
END_TEST

START_TEST(test_line_fill_buffers_limit_prefetches)
{
	u32 i;

	profile.line_fill_buffers = 2;
	rebuild();
	prefetch(0);
	prefetch(1);
	at(0);
	prefetch(2);		/* waits for a buffer */
	at(MISS);
	load(0);
	load(1);
	at(MISS);
	load(2);
	at(2 * MISS);
	for (i = 3; i < 9; i++)
		prefetch(i);
	at(4 * MISS);
	load(8);
	at(5 * MISS);
}
END_TEST

/* A store waits in the store buffer, not in the pipeline. */
START_TEST(test_line_fill_buffers_limit_stores)
{
	profile.line_fill_buffers = 2;
	rebuild();
	store(0);
	store(1);
	store(2);
	store(3);
	at(0);
	load(0);		/* it is still known when this comes */
	at(MISS);
	load(3);
	at(2 * MISS);
	FENCE();
	at(2 * MISS + profile.fence_ps);
}
END_TEST

/* Buffers come free in the order in which their lines come, not in which they
 * were asked for: short misses go on while a long one is under way. */
START_TEST(test_short_misses_pass_a_long_one)
{
	u32 i;

	profile.line_fill_buffers = 2;
	rebuild();
	for (i = 0; i < 4; i++)
		load(8 + 4 * i);	/* one L1 set, four L2 ways of two */
	this_cpu->clock = 1000000;
	store(1);
	for (i = 0; i < 4; i++)
		load(8 + 4 * i);
	at(1000000 + 4 * L2);
	FENCE();
	at(1000000 + MISS + profile.fence_ps);
}
END_TEST

Suite *suite_overlap(void)
{
	const TTest *const tests[] = {
		test_locked_operation_waits_for_stores,
		test_fence_waits_for_stores,
		test_full_store_buffer,
		test_stores_drain_in_order,
		test_stores_that_hit_cost_nothing,
		test_stores_of_functions,
		test_siblings_share_the_store_buffer,
		test_no_store_is_lost,
		test_load_of_a_line_that_is_filling,
		test_prefetches_overlap,
		test_store_after_prefetch,
		test_store_after_shared_prefetch,
		test_prefetch_from_l2,
		test_copy_overlaps_what_reads_do_not,
		test_filling_line_read_by_another,
		test_line_fill_buffers_limit_prefetches,
		test_line_fill_buffers_limit_stores,
		test_short_misses_pass_a_long_one,
		NULL,
	};

	return support_suite("overlap", tests, setup, teardown);
}
