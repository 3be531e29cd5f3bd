/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim operation: one socket operation, line by line. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>

#include "analysis/command.h"
#include "scenarios/commands.h"
#include "scenarios/operation.h"
#include "scenarios/scenario.h"

struct request {
	struct operation_setup setup;
	const struct operation_kind *kind;
	enum operation_table table;
	const char *folder;
	bool json;
};

static bool find_table(const char *name, enum operation_table *table,
		       GError **error)
{
	u32 i;

	*table = TABLE_LINES;
	for (i = 0; name && i < NUM_OPERATION_TABLES; i++)
		if (g_str_equal(name, operation_table_names[i])) {
			*table = i;
			return true;
		}
	if (!name)
		return true;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
		    "--table %.60s: must be lines, functions, operations or "
		    "calls", name);
	return false;
}

static bool write_tables(const struct request *request,
			 const struct operation *operation,
			 const struct operation *null,
			 const struct object_map *map, GError **error)
{
	u32 i;

	if (g_mkdir_with_parents(request->folder, 0777)) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_IO,
			    "%s: cannot make the folder: %s", request->folder,
			    g_strerror(errno));
		return false;
	}
	for (i = 0; i < NUM_OPERATION_TABLES; i++) {
		g_autofree char *name = g_strconcat(operation_table_names[i],
						    ".tsv", NULL);
		g_autofree char *path = g_build_filename(request->folder, name,
							 NULL);
		g_autofree char *text = operation_table(operation, null, map,
							i);
		g_autoptr(GError) cause = NULL;

		if (g_file_set_contents(path, text, -1, &cause))
			continue;
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_IO, "%s: %s",
			    path, cause->message);
		return false;
	}
	return true;
}

static bool show(const struct request *request, GError **error)
{
	g_autofree char *path = g_build_filename(data_dir(), "stack", "kernels",
						 "objects.tsv", NULL);
	g_autoptr(ObjectMap) map = object_map_load(path, error);
	g_autoptr(Operation) operation = NULL;
	g_autoptr(Operation) null = NULL;
	g_autofree char *text = NULL;

	if (!map)
		return false;
	operation = operation_run(&request->setup, request->kind, map, error);
	if (!operation)
		return false;
	if (!operation->modelled) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s is not modelled yet on %s",
			    request->kind->name, request->setup.kernel);
		return false;
	}
	/* The totals are also given without the null system call. */
	if (request->folder || request->table == TABLE_OPERATIONS) {
		null = operation_run(&request->setup, &operation_kinds[0], map,
				     error);
		if (!null)
			return false;
	}
	if (request->folder)
		return write_tables(request, operation, null, map, error);
	text = operation_table(operation, null, map, request->table);
	if (request->json)
		operation_print_json(stdout,
				     operation_table_names[request->table],
				     text);
	else
		fputs(text, stdout);
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	g_set_error_literal(error, SCENARIO_ERROR, SCENARIO_ERROR_IO,
			    "cannot write to standard output");
	return false;
}

static char *describe_operations(void)
{
	GString *list = g_string_new("Operations:\n");
	u32 i;

	for (i = 0; operation_kinds[i].name; i++)
		g_string_append_printf(list, "  %-12s %s%s\n",
				       operation_kinds[i].name,
				       operation_kinds[i].title,
				       operation_kinds[i].once ? "" :
				       " (not modelled yet)");
	return g_string_free(list, FALSE);
}

int cmd_operation(int argc, char **argv)
{
	g_autofree char *kernel = NULL, *patches = NULL, *table = NULL;
	g_autofree char *output = NULL, *list = describe_operations();
	gboolean json = FALSE;
	g_auto(GStrv) names = NULL, features = NULL;
	const GOptionEntry entries[] = {
		{ "kernel", 'k', 0, G_OPTION_ARG_STRING, &kernel,
		  "The kernel (default: " OPERATION_KERNEL ")", "K" },
		{ "patches", 0, 0, G_OPTION_ARG_STRING, &patches,
		  "Patches to apply; -P takes one away", "P;-P" },
		{ "table", 't', 0, G_OPTION_ARG_STRING, &table,
		  "lines (default), functions, operations or calls", "T" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write all tables into this folder", "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim operation", .arguments = "OPERATION",
		.summary = "Runs one warmed socket operation and prints what it "
			   "touches.",
		.description = list, .entries = entries, .json = &json,
	};
	g_autoptr(GError) error = NULL;
	struct request request = { .folder = output };
	bool ok;

	ok = command_parse(&line, &names, &argc, &argv, &error);
	if (ok && (!names || names[1])) {
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "give one operation; 'udpsim operation --help' has "
			    "them all");
		ok = false;
	}
	if (ok && json && output) {
		g_set_error_literal(&error, G_OPTION_ERROR,
				    G_OPTION_ERROR_BAD_VALUE,
				    "--json is for standard output; --output "
				    "writes tables");
		ok = false;
	}
	features = operation_patches(patches);
	request.folder = output;
	request.json = json;
	request.setup.kernel = kernel ? kernel : OPERATION_KERNEL;
	request.setup.patches = (const char *const *)features;
	ok = ok && find_table(table, &request.table, &error) &&
	     (request.kind = operation_find(names[0], &error)) &&
	     show(&request, &error);
	if (ok)
		return 0;
	return command_fail(error, g_error_matches(error, SCENARIO_ERROR,
						   SCENARIO_ERROR_IO) ? 3 : 2);
}
