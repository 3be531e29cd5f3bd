/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "group.key = value": what a line of the file, a key of a variant, a point of
 * the sweep and --set have in common.
 */
#ifndef SCENARIOS_ASSIGNMENT_H
#define SCENARIOS_ASSIGNMENT_H

#include "scenarios/keys.h"
#include "scenarios/strict.h"

struct assignment {
	const struct key *key;	/* NULL in [layout] and [parameters] */
	char *group;
	char *name;
	char *value;
	char *set;		/* place.file of an option; else NULL */
	struct place place;
};

/* In the file's own group [group].  Does not look at the value of a known
 * key; that of a free key is joined to single spaces. */
struct assignment *assignment_new(const char *group, const char *name,
				  const char *value, struct place place,
				  GError **error);

/* From "group.key", as a variant, a sweep or --set names it; "key" alone is of
 * [scenario].  where: the group that the path stands in, for messages. */
struct assignment *assignment_from_path(const char *path, const char *value,
					const char *where, struct place place,
					GError **error);

/* From "group.key=value", as --set gives it; checks the text as well. */
struct assignment *assignment_from_set(const char *set, GError **error);

void assignment_free(void *assignment);

gboolean assignment_same_key(const struct assignment *a,
			     const struct assignment *b);

/* "group.key"; a new string. */
char *assignment_path(const struct assignment *assignment);

/* The one in a list for the same key, or NULL. */
struct assignment *assignment_find(const GPtrArray *assignments,
				   const struct assignment *like);

/* Adds "path=value" to a list parted by ';'. */
void overrides_append(GString *text, const char *path, const char *value);

#endif
