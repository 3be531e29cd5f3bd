/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rr: netperf's UDP_RR.  Each of `threads` clients on the first host sends a
 * request of `size` bytes to a server of its own on the second host, and waits
 * for the response of `response_size` bytes before it sends the next.  With
 * one host only, the servers run on it as well.
 *
 * multicast-pingpong: the same as fio's pingpong over UDP does it.  The request
 * goes to a group of which the server is a member, the response to the sender
 * alone; nobody connects.
 *
 * As netperf's, neither side waits for a limited time: after the loss of a
 * datagram both wait for ever, and the run ends with an error.
 */
#include <gio/gio.h>
#include <string.h>

#include "scenarios/network.h"
#include "scenarios/run.h"
#include "scenarios/workloads/open.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

/* User instructions for one system call of the loop: as in udpflood.c. */
#define USER_INSTRUCTIONS 30
#define PATIENCE (10 * PS_PER_S)

/* A client and its server. */
struct pair {
	bool listening;		/* the server has got as far as it could */
	int error;		/* why it could not listen, or 0 */
};

struct rr {
	struct pair *pairs;
	u8 *request, *response;
	bool multicast;
	struct sockaddr_any server;	/* or group: the first one's */
	u32 waiting;		/* clients that have not ended */
	bool began;
	ps_t idle_begin[MAX_MACHINES], idle_end[MAX_MACHINES];
	u64 fib_begin, fib_end;	/* look-ups of routes of all hosts */
	ps_t begin, end;
};

static bool rr_check(const struct config *config, GError **error)
{
	const struct config_host *last =
		config->hosts->pdata[config->hosts->len > 1];

	if (!config->size)
		return run_refuse(config, "workload.size", error, "a request "
				  "has at least one byte");
	if (!config->response_size)
		return run_refuse(config, "workload.response_size", error,
				  "a response has at least one byte");
	if (config->port + config->threads > 65536)
		return run_refuse(config, "workload.port", error, "each of %u "
				  "servers has a port, from %u on; give a "
				  "smaller one", config->threads, config->port);
	if (!host_address(last, config->family))
		return run_refuse(config, "workload.family", error, "rr needs "
				  "an address of that family to serve at");
	return true;
}

/* Of the range that is an organisation's own (RFC 2365, RFC 4291). */
#define GROUP4 0xefc00001u	/* 239.192.0.1 */
#define GROUP6 ((struct in6_addr){ .s6_addr = { 0xff, 0x18, [15] = 1 } })

static bool is_group(const struct sockaddr_any *name)
{
	return name->family == PF_INET ? name->daddr >> 28 == 0xe :
					 name->daddr6.s6_addr[0] == 0xff;
}

static bool pingpong_check(const struct config *config, GError **error)
{
	const char *to = config->destination;
	g_autoptr(GInetAddress) address = NULL;

	if (!rr_check(config, error))
		return false;
	address = to ? g_inet_address_new_from_string(to) : NULL;
	if (address && !g_inet_address_get_is_multicast(address))
		return run_refuse(config, "workload.destination", error,
				  "%s is no group; give one such as "
				  "239.192.0.1, or none", to);
	return true;
}

static u32 rr_threads(const struct config *config, u32 host)
{
	if (config->hosts->len == 1)
		return 2 * config->threads;
	return host < 2 ? config->threads : 0;
}

static void rr_prepare(struct run *run)
{
	struct rr *rr = g_new0(struct rr, 1);

	rr->pairs = g_new0(struct pair, run->config->threads);
	rr->request = g_malloc0(run->config->size);
	rr->response = g_malloc0(run->config->response_size);
	rr->waiting = run->config->threads;
	rr->server = run->destination;
	run->shared = rr;
}

static void pingpong_prepare(struct run *run)
{
	struct rr *rr;

	rr_prepare(run);
	rr = run->shared;
	rr->multicast = true;
	if (is_group(&rr->server))
		return;
	rr->server.daddr = GROUP4;
	rr->server.daddr6 = GROUP6;
}

