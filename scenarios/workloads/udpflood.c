/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpflood: each thread opens a socket and sends `count` datagrams to one
 * destination as fast as it can, by sendto() or, connected, by send().
 *
 * The original (net_test_tools) is one process; several run side by side, so
 * each thread here has files of its own unless share_files says otherwise.
 */
#include <string.h>

#include "scenarios/run.h"
#include "scenarios/workloads/open.h"
#include "stack/include/linux/fs.h"
#include "stack/include/net/sock.h"

/*
 * User instructions for one turn of the loop: the loop itself, glibc's
 * sendto() with its test for cancellation, the way back.  Counted from the
 * disassembly of such a loop (gcc 12 -O2) and of glibc 2.36's sendto().
 */
#define USER_INSTRUCTIONS 30

/* What the threads of a run share. */
struct flood {
	u8 *payload;
	struct files_struct *files;	/* NULL: each has its own */
};

static void udpflood_prepare(struct run *run)
{
	struct flood *flood = g_new0(struct flood, 1);

	flood->payload = g_malloc0(MAX(run->config->size, 1u));
	flood->files = run->config->share_files ? files_new() : NULL;
	run->shared = flood;
}

static void udpflood_finish(struct run *run)
{
	struct flood *flood = run->shared;

	g_free(flood->payload);
	g_free(flood);
}

/* The process and its socket; a negative errno where it fails. */
static int start(struct run_thread *thread)
{
	struct run *run = thread->run;
	struct flood *flood = run->shared;
	int fd, err;

	thread->context->owner = task_new(flood->files);
	fd = workload_open(run);
	if (fd >= 0 && run->config->connect) {
		err = sys_connect(fd, &run->destination,
				  run->destination_size);
		if (err)
			return err;
	}
	return fd;
}

static void udpflood_thread(struct run_thread *thread)
{
	struct run *run = thread->run;
	const struct config *config = run->config;
	const u8 *payload = ((struct flood *)run->shared)->payload;
	u32 flags = config->confirm ? MSG_CONFIRM : 0;
	bool named = !config->connect;
	int fd = start(thread), sent;
	u64 i;

	if (fd < 0) {
		thread->setup_errno = -fd;
		return;
	}
	run_measure_begin(thread);
	for (i = 0; i < thread->count; i++) {
		WORK(USER_INSTRUCTIONS);
		sent = sys_sendto(fd, payload, config->size, flags,
				  named ? &run->destination : NULL,
				  run->destination_size);
		run_operation_done(thread, sent < 0 ? -sent : 0);
	}
	run_measure_end(thread);
	sys_close(fd);
	task_free(thread->context->owner);
}

const struct workload workload_udpflood = {
	.name = "udpflood",
	.title = "send datagrams to one destination as fast as possible",
	.metric = "elapsed_s",
	.rate = "packets_per_s",
	.lite = true,
	.prepare = udpflood_prepare,
	.thread = udpflood_thread,
	.finish = udpflood_finish,
};
