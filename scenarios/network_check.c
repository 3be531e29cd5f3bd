/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [network] as a whole: devices are declared once, addresses stand on declared
 * devices, families agree, and the workload has somebody to talk to.
 */
#include "scenarios/network.h"

#include <string.h>

#define IPV6_MTU_MIN 1280	/* RFC 8200 */

struct check {
	const struct config *config;
	network_place_fn place_of;
	void *data;
	GError **error;
};

#define FAIL(c, key, ...) \
	fail_at((c)->place_of((key), (c)->data), SCENARIO_ERROR_VALUE, \
		(c)->error, __VA_ARGS__)

static const char *family_name(enum address_family family)
{
	return family == FAMILY_INET6 ? "IPv6" : "IPv4";
}

static const struct config_device *find_device(const struct config *config,
					       const char *name)
{
	for (guint i = 0; i < config->devices->len; i++) {
		const struct config_device *device = config->devices->pdata[i];

		if (strcmp(device->name, name) == 0)
			return device;
	}
	return NULL;
}

static gboolean check_declared(struct check *c, const char *key,
			       const char *name)
{
	const GPtrArray *devices = c->config->devices;
	g_autofree const char **names = NULL;
	const char *near;

	if (find_device(c->config, name))
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
	const GPtrArray *devices = c->config->devices;

	for (guint i = 0; i < devices->len; i++) {
		const struct config_device *device = devices->pdata[i];

		if (find_device(c->config, device->name) != device)
			return FAIL(c, "device", "device '%s' is declared "
				    "twice; keep one", device->name);
	}
	return TRUE;
}

static gboolean check_addresses(struct check *c)
{
	const GPtrArray *addresses = c->config->addresses;

	for (guint i = 0; i < addresses->len; i++) {
		const struct config_address *a = addresses->pdata[i];

		if (!check_declared(c, "address", a->device))
			return FALSE;
		if (a->family == FAMILY_INET6 &&
		    find_device(c->config, a->device)->mtu < IPV6_MTU_MIN)
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
	const GPtrArray *routes = c->config->routes;

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

static gboolean has_family(const struct config *config, const char *device,
			   enum address_family family)
{
	for (guint i = 0; i < config->addresses->len; i++) {
		const struct config_address *a = config->addresses->pdata[i];

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
	const GPtrArray *neighbours = c->config->neighbours;

	for (guint i = 0; i < neighbours->len; i++) {
		const struct config_neighbour *n = neighbours->pdata[i];

		if (!check_declared(c, "neighbour", n->device))
			return FALSE;
		if (!has_family(c->config, n->device, n->family))
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

/* The destination's family is the workload's; where none is given, some
 * neighbour must be of that family, if there are neighbours at all. */
static gboolean check_destination(struct check *c)
{
	const struct config *config = c->config;
	const char *destination = config->destination;
	enum address_family family;

	if (destination) {
		family = strchr(destination, ':') ? FAMILY_INET6 : FAMILY_INET;
		if (family == config->family)
			return TRUE;
		return FAIL(c, "destination", "destination '%s' is %s, but "
			    "'family' is %s; make them agree", destination,
			    family_name(family), family_name(config->family));
	}
	if (!config->neighbours->len)
		return TRUE;
	for (guint i = 0; i < config->neighbours->len; i++) {
		const struct config_neighbour *n = config->neighbours->pdata[i];

		if (n->family == config->family)
			return TRUE;
	}
	return FAIL(c, "family", "'family' is %s, but no neighbour is; add "
		    "one, or give a 'destination'",
		    family_name(config->family));
}

gboolean network_check(const struct config *config, network_place_fn place_of,
		       void *data, GError **error)
{
	struct check c = { config, place_of, data, error };

	return check_devices(&c) && check_addresses(&c) && check_routes(&c) &&
	       check_neighbours(&c) && check_destination(&c);
}
