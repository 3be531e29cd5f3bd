/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables and views of the record, and how an older one is brought up.
 *
 * Invariants: counts and times are INTEGER, in the unit that the column names
 * (_ps) or plain counts; REAL holds only derived figures and may be NULL,
 * which is how SQLite stores a not-a-number.  Seeds are decimal text, since
 * they use all 64 bits and SQLite's integers are signed.  Each table but run
 * and run_host holds what the model said and nothing of the wall clock.
 */
#include "schema.h"

#include "database.h"

/* Counts by the level that served the access, in the order of
 * enum result_level. */
#define LEVEL_COLUMNS \
	"from_l1 INTEGER NOT NULL," \
	"from_l2 INTEGER NOT NULL," \
	"from_sibling INTEGER NOT NULL," \
	"from_l3 INTEGER NOT NULL," \
	"from_core_clean INTEGER NOT NULL," \
	"from_core_modified INTEGER NOT NULL," \
	"from_package_clean INTEGER NOT NULL," \
	"from_package_modified INTEGER NOT NULL," \
	"from_dram_local INTEGER NOT NULL," \
	"from_dram_remote INTEGER NOT NULL,"

#define RUN_COLUMN "run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"

/* Since version 2. */
#define SLABINFO_TABLE(more) \
	"CREATE TABLE slabinfo (" \
	RUN_COLUMN \
	" id INTEGER NOT NULL," \
	" name TEXT NOT NULL," \
	" active_objs INTEGER NOT NULL," \
	" num_objs INTEGER NOT NULL," \
	" objsize INTEGER NOT NULL," \
	" objperslab INTEGER NOT NULL," \
	" pagesperslab INTEGER NOT NULL," \
	" tunable_limit INTEGER NOT NULL," \
	" batchcount INTEGER NOT NULL," \
	" sharedfactor INTEGER NOT NULL," \
	" active_slabs INTEGER NOT NULL," \
	" num_slabs INTEGER NOT NULL," \
	" sharedavail INTEGER NOT NULL," \
	more \
	" PRIMARY KEY (run, id)" \
	") STRICT"

/* Since version 4: '' where there is one host only. */
#define HOST_COLUMN "host TEXT NOT NULL DEFAULT ''"

#define LINE_TABLE(name) \
	"CREATE TABLE " name " (" \
	RUN_COLUMN \
	" type TEXT NOT NULL," \
	" line INTEGER NOT NULL," \
	" objects INTEGER NOT NULL," \
	" readers INTEGER NOT NULL," \
	" writers INTEGER NOT NULL," \
	" reads INTEGER NOT NULL," \
	" writes INTEGER NOT NULL," \
	" atomics INTEGER NOT NULL," \
	LEVEL_COLUMNS \
	" stall_ps INTEGER NOT NULL," \
	" invalidations INTEGER NOT NULL," \
	" hitm_core INTEGER NOT NULL," \
	" hitm_package INTEGER NOT NULL," \
	HOST_COLUMN "," \
	" PRIMARY KEY (run, host, type, line)" \
	") STRICT"

#define LOCK_TABLE(name) \
	"CREATE TABLE " name " (" \
	RUN_COLUMN \
	" type TEXT NOT NULL," \
	" field TEXT NOT NULL," \
	" acquired INTEGER NOT NULL," \
	" contended INTEGER NOT NULL," \
	" wait_ps INTEGER NOT NULL," \
	" hold_ps INTEGER NOT NULL," \
	HOST_COLUMN "," \
	" PRIMARY KEY (run, host, type, field)" \
	") STRICT"

/* A name, with that of its host where there are several. */
#define OF_HOST(row, name) \
	"iif(" row ".host = '', " name ", " row ".host || ':' || " name ")"

/* Since version 3. */
#define FRAME_TABLE \
	"CREATE TABLE frame (" \
	RUN_COLUMN \
	" id INTEGER NOT NULL," \
	" host TEXT NOT NULL," \
	" device TEXT NOT NULL," \
	" time_ps INTEGER NOT NULL," \
	" outbound INTEGER NOT NULL CHECK (outbound IN (0, 1))," \
	" bytes BLOB NOT NULL," \
	" PRIMARY KEY (run, id)" \
	") STRICT"

