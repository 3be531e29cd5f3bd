/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what a report is about.  Which runs make a pair follows the rule of the
 * view comparison_pair; the published figures of a pair follow the rule of the
 * view comparison, for any two runs.
 */
#include "report.h"

#include <math.h>

static const char run_sql[] =
	"SELECT id, scenario, title, source, variant, point, kernel, patches,"
	" machine, seed, scale, overrides, scenario_text, scenario_sha256,"
	" model_version, repeats, operations FROM run WHERE id = ?1";

/* A figure that was published for the point comes before one for all. */
#define PUBLISHED(run, side) \
	"(SELECT avg(q.value) FROM published AS q WHERE q.run = " run \
	" AND q.metric = n.name AND q.side = '" side "'" \
	" AND q.row IN ((SELECT point FROM run WHERE id = " run "), '')" \
	" AND (SELECT same FROM sides)" \
	" GROUP BY q.row ORDER BY q.row DESC LIMIT 1)"

#define PAIRS(wanted) \
	"pair AS MATERIALIZED (SELECT * FROM comparison_pair WHERE " wanted ")"

/* Figures were published for the scenario's before and after: they say nothing
 * of two other variants, nor of the two the other way round. */
static const char metrics_sql[] =
	"WITH " PAIRS("scenario = (SELECT scenario FROM run WHERE id = ?2)"
		      " AND point = (SELECT point FROM run WHERE id = ?2)") ","
	" sides AS MATERIALIZED ("
	" SELECT count(*) AS same FROM run AS b JOIN run AS a"
	"  ON a.scenario = b.scenario AND a.point = b.point"
	"  JOIN pair AS p ON p.scenario = b.scenario AND p.point = b.point"
	"  AND p.before_variant = b.variant AND p.after_variant = a.variant"
	" WHERE b.id = ?1 AND a.id = ?2),"
	" named AS ("
	" SELECT name, unit FROM metric WHERE run = ?2"
	" UNION SELECT name, unit FROM metric WHERE run = ?1"
	" UNION SELECT metric, '' FROM published AS q"
	"  WHERE (SELECT same FROM sides) AND run IN (?1, ?2)"
	"  AND row IN ((SELECT point FROM run WHERE id = q.run), '')),"
	" figures AS (SELECT n.name, max(n.unit) AS unit,"
	"  (SELECT value FROM metric WHERE run = ?1 AND name = n.name)"
	"   AS before,"
	"  (SELECT value FROM metric WHERE run = ?2 AND name = n.name)"
	"   AS after,"
	"  " PUBLISHED("?1", "before") " AS published_before,"
	"  " PUBLISHED("?2", "after") " AS published_after"
	"  FROM named AS n GROUP BY n.name)"
	" SELECT name, unit, before, after,"
	"  100.0 * (after - before) / before AS delta,"
	"  published_before, published_after,"
	"  100.0 * (published_after - published_before) / published_before"
	"   AS published_delta"
	" FROM figures ORDER BY published_before IS NULL"
	"  AND published_after IS NULL, name";

/* ?1: a scenario, or NULL for all. */
#define WANTED "(?1 IS NULL OR scenario = ?1)"

static const char pairs_sql[] =
	"WITH " PAIRS(WANTED) ","
	" latest AS (SELECT scenario, point, max(id) AS id,"
	"  min(id) AS first FROM run WHERE " WANTED
	"  GROUP BY scenario, point),"
	" named AS (SELECT scenario, min(id) AS first FROM run WHERE " WANTED
	"  GROUP BY scenario)"
	" SELECT coalesce(p.before_run, 0), coalesce(p.after_run, l.id)"
	" FROM latest AS l JOIN named AS n ON n.scenario = l.scenario"
	" LEFT JOIN pair AS p"
	"  ON p.scenario = l.scenario AND p.point = l.point"
	" ORDER BY n.first, l.first";

sqlite3_stmt *report_prepare(struct report *report, const char *sql,
			     gint64 first, gint64 second)
{
	sqlite3_stmt *statement;

	if (report->error)
		return NULL;
	statement = database_prepare(report->db, report->path, sql,
				     &report->error);
	if (!statement)
		return NULL;
	/* A statement need not have both. */
	if (sqlite3_bind_parameter_count(statement) >= 1)
		sqlite3_bind_int64(statement, 1, first);
	if (sqlite3_bind_parameter_count(statement) >= 2)
		sqlite3_bind_int64(statement, 2, second);
	return statement;
}

bool report_next(struct report *report, sqlite3_stmt *statement)
{
	int status = statement ? sqlite3_step(statement) : SQLITE_DONE;

	if (status == SQLITE_ROW)
		return true;
	if (status != SQLITE_DONE && !report->error)
		database_set_error(report->db, report->path, &report->error);
	sqlite3_finalize(statement);
	return false;
}

