/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: netperf's UDP_STREAM.  Each of `threads` senders on the first host
 * sends datagrams of `size` bytes as fast as it can to a receiver of its own on
 * the second host or, where there is one only, on the same; for `seconds`, or
 * `count` of them.  What a receiver has no room for is lost, and nobody minds.
 *
 * netperf's receiver is ended by a timer.  Here a sender that is done sends
 * datagrams of another size, which are not counted, until the receiver has seen
 * one: all that was sent before has been read or dropped by then.
 */
#include "scenarios/network.h"
#include "scenarios/run.h"
#include "scenarios/workloads/open.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

/*
 * User instructions of a turn: the loop around the call and glibc's wrapper, as
 * in udpflood.c, and what netperf 2.6's send_data() or recv_data() do beyond it
 * (nettest_omni.c: the level of debugging, the destination, the length that
 * came back) with the step to the next buffer of the ring and the counts.  The
 * second half is an estimate from the source, not counted in a binary.
 */
#define USER_INSTRUCTIONS (30 + 30)
#define PATIENCE (10 * PS_PER_S)
/* Between two datagrams that end a stream, in calls of the kernel. */
#define END_PAUSE 1000

/* A sender and its receiver. */
struct pair {
	bool listening;		/* the receiver has got as far as it could */
	bool ended;		/* it has seen the end */
	bool quiet;		/* the sender sends no more */
	int error;		/* why it could not listen, or 0 */
	u64 received;
	u64 ends_sent, ends_received;
};

struct stream {
	struct pair *pairs;
	u8 *payload;
	u64 dropped_before;
};

/* Of all sockets of the host that receives. */
static u64 dropped(const struct run *run)
{
	const struct kernel *kernel = run->hosts[run->num_hosts > 1].kernel;

	return snmp_udp_all(kernel, UDP_MIB_RCVBUFERRORS);
}

static bool stream_check(const struct config *config, GError **error)
{
	if (config->port + config->threads > 65536)
		return run_refuse(config, "workload.port", error, "each of %u "
				  "receivers has a port, from %u on; give a "
				  "smaller one", config->threads, config->port);
	return true;
}

static u32 stream_threads(const struct config *config, u32 host)
{
	if (config->hosts->len == 1)
		return 2 * config->threads;
	return host < 2 ? config->threads : 0;
}

static void stream_prepare(struct run *run)
{
	struct stream *stream = g_new0(struct stream, 1);

	stream->pairs = g_new0(struct pair, run->config->threads);
	stream->payload = g_malloc0(run->config->size + 1);
	stream->dropped_before = dropped(run);
	run->shared = stream;
}

static void stream_finish(struct run *run)
{
	struct stream *stream = run->shared;

	g_free(stream->pairs);
	g_free(stream->payload);
	g_free(stream);
}

/* ---- the sender ---- */

static int open_sender(const struct run *run, const struct sockaddr_any *to)
{
	int fd = workload_socket(run, 0, run->config->bind);
	int err = fd >= 0 && run->config->connect ?
		sys_connect(fd, to, run->destination_size) : 0;

	return err ? err : fd;
}

static int send_one(const struct run *run, int fd,
		    const struct sockaddr_any *to, u32 size)
{
	const struct stream *stream = run->shared;

	WORK(USER_INSTRUCTIONS);
	return sys_sendto(fd, stream->payload, size, 0,
			  run->config->connect ? NULL : to,
			  run->destination_size);
}

/* Any other size would do. */
static u32 end_size(const struct run *run)
{
	return run->config->size ? 0 : 1;
}

static void send_end(const struct run *run, struct pair *pair, int fd,
		     const struct sockaddr_any *to)
{
	u32 i;

	while (!pair->ended) {
		if (send_one(run, fd, to, end_size(run)) >= 0)
			pair->ends_sent++;
		for (i = 0; i < END_PAUSE && !pair->ended; i++)
			sys_getppid();
	}
	pair->quiet = true;
}

