/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random traffic: one writer or many readers, on every machine; and, one access
 * at a time, the same holders, owner and level as a naive model says, which is
 * written here without a look at how sim/cache.c does it: plain lists of what
 * each cache holds, searched anew each time.
 */
#include <string.h>

#include "support.h"

#define NUM_LINES 96u

/* ---- the naive model ---- */

struct naive_way {
	u32 line;		/* 0: none */
	u64 used;
};

struct naive_cache {
	u32 sets, ways;
	struct naive_way *at;	/* [sets][ways] */
};

struct naive_line {
	int owner;		/* core, -1: none */
	bool modified;
	u64 seen[2];		/* by thread: cores where it did since its core
				 * got the line */
};

struct naive {
	const struct machine_profile *profile;
	struct naive_cache l1[MAX_CORES], l2[MAX_CORES], l3[MAX_PACKAGES];
	struct naive_line lines[NUM_LINES];
	u32 first_line, num_cores;
	u64 now;
};

static struct naive_cache naive_cache(const struct cache_profile *profile)
{
	struct naive_cache c = { .ways = profile->ways };

	c.sets = MAX(profile->size / LINE_SIZE / profile->ways, 1);
	c.at = g_new0(struct naive_way, (size_t)c.sets * c.ways);
	return c;
}

static struct naive *naive_new(const struct machine_profile *profile,
			       u32 first_line)
{
	struct naive *n = g_new0(struct naive, 1);
	u32 i;

	n->profile = profile;
	n->first_line = first_line;
	n->num_cores = profile->packages * profile->cores;
	for (i = 0; i < n->num_cores; i++) {
		n->l1[i] = naive_cache(&profile->l1d);
		n->l2[i] = naive_cache(&profile->l2);
	}
	for (i = 0; i < profile->packages; i++)
		n->l3[i] = naive_cache(&profile->l3);
	for (i = 0; i < NUM_LINES; i++)
		n->lines[i].owner = -1;
	return n;
}

static void naive_free(struct naive *n)
{
	u32 i;

	for (i = 0; i < n->num_cores; i++) {
		g_free(n->l1[i].at);
		g_free(n->l2[i].at);
	}
	for (i = 0; i < n->profile->packages; i++)
		g_free(n->l3[i].at);
	g_free(n);
}

static struct naive_way *find_way(const struct naive_cache *c, u32 line)
{
	u32 i;

	for (i = 0; i < c->ways; i++)
		if (c->at[line % c->sets * c->ways + i].line == line)
			return &c->at[line % c->sets * c->ways + i];
	return NULL;
}

static void forget(const struct naive_cache *c, u32 line)
{
	struct naive_way *way = find_way(c, line);

	if (way)
		*way = (struct naive_way){ 0 };
}

/* Uses the line there; gives the one that had to go, or 0. */
static u32 use(struct naive *n, struct naive_cache *c, u32 line)
{
	struct naive_way *way = find_way(c, line), *set;
	u32 i, gone;

	if (!way) {
		set = &c->at[line % c->sets * c->ways];
		way = set;
		for (i = 1; i < c->ways; i++)
			if (set[i].used < way->used)
				way = &set[i];
	}
	gone = way->line == line ? 0 : way->line;
	*way = (struct naive_way){ line, n->now };
	return gone;
}

static struct naive_line *line_of(struct naive *n, u32 line)
{
	return &n->lines[line - n->first_line];
}

static void leaves_l1(struct naive *n, u32 core, u32 line)
{
	forget(&n->l1[core], line);
	line_of(n, line)->seen[0] &= ~(1ull << core);
	line_of(n, line)->seen[1] &= ~(1ull << core);
}

static void leaves_core(struct naive *n, u32 core, u32 line)
{
	leaves_l1(n, core, line);
	forget(&n->l2[core], line);
	if (line_of(n, line)->owner == (int)core) {
		line_of(n, line)->owner = -1;
		line_of(n, line)->modified = false;
	}
}

