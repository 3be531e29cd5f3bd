/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text forms of a run: what they hold is what the record holds.
 */
#include <json-glib/json-glib.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export.h"
#include "suites.h"
#include "support.h"

typedef bool (*export_f)(const struct export *export, FILE *file,
			 GError **error);

/* What a writer makes of a run; NULL: what it says in the error. */
static char *written(const char *path, gint64 run, const char *table,
		     export_f write)
{
	g_autoptr(GError) error = NULL;
	struct export export = { .path = path, .run = run, .table = table };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	export.db = database_open(path, DATABASE_READ, &error);
	ck_assert_ptr_nonnull(export.db);
	ck_assert_msg(write(&export, file, &error), "%s",
		      error ? error->message : "");
	fclose(file);
	database_close(export.db);
	return text;
}

/* One with names that CSV must quote, a figure that is not known, and a host. */
static const char *record(void)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2.5));
	support_record(path, support_results("after", 2));
	support_sql(path,
		    "INSERT INTO metric VALUES (2, 'a \"b\", c', 'x', NULL);"
		    "INSERT INTO metric VALUES (2, 'third', '1', 1.0 / 3)");
	return path;
}

START_TEST(csv_is_the_table)
{
	const char *path = record();
	char *text = written(path, 2, "metric", export_csv);

	ck_assert_str_eq(text, "run,name,unit,value\n"
			 "2,\"a \"\"b\"\", c\",x,\n"
			 "2,elapsed_s,s,2\n"
			 "2,ns_per_op,ns,80\n"
			 "2,rtt_us,us,42.5\n"
			 "2,third,1,0.33333333333333331\n");
	free(text);
	text = written(path, 1, "series", export_csv);
	ck_assert_str_eq(text, "run,name,time_ps,value\n1,queue,96,-97\n");
	free(text);
}
END_TEST

START_TEST(csv_has_the_columns_in_each_locale)
{
	const char *path = record();
	char *text;

	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
		setlocale(LC_ALL, "C");
	text = written(path, 2, "metric", export_csv);
	ck_assert_ptr_nonnull(strstr(text, ",0.33333333333333331\n"));
	free(text);
	text = written(path, 2, NULL, export_json);
	ck_assert_ptr_nonnull(strstr(text, "0.3333333333333333"));
	free(text);
}
END_TEST

/* A row of JSON as support_query() prints one. */
static void append_row(GString *text, JsonObject *row, const char *columns)
{
	g_auto(GStrv) names = g_strsplit(columns, ", ", -1);

	for (char **name = names; *name; name++) {
		JsonNode *node = json_object_get_member(row, *name);
		g_autofree char *cell = NULL;

		ck_assert_msg(node != NULL, "no %s", *name);
		if (JSON_NODE_HOLDS_NULL(node))
			cell = g_strdup("NULL");
		else if (json_node_get_value_type(node) == G_TYPE_STRING)
			cell = g_strdup(json_node_get_string(node));
		else
			cell = g_strdup_printf("%" G_GINT64_FORMAT,
					       json_node_get_int(node));
		g_string_append_printf(text, "%s%s", name == names ? "" : "|",
				       cell);
	}
	g_string_append_c(text, '\n');
}

static void compare_table(JsonObject *root, const char *path,
			  const char *table, const char *columns,
			  const char *order)
{
	g_autofree char *sql = g_strdup_printf(
		"SELECT %s FROM %s WHERE run = 1 ORDER BY %s", columns, table,
		order);
	JsonArray *rows = json_object_get_array_member(root, table);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < json_array_get_length(rows); i++)
		append_row(text, json_array_get_object_element(rows, i),
			   columns);
	ck_assert_str_eq(text->str, support_query(path, sql));
}

START_TEST(json_is_the_record)
{
	const char *path = record();
	char *text = written(path, 1, NULL, export_json);
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *root, *run;

	ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
	root = json_node_get_object(json_parser_get_root(parser));
	run = json_object_get_object_member(root, "run");
	ck_assert_int_eq(json_object_get_int_member(run, "id"), 1);
	ck_assert_str_eq(json_object_get_string_member(run, "variant"),
			 "before");
	ck_assert_uint_eq(json_object_get_size(root), 11);
	compare_table(root, path, "line", "host, type, line, objects, reads, "
		      "from_package_clean, stall_ps, hitm_package", "type");
	compare_table(root, path, "field_access", "type, field, function, "
		      "file, line, atomics, stall_ps", "type");
	compare_table(root, path, "function", "id, parent, name, calls, "
		      "instruction_ps, stall_ps", "id");
	compare_table(root, path, "sample", "name, repeat, seed, unit",
		      "repeat");
	compare_table(root, path, "lock", "type, field, wait_ps", "type");
	compare_table(root, path, "snmp", "host, name, value", "name");
	compare_table(root, path, "series", "name, time_ps, value", "name");
	compare_table(root, path, "slabinfo", "id, name, num_objs", "id");
	compare_table(root, path, "published", "row, metric, side, repeat",
		      "side, repeat");
	free(text);
	text = written(path, 1, "snmp", export_json);
	ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
	root = json_node_get_object(json_parser_get_root(parser));
	ck_assert_uint_eq(json_object_get_size(root), 2);
	free(text);
}
END_TEST

static gint64 sum_of(const char *folded)
{
	g_auto(GStrv) lines = g_strsplit(folded, "\n", -1);
	gint64 sum = 0;

	for (char **line = lines; **line; line++) {
		const char *blank = strrchr(*line, ' ');

		ck_assert_ptr_nonnull(blank);
		ck_assert_int_gt(g_ascii_strtoll(blank, NULL, 10), 0);
		sum += g_ascii_strtoll(blank, NULL, 10);
	}
	return sum;
}

START_TEST(folded_adds_up)
{
	const char *path = record();
	char *text = written(path, 1, NULL, export_folded);

	/* 147 and 167 ps are no whole nanosecond. */
	ck_assert_str_eq(text, "");
	free(text);
	support_sql(path,
		    "UPDATE function SET instruction_ps = 700, stall_ps = 100"
		    " WHERE run = 1;"
		    "INSERT INTO function SELECT 1, id + 2, 2, 'f' || id, '',"
		    " 1, 1, 1900, 0, '' FROM function WHERE run = 1;"
		    "INSERT INTO function VALUES"
		    " (1, 5, NULL, 'g', '', 1, 1, 0, 400, 'client')");
	text = written(path, 1, NULL, export_folded);
	/* 800, 1600, 3500, 5400, 5800 */
	ck_assert_str_eq(text, "sys_sendto;udp_sendmsg 1\n"
			 "sys_sendto;udp_sendmsg;f1 2\n"
			 "sys_sendto;udp_sendmsg;f2 2\n");
	ck_assert_int_eq(sum_of(text), 5);
	free(text);
	support_sql(path, "UPDATE function SET stall_ps = 600 WHERE id = 5");
	text = written(path, 1, NULL, export_folded);
	ck_assert_ptr_nonnull(strstr(text, "\nclient;g 1\n"));
	ck_assert_int_eq(sum_of(text), 6);
	free(text);
}
END_TEST

Suite *suite_export(void)
{
	const TTest *const tests[] = {
		csv_is_the_table,
		csv_has_the_columns_in_each_locale,
		json_is_the_record,
		folded_adds_up,
		NULL
	};

	return support_suite("export", tests);
}