/* Since version 5. */
#define CPU_TIME_TABLE \
	"CREATE TABLE cpu_time (" \
	RUN_COLUMN \
	" cpu INTEGER NOT NULL," \
	" threads INTEGER NOT NULL," \
	" helpers INTEGER NOT NULL," \
	" elapsed_ps INTEGER NOT NULL," \
	" busy_ps INTEGER NOT NULL," \
	" exits INTEGER NOT NULL," \
	" exit_ps INTEGER NOT NULL," \
	" idle_ps INTEGER NOT NULL," \
	" outside_ps INTEGER NOT NULL," \
	HOST_COLUMN "," \
	" PRIMARY KEY (run, host, cpu)" \
	") STRICT"

/* Since version 6. */
#define FIELD_CPU_TABLE \
	"CREATE TABLE field_cpu (" \
	RUN_COLUMN \
	" type TEXT NOT NULL," \
	" field TEXT NOT NULL," \
	" function TEXT NOT NULL," \
	" file TEXT NOT NULL," \
	" owner TEXT NOT NULL," \
	" cpus TEXT NOT NULL," \
	" users INTEGER NOT NULL," \
	" writers INTEGER NOT NULL," \
	" strangers INTEGER NOT NULL," \
	HOST_COLUMN "," \
	" PRIMARY KEY (run, host, type, field, function, file)" \
	") STRICT"

#define WAIT_TABLE \
	"CREATE TABLE wait (" \
	RUN_COLUMN \
	" kind TEXT NOT NULL," \
	" name TEXT NOT NULL," \
	" count INTEGER NOT NULL," \
	" time_ps INTEGER NOT NULL," \
	HOST_COLUMN "," \
	" PRIMARY KEY (run, host, kind, name)" \
	") STRICT"

/* Since version 7. */
#define TRACE_TABLE \
	"CREATE TABLE trace (" \
	RUN_COLUMN \
	" id INTEGER NOT NULL," \
	" host TEXT NOT NULL," \
	" cpu INTEGER NOT NULL," \
	" kind TEXT NOT NULL," \
	" name TEXT NOT NULL," \
	" detail TEXT NOT NULL," \
	" time_ps INTEGER NOT NULL," \
	" duration_ps INTEGER NOT NULL," \
	" packet INTEGER," \
	" PRIMARY KEY (run, id)" \
	") STRICT"

#define HOT_LINE_VIEW \
	"CREATE VIEW hot_line AS" \
	" SELECT r.id AS run, r.scenario, r.variant, r.point, " OF_HOST("l", "l.type") \
	"  AS type, l.line, l.readers, l.writers," \
	"  l.stall_ps / 1000.0 / nullif(r.operations, 0) AS stall_ns_per_op," \
	"  100.0 * l.stall_ps / nullif(sum(l.stall_ps)" \
	"   OVER (PARTITION BY l.run), 0) AS stall_pct," \
	"  (l.from_core_clean + l.from_core_modified + l.from_package_clean" \
	"   + l.from_package_modified) * 1.0 / nullif(r.operations, 0)" \
	"   AS moves_per_op," \
	"  (l.hitm_core + l.hitm_package) * 1.0 / nullif(r.operations, 0)" \
	"   AS hitm_per_op," \
	"  l.invalidations * 1.0 / nullif(r.operations, 0)" \
	"   AS invalidations_per_op" \
	" FROM line AS l JOIN run AS r ON r.id = l.run" \
	" ORDER BY r.id, l.stall_ps DESC, l.type, l.line, l.host"

