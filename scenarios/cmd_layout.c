/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim layout: a struct line by line, with the heat of a run. */
#include <stdio.h>

#include "analysis/command.h"
#include "scenarios/commands.h"
#include "scenarios/kernel_settings.h"
#include "scenarios/layout_view.h"
#include "scenarios/operation.h"
#include "scenarios/scenario.h"
#include "stack/kernel.h"

struct request {
	char **names, **kernels, *patches, *pahole, *btf, *database;
	gint64 run;
	gboolean json, tsv;
};

struct sides {
	struct shape_set *sets[LAYOUT_MAX_SIDES];
	u32 n;
};

static bool usage_error(GError **error, const char *what)
{
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    what);
	return false;
}

static bool check(const struct request *request, GError **error)
{
	u32 num_kernels = request->kernels ?
		g_strv_length(request->kernels) : 0;
	u32 num_files = !!request->pahole + !!request->btf;
	bool one = request->names && !request->names[1];

	if (request->tsv && request->names && request->names[1])
		return usage_error(error, "--tsv prints one struct, or without "
				   "one all");
	if (!request->tsv && !one)
		return usage_error(error, "give one struct, such as sock");
	if (request->tsv && (request->json || request->database ||
			     request->run))
		return usage_error(error, "--tsv goes without --json, --db and "
				   "--run");
	if (request->tsv && num_kernels + num_files > 1)
		return usage_error(error, "--tsv prints from one kernel or "
				   "file");
	if (num_kernels + num_files > LAYOUT_MAX_SIDES)
		return usage_error(error, "two kernels or files side by side, "
				   "no more");
	if (request->run < 0)
		return usage_error(error, "--run is the number of a run, from "
				   "1");
	if (request->run && !request->database)
		return usage_error(error, "--run N is of a database: --db DB");
	return true;
}

/* ---- the sides ---- */

static bool add_side(struct sides *sides, struct shape_set *set)
{
	if (set)
		sides->sets[sides->n++] = set;
	return set != NULL;
}

/* `run`: with its layouts, or NULL. */
static bool add_kernel(struct sides *sides, const char *name,
		       const char *patches, const struct layout_run *run,
		       GError **error)
{
	g_auto(GStrv) features = operation_patches(patches);
	g_autofree struct kernel_setting *layout = run ?
		kernel_settings(run->config, "layout", run->config->layout) :
		NULL;
	struct kernel_config config = {
		.patches = (const char *const *)features,
		.patches_where = "--patches",
		.layout = layout,
	};
	g_autofree char *folder = NULL;

	if (!data_find_kernel(name, &folder, error))
		return false;
	config.folder = folder;
	return add_side(sides, shapes_of_kernel(&config, error));
}

static bool add_files(struct sides *sides, const struct request *request,
		      GError **error)
{
	return (!request->pahole ||
		add_side(sides, shapes_of_pahole(request->pahole, error))) &&
	       (!request->btf ||
		add_side(sides, shapes_of_btf(request->btf, error)));
}

/* What a record says of a kernel's patches, "+a;-b", as --patches has it. */
static char *patches_of_run(const char *text)
{
	g_auto(GStrv) words = operation_patches(text);
	char **word;

	for (word = words; *word; word++)
		if (**word == '+')
			**word = ' ';
	return g_strjoinv(";", words);
}

/*
 * The kernels that are named come first, then the files.  Where no kernel is
 * named there is that of the run, and beside one file the default.
 */
static bool open_sides(struct sides *sides, const struct request *request,
		       const struct layout_run *run, GError **error)
{
	g_autofree char *patches = run && !request->patches ?
		patches_of_run(run->patches) : g_strdup(request->patches);
	bool default_kernel = !request->kernels &&
		(request->tsv ? !request->pahole && !request->btf :
				!request->pahole || !request->btf);
	char **name;

	for (name = request->kernels; name && *name; name++)
		if (!add_kernel(sides, *name, request->patches, NULL, error))
			return false;
	if (default_kernel &&
	    !add_kernel(sides, run ? run->kernel : OPERATION_KERNEL,
			patches, run, error))
		return false;
	return add_files(sides, request, error);
}

