/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim explain: why after is faster or slower, in ns an operation. */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "explain.h"

#define DEFAULT_LIMIT 20

struct options {
	char *scenario;
	gint64 before, after;
	int limit;
	gboolean json;
	char **paths;
};

static void options_clear(struct options *options)
{
	g_free(options->scenario);
	g_strfreev(options->paths);
}

static bool check(const struct options *options, GError **error)
{
	const char *wrong = NULL;

	if (options->limit < 0)
		wrong = "--limit is 0 (all rows) or more";
	else if (!options->before != !options->after)
		wrong = "--before and --after go together";
	else if (options->before && options->scenario)
		wrong = "--scenario does not go with --before and --after";
	if (wrong)
		g_set_error_literal(error, G_OPTION_ERROR,
				    G_OPTION_ERROR_BAD_VALUE, wrong);
	return !wrong;
}

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "scenario", 's', 0, G_OPTION_ARG_STRING, &options->scenario,
		  "Of this scenario (default: the one recorded last)", "S" },
		{ "before", 0, 0, G_OPTION_ARG_INT64, &options->before,
		  "The run to start from, with --after", "N" },
		{ "after", 0, 0, G_OPTION_ARG_INT64, &options->after,
		  "The run to explain, with --before", "N" },
		{ "limit", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows to show, the others in one (default: 20; 0: all)",
		  "N" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim explain",
		.summary = "Says why after is faster or slower than before, in ns "
			   "an operation.",
		.entries = entries,
		.json = &options->json,
	};

	return command_parse(&line, &options->paths, argc, argv, error) &&
	       check(options, error);
}

static int print(const struct options *options, const GPtrArray *all)
{
	guint limit = (guint)options->limit;

	if (options->json)
		explain_print_json(stdout, all, limit);
	for (guint i = 0; !options->json && i < all->len; i++) {
		if (i)
			putchar('\n');
		explain_print_text(stdout, all->pdata[i], limit);
	}
	return command_flush();
}

static int explain(const struct options *options, sqlite3 *db,
		   const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) all = NULL;

	if (!database_execute(db, path, "BEGIN", &error))
		return command_fail(error, 3);
	all = options->before ?
		explain_runs(options->before, options->after) :
		explain_pairs(db, path, options->scenario, &error);
	if (!all)
		return command_fail(error, 3);
	if (!all->len) {
		fprintf(stderr, "udpsim explain: %s: nothing to explain: %s%s "
			"was not run in two variants\n", path,
			options->scenario ? "the scenario " : "a scenario",
			options->scenario ? options->scenario : "");
		return 2;
	}
	for (guint i = 0; i < all->len; i++)
		if (!explain_read(db, path, all->pdata[i], &error))
			return command_fail_reading(error);
	return print(options, all);
}

int cmd_explain(int argc, char **argv)
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
		status = db ? explain(&options, db, path) : command_fail(error, 3);
		if (db)
			database_close(db);
	}
	options_clear(&options);
	return status;
}
