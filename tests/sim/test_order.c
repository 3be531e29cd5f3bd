/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of CPUs, and the contexts on them. */
#include "support.h"

/* ---- what others can see happens in the order of (clock, CPU) ---- */

#define LOG_SIZE 40000u

struct log {
	struct cell *cells;	/* four of them, known to all CPUs */
	u32 steps;
	u32 used;
	u64 keys[LOG_SIZE];
};

/* When this CPU could do something that others see: a locked operation waits
 * for the stores before it. */
static u64 key_now(bool locked)
{
	const struct cpu *cpu = this_cpu;
	ps_t at = locked ? MAX(cpu->clock, cpu->stores_drained) : cpu->clock;

	return at << 8 | cpu->id;
}

static void log_one(struct log *log, struct random_stream *stream)
{
	struct cell *cell = &log->cells[random_below(stream, 4)];
	bool locked = random_below(stream, 2);
	u64 key;
	FUNCTION(log_one);

	WORK(random_below(stream, 60));
	FENCE();		/* room in the store buffer */
	key = key_now(locked);
	if (locked)
		ATOMIC_INC(cell, value);
	else
		WRITE(cell, value, key);
	log->keys[log->used++] = key;
	FENCE();		/* nothing is filling: only a miss takes time */
	WORK(random_below(stream, 60));
	cell = &log->cells[random_below(stream, 4)];
	key = key_now(false);
	READ(cell, other);
	if (key_now(false) != key)
		log->keys[log->used++] = key;
}

static void write_log(void *arg)
{
	struct log *log = arg;
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 3, "log", this_cpu->id);
	for (i = 0; i < log->steps; i++)
		log_one(log, &stream);
}

static void run_log(u32 packages, u32 cores, u32 threads)
{
	static struct log log;
	struct machine_profile profile = small_profile(packages, cores,
						       threads);
	struct machine *machine = support_machine(&profile, 1, false);
	u32 i;

	log.cells = cells_new(machine, 0, 4);
	log.steps = 20000 / machine->num_cpus;
	log.used = 0;
	share(machine, log.cells, 4);
	for (i = 0; i < machine->num_cpus; i++)
		start(machine, i, write_log, &log);
	run(machine);
	/* Reads that find their line here are no events for others; siblings
	 * take nothing from each other, so all of theirs do. */
	ck_assert_uint_lt(log.used, 2 * log.steps * machine->num_cpus);
	if (cores > 1)
		ck_assert_uint_gt(log.used, log.steps * machine->num_cpus);
	for (i = 1; i < log.used; i++)
		must(log.keys[i - 1] < log.keys[i]);
	g_free(log.cells);
	support_machine_free(machine);
}

START_TEST(test_accesses_are_in_order)
{
	run_log(1, 2, 1);
	run_log(1, 1, 2);
	run_log(2, 2, 2);
	run_log(2, 6, 2);
	run_log(1, 64, 1);
}
END_TEST

/* ---- the look-ahead ---- */

struct reader {
	struct cell *cell;
	u32 times;
};

static void read_often(void *arg)
{
	const struct reader *reader = arg;
	u32 i;

	for (i = 0; i < reader->times; i++) {
		READ(reader->cell, value);
		WORK(1);
	}
}

/* Two CPUs read a line that both hold, every nanosecond. */
static u64 switches_of_readers(bool with_lookahead)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	struct reader reader = { cell, 20000 };
	u64 switches;
	u32 i;

	ck_assert_uint_eq(machine->lookahead,
			  profile.latency[LEVEL_OTHER_CORE_CLEAN]);
	if (!with_lookahead)
		machine->lookahead = 0;
	share(machine, cell, 1);
	for (i = 0; i < 2; i++)
		start(machine, i, read_often, &reader);
	run(machine);
	ck_assert_uint_eq(machine->lines[cell->object.line].class,
			  LINE_WRITE_SHARED);
	switches = machine->cpus[0].switches + machine->cpus[1].switches;
	g_free(cell);
	support_machine_free(machine);
	return switches;
}

START_TEST(test_lookahead_saves_switches)
{
	/* A turn lasts from the look-ahead, 19 ns, behind the other CPU to as
	 * much before it: 38 reads. */
	ck_assert_uint_le(switches_of_readers(true), 2 * 20000 / 38 + 10);
	ck_assert_uint_ge(switches_of_readers(false), 19000);
}
END_TEST

