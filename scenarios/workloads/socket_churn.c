/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * socket-churn: each thread opens a UDP socket, binds it to a port of the
 * kernel's choice, perhaps connects it, and closes it, `count` times.
 */
#include "scenarios/run.h"
#include "scenarios/workloads/open.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/sock.h"

/*
 * User instructions, counted from the disassembly of such a loop (gcc 12 -O2)
 * and of glibc 2.36: for each call its arguments, the jump of the linkage
 * table, the library's function and the test of what it gives.  socket() and
 * bind() have the same; the number of the loop's own stands with close().
 */
#define SOCKET_INSTRUCTIONS 13
#define BIND_INSTRUCTIONS 13
#define CLOSE_INSTRUCTIONS 12

static bool churn_sends(const struct config *config)
{
	return config->connect;
}

/* One turn; 0 or the errno of what failed first. */
static int churn(const struct run *run, const struct sockaddr_any *any)
{
	const struct config *config = run->config;
	int fd, err = 0;

	WORK(SOCKET_INSTRUCTIONS);
	fd = workload_open(run);
	if (unlikely(fd < 0))
		return -fd;
	if (config->bind) {
		WORK(BIND_INSTRUCTIONS);
		err = sys_bind(fd, any, config->family == FAMILY_INET ?
			       SOCKADDR_IN_SIZE : SOCKADDR_IN6_SIZE);
	}
	if (config->connect && !err) {
		WORK(BIND_INSTRUCTIONS);
		err = sys_connect(fd, &run->destination,
				  run->destination_size);
	}
	WORK(CLOSE_INSTRUCTIONS);
	sys_close(fd);
	return -err;
}

static void churn_thread(struct run_thread *thread)
{
	const struct run *run = thread->run;
	const struct sockaddr_any any = { .family = run->destination.family };
	u64 i;

	thread->context->owner = task_new(NULL);
	run_measure_begin(thread);
	for (i = 0; i < thread->count; i++)
		run_operation_done(thread, churn(run, &any));
	run_measure_end(thread);
	task_free(thread->context->owner);
}

const struct workload workload_socket_churn = {
	.name = "socket-churn",
	.title = "open, bind and close sockets as fast as possible",
	.metric = "elapsed_s",
	.rate = "sockets_per_s",
	.lite = true,
	.sends = churn_sends,
	.thread = churn_thread,
	.measure = run_measure_sockets,
};
