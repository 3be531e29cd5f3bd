/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of the scenario language that have a fixed place in struct config,
 * or in struct config_host ([host NAME]) and struct config_link ([link NAME]):
 * their groups, kinds, ranges, defaults and one line of help each.  A new key
 * is a row in keys.c and a member of the struct.
 *
 * The keys of [layout] and [parameters] are names of the modelled kernel; they
 * are not in this table.
 */
#ifndef SCENARIOS_KEYS_H
#define SCENARIOS_KEYS_H

#include <glib.h>

/* The type of the member of struct config is beside each. */
enum key_kind {
	KEY_TEXT,	/* char *: anything on one line */
	KEY_NAME,	/* char *: letters, digits, '.', '_', '-', '+' */
	KEY_PATH,	/* char *: a name, or a path: '/' as well */
	KEY_PROGRAM,	/* char *: one of known_programs */
	KEY_UINT,	/* unsigned int */
	KEY_U64,	/* guint64 */
	KEY_BOOLEAN,	/* gboolean: true or false */
	KEY_FAMILY,	/* enum address_family: inet or inet6 */
	KEY_PATCHES,	/* char **: names, each perhaps with '-' before it */
	KEY_IP,		/* char *: an address; NULL for none */
	KEY_CPUS,	/* char *: "0-5,12"; NULL for none */
	KEY_DEVICES,	/* GPtrArray * of struct config_device * */
	KEY_ADDRESSES,	/* GPtrArray * of struct config_address * */
	KEY_ROUTES,	/* GPtrArray * of struct config_route * */
	KEY_NEIGHBOURS,	/* GPtrArray * of struct config_neighbour * */
	KEY_ENDS,	/* GPtrArray * of struct config_end *: two */
	KEY_PERCENT,	/* guint64: millionths of a percent */
};

struct key {
	const char *group;
	const char *name;
	enum key_kind kind;
	gsize offset;			/* in the struct of its group */
	guint64 min, max;		/* KEY_UINT and KEY_U64 only */
	const char *value;		/* the default; NULL: required, but that
					 * of [scenario] stands in for a key of
					 * a host that has the same name */
	gboolean fixed;			/* only the file's own group sets it */
	const char *help;
};

#define NUM_KEYS 47
extern const struct key known_keys[NUM_KEYS];
extern const char *const known_programs[];	/* NULL-ended */

/* The groups in which known keys stand: scenario, workload, network, host,
 * link; and with them layout and parameters, whose keys are free.  NULL-ended.
 */
extern const char *const value_groups[];

/* A group is named as paths name it: "workload", "host.client". */

/* NULL where there is no such key. */
const struct key *key_find(const char *group, const char *name);

/* TRUE for host and link, of which there may be many, each with a name. */
gboolean group_is_named(const char *word);
/* "host" of "host.client"; a group without a name is its own kind.  Such a
 * name has no '.' in it.  A new string. */
char *group_kind(const char *group);
/* "host.client" for "host client" of a file, a new string; NULL where that is
 * no group with a name. */
char *named_group(const char *label);
/* As it stands in a file: "host client".  A new string. */
char *group_label(const char *group);

/* TRUE for layout and parameters. */
gboolean group_is_free(const char *group);
gboolean group_has_values(const char *group);

/* What to write instead of an unknown key: "; did you mean 'threads'?", or a
 * list of the group's keys.  A new string. */
char *key_hint(const char *group, const char *name);

#endif