/* Nobody reads a value from before a write that is further back than the
 * look-ahead, and nobody sees time run backwards. */
struct watch {
	struct cell *cell;
	bool writes;
	bool stop;
	ps_t oldest;		/* the longest that a value read was out of
				 * date */
	ps_t *written_at;	/* by value */
};

static void watch_cell(void *arg)
{
	struct watch *watch = arg;
	u64 last = 0, value, i;

	for (i = 1; i <= 2000 && watch->writes; i++) {
		WORK(37);
		watch->written_at[i] = this_cpu->clock;
		ATOMIC_INC(watch->cell, value);
	}
	while (!watch->writes && last < 2000) {
		ps_t now = this_cpu->clock;

		value = READ(watch->cell, value);
		must(value >= last);
		if (value < 2000 && watch->written_at[value + 1] &&
		    watch->written_at[value + 1] < now)
			watch->oldest = MAX(watch->oldest,
					    now - watch->written_at[value + 1]);
		last = value;
		WORK(1);
	}
}

START_TEST(test_reads_are_not_older_than_the_lookahead)
{
	struct machine_profile profile = small_profile(1, 4, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct cell *cell = cells_new(machine, 0, 1);
	static ps_t written_at[2001];
	struct watch watch[4];
	u32 i;

	share(machine, cell, 1);
	for (i = 0; i < 4; i++) {
		watch[i] = (struct watch){ cell, i == 0, false, 0, written_at };
		start(machine, i, watch_cell, &watch[i]);
	}
	run(machine);
	for (i = 1; i < 4; i++)
		ck_assert_uint_le(watch[i].oldest, machine->lookahead);
	g_free(cell);
	support_machine_free(machine);
}
END_TEST

/* ---- the same again ---- */

struct mix {
	struct cell *cells;
};

static void mix_one(struct mix *mix, struct random_stream *stream)
{
	struct cell *cell = &mix->cells[random_below(stream, 64)];
	FUNCTION(mix_one);

	if (random_below(stream, 4))
		READ(cell, value);
	else
		ATOMIC_INC(cell, value);
}

static void run_mix(void *arg)
{
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 11, "mix", this_cpu->id);
	for (i = 0; i < 2000; i++)
		mix_one(arg, &stream);
}

/* Gives the end of each CPU's work and the stall of the reads. */
static void mix_result(u64 seed, u32 jitter_milli, u64 result[13])
{
	struct machine_profile profile = small_profile(2, 3, 2);
	struct machine *machine;
	struct mix mix;
	u32 i;

	profile.jitter_milli = jitter_milli;
	machine = support_machine(&profile, seed, false);
	account_set_cost(machine, function_index("mix_one"), 50, 3);
	mix.cells = cells_new(machine, 0, 64);
	for (i = 0; i < 12; i++)
		start(machine, i, run_mix, &mix);
	run(machine);
	for (i = 0; i < 12; i++)
		result[i] = machine->cpus[i].clock;
	result[12] = sites_of(machine, "mix_one", "value",
			      ACCESS_READ).stall_ps;
	g_free(mix.cells);
	support_machine_free(machine);
}

START_TEST(test_same_seed_same_result)
{
	u64 a[13], b[13], other[13];
	u32 i;

	mix_result(1, 300, a);
	mix_result(1, 300, b);
	mix_result(2, 300, other);
	for (i = 0; i < 13; i++) {
		ck_assert_uint_eq(a[i], b[i]);
		ck_assert_uint_ne(a[i], other[i]);
	}
	/* Without jitter, nothing is left to chance. */
	mix_result(1, 0, a);
	mix_result(2, 0, b);
	for (i = 0; i < 13; i++)
		ck_assert_uint_eq(a[i], b[i]);
}
END_TEST

/* ---- hyper-threads ---- */

static void calc(void)
{
	FUNCTION(calc);
}

static void calculate(void *arg)
{
	u32 times = *(const u32 *)arg;

	while (times--)
		calc();
}

/* 100 ns a call; gives the ends of a context on CPU 0 and one on `other`. */
static void run_pair(u32 other, u32 times0, u32 times1, ps_t end[2])
{
	struct machine_profile profile = small_profile(1, 2, 2);
	struct machine *machine = support_machine(&profile, 1, false);
	struct context *c[2];

	account_set_cost(machine, function_index("calc"), 100, 0);
	c[0] = start(machine, 0, calculate, &times0);
	c[1] = start(machine, other, calculate, &times1);
	run(machine);
	end[0] = c[0]->finished;
	end[1] = c[1]->finished;
	support_machine_free(machine);
}

