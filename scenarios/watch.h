/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks on while an operation runs and writes down what it does. */
#ifndef SCENARIOS_WATCH_H
#define SCENARIOS_WATCH_H

#include "scenarios/operation.h"

struct watch;

/* An operation with nothing in it yet. */
struct operation *watch_operation_new(const struct operation_kind *kind);

/* Between these two the running context's accesses and calls go into the
 * operation. */
struct watch *watch_begin(struct machine *machine, struct operation *operation,
			  const struct object_map *map);
void watch_end(struct watch *watch);

/* Marks the lines that another process touched in the same operation. */
void watch_find_shared(struct operation *operation,
		       const struct operation *other);

#endif