/* Leaves out the default kernel where it has no such struct but a file has. */
static bool check_struct(struct sides *sides, const char *name,
			 bool may_leave_out, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *near;
	u32 i, k;

	for (i = 0; i < sides->n; i++) {
		const struct shape_set *set = sides->sets[i];

		if (shape_find(set, name))
			continue;
		if (!i && may_leave_out && sides->n > 1 &&
		    shape_find(sides->sets[1], name)) {
			shape_set_free(sides->sets[0]);
			sides->sets[0] = sides->sets[1];
			sides->n = 1;
			return true;
		}
		for (k = 0; k < set->shapes->len; k++)
			g_ptr_array_add(names, ((struct shape *)
						set->shapes->pdata[k])->name);
		g_ptr_array_add(names, NULL);
		near = nearest_name(name, (const char *const *)names->pdata);
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
			    "%s has no struct '%.60s'%s%s%s", set->source, name,
			    near ? "; did you mean '" : "", near ? near : "",
			    near ? "'?" : "");
		return false;
	}
	return true;
}

/* ---- the command ---- */

static bool print(const struct request *request, const struct sides *sides,
		  const struct layout_run *run, sqlite3 *db, GError **error)
{
	const char *name = request->names ? request->names[0] : NULL;
	g_autoptr(LayoutView) view = NULL;

	if (request->tsv) {
		layout_print_tsv(stdout, sides->sets[0], name);
		return true;
	}
	view = layout_view_new(name, (const struct shape_set *const *)
			       sides->sets, sides->n);
	if (run && !layout_view_heat(view, run, db, request->database, error))
		return false;
	if (request->json)
		layout_print_json(stdout, view);
	else
		layout_print_text(stdout, view);
	return true;
}

static bool show(const struct request *request, sqlite3 *db, GError **error)
{
	const char *name = request->names ? request->names[0] : NULL;
	g_autoptr(LayoutRun) run = NULL;
	struct sides sides = { .n = 0 };
	bool ok;

	if (db) {
		if (!database_execute(db, request->database, "BEGIN", error))
			return false;
		run = layout_run_read(db, request->database, request->run,
				      error);
		if (!run)
			return false;
	}
	ok = open_sides(&sides, request, run, error) &&
	     (!name || check_struct(&sides, name, !request->kernels, error)) &&
	     print(request, &sides, run, db, error);
	while (sides.n)
		shape_set_free(sides.sets[--sides.n]);
	return ok;
}

static int status_of(const GError *error)
{
	if (error->domain == G_FILE_ERROR)
		return 3;
	if (error->domain == RECORD_ERROR && error->code != RECORD_ERROR_NAME)
		return 3;
	return g_error_matches(error, SCENARIO_ERROR, SCENARIO_ERROR_IO) ? 3 :
									   2;
}

static bool parse(struct request *request, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "kernel", 'k', 0, G_OPTION_ARG_STRING_ARRAY,
		  &request->kernels, "The kernel (default: the run's, else "
		  OPERATION_KERNEL "); twice: side by side", "K" },
		{ "patches", 0, 0, G_OPTION_ARG_STRING, &request->patches,
		  "Patches to apply to it; -P takes one away", "P;-P" },
		{ "pahole", 0, 0, G_OPTION_ARG_FILENAME, &request->pahole,
		  "Beside it, what pahole printed into this file", "FILE" },
		{ "btf", 0, 0, G_OPTION_ARG_FILENAME, &request->btf,
		  "Beside it, the BTF of a vmlinux or alone", "FILE" },
		{ "db", 0, 0, G_OPTION_ARG_FILENAME, &request->database,
		  "With what a run did to each member", "DB" },
		{ "run", 'r', 0, G_OPTION_ARG_INT64, &request->run,
		  "This run (default: the latest)", "N" },
		{ "tsv", 0, 0, G_OPTION_ARG_NONE, &request->tsv,
		  "Print rows of a structs.tsv", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim layout", .arguments = "STRUCT",
		.summary = "Shows a struct line by line, of one kernel or of "
			   "two side by side.",
		.entries = entries, .json = &request->json,
	};

	return command_parse(&line, &request->names, argc, argv, error) &&
	       check(request, error);
}

int cmd_layout(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct request request = { .run = 0 };
	sqlite3 *db = NULL;
	int status = 0;

	if (!parse(&request, &argc, &argv, &error)) {
		status = command_fail(error, 2);
	} else {
		if (request.database)
			db = database_open(request.database, DATABASE_READ,
					   &error);
		if (error || !show(&request, db, &error))
			status = command_fail(error, status_of(error));
		else
			status = command_flush();
	}
	if (db)
		database_close(db);
	g_strfreev(request.names);
	g_strfreev(request.kernels);
	g_free(request.patches);
	g_free(request.pahole);
	g_free(request.btf);
	g_free(request.database);
	return status;
}
