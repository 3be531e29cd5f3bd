/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [sweep]: each key has a list of values; the points are the cross product, of
 * which the last key runs fastest.  A sweep without keys has one point, "".
 */
#ifndef SCENARIOS_SWEEP_H
#define SCENARIOS_SWEEP_H

#include "scenarios/assignment.h"
#include "scenarios/strict.h"

#define SWEEP_MAX_POINTS 10000
#define SWEEP_MAX_KEYS 16
#define SWEEP_MAX_ITEM 256	/* bytes of one value */

struct sweep;

struct sweep *sweep_new(void);
void sweep_free(struct sweep *sweep);

/* Reads the group, once; values are checked and made canonical. */
gboolean sweep_read(struct sweep *sweep, const struct strict_file *file,
		    const struct strict_group *group, GError **error);

/* TRUE where the key of the assignment is swept. */
gboolean sweep_has(const struct sweep *sweep, const struct assignment *like);

guint sweep_num_points(const struct sweep *sweep);

/* The canonical text of a point: "workload.threads=4;workload.size=64". */
const char *sweep_point(const struct sweep *sweep, guint point);

/* The assignments of a point, one for each key; the sweep's own.  Free the
 * array. */
GPtrArray *sweep_assignments(const struct sweep *sweep, guint point);

#endif