static void leaves_package(struct naive *n, u32 package, u32 line)
{
	u32 core;

	for (core = 0; core < n->num_cores; core++)
		if (core / n->profile->cores == package)
			leaves_core(n, core, line);
	forget(&n->l3[package], line);
}

static void use_l3(struct naive *n, u32 package, u32 line)
{
	u32 gone;

	if (!n->profile->l3.size)
		return;
	gone = use(n, &n->l3[package], line);
	if (gone)
		leaves_package(n, package, gone);
}

static u64 holders(const struct naive *n, u32 line)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < n->num_cores; i++)
		if (find_way(&n->l2[i], line))
			mask |= 1ull << i;
	return mask;
}

static u32 l3_holders(const struct naive *n, u32 line)
{
	u32 mask = 0, i;

	for (i = 0; i < n->profile->packages; i++)
		if (find_way(&n->l3[i], line))
			mask |= 1u << i;
	return mask;
}

static enum level naive_level(struct naive *n, u32 core, u32 thread, u32 line)
{
	const struct naive_line *l = line_of(n, line);
	u32 package = core / n->profile->cores, i;
	bool package_has = false;

	if (find_way(&n->l1[core], line))
		return l->seen[thread] >> core & 1 ? LEVEL_L1_HIT :
			LEVEL_SIBLING_HIT;
	if (find_way(&n->l2[core], line))
		return LEVEL_L2_HIT;
	if (l->owner >= 0 && (u32)l->owner / n->profile->cores == package)
		return l->modified ? LEVEL_OTHER_CORE_HITM :
			LEVEL_OTHER_CORE_CLEAN;
	if (l->owner >= 0)
		return l->modified ? LEVEL_OTHER_PACKAGE_HITM :
			LEVEL_OTHER_PACKAGE_CLEAN;
	if (find_way(&n->l3[package], line))
		return LEVEL_L3_HIT;
	for (i = 0; i < n->num_cores; i++)
		if (i / n->profile->cores == package &&
		    find_way(&n->l2[i], line))
			package_has = true;
	if (package_has)
		return LEVEL_OTHER_CORE_CLEAN;
	if (holders(n, line) || l3_holders(n, line))
		return LEVEL_OTHER_PACKAGE_CLEAN;
	return package ? LEVEL_REMOTE_DRAM : LEVEL_LOCAL_DRAM;
}

/* All others lose it. */
static void take_for_writing(struct naive *n, u32 core, u32 line)
{
	u32 package = core / n->profile->cores, i;

	for (i = 0; i < n->num_cores; i++)
		if (i != core)
			leaves_core(n, i, line);
	for (i = 0; i < n->profile->packages; i++)
		if (i != package)
			forget(&n->l3[i], line);
}

/* L1 does not have it, or not the right to write: L2 is used unless the line
 * is in L1, and L3 unless it is in L2. */
static void naive_miss(struct naive *n, u32 core, u32 line, bool write)
{
	struct naive_line *l = line_of(n, line);
	u32 package = core / n->profile->cores, gone = 0;
	bool in_l1 = find_way(&n->l1[core], line);
	bool in_l2 = find_way(&n->l2[core], line);

	if (write) {
		take_for_writing(n, core, line);
	} else if (l->owner >= 0 && l->owner != (int)core) {
		u32 was = (u32)l->owner / n->profile->cores;

		l->owner = -1;
		l->modified = false;
		use_l3(n, was, line);
	}
	if (!in_l2)
		use_l3(n, package, line);
	if (!in_l1)
		gone = use(n, &n->l2[core], line);
	if (gone)
		leaves_core(n, core, gone);
	if (write || (holders(n, line) == 1ull << core &&
		      !(l3_holders(n, line) & ~(1u << package))))
		l->owner = (int)core;
}

