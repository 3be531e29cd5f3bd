/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks in the results: adds the sites of each lock up. */
#ifndef SCENARIOS_COLLECT_LOCKS_H
#define SCENARIOS_COLLECT_LOCKS_H

#include "analysis/results.h"
#include "sim/account.h"

/* Appends the locks of a host to `locks`, which stay sorted; counts and the
 * types of the objects are by access site. */
void collect_locks(const struct lock_count *counts, char *const *types,
		   const char *host, GArray *locks);
/* Appends a wait for each lock that was spun at: it is a stall of functions
 * that no field's stall has. */
void collect_spinning(struct results *results);

#endif
