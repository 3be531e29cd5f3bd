/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of traces and types of the model; see objects.h. */
#include <string.h>

#include "scenarios/objects.h"
#include "scenarios/tsv.h"

enum { CLASS, OBJECT, FUNCTIONS, TYPES, LINES, REASON };

static const char *const columns[] = {
	"class", "object", "functions", "types", "lines", "reason", NULL
};

static const char *const classes[] = {
	"named", "slab", "percpu", "page", "static", "rodata", "module",
	"kstack", NULL
};

struct object_map {
	GPtrArray *rows;	/* struct object_row * */
	GPtrArray *groups;	/* struct object_group * */
	GHashTable *types;	/* name -> struct object_row *, the first */
};

bool class_is_counted(const char *class)
{
	return g_str_equal(class, "named") || g_str_equal(class, "slab") ||
	       g_str_has_prefix(class, "percpu");
}

static void row_free(void *p)
{
	struct object_row *row = p;

	g_free(row->class);
	g_free(row->object);
	g_strfreev(row->functions);
	g_strfreev(row->types);
	g_free(row->reason);
	g_free(row);
}

static void group_free(void *p)
{
	struct object_group *group = p;

	g_free(group->name);
	g_free(group);
}

void object_map_free(struct object_map *map)
{
	g_ptr_array_unref(map->rows);
	g_ptr_array_unref(map->groups);
	g_hash_table_unref(map->types);
	g_free(map);
}

/* "a,b" as a list; NULL for "-". */
static char **list_of(const char *text)
{
	char **list, **word;

	if (g_str_equal(text, "-"))
		return NULL;
	list = g_strsplit(text, ",", -1);
	for (word = list; *word; word++)
		g_strstrip(*word);
	return list;
}

static bool check_row(const struct tsv *tsv, const struct tsv_row *row,
		      GError **error)
{
	char **f = row->fields;
	u32 i;

	for (i = 0; tsv->columns[i]; i++)
		if (!*f[i])
			return tsv_wrong(tsv, row, error, "column '%s' is "
					 "empty; write '-' where there is "
					 "nothing", tsv->columns[i]);
	if (!g_strv_contains(classes, f[CLASS]))
		return tsv_wrong(tsv, row, error, "no class is called '%.60s'; "
				 "named, slab, percpu, page, static, rodata, "
				 "module and kstack are", f[CLASS]);
	if (!g_str_equal(f[LINES], "exact") && !g_str_equal(f[LINES], "any"))
		return tsv_wrong(tsv, row, error, "'%.60s' is no rule for "
				 "lines; give exact or any", f[LINES]);
	if (g_str_equal(f[OBJECT], "-") && g_str_equal(f[TYPES], "-"))
		return tsv_wrong(tsv, row, error, "neither an object nor a "
				 "type; give one of them at least");
	if (g_str_equal(f[REASON], "-") &&
	    (g_str_equal(f[TYPES], "-") || g_str_equal(f[LINES], "any")))
		return tsv_wrong(tsv, row, error, "say in column 'reason' why "
				 "%s", g_str_equal(f[TYPES], "-") ?
				 "the model leaves it out" :
				 "its lines are a matter of chance");
	return true;
}

/* The group of whoever already has one of the row's types. */
static struct object_group *group_of(const struct object_map *map,
				     const struct object_row *row)
{
	char **type;

	for (type = row->types; type && *type; type++) {
		const struct object_row *other =
			g_hash_table_lookup(map->types, *type);

		if (other)
			return other->group;
	}
	return NULL;
}

static struct object_group *group_new(struct object_map *map,
				      const struct object_row *row)
{
	struct object_group *group = g_new0(struct object_group, 1);

	group->name = g_strdup(row->object ? row->object : row->types[0]);
	group->row = row;
	group->any_line = row->any_line;
	group->modelled = row->types != NULL;
	g_ptr_array_add(map->groups, group);
	return group;
}

/* A row's types that no row before has; one group holds all of them. */
static bool join_group(struct object_map *map, const struct tsv *tsv,
		       const struct tsv_row *from, struct object_row *row,
		       GError **error)
{
	char **type;

	row->group = group_of(map, row);
	if (!row->group)
		row->group = group_new(map, row);
	row->group->counted |= class_is_counted(row->class);
	if (row->group->any_line != row->any_line)
		return tsv_wrong(tsv, from, error, "the rule for lines is not "
				 "that of line %u, whose objects are the same",
				 row->group->row->line);
	for (type = row->types; type && *type; type++) {
		const struct object_row *other =
			g_hash_table_lookup(map->types, *type);

		if (other && other->group != row->group)
			return tsv_wrong(tsv, from, error, "%.60s belongs to "
					 "the objects of line %u already; "
					 "one row must name all types of an "
					 "object", *type, other->line);
		if (!other)
			g_hash_table_insert(map->types, *type, row);
	}
	return true;
}

