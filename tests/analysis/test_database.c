/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door: what is not ours, not whole, not of this version or not allowed
 * is refused by name; what the system makes difficult still opens.
 */
#include <glib/gstdio.h>
#include <unistd.h>

#include "analysis/digest.h"
#include "analysis/record.h"
#include "analysis/schema.h"
#include "fault_vfs.h"
#include "suites.h"
#include "support.h"

/* root may write anywhere: those tests go on as "nobody". */
#define NOBODY 65534

static void drop_root(void)
{
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(NOBODY), 0);
	ck_assert_int_ne(geteuid(), 0);
}

static void regain_root(void)
{
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
}

/* A folder that the test may use when it is not root any more. */
static void open_folder(const char *path, int mode)
{
	g_autofree char *folder = g_path_get_dirname(path);

	ck_assert_int_eq(g_chmod(folder, mode), 0);
}

START_TEST(paths_that_are_no_database)
{
	const char *path = support_path("no/such.db");
	const char *folder = support_path("folder");
	const char *text = support_path("text");
	const char *empty = support_path("empty");

	support_refused("", DATABASE_WRITE, RECORD_ERROR_OPEN, "empty");
	support_refused("/dev/null", DATABASE_WRITE, RECORD_ERROR_OPEN,
			"not a plain file");
	support_refused(path, DATABASE_READ, RECORD_ERROR_OPEN,
			"no such database");
	support_refused(path, DATABASE_WRITE, RECORD_ERROR_OPEN, "no folder");
	ck_assert_int_eq(g_mkdir(folder, 0700), 0);
	support_refused(folder, DATABASE_READ, RECORD_ERROR_OPEN,
			"not a plain file");
	ck_assert(g_file_set_contents(text, "scenario,before,after\n1,2,3\n",
				      -1, NULL));
	support_refused(text, DATABASE_READ, RECORD_ERROR_FOREIGN,
			"not a udpsim database");
	support_refused(text, DATABASE_WRITE, RECORD_ERROR_FOREIGN,
			"not a udpsim database");
	ck_assert(g_file_set_contents(empty, "", 0, NULL));
	support_refused(empty, DATABASE_READ, RECORD_ERROR_FOREIGN,
			"empty");
	/* For writing, an empty file is as good as none. */
	support_record(empty, support_bare("s", "", ""));
	ck_assert_str_eq(support_query(empty, "SELECT count(*) FROM run"),
			 "1\n");
}
END_TEST

/* Names that mean something else to SQLite are files to us. */
START_TEST(odd_names_are_files)
{
	const char *path = support_path(":memory:");
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *old = g_get_current_dir();

	ck_assert_int_eq(g_chdir(folder), 0);
	support_record(":memory:", support_bare("s", "", ""));
	support_record("file:x?mode=memory", support_bare("s", "", ""));
	ck_assert_int_eq(g_chdir(old), 0);
	ck_assert(g_file_test(path, G_FILE_TEST_IS_REGULAR));
	ck_assert(g_file_test(support_path("file:x?mode=memory"),
			      G_FILE_TEST_IS_REGULAR));
}
END_TEST

START_TEST(databases_of_others)
{
	const char *path = support_path("other.db");
	const char *marked = support_path("marked.db");

	support_sql(path, "CREATE TABLE run (id INTEGER PRIMARY KEY)");
	support_refused(path, DATABASE_READ, RECORD_ERROR_FOREIGN,
			"another program");
	support_refused(path, DATABASE_WRITE, RECORD_ERROR_FOREIGN,
			"another program");
	support_sql(marked, "PRAGMA application_id = 77");
	support_refused(marked, DATABASE_WRITE, RECORD_ERROR_FOREIGN,
			"application_id 77");
	/* Refusing changes nothing. */
	ck_assert_str_eq(support_query(path, "SELECT name FROM "
				       "sqlite_schema"), "run\n");
}
END_TEST

START_TEST(versions_we_do_not_know)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2));
	support_sql(path, "PRAGMA user_version = 8");
	support_refused(path, DATABASE_READ, RECORD_ERROR_VERSION,
			"newer udpsim");
	support_refused(path, DATABASE_WRITE, RECORD_ERROR_VERSION,
			"newer udpsim");
	support_sql(path, "PRAGMA user_version = 0");
	support_refused(path, DATABASE_READ, RECORD_ERROR_VERSION,
			"unknown schema version 0");
}
END_TEST

