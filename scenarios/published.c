/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Published figures: a metric, and the runs before and after, as numbers in
 * the order given.
 */
#include "scenarios/published.h"
#include "scenarios/value.h"

#include <string.h>

static const char *const published_keys[] = {
	"metric", "before", "after", NULL
};

static gboolean check_keys(const struct strict_file *file,
			   const struct strict_group *group, GError **error)
{
	struct place place;

	for (guint i = 0; i < group->entries->len; i++) {
		const struct strict_entry *entry = group->entries->pdata[i];
		const char *near;

		if (g_strv_contains(published_keys, entry->key))
			continue;
		place = strict_place(file, entry->line);
		near = nearest_name(entry->key, published_keys);
		if (near)
			return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
				       "unknown key '%.60s' in [%.60s]; did "
				       "you mean '%s'?", entry->key,
				       group->name, near);
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown key '%.60s' in [%.60s]; it has metric, "
			       "before and after", entry->key, group->name);
	}
	for (const char *const *key = published_keys; *key; key++)
		if (!strict_group_entry(group, *key))
			return fail_at(strict_place(file, group->line),
				       SCENARIO_ERROR_SYNTAX, error,
				       "missing key '%s' in [%.60s]; it needs "
				       "metric, before and after", *key,
				       group->name);
	return TRUE;
}

static gboolean read_metric(const struct strict_entry *entry,
			    struct place place, char **ret, GError **error)
{
	if (!is_name(entry->value, "_") || !g_ascii_isalpha(*entry->value))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of 'metric' is not a metric; write one "
			       "such as elapsed_s ('udpsim list metrics')",
			       entry->value);
	*ret = g_strdup(entry->value);
	return TRUE;
}

static GArray *read_numbers(const struct strict_entry *entry,
			    struct place place, GError **error)
{
	g_autofree char *what = g_strdup_printf("'%s'", entry->key);
	g_auto(GStrv) items = read_list(what, entry->value, place, error);
	g_autoptr(GArray) numbers = NULL;

	if (!items)
		return NULL;
	if (!*items) {
		fail_at(place, SCENARIO_ERROR_VALUE, error,
			"'%s' is empty; give numbers parted by ';'",
			entry->key);
		return NULL;
	}
	numbers = g_array_new(FALSE, FALSE, sizeof(double));
	for (char **item = items; *item; item++) {
		double number;

		if (!read_real(what, *item, place, &number, error))
			return NULL;
		g_array_append_val(numbers, number);
	}
	return g_steal_pointer(&numbers);
}

/* What stands for the point: all but the metric, which may end the name of a
 * group where a point has several. */
static char *row_of(const char *name, const char *metric)
{
	const gsize n = strlen(name), m = strlen(metric);

	if (strcmp(name, metric) == 0)
		return g_strdup("");
	if (n > m + 1 && name[n - m - 1] == ' ' &&
	    strcmp(name + n - m, metric) == 0)
		return g_strndup(name, n - m - 1);
	return g_strdup(name);
}

struct config_published *published_read(const struct strict_file *file,
					const struct strict_group *group,
					const char *name, GError **error)
{
	const struct strict_entry *metric, *before, *after;
	struct config_published *published;

	if (!check_keys(file, group, error))
		return NULL;
	metric = strict_group_entry(group, "metric");
	before = strict_group_entry(group, "before");
	after = strict_group_entry(group, "after");

	published = g_new0(struct config_published, 1);
	if (!read_metric(metric, strict_place(file, metric->line),
			 &published->metric, error))
		goto fail;
	published->row = row_of(name, published->metric);
	published->before = read_numbers(before,
					 strict_place(file, before->line),
					 error);
	if (!published->before)
		goto fail;
	published->after = read_numbers(after, strict_place(file, after->line),
					error);
	if (!published->after)
		goto fail;
	return published;
fail:
	published_free(published);
	return NULL;
}

struct config_published *published_copy(const struct config_published *from)
{
	struct config_published *published =
		g_new0(struct config_published, 1);

	published->row = g_strdup(from->row);
	published->metric = g_strdup(from->metric);
	published->before = g_array_copy(from->before);
	published->after = g_array_copy(from->after);
	return published;
}

void published_free(void *data)
{
	struct config_published *published = data;

	g_free(published->row);
	g_free(published->metric);
	g_clear_pointer(&published->before, g_array_unref);
	g_clear_pointer(&published->after, g_array_unref);
	g_free(published);
}
