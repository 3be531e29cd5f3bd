/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of structs from what pahole prints; see shape.h. */
#include <string.h>

#include "stack/shape.h"

/* A struct or union that has begun and not ended. */
struct scope {
	u32 first;		/* of its members */
	char *tag;		/* its own name, "" if none */
	bool is_union;
};

struct parser {
	struct shape_set *set;
	struct shape *shape;	/* the outermost that is open */
	GArray *scopes;		/* struct scope */
	u32 line;
	bool has_size;
	GRegex *opens, *closes, *member, *attribute, *function, *plain, *size;
	GRegex *blanks;
};

static bool G_GNUC_PRINTF(3, 4)
wrong(const struct parser *p, GError **error, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, SHAPE_ERROR, SHAPE_ERROR_FORMAT, "%s:%u: %s",
		    p->set->source, p->line, what);
	return false;
}

static GRegex *regex(const char *pattern)
{
	g_autoptr(GError) error = NULL;
	GRegex *made = g_regex_new(pattern, G_REGEX_OPTIMIZE, 0, &error);

	if (!made)
		g_error("%s: %s", pattern, error->message);
	return made;
}

static void parser_init(struct parser *p, const char *path)
{
	*p = (struct parser){ .set = shape_set_new(path) };
	p->scopes = g_array_new(FALSE, TRUE, sizeof(struct scope));
	p->opens = regex("^(struct|union)\\s*(\\w*)\\s*\\{$");
	p->closes = regex("^\\}\\s*(.*);$");
	/* What is declared; its place, perhaps with a bit, and its size. */
	p->member = regex("^(.*?)\\s*/\\*\\s*(0x[[:xdigit:]]+|\\d+)"
			  "(?:\\s*:\\s*(\\d+))?\\s+"
			  "(0x[[:xdigit:]]+|\\d+)\\s*\\*/$");
	p->attribute = regex("\\s*__attribute__\\s*\\(\\("
			     "(?:[^()]|\\([^()]*\\))*\\)\\)");
	p->function = regex("^(.*?\\(\\s*\\*[\\s*]*)(?:const\\s+)?(\\w+)"
			    "((?:\\[\\d*\\])*)(.*)$");
	p->plain = regex("^(.*?)\\s*\\b([A-Za-z_]\\w*)\\s*((?:\\[\\d*\\])*)"
			 "\\s*(?::\\s*(\\d+))?$");
	p->blanks = regex("\\s+");
	p->size = regex("^size:\\s*(0x[[:xdigit:]]+|\\d+)\\s*,");
}

static void pop(struct parser *p)
{
	g_free(g_array_index(p->scopes, struct scope,
			     p->scopes->len - 1).tag);
	g_array_set_size(p->scopes, p->scopes->len - 1);
}

static void parser_fini(struct parser *p)
{
	while (p->scopes->len)
		pop(p);
	g_array_unref(p->scopes);
	g_regex_unref(p->opens);
	g_regex_unref(p->closes);
	g_regex_unref(p->member);
	g_regex_unref(p->attribute);
	g_regex_unref(p->function);
	g_regex_unref(p->plain);
	g_regex_unref(p->size);
	g_regex_unref(p->blanks);
}

/* 776 or 0x308; false where it does not fit. */
static bool number(const char *text, u32 *value)
{
	guint64 v = g_ascii_strtoull(text, NULL, 0);

	*value = (u32)v;
	return v <= INT32_MAX;
}

/* ---- members ---- */

/* Where the comment behind a declaration says that it lies. */
struct where {
	u32 offset, size, bit;
	bool has_bit;
};

static bool is_word_of_type(const char *name)
{
	static const char *const words[] = { "int", "char", "short", "long",
					     "unsigned", "signed", "_Bool",
					     NULL };

	return g_strv_contains(words, name);
}

/* "struct sock_common" is of sock_common, "struct sock *" of none. */
static char *struct_of(const char *type)
{
	static const char *const kinds[] = { "struct ", "union " };
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_has_prefix(type, kinds[i]) && !strchr(type, '*'))
			return g_strstrip(g_strdup(type + strlen(kinds[i])));
	return NULL;
}