static void rr_finish(struct run *run)
{
	struct rr *rr = run->shared;

	g_free(rr->pairs);
	g_free(rr->request);
	g_free(rr->response);
	g_free(rr);
}

/* ---- the time that a host's CPUs have had nothing to do ---- */

static ps_t idle_time(const struct machine *machine, ps_t now)
{
	ps_t idle = 0;
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		const struct cpu *cpu = &machine->cpus[i];

		idle += cpu->slept;
		if (cpu->asleep && now > cpu->asleep_since)
			idle += now - cpu->asleep_since;
	}
	return idle;
}

static void take_times(const struct run *run, ps_t *idle, ps_t now)
{
	u32 i;

	for (i = 0; i < run->num_hosts; i++)
		idle[i] = idle_time(run->hosts[i].machine, now);
}

static u64 fib_lookups(const struct run *run)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < run->num_hosts; i++)
		sum += run->hosts[i].kernel->ipv4->fib_lookups;
	return sum;
}

/* ---- the client ---- */

static int open_client(const struct run_thread *thread,
		       const struct sockaddr_any *server)
{
	const struct run *run = thread->run;
	int fd = workload_socket(run, 0, run->config->bind);
	const struct rr *rr = run->shared;
	int err = fd >= 0 && run->config->connect && !rr->multicast ?
		sys_connect(fd, server, run->destination_size) : 0;

	return err ? err : fd;
}

static int transact(const struct run *run, int fd,
		    const struct sockaddr_any *server)
{
	const struct config *config = run->config;
	const struct rr *rr = run->shared;
	int got;

	WORK(USER_INSTRUCTIONS);
	got = sys_sendto(fd, rr->request, config->size, 0,
			 config->connect && !rr->multicast ? NULL : server,
			 run->destination_size);
	if (got < 0)
		return -got;
	WORK(USER_INSTRUCTIONS);
	got = sys_recvfrom(fd, NULL, config->response_size, 0, NULL);
	return got < 0 ? -got : 0;
}

static void client_loop(struct run_thread *thread, int fd,
			const struct sockaddr_any *server)
{
	struct run *run = thread->run;
	struct rr *rr = run->shared;
	u64 i;

	run_measure_begin(thread);
	if (!rr->began) {
		rr->began = true;
		rr->begin = this_cpu->clock;
		rr->fib_begin = fib_lookups(run);
		take_times(run, rr->idle_begin, this_cpu->clock);
	}
	for (i = 0; i < thread->count; i++)
		run_operation_done(thread, transact(run, fd, server));
	run_measure_end(thread);
	if (!--rr->waiting) {
		rr->end = this_cpu->clock;
		rr->fib_end = fib_lookups(run);
		take_times(run, rr->idle_end, this_cpu->clock);
	}
}

static void client(struct run_thread *thread, u32 number)
{
	struct run *run = thread->run;
	const struct pair *pair = &((struct rr *)run->shared)->pairs[number];
	struct sockaddr_any server = ((struct rr *)run->shared)->server;
	int fd;

	server.port = (u16)(server.port + number);
	/* netperf's server tells its port over another connection. */
	while (!pair->listening)
		sys_getppid();
	fd = pair->error ? -pair->error : open_client(thread, &server);
	if (fd < 0) {
		thread->setup_errno = -fd;
		run->machine->stopped = true;
		return;
	}
	client_loop(thread, fd, &server);
	sys_close(fd);
}

/* ---- the server ---- */

static int join(int fd, const struct sockaddr_any *group)
{
	const struct group_source_req req = {
		.group = group->daddr, .group6 = group->daddr6,
	};

	return group->family == PF_INET ?
		sys_setsockopt_group(fd, SOL_IP, IP_ADD_MEMBERSHIP, &req) :
		sys_setsockopt_group(fd, SOL_IPV6, IPV6_JOIN_GROUP, &req);
}

static int open_server(const struct run *run, u32 number)
{
	const struct rr *rr = run->shared;
	int fd = workload_socket(run, (u16)(run->config->port + number), true);
	int err = fd >= 0 && rr->multicast ? join(fd, &rr->server) : 0;

	return err ? err : fd;
}

