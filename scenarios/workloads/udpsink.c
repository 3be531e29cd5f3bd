/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udpsink: one socket is flooded from several receive queues, and one task
 * reads it as fast as it can.  The first thread is the reader, which takes
 * `count` datagrams; each of the others stands for a CPU whose queue is never
 * empty, so that its softirq never ends.
 */
#include "scenarios/run.h"
#include "scenarios/workloads/open.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rx.h"
#include "stack/include/linux/sched.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

/* User instructions of one turn of the reader: as in udpflood.c. */
#define USER_INSTRUCTIONS 30
/* Packets that a queue's poll takes at a time. */
#define POLL 64u
#define FIRST_PORT 1024u	/* of the senders, one each queue */

struct sink {
	struct rx_datagram datagram;	/* from port FIRST_PORT */
	u64 dropped_before;
	bool done;		/* the reader has what it wanted */
};

static bool sink_check(const struct config *config, GError **error)
{
	const struct config_host *host = config->hosts->pdata[0];

	if (config->threads < 2)
		return run_refuse(config, "workload.threads", error, "udpsink "
				  "needs a reader and at least one queue, so "
				  "two threads or more");
	if (!host->devices->len || !host->addresses->len)
		return run_refuse(config, "network.address", error, "udpsink "
				  "needs a device with an address to receive "
				  "at");
	return true;
}

static u64 dropped(const struct run *run)
{
	return snmp_udp(run->kernel, UDP_MIB_RCVBUFERRORS) +
	       snmp_udp6(run->kernel, UDP_MIB_RCVBUFERRORS);
}

static void sink_prepare(struct run *run)
{
	const struct config *config = run->config;
	const struct config_host *host = config->hosts->pdata[0];
	const struct config_device *d = host->devices->pdata[0];
	struct sink *sink = g_new0(struct sink, 1);

	sink->datagram = (struct rx_datagram){
		.dev = dev_get_by_name(run->kernel, d->name),
		.from = run->destination,
		.to = run_own_address(run),
		.len = config->size,
	};
	sink->datagram.to.port = (u16)config->port;
	run->shared = sink;
}

static void sink_finish(struct run *run)
{
	g_free(run->shared);
}

static void read_all(struct run_thread *thread)
{
	struct sink *sink = thread->run->shared;
	int fd, got;
	u64 i;

	thread->context->owner = task_new(NULL);
	fd = workload_socket(thread->run, (u16)thread->run->config->port,
			     true);
	if (fd < 0) {
		thread->setup_errno = -fd;
		sink->done = true;
		return;
	}
	sink->dropped_before = dropped(thread->run);
	run_measure_begin(thread);
	for (i = 0; i < thread->count; i++) {
		WORK(USER_INSTRUCTIONS);
		got = sys_recvfrom(fd, NULL, thread->run->config->size, 0,
				   NULL);
		run_operation_done(thread, got < 0 ? -got : 0);
	}
	run_measure_end(thread);
	sink->done = true;
	sys_close(fd);
	task_free(thread->context->owner);
}

static void raise_all(struct run_thread *thread)
{
	struct sink *sink = thread->run->shared;
	struct rx_datagram datagram = sink->datagram;

	thread->helper = true;
	thread->context->owner = task_new(NULL);
	datagram.from.port = (u16)(FIRST_PORT + thread->index);
	while (!sink->done) {
		rx_poll(&datagram, POLL);
		if (need_resched())	/* as ksoftirqd, to tasks beside it */
			schedule();
	}
	task_free(thread->context->owner);
}

static void sink_thread(struct run_thread *thread)
{
	if (thread->index)
		raise_all(thread);
	else
		read_all(thread);
}

static void sink_measure(const struct run *run, struct results *results)
{
	const struct sink *sink = run->shared;

	run_sample(run, results, "drops_per_op", "1",
		   (double)(dropped(run) - sink->dropped_before) /
		   (double)run->threads[0].done);
}

const struct workload workload_udpsink = {
	.name = "udpsink",
	.title = "one reader of a socket that several queues flood",
	.metric = "packets_per_s",
	.rate = "packets_per_s",
	.check = sink_check,
	.prepare = sink_prepare,
	.thread = sink_thread,
	.measure = sink_measure,
	.finish = sink_finish,
};
