/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that print something have in common: a command line with
 * --color and perhaps --json, in most of them at most one database, and
 * messages that begin with the command's name.
 */
#ifndef ANALYSIS_COMMAND_H
#define ANALYSIS_COMMAND_H

#include "database.h"

/* What a command has of its own on its command line.  All may be NULL but the
 * name, such as "udpsim lines". */
struct command_line {
	const char *name, *summary, *description;
	const char *arguments;	/* as --help names them, of any number; NULL:
				 * one database at most */
	const GOptionEntry *entries;
	gboolean *json;		/* whether --json was given; NULL: the command
				 * has no such option */
};

/* Reads the options, --color too, and into *names, a new vector or NULL, the
 * arguments.  G_OPTION_ERROR where that cannot be done. */
bool command_parse(const struct command_line *line, char ***names, int *argc,
		   char ***argv, GError **error);

/* Opens the database of a command line, or the default one: its name goes into
 * *path, a new string.  NULL and an error where it cannot be used. */
sqlite3 *command_open(char **paths, char **path, GError **error);

/* Says what failed; gives the exit status back. */
int command_fail(const GError *error, int status);
/* The same; 2 where something was named that the record has not, or else 3. */
int command_fail_reading(const GError *error);
/* The exit status of a result that has been printed to standard output. */
int command_flush(void);

#endif
