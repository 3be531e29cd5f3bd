/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pairs of socket operations share written lines.  The two of a pair run
 * on CPUs of their own, one after the other on an idle machine, each warmed
 * and looked at: a line that both touched and one wrote is one that they would
 * fight for if they ran at once.  Lines are told by where they lie in memory,
 * not by what they are called: two sockets are two.
 */
#ifndef SCENARIOS_CONFLICTS_H
#define SCENARIOS_CONFLICTS_H

#include <glib.h>
#include <stdio.h>

#include "scenarios/operation.h"
#include "stack/shape.h"

/* What the two have in common. */
enum conflict_scope {
	SCOPE_SOCKET,		/* two threads, one socket */
	SCOPE_PORT,		/* two processes, a socket each; the sockets are
				 * bound to one port of two addresses; one
				 * destination, one group */
	SCOPE_DESTINATION,	/* the same, but ports of their own */
	SCOPE_NOTHING,		/* other destinations and groups too */
	NUM_SCOPES
};
extern const char *const scope_names[NUM_SCOPES + 1];
extern const char *const scope_titles[NUM_SCOPES];

/* The socket operations, in the order of a socket's life. */
enum conflict_operation {
	CONFLICT_SOCKET,
	CONFLICT_BIND,
	CONFLICT_CONNECT,
	CONFLICT_SEND,
	CONFLICT_SENDTO,
	CONFLICT_RECV,
	CONFLICT_CLOSE,
	CONFLICT_SETSOCKOPT,
	CONFLICT_JOIN,
	NUM_CONFLICT_OPERATIONS
};
extern const char *const conflict_names[NUM_CONFLICT_OPERATIONS + 1];

/* A line that both touch and at least one writes. */
struct conflict_line {
	const char *type;
	u32 line;		/* within the object */
	GArray *fields[2];	/* struct operation_field, of either */
};

struct conflict_pair {
	enum conflict_scope scope;
	enum conflict_operation operations[2];
	bool possible;		/* else there is no such pair: two close() of
				 * one socket, two threads and one that is to be
				 * made */
	bool modelled;		/* this kernel's model has both */
	int errors[2];		/* -errno that the call gave, 0: none */
	GPtrArray *lines;	/* struct conflict_line *, by type and line */
};

struct conflicts {
	char *kernel;
	GPtrArray *pairs;	/* struct conflict_pair *: by scope, the first,
				 * the second */
};

/* Runs the pairs of which both are in `wanted`, over PF_INET or PF_INET6.  NULL
 * and an error where the kernel is not to be had or an operation fails. */
struct conflicts *conflicts_run(const struct operation_setup *setup, int family,
				const bool *wanted,
				const struct object_map *map, GError **error);
void conflicts_free(struct conflicts *conflicts);
typedef struct conflicts Conflicts;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Conflicts, conflicts_free)

/* ---- hot_fields.c: what the send and the receive path touch ---- */

enum hot_path {
	HOT_TX,			/* send() and sendto() */
	HOT_RX,			/* net_rx_action() and recv() */
	NUM_HOT_PATHS
};

struct hot_field {
	const char *type, *name;
	struct shape_member at;		/* its texts are not set */
	char *c_type;			/* NULL: not known */
	bool kinds[NUM_HOT_PATHS][3];	/* by ACCESS_READ, _WRITE, _ATOMIC */
	GPtrArray *functions;		/* names, as they came */
};

/*
 * struct hot_field *, by struct and place.  `shapes` are those of the kernel,
 * and `types`, or NULL, such as know the types of members.  NULL and an error
 * as above.
 */
GPtrArray *hot_fields_run(const struct operation_setup *setup, int family,
			  const struct shape_set *shapes,
			  const struct shape_set *types, GError **error);

/* ---- conflict_rig.c: where they run ---- */

struct conflict_rig {
	struct machine_profile *profile;
	struct machine *machine;
	struct kernel *kernel;
	struct task_struct *tasks[2];
	int family;
	enum conflict_scope scope;
};

/* A machine of two CPUs, the kernel, dummy0 with neighbours, and two processes
 * or, where the scope says so, threads. */
bool rig_start(struct conflict_rig *rig, const struct operation_setup *setup,
	       int family, enum conflict_scope scope, GError **error);
void rig_stop(struct conflict_rig *rig);
/* Runs on a side's CPU by itself; false: it never ends. */
bool rig_do(struct conflict_rig *rig, u32 side, void (*fn)(void *), void *arg);

/* These are called by what a rig runs. */

/* A socket that is ready for both operations, or -errno. */
int rig_open(const struct conflict_rig *rig, u32 side,
	     enum conflict_operation a, enum conflict_operation b);
/* Does it: 0, a new descriptor, or -errno. */
int rig_call(const struct conflict_rig *rig, u32 side,
	     enum conflict_operation operation, int fd);

/* ---- conflicts_print.c ---- */

void conflicts_print_matrix(FILE *file, const struct conflicts *conflicts);
/* Each pair, and the lines that it shares. */
void conflicts_print_pairs(FILE *file, const struct conflicts *conflicts);
void hot_fields_print(FILE *file, const char *kernel, const GPtrArray *fields);
/* Either may be NULL. */
void conflicts_print_json(FILE *file, const char *kernel,
			  const struct conflicts *conflicts,
			  const GPtrArray *fields);

#endif
