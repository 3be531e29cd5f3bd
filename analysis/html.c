/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of html.h: one growing string and a stack of open elements.
 *
 * What is escaped is safe in text and in attributes with double quotes, which
 * are the only two places where html.h puts it.  Characters that no document
 * may hold, and bytes that are no UTF-8, become U+FFFD.
 */
#include "html.h"

#include <math.h>
#include <string.h>

#define NUM_NUMBERS 16

struct html {
	GString *text;
	GPtrArray *open;	/* const char *: names of elements */
	char number[NUM_NUMBERS][64];
	unsigned int numbers, ids;
};

struct html *html_new(void)
{
	struct html *html = g_new0(struct html, 1);

	html->text = g_string_new("<!DOCTYPE html>\n");
	html->open = g_ptr_array_new();
	return html;
}

GString *html_finish(struct html *html)
{
	GString *text = html->text;

	g_assert(!html->open->len);
	g_ptr_array_unref(html->open);
	g_free(html);
	return text;
}

static void append_char(GString *out, gunichar c)
{
	switch (c) {
	case '&':
		g_string_append(out, "&amp;");
		break;
	case '<':
		g_string_append(out, "&lt;");
		break;
	case '>':
		g_string_append(out, "&gt;");
		break;
	case '"':
		g_string_append(out, "&quot;");
		break;
	case '\'':
		g_string_append(out, "&#39;");
		break;
	case '\t':
	case '\n':
		g_string_append_c(out, (char)c);
		break;
	default:
		if (c < 0x20 || (c >= 0x7f && c < 0xa0) ||
		    (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef))
			c = 0xfffd;
		g_string_append_unichar(out, c);
	}
}

static void append_escaped(GString *out, const char *text)
{
	g_autofree char *made = NULL;

	if (!g_utf8_validate(text, -1, NULL))
		text = made = g_utf8_make_valid(text, -1);
	for (; *text; text = g_utf8_next_char(text))
		append_char(out, g_utf8_get_char(text));
}

static void append_tag(struct html *html, const char *element, va_list list)
{
	const char *name;

	g_string_append_c(html->text, '<');
	g_string_append(html->text, element);
	while ((name = va_arg(list, const char *))) {
		const char *value = va_arg(list, const char *);

		if (!value)
			continue;
		g_string_append_c(html->text, ' ');
		g_string_append(html->text, name);
		g_string_append(html->text, "=\"");
		append_escaped(html->text, value);
		g_string_append_c(html->text, '"');
	}
}

void html_open(struct html *html, const char *element, ...)
{
	va_list list;

	va_start(list, element);
	append_tag(html, element, list);
	va_end(list);
	g_string_append_c(html->text, '>');
	g_ptr_array_add(html->open, (gpointer)element);
}

/* Elements after whose end a new line changes nothing that is seen; it keeps
 * the lines of the file short enough for an editor. */
static gboolean may_break(const char *element)
{
	static const char *const names[] = {
		"head", "style", "script", "title", "body", "main", "section",
		"header", "footer", "nav", "h1", "h2", "h3", "p", "ul", "li",
		"table", "caption", "thead", "tbody", "tr", "figure",
		"figcaption", "svg", "g", "details", "summary", "dl", "dd",
		"form", "div", "defs", NULL
	};

	return g_strv_contains(names, element);
}

void html_close(struct html *html, const char *element)
{
	guint depth = html->open->len;

	g_assert(depth && g_str_equal(html->open->pdata[depth - 1], element));
	g_ptr_array_set_size(html->open, (gint)depth - 1);
	g_string_append(html->text, "</");
	g_string_append(html->text, element);
	g_string_append_c(html->text, '>');
	if (may_break(element))
		g_string_append_c(html->text, '\n');
}

void html_void(struct html *html, const char *element, ...)
{
	va_list list;

	va_start(list, element);
	append_tag(html, element, list);
	va_end(list);
	g_string_append(html->text, "/>");
}

void html_element(struct html *html, const char *element, const char *text)
{
	html_open(html, element, NULL);
	html_text(html, text);
	html_close(html, element);
}

void html_text(struct html *html, const char *text)
{
	append_escaped(html->text, text);
}

void html_printf(struct html *html, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list list;

	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	html_text(html, text);
}

void html_constant(struct html *html, const char *constant)
{
	g_string_append(html->text, constant);
}

static char *next_number(struct html *html)
{
	return html->number[html->numbers++ % NUM_NUMBERS];
}

const char *html_number(struct html *html, double value)
{
	char *number = next_number(html);
	gsize len;

	g_assert(isfinite(value) && fabs(value) < 1e15);
	g_ascii_formatd(number, sizeof(html->number[0]), "%.3f", value);
	len = strlen(number);
	while (number[len - 1] == '0')
		number[--len] = '\0';
	if (number[len - 1] == '.')
		number[len - 1] = '\0';
	return g_str_equal(number, "-0") ? "0" : number;
}

const char *html_integer(struct html *html, gint64 value)
{
	char *number = next_number(html);

	g_snprintf(number, sizeof(html->number[0]), "%" G_GINT64_FORMAT, value);
	return number;
}

const char *html_id(struct html *html, const char *what)
{
	char *number = next_number(html);

	g_snprintf(number, sizeof(html->number[0]), "%s-%u", what, ++html->ids);
	return number;
}

/* ---- tables ---- */

void html_table_open(struct html *html, const char *caption,
		     const char *const *headings)
{
	/* What scrolls must be reached by the keyboard, and has a name. */
	html_open(html, "div", "class", "scroll", "tabindex", "0", "role",
		  "region", "aria-label", caption, NULL);
	html_open(html, "table", NULL);
	html_element(html, "caption", caption);
	html_open(html, "thead", NULL);
	html_open(html, "tr", NULL);
	for (; *headings; headings++) {
		html_open(html, "th", "scope", "col", NULL);
		html_text(html, *headings);
		html_close(html, "th");
	}
	html_close(html, "tr");
	html_close(html, "thead");
	html_open(html, "tbody", NULL);
}

void html_table_close(struct html *html)
{
	html_close(html, "tbody");
	html_close(html, "table");
	html_close(html, "div");
}

void html_row_open(struct html *html, const char *heading)
{
	html_open(html, "tr", NULL);
	html_open(html, "th", "scope", "row", NULL);
	html_text(html, heading);
	html_close(html, "th");
}

void html_row_close(struct html *html)
{
	html_close(html, "tr");
}

void html_cell(struct html *html, const char *text)
{
	html_element(html, "td", text);
}

void html_figure(struct html *html, const char *text)
{
	html_open(html, "td", "class", "n", NULL);
	html_text(html, text);
	html_close(html, "td");
}
