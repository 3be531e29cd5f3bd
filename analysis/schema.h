/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of the record: its tables and views.  doc/schema.md describes
 * them for readers; a change here is a new version, a step in the list of
 * migrations and a line there.
 */
#ifndef ANALYSIS_SCHEMA_H
#define ANALYSIS_SCHEMA_H

#include <glib.h>
#include <sqlite3.h>
#include <stdbool.h>

#define SCHEMA_APPLICATION_ID 0x75647073	/* "udps" */
#define SCHEMA_VERSION 7

/* Makes all tables and views in an empty database, in one transaction; does
 * nothing where another process was quicker.  `path` stands in messages. */
bool schema_create(sqlite3 *db, const char *path, GError **error);

/* One step from a version to the next: the SQL that changes the tables. */
struct schema_migration {
	int from;
	const char *sql;
};

/* The steps that lead to SCHEMA_VERSION, in order of `from`; a NULL sql ends
 * the list. */
extern const struct schema_migration schema_migrations[];

/* Brings the database from its user_version up to `target` by such a list,
 * one transaction a step.  A version that no step leaves is refused, and so is
 * one beyond the target: RECORD_ERROR_VERSION. */
bool schema_migrate(sqlite3 *db, const char *path,
		    const struct schema_migration *list, int target,
		    GError **error);

#endif
