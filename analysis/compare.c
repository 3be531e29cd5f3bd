/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the view `comparison` and what belongs to it into memory, of the
 * metrics to show.
 *
 * Which runs make a pair, and which published row belongs to a point, is the
 * views' business (schema.c); this file only adds the spreads and says where
 * the two runs of a pair differ in more than the variant.
 */
#include "compare.h"

#include <math.h>

/* What a reader wants beside the published metric: the cost of an operation
 * and the traffic that explains it. */
static const char *const key_metrics[] = {
	"ns_per_op", "cpu_ns_per_op", "lines_moved_per_op", NULL
};
static const char *const no_metrics[] = { NULL };

const struct comparison_choice compare_key = { key_metrics, true };
const struct comparison_choice compare_published = { no_metrics, true };

/* Up to the choice of rows, and after it. */
static const char rows_sql[] =
	"SELECT c.scenario, a.title, c.point, c.metric,"
	" c.before_variant, c.after_variant, c.before_run, c.after_run,"
	" c.before, c.after, c.delta_pct, c.published_before,"
	" c.published_after, c.published_delta_pct, c.error_points"
	" FROM comparison AS c"
	" JOIN run AS a ON a.id = c.after_run"
	" WHERE ";
static const char order_sql[] =
	" ORDER BY"
	"  (SELECT min(id) FROM run AS r WHERE r.scenario = c.scenario),"
	"  (SELECT min(id) FROM run AS r WHERE r.scenario = c.scenario"
	"   AND r.point = c.point),"
	"  c.published_before IS NULL AND c.published_after IS NULL, c.metric";

/* What the views sample_spread and published_spread show, of one metric:
 * joined to thousands of rows, SQLite would make these views whole. */
#define SPREAD \
	"SELECT count(value), min(value), max(value)," \
	" (sum(value * value) - sum(value) * sum(value) / count(value))" \
	"  / (count(value) - 1)"
static const char sample_sql[] =
	SPREAD " FROM sample"
	" WHERE run = ?1 AND name = ?2";
static const char published_sql[] =
	SPREAD " FROM published"
	" WHERE run = ?1 AND metric = ?2 AND side = ?3"
	" AND row = (SELECT max(row) FROM published"
	"  WHERE run = ?1 AND metric = ?2 AND side = ?3 AND row IN (?4, ''))";

/* One row a note: the scenario and the text. */
static const char notes_sql[] =
	"WITH pair AS ("
	" SELECT p.scenario, b.scale AS bscale, a.scale AS ascale,"
	"  b.seed AS bseed, a.seed AS aseed,"
	"  b.repeats AS brepeats, a.repeats AS arepeats,"
	"  b.scenario_sha256 <> a.scenario_sha256 AS text,"
	"  b.model_version <> a.model_version AS version"
	" FROM comparison_pair AS p JOIN run AS b ON b.id = p.before_run"
	" JOIN run AS a ON a.id = p.after_run)"
	" SELECT scenario, 1, 'run at scale ' || ascale || ', not at that of"
	" the published figures: hold the differences against each other, not"
	" the figures' FROM pair"
	"  WHERE bscale = ascale AND CAST(ascale AS REAL) <> 1"
	" UNION SELECT scenario, 2, 'before was run at scale ' || bscale ||"
	" ', after at scale ' || ascale || ': run both alike' FROM pair"
	"  WHERE bscale <> ascale"
	" UNION SELECT scenario, 3, 'before was run with seed ' || bseed ||"
	" ', after with seed ' || aseed || ': run both alike' FROM pair"
	"  WHERE bseed <> aseed"
	" UNION SELECT scenario, 4, 'before is the result of ' || brepeats ||"
	" ' repeats, after of ' || arepeats FROM pair"
	"  WHERE brepeats <> arepeats"
	" UNION SELECT scenario, 5, 'before and after come from different"
	" texts of the scenario file: run both again' FROM pair WHERE text"
	" UNION SELECT scenario, 6, 'before and after come from different"
	" versions of udpsim: run both again' FROM pair WHERE version"
	" UNION SELECT scenario, 7, 'no run stands for the published row ' ||"
	" row || ' (' || metric || ')' FROM published_unmatched"
	" WHERE scenario IN (SELECT scenario FROM pair)"
	" ORDER BY 1, 2, 3";

static const char names_sql[] =
	"SELECT name FROM metric UNION SELECT metric FROM published";

static void row_free(gpointer data)
{
	struct comparison_row *row = data;

	g_free(row->scenario);
	g_free(row->title);
	g_free(row->point);
	g_free(row->metric);
	g_free(row->before_variant);
	g_free(row->after_variant);
	g_free(row);
}

