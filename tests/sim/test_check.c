/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks find each fault that they are for, find nothing where there is
 * none, and change no result.
 */
#include <string.h>

#include "sim/check.h"
#include "support.h"

static struct machine_profile profile;
static struct machine *machine;
static struct cell *cells;

static void setup(void)
{
	profile = small_profile(1, 4, 1);
	machine = support_machine(&profile, 1, true);
	cells = cells_new(machine, 0, 8);
	cells[0].semaphore.count = 1;
	cells[1].semaphore.count = 0;
	share(machine, cells, 8);
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

static const char *const *findings(void)
{
	return check_findings(machine->check);
}

/* Exactly this one. */
static void expect(const char *text)
{
	ck_assert_pstr_eq(findings()[0], text);
	if (text)
		ck_assert_pstr_eq(findings()[1], NULL);
}

static void expect_nothing(void)
{
	expect(NULL);
}

/* ---- lifetime ---- */

static void use_cell(void *arg)
{
	READ((struct cell *)arg, value);
	WRITE((struct cell *)arg, other, 1);
}

static void free_cell(struct cell *cell, bool typesafe)
{
	check_object_free(machine, &cell->object, typesafe);
}

START_TEST(test_use_after_free)
{
	free_cell(&cells[0], false);
	start(machine, 0, use_cell, &cells[0]);
	run(machine);
	ck_assert_str_eq(findings()[0],
			 "cell: use after free of value in use_cell");
	ck_assert_str_eq(findings()[1],
			 "cell: use after free of other in use_cell");
	ck_assert_ptr_null(findings()[2]);
}
END_TEST

START_TEST(test_use_of_a_typesafe_object)
{
	free_cell(&cells[0], true);
	start(machine, 0, use_cell, &cells[0]);
	run(machine);
	expect_nothing();
}
END_TEST

static void live_and_die(void *arg)
{
	struct cell *cell = arg;

	cell_init(cell, cell->object.line);
	check_object_alloc(machine, &cell->object, sizeof(*cell));
	use_cell(cell);
	free_cell(cell, false);
}

static void die_twice(void *arg)
{
	live_and_die(arg);
	free_cell(arg, false);
}

START_TEST(test_double_free)
{
	start(machine, 0, die_twice, &cells[0]);
	run(machine);
	expect("cell: freed twice");
}
END_TEST

static void live(void *arg)
{
	struct cell *cell = arg;

	cell_init(cell, cell->object.line);
	check_object_alloc(machine, &cell->object, sizeof(*cell));
}

START_TEST(test_leak)
{
	check_object_alloc(machine, &cells[0].object,
			   sizeof(cells[0]));	/* before the run */
	start(machine, 0, live_and_die, &cells[1]);
	start(machine, 0, live, &cells[2]);
	start(machine, 1, live_and_die, &cells[3]);
	run(machine);
	expect_nothing();
	check_leaks(machine);
	expect("cell: leaked (never freed)");
}
END_TEST

START_TEST(test_no_leak)
{
	check_object_alloc(machine, &cells[0].object,
			   sizeof(cells[0]));
	start(machine, 0, live_and_die, &cells[1]);
	run(machine);
	check_leaks(machine);
	expect_nothing();
}
END_TEST

START_TEST(test_refcount)
{
	check_refcount(machine, &cells[0].object, "value", 1);
	check_refcount(machine, &cells[0].object, "value", 0);
	expect_nothing();
	check_refcount(machine, &cells[0].object, "value", -1);
	expect("cell.value: one reference too many was put");
}
END_TEST

/* One text once, and what comes later behind what came before. */
START_TEST(test_findings_in_order_and_once)
{
	u32 i;

	for (i = 0; i < 3; i++)
		check_refcount(machine, &cells[0].object, "value", -1);
	expect("cell.value: one reference too many was put");
	check_refcount(machine, &cells[1].object, "other", -1);
	check_refcount(machine, &cells[2].object, "value", -1);
	ck_assert_str_eq(findings()[0],
			 "cell.value: one reference too many was put");
	ck_assert_str_eq(findings()[1],
			 "cell.other: one reference too many was put");
	ck_assert_ptr_null(findings()[2]);
}
END_TEST

/* ---- locks ---- */

static void outer_then_inner(void *arg)
{
	(void)arg;
	SPIN_LOCK(&cells[0], lock);
	SPIN_LOCK(&cells[0], inner);
	SPIN_UNLOCK(&cells[0], inner);
	SPIN_UNLOCK(&cells[0], lock);
}

static void inner_then_outer(void *arg)
{
	(void)arg;
	WORK(5000);		/* long after: there is no deadlock this time */
	SPIN_LOCK(&cells[0], inner);
	SPIN_LOCK(&cells[0], lock);
	SPIN_UNLOCK(&cells[0], lock);
	SPIN_UNLOCK(&cells[0], inner);
}

START_TEST(test_lock_order)
{
	start(machine, 0, outer_then_inner, NULL);
	start(machine, 1, inner_then_outer, NULL);
	run(machine);
	expect("lock order: inner_then_outer takes cell.lock in the opposite "
	       "order");
}
END_TEST

static void one_after_the_other(void *arg)
{
	u32 first = arg != NULL;

	SPIN_LOCK(&cells[first], lock);
	SPIN_LOCK(&cells[!first], lock);	/* of one class */
	SPIN_UNLOCK(&cells[!first], lock);
	SPIN_UNLOCK(&cells[first], lock);
	SPIN_LOCK(&cells[0], inner);
	SPIN_UNLOCK(&cells[0], inner);
	SPIN_LOCK(&cells[0], lock);
	SPIN_UNLOCK(&cells[0], lock);
}

START_TEST(test_lock_order_is_kept)
{
	start(machine, 0, outer_then_inner, NULL);
	start(machine, 1, outer_then_inner, NULL);
	start(machine, 2, one_after_the_other, NULL);
	run(machine);
	start(machine, 3, one_after_the_other, machine);
	run(machine);
	expect_nothing();
}
END_TEST

static void sleep_with_mutex(void *arg)
{
	(void)arg;
	MUTEX_LOCK(&cells[0], mutex);
	DOWN(&cells[1], semaphore);	/* until the other one lets it go on */
	MUTEX_UNLOCK(&cells[0], mutex);
}

static void take_other_mutex(void *arg)
{
	(void)arg;
	MUTEX_LOCK(&cells[0], mutex2);
	UP(&cells[1], semaphore);
	MUTEX_LOCK(&cells[0], mutex);
	MUTEX_UNLOCK(&cells[0], mutex);
	MUTEX_UNLOCK(&cells[0], mutex2);
}

/* Two tasks of one CPU: what one holds while it sleeps, the other does not. */
START_TEST(test_what_a_sleeper_holds)
{
	start(machine, 0, sleep_with_mutex, NULL);
	start(machine, 0, take_other_mutex, NULL);
	run(machine);
	expect_nothing();
}
END_TEST

static void take_twice(void *arg)
{
	(void)arg;
	SPIN_LOCK(&cells[0], lock);
	SPIN_LOCK(&cells[0], lock);
}

START_TEST(test_deadlock_with_oneself)
{
	start(machine, 0, take_twice, NULL);
	ck_assert(!machine_run(machine));
	expect("deadlock: take_twice takes cell.lock, which it holds");
}
END_TEST

static void sleep_under_spin_lock(void *arg)
{
	(void)arg;
	SPIN_LOCK(&cells[0], lock);
	MUTEX_LOCK(&cells[0], mutex);	/* free: but it might not be */
	MUTEX_UNLOCK(&cells[0], mutex);
	SPIN_UNLOCK(&cells[0], lock);
}

static void block_under_rwlock(void *arg)
{
	(void)arg;
	READ_LOCK(&cells[0], rwlock);
	DOWN(&cells[0], semaphore);
	READ_UNLOCK(&cells[0], rwlock);
	UP(&cells[0], semaphore);
}

static void count_under_spin_lock(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < 500; i++) {
		SPIN_LOCK(&cells[0], lock);
		UPDATE(&cells[1], value, += 1);
		this_cpu->clock += i * (7 + this_cpu->id) % 200 * PS_PER_NS;
		SPIN_UNLOCK(&cells[0], lock);
		this_cpu->clock += i * (3 + this_cpu->id) % 600 * PS_PER_NS;
	}
}

