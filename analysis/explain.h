/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why after is faster or slower than before: an account in ns an operation
 * whose rows and residue add up to the difference of ns_per_op.
 */
#ifndef ANALYSIS_EXPLAIN_H
#define ANALYSIS_EXPLAIN_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "database.h"
#include "json_build.h"

/* Two runs to hold against each other. */
struct explain_pair {
	char *scenario, *point;
	gint64 before, after;	/* ids of runs */
};

/* One cause.  Counts and times are for one operation. */
struct explain_row {
	char *kind;		/* "instructions", "stall", "lock", "hardware",
				 * "wake-up", "idle", "outside" */
	char *name;		/* a function, or "type.field", or what it is */
	char *function, *file;	/* which has most of the difference; or "" */
	gint64 line;		/* of the object; -1: none */
	double before_count, after_count;
	double before_ns, after_ns;
};

/* The CPUs of a host that do the same for the workload: what they do with the
 * measured time, in ns an operation of the whole.  [0] is before, [1] after. */
struct explain_role {
	char *host, *name;	/* "with a thread", "with a helper", "other" */
	gint64 cpus[2];
	double work_ns[2], waking_ns[2], idle_ns[2];
};

struct explanation {
	struct explain_pair pair;
	double before_ns, after_ns;	/* ns_per_op */
	double residue_ns;	/* the difference less the sum of the rows */
	GPtrArray *rows;	/* struct explain_row *, owned; the largest
				 * difference first */
	GPtrArray *roles;	/* struct explain_role *, owned */
};

/* The pairs of `scenario` (NULL: of the one recorded last), one a point of the
 * sweep, in order of recording: struct explanation * without rows yet, owned.
 * NULL and an error where the database fails. */
GPtrArray *explain_pairs(sqlite3 *db, const char *path, const char *scenario,
			 GError **error);
/* One pair of two runs by their ids, in the same form. */
GPtrArray *explain_runs(gint64 before, gint64 after);

/* Fills in figures and rows.  RECORD_ERROR_NAME where a run is not there or
 * lacks what the account needs. */
bool explain_read(sqlite3 *db, const char *path, struct explanation *e,
		  GError **error);

/* The residue in per cent of the difference, or of before where the
 * difference is below 0.1 % of it. */
double explain_residue_pct(const struct explanation *e);

/* What happened and its largest causes, in words.  A new string. */
char *explain_summary(const struct explanation *e);
/* `limit` rows (0: all), the others in one. */
void explain_print_text(FILE *file, const struct explanation *e, guint limit);
/* An object, as explain_print_json() has them in its array. */
void explain_build_json(JsonBuilder *builder, const struct explanation *e,
			guint limit);
void explain_print_json(FILE *file, const GPtrArray *all, guint limit);

/* What is left from row `limit` on as one row, by value; its texts are
 * static. */
struct explain_row explain_rest(const struct explanation *e, guint limit);

#endif
