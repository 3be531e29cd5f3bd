/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of known keys: text to the member of struct config (or of a host,
 * or of a link), and the member to its canonical text.  Reading the canonical
 * text gives the same member again.
 */
#ifndef SCENARIOS_VALUE_H
#define SCENARIOS_VALUE_H

#include "scenarios/keys.h"
#include "scenarios/scenario.h"
#include "scenarios/strict.h"

/* Reads text into key's member of `base`, the struct of key's group.  It must
 * be zero or hold what value_clear() left.  FALSE and an error where the text
 * is of the wrong kind or out of range. */
gboolean value_read(const struct key *key, const char *text,
		    struct place place, void *base, GError **error);

/* The canonical text of key's member; a new string. */
char *value_text(const struct key *key, const void *base);
void value_clear(const struct key *key, void *base);

/* The canonical text of a value, or NULL and an error. */
char *value_canonical(const struct key *key, const char *text,
		      struct place place, GError **error);

/* A whole number from min to max, all of text.  what: how messages name it,
 * such as "'threads'". */
gboolean read_whole(const char *what, const char *text, guint64 min,
		    guint64 max, struct place place, guint64 *ret,
		    GError **error);

/* A percentage with up to six decimals, in millionths of a percent. */
gboolean read_percent(const char *what, const char *text, struct place place,
		      guint64 *ret, GError **error);

/* CPUs as [workload] cpus has them: "0-5,12". */
gboolean cpus_valid(const char *text);

/* A finite number not below zero, with a decimal point and perhaps an
 * exponent. */
gboolean read_real(const char *what, const char *text, struct place place,
		   double *ret, GError **error);

/* Parts a list at each ';'; one more may end it.  An item has no blanks at
 * its ends and is never empty; the list may be.  NULL and an error; else free
 * with g_strfreev(). */
char **read_list(const char *what, const char *text, struct place place,
		 GError **error);

/* TRUE where text is a name: letters, digits and the characters of more. */
gboolean is_name(const char *text, const char *more);

#endif
