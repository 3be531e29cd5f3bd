/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of workload programs. */
#include "scenarios/run.h"

const struct workload *const *workload_all(void)
{
	static const struct workload *const all[] = {
		&workload_dns_resolver,
		&workload_multicast_pingpong,
		&workload_rr,
		&workload_socket_churn,
		&workload_stream,
		&workload_udpflood,
		&workload_udpsink,
		NULL
	};

	return all;
}

const struct workload *workload_find(const char *name, GError **error)
{
	const struct workload *const *w;

	for (w = workload_all(); *w; w++)
		if (g_str_equal((*w)->name, name))
			return *w;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
		    "workload.program = %s: no such program; 'udpsim list "
		    "workloads' has them all", name);
	return NULL;
}
