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

#include "sim/cache.h"
#include "sim/check.h"
#include "sim/cpu.h"
#include "sim/observe.h"
#include "sim/request.h"

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

/* The totals of this line of the object's type, which it now belongs to. */
static inline struct line_total *total_of(struct account *account,
					  struct line *l, u32 line,
					  const struct object *o)
{
	u32 type = o->type->number;

	if (unlikely(type > account->num_types ||
		     account->types[type].type != o->type))
		type = account_type_slow(account, o->type);
	l->type = type;
	l->index = line - o->line;
	return account_line(account, type, l->index);
}

/* Who has been at the line: the report's maximum of readers and writers. */
static void count_user(const struct request *req, bool writes, bool reads)
{
	struct line *l = req->l;
	u32 id = req->cpu->id;
	struct line_shared *shared;

	if (!l->shared) {
		l->read |= reads;
		l->written |= writes;
		return;
	}
	shared = &req->cpu->machine->shared[l->shared];
	if (writes)
		shared->writers[id / 64] |= 1ull << id % 64;
	if (reads)
		shared->readers[id / 64] |= 1ull << id % 64;
}

/* Counts an access that took the line from nobody, but for who it was. */
static inline void count_quiet(struct account *account, struct line *l,
			       u32 line, const struct object *o, u32 site,
			       enum level level, ps_t stall)
{
	struct line_total *total = total_of(account, l, line, o);

	account->sites[site].level[level]++;
	total->level[level]++;
	total->stall_ps += stall;
}

static void count_line(struct request *req, const struct object *o, ps_t stall)
{
	struct line_total *total = total_of(&req->cpu->machine->account,
					    req->l, req->line, o);

	total->level[req->level]++;
	total->invalidations += req->invalidations;
	total->stall_ps += stall;
	count_user(req, req->own, !req->own ||
		   __start_access_sites[req->site].kind == ACCESS_ATOMIC);
}

/*
 * A line that nobody has written for this long is taken for one that is only
 * read, until it is written again: a jiffy, a configuration, a header that was
 * filled in once.  A CPU that runs ahead may then miss the write by as much as
 * it runs ahead (RUN_AHEAD in cpu.c), and pays for it with its next access.
 */
#define QUIET (100 * PS_PER_US)

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
	/* Nor does one that comes from this core's own L2 unchanged. */
	if (!req->own && l->class == LINE_READ_SHARED &&
	    (line_cores(cpu->machine, l) & core_bit(cpu->core)))
		return;
	/* Whoever has to wait comes back as the earliest of all: if the line
	 * was taken away meanwhile, it may be fetched again. */
	if (!req->own &&
	    word_state(cpu->words[req->line]) >= WORD_SHARED_ORDERED)
		cpu_wait_horizon(cpu);
	else
		cpu_wait_turn(cpu);
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
	bool owns = line_owned_by(l, cpu->core), miss;
	ps_t cost, begin, done, busy = line_busy_until(cpu->machine, l);

	req->level = cache_find_level(req);
	cost = latency[req->level];
	if (req->own && !owns)
		cost = MAX(cost, latency[cache_invalidation_level(req)]);
	cost -= MIN(cost, latency[LEVEL_L1_HIT]);
	miss = (req->level != LEVEL_L1_HIT &&
		req->level != LEVEL_SIBLING_HIT) || (req->own && !owns);
	begin = miss ? fill_begin(cpu) : cpu->clock;
	if (!cpu->words[req->line] || req->own) {
		/* Two packages want it at a time: the home agent decides. */
		if (busy > begin &&
		    (req->level == LEVEL_OTHER_PACKAGE_CLEAN ||
		     req->level == LEVEL_OTHER_PACKAGE_HITM))
			cost += cpu->machine->profile->conflict_ps;
		begin = MAX(begin, busy);
	}
	done = begin + cost;
	cache_reclassify(req);
	if (l->shared && (req->own || occupies(req->level)))
		cpu->machine->shared[l->shared].busy_until = MAX(busy, done);
	if (miss)
		fill_end(cpu, req->line, done);
	return done;
}

static struct line_shared *shared_of(const struct request *req)
{
	return &req->cpu->machine->shared[req->l->shared];
}

/* The data are here, and it is the CPU's turn. */
static inline void read_here(struct request *req)
{
	struct cpu *cpu = req->cpu;
	u32 *word = &cpu->words[req->line];

	if (req->l->class == LINE_WRITE_SHARED &&
	    cpu->clock > shared_of(req)->written + QUIET)
		req->l->class = LINE_READ_SHARED;
	if (req->l->class == LINE_READ_SHARED)
		*word = cache_settled_word(req);
	*word = (*word & ~WORD_TICK) | cpu->tick;
}

