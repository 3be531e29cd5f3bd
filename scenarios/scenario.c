/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario file: its groups, its variants and its sweep.
 *
 * The parts: strict.c reads the text, assignment.c names keys, sweep.c makes
 * the points, layers.c lays one thing over another and value.c and network.c
 * read values.  A value is read when a config is made; so loading makes every
 * config once, and what has been loaded cannot fail later but for --set.
 */
#include "scenarios/scenario.h"
#include "scenarios/layers.h"
#include "scenarios/published.h"
#include "scenarios/sweep.h"
#include "scenarios/value.h"

#include <string.h>

#define MAX_VARIANTS 100
#define NAMED_MAX 32		/* bytes in the name of a host or link */
#define MAX_CONFIGS 100000	/* variants times points */

struct variant {
	char *name;
	GPtrArray *assignments;
};

struct scenario {
	struct strict_file *file;
	const char *name, *title;	/* in the file */
	GPtrArray *base;		/* struct assignment *, of the file */
	guint num_hosts, num_links;
	GPtrArray *variants;		/* struct variant *, at least one */
	struct sweep *sweep;
	GPtrArray *published;		/* struct config_published * */
};

static void variant_free(void *data)
{
	struct variant *variant = data;

	g_free(variant->name);
	g_ptr_array_unref(variant->assignments);
	g_free(variant);
}

/* ---- groups ---- */

/* name: of the group as paths have it. */
static gboolean read_base(struct scenario *scenario,
			  const struct strict_group *group, const char *name,
			  GError **error)
{
	for (guint i = 0; i < group->entries->len; i++) {
		const struct strict_entry *entry = group->entries->pdata[i];
		struct assignment *assignment =
			assignment_new(name, entry->key, entry->value,
				       strict_place(scenario->file,
						    entry->line), error);

		if (!assignment)
			return FALSE;
		g_ptr_array_add(scenario->base, assignment);
	}
	return TRUE;
}

static gboolean check_named(struct scenario *scenario,
			    const struct strict_group *group, const char *kind,
			    const char *name, GError **error)
{
	gboolean is_host = strcmp(kind, "host") == 0;
	struct place place = strict_place(scenario->file, group->line);
	guint *n = is_host ? &scenario->num_hosts : &scenario->num_links;
	guint max = is_host ? CONFIG_MAX_HOSTS : CONFIG_MAX_LINKS;

	if (!*name)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "a %s without a name; write [%s NAME], such as "
			       "[%s %s]", kind, kind, kind,
			       is_host ? "client" : "wire");
	if (!is_name(name, "_-"))
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "'%.60s' is not the name of a %s; use letters, "
			       "digits, '_' and '-'", name, kind);
	if (strlen(name) > NAMED_MAX)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "the name '%.60s' of a %s is longer than %d "
			       "bytes", name, kind, NAMED_MAX);
	if (++*n > max)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "more than %u %ss", max, kind);
	return TRUE;
}

/* [host NAME] or [link NAME] */
static gboolean read_named(struct scenario *scenario,
			   const struct strict_group *group, const char *kind,
			   const char *name, GError **error)
{
	g_autofree char *path = g_strconcat(kind, ".", name, NULL);

	return check_named(scenario, group, kind, name, error) &&
	       read_base(scenario, group, path, error);
}

/* kind: "variant" or "point" */
static gboolean check_its_name(struct place place, const char *kind,
			       const char *name, const char *example,
			       GError **error)
{
	if (!*name)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "a %s without a name; write [%s NAME], such as "
			       "[%s %s]", kind, kind, kind, example);
	if (!is_name(name, "._-+"))
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "'%.60s' is not the name of a %s; use letters, "
			       "digits, '.', '_', '-' and '+'", name, kind);
	return TRUE;
}

/* The keys of a group in which they are paths. */
static gboolean read_paths(struct scenario *scenario,
			   const struct strict_group *group,
			   GPtrArray *assignments, GError **error)
{
	g_autofree char *where = g_strdup_printf("[%s]", group->name);

	for (guint i = 0; i < group->entries->len; i++) {
		const struct strict_entry *entry = group->entries->pdata[i];
		struct place place = strict_place(scenario->file, entry->line);
		const struct assignment *old;
		struct assignment *assignment =
			assignment_from_path(entry->key, entry->value, where,
					     place, error);

		if (!assignment)
			return FALSE;
		/* "patches" and "scenario.patches" are one key. */
		old = assignment_find(assignments, assignment);
		g_ptr_array_add(assignments, assignment);
		if (old)
			return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
				       "'%.60s' sets the key of line %u "
				       "again; keep one", entry->key,
				       old->place.line);
	}
	return TRUE;
}

static gboolean read_variant(struct scenario *scenario,
			     const struct strict_group *group,
			     const char *name, GError **error)
{
	struct place place = strict_place(scenario->file, group->line);
	struct variant *variant;

	if (!check_its_name(place, "variant", name, "before", error))
		return FALSE;
	if (scenario->variants->len == MAX_VARIANTS)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "more than %d variants", MAX_VARIANTS);
	variant = g_new0(struct variant, 1);
	variant->name = g_strdup(name);
	variant->assignments = g_ptr_array_new_with_free_func(assignment_free);
	g_ptr_array_add(scenario->variants, variant);
	return read_paths(scenario, group, variant->assignments, error);
}

