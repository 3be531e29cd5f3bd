/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim conflicts: which socket operations share written lines. */
#include <stdio.h>

#include "analysis/command.h"
#include "scenarios/commands.h"
#include "scenarios/conflicts.h"
#include "scenarios/scenario.h"
#include "stack/include/net/sock.h"

struct request {
	struct operation_setup setup;
	int family;
	bool wanted[NUM_CONFLICT_OPERATIONS];
	gboolean list, hot, json;
	char *pahole, *btf;
};

/* Without names all of them. */
static bool find_operations(struct request *request, char **names,
			    GError **error)
{
	u32 i;

	for (i = 0; i < NUM_CONFLICT_OPERATIONS; i++)
		request->wanted[i] = !names;
	for (; names && *names; names++) {
		for (i = 0; i < NUM_CONFLICT_OPERATIONS; i++)
			if (g_str_equal(conflict_names[i], *names))
				break;
		if (i == NUM_CONFLICT_OPERATIONS) {
			g_autofree char *all = g_strjoinv(
				", ", (char **)conflict_names);

			g_set_error(error, SCENARIO_ERROR,
				    SCENARIO_ERROR_NOT_FOUND,
				    "no operation is called '%.60s'; there are "
				    "%s", *names, all);
			return false;
		}
		request->wanted[i] = true;
	}
	return true;
}

static bool find_family(const char *name, int *family, GError **error)
{
	*family = name && g_str_equal(name, "inet6") ? PF_INET6 : PF_INET;
	if (!name || g_str_equal(name, "inet") || *family == PF_INET6)
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "--family %.60s: must be inet or inet6", name);
	return false;
}

static bool check(const struct request *request, char **names, GError **error)
{
	const char *wrong = NULL;

	if (request->hot && (request->list || names))
		wrong = "--hot goes without --list and operations";
	else if (!request->hot && (request->pahole || request->btf))
		wrong = "--pahole and --btf are for --hot";
	else if (request->pahole && request->btf)
		wrong = "types come from one file: --pahole or --btf";
	if (wrong)
		g_set_error_literal(error, G_OPTION_ERROR,
				    G_OPTION_ERROR_BAD_VALUE, wrong);
	return !wrong;
}

static bool show_hot(const struct request *request, GError **error)
{
	struct kernel_config config = {
		.patches = request->setup.patches,
		.patches_where = "--patches",
	};
	g_autoptr(ShapeSet) shapes = NULL, types = NULL;
	g_autoptr(GPtrArray) fields = NULL;
	g_autofree char *folder = NULL;

	if (!data_find_kernel(request->setup.kernel, &folder, error))
		return false;
	config.folder = folder;
	shapes = shapes_of_kernel(&config, error);
	if (!shapes)
		return false;
	if (request->pahole)
		types = shapes_of_pahole(request->pahole, error);
	else if (request->btf)
		types = shapes_of_btf(request->btf, error);
	if (!types && (request->pahole || request->btf))
		return false;
	fields = hot_fields_run(&request->setup, request->family, shapes,
				types, error);
	if (fields && request->json)
		conflicts_print_json(stdout, request->setup.kernel, NULL,
				     fields);
	else if (fields)
		hot_fields_print(stdout, request->setup.kernel, fields);
	return fields != NULL;
}

static bool show_pairs(const struct request *request, GError **error)
{
	g_autofree char *path = g_build_filename(data_dir(), "stack", "kernels",
						 "objects.tsv", NULL);
	g_autoptr(ObjectMap) map = object_map_load(path, error);
	g_autoptr(Conflicts) conflicts = NULL;

	if (!map)
		return false;
	conflicts = conflicts_run(&request->setup, request->family,
				  request->wanted, map, error);
	if (!conflicts)
		return false;
	if (request->json) {
		conflicts_print_json(stdout, conflicts->kernel, conflicts,
				     NULL);
		return true;
	}
	conflicts_print_matrix(stdout, conflicts);
	if (request->list)
		conflicts_print_pairs(stdout, conflicts);
	return true;
}

int cmd_conflicts(int argc, char **argv)
{
	g_autofree char *kernel = NULL, *patches = NULL, *family = NULL;
	g_auto(GStrv) names = NULL, features = NULL;
	struct request request = { .list = FALSE };
	const GOptionEntry entries[] = {
		{ "kernel", 'k', 0, G_OPTION_ARG_STRING, &kernel,
		  "The kernel (default: " OPERATION_KERNEL ")", "K" },
		{ "patches", 0, 0, G_OPTION_ARG_STRING, &patches,
		  "Patches to apply; -P takes one away", "P;-P" },
		{ "family", 0, 0, G_OPTION_ARG_STRING, &family,
		  "inet (default) or inet6", "F" },
		{ "list", 'l', 0, G_OPTION_ARG_NONE, &request.list,
		  "Also print each pair's lines and fields", NULL },
		{ "hot", 0, 0, G_OPTION_ARG_NONE, &request.hot,
		  "The fields that sending and receiving touch", NULL },
		{ "pahole", 0, 0, G_OPTION_ARG_FILENAME, &request.pahole,
		  "Types for --hot from what pahole printed", "FILE" },
		{ "btf", 0, 0, G_OPTION_ARG_FILENAME, &request.btf,
		  "Types for --hot from BTF", "FILE" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim conflicts", .arguments = "[OPERATION...]",
		.summary = "Shows which socket operations can run on two CPUs "
			   "without sharing a written line.",
		.description = "Operations: socket, bind, connect, send, "
			       "sendto, recv, close, setsockopt, join.\n",
		.entries = entries, .json = &request.json,
	};
	g_autoptr(GError) error = NULL;
	bool ok;

	ok = command_parse(&line, &names, &argc, &argv, &error) &&
	     check(&request, names, &error) &&
	     find_family(family, &request.family, &error) &&
	     find_operations(&request, names, &error);
	features = operation_patches(patches);
	request.setup.kernel = kernel ? kernel : OPERATION_KERNEL;
	request.setup.patches = (const char *const *)features;
	ok = ok && (request.hot ? show_hot(&request, &error) :
				  show_pairs(&request, &error));
	g_free(request.pahole);
	g_free(request.btf);
	if (ok)
		return command_flush();
	return command_fail(error, error->domain == G_FILE_ERROR ? 3 : 2);
}
