/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up the network of a host in its kernel: what [network] or [host NAME]
 * says, in the order in which ip(8) would be called. */
#include <gio/gio.h>
#include <string.h>

#include "scenarios/network.h"
#include "scenarios/run.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"

static u32 ipv4_of(const guint8 *bytes)
{
	return (u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static struct in6_addr ipv6_of(const guint8 *bytes)
{
	struct in6_addr address;

	memcpy(address.s6_addr, bytes, sizeof(address.s6_addr));
	return address;
}

static bool add_devices(struct run *run, struct run_host *host, GError **error)
{
	GPtrArray *devices = host->config->devices;
	u32 i;

	for (i = 0; i < devices->len; i++) {
		const struct config_device *d = devices->pdata[i];

		if (g_str_equal(d->kind, "nic")) {
			if (!nic_up(run, host, i, error))
				return false;
		} else if (g_str_equal(d->kind, "dummy")) {
			dummy_new(host->kernel, d->name, d->mtu,
				  d->tx_checksumming);
		} else {
			g_set_error(error, SCENARIO_ERROR,
				    SCENARIO_ERROR_VALUE, "%s: each host has "
				    "the loopback device lo by itself; take "
				    "out device '%s'",
				    config_host_where(run->config, host->config,
						      "device"), d->name);
			return false;
		}
	}
	return true;
}

static bool add_address(struct kernel *kernel, const struct config_address *a,
			GError **error)
{
	struct net_device *dev = dev_get_by_name(kernel, a->device);
	struct in6_addr address = ipv6_of(a->address);

	if (a->family == FAMILY_INET)
		return inet_add_address(kernel, dev, ipv4_of(a->address),
					a->prefix, error);
	return inet6_add_address(kernel, dev, &address, a->prefix, error);
}

static bool add_route(struct kernel *kernel, const struct config_route *r,
		      GError **error)
{
	struct net_device *dev = dev_get_by_name(kernel, r->device);
	struct in6_addr prefix = ipv6_of(r->prefix_address);
	struct in6_addr gateway = ipv6_of(r->gateway);

	if (r->family == FAMILY_INET)
		return inet_add_route(kernel, dev, ipv4_of(r->prefix_address),
				      r->prefix, r->has_gateway ?
				      ipv4_of(r->gateway) : 0, error);
	return inet6_add_route(kernel, dev, &prefix, r->prefix,
			       r->has_gateway ? &gateway : NULL, error);
}

static bool add_addresses(struct run_host *host, GError **error)
{
	const struct config_host *config = host->config;
	u32 i;

	for (i = 0; i < config->addresses->len; i++)
		if (!add_address(host->kernel, config->addresses->pdata[i],
				 error))
			return false;
	for (i = 0; i < config->routes->len; i++)
		if (!add_route(host->kernel, config->routes->pdata[i], error))
			return false;
	return true;
}

static u8 nud_state(const char *name)
{
	static const struct {
		const char *name;
		u8 state;
	} states[] = {
		{ "permanent", NUD_PERMANENT }, { "noarp", NUD_NOARP },
		{ "reachable", NUD_REACHABLE }, { "stale", NUD_STALE },
		{ "delay", NUD_DELAY }, { "probe", NUD_PROBE },
		{ "failed", NUD_FAILED }, { "incomplete", NUD_INCOMPLETE },
		{ "none", NUD_NONE },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (g_str_equal(name, states[i].name))
			return states[i].state;
	g_assert_not_reached();		/* the reader knows no others */
}

static void add_neighbours(struct run_host *host)
{
	GPtrArray *neighbours = host->config->neighbours;
	u32 i;

	for (i = 0; i < neighbours->len; i++) {
		const struct config_neighbour *n = neighbours->pdata[i];
		struct net_device *dev = dev_get_by_name(host->kernel,
							 n->device);
		struct in6_addr address = ipv6_of(n->address);
		u8 state = nud_state(n->nud ? n->nud : "permanent");

		if (n->family == FAMILY_INET)
			neigh_add(host->kernel, dev, ipv4_of(n->address),
				  n->lladdr, state);
		else
			neigh_add6(host->kernel, dev, &address, n->lladdr,
				   state);
	}
}

/* The first address of the second host of the workload's family; where there
 * is one host only, its own if it serves, else that of its first neighbour. */
static const guint8 *usual_destination(const struct run *run)
{
	const struct config *config = run->config;
	const struct config_host *host = config->hosts->pdata[0];
	const struct config_address *a;
	u32 i;

	if (config->hosts->len > 1 || run->workload->serves) {
		host = config->hosts->pdata[config->hosts->len > 1];
		a = host_address(host, config->family);
		return a ? a->address : NULL;
	}
	for (i = 0; i < host->neighbours->len; i++) {
		const struct config_neighbour *n = host->neighbours->pdata[i];

		if (n->family == config->family)
			return n->address;
	}
	return NULL;
}

bool find_destination(struct run *run, GError **error)
{
	const struct config *config = run->config;
	g_autoptr(GInetAddress) given = NULL;
	const guint8 *bytes = usual_destination(run);

	if (config->destination) {
		/* The reader has seen that it is one, and of this family. */
		given = g_inet_address_new_from_string(config->destination);
		bytes = g_inet_address_to_bytes(given);
	}
	if (!bytes && run->workload->sends && !run->workload->sends(config)) {
		run->destination.family = config->family == FAMILY_INET ?
			PF_INET : PF_INET6;
		return true;
	}
	if (!bytes)
		return run_refuse(config, "workload.destination", error,
				  "[workload] needs destination = ADDRESS, or "
				  "[network] a neighbour to send to");
	run->destination.port = (u16)config->port;
	if (config->family == FAMILY_INET) {
		run->destination.family = PF_INET;
		run->destination.daddr = ipv4_of(bytes);
		run->destination_size = SOCKADDR_IN_SIZE;
	} else {
		run->destination.family = PF_INET6;
		run->destination.daddr6 = ipv6_of(bytes);
		run->destination_size = SOCKADDR_IN6_SIZE;
	}
	return true;
}

struct sockaddr_any run_own_address(const struct run *run)
{
	const struct config_address *a = host_address(run->hosts[0].config,
						      run->config->family);
	struct sockaddr_any own = { .family = run->destination.family };

	if (a) {
		own.daddr = ipv4_of(a->address);
		own.daddr6 = ipv6_of(a->address);
	}
	return own;
}

bool network_up(struct run *run, struct run_host *host, GError **error)
{
	if (!add_devices(run, host, error) || !add_addresses(host, error))
		return false;
	add_neighbours(host);
	return true;
}
