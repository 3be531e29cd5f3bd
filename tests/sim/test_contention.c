/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contended line is a queue with one server: what it serves in a second is
 * one over the time of a transfer and an operation, however many wait.
 */
#include "support.h"

#define ROUNDS 1000u

struct adder {
	struct cell *cell;
	u32 rounds;
	u32 delay;		/* instructions before the first operation */
	u32 work;		/* instructions between operations */
};

static void add(void *arg)
{
	const struct adder *adder = arg;
	u32 i;

	WORK(adder->delay);
	for (i = 0; i < adder->rounds; i++) {
		ATOMIC_INC(adder->cell, value);
		WORK(adder->work);
	}
}

/* A line that only one CPU ever knew needs no order: that CPU may run ahead on
 * it.  So let two CPUs know it first; the last one has it when time begins. */
static void prime(struct machine *machine, struct cell *cell, u32 last)
{
	this_cpu = &machine->cpus[0];
	ATOMIC_INC(cell, other);
	this_cpu = &machine->cpus[last];
	ATOMIC_INC(cell, other);
	machine->cpus[0].clock = 0;
	machine->cpus[last].clock = 0;
	support_line_shared(machine, cell)->busy_until = 0;
}

/* Runs n adders on CPUs 0 to n - 1; gives the time of the last one's end. */
static ps_t run_adders(struct machine *machine, struct cell *cell, u32 n,
		       u32 work, u32 stagger)
{
	struct adder adders[MAX_CPUS];
	ps_t end = 0;
	u32 i;

	prime(machine, cell, n - 1);
	for (i = 0; i < n; i++) {
		adders[i] = (struct adder){ cell, ROUNDS, i * stagger, work };
		start(machine, i, add, &adders[i]);
	}
	run(machine);
	for (i = 0; i < n; i++)
		end = MAX(end, machine->cpus[i].clock);
	ck_assert_uint_eq(cell->value, (u64)n * ROUNDS);
	return end;
}

/* One package: each gets the line from another core.  Exactly, since the queue
 * is in order of arrival. */
START_TEST(test_one_package)
{
	static const u32 cores[] = { 2, 3, 6, 16, 64 };
	struct machine_profile profile = small_profile(1, cores[_i], 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	u64 n = (u64)cores[_i] * ROUNDS;
	ps_t end = run_adders(machine, cell, cores[_i], 0, 0);
	struct site_count count = sites_of(machine, "add", "value",
					   ACCESS_ATOMIC);

	ck_assert_uint_eq(count.level[LEVEL_OTHER_CORE_HITM], n);
	ck_assert_uint_eq(end, n * (load_ps(machine, LEVEL_OTHER_CORE_HITM) +
				    profile.atomic_ps));
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* Two packages: the line goes from core to core and from package to package;
 * the transfers that were seen say how often. */
START_TEST(test_two_packages)
{
	struct machine_profile profile = small_profile(2, 6, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	u64 n = 12 * ROUNDS, core, package;
	ps_t end = run_adders(machine, cell, 12, 0, 0);
	struct site_count count = sites_of(machine, "add", "value",
					   ACCESS_ATOMIC);

	core = count.level[LEVEL_OTHER_CORE_HITM];
	package = count.level[LEVEL_OTHER_PACKAGE_HITM];
	ck_assert_uint_eq(core + package, n);
	/* In order of arrival, all of one package come between two moves. */
	ck_assert_uint_eq(package, 2 * ROUNDS);
	ck_assert_uint_eq(count.hitm_core, core);
	ck_assert_uint_eq(count.hitm_package, package);
	ck_assert_uint_eq(end, core * load_ps(machine, LEVEL_OTHER_CORE_HITM) +
			       package * load_ps(machine,
						 LEVEL_OTHER_PACKAGE_HITM) +
			       n * profile.atomic_ps);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* With enough to do in between, nobody meets anybody: each round takes its
 * work, a transfer and the operation. */
START_TEST(test_no_queue_when_there_is_work)
{
	struct machine_profile profile = small_profile(1, 4, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	u32 work = 2000, stagger = 500, i;
	ps_t round = work * 1000 + load_ps(machine, LEVEL_OTHER_CORE_HITM) +
		     profile.atomic_ps;

	run_adders(machine, cell, 4, work, stagger);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(machine->cpus[i].clock,
				  i * stagger * 1000 + ROUNDS * round);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* Between the two: with n CPUs the line serves all that ask for it as long as
 * n operations fit into one round, and its own rate from there on. */
START_TEST(test_saturation)
{
	static const u32 cpus[] = { 2, 4, 8, 12, 16 };
	struct machine_profile profile = small_profile(1, 16, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	ps_t t = load_ps(machine, LEVEL_OTHER_CORE_HITM) + profile.atomic_ps;
	u32 n = cpus[_i], work = 200;
	ps_t round = MAX(work * 1000 + t, n * t);
	ps_t end = run_adders(machine, cell, n, work, 0);

	ck_assert_uint_ge(end, ROUNDS * round * 99 / 100);
	ck_assert_uint_le(end, ROUNDS * round * 101 / 100);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* Alone, the line stays. */
START_TEST(test_one_cpu)
{
	struct machine_profile profile = small_profile(2, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);

	ck_assert_uint_eq(run_adders(machine, cell, 1, 0, 0),
			  ROUNDS * profile.atomic_ps);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* Hyper-threads of one core have one L1: nothing moves, they take turns. */
START_TEST(test_siblings)
{
	struct machine_profile profile = small_profile(1, 1, 2);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	ps_t end = run_adders(machine, cell, 2, 0, 0);

	ck_assert_uint_eq(end, 2 * ROUNDS * profile.atomic_ps);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* ---- readers ---- */

static void read_once(void *arg)
{
	READ((struct cell *)arg, value);
}

static void write_once(void *arg)
{
	ATOMIC_INC((struct cell *)arg, value);
}

/* A modified line is given to the first reader, then clean copies of it to
 * all others side by side. */
START_TEST(test_readers_of_a_modified_line)
{
	struct machine_profile profile = small_profile(1, 8, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	ps_t written, first;
	u32 i;

	start(machine, 0, write_once, cell);
	run(machine);
	written = machine->cpus[0].clock;
	for (i = 1; i < 8; i++) {
		machine->cpus[i].clock = written;
		start(machine, i, read_once, cell);
	}
	run(machine);
	first = written + load_ps(machine, LEVEL_OTHER_CORE_HITM);
	ck_assert_uint_eq(machine->cpus[1].clock, first);
	for (i = 2; i < 8; i++)
		ck_assert_uint_eq(machine->cpus[i].clock,
				  first + load_ps(machine, LEVEL_L3_HIT));
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

Suite *suite_contention(void)
{
	const TTest *const tests[] = {
		test_two_packages,
		test_no_queue_when_there_is_work,
		test_one_cpu,
		test_siblings,
		test_readers_of_a_modified_line,
		NULL,
	};
	Suite *suite = support_suite("contention", tests, NULL, NULL);
	TCase *tcase = tcase_create("closed form");

	tcase_add_loop_test(tcase, test_one_package, 0, 5);
	tcase_add_loop_test(tcase, test_saturation, 0, 5);
	suite_add_tcase(suite, tcase);
	return suite;
}
