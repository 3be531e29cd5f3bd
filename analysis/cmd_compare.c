/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim compare: before and after, the difference, the published figures and
 * how far the model is from them.
 */
#include "commands.h"

#include <errno.h>
#include <stdio.h>

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
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "Print JSON", NULL },
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &options->paths, NULL, NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GOptionContext *context = g_option_context_new("[DB]");
	bool done;

	g_set_prgname("udpsim compare");
	g_option_context_set_summary(context,
		"Shows what the runs of a scenario's variants before and after "
		"came to.");
	g_option_context_set_description(context,
		"DB is what \"udpsim run -o DB\" wrote; without it, the "
		"database of runs\nwithout -o.  Without --metric, the "
		"published metrics and a few key ones\nare shown.\n");
	g_option_context_add_main_entries(context, entries, NULL);
	done = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	if (!done || !options->paths || !options->paths[1])
		return done;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "one database at a time, but \"%s\" follows \"%s\"",
		    options->paths[1], options->paths[0]);
	return false;
}

/* Messages go to standard error, results to standard output. */
static int fail(const GError *error, int status)
{
	fprintf(stderr, "udpsim compare: %s\n", error->message);
	return status;
}

static int print(const struct comparison *comparison, bool json)
{
	if (json)
		compare_print_json(stdout, comparison);
	else
		compare_print_table(stdout, comparison);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "udpsim compare: cannot write the result: %s\n",
		g_strerror(errno));
	return 3;
}

static int compare(const struct options *options)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Comparison) comparison = NULL;
	g_autofree char *path = NULL;

	path = options->paths ? g_strdup(options->paths[0]) :
				default_database(false, &error);
	if (!path)
		return fail(error, 3);
	comparison = compare_read(path, &error);
	if (!comparison)
		return fail(error, 3);
	if (!comparison->rows->len) {
		fprintf(stderr, "udpsim compare: %s: nothing to compare: no "
			"scenario was run in two variants; run one that has "
			"[variant before] and [variant after]\n", path);
		return 2;
	}
	if (!options->metrics)
		compare_select_key(comparison);
	else if (!compare_select(comparison,
				 (const char *const *)options->metrics,
				 &error))
		return fail(error, 2);
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
		status = fail(error, 2);
	options_clear(&options);
	return status;
}
