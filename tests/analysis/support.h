/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of the analysis room share: a folder of their own for each
 * test, results filled by hand, and SQL that does not go through the code
 * under test.
 */
#ifndef TESTS_ANALYSIS_SUPPORT_H
#define TESTS_ANALYSIS_SUPPORT_H

#include <check.h>
#include <glib.h>

#include "analysis/database.h"
#include "analysis/results.h"

/* A fixture: makes the test's folder; removes it and checks that SQLite has
 * given back all its memory. */
void support_setup(void);
void support_teardown(void);

/* A suite of one case with that fixture. */
Suite *support_suite(const char *name, const TTest *const *tests);

/* A path in the test's folder, valid until the test ends. */
const char *support_path(const char *name);

/* Results with one or two rows in each array, no two numbers in a row alike.
 * `elapsed` is the metric elapsed_s; four samples lie around it; published
 * are the figures of experiment 2.  Free with results_free(). */
struct results *support_results(const char *variant, double elapsed);
/* Empty arrays; the strings that a run must have. */
struct results *support_bare(const char *scenario, const char *variant,
			     const char *point);
void support_publish(struct results *results, const char *row,
		     const char *metric, const char *side, double value);

/* Records the results in a database, and frees them. */
void support_record(const char *path, struct results *results);

/* The rows that sql gives: columns parted by '|', rows by '\n', "NULL" for
 * none; valid until the test ends. */
const char *support_query(const char *path, const char *sql);
/* Executes SQL through a plain connection. */
void support_sql(const char *path, const char *sql);

/* Expects the database to be refused with that code and a message of one line
 * that holds the path and `part`. */
void support_refused(const char *path, enum database_mode mode,
		     enum record_error code, const char *part);

#endif
