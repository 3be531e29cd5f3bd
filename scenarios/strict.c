/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strict reader: scans the lines, then lets GKeyFile read the values.
 *
 * The scanner accepts less than GKeyFile does.  So once it is content,
 * GKeyFile can only refuse an escape sequence, and that is reported with the
 * line of its key.
 */
#include "scenarios/strict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

G_DEFINE_QUARK(udpsim-scenario-error-quark, scenario_error)

gboolean fail_at(struct place place, enum scenario_error code, GError **error,
		 const char *fmt, ...)
{
	g_autofree char *where = place_text(place);
	g_autofree char *what = NULL;
	g_autofree char *whole = NULL;
	g_autofree char *valid = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = g_strdup_vprintf(fmt, ap);
	va_end(ap);

	/* A cut by %.60s, or an argument of the command line, may leave half
	 * a character. */
	whole = g_strdup_printf("%s: %s", where, what);
	valid = g_utf8_make_valid(whole, -1);
	g_set_error_literal(error, SCENARIO_ERROR, (int)code, valid);
	return FALSE;
}

char *place_text(struct place place)
{
	if (!place.line)
		return g_strdup(place.file);
	return g_strdup_printf("%s:%u", place.file, place.line);
}

/* ---- reading ---- */

static char *read_stream(const char *path, FILE *stream, gsize *len,
			 GError **error)
{
	struct place place = { path, 0 };
	g_autofree char *text = g_malloc(STRICT_MAX_BYTES + 2);

	*len = fread(text, 1, STRICT_MAX_BYTES + 1, stream);
	if (ferror(stream)) {
		fail_at(place, SCENARIO_ERROR_IO, error, "cannot read: %s",
			g_strerror(errno));
		return NULL;
	}
	if (*len > STRICT_MAX_BYTES) {
		fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			"the file is larger than %d bytes; it is hardly a "
			"text of keys and values", STRICT_MAX_BYTES);
		return NULL;
	}
	text[*len] = '\0';
	return g_steal_pointer(&text);
}

char *strict_read(const char *path, gsize *len, GError **error)
{
	struct place place = { path, 0 };
	FILE *stream;
	char *text;

	if (strcmp(path, "-") == 0)
		return read_stream("<stdin>", stdin, len, error);

	stream = fopen(path, "rb");
	if (!stream) {
		fail_at(place, errno == ENOENT ? SCENARIO_ERROR_NOT_FOUND :
			SCENARIO_ERROR_IO, error, "cannot open: %s",
			g_strerror(errno));
		return NULL;
	}
	text = read_stream(path, stream, len, error);
	fclose(stream);
	return text;
}

/* ---- characters ---- */

static unsigned int line_of(const char *text, const char *end)
{
	unsigned int line = 1;

	for (; text < end; text++)
		line += *text == '\n';
	return line;
}

/* A byte that neither a key nor a value may hold: control characters, but
 * for the tab and the end of a line. */
static gboolean bad_byte(const char *p, const char *end)
{
	guchar c = (guchar)*p;

	if (c == '\t' || c == '\n')
		return FALSE;
	if (c == '\r')
		return p + 1 == end || p[1] != '\n';
	return c < 0x20 || c == 0x7f;
}

/* line0: the line of the first byte; 0 where the text has no lines. */
static gboolean check_bytes(const char *name, unsigned int line0,
			    const char *text, gsize len, GError **error)
{
	struct place place = { name, 0 };
	const char *end;
	const char *p;

	for (p = text; p < text + len; p++) {
		if (!bad_byte(p, text + len))
			continue;
		place.line = line0 ? line_of(text, p) : 0;
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       *p ? "control character 0x%02x; only plain "
			       "text is allowed" : "NUL byte 0x%02x; only "
			       "plain text is allowed", (guchar)*p);
	}
	if (!g_utf8_validate(text, (gssize)len, &end)) {
		place.line = line0 ? line_of(text, end) : 0;
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "byte 0x%02x is not UTF-8; save the text as "
			       "UTF-8", (guchar)*end);
	}
	return TRUE;
}

gboolean strict_check_text(struct place place, const char *text,
			   GError **error)
{
	return check_bytes(place.file, place.line, text, strlen(text), error);
}

