/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that read a record have in common. */
#include "command.h"

#include <errno.h>
#include <stdio.h>

bool command_parse(const struct command_line *line, char ***paths, int *argc,
		   char ***argv, GError **error)
{
	const GOptionEntry entries[] = {
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  paths, NULL, NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GOptionContext *context = g_option_context_new("[DB]");
	bool done;

	g_set_prgname(line->name);
	g_option_context_set_summary(context, line->summary);
	g_option_context_set_description(context, line->description);
	g_option_context_add_main_entries(context, line->entries, NULL);
	g_option_context_add_main_entries(context, entries, NULL);
	done = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	if (!done || !*paths || !(*paths)[1])
		return done;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "one database at a time, but \"%s\" follows \"%s\"",
		    (*paths)[1], (*paths)[0]);
	return false;
}

sqlite3 *command_open(char **paths, char **path, GError **error)
{
	*path = paths ? g_strdup(paths[0]) : default_database(false, error);
	return *path ? database_open(*path, DATABASE_READ, error) : NULL;
}

int command_fail(const GError *error, int status)
{
	fprintf(stderr, "%s: %s\n", g_get_prgname(), error->message);
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
