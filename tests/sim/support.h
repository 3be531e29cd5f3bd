/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of the sim room share: a small machine whose latencies are
 * all different, so that a sum tells what it is made of; one-line objects to
 * put in its memory; contexts that are freed with their machine.
 */
#ifndef TESTS_SIM_SUPPORT_H
#define TESTS_SIM_SUPPORT_H

#include <check.h>
#include <glib.h>

#include "sim/lock.h"
#include "sim/request.h"

/* A line of memory with something of each kind on it. */
struct cell {
	struct object object;
	u64 value;
	u64 other;
	struct spinlock lock;
	struct spinlock inner;	/* a lock of another class */
	struct rwlock rwlock;
	struct mutex mutex;
	struct mutex mutex2;
	struct semaphore semaphore;
	struct seqcount seq;
	s32 refs;
	struct cell *points_to;
	u8 bytes[256];		/* four lines, from the first one on */
};

#define STRUCT_NAME(p) _Generic((p), struct cell *: "cell")

/*
 * 1 GHz, one instruction a nanosecond; L1 4 sets of 2 ways, L2 8 sets of 4,
 * L3 16 sets of 8, 4 MiB a node; 10 line fill buffers, 8 stores, no jitter, no
 * adjacent-line prefetch; hyper-threads slow each other by 1.5.
 */
struct machine_profile small_profile(u32 packages, u32 cores, u32 threads);
/* The same with caches in which nothing that a test does is ever evicted. */
struct machine_profile roomy_profile(u32 packages, u32 cores, u32 threads);

/* What a load that finds its line at a level adds to the clock. */
ps_t load_ps(const struct machine *machine, enum level level);

struct machine *support_machine(const struct machine_profile *profile, u64 seed,
				bool check);
/* Frees the machine and the contexts started on it. */
void support_machine_free(struct machine *machine);
struct context *start(struct machine *machine, u32 cpu, void (*fn)(void *),
		      void *arg);
/* Runs, and asserts that all contexts finished. */
void run(struct machine *machine);

/* n cells on consecutive lines of a node, from a line with an even number;
 * free with g_free(). */
struct cell *cells_new(struct machine *machine, u32 node, u32 n);
/* What was counted of all cells; the record of a cell's line. */
struct line_total *support_line_total(struct machine *machine,
				      const struct cell *cell);
struct line_shared *support_line_shared(struct machine *machine,
					const struct cell *cell);
/* A cell on a given line. */
void cell_init(struct cell *cell, u32 line);

/* Makes lines known to all CPUs, so that their order counts from here on (one
 * that a single CPU knows it may use ahead of time); then time begins anew.
 * The last CPU has them. */
void share(struct machine *machine, struct cell *cells, u32 n);

/* Sums over the access sites in a function of the tests, of a member (NULL:
 * any) and a kind (NUM_ACCESS_KINDS: any). */
struct site_count sites_of(const struct machine *machine, const char *function,
			   const char *member, enum access_kind kind);
u64 hits_of(const struct machine *machine, const char *function,
	    const char *member, enum access_kind kind);
struct lock_count locks_of(const struct machine *machine, const char *function,
			   const char *member);

/* The index of a FUNCTION() of the tests, for account_set_cost(). */
u32 function_index(const char *name);

/* Asserts that cache_verify_line() finds nothing wrong with these lines. */
void verify_lines(const struct machine *machine, u32 first, u32 n);

/* For loops: ck_assert() writes to a pipe each time that all is well. */
#define must(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("%s", #condition); \
	} while (0)

/* One suite a file, run by main.c. */
Suite *suite_engine(void);
Suite *suite_random(void);
Suite *suite_coroutine(void);
Suite *suite_object(void);
Suite *suite_account(void);
Suite *suite_cache(void);
Suite *suite_overlap(void);
Suite *suite_coherence(void);
Suite *suite_contention(void);
Suite *suite_order(void);
Suite *suite_idle(void);
Suite *suite_interrupt(void);
Suite *suite_lock(void);
Suite *suite_check(void);
Suite *suite_refs(void);
Suite *suite_race(void);
Suite *suite_observe(void);
Suite *suite_world(void);
Suite *suite_dma(void);

/* A suite of one case; the fixture may be NULL. */
Suite *support_suite(const char *name, const TTest *const *tests,
		     void (*setup)(void), void (*teardown)(void));

#endif
