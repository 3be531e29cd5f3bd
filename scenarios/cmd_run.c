/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim run: runs scenarios and records what came out. */
#include <stdio.h>

#include "analysis/command.h"
#include "analysis/compare.h"
#include "analysis/database.h"
#include "scenarios/batch.h"
#include "scenarios/commands.h"

static int print_json(const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Comparison) comparison = compare_read(path,
							   &compare_key,
							   &error);

	if (!comparison)
		return command_fail(error, 3);
	compare_print_json(stdout, comparison);
	return command_flush();
}

int cmd_run(int argc, char **argv)
{
	g_auto(GStrv) scenarios = NULL, sets = NULL;
	g_autofree char *output = NULL, *variant = NULL, *scale = NULL;
	g_autofree char *path = NULL, *trace = NULL;
	gboolean check = FALSE, json = FALSE, quiet = FALSE;
	gint jobs = 0, capture = 0;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Record into this database", "DB" },
		{ "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sets,
		  "Override a key (may be repeated)", "GROUP.KEY=VALUE" },
		{ "variant", 0, 0, G_OPTION_ARG_STRING, &variant,
		  "Run only this variant", "V" },
		{ "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs,
		  "Runs at a time (default: one a processor)", "N" },
		{ "scale", 0, 0, G_OPTION_ARG_STRING, &scale,
		  "Do only this part of the operations (0.01)", "F" },
		{ "check", 0, 0, G_OPTION_ARG_NONE, &check,
		  "Look for use after free, leaks, races, ... (slow)", NULL },
		{ "capture", 0, 0, G_OPTION_ARG_INT, &capture,
		  "Record the first N frames of each device at a link", "N" },
		{ "trace", 0, 0, G_OPTION_ARG_STRING, &trace,
		  "Record each event of a window (50us, 2ms+50us)",
		  "[FROM+]LENGTH" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet,
		  "No progress line", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim run", .arguments = "SCENARIO...",
		.summary = "Runs each variant of the scenarios and records the "
			   "results; --json prints the\ncomparison.",
		.description =
			"A scenario is a file, or the name of one that comes "
			"with udpsim (\"udpsim list\nscenarios\").  Exit "
			"status: 0 done, 1 --check found something, 2 bad "
			"input,\n3 input/output, 130 stopped.\n",
		.entries = entries, .json = &json,
	};
	g_autoptr(GError) error = NULL;
	struct batch_options options;
	int status;

	if (command_parse(&line, &scenarios, &argc, &argv, &error) &&
	    !scenarios)
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "no scenario given; 'udpsim list scenarios' has "
			    "them all");
	if (!error && jobs < 0)
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--jobs %d: must be 1 or more", jobs);
	if (!error && capture < 0)
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--capture %d: must be 0 or more", capture);
	if (error)
		return command_fail(error, 2);
	path = output ? g_strdup(output) : default_database(true, &error);
	if (!path)
		return command_fail(error, 3);
	options = (struct batch_options){
		.sets = sets, .variant = variant, .scale = scale,
		.jobs = (unsigned int)jobs, .check = check,
		.capture = (unsigned int)capture, .trace = trace,
		.quiet = quiet,
	};
	status = batch_run(scenarios, path, &options);
	if (status <= 1 && json && print_json(path))
		return 3;
	return status;
}
