/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records runs in a database: one transaction a run, so that what is
 * recorded stays whole whatever happens to the next one.
 */
#ifndef ANALYSIS_RECORD_H
#define ANALYSIS_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "database.h"
#include "results.h"

struct record;

/* Opens the database for more runs, or makes it.  NULL and an error
 * (RECORD_ERROR_*) where that cannot be.  Free with record_close(). */
struct record *record_open(const char *path, GError **error);

/* Adds one run after those recorded before: all of it, or on failure none;
 * the record can then go on to be used.  The results stay the caller's; a
 * NULL string counts as "". */
bool record_add(struct record *record, const struct results *results,
		GError **error);

void record_close(struct record *record);
typedef struct record Record;	/* for g_autoptr(Record) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_close)

#endif
