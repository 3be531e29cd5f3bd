/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks on while an operation runs and writes down what it does. */
#ifndef SCENARIOS_WATCH_H
#define SCENARIOS_WATCH_H

#include "scenarios/operation.h"

struct watch;

/* An operation with nothing in it yet. */
struct operation *watch_operation_new(const struct operation_kind *kind);

/* Between these two the running context's accesses and calls go into the
 * operation.  The account must have been cleared. */
struct watch *watch_begin(struct machine *machine, struct operation *operation);
void watch_end(struct watch *watch);

#endif
