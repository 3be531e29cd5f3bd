/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim lines: the hottest lines of a run, like perf c2c. */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "lines.h"

#define DEFAULT_LIMIT 10

struct options {
	gint64 run;
	int limit;
	gboolean json, try;
	char **paths;
};

static bool check(const struct options *options, GError **error)
{
	const char *wrong = NULL;

	if (options->limit < 0)
		wrong = "--limit is 0 (all lines) or more";
	else if (options->run < 0)
		wrong = "--run is the number of a run, from 1";
	else if (options->json && options->try)
		wrong = "--try does not go with --json";
	if (wrong)
		g_set_error_literal(error, G_OPTION_ERROR,
				    G_OPTION_ERROR_BAD_VALUE, wrong);
	return !wrong;
}

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "run", 'r', 0, G_OPTION_ARG_INT64, &options->run,
		  "Of this run (default: the latest)", "N" },
		{ "limit", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Lines to show (default: 10; 0: all)", "N" },
		{ "try", 0, 0, G_OPTION_ARG_NONE, &options->try,
		  "Run it again with the override for the costliest false "
		  "sharing", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim lines",
		.summary = "Shows the hottest lines of a run, their fields, and what "
			   "kind of sharing it is.",
		.entries = entries,
		.json = &options->json,
	};

	return command_parse(&line, &options->paths, argc, argv, error) &&
	       check(options, error);
}

static int show(const struct options *options, sqlite3 *db, const char *path)
{
	g_autoptr(GError) error = NULL;
	struct lines *lines = NULL;

	if (database_execute(db, path, "BEGIN", &error))
		lines = lines_read(db, path, options->run,
				   (guint)options->limit, &error);
	if (!lines)
		return command_fail_reading(error);
	if (options->json)
		lines_print_json(stdout, lines);
	else
		lines_print_text(stdout, lines);
	fflush(stdout);
	if (options->try)
		lines_try(db, path, lines, stdout, &error);
	lines_free(lines);
	if (error)
		return command_fail_reading(error);
	return command_flush();
}

int cmd_lines(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	struct options options = { .limit = DEFAULT_LIMIT };
	sqlite3 *db;
	int status;

	if (!parse(&options, &argc, &argv, &error)) {
		status = command_fail(error, 2);
	} else {
		db = command_open(options.paths, &path, &error);
		status = db ? show(&options, db, path) : command_fail(error, 3);
		if (db)
			database_close(db);
	}
	g_strfreev(options.paths);
	return status;
}
