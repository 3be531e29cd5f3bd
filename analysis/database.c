/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens database files and turns SQLite's failures into errors.
 *
 * A file passes, in this order: it is a plain file; SQLite can read it; it
 * bears our application_id; no page is missing or misshapen; its version is
 * ours or can be brought up to ours.  The check of the pages reads the whole
 * file: a record that takes a run on top of damage is worth less than the time.
 */
#include "database.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "query_plan.h"
#include "schema.h"

/* Long enough for another writer's run to be committed. */
#define BUSY_TIMEOUT_MS 10000
/* A server has others to answer. */
#define SERVE_TIMEOUT_MS 250

G_DEFINE_QUARK(udpsim-record-error-quark, record_error)

static const char not_ours[] =
	"name a file that \"udpsim run -o\" has written";

void database_set_error(sqlite3 *db, const char *path, GError **error)
{
	int system_errno = sqlite3_system_errno(db);

	switch (sqlite3_errcode(db)) {
	case SQLITE_NOTADB:
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_FOREIGN,
			    "%s: not a udpsim database, nor any of SQLite; %s",
			    path, not_ours);
		break;
	case SQLITE_CORRUPT:
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_DAMAGED,
			    "%s: damaged or cut short (%s); "
			    "restore a copy, or record the runs again",
			    path, sqlite3_errmsg(db));
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_DATABASE,
			    "%s: another process holds it; wait for that, or "
			    "name another file", path);
		break;
	default:
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_DATABASE,
			    "%s: %s%s%s", path, sqlite3_errmsg(db),
			    system_errno ? ": " : "",
			    system_errno ? g_strerror(system_errno) : "");
	}
}

bool database_execute(sqlite3 *db, const char *path, const char *sql,
		      GError **error)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	database_set_error(db, path, error);
	return false;
}

sqlite3_stmt *database_prepare(sqlite3 *db, const char *path, const char *sql,
			       GError **error)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		query_plan_show(db, sql);
		return statement;
	}
	database_set_error(db, path, error);
	return NULL;
}

bool database_integer(sqlite3 *db, const char *path, const char *sql,
		      gint64 *ret_value, GError **error)
{
	sqlite3_stmt *statement = database_prepare(db, path, sql, error);
	bool done;

	if (!statement)
		return false;
	done = sqlite3_step(statement) == SQLITE_ROW;
	if (done)
		*ret_value = sqlite3_column_int64(statement, 0);
	else
		database_set_error(db, path, error);
	sqlite3_finalize(statement);
	return done;
}

/* SQLite would take "" for a passing file of its own, a device for an empty
 * database, and says little of why it cannot open a path. */
static bool check_path(const char *path, enum database_mode mode,
		       GError **error)
{
	g_autofree char *folder = g_path_get_dirname(path);
	GStatBuf status;

	if (!*path) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "the database's name is empty; %s", not_ours);
		return false;
	}
	if (g_stat(path, &status) == 0) {
		/* SQLite would take a few bytes for an empty database and
		 * write over them. */
		if (S_ISREG(status.st_mode) && status.st_size > 0 &&
		    status.st_size < 512) {
			g_set_error(error, RECORD_ERROR, RECORD_ERROR_FOREIGN,
				    "%s: not a udpsim database, too short for any; %s",
				    path,
				    not_ours);
			return false;
		}
		if (S_ISREG(status.st_mode))
			return true;
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: not a plain file; %s", path, not_ours);
		return false;
	}
	if (errno != ENOENT) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: %s", path, g_strerror(errno));
		return false;
	}
	if (mode != DATABASE_WRITE) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: no such database; record one with "
			    "\"udpsim run SCENARIO -o %s\"", path, path);
		return false;
	}
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: no folder %s; make it, or record elsewhere",
			    path, folder);
		return false;
	}
	return true;
}

/* `name` is what SQLite opens: the absolute path or a file: address. */
static sqlite3 *connect_file(const char *path, const char *name, int flags,
			     GError **error)
{
	static const char pragmas[] =
		"PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
		"PRAGMA cell_size_check = ON";
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(name, &db, flags, NULL) != SQLITE_OK) {
		int reason = db ? sqlite3_system_errno(db) : ENOMEM;

		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: cannot open: %s", path,
			    reason ? g_strerror(reason) : sqlite3_errmsg(db));
		sqlite3_close(db);
		return NULL;
	}
	sqlite3_busy_timeout(db, flags & SQLITE_OPEN_READONLY ?
				 SERVE_TIMEOUT_MS : BUSY_TIMEOUT_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (database_execute(db, path, pragmas, error))
		return db;
	sqlite3_close(db);
	return NULL;
}

