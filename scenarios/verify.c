/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds the model against traces; see verify.h. */
#include <string.h>

#include "scenarios/scenario.h"
#include "scenarios/tsv.h"
#include "scenarios/verify.h"

static void line_free(void *p)
{
	struct verify_line *line = p;
	u32 i;

	g_free(line->object);
	for (i = 0; i < 2; i++) {
		g_string_free(line->fields[i], TRUE);
		g_string_free(line->functions[i], TRUE);
	}
	g_free(line);
}

static void verify_operation_free(void *p)
{
	struct verify_operation *operation = p;

	g_free(operation->name);
	g_ptr_array_unref(operation->lines);
	g_free(operation);
}

void verify_free(struct verify *verify)
{
	g_free(verify->folder);
	g_free(verify->kernel);
	g_ptr_array_unref(verify->operations);
	g_free(verify);
}

/* ---- lines ---- */

static struct verify_line *line_of(struct verify_operation *operation,
				   const char *object, u32 number,
				   const struct object_group *group)
{
	bool any = group && group->any_line;
	struct verify_line *line;
	u32 i;

	for (i = 0; i < operation->lines->len; i++) {
		line = operation->lines->pdata[i];
		if (g_str_equal(line->object, object) &&
		    (any || line->line == number))
			return line;
	}
	line = g_new0(struct verify_line, 1);
	line->object = g_strdup(object);
	line->line = number;
	line->any_line = any;
	line->reason = group && !group->modelled ? group->row->reason : NULL;
	for (i = 0; i < 2; i++) {
		line->fields[i] = g_string_new(NULL);
		line->functions[i] = g_string_new(NULL);
	}
	g_ptr_array_add(operation->lines, line);
	return line;
}

static void append(GString *list, const char *more, const char *separator)
{
	if (list->len && *more)
		g_string_append(list, separator);
	g_string_append(list, more);
}

/* ---- the truth ---- */

enum { OP_NAME, OP_INSNS };
static const char *const operation_columns[] = {
	"op", "insns", "insns_minus_null_syscall", NULL
};

enum { L_OPERATION, L_CLASS, L_OBJECT, L_LINE, L_READS, L_WRITES, L_ATOMICS,
       L_FIELDS, L_FUNCTIONS };
static const char *const line_columns[] = {
	"operation", "class", "object", "line", "reads", "writes", "atomics",
	"fields", "functions", NULL
};

static struct verify_operation *find_operation(const struct verify *verify,
					       const char *name)
{
	u32 i;

	for (i = 0; i < verify->operations->len; i++) {
		struct verify_operation *o = verify->operations->pdata[i];

		if (g_str_equal(o->name, name))
			return o;
	}
	return NULL;
}

static bool add_operation(struct verify *verify, const struct tsv *tsv,
			  const struct tsv_row *row, GError **error)
{
	const char *name = row->fields[OP_NAME];
	g_autoptr(GError) unknown = NULL;
	struct verify_operation *operation;
	u64 instructions;

	if (!tsv_number(tsv, row, OP_INSNS, &instructions, error))
		return false;
	if (!instructions)
		return tsv_wrong(tsv, row, error, "an operation of 0 "
				 "instructions is none");
	if (!operation_find(name, &unknown))
		return tsv_wrong(tsv, row, error, "%s", unknown->message);
	if (find_operation(verify, name))
		return tsv_wrong(tsv, row, error, "%s stands here twice", name);
	operation = g_new0(struct verify_operation, 1);
	operation->name = g_strdup(name);
	operation->instructions_truth = instructions;
	operation->lines = g_ptr_array_new_with_free_func(line_free);
	g_ptr_array_add(verify->operations, operation);
	return true;
}

static bool read_operations(struct verify *verify, GError **error)
{
	g_autofree char *path = g_build_filename(verify->folder,
						 "operations.tsv", NULL);
	g_autoptr(Tsv) tsv = tsv_read(path, operation_columns, error);
	u32 i;

	for (i = 0; tsv && i < tsv->rows->len; i++)
		if (!add_operation(verify, tsv, tsv->rows->pdata[i], error))
			return false;
	return tsv != NULL;
}

static bool add_line(struct verify *verify, const struct tsv *tsv,
		     const struct tsv_row *row, const struct object_map *map,
		     GError **error)
{
	char **f = row->fields;
	struct verify_operation *operation =
		find_operation(verify, f[L_OPERATION]);
	const struct object_group *group;
	struct verify_line *line;
	u64 number, writes, atomics;

	if (!operation)
		return tsv_wrong(tsv, row, error, "operation '%.60s' does not "
				 "stand in operations.tsv", f[L_OPERATION]);
	operation->has_lines = true;
	if (!class_is_counted(f[L_CLASS]))
		return true;
	if (!tsv_number(tsv, row, L_LINE, &number, error) ||
	    !tsv_number(tsv, row, L_WRITES, &writes, error) ||
	    !tsv_number(tsv, row, L_ATOMICS, &atomics, error))
		return false;
	group = object_map_truth(map, f[L_OBJECT], f[L_FUNCTIONS]);
	if (!group)
		return tsv_wrong(tsv, row, error, "no row of objects.tsv "
				 "covers the object '%.60s'; add one", 
				 f[L_OBJECT]);
	line = line_of(operation, group->name, (u32)number, group);
	line->in_truth = true;
	line->truth_written |= writes > 0;
	line->truth_atomic |= atomics > 0;
	append(line->fields[0], f[L_FIELDS], "; ");
	append(line->functions[0], f[L_FUNCTIONS], ", ");
	return true;
}