static void add(struct parser *p, char *name, const char *type, char *dims,
		const struct where *w, u32 bits)
{
	struct shape_member *m = shape_add_member(p->shape, name, w->offset,
						  w->size);

	m->type = g_regex_replace_literal(p->blanks, type, -1, 0, " ", 0, NULL);
	m->of = struct_of(m->type);
	g_free(m->dims);
	m->dims = dims;
	m->bits = bits;
	m->bit = bits ? w->bit : 0;
}

/* "void (*f)(int)": the name stands in the middle. */
static bool add_function(struct parser *p, const char *text,
			 const struct where *w)
{
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *head = NULL, *tail = NULL, *type = NULL;

	if (!g_regex_match(p->function, text, 0, &match))
		return false;
	head = g_match_info_fetch(match, 1);
	tail = g_match_info_fetch(match, 4);
	type = g_strconcat(head, tail, NULL);
	add(p, g_match_info_fetch(match, 2), type,
	    g_match_info_fetch(match, 3), w, 0);
	return true;
}

/* A declaration without its semicolon. */
static bool add_plain(struct parser *p, const char *text,
		      const struct where *w, GError **error)
{
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *name = NULL, *type = NULL, *bits = NULL;
	u32 width = 0;

	if (!g_regex_match(p->plain, text, 0, &match))
		return wrong(p, error, "no name in '%.60s'", text);
	name = g_match_info_fetch(match, 2);
	type = g_match_info_fetch(match, 1);
	bits = g_match_info_fetch(match, 4);
	if (bits && *bits && (!number(bits, &width) || width > 64))
		return wrong(p, error, "a bit-field of %.20s bits", bits);
	if (width && (!*type || is_word_of_type(name)))
		return true;		/* bits without a name */
	if (!*type)
		return wrong(p, error, "'%.60s' has no type", text);
	add(p, g_steal_pointer(&name), type,
	    g_match_info_fetch(match, 3), w, width);
	return true;
}

/* Takes the comment with the place off a line; *text is what is left. */
static bool read_where(struct parser *p, const char *line, char **text,
		       struct where *w, GError **error)
{
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *offset = NULL, *bit = NULL, *size = NULL;

	if (!g_regex_match(p->member, line, 0, &match))
		return wrong(p, error, "'%.60s' has no place; behind a member "
			     "stands a comment with its offset and size", line);
	offset = g_match_info_fetch(match, 2);
	bit = g_match_info_fetch(match, 3);
	size = g_match_info_fetch(match, 4);
	if (!number(offset, &w->offset) || !number(size, &w->size) ||
	    !number(bit, &w->bit))
		return wrong(p, error, "'%.60s': a number is too large", line);
	*text = g_match_info_fetch(match, 1);
	return true;
}

static bool read_member(struct parser *p, const char *line, GError **error)
{
	g_autofree char *text = NULL, *bare = NULL;
	struct where w;

	if (!read_where(p, line, &text, &w, error))
		return false;
	bare = g_regex_replace_literal(p->attribute, text, -1, 0, "", 0, NULL);
	g_strstrip(bare);
	if (!g_str_has_suffix(bare, ";"))
		return wrong(p, error, "'%.60s' does not end with ';'", bare);
	bare[strlen(bare) - 1] = '\0';
	g_strstrip(bare);
	return add_function(p, bare, &w) || add_plain(p, bare, &w, error);
}

/* ---- structs ---- */

static bool open_scope(struct parser *p, GMatchInfo *match, GError **error)
{
	g_autofree char *kind = g_match_info_fetch(match, 1);
	g_autofree char *tag = g_match_info_fetch(match, 2);
	struct scope scope = { .is_union = g_str_equal(kind, "union") };

	if (p->scopes->len >= SHAPE_MAX_DEPTH)
		return wrong(p, error, "structs lie too deep in one another");
	if (!p->scopes->len) {
		if (!*tag)
			return wrong(p, error, "this %s has no name", kind);
		p->shape = shape_add(p->set, tag);
		p->shape->whole = true;
		p->has_size = false;
	}
	scope.first = p->shape->members->len;
	scope.tag = g_steal_pointer(&tag);
	g_array_append_val(p->scopes, scope);
	return true;
}

