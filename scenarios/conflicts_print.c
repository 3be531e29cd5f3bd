/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints which operations share written lines, and the hot fields. */
#include <errno.h>
#include <string.h>

#include "analysis/json_build.h"
#include "scenarios/conflicts.h"

/* "R", "RW", "A" as in the traces. */
static const char *kinds_text(const bool *kinds, char *text)
{
	char *end = text;

	if (kinds[ACCESS_ATOMIC])
		*end++ = 'A';
	if (kinds[ACCESS_READ])
		*end++ = 'R';
	if (kinds[ACCESS_WRITE])
		*end++ = 'W';
	*end = '\0';
	return text;
}

/* "sk_wmem_alloc(A) sk_drops(R)" */
static char *fields_text(const GArray *fields)
{
	GString *text = g_string_new(NULL);
	char kinds[4];
	u32 i;

	for (i = 0; i < fields->len; i++) {
		const struct operation_field *field =
			&g_array_index(fields, struct operation_field, i);

		g_string_append_printf(text, "%s%s%s(%s)", i ? " " : "",
				       field->member,
				       field->of_array ? "[]" : "",
				       kinds_text(field->kinds, kinds));
	}
	return g_string_free(text, FALSE);
}

/* ---- the matrix ---- */

static const struct conflict_pair *pair_of(const struct conflicts *conflicts,
					   u32 scope, u32 a, u32 b)
{
	u32 i;

	for (i = 0; i < conflicts->pairs->len; i++) {
		const struct conflict_pair *pair = conflicts->pairs->pdata[i];

		if (pair->scope == scope && pair->operations[0] == MIN(a, b) &&
		    pair->operations[1] == MAX(a, b))
			return pair;
	}
	return NULL;
}

/* A row has what comes up to the diagonal: the other half says the same. */
static void print_row(FILE *file, const struct conflicts *conflicts, u32 scope,
		      u32 row)
{
	u32 column;

	fprintf(file, "  %-12s", conflict_names[row]);
	for (column = 0; column <= row; column++) {
		const struct conflict_pair *pair =
			pair_of(conflicts, scope, row, column);

		if (!pair)
			continue;
		if (!pair->possible)
			fprintf(file, "%11s", "-");
		else if (!pair->modelled)
			fprintf(file, "%11s", "?");
		else if (!pair->lines->len)
			fprintf(file, "%11s", ".");
		else
			fprintf(file, "%11u", pair->lines->len);
	}
	fputc('\n', file);
}

void conflicts_print_matrix(FILE *file, const struct conflicts *conflicts)
{
	u32 scope, i;

	fprintf(file, "Lines that two operations share and one of them writes, "
		"on %s\n(. none: they can run on two CPUs without a "
		"conflict; - no such pair; ? not modelled)\n",
		conflicts->kernel);
	for (scope = 0; scope < NUM_SCOPES; scope++) {
		fprintf(file, "\n%s:\n  %-12s", scope_titles[scope], "");
		for (i = 0; i < NUM_CONFLICT_OPERATIONS; i++)
			if (pair_of(conflicts, scope, i, i))
				fprintf(file, "%11s", conflict_names[i]);
		fputc('\n', file);
		for (i = 0; i < NUM_CONFLICT_OPERATIONS; i++)
			if (pair_of(conflicts, scope, i, i))
				print_row(file, conflicts, scope, i);
	}
}

/* ---- the lists ---- */

static void print_pair(FILE *file, const struct conflict_pair *pair)
{
	u32 i, k;

	fprintf(file, "\n%s, %s; %s: %u line%s\n",
		conflict_names[pair->operations[0]],
		conflict_names[pair->operations[1]], scope_titles[pair->scope],
		pair->lines->len, pair->lines->len == 1 ? "" : "s");
	for (i = 0; i < 2; i++)
		if (pair->errors[i])
			fprintf(file, "  (%s is refused: %s)\n",
				conflict_names[pair->operations[i]],
				g_strerror(-pair->errors[i]));
	for (i = 0; i < pair->lines->len; i++) {
		const struct conflict_line *line = pair->lines->pdata[i];

		fprintf(file, "  %s, line %u\n", line->type, line->line);
		for (k = 0; k < 2; k++) {
			g_autofree char *fields = fields_text(line->fields[k]);

			fprintf(file, "    %-11s %s\n",
				conflict_names[pair->operations[k]], fields);
		}
	}
}

void conflicts_print_pairs(FILE *file, const struct conflicts *conflicts)
{
	u32 i;

	for (i = 0; i < conflicts->pairs->len; i++) {
		const struct conflict_pair *pair = conflicts->pairs->pdata[i];

		if (pair->possible && pair->modelled)
			print_pair(file, pair);
	}
}

/* ---- hot fields ---- */

