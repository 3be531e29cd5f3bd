/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layers of assignments: the file, then a variant, a point of the sweep, and
 * --set.  A later one takes the place of an earlier one for the same key.
 * Borrows the assignments.
 */
#ifndef SCENARIOS_LAYERS_H
#define SCENARIOS_LAYERS_H

#include "scenarios/assignment.h"
#include "scenarios/scenario.h"

/* [host NAME] or [link NAME]. */
struct layers_named {
	char *group;		/* "host.client" */
	const struct strict_group *in_file;
	const struct assignment *values[NUM_KEYS];
};

struct layers {
	const struct strict_file *file;
	const struct assignment *values[NUM_KEYS];
	GPtrArray *named;	/* struct layers_named *, in file order */
	GPtrArray *settings;	/* [layout], [parameters]; first place kept */
	GPtrArray *overrides;	/* what the layers above the file set */
};

void layers_init(struct layers *layers, const struct strict_file *file);
void layers_clear(struct layers *layers);

/* Lays assignments of the file (override FALSE) or of a layer above it.  FALSE
 * and an error where one is of a host or link that the file has not. */
gboolean layers_lay(struct layers *layers, const GPtrArray *assignments,
		    gboolean override, GError **error);

/* Reads all values into a config: name to network and overrides; variant,
 * point and published are the caller's.  NULL and an error where a value is
 * wrong, is missing, or does not go with another. */
struct config *layers_config(const struct layers *layers, GError **error);

#endif
