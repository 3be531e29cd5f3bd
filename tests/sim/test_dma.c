/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What devices do to the caches, and what a write to a device costs. */
#include "sim/dma.h"
#include "support.h"

static struct machine_profile profile;
static struct machine *machine;
static struct cell *cells;
static struct dma dma;
static ps_t now;

static void setup(void)
{
	/* CPUs 0 and 1 are in package 0, 2 and 3 in package 1. */
	profile = roomy_profile(2, 2, 1);
	machine = support_machine(&profile, 1, false);
	cells = cells_new(machine, 0, 8);
	dma = (struct dma){ .machine = machine };
	this_cpu = &machine->cpus[0];
	now = 0;
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

/* All that went before is over. */
static void settle(u32 cpu)
{
	now = MAX(now, MAX(this_cpu->clock, this_cpu->stores_drained)) +
	      PS_PER_US;
	this_cpu = &machine->cpus[cpu];
	this_cpu->clock = now;
}

/* What a load of a cell adds to a CPU's clock. */
static ps_t load(u32 cpu, u32 cell)
{
	FUNCTION(dma_load);
	ps_t before;

	settle(cpu);
	before = this_cpu->clock;
	(void)READ(&cells[cell], value);
	before = this_cpu->clock - before;
	verify_lines(machine, cells[0].object.line, 8);
	return before;
}

static void store(u32 cpu, u32 cell)
{
	FUNCTION(dma_store);

	settle(cpu);
	WRITE(&cells[cell], value, 1);
	settle(cpu);
}

static void device_writes(u32 first, u32 n)
{
	dma_write(&dma, object_address(&cells[first].object), n * LINE_SIZE);
	verify_lines(machine, cells[0].object.line, 8);
}

#define EXPECT_LOAD(cpu, cell, level) \
	ck_assert_uint_eq(load(cpu, cell), load_ps(machine, level))

START_TEST(test_writes_end_all_copies)
{
	store(0, 0);
	EXPECT_LOAD(0, 0, LEVEL_L1_HIT);
	device_writes(0, 1);
	EXPECT_LOAD(0, 0, LEVEL_LOCAL_DRAM);
	EXPECT_LOAD(0, 0, LEVEL_L1_HIT);
	EXPECT_LOAD(1, 0, LEVEL_OTHER_CORE_CLEAN);
	EXPECT_LOAD(2, 0, LEVEL_OTHER_PACKAGE_CLEAN);
	device_writes(0, 1);
	EXPECT_LOAD(2, 0, LEVEL_REMOTE_DRAM);
	EXPECT_LOAD(1, 0, LEVEL_OTHER_PACKAGE_CLEAN);
	store(1, 1);
	store(2, 1);
	device_writes(1, 1);
	EXPECT_LOAD(1, 1, LEVEL_LOCAL_DRAM);
}
END_TEST

START_TEST(test_direct_writes_go_to_the_l3_of_the_device)
{
	dma.direct = true;
	store(0, 0);
	device_writes(0, 1);
	EXPECT_LOAD(0, 0, LEVEL_L3_HIT);
	dma.package = 1;
	device_writes(0, 1);
	EXPECT_LOAD(0, 0, LEVEL_OTHER_PACKAGE_CLEAN);
	EXPECT_LOAD(0, 0, LEVEL_L1_HIT);
	device_writes(0, 1);
	EXPECT_LOAD(2, 0, LEVEL_L3_HIT);
	/* A line that no CPU has touched before. */
	device_writes(1, 1);
	EXPECT_LOAD(1, 1, LEVEL_OTHER_PACKAGE_CLEAN);
	device_writes(2, 1);
	EXPECT_LOAD(3, 2, LEVEL_L3_HIT);
}
END_TEST

START_TEST(test_each_line_is_written)
{
	u32 i;

	for (i = 0; i < 4; i++)
		store(0, i);
	/* The last byte of the first line to the first one of the third. */
	dma_write(&dma, object_address(&cells[0].object) + LINE_SIZE - 1,
		  LINE_SIZE + 2);
	ck_assert_uint_eq(dma.counters.written_lines, 3);
	for (i = 0; i < 3; i++)
		EXPECT_LOAD(0, i, LEVEL_LOCAL_DRAM);
	EXPECT_LOAD(0, 3, LEVEL_L1_HIT);
}
END_TEST

START_TEST(test_reads_leave_all_as_it_is)
{
	store(0, 0);
	dma_read(&dma, object_address(&cells[0].object), 2 * LINE_SIZE);
	ck_assert_uint_eq(dma.counters.read_lines, 2);
	ck_assert_uint_eq(dma.counters.read_cached, 1);
	EXPECT_LOAD(0, 0, LEVEL_L1_HIT);
	EXPECT_LOAD(1, 0, LEVEL_OTHER_CORE_HITM);
}
END_TEST

/* A store that misses keeps the write to the device waiting. */
START_TEST(test_register_writes_wait_for_stores)
{
	FUNCTION(dma_register);
	ps_t before;

	settle(0);
	before = this_cpu->clock;
	mmio_write(7000);
	ck_assert_uint_eq(this_cpu->clock - before, 7000);
	before = this_cpu->clock;
	WRITE(&cells[5], value, 1);
	ck_assert_uint_eq(this_cpu->clock, before);
	mmio_write(7000);
	ck_assert_uint_eq(this_cpu->clock - before, 7000 +
			  load_ps(machine, LEVEL_LOCAL_DRAM));
}
END_TEST

Suite *suite_dma(void)
{
	const TTest *const tests[] = {
		test_writes_end_all_copies,
		test_direct_writes_go_to_the_l3_of_the_device,
		test_each_line_is_written,
		test_reads_leave_all_as_it_is,
		test_register_writes_wait_for_stores,
		NULL,
	};

	return support_suite("dma", tests, setup, teardown);
}
