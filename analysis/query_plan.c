/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query_plan.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

static bool wanted(void)
{
	const char *value = g_getenv("UDPSIM_QUERY_PLANS");

	return value && *value && !g_str_equal(value, "0");
}

/* How deep the row hangs in the tree; `depths` knows the rows before it. */
static int depth_of(GHashTable *depths, sqlite3_stmt *plan)
{
	const int id = sqlite3_column_int(plan, 0);
	const int parent = sqlite3_column_int(plan, 1);
	const int depth = parent ? 1 + GPOINTER_TO_INT(g_hash_table_lookup(
		depths, GINT_TO_POINTER(parent))) : 0;

	g_hash_table_insert(depths, GINT_TO_POINTER(id),
			    GINT_TO_POINTER(depth));
	return depth;
}

void query_plan_show(sqlite3 *db, const char *sql)
{
	g_autoptr(GHashTable) depths = NULL;
	g_autofree char *explain = NULL;
	sqlite3_stmt *plan = NULL;

	if (!wanted())
		return;
	explain = g_strconcat("EXPLAIN QUERY PLAN ", sql, NULL);
	if (sqlite3_prepare_v2(db, explain, -1, &plan, NULL) != SQLITE_OK)
		return;
	depths = g_hash_table_new(NULL, NULL);
	while (sqlite3_step(plan) == SQLITE_ROW) {
		if (!g_hash_table_size(depths))
			fprintf(stderr, "query: %s\n", sql);
		fprintf(stderr, "plan:  %*s%s\n", 2 * depth_of(depths, plan),
			"", (const char *)sqlite3_column_text(plan, 3));
	}
	sqlite3_finalize(plan);
}
