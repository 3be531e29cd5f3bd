/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the account of a difference.
 *
 * The clock is ns_per_op: elapsed time x threads / operations.  While it runs,
 * each CPU of each host works, comes out of an idle state or is idle:
 *
 *	CPUs x elapsed = work + exits + idle
 *
 * and so, with the CPUs that there are beyond the threads on the other side,
 *
 *	threads x elapsed = work + exits + (idle - (CPUs - threads) x elapsed)
 *
 * The bracket is the row "idle": the time in which less is worked than threads
 * wait for, less the time in which more is.  A server's work, and that of
 * interrupts elsewhere, are so rows of their own and no part of the client's
 * waiting.  Work is taken from the calling tree (instructions by function) and
 * from what it waited for (stalls by field, spinning, the hardware's own time);
 * the tree has the whole run, so that work outside of the measured time is
 * taken off in one row.  That the clocks of the CPUs and the tree agree is what
 * the residue shows: a time that the model let pass and charged to nothing.
 */
#include "explain.h"

#include <math.h>

static const char rows_sql[] =
	"WITH pair (side, run, ops) AS ("
	" SELECT 0, id, operations * 1.0 FROM run WHERE id = ?1"
	" UNION ALL SELECT 1, id, operations * 1.0 FROM run WHERE id = ?2),"
	" cell AS ("
	" SELECT side, 'instructions' AS kind, iif(f.host = '', f.name,"
	"   f.host || ':' || f.name) AS name, f.name AS function, f.file,"
	"  -1 AS line, sum(f.calls) / ops AS count,"
	"  sum(f.instruction_ps) / 1000.0 / ops AS ns"
	"  FROM pair JOIN function AS f ON f.run = pair.run"
	"  GROUP BY side, f.host, f.name, f.file"
	" UNION ALL"
	" SELECT side, 'stall', iif(f.host = '', '', f.host || ':') || f.type"
	"   || '.' || f.field, f.function, f.file, f.line,"
	"  sum(f.reads + f.writes + f.atomics) / ops,"
	"  sum(f.stall_ps) / 1000.0 / ops"
	"  FROM pair JOIN field_access AS f ON f.run = pair.run"
	"  GROUP BY side, f.host, f.type, f.field, f.function, f.file, f.line"
	" UNION ALL"
	" SELECT side, w.kind, iif(w.host = '', '', w.host || ':') || w.name,"
	"  coalesce(f.function, ''), coalesce(f.file, CASE w.name"
	"   WHEN 'interrupt' THEN 'sim/cpu.c'"
	"   WHEN 'system call' THEN 'stack/kernel/entry.c'"
	"   WHEN 'context switch' THEN 'stack/kernel/sched.c'"
	"   WHEN 'device register' THEN 'sim/dma.c'"
	"   WHEN 'fence' THEN 'sim/store_buffer.c' ELSE 'sim/lock.c' END),"
	"  coalesce(f.line, -1), w.count / ops, w.time_ps / 1000.0 / ops"
	"  FROM pair JOIN wait AS w ON w.run = pair.run"
	/* The function that has most of the accesses to the lock. */
	"  LEFT JOIN field_access AS f ON f.rowid ="
	"   (SELECT g.rowid FROM field_access AS g WHERE w.kind = 'lock'"
	"    AND g.run = w.run AND g.host = w.host"
	"    AND g.type || '.' || g.field = w.name"
	"    ORDER BY g.reads + g.writes + g.atomics DESC, g.function, g.file"
	"    LIMIT 1)"
	" UNION ALL"
	" SELECT side, 'wake-up', iif(c.host = '', '', c.host || ':')"
	"  || 'out of idle states', '', 'sim/idle.c', -1, sum(c.exits) / ops,"
	"  sum(c.exit_ps) / 1000.0 / ops"
	"  FROM pair JOIN cpu_time AS c ON c.run = pair.run"
	"  GROUP BY side, c.host"
	" UNION ALL"
	" SELECT side, 'outside', 'of the measured time, taken off', '', '', -1,"
	"  0.0, -sum(c.outside_ps) / 1000.0 / ops"
	"  FROM pair JOIN cpu_time AS c ON c.run = pair.run GROUP BY side"
	" UNION ALL"
	" SELECT side, 'idle', 'waiting, less what is done at once', '', '', -1,"
	"  0.0, sum(c.idle_ps - (1 - c.threads) * c.elapsed_ps) / 1000.0 / ops"
	"  FROM pair JOIN cpu_time AS c ON c.run = pair.run GROUP BY side),"
	" cause AS ("
	" SELECT kind, name, function, file,"
	"  coalesce(max(iif(side = 1, line, NULL)), max(line)) AS line,"
	"  total(iif(side = 0, count, 0)) AS bcount,"
	"  total(iif(side = 1, count, 0)) AS acount,"
	"  total(iif(side = 0, ns, 0)) AS bns,"
	"  total(iif(side = 1, ns, 0)) AS ans"
	" FROM cell GROUP BY kind, name, function, file)"
	/* The bare columns are those of the row that has the maximum. */
	" SELECT kind, name, function, file, line, total(bcount),"
	"  total(acount), total(bns), total(ans), max(abs(ans - bns))"
	" FROM cause GROUP BY kind, name"
	" ORDER BY abs(total(ans) - total(bns)) DESC, kind, name";

static const char roles_sql[] =
	"WITH pair (side, run, ops) AS ("
	" SELECT 0, id, operations * 1000.0 FROM run WHERE id = ?1"
	" UNION ALL SELECT 1, id, operations * 1000.0 FROM run WHERE id = ?2),"
	" part AS (SELECT side, host, CASE WHEN threads > 0 THEN 0"
	"  WHEN helpers > 0 THEN 1 ELSE 2 END AS role, count(*) AS cpus,"
	"  sum(busy_ps) / ops AS work, sum(exit_ps) / ops AS waking,"
	"  sum(idle_ps) / ops AS idle"
	"  FROM pair JOIN cpu_time AS c ON c.run = pair.run"
	"  GROUP BY side, host, role)"
	" SELECT host, CASE role WHEN 0 THEN 'with a thread'"
	"   WHEN 1 THEN 'with a helper' ELSE 'other' END,"
	"  max(iif(side = 0, cpus, 0)), max(iif(side = 1, cpus, 0)),"
	"  total(iif(side = 0, work, 0)), total(iif(side = 1, work, 0)),"
	"  total(iif(side = 0, waking, 0)), total(iif(side = 1, waking, 0)),"
	"  total(iif(side = 0, idle, 0)), total(iif(side = 1, idle, 0))"
	" FROM part GROUP BY host, role ORDER BY min(role), host";

static const char pairs_sql[] =
	"SELECT scenario, point, before_run, after_run FROM comparison_pair"
	" WHERE scenario = coalesce(?1, (SELECT scenario FROM comparison_pair"
	"  ORDER BY after_run DESC LIMIT 1)) ORDER BY before_run";

static void row_free(gpointer data)
{
	struct explain_row *row = data;

	g_free(row->kind);
	g_free(row->name);
	g_free(row->function);
	g_free(row->file);
	g_free(row);
}

static void role_free(gpointer data)
{
	struct explain_role *role = data;

	g_free(role->host);
	g_free(role->name);
	g_free(role);
}

static void explanation_free(gpointer data)
{
	struct explanation *e = data;

	g_free(e->pair.scenario);
	g_free(e->pair.point);
	g_ptr_array_unref(e->rows);
	g_ptr_array_unref(e->roles);
	g_free(e);
}

static struct explanation *add_pair(GPtrArray *all, gint64 before,
				    gint64 after)
{
	struct explanation *e = g_new0(struct explanation, 1);

	e->pair.before = before;
	e->pair.after = after;
	e->rows = g_ptr_array_new_with_free_func(row_free);
	e->roles = g_ptr_array_new_with_free_func(role_free);
	g_ptr_array_add(all, e);
	return e;
}

GPtrArray *explain_runs(gint64 before, gint64 after)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(explanation_free);

	add_pair(all, before, after);
	return all;
}

