/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the results of runs into the tables of schema.c.
 *
 * Each insert is compiled once.  A struct row binds its values from left to
 * right and keeps the first failure, so that the functions that list a
 * table's columns have no branch; row_end() reports it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "record.h"

#define LEVELS "?,?,?,?,?,?,?,?,?,?,"

enum insert {
	INSERT_RUN,
	INSERT_RUN_HOST,
	INSERT_METRIC,
	INSERT_SAMPLE,
	INSERT_SERIES,
	INSERT_LINE,
	INSERT_FIELD,
	INSERT_FUNCTION,
	INSERT_LOCK,
	INSERT_SNMP,
	INSERT_SLAB,
	INSERT_FRAME,
	INSERT_CPU_TIME,
	INSERT_WAIT,
	INSERT_FIELD_CPU,
	INSERT_TRACE,
	INSERT_PUBLISHED,
	NUM_INSERTS
};

static const struct {
	const char *table;
	const char *sql;
} inserts[NUM_INSERTS] = {
	[INSERT_RUN] = { "run", "INSERT INTO run VALUES "
		"(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" },
	[INSERT_RUN_HOST] = { "run_host", "INSERT INTO run_host VALUES (?,"
		"strftime('%Y-%m-%dT%H:%M:%SZ', 'now'),?,?)" },
	[INSERT_METRIC] = { "metric", "INSERT INTO metric VALUES (?,?,?,?)" },
	[INSERT_SAMPLE] = { "sample",
		"INSERT INTO sample VALUES (?,?,?,?,?,?)" },
	[INSERT_SERIES] = { "series", "INSERT INTO series VALUES (?,?,?,?)" },
	[INSERT_LINE] = { "line", "INSERT INTO line VALUES "
		"(?,?,?,?,?,?,?,?,?,?," LEVELS "?,?,?,?)" },
	[INSERT_FIELD] = { "field_access", "INSERT INTO field_access VALUES "
		"(?,?,?,?,?,?,?,?,?,?," LEVELS "?,?,?,?)" },
	[INSERT_FUNCTION] = { "function", "INSERT INTO function VALUES "
		"(?,?,nullif(?, 0),?,?,?,?,?,?,?)" },
	[INSERT_LOCK] = { "lock", "INSERT INTO lock VALUES "
		"(?,?,?,?,?,?,?,?)" },
	[INSERT_SNMP] = { "snmp", "INSERT INTO snmp VALUES (?,?,?,?)" },
	[INSERT_SLAB] = { "slabinfo", "INSERT INTO slabinfo VALUES "
		"(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)" },
	[INSERT_FRAME] = { "frame", "INSERT INTO frame VALUES (?,?,?,?,?,?,?)" },
	[INSERT_CPU_TIME] = { "cpu_time", "INSERT INTO cpu_time VALUES "
		"(?,?,?,?,?,?,?,?,?,?,?)" },
	[INSERT_WAIT] = { "wait", "INSERT INTO wait VALUES (?,?,?,?,?,?)" },
	[INSERT_FIELD_CPU] = { "field_cpu", "INSERT INTO field_cpu VALUES "
		"(?,?,?,?,?,?,?,?,?,?,?)" },
	[INSERT_TRACE] = { "trace", "INSERT INTO trace VALUES "
		"(?,?,?,?,?,?,?,?,?,nullif(?, 0))" },
	[INSERT_PUBLISHED] = { "published",
		"INSERT INTO published VALUES (?,?,?,?,?,?)" },
};

struct record {
	char *path;
	sqlite3 *db;
	sqlite3_stmt *insert[NUM_INSERTS];
	gint64 run;		/* that is being added */
};

/* One row on its way into a table. */
struct row {
	struct record *record;
	const char *table;
	sqlite3_stmt *statement;
	int column;		/* that was bound last */
	int status;		/* of SQLite: the first failure */
	bool too_large;		/* a count is beyond SQLite's integers */
};

/* `run` 0: the row has no such column. */
static struct row row_begin(struct record *record, enum insert insert,
			    gint64 run)
{
	struct row row = {
		.record = record,
		.table = inserts[insert].table,
		.statement = record->insert[insert],
		.status = SQLITE_OK,
	};

	if (run)
		row.status = sqlite3_bind_int64(row.statement, ++row.column,
						run);
	return row;
}

static void put_status(struct row *row, int status)
{
	if (row->status == SQLITE_OK)
		row->status = status;
}

static void put_text(struct row *row, const char *text)
{
	put_status(row, sqlite3_bind_text(row->statement, ++row->column,
					  text ? text : "", -1,
					  SQLITE_STATIC));
}

