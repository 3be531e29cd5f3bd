/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References that nobody gives back are found, with who took them, how many and
 * how often; those that somebody holds by right are not.
 */
#include <string.h>

#include "sim/check.h"
#include "support.h"

#define CALLS 50u

static struct machine_profile profile;
static struct machine *machine;
static struct cell *cells;

static void setup(void)
{
	profile = small_profile(1, 2, 1);
	machine = support_machine(&profile, 1, true);
	check_count(machine, "cell", "refs");
	cells = cells_new(machine, 0, 8);
	cells[0].refs = 5;
	cells[1].refs = 1;
}

static void teardown(void)
{
	g_clear_pointer(&cells, g_free);
	support_machine_free(machine);
}

/* Runs it to its end: exactly this is found, or nothing. */
static void expect(void (*fn)(void *), const char *text)
{
	const char *const *found;

	start(machine, 0, fn, NULL);
	run(machine);
	check_leaks(machine);
	found = check_findings(machine->check);
	ck_assert_pstr_eq(found[0], text);
	if (text)
		ck_assert_pstr_eq(found[1], NULL);
}

static void get_cell(struct cell *cell)
{
	FUNCTION(get_cell);
	ATOMIC_INC(cell, refs);
}

static void put_cell(struct cell *cell)
{
	FUNCTION(put_cell);
	ATOMIC_DEC(cell, refs);
}

/* Takes two, and gives back one: every time, or every second. */
static void two_for_one(struct cell *cell, bool forget)
{
	FUNCTION(two_for_one);
	get_cell(cell);
	get_cell(cell);
	put_cell(cell);
	if (!forget)
		put_cell(cell);
}

static void carry(struct cell *cell, bool forget)
{
	FUNCTION(carry);
	get_cell(cell);
	two_for_one(cell, forget);
	put_cell(cell);
}

static void call_often(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < CALLS; i++) {
		carry(&cells[0], i % 2);
		carry(&cells[1], false);
	}
}

START_TEST(test_place_and_rate)
{
	expect(call_often, "leak: cell.refs of cell: +0.250 a call of carry, "
	       "taken in two_for_one <- carry: 100 (get_cell 100), "
	       "released there 75 (put_cell 75): 100 calls, 25 references left");
}
END_TEST

static void only_take(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < CALLS; i++)
		get_cell(&cells[0]);
	/* An object of the same type loses what it has got. */
	carry(&cells[1], false);
}

START_TEST(test_never_released)
{
	expect(only_take, "leak: cell.refs of cell: +1.000 a call of get_cell, "
	       "taken in get_cell: 50, never released: 50 calls, "
	       "50 references left");
}
END_TEST

static void in_balance(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 0; i < CALLS; i++)
		carry(&cells[0], false);
	put_cell(&cells[0]);
}

START_TEST(test_in_balance)
{
	expect(in_balance, NULL);
}
END_TEST

static void before_the_run(void *arg)
{
	only_take(arg);
	check_barrier(machine);
	in_balance(arg);
}

START_TEST(test_before_the_barrier)
{
	expect(before_the_run, NULL);
}
END_TEST

/* ---- new objects ---- */

static void make_cell(struct cell *cell, struct cell *points_to)
{
	FUNCTION(make_cell);
	cell_init(cell, cell->object.line);
	check_object_alloc(machine, &cell->object, sizeof(*cell));
	WRITE(cell, refs, 1);
	if (points_to)
		get_cell(points_to);
	WRITE(cell, points_to, points_to);
	check_object_kept(machine, &cell->object);
}

/* Three new ones refer to an old one, and each to the one before. */
static void make_holders(void *arg)
{
	u32 i;

	(void)arg;
	for (i = 2; i < 5; i++)
		make_cell(&cells[i], &cells[0]);
}

START_TEST(test_held_by_the_new)
{
	expect(make_holders, NULL);
}
END_TEST

static void make_holders_and_forget(void *arg)
{
	make_holders(arg);
	call_often(arg);
}

START_TEST(test_held_and_lost)
{
	expect(make_holders_and_forget, "leak: cell.refs of cell: +0.250 a "
	       "call of carry, taken in two_for_one <- carry: 100 (get_cell "
	       "100), released there 75 (put_cell 75): 100 calls, "
	       "25 references left");
}
END_TEST

static void free_a_holder(void *arg)
{
	make_holders(arg);
	check_object_free(machine, &cells[3].object, false);
}

/* It went without its reference. */
START_TEST(test_holder_is_gone)
{
	expect(free_a_holder, "leak: cell.refs of cell: +1.000 a call of "
	       "make_cell, taken in get_cell <- make_cell: 3, never released: "
	       "3 calls, 3 references left");
}
END_TEST

/* ---- objects older than the run ---- */

static void point(struct cell *cell, struct cell *to)
{
	FUNCTION(point);
	WRITE(cell, points_to, to);
}

/* Two that are older than the run; the first one points to an old cell. */
static void make_old(void)
{
	make_cell(&cells[2], &cells[0]);
	make_cell(&cells[3], NULL);
	check_barrier(machine);
}

static void old_takes(void *arg)
{
	(void)arg;
	make_old();
	get_cell(&cells[0]);
	point(&cells[3], &cells[0]);
}

START_TEST(test_held_by_the_old)
{
	expect(old_takes, NULL);
}
END_TEST

static void old_takes_too_many(void *arg)
{
	old_takes(arg);
	get_cell(&cells[0]);
}

/* The pointer that stood there before the run holds none of the two. */
START_TEST(test_old_holds_one)
{
	expect(old_takes_too_many, "leak: cell.refs of cell: +1.000 a call of "
	       "get_cell, taken in get_cell: 2, never released: 2 calls, "
	       "2 references left");
}
END_TEST

static void old_hands_over(void *arg)
{
	(void)arg;
	make_old();
	get_cell(&cells[0]);
	point(&cells[3], &cells[0]);
	check_object_free(machine, &cells[2].object, false);
}

/* As many pointers as before, a freed object's among them, and one reference
 * more. */
START_TEST(test_old_is_gone)
{
	expect(old_hands_over, "leak: cell.refs of cell: +1.000 a call of "
	       "get_cell, taken in get_cell: 1, never released: 1 call, "
	       "1 reference left");
}
END_TEST

static void old_lets_go(void *arg)
{
	(void)arg;
	make_old();
	point(&cells[2], NULL);
	put_cell(&cells[0]);
}

START_TEST(test_old_lets_go)
{
	expect(old_lets_go, NULL);
}
END_TEST

static void die_with_references(void *arg)
{
	struct cell *cell = &cells[2];

	(void)arg;
	make_cell(cell, NULL);
	get_cell(cell);
	get_cell(cell);
	check_object_free(machine, &cell->object, false);
	make_cell(cell, NULL);
}

START_TEST(test_memory_used_again)
{
	expect(die_with_references, NULL);
}
END_TEST

Suite *suite_refs(void)
{
	const TTest *const tests[] = {
		test_place_and_rate, test_never_released, test_in_balance,
		test_before_the_barrier, test_held_by_the_new,
		test_held_and_lost, test_holder_is_gone,
		test_held_by_the_old, test_old_holds_one, test_old_is_gone,
		test_old_lets_go, test_memory_used_again, NULL,
	};

	return support_suite("check_refs", tests, setup, teardown);
}
