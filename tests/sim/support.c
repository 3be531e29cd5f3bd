/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of the sim room share; see support.h. */
#include <string.h>

#include "support.h"
#include "tests/profile.h"

struct started {
	struct started *next;
	struct machine *machine;
	struct context *context;
};

static struct started *all_started;
static struct object_type cell_type;

struct machine_profile small_profile(u32 packages, u32 cores, u32 threads)
{
	return (struct machine_profile){
		.name = (char *)"small",
		.packages = packages,
		.cores = cores,
		.threads = threads,
		.node_bytes = 4ull << 20,
		.smt_milli = threads > 1 ? 1500 : 1000,
		.l1d = { 4 * 2 * LINE_SIZE, 2 },
		.l2 = { 8 * 4 * LINE_SIZE, 4 },
		.l3 = { 16 * 8 * LINE_SIZE, 8 },
		TEST_PROFILE_NUMBERS,
	};
}

struct machine_profile roomy_profile(u32 packages, u32 cores, u32 threads)
{
	struct machine_profile profile =
		small_profile(packages, cores, threads);

	profile.l1d = (struct cache_profile){ 64 * 8 * LINE_SIZE, 8 };
	profile.l2 = (struct cache_profile){ 512 * 8 * LINE_SIZE, 8 };
	profile.l3 = (struct cache_profile){ 1024 * 16 * LINE_SIZE, 16 };
	return profile;
}

ps_t load_ps(const struct machine *machine, enum level level)
{
	const ps_t *latency = machine->profile->latency;

	return latency[level] - latency[LEVEL_L1_HIT];
}

#define PLACE(member, offset) \
	object_type_place(&cell_type, offsetof(struct cell, member), \
			  sizeof(((struct cell *)0)->member), offset)

static void make_cell_type(void)
{
	object_type_init(&cell_type, "cell", sizeof(struct cell), LINE_SIZE);
	PLACE(value, 0);
	PLACE(other, 8);
	PLACE(lock, 16);
	PLACE(inner, 20);
	PLACE(rwlock, 24);
	PLACE(mutex, 32);
	PLACE(mutex2, 36);
	PLACE(semaphore, 40);
	PLACE(seq, 48);
	PLACE(refs, 52);
	PLACE(points_to, 56);
	PLACE(bytes, 0);
}

struct machine *support_machine(const struct machine_profile *profile, u64 seed,
				bool check)
{
	object_type_fini(&cell_type);
	make_cell_type();
	return machine_new(profile, seed, check);
}

void support_machine_free(struct machine *machine)
{
	struct started **p = &all_started;

	while (*p) {
		struct started *gone = *p;

		if (gone->machine != machine) {
			p = &gone->next;
			continue;
		}
		*p = gone->next;
		context_free(gone->context);
		g_free(gone);
	}
	machine_free(machine);
	if (!all_started)
		object_type_fini(&cell_type);
	this_cpu = NULL;
}

struct context *start(struct machine *machine, u32 cpu, void (*fn)(void *),
		      void *arg)
{
	struct started *started = g_new0(struct started, 1);

	started->machine = machine;
	started->context = context_new(&machine->cpus[cpu], "test", fn, arg);
	started->next = all_started;
	all_started = started;
	return started->context;
}

void run(struct machine *machine)
{
	ck_assert(machine_run(machine));
}

void cell_init(struct cell *cell, u32 line)
{
	memset(cell, 0, sizeof(*cell));
	object_init(&cell->object, &cell_type, (u64)line << LINE_SHIFT);
}

struct line_total *support_line_total(struct machine *machine,
				      const struct cell *cell)
{
	struct account *account = &machine->account;
	u32 number = cell->object.type->number;

	if (number > account->num_types ||
	    account->types[number].type != cell->object.type)
		number = account_type_slow(account, cell->object.type);
	return account_line(account, number, 0);
}

struct line_shared *support_line_shared(struct machine *machine,
					const struct cell *cell)
{
	return &machine->shared[machine->lines[cell->object.line].shared];
}

struct cell *cells_new(struct machine *machine, u32 node, u32 n)
{
	struct cell *cells = g_new0(struct cell, n);
	u32 order = 0, line, i;

	while (LINES_PER_PAGE << order < n)
		order++;
	line = machine_alloc_pages(machine, node, order) >> LINE_SHIFT;
	ck_assert_uint_ne(line, 0);
	for (i = 0; i < n; i++)
		cell_init(&cells[i], line + i);
	return cells;
}

void share(struct machine *machine, struct cell *cells, u32 n)
{
	u32 cpu, i;

	for (cpu = 0; cpu < machine->num_cpus; cpu++) {
		this_cpu = &machine->cpus[cpu];
		for (i = 0; i < n; i++)
			ATOMIC_INC(&cells[i], other);
	}
	for (i = 0; i < n; i++)
		support_line_shared(machine, &cells[i])->busy_until = 0;
	for (cpu = 0; cpu < machine->num_cpus; cpu++)
		machine->cpus[cpu].clock = 0;
}

static bool is_site(u32 i, const char *function, const char *member,
		    enum access_kind kind)
{
	const struct access_site *site = &__start_access_sites[i];

	return g_str_equal(site->function, function) &&
	       (!member || g_str_equal(site->member, member)) &&
	       (kind == NUM_ACCESS_KINDS || site->kind == kind);
}

struct site_count sites_of(const struct machine *machine, const char *function,
			   const char *member, enum access_kind kind)
{
	struct site_count sum = { .stall_ps = 0 };
	u32 i, level, found = 0;

	for (i = 0; i < num_access_sites(); i++) {
		const struct site_count *c = &machine->account.sites[i];

		if (!is_site(i, function, member, kind))
			continue;
		found++;
		for (level = 0; level < NUM_LEVEL; level++)
			sum.level[level] += c->level[level];
		sum.stall_ps += c->stall_ps;
		sum.invalidations += c->invalidations;
		sum.hitm_core += c->hitm_core;
		sum.hitm_package += c->hitm_package;
	}
	ck_assert_uint_gt(found, 0);
	return sum;
}

u64 hits_of(const struct machine *machine, const char *function,
	    const char *member, enum access_kind kind)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++)
		if (is_site(i, function, member, kind))
			sum += machine->account.hits[i];
	return sum;
}

struct lock_count locks_of(const struct machine *machine, const char *function,
			   const char *member)
{
	struct lock_count sum = { .acquired = 0 };
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct lock_count *c = &machine->account.locks[i];

		if (!is_site(i, function, member, NUM_ACCESS_KINDS))
			continue;
		sum.acquired += c->acquired;
		sum.contended += c->contended;
		sum.wait_ps += c->wait_ps;
		sum.hold_ps += c->hold_ps;
	}
	return sum;
}

u32 function_index(const char *name)
{
	u32 i;

	for (i = 0; i < num_function_sites(); i++)
		if (g_str_equal(__start_function_sites[i].name, name))
			return i;
	ck_abort_msg("no FUNCTION(%s) in the tests", name);
	return 0;
}

void verify_lines(const struct machine *machine, u32 first, u32 n)
{
	u32 line;

	for (line = first; line < first + n; line++) {
		const char *wrong = cache_verify_line(machine, line);

		if (wrong)
			ck_abort_msg("line %u: %s", line - first, wrong);
	}
}

Suite *support_suite(const char *name, const TTest *const *tests,
		     void (*setup)(void), void (*teardown)(void))
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, setup, teardown);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	suite_add_tcase(suite, tcase);
	return suite;
}