/* The whole file, before its lines are looked at. */
static gboolean check_whole(const char *name, const char *text, gsize len,
			    GError **error)
{
	struct place place = { name, 1 };

	if (len > STRICT_MAX_BYTES)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "the text is larger than %d bytes",
			       STRICT_MAX_BYTES);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "the file starts with a byte order mark; save "
			       "it as UTF-8 without one");
	return check_bytes(name, 1, text, len, error);
}

/* ---- lines ---- */

static gboolean key_char(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
}

static void entry_free(void *data)
{
	struct strict_entry *entry = data;

	g_free(entry->key);
	g_free(entry->value);
	g_free(entry);
}

static void group_free(void *data)
{
	struct strict_group *group = data;

	g_free(group->name);
	g_ptr_array_unref(group->entries);
	g_free(group);
}

char *join_words(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \t", -1);
	GString *joined = g_string_new(NULL);

	for (char **w = words; *w; w++) {
		if (!**w)
			continue;
		if (joined->len)
			g_string_append_c(joined, ' ');
		g_string_append(joined, *w);
	}
	return g_string_free(joined, FALSE);
}

/* The state of a scan.  raw_group is the name as GKeyFile knows it. */
struct scan {
	struct strict_file *file;
	GPtrArray *raw_groups;	/* char * */
	unsigned int line;
};

static gboolean scan_group(struct scan *scan, char *text, GError **error)
{
	struct place place = strict_place(scan->file, scan->line);
	char *close = strchr(text, ']');
	g_autofree char *name = NULL;
	const struct strict_group *old;
	struct strict_group *group;

	if (!close)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "a group without its ']': '%.60s'", text);
	if (close[1])
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "'%.60s' after the group; a group stands alone "
			       "on its line", g_strstrip(close + 1));
	*close = '\0';
	name = join_words(text + 1);
	if (!*name || strchr(name, '['))
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "bad group name '%.60s'; write [name]",
			       text + 1);
	old = strict_file_group(scan->file, name);
	if (old)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "group [%.60s] stands twice, first on line %u; "
			       "put its keys together", name, old->line);
	if (scan->file->groups->len == STRICT_MAX_GROUPS)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "more than %d groups", STRICT_MAX_GROUPS);

	group = g_new0(struct strict_group, 1);
	group->name = g_steal_pointer(&name);
	group->line = scan->line;
	group->entries = g_ptr_array_new_with_free_func(entry_free);
	g_ptr_array_add(scan->file->groups, group);
	g_ptr_array_add(scan->raw_groups, g_strdup(text + 1));
	return TRUE;
}

/* Takes the key; GKeyFile will read the value.  text has no blanks at its
 * start and its end. */
static gboolean scan_key(struct scan *scan, char *text, GError **error)
{
	struct place place = strict_place(scan->file, scan->line);
	GPtrArray *groups = scan->file->groups;
	char *equals = strchr(text, '=');
	const struct strict_entry *old;
	struct strict_group *group;
	struct strict_entry *entry;
	const char *p = text;

	if (!equals)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "'%.60s' is no line of this language; write "
			       "'key = value', '[group]' or '# comment'",
			       text);
	*equals = '\0';
	g_strchomp(text);
	while (key_char(*p))
		p++;
	if (*p || p == text)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "bad key '%.60s'; a key is made of letters, "
			       "digits, '_', '-' and '.'", text);
	if (p - text > STRICT_MAX_KEY)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "the key '%.60s...' is longer than %d bytes",
			       text, STRICT_MAX_KEY);
	if (!groups->len)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "key '%.60s' stands before the first group; "
			       "begin with a line such as [scenario]", text);
	group = g_ptr_array_index(groups, groups->len - 1);
	old = strict_group_entry(group, text);
	if (old)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "key '%.60s' in [%.60s] stands twice, first on "
			       "line %u; keep one", text, group->name,
			       old->line);
	if (group->entries->len == STRICT_MAX_KEYS)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "more than %d keys in [%.60s]",
			       STRICT_MAX_KEYS, group->name);

	entry = g_new0(struct strict_entry, 1);
	entry->key = g_strdup(text);
	entry->line = scan->line;
	g_ptr_array_add(group->entries, entry);
	return TRUE;
}