/* A write-ahead log wants to be written beside the file even by readers.  In
 * a folder that forbids it, and with no log left there, nobody can be
 * changing the file: it may be read as it stands. */
static bool needs_immutable(sqlite3 *db, const char *name)
{
	g_autofree char *log = g_strconcat(name, "-wal", NULL);
	GStatBuf status;

	if (sqlite3_exec(db, "SELECT 1 FROM sqlite_schema", NULL, NULL,
			 NULL) == SQLITE_OK)
		return false;
	switch (sqlite3_errcode(db)) {
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		return g_stat(log, &status) != 0 || status.st_size == 0;
	default:
		return false;
	}
}

static sqlite3 *connect_reader(const char *path, const char *name, int flags,
			       GError **error)
{
	sqlite3 *db = connect_file(path, name, flags, error);
	g_autofree char *base = NULL;
	g_autofree char *address = NULL;

	if (!db || !needs_immutable(db, name))
		return db;
	sqlite3_close(db);
	base = g_filename_to_uri(name, NULL, error);
	if (!base)
		return NULL;
	address = g_strconcat(base, "?immutable=1", NULL);
	return connect_file(path, address,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
}

static sqlite3 *connect_writer(const char *path, const char *name,
			       GError **error)
{
	sqlite3 *db = connect_file(path, name, SQLITE_OPEN_READWRITE |
					       SQLITE_OPEN_CREATE, error);

	if (!db || sqlite3_db_readonly(db, "main") == 0)
		return db;
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
		    "%s: write-protected; permit writing, or record into "
		    "another file", path);
	sqlite3_close(db);
	return NULL;
}

/* A log makes writing cheap and lets readers go on; where the file system
 * cannot share memory, SQLite stays with its rollback journal, fully synced. */
static void choose_journal(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	const char *mode;
	bool wal = false;

	if (sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &statement,
			       NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW) {
		mode = (const char *)sqlite3_column_text(statement, 0);
		wal = g_strcmp0(mode, "wal") == 0;
	}
	sqlite3_finalize(statement);
	sqlite3_exec(db, wal ? "PRAGMA synchronous = NORMAL" :
			       "PRAGMA synchronous = FULL", NULL, NULL, NULL);
}

struct identity {
	gint64 application;
	gint64 version;
	gint64 objects;		/* tables, views and indexes */
};

static bool read_identity(sqlite3 *db, const char *path,
			  struct identity *ret_identity, GError **error)
{
	return database_integer(db, path, "PRAGMA application_id",
				&ret_identity->application, error) &&
	       database_integer(db, path, "PRAGMA user_version",
				&ret_identity->version, error) &&
	       database_integer(db, path, "SELECT count(*) FROM sqlite_schema",
				&ret_identity->objects, error);
}

/* Ours, or empty and so ours to fill (*ret_fresh).  Reads in one transaction:
 * another process may be filling it at this moment. */
static bool identify(sqlite3 *db, const char *path, bool *ret_fresh,
		     GError **error)
{
	struct identity identity = { 0, 0, 0 };

	if (!database_execute(db, path, "BEGIN", error))
		return false;
	if (!read_identity(db, path, &identity, error)) {
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
		return false;
	}
	if (!database_execute(db, path, "COMMIT", error))
		return false;
	*ret_fresh = !identity.application && !identity.version &&
		     !identity.objects;
	if (*ret_fresh || identity.application == SCHEMA_APPLICATION_ID)
		return true;
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_FOREIGN,
		    "%s: a database of another program (application_id %"
		    G_GINT64_FORMAT ", not %d); %s", path,
		    identity.application, SCHEMA_APPLICATION_ID, not_ours);
	return false;
}

/* SQLite itself misses a file that ends inside its last page. */
static bool check_length(sqlite3 *db, const char *path, const char *name,
			 GError **error)
{
	g_autofree char *log = g_strconcat(name, "-wal", NULL);
	gint64 page_size;
	GStatBuf status;

	if (g_stat(log, &status) == 0 && status.st_size > 0)
		return true;	/* the missing part may be there */
	if (!database_integer(db, path, "PRAGMA page_size", &page_size, error))
		return false;
	if (g_stat(name, &status) != 0 || status.st_size % page_size == 0)
		return true;
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_DAMAGED,
		    "%s: cut short (%" G_GINT64_FORMAT " bytes are no whole "
		    "number of pages of %" G_GINT64_FORMAT "); restore a copy, "
		    "or record the runs again", path, (gint64)status.st_size,
		    page_size);
	return false;
}

