/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a run as CSV, one of them, or as JSON, all of them.
 *
 * Columns bear the names of the record, and rows stand in an order that the
 * record alone decides.  CSV is that of RFC 4180 but for its ends of lines,
 * which are a newline alone; what is not known is an empty field, in JSON null.
 */
#include <json-glib/json-glib.h>
#include <string.h>

#include "export.h"

static const struct table {
	const char *name;
	const char *order;
} tables[] = {
	{ "metric", "name" },
	{ "sample", "name, repeat" },
	{ "series", "name, time_ps" },
	{ "line", "host, type, line" },
	{ "field_access", "host, type, field, function, file" },
	{ "function", "id" },
	{ "lock", "host, type, field" },
	{ "snmp", "host, name" },
	{ "slabinfo", "id" },
	{ "published", "row, metric, side, repeat" },
};

static const struct table *find_table(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
		if (g_str_equal(tables[i].name, name))
			return &tables[i];
	return NULL;
}

char *export_table_names(void)
{
	GString *names = g_string_new(tables[0].name);

	for (size_t i = 1; i < G_N_ELEMENTS(tables); i++)
		g_string_append_printf(names, ", %s", tables[i].name);
	return g_string_free(names, FALSE);
}

bool export_has_table(const char *name)
{
	return find_table(name);
}

static sqlite3_stmt *select_rows(const struct export *export,
				 const struct table *table, GError **error)
{
	g_autofree char *sql = g_strdup_printf(
		"SELECT * FROM %s WHERE run = ? ORDER BY %s", table->name,
		table->order);
	sqlite3_stmt *rows = database_prepare(export->db, export->path, sql,
					      error);

	if (rows)
		sqlite3_bind_int64(rows, 1, export->run);
	return rows;
}

/* ---- CSV ---- */

static void write_field(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void write_value(FILE *file, sqlite3_stmt *rows, int column)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	switch (sqlite3_column_type(rows, column)) {
	case SQLITE_NULL:
		break;
	case SQLITE_FLOAT:
		fputs(g_ascii_dtostr(number, sizeof(number),
				     sqlite3_column_double(rows, column)),
		      file);
		break;
	default:
		write_field(file,
			    (const char *)sqlite3_column_text(rows, column));
	}
}

bool export_csv(const struct export *export, FILE *file, GError **error)
{
	const struct table *table = find_table(export->table);
	sqlite3_stmt *rows = select_rows(export, table, error);
	int i, n, status;

	if (!rows)
		return false;
	n = sqlite3_column_count(rows);
	for (i = 0; i < n; i++)
		fprintf(file, "%s%s", i ? "," : "",
			sqlite3_column_name(rows, i));
	putc('\n', file);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW)
		for (i = 0; i < n; i++) {
			write_value(file, rows, i);
			putc(i < n - 1 ? ',' : '\n', file);
		}
	if (status != SQLITE_DONE)
		database_set_error(export->db, export->path, error);
	sqlite3_finalize(rows);
	return status == SQLITE_DONE;
}

/* ---- JSON ---- */

static void build_value(JsonBuilder *builder, sqlite3_stmt *rows, int column)
{
	switch (sqlite3_column_type(rows, column)) {
	case SQLITE_NULL:
		json_builder_add_null_value(builder);
		break;
	case SQLITE_INTEGER:
		json_builder_add_int_value(builder,
			sqlite3_column_int64(rows, column));
		break;
	case SQLITE_FLOAT:
		json_builder_add_double_value(builder,
			sqlite3_column_double(rows, column));
		break;
	default:
		json_builder_add_string_value(builder,
			(const char *)sqlite3_column_text(rows, column));
	}
}

/* The run is named once, at the top. */
static void build_row(JsonBuilder *builder, sqlite3_stmt *rows)
{
	int i, n = sqlite3_column_count(rows);

	json_builder_begin_object(builder);
	for (i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(rows, i);

		if (g_str_equal(name, "run"))
			continue;
		json_builder_set_member_name(builder, name);
		build_value(builder, rows, i);
	}
	json_builder_end_object(builder);
}

static bool build_rows(JsonBuilder *builder, const struct export *export,
		       sqlite3_stmt *rows, GError **error)
{
	int status;

	if (!rows)
		return false;
	while ((status = sqlite3_step(rows)) == SQLITE_ROW)
		build_row(builder, rows);
	if (status != SQLITE_DONE)
		database_set_error(export->db, export->path, error);
	sqlite3_finalize(rows);
	return status == SQLITE_DONE;
}

static bool build_run(JsonBuilder *builder, const struct export *export,
		      GError **error)
{
	sqlite3_stmt *rows = database_prepare(export->db, export->path,
					      "SELECT * FROM run WHERE id = ?",
					      error);

	if (rows)
		sqlite3_bind_int64(rows, 1, export->run);
	json_builder_set_member_name(builder, "run");
	return build_rows(builder, export, rows, error);
}

static bool build_tables(JsonBuilder *builder, const struct export *export,
			 GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		if (export->table &&
		    !g_str_equal(export->table, tables[i].name))
			continue;
		json_builder_set_member_name(builder, tables[i].name);
		json_builder_begin_array(builder);
		if (!build_rows(builder, export,
				select_rows(export, &tables[i], error), error))
			return false;
		json_builder_end_array(builder);
	}
	return true;
}

bool export_json(const struct export *export, FILE *file, GError **error)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonGenerator) generator = NULL;
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_begin_object(builder);
	if (!build_run(builder, export, error) ||
	    !build_tables(builder, export, error))
		return false;
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	generator = json_generator_new();
	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	json_generator_set_indent(generator, 1);
	text = json_generator_to_data(generator, NULL);
	fprintf(file, "%s\n", text);
	return true;
}
