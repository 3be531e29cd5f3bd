/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim digest: the SHA-256 of a record's results.
 */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "digest.h"

static bool parse(char ***ret_paths, int *argc, char ***argv, GError **error)
{
	g_auto(GStrv) paths = NULL;
	const GOptionEntry entries[] = {
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &paths, NULL, NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GOptionContext *context = g_option_context_new("DB");
	bool done;

	g_set_prgname("udpsim digest");
	g_option_context_set_summary(context,
		"Prints the SHA-256 of the results in DB, without anything of "
		"the wall clock:\nthe same runs give the same digest.");
	g_option_context_add_main_entries(context, entries, NULL);
	done = g_option_context_parse(context, argc, argv, error);
	g_option_context_free(context);
	if (!done)
		return false;
	if (!paths || paths[1]) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "%s; use: udpsim digest DB", paths ?
			    "one database at a time" : "no database named");
		return false;
	}
	*ret_paths = g_steal_pointer(&paths);
	return true;
}

int cmd_digest(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) paths = NULL;
	g_autofree char *digest = NULL;

	if (!parse(&paths, &argc, &argv, &error))
		return command_fail(error, 2);
	digest = digest_read(paths[0], &error);
	if (!digest)
		return command_fail(error, 3);
	printf("%s\n", digest);
	return command_flush();
}
