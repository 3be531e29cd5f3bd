/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the caches hold: tags and words, where a line is found, and what an
 * access does to everybody's copies.  Nothing here takes time; access.c asks
 * these questions in order and turns the answers into a stall.
 */
#include <glib.h>
#include <string.h>

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

	for (i = 0; i < core->num_users; i++)
		if (core->users[i]->words[line])
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
static inline void l1_drop(struct core *core, struct line *lines, u32 line)
{
	u32 i;

	for (i = 0; i < core->num_users; i++) {
		u32 *word = &core->users[i]->words[line];

		if (word_state(*word) == WORD_MODIFIED)
			lines[line].dirty = true;
		*word = 0;
	}
}

/*
 * The way of a set of L1 that a line is to have: where its tag stands already,
 * or the first that is free or whose line is gone since, or else where the line
 * is that was not used for longest.  A word without its state is the time of
 * the last use, and 0 for a line that is not in L1.
 */
static inline u32 l1_way(const u32 *set, u32 ways, u32 line, const u32 *first,
			 const u32 *second)
{
	u64 oldest = UINT64_MAX;
	u32 way;

	for (way = 0; way < ways; way++) {
		u32 last = first[set[way]] << (32 - WORD_SHIFT);
		u64 age;

		if (set[way] == line)
			return way;
		if (second) {
			u32 other = second[set[way]] << (32 - WORD_SHIFT);

			last = MAX(last, other);
		}
		age = (u64)last << 32 | way;
		oldest = MIN(oldest, age);
	}
	return (u32)oldest;
}

/* Makes room for a line that comes into L1 or is there (for the sibling). */
static void l1_insert(struct machine *machine, struct core *core, u32 line)
{
	u32 ways = core->l1.ways;
	u32 *set = &core->l1.line[(line & (core->l1.sets - 1)) * ways], *tag;
	const u32 *words = core->users[0]->words;

	if (likely(core->num_users == 1))
		tag = &set[l1_way(set, ways, line, words, NULL)];
	else
		tag = &set[l1_way(set, ways, line, words,
				  core->users[1]->words)];
	if (*tag == line)
		return;
	l1_drop(core, machine->lines, *tag);
	*tag = line;
}

/* The core's caches lose a line whose tag in L2 is gone already. */
static void core_drop(struct machine *machine, struct core *core, u32 line)
{
	struct line *l = &machine->lines[line];

	l1_drop(core, machine->lines, line);
	line_unhold(machine, l, core_bit(core));
	if (line_owned_by(l, core)) {
		l->owner = 0;	/* written back to L3 or memory */
		l->dirty = false;
	}
}

/* Where in an L2 or L3 a line may be: set line % sets, without dividing (D.
 * Lemire and others, "Faster remainder by direct computation"). */
static inline u32 *tags_set(const struct tags *tags, u32 line)
{
	u64 fraction = tags->reciprocal * line;

	return &tags->line[(u32)((unsigned __int128)fraction * tags->sets >>
				 64) * tags->stride];
}

/* Four ways at a time. */
typedef u32 ways4 __attribute__((vector_size(16)));

static inline ways4 ways4_load(const u32 *way)
{
	ways4 four;

	memcpy(&four, way, sizeof(four));
	return four;
}

static inline bool ways4_have(ways4 four, u32 line)
{
	ways4 same = (ways4)(four == (ways4){ line, line, line, line });
	u64 halves[2];

	memcpy(halves, &same, sizeof(halves));
	return halves[0] | halves[1];
}

/* A set moves up to the place where `line` was and has it first now; gives what
 * is pushed out. */
static u32 ways_touch(u32 *set, u32 ways, u32 line)
{
	u32 moved = line, was, way;

	for (way = 0; way < ways; way++) {
		was = set[way];
		set[way] = moved;
		if (was == line)
			return 0;
		moved = was;
	}
	return moved;
}

/* The same, where there is room for four more behind the last way. */
static u32 ways4_touch(u32 *set, u32 ways, u32 line)
{
	ways4 four = ways4_load(set), next;
	u32 old[4], way, i;

	set[0] = line;
	for (way = 0; !ways4_have(four, line); way += 4) {
		next = ways4_load(set + way + 4);
		memcpy(set + way + 1, &four, sizeof(four));
		if (way + 4 >= ways)
			return set[ways];
		four = next;
	}
	memcpy(old, &four, sizeof(old));
	for (i = 0; old[i] != line; i++)
		set[way + 1 + i] = old[i];
	return 0;
}

