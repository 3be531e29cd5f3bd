/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the caches hold: tags and words, where a line is found, and what an
 * access does to everybody's copies.  Nothing here takes time; access.c asks
 * these questions in order and turns the answers into a stall.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/cache.h"
#include "sim/machine.h"
#include "sim/request.h"

/* ---- tags: what is where, and what must leave ---- */

/* The cores of a package. */
static u64 package_cores(const struct machine *machine, u32 package)
{
	u32 n = machine->profile->cores;

	return (n == 64 ? ~0ull : (1ull << n) - 1) << package * n;
}

static bool in_l1(const struct core *core, u32 line)
{
	u32 i;

	for (i = 0; i < core->num_cpus; i++)
		if (core->cpus[i]->words[line])
			return true;
	return false;
}

u32 cache_count_held(const struct cpu *cpu, u32 line, u32 n)
{
	const struct machine *machine = cpu->machine;
	u32 last = MIN(line + n, machine->max_lines), held = 0;

	for (; line < last; line++)
		held += (line_cores(machine, &machine->lines[line]) &
			 core_bit(cpu->core)) != 0;
	return held;
}

/* Takes the line out of a core's L1; a silent write becomes known. */
static void l1_drop(struct core *core, struct line *l, u32 line)
{
	u32 i;

	for (i = 0; i < core->num_cpus; i++) {
		u32 *word = &core->cpus[i]->words[line];

		if (word_state(*word) == WORD_MODIFIED)
			l->dirty = true;
		*word = 0;
	}
}

/* Makes room for a line that is in L1 (a word is set) but has no tag yet. */
static void l1_insert(struct machine *machine, struct core *core, u32 line)
{
	u32 *set = &core->l1.line[(line & (core->l1.sets - 1)) * core->l1.ways];
	const u32 *first = core->cpus[0]->words;
	const u32 *second = core->cpus[core->num_cpus - 1]->words;
	u32 way, victim = 0, oldest = UINT32_MAX;

	for (way = 0; way < core->l1.ways; way++)
		if (set[way] == line)
			return;
	for (way = 0; way < core->l1.ways; way++) {
		u32 a = first[set[way]], b = second[set[way]];
		u32 last = MAX(a & WORD_TICK, b & WORD_TICK);

		if (!(a | b)) {		/* free, or gone since */
			set[way] = line;
			return;
		}
		if (last < oldest) {
			oldest = last;
			victim = way;
		}
	}
	l1_drop(core, &machine->lines[set[victim]], set[victim]);
	set[victim] = line;
}

/* The core's caches lose a line whose tag in L2 is gone already. */
static void core_drop(struct machine *machine, struct core *core, u32 line)
{
	struct line *l = &machine->lines[line];

	l1_drop(core, l, line);
	line_unhold(machine, l, core_bit(core));
	if (line_owned_by(l, core)) {
		l->owner = 0;	/* written back to L3 or memory */
		l->dirty = false;
	}
}

/* Notes a use of `line` in an L2 or L3, whose sets stand in the order of the
 * last use; gives the line that must leave for it, 0 if none. */
static u32 tags_touch(struct tags *tags, u32 line)
{
	u32 *set = &tags->line[line % tags->sets * tags->ways];
	u32 way = 0, last = tags->ways - 1, gone;

	while (way < last && set[way] != line)
		way++;
	gone = set[way] == line ? 0 : set[way];
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = line;
	return gone;
}

/* The line is gone: there is a free way behind the others. */
static void tags_forget(struct tags *tags, u32 line)
{
	u32 *set = &tags->line[line % tags->sets * tags->ways];
	u32 way, last = tags->ways - 1;

	for (way = 0; way <= last; way++) {
		if (set[way] == line) {
			memmove(set + way, set + way + 1,
				(last - way) * sizeof(*set));
			set[last] = 0;
			return;
		}
	}
}

/* Somebody else takes the line away from a core. */
static void core_forget(struct machine *machine, struct core *core, u32 line)
{
	tags_forget(&core->l2, line);
	core_drop(machine, core, line);
}

/* L3 includes the L2s below it: what leaves it leaves them. */
static void package_drop(struct machine *machine, u32 package, u32 line)
{
	u64 cores = line_cores(machine, &machine->lines[line]) &
		    package_cores(machine, package);

	while (cores) {
		core_forget(machine,
			    &machine->cores[__builtin_ctzll(cores)], line);
		cores &= cores - 1;
	}
	machine->lines[line].packages &= ~(1u << package);
}

