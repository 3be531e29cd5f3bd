/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim slabinfo: the allocator's caches as a run left them, in the columns
 * of /proc/slabinfo 2.1, so that what reads the one reads the other.
 */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "json_build.h"

/* The kernel puts each new cache in front of the others. */
static const char caches_sql[] =
	"SELECT iif(host = '', name, host || ':' || name), active_objs,"
	" num_objs, objsize, objperslab, pagesperslab, tunable_limit, batchcount, sharedfactor,"
	" active_slabs, num_slabs, sharedavail, host, name"
	" FROM slabinfo WHERE run = ? ORDER BY id DESC";

#define FIRST_FIGURE 1
#define COLUMN_HOST 12
#define COLUMN_NAME 13

struct options {
	gint64 run;
	gboolean json;
	char **paths;
};

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "run", 'r', 0, G_OPTION_ARG_INT64, &options->run,
		  "Of this run (default: the latest)", "N" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim slabinfo",
		.summary = "Prints the allocator's caches at the end of a run, in the "
			   "form of /proc/slabinfo.",
		.entries = entries,
		.json = &options->json,
	};

	return command_parse(&line, &options->paths, argc, argv, error);
}

static void print_row(sqlite3_stmt *row)
{
	static const int width[] = { 0, 6, 6, 6, 4, 4, 4, 4, 4, 6, 6, 6 };
	int i;

	printf("%-17s", (const char *)sqlite3_column_text(row, 0));
	for (i = 1; i < (int)G_N_ELEMENTS(width); i++)
		printf("%s %*" G_GINT64_FORMAT, i == 6 ? " : tunables" :
		       i == 9 ? " : slabdata" : "", width[i],
		       (gint64)sqlite3_column_int64(row, i));
	printf("\n");
}

static void build_row(JsonBuilder *builder, sqlite3_stmt *row)
{
	json_builder_begin_object(builder);
	build_text(builder, "host",
		   (const char *)sqlite3_column_text(row, COLUMN_HOST));
	build_text(builder, "name",
		   (const char *)sqlite3_column_text(row, COLUMN_NAME));
	for (int i = FIRST_FIGURE; i < COLUMN_HOST; i++)
		build_integer(builder, sqlite3_column_name(row, i),
			      sqlite3_column_int64(row, i));
	json_builder_end_object(builder);
}

/* Prints the caches of a run, or with a builder adds them to its array; how
 * many, or -1 and an error. */
static int print_caches(sqlite3 *db, const char *path, gint64 run,
			JsonBuilder *builder, GError **error)
{
	sqlite3_stmt *rows = database_prepare(db, path, caches_sql, error);
	int status, n = 0;

	if (!rows)
		return -1;
	sqlite3_bind_int64(rows, 1, run);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		if (builder) {
			build_row(builder, rows);
			n++;
			continue;
		}
		if (!n++)
			printf("slabinfo - version: 2.1\n"
			       "# name            <active_objs> <num_objs> "
			       "<objsize> <objperslab> <pagesperslab> : "
			       "tunables <limit> <batchcount> <sharedfactor> : "
			       "slabdata <active_slabs> <num_slabs> "
			       "<sharedavail>\n");
		print_row(rows);
	}
	if (status != SQLITE_DONE) {
		database_set_error(db, path, error);
		n = -1;
	}
	sqlite3_finalize(rows);
	return n;
}

/* The run asked for, or the latest; 0 where there is none. */
static bool find_run(sqlite3 *db, const char *path, gint64 *run,
		     GError **error)
{
	return *run || database_integer(db, path, "SELECT coalesce(max(id), 0)"
					" FROM run", run, error);
}

static int slabinfo(sqlite3 *db, const char *path, gint64 run, bool json)
{
	g_autoptr(JsonBuilder) builder = json ? json_builder_new() : NULL;
	g_autoptr(GError) error = NULL;
	int n;

	if (!find_run(db, path, &run, &error))
		return command_fail(error, 3);
	if (json) {
		json_builder_begin_object(builder);
		build_integer(builder, "run", run);
		build_array(builder, "caches");
	}
	n = print_caches(db, path, run, builder, &error);
	if (n < 0)
		return command_fail(error, 3);
	if (!n) {
		fprintf(stderr, "udpsim slabinfo: %s: no caches of a run %"
			G_GINT64_FORMAT "; the table run has the ids\n", path, run);
		return 2;
	}
	if (json) {
		json_builder_end_array(builder);
		json_builder_end_object(builder);
		build_print(builder, stdout);
	}
	return command_flush();
}

int cmd_slabinfo(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct options options = { 0 };
	g_autofree char *path = NULL;
	sqlite3 *db = NULL;
	int status;

	if (!parse(&options, &argc, &argv, &error)) {
		status = command_fail(error, 2);
		goto out;
	}
	db = command_open(options.paths, &path, &error);
	status = db ? slabinfo(db, path, options.run, options.json) :
		      command_fail(error, 3);
out:
	if (db)
		database_close(db);
	g_strfreev(options.paths);
	return status;
}
