/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [sweep]: each key has a list of values; the points are the cross product, of
 * which the last key runs fastest.  A sweep without keys has one point, "".
 * Behind them stand the points with names, each a [point NAME] with keys of its
 * own.
 */
#ifndef SCENARIOS_SWEEP_H
#define SCENARIOS_SWEEP_H

#include "scenarios/assignment.h"
#include "scenarios/strict.h"

#define SWEEP_MAX_POINTS 10000
#define SWEEP_MAX_KEYS 16
#define SWEEP_MAX_NAMED 100
#define SWEEP_MAX_ITEM 256	/* bytes of one value */

struct sweep;

struct sweep *sweep_new(void);
void sweep_free(struct sweep *sweep);

/* Reads the group, once; values are checked and made canonical. */
gboolean sweep_read(struct sweep *sweep, const struct strict_file *file,
		    const struct strict_group *group, GError **error);

/* Adds a point with a name, which is its text; takes the assignments. */
gboolean sweep_add(struct sweep *sweep, const char *name,
		   GPtrArray *assignments, struct place place, GError **error);

/* The group that sets the key of the assignment, as in the file: "[sweep]", or
 * that of a point with a name; a new string, or NULL. */
char *sweep_group_of(const struct sweep *sweep, const struct assignment *like);

guint sweep_num_points(const struct sweep *sweep);

/* The canonical text of a point: "workload.threads=4;workload.size=64", or its
 * name. */
const char *sweep_point(const struct sweep *sweep, guint point);

/* The assignments of a point, one for each key that it sets; the sweep's own.
 * Free the array. */
GPtrArray *sweep_assignments(const struct sweep *sweep, guint point);

#endif
