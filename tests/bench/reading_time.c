/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the reading commands take on a database of 10,000 runs: the two of
 * neigh-confirmed, recorded once and copied under 5,000 names, so that there
 * are 5,000 pairs to compare (1.3 GB under the folder for temporary files).
 * The processor's time of the program, its start-up included; the least of
 * three, since the first one fills the page cache.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

#define PAIRS 5000

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench: reading_time: %s: %s\n", what, why);
	exit(1);
}

static void execute(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(sql, sqlite3_errmsg(db));
}

/* "a, b" of the table, with the run's number and the scenario's name those of
 * copy ?1. */
static char *columns_of_copy(sqlite3 *db, const char *table)
{
	const char *id = g_str_equal(table, "run") ? "id" : "run";
	GString *columns = g_string_new(NULL);
	sqlite3_stmt *rows;

	sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?1)", -1,
			   &rows, NULL);
	sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
	while (sqlite3_step(rows) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(rows, 0);

		g_string_append_printf(columns, "%s\"%s\"%s",
				       columns->len ? ", " : "", name,
				       g_str_equal(name, id) ? " + 2 * ?1" :
				       g_str_equal(name, "scenario") ?
				       " || '-' || ?1" : "");
	}
	sqlite3_finalize(rows);
	return g_string_free(columns, FALSE);
}

static void copy_rows(sqlite3 *db, const char *table)
{
	g_autofree char *columns = columns_of_copy(db, table);
	g_autofree char *sql = g_strdup_printf(
		"INSERT INTO main.\"%s\" SELECT %s FROM main.\"%s\""
		" WHERE \"%s\" <= 2", table, columns, table,
		g_str_equal(table, "run") ? "id" : "run");
	sqlite3_stmt *insert;

	if (sqlite3_prepare_v2(db, sql, -1, &insert, NULL) != SQLITE_OK)
		fail(sql, sqlite3_errmsg(db));
	for (int i = 1; i < PAIRS; i++) {
		sqlite3_bind_int(insert, 1, i);
		if (sqlite3_step(insert) != SQLITE_DONE)
			fail(sql, sqlite3_errmsg(db));
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
}

static void copy_runs(const char *path)
{
	sqlite3_stmt *tables;
	sqlite3 *db;

	if (sqlite3_open(path, &db) != SQLITE_OK)
		fail(path, "cannot open it");
	execute(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		"BEGIN; CREATE TEMP TABLE name AS SELECT name FROM"
		" main.sqlite_schema WHERE type = 'table'"
		" AND name NOT LIKE 'sqlite%'");
	sqlite3_prepare_v2(db, "SELECT name FROM temp.name", -1, &tables, NULL);
	while (sqlite3_step(tables) == SQLITE_ROW)
		copy_rows(db, (const char *)sqlite3_column_text(tables, 0));
	sqlite3_finalize(tables);
	execute(db, "COMMIT");
	sqlite3_close(db);
}

static void spawn(const char *const *arguments)
{
	g_autoptr(GError) error = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)arguments, NULL,
			  G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL,
			  &status, &error) ||
	    !g_spawn_check_exit_status(status, &error))
		fail(arguments[1], error->message);
}

static double children_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double least_seconds(const char *program, const char *command,
			    const char *path)
{
	const char *arguments[] = { program, command, path, NULL };
	double least = 0;

	for (int i = 0; i < 3; i++) {
		const double begin = children_seconds();
		double taken;

		spawn(arguments);
		taken = children_seconds() - begin;
		if (!i || taken < least)
			least = taken;
	}
	return least;
}

int main(void)
{
	static const char *const commands[] = { "compare", "lines", "explain" };
	const char *program = g_getenv("UDPSIM");
	g_autofree char *folder = g_dir_make_tmp("udpsim-XXXXXX", NULL);
	g_autofree char *path = NULL;

	if (!program || !folder)
		fail("set-up", "no UDPSIM, or no folder for temporary files");
	path = g_build_filename(folder, "many.db", NULL);
	spawn((const char *const[]){ program, "run", "neigh-confirmed",
				     "--scale", "0.0005", "-o", path, NULL });
	copy_runs(path);
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		printf("bench reading_time_%s %.2f s\n", commands[i],
		       least_seconds(program, commands[i], path));
	g_unlink(path);
	g_rmdir(folder);
	return 0;
}