static void do_read(struct request *req)
{
	struct cpu *cpu = req->cpu;
	u32 *word = &cpu->words[req->line];
	ps_t done;

	if (word_state(*word) >= WORD_SHARED_ORDERED) {
		read_here(req);
		return;
	}
	if (word_state(*word) == WORD_FILLING) {
		stall_until(cpu, req->site, fill_done(cpu, req->line));
		*word = cache_settled_word(req) | cpu->tick;
		return;
	}
	done = transfer(req);
	cache_grant_read(req);
	cache_prefetch_adjacent(req);
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
		req->l->class = LINE_WRITE_SHARED;
		shared_of(req)->written = cpu->clock;
		*word = (*word & ~WORD_TICK) | cpu->tick;
		return shared_of(req)->busy_until;	/* the sibling's operation */
	case WORD_EXCLUSIVE:
	case WORD_MODIFIED:
		req->l->dirty = true;
		*word = WORD(WORD_MODIFIED) | cpu->tick;
		return 0;
	case WORD_FILLING:
		arrives = fill_done(cpu, req->line);
		if (line_owned_by(req->l, cpu->core)) {
			req->l->dirty = true;
			if (arrives <= cpu->clock)
				*word = cache_settled_word(req) | cpu->tick;
			return arrives;
		}
		/* fall through */
	default:
		done = transfer(req);
		done = MAX(done, arrives);
		cache_grant_own(req, done > cpu->clock);
		cache_prefetch_adjacent(req);
		return done;
	}
}

static void do_write(struct request *req)
{
	ps_t ready = acquire(req);

	store_push(req->cpu, req->site, req->line, ready);
}

static void atomic_time(struct cpu *cpu, u32 site)
{
	ps_t ps = cpu->machine->profile->atomic_ps;

	cpu->clock += ps;
	cpu->node->stall_ps += ps;
	cpu->machine->account.sites[site].stall_ps += ps;
}

static void do_atomic(struct request *req)
{
	struct cpu *cpu = req->cpu;
	ps_t ready;

	ready = acquire(req);
	stall_until(cpu, req->site, ready);
	if (word_state(cpu->words[req->line]) == WORD_FILLING)
		cpu->words[req->line] = cache_settled_word(req) | cpu->tick;
	atomic_time(cpu, req->site);
	/* The line stays locked for the operation. */
	if (req->l->class == LINE_WRITE_SHARED)
		shared_of(req)->busy_until = MAX(shared_of(req)->busy_until,
						 cpu->clock);
}

static void do_prefetch(struct request *req)
{
	struct cpu *cpu = req->cpu;
	u32 *word = &cpu->words[req->line];
	ps_t done;

	if (word_state(*word) >= WORD_SHARED)	/* as a hit does */
		*word = (*word & ~WORD_TICK) | cpu->tick;
	if (word_state(*word) != WORD_ABSENT)
		return;
	stall_until(cpu, req->site, fill_begin(cpu));
	done = transfer(req);
	cache_grant_read(req);
	if (done > cpu->clock)
		cpu->words[req->line] = WORD(WORD_FILLING) | cpu->tick;
}

/* ---- lines that no other CPU has touched ---- */

/*
 * Most misses are of such lines, and for them much of the above has only one
 * answer: it is always their CPU's turn, nothing keeps them busy, and there are
 * no other copies.  The functions below are the same path with those answers
 * put in; whatever is rare is left to access_request(), which asks here too when
 * somebody looks on: that changes nothing.
 */

/* transfer(): gives the time at which the line is in L1. */
static ps_t private_transfer(struct cpu *cpu, struct line *l, u32 line,
			     bool own, enum level level)
{
	const ps_t *latency = cpu->machine->profile->latency;
	ps_t cost = latency[level], done;

	if (own && !line_owned_by(l, cpu->core))
		cost = MAX(cost, latency[LEVEL_L3_HIT]);
	cost -= MIN(cost, latency[LEVEL_L1_HIT]);
	done = fill_begin(cpu) + cost;
	fill_end(cpu, line, done);
	l->class = LINE_PRIVATE;
	l->cpu = cpu->id;
	return done;
}

/* Brings the line here for an access of this kind; the time it is here. */
static ps_t private_miss(struct cpu *cpu, struct line *l, u32 line,
			 enum access_kind kind, enum level level)
{
	bool own = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC;
	ps_t done = private_transfer(cpu, l, line, own, level);
	bool filling = kind != ACCESS_READ && done > cpu->clock;