static gboolean scan_lines(struct scan *scan, GError **error)
{
	g_autofree char *copy = g_strdup(scan->file->text);
	char *line, *next;

	for (line = copy; *line; line = next) {
		gboolean ok = TRUE;
		char *text;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		text = g_strstrip(line);
		scan->line++;
		if (*text == '[')
			ok = scan_group(scan, text, error);
		else if (*text && *text != '#')
			ok = scan_key(scan, text, error);
		if (!ok)
			return FALSE;
	}
	scan->file->lines = MAX(scan->line, 1);
	return TRUE;
}

/* ---- values ---- */

/* GKeyFile gives a value even where an escape in it is bad: the error
 * tells. */
static gboolean read_value(GKeyFile *keys, const char *group,
			   struct strict_entry *entry)
{
	g_autoptr(GError) fault = NULL;

	entry->value = g_key_file_get_string(keys, group, entry->key, &fault);
	if (fault || !entry->value)
		return FALSE;
	g_strstrip(entry->value);
	return TRUE;
}

static gboolean read_values(struct scan *scan, gsize len, GError **error)
{
	struct strict_file *file = scan->file;
	g_autoptr(GKeyFile) keys = g_key_file_new();
	g_autoptr(GError) fault = NULL;

	if (!g_key_file_load_from_data(keys, file->text, len, G_KEY_FILE_NONE,
				       &fault))
		return fail_at(strict_place(file, 1), SCENARIO_ERROR_SYNTAX,
			       error, "%s", fault->message);

	for (guint i = 0; i < file->groups->len; i++) {
		struct strict_group *group = g_ptr_array_index(file->groups, i);
		const char *raw = g_ptr_array_index(scan->raw_groups, i);

		for (guint j = 0; j < group->entries->len; j++) {
			struct strict_entry *entry =
				g_ptr_array_index(group->entries, j);

			if (!read_value(keys, raw, entry))
				return fail_at(strict_place(file, entry->line),
					       SCENARIO_ERROR_SYNTAX, error,
					       "bad escape in the value of "
					       "'%.60s'; only \\s \\n \\t \\r "
					       "and \\\\ are known",
					       entry->key);
		}
	}
	return TRUE;
}

struct strict_file *strict_file_parse(const char *name, const char *text,
				      gsize len, GError **error)
{
	g_autoptr(StrictFile) file = NULL;
	g_autoptr(GPtrArray) raw_groups =
		g_ptr_array_new_with_free_func(g_free);
	struct scan scan = { .raw_groups = raw_groups };

	if (!check_whole(name, text, len, error))
		return NULL;

	file = g_new0(struct strict_file, 1);
	file->name = g_strdup(name);
	file->text = g_strndup(text, len);
	file->groups = g_ptr_array_new_with_free_func(group_free);
	scan.file = file;
	if (!scan_lines(&scan, error))
		return NULL;
	if (!file->groups->len) {
		fail_at(strict_place(file, file->lines), SCENARIO_ERROR_SYNTAX,
			error, "the file is empty; it needs groups such as "
			"[scenario]");
		return NULL;
	}
	if (!read_values(&scan, len, error))
		return NULL;
	return g_steal_pointer(&file);
}

void strict_file_free(struct strict_file *file)
{
	if (!file)
		return;
	g_free(file->name);
	g_free(file->text);
	g_ptr_array_unref(file->groups);
	g_free(file);
}

const struct strict_group *strict_file_group(const struct strict_file *file,
					     const char *name)
{
	for (guint i = 0; i < file->groups->len; i++) {
		const struct strict_group *group =
			g_ptr_array_index(file->groups, i);

		if (strcmp(group->name, name) == 0)
			return group;
	}
	return NULL;
}

const struct strict_entry *strict_group_entry(const struct strict_group *group,
					      const char *key)
{
	for (guint i = 0; i < group->entries->len; i++) {
		const struct strict_entry *entry =
			g_ptr_array_index(group->entries, i);

		if (strcmp(entry->key, key) == 0)
			return entry;
	}
	return NULL;
}