void comparison_free(struct comparison *comparison)
{
	if (!comparison)
		return;
	g_ptr_array_unref(comparison->rows);
	g_ptr_array_unref(comparison->notes);
	g_free(comparison);
}

static double column_real(sqlite3_stmt *statement, int column)
{
	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(statement, column);
}

static gpointer read_row(sqlite3_stmt *statement)
{
	struct comparison_row *row = g_new0(struct comparison_row, 1);

	row->scenario = database_text(statement, 0);
	row->title = database_text(statement, 1);
	row->point = database_text(statement, 2);
	row->metric = database_text(statement, 3);
	row->before_variant = database_text(statement, 4);
	row->after_variant = database_text(statement, 5);
	row->before_run = sqlite3_column_int64(statement, 6);
	row->after_run = sqlite3_column_int64(statement, 7);
	row->before = column_real(statement, 8);
	row->after = column_real(statement, 9);
	row->delta_pct = column_real(statement, 10);
	row->published_before = column_real(statement, 11);
	row->published_after = column_real(statement, 12);
	row->published_delta_pct = column_real(statement, 13);
	row->error_points = column_real(statement, 14);
	return row;
}

static gpointer read_note(sqlite3_stmt *statement)
{
	g_autofree char *scenario = database_text(statement, 0);
	g_autofree char *text = database_text(statement, 2);

	return g_strdup_printf("%s: %s", scenario, text);
}

/* Appends each row of the statement, as `read` makes it, to the array;
 * finalizes the statement. */
static bool read_all(sqlite3 *db, const char *path, sqlite3_stmt *statement,
		     gpointer (*read)(sqlite3_stmt *statement),
		     GPtrArray *array, GError **error)
{
	int status;

	if (!statement)
		return false;
	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		g_ptr_array_add(array, read(statement));
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(statement);
	return status == SQLITE_DONE;
}

static gpointer read_name(sqlite3_stmt *statement)
{
	return database_text(statement, 0);
}

/* Steps to the statement's one row and makes it ready for the next. */
static bool read_spread(sqlite3 *db, const char *path, sqlite3_stmt *statement,
			struct comparison_spread *ret_spread, GError **error)
{
	bool found = sqlite3_step(statement) == SQLITE_ROW;

	if (found) {
		ret_spread->samples =
			(unsigned int)sqlite3_column_int(statement, 0);
		ret_spread->minimum = column_real(statement, 1);
		ret_spread->maximum = column_real(statement, 2);
		ret_spread->variance = column_real(statement, 3);
	} else {
		database_set_error(db, path, error);
	}
	sqlite3_reset(statement);
	return found;
}

static void bind_text(sqlite3_stmt *statement, int parameter, const char *text)
{
	sqlite3_bind_text(statement, parameter, text, -1, SQLITE_STATIC);
}

static bool read_samples(sqlite3 *db, const char *path,
			 sqlite3_stmt *statement, struct comparison_row *row,
			 GError **error)
{
	bind_text(statement, 2, row->metric);
	sqlite3_bind_int64(statement, 1, row->before_run);
	if (!read_spread(db, path, statement, &row->before_spread, error))
		return false;
	sqlite3_bind_int64(statement, 1, row->after_run);
	return read_spread(db, path, statement, &row->after_spread, error);
}

/* The variance of a mean; rounding may take one of equal figures below 0. */
static double mean_variance(const struct comparison_spread *spread)
{
	return spread->variance > 0 ? spread->variance / spread->samples :
				      spread->variance * 0;
}

static double noise_pct(const struct comparison_row *row)
{
	return 100 * 2 * sqrt(mean_variance(&row->published_before_spread) +
			      mean_variance(&row->published_after_spread)) /
	       row->published_before;
}

static bool read_published(sqlite3 *db, const char *path,
			   sqlite3_stmt *statement, struct comparison_row *row,
			   GError **error)
{
	row->published = !isnan(row->published_before) ||
			 !isnan(row->published_after);
	row->noise_pct = NAN;
	if (!row->published)
		return true;
	bind_text(statement, 2, row->metric);
	bind_text(statement, 4, row->point);
	sqlite3_bind_int64(statement, 1, row->before_run);
	bind_text(statement, 3, "before");
	if (!read_spread(db, path, statement, &row->published_before_spread,
			 error))
		return false;
	sqlite3_bind_int64(statement, 1, row->after_run);
	bind_text(statement, 3, "after");
	if (!read_spread(db, path, statement, &row->published_after_spread,
			 error))
		return false;
	row->noise_pct = noise_pct(row);
	return true;
}

