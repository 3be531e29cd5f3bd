/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events and interrupts: when they are taken, and when not. */
#include "support.h"

#define STEP 10000u		/* one call of step(): 10 ns */
#define MAX_TAKEN 16u

static struct machine_profile profile;
static struct machine *machine;
static struct irq irqs[4];
static ps_t taken[MAX_TAKEN];
static u32 num_taken;

static void handler(struct cpu *cpu, void *arg)
{
	(void)arg;
	ck_assert_ptr_eq(cpu, this_cpu);
	must(num_taken < MAX_TAKEN);
	taken[num_taken++] = cpu->clock;
}

static void step(void)
{
	FUNCTION(step);
}

static void setup(void)
{
	u32 i;

	profile = small_profile(1, 2, 1);
	machine = support_machine(&profile, 1, false);
	account_set_cost(machine, function_index("step"), 10, 0);
	for (i = 0; i < ARRAY_SIZE(irqs); i++)
		irqs[i] = (struct irq){ .name = "test irq", .fn = handler };
	num_taken = 0;
}

static void teardown(void)
{
	support_machine_free(machine);
}

static void steps(u32 n)
{
	while (n--)
		step();
}

static void hundred_steps(void *arg)
{
	(void)arg;
	steps(100);
}

static void thousand_steps(void *arg)
{
	(void)arg;
	steps(1000);
}

/* Raises an interrupt on CPU 0 at the time of the event. */
static void raise_now(void *arg, ps_t now)
{
	cpu_raise(&machine->cpus[0], arg, now);
}

static void raise_at(ps_t time, struct irq *irq)
{
	machine_at(machine, time, EVENT_DEVICE, 0, 0, raise_now, irq);
}

/* ---- a CPU that is busy, one that is idle ---- */

START_TEST(test_busy_cpu_takes_it_at_the_next_call)
{
	start(machine, 0, hundred_steps, NULL);
	raise_at(203000, &irqs[0]);
	raise_at(500000, &irqs[1]);
	run(machine);
	ck_assert_uint_eq(num_taken, 2);
	ck_assert_uint_eq(taken[0], 210000);
	/* At the very end of a call or at the next one's. */
	ck_assert_uint_ge(taken[1], 500000);
	ck_assert_uint_le(taken[1], 510000);
	ck_assert_uint_eq(machine->cpus[0].clock, 1000000);
}
END_TEST

START_TEST(test_idle_cpu_takes_it_at_once)
{
	start(machine, 1, hundred_steps, NULL);
	raise_at(203000, &irqs[0]);
	run(machine);
	ck_assert_uint_eq(num_taken, 1);
	ck_assert_uint_eq(taken[0], 203000);
}
END_TEST

static void raise_in_advance(void *arg)
{
	(void)arg;
	cpu_raise(&machine->cpus[0], &irqs[0], 700000);
	cpu_raise(&machine->cpus[0], &irqs[1], 300000);
	steps(50);
}

/* Raised for later: taken in order of time, by a CPU that has gone idle in
 * between (at 500 ns), and not before. */
START_TEST(test_raised_for_later)
{
	start(machine, 0, raise_in_advance, NULL);
	start(machine, 1, thousand_steps, NULL);
	run(machine);
	ck_assert_uint_eq(num_taken, 2);
	ck_assert_uint_ge(taken[0], 300000);
	ck_assert_uint_le(taken[0], 310000);
	ck_assert_uint_eq(taken[1], 700000);
}
END_TEST

static void raise_for_other(void *arg)
{
	(void)arg;
	steps(30);
	cpu_raise(&machine->cpus[0], &irqs[0], this_cpu->clock + 5000);
	steps(70);
}

/* From one CPU to another, which does nothing that others could see: it runs
 * ahead, but not far. */
START_TEST(test_from_another_cpu)
{
	start(machine, 0, thousand_steps, NULL);
	start(machine, 1, raise_for_other, NULL);
	run(machine);
	ck_assert_uint_eq(num_taken, 1);
	ck_assert_uint_ge(taken[0], 305000);
	ck_assert_uint_le(taken[0], 305000 + 5 * PS_PER_US + STEP);
}
END_TEST

/* ---- disabled ---- */

static void disable_and_enable(void *arg)
{
	struct cpu *cpu = this_cpu;

	(void)arg;
	steps(10);		/* to 100 ns */
	cpu_irq_disable(cpu);
	steps(20);		/* raised meanwhile, at 200 ns */
	cpu_irq_disable(cpu);
	steps(10);
	cpu_irq_enable(cpu);
	steps(10);		/* to 500 ns */
	ck_assert_uint_eq(num_taken, 0);
	cpu_irq_enable(cpu);
	steps(10);
	ck_assert_uint_eq(num_taken, 1);
}

START_TEST(test_disabled_and_nested)
{
	start(machine, 0, disable_and_enable, NULL);
	raise_at(200000, &irqs[0]);
	run(machine);
	ck_assert_uint_eq(num_taken, 1);
	ck_assert_uint_ge(taken[0], 500000);
	ck_assert_uint_le(taken[0], 510000);
}
END_TEST

