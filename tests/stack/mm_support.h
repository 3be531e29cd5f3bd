/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of stack/mm/ share: a machine and a kernel that has nothing
 * but its allocators, with layouts and costs written down here, so that these
 * tests need no data files; and the walks that look whether an allocator's
 * lists are whole.
 */
#ifndef TESTS_STACK_MM_SUPPORT_H
#define TESTS_STACK_MM_SUPPORT_H

#include <check.h>

#include "sim/check.h"
#include "stack/mm/mm.h"

struct mm_setup {
	u32 packages, cores;	/* of a machine of one thread a core */
	const char *allocator;
	bool check;
	const char *limited;	/* a cache with a limit of its own, or NULL */
	u32 limit;
	u32 node_mib;		/* memory of a node; 0: all there is */
	const char *data;	/* "linux-6.1": a whole kernel, by its data
				 * files; NULL: 3.6's allocators alone */
	const char *const *patches;	/* of a whole kernel */
	u64 seed;		/* 0: one */
	bool paged;		/* SLAB of 4.6 instead of 3.6's */
};

/* Makes the machine and starts the allocators; this_cpu is CPU 0. */
struct kernel *mm_kernel_new(const struct mm_setup *setup);
void mm_kernel_free(struct kernel *kernel);

/* Goes on as the set-up code of a CPU. */
void on_cpu(struct kernel *kernel, u32 id);

/* Runs code as a process on CPU 0 of a whole kernel. */
void mm_in_process(struct kernel *kernel, void (*fn)(void *arg), void *arg);

/* What the tests allocate: of the size of struct udp_sock or struct sk_buff. */
struct thing {
	struct object object;
	u64 value[4];
};
struct any_cache *udp_cache(struct kernel *kernel, u32 flags);
struct any_cache *udpv6_cache(struct kernel *kernel);
struct any_cache *small_cache(struct kernel *kernel);

/* /proc/slabinfo's row; fails where there is none. */
struct slabinfo info_of(const struct kernel *kernel, const char *name);

/* Address and length of an object that lives; for overlap tests. */
struct live {
	void *object;
	u64 address;
	u32 size;
};
/* Fails where two of them overlap; sorts the array. */
void verify_no_overlap(struct live *live, u32 n);

/* How many free objects the lists and arrays of a cache hold; fails where they
 * contradict each other. */
u32 verify_slab_cache(const struct kmem_cache *cachep);
u32 verify_slub_cache(const struct kmem_cache_slub *s, const struct live *live,
		      u32 n);
/* Of any cache; what a CPU has set aside for itself is free as well. */
u32 count_free_objects(const struct any_cache *cache);
/* The same for the free pages of all zones. */
u64 verify_pages(const struct mm *mm);

/* SLUB: many allocations and frees on several CPUs, each of which may `share`
 * objects with others; gives a number that stands for all their times.  The
 * machine must have as many CPUs on two nodes. */
#define SLUB_WORKERS 6u
ps_t run_slub_workers(struct kernel *kernel, u32 steps, u64 seed, bool share);

/* Fails with the text of the checks' findings, if any. */
void verify_no_findings(const struct kernel *kernel);

/* For loops: ck_assert() writes to a pipe each time that all is well. */
#define must(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("%s", #condition); \
	} while (0)

Suite *suite_slab(void);
Suite *suite_slab_order(void);
Suite *suite_slab_many(void);
Suite *suite_slab_4_6(void);
Suite *suite_slab_rcu(void);
Suite *suite_slab_reap(void);
Suite *suite_slub(void);
Suite *suite_slub_6_1(void);
Suite *suite_slub_truth(void);
Suite *suite_kernel_arm(void);
Suite *suite_page_alloc(void);

#endif
