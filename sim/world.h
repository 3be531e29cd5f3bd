/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several machines in one simulation.
 *
 * Each machine has a clock, an engine and a memory of its own.  They meet only
 * through links (link.h), and whatever one does reaches another a link's delay
 * later at the earliest.  So the machine that is behind goes on for that long
 * beyond the next thing that any other has to do, with no thought of them:
 * conservative synchronisation with the delay as its look-ahead.  Ties go to
 * the machine that was added first.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/machine.h"

#define MAX_MACHINES 16u

struct world {
	struct machine *machines[MAX_MACHINES];
	u32 num_machines;
	u32 live_contexts;	/* of all of them */
	ps_t lookahead;		/* the smallest delay of a link */
	ps_t lingered;		/* until then, after its end */
	u64 seed;
	u32 num_links;
};

/* A world without machines; `seed` seeds the links' streams. */
struct world *world_new(u64 seed);
/* Frees the world, not its machines; links go before it. */
void world_free(struct world *world);

/* Adds a machine, which has not run yet; gives its number.  It may not run by
 * itself any more. */
u32 world_add(struct world *world, struct machine *machine);

/*
 * Runs until every context of every machine has finished, daemons aside.
 * False: it could not, for a machine was stopped or all that are left wait for
 * each other.
 */
bool world_run(struct world *world);
/* After that: lets timers, devices and interrupts go on for so long, in the same
 * run as --check sees it.  Gives the time at which that ended. */
ps_t world_linger(struct world *world, ps_t time);

#endif
