/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * [host NAME] and [link NAME] against each other: a link joins two nics of
 * hosts that there are, a nic is in one link, and no two hosts share an
 * address.
 */
#include "scenarios/network.h"

#include <string.h>

struct check {
	const struct config *config;
	network_place_fn place_of;
	void *data;
	GError **error;
};

/* Fails at a key of [host NAME] or [link NAME]. */
static gboolean fail_in(struct check *c, const char *kind, const char *name,
			const char *key, const char *fmt, ...)
	G_GNUC_PRINTF(5, 6);

static gboolean fail_in(struct check *c, const char *kind, const char *name,
			const char *key, const char *fmt, ...)
{
	g_autofree char *group = g_strconcat(kind, ".", name, NULL);
	g_autofree char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return fail_at(c->place_of(group, key, c->data), SCENARIO_ERROR_VALUE,
		       c->error, "%s", what);
}

/* "did you mean 'server'?", or all the names. */
static char *other_name(const char *name, GPtrArray *names, const char *what)
{
	g_autofree char *all = NULL;
	const char *near;

	g_ptr_array_add(names, NULL);
	near = nearest_name(name, (const char *const *)names->pdata);
	if (near)
		return g_strdup_printf("did you mean '%s'?", near);
	all = g_strjoinv(", ", (char **)names->pdata);
	return g_strdup_printf("%s %s", what, *all ? all : "none");
}

static gboolean no_host(struct check *c, const struct config_link *link,
			const struct config_end *end)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *other = NULL;

	for (guint i = 0; i < c->config->hosts->len; i++) {
		const struct config_host *host = c->config->hosts->pdata[i];

		g_ptr_array_add(names, host->name);
	}
	other = other_name(end->host, names, "the hosts are");
	return fail_in(c, "link", link->name, "ends", "ends: there is no host "
		       "'%.60s'; %s", end->host, other);
}

static gboolean no_device(struct check *c, const struct config_link *link,
			  const struct config_host *host, const char *name)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *other = NULL;

	for (guint i = 0; i < host->devices->len; i++) {
		const struct config_device *device = host->devices->pdata[i];

		g_ptr_array_add(names, device->name);
	}
	other = other_name(name, names, "its devices are");
	return fail_in(c, "link", link->name, "ends", "ends: host '%s' has no "
		       "device '%.60s'; %s", host->name, name, other);
}

static gboolean is_nic(const struct config_device *device)
{
	return strcmp(device->kind, "nic") == 0;
}

static gboolean check_end(struct check *c, const struct config_link *link,
			  const struct config_end *end)
{
	const struct config_host *host = config_find_host(c->config, end->host);
	const struct config_device *device;

	if (!host)
		return no_host(c, link, end);
	device = config_find_device(host, end->device);
	if (!device)
		return no_device(c, link, host, end->device);
	if (!is_nic(device))
		return fail_in(c, "link", link->name, "ends", "ends: %s.%s is "
			       "of kind %s; a link joins devices of kind nic",
			       end->host, end->device, device->kind);
	return TRUE;
}

static gboolean same_end(const struct config_end *a, const struct config_end *b)
{
	return strcmp(a->host, b->host) == 0 &&
	       strcmp(a->device, b->device) == 0;
}

/* The links before `last`, and the first end of that one where `end` is its
 * second. */
static gboolean check_taken(struct check *c, guint last, guint end)
{
	const struct config_link *link = c->config->links->pdata[last];
	const struct config_end *this_end = link->ends->pdata[end];

	if (end && same_end(this_end, link->ends->pdata[0]))
		return fail_in(c, "link", link->name, "ends", "ends: %s.%s "
			       "stands twice; a link joins two devices",
			       this_end->host, this_end->device);
	for (guint i = 0; i < last; i++) {
		const struct config_link *other = c->config->links->pdata[i];

		if (same_end(this_end, other->ends->pdata[0]) ||
		    same_end(this_end, other->ends->pdata[1]))
			return fail_in(c, "link", link->name, "ends", "ends: "
				       "%s.%s is in link '%s' already; give "
				       "it another device", this_end->host,
				       this_end->device, other->name);
	}
	return TRUE;
}

static gboolean check_links(struct check *c)
{
	const GPtrArray *links = c->config->links;

	for (guint i = 0; i < links->len; i++) {
		const struct config_link *link = links->pdata[i];

		for (guint end = 0; end < link->ends->len; end++)
			if (!check_end(c, link, link->ends->pdata[end]) ||
			    !check_taken(c, i, end))
				return FALSE;
		if (link->reorder_pct && !link->reorder_ns)
			return fail_in(c, "link", link->name, "reorder_pct",
				       "'reorder_pct' without 'reorder_ns'; "
				       "say by how much a frame comes late");
	}
	return TRUE;
}

static gboolean in_a_link(const struct config *config, char *host, char *device)
{
	const struct config_end end = { host, device };

	for (guint i = 0; i < config->links->len; i++) {
		const struct config_link *link = config->links->pdata[i];

		if (same_end(&end, link->ends->pdata[0]) ||
		    same_end(&end, link->ends->pdata[1]))
			return TRUE;
	}
	return FALSE;
}

static gboolean check_nics(struct check *c, const struct config_host *host)
{
	for (guint i = 0; i < host->devices->len; i++) {
		const struct config_device *device = host->devices->pdata[i];

		if (is_nic(device) &&
		    !in_a_link(c->config, host->name, device->name))
			return fail_in(c, "host", host->name, "device",
				       "device: nic '%s' is in no link; add a "
				       "[link NAME] with 'ends = %s.%s; "
				       "HOST.DEVICE'", device->name,
				       host->name, device->name);
	}
	return TRUE;
}

/* Addresses of one host differ; network_check() has seen to it. */
static gboolean check_shared(struct check *c, const struct config_host *a,
			     const struct config_host *b)
{
	for (guint i = 0; i < a->addresses->len; i++) {
		const struct config_address *x = a->addresses->pdata[i];

		for (guint j = 0; j < b->addresses->len; j++) {
			const struct config_address *y =
				b->addresses->pdata[j];

			if (x->family == y->family &&
			    memcmp(x->address, y->address, 16) == 0)
				return fail_in(c, "host", b->name, "address",
					       "address: entry %u is an "
					       "address of host '%s' too; "
					       "give each its own", j + 1,
					       a->name);
		}
	}
	return TRUE;
}

gboolean hosts_check(const struct config *config, network_place_fn place_of,
		     void *data, GError **error)
{
	struct check c = { config, place_of, data, error };
	const struct config_host *host = config->hosts->pdata[0];

	if (!*host->name)
		return TRUE;
	if (!check_links(&c))
		return FALSE;
	for (guint i = 0; i < config->hosts->len; i++) {
		host = config->hosts->pdata[i];
		if (!check_nics(&c, host))
			return FALSE;
		for (guint j = 0; j < i; j++)
			if (!check_shared(&c, config->hosts->pdata[j], host))
				return FALSE;
	}
	return TRUE;
}
