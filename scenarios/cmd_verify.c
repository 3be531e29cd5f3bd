/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim verify: the model against traces of a real kernel. */
#include <stdio.h>

#include "analysis/command.h"
#include "scenarios/commands.h"
#include "scenarios/scenario.h"
#include "scenarios/verify.h"

struct request {
	struct operation_setup setup;
	const char *folder;
	const char *const *only;
	bool json, verbose;
};

static bool verify(const struct request *request, GError **error)
{
	g_autofree char *path = g_build_filename(data_dir(), "stack", "kernels",
						 "objects.tsv", NULL);
	g_autoptr(ObjectMap) map = object_map_load(path, error);
	g_autoptr(Verify) result = NULL;

	if (map)
		result = verify_run(request->folder, request->only,
				    &request->setup, map, error);
	if (!result)
		return false;
	if (request->json)
		verify_print_json(stdout, result);
	else
		verify_print_text(stdout, result, request->verbose);
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	g_set_error_literal(error, SCENARIO_ERROR, SCENARIO_ERROR_IO,
			    "cannot write to standard output");
	return false;
}

/* A folder of traces bears its kernel's name. */
static char *kernel_of(const char *folder)
{
	g_auto(GStrv) known = data_list_kernels();
	g_autofree char *name = g_path_get_basename(folder);

	return g_strdup(g_strv_contains((const char *const *)known, name) ?
			name : OPERATION_KERNEL);
}

int cmd_verify(int argc, char **argv)
{
	g_autofree char *kernel = NULL, *patches = NULL;
	g_auto(GStrv) folders = NULL, features = NULL, only = NULL;
	gboolean json = FALSE, verbose = FALSE;
	const GOptionEntry entries[] = {
		{ "kernel", 'k', 0, G_OPTION_ARG_STRING, &kernel,
		  "The kernel (default: DIR's own name, else "
		  OPERATION_KERNEL ")", "K" },
		{ "patches", 0, 0, G_OPTION_ARG_STRING, &patches,
		  "Patches to apply; -P takes one away", "P;-P" },
		{ "operation", 0, 0, G_OPTION_ARG_STRING_ARRAY, &only,
		  "Only this operation (may be repeated)", "OP" },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose,
		  "Print each line on which the two differ", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim verify", .arguments = "DIR",
		.summary = "Holds the model against traces of a real kernel, "
			   "such as those in tests/truth/.",
		.description =
			"DIR has operations.tsv and perhaps lines.tsv; without "
			"the latter it holds the\nmodel to its instructions "
			"only.  The scores are explained in "
			"faithfulness.md.\n",
		.entries = entries, .json = &json,
	};
	g_autoptr(GError) error = NULL;
	struct request request;
	bool ok;

	ok = command_parse(&line, &folders, &argc, &argv, &error);
	if (ok && (!folders || folders[1])) {
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "give one folder of traces, such as "
			    "tests/truth/linux-6.1");
		ok = false;
	}
	if (ok && !kernel)
		kernel = kernel_of(folders[0]);
	features = operation_patches(patches);
	request = (struct request){
		.setup = { kernel, (const char *const *)features },
		.folder = folders ? folders[0] : NULL,
		.only = (const char *const *)only,
		.json = json, .verbose = verbose,
	};
	if (ok && verify(&request, &error))
		return 0;
	return command_fail(error, g_error_matches(error, SCENARIO_ERROR,
						   SCENARIO_ERROR_IO) ? 3 : 2);
}
