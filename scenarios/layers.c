/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From layers of assignments to a struct config, and the end of a config.
 */
#include "scenarios/layers.h"
#include "scenarios/network.h"
#include "scenarios/value.h"

#include <string.h>

static void named_free(void *data)
{
	struct layers_named *named = data;

	g_free(named->group);
	g_free(named);
}

/* The groups of hosts and links: a host may be there without any key. */
static void find_named(struct layers *layers)
{
	const GPtrArray *groups = layers->file->groups;

	for (guint i = 0; i < groups->len; i++) {
		const struct strict_group *group = groups->pdata[i];
		g_autofree char *name = named_group(group->name);
		struct layers_named *named;

		if (!name)
			continue;
		named = g_new0(struct layers_named, 1);
		named->group = g_steal_pointer(&name);
		named->in_file = group;
		g_ptr_array_add(layers->named, named);
	}
}

void layers_init(struct layers *layers, const struct strict_file *file)
{
	memset(layers, 0, sizeof(*layers));
	layers->file = file;
	layers->named = g_ptr_array_new_with_free_func(named_free);
	layers->settings = g_ptr_array_new();
	layers->overrides = g_ptr_array_new();
	find_named(layers);
}

void layers_clear(struct layers *layers)
{
	g_ptr_array_unref(layers->named);
	g_ptr_array_unref(layers->settings);
	g_ptr_array_unref(layers->overrides);
}

/* ---- laying ---- */

/* The values of a group: "workload", "host.client"; NULL where the file has no
 * such host or link. */
static const struct assignment **values_of(const struct layers *layers,
					   const char *group)
{
	if (!strchr(group, '.'))
		return ((struct layers *)layers)->values;
	for (guint i = 0; i < layers->named->len; i++) {
		struct layers_named *named = layers->named->pdata[i];

		if (strcmp(named->group, group) == 0)
			return named->values;
	}
	return NULL;
}

static gboolean no_such(const struct layers *layers,
			const struct assignment *assignment, GError **error)
{
	g_autofree char *kind = group_kind(assignment->group);
	const char *name = assignment->group + strlen(kind) + 1;
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < layers->named->len; i++) {
		struct layers_named *named = layers->named->pdata[i];

		if (g_str_has_prefix(named->group, kind))
			g_ptr_array_add(names, named->group + strlen(kind) + 1);
	}
	g_ptr_array_add(names, NULL);
	near = nearest_name(name, (const char *const *)names->pdata);
	if (near)
		return fail_at(assignment->place, SCENARIO_ERROR_VALUE, error,
			       "there is no %s '%.60s'; did you mean '%s'?",
			       kind, name, near);
	return fail_at(assignment->place, SCENARIO_ERROR_VALUE, error, "there "
		       "is no %s '%.60s'; describe it in [%s %.60s] of the "
		       "file", kind, name, kind, name);
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

gboolean layers_lay(struct layers *layers, const GPtrArray *assignments,
		    gboolean override, GError **error)
{
	for (guint i = 0; i < assignments->len; i++) {
		struct assignment *assignment = assignments->pdata[i];
		const struct assignment **values =
			values_of(layers, assignment->group);

		if (!values)
			return no_such(layers, assignment, error);
		if (assignment->key)
			values[assignment->key - known_keys] = assignment;
		else
			put(layers->settings, assignment);
		if (override)
			put(layers->overrides, assignment);
	}
	return TRUE;
}

/* ---- reading ---- */

static gboolean missing(const struct layers *layers, const struct key *key,
			const struct strict_group *group, GError **error)
{
	struct place place = strict_place(layers->file, group ? group->line :
					  layers->file->lines);

	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "missing key '%s' in [%.60s]%s; write '%s = ...': %s",
		       key->name, group ? group->name : key->group, group ? "" :
		       ", a group that is missing too", key->name, key->help);
}

/* The key of [scenario] that a host's stands for, or NULL. */
static const struct key *inherited(const struct key *key)
{
	return strcmp(key->group, "host") == 0 && !key->value ?
		key_find("scenario", key->name) : NULL;
}

/* TRUE where every host has its own, so that [scenario] needs none. */
static gboolean hosts_have(const struct layers *layers, const struct key *key)
{
	gboolean any = FALSE;

	for (guint i = 0; i < layers->named->len; i++) {
		const struct layers_named *named = layers->named->pdata[i];
		const struct key *own = key_find(named->group, key->name);

		if (!own || inherited(own) != key)
			continue;
		if (!named->values[own - known_keys])
			return FALSE;
		any = TRUE;
	}
	return any;
}