	cache_private_grant(cpu, l, line, level, filling ?
			    WORD(WORD_FILLING) : own || l->dirty ?
			    WORD(WORD_MODIFIED) : WORD(WORD_EXCLUSIVE));
	l->dirty |= own;
	if (level >= LEVEL_LOCAL_DRAM && kind != ACCESS_PREFETCH &&
	    cpu->machine->profile->adjacent_line_prefetch)
		cache_prefetch_adjacent(&(struct request){
			.cpu = cpu, .l = l, .line = line, .level = level,
		});
	return done;
}

/* An access to a line that is not in L1 at all, or whose data are on their
 * way; says where it comes from. */
static enum level private_access(struct cpu *cpu, struct line *l, u32 line,
				 u32 site, enum access_kind kind)
{
	u32 *word = &cpu->words[line];
	enum level level = LEVEL_L1_HIT;
	ps_t ready;

	if (word_state(*word) == WORD_FILLING) {
		if (kind == ACCESS_PREFETCH)
			return level;
		ready = fill_done(cpu, line);
		l->dirty |= kind != ACCESS_READ;
		if (kind != ACCESS_WRITE || ready <= cpu->clock)
			*word = WORD(l->dirty ? WORD_MODIFIED : WORD_EXCLUSIVE)
				| cpu->tick;
	} else {
		if (kind == ACCESS_PREFETCH)
			stall_until(cpu, site, fill_begin(cpu));
		level = cache_private_level(cpu, l, line);
		ready = private_miss(cpu, l, line, kind, level);
	}
	if (kind == ACCESS_WRITE) {
		store_push(cpu, site, line, ready);
	} else if (kind == ACCESS_READ) {
		stall_until(cpu, site, ready);
	} else if (kind == ACCESS_ATOMIC) {
		stall_until(cpu, site, ready);
		*word = WORD(WORD_MODIFIED) | cpu->tick;
		atomic_time(cpu, site);
	}
	return level;
}

/* May private_access() have it? */
static bool is_private(const struct cpu *cpu, const struct line *l, u32 word)
{
	if (l->class == LINE_UNTOUCHED)
		return true;
	return l->class == LINE_PRIVATE && l->cpu == cpu->id &&
	       (word_state(word) == WORD_ABSENT ||
		(word_state(word) == WORD_FILLING &&
		 line_owned_by(l, cpu->core)));
}

/* One access, but for the store buffer, which has let it pass. */
static enum level private_request(struct cpu *cpu, const struct object *o,
				  struct line *l, u32 line, u32 site,
				  enum access_kind kind)
{
	const ps_t before = cpu->clock;
	enum level level = private_access(cpu, l, line, site, kind);

	count_quiet(&cpu->machine->account, l, line, o, site, level,
		    cpu->clock - before);
	l->read |= kind != ACCESS_WRITE;
	l->written |= kind == ACCESS_WRITE || kind == ACCESS_ATOMIC;
	return level;
}

G_NO_INLINE static void access_private(struct cpu *cpu, const struct object *o, u32 line,
			   u32 site, enum access_kind kind)
{
	if (kind == ACCESS_ATOMIC)
		store_drain(cpu);
	else if (kind == ACCESS_WRITE)
		store_room(cpu);
	private_request(cpu, o, &cpu->machine->lines[line], line, site, kind);
}

/* ---- lines that are here, though others know them ---- */

/*
 * The next most: the line need not move, and if it is this CPU's turn anyway,
 * little is left to do.  What is not settled here at once is left to
 * access_request(), which finds all as it was but for stores that have drained.
 */

/* A read that would be a hit if nobody wrote the line. */
static bool can_read_here(const struct cpu *cpu, u32 line)
{
	enum word_state state = word_state(cpu->words[line]);

	return state >= WORD_SHARED_ORDERED && state < WORD_SHARED &&
	       cpu->clock <= cpu->horizon;
}

/* A write of a line that no other core has.  Waits for the store buffer. */
static bool can_write_here(struct cpu *cpu, const struct line *l, u32 line,
			   enum access_kind kind)
{
	enum word_state state = word_state(cpu->words[line]);

	if (state != WORD_OWNED_ORDERED && state < WORD_EXCLUSIVE)
		return false;
	if (kind == ACCESS_ATOMIC)
		store_drain(cpu);
	else
		store_room(cpu);
	return (l->class == LINE_PRIVATE && l->cpu == cpu->id) ||
	       cpu_key(cpu) <= cpu->next_key;
}

