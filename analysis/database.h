/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to a database file.  database_open() gives only databases that
 * are ours, whole and of this version; all else it refuses by name.  The other
 * functions wrap SQLite's so that each failure becomes one clear GError.
 */
#ifndef ANALYSIS_DATABASE_H
#define ANALYSIS_DATABASE_H

#include <glib.h>
#include <sqlite3.h>
#include <stdbool.h>

#define RECORD_ERROR record_error_quark()
GQuark record_error_quark(void);
enum record_error {
	RECORD_ERROR_OPEN,	/* absent, unwritable, not a file */
	RECORD_ERROR_FOREIGN,	/* not a udpsim database */
	RECORD_ERROR_VERSION,	/* of a newer udpsim, or of none we know */
	RECORD_ERROR_DAMAGED,	/* corrupt or cut short */
	RECORD_ERROR_DATABASE,	/* a statement failed: disk full, locked */
	RECORD_ERROR_VALUE,	/* a figure that the record cannot hold */
	RECORD_ERROR_NAME,	/* a metric that the record does not know */
};

enum database_mode {
	DATABASE_READ,		/* must exist; nothing can be changed */
	DATABASE_SERVE,		/* as DATABASE_READ, by a handle that cannot
				 * write at all and does not wait for long */
	DATABASE_WRITE,		/* created where absent or empty */
};

/* Opens a database; NULL and an error where it cannot be used.  Close with
 * database_close(). */
sqlite3 *database_open(const char *path, enum database_mode mode,
		       GError **error);
void database_close(sqlite3 *db);

/* Runs SQL that gives no rows, or whose rows nobody wants. */
bool database_execute(sqlite3 *db, const char *path, const char *sql,
		      GError **error);

/* Compiles one statement; finish it with sqlite3_finalize(). */
sqlite3_stmt *database_prepare(sqlite3 *db, const char *path, const char *sql,
			       GError **error);

/* A column as a new string; NULL is "".  A file from elsewhere may hold any
 * bytes as text; what goes to terminals and into JSON is UTF-8. */
char *database_text(sqlite3_stmt *statement, int column);

/* The first column of the first row that `sql` gives, as an integer. */
bool database_integer(sqlite3 *db, const char *path, const char *sql,
		      gint64 *ret_value, GError **error);

/* Sets the error that the database's last failure calls for: damaged, foreign
 * or a failed statement. */
void database_set_error(sqlite3 *db, const char *path, GError **error);

/* The file that commands use where none is named: udpsim/results.db in
 * $XDG_STATE_HOME, or in ~/.local/state.  Its folder is made first where
 * `writing`.  A new string; NULL and an error where the folder cannot be
 * made. */
char *default_database(bool writing, GError **error);

#endif
