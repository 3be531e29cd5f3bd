/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of a record in the form of another program.  Each writer puts the
 * whole into a file that is open; RECORD_ERROR_NAME says that the run has
 * nothing of the kind.
 */
#ifndef ANALYSIS_EXPORT_H
#define ANALYSIS_EXPORT_H

#include <stdio.h>

#include "database.h"

struct export {
	sqlite3 *db;
	const char *path;	/* of the database, for messages */
	gint64 run;
	const char *table;	/* csv: this one; json: this one only */
};

/* The frames that were captured, for tshark and Wireshark. */
bool export_pcapng(const struct export *export, FILE *file, GError **error);

/* What was traced, for Perfetto's and Chrome's viewers. */
bool export_perfetto(const struct export *export, FILE *file, GError **error);

/* One table of the record, or as JSON the run and all of them. */
bool export_csv(const struct export *export, FILE *file, GError **error);
bool export_json(const struct export *export, FILE *file, GError **error);
/* Which tables those are, "a, b, c": a new string. */
char *export_table_names(void);
bool export_has_table(const char *name);

/* Calling contexts with their nanoseconds, for flame graph tools. */
bool export_folded(const struct export *export, FILE *file, GError **error);

#endif