static gboolean read_values(const struct layers *layers, struct config *config,
			    GError **error)
{
	struct place place = strict_place(layers->file, 0);

	for (size_t i = 0; i < NUM_KEYS; i++) {
		const struct key *key = &known_keys[i];
		const struct assignment *a = layers->values[i];

		if (group_is_named(key->group) ||
		    (!a && !key->value && hosts_have(layers, key)))
			continue;
		if (!a && !key->value)
			return missing(layers, key,
				       strict_file_group(layers->file,
							 key->group), error);
		if (!value_read(key, a ? a->value : key->value,
				a ? a->place : place, config, error))
			return FALSE;
	}
	return TRUE;
}

/* Reads the keys of one host or link into its struct. */
static gboolean read_named(const struct layers *layers,
			   const struct layers_named *named, const char *kind,
			   void *base, GError **error)
{
	for (size_t i = 0; i < NUM_KEYS; i++) {
		const struct key *key = &known_keys[i];
		const struct key *other = inherited(key);
		const struct assignment *a = named->values[i];
		const char *text = key->value;

		if (strcmp(key->group, kind) != 0)
			continue;
		if (!a && other) {
			a = layers->values[other - known_keys];
			text = other->value;
		}
		if (!a && !text)
			return missing(layers, key, named->in_file, error);
		if (!value_read(key, a ? a->value : text,
				a ? a->place : strict_place(layers->file, 0),
				base, error))
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
	for (guint i = 0; i < layers->named->len; i++) {
		const struct layers_named *named = layers->named->pdata[i];

		for (size_t j = 0; j < NUM_KEYS; j++)
			if (named->values[j])
				add_origin(config, named->values[j]);
	}
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

static gboolean was_set(const struct config *config, const char *key)
{
	for (guint i = 1; i < config->origins->len; i++) {
		const struct config_origin *origin = config->origins->pdata[i];

		if (strcmp(origin->key, key) == 0)
			return TRUE;
	}
	return FALSE;
}

const char *config_host_where(const struct config *config,
			      const struct config_host *host, const char *key)
{
	g_autofree char *own = g_strdup_printf("host.%s.%s", host->name, key);
	g_autofree char *other = NULL;

	if (was_set(config, own))
		return config_where(config, own);
	other = g_strconcat(key_find("scenario", key) ? "scenario." :
			    "network.", key, NULL);
	return config_where(config, other);
}

/* The struct that holds a group's keys. */
static const void *base_of(const struct config *config, const char *group)
{
	const char *dot = strchr(group, '.');

	if (!dot)
		return config;
	if (g_str_has_prefix(group, "host."))
		return config_find_host(config, dot + 1);
	return config_find_link(config, dot + 1);
}

static char *overrides_text(const struct layers *layers,
			    const struct config *config)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < layers->overrides->len; i++) {
		const struct assignment *a = layers->overrides->pdata[i];
		g_autofree char *path = assignment_path(a);
		g_autofree char *value = a->key ? value_text(a->key,
					      base_of(config, a->group)) :
					 g_strdup(a->value);

		overrides_append(text, path, value);
	}
	return g_string_free(text, FALSE);
}

/* ---- hosts and links ---- */

static void clear_group(const char *group, void *base)
{
	for (size_t i = 0; i < NUM_KEYS; i++)
		if (strcmp(known_keys[i].group, group) == 0)
			value_clear(&known_keys[i], base);
}

static void host_free(void *data)
{
	struct config_host *host = data;

	clear_group("host", host);
	g_free(host->name);
	g_free(host);
}

static void link_free(void *data)
{
	struct config_link *link = data;

	clear_group("link", link);
	g_free(link->name);
	g_free(link);
}

/* The host that [scenario] and [network] describe. */
static struct config_host *only_host(const struct config *config)
{
	struct config_host *host = g_new0(struct config_host, 1);

	host->name = g_strdup("");
	host->machine = g_strdup(config->machine);
	host->kernel = g_strdup(config->kernel);
	host->patches = g_strdupv(config->patches);
	host->devices = g_ptr_array_ref(config->devices);
	host->addresses = g_ptr_array_ref(config->addresses);
	host->routes = g_ptr_array_ref(config->routes);
	host->neighbours = g_ptr_array_ref(config->neighbours);
	return host;
}

