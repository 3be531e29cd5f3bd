/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of known keys.  Numbers are read in the C locale whatever the
 * user's locale is, and the whole text must be the number.
 */
#include "scenarios/value.h"
#include "scenarios/link_ends.h"
#include "scenarios/network.h"

#include <math.h>
#include <string.h>

#define MAX_NAME 64
#define MAX_PATH 4096
#define MAX_CPU 4095

/* ---- numbers ---- */

/* Why text is no whole number, as far as one can tell. */
static const char *number_fault(const char *text)
{
	if (!*text)
		return "is empty";
	if (strchr(text, '#'))
		return "has a comment in it (comments stand on lines of "
		       "their own)";
	if (*text == '-' && g_ascii_isdigit(text[1]))
		return "is negative";
	if (strchr(text, ','))
		return "has a comma in it (numbers have no separators)";
	if (g_ascii_isdigit(*text) && strchr(text, '.'))
		return "has a decimal point in it";
	return "is not a whole number";
}

gboolean read_whole(const char *what, const char *text, guint64 min,
		    guint64 max, struct place place, guint64 *ret,
		    GError **error)
{
	g_autoptr(GError) fault = NULL;
	const char *why;

	if (g_ascii_string_to_unsigned(text, 10, min, max, ret, &fault))
		return TRUE;

	why = g_error_matches(fault, G_NUMBER_PARSER_ERROR,
			      G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS) ?
	      "is out of range" : number_fault(text);
	return fail_at(place, SCENARIO_ERROR_VALUE, error,
		       "'%.60s' of %.60s %s; give a whole number from %"
		       G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, text, what,
		       why, min, max);
}

/* g_ascii_strtod() also takes "inf", "nan", hexadecimal and leading blanks. */
static gboolean looks_real(const char *text)
{
	return (g_ascii_isdigit(*text) || *text == '-') &&
	       strspn(text, "0123456789.eE+-") == strlen(text);
}

gboolean read_real(const char *what, const char *text, struct place place,
		   double *ret, GError **error)
{
	g_autofree char *point = NULL;
	char *end;
	double value;

	if (strchr(text, ',')) {
		point = g_strdelimit(g_strdup(text), ",", '.');
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of %.60s has a decimal comma; write "
			       "'%.60s', and ';' between numbers", text, what,
			       point);
	}
	if (!looks_real(text))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of %.60s is not a number; write one "
			       "such as 2.247", text, what);
	value = g_ascii_strtod(text, &end);
	if (*end || !isfinite(value))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of %.60s is not a number; write one "
			       "such as 2.247", text, what);
	if (value < 0)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of %.60s is negative; give a number "
			       "from 0 up", text, what);
	*ret = value;
	return TRUE;
}

gboolean read_percent(const char *what, const char *text, struct place place,
		      guint64 *ret, GError **error)
{
	guint64 value = 0, unit = PERCENT;
	const char *p = text;

	while (g_ascii_isdigit(*p) && value <= 100)
		value = value * 10 + (guint64)(*p++ - '0');
	value *= PERCENT;
	if (p > text && *p == '.' && g_ascii_isdigit(p[1]))
		for (p++; g_ascii_isdigit(*p) && unit > 1; p++) {
			unit /= 10;
			value += unit * (guint64)(*p - '0');
		}
	if (p == text || *p || value > 100 * PERCENT)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of %.60s is not a percentage; give a "
			       "number from 0 to 100 with at most six "
			       "decimals, such as 0.5", text, what);
	*ret = value;
	return TRUE;
}

static char *percent_text(guint64 value)
{
	char *text = g_strdup_printf("%u.%06u", (guint)(value / PERCENT),
				     (guint)(value % PERCENT));
	size_t len = strlen(text);

	while (text[len - 1] == '0')
		text[--len] = '\0';
	if (text[len - 1] == '.')
		text[--len] = '\0';
	return text;
}

/* ---- names and lists ---- */

gboolean is_name(const char *text, const char *more)
{
	if (!*text)
		return FALSE;
	for (; *text; text++)
		if (!g_ascii_isalnum(*text) && !strchr(more, *text))
			return FALSE;
	return TRUE;
}

char **read_list(const char *what, const char *text, struct place place,
		 GError **error)
{
	g_auto(GStrv) items = g_strsplit(text, ";", -1);
	guint n = g_strv_length(items);

	for (guint i = 0; i < n; i++)
		g_strstrip(items[i]);
	if (n && !*items[n - 1]) {
		g_free(items[--n]);
		items[n] = NULL;
	}
	for (guint i = 0; i < n; i++) {
		if (*items[i])
			continue;
		fail_at(place, SCENARIO_ERROR_VALUE, error,
			"item %u of the list %.60s is empty; write something "
			"between the ';'", i + 1, what);
		return NULL;
	}
	return g_steal_pointer(&items);
}

