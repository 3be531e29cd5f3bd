/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow path of an access: everything but a hit in the CPU's own L1.
 *
 * An access is looked at in this order: is it allowed to happen now (order of
 * time between CPUs), where is the line, when can it be here (a line in
 * transfer is busy, and requests queue in order of arrival), whose copies die,
 * and how long does this CPU stall.  A load stalls until the data are here.  A
 * store goes to the store buffer and stalls only when that is full.  A locked
 * operation waits for the store buffer, then for the line.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/cache.h"
#include "sim/check.h"
#include "sim/cpu.h"
#include "sim/machine.h"

struct request {
	struct cpu *cpu;
	struct line *l;
	u32 line;
	u32 site;
	bool own;		/* the right to write is wanted */
	enum level level;
	u32 invalidations;
};

static inline enum word_state word_state(u32 word)
{
	return word >> WORD_SHIFT;
}

static inline u64 core_bit(const struct core *core)
{
	return 1ull << core->id;
}

/* ---- tags: what is where, and what must leave ---- */

static bool in_l1(const struct core *core, u32 line)
{
	u32 i;

	for (i = 0; i < core->num_cpus; i++)
		if (core->cpus[i]->words[line])
			return true;
	return false;
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

static void core_drop(struct machine *machine, struct core *core, u32 line)
{
	struct line *l = &machine->lines[line];

	l1_drop(core, l, line);
	l->cores &= ~core_bit(core);
	if (l->owner == core->id) {
		l->owner = NO_CORE;	/* written back to L3 or memory */
		l->dirty = false;
	}
}

static bool tags_live(const struct machine *machine, const struct tags *tags,
		      u32 line)
{
	const struct line *l = &machine->lines[line];

	if (tags >= machine->l3 && tags < machine->l3 + MAX_PACKAGES)
		return l->packages >> (tags - machine->l3) & 1;
	return l->cores >> container_of(tags, struct core, l2)->id & 1;
}

/* Notes a use of `line` in an L2 or L3; gives the line that must leave for
 * it, 0 if none. */
static u32 tags_touch(struct machine *machine, struct tags *tags, u32 line)
{
	u32 base = line % tags->sets * tags->ways;
	u32 way, victim = 0, oldest = UINT32_MAX, gone;

	tags->tick++;
	for (way = 0; way < tags->ways; way++) {
		u32 here = tags->line[base + way], last;

		if (here == line) {
			tags->used[base + way] = tags->tick;
			return 0;
		}
		last = here && tags_live(machine, tags, here) ?
			tags->used[base + way] : 0;
		if (last < oldest) {
			oldest = last;
			victim = way;
		}
	}
	gone = oldest ? tags->line[base + victim] : 0;
	tags->line[base + victim] = line;
	tags->used[base + victim] = tags->tick;
	return gone;
}

/* L3 includes the L2s below it: what leaves it leaves them. */
static void package_drop(struct machine *machine, u32 package, u32 line)
{
	u32 first = package * machine->profile->cores, i;

	for (i = first; i < first + machine->profile->cores; i++)
		if (machine->lines[line].cores >> i & 1)
			core_drop(machine, &machine->cores[i], line);
	machine->lines[line].packages &= ~(1u << package);
}

static void package_insert(struct machine *machine, u32 package, u32 line)
{
	struct tags *l3 = &machine->l3[package];
	u32 gone;

	if (!l3->sets)
		return;
	machine->lines[line].packages |= 1u << package;
	gone = tags_touch(machine, l3, line);
	if (gone)
		package_drop(machine, package, gone);
}

static void core_insert(struct machine *machine, struct core *core, u32 line)
{
	u32 gone;

	machine->lines[line].cores |= core_bit(core);
	gone = tags_touch(machine, &core->l2, line);
	if (gone)
		core_drop(machine, core, gone);
}

/* ---- where the line is ---- */

static bool owner_modified(const struct machine *machine, const struct line *l,
			   u32 line)
{
	const struct core *core = &machine->cores[l->owner];
	u32 i;

	if (l->dirty)
		return true;
	for (i = 0; i < core->num_cpus; i++)
		if (word_state(core->cpus[i]->words[line]) == WORD_MODIFIED)
			return true;
	return false;
}

static enum level find_level(const struct request *req)
{
	const struct machine *machine = req->cpu->machine;
	const struct core *core = req->cpu->core;
	const struct line *l = req->l;
	u64 mates;

	if (l->cores & core_bit(core))
		return in_l1(core, req->line) ?
			(req->cpu->words[req->line] ? LEVEL_L1_HIT :
			 LEVEL_SIBLING_HIT) : LEVEL_L2_HIT;
	if (l->owner != NO_CORE) {
		bool here = machine->cores[l->owner].package == core->package;
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
	mates = l->cores >> core->package * machine->profile->cores;
	mates &= machine->profile->cores == 64 ? ~0ull :
		(1ull << machine->profile->cores) - 1;
	if (mates)
		return LEVEL_OTHER_CORE_CLEAN;
	if (l->cores)
		return LEVEL_OTHER_PACKAGE_CLEAN;
	return l->node == core->package ? LEVEL_LOCAL_DRAM : LEVEL_REMOTE_DRAM;
}

/* The level whose latency an upgrade or an invalidation has, at least. */
static enum level invalidation_level(const struct request *req)
{
	const struct machine *machine = req->cpu->machine;
	const struct core *core = req->cpu->core;
	u64 others = req->l->cores & ~core_bit(core);
	u32 n = machine->profile->cores;
	u64 mine = (n == 64 ? ~0ull : (1ull << n) - 1) << core->package * n;

	if ((others & ~mine) || (req->l->packages & ~(1u << core->package)))
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
static u32 settled_word(const struct request *req)
{
	const struct line *l = req->l;

	if (l->owner != req->cpu->core->id || l->class == LINE_READ_SHARED)
		return shared_word(req);
	if (l->class == LINE_WRITE_SHARED)
		return WORD(WORD_OWNED_ORDERED);
	return WORD(l->dirty ? WORD_MODIFIED : WORD_EXCLUSIVE);
}

static void set_word(struct request *req, u32 word)
{
	struct core *core = req->cpu->core;

	req->cpu->words[req->line] = word | core->tick;
	l1_insert(req->cpu->machine, core, req->line);
}

static void invalidate_others(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	u64 others = req->l->cores & ~core_bit(req->cpu->core);

	while (others) {
		u32 i = __builtin_ctzll(others);

		others &= others - 1;
		core_drop(machine, &machine->cores[i], req->line);
		req->invalidations++;
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

/* What class the line has once this access has happened. */
static void reclassify(struct request *req)
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
static void grant_read(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct core *core = req->cpu->core;
	struct line *l = req->l;

	if (l->owner != NO_CORE && l->owner != core->id) {
		struct core *owner = &machine->cores[l->owner];

		downgrade_core(req, owner);
		package_insert(machine, owner->package, req->line);
		l->owner = NO_CORE;
		l->dirty = false;
	} else if (l->owner == core->id) {
		downgrade_core(req, core);	/* the sibling's word */
	}
	bring_in(req);
	if (l->cores == core_bit(core) &&
	    !(l->packages & ~(1u << core->package)))
		l->owner = core->id;
	set_word(req, settled_word(req));
}

/* The line becomes writable here, and dies everywhere else. */
static void grant_own(struct request *req, bool filling)
{
	struct core *core = req->cpu->core;
	struct line *l = req->l;
	u32 i;

	invalidate_others(req);
	bring_in(req);
	l->owner = core->id;
	l->dirty = true;
	/* A hyper-thread's copy is the same copy: it stays, in order. */
	for (i = 0; i < core->num_cpus; i++) {
		u32 *word = &core->cpus[i]->words[req->line];

		if (*word && core->cpus[i] != req->cpu)
			*word = WORD(WORD_OWNED_ORDERED) | (*word & WORD_TICK);
	}
	set_word(req, filling ? WORD(WORD_FILLING) : settled_word(req));
}

/* ---- time ---- */

static void stall_until(struct cpu *cpu, u32 site, ps_t t)
{
	ps_t stall;

	if (t <= cpu->clock)
		return;
	stall = t - cpu->clock;
	cpu->clock = t;
	cpu->node->stall_ps += stall;
	cpu->machine->account.sites[site].stall_ps += stall;
}

/* Waiting for the store buffer is the doing of the store that holds it up: the
 * stall is counted there, and in the function that waits. */
static void stall_for_stores(struct cpu *cpu, ps_t t)
{
	if (t <= cpu->clock)
		return;
	cpu->machine->counts[cpu->stores_line].stall_ps += t - cpu->clock;
	stall_until(cpu, cpu->stores_site, t);
}

/* A miss takes a line fill buffer; where all are in use, it waits until there
 * is one for it too.  Gives the time at which the request leaves. */
static ps_t fill_begin(struct cpu *cpu)
{
	u32 buffers = cpu->machine->profile->line_fill_buffers, gone = 0;

	while (gone < cpu->num_fills && cpu->fills[gone].done <= cpu->clock)
		gone++;
	if (gone) {
		cpu->num_fills -= gone;
		memmove(cpu->fills, cpu->fills + gone,
			cpu->num_fills * sizeof(*cpu->fills));
	}
	if (cpu->num_fills < buffers)
		return cpu->clock;
	return cpu->fills[cpu->num_fills - buffers].done;
}

static void fill_end(struct cpu *cpu, u32 line, ps_t done)
{
	u32 i = cpu->num_fills++;

	for (; i && cpu->fills[i - 1].done > done; i--)
		cpu->fills[i] = cpu->fills[i - 1];
	cpu->fills[i] = (struct fill){ line, done };
}

/* When the line's data are here; 0: they are. */
static ps_t fill_done(const struct cpu *cpu, u32 line)
{
	u32 i = cpu->num_fills;

	while (i--)
		if (cpu->fills[i].line == line)
			return cpu->fills[i].done;
	return 0;
}

/* While both hyper-threads of a core run, each has half of its store buffer
 * (partitioned by the hardware; Intel optimisation manual, "Hyper-Threading
 * Technology"). */
static u32 store_depth(const struct cpu *cpu)
{
	return MAX(cpu->machine->profile->store_buffer >> cpu->smt_busy, 1u);
}

static void stores_retire(struct cpu *cpu)
{
	u32 depth = cpu->machine->profile->store_buffer;

	while (cpu->num_stores &&
	       cpu->stores[cpu->store_first] <= cpu->clock) {
		cpu->num_stores--;
		if (++cpu->store_first == depth)
			cpu->store_first = 0;
	}
	if (!cpu->num_stores)
		cpu->write_floor = cpu->machine->check ? UINT32_MAX :
			WORD(WORD_MODIFIED);
}

/* A store waits for room in the buffer before it asks for its line. */
static void store_room(struct cpu *cpu)
{
	stores_retire(cpu);
	while (cpu->num_stores >= store_depth(cpu)) {
		stall_for_stores(cpu, cpu->stores[cpu->store_first]);
		stores_retire(cpu);
	}
}

/* A store enters the buffer; it can drain at `ready`, after those before. */
static void store_enter(struct cpu *cpu)
{
	u32 depth = cpu->machine->profile->store_buffer, at;

	if (cpu->stores_drained <= cpu->clock)
		return;		/* it drains at once */
	at = cpu->store_first + cpu->num_stores++;
	cpu->stores[at >= depth ? at - depth : at] = cpu->stores_drained;
	cpu->write_floor = UINT32_MAX;
}

static void store_push(struct cpu *cpu, const struct request *req, ps_t ready)
{

	if (ready > cpu->stores_drained) {
		cpu->stores_drained = ready;
		cpu->stores_site = req->site;
		cpu->stores_line = req->line;
	}
	store_enter(cpu);
}

void store_buffer_add(struct cpu *cpu, u32 n)
{
	u32 depth = cpu->machine->profile->store_buffer, at;

	stores_retire(cpu);
	while (n && cpu->num_stores) {
		if (cpu->num_stores >= store_depth(cpu)) {
			stall_for_stores(cpu, cpu->stores[cpu->store_first]);
			stores_retire(cpu);
			continue;
		}
		at = cpu->store_first + cpu->num_stores++;
		cpu->stores[at >= depth ? at - depth : at] =
			cpu->stores_drained;
		n--;
	}
}

static void drain(struct cpu *cpu)
{
	if (!cpu->num_stores)
		return;
	stall_for_stores(cpu, cpu->stores_drained);
	stores_retire(cpu);
}

void access_fence(struct cpu *cpu)
{
	drain(cpu);
	cpu->clock += cpu->machine->profile->fence_ps;
	cpu->node->stall_ps += cpu->machine->profile->fence_ps;
}

/* ---- the access ---- */

static void count(const struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct site_count *site = &machine->account.sites[req->site];

	site->level[req->level]++;
	site->invalidations += req->invalidations;
	if (req->level == LEVEL_OTHER_CORE_HITM)
		site->hitm_core++;
	else if (req->level == LEVEL_OTHER_PACKAGE_HITM)
		site->hitm_package++;
}

static void count_line(struct request *req, const struct object *o, ps_t stall)
{
	struct line_count *c = &req->cpu->machine->counts[req->line];
	u32 id = req->cpu->id;

	c->type = o->type;
	c->index = req->line - o->line;
	c->level[req->level]++;
	c->invalidations += req->invalidations;
	c->stall_ps += stall;
	if (req->own)
		c->writers[id / 64] |= 1ull << id % 64;
	if (!req->own || __start_access_sites[req->site].kind == ACCESS_ATOMIC)
		c->readers[id / 64] |= 1ull << id % 64;
}

/* May this access happen now?  Waits in simulated order until it may. */
static void wait_for_turn(const struct request *req)
{
	struct cpu *cpu = req->cpu;
	const struct line *l = req->l;

	if (l->class == LINE_UNTOUCHED ||
	    (l->class == LINE_PRIVATE && l->cpu == cpu->id))
		return;
	if (!req->own && word_state(cpu->words[req->line]) >= WORD_SHARED)
		return;
	/* Whoever has to wait comes back as the earliest of all: if the line
	 * was taken away meanwhile, it may be fetched again. */
	if (!req->own &&
	    word_state(cpu->words[req->line]) >= WORD_SHARED_ORDERED)
		cpu_wait_horizon(cpu);
	else
		cpu_wait_turn(cpu);
}

/* The next line often comes with this one, if nobody owns it. */
static void prefetch_adjacent(struct request *req)
{
	struct machine *machine = req->cpu->machine;
	struct core *core = req->cpu->core;
	u32 line = req->line ^ 1;
	struct line *l = &machine->lines[line];

	if (!machine->profile->adjacent_line_prefetch ||
	    req->level < LEVEL_LOCAL_DRAM || l->owner != NO_CORE ||
	    l->class == LINE_WRITE_SHARED || l->class == LINE_UNTOUCHED ||
	    (l->cores & core_bit(core)))
		return;
	if (l->class == LINE_PRIVATE && l->cpu != req->cpu->id)
		return;
	package_insert(machine, core->package, line);
	core_insert(machine, core, line);
}

/* Does the transfer keep the line from everybody else?  Clean copies are given
 * out side by side. */
static bool occupies(enum level level)
{
	return level == LEVEL_OTHER_CORE_HITM ||
	       level == LEVEL_OTHER_PACKAGE_HITM || level >= LEVEL_LOCAL_DRAM;
}

/*
 * Brings the line here with the wanted right.  Gives the time at which the
 * data are in L1; the directory is changed at once, so requests that come
 * later queue behind this one.
 */
static ps_t transfer(struct request *req)
{
	struct cpu *cpu = req->cpu;
	struct line *l = req->l;
	const ps_t *latency = cpu->machine->profile->latency;
	bool owns = l->owner == cpu->core->id, miss;
	ps_t cost, begin, done;

	req->level = find_level(req);
	cost = latency[req->level];
	if (req->own && !owns)
		cost = MAX(cost, latency[invalidation_level(req)]);
	cost -= MIN(cost, latency[LEVEL_L1_HIT]);
	miss = (req->level != LEVEL_L1_HIT &&
		req->level != LEVEL_SIBLING_HIT) || (req->own && !owns);
	begin = miss ? fill_begin(cpu) : cpu->clock;
	if (!cpu->words[req->line] || req->own) {
		/* Two packages want it at a time: the home agent decides. */
		if (l->busy_until > begin &&
		    (req->level == LEVEL_OTHER_PACKAGE_CLEAN ||
		     req->level == LEVEL_OTHER_PACKAGE_HITM))
			cost += cpu->machine->profile->conflict_ps;
		begin = MAX(begin, l->busy_until);
	}
	done = begin + cost;
	reclassify(req);
	/* A private line is nobody else's: it may be ahead of their time. */
	if (l->class != LINE_PRIVATE && (req->own || occupies(req->level)))
		l->busy_until = MAX(l->busy_until, done);
	if (miss)
		fill_end(cpu, req->line, done);
	return done;
}

static void do_read(struct request *req)
{
	struct cpu *cpu = req->cpu;
	u32 *word = &cpu->words[req->line];
	ps_t done;

	if (word_state(*word) >= WORD_SHARED_ORDERED) {
		*word = (*word & ~WORD_TICK) | cpu->core->tick;
		return;
	}
	if (word_state(*word) == WORD_FILLING) {
		stall_until(cpu, req->site, fill_done(cpu, req->line));
		*word = settled_word(req) | cpu->core->tick;
		return;
	}
	done = transfer(req);
	grant_read(req);
	prefetch_adjacent(req);
	stall_until(cpu, req->site, done);
}

/* Gets the right to write; gives the time at which the line is here. */
static ps_t acquire(struct request *req)
{
	struct cpu *cpu = req->cpu;
	u32 *word = &cpu->words[req->line];
	ps_t done, arrives = 0;

	switch (word_state(*word)) {
	case WORD_OWNED_ORDERED:
		req->l->dirty = true;
		*word = (*word & ~WORD_TICK) | cpu->core->tick;
		return req->l->busy_until;	/* the sibling's operation */
	case WORD_EXCLUSIVE:
	case WORD_MODIFIED:
		req->l->dirty = true;
		*word = WORD(WORD_MODIFIED) | cpu->core->tick;
		return 0;
	case WORD_FILLING:
		arrives = fill_done(cpu, req->line);
		if (req->l->owner == cpu->core->id) {
			req->l->dirty = true;
			if (arrives <= cpu->clock)
				*word = settled_word(req) | cpu->core->tick;
			return arrives;
		}
		/* fall through */
	default:
		done = transfer(req);
		done = MAX(done, arrives);
		grant_own(req, done > cpu->clock);
		prefetch_adjacent(req);
		return done;
	}
}

static void do_write(struct request *req)
{
	ps_t ready = acquire(req);

	store_push(req->cpu, req, ready);
}

static void do_atomic(struct request *req)
{
	struct cpu *cpu = req->cpu;
	ps_t ready;

	ready = acquire(req);
	stall_until(cpu, req->site, ready);
	if (word_state(cpu->words[req->line]) == WORD_FILLING)
		cpu->words[req->line] = settled_word(req) | cpu->core->tick;
	cpu->clock += cpu->machine->profile->atomic_ps;
	cpu->node->stall_ps += cpu->machine->profile->atomic_ps;
	cpu->machine->account.sites[req->site].stall_ps +=
		cpu->machine->profile->atomic_ps;
	/* The line stays locked for the operation. */
	if (req->l->class == LINE_WRITE_SHARED)
		req->l->busy_until = MAX(req->l->busy_until, cpu->clock);
}

static void do_prefetch(struct request *req)
{
	struct cpu *cpu = req->cpu;
	ps_t done;

	if (word_state(cpu->words[req->line]) != WORD_ABSENT)
		return;
	stall_until(cpu, req->site, fill_begin(cpu));
	done = transfer(req);
	grant_read(req);
	if (done > cpu->clock)
		cpu->words[req->line] = WORD(WORD_FILLING) | cpu->core->tick;
}

/* Would this access have been a plain hit, were it not for the checks? */
static bool plain_hit(const struct cpu *cpu, u32 line, enum access_kind kind)
{
	u32 word = cpu->words[line];

	if (kind == ACCESS_READ || kind == ACCESS_PREFETCH)
		return word >= WORD(WORD_SHARED);
	return word >= WORD(WORD_MODIFIED) &&
	       (kind == ACCESS_WRITE || !cpu->num_stores);
}

static void access_request(struct cpu *cpu, const struct object *o, u32 line,
			   u32 site, enum access_kind kind)
{
	struct machine *machine = cpu->machine;
	struct request req = {
		.cpu = cpu,
		.l = &machine->lines[line],
		.line = line,
		.site = site,
		.own = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC,
	};

	bool plain = machine->check && plain_hit(cpu, line, kind);
	ps_t before;

	g_assert(line - o->line < NO_LINE && line < machine->max_lines);
	if (kind == ACCESS_ATOMIC)
		drain(cpu);
	else if (kind == ACCESS_WRITE)
		store_room(cpu);
	wait_for_turn(&req);
	if (unlikely(machine->check))
		check_access(cpu, o, site);
	before = cpu->clock;
	switch (kind) {
	case ACCESS_READ:
		do_read(&req);
		break;
	case ACCESS_WRITE:
		do_write(&req);
		break;
	case ACCESS_ATOMIC:
		do_atomic(&req);
		break;
	default:
		do_prefetch(&req);
		break;
	}
	if (likely(!plain)) {
		count(&req);
		count_line(&req, o, cpu->clock - before);
	}
	if (unlikely(machine->check))
		check_line(machine, line);
}

/* A store to a line that this CPU may write has only the store buffer to pass:
 * the common case while an earlier store is waiting for its line. */
static bool write_owned(struct cpu *cpu, u32 line)
{
	u32 *word = &cpu->words[line];

	if (*word < WORD(WORD_MODIFIED) || cpu->machine->check)
		return false;
	*word = (*word & ~WORD_TICK) | cpu->core->tick;
	store_room(cpu);
	store_enter(cpu);
	return true;
}

void access_slow(struct cpu *cpu, const struct object *o, u32 line, u32 site)
{
	enum access_kind kind = __start_access_sites[site].kind;

	if (kind == ACCESS_WRITE && write_owned(cpu, line))
		return;
	access_request(cpu, o, line, site, kind);
}

void access_atomic_line(struct cpu *cpu, const struct object *o, u32 line,
			u32 site)
{
	u32 *word = &cpu->words[line];

	if (likely(*word >= cpu->write_floor)) {
		*word = (*word & ~WORD_TICK) | cpu->core->tick;
		cpu->clock += cpu->machine->profile->atomic_ps;
		cpu->node->stall_ps += cpu->machine->profile->atomic_ps;
		cpu->machine->account.sites[site].stall_ps +=
			cpu->machine->profile->atomic_ps;
		return;
	}
	access_slow(cpu, o, line, site);
}

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
	g_free(words);
}

/* ---- set-up ---- */

static void tags_init(struct tags *tags, const struct cache_profile *profile,
		      bool stamps)
{
	if (!profile->size)
		return;
	tags->ways = profile->ways;
	tags->sets = profile->size / LINE_SIZE / profile->ways;
	tags->line = g_new0(u32, (size_t)tags->sets * tags->ways);
	if (stamps)
		tags->used = g_new0(u32, (size_t)tags->sets * tags->ways);
}

static void tags_fini(struct tags *tags)
{
	g_free(tags->line);
	g_free(tags->used);
}

static void *map_array(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		g_error("cannot reserve %zu bytes of address space", bytes);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void cache_init(struct machine *machine)
{
	const struct machine_profile *profile = machine->profile;
	size_t n = machine->max_lines;
	u32 i;

	/* Reserved, not used: a page of them comes when it is touched. */
	machine->lines = map_array(n * sizeof(*machine->lines));
	machine->counts = map_array(n * sizeof(*machine->counts));
	for (i = 0; i < machine->num_cpus; i++)
		machine->cpus[i].words = map_array(n * sizeof(u32));
	for (i = 0; i < machine->num_cores; i++) {
		tags_init(&machine->cores[i].l1, &profile->l1d, false);
		tags_init(&machine->cores[i].l2, &profile->l2, true);
	}
	for (i = 0; i < profile->packages; i++)
		tags_init(&machine->l3[i], &profile->l3, true);
}

void cache_fini(struct machine *machine)
{
	size_t n = machine->max_lines;
	u32 i;

	munmap(machine->lines, n * sizeof(*machine->lines));
	munmap(machine->counts, n * sizeof(*machine->counts));
	for (i = 0; i < machine->num_cpus; i++)
		munmap(machine->cpus[i].words, n * sizeof(u32));
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
	u32 i;

	if (l->owner != NO_CORE && (l->owner >= machine->num_cores ||
				    l->cores != 1ull << l->owner))
		return "a line with an owner has another copy, or none there";
	for (i = 0; i < machine->num_cpus; i++) {
		const struct cpu *cpu = &machine->cpus[i];
		enum word_state state = word_state(cpu->words[line]);
		bool held = l->cores >> cpu->core->id & 1;

		if (state && !held)
			return "a CPU's L1 holds a line that its core does not";
		if ((state == WORD_FILLING || state == WORD_OWNED_ORDERED ||
		     state >= WORD_EXCLUSIVE) && l->owner != cpu->core->id &&
		    state != WORD_FILLING)
			return "a CPU may write a line that it does not own";
		if (state >= WORD_EXCLUSIVE &&
		    (l->class != LINE_PRIVATE || l->cpu != i))
			return "a shared line may be written without order";
	}
	return NULL;
}
