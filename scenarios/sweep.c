/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sweep.  A point is a number in a mixed base, whose digits are the items
 * of the keys; those with names come after all of these.
 */
#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <string.h>

struct named_point {
	char *name;
	GPtrArray *assignments;	/* struct assignment * */
};

struct sweep {
	GPtrArray *axes;	/* GPtrArray * of struct assignment * each */
	GPtrArray *points;	/* char *, of the cross product */
	GPtrArray *named;	/* struct named_point * */
};

static void named_point_free(void *data)
{
	struct named_point *point = data;

	g_free(point->name);
	g_ptr_array_unref(point->assignments);
	g_free(point);
}

static void axis_free(void *axis)
{
	g_ptr_array_unref(axis);
}

struct sweep *sweep_new(void)
{
	struct sweep *sweep = g_new0(struct sweep, 1);

	sweep->axes = g_ptr_array_new_with_free_func(axis_free);
	sweep->points = g_ptr_array_new_with_free_func(g_free);
	sweep->named = g_ptr_array_new_with_free_func(named_point_free);
	g_ptr_array_add(sweep->points, g_strdup(""));
	return sweep;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	g_ptr_array_unref(sweep->axes);
	g_ptr_array_unref(sweep->points);
	g_ptr_array_unref(sweep->named);
	g_free(sweep);
}

/* Gives the last item of an axis its canonical value. */
static gboolean settle_item(GPtrArray *axis, const char *path, GError **error)
{
	struct assignment *item = axis->pdata[axis->len - 1];

	if (strlen(item->value) > SWEEP_MAX_ITEM)
		return fail_at(item->place, SCENARIO_ERROR_VALUE, error,
			       "a value of '%.60s' is longer than %d bytes",
			       path, SWEEP_MAX_ITEM);
	if (item->key) {
		char *value = value_canonical(item->key, item->value,
					      item->place, error);

		if (!value)
			return FALSE;
		g_free(item->value);
		item->value = value;
	}
	for (guint i = 0; i + 1 < axis->len; i++) {
		const struct assignment *other = axis->pdata[i];

		if (strcmp(other->value, item->value) == 0)
			return fail_at(item->place, SCENARIO_ERROR_VALUE,
				       error, "'%.60s' stands twice in "
				       "'%.60s'; keep one", item->value,
				       path);
	}
	return TRUE;
}

static gboolean read_axis(struct sweep *sweep, const struct strict_entry *entry,
			  struct place place, GError **error)
{
	g_autofree char *what = g_strdup_printf("'%s'", entry->key);
	g_auto(GStrv) items = read_list(what, entry->value, place, error);
	GPtrArray *axis;

	if (!items)
		return FALSE;
	if (!*items)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' has no values; give some, parted by "
			       "';'", entry->key);
	if ((guint64)g_strv_length(items) * sweep->points->len >
	    SWEEP_MAX_POINTS)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "with '%.60s' the sweep has more than %d "
			       "points; give fewer values", entry->key,
			       SWEEP_MAX_POINTS);

	if (sweep->axes->len == SWEEP_MAX_KEYS)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "more than %d keys in [sweep]", SWEEP_MAX_KEYS);

	axis = g_ptr_array_new_with_free_func(assignment_free);
	g_ptr_array_add(sweep->axes, axis);
	for (char **item = items; *item; item++) {
		struct assignment *assignment =
			assignment_from_path(entry->key, *item, "[sweep]",
					     place, error);

		if (!assignment)
			return FALSE;
		g_ptr_array_add(axis, assignment);
		if (!settle_item(axis, entry->key, error))
			return FALSE;
	}
	return TRUE;
}

/* Every old point with every item of the last axis. */
static void multiply_points(struct sweep *sweep)
{
	const GPtrArray *axis = sweep->axes->pdata[sweep->axes->len - 1];
	GPtrArray *points = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < sweep->points->len; i++) {
		for (guint j = 0; j < axis->len; j++) {
			const struct assignment *item = axis->pdata[j];
			g_autofree char *path = assignment_path(item);
			GString *text = g_string_new(sweep->points->pdata[i]);

			overrides_append(text, path, item->value);
			g_ptr_array_add(points, g_string_free(text, FALSE));
		}
	}
	g_ptr_array_unref(sweep->points);
	sweep->points = points;
}

char *sweep_group_of(const struct sweep *sweep, const struct assignment *like)
{
	for (guint i = 0; i < sweep->axes->len; i++) {
		const GPtrArray *axis = sweep->axes->pdata[i];

		if (assignment_same_key(axis->pdata[0], like))
			return g_strdup("[sweep]");
	}
	for (guint i = 0; i < sweep->named->len; i++) {
		const struct named_point *point = sweep->named->pdata[i];

		if (assignment_find(point->assignments, like))
			return g_strdup_printf("[point %s]", point->name);
	}
	return NULL;
}

/* "seed" and "scenario.seed" are one key. */
static gboolean check_last_axis(const struct sweep *sweep, struct place place,
				GError **error)
{
	const GPtrArray *last = sweep->axes->pdata[sweep->axes->len - 1];

	for (guint i = 0; i + 1 < sweep->axes->len; i++) {
		const GPtrArray *axis = sweep->axes->pdata[i];
		const struct assignment *a = axis->pdata[0];

		if (assignment_same_key(a, last->pdata[0]))
			return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
				       "'%s.%.60s' is swept on line %u "
				       "already; keep one", a->group, a->name,
				       a->place.line);
	}
	return TRUE;
}

gboolean sweep_read(struct sweep *sweep, const struct strict_file *file,
		    const struct strict_group *group, GError **error)
{
	for (guint i = 0; i < group->entries->len; i++) {
		const struct strict_entry *entry = group->entries->pdata[i];
		struct place place = strict_place(file, entry->line);

		if (!read_axis(sweep, entry, place, error) ||
		    !check_last_axis(sweep, place, error))
			return FALSE;
		multiply_points(sweep);
	}
	return TRUE;
}

gboolean sweep_add(struct sweep *sweep, const char *name,
		   GPtrArray *assignments, struct place place, GError **error)
{
	struct named_point *point = g_new0(struct named_point, 1);

	point->name = g_strdup(name);
	point->assignments = assignments;
	g_ptr_array_add(sweep->named, point);
	if (sweep->named->len > SWEEP_MAX_NAMED)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "more than %d points with names",
			       SWEEP_MAX_NAMED);
	return TRUE;
}

guint sweep_num_points(const struct sweep *sweep)
{
	return sweep->points->len + sweep->named->len;
}

static const struct named_point *named_point(const struct sweep *sweep,
					     guint point)
{
	g_assert(point < sweep_num_points(sweep));
	return point < sweep->points->len ? NULL :
	       sweep->named->pdata[point - sweep->points->len];
}

const char *sweep_point(const struct sweep *sweep, guint point)
{
	const struct named_point *named = named_point(sweep, point);

	return named ? named->name : sweep->points->pdata[point];
}

GPtrArray *sweep_assignments(const struct sweep *sweep, guint point)
{
	const struct named_point *named = named_point(sweep, point);
	GPtrArray *assignments = g_ptr_array_new();

	if (named) {
		g_ptr_array_extend(assignments, named->assignments, NULL, NULL);
		return assignments;
	}
	for (guint i = sweep->axes->len; i--;) {
		const GPtrArray *axis = sweep->axes->pdata[i];

		g_ptr_array_insert(assignments, 0,
				   axis->pdata[point % axis->len]);
		point /= axis->len;
	}
	return assignments;
}
