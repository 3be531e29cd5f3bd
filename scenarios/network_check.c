/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network of each host as a whole: devices are declared once, addresses
 * stand on declared devices, families agree, and the workload has somebody to
 * talk to.
 */
#include "scenarios/network.h"

#include <string.h>

#define IPV6_MTU_MIN 1280	/* RFC 8200 */

struct check {
	const struct config *config;
	const struct config_host *host;
	char *group;		/* the host's: "network", "host.client" */
	network_place_fn place_of;
	void *data;
	GError **error;
};

#define FAIL(c, key, ...) FAIL_IN(c, (c)->group, key, __VA_ARGS__)
#define FAIL_IN(c, group, key, ...) \
	fail_at((c)->place_of((group), (key), (c)->data), \
		SCENARIO_ERROR_VALUE, (c)->error, __VA_ARGS__)

static const char *family_name(enum address_family family)
{
	return family == FAMILY_INET6 ? "IPv6" : "IPv4";
}

static gboolean check_declared(struct check *c, const char *key,
			       const char *name)
{
	const GPtrArray *devices = c->host->devices;
	g_autofree const char **names = NULL;
	const char *near;

	if (config_find_device(c->host, name))
		return TRUE;
	names = g_new0(const char *, devices->len + 1);
	for (guint i = 0; i < devices->len; i++)
		names[i] = ((struct config_device *)devices->pdata[i])->name;
	near = nearest_name(name, names);
	if (near)
		return FAIL(c, key, "%s: device '%.60s' is not declared; did "
			    "you mean '%s'?", key, name, near);
	return FAIL(c, key, "%s: device '%.60s' is not declared; add it to "
		    "'device'", key, name);
}

static gboolean check_devices(struct check *c)
{
	const GPtrArray *devices = c->host->devices;

	for (guint i = 0; i < devices->len; i++) {
		const struct config_device *device = devices->pdata[i];

		if (config_find_device(c->host, device->name) != device)
			return FAIL(c, "device", "device '%s' is declared "
				    "twice; keep one", device->name);
	}
	return TRUE;
}

static gboolean check_addresses(struct check *c)
{
	const GPtrArray *addresses = c->host->addresses;

	for (guint i = 0; i < addresses->len; i++) {
		const struct config_address *a = addresses->pdata[i];

		if (!check_declared(c, "address", a->device))
			return FALSE;
		if (a->family == FAMILY_INET6 &&
		    config_find_device(c->host, a->device)->mtu < IPV6_MTU_MIN)
			return FAIL(c, "address", "address: '%s' has an IPv6 "
				    "address but an mtu below %d; raise its "
				    "mtu", a->device, IPV6_MTU_MIN);
		for (guint j = 0; j < i; j++) {
			const struct config_address *b = addresses->pdata[j];

			if (a->family == b->family &&
			    memcmp(a->address, b->address, 16) == 0)
				return FAIL(c, "address", "address: entries "
					    "%u and %u are the same address; "
					    "keep one", j + 1, i + 1);
		}
	}
	return TRUE;
}

static gboolean check_routes(struct check *c)
{
	const GPtrArray *routes = c->host->routes;

	for (guint i = 0; i < routes->len; i++) {
		const struct config_route *a = routes->pdata[i];

		if (!check_declared(c, "route", a->device))
			return FALSE;
		for (guint j = 0; j < i; j++) {
			const struct config_route *b = routes->pdata[j];

			if (a->family == b->family && a->prefix == b->prefix &&
			    memcmp(a->prefix_address, b->prefix_address,
				   16) == 0)
				return FAIL(c, "route", "route: entries %u "
					    "and %u are for the same prefix; "
					    "keep one", j + 1, i + 1);
		}
	}
	return TRUE;
}

static gboolean has_family(const struct config_host *host, const char *device,
			   enum address_family family)
{
	for (guint i = 0; i < host->addresses->len; i++) {
		const struct config_address *a = host->addresses->pdata[i];

		if (a->family == family && strcmp(a->device, device) == 0)
			return TRUE;
	}
	return FALSE;
}

static gboolean same_neighbour(const struct config_neighbour *a,
			       const struct config_neighbour *b)
{
	return a->family == b->family && strcmp(a->device, b->device) == 0 &&
	       memcmp(a->address, b->address, 16) == 0;
}

static gboolean check_neighbours(struct check *c)
{
	const GPtrArray *neighbours = c->host->neighbours;

	for (guint i = 0; i < neighbours->len; i++) {
		const struct config_neighbour *n = neighbours->pdata[i];

		if (!check_declared(c, "neighbour", n->device))
			return FALSE;
		if (!has_family(c->host, n->device, n->family))
			return FAIL(c, "neighbour", "neighbour: entry %u is "
				    "%s, but '%s' has no address of that "
				    "family; add one to 'address'", i + 1,
				    family_name(n->family), n->device);
		for (guint j = 0; j < i; j++)
			if (same_neighbour(n, neighbours->pdata[j]))
				return FAIL(c, "neighbour", "neighbour: "
					    "entries %u and %u are the same; "
					    "keep one", j + 1, i + 1);
	}
	return TRUE;
}

static gboolean check_given(struct check *c)
{
	const char *destination = c->config->destination;
	enum address_family family = strchr(destination, ':') ? FAMILY_INET6 :
				     FAMILY_INET;

	if (family == c->config->family)
		return TRUE;
	return FAIL_IN(c, "workload", "destination", "destination '%s' is %s, "
		       "but 'family' is %s; make them agree", destination,
		       family_name(family), family_name(c->config->family));
}

const struct config_address *host_address(const struct config_host *host,
					  enum address_family family)
{
	for (guint i = 0; i < host->addresses->len; i++) {
		const struct config_address *a = host->addresses->pdata[i];

		if (a->family == family)
			return a;
	}
	return NULL;
}

/* The destination's family is the workload's; where none is given, it is the
 * second host's address, or where there is one host that of a neighbour: some
 * neighbour must be of that family, if there are neighbours at all. */
static gboolean check_destination(struct check *c)
{
	const struct config *config = c->config;
	const struct config_host *host = config->hosts->pdata[0];

	if (config->destination)
		return check_given(c);
	if (config->hosts->len > 1) {
		host = config->hosts->pdata[1];
		if (host_address(host, config->family))
			return TRUE;
		return FAIL_IN(c, "workload", "family", "'family' is %s, but "
			       "host '%s', to which the first one sends, has "
			       "no such address; add one, or give a "
			       "'destination'", family_name(config->family),
			       host->name);
	}
	if (!host->neighbours->len)
		return TRUE;
	for (guint i = 0; i < host->neighbours->len; i++) {
		const struct config_neighbour *n = host->neighbours->pdata[i];

		if (n->family == config->family)
			return TRUE;
	}
	return FAIL_IN(c, "workload", "family", "'family' is %s, but no "
		       "neighbour is; add one, or give a 'destination'",
		       family_name(config->family));
}

gboolean network_check(const struct config *config, network_place_fn place_of,
		       void *data, GError **error)
{
	struct check c = { config, NULL, NULL, place_of, data, error };

	for (guint i = 0; i < config->hosts->len; i++) {
		g_autofree char *group = NULL;

		c.host = config->hosts->pdata[i];
		group = *c.host->name ?
			g_strconcat("host.", c.host->name, NULL) :
			g_strdup("network");
		c.group = group;
		if (!check_devices(&c) || !check_addresses(&c) ||
		    !check_routes(&c) || !check_neighbours(&c))
			return FALSE;
	}
	return check_destination(&c);
}
