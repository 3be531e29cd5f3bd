/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A computer: packages, cores, CPUs (hardware threads), their caches, the
 * memory behind them, and what was counted.  One machine serves one run; it is
 * used by one host thread at a time.
 *
 * Three rooms share these structs and each writes its own part: cpu.c the
 * clocks and contexts, cache.c lines and tags, account.c the counters.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "sim/account.h"
#include "sim/coroutine.h"
#include "sim/engine.h"
#include "sim/profile.h"
#include "sim/random.h"
#include "sim/types.h"

#define MAX_CORES 64u
#define MAX_CPUS 128u
#define MAX_PACKAGES 8u
#define NO_CPU 0xffu

/*
 * What a CPU may do with a line without asking anybody is one word, dense by
 * line number: the state in the high four bits, the time of the last use
 * (cpu->tick) below.  One comparison decides a hit.  "Ordered" lines have
 * been written while more than one CPU knew them: their accesses must happen
 * in the order of time.  The others need none, since nobody else can have
 * changed them.
 */
#define WORD_SHIFT 28
#define WORD_TICK ((1u << WORD_SHIFT) - 1)
enum word_state {
	WORD_ABSENT,
	WORD_FILLING,		/* ours, but the data are still on their way */
	WORD_SHARED_ORDERED,
	WORD_OWNED_ORDERED,
	WORD_SHARED,		/* from here on a read needs nothing more */
	WORD_EXCLUSIVE,
	WORD_MODIFIED,		/* and from here on a write */
};
#define WORD(state) ((u32)(state) << WORD_SHIFT)

enum line_class {
	LINE_UNTOUCHED,
	LINE_PRIVATE,		/* one CPU ever touched it */
	LINE_READ_SHARED,	/* not written since a second CPU knew it, or
				 * not for long (QUIET in access.c) */
	LINE_WRITE_SHARED,
};

/*
 * The directory's record of a line: small, since a run may touch tens of
 * millions of them, most of which only one CPU ever sees.  request.h has the
 * functions that read and change it.
 */
struct line {
	u32 shared;		/* its struct line_shared, 0: it has none, for
				 * one CPU only ever touched it */
	u16 type;		/* whose it was at the last miss, see account.h,
				 * and which line of that object; 0: none yet */
	u16 index;
	u8 packages;		/* whose L3 holds it */
	u8 owner;		/* 1 + the core with the right to write, or 0 */
	u8 cpu;			/* who touched it first */
	u8 class : 2;
	u8 dirty : 1;		/* memory and L3 are out of date */
	u8 held : 1;		/* the core of `cpu` holds it: no more is to say
				 * of a line that is not shared */
	u8 read : 1;		/* `cpu` read it, and wrote it */
	u8 written : 1;
};

/* What there is to say beyond that once a second CPU has come. */
struct line_shared {
	ps_t busy_until;	/* it is being transferred until then */
	u64 cores;		/* whose L2 (and so perhaps L1) holds it */
	ps_t written;		/* last */
	/* Who did, with accesses that were no plain hit. */
	u64 readers[MAX_CPUS / 64];
	u64 writers[MAX_CPUS / 64];
};

struct tags {
	u32 *line;		/* [set * stride + way], 0: empty; those of an
				 * L2 or L3 by the last use, newest first */
	u32 sets;
	u32 ways;
	u32 stride;
	u64 reciprocal;		/* 2^64 / sets, rounded up */
};

struct core {
	u32 id;
	u32 package;
	u32 tick;		/* one a function call, for LRU */
	u32 num_cpus;
	u32 num_users;
	struct cpu *cpus[2];
	struct cpu *users[2];	/* those that ever had a line, in that order:
				 * all words of the others are 0 */
	struct tags l1;
	struct tags l2;
};

/* A miss that is under way, or waits for a line fill buffer. */
struct fill {
	u32 line;
	ps_t done;
};

/* What a CPU did while it had nothing to do (idle.h). */
#define IDLE_INTERVALS 8u
struct cpu_idle {
	s32 now;		/* the state that it is in */
	u64 entered[MAX_IDLE_STATES];
	ps_t time[MAX_IDLE_STATES];
	u32 intervals[IDLE_INTERVALS];	/* the last ones, in ns */
	u32 num_intervals;
};

struct context;
struct sched_hooks;

struct cpu {
	/* What each access and each function call touches. */
	ps_t clock;
	ps_t limit;		/* beyond it the next function call looks for
				 * events, interrupts and observers */
	u32 *words;		/* by line number */
	uintptr_t hits_base;	/* of the machine's counters; see count_hit() */
	uintptr_t costs_base;	/* the same for functions; see cost_of() */
	struct core *core;
	struct call_node *node;
	u32 read_floor;		/* a word at least this large is a hit */
	u32 write_floor;
	u32 smt_busy;		/* 1: the sibling thread is busy */
	u32 tick;		/* the core's when a function was last called */
	u32 jitter_scale;
	u64 jitter_bits;
	struct random_stream jitter;