double report_column_real(sqlite3_stmt *statement, int column)
{
	double value;

	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return NAN;
	value = sqlite3_column_double(statement, column);
	/* What no chart can show; only a forged database has it. */
	return fabs(value) < 1e15 ? value : NAN;
}

static void read_run(struct report *report, gint64 id, struct report_run *run)
{
	sqlite3_stmt *statement = report_prepare(report, run_sql, id, 0);
	char **text[] = {
		&run->scenario, &run->title, &run->source, &run->variant,
		&run->point, &run->kernel, &run->patches, &run->machine,
		&run->seed, &run->scale, &run->overrides, &run->text,
		&run->sha256, &run->version,
	};

	while (report_next(report, statement)) {
		run->id = sqlite3_column_int64(statement, 0);
		for (guint i = 0; i < G_N_ELEMENTS(text); i++)
			*text[i] = database_text(statement, (int)i + 1);
		run->repeats = sqlite3_column_int64(statement, 15);
		run->operations = sqlite3_column_int64(statement, 16);
	}
	if (run->id || report->error)
		return;
	g_set_error(&report->error, RECORD_ERROR, RECORD_ERROR_NAME,
		    "%s: there is no run %" G_GINT64_FORMAT, report->path, id);
}

static void clear_run(struct report_run *run)
{
	char *text[] = {
		run->scenario, run->title, run->source, run->variant,
		run->point, run->kernel, run->patches, run->machine, run->seed,
		run->scale, run->overrides, run->text, run->sha256,
		run->version,
	};

	for (guint i = 0; i < G_N_ELEMENTS(text); i++)
		g_free(text[i]);
}

void report_pair_free(struct report_pair *pair)
{
	if (!pair)
		return;
	clear_run(&pair->before);
	clear_run(&pair->after);
	g_free(pair);
}

struct report_pair *report_pair_read(struct report *report, gint64 before,
				     gint64 after)
{
	struct report_pair *pair = g_new0(struct report_pair, 1);

	if (before)
		read_run(report, before, &pair->before);
	read_run(report, after, &pair->after);
	if (!report->error)
		return pair;
	report_pair_free(pair);
	return NULL;
}

const char *report_label(const struct report_run *run)
{
	return *run->variant ? run->variant : run->scenario;
}

static void metric_free(gpointer data)
{
	struct report_metric *metric = data;

	g_free(metric->name);
	g_free(metric->unit);
	g_free(metric);
}

GPtrArray *report_metrics(struct report *report,
			  const struct report_pair *pair)
{
	GPtrArray *metrics = g_ptr_array_new_with_free_func(metric_free);
	sqlite3_stmt *statement = report_prepare(report, metrics_sql,
						 pair->before.id,
						 pair->after.id);

	while (report_next(report, statement)) {
		struct report_metric *metric = g_new0(struct report_metric, 1);

		metric->name = database_text(statement, 0);
		metric->unit = database_text(statement, 1);
		metric->before = report_column_real(statement, 2);
		metric->after = report_column_real(statement, 3);
		metric->delta_pct = report_column_real(statement, 4);
		metric->published_before = report_column_real(statement, 5);
		metric->published_after = report_column_real(statement, 6);
		metric->published_delta_pct = report_column_real(statement, 7);
		metric->error_points = metric->delta_pct -
				       metric->published_delta_pct;
		metric->published = isfinite(metric->published_before) ||
				    isfinite(metric->published_after);
		g_ptr_array_add(metrics, metric);
	}
	return metrics;
}

bool report_is_key_metric(const struct report_metric *metric)
{
	return metric->published || g_str_equal(metric->name, "ns_per_op") ||
	       g_str_equal(metric->name, "cpu_ns_per_op") ||
	       g_str_equal(metric->name, "lines_moved_per_op");
}

static void pair_free(gpointer data)
{
	report_pair_free(data);
}

GPtrArray *report_pairs(struct report *report, const char *scenario)
{
	GPtrArray *pairs = g_ptr_array_new_with_free_func(pair_free);
	sqlite3_stmt *statement = report_prepare(report, pairs_sql, 0, 0);

	if (statement)	/* NULL as a text is NULL in SQL */
		sqlite3_bind_text(statement, 1, scenario, -1, SQLITE_STATIC);
	while (report_next(report, statement)) {
		struct report_pair *pair = report_pair_read(
			report, sqlite3_column_int64(statement, 0),
			sqlite3_column_int64(statement, 1));

		if (pair)
			g_ptr_array_add(pairs, pair);
	}
	return pairs;
}
