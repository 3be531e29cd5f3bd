/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of a machine.  They come from a profile file, where each one has
 * its source beside it (scenarios/machines/); nothing here has a default.
 * The comment at a member is the key and the unit in that file; a file's
 * groups are [machine], [instructions], [caches], [latency], [stores],
 * [contention], [strings], [interrupts], [idle].
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "sim/types.h"

/* Where an access finds its line, nearest first. */
enum level {
	LEVEL_L1_HIT,
	LEVEL_L2_HIT,
	LEVEL_SIBLING_HIT,	/* first touch of a line that the other
				 * hyper-thread brought into the shared L1 */
	LEVEL_L3_HIT,		/* this package's L3 */
	LEVEL_OTHER_CORE_CLEAN,	/* exclusive or shared in another core */
	LEVEL_OTHER_CORE_HITM,	/* modified in another core, this package */
	LEVEL_OTHER_PACKAGE_CLEAN,
	LEVEL_OTHER_PACKAGE_HITM,
	LEVEL_LOCAL_DRAM,
	LEVEL_REMOTE_DRAM,
	NUM_LEVEL
};

struct cache_profile {
	u32 size;		/* bytes; 0: there is none (L3 only) */
	u32 ways;
};

/* What a CPU with nothing to do may fall into. */
#define MAX_IDLE_STATES 8u
struct idle_state {
	char name[8];
	ps_t exit_ps;		/* until it runs again, once it is woken */
	ps_t residency_ps;	/* shorter than that it is not worth it */
};

struct machine_profile {
	char *name;		/* the file's name without .machine */
	char *title;		/* [machine] title */

	/* [machine] */
	u32 packages;		/* packages, 1 to 8 */
	u32 cores;		/* cores (of one package), 1 to 64 in all */
	u32 threads;		/* threads (of one core), 1 or 2 */
	u64 clock_khz;		/* clock_mhz, may have three decimals */
	u64 node_bytes;		/* memory_mib: of one node, for the kernel's
				 * sizing rules; a node is a package */

	/* [instructions] */
	u32 cpi_milli;		/* cycles_per_instruction, up to three decimals:
				 * kernel code whose lines are all in L1 */
	u32 smt_milli;		/* smt_slowdown, up to three decimals: factor
				 * on instruction time while the sibling thread
				 * is busy; 1 where threads = 1 */
	u32 jitter_milli;	/* jitter, up to three decimals, 0 to 0.9: one
				 * call's instruction time is drawn uniformly
				 * from 1 - jitter to 1 + jitter */
	ps_t syscall_ps;	/* syscall: entry and exit beyond their
				 * instructions; "N cycles" or "N ns" */

	/* [caches] line_bytes must be 64 */
	struct cache_profile l1d;	/* l1d = 32 KiB 8 ways; per core */
	struct cache_profile l2;	/* l2; per core */
	struct cache_profile l3;	/* l3; per package; "none" */
	u32 line_fill_buffers;	/* outstanding misses of a core, 1 to 64 */
	bool adjacent_line_prefetch;	/* true or false */

	/* [latency], of a load, each "N cycles" or "N ns", load to use:
	 * l1, l2, sibling, l3, other_core_clean, other_core_modified,
	 * other_package_clean, other_package_modified, dram_local,
	 * dram_remote */
	ps_t latency[NUM_LEVEL];

	/* [stores] */
	u32 store_buffer;	/* store_buffer: entries of a core, 1 to
				 * 256 */
	ps_t atomic_ps;		/* atomic: a locked operation on a line that
				 * this core holds modified */
	ps_t fence_ps;		/* fence: a full fence with nothing to drain */

	/* [contention] */
	ps_t conflict_ps;	/* conflict: what a transfer between packages
				 * takes more when it meets another request
				 * for the line that is still under way */

	/* [strings] */
	ps_t rep_ps;		/* rep: a REP MOVS or STOS with a small count,
				 * beyond its instruction */

	/* [interrupts], the hardware's part of each, beyond instructions */
	ps_t interrupt_ps;	/* interrupt: taking one and returning */
	ps_t ipi_ps;		/* ipi: from one CPU's order until another has
				 * the interrupt */
	ps_t context_switch_ps;	/* context_switch: to a task of another process,
				 * whose page tables are loaded */

	/* [idle] states = C1 3 us 6 us; ...: name, exit latency, target
	 * residency; or none: then an idle CPU goes on at once. */
	struct idle_state idle[MAX_IDLE_STATES];
	u32 num_idle;
};

#endif
