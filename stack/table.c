/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the tables of stack/kernels/; see table.h. */
#include <string.h>

#include "stack/kernel.h"
#include "stack/table.h"

bool table_error(GError **error, const char *path, u32 line,
			const char *what)
{
	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA, "%s:%u: %s", path,
		    line, what);
	return false;
}

/* Cuts off the part of *rest up to the separator. */
static char *next_part(char **rest, char separator)
{
	char *part = *rest, *end = strchr(part, separator);

	if (end)
		*end++ = '\0';
	*rest = end;
	return part;
}

bool read_table(const char *path, row_fn row, void *arg, GError **error)
{
	g_autofree char *text = NULL;
	char *rest, *columns[TABLE_COLUMNS];
	bool header = true;
	u32 line, i;

	if (!g_file_get_contents(path, &text, NULL, error))
		return false;
	rest = text;
	for (line = 1; rest; line++) {
		char *cells = next_part(&rest, '\n');

		if (!*cells || *cells == '#')
			continue;
		if (header) {
			header = false;
			continue;
		}
		for (i = 0; cells && i < TABLE_COLUMNS; i++)
			columns[i] = next_part(&cells, '\t');
		if (i < TABLE_COLUMNS)
			return table_error(error, path, line,
					   "too few columns; they are parted "
					   "by tabs");
		if (!row(arg, path, line, columns, error))
			return false;
	}
	return true;
}

bool table_number(const char *text, u32 *value)
{
	guint64 v;

	if (!g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX, &v, NULL))
		return false;
	*value = (u32)v;
	return true;
}
