/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hottest lines of a run, what touches them, and a verdict on each.
 *
 * The record has CPUs by line, not by field, so that the verdict on a field
 * is from what is done to it: "false sharing" is found where a tenth of the
 * waiting or more falls on a field that is only read, beside one that is
 * written.  Two fields that are both written, each by another CPU, look like
 * true sharing here.
 *
 * The stall of a line is the time spent waiting for it.  That of a field also
 * has what its locked operations themselves take, so that the fields may come
 * to more than their line.
 */
#ifndef ANALYSIS_LINES_H
#define ANALYSIS_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "database.h"
#include "json_build.h"

enum verdict {
	VERDICT_PRIVATE,	/* came from another core below 1 in
				 * 1000 accesses */
	VERDICT_READ_MOSTLY,	/* below 1 write in 100 accesses */
	VERDICT_FALSE_SHARING,	/* a victim has a tenth of the stall or more */
	VERDICT_MIGRATORY,	/* each function that takes it changes it */
	VERDICT_TRUE_SHARING,	/* none of these */
};

/* What one function does to one field. */
struct line_field {
	char *field, *function, *file;
	gint64 reads, writes, atomics, hitm;
	gint64 stall_ps;
	char *owner;		/* the struct that has it */
	char *cpus;		/* seen to touch it there: "0-5,12"; or "" */
	gint64 users, writers;	/* of the field, the most of one object; 0: it
				 * was not seen */
	gint64 strangers;	/* of these, who never touch another field that
				 * others write */
	bool victim;		/* it is to be parted: it is only read, on a
				 * line that others write, or others than its
				 * users write another field */
};

struct hot_line {
	char *host, *type;
	gint64 line, objects, readers, writers, reads, writes, atomics;
	gint64 hitm_core, hitm_package, moves, invalidations, stall_ps;
	enum verdict verdict;
	GPtrArray *fields;	/* struct line_field *, owned; costliest first */
};

struct lines {
	gint64 run;
	char *scenario, *variant, *point;
	double operations;
	GPtrArray *lines;	/* struct hot_line *, owned; costliest first */
};

/* The `limit` hottest lines (0: all) of `run` (0: the latest).
 * RECORD_ERROR_NAME where there is no such run.  Free with lines_free(). */
struct lines *lines_read(sqlite3 *db, const char *path, gint64 run,
			 guint limit, GError **error);
void lines_free(struct lines *lines);

/* Is field i of the line to be parted from the others?  True for one of the
 * functions that a field has.  And the setting that does it: a new string. */
bool line_parts(const struct hot_line *line, guint i);
char *line_override(const struct hot_line *line, guint i);

/* Runs the scenario again with the overrides for the costliest false sharing,
 * and prints the gain.  RECORD_ERROR_NAME where the run cannot be tried. */
bool lines_try(sqlite3 *db, const char *path, const struct lines *lines,
	       FILE *file, GError **error);

const char *verdict_name(enum verdict verdict);
void lines_print_text(FILE *file, const struct lines *lines);
/* As members of the object that is open. */
void lines_build_json(JsonBuilder *builder, const struct lines *lines);
void lines_print_json(FILE *file, const struct lines *lines);

#endif