static const char *access_text(const bool *kinds)
{
	bool read = kinds[ACCESS_READ], write = kinds[ACCESS_WRITE];

	if (kinds[ACCESS_ATOMIC])
		return "atomic";
	if (read && write)
		return "read_write";
	return read ? "read" : write ? "write" : "";
}

static char *functions_text(const GPtrArray *functions)
{
	GString *text = g_string_new(NULL);
	u32 i;

	for (i = 0; i < functions->len; i++)
		g_string_append_printf(text, "%s%s()", i ? ", " : "",
				       (const char *)functions->pdata[i]);
	return g_string_free(text, FALSE);
}

void hot_fields_print(FILE *file, const char *kernel, const GPtrArray *fields)
{
	const char *type = NULL;
	u32 i;

	for (i = 0; i < fields->len; i++) {
		const struct hot_field *field = fields->pdata[i];
		g_autofree char *functions = functions_text(field->functions);

		if (!type || !g_str_equal(type, field->type)) {
			type = field->type;
			fprintf(file, "%sstruct %s, %s\n", i ? "\n" : "", type,
				kernel);
			fprintf(file, "%-22s %-30s %5s %6s  %-10s  %-10s  "
				"comments\n", "type", "name", "line", "offset",
				"tx_access", "rx_access");
		}
		fprintf(file, "%-22s %-30s %5u %6u  %-10s  %-10s  %s\n",
			field->c_type ? field->c_type : "-", field->name,
			field->at.offset / LINE_SIZE, field->at.offset,
			access_text(field->kinds[HOT_TX]),
			access_text(field->kinds[HOT_RX]), functions);
	}
}

/* ---- for programs ---- */

static void build_null(JsonBuilder *builder, const char *name)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_null_value(builder);
}

static void build_error(JsonBuilder *builder, const char *name, int err)
{
	if (err)
		build_text(builder, name, g_strerror(-err));
	else
		build_null(builder, name);
}

static void build_fields(JsonBuilder *builder, const char *name,
			 const GArray *fields)
{
	char kinds[4];
	u32 i;

	build_array(builder, name);
	for (i = 0; i < fields->len; i++) {
		const struct operation_field *field =
			&g_array_index(fields, struct operation_field, i);

		json_builder_begin_object(builder);
		build_text(builder, "field", field->member);
		build_text(builder, "access", kinds_text(field->kinds, kinds));
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void build_pair(JsonBuilder *builder, const struct conflict_pair *pair)
{
	u32 i;

	json_builder_begin_object(builder);
	build_text(builder, "shared", scope_names[pair->scope]);
	build_text(builder, "first", conflict_names[pair->operations[0]]);
	build_text(builder, "second", conflict_names[pair->operations[1]]);
	build_error(builder, "first_error", pair->errors[0]);
	build_error(builder, "second_error", pair->errors[1]);
	build_array(builder, "lines");
	for (i = 0; i < pair->lines->len; i++) {
		const struct conflict_line *line = pair->lines->pdata[i];

		json_builder_begin_object(builder);
		build_text(builder, "type", line->type);
		build_integer(builder, "line", line->line);
		build_fields(builder, "first", line->fields[0]);
		build_fields(builder, "second", line->fields[1]);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

static void build_hot(JsonBuilder *builder, const struct hot_field *field)
{
	u32 i;

	json_builder_begin_object(builder);
	build_text(builder, "struct", field->type);
	build_text(builder, "field", field->name);
	if (field->c_type)
		build_text(builder, "type", field->c_type);
	else
		build_null(builder, "type");
	build_integer(builder, "offset", field->at.offset);
	build_integer(builder, "size", field->at.size);
	build_integer(builder, "line", field->at.offset / LINE_SIZE);
	build_text(builder, "tx_access", access_text(field->kinds[HOT_TX]));
	build_text(builder, "rx_access", access_text(field->kinds[HOT_RX]));
	build_array(builder, "functions");
	for (i = 0; i < field->functions->len; i++)
		json_builder_add_string_value(builder,
					      field->functions->pdata[i]);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

void conflicts_print_json(FILE *file, const char *kernel,
			  const struct conflicts *conflicts,
			  const GPtrArray *fields)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	u32 i;

	json_builder_begin_object(builder);
	build_text(builder, "kernel", kernel);
	if (conflicts) {
		build_array(builder, "pairs");
		for (i = 0; i < conflicts->pairs->len; i++) {
			const struct conflict_pair *pair =
				conflicts->pairs->pdata[i];

			if (pair->possible && pair->modelled)
				build_pair(builder, pair);
		}
		json_builder_end_array(builder);
	}
	if (fields) {
		build_array(builder, "fields");
		for (i = 0; i < fields->len; i++)
			build_hot(builder, fields->pdata[i]);
		json_builder_end_array(builder);
	}
	json_builder_end_object(builder);
	build_print(builder, file);
}