GPtrArray *explain_pairs(sqlite3 *db, const char *path, const char *scenario,
			 GError **error)
{
	sqlite3_stmt *statement = database_prepare(db, path, pairs_sql, error);
	GPtrArray *all;
	int status;

	if (!statement)
		return NULL;
	all = g_ptr_array_new_with_free_func(explanation_free);
	if (scenario)
		sqlite3_bind_text(statement, 1, scenario, -1, SQLITE_STATIC);
	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		add_pair(all, sqlite3_column_int64(statement, 2),
			 sqlite3_column_int64(statement, 3));
	if (status != SQLITE_DONE) {
		database_set_error(db, path, error);
		g_clear_pointer(&all, g_ptr_array_unref);
	}
	sqlite3_finalize(statement);
	return all;
}

/* The run's ns_per_op; its scenario and point where they are wanted. */
static bool read_run(sqlite3 *db, const char *path, gint64 run, double *ns,
		     struct explain_pair *pair, GError **error)
{
	sqlite3_stmt *statement = database_prepare(db, path,
		"SELECT m.value, r.scenario, r.point FROM run AS r"
		" JOIN metric AS m ON m.run = r.id AND m.name = 'ns_per_op'"
		" WHERE r.id = ?1 AND r.operations > 0"
		" AND m.value IS NOT NULL AND EXISTS"
		"  (SELECT 1 FROM cpu_time AS c WHERE c.run = r.id)", error);
	int status;