static void server(struct run_thread *thread, u32 number)
{
	struct run *run = thread->run;
	const struct config *config = run->config;
	struct rr *rr = run->shared;
	struct pair *pair = &rr->pairs[number];
	int fd = open_server(run, number);
	u64 i;

	thread->helper = true;
	pair->error = fd < 0 ? -fd : 0;
	pair->listening = true;
	for (i = 0; fd >= 0 && i < thread->count; i++) {
		struct sockaddr_any from;
		int got;

		WORK(USER_INSTRUCTIONS);
		got = sys_recvfrom(fd, NULL, config->size, 0, &from);
		WORK(USER_INSTRUCTIONS);
		if (got >= 0)
			got = sys_sendto(fd, rr->response,
					 config->response_size, 0, &from,
					 run->destination_size);
		run_operation_done(thread, got < 0 ? -got : 0);
	}
	if (fd >= 0)
		sys_close(fd);
}

static void rr_thread(struct run_thread *thread)
{
	const u32 clients = thread->run->config->threads;

	thread->context->owner = task_new(NULL);
	if (thread->index < clients)
		client(thread, thread->index);
	else
		server(thread, thread->index - clients);
	task_free(thread->context->owner);
}

/* ---- figures ---- */

/* The busy time of all CPUs of a host for one transaction: what netperf calls
 * the service demand. */
static double service_demand(const struct run *run, u32 host, u64 operations)
{
	const struct rr *rr = run->shared;
	ps_t idle = rr->idle_end[host] - rr->idle_begin[host];
	ps_t all = (rr->end - rr->begin) * run->hosts[host].machine->num_cpus;

	return (double)(all - MIN(idle, all)) /
	       ((double)operations * PS_PER_US);
}

/* Of all that the first host sent through devices with several queues. */
static void measure_queues(const struct run *run, struct results *results)
{
	const struct net_core *core = run->hosts[0].kernel->net_core;

	if (core->tx_picked)
		run_sample(run, results, "tx_hashes_per_packet", "1",
			   (double)core->tx_hashed / (double)core->tx_picked);
}

static void rr_measure(const struct run *run, struct results *results)
{
	const struct rr *rr = run->shared;
	ps_t waited = 0;
	u64 operations = 0;
	u32 i;

	for (i = 0; i < run->config->threads; i++) {
		const struct run_thread *t = &run->threads[i];

		waited += t->finished - t->started;
		operations += t->done;
	}
	run_sample(run, results, "rtt_us", "us", (double)waited /
		   ((double)operations * PS_PER_US));
	run_sample(run, results, "sd_us", "us",
		   service_demand(run, 0, operations));
	if (run->num_hosts > 1)
		run_sample(run, results, "sd_remote_us", "us",
			   service_demand(run, 1, operations));
	if (run->config->family == FAMILY_INET)
		run_sample(run, results, "fib_lookups_per_op", "1",
			   (double)(rr->fib_end - rr->fib_begin) /
			   (double)operations);
	measure_queues(run, results);
}

const struct workload workload_rr = {
	.name = "rr",
	.title = "requests and responses, one at a time (netperf UDP_RR)",
	.metric = "transactions_per_s",
	.rate = "transactions_per_s",
	.lite = true,
	.serves = true,
	.patience = PATIENCE,
	.threads = rr_threads,
	.check = rr_check,
	.prepare = rr_prepare,
	.thread = rr_thread,
	.measure = rr_measure,
	.finish = rr_finish,
};

const struct workload workload_multicast_pingpong = {
	.name = "multicast-pingpong",
	.title = "requests to a group, responses to the sender (fio's pingpong)",
	.metric = "rtt_us",
	.rate = "transactions_per_s",
	.lite = true,
	.serves = true,
	.patience = PATIENCE,
	.threads = rr_threads,
	.check = pingpong_check,
	.prepare = pingpong_prepare,
	.thread = rr_thread,
	.measure = rr_measure,
	.finish = rr_finish,
};
