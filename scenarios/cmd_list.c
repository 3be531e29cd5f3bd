/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim list: what there is to choose from. */
#include <stdbool.h>
#include <stdio.h>

#include "scenarios/commands.h"
#include "scenarios/machine_file.h"
#include "scenarios/run.h"
#include "stack/feature.h"

static int list_scenarios(void)
{
	g_auto(GStrv) names = data_list_scenarios();
	char **name;

	for (name = names; *name; name++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = scenario_find(*name, &error);
		struct scenario *scenario =
			path ? scenario_load(path, &error) : NULL;

		printf("%-24s %s\n", *name, scenario ?
		       scenario_title(scenario) : error->message);
		if (scenario)
			scenario_free(scenario);
	}
	return 0;
}

static int list_machines(void)
{
	g_auto(GStrv) names = data_list_machines();
	char **name;

	for (name = names; *name; name++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = machine_find(*name, &error);
		g_autoptr(MachineProfile) profile =
			path ? machine_profile_load(path, &error) : NULL;

		if (profile)
			printf("%-24s %3u CPUs  %s\n", *name,
			       profile->packages * profile->cores *
			       profile->threads, profile->title);
		else
			printf("%-24s %s\n", *name, error->message);
	}
	return 0;
}

static int list_kernels(void)
{
	g_auto(GStrv) names = data_list_kernels();
	char **name;

	for (name = names; *name; name++)
		printf("%s\n", *name);
	return 0;
}

static int list_patches(void)
{
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		printf("%-24s %-8s %s\n", feature_info[i].name,
		       feature_info[i].merged ? feature_info[i].merged : "-",
		       feature_info[i].title);
	return 0;
}

static int list_workloads(void)
{
	const struct workload *const *w;

	for (w = workload_all(); *w; w++)
		printf("%-24s %s\n", (*w)->name, (*w)->title);
	return 0;
}

static int list_metrics(void)
{
	static const char *const metrics[][2] = {
		{ "elapsed_s", "first start to last end, at the scenario's "
			       "full size" },
		{ "ns_per_op", "that time for one operation of one thread" },
		{ "cpu_ns_per_op", "CPU time for one operation" },
		{ "packets_per_s", "sent by all threads (udpflood), or read "
				   "(udpsink)" },
		{ "queries_per_s", "answered (dns-resolver)" },
		{ "sockets_per_s", "opened and closed by all threads "
				   "(socket-churn)" },
		{ "failed_ops", "operations that returned an error" },
		{ "lines_moved_per_op", "lines brought from beyond the core's "
					"own caches" },
		{ "hitm_per_op", "of these, lines that another core had "
				 "modified" },
		{ "drops_per_op", "datagrams that found the buffer full, for "
				  "one read (udpsink)" },
		{ "in_flight_mean", "queries under way (dns-resolver)" },
		{ "in_flight_max", "... at most, the threads' added up" },
		{ "busy_pct", "of the threads' CPUs (dns-resolver)" },
		{ "fib_lookups_per_op", "look-ups in the tables of IPv4 by all "
					"hosts (rr, multicast-pingpong)" },
		{ "tx_hashes_per_packet", "packets of the first host whose "
					  "transmit queue was chosen by a hash "
					  "(rr, several queues)" },
		{ "sockets_reused_hot_pct", "new sockets whose memory their "
					    "core still holds for the most "
					    "part" },
		{ "grace_periods", "of RCU, that ended while the run lasted" },
		{ "grace_period_ms", "the mean of their lengths" },
		{ "rcu_callbacks_max", "waiting on one CPU at a time, at most" },
		{ "instructions_per_op", "instructions" },
		{ "stall_ns_per_op", "time waiting for lines, locks and "
				     "stores" },
		{ "accesses_per_op", "charged accesses to fields" },
	};
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(metrics); i++)
		printf("%-24s %s\n", metrics[i][0], metrics[i][1]);
	return 0;
}

static const struct {
	const char *name;
	int (*list)(void);
	bool data; /* of the data folder */
} lists[] = {
	{ "scenarios", list_scenarios, true },
	{ "machines", list_machines, true },
	{ "kernels", list_kernels, true },
	{ "patches", list_patches, false },
	{ "workloads", list_workloads, false },
	{ "metrics", list_metrics, false },
};

static int list_entry(unsigned int i)
{
	g_autoptr(GError) error = NULL;

	if (lists[i].data && !data_present(&error)) {
		fprintf(stderr, "udpsim list: %s\n", error->message);
		return 2;
	}
	return lists[i].list();
}

int cmd_list(int argc, char **argv)
{
	unsigned int i;

	if (argc == 2)
		for (i = 0; i < G_N_ELEMENTS(lists); i++)
			if (g_str_equal(argv[1], lists[i].name))
				return list_entry(i);
	if (argc == 2 && g_str_equal(argv[1], "--help")) {
		printf("Usage: udpsim list scenarios|machines|kernels|patches|"
		       "workloads|metrics\n");
		return 0;
	}
	fprintf(stderr, "udpsim list: %s%s; give one of scenarios, machines, "
		"kernels, patches, workloads, metrics\n",
		argc < 2 ? "list what?" : "cannot list ",
		argc < 2 ? "" : argv[1]);
	return 2;
}