#define HOT_FIELD_VIEW \
	"CREATE VIEW hot_field AS" \
	" SELECT r.id AS run, r.scenario, r.variant, r.point, " OF_HOST("f", "f.type") \
	"  AS type, f.field," \
	"  sum(f.stall_ps) / 1000.0 / nullif(r.operations, 0)" \
	"   AS stall_ns_per_op," \
	"  sum(f.reads) AS reads, sum(f.writes) AS writes," \
	"  sum(f.atomics) AS atomics," \
	"  sum(f.hitm_core + f.hitm_package) AS hitm," \
	"  sum(f.invalidations) AS invalidations" \
	" FROM field_access AS f JOIN run AS r ON r.id = f.run" \
	" GROUP BY r.id, f.host, f.type, f.field" \
	" ORDER BY r.id, sum(f.stall_ps) DESC, f.type, f.field, f.host"

#define HOT_FUNCTION_VIEW \
	"CREATE VIEW hot_function AS" \
	" SELECT r.id AS run, r.scenario, r.variant, r.point, " OF_HOST("f", "f.name") \
	"  AS name, f.file," \
	"  sum(f.calls) * 1.0 / nullif(r.operations, 0) AS calls_per_op," \
	"  sum(f.instructions) * 1.0 / nullif(r.operations, 0)" \
	"   AS instructions_per_op," \
	"  sum(f.instruction_ps) / 1000.0 / nullif(r.operations, 0)" \
	"   AS instruction_ns_per_op," \
	"  sum(f.stall_ps) / 1000.0 / nullif(r.operations, 0)" \
	"   AS stall_ns_per_op" \
	" FROM function AS f JOIN run AS r ON r.id = f.run" \
	" GROUP BY r.id, f.host, f.name, f.file" \
	" ORDER BY r.id, sum(f.instruction_ps + f.stall_ps) DESC, f.name," \
	"  f.file, f.host"

/* Which two runs are held against each other: the latest run of the variant
 * "before", or of the variant first recorded, and the latest run of "after",
 * or of the variant last recorded.  One pass, no join of the variants with
 * themselves: a database may hold thousands of points. */
#define COMPARISON_PAIR_VIEW \
	"CREATE VIEW comparison_pair AS" \
	" WITH variants AS (" \
	"  SELECT scenario, point, variant, min(id) AS first_run," \
	"   max(id) AS last_run" \
	"  FROM run GROUP BY scenario, point, variant)," \
	" ranked AS (" \
	"  SELECT *, row_number() OVER (PARTITION BY scenario, point" \
	"    ORDER BY variant = 'before' DESC, variant = 'after', first_run)" \
	"   AS from_first," \
	"   row_number() OVER (PARTITION BY scenario, point" \
	"    ORDER BY variant = 'after' DESC, variant = 'before'," \
	"    first_run DESC) AS from_last" \
	"  FROM variants)," \
	" ends AS (" \
	"  SELECT scenario, point," \
	"   max(iif(from_first = 1, variant, NULL)) AS before_variant," \
	"   max(iif(from_last = 1, variant, NULL)) AS after_variant," \
	"   max(iif(from_first = 1, last_run, NULL)) AS before_run," \
	"   max(iif(from_last = 1, last_run, NULL)) AS after_run" \
	"  FROM ranked GROUP BY scenario, point)" \
	" SELECT scenario, point, before_variant, after_variant, before_run," \
	"  after_run" \
	" FROM ends WHERE after_variant <> before_variant"

/* The mean of what was published of a metric for one side of a pair n.  A
 * published row that bears the sweep point's text comes before the row of the
 * whole experiment, ''.  From the table itself: SQLite would make a view with
 * GROUP BY whole for each row. */
#define PUBLISHED_MEAN(side) \
	"(SELECT avg(value) FROM published AS q" \
	" WHERE q.run = n." side "_run AND q.metric = n.metric" \
	" AND q.side = '" side "' AND q.row = (SELECT max(row)" \
	"  FROM published AS w WHERE w.run = n." side "_run" \
	"  AND w.metric = n.metric AND w.side = '" side "'" \
	"  AND w.row IN (n.point, '')))"

/* The metrics that a run has, and those that were published for it. */
#define METRICS_OF(side) \
	"SELECT p.*, m.name AS metric FROM pair AS p" \
	" JOIN metric AS m ON m.run = p." side "_run" \
	" UNION" \
	" SELECT p.*, q.metric FROM pair AS p" \
	" JOIN published AS q ON q.run = p." side "_run" \
	"  AND q.row IN (p.point, '')"

