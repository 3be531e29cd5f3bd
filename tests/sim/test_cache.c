/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one access costs and where it finds its line, by sequences made by hand
 * on a small machine.  Each access starts when all that went before is over,
 * so nothing queues; that is test_contention.c's.
 */
#include "support.h"

enum op {
	OP_READ,
	OP_WRITE,
	OP_ATOMIC,
	OP_PREFETCH
};

static struct machine_profile profile;
static struct machine *machine;
static struct cell *cells;
static ps_t now;

static void build(u32 num_cells)
{
	machine = support_machine(&profile, 1, false);
	cells = cells_new(machine, 0, num_cells);
	now = 0;
}

static void setup(void)
{
	/* CPUs 0 to 3 are the first threads of cores 0 to 3, 4 to 7 the
	 * second ones; cores 0 and 1 are package 0. */
	profile = small_profile(2, 2, 2);
	build(512);
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

static void rebuild(void)
{
	teardown();
	build(512);
}

static void on(u32 cpu)
{
	this_cpu = &machine->cpus[cpu];
	this_cpu->clock = MAX(this_cpu->clock, now);
}

static void access_cell(struct cell *cell, enum op op)
{
	FUNCTION(access_cell);

	switch (op) {
	case OP_READ:
		READ(cell, value);
		break;
	case OP_WRITE:
		WRITE(cell, value, 1);
		break;
	case OP_ATOMIC:
		ATOMIC_INC(cell, value);
		break;
	case OP_PREFETCH:
		PREFETCH(cell, value);
		break;
	}
}

/* All is over: transfers, stores. */
static void settle(void)
{
	now = MAX(this_cpu->clock, this_cpu->stores_drained) + PS_PER_US;
}

/* One access by a CPU: what it adds to its clock. */
static ps_t touch(u32 cpu, u32 cell, enum op op)
{
	ps_t before;

	on(cpu);
	before = this_cpu->clock;
	access_cell(&cells[cell], op);
	before = this_cpu->clock - before;
	settle();
	return before;
}

/* The level that served the accesses between two counts: exactly one. */
static enum level served(const struct site_count *a, const struct site_count *b)
{
	u32 level, found = LEVEL_L1_HIT, n = 0;

	for (level = LEVEL_L2_HIT; level < NUM_LEVEL; level++)
		if (a->level[level] != b->level[level]) {
			found = level;
			n += b->level[level] - a->level[level];
		}
	ck_assert_uint_le(n, 1);
	return found;
}

static enum access_kind kind_of(enum op op)
{
	return op == OP_READ ? ACCESS_READ : op == OP_WRITE ? ACCESS_WRITE :
	       op == OP_ATOMIC ? ACCESS_ATOMIC : ACCESS_PREFETCH;
}

static struct site_count counts(enum op op)
{
	return sites_of(machine, "access_cell", "value", kind_of(op));
}

/* An access takes `ps` and is served by `level`. */
static void expect_ps(u32 cpu, u32 cell, enum op op, enum level level, ps_t ps)
{
	struct site_count before = counts(op), after;
	ps_t took = touch(cpu, cell, op);

	after = counts(op);
	ck_assert_uint_eq(served(&before, &after), level);
	ck_assert_uint_eq(took, ps);
	ck_assert_uint_eq(after.stall_ps - before.stall_ps, ps);
	verify_lines(machine, cells[0].object.line, 512);
}

static void expect_read(u32 cpu, u32 cell, enum level level)
{
	expect_ps(cpu, cell, OP_READ, level, load_ps(machine, level));
}

/* A plain store stalls nobody, whatever it has to fetch. */
static void expect_write(u32 cpu, u32 cell, enum level level)
{
	expect_ps(cpu, cell, OP_WRITE, level, 0);
}

static void expect_atomic(u32 cpu, u32 cell, enum level level, enum level cost)
{
	expect_ps(cpu, cell, OP_ATOMIC, level,
		  load_ps(machine, cost) + profile.atomic_ps);
}

/* ---- levels ---- */

START_TEST(test_own_l1)
{
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_write(0, 0, LEVEL_L1_HIT);
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_atomic(0, 0, LEVEL_L1_HIT, LEVEL_L1_HIT);
	ck_assert_uint_eq(hits_of(machine, "access_cell", "value", ACCESS_READ),
			  3);
}
END_TEST

/* Cells 4 apart are in one L1 set (2 ways), 8 apart in one L2 set (4 ways),
 * 16 apart in one L3 set (8 ways). */
START_TEST(test_own_l2)
{
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	touch(0, 4, OP_READ);
	expect_read(0, 0, LEVEL_L1_HIT);
	touch(0, 8, OP_READ);
	touch(0, 12, OP_READ);
	expect_read(0, 0, LEVEL_L2_HIT);
	expect_read(0, 0, LEVEL_L1_HIT);
}
END_TEST

/* The same for a line that was written: it is still this core's own. */
START_TEST(test_own_l2_modified)
{
	expect_write(0, 0, LEVEL_LOCAL_DRAM);
	touch(0, 4, OP_READ);
	touch(0, 8, OP_READ);
	expect_write(0, 0, LEVEL_L2_HIT);
	touch(0, 4, OP_READ);
	touch(0, 8, OP_READ);
	expect_atomic(0, 0, LEVEL_L2_HIT, LEVEL_L2_HIT);
	expect_read(1, 0, LEVEL_OTHER_CORE_HITM);
}
END_TEST

START_TEST(test_sibling)
{
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(4, 0, LEVEL_SIBLING_HIT);
	expect_read(4, 0, LEVEL_L1_HIT);
	expect_read(0, 0, LEVEL_L1_HIT);
	/* A store takes the right to write from nobody else. */
	expect_write(4, 0, LEVEL_L1_HIT);
	expect_atomic(0, 0, LEVEL_L1_HIT, LEVEL_L1_HIT);
	expect_read(4, 0, LEVEL_L1_HIT);
	expect_write(0, 1, LEVEL_LOCAL_DRAM);
	expect_atomic(4, 1, LEVEL_SIBLING_HIT, LEVEL_SIBLING_HIT);
}
END_TEST

START_TEST(test_l3)
{
	u32 i;

	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	for (i = 1; i <= 4; i++)
		touch(0, 8 * i, OP_READ);
	expect_read(0, 0, LEVEL_L3_HIT);
	expect_read(0, 0, LEVEL_L1_HIT);
}
END_TEST

/* Two cores share it; when both have lost it, L3 still has it. */
START_TEST(test_l3_of_a_shared_line)
{
	u32 i;

	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(1, 0, LEVEL_OTHER_CORE_CLEAN);
	for (i = 1; i <= 4; i++)
		touch(1, 8 * i, OP_READ);
	expect_read(1, 0, LEVEL_L3_HIT);
}
END_TEST

/* What a core wrote and lost is in L3, up to date. */
START_TEST(test_l3_after_write_back)
{
	u32 i;

	touch(0, 0, OP_WRITE);
	for (i = 1; i <= 4; i++)
		touch(0, 8 * i, OP_READ);
	expect_read(1, 0, LEVEL_L3_HIT);
	touch(0, 1, OP_WRITE);
	for (i = 1; i <= 4; i++)
		touch(0, 1 + 8 * i, OP_READ);
	expect_read(2, 1, LEVEL_OTHER_PACKAGE_CLEAN);
}
END_TEST

START_TEST(test_other_core)
{
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(1, 0, LEVEL_OTHER_CORE_CLEAN);
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_write(0, 1, LEVEL_LOCAL_DRAM);
	expect_read(1, 1, LEVEL_OTHER_CORE_HITM);
	expect_read(0, 1, LEVEL_L1_HIT);
	ck_assert_uint_eq(counts(OP_READ).hitm_core, 1);
	ck_assert_uint_eq(counts(OP_READ).hitm_package, 0);
	ck_assert_uint_eq(support_line_total(machine, &cells[1])
				  ->level[LEVEL_OTHER_CORE_HITM], 1);
}
END_TEST

START_TEST(test_other_package)
{
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(2, 0, LEVEL_OTHER_PACKAGE_CLEAN);
	expect_read(3, 0, LEVEL_L3_HIT);
	expect_write(0, 1, LEVEL_LOCAL_DRAM);
	expect_read(2, 1, LEVEL_OTHER_PACKAGE_HITM);
	expect_read(3, 1, LEVEL_L3_HIT);
	expect_read(1, 1, LEVEL_L3_HIT);
	ck_assert_uint_eq(counts(OP_READ).hitm_core, 0);
	ck_assert_uint_eq(counts(OP_READ).hitm_package, 1);
}
END_TEST

START_TEST(test_dram)
{
	struct cell *remote = cells_new(machine, 1, 2);
	struct site_count before = counts(OP_READ), after;
	ps_t at;

	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(2, 1, LEVEL_REMOTE_DRAM);
	on(0);
	at = this_cpu->clock;
	access_cell(&remote[0], OP_READ);
	after = counts(OP_READ);
	ck_assert_uint_eq(this_cpu->clock - at,
			  load_ps(machine, LEVEL_REMOTE_DRAM));
	ck_assert_uint_eq(after.level[LEVEL_REMOTE_DRAM] -
			  before.level[LEVEL_REMOTE_DRAM], 2);
	settle();
	on(2);
	at = this_cpu->clock;
	access_cell(&remote[1], OP_READ);
	ck_assert_uint_eq(this_cpu->clock - at,
			  load_ps(machine, LEVEL_LOCAL_DRAM));
	g_free(remote);
}
END_TEST

/* ---- taking the right to write ---- */

START_TEST(test_invalidation)
{
	u32 line = cells[0].object.line;

	touch(0, 0, OP_READ);
	touch(1, 0, OP_READ);
	/* The copy is here; the wait is for the other core's answer. */
	expect_atomic(0, 0, LEVEL_L1_HIT, LEVEL_OTHER_CORE_CLEAN);
	ck_assert_uint_eq(counts(OP_ATOMIC).invalidations, 1);
	ck_assert_uint_eq(machine->lines[line].owner, 1);
	expect_read(1, 0, LEVEL_OTHER_CORE_HITM);
	touch(2, 0, OP_READ);
	touch(3, 0, OP_READ);
	expect_atomic(1, 0, LEVEL_L1_HIT, LEVEL_OTHER_PACKAGE_CLEAN);
	ck_assert_uint_eq(counts(OP_ATOMIC).invalidations, 4);
	/* Whoever has nothing pays for the farthest of data and answers. */
	touch(0, 0, OP_READ);
	touch(2, 0, OP_READ);
	expect_atomic(3, 0, LEVEL_L3_HIT, LEVEL_OTHER_PACKAGE_CLEAN);
	ck_assert_uint_eq(counts(OP_ATOMIC).invalidations, 7);
	expect_atomic(3, 0, LEVEL_L1_HIT, LEVEL_L1_HIT);
	expect_atomic(0, 0, LEVEL_OTHER_PACKAGE_HITM, LEVEL_OTHER_PACKAGE_HITM);
	expect_atomic(1, 0, LEVEL_OTHER_CORE_HITM, LEVEL_OTHER_CORE_HITM);
}
END_TEST

/* A clean line that nobody else has becomes modified without asking. */
START_TEST(test_exclusive_needs_no_asking)
{
	touch(0, 0, OP_READ);
	expect_atomic(0, 0, LEVEL_L1_HIT, LEVEL_L1_HIT);
	expect_read(1, 0, LEVEL_OTHER_CORE_HITM);
}
END_TEST

/* ---- what is evicted ---- */

START_TEST(test_l1_evicts_the_least_recent)
{
	touch(0, 0, OP_READ);
	touch(0, 4, OP_READ);
	touch(0, 0, OP_READ);
	touch(0, 8, OP_READ);	/* in the place of cell 4 */
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_read(0, 8, LEVEL_L1_HIT);
	expect_read(0, 4, LEVEL_L2_HIT);
}
END_TEST

/* A use by the other hyper-thread keeps a line as well. */
START_TEST(test_l1_is_shared_by_siblings)
{
	touch(0, 0, OP_READ);
	touch(0, 4, OP_READ);
	touch(4, 0, OP_READ);
	touch(4, 8, OP_READ);
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_read(0, 4, LEVEL_L2_HIT);
}
END_TEST

START_TEST(test_l2_evicts_the_least_recent)
{
	u32 i;

	for (i = 0; i < 4; i++)
		touch(0, 8 * i, OP_READ);
	touch(0, 0, OP_READ);	/* from L2: a use of it */
	touch(0, 32, OP_READ);	/* in the place of cell 8 */
	expect_read(0, 16, LEVEL_L2_HIT);
	expect_read(0, 24, LEVEL_L2_HIT);
	expect_read(0, 0, LEVEL_L2_HIT);
	expect_read(0, 8, LEVEL_L3_HIT);
}
END_TEST

/* L2 includes L1: what leaves the one leaves the other, used or not. */
START_TEST(test_l2_includes_l1)
{
	u32 i;

	touch(0, 0, OP_READ);
	for (i = 1; i <= 4; i++) {
		touch(0, 0, OP_READ);
		touch(0, 8 * i, OP_READ);
	}
	expect_read(0, 0, LEVEL_L3_HIT);
}
END_TEST

/* The other core streams through one L3 set. */
START_TEST(test_l3_includes_its_cores)
{
	u32 i;

	touch(0, 0, OP_READ);
	for (i = 1; i <= 7; i++)
		touch(1, 16 * i, OP_READ);
	expect_read(0, 0, LEVEL_L1_HIT);
	touch(1, 16 * 8, OP_READ);
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	/* Other package's caches do not care. */
	touch(2, 0, OP_READ);
	for (i = 9; i <= 16; i++)
		touch(1, 16 * i, OP_READ);
	expect_read(2, 0, LEVEL_L1_HIT);
	expect_read(0, 0, LEVEL_OTHER_PACKAGE_CLEAN);
}
END_TEST

START_TEST(test_without_l3)
{
	u32 i;

	profile.l3.size = 0;
	rebuild();
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(1, 0, LEVEL_OTHER_CORE_CLEAN);
	expect_read(2, 0, LEVEL_OTHER_PACKAGE_CLEAN);
	expect_read(3, 0, LEVEL_OTHER_CORE_CLEAN);
	for (i = 1; i <= 4; i++)
		touch(0, 8 * i, OP_READ);
	expect_read(0, 0, LEVEL_OTHER_CORE_CLEAN);
	touch(0, 1, OP_WRITE);
	for (i = 1; i <= 4; i++)
		touch(0, 1 + 8 * i, OP_READ);
	expect_read(0, 1, LEVEL_LOCAL_DRAM);
}
END_TEST

/* Puts everything but these two lines into the caches of package 0. */
static void flush(u32 num_cells)
{
	u32 i;

	for (i = 2; i < num_cells; i++)
		touch(0, i, OP_READ);
}

START_TEST(test_adjacent_line_prefetch)
{
	struct site_count before;

	touch(0, 0, OP_READ);
	touch(0, 1, OP_READ);
	flush(512);
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(0, 1, LEVEL_LOCAL_DRAM);

	profile.adjacent_line_prefetch = true;
	rebuild();
	touch(0, 0, OP_READ);
	touch(0, 1, OP_READ);
	flush(512);
	before = counts(OP_READ);
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(0, 1, LEVEL_L2_HIT);
	ck_assert_uint_eq(counts(OP_READ).level[LEVEL_LOCAL_DRAM],
			  before.level[LEVEL_LOCAL_DRAM] + 1);
	/* The other way round, and not one that another core owns. */
	flush(512);
	expect_read(0, 1, LEVEL_LOCAL_DRAM);
	expect_read(0, 0, LEVEL_L2_HIT);
	flush(512);
	touch(1, 1, OP_WRITE);
	expect_read(0, 0, LEVEL_LOCAL_DRAM);
	expect_read(0, 1, LEVEL_OTHER_CORE_HITM);
}
END_TEST

/* ---- the tick of the last use does not overflow ---- */

START_TEST(test_renewed_ticks_keep_the_order)
{
	struct core *core = &machine->cores[0];

	core->tick = WORD_TICK - 5;
	touch(0, 0, OP_READ);
	touch(0, 4, OP_READ);
	touch(0, 1, OP_WRITE);
	touch(0, 0, OP_READ);
	ck_assert_uint_ge(core->tick, WORD_TICK - 1);
	touch(0, 5, OP_READ);
	ck_assert_uint_lt(core->tick, 100);
	ck_assert_uint_gt(core->tick, 1);
	verify_lines(machine, cells[0].object.line, 16);
	touch(0, 8, OP_READ);	/* in the place of 4 */
	touch(0, 9, OP_READ);	/* in the place of 1 */
	expect_read(0, 0, LEVEL_L1_HIT);
	expect_read(0, 5, LEVEL_L1_HIT);
	expect_read(0, 4, LEVEL_L2_HIT);
	expect_read(0, 1, LEVEL_L2_HIT);
	/* States survived too: the line that was written is modified. */
	expect_read(1, 1, LEVEL_OTHER_CORE_HITM);
}
END_TEST

Suite *suite_cache(void)
{
	const TTest *const tests[] = {
		test_own_l1,
		test_own_l2,
		test_own_l2_modified,
		test_sibling,
		test_l3,
		test_l3_of_a_shared_line,
		test_l3_after_write_back,
		test_other_core,
		test_other_package,
		test_dram,
		test_invalidation,
		test_exclusive_needs_no_asking,
		test_l1_evicts_the_least_recent,
		test_l1_is_shared_by_siblings,
		test_l2_evicts_the_least_recent,
		test_l2_includes_l1,
		test_l3_includes_its_cores,
		test_without_l3,
		test_adjacent_line_prefetch,
		test_renewed_ticks_keep_the_order,
		NULL,
	};

	return support_suite("cache", tests, setup, teardown);
}
