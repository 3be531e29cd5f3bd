/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From layers of assignments to a struct config, and the end of a config.
 */
#include "scenarios/layers.h"
#include "scenarios/network.h"
#include "scenarios/value.h"

#include <string.h>

void layers_init(struct layers *layers, const struct strict_file *file)
{
	memset(layers, 0, sizeof(*layers));
	layers->file = file;
	layers->settings = g_ptr_array_new();
	layers->overrides = g_ptr_array_new();
}

void layers_clear(struct layers *layers)
{
	g_ptr_array_unref(layers->settings);
	g_ptr_array_unref(layers->overrides);
}

/* Puts an assignment in the place of the one for the same key, or at the
 * end. */
static void put(GPtrArray *list, struct assignment *assignment)
{
	for (guint i = 0; i < list->len; i++) {
		if (assignment_same_key(list->pdata[i], assignment)) {
			list->pdata[i] = assignment;
			return;
		}
	}
	g_ptr_array_add(list, assignment);
}

void layers_lay(struct layers *layers, const GPtrArray *assignments,
		gboolean override)
{
	for (guint i = 0; i < assignments->len; i++) {
		struct assignment *assignment = assignments->pdata[i];

		if (assignment->key)
			layers->values[assignment->key - known_keys] =
				assignment;
		else
			put(layers->settings, assignment);
		if (override)
			put(layers->overrides, assignment);
	}
}

/* ---- reading ---- */

static gboolean missing(const struct layers *layers, const struct key *key,
			GError **error)
{
	const struct strict_group *group = strict_file_group(layers->file,
							     key->group);
	struct place place = strict_place(layers->file, group ? group->line :
					  layers->file->lines);

	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "missing key '%s' in [%s]%s; write '%s = ...': %s",
		       key->name, key->group, group ? "" :
		       ", a group that is missing too", key->name, key->help);
}

static gboolean read_values(const struct layers *layers, struct config *config,
			    GError **error)
{
	struct place place = strict_place(layers->file, 0);

	for (size_t i = 0; i < NUM_KEYS; i++) {
		const struct key *key = &known_keys[i];
		const struct assignment *a = layers->values[i];

		if (!a && !key->value)
			return missing(layers, key, error);
		if (!value_read(key, a ? a->value : key->value,
				a ? a->place : place, config, error))
			return FALSE;
	}
	return TRUE;
}

static void setting_free(void *data)
{
	struct config_setting *setting = data;

	g_free(setting->key);
	g_free(setting->value);
	g_free(setting);
}

static void origin_free(void *data)
{
	struct config_origin *origin = data;

	g_free(origin->key);
	g_free(origin->where);
	g_free(origin);
}

static void add_origin(struct config *config, const struct assignment *a)
{
	struct config_origin *origin = g_new0(struct config_origin, 1);

	origin->key = assignment_path(a);
	origin->where = place_text(a->place);
	g_ptr_array_add(config->origins, origin);
}

static void read_settings(const struct layers *layers, struct config *config)
{
	config->layout = g_ptr_array_new_with_free_func(setting_free);
	config->parameters = g_ptr_array_new_with_free_func(setting_free);
	for (guint i = 0; i < layers->settings->len; i++) {
		const struct assignment *a = layers->settings->pdata[i];
		struct config_setting *setting =
			g_new0(struct config_setting, 1);

		setting->key = g_strdup(a->name);
		setting->value = g_strdup(a->value);
		setting->line = a->place.line;
		g_ptr_array_add(strcmp(a->group, "layout") == 0 ?
				config->layout : config->parameters, setting);
		add_origin(config, a);
	}
}

/* The first entry is the file itself, for keys that have their default. */
static void read_origins(const struct layers *layers, struct config *config)
{
	struct config_origin *file = g_new0(struct config_origin, 1);

	config->origins = g_ptr_array_new_with_free_func(origin_free);
	file->key = g_strdup("");
	file->where = g_strdup(layers->file->name);
	g_ptr_array_add(config->origins, file);
	for (size_t i = 0; i < NUM_KEYS; i++)
		if (layers->values[i])
			add_origin(config, layers->values[i]);
}

const char *config_where(const struct config *config, const char *key)
{
	const struct config_origin *origin;

	for (guint i = 0; i < config->origins->len; i++) {
		origin = config->origins->pdata[i];
		if (strcmp(origin->key, key) == 0)
			return origin->where;
	}
	origin = config->origins->pdata[0];
	return origin->where;
}

static char *overrides_text(const struct layers *layers,
			    const struct config *config)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < layers->overrides->len; i++) {
		const struct assignment *a = layers->overrides->pdata[i];
		g_autofree char *path = assignment_path(a);
		g_autofree char *value = a->key ? value_text(a->key, config) :
					 g_strdup(a->value);

		overrides_append(text, path, value);
	}
	return g_string_free(text, FALSE);
}

/* ---- checks across keys ---- */

/* Where a key was set; if it was not, its group. */
static struct place place_of(const char *name, void *data)
{
	const struct layers *layers = data;
	const struct strict_group *group;
	size_t i = 0;

	while (strcmp(known_keys[i].name, name) != 0)
		i++;
	if (layers->values[i])
		return layers->values[i]->place;
	group = strict_file_group(layers->file, known_keys[i].group);
	return strict_place(layers->file, group ? group->line : 0);
}

struct config *layers_config(const struct layers *layers, GError **error)
{
	g_autoptr(Config) config = g_new0(struct config, 1);

	if (!read_values(layers, config, error) ||
	    !network_check(config, place_of, (void *)layers, error))
		return NULL;
	read_origins(layers, config);
	read_settings(layers, config);
	config->overrides = overrides_text(layers, config);
	return g_steal_pointer(&config);
}

void config_free(struct config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < NUM_KEYS; i++)
		value_clear(&known_keys[i], config);
	g_free(config->variant);
	g_free(config->point);
	g_free(config->overrides);
	g_clear_pointer(&config->origins, g_ptr_array_unref);
	g_clear_pointer(&config->layout, g_ptr_array_unref);
	g_clear_pointer(&config->parameters, g_ptr_array_unref);
	g_clear_pointer(&config->published, g_ptr_array_unref);
	g_free(config);
}
