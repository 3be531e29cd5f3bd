/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of [network], read and written.  An entry begins with its fixed
 * words; options (a word and its value) follow in any order, each at most
 * once.  network_check.c holds entries against each other.
 */
#include "scenarios/network_entry.h"
#include "scenarios/value.h"

#include <arpa/inet.h>
#include <string.h>

#define MAX_ENTRIES 1024	/* of one key */

gboolean entry_fail(const struct entry *e, GError **error, const char *fmt, ...)
{
	g_autofree char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return fail_at(e->place, SCENARIO_ERROR_VALUE, error,
		       "%s '%.60s': %s", e->key, e->text, what);
}

static gboolean bad_form(const struct entry *e, GError **error)
{
	return entry_fail(e, error, "write %s", e->form);
}

gboolean entry_options(const struct entry *e, guint first,
		       const char *const *names, const char **values,
		       GError **error)
{
	for (guint i = first; i < e->n; i += 2) {
		const char *word = e->words[i];
		const char *near;
		guint k = 0;

		while (names[k] && strcmp(names[k], word) != 0)
			k++;
		if (!names[k]) {
			near = nearest_name(word, names);
			if (near)
				return entry_fail(e, error, "unknown option "
						  "'%.60s'; did you mean "
						  "'%s'?", word, near);
			return entry_fail(e, error, "unknown option '%.60s'; "
					  "write %s", word, e->form);
		}
		if (values[k])
			return entry_fail(e, error, "'%s' stands twice; keep "
					  "one", word);
		if (i + 1 == e->n)
			return entry_fail(e, error, "'%s' needs a value; "
					  "write %s", word, e->form);
		values[k] = e->words[i + 1];
	}
	return TRUE;
}

/* ---- addresses ---- */

/* TRUE and the family where text is an address. */
static gboolean parse_ip(const char *text, enum address_family *family,
			 guint8 *bytes)
{
	if (inet_pton(AF_INET, text, bytes) == 1) {
		*family = FAMILY_INET;
		return TRUE;
	}
	if (inet_pton(AF_INET6, text, bytes) == 1) {
		*family = FAMILY_INET6;
		return TRUE;
	}
	return FALSE;
}

static char *ip_text(enum address_family family, const guint8 *bytes)
{
	char text[INET6_ADDRSTRLEN];

	if (!inet_ntop(family == FAMILY_INET6 ? AF_INET6 : AF_INET, bytes,
		       text, sizeof(text)))
		g_assert_not_reached();
	return g_strdup(text);
}

static unsigned int max_prefix(enum address_family family)
{
	return family == FAMILY_INET6 ? 128 : 32;
}

static gboolean read_ip(const struct entry *e, const char *text,
			enum address_family *family, guint8 *bytes,
			GError **error)
{
	if (parse_ip(text, family, bytes))
		return TRUE;
	return entry_fail(e, error, "'%.60s' is not an address; write one "
			  "such as 10.2.2.1 or fd00::1", text);
}

/* An address that one host can have. */
static gboolean read_unicast(const struct entry *e, const char *text,
			     enum address_family *family, guint8 *bytes,
			     GError **error)
{
	static const guint8 none[16];
	gboolean bad;

	if (!read_ip(e, text, family, bytes, error))
		return FALSE;
	if (*family == FAMILY_INET6)
		bad = bytes[0] == 0xff || memcmp(bytes, none, 16) == 0;
	else
		bad = bytes[0] >= 224 || bytes[0] == 0;
	if (bad)
		return entry_fail(e, error, "'%.60s' is not the address of a "
				  "host; give a unicast address", text);
	return TRUE;
}

/* "ADDRESS/PREFIX" */
static gboolean read_prefix(const struct entry *e, const char *text,
			    enum address_family *family, guint8 *bytes,
			    unsigned int *prefix, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "/", 2);
	guint64 number;

	if (strcmp(text, "default") == 0)
		return entry_fail(e, error, "'default' has no family; write "
				  "0.0.0.0/0 or ::/0");
	if (!parts[0] || !parts[1])
		return entry_fail(e, error, "'%.60s' has no prefix length; "
				  "write ADDRESS/PREFIX, such as 10.2.2.1/24",
				  text);
	if (!read_ip(e, parts[0], family, bytes, error))
		return FALSE;
	if (!g_ascii_string_to_unsigned(parts[1], 10, 0, max_prefix(*family),
					&number, NULL))
		return entry_fail(e, error, "prefix length '%.60s' is not a "
				  "whole number from 0 to %u", parts[1],
				  max_prefix(*family));
	*prefix = (unsigned int)number;
	return TRUE;
}