static void package_insert(struct machine *machine, u32 package, u32 line)
{
	struct tags *l3 = &machine->l3[package];
	u32 gone;

	if (!l3->sets)
		return;
	machine->lines[line].packages |= 1u << package;
	gone = tags_touch(l3, line);
	if (gone)
		package_drop(machine, package, gone);
}

static void core_insert(struct machine *machine, struct core *core, u32 line)
{
	u32 gone;

	line_hold(machine, &machine->lines[line], core_bit(core));
	gone = tags_touch(&core->l2, line);
	if (gone)
		core_drop(machine, core, gone);
}

/* ---- where the line is ---- */

static bool owner_modified(const struct machine *machine, const struct line *l,
			   u32 line)
{
	const struct core *core = &machine->cores[l->owner - 1];
	u32 i;

	if (l->dirty)
		return true;
	for (i = 0; i < core->num_cpus; i++)
		if (word_state(core->cpus[i]->words[line]) == WORD_MODIFIED)
			return true;
	return false;
}

enum level cache_find_level(const struct request *req)
{
	const struct machine *machine = req->cpu->machine;
	const struct core *core = req->cpu->core;
	const struct line *l = req->l;
	u64 cores = line_cores(machine, l);

	if (cores & core_bit(core))
		return in_l1(core, req->line) ?
			(req->cpu->words[req->line] ? LEVEL_L1_HIT :
			 LEVEL_SIBLING_HIT) : LEVEL_L2_HIT;
	if (l->owner) {
		bool here = machine->cores[l->owner - 1].package ==
			    core->package;
		bool modified = owner_modified(machine, l, req->line);

		if (here)
			return modified ? LEVEL_OTHER_CORE_HITM :
				LEVEL_OTHER_CORE_CLEAN;
		return modified ? LEVEL_OTHER_PACKAGE_HITM :
			LEVEL_OTHER_PACKAGE_CLEAN;
	}
	if (l->packages >> core->package & 1)
		return LEVEL_L3_HIT;
	if (l->packages)
		return LEVEL_OTHER_PACKAGE_CLEAN;
	/* No L3: a clean copy in another core of this package answers. */
	if (cores & package_cores(machine, core->package))
		return LEVEL_OTHER_CORE_CLEAN;
	if (cores)
		return LEVEL_OTHER_PACKAGE_CLEAN;
	return machine_line_node(machine, req->line) == core->package ? LEVEL_LOCAL_DRAM : LEVEL_REMOTE_DRAM;
}

/* The level whose latency an upgrade or an invalidation has, at least. */
enum level cache_invalidation_level(const struct request *req)
{
	const struct machine *machine = req->cpu->machine;
	const struct core *core = req->cpu->core;
	u64 others = line_cores(machine, req->l) & ~core_bit(core);

	if ((others & ~package_cores(machine, core->package)) || (req->l->packages & ~(1u << core->package)))
		return LEVEL_OTHER_PACKAGE_CLEAN;
	if (others)
		return LEVEL_OTHER_CORE_CLEAN;
	return LEVEL_L3_HIT;	/* ask the directory */
}

/* ---- state changes ---- */

static u32 shared_word(const struct request *req)
{
	return WORD(req->l->class == LINE_WRITE_SHARED ? WORD_SHARED_ORDERED :
		    WORD_SHARED);
}

/* The word that a CPU of a core has once the line's data are there. */
u32 cache_settled_word(const struct request *req)
{
	const struct line *l = req->l;

	if (!line_owned_by(l, req->cpu->core) || l->class == LINE_READ_SHARED)
		return shared_word(req);
	if (l->class == LINE_WRITE_SHARED)
		return WORD(WORD_OWNED_ORDERED);
	return WORD(l->dirty ? WORD_MODIFIED : WORD_EXCLUSIVE);
}

static void set_word(struct request *req, u32 word)
{
	struct core *core = req->cpu->core;

	req->cpu->words[req->line] = word | req->cpu->tick;
	l1_insert(req->cpu->machine, core, req->line);
}

static void invalidate_others(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	u64 others = line_cores(machine, req->l) & ~core_bit(req->cpu->core);

	while (others) {
		u32 i = __builtin_ctzll(others);

		others &= others - 1;
		core_forget(machine, &machine->cores[i], req->line);
		req->invalidations++;
	}
	others = req->l->packages & ~(1u << req->cpu->package);
	while (others) {
		tags_forget(&machine->l3[__builtin_ctzll(others)], req->line);
		others &= others - 1;
	}
	req->l->packages &= 1u << req->cpu->package;
}

