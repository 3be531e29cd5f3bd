/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an operation in the columns of the traces (tests/truth/). */
#include <string.h>

#include "analysis/json_build.h"
#include "scenarios/operation.h"

const char *const operation_table_names[NUM_OPERATION_TABLES + 1] = {
	[TABLE_OPERATIONS] = "operations",
	[TABLE_FUNCTIONS] = "functions",
	[TABLE_CALLS] = "calls",
	[TABLE_LINES] = "lines",
};

char *operation_fields(const struct operation_line *line)
{
	static const char letters[3] = { 'R', 'W', 'A' };
	static const u32 order[3] = { ACCESS_ATOMIC, ACCESS_READ,
				      ACCESS_WRITE };
	GString *text = g_string_new(NULL);
	u32 i, k;

	for (i = 0; i < line->fields->len; i++) {
		const struct operation_field *field = &g_array_index(
			line->fields, struct operation_field, i);

		g_string_append_printf(text, "%s%s%s(", i ? "; " : "",
				       field->member,
				       field->of_array ? "[]" : "");
		for (k = 0; k < 3; k++)
			if (field->kinds[order[k]])
				g_string_append_c(text, letters[order[k]]);
		g_string_append_c(text, ')');
	}
	return g_string_free(text, FALSE);
}

char *operation_callers(const struct operation_line *line)
{
	GString *text = g_string_new(NULL);
	u32 i;

	for (i = 0; i < line->functions->len; i++) {
		const struct operation_caller *caller = &g_array_index(
			line->functions, struct operation_caller, i);

		g_string_append_printf(text, "%s%s:%" G_GUINT64_FORMAT,
				       i ? ", " : "", caller->name,
				       caller->count);
	}
	return g_string_free(text, FALSE);
}

/* The trace's name with the model's type in brackets: "sk[udp_sock]". */
static char *object_name(const struct object_row *row, const char *type)
{
	g_autofree char *name = NULL;
	char *star;

	if (!row || !row->object)
		return g_strdup(type);
	name = g_strdup(row->object);
	star = strchr(name, '*');
	if (star)		/* a pattern names many */
		return g_strdup(type);
	return g_str_equal(name, type) ? g_strdup(type) :
		g_strdup_printf("%s[%s]", name, type);
}

static const char *class_of(const struct object_row *row)
{
	return row ? row->class : "named";
}

static void print_lines(GString *out, const struct operation *operation,
			const struct object_map *map)
{
	u32 i;

	g_string_append(out, "operation\tclass\tobject\tline\treads\twrites\t"
			"atomics\tfields\tfunctions\n");
	for (i = 0; i < operation->lines->len; i++) {
		const struct operation_line *line = operation->lines->pdata[i];
		const struct object_row *row = object_map_type(map, line->type);
		g_autofree char *name = object_name(row, line->type);
		g_autofree char *fields = operation_fields(line);
		g_autofree char *callers = operation_callers(line);

		g_string_append_printf(out, "%s\t%s\t%s\t",
				       operation->kind->name, class_of(row),
				       name);
		/* The traces do not number the lines of static data. */
		if (!g_str_equal(class_of(row), "static"))
			g_string_append_printf(out, "%u", line->line);
		g_string_append_printf(out, "\t%" G_GUINT64_FORMAT "\t%"
				       G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT
				       "\t%s\t%s\n", line->count[ACCESS_READ],
				       line->count[ACCESS_WRITE],
				       line->count[ACCESS_ATOMIC], fields,
				       callers);
	}
}

static void print_functions(GString *out, const struct operation *operation)
{
	u32 i;

	g_string_append(out, "operation\tfunction\tentries\tinstructions\t"
			"reads\twrites\tatomics\n");
	for (i = 0; i < operation->functions->len; i++) {
		const struct operation_function *f =
			operation->functions->pdata[i];

		g_string_append_printf(out, "%s\t%s\t%" G_GUINT64_FORMAT "\t%"
				       G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT
				       "\t%" G_GUINT64_FORMAT "\t%"
				       G_GUINT64_FORMAT "\n",
				       operation->kind->name, f->name,
				       f->entries, f->instructions,
				       f->count[ACCESS_READ],
				       f->count[ACCESS_WRITE],
				       f->count[ACCESS_ATOMIC]);
	}
}