	/* The store buffer, in order: when each entry will have drained. */
	ps_t *stores;		/* ring of profile->store_buffer */
	u32 store_first;
	u32 num_stores;
	ps_t stores_drained;	/* when the last one will have */
	u32 stores_site;	/* the store that they wait for, and its line */
	u32 stores_line;

	struct fill *fills;	/* [first_fill ...], by the time at which they
				 * will be done; room for room_fills */
	u32 first_fill;
	u32 num_fills;
	u32 room_fills;
	u32 fill_buffers;	/* of the profile, and the ring's size */
	u32 store_buffer;

	/* Order and contexts (cpu.c). */
	ps_t due;		/* when the next event or interrupt is */
	ps_t horizon;		/* reads of shared lines up to here are safe */
	u64 next_key;		/* key of the earliest other CPU or event */
	struct context *current;	/* the context that runs here */
	struct context *idle;
	struct context *queue;	/* woken, by time */
	u32 num_queued;
	bool need_resched;	/* the running context is to yield soon */
	struct irq *irqs;	/* pending interrupts, by time */
	u32 irqs_off;		/* nesting of interrupts disabled */
	u32 in_irq;
	bool in_heap;		/* it is runnable, but another one runs */
	bool is_idle;
	bool asleep;		/* idle, and not even in an interrupt */
	bool uses_words;	/* it is one of its core's users */
	ps_t asleep_since;
	ps_t slept;		/* in all, until it last woke */
	ps_t next_timer;	/* the next that the kernel knows of when the
				 * CPU falls asleep */
	struct cpu_idle idle_states;
	u64 switches;

	u32 id;
	u32 package;
	struct machine *machine;
	struct check_cpu *check;
};

struct machine {
	const struct machine_profile *profile;
	struct engine *engine;
	u64 seed;
	u32 num_cpus;
	u32 num_cores;
	struct cpu *cpus;
	struct core *cores;
	struct tags l3[MAX_PACKAGES];
	ps_t lookahead;		/* the smallest latency at which the write of
				 * another core's CPU can be seen */
	ps_t sibling_lookahead;	/* ... of the other hyper-thread's */

	/* Memory. */
	u32 max_lines;
	struct line *lines;
	struct line_shared *shared;	/* [1 ... num_shared]; [0] is of none */
	u32 num_shared;
	u32 node_first_frame[MAX_PACKAGES];
	u32 node_next_frame[MAX_PACKAGES];
	u32 node_end_frame[MAX_PACKAGES];

	/* Runnable CPUs but the one that runs: a heap of their keys, which are
	 * made of clock and id, and one place more. */
	u64 heap[MAX_CPUS + 1];
	u32 heap_used;
	struct cpu *running;
	struct coroutine host;	/* the stack of whoever called machine_run() */
	bool spin_locks_queued;	/* the form of this kernel's spin locks */
	u32 live_contexts;
	u32 *live;		/* that, or what the machines of a world have */
	ps_t until;		/* it runs up to here, but not any further */
	bool stopped;

	void *kernel;		/* what runs on it; sim/ does not look */
	const struct sched_hooks *sched;	/* its; NULL: first come, first
						 * served */
	struct account account;
	struct check *check;	/* NULL: --check was not given */
	const struct observer *observer;	/* observe.h; NULL: none */
	const struct observer *tracer;	/* a second one, for all of a run */
};

/* The CPU whose context this host thread runs now. */
extern _Thread_local struct cpu *this_cpu;

/*
 * Makes a machine by a profile, which must outlive it.  `seed` seeds its
 * streams; `functions` gives each function's cost, by index (account.h).
 * Each CPU starts idle at time 0.
 */
struct machine *machine_new(const struct machine_profile *profile, u64 seed,
			    bool check);
void machine_free(struct machine *machine);

/*
 * Ends set-up: clocks go back to 0, nothing is under way, the counters are
 * cleared; what the caches hold stays.
 */
void machine_settle(struct machine *machine);

/*
 * The physical pages: takes 2^order pages of a node, aligned to their size,
 * and gives the first byte's address; 0 when the node is full.  Pages are not
 * given back: the page allocator of the stack does that above this.
 */
u64 machine_alloc_pages(struct machine *machine, u32 node, u32 order);
/* The node on which a line lies. */
u32 machine_line_node(const struct machine *machine, u32 line);

#endif