#define COMPARISON_VIEW \
	"CREATE VIEW comparison AS" \
	" WITH pair AS MATERIALIZED (SELECT * FROM comparison_pair)," \
	" named AS (" METRICS_OF("before") " UNION " METRICS_OF("after") ")," \
	" figures AS MATERIALIZED (" \
	"  SELECT n.*," \
	"   coalesce(b.unit, a.unit) AS unit, b.value AS before," \
	"   a.value AS after," \
	"   " PUBLISHED_MEAN("before") " AS published_before," \
	"   " PUBLISHED_MEAN("after") " AS published_after" \
	"  FROM named AS n" \
	"  LEFT JOIN metric AS b ON b.run = n.before_run" \
	"   AND b.name = n.metric" \
	"  LEFT JOIN metric AS a ON a.run = n.after_run" \
	"   AND a.name = n.metric)," \
	" deltas AS (" \
	"  SELECT *, 100.0 * (after - before) / before AS delta_pct," \
	"   100.0 * (published_after - published_before) / published_before" \
	"    AS published_delta_pct" \
	"  FROM figures)" \
	" SELECT scenario, point, metric, unit, before, after, delta_pct," \
	"  published_before, published_after, published_delta_pct," \
	"  delta_pct - published_delta_pct AS error_points," \
	"  before_variant, after_variant, before_run, after_run" \
	" FROM deltas"

static const char *const tables[] = {
	"CREATE TABLE run ("
	" id INTEGER PRIMARY KEY,"
	" scenario TEXT NOT NULL,"
	" title TEXT NOT NULL,"
	" source TEXT NOT NULL,"
	" variant TEXT NOT NULL,"
	" point TEXT NOT NULL,"
	" kernel TEXT NOT NULL,"
	" patches TEXT NOT NULL,"
	" machine TEXT NOT NULL,"
	" seed TEXT NOT NULL,"
	" repeats INTEGER NOT NULL,"
	" scale TEXT NOT NULL,"
	" operations INTEGER NOT NULL,"
	" overrides TEXT NOT NULL,"
	" scenario_text TEXT NOT NULL,"
	" scenario_sha256 TEXT NOT NULL,"
	" model_version TEXT NOT NULL"
	") STRICT",

	"CREATE INDEX run_scenario ON run (scenario, point, variant)",

	"CREATE TABLE run_host ("
	" run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,"
	" recorded_at TEXT NOT NULL,"
	" host_us INTEGER NOT NULL,"
	" accesses INTEGER NOT NULL"
	") STRICT",

	"CREATE TABLE metric ("
	RUN_COLUMN
	" name TEXT NOT NULL,"
	" unit TEXT NOT NULL,"
	" value REAL,"
	" PRIMARY KEY (run, name)"
	") STRICT",

	"CREATE TABLE sample ("
	RUN_COLUMN
	" repeat INTEGER NOT NULL,"
	" seed TEXT NOT NULL,"
	" name TEXT NOT NULL,"
	" unit TEXT NOT NULL,"
	" value REAL,"
	" PRIMARY KEY (run, name, repeat)"
	") STRICT",

	"CREATE TABLE series ("
	RUN_COLUMN
	" name TEXT NOT NULL,"
	" time_ps INTEGER NOT NULL,"
	" value INTEGER NOT NULL"
	") STRICT",

	"CREATE INDEX series_run ON series (run, name, time_ps)",

	LINE_TABLE("line"),

	"CREATE TABLE field_access ("
	RUN_COLUMN
	" type TEXT NOT NULL,"
	" field TEXT NOT NULL,"
	" function TEXT NOT NULL,"
	" file TEXT NOT NULL,"
	" line INTEGER NOT NULL,"
	" reads INTEGER NOT NULL,"
	" writes INTEGER NOT NULL,"
	" atomics INTEGER NOT NULL,"
	LEVEL_COLUMNS
	" stall_ps INTEGER NOT NULL,"
	" invalidations INTEGER NOT NULL,"
	" hitm_core INTEGER NOT NULL,"
	" hitm_package INTEGER NOT NULL,"
	HOST_COLUMN
	") STRICT",

	"CREATE INDEX field_access_run ON field_access (run, type, field)",

	"CREATE TABLE function ("
	RUN_COLUMN
	" id INTEGER NOT NULL,"
	" parent INTEGER,"
	" name TEXT NOT NULL,"
	" file TEXT NOT NULL,"
	" calls INTEGER NOT NULL,"
	" instructions INTEGER NOT NULL,"
	" instruction_ps INTEGER NOT NULL,"
	" stall_ps INTEGER NOT NULL,"
	HOST_COLUMN ","
	" PRIMARY KEY (run, id),"
	" FOREIGN KEY (run, parent) REFERENCES function (run, id)"
	"  DEFERRABLE INITIALLY DEFERRED"
	") STRICT",

	/* Without it, deleting a run looks for children of each node. */
	"CREATE INDEX function_parent ON function (run, parent)",

	LOCK_TABLE("lock"),

	"CREATE TABLE snmp ("
	RUN_COLUMN
	" host TEXT NOT NULL,"
	" name TEXT NOT NULL,"
	" value INTEGER NOT NULL,"
	" PRIMARY KEY (run, host, name)"
	") STRICT",

	SLABINFO_TABLE(HOST_COLUMN ","),
	FRAME_TABLE,
	CPU_TIME_TABLE,
	WAIT_TABLE,
	FIELD_CPU_TABLE,

	TRACE_TABLE,

	"CREATE TABLE published ("
	RUN_COLUMN
	" row TEXT NOT NULL,"
	" metric TEXT NOT NULL,"
	" side TEXT NOT NULL CHECK (side IN ('before', 'after')),"
	" repeat INTEGER NOT NULL,"
	" value REAL,"
	" PRIMARY KEY (run, metric, row, side, repeat)"
	") STRICT",
	NULL
};