static void print_calls(GString *out, const struct operation *operation)
{
	u32 i;

	g_string_append(out, "operation\tdepth\tfunction\tinstructions\t"
			"how\n");
	for (i = 0; i < operation->calls->len; i++) {
		const struct operation_call *call = &g_array_index(
			operation->calls, struct operation_call, i);

		g_string_append_printf(out, "%s\t%u\t%s\t%" G_GUINT64_FORMAT
				       "\t%s\n", operation->kind->name,
				       call->depth, call->name,
				       call->instructions, call->how);
	}
}

/* How many lines are of these classes; of them all without. */
static u32 lines_of(const struct operation *operation,
		    const struct object_map *map, const char *const *classes)
{
	u32 i, n = 0;

	for (i = 0; i < operation->touched->len; i++) {
		const struct operation_touch *touch = &g_array_index(
			operation->touched, struct operation_touch, i);

		n += !classes || g_strv_contains(classes, class_of(
				object_map_type(map, touch->type)));
	}
	return n;
}

static u32 shared_lines_written(const struct operation *operation)
{
	u32 i, n = 0;

	for (i = 0; i < operation->touched->len; i++) {
		const struct operation_touch *touch = &g_array_index(
			operation->touched, struct operation_touch, i);

		n += touch->shared && touch->written;
	}
	return n;
}

static void print_operations(GString *out, const struct operation *operation,
			     const struct operation *null,
			     const struct object_map *map)
{
	static const char *const percpu[] = { "percpu", NULL };
	static const char *const fixed[] = { "static", "rodata", NULL };
	static const char *const objects[] = { "named", "slab", "page", NULL };
	static const char *const kstack[] = { "kstack", NULL };

	g_string_append(out, "op\tinsns\tinsns_minus_null_syscall\t"
			"locked_insns\treads\twrites\tlines_total\t"
			"lines_kstack\tlines_percpu\tlines_rodata_static_ro\t"
			"lines_objects\tshared_lines_written\n");
	g_string_append_printf(out, "%s\t%" G_GUINT64_FORMAT "\t%"
			       G_GINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%"
			       G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT
			       "\t%u\t%u\t%u\t%u\t%u\t%u\n",
			       operation->kind->name,
			       operation->instructions,
			       (gint64)(operation->instructions -
					null->instructions),
			       operation->count[ACCESS_ATOMIC] / 2,
			       operation->count[ACCESS_READ],
			       operation->count[ACCESS_WRITE],
			       lines_of(operation, map, NULL),
			       lines_of(operation, map, kstack),
			       lines_of(operation, map, percpu),
			       lines_of(operation, map, fixed),
			       lines_of(operation, map, objects),
			       shared_lines_written(operation));
}

char *operation_table(const struct operation *operation,
		      const struct operation *null, const struct object_map *map,
		      enum operation_table table)
{
	GString *out = g_string_new(NULL);

	switch (table) {
	case TABLE_OPERATIONS:
		print_operations(out, operation, null, map);
		break;
	case TABLE_FUNCTIONS:
		print_functions(out, operation);
		break;
	case TABLE_CALLS:
		print_calls(out, operation);
		break;
	default:
		print_lines(out, operation, map);
		break;
	}
	return g_string_free(out, FALSE);
}

/* ---- as JSON ---- */

static void build_cell(JsonBuilder *builder, const char *name,
		       const char *cell)
{
	static const char *const texts[] = {
		"op", "operation", "class", "object", "fields", "functions",
		"function", "how", NULL,
	};

	if (g_strv_contains(texts, name)) {
		build_text(builder, name, cell);
	} else if (*cell) {
		build_integer(builder, name, g_ascii_strtoll(cell, NULL, 10));
	} else {
		json_builder_set_member_name(builder, name);
		json_builder_add_null_value(builder);
	}
}

static void build_row(JsonBuilder *builder, char **names, const char *row)
{
	g_auto(GStrv) cells = g_strsplit(row, "\t", -1);
	u32 i;

	json_builder_begin_object(builder);
	for (i = 0; names[i] && cells[i]; i++)
		build_cell(builder, names[i], cells[i]);
	json_builder_end_object(builder);
}

void operation_print_json(FILE *file, const char *table, const char *text)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
	g_auto(GStrv) names = g_strsplit(rows[0], "\t", -1);
	u32 i;

	json_builder_begin_object(builder);
	build_array(builder, table);
	for (i = 1; rows[i] && *rows[i]; i++)
		build_row(builder, names, rows[i]);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	build_print(builder, file);
}