static bool read_lines(struct verify *verify, const struct object_map *map,
		       GError **error)
{
	g_autofree char *path = g_build_filename(verify->folder, "lines.tsv",
						 NULL);
	g_autoptr(Tsv) tsv = NULL;
	u32 i;

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		return true;	/* it holds the model to its instructions */
	verify->has_lines = true;
	tsv = tsv_read(path, line_columns, error);
	for (i = 0; tsv && i < tsv->rows->len; i++)
		if (!add_line(verify, tsv, tsv->rows->pdata[i], map, error))
			return false;
	return tsv != NULL;
}

/* Keeps the operations that were asked for. */
static bool select_operations(struct verify *verify, const char *const *only,
			      GError **error)
{
	u32 i;

	for (i = 0; only && only[i]; i++) {
		if (!operation_find(only[i], error))
			return false;
		if (find_operation(verify, only[i]))
			continue;
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
			    "%s/operations.tsv: has no %s", verify->folder,
			    only[i]);
		return false;
	}
	for (i = 0; only && i < verify->operations->len;) {
		const struct verify_operation *o = verify->operations->pdata[i];

		if (g_strv_contains(only, o->name))
			i++;
		else
			g_ptr_array_remove_index(verify->operations, i);
	}
	return true;
}

struct verify *verify_read(const char *folder, const char *const *only,
			   const struct object_map *map, GError **error)
{
	g_autoptr(Verify) verify = g_new0(struct verify, 1);

	verify->folder = g_strdup(folder);
	verify->operations =
		g_ptr_array_new_with_free_func(verify_operation_free);
	if (!read_operations(verify, error) ||
	    !read_lines(verify, map, error) ||
	    !select_operations(verify, only, error))
		return NULL;
	return g_steal_pointer(&verify);
}

/* ---- the model ---- */

static void add_model_line(struct verify_operation *of,
			   const struct operation_line *from,
			   const struct object_map *map)
{
	const struct object_row *row = object_map_type(map, from->type);
	g_autofree char *fields = NULL, *functions = NULL;
	struct verify_line *line;

	if (row && !row->group->counted)
		return;
	line = line_of(of, row ? row->group->name : from->type, from->line,
		       row ? row->group : NULL);
	fields = operation_fields(from);
	functions = operation_callers(from);
	line->in_model = true;
	line->model_written |= from->count[ACCESS_WRITE] > 0;
	line->model_atomic |= from->count[ACCESS_ATOMIC] > 0;
	append(line->fields[1], fields, "; ");
	append(line->functions[1], functions, ", ");
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	const struct verify_line *x = *(void *const *)a;
	const struct verify_line *y = *(void *const *)b;
	int order = strcmp(x->object, y->object);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void score(struct verify *verify, struct verify_operation *of)
{
	u32 i;

	for (i = 0; i < of->lines->len; i++) {
		const struct verify_line *l = of->lines->pdata[i];

		of->truth += l->in_truth;
		of->model += l->in_model;
		if (!l->in_truth || !l->in_model)
			continue;
		of->common++;
		of->flags += l->truth_written == l->model_written &&
			     l->truth_atomic == l->model_atomic;
	}
	verify->truth += of->truth;
	verify->model += of->model;
	verify->common += of->common;
	verify->flags += of->flags;
}

void verify_add_model(struct verify *verify, struct verify_operation *of,
		      const struct operation *operation,
		      const struct object_map *map)
{
	u32 i;

	of->modelled = operation->modelled;
	if (!of->modelled)
		return;
	of->instructions = operation->instructions;
	if (!of->has_lines)
		return;
	for (i = 0; i < operation->lines->len; i++)
		add_model_line(of, operation->lines->pdata[i], map);
	g_ptr_array_sort(of->lines, compare_lines);
	score(verify, of);
}

struct verify *verify_run(const char *folder, const char *const *only,
			  const struct operation_setup *setup,
			  const struct object_map *map, GError **error)
{
	g_autoptr(Verify) verify = verify_read(folder, only, map, error);
	u32 i;

	if (!verify)
		return NULL;
	verify->kernel = g_strdup(setup->kernel);
	for (i = 0; i < verify->operations->len; i++) {
		struct verify_operation *of = verify->operations->pdata[i];
		g_autoptr(Operation) operation =
			operation_run(setup, operation_find(of->name, NULL),
				      map, error);

		if (!operation)
			return NULL;
		verify_add_model(verify, of, operation, map);
	}
	return g_steal_pointer(&verify);
}
