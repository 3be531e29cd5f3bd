/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs touch which field of one object: looked at for a number of
 * accesses from where the measured time begins.  The accounts of types and
 * sites do not know: there each CPU may have objects of its own.
 */
#ifndef SCENARIOS_SHARING_H
#define SCENARIOS_SHARING_H

#include "analysis/results.h"
#include "sim/machine.h"

struct sharing;

/* Begins to look at a machine, for so many accesses at most; the simulation
 * goes on as it would. */
struct sharing *sharing_begin(struct machine *machine, u64 accesses);
/* Ends it, if it has not ended by itself; the machine may go. */
void sharing_end(struct sharing *sharing);
void sharing_free(struct sharing *sharing);

/* Appends what was seen, by field and function; `types` names the type of a
 * site's objects, NULL: the site's own. */
void sharing_finish(const struct sharing *sharing, char *const *types,
		    const char *host, GArray *sharings);

#endif
