/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsim digest: the SHA-256 of a record's results.
 */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "digest.h"
#include "json_build.h"

static bool parse(char ***ret_paths, gboolean *json, int *argc, char ***argv,
		  GError **error)
{
	g_auto(GStrv) paths = NULL;
	const struct command_line line = {
		.name = "udpsim digest", .arguments = "DB", .json = json,
		.summary = "Prints the SHA-256 of the results in DB, without "
			   "anything of the wall clock:\nthe same runs give the "
			   "same digest.",
	};

	if (!command_parse(&line, &paths, argc, argv, error))
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

static void print_json(const char *digest)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	build_text(builder, "digest", digest);
	json_builder_end_object(builder);
	build_print(builder, stdout);
}

int cmd_digest(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) paths = NULL;
	g_autofree char *digest = NULL;
	gboolean json = FALSE;

	if (!parse(&paths, &json, &argc, &argv, &error))
		return command_fail(error, 2);
	digest = digest_read(paths[0], &error);
	if (!digest)
		return command_fail(error, 3);
	if (json)
		print_json(digest);
	else
		printf("%s\n", digest);
	return command_flush();
}