static bool end_shape(struct parser *p, GError **error)
{
	struct shape *shape = p->shape;
	u32 i;

	if (!p->has_size)
		return wrong(p, error, "struct %s has no line with its size: "
			     "\"/* size: N, ... */\"", shape->name);
	for (i = 0; i < shape->members->len; i++) {
		const struct shape_member *m =
			&g_array_index(shape->members, struct shape_member, i);

		if (m->offset + m->size > shape->size)
			return wrong(p, error, "struct %s has %u bytes, but %s "
				     "ends at %u", shape->name, shape->size,
				     m->name, m->offset + m->size);
	}
	shape_sort(shape);
	pop(p);
	return true;
}

/* A "}": of the struct, of one within that has no name, or of a member. */
static bool close_scope(struct parser *p, const char *line, GError **error)
{
	g_autofree char *text = NULL, *bare = NULL, *name = NULL;
	g_autoptr(GMatchInfo) match = NULL;
	struct scope *scope;
	struct where w = { 0 };

	if (!p->scopes->len)
		return wrong(p, error, "a '}' where no struct is open");
	if (p->scopes->len == 1)
		return end_shape(p, error);
	if (!read_where(p, line, &text, &w, error))
		return false;
	bare = g_regex_replace_literal(p->attribute, text, -1, 0, "", 0, NULL);
	if (!g_regex_match(p->closes, g_strstrip(bare), 0, &match))
		return wrong(p, error, "'%.60s' does not end with ';'", bare);
	name = g_match_info_fetch(match, 1);
	scope = &g_array_index(p->scopes, struct scope, p->scopes->len - 1);
	if (*name) {
		const char *kind = scope->is_union ? "union" : "struct";
		g_autofree char *whole = g_strdup_printf("%s %s %s", kind,
							 scope->tag, name);
		u32 end = p->shape->members->len;

		if (!add_plain(p, whole, &w, error))
			return false;
		if (p->shape->members->len == end)
			return wrong(p, error, "'%.60s' is no member", name);
		shape_prefix(p->shape, scope->first, end,
			     g_array_index(p->shape->members,
					   struct shape_member, end).name);
	}
	pop(p);
	return true;
}

/* Takes the comments off the start of a line; one of them has the size. */
static char *skip_comments(struct parser *p, char *line, GError **error)
{
	while (g_str_has_prefix(line, "/*")) {
		g_autoptr(GMatchInfo) match = NULL;
		g_autofree char *size = NULL;
		char *end = strstr(line, "*/");

		if (!end) {
			wrong(p, error, "a comment that does not end");
			return NULL;
		}
		*end = '\0';
		if (p->scopes->len == 1 &&
		    g_regex_match(p->size, g_strstrip(line + 2), 0, &match)) {
			size = g_match_info_fetch(match, 1);
			p->has_size = number(size, &p->shape->size);
		}
		line = g_strchug(end + 2);
	}
	return line;
}

static bool read_line(struct parser *p, char *line, GError **error)
{
	g_autoptr(GMatchInfo) match = NULL;

	line = skip_comments(p, g_strstrip(line), error);
	if (!line)
		return false;
	if (!*line)
		return true;
	if (*line == '}')
		return close_scope(p, line, error);
	if (g_regex_match(p->opens, line, 0, &match))
		return open_scope(p, match, error);
	if (p->scopes->len)
		return read_member(p, line, error);
	return wrong(p, error, "'%.60s' does not begin a struct: "
		     "\"struct NAME {\"", line);
}

static bool read_text(struct parser *p, char *text, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	while (lines[p->line]) {
		char *line = lines[p->line++];

		if (!g_utf8_validate(line, -1, NULL))
			return wrong(p, error, "this is no text");
		if (!read_line(p, line, error))
			return false;
	}
	if (p->scopes->len)
		return wrong(p, error, "struct %s does not end",
			     p->shape->name);
	p->line = MAX(p->line, 1u);
	if (!p->set->shapes->len)
		return wrong(p, error, "there is no struct in this file; give "
			     "what pahole prints");
	return true;
}

struct shape_set *shapes_of_pahole(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	struct parser p;
	bool ok;

	if (!g_file_get_contents(path, &text, NULL, error))
		return NULL;
	parser_init(&p, path);
	ok = read_text(&p, text, error);
	parser_fini(&p);
	if (ok)
		return p.set;
	shape_set_free(p.set);
	return NULL;
}