/* A record of version 1 is brought up, and its runs stay. */
START_TEST(a_version_before_is_brought_up)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2));
	support_sql(path, "DROP TABLE slabinfo; DROP TABLE frame; "
		    "DROP TABLE cpu_time; DROP TABLE wait; "
		    "DROP TABLE field_cpu; "
		    "DROP TABLE trace; "
		    "DROP VIEW hot_line; DROP VIEW hot_field; "
		    "DROP VIEW hot_function; "
		    "ALTER TABLE field_access DROP COLUMN host; "
		    "ALTER TABLE function DROP COLUMN host; "
		    "CREATE TABLE l AS SELECT * FROM line; DROP TABLE line; "
		    "ALTER TABLE l DROP COLUMN host; "
		    "ALTER TABLE l RENAME TO line; "
		    "CREATE TABLE l AS SELECT * FROM lock; DROP TABLE lock; "
		    "ALTER TABLE l DROP COLUMN host; "
		    "ALTER TABLE l RENAME TO lock; "
		    "PRAGMA user_version = 1");
	support_record(path, support_results("after", 1));
	ck_assert_str_eq(support_query(path, "PRAGMA user_version"), "7\n");
	ck_assert_str_eq(support_query(path, "SELECT sum(stall_ps), max(host) "
				       "FROM line GROUP BY run ORDER BY run "
				       "LIMIT 1"),
			 support_query(path, "SELECT sum(stall_ps), '' FROM "
				       "line WHERE run = 2"));
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM hot_line "
				       "WHERE run = 1"),
			 support_query(path, "SELECT count(*) FROM hot_line "
				       "WHERE run = 2"));
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM run"),
			 "2\n");
	ck_assert_str_eq(support_query(path, "SELECT run FROM slabinfo"),
			 "2\n");
}
END_TEST

START_TEST(missing_tables_are_an_error)
{
	const char *path = support_path("r.db");
	g_autoptr(GError) error = NULL;
	g_autofree char *digest = NULL;

	support_record(path, support_results("before", 2));
	support_sql(path, "DROP TABLE snmp");
	digest = digest_read(path, &error);
	ck_assert_ptr_null(digest);
	ck_assert(strstr(error->message, "no such table: snmp") != NULL);
	g_clear_error(&error);
	ck_assert_ptr_null(record_open(path, &error));
	ck_assert(strstr(error->message, "no such table: snmp") != NULL);
}
END_TEST

/* A file cut at any length is refused, for reading and for writing. */
START_TEST(cut_files)
{
	const char *path = support_path("r.db");
	const char *cut = support_path("cut.db");
	g_autofree char *whole = NULL;
	gsize len;

	support_record(path, support_results("before", 2));
	ck_assert(g_file_get_contents(path, &whole, &len, NULL));
	ck_assert_uint_gt(len, 20 * 4096);
	/* From 2: to SQLite, a file of one byte is an empty one. */
	for (gsize at = 2; at < len; at += at < 120 ? 1 : 1021) {
		for (int mode = DATABASE_READ; mode <= DATABASE_WRITE;
		     mode++) {
			g_autoptr(GError) error = NULL;
			sqlite3 *db;

			ck_assert(g_file_set_contents(cut, whole, (gssize)at,
						      NULL));
			db = database_open(cut, (enum database_mode)mode,
					   &error);
			ck_assert_msg(db == NULL, "opened at %zu bytes", at);
			ck_assert_msg(error->code == RECORD_ERROR_DAMAGED ||
				      error->code == RECORD_ERROR_FOREIGN,
				      "at %zu: %s", at, error->message);
			ck_assert_ptr_null(strchr(error->message, '\n'));
			g_remove(cut);
		}
	}
	for (gsize at = 4096; at < len; at += 4096) {
		ck_assert(g_file_set_contents(cut, whole, (gssize)at, NULL));
		support_refused(cut, DATABASE_READ, RECORD_ERROR_DAMAGED,
				"cut short");
	}
}
END_TEST

