/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle states: which one is chosen, what leaving it takes, what is counted; and
 * the hardware's part of an interrupt. */
#include "sim/idle.h"
#include "support.h"

static struct machine_profile profile;
static struct machine *machine;

static void setup(void)
{
	profile = small_profile(1, 2, 1);
	profile.idle[0] = (struct idle_state){
		"C1", 3 * PS_PER_US, 6 * PS_PER_US
	};
	profile.idle[1] = (struct idle_state){
		"C3", 20 * PS_PER_US, 80 * PS_PER_US
	};
	profile.idle[2] = (struct idle_state){
		"C6", 200 * PS_PER_US, 800 * PS_PER_US
	};
	profile.num_idle = 3;
	machine = support_machine(&profile, 1, false);
}

static void teardown(void)
{
	support_machine_free(machine);
}

START_TEST(test_choice)
{
	static const struct { u64 ns; s32 state; } choices[] = {
		{ 0, 0 }, { 6000, 0 }, { 79999, 0 }, { 80000, 1 },
		{ 799999, 1 }, { 800000, 2 }, { UINT64_MAX, 2 },
	};
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(choices); i++)
		ck_assert_int_eq(idle_choose(&profile, choices[i].ns),
				 choices[i].state);
	profile.num_idle = 0;
	ck_assert_int_eq(idle_choose(&profile, UINT64_MAX), NO_IDLE_STATE);
}
END_TEST

static void set_intervals(struct cpu *cpu, const u32 *us)
{
	u32 i;

	for (i = 0; i < IDLE_INTERVALS; i++)
		cpu->idle_states.intervals[i] = us[i] * 1000;
	cpu->idle_states.num_intervals = IDLE_INTERVALS;
}

/* The next timer bounds it; regular intervals do, though one or two were
 * longer; others do not. */
START_TEST(test_prediction)
{
	static const u32 regular[] = { 50, 52, 48, 50, 51, 49, 50, 50 };
	static const u32 odd[] = { 50, 52, 9000, 50, 51, 49, 70000, 50 };
	static const u32 wild[] = { 5, 520, 9000, 50, 910, 49, 70000, 300 };
	struct cpu *cpu = &machine->cpus[0];

	ck_assert_uint_eq(idle_predict(cpu), UINT64_MAX);
	cpu->clock = PS_PER_MS;
	cpu->next_timer = PS_PER_MS + 700 * PS_PER_US;
	ck_assert_uint_eq(idle_predict(cpu), 700000);
	set_intervals(cpu, regular);
	ck_assert_uint_eq(idle_predict(cpu), 50000);
	set_intervals(cpu, odd);
	ck_assert_uint_eq(idle_predict(cpu), 50000);
	set_intervals(cpu, wild);
	ck_assert_uint_eq(idle_predict(cpu), 700000);
	cpu->next_timer = PS_PER_MS + 30 * PS_PER_US;
	set_intervals(cpu, regular);
	ck_assert_uint_eq(idle_predict(cpu), 30000);
	cpu->next_timer = PS_PER_MS / 2;
	ck_assert_uint_eq(idle_predict(cpu), 0);
}
END_TEST

/* ---- in a run ---- */

#define ROUNDS 12u

struct sleeper {
	struct context *context;
	ps_t gap;		/* how long it is asleep */
	ps_t woken[ROUNDS];	/* after it was to go on */
	u32 n;
};

static void wake(void *arg, ps_t now)
{
	context_wake(((struct sleeper *)arg)->context, now);
}

static void sleep_often(void *arg)
{
	struct sleeper *s = arg;

	for (s->n = 0; s->n < ROUNDS; s->n++) {
		ps_t until = this_cpu->clock + s->gap;

		machine_at(machine, until, EVENT_TIMER, 0, 0, wake, s);
		context_block();
		s->woken[s->n] = this_cpu->clock - until;
		WORK(1000);
	}
}

/* While nothing is known the CPU falls into the deepest state; after eight
 * intervals of 100 us it has learnt that C3 is enough. */
START_TEST(test_latency)
{
	struct sleeper sleeper = { .gap = 100 * PS_PER_US };
	struct cpu *cpu = &machine->cpus[0];
	u32 i;

	sleeper.context = start(machine, 0, sleep_often, &sleeper);
	run(machine);
	for (i = 0; i < ROUNDS; i++)
		ck_assert_uint_eq(sleeper.woken[i], i < IDLE_INTERVALS ?
				  200 * PS_PER_US : 20 * PS_PER_US);
	ck_assert_uint_eq(cpu->idle_states.entered[0], 0);
	ck_assert_uint_eq(cpu->idle_states.entered[1],
			  ROUNDS - IDLE_INTERVALS);
	ck_assert_uint_eq(cpu->idle_states.entered[2], IDLE_INTERVALS);
	ck_assert_uint_eq(cpu->idle_states.time[1],
			  (ROUNDS - IDLE_INTERVALS) * sleeper.gap);
	ck_assert_uint_eq(cpu->idle_states.time[2],
			  IDLE_INTERVALS * sleeper.gap);
	/* Coming back is no work either. */
	ck_assert_uint_eq(cpu->slept, ROUNDS * sleeper.gap +
			  IDLE_INTERVALS * 200 * PS_PER_US +
			  (ROUNDS - IDLE_INTERVALS) * 20 * PS_PER_US);
	ck_assert_uint_eq(context_ran(sleeper.context),
			  ROUNDS * 1000 * PS_PER_NS);
}
END_TEST

