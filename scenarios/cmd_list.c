/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udpsim list: what there is to choose from. */
#include <stdbool.h>
#include <stdio.h>

#include "analysis/command.h"
#include "analysis/json_build.h"
#include "scenarios/commands.h"
#include "scenarios/machine_file.h"
#include "scenarios/run.h"
#include "stack/feature.h"

/* One entry: a line of text, or with a builder the members `name` and `title`
 * of an object that the caller ends. */
static void begin_entry(JsonBuilder *builder, const char *name,
			const char *title)
{
	if (!builder) {
		printf("%-24s %s\n", name, title);
		return;
	}
	json_builder_begin_object(builder);
	build_text(builder, "name", name);
	build_text(builder, "title", title);
}

static void add_entry(JsonBuilder *builder, const char *name,
		      const char *title)
{
	begin_entry(builder, name, title);
	if (builder)
		json_builder_end_object(builder);
}

static void list_scenarios(JsonBuilder *builder)
{
	g_auto(GStrv) names = data_list_scenarios();
	char **name;

	for (name = names; *name; name++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = scenario_find(*name, &error);
		struct scenario *scenario =
			path ? scenario_load(path, &error) : NULL;

		add_entry(builder, *name, scenario ?
			  scenario_title(scenario) : error->message);
		if (scenario)
			scenario_free(scenario);
	}
}

static void list_machine(JsonBuilder *builder, const char *name,
			 const struct machine_profile *profile)
{
	unsigned int cpus = profile->packages * profile->cores *
			    profile->threads;

	if (!builder) {
		printf("%-24s %3u CPUs  %s\n", name, cpus, profile->title);
		return;
	}
	begin_entry(builder, name, profile->title);
	build_integer(builder, "cpus", cpus);
	json_builder_end_object(builder);
}

static void list_machines(JsonBuilder *builder)
{
	g_auto(GStrv) names = data_list_machines();
	char **name;

	for (name = names; *name; name++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = machine_find(*name, &error);
		g_autoptr(MachineProfile) profile =
			path ? machine_profile_load(path, &error) : NULL;

		if (profile)
			list_machine(builder, *name, profile);
		else
			add_entry(builder, *name, error->message);
	}
}

static void list_kernels(JsonBuilder *builder)
{
	g_auto(GStrv) names = data_list_kernels();
	char **name;

	for (name = names; *name; name++) {
		if (!builder) {
			printf("%s\n", *name);
			continue;
		}
		json_builder_begin_object(builder);
		build_text(builder, "name", *name);
		json_builder_end_object(builder);
	}
}

static void list_patch(JsonBuilder *builder, const struct feature_info *info)
{
	if (!builder) {
		printf("%-24s %-8s %s\n", info->name,
		       info->merged ? info->merged : "-", info->title);
		return;
	}
	begin_entry(builder, info->name, info->title);
	json_builder_set_member_name(builder, "merged");
	if (info->merged)
		json_builder_add_string_value(builder, info->merged);
	else
		json_builder_add_null_value(builder);
	build_text(builder, "source", info->source);
	json_builder_end_object(builder);
}

static void list_patches(JsonBuilder *builder)
{
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		list_patch(builder, &feature_info[i]);
}

static void list_workloads(JsonBuilder *builder)
{
	const struct workload *const *w;

	for (w = workload_all(); *w; w++)
		add_entry(builder, (*w)->name, (*w)->title);
}

static void list_metrics(JsonBuilder *builder)
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
		add_entry(builder, metrics[i][0], metrics[i][1]);
}

static const struct list {
	const char *name;
	void (*list)(JsonBuilder *builder);
	bool data; /* of the data folder */
} lists[] = {
	{ "scenarios", list_scenarios, true },
	{ "machines", list_machines, true },
	{ "kernels", list_kernels, true },
	{ "patches", list_patches, false },
	{ "workloads", list_workloads, false },
	{ "metrics", list_metrics, false },
};

#define LISTS "scenarios, machines, kernels, patches, workloads, metrics"

static void print_json(const struct list *list)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	build_array(builder, list->name);
	list->list(builder);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	build_print(builder, stdout);
}

static const struct list *find_list(char **names, GError **error)
{
	unsigned int i;

	if (!names || names[1]) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "%s; give one of " LISTS, names ?
			    "one list at a time" : "list what?");
		return NULL;
	}
	for (i = 0; i < G_N_ELEMENTS(lists); i++)
		if (g_str_equal(names[0], lists[i].name))
			return &lists[i];
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "cannot list %s; give one of " LISTS, names[0]);
	return NULL;
}

int cmd_list(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) names = NULL;
	gboolean json = FALSE;
	const struct command_line line = {
		.name = "udpsim list",
		.arguments = "scenarios|machines|kernels|patches|workloads|"
			     "metrics",
		.summary = "Lists what there is to choose from.",
		.json = &json,
	};
	const struct list *list = NULL;

	if (command_parse(&line, &names, &argc, &argv, &error))
		list = find_list(names, &error);
	if (!list || (list->data && !data_present(&error)))
		return command_fail(error, 2);
	if (json)
		print_json(list);
	else
		list->list(NULL);
	return command_flush();
}