static gboolean read_name(const struct key *key, const char *text,
			  struct place place, char **ret, GError **error)
{
	gboolean path = key->kind == KEY_PATH;
	const char *first = path ? text + strspn(text, "./") : text;
	size_t max = path ? MAX_PATH : MAX_NAME;

	if (!*text)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%s' is empty; give a name", key->name);
	if (!is_name(text, path ? "._-+/" : "._-+") ||
	    !g_ascii_isalnum(*first))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of '%s' is not a name; a name is made "
			       "of letters, digits, '.', '_', '-' and '+' and "
			       "begins with a letter or digit", text,
			       key->name);
	if (strlen(text) > max)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "the name '%.60s...' of '%s' is longer than "
			       "%zu bytes", text, key->name, max);
	*ret = g_strdup(text);
	return TRUE;
}

static gboolean read_text(const struct key *key, const char *text,
			  struct place place, char **ret, GError **error)
{
	/* GKeyFile's \n may have brought in what the file cannot hold. */
	if (strpbrk(text, "\n\r"))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%s' has more than one line; give one",
			       key->name);
	*ret = g_strdup(text);
	return TRUE;
}

static gboolean read_program(const struct key *key, const char *text,
			     struct place place, char **ret, GError **error)
{
	g_autofree char *all = NULL;
	const char *near;

	if (g_strv_contains(known_programs, text)) {
		*ret = g_strdup(text);
		return TRUE;
	}
	near = nearest_name(text, known_programs);
	if (near)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "unknown program '%.60s'; did you mean '%s'?",
			       text, near);
	all = g_strjoinv(", ", (char **)known_programs);
	return fail_at(place, SCENARIO_ERROR_VALUE, error,
		       "unknown program '%.60s' of '%s'; it is one of %s",
		       text, key->name, all);
}

/* "-name" takes out what "name" puts in. */
static const char *bare(const char *patch)
{
	return patch + (*patch == '-');
}

static gboolean read_patches(const char *text, struct place place,
			     char ***ret, GError **error)
{
	g_auto(GStrv) names = read_list("'patches'", text, place, error);

	if (!names)
		return FALSE;
	for (char **n = names; *n; n++) {
		const char *name = bare(*n);

		if (!is_name(name, "._-+") || !g_ascii_isalnum(*name))
			return fail_at(place, SCENARIO_ERROR_VALUE, error,
				       "'%.60s' is not a patch name; part "
				       "names by ';'", *n);
		for (char **m = names; m < n; m++)
			if (strcmp(bare(*m), name) == 0)
				return fail_at(place, SCENARIO_ERROR_VALUE,
					       error, "patch '%.60s' stands "
					       "twice in 'patches'; keep one",
					       name);
	}
	*ret = g_steal_pointer(&names);
	return TRUE;
}

/* ---- cpus ---- */

static gboolean cpu_number(const char **p, guint64 *ret)
{
	char *end;

	if (!g_ascii_isdigit(**p))
		return FALSE;
	*ret = g_ascii_strtoull(*p, &end, 10);
	*p = end;
	return *ret <= MAX_CPU;
}

/* Ranges in rising order, as the kernel prints them. */
gboolean cpus_valid(const char *text)
{
	const char *p = text;
	guint64 first, last, next = 0;

	for (;; p++) {
		if (!cpu_number(&p, &first) || first < next)
			return FALSE;
		last = first;
		if (*p == '-') {
			p++;
			if (!cpu_number(&p, &last) || last < first)
				return FALSE;
		}
		next = last + 1;
		if (!*p)
			return TRUE;
		if (*p != ',')
			return FALSE;
	}
}

static gboolean read_cpus(const struct key *key, const char *text,
			  struct place place, char **ret, GError **error)
{
	if (*text && !cpus_valid(text))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of '%s' is not a list of CPUs; write "
			       "rising numbers or ranges up to %d, parted by "
			       "',', such as 0-5,12", text, key->name, MAX_CPU);
	*ret = *text ? g_strdup(text) : NULL;
	return TRUE;
}

/* ---- words ---- */

static gboolean read_boolean(const struct key *key, const char *text,
			     struct place place, gboolean *ret, GError **error)
{
	*ret = strcmp(text, "true") == 0;
	if (*ret || strcmp(text, "false") == 0)
		return TRUE;
	return fail_at(place, SCENARIO_ERROR_VALUE, error,
		       "'%.60s' of '%s' is neither true nor false; write one "
		       "of the two", text, key->name);
}

