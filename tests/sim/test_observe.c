/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Somebody who looks on sees each access and call, and changes nothing. */
#include "sim/observe.h"
#include "support.h"

#define SEEN_MAX 64u

struct seen {
	u32 calls, accesses;
	const char *call[SEEN_MAX];
	const char *function[SEEN_MAX];	/* of each access */
	u32 line[SEEN_MAX];
	u32 kind[SEEN_MAX];
	const struct object *object[SEEN_MAX];
};

static const char *running(const struct cpu *cpu)
{
	return cpu->node->function == NO_FUNCTION ? "" :
		__start_function_sites[cpu->node->function].name;
}

static void see_access(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site)
{
	struct seen *seen = arg;

	must(seen->accesses < SEEN_MAX);
	seen->function[seen->accesses] = running(cpu);
	seen->line[seen->accesses] = line;
	seen->kind[seen->accesses] = site->kind;
	seen->object[seen->accesses++] = o;
}

static void see_call(void *arg, const struct cpu *cpu)
{
	struct seen *seen = arg;

	must(seen->calls < SEEN_MAX);
	seen->call[seen->calls++] = running(cpu);
}

static struct cell *cells;

static void inner(void)
{
	FUNCTION(inner);
	UPDATE(&cells[1], value, += 1);
	ATOMIC_INC(&cells[1], other);
}

/* Hits and misses of each kind, with stores under way. */
static void outer(void)
{
	FUNCTION(outer);
	(void)READ(&cells[0], value);
	(void)READ(&cells[0], value);
	WRITE(&cells[2], value, 1);
	WRITE(&cells[0], value, 1);
	inner();
	PREFETCH(&cells[3], value);
	WORK(5);
	READ_BYTES(&cells[4], bytes, 60, 8);
}

struct plan {
	u32 before, watched, after;
	struct seen *seen;	/* NULL: nobody looks on */
};

static void main_of(void *arg)
{
	const struct plan *plan = arg;
	struct observer observer = {
		.access = see_access, .call = see_call, .arg = plan->seen,
	};
	u32 i;

	for (i = 0; i < plan->before; i++)
		outer();
	if (plan->seen)
		machine_observe(this_cpu->machine, &observer);
	for (i = 0; i < plan->watched; i++)
		outer();
	machine_observe(this_cpu->machine, NULL);
	for (i = 0; i < plan->after; i++)
		outer();
}

static void add_tick(void *arg, ps_t now)
{
	(void)now;
	++*(u32 *)arg;
}

/* Runs a plan; gives the clocks and what was counted as one text. */
static char *run_plan(const struct plan *plan, u32 cpus)
{
	struct machine_profile profile = roomy_profile(1, cpus, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	GString *text = g_string_new(NULL);
	u32 i, level, ticks = 0;

	account_set_cost(machine, function_index("inner"), 30, 2);
	account_set_cost(machine, function_index("outer"), 100, 3);
	cells = cells_new(machine, 0, 8);
	share(machine, cells, 8);
	for (i = 1; i < 20; i++)
		machine_at(machine, i * 500000, EVENT_CONTROL, 0, 0, add_tick,
			   &ticks);
	for (i = 0; i < cpus; i++)
		start(machine, i, main_of, (void *)plan);
	run(machine);
	for (i = 0; i < cpus; i++)
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " ",
				       machine->cpus[i].clock);
	for (i = 0; i < machine->account.num_sites; i++)
		for (level = 0; level < NUM_LEVEL; level++)
			g_string_append_printf(text, "%" G_GUINT64_FORMAT ".",
				machine->account.sites[i].level[level]);
	g_string_append_printf(text, " %" G_GUINT64_FORMAT " %u",
			       hits_of(machine, "outer", NULL,
				       NUM_ACCESS_KINDS), ticks);
	g_free(cells);
	support_machine_free(machine);
	return g_string_free(text, FALSE);
}

START_TEST(test_sees_all)
{
	static const u32 kinds[] = {
		ACCESS_READ, ACCESS_READ, ACCESS_WRITE, ACCESS_WRITE,
		ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_PREFETCH,
		ACCESS_READ, ACCESS_READ,
	};
	static const u32 cell_of[] = { 0, 0, 2, 0, 1, 1, 1, 3, 4, 5 };
	struct seen seen = { 0 };
	struct plan plan = { 3, 1, 2, &seen };
	u32 i;

	g_free(run_plan(&plan, 1));
	ck_assert_uint_eq(seen.calls, 2);
	ck_assert_str_eq(seen.call[0], "outer");
	ck_assert_str_eq(seen.call[1], "inner");
	ck_assert_uint_eq(seen.accesses, G_N_ELEMENTS(kinds));
	for (i = 0; i < seen.accesses; i++) {
		ck_assert_uint_eq(seen.kind[i], kinds[i]);
		ck_assert_uint_eq(seen.line[i] - seen.line[0], cell_of[i]);
		ck_assert_str_eq(seen.function[i], i >= 4 && i <= 6 ?
				 "inner" : "outer");
	}
	/* The second line of the bytes still belongs to their object. */
	ck_assert_ptr_eq(seen.object[9], seen.object[8]);
}
END_TEST