static enum level naive_access(struct naive *n, u32 core, u32 thread, u32 line,
			       bool write)
{
	struct naive_line *l = line_of(n, line);
	enum level level = naive_level(n, core, thread, line);
	u32 gone;

	n->now++;
	if (level != LEVEL_L1_HIT || (write && l->owner != (int)core))
		naive_miss(n, core, line, write);
	if (write)
		l->modified = true;
	gone = use(n, &n->l1[core], line);
	if (gone)
		leaves_l1(n, core, gone);
	l->seen[thread] |= 1ull << core;
	return level;
}

/* ---- one access at a time, on both ---- */

static void access_at(struct cell *cell, u32 op)
{
	FUNCTION(access_at);

	if (op < 60)
		READ(cell, value);
	else if (op < 85)
		WRITE(cell, value, 1);
	else
		ATOMIC_INC(cell, value);
}

/* What the lines' counts say, compared with those before the access. */
static enum level level_of_last(const struct line_total *now,
				const struct line_total *before)
{
	u32 level;

	for (level = LEVEL_L2_HIT; level < NUM_LEVEL; level++)
		if (now->level[level] != before->level[level])
			return level;
	return LEVEL_L1_HIT;
}

static void compare_line(const struct machine *machine, struct naive *n,
			 u32 line)
{
	const struct line *l = &machine->lines[line];
	int owner = l->owner - 1;

	must(line_cores(machine, l) == holders(n, line));
	must(l->packages == l3_holders(n, line));
	must(owner == line_of(n, line)->owner);
}

static void compare_machine(const struct machine_profile *profile, u32 ops)
{
	struct machine *machine = support_machine(profile, 1, false);
	struct cell *cells = cells_new(machine, 0, NUM_LINES);
	u32 first = cells[0].object.line, i;
	struct naive *n = naive_new(profile, first);
	struct random_stream stream;
	u32 levels[NUM_LEVEL] = { 0 };
	ps_t now = 0;

	random_seed(&stream, 1, "coherence", machine->num_cpus);
	for (i = 0; i < ops; i++) {
		u32 id = random_below(&stream, machine->num_cpus);
		struct cpu *cpu = &machine->cpus[id];
		u32 at = random_below(&stream, NUM_LINES);
		u32 op = random_below(&stream, 100);
		struct line_total before;
		enum level level, naive;

		/* Some lines are used far more than others. */
		if (op % 2)
			at = random_below(&stream, at + 1);
		this_cpu = cpu;
		cpu->clock = MAX(cpu->clock, now);
		before = *support_line_total(machine, cells);
		access_at(&cells[at], op);
		now = MAX(cpu->clock, cpu->stores_drained) + PS_PER_US;
		level = level_of_last(support_line_total(machine, cells),
				      &before);
		naive = naive_access(n, cpu->core->id,
				     cpu->core->cpus[1] == cpu, first + at,
				     op >= 60);
		if (level != naive)
			ck_abort_msg("access %u, CPU %u, line %u, op %u: level "
				     "%u, naively %u", i, cpu->id, at, op,
				     level, naive);
		compare_line(machine, n, first + at);
		verify_lines(machine, first + at, 1);
		levels[level]++;
	}
	for (i = first; i < first + NUM_LINES; i++)
		compare_line(machine, n, i);
	verify_lines(machine, first, NUM_LINES);
	ck_assert_uint_gt(levels[LEVEL_L1_HIT], 0);
	ck_assert_uint_gt(levels[LEVEL_LOCAL_DRAM], 0);
	g_free(cells);
	naive_free(n);
	support_machine_free(machine);
}

/* Where nothing is evicted, hyper-threads and all. */
START_TEST(test_as_a_naive_model_without_evictions)
{
	struct machine_profile profile = roomy_profile(1, 1, 2);

	compare_machine(&profile, 5000);
	profile = roomy_profile(1, 4, 2);
	compare_machine(&profile, 20000);
	profile = roomy_profile(3, 2, 2);
	compare_machine(&profile, 40000);
	profile.l3.size = 0;
	compare_machine(&profile, 20000);
}
END_TEST