static void put_integer(struct row *row, gint64 value)
{
	put_status(row, sqlite3_bind_int64(row->statement, ++row->column,
					   value));
}

static void put_count(struct row *row, guint64 value)
{
	if (value > G_MAXINT64)
		row->too_large = true;
	put_integer(row, (gint64)value);
}

static void put_real(struct row *row, double value)
{
	put_status(row, sqlite3_bind_double(row->statement, ++row->column,
					    value));
}

/* Seeds use all 64 bits: decimal text. */
static void put_seed(struct row *row, guint64 seed)
{
	char text[24];

	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT, seed);
	put_status(row, sqlite3_bind_text(row->statement, ++row->column, text,
					  -1, SQLITE_TRANSIENT));
}

static void put_blob(struct row *row, GBytes *bytes)
{
	gsize len;
	gconstpointer data = g_bytes_get_data(bytes, &len);

	put_status(row, sqlite3_bind_blob64(row->statement, ++row->column,
					    data ? data : "", len,
					    SQLITE_STATIC));
}

static void put_levels(struct row *row, const guint64 level[NUM_LEVELS])
{
	for (int i = 0; i < NUM_LEVELS; i++)
		put_count(row, level[i]);
}

static bool row_end(struct row *row, GError **error)
{
	struct record *record = row->record;
	bool done = false;

	g_assert(row->column ==
		 sqlite3_bind_parameter_count(row->statement));
	if (row->too_large)
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_VALUE,
			    "%s: table %s: a count is beyond 2^63 - 1, the "
			    "most that a record holds", record->path,
			    row->table);
	else if (row->status != SQLITE_OK)
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_DATABASE,
			    "%s: table %s: %s", record->path, row->table,
			    sqlite3_errstr(row->status));
	else if (sqlite3_step(row->statement) == SQLITE_DONE)
		done = true;
	else
		database_set_error(record->db, record->path, error);
	sqlite3_reset(row->statement);
	sqlite3_clear_bindings(row->statement);
	return done;
}

static bool add_run(struct record *record, const struct results *results,
		    GError **error)
{
	struct row row = row_begin(record, INSERT_RUN, 0);
	const char *text = results->text ? results->text : "";
	g_autofree char *hash = g_compute_checksum_for_string(
		G_CHECKSUM_SHA256, text, -1);

	put_text(&row, results->scenario);
	put_text(&row, results->title);
	put_text(&row, results->source);
	put_text(&row, results->variant);
	put_text(&row, results->point);
	put_text(&row, results->kernel);
	put_text(&row, results->patches);
	put_text(&row, results->machine);
	put_seed(&row, results->seed);
	put_integer(&row, results->repeats);
	put_text(&row, results->scale);
	put_count(&row, results->operations);
	put_text(&row, results->overrides);
	put_text(&row, text);
	put_text(&row, hash);
	put_text(&row, PACKAGE_VERSION);
	if (!row_end(&row, error))
		return false;
	record->run = sqlite3_last_insert_rowid(record->db);
	return true;
}

static bool add_host(struct record *record, const struct results *results,
		     GError **error)
{
	struct row row = row_begin(record, INSERT_RUN_HOST, record->run);

	put_integer(&row, results->host_usec);
	put_count(&row, results->accesses);
	return row_end(&row, error);
}

static bool add_metric(struct record *record, gconstpointer element,
		       GError **error)
{
	const struct result_metric *metric = element;
	struct row row = row_begin(record, INSERT_METRIC, record->run);

	put_text(&row, metric->name);
	put_text(&row, metric->unit);
	put_real(&row, metric->value);
	return row_end(&row, error);
}

static bool add_sample(struct record *record, gconstpointer element,
		       GError **error)
{
	const struct result_sample *sample = element;
	struct row row = row_begin(record, INSERT_SAMPLE, record->run);

	put_integer(&row, sample->repeat);
	put_seed(&row, sample->seed);
	put_text(&row, sample->name);
	put_text(&row, sample->unit);
	put_real(&row, sample->value);
	return row_end(&row, error);
}

static bool add_point(struct record *record, gconstpointer element,
		      GError **error)
{
	const struct result_point *point = element;
	struct row row = row_begin(record, INSERT_SERIES, record->run);

	put_text(&row, point->name);
	put_count(&row, point->time_ps);
	put_integer(&row, point->value);
	return row_end(&row, error);
}

static bool add_line(struct record *record, gconstpointer element,
		     GError **error)
{
	const struct result_line *line = element;
	struct row row = row_begin(record, INSERT_LINE, record->run);

	put_text(&row, line->type);
	put_integer(&row, line->line);
	put_integer(&row, line->objects);
	put_integer(&row, line->readers);
	put_integer(&row, line->writers);
	put_count(&row, line->reads);
	put_count(&row, line->writes);
	put_count(&row, line->atomics);
	put_levels(&row, line->level);
	put_count(&row, line->stall_ps);
	put_count(&row, line->invalidations);
	put_count(&row, line->hitm_core);
	put_count(&row, line->hitm_package);
	put_text(&row, line->host);
	return row_end(&row, error);
}

