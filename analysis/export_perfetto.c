/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace of a run in the Trace Event Format, which Perfetto's and Chrome's
 * viewers read: hosts as processes, CPUs as threads; what a CPU did as complete
 * events, which are nested by their times; a packet as a flow from one to the
 * next.  Times are microseconds with all digits of the record's picoseconds.
 */
#include "export.h"

#include "json_build.h"

/* By CPU, so that each thread is in the order of time. */
static const char events_sql[] =
	"SELECT host, cpu, kind, name, detail, time_ps, duration_ps, packet"
	" FROM trace WHERE run = ? ORDER BY host, cpu, id";
enum {
	EVENT_HOST, EVENT_CPU, EVENT_KIND, EVENT_NAME, EVENT_DETAIL,
	EVENT_TIME, EVENT_DURATION, EVENT_PACKET,
};

static const char threads_sql[] =
	"SELECT DISTINCT host, cpu FROM trace WHERE run = ? ORDER BY host, cpu";

static const char run_sql[] =
	"SELECT scenario, variant, point, kernel, patches, machine, seed,"
	" model_version FROM run WHERE id = ?";

/* A file under construction.  Processes are numbered from 1. */
struct perfetto {
	FILE *file;
	char *host;		/* of the process that is being written */
	gint64 pid;
	bool begun;
};

static void next_host(struct perfetto *p, sqlite3_stmt *row)
{
	char *host = database_text(row, EVENT_HOST);

	if (p->host && g_str_equal(host, p->host)) {
		g_free(host);
		return;
	}
	g_free(p->host);
	p->host = host;
	p->pid++;
}

static void build_time(JsonBuilder *builder, const char *name, gint64 ps)
{
	build_number(builder, name, (double)ps / 1e6);
}

/* One event a line. */
static void print_event(struct perfetto *p, JsonBuilder *builder)
{
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	text = json_to_string(root, FALSE);
	fprintf(p->file, "%s\n%s", p->begun ? "," : "", text);
	p->begun = true;
}

static JsonBuilder *event_new(const struct perfetto *p, const char *phase,
			      const char *name, gint64 cpu)
{
	JsonBuilder *builder = json_builder_new();

	json_builder_begin_object(builder);
	build_text(builder, "ph", phase);
	build_text(builder, "name", name);
	build_integer(builder, "pid", p->pid);
	build_integer(builder, "tid", cpu);
	return builder;
}

static void build_args(JsonBuilder *builder, const char *name,
		       const char *value)
{
	json_builder_set_member_name(builder, "args");
	json_builder_begin_object(builder);
	build_text(builder, name, value);
	json_builder_end_object(builder);
}

/* ---- what the numbers mean ---- */

static void print_name(struct perfetto *p, const char *what, gint64 cpu,
		       const char *name)
{
	g_autoptr(JsonBuilder) builder = event_new(p, "M", what, cpu);

	build_args(builder, "name", name);
	print_event(p, builder);
}

static void print_thread(struct perfetto *p, sqlite3_stmt *row)
{
	gint64 cpu = sqlite3_column_int64(row, EVENT_CPU), pid = p->pid;
	g_autofree char *name = g_strdup_printf("CPU %" G_GINT64_FORMAT, cpu);

	next_host(p, row);
	if (p->pid > pid)
		print_name(p, "process_name", 0, *p->host ? p->host : "host");
	print_name(p, "thread_name", cpu, name);
}

/* ---- what happened ---- */

static void print_slice(struct perfetto *p, sqlite3_stmt *row,
			const char *kind, const char *name)
{
	g_autofree char *detail = database_text(row, EVENT_DETAIL);
	g_autoptr(JsonBuilder) builder =
		event_new(p, "X", name, sqlite3_column_int64(row, EVENT_CPU));

	build_text(builder, "cat", kind);
	build_time(builder, "ts", sqlite3_column_int64(row, EVENT_TIME));
	build_time(builder, "dur", sqlite3_column_int64(row, EVENT_DURATION));
	if (*detail)
		build_args(builder, g_str_equal(kind, "function") ? "file" :
			   "access", detail);
	print_event(p, builder);
}

static void print_step(struct perfetto *p, sqlite3_stmt *row, const char *kind,
		       const char *name)
{
	const char *phase = g_str_equal(name, "begin") ? "s" :
			    g_str_equal(name, "end") ? "f" : "t";
	g_autoptr(JsonBuilder) builder =
		event_new(p, phase, kind, sqlite3_column_int64(row, EVENT_CPU));

	build_text(builder, "cat", kind);
	build_integer(builder, "id", sqlite3_column_int64(row, EVENT_PACKET));
	build_time(builder, "ts", sqlite3_column_int64(row, EVENT_TIME));
	/* It belongs to the slice around it, not to the next one. */
	if (*phase != 's')
		build_text(builder, "bp", "e");
	print_event(p, builder);
}

static void print_row(struct perfetto *p, sqlite3_stmt *row)
{
	g_autofree char *kind = database_text(row, EVENT_KIND);
	g_autofree char *name = database_text(row, EVENT_NAME);

	next_host(p, row);
	if (sqlite3_column_type(row, EVENT_PACKET) == SQLITE_NULL)
		print_slice(p, row, kind, name);
	else
		print_step(p, row, kind, name);
}

/* ---- the file ---- */

/* Calls back for each row of the run. */
static bool for_each(const struct export *export, const char *sql,
		     void (*print)(struct perfetto *p, sqlite3_stmt *row),
		     struct perfetto *p, GError **error)
{
	sqlite3_stmt *rows = database_prepare(export->db, export->path, sql,
					      error);
	int status;

	if (!rows)
		return false;
	g_clear_pointer(&p->host, g_free);
	p->pid = 0;
	sqlite3_bind_int64(rows, 1, export->run);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW)
		print(p, rows);
	if (status != SQLITE_DONE)
		database_set_error(export->db, export->path, error);
	sqlite3_finalize(rows);
	return status == SQLITE_DONE;
}

static void print_run(struct perfetto *p, sqlite3_stmt *row)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_begin_object(builder);
	for (int i = 0; i < sqlite3_column_count(row); i++) {
		g_autofree char *value = database_text(row, i);

		build_text(builder, sqlite3_column_name(row, i), value);
	}
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	text = json_to_string(root, FALSE);
	fprintf(p->file, ",\"otherData\":%s", text);
}

static bool has_events(const struct export *export, GError **error)
{
	g_autofree char *sql = g_strdup_printf("SELECT EXISTS (SELECT 1 FROM "
		"trace WHERE run = %" G_GINT64_FORMAT ")", export->run);
	gint64 found;

	if (!database_integer(export->db, export->path, sql, &found, error))
		return false;
	if (!found)
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: run %" G_GINT64_FORMAT " has no trace; 'udpsim "
			    "run --trace 50us' records one of the first 50 us",
			    export->path, export->run);
	return found;
}

bool export_perfetto(const struct export *export, FILE *file, GError **error)
{
	struct perfetto p = { .file = file };
	bool done;

	if (!has_events(export, error))
		return false;
	fprintf(file, "{\"displayTimeUnit\":\"ns\"");
	done = for_each(export, run_sql, print_run, &p, error);
	fprintf(file, ",\"traceEvents\":[");
	done = done && for_each(export, threads_sql, print_thread, &p, error) &&
	       for_each(export, events_sql, print_row, &p, error);
	fprintf(file, "\n]}\n");
	g_free(p.host);
	return done;
}
