/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim export: a run of the record in the form of another program. */
#include "commands.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "export.h"

static const struct format {
	const char *name;
	bool (*write)(const struct export *export, FILE *file, GError **error);
	bool binary;
} formats[] = {
	{ "csv", export_csv, false },
	{ "folded", export_folded, false },
	{ "json", export_json, false },
	{ "pcapng", export_pcapng, true },
	{ "perfetto", export_perfetto, false },
};

#define FORMATS "csv, folded, json, pcapng or perfetto"

struct options {
	gint64 run;
	char *format, *output, *table;
	char **paths;
};

static const struct format *find_format(const char *name, GError **error)
{
	if (!name) {
		g_set_error_literal(error, G_OPTION_ERROR,
				    G_OPTION_ERROR_BAD_VALUE,
				    "which format? give --format " FORMATS);
		return NULL;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
		if (g_str_equal(formats[i].name, name))
			return &formats[i];
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "there is no format '%s'; give " FORMATS, name);
	return NULL;
}

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "format", 'f', 0, G_OPTION_ARG_STRING, &options->format,
		  FORMATS, "F" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
		  "Into this file (default: standard output)", "FILE" },
		{ "run", 'r', 0, G_OPTION_ARG_INT64, &options->run,
		  "Of this run (default: the latest)", "N" },
		{ "table", 't', 0, G_OPTION_ARG_STRING, &options->table,
		  "csv: this table (default: metric); json: this one only",
		  "T" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim export",
		.summary = "Writes a run in the form of another program.",
		.description =
			"csv     one table, with a header\n"
			"folded  calling contexts and their ns, for flame "
			"graphs\n"
			"json    the run and its tables\n"
			"pcapng  the frames that 'udpsim run --capture' "
			"recorded\n"
			"perfetto  the events that 'udpsim run --trace' "
			"recorded, for ui.perfetto.dev\n",
		.entries = entries,
	};

	return command_parse(&line, &options->paths, argc, argv, error);
}

static bool check_table(const struct options *options,
			const struct format *format, GError **error)
{
	g_autofree char *names = NULL;

	if (!options->table)
		return true;
	if (format->write != export_csv && format->write != export_json) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--table goes with csv and json, not with %s",
			    format->name);
		return false;
	}
	if (export_has_table(options->table))
		return true;
	names = export_table_names();
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "there is no table '%s' to export; there are %s",
		    options->table, names);
	return false;
}

static int fail_file(const char *name)
{
	fprintf(stderr, "udpsim export: %s: %s\n", name, g_strerror(errno));
	return 3;
}

/* The run asked for, if there is one, or the latest. */
static int find_run(struct export *export, gint64 run)
{
	g_autofree char *sql = run ?
		g_strdup_printf("SELECT count(*) FROM run WHERE id = %"
				G_GINT64_FORMAT, run) :
		g_strdup("SELECT coalesce(max(id), 0) FROM run");
	g_autoptr(GError) error = NULL;
	gint64 found;

	if (!database_integer(export->db, export->path, sql, &found, &error))
		return command_fail(error, 3);
	if (!found) {
		fprintf(stderr, "udpsim export: %s: there is no run%s; the "
			"table run has the ids\n", export->path,
			run ? " of that number" : "");
		return 2;
	}
	export->run = run ? run : found;
	return 0;
}

/* An output that was not written to its end does not stay. */
static int write_file(const struct export *export, const struct format *format,
		      const char *output)
{
	FILE *file = output ? fopen(output, "wb") : stdout;
	const char *name = output ? output : "standard output";
	g_autoptr(GError) error = NULL;
	int status = 0;

	if (!file)
		return fail_file(name);
	if (!format->write(export, file, &error))
		status = command_fail_reading(error);
	else if (fflush(file) || ferror(file))
		status = fail_file(name);
	if (output && fclose(file) && !status)
		status = fail_file(name);
	if (output && status)
		g_unlink(output);
	return status;
}

static int export(const struct options *options, const struct format *format)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	struct export export = { .table = options->table };
	int status;

	if (!export.table && format->write == export_csv)
		export.table = "metric";
	export.db = command_open(options->paths, &path, &error);
	export.path = path;
	if (!export.db)
		return command_fail(error, 3);
	status = find_run(&export, options->run);
	if (!status)
		status = write_file(&export, format, options->output);
	database_close(export.db);
	return status;
}

int cmd_export(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct options options = { 0 };
	const struct format *format = NULL;
	int status;

	if (parse(&options, &argc, &argv, &error))
		format = find_format(options.format, &error);
	if (format)
		check_table(&options, format, &error);
	if (!error && format && format->binary && !options.output && isatty(1))
		g_set_error(&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "%s is not for a terminal; give -o FILE or a pipe",
			    format->name);
	status = error ? command_fail(error, 2) : export(&options, format);
	g_free(options.format);
	g_free(options.output);
	g_free(options.table);
	g_strfreev(options.paths);
	return status;
}