static const char *const views[] = {
	/* What the repeats of a run show, metric by metric. */
	"CREATE VIEW sample_spread AS"
	" SELECT run, name, count(value) AS samples, avg(value) AS mean,"
	"  min(value) AS minimum, max(value) AS maximum"
	" FROM sample GROUP BY run, name",

	/* The same of the published figures. */
	"CREATE VIEW published_spread AS"
	" SELECT run, metric, row, side, count(value) AS samples,"
	"  avg(value) AS mean, min(value) AS minimum, max(value) AS maximum"
	" FROM published GROUP BY run, metric, row, side",

	COMPARISON_PAIR_VIEW,

	COMPARISON_VIEW,

	/* Published rows that no run of the scenario stands for. */
	"CREATE VIEW published_unmatched AS"
	" SELECT DISTINCT r.scenario, q.row, q.metric"
	" FROM published AS q JOIN run AS r ON r.id = q.run"
	" WHERE q.row <> '' AND NOT EXISTS"
	"  (SELECT 1 FROM run AS s WHERE s.scenario = r.scenario"
	"   AND s.point = q.row)"
	"  AND r.id = (SELECT max(id) FROM run AS t"
	"   WHERE t.scenario = r.scenario)",

	/* Where the time goes, line by line, the costliest first.  A line
	 * moves each time that it comes out of another core's cache. */
	HOT_LINE_VIEW,

	HOT_FIELD_VIEW,

	/* A function's own figures, all its callers together. */
	HOT_FUNCTION_VIEW,
	NULL
};

/* The host is part of the keys of line and lock, so that they are made anew. */
#define ADD_HOST(table) "ALTER TABLE " table " ADD COLUMN " HOST_COLUMN ";"
#define MAKE_ANEW(table, statement) \
	statement ";" \
	"INSERT INTO new_" table " SELECT *, '' FROM " table ";" \
	"DROP TABLE " table ";" \
	"ALTER TABLE new_" table " RENAME TO " table ";"