static gboolean read_point(struct scenario *scenario,
			   const struct strict_group *group,
			   const char *name, GError **error)
{
	struct place place = strict_place(scenario->file, group->line);
	g_autoptr(GPtrArray) assignments =
		g_ptr_array_new_with_free_func(assignment_free);

	return check_its_name(place, "point", name, "telephone", error) &&
	       read_paths(scenario, group, assignments, error) &&
	       sweep_add(scenario->sweep, name, g_steal_pointer(&assignments),
			 place, error);
}

static gboolean read_published(struct scenario *scenario,
			       const struct strict_group *group,
			       const char *row, GError **error)
{
	struct config_published *published =
		published_read(scenario->file, group, row, error);

	if (!published)
		return FALSE;
	for (guint i = 0; i < scenario->published->len; i++) {
		const struct config_published *old =
			scenario->published->pdata[i];

		if (strcmp(old->row, published->row) ||
		    strcmp(old->metric, published->metric))
			continue;
		published_free(published);
		return fail_at(strict_place(scenario->file, group->line),
			       SCENARIO_ERROR_SYNTAX, error,
			       "[%.60s] gives %.60s of the same row again; put "
			       "all of its figures into one group",
			       group->name, old->metric);
	}
	g_ptr_array_add(scenario->published, published);
	return TRUE;
}

static gboolean unknown_group(struct scenario *scenario,
			      const struct strict_group *group,
			      const char *word, const char *rest,
			      GError **error)
{
	static const char *const groups[] = {
		"scenario", "workload", "network", "layout", "parameters",
		"sweep", "published", "variant", "point", "host", "link", NULL
	};
	struct place place = strict_place(scenario->file, group->line);
	const char *near = nearest_name(word, groups);

	if (near && *rest && (strcmp(near, "variant") == 0 ||
			      strcmp(near, "point") == 0 ||
			      strcmp(near, "published") == 0 ||
			      group_is_named(near)))
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown group [%.60s]; did you mean [%s "
			       "%.60s]?", group->name, near, rest);
	if (near)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown group [%.60s]; did you mean [%s]?",
			       group->name, near);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown group [%.60s]; the groups are scenario, "
		       "workload, network, host NAME, link NAME, layout, "
		       "parameters, sweep, point NAME, published and variant "
		       "NAME",
		       group->name);
}

static gboolean read_group(struct scenario *scenario,
			   const struct strict_group *group, GError **error)
{
	g_auto(GStrv) words = g_strsplit(group->name, " ", 2);
	const char *word = words[0];
	const char *rest = words[1] ? words[1] : "";

	if (strcmp(word, "variant") == 0)
		return read_variant(scenario, group, rest, error);
	if (strcmp(word, "point") == 0)
		return read_point(scenario, group, rest, error);
	if (strcmp(word, "published") == 0)
		return read_published(scenario, group, rest, error);
	if (group_is_named(word))
		return read_named(scenario, group, word, rest, error);
	if (*rest)
		return unknown_group(scenario, group, word, rest, error);
	if (strcmp(word, "sweep") == 0)
		return sweep_read(scenario->sweep, scenario->file, group,
				  error);
	if (group_has_values(word))
		return read_base(scenario, group, word, error);
	return unknown_group(scenario, group, word, rest, error);
}

/* ---- the whole ---- */

/* A variant that sets a key of a point would not be seen there. */
static gboolean check_overlap(struct scenario *scenario, GError **error)
{
	for (guint i = 0; i < scenario->variants->len; i++) {
		const struct variant *variant = scenario->variants->pdata[i];

		for (guint j = 0; j < variant->assignments->len; j++) {
			const struct assignment *a =
				variant->assignments->pdata[j];
			g_autofree char *group =
				sweep_group_of(scenario->sweep, a);

			if (group)
				return fail_at(a->place,
					       SCENARIO_ERROR_VALUE, error,
					       "'%s.%.60s' is set by %s as "
					       "well; take it out of one",
					       a->group, a->name, group);
		}
	}
	return TRUE;
}

static gboolean check_configs(struct scenario *scenario, GError **error)
{
	guint variants = scenario_num_variants(scenario);
	guint points = scenario_num_points(scenario);

	if ((guint64)variants * points > MAX_CONFIGS)
		return fail_at(strict_place(scenario->file,
					    scenario->file->lines),
			       SCENARIO_ERROR_VALUE, error, "%u variants "
			       "times %u sweep points are more than %d",
			       variants, points, MAX_CONFIGS);
	for (guint i = 0; i < variants; i++) {
		for (guint j = 0; j < points; j++) {
			g_autoptr(Config) config = NULL;

			config = scenario_resolve(scenario, i, j, NULL, error);
			if (!config)
				return FALSE;
		}
	}
	return TRUE;
}

