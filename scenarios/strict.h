/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strict reader under scenario and machine files.
 *
 * GKeyFile does the syntax of values; this layer adds what it lacks: line
 * numbers, and errors for repeated groups and keys, keys with a locale, text
 * that is not UTF-8, and files of no sensible size.
 *
 * Every error that a user can cause starts with where it is: "FILE:LINE: ",
 * or the option itself where there is no file ("--set a.b=c: ").
 */
#ifndef SCENARIOS_STRICT_H
#define SCENARIOS_STRICT_H

#include <glib.h>

#include "scenarios/scenario.h"

/* Bytes in a file; groups in a file; keys in a group; bytes in a key. */
#define STRICT_MAX_BYTES (1024 * 1024)
#define STRICT_MAX_GROUPS 500
#define STRICT_MAX_KEYS 500
#define STRICT_MAX_KEY 128

/* A place that an error can name.  line 0: file is the whole of it.  Borrows
 * the name. */
struct place {
	const char *file;
	unsigned int line;
};

struct strict_entry {
	char *key;
	char *value;		/* unescaped, without blanks at either end */
	unsigned int line;
};

struct strict_group {
	char *name;		/* words parted by one space */
	unsigned int line;
	GPtrArray *entries;	/* struct strict_entry *, in file order */
};

struct strict_file {
	char *name;		/* as messages show it */
	char *text;
	unsigned int lines;
	GPtrArray *groups;	/* struct strict_group *, in file order */
};

/* Reads a whole file, or standard input for "-"; NUL-terminated, *len without
 * the NUL.  NULL and an error where it cannot be read or is too large. */
char *strict_read(const char *path, gsize *len, GError **error);

/* Scans text.  NULL and an error where it is not well formed.  Free with
 * strict_file_free(). */
struct strict_file *strict_file_parse(const char *name, const char *text,
				      gsize len, GError **error);
void strict_file_free(struct strict_file *file);
typedef struct strict_file StrictFile;	/* one word, for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrictFile, strict_file_free)

/* NULL where the file or the group has none of that name. */
const struct strict_group *strict_file_group(const struct strict_file *file,
					     const char *name);
const struct strict_entry *strict_group_entry(const struct strict_group *group,
					      const char *key);

static inline struct place strict_place(const struct strict_file *file,
					unsigned int line)
{
	return (struct place){ file->name, line };
}

/* TRUE where text is UTF-8 without control characters; else FALSE and an
 * error.  For text that did not pass strict_file_parse(). */
gboolean strict_check_text(struct place place, const char *text,
			   GError **error);

/* Sets an error that names the place.  Returns FALSE, for `return fail_at()`.
 * User text in fmt goes in as %.60s, so that no message grows long. */
gboolean fail_at(struct place place, enum scenario_error code, GError **error,
		 const char *fmt, ...) G_GNUC_PRINTF(4, 5);

/* The words of text, parted by one space each.  A new string. */
char *join_words(const char *text);

/* "FILE:LINE", or the file alone where there is no line.  A new string. */
char *place_text(struct place place);

#endif