/* What a lock's owner has done is known to who has spun for it, too. */
START_TEST(test_contended_lock_orders)
{
	u32 i;

	for (i = 0; i < 4; i++)
		start(machine, i, count_under_spin_lock, NULL);
	run(machine);
	ck_assert_uint_eq(cells[1].value, 2000);
	expect_nothing();
}
END_TEST

START_TEST(test_sleep_under_spin_lock)
{
	start(machine, 0, sleep_under_spin_lock, NULL);
	run(machine);
	expect("test: sleeps while it holds a spin lock");
}
END_TEST

START_TEST(test_sleep_under_rwlock)
{
	start(machine, 0, block_under_rwlock, NULL);
	run(machine);
	expect("test: sleeps while it holds a spin lock");
}
END_TEST

/* ---- the model itself ---- */

static void plain_write(void)
{
	WRITE(&cells[0], value, 1);
}

START_TEST(test_broken_coherence_is_found)
{
	u32 line = cells[0].object.line;
	struct line *l = &machine->lines[line];

	this_cpu = &machine->cpus[0];
	plain_write();
	machine->cpus[1].words[line] = WORD(WORD_OWNED_ORDERED) | 1;
	plain_write();
	expect("coherence: a CPU's L1 holds a line that its core does not");
	line_hold(machine, l, 2);
	ck_assert_ptr_nonnull(cache_verify_line(machine, line));
	l->owner = 0;
	ck_assert_ptr_nonnull(cache_verify_line(machine, line));
	line_unhold(machine, l, 2);
	l->owner = 1;
	machine->cpus[1].words[line] = 0;
	ck_assert_ptr_null(cache_verify_line(machine, line));
}
END_TEST