static bool access_here(struct cpu *cpu, const struct object *o, u32 line,
			u32 site, enum access_kind kind)
{
	struct request req = {
		.cpu = cpu,
		.l = &cpu->machine->lines[line],
		.line = line,
		.site = site,
		.own = kind != ACCESS_READ,
	};
	ps_t before;

	if (kind == ACCESS_READ ? !can_read_here(cpu, line) :
	    !can_write_here(cpu, req.l, line, kind))
		return false;
	before = cpu->clock;
	if (kind == ACCESS_READ)
		read_here(&req);
	else if (kind == ACCESS_WRITE)
		do_write(&req);
	else
		do_atomic(&req);
	count_quiet(&cpu->machine->account, req.l, line, o, site, LEVEL_L1_HIT,
		    cpu->clock - before);
	count_user(&req, kind != ACCESS_READ, kind != ACCESS_WRITE);
	return true;
}

/* ---- all others ---- */

/* Would this access have been a plain hit, were it not for the checks? */
static bool plain_hit(const struct cpu *cpu, u32 line, enum access_kind kind)
{
	u32 word = cpu->words[line];

	if (kind == ACCESS_READ || kind == ACCESS_PREFETCH)
		return word >= WORD(WORD_SHARED);
	return word >= WORD(WORD_MODIFIED) &&
	       (kind == ACCESS_WRITE || !cpu->num_stores);
}

/* The layout says that this kernel lacks it: a bug of the modelled code. */
G_NORETURN static void no_such_member(u32 index)
{
	const struct access_site *site = &__start_access_sites[index];

	g_error("%s() (%s:%u) used %s.%s, which this kernel does not have",
		site->function, site->file, site->source_line, site->type,
		site->member);
}

/* Does what the access is, and counts it. */
static void serve(struct request *req, const struct object *o,
		  enum access_kind kind, bool counts)
{
	const ps_t before = req->cpu->clock;

	switch (kind) {
	case ACCESS_READ:
		do_read(req);
		break;
	case ACCESS_WRITE:
		do_write(req);
		break;
	case ACCESS_ATOMIC:
		do_atomic(req);
		break;
	default:
		do_prefetch(req);
		break;
	}
	if (likely(counts)) {
		count(req);
		count_line(req, o, req->cpu->clock - before);
	}
}

G_NO_INLINE static void access_request(struct cpu *cpu, const struct object *o, u32 line,
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
	const bool watched = machine->check || machine_observed(machine);
	const bool plain = watched && plain_hit(cpu, line, kind);
	const ps_t since = cpu->clock;

	if (unlikely(o->table[__start_access_sites[site].offset] == NO_LINE))
		no_such_member(site);
	g_assert(line < machine->max_lines);
	OBSERVE(machine, pause, cpu);
	if (kind == ACCESS_ATOMIC)
		store_drain(cpu);
	else if (kind == ACCESS_WRITE)
		store_room(cpu);
	wait_for_turn(&req);
	if (unlikely(machine->check))
		check_access(cpu, o, site);
	OBSERVE(machine, access, cpu, o, line, &__start_access_sites[site]);
	if (unlikely(watched) && is_private(cpu, req.l, cpu->words[line]))
		req.level = private_request(cpu, o, req.l, line, site, kind);
	else
		serve(&req, o, kind, !plain);
	if (unlikely(machine->check))
		check_line(machine, line);
	OBSERVE(machine, done, cpu, o, &__start_access_sites[site], req.level,
		since);
}

/* ---- the way in ---- */

/* A store to a line that this CPU may write has only the store buffer to pass:
 * the common case while an earlier store is waiting for its line. */
static inline bool write_owned(struct cpu *cpu, u32 line)
{
	u32 *word = &cpu->words[line];

	if (*word < WORD(WORD_MODIFIED))
		return false;
	*word = (*word & ~WORD_TICK) | cpu->tick;
	store_room(cpu);
	store_enter(cpu);
	return true;
}

void access_slow(struct cpu *cpu, const struct object *o, u32 line, u32 site)
{
	const struct access_site *s = &__start_access_sites[site];
	const struct machine *machine = cpu->machine;

	if (likely(!machine->check && !machine_observed(machine) &&
		   line < machine->max_lines)) {
		if (s->kind == ACCESS_WRITE && write_owned(cpu, line))
			return;
		if (unlikely(o->table[s->offset] == NO_LINE))
			no_such_member(site);
		if (is_private(cpu, &machine->lines[line], cpu->words[line])) {
			access_private(cpu, o, line, site, s->kind);
			return;
		}
		if (s->kind != ACCESS_PREFETCH &&
		    access_here(cpu, o, line, site, s->kind))
			return;
	}
	access_request(cpu, o, line, site, s->kind);
}

void access_atomic_line(struct cpu *cpu, const struct object *o, u32 line,
			u32 site)
{
	u32 *word = &cpu->words[line];

	if (likely(*word >= cpu->write_floor)) {
		*word = (*word & ~WORD_TICK) | cpu->tick;
		atomic_time(cpu, site);
		return;
	}
	access_slow(cpu, o, line, site);
}
