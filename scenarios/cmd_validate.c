/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim validate: runs the published experiments and sets what the model
 * predicts beside what was published.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis/command.h"
#include "analysis/compare.h"
#include "scenarios/batch.h"
#include "scenarios/commands.h"
#include "scenarios/scenario.h"

/* Without --full: a twentieth of the operations.  It moves the difference of
 * neigh-confirmed by less than half a point and that of rcu-free by some two;
 * rcu-free needs some thirty grace periods for that, and a hundredth has
 * six. */
#define QUICK_SCALE "0.05"

/* Whether the scenario has published figures: 1, 0, or -1 and an error. */
static int is_published(const char *name, GError **error)
{
	g_autofree char *path = scenario_find(name, error);
	struct scenario *scenario = path ? scenario_load(path, error) : NULL;
	struct config *config = scenario ?
		scenario_resolve(scenario, 0, 0, NULL, error) : NULL;
	int published = config ? config->published->len > 0 : -1;

	if (config)
		config_free(config);
	if (scenario)
		scenario_free(scenario);
	return published;
}

/* The scenarios that have published figures, among those that come along;
 * NULL and an error where one of these cannot be read. */
static char **published_scenarios(GError **error)
{
	g_auto(GStrv) names = NULL;
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	char **name;

	if (!data_present(error))
		return NULL;
	names = data_list_scenarios();
	for (name = names; *name; name++) {
		int published = is_published(*name, error);

		if (published < 0)
			return NULL;
		if (published)
			g_ptr_array_add(found, g_strdup(*name));
	}
	g_ptr_array_add(found, NULL);
	return (char **)g_ptr_array_steal(found, NULL);
}

static int print(const char *path, bool json)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Comparison) comparison = compare_read(path,
							   &compare_published,
							   &error);

	if (!comparison)
		return command_fail(error, 3);
	if (json)
		compare_print_json(stdout, comparison);
	else
		compare_print_table(stdout, comparison);
	return command_flush();
}

static int validate(char **names, const struct batch_options *options,
		    const char *output, bool json)
{
	g_autofree char *folder = NULL, *path = NULL;
	g_autoptr(GError) error = NULL;
	int status;

	if (output) {
		path = g_strdup(output);
	} else {
		folder = g_dir_make_tmp("udpsim-XXXXXX", &error);
		if (!folder)
			return command_fail(error, 3);
		path = g_build_filename(folder, "validate.db", NULL);
	}
	status = batch_run(names, path, options);
	if (!status)
		status = print(path, json);
	if (folder) {
		g_unlink(path);
		g_rmdir(folder);
	}
	return status;
}

int cmd_validate(int argc, char **argv)
{
	g_auto(GStrv) names = NULL;
	g_autofree char *scale = NULL, *output = NULL;
	gboolean full = FALSE, json = FALSE, quiet = FALSE;
	gint jobs = 0;
	const GOptionEntry entries[] = {
		{ "full", 0, 0, G_OPTION_ARG_NONE, &full,
		  "At the published size instead of " QUICK_SCALE " of it",
		  NULL },
		{ "scale", 0, 0, G_OPTION_ARG_STRING, &scale,
		  "Another part of the published size", "F" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Keep the database", "DB" },
		{ "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs,
		  "Runs at a time (default: one a processor)", "N" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet,
		  "No progress line", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim validate", .arguments = "[EXPERIMENT...]",
		.summary = "Runs the published experiments: predicted against "
			   "published.",
		.entries = entries, .json = &json,
	};
	g_autoptr(GError) error = NULL;
	struct batch_options options;

	if (command_parse(&line, &names, &argc, &argv, &error) && full && scale)
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--full and --scale exclude each other");
	if (!error && jobs < 0)
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--jobs %d: must be 1 or more", jobs);
	if (!error && !names)
		names = published_scenarios(&error);
	if (error)
		return command_fail(error, 2);
	options = (struct batch_options){
		.scale = full ? "1" : scale ? scale : QUICK_SCALE,
		.jobs = (unsigned int)jobs, .quiet = quiet,
	};
	return validate(names, &options, output, json);
}