START_TEST(test_no_states)
{
	struct sleeper sleeper = { .gap = 100 * PS_PER_US };
	u32 i;

	profile.num_idle = 0;
	sleeper.context = start(machine, 0, sleep_often, &sleeper);
	run(machine);
	for (i = 0; i < ROUNDS; i++)
		ck_assert_uint_eq(sleeper.woken[i], 0);
	ck_assert_uint_eq(machine->cpus[0].slept, ROUNDS * sleeper.gap);
}
END_TEST

/* ---- interrupts ---- */

static struct irq irq;
static ps_t handled;

static void handler(struct cpu *cpu, void *arg)
{
	handled = cpu->clock;
	WORK(100);
	context_wake(((struct sleeper *)arg)->context, cpu->clock);
}

static void raise_irq(void *arg, ps_t now)
{
	(void)arg;
	cpu_raise(&machine->cpus[0], &irq, now);
}

static void sleep_once(void *arg)
{
	struct sleeper *s = arg;

	machine_at(machine, PS_PER_MS, EVENT_DEVICE, 0, 0, raise_irq, NULL);
	context_block();
	s->woken[0] = this_cpu->clock;
}

/* The way out of the state, one half of the hardware's part, the handler, the
 * other half, the task.  What has its cost within is not charged twice. */
START_TEST(test_interrupt)
{
	struct sleeper sleeper = { .n = 0 };
	bool whole = _i;
	ps_t half = whole ? 0 : 150 * PS_PER_NS;
	ps_t awake = PS_PER_MS + 200 * PS_PER_US;

	profile.interrupt_ps = 300 * PS_PER_NS;
	irq = (struct irq){
		.name = "test irq", .fn = handler, .arg = &sleeper,
		.is_whole = whole,
	};
	sleeper.context = start(machine, 0, sleep_once, &sleeper);
	run(machine);
	ck_assert_uint_eq(handled, awake + half);
	ck_assert_uint_eq(sleeper.woken[0], awake + 2 * half +
			  100 * PS_PER_NS);
}
END_TEST

/* ---- whose turn it is ---- */

struct ranked {
	GString *trace;
	char letter;
};

static void say_letter(void *arg)
{
	const struct ranked *ranked = arg;

	g_string_append_c(ranked->trace, ranked->letter);
	context_yield();
	g_string_append_c(ranked->trace, ranked->letter);
}

/* The least rank; of equal ones the first. */
START_TEST(test_rank)
{
	static const u64 ranks[] = { 5, 3, 5, 0 };
	GString *trace = g_string_new(NULL);
	struct ranked ranked[G_N_ELEMENTS(ranks)];
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(ranks); i++) {
		ranked[i] = (struct ranked){ trace, (char)('a' + i) };
		start(machine, 0, say_letter, &ranked[i])->rank = ranks[i];
	}
	run(machine);
	ck_assert_str_eq(trace->str, "ddbbacac");
	g_string_free(trace, TRUE);
}
END_TEST

START_TEST(test_affinity)
{
	struct context context = { .cpu = &machine->cpus[0] };

	ck_assert(context_may_run(&context, &machine->cpus[0]));
	ck_assert(context_may_run(&context, &machine->cpus[1]));
	ck_assert(!context_is_pinned(&context));
	context_pin(&context, &machine->cpus[1]);
	ck_assert(!context_may_run(&context, &machine->cpus[0]));
	ck_assert(context_may_run(&context, &machine->cpus[1]));
	ck_assert(context_is_pinned(&context));
	context.allowed[0] = 3;
	ck_assert(context_may_run(&context, &machine->cpus[0]));
	ck_assert(!context_is_pinned(&context));
}
END_TEST

Suite *suite_idle(void)
{
	const TTest *const tests[] = {
		test_choice, test_prediction, test_latency, test_no_states,
		test_rank, test_affinity, NULL,
	};
	Suite *suite = support_suite("idle", tests, setup, teardown);
	TCase *interrupt = tcase_create("interrupt");

	tcase_add_checked_fixture(interrupt, setup, teardown);
	tcase_add_loop_test(interrupt, test_interrupt, 0, 2);
	suite_add_tcase(suite, interrupt);
	return suite;
}