/* How far one may have run before the other's start or end is seen. */
#define SLACK (4 * PS_PER_US)

START_TEST(test_hyper_threads_slow_each_other)
{
	ps_t end[2];

	/* Two cores: 1 ms and 0.2 ms. */
	run_pair(1, 10000, 2000, end);
	ck_assert_uint_eq(end[0], PS_PER_MS);
	ck_assert_uint_eq(end[1], PS_PER_MS / 5);
	/* One core: 1.5 times as long while both are busy, that is until the
	 * second is done after 0.3 ms; the first has 0.8 ms to go then. */
	run_pair(2, 10000, 2000, end);
	ck_assert_uint_ge(end[1], 3 * PS_PER_MS / 10 - SLACK);
	ck_assert_uint_le(end[1], 3 * PS_PER_MS / 10);
	ck_assert_uint_ge(end[0], 11 * PS_PER_MS / 10 - SLACK);
	ck_assert_uint_le(end[0], 11 * PS_PER_MS / 10);
}
END_TEST

struct sleeper {
	struct context *context;
	u32 times;
};

static void wake_up(void *arg, ps_t now)
{
	context_wake(((struct sleeper *)arg)->context, now);
}

static void sleep_and_calculate(void *arg)
{
	struct sleeper *sleeper = arg;

	context_block();
	calculate(&sleeper->times);
}

/* Asleep, a thread slows nobody. */
START_TEST(test_sleeping_thread_slows_nobody)
{
	struct machine_profile profile = small_profile(1, 1, 2);
	struct machine *machine = support_machine(&profile, 1, false);
	struct sleeper sleeper = { .times = 1000 };
	struct context *c;
	u32 times = 10000;

	account_set_cost(machine, function_index("calc"), 100, 0);
	c = start(machine, 0, calculate, &times);
	sleeper.context = start(machine, 1, sleep_and_calculate, &sleeper);
	/* 0.1 ms of work from 0.5 ms on, at two thirds of the speed. */
	machine_at(machine, PS_PER_MS / 2, EVENT_TIMER, 0, 0, wake_up,
		   &sleeper);
	run(machine);
	ck_assert_uint_eq(sleeper.context->finished,
			  PS_PER_MS / 2 + 150 * PS_PER_US);
	ck_assert_uint_ge(c->finished, PS_PER_MS + 50 * PS_PER_US - SLACK);
	ck_assert_uint_le(c->finished, PS_PER_MS + 50 * PS_PER_US + SLACK);
	support_machine_free(machine);
}
END_TEST

/* ---- contexts of one CPU ---- */

struct worker {
	char letter;
	GString *trace;
	struct context *wakes;	/* before it goes to sleep */
	bool sleeps;
};

static void work_by_turns(void *arg)
{
	struct worker *worker = arg;
	u32 i;

	for (i = 0; i < 3; i++) {
		WORK(10);
		g_string_append_c(worker->trace, worker->letter);
		if (worker->wakes)
			context_wake(worker->wakes, this_cpu->clock);
		if (worker->sleeps)
			context_block();
	}
}