gboolean entry_mac(const struct entry *e, const char *text, guint8 *mac,
		   GError **error)
{
	gboolean ok = strlen(text) == 17;

	for (int i = 0; ok && i < 6; i++) {
		const char *p = text + 3 * i;
		int high = g_ascii_xdigit_value(p[0]);
		int low = g_ascii_xdigit_value(p[1]);

		ok = high >= 0 && low >= 0 && p[2] == (i < 5 ? ':' : '\0');
		mac[i] = (guint8)(high * 16 + low);
	}
	if (!ok)
		return entry_fail(e, error, "'%.60s' is not a MAC address; "
				  "write one such as 02:00:00:00:00:02", text);
	if (mac[0] & 1)
		return entry_fail(e, error, "'%.60s' is a multicast MAC "
				  "address; its first byte must be even", text);
	return TRUE;
}

/* ---- addresses ---- */

static void address_free(void *data)
{
	struct config_address *address = data;

	g_free(address->device);
	g_free(address);
}

static void *address_read(const struct entry *e, GError **error)
{
	struct config_address address = { 0 };
	g_autofree char *host = NULL;

	if (e->n != 2) {
		bad_form(e, error);
		return NULL;
	}
	if (!read_prefix(e, e->words[1], &address.family, address.address,
			 &address.prefix, error))
		return NULL;
	host = ip_text(address.family, address.address);
	if (!read_unicast(e, host, &address.family, address.address, error))
		return NULL;
	address.device = g_strdup(e->words[0]);
	return g_memdup2(&address, sizeof(address));
}

static char *address_text(const void *data)
{
	const struct config_address *address = data;
	g_autofree char *ip = ip_text(address->family, address->address);

	return g_strdup_printf("%s %s/%u", address->device, ip,
			       address->prefix);
}

/* ---- routes ---- */

static void route_free(void *data)
{
	struct config_route *route = data;

	g_free(route->device);
	g_free(route);
}

/* Bits beyond the prefix, which must be 0, are masked in *bytes.  TRUE where
 * there were none. */
static gboolean mask_host_bits(guint8 *bytes, unsigned int prefix,
			       unsigned int max)
{
	gboolean clean = TRUE;

	for (unsigned int bit = prefix; bit < max; bit++) {
		guint8 mask = (guint8)(0x80 >> bit % 8);

		clean &= !(bytes[bit / 8] & mask);
		bytes[bit / 8] &= (guint8)~mask;
	}
	return clean;
}

static gboolean check_host_bits(const struct entry *e,
				const struct config_route *route,
				GError **error)
{
	g_autofree char *right = NULL;
	guint8 bytes[16];

	memcpy(bytes, route->prefix_address, sizeof(bytes));
	if (mask_host_bits(bytes, route->prefix, max_prefix(route->family)))
		return TRUE;
	right = ip_text(route->family, bytes);
	return entry_fail(e, error, "'%.60s' has bits beyond its prefix; did "
			  "you mean '%s/%u'?", e->words[0], right,
			  route->prefix);
}

static gboolean read_gateway(const struct entry *e, const char *text,
			     struct config_route *route, GError **error)
{
	enum address_family family;

	if (!read_unicast(e, text, &family, route->gateway, error))
		return FALSE;
	if (family != route->family)
		return entry_fail(e, error, "gateway '%.60s' is not of the "
				  "family of '%.60s'; give an %s address",
				  text, e->words[0],
				  route->family == FAMILY_INET6 ? "IPv6" :
				  "IPv4");
	route->has_gateway = TRUE;
	return TRUE;
}

static void *route_read(const struct entry *e, GError **error)
{
	static const char *const names[] = { "via", "dev", NULL };
	const char *values[2] = { NULL };
	struct config_route route = { 0 };

	if (!read_prefix(e, e->words[0], &route.family, route.prefix_address,
			 &route.prefix, error) ||
	    !check_host_bits(e, &route, error) ||
	    !entry_options(e, 1, names, values, error))
		return NULL;
	if (!values[1]) {
		entry_fail(e, error, "no 'dev'; write %s", e->form);
		return NULL;
	}
	if (values[0] && !read_gateway(e, values[0], &route, error))
		return NULL;
	route.device = g_strdup(values[1]);
	return g_memdup2(&route, sizeof(route));
}

static char *route_text(const void *data)
{
	const struct config_route *route = data;
	g_autofree char *ip = ip_text(route->family, route->prefix_address);
	g_autofree char *gateway = route->has_gateway ?
		ip_text(route->family, route->gateway) : NULL;

	return g_strdup_printf("%s/%u%s%s dev %s", ip, route->prefix,
			       gateway ? " via " : "", gateway ? gateway : "",
			       route->device);
}

/* ---- neighbours ---- */

static void neighbour_free(void *data)
{
	struct config_neighbour *neighbour = data;

	g_free(neighbour->device);
	g_free(neighbour->nud);
	g_free(neighbour);
}