/* ---- nothing interrupts an interrupt ---- */

static void long_handler(struct cpu *cpu, void *arg)
{
	handler(cpu, arg);
	steps(20);
	ck_assert_uint_eq(cpu->in_irq, 1);
	taken[num_taken++] = cpu->clock;
}

START_TEST(test_not_nested)
{
	irqs[0].fn = long_handler;
	start(machine, 0, hundred_steps, NULL);
	raise_at(95000, &irqs[0]);
	raise_at(150000, &irqs[1]);
	run(machine);
	ck_assert_uint_eq(num_taken, 3);
	ck_assert_uint_eq(taken[0], 100000);
	ck_assert_uint_eq(taken[1], 300000);
	ck_assert_uint_eq(taken[2], 300000);
	ck_assert_uint_eq(machine->cpus[0].clock, 1200000);
	/* Counted under a root of its own. */
	ck_assert_uint_eq(account_root(&machine->account, "test irq")->
			  first->calls, 20);
}
END_TEST

/* ... and an idle CPU's interrupt neither. */
START_TEST(test_not_nested_while_idle)
{
	irqs[0].fn = long_handler;
	start(machine, 1, hundred_steps, NULL);
	raise_at(95000, &irqs[0]);
	raise_at(150000, &irqs[1]);
	run(machine);
	ck_assert_uint_eq(num_taken, 3);
	ck_assert_uint_eq(taken[0], 95000);
	ck_assert_uint_eq(taken[1], 295000);
	ck_assert_uint_eq(taken[2], 295000);
}
END_TEST

/* ---- waking ---- */

static void wake_handler(struct cpu *cpu, void *arg)
{
	handler(cpu, arg);
	context_wake(*(struct context **)arg, cpu->clock);
}

static void sleep_once(void *arg)
{
	(void)arg;
	context_block();
	steps(1);
}

START_TEST(test_interrupt_wakes_a_context)
{
	struct context *sleeper = start(machine, 0, sleep_once, NULL);

	irqs[0].fn = wake_handler;
	irqs[0].arg = &sleeper;
	raise_at(1234000, &irqs[0]);
	run(machine);
	ck_assert_uint_eq(num_taken, 1);
	ck_assert_uint_eq(taken[0], 1234000);
	ck_assert_uint_eq(sleeper->finished, 1244000);
}
END_TEST

/* The interrupt is the CPU's own, in the future, and all there is. */
static void raise_and_sleep(void *arg)
{
	(void)arg;
	cpu_raise(this_cpu, &irqs[0], this_cpu->clock + 7777);
	context_block();
}

START_TEST(test_own_interrupt_wakes_an_idle_cpu)
{
	struct context *sleeper = start(machine, 0, raise_and_sleep, NULL);

	irqs[0].fn = wake_handler;
	irqs[0].arg = &sleeper;
	run(machine);
	ck_assert_uint_eq(taken[0], 7777);
	ck_assert_uint_eq(sleeper->finished, 7777);
}
END_TEST

/* ---- events come before CPUs at the same time ---- */

struct race {
	struct cell *cell;
	u64 seen;
};

static void set_value(void *arg, ps_t now)
{
	(void)now;
	((struct race *)arg)->cell->value = 1;
}

static void look_at_value(void *arg)
{
	struct race *race = arg;

	WORK(500);
	ATOMIC_INC(race->cell, other);
	race->seen = race->cell->value;
}

static u64 seen_with_event_at(ps_t time)
{
	struct race race = { cells_new(machine, 0, 1), 0 };
	u32 i;

	for (i = 0; i < 2; i++) {
		this_cpu = &machine->cpus[i];
		ATOMIC_INC(race.cell, other);
		this_cpu->clock = 0;
	}
	start(machine, 0, look_at_value, &race);
	machine_at(machine, time, EVENT_CONTROL, 4095, 4095, set_value, &race);
	run(machine);
	g_free(race.cell);
	return race.seen;
}

START_TEST(test_event_at_the_same_time_is_first)
{
	ck_assert_uint_eq(seen_with_event_at(500000), 1);
}
END_TEST

START_TEST(test_event_after_is_not)
{
	ck_assert_uint_eq(seen_with_event_at(500001), 0);
}
END_TEST

Suite *suite_interrupt(void)
{
	const TTest *const tests[] = {
		test_busy_cpu_takes_it_at_the_next_call,
		test_idle_cpu_takes_it_at_once,
		test_raised_for_later,
		test_from_another_cpu,
		test_disabled_and_nested,
		test_not_nested,
		test_not_nested_while_idle,
		test_interrupt_wakes_a_context,
		test_own_interrupt_wakes_an_idle_cpu,
		test_event_at_the_same_time_is_first,
		test_event_after_is_not,
		NULL,
	};

	return support_suite("interrupt", tests, setup, teardown);
}
