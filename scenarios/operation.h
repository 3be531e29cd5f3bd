/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One socket operation, line by line: sets up what tests/truth/README.md says,
 * warms the operation, then looks on while it is done once more on an idle
 * machine.
 */
#ifndef SCENARIOS_OPERATION_H
#define SCENARIOS_OPERATION_H

#include <glib.h>
#include <stdio.h>

#include "scenarios/objects.h"
#include "stack/kernel.h"

/* An operation that traces know. */
struct operation_kind {
	const char *name;	/* "C4SEND" */
	const char *title;
	int family;
	bool connected;
	u32 flags;		/* of the send */
	int (*once)(const struct operation_kind *kind, int fd);
				/* NULL: not modelled yet */
	/* With these, each time has a socket of its own: what goes before
	 * gives its descriptor or -errno, and what comes after gets what
	 * `once` gave. */
	int (*before)(const struct operation_kind *kind);
	void (*after)(const struct operation_kind *kind, int fd, int result);
};

/* All, ended by a name of NULL. */
extern const struct operation_kind operation_kinds[];
/* NULL and an error with the nearest known name. */
const struct operation_kind *operation_find(const char *name, GError **error);

struct operation_field {
	const char *member;
	bool of_array;
	bool kinds[3];		/* by ACCESS_READ, _WRITE, _ATOMIC */
};

struct operation_caller {
	const char *name;
	u64 count;
};

/* A line of an object that was touched. */
struct operation_line {
	const char *type;	/* of the model */
	u32 line;		/* within the object */
	u64 count[3];		/* accesses by ACCESS_READ, _WRITE, _ATOMIC;
				 * an atomic one counts as two */
	GArray *fields;		/* struct operation_field */
	GArray *functions;	/* struct operation_caller */
};

struct operation_function {
	const char *name;
	u64 entries, instructions;
	u64 count[3];
};

struct operation_call {
	const char *name;
	u32 depth;
	u64 instructions;
	const char *how;	/* "entry", "call", "return" */
};

/* A line of the machine's memory. */
struct operation_touch {
	u32 line;
	const char *type;
	u32 number;		/* within the object */
	GArray *fields;		/* struct operation_field */
	bool written;
	bool shared;		/* somebody else's operation touches it too */
};

struct operation {
	const struct operation_kind *kind;
	bool modelled;		/* else nothing below is set */
	u64 instructions;
	u64 count[3];
	GArray *touched;	/* struct operation_touch */
	GPtrArray *lines;	/* struct operation_line *, sorted */
	GPtrArray *functions;	/* struct operation_function *, as called */
	GArray *calls;		/* struct operation_call */
};

/* The machine that operations run on, and the kernel. */
struct operation_setup {
	const char *kernel;
	const char *const *patches;	/* NULL-ended, or NULL */
};

#define OPERATION_KERNEL "linux-6.1"	/* where none is named */

/* "a;-b" as a list for the set-up; NULL gives an empty one.  Free with
 * g_strfreev(). */
char **operation_patches(const char *text);

/* Runs it; the map says which objects are parts of others.  NULL and an error
 * where the kernel is not to be had, or the operation fails.
 * One that this kernel cannot do yet is no error: it is not `modelled`. */
struct operation *operation_run(const struct operation_setup *setup,
				const struct operation_kind *kind,
				const struct object_map *map, GError **error);
void operation_free(struct operation *operation);
typedef struct operation Operation;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Operation, operation_free)

/* ---- operation_print.c: in the columns of the traces ---- */

enum operation_table {
	TABLE_OPERATIONS,
	TABLE_FUNCTIONS,
	TABLE_CALLS,
	TABLE_LINES,
	NUM_OPERATION_TABLES
};

extern const char *const operation_table_names[NUM_OPERATION_TABLES + 1];

/* A table of an operation with its header; `null` is the null system call,
 * which TABLE_OPERATIONS alone needs. */
char *operation_table(const struct operation *operation,
		      const struct operation *null, const struct object_map *map,
		      enum operation_table table);

/* Such a table as JSON: an object a row, its members named by the columns. */
void operation_print_json(FILE *file, const char *table, const char *text);

/* "a(RW); b(R)", "f:3, g:1": the trace's columns. */
char *operation_fields(const struct operation_line *line);
char *operation_callers(const struct operation_line *line);

#endif