/* Wherever a byte is wrong there is an error or a digest, never a crash; a
 * page of rubbish is found out. */
START_TEST(damaged_files)
{
	const char *path = support_path("r.db");
	const char *bad = support_path("bad.db");
	g_autofree char *whole = NULL;
	gsize len;

	support_record(path, support_results("before", 2));
	ck_assert(g_file_get_contents(path, &whole, &len, NULL));
	for (gsize at = 0; at < len; at += 211) {
		g_autoptr(GError) error = NULL;
		g_autofree char *digest = NULL;

		whole[at] = (char)~whole[at];
		ck_assert(g_file_set_contents(bad, whole, (gssize)len, NULL));
		digest = digest_read(bad, &error);
		ck_assert((digest != NULL) == (error == NULL));
		whole[at] = (char)~whole[at];
	}
	for (gsize page = 0; page < len; page += 4096) {
		g_autofree char *copy = g_memdup2(whole, len);

		memset(copy + page, 0x5a, 4096);
		ck_assert(g_file_set_contents(bad, copy, (gssize)len, NULL));
		support_refused(bad, DATABASE_READ, page ?
				RECORD_ERROR_DAMAGED : RECORD_ERROR_FOREIGN,
				page ? "damaged" : "not a udpsim database");
	}
}
END_TEST

START_TEST(unwritable_places)
{
	const char *path = support_path("r.db");
	const char *fresh = support_path("new.db");

	support_record(path, support_results("before", 2));
	ck_assert_int_eq(g_chmod(path, 0444), 0);
	open_folder(path, 0555);
	drop_root();
	support_refused(fresh, DATABASE_WRITE, RECORD_ERROR_OPEN,
			"cannot open");
	support_refused(path, DATABASE_WRITE, RECORD_ERROR_OPEN,
			"write-protected");
	regain_root();
	open_folder(path, 0700);
}
END_TEST

/* Where nothing may be written, a record can still be read. */
START_TEST(read_only_places)
{
	const char *path = support_path("r%41 #?.db");
	g_autofree char *expected = NULL;
	g_autofree char *digest = NULL;
	g_autoptr(GError) error = NULL;

	support_record(path, support_results("before", 2));
	expected = digest_read(path, NULL);
	ck_assert_int_eq(g_chmod(path, 0444), 0);
	open_folder(path, 0555);
	drop_root();
	digest = digest_read(path, &error);
	regain_root();
	open_folder(path, 0700);
	ck_assert_msg(digest != NULL, "%s", error ? error->message : "");
	ck_assert_str_eq(digest, expected);
}
END_TEST

START_TEST(readers_change_nothing)
{
	const char *path = support_path("r.db");
	g_autoptr(GError) error = NULL;
	sqlite3 *db;

	support_record(path, support_results("before", 2));
	db = database_open(path, DATABASE_READ, &error);
	ck_assert_ptr_nonnull(db);
	ck_assert(!database_execute(db, path, "DELETE FROM run", &error));
	ck_assert(strstr(error->message, "readonly") != NULL);
	database_close(db);
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM run"),
			 "1\n");
}
END_TEST

/* A file system without shared memory: no write-ahead log. */
START_TEST(journal_falls_back)
{
	const char *path = support_path("r.db");

	fault_vfs_install();
	fault_vfs_hide_shared_memory(true);
	support_record(path, support_results("before", 2));
	support_record(path, support_results("after", 1));
	fault_vfs_hide_shared_memory(false);
	fault_vfs_remove();
	ck_assert_str_eq(support_query(path, "PRAGMA journal_mode"),
			 "delete\n");
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM run"),
			 "2\n");
}
END_TEST

START_TEST(a_busy_database_is_named)
{
	const char *path = support_path("r.db");
	g_autoptr(GError) error = NULL;
	sqlite3 *holder = NULL;
	sqlite3 *db;

	support_record(path, support_results("before", 2));
	ck_assert_int_eq(sqlite3_open(path, &holder), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL,
				      NULL), SQLITE_OK);
	db = database_open(path, DATABASE_WRITE, &error);
	ck_assert_ptr_nonnull(db);
	sqlite3_busy_timeout(db, 1);
	ck_assert(!database_execute(db, path, "BEGIN IMMEDIATE", &error));
	ck_assert(strstr(error->message, "another process") != NULL);
	database_close(db);
	sqlite3_close(holder);
}
END_TEST

