/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The yardstick: operations of the model held against traces of a real kernel.
 * doc/faithfulness.md says what the scores mean.
 */
#ifndef SCENARIOS_VERIFY_H
#define SCENARIOS_VERIFY_H

#include <glib.h>
#include <stdio.h>

#include "scenarios/operation.h"

/* A line on which the two differ, or agree.  Several objects of one group that
 * have the same line number are one. */
struct verify_line {
	char *object;		/* the group, or a type that no row covers */
	u32 line;
	bool any_line;		/* its number says nothing */
	const char *reason;	/* left out on purpose; NULL: not */
	bool in_truth, in_model;
	bool truth_written, truth_atomic;
	bool model_written, model_atomic;
	GString *fields[2];	/* [0] of the truth, [1] of the model */
	GString *functions[2];
};

struct verify_operation {
	char *name;
	bool modelled;
	u64 instructions, instructions_truth;
	bool has_lines;		/* the truth has lines of it */
	u32 truth, model, common, flags;	/* lines; flags: that agree */
	GPtrArray *lines;	/* struct verify_line *, sorted */
};

struct verify {
	char *folder, *kernel;
	bool has_lines;		/* the folder has lines.tsv */
	u32 truth, model, common, flags;	/* over all operations */
	GPtrArray *operations;	/* struct verify_operation *, as in the file */
};

/*
 * Holds the kernel of `setup` against the truth in a folder; `only`, if not
 * NULL, names the operations to look at.  NULL and an error where the truth or
 * the table of objects is wrong, or an operation fails.
 */
struct verify *verify_run(const char *folder, const char *const *only,
			  const struct operation_setup *setup,
			  const struct object_map *map, GError **error);
void verify_free(struct verify *verify);
typedef struct verify Verify;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verify, verify_free)

/* The two halves of verify_run(), for tests: the truth of the operations, and
 * what one operation of the model does against it. */
struct verify *verify_read(const char *folder, const char *const *only,
			   const struct object_map *map, GError **error);
void verify_add_model(struct verify *verify, struct verify_operation *of,
		      const struct operation *operation,
		      const struct object_map *map);

/* verify_print.c; `verbose`: also the lines on which the two differ. */
void verify_print_text(FILE *file, const struct verify *verify, bool verbose);
void verify_print_json(FILE *file, const struct verify *verify);

#endif