static bool add_row(struct object_map *map, const struct tsv *tsv,
		    const struct tsv_row *from, GError **error)
{
	struct object_row *row;
	char **f = from->fields;

	if (!check_row(tsv, from, error))
		return false;
	row = g_new0(struct object_row, 1);
	g_ptr_array_add(map->rows, row);
	row->class = g_strdup(f[CLASS]);
	row->object = g_str_equal(f[OBJECT], "-") ? NULL : g_strdup(f[OBJECT]);
	row->functions = list_of(f[FUNCTIONS]);
	row->types = list_of(f[TYPES]);
	row->any_line = g_str_equal(f[LINES], "any");
	row->reason = g_strdup(f[REASON]);
	row->line = from->line;
	return join_group(map, tsv, from, row, error);
}

struct object_map *object_map_load(const char *path, GError **error)
{
	g_autoptr(Tsv) tsv = tsv_read(path, columns, error);
	g_autoptr(ObjectMap) map = NULL;
	u32 i;

	if (!tsv)
		return NULL;
	map = g_new0(struct object_map, 1);
	map->rows = g_ptr_array_new_with_free_func(row_free);
	map->groups = g_ptr_array_new_with_free_func(group_free);
	map->types = g_hash_table_new(g_str_hash, g_str_equal);
	for (i = 0; i < tsv->rows->len; i++)
		if (!add_row(map, tsv, tsv->rows->pdata[i], error))
			return NULL;
	return g_steal_pointer(&map);
}

/* ---- looking up ---- */

/*
 * "kmem_cache[UDP].cpu_slab" is "kmem_cache.cpu_slab"; what a parenthesis
 * says goes too.  `qualifier` gets what the last brackets hold, or "".
 */
static char *bare_name(const char *object, char **qualifier)
{
	GString *name = g_string_new(NULL), *inside = g_string_new(NULL);
	u32 depth = 0;

	for (; *object; object++) {
		if (*object == '[' || *object == '(') {
			if (!depth++)
				g_string_truncate(inside, 0);
		} else if (depth && (*object == ']' || *object == ')')) {
			depth--;
		} else {
			g_string_append_c(depth ? inside : name, *object);
		}
	}
	*qualifier = g_string_free(inside, FALSE);
	return g_strstrip(g_string_free(name, FALSE));
}

/* Does a pattern match one of "a:3, b:1"? */
static bool names_function(const char *const *patterns, const char *functions)
{
	g_auto(GStrv) list = g_strsplit(functions, ",", -1);
	char **word;

	for (word = list; *word; word++) {
		char *colon = strrchr(*word, ':');
		u32 i;

		if (colon)
			*colon = '\0';
		g_strstrip(*word);
		for (i = 0; patterns[i]; i++)
			if (g_pattern_match_simple(patterns[i], *word))
				return true;
	}
	return false;
}

static bool row_matches(const struct object_row *row, const char *name,
			const char *qualifier, const char *functions)
{
	if (!row->object || !g_pattern_match_simple(row->object, name))
		return false;
	if (!row->functions ||
	    names_function((const char *const *)row->functions, functions))
		return true;
	/* What the model prints says the type in brackets. */
	return row->types && g_strv_contains((const char *const *)row->types,
					     qualifier);
}

const struct object_group *object_map_truth(const struct object_map *map,
					    const char *object,
					    const char *functions)
{
	g_autofree char *qualifier = NULL;
	g_autofree char *name = bare_name(object, &qualifier);
	const struct object_row *row;
	u32 i;

	for (i = 0; i < map->rows->len; i++) {
		row = map->rows->pdata[i];
		if (row_matches(row, name, qualifier, functions))
			return row->group;
	}
	row = object_map_type(map, name);	/* the model's own name for it */
	return row ? row->group : NULL;
}

const struct object_row *object_map_type(const struct object_map *map,
					 const char *type)
{
	return g_hash_table_lookup(map->types, type);
}

const GPtrArray *object_map_rows(const struct object_map *map)
{
	return map->rows;
}