static void sender(struct run_thread *thread, u32 number)
{
	struct run *run = thread->run;
	struct pair *pair = &((struct stream *)run->shared)->pairs[number];
	struct sockaddr_any to = run->destination;
	int fd, sent;
	u64 i;

	to.port = (u16)(to.port + number);
	/* netperf's receiver tells its port over another connection. */
	while (!pair->listening)
		sys_getppid();
	fd = pair->error ? -pair->error : open_sender(run, &to);
	if (fd < 0) {
		thread->setup_errno = -fd;
		run->machine->stopped = true;
		return;
	}
	run_measure_begin(thread);
	for (i = 0; i < thread->count; i++) {
		sent = send_one(run, fd, &to, run->config->size);
		run_operation_done(thread, sent < 0 ? -sent : 0);
	}
	run_measure_end(thread);
	send_end(run, pair, fd, &to);
	sys_close(fd);
}

/* ---- the receiver ---- */

static void receive_all(const struct run *run, struct pair *pair, int fd)
{
	const u32 size = run->config->size;
	int got;

	for (;;) {
		WORK(USER_INSTRUCTIONS);
		got = sys_recvfrom(fd, NULL, MAX(size, 1u), 0, NULL);
		if (got < 0)
			continue;
		if ((u32)got != size)
			break;
		pair->received++;
	}
	pair->ended = true;
	/* More of these may have come. */
	while (!pair->quiet)
		sys_getppid();
	do
		pair->ends_received++;
	while (sys_recvfrom(fd, NULL, 1, MSG_DONTWAIT, NULL) >= 0);
}

static void receiver(struct run_thread *thread, u32 number)
{
	struct run *run = thread->run;
	struct pair *pair = &((struct stream *)run->shared)->pairs[number];
	int fd = workload_socket(run, (u16)(run->config->port + number), true);

	thread->helper = true;
	pair->error = fd < 0 ? -fd : 0;
	pair->listening = true;
	if (fd < 0)
		return;
	receive_all(run, pair, fd);
	sys_close(fd);
}

static void stream_thread(struct run_thread *thread)
{
	const u32 senders = thread->run->config->threads;

	thread->context->owner = task_new(NULL);
	if (thread->index < senders)
		sender(thread, thread->index);
	else
		receiver(thread, thread->index - senders);
	task_free(thread->context->owner);
}

/* ---- figures ---- */

struct counts {
	double sent, received, dropped;
};

/* Datagrams that end a stream are left out of all three: those that were not
 * read were dropped.  Over a link they may be lost elsewhere too, and those that
 * find no room count with the others. */
static struct counts stream_counts(const struct run *run)
{
	const struct stream *stream = run->shared;
	struct counts counts = {
		.dropped = (double)(dropped(run) - stream->dropped_before),
	};
	u64 ends_dropped = 0;
	u32 i;

	for (i = 0; i < run->config->threads; i++) {
		const struct run_thread *t = &run->threads[i];
		const struct pair *pair = &stream->pairs[i];

		counts.sent += (double)(t->done - t->failed);
		counts.received += (double)pair->received;
		ends_dropped += pair->ends_sent - pair->ends_received;
	}
	if (run->num_hosts == 1)
		counts.dropped -= (double)ends_dropped;
	return counts;
}

/* What part of the whole time has been run. */
static double stream_part(const struct run *run)
{
	const struct run_options *o = run->options;

	return (double)o->scale_num / (double)o->scale_den;
}

static void stream_measure(const struct run *run, struct results *results)
{
	const struct counts counts = stream_counts(run);
	const double part = stream_part(run);

	run_sample(run, results, "packets", "1", counts.sent / part);
	run_sample(run, results, "packets_received", "1",
		   counts.received / part);
	run_sample(run, results, "packets_dropped", "1",
		   counts.dropped / part);
}

const struct workload workload_stream = {
	.name = "stream",
	.title = "send to a receiver as fast as possible (netperf UDP_STREAM)",
	.metric = "packets",
	.rate = "packets_per_s",
	.lite = true,
	.serves = true,
	.timed = true,
	.patience = PATIENCE,
	.threads = stream_threads,
	.check = stream_check,
	.prepare = stream_prepare,
	.thread = stream_thread,
	.measure = stream_measure,
	.finish = stream_finish,
};