START_TEST(test_changes_nothing)
{
	struct seen seen = { 0 };
	struct plan plan = { 2, 3, 2, NULL };
	g_autofree char *alone = run_plan(&plan, 1);
	g_autofree char *watched = NULL;

	plan.seen = &seen;
	watched = run_plan(&plan, 1);
	ck_assert_uint_eq(seen.calls, 6);
	ck_assert_str_eq(alone, watched);
}
END_TEST

/* Also where two CPUs fight for the lines, and events come between. */
START_TEST(test_changes_no_order)
{
	struct seen seen = { 0 };
	struct plan plan = { 2, 2, 4, NULL };
	g_autofree char *alone = run_plan(&plan, 2);
	g_autofree char *watched = NULL;

	plan.seen = &seen;
	watched = run_plan(&plan, 2);
	ck_assert_uint_gt(seen.calls, 2);
	ck_assert_str_eq(alone, watched);
}
END_TEST

/* ---- the other words ---- */

struct words {
	u32 pauses, done, spun, contexts, slept, woke;
	bool waiting;		/* between pause and what ends it */
	ps_t stalled, spins;
};

static void see_pause(void *arg, const struct cpu *cpu)
{
	struct words *words = arg;

	(void)cpu;
	words->pauses++;
	words->waiting = true;
}

static void see_resume(void *arg, const struct cpu *cpu)
{
	(void)cpu;
	((struct words *)arg)->waiting = false;
}

static void see_done(void *arg, const struct cpu *cpu, const struct object *o,
		     const struct access_site *site, enum level level,
		     ps_t since)
{
	struct words *words = arg;

	must(since <= cpu->clock && o->type && site->member);
	must(level < NUM_LEVEL && words->waiting);
	words->done++;
	words->stalled += cpu->clock - since;
	words->waiting = false;
}

static void see_spun(void *arg, const struct cpu *cpu, ps_t since)
{
	struct words *words = arg;

	words->spun++;
	words->spins += cpu->clock - since;
}

static void see_context(void *arg, const struct cpu *cpu,
			const struct context *next)
{
	must(next != cpu->current && next->cpu == cpu);
	((struct words *)arg)->contexts++;
}

static void see_idle(void *arg, const struct cpu *cpu, bool asleep)
{
	struct words *words = arg;

	must(cpu->current == cpu->idle && cpu->asleep == asleep);
	words->slept += asleep;
	words->woke += !asleep;
}

static void nothing(void *arg, const struct cpu *cpu)
{
	(void)arg;
	(void)cpu;
}

static void no_access(void *arg, const struct cpu *cpu, const struct object *o,
		      u32 line, const struct access_site *site)
{
	(void)arg;
	(void)cpu;
	(void)o;
	(void)line;
	(void)site;
}

static struct context *sleeper;

static void sleep_once(void *arg)
{
	(void)arg;
	outer();
	context_block();
	outer();
}

static void wake_it(void *arg, ps_t now)
{
	(void)arg;
	context_wake(sleeper, now);
}

/* Each access, switch and sleep has its words, and those of an access are two. */
START_TEST(test_words)
{
	struct words words = { 0 };
	struct machine_profile profile = roomy_profile(1, 1, 1);
	struct machine *machine = support_machine(&profile, 1, false);
	const struct observer observer = {
		.access = no_access, .call = nothing, .pause = see_pause,
		.resume = see_resume, .done = see_done, .spun = see_spun,
		.context = see_context, .idle = see_idle, .arg = &words,
	};
	const ps_t late = 50 * PS_PER_US;

	account_set_cost(machine, function_index("inner"), 30, 0);
	account_set_cost(machine, function_index("outer"), 100, 0);
	cells = cells_new(machine, 0, 8);
	machine_observe(machine, &observer);
	sleeper = start(machine, 0, sleep_once, NULL);
	machine_at(machine, late, EVENT_CONTROL, 0, 0, wake_it, NULL);
	run(machine);
	ck_assert_uint_eq(words.done, 20);
	ck_assert_uint_ge(words.pauses, words.done);
	ck_assert_uint_eq(words.spun, 0);
	ck_assert_uint_eq(words.contexts, 4);	/* there and back, twice */
	ck_assert_uint_eq(words.woke, 2);
	ck_assert_uint_eq(words.slept, 2);
	ck_assert_uint_gt(words.stalled, 0);
	ck_assert_uint_gt(machine->cpus[0].clock, late);
	g_free(cells);
	support_machine_free(machine);
}
END_TEST

Suite *suite_observe(void)
{
	const TTest *const tests[] = {
		test_sees_all, test_changes_nothing, test_changes_no_order,
		test_words, NULL,
	};

	return support_suite("observe", tests, NULL, NULL);
}
