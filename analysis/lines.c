/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the hottest lines with their fields, and judges them. */
#include "lines.h"

static const char run_sql[] =
	"SELECT id, scenario, variant, point, operations FROM run"
	" WHERE id = coalesce(nullif(?1, 0), (SELECT max(id) FROM run))"
	" AND operations > 0";

static const char lines_sql[] =
	"SELECT host, type, line, objects, readers, writers, reads, writes,"
	" atomics, hitm_core, hitm_package, from_core_clean +"
	" from_core_modified + from_package_clean + from_package_modified,"
	" invalidations, stall_ps FROM line WHERE run = ?1"
	" ORDER BY stall_ps DESC, type, line, host LIMIT ?2";

static const char fields_sql[] =
	"SELECT f.field, f.function, f.file, reads, writes, atomics,"
	" hitm_core + hitm_package, stall_ps, coalesce(c.cpus, ''),"
	" coalesce(c.users, 0), coalesce(c.writers, 0),"
	" coalesce(c.strangers, 0), coalesce(c.owner, f.type)"
	" FROM field_access AS f LEFT JOIN field_cpu AS c ON c.run = f.run"
	"  AND c.host = f.host AND c.type = f.type AND c.field = f.field"
	"  AND c.function = f.function AND c.file = f.file"
	" WHERE f.run = ?1 AND f.type = ?2 AND f.line = ?3 AND f.host = ?4"
	" ORDER BY stall_ps DESC, f.field, f.function, f.file";

static void field_free(gpointer data)
{
	struct line_field *field = data;

	g_free(field->field);
	g_free(field->function);
	g_free(field->file);
	g_free(field->owner);
	g_free(field->cpus);
	g_free(field);
}

static void line_free(gpointer data)
{
	struct hot_line *line = data;

	g_free(line->host);
	g_free(line->type);
	g_ptr_array_unref(line->fields);
	g_free(line);
}

void lines_free(struct lines *lines)
{
	g_free(lines->scenario);
	g_free(lines->variant);
	g_free(lines->point);
	g_ptr_array_unref(lines->lines);
	g_free(lines);
}

/* ---- the verdict ---- */

static bool is_mostly_read(gint64 changes, gint64 reads)
{
	return changes * 100 < changes + reads;
}

/* All functions' accesses to a field together. */
static bool field_is_read_only(const struct hot_line *line, const char *name)
{
	gint64 reads = 0, changes = 0;

	for (guint i = 0; i < line->fields->len; i++) {
		const struct line_field *f = line->fields->pdata[i];

		if (!g_str_equal(f->field, name))
			continue;
		reads += f->reads;
		changes += f->writes + f->atomics;
	}
	return reads && is_mostly_read(changes, reads);
}

/* Marks the victims; their part of the stall.  A read that waits for the fill
 * that a store to the line began is not the one that moved the line, so that
 * the field's own HITM say nothing. */
static gint64 mark_victims(const struct hot_line *line)
{
	gint64 stall_ps = 0;

	if (!(line->hitm_core + line->hitm_package))
		return 0;
	for (guint i = 0; i < line->fields->len; i++) {
		struct line_field *f = line->fields->pdata[i];

		if (!f->stall_ps || !field_is_read_only(line, f->field))
			continue;
		f->victim = true;
		stall_ps += f->stall_ps;
	}
	return stall_ps;
}

/* The same of fields all of whose users have nothing to do with another field
 * that somebody else writes, such as two fields each of which one CPU writes.
 * What was told apart by its CPUs goes where the costliest of them goes. */
static gint64 mark_strangers(const struct hot_line *line)
{
	const struct line_field *first = NULL;
	gint64 stall_ps = 0;

	for (guint i = 0; i < line->fields->len; i++) {
		struct line_field *f = line->fields->pdata[i];

		if (!f->stall_ps || !f->users || f->strangers < f->users)
			continue;
		stall_ps += f->stall_ps;
		first = first ? first : f;
		f->victim = g_str_equal(f->cpus, first->cpus);
	}
	return stall_ps;
}

/* Does the function change any field of the line? */
static bool changes(const struct hot_line *line, const char *function)
{
	for (guint i = 0; i < line->fields->len; i++) {
		const struct line_field *f = line->fields->pdata[i];

		if (f->writes + f->atomics &&
		    g_str_equal(f->function, function))
			return true;
	}
	return false;
}

static bool is_migratory(const struct hot_line *line)
{
	for (guint i = 0; i < line->fields->len; i++) {
		const struct line_field *f = line->fields->pdata[i];

		if (f->hitm && !changes(line, f->function))
			return false;
	}
	return line->writers > 1;
}

static void clear_victims(const struct hot_line *line)
{
	for (guint i = 0; i < line->fields->len; i++)
		((struct line_field *)line->fields->pdata[i])->victim = false;
}

static enum verdict judge(const struct hot_line *line)
{
	gint64 victims;

	if (line->moves * 1000 <
	    line->reads + line->writes + line->atomics || !line->moves)
		return VERDICT_PRIVATE;
	victims = mark_victims(line);
	if (victims && victims * 10 >= line->stall_ps)
		return VERDICT_FALSE_SHARING;
	clear_victims(line);
	victims = mark_strangers(line);
	if (victims && victims * 10 >= line->stall_ps)
		return VERDICT_FALSE_SHARING;
	clear_victims(line);
	if (is_mostly_read(line->writes + line->atomics, line->reads))
		return VERDICT_READ_MOSTLY;
	return is_migratory(line) ? VERDICT_MIGRATORY : VERDICT_TRUE_SHARING;
}

