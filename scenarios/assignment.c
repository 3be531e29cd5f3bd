/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assignments, and the canonical text of a list of them:
 * "workload.threads=12;scenario.patches=a\; b".  In a value, ';' and '\' have
 * a '\' before them, so that the text can be parted again.
 */
#include "scenarios/assignment.h"

#include <string.h>

void assignment_free(void *data)
{
	struct assignment *assignment = data;

	if (!assignment)
		return;
	g_free(assignment->group);
	g_free(assignment->name);
	g_free(assignment->value);
	g_free(assignment->set);
	g_free(assignment);
}

static gboolean check_name(const char *group, const char *name,
			   const char *value, struct place place,
			   GError **error)
{
	g_autofree char *label = group_label(group);
	g_autofree char *hint = NULL;

	if (group_is_free(group)) {
		if (!g_ascii_isalpha(*name) && *name != '_')
			return fail_at(place, SCENARIO_ERROR_VALUE, error,
				       "bad key '%.60s' in [%s]; it begins "
				       "with a letter", name, group);
		if (!*value)
			return fail_at(place, SCENARIO_ERROR_VALUE, error,
				       "'%.60s' in [%s] has no value; write "
				       "one, or leave the line out", name,
				       group);
		return TRUE;
	}
	if (key_find(group, name))
		return TRUE;
	hint = key_hint(group, name);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown key '%.60s' in [%.60s]%s", name, label, hint);
}

struct assignment *assignment_new(const char *group, const char *name,
				  const char *value, struct place place,
				  GError **error)
{
	struct assignment *assignment;

	if (!check_name(group, name, value, place, error))
		return NULL;
	assignment = g_new0(struct assignment, 1);
	assignment->key = key_find(group, name);
	assignment->group = g_strdup(group);
	assignment->name = g_strdup(name);
	assignment->value = assignment->key ? g_strdup(value) :
			    join_words(value);
	assignment->place = place;
	return assignment;
}

/* A key alone that is not of [scenario] may be one of another group. */
static gboolean check_plain(const char *name, const char *where,
			    struct place place, GError **error)
{
	g_autofree char *hint = NULL;

	if (key_find("scenario", name))
		return TRUE;
	hint = key_hint("scenario", name);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown key '%.60s' in %.60s; write GROUP.KEY for a "
		       "key of another group than [scenario]%s", name, where,
		       hint);
}

static gboolean check_group(const char *group, const char *path,
			    const char *where, struct place place,
			    GError **error)
{
	const char *near;

	if (group_is_named(group))
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "'%.60s' in %.60s does not say which %s; write "
			       "%s.NAME.KEY", path, where, group, group);
	if (strchr(group, '.') || group_has_values(group))
		return TRUE;
	near = nearest_name(group, value_groups);
	if (near)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown group '%.60s' of '%.60s' in %.60s; "
			       "did you mean '%s'?", group, path, where, near);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown group '%.60s' of '%.60s' in %.60s; it is "
		       "scenario, workload, network, host.NAME, link.NAME, "
		       "layout or parameters", group, path, where);
}

/* The '.' before the key, or NULL.  The group may have a name: "host.client".
 */
static const char *group_end(const char *path)
{
	const char *dot = strchr(path, '.');
	g_autofree char *word = group_kind(path);
	const char *next = dot ? strchr(dot + 1, '.') : NULL;

	return next && group_is_named(word) ? next : dot;
}

struct assignment *assignment_from_path(const char *path, const char *value,
					const char *where, struct place place,
					GError **error)
{
	const char *dot = group_end(path);
	g_autofree char *group = NULL;
	struct assignment *assignment;

	if (!dot && !check_plain(path, where, place, error))
		return NULL;
	group = dot ? g_strndup(path, (gsize)(dot - path)) :
		g_strdup("scenario");
	if (!check_group(group, path, where, place, error))
		return NULL;
	assignment = assignment_new(group, dot ? dot + 1 : path, value, place,
				    error);
	if (assignment && assignment->key && assignment->key->fixed) {
		fail_at(place, SCENARIO_ERROR_VALUE, error,
			"'%s.%s' cannot be overridden; it stands only in [%s]",
			group, assignment->name, group);
		g_clear_pointer(&assignment, assignment_free);
	}
	return assignment;
}

static gboolean key_text(const char *text)
{
	if (!*text)
		return FALSE;
	for (; *text; text++)
		if (!g_ascii_isalnum(*text) && !strchr("._-", *text))
			return FALSE;
	return TRUE;
}

struct assignment *assignment_from_set(const char *set, GError **error)
{
	g_autofree char *option = g_strdup_printf("--set %s", set);
	g_auto(GStrv) parts = g_strsplit(set, "=", 2);
	struct place place = { option, 0 };
	struct assignment *assignment;

	if (!strict_check_text(place, set, error))
		return NULL;
	if (!parts[0] || !parts[1]) {
		fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			"no '=' in it; write --set GROUP.KEY=VALUE");
		return NULL;
	}
	g_strstrip(parts[0]);
	g_strstrip(parts[1]);
	if (!key_text(parts[0])) {
		fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			"'%.60s' is no key; write --set GROUP.KEY=VALUE",
			parts[0]);
		return NULL;
	}
	assignment = assignment_from_path(parts[0], parts[1], "--set", place,
					  error);
	if (!assignment)
		return NULL;
	assignment->set = g_steal_pointer(&option);
	assignment->place.file = assignment->set;
	return assignment;
}

gboolean assignment_same_key(const struct assignment *a,
			     const struct assignment *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->group, b->group) == 0;
}

char *assignment_path(const struct assignment *assignment)
{
	return g_strdup_printf("%s.%s", assignment->group, assignment->name);
}

struct assignment *assignment_find(const GPtrArray *assignments,
				   const struct assignment *like)
{
	for (guint i = 0; i < assignments->len; i++)
		if (assignment_same_key(assignments->pdata[i], like))
			return assignments->pdata[i];
	return NULL;
}

/* ---- the canonical text ---- */

void overrides_append(GString *text, const char *path, const char *value)
{
	if (text->len)
		g_string_append_c(text, ';');
	g_string_append_printf(text, "%s=", path);
	for (; *value; value++) {
		if (*value == ';' || *value == '\\')
			g_string_append_c(text, '\\');
		g_string_append_c(text, *value);
	}
}