/* A second CPU has come: nobody may write without order from here on. */
static void downgrade_core(struct request *req, struct core *core)
{
	u32 i;

	for (i = 0; i < core->num_cpus; i++) {
		u32 *word = &core->cpus[i]->words[req->line];

		if (word_state(*word) == WORD_MODIFIED)
			req->l->dirty = true;
		if (word_state(*word) > WORD_FILLING &&
		    core->cpus[i] != req->cpu)
			*word = shared_word(req) | (*word & WORD_TICK);
	}
}

/* A second CPU has come. */
static void line_share(struct machine *machine, struct line *l)
{
	u32 n = machine->num_shared + 1;
	struct line_shared *shared = &machine->shared[n];
	u64 bit = 1ull << l->cpu % 64;

	shared->cores = line_cores(machine, l);
	if (l->read)
		shared->readers[l->cpu / 64] = bit;
	if (l->written)
		shared->writers[l->cpu / 64] = bit;
	machine->num_shared = n;
	l->shared = n;
}

/* What class the line has once this access has happened. */
void cache_reclassify(struct request *req)
{
	struct line *l = req->l;

	switch (l->class) {
	case LINE_UNTOUCHED:
		l->class = LINE_PRIVATE;
		l->cpu = req->cpu->id;
		break;
	case LINE_PRIVATE:
		if (l->cpu == req->cpu->id)
			break;
		line_share(req->cpu->machine, l);
		l->class = req->own ? LINE_WRITE_SHARED : LINE_READ_SHARED;
		break;
	case LINE_READ_SHARED:
		if (req->own)
			l->class = LINE_WRITE_SHARED;
		break;
	default:
		break;
	}
}

/* What was not in this core's caches is now, and L2 notes that it was used;
 * L3 hears of neither. */
static void bring_in(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct core *core = req->cpu->core;

	if (req->level > LEVEL_SIBLING_HIT)
		package_insert(machine, core->package, req->line);
	if (req->level > LEVEL_SIBLING_HIT || req->level == LEVEL_L2_HIT)
		core_insert(machine, core, req->line);
}

/* The line becomes readable here. */
void cache_grant_read(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct core *core = req->cpu->core;
	struct line *l = req->l;

	if (l->owner && !line_owned_by(l, core)) {
		struct core *owner = &machine->cores[l->owner - 1];

		downgrade_core(req, owner);
		package_insert(machine, owner->package, req->line);
		l->owner = 0;
		l->dirty = false;
	} else if (l->owner) {
		downgrade_core(req, core);	/* the sibling's word */
	}
	bring_in(req);
	if (line_cores(machine, l) == core_bit(core) &&
	    !(l->packages & ~(1u << core->package)))
		l->owner = core->id + 1;
	set_word(req, cache_settled_word(req));
}

/* The line becomes writable here, and dies everywhere else. */
void cache_grant_own(struct request *req, bool filling)
{
	struct core *core = req->cpu->core;
	struct line *l = req->l;
	u32 i;

	invalidate_others(req);
	bring_in(req);
	l->owner = core->id + 1;
	l->dirty = true;
	if (l->shared)
		req->cpu->machine->shared[l->shared].written = req->cpu->clock;
	/* A hyper-thread's copy is the same copy: it stays, in order. */
	for (i = 0; i < core->num_cpus; i++) {
		u32 *word = &core->cpus[i]->words[req->line];

		if (*word && core->cpus[i] != req->cpu)
			*word = WORD(WORD_OWNED_ORDERED) | (*word & WORD_TICK);
	}
	set_word(req, filling ? WORD(WORD_FILLING) : cache_settled_word(req));
}
/* The next line often comes with this one, if nobody owns it. */
void cache_prefetch_adjacent(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct core *core = req->cpu->core;
	u32 line = req->line ^ 1;
	struct line *l = &machine->lines[line];

	if (!machine->profile->adjacent_line_prefetch ||
	    req->level < LEVEL_LOCAL_DRAM || l->owner ||
	    l->class == LINE_WRITE_SHARED || l->class == LINE_UNTOUCHED ||
	    (line_cores(machine, l) & core_bit(core)))
		return;
	if (l->class == LINE_PRIVATE && l->cpu != req->cpu->id)
		return;
	package_insert(machine, core->package, line);
	core_insert(machine, core, line);
}

/* ---- the tick ---- */

static int compare_ticks(const void *a, const void *b)
{
	u32 x = **(u32 *const *)a & WORD_TICK, y = **(u32 *const *)b & WORD_TICK;

	return x < y ? -1 : x > y;
}