bool line_parts(const struct hot_line *line, guint i)
{
	const struct line_field *f = line->fields->pdata[i];

	for (guint j = 0; j < i; j++) {
		const struct line_field *g = line->fields->pdata[j];

		if (g->victim && g_str_equal(g->field, f->field))
			return false;
	}
	return f->victim;
}

char *line_override(const struct hot_line *line, guint i)
{
	const struct line_field *f = line->fields->pdata[i];

	return g_strdup_printf("layout.%s.%s=own line", f->owner, f->field);
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_PRIVATE] = "private",
		[VERDICT_READ_MOSTLY] = "read-mostly",
		[VERDICT_FALSE_SHARING] = "false sharing",
		[VERDICT_MIGRATORY] = "migratory",
		[VERDICT_TRUE_SHARING] = "true sharing",
	};

	return names[verdict];
}

/* ---- from the record ---- */

static bool read_fields(sqlite3 *db, const char *path, gint64 run,
			struct hot_line *line, GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, fields_sql, error);
	int status;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, run);
	sqlite3_bind_text(s, 2, line->type, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 3, line->line);
	sqlite3_bind_text(s, 4, line->host, -1, SQLITE_STATIC);
	while ((status = sqlite3_step(s)) == SQLITE_ROW) {
		struct line_field *f = g_new0(struct line_field, 1);

		f->field = database_text(s, 0);
		f->function = database_text(s, 1);
		f->file = database_text(s, 2);
		f->reads = sqlite3_column_int64(s, 3);
		f->writes = sqlite3_column_int64(s, 4);
		f->atomics = sqlite3_column_int64(s, 5);
		f->hitm = sqlite3_column_int64(s, 6);
		f->stall_ps = sqlite3_column_int64(s, 7);
		f->cpus = database_text(s, 8);
		f->users = sqlite3_column_int64(s, 9);
		f->writers = sqlite3_column_int64(s, 10);
		f->strangers = sqlite3_column_int64(s, 11);
		f->owner = database_text(s, 12);
		g_ptr_array_add(line->fields, f);
	}
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(s);
	return status == SQLITE_DONE;
}

static struct hot_line *read_line(sqlite3_stmt *s)
{
	struct hot_line *line = g_new0(struct hot_line, 1);

	line->host = database_text(s, 0);
	line->type = database_text(s, 1);
	line->line = sqlite3_column_int64(s, 2);
	line->objects = sqlite3_column_int64(s, 3);
	line->readers = sqlite3_column_int64(s, 4);
	line->writers = sqlite3_column_int64(s, 5);
	line->reads = sqlite3_column_int64(s, 6);
	line->writes = sqlite3_column_int64(s, 7);
	line->atomics = sqlite3_column_int64(s, 8);
	line->hitm_core = sqlite3_column_int64(s, 9);
	line->hitm_package = sqlite3_column_int64(s, 10);
	line->moves = sqlite3_column_int64(s, 11);
	line->invalidations = sqlite3_column_int64(s, 12);
	line->stall_ps = sqlite3_column_int64(s, 13);
	line->fields = g_ptr_array_new_with_free_func(field_free);
	return line;
}

static bool read_lines(sqlite3 *db, const char *path, struct lines *lines,
		       guint limit, GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, lines_sql, error);
	int status;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, lines->run);
	sqlite3_bind_int64(s, 2, limit ? (gint64)limit : -1);
	while ((status = sqlite3_step(s)) == SQLITE_ROW)
		g_ptr_array_add(lines->lines, read_line(s));
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(s);
	if (status != SQLITE_DONE)
		return false;
	for (guint i = 0; i < lines->lines->len; i++) {
		struct hot_line *line = lines->lines->pdata[i];

		if (!read_fields(db, path, lines->run, line, error))
			return false;
		line->verdict = judge(line);
	}
	return true;
}

static bool read_run(sqlite3 *db, const char *path, struct lines *lines,
		     GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, run_sql, error);
	int status;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, lines->run);
	status = sqlite3_step(s);
	if (status == SQLITE_ROW) {
		lines->run = sqlite3_column_int64(s, 0);
		lines->scenario = database_text(s, 1);
		lines->variant = database_text(s, 2);
		lines->point = database_text(s, 3);
		lines->operations = sqlite3_column_double(s, 4);
	} else if (status == SQLITE_DONE) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: there is no such run; the table run has the "
			    "ids", path);
	} else {
		database_set_error(db, path, error);
	}
	sqlite3_finalize(s);
	return status == SQLITE_ROW;
}

struct lines *lines_read(sqlite3 *db, const char *path, gint64 run,
			 guint limit, GError **error)
{
	struct lines *lines = g_new0(struct lines, 1);

	lines->run = run;
	lines->lines = g_ptr_array_new_with_free_func(line_free);
	if (read_run(db, path, lines, error) &&
	    read_lines(db, path, lines, limit, error))
		return lines;
	lines_free(lines);
	return NULL;
}
