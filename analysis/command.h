/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that read a record have in common: a command line with at
 * most one database, and messages that begin with the command's name.
 */
#ifndef ANALYSIS_COMMAND_H
#define ANALYSIS_COMMAND_H

#include "database.h"

/* A command line without the database.  The texts may be NULL but the name,
 * such as "udpsim lines". */
struct command_line {
	const char *name, *summary, *description;
	const GOptionEntry *entries;
};

/* Reads the options and into *paths, a new vector or NULL, the database.
 * G_OPTION_ERROR where that cannot be done or there are two. */
bool command_parse(const struct command_line *line, char ***paths, int *argc,
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
