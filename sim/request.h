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

/* Where a line that this CPU alone knows comes from, if not from L1, and its
 * coming, with the right to write and this word. */
enum level cache_private_level(const struct cpu *cpu, const struct line *l,
			       u32 line);
void cache_private_grant(struct cpu *cpu, struct line *l, u32 line,
			 enum level level, u32 word);

/* ---- store_buffer.c ---- */

/* The CPU waits until t: a stall of the running function and of the site. */
static inline void stall_until(struct cpu *cpu, u32 site, ps_t t)
{
	ps_t stall;

	if (t <= cpu->clock)
		return;
	stall = t - cpu->clock;
	cpu->clock = t;
	cpu->node->stall_ps += stall;
	cpu->machine->account.sites[site].stall_ps += stall;
}

/* A miss takes a line fill buffer; where all are in use, it waits until there
 * is one for it too.  Gives the time at which the request leaves. */
static inline ps_t fill_begin(struct cpu *cpu)
{
	const struct fill *fill = cpu->fills + cpu->first_fill;
	u32 n = cpu->num_fills;

	if (n && fill[n - 1].done <= cpu->clock)
		n = 0;
	for (; n && fill->done <= cpu->clock; n--)
		fill++;
	cpu->num_fills = n;
	cpu->first_fill = n ? fill - cpu->fills : 0;
	return n < cpu->fill_buffers ? cpu->clock :
		fill[n - cpu->fill_buffers].done;
}

/* Notes when the data will be here. */
void fill_end(struct cpu *cpu, u32 line, ps_t done);

/* When the line's data are here; 0: they are. */
static inline ps_t fill_done(const struct cpu *cpu, u32 line)
{
	const struct fill *fills = cpu->fills + cpu->first_fill;
	u32 i = cpu->num_fills;

	while (i-- && fills[i].done > cpu->clock)
		if (fills[i].line == line)
			return fills[i].done;
	return 0;
}

/* While both hyper-threads of a core run, each has half of its store buffer
 * (partitioned by the hardware; Intel optimisation manual, "Hyper-Threading
 * Technology"). */
static inline u32 store_depth(const struct cpu *cpu)
{
	u32 depth = cpu->store_buffer >> cpu->smt_busy;

	return depth ? depth : 1;
}

/* Takes out the stores that have drained. */
void stores_retire(struct cpu *cpu);
/* The store buffer is full. */
void store_room_slow(struct cpu *cpu);

/* A store waits for room in the buffer before it asks for its line. */
static inline void store_room(struct cpu *cpu)
{
	if (!cpu->num_stores)
		return;
	if (cpu->stores[cpu->store_first] <= cpu->clock)
		stores_retire(cpu);
	if (unlikely(cpu->num_stores >= store_depth(cpu)))
		store_room_slow(cpu);
}

/* A store enters the buffer and drains when those before it have. */
static inline void store_enter(struct cpu *cpu)
{
	u32 at;

	if (cpu->stores_drained <= cpu->clock)
		return;		/* it drains at once */
	at = cpu->store_first + cpu->num_stores++;
	if (at >= cpu->store_buffer)
		at -= cpu->store_buffer;
	cpu->stores[at] = cpu->stores_drained;
	cpu->write_floor = UINT32_MAX;
}

/* The same for a store whose line is here at `ready`. */
static inline void store_push(struct cpu *cpu, u32 site, u32 line, ps_t ready)
{
	if (ready > cpu->stores_drained) {
		cpu->stores_drained = ready;
		cpu->stores_site = site;
		cpu->stores_line = line;
	}
	store_enter(cpu);
}

/* Waits until all stores have drained. */
void store_drain(struct cpu *cpu);

#endif
