/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `udpsim report` writes and `udpsim serve` shows: pages about pairs of
 * runs and single runs.
 *
 * A struct report carries the database, the page and the first failure; once
 * something has failed, the functions that read do nothing more, so that only
 * the end asks.  A page stands for itself: no other file, no network; its
 * style and its script are allowed by their hashes alone.
 */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "database.h"
#include "html.h"

struct report {
	sqlite3 *db;
	const char *path;	/* of the database, for messages */
	struct html *html;	/* that the sections write into; may be NULL */
	GError *error;		/* the first failure */
	bool served;		/* the page has links to others */
	const char *json;	/* served: the address of its JSON, or NULL */
};

/* A run, as its row in the database says. */
struct report_run {
	gint64 id;		/* 0: there is none */
	char *scenario, *title, *source, *variant, *point;
	char *kernel, *patches, *machine, *seed, *scale;
	char *overrides, *text, *sha256, *version;
	gint64 repeats, operations;
};

/* One or two runs that a section is about; without `before`, the run `after`
 * alone. */
struct report_pair {
	struct report_run before, after;
};

/* One metric of a pair; NAN for what is not known. */
struct report_metric {
	char *name, *unit;
	double before, after, delta_pct;
	double published_before, published_after, published_delta_pct;
	double error_points;
	bool published;
};

/* ---- report_read.c: out of the database ---- */

/* A statement with ?1 and ?2 bound; NULL once something has failed. */
sqlite3_stmt *report_prepare(struct report *report, const char *sql,
			     gint64 first, gint64 second);
/* True for each row; at the end, and where it fails, finishes the statement
 * and is false. */
bool report_next(struct report *report, sqlite3_stmt *statement);
/* NAN for NULL. */
double report_column_real(sqlite3_stmt *statement, int column);

/* The runs of these ids; NULL where there is no such run (report->error is
 * then set).  `before` may be 0. */
struct report_pair *report_pair_read(struct report *report, gint64 before,
				     gint64 after);
void report_pair_free(struct report_pair *pair);
/* "before" and "after" by name where they have other names. */
const char *report_label(const struct report_run *run);
/* The metrics of a pair, the published ones first: struct report_metric *. */
GPtrArray *report_metrics(struct report *report,
			  const struct report_pair *pair);
bool report_is_key_metric(const struct report_metric *metric);

/* The pairs and single runs of the database that a report of the whole shows,
 * or those of one scenario: struct report_pair *, in order of recording. */
GPtrArray *report_pairs(struct report *report, const char *scenario);

/* ---- page.c: the frame of a page ---- */

void page_open(struct report *report, const char *title);
void page_close(struct report *report);
/* The content security policy that the page obeys: in itself, and as a header
 * where it is served.  A new string. */
char *page_policy(bool served);
extern const char page_style[], page_script[];	/* page_style.c, page_script.c */

/* ---- sections ---- */

/* The page about a whole database, or one scenario of it (NULL: all), as
 * `udpsim report` writes it.  NULL and an error where it cannot be made;
 * RECORD_ERROR_NAME where there is no such run. */
GString *report_page(sqlite3 *db, const char *path, const char *scenario,
		     GError **error);
/* The page about these pairs, opened and closed. */
void report_write(struct report *report, GPtrArray *pairs, const char *title);
/* All about one pair or run. */
void report_write_pair(struct report *report, const struct report_pair *pair);

void report_write_predictions(struct report *report, GPtrArray *pairs);
void report_write_metrics(struct report *report,
			  const struct report_pair *pair);
void report_write_explanation(struct report *report,
			      const struct report_pair *pair);
void report_write_reproduce(struct report *report,
			    const struct report_pair *pair);
/* The `limit` hottest lines of a run, each with its fields. */
void report_write_lines(struct report *report, gint64 run, guint limit);

/* ---- charts, one a file ---- */

/* The effect along the sweep, and what was published, of pairs that are of one
 * scenario. */
void chart_effect(struct report *report, GPtrArray *pairs);
void chart_time(struct report *report, const struct report_pair *pair);
void chart_heat(struct report *report, const struct report_pair *pair);
void chart_flame(struct report *report, const struct report_pair *pair);

#endif