void cache_renew_ticks(struct core *core)
{
	u32 n = core->l1.sets * core->l1.ways, used = 0, tick = 0, last = 0;
	u32 **words = g_new(u32 *, 2 * (size_t)n), i, t;

	for (i = 0; i < n; i++)
		for (t = 0; core->l1.line[i] && t < core->num_cpus; t++)
			if (core->cpus[t]->words[core->l1.line[i]])
				words[used++] =
					&core->cpus[t]->words[core->l1.line[i]];
	qsort(words, used, sizeof(*words), compare_ticks);
	for (i = 0; i < used; i++) {
		u32 old = *words[i] & WORD_TICK;

		tick += old != last || !i;
		last = old;
		*words[i] = (*words[i] & ~WORD_TICK) | tick;
	}
	core->tick = tick + 1;
	for (t = 0; t < core->num_cpus; t++)
		core->cpus[t]->tick = core->tick;
	g_free(words);
}

/* ---- set-up ---- */

static void tags_init(struct tags *tags, const struct cache_profile *profile)
{
	if (!profile->size)
		return;
	tags->ways = profile->ways;
	tags->sets = profile->size / LINE_SIZE / profile->ways;
	tags->line = g_new0(u32, (size_t)tags->sets * tags->ways);
}

static void tags_fini(struct tags *tags)
{
	g_free(tags->line);
}

static void *map_array(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		g_error("cannot reserve %zu bytes of address space", bytes);
	return p;
}

/*
 * The CPUs' words of one line would all fall on one set of the host's caches,
 * since the arrays start at pages: each starts a few host lines further on.
 */
#define WORDS_STAGGER (17 * 64 / sizeof(u32))

static u32 *words_of(u32 cpu, size_t n)
{
	u32 *map = map_array((n + cpu * WORDS_STAGGER) * sizeof(u32));

	return map + cpu * WORDS_STAGGER;
}

void cache_init(struct machine *machine)
{
	const struct machine_profile *profile = machine->profile;
	size_t n = machine->max_lines;
	u32 i;

	/* Reserved, not used: a page of them comes when it is touched. */
	machine->lines = map_array(n * sizeof(*machine->lines));
	machine->shared = map_array(n * sizeof(*machine->shared));
	for (i = 0; i < machine->num_cpus; i++)
		machine->cpus[i].words = words_of(i, n);
	for (i = 0; i < machine->num_cores; i++) {
		tags_init(&machine->cores[i].l1, &profile->l1d);
		tags_init(&machine->cores[i].l2, &profile->l2);
	}
	for (i = 0; i < profile->packages; i++)
		tags_init(&machine->l3[i], &profile->l3);
}

void cache_fini(struct machine *machine)
{
	size_t n = machine->max_lines;
	u32 i;

	munmap(machine->lines, n * sizeof(*machine->lines));
	munmap(machine->shared, n * sizeof(*machine->shared));
	for (i = 0; i < machine->num_cpus; i++)
		munmap(machine->cpus[i].words - i * WORDS_STAGGER,
		       (n + i * WORDS_STAGGER) * sizeof(u32));
	for (i = 0; i < machine->num_cores; i++) {
		tags_fini(&machine->cores[i].l1);
		tags_fini(&machine->cores[i].l2);
	}
	for (i = 0; i < MAX_PACKAGES; i++)
		tags_fini(&machine->l3[i]);
}

const char *cache_verify_line(const struct machine *machine, u32 line)
{
	const struct line *l = &machine->lines[line];
	u64 cores = line_cores(machine, l);
	u32 i;

	if (l->owner && (l->owner > machine->num_cores ||
			 cores != 1ull << (l->owner - 1)))
		return "a line with an owner has another copy, or none there";
	for (i = 0; i < machine->num_cpus; i++) {
		const struct cpu *cpu = &machine->cpus[i];
		enum word_state state = word_state(cpu->words[line]);
		bool held = cores & core_bit(cpu->core);

		if (state && !held)
			return "a CPU's L1 holds a line that its core does not";
		if ((state == WORD_FILLING || state == WORD_OWNED_ORDERED ||
		     state >= WORD_EXCLUSIVE) && !line_owned_by(l, cpu->core) &&
		    state != WORD_FILLING)
			return "a CPU may write a line that it does not own";
		if (state >= WORD_EXCLUSIVE &&
		    (l->class != LINE_PRIVATE || l->cpu != i))
			return "a shared line may be written without order";
	}
	return NULL;
}
