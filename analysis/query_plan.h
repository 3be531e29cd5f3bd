/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows how SQLite reads a database: by which indices, and what it must read
 * whole.  For whoever writes queries, ours or their own.
 */
#ifndef ANALYSIS_QUERY_PLAN_H
#define ANALYSIS_QUERY_PLAN_H

#include <sqlite3.h>

/* Prints the statement and its plan, as the sqlite3 shell draws it, to
 * standard error where UDPSIM_QUERY_PLANS is in the environment and is
 * neither empty nor 0; nothing of a statement that has no plan. */
void query_plan_show(sqlite3 *db, const char *sql);

#endif
