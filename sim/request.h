/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One access on the slow path, as the rooms that serve it pass it on: access.c
 * (order and time), cache.c (whose copy), store_buffer.c (what waits to drain).
 * Nobody else includes this.
 */
#ifndef SIM_REQUEST_H
#define SIM_REQUEST_H

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

/* ---- a line's record ---- */

/* The core of the only CPU that knows the line. */
static inline u32 line_core(const struct machine *machine,
			    const struct line *l)
{
	return l->cpu < machine->num_cores ? l->cpu :
					     l->cpu - machine->num_cores;
}

/* The cores that hold it. */
static inline u64 line_cores(const struct machine *machine,
			     const struct line *l)
{
	if (l->shared)
		return machine->shared[l->shared].cores;
	return l->held ? 1ull << line_core(machine, l) : 0;
}

static inline void line_hold(struct machine *machine, struct line *l, u64 core)
{
	if (l->shared)
		machine->shared[l->shared].cores |= core;
	else
		l->held = true;
}

static inline void line_unhold(struct machine *machine, struct line *l,
			       u64 core)
{
	if (l->shared)
		machine->shared[l->shared].cores &= ~core;
	else
		l->held = false;
}

static inline bool line_owned_by(const struct line *l, const struct core *core)
{
	return l->owner == core->id + 1;
}

/* Until when a transfer keeps it; one CPU's line is nobody else's, and may be
 * ahead of their time. */
static inline ps_t line_busy_until(const struct machine *machine,
				   const struct line *l)
{
	return machine->shared[l->shared].busy_until;
}

/* The totals to which a line that has been missed belongs. */
static inline struct line_total *line_total(struct machine *machine,
					    const struct line *l)
{
	return account_line(&machine->account, l->type, l->index);
}

/* ---- cache.c ---- */

/* Where the line would come from, and the level whose latency an upgrade or an
 * invalidation has, at least. */
enum level cache_find_level(const struct request *req);
enum level cache_invalidation_level(const struct request *req);
/* What class the line has once this access has happened. */
void cache_reclassify(struct request *req);
/* The line becomes readable, or writable, here. */
void cache_grant_read(struct request *req);
void cache_grant_own(struct request *req, bool filling);
/* The word that this CPU has once the line's data are there. */
u32 cache_settled_word(const struct request *req);
/* The next line often comes with this one, if nobody owns it. */
void cache_prefetch_adjacent(struct request *req);

/* ---- store_buffer.c ---- */

/* The CPU waits until t: a stall of the running function and of the site. */
void stall_until(struct cpu *cpu, u32 site, ps_t t);

/* A miss takes a line fill buffer: when the request can leave; then note when
 * the data will be here; ask when a line's will be (0: they are). */
ps_t fill_begin(struct cpu *cpu);
void fill_end(struct cpu *cpu, u32 line, ps_t done);
ps_t fill_done(const struct cpu *cpu, u32 line);

/* A store waits for room, then enters: it can drain at `ready`, and not before
 * those that entered earlier.  store_enter() is for one that waits for them
 * only. */
void store_room(struct cpu *cpu);
void store_push(struct cpu *cpu, const struct request *req, ps_t ready);
void store_enter(struct cpu *cpu);
/* Waits until all stores have drained. */
void store_drain(struct cpu *cpu);

#endif