static bool add_field(struct record *record, gconstpointer element,
		      GError **error)
{
	const struct result_field *field = element;
	struct row row = row_begin(record, INSERT_FIELD, record->run);

	put_text(&row, field->type);
	put_text(&row, field->field);
	put_text(&row, field->function);
	put_text(&row, field->file);
	put_integer(&row, field->line);
	put_count(&row, field->reads);
	put_count(&row, field->writes);
	put_count(&row, field->atomics);
	put_levels(&row, field->level);
	put_count(&row, field->stall_ps);
	put_count(&row, field->invalidations);
	put_count(&row, field->hitm_core);
	put_count(&row, field->hitm_package);
	put_text(&row, field->host);
	return row_end(&row, error);
}

static bool add_function(struct record *record, gconstpointer element,
			 GError **error)
{
	const struct result_function *function = element;
	struct row row = row_begin(record, INSERT_FUNCTION, record->run);

	put_integer(&row, function->id);
	put_integer(&row, function->parent);
	put_text(&row, function->name);
	put_text(&row, function->file);
	put_count(&row, function->calls);
	put_count(&row, function->instructions);
	put_count(&row, function->instruction_ps);
	put_count(&row, function->stall_ps);
	put_text(&row, function->host);
	return row_end(&row, error);
}

static bool add_lock(struct record *record, gconstpointer element,
		     GError **error)
{
	const struct result_lock *lock = element;
	struct row row = row_begin(record, INSERT_LOCK, record->run);

	put_text(&row, lock->type);
	put_text(&row, lock->field);
	put_count(&row, lock->acquired);
	put_count(&row, lock->contended);
	put_count(&row, lock->wait_ps);
	put_count(&row, lock->hold_ps);
	put_text(&row, lock->host);
	return row_end(&row, error);
}

static bool add_snmp(struct record *record, gconstpointer element,
		     GError **error)
{
	const struct result_snmp *snmp = element;
	struct row row = row_begin(record, INSERT_SNMP, record->run);

	put_text(&row, snmp->host);
	put_text(&row, snmp->name);
	put_count(&row, snmp->value);
	return row_end(&row, error);
}

static bool add_slab(struct record *record, gconstpointer element,
		     GError **error)
{
	const struct result_slab *slab = element;
	struct row row = row_begin(record, INSERT_SLAB, record->run);

	put_integer(&row, slab->id);
	put_text(&row, slab->name);
	put_count(&row, slab->active_objs);
	put_count(&row, slab->num_objs);
	put_count(&row, slab->objsize);
	put_count(&row, slab->objperslab);
	put_count(&row, slab->pagesperslab);
	put_count(&row, slab->limit);
	put_count(&row, slab->batchcount);
	put_count(&row, slab->sharedfactor);
	put_count(&row, slab->active_slabs);
	put_count(&row, slab->num_slabs);
	put_count(&row, slab->sharedavail);
	put_text(&row, slab->host);
	return row_end(&row, error);
}

static bool add_frame(struct record *record, gconstpointer element,
		      GError **error)
{
	const struct result_frame *frame = element;
	struct row row = row_begin(record, INSERT_FRAME, record->run);

	put_integer(&row, frame->id);
	put_text(&row, frame->host);
	put_text(&row, frame->device);
	put_count(&row, frame->time_ps);
	put_integer(&row, frame->outbound);
	put_blob(&row, frame->bytes);
	return row_end(&row, error);
}

static bool add_cpu_time(struct record *record, gconstpointer element,
			 GError **error)
{
	const struct result_cpu *cpu = element;
	struct row row = row_begin(record, INSERT_CPU_TIME, record->run);

	put_integer(&row, cpu->cpu);
	put_integer(&row, cpu->threads);
	put_integer(&row, cpu->helpers);
	put_count(&row, cpu->elapsed_ps);
	put_integer(&row, cpu->busy_ps);
	put_count(&row, cpu->exits);
	put_count(&row, cpu->exit_ps);
	put_integer(&row, cpu->idle_ps);
	put_integer(&row, cpu->outside_ps);
	put_text(&row, cpu->host);
	return row_end(&row, error);
}

static bool add_wait(struct record *record, gconstpointer element,
		     GError **error)
{
	const struct result_wait *wait = element;
	struct row row = row_begin(record, INSERT_WAIT, record->run);

	put_text(&row, wait->kind);
	put_text(&row, wait->name);
	put_count(&row, wait->count);
	put_count(&row, wait->time_ps);
	put_text(&row, wait->host);
	return row_end(&row, error);
}