/* Notes a use of `line` in an L2 or L3, whose sets stand in the order of the
 * last use; gives the line that must leave for it, 0 if none. */
static inline u32 tags_touch(struct tags *tags, u32 line)
{
	u32 *set = tags_set(tags, line);

	if (likely(tags->ways % 4 == 0))
		return ways4_touch(set, tags->ways, line);
	return ways_touch(set, tags->ways, line);
}

/* The line is gone: there is a free way behind the others. */
static void tags_forget(struct tags *tags, u32 line)
{
	u32 *set = tags_set(tags, line);
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

/* The L3s of some packages lose a line. */
static void packages_forget(struct machine *machine, u32 line, u32 packages)
{
	struct line *l = &machine->lines[line];
	u32 others = l->packages & packages;

	l->packages &= ~packages;
	for (; others; others &= others - 1)
		tags_forget(&machine->l3[__builtin_ctz(others)], line);
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

/* A CPU gets its first line: from now on its words are looked at. */
static void use_words(struct cpu *cpu)
{
	cpu->core->users[cpu->core->num_users++] = cpu;
	cpu->uses_words = true;
}

static void set_word(struct cpu *cpu, u32 line, u32 word)
{
	if (unlikely(!cpu->uses_words))
		use_words(cpu);
	cpu->words[line] = word | cpu->tick;
	l1_insert(cpu->machine, cpu->core, line);
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
	packages_forget(machine, req->line, ~(1u << req->cpu->package));
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
	set_word(req->cpu, req->line, cache_settled_word(req));
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
	set_word(req->cpu, req->line,
		 filling ? WORD(WORD_FILLING) : cache_settled_word(req));
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

/* ---- a line that only this CPU knows ---- */

enum level cache_private_level(const struct cpu *cpu, const struct line *l,
			       u32 line)
{
	if (l->held)
		return LEVEL_L2_HIT;
	if (l->packages >> cpu->package & 1)
		return LEVEL_L3_HIT;
	if (l->packages)	/* a device has put it there */
		return LEVEL_OTHER_PACKAGE_CLEAN;
	return machine_line_node(cpu->machine, line) == cpu->package ?
		LEVEL_LOCAL_DRAM : LEVEL_REMOTE_DRAM;
}

void cache_private_grant(struct cpu *cpu, struct line *l, u32 line,
			 enum level level, u32 word)
{
	if (unlikely(level == LEVEL_OTHER_PACKAGE_CLEAN))
		packages_forget(cpu->machine, line, ~(1u << cpu->package));
	if (level != LEVEL_L2_HIT)
		package_insert(cpu->machine, cpu->package, line);
	core_insert(cpu->machine, cpu->core, line);
	l->owner = cpu->core->id + 1;
	set_word(cpu, line, word);
}

/* ---- devices ---- */

void cache_device_write(struct machine *machine, u32 line, u32 package,
			bool direct)
{
	struct line *l = &machine->lines[line];
	u64 cores = line_cores(machine, l);

	for (; cores; cores &= cores - 1)
		core_forget(machine, &machine->cores[__builtin_ctzll(cores)],
			    line);
	packages_forget(machine, line, ~0u);
	l->owner = 0;
	l->dirty = false;
	if (direct)
		package_insert(machine, package, line);
}

bool cache_holds(const struct machine *machine, u32 line)
{
	const struct line *l = &machine->lines[line];

	return line_cores(machine, l) || l->packages;
}

/* ---- the host's caches ---- */

#define HOST_LINE 64u

static void expect_bytes(const void *from, size_t bytes)
{
	const char *p = from;
	size_t i;

	for (i = 0; i < bytes; i += HOST_LINE)
		__builtin_prefetch(p + i, 1);
}

void cache_expect(const struct cpu *cpu, const struct object *o)
{
	const struct machine *machine = cpu->machine;
	const struct tags *l3 = &machine->l3[cpu->package];
	u32 n = (o->type->size + o->skew + LINE_SIZE - 1) / LINE_SIZE, i;

	if (cpu->words[o->line])
		return;		/* used not long ago */
	expect_bytes(o, o->type->c_size);
	expect_bytes(&machine->lines[o->line], n * sizeof(*machine->lines));
	expect_bytes(&cpu->words[o->line], n * sizeof(*cpu->words));
	if (l3->sets)
		for (i = 0; i < n; i++)
			expect_bytes(tags_set(l3, o->line + i),
				     l3->ways * sizeof(*l3->line));
}
