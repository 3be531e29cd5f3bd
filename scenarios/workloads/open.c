/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several programs begin with: a socket. */
#include "scenarios/workloads/open.h"
#include "stack/include/net/sock.h"

int workload_socket(const struct run *run, u16 port, bool bind)
{
	struct sockaddr_any any = {
		.family = run->destination.family, .port = port,
	};
	int fd = sys_socket(any.family, SOCK_DGRAM, 0);
	int err = fd >= 0 && bind ?
		sys_bind(fd, &any, run->destination_size) : 0;

	return err ? err : fd;
}