static gboolean read_nud(const struct entry *e, const char *text,
			 GError **error)
{
	static const char *const states[] = {
		"permanent", "noarp", "reachable", "stale", "delay", "probe",
		"failed", "incomplete", "none", NULL
	};
	g_autofree char *all = NULL;
	const char *near;

	if (g_strv_contains(states, text))
		return TRUE;
	near = nearest_name(text, states);
	if (near)
		return entry_fail(e, error, "unknown nud state '%.60s'; did "
				  "you mean '%s'?", text, near);
	all = g_strjoinv(", ", (char **)states);
	return entry_fail(e, error, "unknown nud state '%.60s'; it is one of "
			  "%s", text, all);
}

static void *neighbour_read(const struct entry *e, GError **error)
{
	static const char *const names[] = { "lladdr", "nud", NULL };
	const char *values[2] = { NULL };
	struct config_neighbour neighbour = { 0 };

	if (e->n < 2) {
		bad_form(e, error);
		return NULL;
	}
	if (!read_unicast(e, e->words[1], &neighbour.family, neighbour.address,
			  error) ||
	    !entry_options(e, 2, names, values, error))
		return NULL;
	if (!values[0] || !values[1]) {
		entry_fail(e, error, "no '%s'; write %s",
			   values[0] ? "nud" : "lladdr", e->form);
		return NULL;
	}
	if (!entry_mac(e, values[0], neighbour.lladdr, error) ||
	    !read_nud(e, values[1], error))
		return NULL;
	neighbour.device = g_strdup(e->words[0]);
	neighbour.nud = g_strdup(values[1]);
	return g_memdup2(&neighbour, sizeof(neighbour));
}

static char *neighbour_text(const void *data)
{
	const struct config_neighbour *n = data;
	g_autofree char *ip = ip_text(n->family, n->address);
	const guint8 *mac = n->lladdr;

	return g_strdup_printf("%s %s lladdr %02x:%02x:%02x:%02x:%02x:%02x "
			       "nud %s", n->device, ip, mac[0], mac[1], mac[2],
			       mac[3], mac[4], mac[5], n->nud);
}

/* ---- lists ---- */

struct entry_class {
	const char *key;
	void *(*read)(const struct entry *e, GError **error);
	char *(*text)(const void *data);
	GDestroyNotify free;
};

static const struct entry_class *class_of(enum key_kind kind)
{
	static const struct entry_class classes[] = {
		{ "device", device_read, device_text, device_free },
		{ "address", address_read, address_text, address_free },
		{ "route", route_read, route_text, route_free },
		{ "neighbour", neighbour_read, neighbour_text,
		  neighbour_free },
	};

	g_assert(kind >= KEY_DEVICES && kind <= KEY_NEIGHBOURS);
	return &classes[kind - KEY_DEVICES];
}

gboolean network_read(enum key_kind kind, const char *text, struct place place,
		      GPtrArray **ret, GError **error)
{
	const struct entry_class *class = class_of(kind);
	g_autoptr(GPtrArray) entries =
		g_ptr_array_new_with_free_func(class->free);
	g_autofree char *what = g_strdup_printf("'%s'", class->key);
	g_auto(GStrv) items = read_list(what, text, place, error);

	if (!items)
		return FALSE;
	if (g_strv_length(items) > MAX_ENTRIES)
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%s' has more than %d entries", class->key,
			       MAX_ENTRIES);
	for (char **item = items; *item; item++) {
		g_autofree char *joined = join_words(*item);
		g_auto(GStrv) words = g_strsplit(joined, " ", -1);
		const struct entry e = {
			.key = class->key,
			.form = key_find("network", class->key)->help,
			.text = joined,
			.words = words,
			.n = g_strv_length(words),
			.place = place,
		};
		void *entry = class->read(&e, error);

		if (!entry)
			return FALSE;
		g_ptr_array_add(entries, entry);
	}
	*ret = g_steal_pointer(&entries);
	return TRUE;
}

char *network_text(enum key_kind kind, const GPtrArray *entries)
{
	const struct entry_class *class = class_of(kind);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < entries->len; i++) {
		g_autofree char *entry = class->text(entries->pdata[i]);

		if (i)
			g_string_append(text, "; ");
		g_string_append(text, entry);
	}
	return g_string_free(text, FALSE);
}

gboolean read_destination(const char *what, const char *text,
			  struct place place, char **ret, GError **error)
{
	enum address_family family;
	guint8 bytes[16];

	*ret = NULL;
	if (!*text)
		return TRUE;
	if (!parse_ip(text, &family, bytes))
		return fail_at(place, SCENARIO_ERROR_VALUE, error,
			       "'%.60s' of '%s' is not an address; write one "
			       "such as 10.2.2.2 or fd00::2", text, what);
	*ret = ip_text(family, bytes);
	return TRUE;
}
