/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim report: one page about the runs of a database. */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "report.h"

struct options {
	char *output, *scenario;
	char **paths;
};

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
		  "Into this file (default: standard output)", "FILE" },
		{ "scenario", 's', 0, G_OPTION_ARG_STRING, &options->scenario,
		  "Only of this scenario", "NAME" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim report",
		.summary = "Writes one self-contained page: predictions, "
			   "causes, charts, and how to get them again.",
		.entries = entries,
	};

	return command_parse(&line, &options->paths, argc, argv, error);
}

/* The file is there whole or, as it was, not at all. */
static int write_page(const GString *page, const char *output)
{
	g_autoptr(GError) error = NULL;

	if (output)
		return g_file_set_contents(output, page->str, (gssize)page->len,
					   &error) ?
			       0 : command_fail(error, 3);
	fwrite(page->str, 1, page->len, stdout);
	return command_flush();
}

static int report(const struct options *options)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	sqlite3 *db = command_open(options->paths, &path, &error);
	GString *page;
	int status;

	if (!db)
		return command_fail(error, 3);
	page = report_page(db, path, options->scenario, &error);
	database_close(db);
	if (!page)
		return command_fail_reading(error);
	status = write_page(page, options->output);
	g_string_free(page, TRUE);
	return status;
}

int cmd_report(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct options options = { 0 };
	int status;

	status = parse(&options, &argc, &argv, &error) ?
			 report(&options) : command_fail(error, 2);
	g_free(options.output);
	g_free(options.scenario);
	g_strfreev(options.paths);
	return status;
}