START_TEST(test_contexts_take_turns)
{
	struct machine_profile profile = small_profile(1, 1, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	GString *trace = g_string_new(NULL);
	struct worker a = { 'a', trace, NULL, true };
	struct worker b = { 'b', trace, NULL, false };
	struct context *ca = start(machine, 0, work_by_turns, &a);
	struct context *cb = start(machine, 0, work_by_turns, &b);

	/* b runs when a sleeps, wakes it three times, and is not interrupted;
	 * the fourth waking is one too many for a, which needs three. */
	b.wakes = NULL;
	machine_at(machine, 100000, EVENT_TIMER, 0, 0, wake_up,
		   &(struct sleeper){ .context = ca });
	machine_at(machine, 200000, EVENT_TIMER, 0, 0, wake_up,
		   &(struct sleeper){ .context = ca });
	machine_at(machine, 300000, EVENT_TIMER, 0, 0, wake_up,
		   &(struct sleeper){ .context = ca });
	run(machine);
	ck_assert_str_eq(trace->str, "abbbaa");
	ck_assert_uint_eq(cb->started, 10000);
	ck_assert_uint_eq(cb->finished, 40000);
	ck_assert_uint_eq(ca->finished, 300000);
	g_string_free(trace, TRUE);
	support_machine_free(machine);
}
END_TEST

static void wake_up_later(void *arg, ps_t now)
{
	context_wake(((struct sleeper *)arg)->context, now + 100000);
}

/* Nobody runs before it was woken, busy though its CPU is until then. */
START_TEST(test_woken_no_earlier_than_the_waking)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct sleeper sleeper = { .times = 0 };
	struct context *other;
	u32 times = 3;

	account_set_cost(machine, function_index("calc"), 10, 0);
	sleeper.context = start(machine, 1, sleep_and_calculate, &sleeper);
	other = start(machine, 1, calculate, &times);
	machine_at(machine, 5000, EVENT_TIMER, 0, 0, wake_up_later, &sleeper);
	run(machine);
	ck_assert_uint_eq(other->finished, 30000);
	ck_assert_uint_eq(sleeper.context->finished, 105000);
	support_machine_free(machine);
}
END_TEST

/* A CPU that is to wake late can still be woken early. */
START_TEST(test_early_waking_passes_a_late_one)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct sleeper late = { .times = 0 }, early = { .times = 0 };

	late.context = start(machine, 1, sleep_and_calculate, &late);
	early.context = start(machine, 1, sleep_and_calculate, &early);
	machine_at(machine, 5000, EVENT_TIMER, 0, 0, wake_up_later, &late);
	machine_at(machine, 50000, EVENT_TIMER, 0, 0, wake_up, &early);
	run(machine);
	ck_assert_uint_eq(early.context->finished, 50000);
	ck_assert_uint_eq(late.context->finished, 105000);
	support_machine_free(machine);
}
END_TEST

/* ---- the end ---- */

static void sleep_for_ever(void *arg)
{
	(void)arg;
	context_block();
}

START_TEST(test_deadlock_is_seen)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	u32 times = 5;

	start(machine, 0, sleep_for_ever, NULL);
	start(machine, 1, calculate, &times);
	ck_assert(!machine_run(machine));
	ck_assert_uint_eq(machine->live_contexts, 1);
	support_machine_free(machine);
}
END_TEST

/* A machine goes on where it was, with what it has. */
START_TEST(test_run_again)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct context *first, *second;
	u32 times = 5;

	account_set_cost(machine, function_index("calc"), 10, 0);
	ck_assert(machine_run(machine));	/* nothing to do */
	first = start(machine, 0, calculate, &times);
	run(machine);
	second = start(machine, 0, calculate, &times);
	run(machine);
	ck_assert_uint_eq(first->finished, 50000);
	ck_assert_uint_eq(second->started, 50000);
	ck_assert_uint_eq(second->finished, 100000);
	support_machine_free(machine);
}
END_TEST

static void stop_machine(void *arg, ps_t now)
{
	(void)now;
	((struct machine *)arg)->stopped = true;
}

START_TEST(test_stop_and_go_on)
{
	struct machine_profile profile = small_profile(1, 2, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	struct context *c;
	u32 times = 100;

	account_set_cost(machine, function_index("calc"), 10, 0);
	c = start(machine, 0, calculate, &times);
	machine_at(machine, 500000, EVENT_CONTROL, 0, 0, stop_machine, machine);
	ck_assert(!machine_run(machine));
	ck_assert_uint_ge(machine->cpus[0].clock, 500000);
	ck_assert_uint_le(machine->cpus[0].clock, 510000);
	machine->stopped = false;
	run(machine);
	ck_assert_uint_eq(c->finished, 1000000);
	support_machine_free(machine);
}
END_TEST

Suite *suite_order(void)
{
	const TTest *const tests[] = {
		test_accesses_are_in_order,
		test_lookahead_saves_switches,
		test_reads_are_not_older_than_the_lookahead,
		test_same_seed_same_result,
		test_hyper_threads_slow_each_other,
		test_sleeping_thread_slows_nobody,
		test_contexts_take_turns,
		test_woken_no_earlier_than_the_waking,
		test_early_waking_passes_a_late_one,
		test_deadlock_is_seen,
		test_run_again,
		test_stop_and_go_on,
		NULL,
	};

	return support_suite("order", tests, NULL, NULL);
}