	if (!statement)
		return false;
	sqlite3_bind_int64(statement, 1, run);
	status = sqlite3_step(statement);
	if (status == SQLITE_ROW) {
		*ns = sqlite3_column_double(statement, 0);
		if (pair) {
			pair->scenario = database_text(statement, 1);
			pair->point = database_text(statement, 2);
		}
	} else if (status == SQLITE_DONE) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: there is no run %" G_GINT64_FORMAT " with "
			    "ns_per_op and the times of its CPUs; the table run "
			    "has the ids, and an older udpsim did not record "
			    "these times: run it again", path, run);
	} else {
		database_set_error(db, path, error);
	}
	sqlite3_finalize(statement);
	return status == SQLITE_ROW;
}

static struct explain_row *read_row(sqlite3_stmt *statement)
{
	struct explain_row *row = g_new0(struct explain_row, 1);

	row->kind = database_text(statement, 0);
	row->name = database_text(statement, 1);
	row->function = database_text(statement, 2);
	row->file = database_text(statement, 3);
	row->line = sqlite3_column_int64(statement, 4);
	row->before_count = sqlite3_column_double(statement, 5);
	row->after_count = sqlite3_column_double(statement, 6);
	row->before_ns = sqlite3_column_double(statement, 7);
	row->after_ns = sqlite3_column_double(statement, 8);
	return row;
}

static bool read_roles(sqlite3 *db, const char *path, struct explanation *e,
		       GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, roles_sql, error);
	int status;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, e->pair.before);
	sqlite3_bind_int64(s, 2, e->pair.after);
	while ((status = sqlite3_step(s)) == SQLITE_ROW) {
		struct explain_role *role = g_new0(struct explain_role, 1);

		role->host = database_text(s, 0);
		role->name = database_text(s, 1);
		for (int side = 0; side < 2; side++) {
			role->cpus[side] = sqlite3_column_int64(s, 2 + side);
			role->work_ns[side] = sqlite3_column_double(s, 4 + side);
			role->waking_ns[side] =
				sqlite3_column_double(s, 6 + side);
			role->idle_ns[side] = sqlite3_column_double(s, 8 + side);
		}
		g_ptr_array_add(e->roles, role);
	}
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(s);
	return status == SQLITE_DONE;
}

bool explain_read(sqlite3 *db, const char *path, struct explanation *e,
		  GError **error)
{
	sqlite3_stmt *statement;
	int status;

	if (!read_run(db, path, e->pair.before, &e->before_ns, NULL, error) ||
	    !read_run(db, path, e->pair.after, &e->after_ns, &e->pair, error))
		return false;
	statement = database_prepare(db, path, rows_sql, error);
	if (!statement)
		return false;
	sqlite3_bind_int64(statement, 1, e->pair.before);
	sqlite3_bind_int64(statement, 2, e->pair.after);
	e->residue_ns = e->after_ns - e->before_ns;
	while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
		struct explain_row *row = read_row(statement);

		e->residue_ns -= row->after_ns - row->before_ns;
		g_ptr_array_add(e->rows, row);
	}
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(statement);
	return status == SQLITE_DONE && read_roles(db, path, e, error);
}

double explain_residue_pct(const struct explanation *e)
{
	double difference = fabs(e->after_ns - e->before_ns);

	if (difference < e->before_ns / 1000)
		difference = e->before_ns;
	return difference > 0 ? 100 * fabs(e->residue_ns) / difference : 0;
}

struct explain_row explain_rest(const struct explanation *e, guint limit)
{
	struct explain_row rest = {
		.kind = (char *)"rest", .name = (char *)"all other rows",
		.function = (char *)"", .file = (char *)"", .line = -1,
	};

	for (guint i = limit; i < e->rows->len; i++) {
		const struct explain_row *row = e->rows->pdata[i];

		rest.before_ns += row->before_ns;
		rest.after_ns += row->after_ns;
	}
	return rest;
}
