/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of an address; see serve.h. */
#include <event2/keyvalq_struct.h>
#include <stdarg.h>
#include <string.h>
#include <sys/queue.h>

#include "serve.h"

#define MAX_DIGITS 15		/* of a number; a double holds them */

G_DEFINE_QUARK(udpsim-serve-error-quark, serve_error)

G_GNUC_PRINTF(2, 3)
static bool refuse(GError **error, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_propagate_error(error, g_error_new_valist(SERVE_ERROR,
						    SERVE_ERROR_ADDRESS,
						    format, list));
	va_end(list);
	return false;
}

static bool check_one(const struct evkeyvalq *query,
		      const struct evkeyval *pair, const char *const *known,
		      GError **error)
{
	const struct evkeyval *other;

	if (!g_utf8_validate(pair->key, -1, NULL) ||
	    !g_strv_contains(known, pair->key))
		return refuse(error, "the address has a parameter that this "
			      "page does not know");
	if (!g_utf8_validate(pair->value, -1, NULL))
		return refuse(error, "the parameter \"%s\" is not UTF-8",
			      pair->key);
	TAILQ_FOREACH(other, query, next)
		if (other != pair && g_str_equal(other->key, pair->key))
			return refuse(error, "the parameter \"%s\" is there "
				      "twice", pair->key);
	return true;
}

bool serve_query_parse(struct evkeyvalq *query, const char *text,
		       const char *const *known, GError **error)
{
	const struct evkeyval *pair;

	TAILQ_INIT(query);
	if (!text || !*text)
		return true;
	/* What follows it would be lost. */
	if (strstr(text, "%00"))
		return refuse(error, "the address has a zero byte");
	if (evhttp_parse_query_str(text, query) != 0)
		return refuse(error, "the address has no name=value&... behind "
			      "its question mark");
	TAILQ_FOREACH(pair, query, next)
		if (!check_one(query, pair, known, error)) {
			evhttp_clear_headers(query);
			return false;
		}
	return true;
}

static const char *find(const struct evkeyvalq *query, const char *name)
{
	const struct evkeyval *pair;

	/* Not evhttp_find_header(): a header's case does not matter. */
	TAILQ_FOREACH(pair, query, next)
		if (g_str_equal(pair->key, name))
			return pair->value;
	return NULL;
}

const char *serve_query_text(const struct evkeyvalq *query, const char *name)
{
	const char *value = find(query, name);

	return value ? value : "";
}

bool serve_query_number(const struct evkeyvalq *query, const char *name,
			gint64 otherwise, gint64 *ret_value, GError **error)
{
	const char *value = find(query, name);
	size_t length = value ? strlen(value) : 0;

	if (!value && otherwise) {
		*ret_value = otherwise;
		return true;
	}
	if (!value)
		return refuse(error, "the address lacks %s=N", name);
	if (!length || length > MAX_DIGITS || *value == '0' ||
	    strspn(value, "0123456789") != length)
		return refuse(error, "the parameter \"%s\" must be a number "
			      "from 1", name);
	*ret_value = g_ascii_strtoll(value, NULL, 10);
	return true;
}
