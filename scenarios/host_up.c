/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the hosts of a run, its world and its links, and takes them down. */
#include <gio/gio.h>

#include "scenarios/kernel_settings.h"
#include "scenarios/machine_file.h"
#include "scenarios/run.h"
#include "scenarios/sharing.h"
#include "stack/include/net/neighbour.h"

/* ---- the plan ---- */

static struct machine_profile *find_machine(const struct config *config,
					    const struct config_host *host,
					    GError **error)
{
	g_autofree char *path = machine_find(host->machine, error);

	if (path)
		return machine_profile_load(path, error);
	g_prefix_error(error, "%s: ",
		       config_host_where(config, host, "machine"));
	return NULL;
}

/* The CPUs of the first host are the clients', those of the others the
 * servers'. */
static bool plan_host(struct run_plan *plan, const struct config *config,
		      u32 i, GError **error)
{
	const struct workload *workload = workload_find(config->program, NULL);
	const char *name = "cpus", *key = "workload.threads";
	const char *cpus = config->cpus;

	plan->profiles[i] = find_machine(config, config->hosts->pdata[i],
					 error);
	if (!plan->profiles[i])
		return false;
	plan->num_hosts++;
	plan->threads[i] = workload->threads ? workload->threads(config, i) :
			   i ? 0 : config->threads;
	if (i) {
		cpus = config->server_cpus;
		name = "server_cpus";
	}
	if (cpus)
		key = i ? "workload.server_cpus" : "workload.cpus";
	plan->cpus[i] = place_threads(plan->profiles[i], name, cpus,
				      plan->threads[i], error);
	if (!plan->cpus[i])
		g_prefix_error(error, "%s: ", config_where(config, key));
	return plan->cpus[i];
}

bool plan_make(struct run_plan *plan, const struct config *config,
	       GError **error)
{
	u32 i;

	G_STATIC_ASSERT(CONFIG_MAX_HOSTS <= MAX_MACHINES);
	for (i = 0; i < config->hosts->len; i++)
		if (!plan_host(plan, config, i, error))
			return false;
	return true;
}

void plan_clear(struct run_plan *plan)
{
	u32 i;

	for (i = 0; i < plan->num_hosts; i++) {
		machine_profile_free(plan->profiles[i]);
		g_free(plan->cpus[i]);
	}
}

/* ---- a host ---- */

static bool find_kernel(const struct config *config,
			const struct config_host *host, const char *folder,
			GError **error)
{
	g_auto(GStrv) known = data_list_kernels();
	const char *near = nearest_name(host->kernel,
					(const char *const *)known);

	if (g_file_test(folder, G_FILE_TEST_IS_DIR))
		return true;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE, "%s: no "
		    "kernel is called '%s'; %s%s%s",
		    config_host_where(config, host, "kernel"), host->kernel,
		    near ? "did you mean '" : "'udpsim list kernels' has "
					      "them all",
		    near ? near : "", near ? "'?" : "");
	return false;
}

static bool start_kernel(struct run *run, struct run_host *host,
			 GError **error)
{
	const struct config *config = run->config;
	g_autofree char *folder = g_build_filename(data_dir(), "stack",
						   "kernels",
						   host->config->kernel, NULL);
	g_autofree struct kernel_setting *layout =
		kernel_settings(config, "layout", config->layout);
	g_autofree struct kernel_setting *parameters =
		kernel_settings(config, "parameters", config->parameters);
	struct kernel_config kernel = {
		.folder = folder,
		.patches = (const char *const *)host->config->patches,
		.patches_where = config_host_where(config, host->config,
						   "patches"),
		.layout = layout,
		.parameters = parameters,
	};

	if (!find_kernel(config, host->config, folder, error))
		return false;
	host->kernel = kernel_new(host->machine, &kernel, error);
	return host->kernel;
}

/* Of the first host it is the run's; others get streams of their own. */
static u64 host_seed(u64 seed, u32 i)
{
	return seed + i * 0x9e3779b97f4a7c15ull;
}

static void machines_up(struct run *run)
{
	bool check = run->options && run->options->check;
	u32 i;

	run->world = world_new(run->seed);
	for (i = 0; i < run->plan->num_hosts; i++) {
		struct run_host *host = &run->hosts[i];

		host->config = run->config->hosts->pdata[i];
		host->machine = machine_new(run->plan->profiles[i],
					    host_seed(run->seed, i), check);
		world_add(run->world, host->machine);
		run->num_hosts++;
	}
	run->machine = run->hosts[0].machine;
}

/* ---- links ---- */

static u64 chance_of(guint64 percent)
{
	return percent * LINK_CHANCE_ONE / (100ull * PERCENT);
}

static struct machine *machine_of(const struct run *run,
				  const struct config_end *end)
{
	u32 i;

	for (i = 0; i < run->num_hosts; i++)
		if (g_str_equal(run->hosts[i].config->name, end->host))
			return run->hosts[i].machine;
	g_assert_not_reached();		/* hosts_check() has found it */
}

static void links_up(struct run *run)
{
	u32 i;

	for (i = 0; i < run->config->links->len; i++) {
		const struct config_link *l = run->config->links->pdata[i];
		const struct link_profile profile = {
			.rate_mbit = l->rate_mbit,
			.delay = l->delay_ns * PS_PER_NS,
			.loss = chance_of(l->loss_pct),
			.duplicate = chance_of(l->duplicate_pct),
			.reorder = chance_of(l->reorder_pct),
			.reorder_delay = l->reorder_ns * PS_PER_NS,
		};

		run->links[i] = link_new(run->world, &profile,
					 machine_of(run, l->ends->pdata[0]),
					 machine_of(run, l->ends->pdata[1]));
	}
}

struct link_end *run_link_end(const struct run *run,
			      const struct run_host *host, const char *device)
{
	u32 i, j;

	for (i = 0; i < run->config->links->len; i++) {
		const struct config_link *l = run->config->links->pdata[i];

		for (j = 0; j < l->ends->len; j++) {
			const struct config_end *end = l->ends->pdata[j];

			if (g_str_equal(end->host, host->config->name) &&
			    g_str_equal(end->device, device))
				return &run->links[i]->ends[j];
		}
	}
	return NULL;
}

/* ---- the whole ---- */

bool hosts_up(struct run *run, GError **error)
{
	u32 i;

	machines_up(run);
	links_up(run);
	for (i = 0; i < run->num_hosts; i++)
		if (!start_kernel(run, &run->hosts[i], error) ||
		    !network_up(run, &run->hosts[i], error))
			return false;
	run->kernel = run->hosts[0].kernel;
	return find_destination(run, error);
}

void hosts_down(struct run *run)
{
	u32 i;

	for (i = 0; i < run->num_hosts; i++)
		if (run->hosts[i].kernel)
			kernel_free(run->hosts[i].kernel);
	for (i = 0; i < run->config->links->len; i++)
		if (run->links[i])
			link_free(run->links[i]);
	world_free(run->world);
	for (i = 0; i < run->num_hosts; i++) {
		sharing_free(run->hosts[i].sharing);
		machine_free(run->hosts[i].machine);
	}
}