static gboolean read_family(const struct key *key, const char *text,
			    struct place place, enum address_family *ret,
			    GError **error)
{
	*ret = strcmp(text, "inet6") == 0 ? FAMILY_INET6 : FAMILY_INET;
	if (*ret == FAMILY_INET6 || strcmp(text, "inet") == 0)
		return TRUE;
	return fail_at(place, SCENARIO_ERROR_VALUE, error,
		       "'%.60s' of '%s' is not an address family; write inet "
		       "or inet6", text, key->name);
}

/* ---- all kinds ---- */

static void *member(const struct key *key, const void *base)
{
	return (char *)base + key->offset;
}

gboolean value_read(const struct key *key, const char *text,
		    struct place place, void *base, GError **error)
{
	void *to = member(key, base);
	g_autofree char *what = g_strdup_printf("'%s'", key->name);
	guint64 number;

	switch (key->kind) {
	case KEY_TEXT:
		return read_text(key, text, place, to, error);
	case KEY_NAME:
	case KEY_PATH:
		return read_name(key, text, place, to, error);
	case KEY_PROGRAM:
		return read_program(key, text, place, to, error);
	case KEY_UINT:
		if (!read_whole(what, text, key->min, key->max, place, &number,
				error))
			return FALSE;
		*(unsigned int *)to = (unsigned int)number;
		return TRUE;
	case KEY_U64:
		return read_whole(what, text, key->min, key->max, place, to,
				  error);
	case KEY_BOOLEAN:
		return read_boolean(key, text, place, to, error);
	case KEY_FAMILY:
		return read_family(key, text, place, to, error);
	case KEY_PATCHES:
		return read_patches(text, place, to, error);
	case KEY_IP:
		return read_destination(key->name, text, place, to, error);
	case KEY_CPUS:
		return read_cpus(key, text, place, to, error);
	case KEY_DEVICES:
	case KEY_ADDRESSES:
	case KEY_ROUTES:
	case KEY_NEIGHBOURS:
		return network_read(key->kind, text, place, to, error);
	case KEY_ENDS:
		return link_ends_read(text, place, to, error);
	case KEY_PERCENT:
		return read_percent(what, text, place, to, error);
	}
	g_assert_not_reached();
}

char *value_text(const struct key *key, const void *base)
{
	const void *from = member(key, base);

	switch (key->kind) {
	case KEY_TEXT:
	case KEY_NAME:
	case KEY_PATH:
	case KEY_PROGRAM:
	case KEY_IP:
	case KEY_CPUS:
		return g_strdup(*(char *const *)from ? *(char *const *)from :
				"");
	case KEY_UINT:
		return g_strdup_printf("%u", *(const unsigned int *)from);
	case KEY_U64:
		return g_strdup_printf("%" G_GUINT64_FORMAT,
				       *(const guint64 *)from);
	case KEY_BOOLEAN:
		return g_strdup(*(const gboolean *)from ? "true" : "false");
	case KEY_FAMILY:
		return g_strdup(*(const enum address_family *)from ==
				FAMILY_INET6 ? "inet6" : "inet");
	case KEY_PATCHES:
		return g_strjoinv("; ", *(char **const *)from);
	case KEY_DEVICES:
	case KEY_ADDRESSES:
	case KEY_ROUTES:
	case KEY_NEIGHBOURS:
		return network_text(key->kind, *(GPtrArray *const *)from);
	case KEY_ENDS:
		return link_ends_text(*(GPtrArray *const *)from);
	case KEY_PERCENT:
		return percent_text(*(const guint64 *)from);
	}
	g_assert_not_reached();
}

void value_clear(const struct key *key, void *base)
{
	void *at = member(key, base);

	switch (key->kind) {
	case KEY_TEXT:
	case KEY_NAME:
	case KEY_PATH:
	case KEY_PROGRAM:
	case KEY_IP:
	case KEY_CPUS:
		g_clear_pointer((char **)at, g_free);
		return;
	case KEY_PATCHES:
		g_clear_pointer((char ***)at, g_strfreev);
		return;
	case KEY_DEVICES:
	case KEY_ADDRESSES:
	case KEY_ROUTES:
	case KEY_NEIGHBOURS:
	case KEY_ENDS:
		g_clear_pointer((GPtrArray **)at, g_ptr_array_unref);
		return;
	case KEY_UINT:
	case KEY_U64:
	case KEY_PERCENT:
	case KEY_BOOLEAN:
	case KEY_FAMILY:
		return;
	}
	g_assert_not_reached();
}

char *value_canonical(const struct key *key, const char *text,
		      struct place place, GError **error)
{
	union {
		struct config config;
		struct config_host host;
		struct config_link link;
	} scratch;
	char *canonical;

	memset(&scratch, 0, sizeof(scratch));

	if (!value_read(key, text, place, &scratch, error))
		return NULL;
	canonical = value_text(key, &scratch);
	value_clear(key, &scratch);
	return canonical;
}