static bool add_sharing(struct record *record, gconstpointer element,
			GError **error)
{
	const struct result_sharing *sharing = element;
	struct row row = row_begin(record, INSERT_FIELD_CPU, record->run);

	put_text(&row, sharing->type);
	put_text(&row, sharing->field);
	put_text(&row, sharing->function);
	put_text(&row, sharing->file);
	put_text(&row, sharing->owner);
	put_text(&row, sharing->cpus);
	put_integer(&row, sharing->users);
	put_integer(&row, sharing->writers);
	put_integer(&row, sharing->strangers);
	put_text(&row, sharing->host);
	return row_end(&row, error);
}

static bool add_event(struct record *record, gconstpointer element,
		      GError **error)
{
	const struct result_event *event = element;
	struct row row = row_begin(record, INSERT_TRACE, record->run);

	put_integer(&row, event->id);
	put_text(&row, event->host);
	put_integer(&row, event->cpu);
	put_text(&row, event->kind);
	put_text(&row, event->name);
	put_text(&row, event->detail);
	put_count(&row, event->time_ps);
	put_count(&row, event->duration_ps);
	put_count(&row, event->packet);
	return row_end(&row, error);
}

static bool add_published(struct record *record, gconstpointer element,
			  GError **error)
{
	const struct result_published *published = element;
	struct row row = row_begin(record, INSERT_PUBLISHED, record->run);

	put_text(&row, published->row);
	put_text(&row, published->metric);
	put_text(&row, published->side);
	put_integer(&row, published->repeat);
	put_real(&row, published->value);
	return row_end(&row, error);
}

typedef bool (*add_f)(struct record *record, gconstpointer element,
		      GError **error);

static bool add_array(struct record *record, const GArray *array, add_f add,
		      GError **error)
{
	gsize size = g_array_get_element_size((GArray *)array);

	for (guint i = 0; i < array->len; i++) {
		if (!add(record, array->data + i * size, error))
			return false;
	}
	return true;
}

static bool add_all(struct record *record, const struct results *results,
		    GError **error)
{
	return add_run(record, results, error) &&
	       add_host(record, results, error) &&
	       add_array(record, results->metrics, add_metric, error) &&
	       add_array(record, results->samples, add_sample, error) &&
	       add_array(record, results->series, add_point, error) &&
	       add_array(record, results->lines, add_line, error) &&
	       add_array(record, results->fields, add_field, error) &&
	       add_array(record, results->functions, add_function, error) &&
	       add_array(record, results->locks, add_lock, error) &&
	       add_array(record, results->snmp, add_snmp, error) &&
	       add_array(record, results->slabs, add_slab, error) &&
	       add_array(record, results->frames, add_frame, error) &&
	       add_array(record, results->cpus, add_cpu_time, error) &&
	       add_array(record, results->waits, add_wait, error) &&
	       add_array(record, results->sharings, add_sharing, error) &&
	       add_array(record, results->trace, add_event, error) &&
	       add_array(record, results->published, add_published, error);
}

bool record_add(struct record *record, const struct results *results,
		GError **error)
{
	const char *path = record->path;

	if (database_execute(record->db, path, "BEGIN IMMEDIATE", error)) {
		if (add_all(record, results, error) &&
		    database_execute(record->db, path, "COMMIT", error))
			return true;
		/* SQLite may have rolled back by itself: then this fails,
		 * rightly. */
		sqlite3_exec(record->db, "ROLLBACK", NULL, NULL, NULL);
	}
	g_prefix_error(error, "the run of %s%s%s is not recorded: ",
		       results->scenario ? results->scenario : "",
		       results->variant && *results->variant ? ", " : "",
		       results->variant ? results->variant : "");
	return false;
}

struct record *record_open(const char *path, GError **error)
{
	sqlite3 *db = database_open(path, DATABASE_WRITE, error);
	struct record *record;

	if (!db)
		return NULL;
	record = g_new0(struct record, 1);
	record->db = db;
	record->path = g_strdup(path);
	for (int i = 0; i < NUM_INSERTS; i++) {
		record->insert[i] = database_prepare(db, path, inserts[i].sql,
						     error);
		if (!record->insert[i]) {
			record_close(record);
			return NULL;
		}
	}
	return record;
}

void record_close(struct record *record)
{
	if (!record)
		return;
	for (int i = 0; i < NUM_INSERTS; i++)
		sqlite3_finalize(record->insert[i]);
	database_close(record->db);
	g_free(record->path);
	g_free(record);
}
