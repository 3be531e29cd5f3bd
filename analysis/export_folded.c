/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling contexts of a run as folded stacks, one a line: "a;b;c N", N the
 * nanoseconds that c itself took there, instructions and stalls.
 *
 * N is rounded so that the lines up to any one add up to their picoseconds: the
 * total of the file is that of the run, less than one nanosecond apart.
 */
#include "export.h"

static const char functions_sql[] =
	"SELECT id, coalesce(parent, 0), host, name,"
	" instruction_ps + stall_ps FROM function WHERE run = ? ORDER BY id";

/* A parent's id is below those of its callees. */
static void add_stack(GPtrArray *stacks, gint64 parent, const char *host,
		      const char *name)
{
	char *stack;

	if (parent > 0 && parent <= (gint64)stacks->len)
		stack = g_strconcat(stacks->pdata[parent - 1], ";", name, NULL);
	else if (*host)
		stack = g_strconcat(host, ";", name, NULL);
	else
		stack = g_strdup(name);
	g_ptr_array_add(stacks, stack);
}

bool export_folded(const struct export *export, FILE *file, GError **error)
{
	g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func(g_free);
	sqlite3_stmt *rows = database_prepare(export->db, export->path,
					      functions_sql, error);
	gint64 ps = 0, before;
	int status;

	if (!rows)
		return false;
	sqlite3_bind_int64(rows, 1, export->run);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		add_stack(stacks, sqlite3_column_int64(rows, 1),
			  (const char *)sqlite3_column_text(rows, 2),
			  (const char *)sqlite3_column_text(rows, 3));
		before = ps / 1000;
		ps += sqlite3_column_int64(rows, 4);
		if (ps / 1000 > before)
			fprintf(file, "%s %" G_GINT64_FORMAT "\n",
				(char *)stacks->pdata[stacks->len - 1],
				ps / 1000 - before);
	}
	if (status != SQLITE_DONE)
		database_set_error(export->db, export->path, error);
	sqlite3_finalize(rows);
	return status == SQLITE_DONE;
}