/* Several hosts have a network each, and links have hosts to join. */
static gboolean check_groups(const struct layers *layers,
			     const struct config *config, GError **error)
{
	const struct strict_group *network =
		strict_file_group(layers->file, "network");

	if (config->hosts->len && network)
		return fail_at(strict_place(layers->file, network->line),
			       SCENARIO_ERROR_VALUE, error, "[network] beside "
			       "[host NAME]; each host has its own devices and "
			       "addresses, so move these lines there");
	for (size_t i = 0; config->hosts->len && i < NUM_KEYS; i++) {
		const struct assignment *a = layers->values[i];

		if (a && strcmp(a->group, "network") == 0)
			return fail_at(a->place, SCENARIO_ERROR_VALUE, error,
				       "'network.%s' beside [host NAME]; each "
				       "host has its own, such as 'host.%s.%s'",
				       a->name, ((struct config_host *)
				       config->hosts->pdata[0])->name, a->name);
	}
	for (guint i = 0; !config->hosts->len && i < layers->named->len; i++) {
		const struct layers_named *named = layers->named->pdata[i];

		return fail_at(strict_place(layers->file, named->in_file->line),
			       SCENARIO_ERROR_VALUE, error, "[%.60s] without "
			       "hosts to join; describe them in [host NAME]",
			       named->in_file->name);
	}
	return TRUE;
}

static gboolean read_all_named(const struct layers *layers,
			       struct config *config, GError **error)
{
	for (guint i = 0; i < layers->named->len; i++) {
		const struct layers_named *named = layers->named->pdata[i];
		const char *name = strchr(named->group, '.') + 1;
		struct config_host *host;
		struct config_link *link;

		if (g_str_has_prefix(named->group, "host.")) {
			host = g_new0(struct config_host, 1);
			host->name = g_strdup(name);
			g_ptr_array_add(config->hosts, host);
			if (!read_named(layers, named, "host", host, error))
				return FALSE;
			continue;
		}
		link = g_new0(struct config_link, 1);
		link->name = g_strdup(name);
		g_ptr_array_add(config->links, link);
		if (!read_named(layers, named, "link", link, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean read_hosts(const struct layers *layers, struct config *config,
			   GError **error)
{
	const struct config_host *first;

	config->hosts = g_ptr_array_new_with_free_func(host_free);
	config->links = g_ptr_array_new_with_free_func(link_free);
	if (!read_all_named(layers, config, error) ||
	    !check_groups(layers, config, error))
		return FALSE;
	if (!config->hosts->len)
		g_ptr_array_add(config->hosts, only_host(config));
	first = config->hosts->pdata[0];
	if (!config->machine)
		config->machine = g_strdup(first->machine);
	if (!config->kernel)
		config->kernel = g_strdup(first->kernel);
	return TRUE;
}

struct config_host *config_find_host(const struct config *config,
				     const char *name)
{
	for (guint i = 0; i < config->hosts->len; i++) {
		struct config_host *host = config->hosts->pdata[i];

		if (strcmp(host->name, name) == 0)
			return host;
	}
	return NULL;
}

struct config_link *config_find_link(const struct config *config,
				     const char *name)
{
	for (guint i = 0; i < config->links->len; i++) {
		struct config_link *link = config->links->pdata[i];

		if (strcmp(link->name, name) == 0)
			return link;
	}
	return NULL;
}

struct config_device *config_find_device(const struct config_host *host,
					 const char *name)
{
	for (guint i = 0; i < host->devices->len; i++) {
		struct config_device *device = host->devices->pdata[i];

		if (strcmp(device->name, name) == 0)
			return device;
	}
	return NULL;
}

/* ---- checks across keys ---- */

static const struct strict_group *group_of(const struct layers *layers,
					   const char *group)
{
	g_autofree char *label = group_label(group);

	return strict_file_group(layers->file, label);
}

/* Where a key was set; if it was not, its group. */
static struct place place_of(const char *group, const char *name, void *data)
{
	const struct layers *layers = data;
	const struct assignment *a =
		values_of(layers, group)[key_find(group, name) - known_keys];
	const struct strict_group *in_file = group_of(layers, group);

	if (a)
		return a->place;
	return strict_place(layers->file, in_file ? in_file->line : 0);
}

struct config *layers_config(const struct layers *layers, GError **error)
{
	g_autoptr(Config) config = g_new0(struct config, 1);

	if (!read_values(layers, config, error) ||
	    !read_hosts(layers, config, error) ||
	    !network_check(config, place_of, (void *)layers, error) ||
	    !hosts_check(config, place_of, (void *)layers, error))
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
		if (!group_is_named(known_keys[i].group))
			value_clear(&known_keys[i], config);
	g_free(config->variant);
	g_free(config->point);
	g_free(config->overrides);
	g_clear_pointer(&config->hosts, g_ptr_array_unref);
	g_clear_pointer(&config->links, g_ptr_array_unref);
	g_clear_pointer(&config->origins, g_ptr_array_unref);
	g_clear_pointer(&config->layout, g_ptr_array_unref);
	g_clear_pointer(&config->parameters, g_ptr_array_unref);
	g_clear_pointer(&config->published, g_ptr_array_unref);
	g_free(config);
}