/* Where nearly every miss evicts something. */
START_TEST(test_as_a_naive_model_with_evictions)
{
	struct machine_profile profile = small_profile(1, 2, 1);

	profile.l3.size = 8 * 8 * LINE_SIZE;
	compare_machine(&profile, 40000);
	profile = small_profile(2, 3, 1);
	profile.l3.size = 8 * 8 * LINE_SIZE;
	compare_machine(&profile, 40000);
	/* L3 no larger than what it must include. */
	profile.l3 = (struct cache_profile){ 8 * 4 * LINE_SIZE, 4 };
	compare_machine(&profile, 40000);
	profile.l3.size = 0;
	compare_machine(&profile, 40000);
}
END_TEST

/* ---- all at once ---- */

struct traffic {
	struct machine *machine;
	struct cell *cells;
	u32 cpu;
	u32 count;
	u64 added;
};

static void one_access(struct traffic *traffic, struct random_stream *stream)
{
	struct cell *cell = &traffic->cells[random_below(stream, NUM_LINES)];
	FUNCTION(one_access);

	switch (random_below(stream, 12)) {
	case 0:
	case 1:
		WRITE(cell, value, 1);
		break;
	case 2:
		ATOMIC_INC(cell, other);
		traffic->added++;
		break;
	case 3:
		PREFETCH(cell, value);
		break;
	case 4:
		UPDATE(cell, value, += 1);
		break;
	case 5:
		FENCE();
		break;
	case 6:
		WORK(random_below(stream, 300));
		break;
	default:
		READ(cell, value);
		break;
	}
	verify_lines(traffic->machine, cell->object.line, 1);
}

static void make_traffic(void *arg)
{
	struct traffic *traffic = arg;
	struct random_stream stream;
	u32 i;

	random_seed(&stream, 7, "traffic", traffic->cpu);
	for (i = 0; i < traffic->count; i++)
		one_access(traffic, &stream);
}

static void run_traffic(const struct machine_profile *profile, u32 count)
{
	struct machine *machine = support_machine(profile, 1, false);
	struct cell *cells = cells_new(machine, 0, NUM_LINES);
	struct traffic traffic[MAX_CPUS];
	u64 added = 0, sum = 0;
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		traffic[i] = (struct traffic){ machine, cells, i,
					       count / machine->num_cpus, 0 };
		start(machine, i, make_traffic, &traffic[i]);
	}
	run(machine);
	verify_lines(machine, cells[0].object.line, NUM_LINES);
	for (i = 0; i < machine->num_cpus; i++) {
		ck_assert_uint_gt(machine->cpus[i].clock, 0);
		added += traffic[i].added;
	}
	for (i = 0; i < NUM_LINES; i++)
		sum += cells[i].other;
	ck_assert_uint_eq(sum, added);
	g_free(cells);
	support_machine_free(machine);
}

static const u32 topologies[][3] = {
	{ 1, 1, 2 }, { 1, 2, 1 }, { 2, 1, 1 }, { 1, 4, 2 }, { 2, 6, 2 },
	{ 4, 4, 2 }, { 8, 8, 1 }, { 1, 64, 1 }, { 2, 16, 2 },
};

START_TEST(test_single_writer)
{
	const u32 *t = topologies[_i];
	struct machine_profile profile = small_profile(t[0], t[1], t[2]);

	run_traffic(&profile, 60000);
	profile.adjacent_line_prefetch = true;
	run_traffic(&profile, 60000);
	profile.l3.size = 0;
	run_traffic(&profile, 60000);
	profile = roomy_profile(t[0], t[1], t[2]);
	run_traffic(&profile, 60000);
}
END_TEST

Suite *suite_coherence(void)
{
	const TTest *const tests[] = {
		test_as_a_naive_model_without_evictions,
		test_as_a_naive_model_with_evictions,
		NULL,
	};
	Suite *suite = support_suite("coherence", tests, NULL, NULL);
	TCase *tcase = tcase_create("topologies");

	tcase_add_loop_test(tcase, test_single_writer, 0,
			    ARRAY_SIZE(topologies));
	suite_add_tcase(suite, tcase);
	return suite;
}