/* A larger database would take seconds at each opening, where a command needs
 * a few pages of it: its damage is told by the statement that meets it, with
 * the same words.  At this size the check takes some 20 ms. */
#define CHECKED_BYTES ((goffset)32 << 20)

static bool small_enough_to_check(const char *name)
{
	GStatBuf status;

	return g_stat(name, &status) != 0 || status.st_size <= CHECKED_BYTES;
}

static bool check_pages(sqlite3 *db, const char *path, GError **error)
{
	sqlite3_stmt *statement = database_prepare(db, path,
						   "PRAGMA quick_check(1)",
						   error);
	const char *verdict = NULL;
	bool whole;

	if (!statement)
		return false;
	if (sqlite3_step(statement) == SQLITE_ROW)
		verdict = (const char *)sqlite3_column_text(statement, 0);
	whole = g_strcmp0(verdict, "ok") == 0;
	if (!whole && verdict) {
		g_autofree char *text = g_utf8_make_valid(verdict, -1);

		g_strdelimit(text, "\n", ' ');
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_DAMAGED,
			    "%s: damaged or cut short (%s); restore a copy, "
			    "or record the runs again", path, text);
	} else if (!whole) {
		database_set_error(db, path, error);
	}
	sqlite3_finalize(statement);
	return whole;
}

static bool check_content(sqlite3 *db, const char *path, const char *name,
			  enum database_mode mode, GError **error)
{
	bool fresh;

	if (!identify(db, path, &fresh, error))
		return false;
	if (fresh && mode != DATABASE_WRITE) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_FOREIGN,
			    "%s: empty; record runs into it first, or %s",
			    path, not_ours);
		return false;
	}
	/* The page size counts only before the first table. */
	if (fresh && !database_execute(db, path, "PRAGMA page_size = 4096",
				       error))
		return false;
	if (mode == DATABASE_WRITE)
		choose_journal(db);
	/* Once more, for where another process, perhaps another program, has
	 * filled it meanwhile. */
	if (fresh && (!schema_create(db, path, error) ||
		      !identify(db, path, &fresh, error)))
		return false;
	g_assert(!fresh);
	return check_length(db, path, name, error) &&
	       (!small_enough_to_check(name) ||
		check_pages(db, path, error)) &&
	       schema_migrate(db, path, schema_migrations, SCHEMA_VERSION,
			      error);
}

static sqlite3 *connect_mode(const char *path, const char *name,
			     enum database_mode mode, GError **error)
{
	switch (mode) {
	case DATABASE_SERVE:
		return connect_reader(path, name, SQLITE_OPEN_READONLY, error);
	case DATABASE_READ:
		return connect_reader(path, name, SQLITE_OPEN_READWRITE, error);
	case DATABASE_WRITE:
		break;
	}
	return connect_writer(path, name, error);
}

sqlite3 *database_open(const char *path, enum database_mode mode,
		       GError **error)
{
	g_autofree char *name = NULL;
	sqlite3 *db;

	if (!check_path(path, mode, error))
		return NULL;
	/* Absolute, so that no name means something special to SQLite. */
	name = g_canonicalize_filename(path, NULL);
	db = connect_mode(path, name, mode, error);
	if (!db)
		return NULL;
	if (check_content(db, path, name, mode, error) &&
	    (mode == DATABASE_WRITE ||
	     database_execute(db, path, "PRAGMA query_only = ON", error)))
		return db;
	database_close(db);
	return NULL;
}

void database_close(sqlite3 *db)
{
	int status = sqlite3_close(db);

	/* Busy: a statement was never finalized. */
	g_assert(status == SQLITE_OK);
}

char *default_database(bool writing, GError **error)
{
	const char *state = g_getenv("XDG_STATE_HOME");
	g_autofree char *folder = NULL;

	/* The XDG rules: a relative path is to be ignored; 0700 for new
	 * folders. */
	if (state && g_path_is_absolute(state))
		folder = g_build_filename(state, "udpsim", NULL);
	else
		folder = g_build_filename(g_get_home_dir(), ".local", "state",
					  "udpsim", NULL);
	if (writing && g_mkdir_with_parents(folder, 0700) != 0) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_OPEN,
			    "%s: cannot make the folder: %s; set "
			    "XDG_STATE_HOME, or name a file", folder,
			    g_strerror(errno));
		return NULL;
	}
	return g_build_filename(folder, "results.db", NULL);
}

char *database_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement,
							     column);

	return g_utf8_make_valid(text ? text : "", -1);
}
