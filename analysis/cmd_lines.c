/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim lines: the hottest lines of a run, like perf c2c. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>

#include "lines.h"

#define DEFAULT_LIMIT 10

struct options {
	gint64 run;
	int limit;
	gboolean json;
	char **paths;
};

static bool check(const struct options *options, GError **error)
{
	const char *wrong = NULL;

	if (options->paths && options->paths[1])
		wrong = "one database at a time";
	else if (options->limit < 0)
		wrong = "--limit is 0 (all lines) or more";
	else if (options->run < 0)
		wrong = "--run is the number of a run, from 1";
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
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "Print JSON", NULL },
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &options->paths, NULL, NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GOptionContext *context = g_option_context_new("[DB]");
	bool done;

	g_set_prgname("udpsim lines");
	g_option_context_set_summary(context,
		"Shows the hottest lines of a run, their fields, and what kind "
		"of sharing it is.");
	g_option_context_add_main_entries(context, entries, NULL);
	done = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	return done && check(options, error);
}

static int fail(const GError *error, int status)
{
	fprintf(stderr, "udpsim lines: %s\n", error->message);
	return status;
}

static int show(const struct options *options, sqlite3 *db, const char *path)
{
	g_autoptr(GError) error = NULL;
	struct lines *lines = NULL;

	if (database_execute(db, path, "BEGIN", &error))
		lines = lines_read(db, path, options->run,
				   (guint)options->limit, &error);
	if (!lines)
		return fail(error, g_error_matches(error, RECORD_ERROR,
						   RECORD_ERROR_NAME) ? 2 : 3);
	if (options->json)
		lines_print_json(stdout, lines);
	else
		lines_print_text(stdout, lines);
	lines_free(lines);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "udpsim lines: cannot write the result: %s\n",
		g_strerror(errno));
	return 3;
}

int cmd_lines(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	struct options options = { .limit = DEFAULT_LIMIT };
	sqlite3 *db;
	int status;

	if (!parse(&options, &argc, &argv, &error)) {
		status = fail(error, 2);
	} else {
		path = options.paths ? g_strdup(options.paths[0]) :
				       default_database(false, &error);
		db = path ? database_open(path, DATABASE_READ, &error) : NULL;
		status = db ? show(&options, db, path) : fail(error, 3);
		if (db)
			database_close(db);
	}
	g_strfreev(options.paths);
	return status;
}
