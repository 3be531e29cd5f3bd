/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of known keys.  Rows of one group stand together; a row's number
 * is the key's number in a layer of values (scenarios/layer.c).
 */
#include "scenarios/keys.h"
#include "scenarios/scenario.h"

#include <string.h>

#define AT(member) offsetof(struct config, member)
#define HOST(member) offsetof(struct config_host, member)
#define LINK(member) offsetof(struct config_link, member)
#define REQUIRED NULL
#define SEED_MAX G_MAXUINT64
#define TEN_SECONDS 10000000000	/* in ns */

#define DEVICE_HELP \
	"NAME kind dummy|loopback|nic mtu BYTES [tx-checksumming on|off] " \
	"and, for a nic, [lladdr MAC] [queues N] [ring N] [rx_usecs N] " \
	"[cpus LIST] [txqueuelen N] [rps LIST]"
#define ADDRESS_HELP "DEVICE ADDRESS/PREFIX"
#define ROUTE_HELP "ADDRESS/PREFIX [via ADDRESS] dev DEVICE"
#define NEIGHBOUR_HELP \
	"DEVICE ADDRESS lladdr MAC nud permanent|noarp|reachable|stale|" \
	"delay|probe|failed|incomplete|none"

const struct key known_keys[NUM_KEYS] = {
	{ "scenario", "name", KEY_NAME, AT(name), 0, 0, REQUIRED, TRUE,
	  "the name of the scenario, as results record it" },
	{ "scenario", "title", KEY_TEXT, AT(title), 0, 0, "", FALSE,
	  "what it is about, in one line" },
	{ "scenario", "source", KEY_TEXT, AT(source), 0, 0, "", FALSE,
	  "where the published figures come from" },
	{ "scenario", "machine", KEY_PATH, AT(machine), 0, 0, REQUIRED, FALSE,
	  "a machine profile ('udpsim list machines')" },
	{ "scenario", "kernel", KEY_PATH, AT(kernel), 0, 0, REQUIRED, FALSE,
	  "a kernel ('udpsim list kernels')" },
	{ "scenario", "repeat", KEY_UINT, AT(repeat), 1, 1000, "1", FALSE,
	  "runs of each variant, each with a seed of its own" },
	{ "scenario", "seed", KEY_U64, AT(seed), 0, SEED_MAX, "1", FALSE,
	  "seed of all random streams" },
	{ "scenario", "patches", KEY_PATCHES, AT(patches), 0, 0, "", FALSE,
	  "patches to apply; '-NAME' takes one out" },

	{ "workload", "program", KEY_PROGRAM, AT(program), 0, 0, REQUIRED,
	  FALSE, "the program to run ('udpsim list workloads')" },
	{ "workload", "threads", KEY_UINT, AT(threads), 1, 4096, REQUIRED,
	  FALSE, "tasks that run it at once" },
	{ "workload", "count", KEY_U64, AT(count), 1, 1000000000000, REQUIRED,
	  FALSE, "operations of each thread" },
	{ "workload", "family", KEY_FAMILY, AT(family), 0, 0, "inet", FALSE,
	  "inet or inet6" },
	{ "workload", "bind", KEY_BOOLEAN, AT(bind), 0, 0, "true", FALSE,
	  "bind() each new socket to a port of the kernel's choice" },
	{ "workload", "confirm", KEY_BOOLEAN, AT(confirm), 0, 0, "false",
	  FALSE, "send with MSG_CONFIRM" },
	{ "workload", "connect", KEY_BOOLEAN, AT(connect), 0, 0, "false",
	  FALSE, "connect() first, then send()" },
	{ "workload", "share_files", KEY_BOOLEAN, AT(share_files), 0, 0,
	  "false", FALSE, "the tasks are threads of one process" },
	{ "workload", "size", KEY_UINT, AT(size), 0, 65507, "64", FALSE,
	  "payload bytes of a datagram" },
	{ "workload", "destination", KEY_IP, AT(destination), 0, 0, "", FALSE,
	  "where to send; the first neighbour of the family if not given" },
	{ "workload", "port", KEY_UINT, AT(port), 1, 65535, "9", FALSE,
	  "destination port" },
	{ "workload", "rate", KEY_U64, AT(rate), 0, 1000000000, "0", FALSE,
	  "queries a second of all tasks; 0: in_flight says how many" },
	{ "workload", "rtt_us", KEY_UINT, AT(rtt_us), 1, 60000000, "20000",
	  FALSE, "mean time from a query to its answer, in microseconds" },
	{ "workload", "rtt_distribution", KEY_NAME, AT(rtt_distribution), 0, 0,
	  "constant", FALSE, "constant, exponential or lognormal" },
	{ "workload", "in_flight", KEY_UINT, AT(in_flight), 0, 1000000, "0",
	  FALSE, "queries that all tasks keep under way" },
	{ "workload", "cpus", KEY_CPUS, AT(cpus), 0, 0, "", FALSE,
	  "CPUs that the tasks are bound to, such as 0-5,12-17" },
	{ "workload", "response_size", KEY_UINT, AT(response_size), 0, 65507,
	  "1", FALSE, "payload bytes of a response" },
	{ "workload", "seconds", KEY_UINT, AT(seconds), 0, 86400, "0", FALSE,
	  "time after which a sender stops; 0: count says when" },
	{ "workload", "server_cpus", KEY_CPUS, AT(server_cpus), 0, 0, "",
	  FALSE, "CPUs of the second host that its tasks are bound to" },
	{ "workload", "protocol", KEY_NAME, AT(protocol), 0, 0, "udp", FALSE,
	  "udp or udplite" },
	{ "workload", "coverage", KEY_UINT, AT(coverage), 0, 65535, "0", FALSE,
	  "bytes that a checksum of UDP-Lite covers; 0: all" },

	{ "network", "device", KEY_DEVICES, AT(devices), 0, 0, "", FALSE,
	  DEVICE_HELP },
	{ "network", "address", KEY_ADDRESSES, AT(addresses), 0, 0, "", FALSE,
	  ADDRESS_HELP },
	{ "network", "route", KEY_ROUTES, AT(routes), 0, 0, "", FALSE,
	  ROUTE_HELP },
	{ "network", "neighbour", KEY_NEIGHBOURS, AT(neighbours), 0, 0, "",
	  FALSE, NEIGHBOUR_HELP },

	{ "host", "machine", KEY_PATH, HOST(machine), 0, 0, REQUIRED, FALSE,
	  "its machine profile ('udpsim list machines')" },
	{ "host", "kernel", KEY_PATH, HOST(kernel), 0, 0, REQUIRED, FALSE,
	  "its kernel ('udpsim list kernels')" },
	{ "host", "patches", KEY_PATCHES, HOST(patches), 0, 0, REQUIRED, FALSE,
	  "patches to apply to its kernel; '-NAME' takes one out" },
	{ "host", "device", KEY_DEVICES, HOST(devices), 0, 0, "", FALSE,
	  DEVICE_HELP },
	{ "host", "address", KEY_ADDRESSES, HOST(addresses), 0, 0, "", FALSE,
	  ADDRESS_HELP },
	{ "host", "route", KEY_ROUTES, HOST(routes), 0, 0, "", FALSE,
	  ROUTE_HELP },
	{ "host", "neighbour", KEY_NEIGHBOURS, HOST(neighbours), 0, 0, "",
	  FALSE, NEIGHBOUR_HELP },

	{ "link", "ends", KEY_ENDS, LINK(ends), 0, 0, REQUIRED, FALSE,
	  "HOST.DEVICE; HOST.DEVICE" },
	{ "link", "rate_mbit", KEY_U64, LINK(rate_mbit), 1, 1000000, REQUIRED,
	  FALSE, "megabits a second" },
	{ "link", "delay_ns", KEY_U64, LINK(delay_ns), 1, TEN_SECONDS,
	  REQUIRED, FALSE, "from one end to the other, in nanoseconds" },
	{ "link", "loss_pct", KEY_PERCENT, LINK(loss_pct), 0, 0, "0", FALSE,
	  "frames that are lost, in percent" },
	{ "link", "duplicate_pct", KEY_PERCENT, LINK(duplicate_pct), 0, 0, "0",
	  FALSE, "frames that come twice, in percent" },
	{ "link", "reorder_pct", KEY_PERCENT, LINK(reorder_pct), 0, 0, "0",
	  FALSE, "frames that come late, in percent" },
	{ "link", "reorder_ns", KEY_U64, LINK(reorder_ns), 0, TEN_SECONDS, "0",
	  FALSE, "by how much they come late, in nanoseconds" },
};