static bool read_spreads(sqlite3 *db, const char *path, const char *sql,
			 bool (*read)(sqlite3 *db, const char *path,
				      sqlite3_stmt *statement,
				      struct comparison_row *row,
				      GError **error),
			 GPtrArray *rows, GError **error)
{
	sqlite3_stmt *statement = database_prepare(db, path, sql, error);
	bool done = statement != NULL;

	for (guint i = 0; done && i < rows->len; i++)
		done = read(db, path, statement, rows->pdata[i], error);
	sqlite3_finalize(statement);
	return done;
}

/* The rows chosen; every metric but "all" is bound, in order, from 1. */
static sqlite3_stmt *prepare_rows(sqlite3 *db, const char *path,
				  const struct comparison_choice *choice,
				  GError **error)
{
	const char *const *metrics = choice->metrics;
	g_autoptr(GString) sql = g_string_new(rows_sql);
	sqlite3_stmt *statement;

	if (g_strv_contains(metrics, "all")) {
		metrics = no_metrics;
		g_string_append(sql, "TRUE");
	} else {
		g_string_append(sql, "c.metric IN (");
		for (guint i = 0; metrics[i]; i++)
			g_string_append(sql, i ? ", ?" : "?");
		g_string_append(sql, ")");
	}
	if (choice->published)
		g_string_append(sql, " OR c.published_before IS NOT NULL"
				" OR c.published_after IS NOT NULL");
	g_string_append(sql, order_sql);
	statement = database_prepare(db, path, sql->str, error);
	for (int i = 0; statement && metrics[i]; i++)
		bind_text(statement, i + 1, metrics[i]);
	return statement;
}

/* The fewest letters to insert, delete or change to turn one into the other
 * (Levenshtein's distance, one row of the table at a time). */
static gsize edit_distance(const char *from, const char *to)
{
	gsize len = strlen(to);
	g_autofree gsize *row = g_new(gsize, len + 1);

	for (gsize j = 0; j <= len; j++)
		row[j] = j;
	for (gsize i = 0; from[i]; i++) {
		gsize diagonal = row[0];

		row[0] = i + 1;
		for (gsize j = 0; j < len; j++) {
			gsize change = diagonal + (from[i] != to[j]);

			diagonal = row[j + 1];
			row[j + 1] = MIN(change,
					 MIN(row[j], row[j + 1]) + 1);
		}
	}
	return row[len];
}

static bool set_unknown(const GPtrArray *names, const char *name,
			GError **error)
{
	const char *nearest = NULL;
	gsize least = G_MAXSIZE;

	for (guint i = 0; i < names->len; i++) {
		gsize distance = edit_distance(name, names->pdata[i]);

		if (distance < least) {
			least = distance;
			nearest = names->pdata[i];
		}
	}
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
		    "no metric \"%s\" is recorded; the nearest is \"%s\", and "
		    "\"all\" shows every one", name, nearest);
	return false;
}

/* True where each metric named is recorded of some run, or published. */
static bool check_names(sqlite3 *db, const char *path,
			const char *const *metrics, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	if (!*metrics)
		return true;
	if (!read_all(db, path, database_prepare(db, path, names_sql, error),
		      read_name, names, error))
		return false;
	g_ptr_array_add(names, g_strdup("all"));
	for (; *metrics; metrics++) {
		if (!g_ptr_array_find_with_equal_func(names, *metrics,
						      g_str_equal, NULL))
			return set_unknown(names, *metrics, error);
	}
	return true;
}

static bool read_comparison(struct comparison *comparison, sqlite3 *db,
			    const char *path,
			    const struct comparison_choice *choice,
			    GError **error)
{
	return database_execute(db, path, "BEGIN", error) &&
	       database_integer(db, path,
				"SELECT count(*) FROM comparison_pair",
				&comparison->pairs, error) &&
	       (choice->published ||
		check_names(db, path, choice->metrics, error)) &&
	       read_all(db, path, prepare_rows(db, path, choice, error),
			read_row, comparison->rows, error) &&
	       read_spreads(db, path, sample_sql, read_samples,
			    comparison->rows, error) &&
	       read_spreads(db, path, published_sql, read_published,
			    comparison->rows, error) &&
	       read_all(db, path, database_prepare(db, path, notes_sql, error),
			read_note, comparison->notes, error);
}

struct comparison *compare_read(const char *path,
				const struct comparison_choice *choice,
				GError **error)
{
	g_autoptr(Comparison) comparison = NULL;
	sqlite3 *db = database_open(path, DATABASE_READ, error);
	bool done;

	if (!db)
		return NULL;
	comparison = g_new0(struct comparison, 1);
	comparison->rows = g_ptr_array_new_with_free_func(row_free);
	comparison->notes = g_ptr_array_new_with_free_func(g_free);
	done = read_comparison(comparison, db, path, choice, error);
	database_close(db);
	return done ? g_steal_pointer(&comparison) : NULL;
}
