/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands have in common; see command.h. */
#include "command.h"

#include <errno.h>
#include <stdio.h>

#include "color.h"

static gboolean take_color(const char *name, const char *value, gpointer data,
			   GError **error)
{
	(void)name;
	(void)data;
	return color_set(value, error);
}

static void add_entries(GOptionContext *context,
			const struct command_line *line, char ***names)
{
	const GOptionEntry json[] = {
		{ "json", 0, 0, G_OPTION_ARG_NONE, line->json, "Print JSON",
		  NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry common[] = {
		{ "color", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)take_color,
		  "auto (default: on a terminal), always or never", "WHEN" },
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  names, NULL, NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};

	if (line->entries)
		g_option_context_add_main_entries(context, line->entries,
						  NULL);
	if (line->json)
		g_option_context_add_main_entries(context, json, NULL);
	g_option_context_add_main_entries(context, common, NULL);
}

bool command_parse(const struct command_line *line, char ***names, int *argc,
		   char ***argv, GError **error)
{
	GOptionContext *context =
		g_option_context_new(line->arguments ? line->arguments :
						       "[DB]");
	bool done;

	g_set_prgname(line->name);
	g_option_context_set_summary(context, line->summary);
	g_option_context_set_description(context, line->description);
	add_entries(context, line, names);
	done = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	if (!done || line->arguments || !*names || !(*names)[1])
		return done;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "one database at a time, but \"%s\" follows \"%s\"",
		    (*names)[1], (*names)[0]);
	return false;
}

sqlite3 *command_open(char **paths, char **path, GError **error)
{
	*path = paths ? g_strdup(paths[0]) : default_database(false, error);
	return *path ? database_open(*path, DATABASE_READ, error) : NULL;
}

int command_fail(const GError *error, int status)
{
	fprintf(stderr, "%s%s:%s %s\n", color_on(stderr, COLOR_BAD),
		g_get_prgname(), color_off(stderr), error->message);
	return status;
}

int command_fail_reading(const GError *error)
{
	return command_fail(error, g_error_matches(error, RECORD_ERROR,
						   RECORD_ERROR_NAME) ? 2 : 3);
}

int command_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "%s: cannot write the result: %s\n", g_get_prgname(),
		g_strerror(errno));
	return 3;
}