static const struct schema_migration steps[] = {
	{ 1, "ALTER TABLE t ADD COLUMN b INTEGER; UPDATE t SET b = a + 1" },
	{ 2, "CREATE TABLE u (c INTEGER) STRICT" },
	{ 3, "INSERT INTO u VALUES (1); INSERT INTO nowhere VALUES (1)" },
	{ 0, NULL }
};

static bool migrate(const char *path, int target, GError **error)
{
	sqlite3 *db = NULL;
	bool done;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	done = schema_migrate(db, path, steps, target, error);
	sqlite3_close(db);
	return done;
}

START_TEST(migrations_go_step_by_step)
{
	const char *path = support_path("m.db");
	g_autoptr(GError) error = NULL;

	support_sql(path, "CREATE TABLE t (a INTEGER) STRICT;"
		    "INSERT INTO t VALUES (41); PRAGMA user_version = 1");
	ck_assert(migrate(path, 1, NULL));
	ck_assert_str_eq(support_query(path, "SELECT * FROM t"), "41\n");
	ck_assert(migrate(path, 3, NULL));
	ck_assert_str_eq(support_query(path, "SELECT * FROM t"), "41|42\n");
	ck_assert_str_eq(support_query(path, "PRAGMA user_version"), "3\n");
	/* A step that fails is undone whole. */
	ck_assert(!migrate(path, 4, &error));
	ck_assert(strstr(error->message, "nowhere") != NULL);
	g_clear_error(&error);
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM u"),
			 "0\n");
	ck_assert_str_eq(support_query(path, "PRAGMA user_version"), "3\n");
	/* No step leads there, none leads back. */
	support_sql(path, "PRAGMA user_version = 4");
	ck_assert(!migrate(path, 5, &error));
	ck_assert(g_error_matches(error, RECORD_ERROR, RECORD_ERROR_VERSION));
	g_clear_error(&error);
	ck_assert(!migrate(path, 2, &error));
	ck_assert(g_error_matches(error, RECORD_ERROR, RECORD_ERROR_VERSION));
}
END_TEST

START_TEST(default_is_in_the_state_folder)
{
	const char *state = support_path("state/deep");
	g_autofree char *expected = g_build_filename(state, "udpsim",
						     "results.db", NULL);
	g_autofree char *folder = g_path_get_dirname(expected);
	g_autofree char *path = NULL;
	g_autofree char *written = NULL;
	g_autofree char *home = NULL;
	g_autofree char *blocked = NULL;
	g_autoptr(GError) error = NULL;

	g_setenv("XDG_STATE_HOME", state, TRUE);
	path = default_database(false, NULL);
	ck_assert_str_eq(path, expected);
	ck_assert(!g_file_test(state, G_FILE_TEST_EXISTS));
	written = default_database(true, NULL);
	ck_assert_str_eq(written, expected);
	ck_assert(g_file_test(folder, G_FILE_TEST_IS_DIR));
	support_record(written, support_bare("s", "", ""));

	/* Relative: to be ignored. */
	g_setenv("XDG_STATE_HOME", "state", TRUE);
	home = default_database(false, NULL);
	ck_assert(g_str_has_suffix(home,
				   "/.local/state/udpsim/results.db"));

	g_setenv("XDG_STATE_HOME", written, TRUE);
	blocked = default_database(true, &error);
	ck_assert_ptr_null(blocked);
	ck_assert(g_error_matches(error, RECORD_ERROR, RECORD_ERROR_OPEN));
}
END_TEST

Suite *suite_database(void)
{
	const TTest *const tests[] = {
		paths_that_are_no_database,
		odd_names_are_files,
		databases_of_others,
		versions_we_do_not_know,
		a_version_before_is_brought_up,
		missing_tables_are_an_error,
		cut_files,
		damaged_files,
		unwritable_places,
		read_only_places,
		readers_change_nothing,
		journal_falls_back,
		a_busy_database_is_named,
		migrations_go_step_by_step,
		default_is_in_the_state_folder,
		NULL
	};

	return support_suite("database", tests);
}
