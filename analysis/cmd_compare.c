/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim compare: before and after, the difference, the published figures and
 * how far the model is from them.
 */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "compare.h"

struct options {
	char **metrics;
	gboolean json;
	char **paths;
};

static void options_clear(struct options *options)
{
	g_strfreev(options->metrics);
	g_strfreev(options->paths);
}

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "metric", 'm', 0, G_OPTION_ARG_STRING_ARRAY,
		  &options->metrics,
		  "Show this metric (may be repeated; \"all\" shows all)",
		  "M" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim compare",
		.summary = "Shows what the runs of a scenario's variants before and "
			   "after came to.",
		.description = "DB is what \"udpsim run -o DB\" wrote; without "
			       "it, the database of runs\nwithout -o.  Without "
			       "--metric, the published metrics and a few key "
			       "ones\nare shown.\n",
		.entries = entries,
		.json = &options->json,
	};

	return command_parse(&line, &options->paths, argc, argv, error);
}

static int print(const struct comparison *comparison, bool json)
{
	if (json)
		compare_print_json(stdout, comparison);
	else
		compare_print_table(stdout, comparison);
	return command_flush();
}

static int compare(const struct options *options)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *path = NULL;
	const struct comparison_choice named = {
		(const char *const *)options->metrics, false
	};

	path = options->paths ? g_strdup(options->paths[0]) :
				default_database(false, &error);
	if (!path)
		return command_fail(error, 3);
	comparison = compare_read(path, options->metrics ? &named :
				  &compare_key, &error);
	if (!comparison)
		return command_fail_reading(error);
	if (!comparison->pairs) {
		fprintf(stderr, "udpsim compare: %s: nothing to compare: no "
			"scenario was run in two variants; run one that has "
			"[variant before] and [variant after]\n", path);
		return 2;
	}
	return print(comparison, options->json);
}

int cmd_compare(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct options options = { NULL, FALSE, NULL };
	int status;

	if (parse(&options, &argc, &argv, &error))
		status = compare(&options);
	else
		status = command_fail(error, 2);
	options_clear(&options);
	return status;
}
