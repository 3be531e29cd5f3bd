/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of a kernel's data: columns parted by tabs, the first line a heading,
 * lines that start with '#' comments.
 */
#ifndef STACK_TABLE_H
#define STACK_TABLE_H

#include <glib.h>

#include "sim/types.h"

#define TABLE_COLUMNS 4u	/* what stands behind these is not looked at */

typedef bool (*row_fn)(void *arg, const char *path, u32 line, char **columns,
		       GError **error);

/* Calls row() for each line that is no comment and not the heading. */
bool read_table(const char *path, row_fn row, void *arg, GError **error);

/* Sets "path:line: what"; false, so that a row function can return it. */
bool table_error(GError **error, const char *path, u32 line,
		 const char *what);

/* A number of 32 bits and nothing else. */
bool table_number(const char *text, u32 *value);

#endif
