/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server's handle of the database.  It is opened, and the file checked,
 * once; whether the name still stands for the same file is looked at for each
 * request.  After a failure the next request opens it anew, so that a file that
 * is restored is read again.
 */
#include <glib/gstdio.h>

#include "serve.h"

/* Instructions of SQLite's between two looks at the clock. */
#define STEPS 20000

struct serve_database {
	char *path;
	sqlite3 *db;		/* NULL: not open */
	GStatBuf status;	/* of the file that it has open */
	gint64 deadline;	/* of the request, monotonic us */
};

struct serve_database *serve_database_new(const char *path)
{
	struct serve_database *database = g_new0(struct serve_database, 1);

	database->path = g_strdup(path);
	return database;
}

static void close_handle(struct serve_database *database)
{
	if (database->db)
		database_close(database->db);
	database->db = NULL;
}

void serve_database_free(struct serve_database *database)
{
	close_handle(database);
	g_free(database->path);
	g_free(database);
}

const char *serve_database_path(const struct serve_database *database)
{
	return database->path;
}

static int is_late(void *arg)
{
	const struct serve_database *database = arg;

	return g_get_monotonic_time() > database->deadline;
}

static bool is_same_file(const struct serve_database *database)
{
	GStatBuf status;

	return g_stat(database->path, &status) == 0 &&
	       status.st_dev == database->status.st_dev &&
	       status.st_ino == database->status.st_ino &&
	       status.st_size > 0;
}

static bool open_handle(struct serve_database *database, GError **error)
{
	/* Before it is opened: should it be another file by then, the next
	 * request will see that. */
	if (g_stat(database->path, &database->status) != 0)
		database->status = (GStatBuf){ 0 };
	database->db = database_open(database->path, DATABASE_SERVE, error);
	if (!database->db)
		return false;
	sqlite3_progress_handler(database->db, STEPS, is_late, database);
	return true;
}

sqlite3 *serve_database_begin(struct serve_database *database, GError **error)
{
	database->deadline = g_get_monotonic_time() +
			     SERVE_ANSWER_SECONDS * G_USEC_PER_SEC;
	if (database->db && !is_same_file(database))
		close_handle(database);
	if (!database->db && !open_handle(database, error))
		return NULL;
	if (database_execute(database->db, database->path, "BEGIN", error))
		return database->db;
	close_handle(database);
	return NULL;
}

void serve_database_end(struct serve_database *database, bool failed)
{
	if (!failed && sqlite3_exec(database->db, "COMMIT", NULL, NULL,
				    NULL) == SQLITE_OK)
		return;
	close_handle(database);
}