/* ---- the same result with and without ---- */

static struct cell *mix_cells;

static void mix(void)
{
	FUNCTION(mix);
}

static void mixed_load(void *arg)
{
	struct random_stream stream;
	u32 i;

	(void)arg;
	random_seed(&stream, 23, "mix", this_cpu->id);
	for (i = 0; i < 1500; i++) {
		struct cell *own = &mix_cells[8 + this_cpu->id];
		struct cell *common = &mix_cells[random_below(&stream, 6)];

		mix();
		switch (random_below(&stream, 6)) {
		case 0:
			SPIN_LOCK(&mix_cells[6], lock);
			UPDATE(&mix_cells[7], value, += 1);
			SPIN_UNLOCK(&mix_cells[6], lock);
			break;
		case 1:
			ATOMIC_INC(common, value);
			break;
		case 2:
			UPDATE(own, value, += 1);
			break;
		case 3:
			PREFETCH(common, value);
			WRITE_ONCE(common, value, 1);
			break;
		case 4:
			MUTEX_LOCK(&mix_cells[6], mutex);
			UPDATE(&mix_cells[7], other, += 1);
			MUTEX_UNLOCK(&mix_cells[6], mutex);
			break;
		default:
			READ_ONCE(common, value);
			ATOMIC_INC(own, other);
			break;
		}
	}
}

struct outcome {
	ps_t clocks[8];
	u64 levels[NUM_LEVEL];
	ps_t stall;
	struct lock_count locks;
};

static void run_mixed(bool check, struct outcome *o)
{
	struct machine_profile p = small_profile(2, 2, 2);
	struct machine *m = support_machine(&p, 1, check);
	struct site_count sites;
	u32 i;

	account_set_cost(m, function_index("mix"), 40, 3);
	mix_cells = cells_new(m, 0, 16);
	for (i = 0; i < 8; i++)
		start(m, i, mixed_load, NULL);
	run(m);
	if (check)
		ck_assert_pstr_eq(check_findings(m->check)[0], NULL);
	memset(o, 0, sizeof(*o));
	for (i = 0; i < 8; i++)
		o->clocks[i] = m->cpus[i].clock;
	sites = sites_of(m, "mixed_load", NULL, NUM_ACCESS_KINDS);
	memcpy(o->levels, sites.level, sizeof(o->levels));
	o->levels[LEVEL_L1_HIT] = hits_of(m, "mixed_load", NULL,
					  NUM_ACCESS_KINDS);
	o->stall = sites.stall_ps;
	o->locks = locks_of(m, "mixed_load", NULL);
	g_free(mix_cells);
	support_machine_free(m);
}

START_TEST(test_checks_change_nothing)
{
	struct outcome with, without;
	u32 i;

	run_mixed(false, &without);
	run_mixed(true, &with);
	for (i = 0; i < 8; i++)
		ck_assert_uint_eq(with.clocks[i], without.clocks[i]);
	for (i = 0; i < NUM_LEVEL; i++)
		ck_assert_uint_eq(with.levels[i], without.levels[i]);
	ck_assert_uint_eq(with.stall, without.stall);
	ck_assert_uint_eq(with.locks.acquired, without.locks.acquired);
	ck_assert_uint_eq(with.locks.contended, without.locks.contended);
	ck_assert_uint_eq(with.locks.wait_ps, without.locks.wait_ps);
	ck_assert_uint_eq(with.locks.hold_ps, without.locks.hold_ps);
}
END_TEST

Suite *suite_check(void)
{
	const TTest *const tests[] = {
		test_use_after_free,
		test_use_of_a_typesafe_object,
		test_double_free,
		test_leak,
		test_no_leak,
		test_refcount,
		test_findings_in_order_and_once,
		test_lock_order,
		test_lock_order_is_kept,
		test_what_a_sleeper_holds,
		test_deadlock_with_oneself,
		test_contended_lock_orders,
		test_sleep_under_spin_lock,
		test_sleep_under_rwlock,
		test_broken_coherence_is_found,
		test_checks_change_nothing,
		NULL,
	};

	return support_suite("check", tests, setup, teardown);
}