#define HOSTS_STEP \
	"DROP VIEW IF EXISTS hot_line;" \
	"DROP VIEW IF EXISTS hot_field;" \
	"DROP VIEW IF EXISTS hot_function;" \
	ADD_HOST("field_access") ADD_HOST("function") ADD_HOST("slabinfo") \
	MAKE_ANEW("line", LINE_TABLE("new_line")) \
	MAKE_ANEW("lock", LOCK_TABLE("new_lock")) \
	HOT_LINE_VIEW ";" HOT_FIELD_VIEW ";" HOT_FUNCTION_VIEW

/* The same rows, sooner. */
#define COMPARISON_STEP \
	"DROP VIEW IF EXISTS comparison;" \
	"DROP VIEW IF EXISTS comparison_pair;" \
	COMPARISON_PAIR_VIEW ";" COMPARISON_VIEW

const struct schema_migration schema_migrations[] = {
	{ 1, SLABINFO_TABLE("") },
	{ 2, FRAME_TABLE },
	{ 3, HOSTS_STEP },
	{ 4, CPU_TIME_TABLE ";" WAIT_TABLE ";" COMPARISON_STEP },
	{ 5, FIELD_CPU_TABLE },
	{ 6, TRACE_TABLE },
	{ 0, NULL }
};

static bool execute_all(sqlite3 *db, const char *path,
			const char *const *statements, GError **error)
{
	for (; *statements; statements++) {
		if (!database_execute(db, path, *statements, error))
			return false;
	}
	return true;
}

/* Sets our mark; both numbers live in the file's header and are part of the
 * transaction. */
static bool set_version(sqlite3 *db, const char *path, int version,
			GError **error)
{
	g_autofree char *sql = g_strdup_printf(
		"PRAGMA application_id = %d; PRAGMA user_version = %d",
		SCHEMA_APPLICATION_ID, version);

	return database_execute(db, path, sql, error);
}

static bool create_once(sqlite3 *db, const char *path, GError **error)
{
	gint64 made;

	if (!database_integer(db, path, "SELECT count(*) FROM sqlite_schema",
			      &made, error))
		return false;
	if (made)
		return true;
	return execute_all(db, path, tables, error) &&
	       execute_all(db, path, views, error) &&
	       set_version(db, path, SCHEMA_VERSION, error);
}

bool schema_create(sqlite3 *db, const char *path, GError **error)
{
	if (!database_execute(db, path, "BEGIN IMMEDIATE", error))
		return false;
	if (create_once(db, path, error) &&
	    database_execute(db, path, "COMMIT", error))
		return true;
	/* SQLite may have rolled back by itself: then this fails, rightly. */
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

/* Another process may have done the step while this one waited to begin. */
static bool apply_step(sqlite3 *db, const char *path,
		       const struct schema_migration *step, GError **error)
{
	gint64 version;

	if (!database_integer(db, path, "PRAGMA user_version", &version,
			      error))
		return false;
	if (version != step->from)
		return true;
	return database_execute(db, path, step->sql, error) &&
	       set_version(db, path, step->from + 1, error);
}

static bool migrate_one(sqlite3 *db, const char *path,
			const struct schema_migration *step, GError **error)
{
	if (!database_execute(db, path, "BEGIN IMMEDIATE", error))
		return false;
	if (apply_step(db, path, step, error) &&
	    database_execute(db, path, "COMMIT", error))
		return true;
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

bool schema_migrate(sqlite3 *db, const char *path,
		    const struct schema_migration *list, int target,
		    GError **error)
{
	const struct schema_migration *step = list;
	gint64 version;

	for (;;) {
		if (!database_integer(db, path, "PRAGMA user_version",
				      &version, error))
			return false;
		if (version == target)
			return true;
		while (step->sql && step->from < version)
			step++;
		if (version > target || !step->sql || step->from != version)
			break;
		if (!migrate_one(db, path, step, error))
			return false;
	}
	if (version > target)
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_VERSION,
			    "%s: schema version %" G_GINT64_FORMAT
			    ", of a newer udpsim; this one knows up to %d: "
			    "use the newer udpsim, or record into a new file",
			    path, version, target);
	else
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_VERSION,
			    "%s: unknown schema version %" G_GINT64_FORMAT
			    "; this udpsim knows %d: record the runs again, "
			    "into a new file", path, version, target);
	return false;
}
