/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is measured of the kernel that a workload ran on, beside what the
 * collector adds up. */
#include "scenarios/run.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/sock.h"

static void measure_rcu(const struct run *run, struct results *results)
{
	const struct rcu_report report = rcu_get_report(run->kernel);

	run_sample(run, results, "rcu_callbacks_max", "callbacks",
		   (double)report.waiting_most);
	run_sample(run, results, "grace_periods", "grace periods",
		   (double)report.grace_periods);
	if (report.grace_periods)
		run_sample(run, results, "grace_period_ms", "ms",
			   (double)report.sum /
			   (double)report.grace_periods / PS_PER_MS);
}

void run_measure_sockets(const struct run *run, struct results *results)
{
	const struct socket_room *room = run->kernel->net_core->sockets;

	if (room->sockets_made)
		run_sample(run, results, "sockets_reused_hot_pct", "%", 100.0 *
			   (double)room->sockets_hot /
			   (double)room->sockets_made);
	measure_rcu(run, results);
}

void run_measure_slabs(const struct run_host *host, struct results *results)
{
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(host->kernel, i, &info); i++) {
		struct result_slab slab = {
			.id = results->slabs->len + 1,
			.host = g_strdup(host->config->name), .name = g_strdup(info.name),
			.active_objs = info.active_objs,
			.num_objs = info.num_objs, .objsize = info.objsize,
			.objperslab = info.objperslab,
			.pagesperslab = info.pagesperslab,
			.limit = info.limit, .batchcount = info.batchcount,
			.sharedfactor = info.shared,
			.active_slabs = info.active_slabs,
			.num_slabs = info.num_slabs,
			.sharedavail = info.shared_avail,
		};

		g_array_append_val(results->slabs, slab);
	}
}