static const char *base_value(const struct scenario *scenario,
			      const char *name)
{
	const struct key *key = key_find("scenario", name);

	for (guint i = 0; i < scenario->base->len; i++) {
		const struct assignment *a = scenario->base->pdata[i];

		if (a->key == key)
			return a->value;
	}
	return "";
}

static gboolean read_file(struct scenario *scenario, GError **error)
{
	const GPtrArray *groups = scenario->file->groups;

	for (guint i = 0; i < groups->len; i++)
		if (!read_group(scenario, groups->pdata[i], error))
			return FALSE;

	if (!scenario->variants->len) {
		struct variant *variant = g_new0(struct variant, 1);

		variant->name = g_strdup("");
		variant->assignments =
			g_ptr_array_new_with_free_func(assignment_free);
		g_ptr_array_add(scenario->variants, variant);
	}
	scenario->name = base_value(scenario, "name");
	scenario->title = base_value(scenario, "title");
	return check_overlap(scenario, error) &&
	       check_configs(scenario, error);
}

struct scenario *scenario_parse(const char *name, const char *text, gsize len,
				GError **error)
{
	struct strict_file *file = strict_file_parse(name, text, len, error);
	g_autoptr(Scenario) scenario = NULL;

	if (!file)
		return NULL;
	scenario = g_new0(struct scenario, 1);
	scenario->file = file;
	scenario->base = g_ptr_array_new_with_free_func(assignment_free);
	scenario->variants = g_ptr_array_new_with_free_func(variant_free);
	scenario->published = g_ptr_array_new_with_free_func(published_free);
	scenario->sweep = sweep_new();
	if (!read_file(scenario, error))
		return NULL;
	return g_steal_pointer(&scenario);
}

struct scenario *scenario_load(const char *path, GError **error)
{
	gsize len;
	g_autofree char *text = strict_read(path, &len, error);

	if (!text)
		return NULL;
	return scenario_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text,
			      len, error);
}

void scenario_free(struct scenario *scenario)
{
	if (!scenario)
		return;
	strict_file_free(scenario->file);
	g_ptr_array_unref(scenario->base);
	g_ptr_array_unref(scenario->variants);
	g_ptr_array_unref(scenario->published);
	sweep_free(scenario->sweep);
	g_free(scenario);
}

/* ---- asking ---- */

const char *scenario_name(const struct scenario *scenario)
{
	return scenario->name;
}

const char *scenario_title(const struct scenario *scenario)
{
	return scenario->title;
}

const char *scenario_text(const struct scenario *scenario)
{
	return scenario->file->text;
}

unsigned int scenario_num_variants(const struct scenario *scenario)
{
	return scenario->variants->len;
}

const char *scenario_variant(const struct scenario *scenario, unsigned int i)
{
	const struct variant *variant;

	g_assert(i < scenario->variants->len);
	variant = scenario->variants->pdata[i];
	return variant->name;
}

unsigned int scenario_num_points(const struct scenario *scenario)
{
	return sweep_num_points(scenario->sweep);
}

const char *scenario_point(const struct scenario *scenario, unsigned int i)
{
	return sweep_point(scenario->sweep, i);
}

/* ---- resolving ---- */

static GPtrArray *read_sets(char **sets, GError **error)
{
	g_autoptr(GPtrArray) assignments =
		g_ptr_array_new_with_free_func(assignment_free);

	for (; sets && *sets; sets++) {
		struct assignment *assignment = assignment_from_set(*sets,
								    error);

		if (!assignment)
			return NULL;
		g_ptr_array_add(assignments, assignment);
	}
	return g_steal_pointer(&assignments);
}

static GPtrArray *copy_published(const GPtrArray *from)
{
	GPtrArray *copy = g_ptr_array_new_with_free_func(published_free);

	for (guint i = 0; i < from->len; i++)
		g_ptr_array_add(copy, published_copy(from->pdata[i]));
	return copy;
}

struct config *scenario_resolve(const struct scenario *scenario,
				unsigned int variant, unsigned int point,
				char **sets, GError **error)
{
	g_autoptr(GPtrArray) options = read_sets(sets, error);
	g_autoptr(GPtrArray) swept = NULL;
	const struct variant *v;
	struct layers layers;
	struct config *config = NULL;

	if (!options)
		return NULL;
	g_assert(variant < scenario->variants->len);
	v = scenario->variants->pdata[variant];
	swept = sweep_assignments(scenario->sweep, point);

	layers_init(&layers, scenario->file);
	if (layers_lay(&layers, scenario->base, FALSE, error) &&
	    layers_lay(&layers, v->assignments, TRUE, error) &&
	    layers_lay(&layers, swept, TRUE, error) &&
	    layers_lay(&layers, options, TRUE, error))
		config = layers_config(&layers, error);
	layers_clear(&layers);
	if (!config)
		return NULL;

	config->variant = g_strdup(v->name);
	config->point = g_strdup(sweep_point(scenario->sweep, point));
	config->published = copy_published(scenario->published);
	return config;
}
