/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of a trace and the types of the model: which stand for which.
 * The table is data, stack/kernels/objects.tsv; its head says what the columns
 * mean.  Rows that share a type of the model make up one group, and groups are
 * what the yardstick compares: an object of the trace and one of the model
 * that belong to the same group are the same thing.
 */
#ifndef SCENARIOS_OBJECTS_H
#define SCENARIOS_OBJECTS_H

#include <glib.h>

#include "sim/types.h"

/* A row of the table. */
struct object_row {
	char *class;		/* "named": the trace's */
	char *object;		/* "net_device.lstats"; NULL: none there */
	char **functions;	/* glob patterns; NULL: any */
	char **types;		/* of the model; NULL: left out */
	bool any_line;		/* which line is a matter of chance */
	char *reason;
	u32 line;		/* in the file */
	struct object_group *group;
};

struct object_group {
	char *name;		/* as reports show it */
	const struct object_row *row;	/* its first */
	bool counted;		/* its lines make up the scores */
	bool any_line;
	bool modelled;
};

struct object_map;

/* NULL and an error (SCENARIO_ERROR) with file and line where the table is
 * wrong.  Free with object_map_free(). */
struct object_map *object_map_load(const char *path, GError **error);
void object_map_free(struct object_map *map);
typedef struct object_map ObjectMap;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ObjectMap, object_map_free)

/* Is this class of a trace one that is scored? */
bool class_is_counted(const char *class);

/*
 * The group of an object in a trace: its name loses what stands in brackets
 * and parentheses; `functions` is the trace's column ("a:3, b:1").  The name of
 * a type will do, for what the model prints.  NULL where no row covers it.
 */
const struct object_group *object_map_truth(const struct object_map *map,
					    const char *object,
					    const char *functions);
/* The first row of a type of the model; NULL where none has it. */
const struct object_row *object_map_type(const struct object_map *map,
					 const char *type);
/* The rows, struct object_row *, in the order of the file. */
const GPtrArray *object_map_rows(const struct object_map *map);

#endif
