/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several programs begin with: a socket. */
#include "scenarios/workloads/open.h"
#include "stack/include/net/sock.h"

int workload_open(const struct run *run)
{
	const struct config *config = run->config;
	bool lite = g_str_equal(config->protocol, "udplite");
	int fd = sys_socket(run->destination.family, SOCK_DGRAM,
			    lite ? IPPROTO_UDPLITE_NUMBER : 0);
	int err = fd >= 0 && config->coverage ?
		sys_setsockopt(fd, SOL_UDPLITE, UDPLITE_SEND_CSCOV,
			       config->coverage) : 0;

	return err ? err : fd;
}

int workload_socket(const struct run *run, u16 port, bool bind)
{
	struct sockaddr_any any = {
		.family = run->destination.family, .port = port,
	};
	int fd = workload_open(run);
	int err = fd >= 0 && bind ?
		sys_bind(fd, &any, run->destination_size) : 0;

	return err ? err : fd;
}
