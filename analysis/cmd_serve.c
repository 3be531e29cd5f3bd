/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim serve: the pages of a database, for a browser on this computer. */
#include "commands.h"

#include <stdio.h>

#include "command.h"
#include "serve.h"

struct options {
	gint64 port;
	char **paths;
};

static bool parse(struct options *options, int *argc, char ***argv,
		  GError **error)
{
	const GOptionEntry entries[] = {
		{ "port", 'p', 0, G_OPTION_ARG_INT64, &options->port,
		  "Listen on this port of 127.0.0.1 (default: any)", "P" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const struct command_line line = {
		.name = "udpsim serve",
		.summary = "Shows the runs of a database in a browser on this "
			   "computer, those too\nthat are at work.  Prints "
			   "the address; ends with Ctrl-C.",
		.entries = entries,
	};

	if (!command_parse(&line, &options->paths, argc, argv, error))
		return false;
	if (options->port >= 0 && options->port <= G_MAXUINT16)
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "--port is a number from 0 (any) to 65535");
	return false;
}

static int serve(const struct options *options)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	/* Says now what is wrong with it, and brings an older one up. */
	sqlite3 *db = command_open(options->paths, &path, &error);
	struct serve *server;
	int status;

	if (!db)
		return command_fail(error, 3);
	database_close(db);
	server = serve_new(path, (guint16)options->port, &error);
	if (!server)
		return command_fail(error, 3);
	printf("http://127.0.0.1:%u/\n", serve_port(server));
	status = command_flush();
	if (status == 0 && !serve_run(server, &error))
		status = command_fail(error, 3);
	serve_free(server);
	return status;
}

int cmd_serve(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct options options = { 0 };
	int status;

	status = parse(&options, &argc, &argv, &error) ?
			 serve(&options) : command_fail(error, 2);
	g_strfreev(options.paths);
	return status;
}