const char *const known_programs[] = {
	"udpflood", "socket-churn", "dns-resolver", "rr", "stream",
	"multicast-pingpong", "replay", "script", "udpsink", NULL
};

const char *const value_groups[] = {
	"scenario", "workload", "network", "host", "link", "layout",
	"parameters", NULL
};

gboolean group_is_named(const char *word)
{
	return strcmp(word, "host") == 0 || strcmp(word, "link") == 0;
}

char *group_kind(const char *group)
{
	return g_strndup(group, strcspn(group, "."));
}

char *named_group(const char *label)
{
	g_auto(GStrv) words = g_strsplit(label, " ", 2);

	if (!words[0] || !words[1] || !group_is_named(words[0]))
		return NULL;
	return g_strconcat(words[0], ".", words[1], NULL);
}

char *group_label(const char *group)
{
	return g_strdelimit(g_strdup(group), ".", ' ');
}

const struct key *key_find(const char *group, const char *name)
{
	g_autofree char *kind = group_kind(group);

	for (size_t i = 0; i < NUM_KEYS; i++)
		if (strcmp(known_keys[i].group, kind) == 0 &&
		    strcmp(known_keys[i].name, name) == 0)
			return &known_keys[i];
	return NULL;
}

gboolean group_is_free(const char *group)
{
	return strcmp(group, "layout") == 0 ||
	       strcmp(group, "parameters") == 0;
}

gboolean group_has_values(const char *group)
{
	return g_strv_contains(value_groups, group);
}

/* The group that has this very key, or NULL. */
static const char *group_of(const char *name)
{
	for (size_t i = 0; i < NUM_KEYS; i++)
		if (strcmp(known_keys[i].name, name) == 0)
			return known_keys[i].group;
	return NULL;
}

/* "[link NAME] ('link.NAME.delay_ns')" */
static char *belongs(const char *group, const char *name)
{
	const char *of = group_is_named(group) ? "NAME" : "";

	return g_strdup_printf("; it belongs to [%s%s%s] ('%s%s%s.%s')", group,
			       *of ? " " : "", of, group, *of ? "." : "", of,
			       name);
}

char *key_hint(const char *group, const char *name)
{
	g_autofree char *kind = group_kind(group);
	g_autofree char *label = group_label(group);
	const char *names[NUM_KEYS + 1];
	const char *other = group_of(name);
	const char *near;
	g_autofree char *list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < NUM_KEYS; i++)
		if (strcmp(known_keys[i].group, kind) == 0)
			names[n++] = known_keys[i].name;
	names[n] = NULL;

	if (other)
		return belongs(other, name);
	near = nearest_name(name, names);
	if (near)
		return g_strdup_printf("; did you mean '%s'?", near);
	list = g_strjoinv(", ", (char **)names);
	return g_strdup_printf("; [%s] has %s", label, list);
}
