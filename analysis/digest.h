/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The digest of a record: the witness that two runs gave the same bits.
 */
#ifndef ANALYSIS_DIGEST_H
#define ANALYSIS_DIGEST_H

#include <glib.h>
#include <stdbool.h>

#include "database.h"

/* The SHA-256 of all results in the database, in lower-case hex; the same for
 * the same runs recorded in the same order.  A new string, or NULL and an
 * error. */
char *digest_read(const char *path, GError **error);

/* The canonical text that the digest is taken of, piece by piece: for those
 * who look for the first difference between two records. */
typedef void (*digest_f)(const char *piece, gsize len, gpointer data);
bool digest_dump(const char *path, digest_f write, gpointer data,
		 GError **error);

#endif
