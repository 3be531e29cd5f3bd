/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables in files; see tsv.h. */
#include <string.h>

#include "scenarios/strict.h"
#include "scenarios/tsv.h"

/* A table of this many bytes is none of ours. */
#define MAX_BYTES (64u << 20)

static void row_free(void *p)
{
	struct tsv_row *row = p;

	g_free(row->fields);
	g_free(row);
}

void tsv_free(struct tsv *tsv)
{
	g_free(tsv->name);
	g_free(tsv->text);
	g_free(tsv->columns);
	g_ptr_array_unref(tsv->rows);
	g_free(tsv);
}

bool tsv_wrong(const struct tsv *tsv, const struct tsv_row *row,
	       GError **error, const char *format, ...)
{
	struct place place = { tsv->name, row->line };
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error, "%s", what);
}

/* Parts a line in place; NULL-ended. */
static char **part(char *line)
{
	GPtrArray *fields = g_ptr_array_new();
	char *tab;

	for (;; line = tab + 1) {
		g_ptr_array_add(fields, line);
		tab = strchr(line, '\t');
		if (!tab)
			break;
		*tab = '\0';
	}
	g_ptr_array_add(fields, NULL);
	return (char **)g_ptr_array_free(fields, FALSE);
}

static bool add_row(struct tsv *tsv, char *line, u32 number, GError **error)
{
	struct tsv_row *row = g_new0(struct tsv_row, 1);
	u32 want = g_strv_length(tsv->columns), got;

	row->line = number;
	row->fields = part(line);
	g_ptr_array_add(tsv->rows, row);
	got = g_strv_length(row->fields);
	if (got != want)
		return tsv_wrong(tsv, row, error, "%u fields; the table has %u "
				 "columns, parted by tabs", got, want);
	return true;
}

static bool check_header(const struct tsv *tsv, const char *const *columns,
			 u32 number, GError **error)
{
	struct place place = { tsv->name, number };
	u32 i, n = g_strv_length(tsv->columns);

	for (i = 0; columns[i]; i++)
		if (i >= n || strcmp(tsv->columns[i], columns[i]))
			return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
				       "column %u is '%.60s'; it must be '%s'",
				       i + 1, i < n ? tsv->columns[i] : "",
				       columns[i]);
	return true;
}

static bool parse(struct tsv *tsv, const char *const *columns, GError **error)
{
	struct place place = { tsv->name, 0 };
	char *line, *end;
	u32 number = 0;

	for (line = tsv->text; line && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		if (!tsv->columns) {
			tsv->columns = part(line);
			if (!check_header(tsv, columns, number, error))
				return false;
		} else if (!add_row(tsv, line, number, error)) {
			return false;
		}
	}
	if (!tsv->columns)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "is empty; the first line must name the "
			       "columns");
	return true;
}

static char *read_text(const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *text = NULL;
	struct place place = { path, 0 };
	gsize len = 0;

	if (!g_file_get_contents(path, &text, &len, &cause)) {
		fail_at(place, SCENARIO_ERROR_IO, error, "cannot read: %s",
			cause->message);
		return NULL;
	}
	if (len > MAX_BYTES) {
		fail_at(place, SCENARIO_ERROR_SYNTAX, error, "is larger than "
			"%u MiB; that is no such table", MAX_BYTES >> 20);
		return NULL;
	}
	if (!g_utf8_validate(text, (gssize)len, NULL)) {
		fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			"is not UTF-8 text");
		return NULL;
	}
	return g_steal_pointer(&text);
}

struct tsv *tsv_read(const char *path, const char *const *columns,
		     GError **error)
{
	char *text = read_text(path, error);
	g_autoptr(Tsv) tsv = NULL;

	if (!text)
		return NULL;
	tsv = g_new0(struct tsv, 1);
	tsv->name = g_strdup(path);
	tsv->text = text;
	tsv->rows = g_ptr_array_new_with_free_func(row_free);
	return parse(tsv, columns, error) ? g_steal_pointer(&tsv) : NULL;
}

bool tsv_number(const struct tsv *tsv, const struct tsv_row *row, u32 column,
		u64 *number, GError **error)
{
	const char *text = row->fields[column];

	if (g_ascii_isdigit(*text) &&
	    g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, number, NULL))
		return true;
	return tsv_wrong(tsv, row, error, "'%.60s' of column '%s' is no whole "
			 "number", text, tsv->columns[column]);
}
