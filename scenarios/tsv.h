/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables in files: one row a line, fields parted by tabs, the first line the
 * names of the columns.  Lines that start with '#', and empty ones, are
 * comments.  Errors name the file and the line.
 */
#ifndef SCENARIOS_TSV_H
#define SCENARIOS_TSV_H

#include <glib.h>

#include "sim/types.h"

struct tsv {
	char *name;		/* of the file, for messages */
	char *text;		/* holds all fields */
	char **columns;		/* the header's names, NULL-ended */
	GPtrArray *rows;	/* struct tsv_row * */
};

struct tsv_row {
	u32 line;
	char **fields;		/* as many as there are columns */
};

/* Reads a file.  `columns`, NULL-ended, must be there, in this order; the
 * file may have more behind them.  NULL and an error (SCENARIO_ERROR) where it
 * cannot be read, or is not such a table.  Free with tsv_free(). */
struct tsv *tsv_read(const char *path, const char *const *columns,
		     GError **error);
void tsv_free(struct tsv *tsv);
typedef struct tsv Tsv;		/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tsv, tsv_free)

/* A field as a whole number; false and an error that says where. */
bool tsv_number(const struct tsv *tsv, const struct tsv_row *row, u32 column,
		u64 *number, GError **error);

/* Says that a row is wrong; returns false. */
bool tsv_wrong(const struct tsv *tsv, const struct tsv_row *row,
	       GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

#endif
