/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dns-resolver: each thread is a worker of a resolver on a CPU of its own.
 * For each query it opens a socket, binds it to a port of the kernel's choice,
 * sends a question, and waits; when the answer comes, it reads it and closes
 * the socket.  Many queries are under way at once, and the worker waits for
 * all of them at one place.
 *
 * Queries come as a Poisson process of a given rate, or, in a closed loop, so
 * many are kept under way.  The upstream server stands behind the device: it
 * sees each question as it is sent and answers a round trip later, on the CPU
 * that sent it.
 */
#include "scenarios/distribution.h"
#include "scenarios/run.h"
#include "stack/include/linux/eventpoll.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rx.h"
#include "stack/include/net/sock.h"
#include "stack/lib/checksum.h"

/*
 * User instructions: the calls as in socket_churn.c.  What the resolver itself
 * does with a query (parsing, its cache, its own tables) is not the kernel's
 * and takes no time.
 */
#define CALL_INSTRUCTIONS 13
#define ANSWER_SIZE 120u	/* bytes of an answer */
#define ETH_HEADER 14u

/* An answer on its way. */
struct answer {
	struct answer *next;	/* that is free */
	struct resolver *resolver;
	struct rx_datagram datagram;
	u32 cpu;
};

struct worker {
	struct eventpoll *ep;
	struct random_stream arrivals;
	ps_t next;		/* when the next query comes */
	ps_t gap;		/* mean time between two */
	u64 begun;
	u32 in_flight, max, target;
	unsigned __int128 in_flight_ps;	/* sum over time */
	ps_t since;		/* in_flight is as it is */
};

struct resolver {
	struct run *run;
	u8 *question;
	struct worker *workers;
	struct random_stream rtt;
	int distribution;
	struct answer *spare;
	GPtrArray *answers;	/* all that there are */
	struct rx_datagram datagram;
};

static bool resolver_check(const struct config *config, GError **error)
{
	const struct config_host *host = config->hosts->pdata[0];

	if (distribution_find(config->rtt_distribution) < 0)
		return run_refuse(config, "workload.rtt_distribution", error,
				  "'%s' is no distribution; give constant, "
				  "exponential or lognormal",
				  config->rtt_distribution);
	if (!config->rate == !config->in_flight)
		return run_refuse(config, config->rate ? "workload.rate" :
				  "workload.in_flight", error, "dns-resolver "
				  "needs rate or in_flight, and not both");
	if (config->rate && config->rate < config->threads)
		return run_refuse(config, "workload.rate", error, "less than a "
				  "query a second for each thread");
	if (config->in_flight && config->in_flight < config->threads)
		return run_refuse(config, "workload.in_flight", error, "less "
				  "than a query for each thread");
	if (!host->devices->len || !host->addresses->len)
		return run_refuse(config, "network.address", error,
				  "dns-resolver needs a device with an address "
				  "to send from");
	return true;
}

/* ---- the upstream server ---- */

static struct answer *answer_get(struct resolver *resolver)
{
	struct answer *answer = resolver->spare;

	if (answer) {
		resolver->spare = answer->next;
		return answer;
	}
	answer = g_new0(struct answer, 1);
	answer->resolver = resolver;
	g_ptr_array_add(resolver->answers, answer);
	return answer;
}

static void answer_event(void *arg, ps_t now)
{
	struct answer *answer = arg;
	struct resolver *resolver = answer->resolver;

	rx_arrive(resolver->run->kernel, answer->cpu, &answer->datagram, now);
	answer->next = resolver->spare;
	resolver->spare = answer;
}

/* A frame goes out: the question's port is where the answer goes. */
static void see_question(void *arg, const u8 *frame, u32 len)
{
	struct resolver *resolver = arg;
	const struct config *config = resolver->run->config;
	u32 header = config->family == FAMILY_INET6 ? 40 : 20;
	const u8 *udp = frame + ETH_HEADER + header;
	struct answer *answer;
	ps_t rtt;

	if (len < ETH_HEADER + header + 8 ||
	    get_be16(udp + 2) != resolver->datagram.from.port)
		return;
	rtt = distribution_draw(resolver->distribution,
				config->rtt_us * PS_PER_US, &resolver->rtt);
	answer = answer_get(resolver);
	answer->datagram = resolver->datagram;
	answer->datagram.to.port = get_be16(udp);
	answer->cpu = this_cpu->id;
	machine_at(resolver->run->machine, this_cpu->clock + rtt, EVENT_DEVICE,
		   this_cpu->id, this_cpu->id, answer_event, answer);
}

/* ---- set-up ---- */

static void worker_init(struct resolver *resolver, u32 i)
{
	const struct run *run = resolver->run;
	const struct config *config = run->config;
	struct worker *worker = &resolver->workers[i];

	random_seed(&worker->arrivals, run->seed, "arrivals", i);
	if (config->rate)
		worker->gap = PS_PER_S * config->threads / config->rate;
	worker->target = config->in_flight / config->threads +
		(i < config->in_flight % config->threads);
}

static void resolver_prepare(struct run *run)
{
	const struct config *config = run->config;
	const struct config_host *host = config->hosts->pdata[0];
	const struct config_device *d = host->devices->pdata[0];
	struct resolver *resolver = g_new0(struct resolver, 1);
	struct net_device *dev = dev_get_by_name(run->kernel, d->name);
	u32 i;

	resolver->run = run;
	resolver->question = g_malloc0(MAX(config->size, 1u));
	resolver->distribution = distribution_find(config->rtt_distribution);
	random_seed(&resolver->rtt, run->seed, "link", 0);
	resolver->answers = g_ptr_array_new_with_free_func(g_free);
	resolver->datagram = (struct rx_datagram){
		.dev = dev, .from = run->destination,
		.to = run_own_address(run), .len = ANSWER_SIZE,
	};
	dev->tap = see_question;
	dev->tap_arg = resolver;
	resolver->workers = g_new0(struct worker, config->threads);
	for (i = 0; i < config->threads; i++)
		worker_init(resolver, i);
	run->shared = resolver;
}

static void resolver_finish(struct run *run)
{
	struct resolver *resolver = run->shared;
	u32 i;

	for (i = 0; i < run->config->threads; i++)
		if (resolver->workers[i].ep)
			eventpoll_free(resolver->workers[i].ep);
	g_ptr_array_unref(resolver->answers);
	g_free(resolver->workers);
	g_free(resolver->question);
	g_free(resolver);
}

/* ---- a worker ---- */

static void count_in_flight(struct worker *worker, int change)
{
	ps_t now = this_cpu->clock;

	worker->in_flight_ps += (unsigned __int128)worker->in_flight *
				(now - worker->since);
	worker->since = now;
	worker->in_flight += (u32)change;
	worker->max = MAX(worker->max, worker->in_flight);
}

/* Opens and sends; 0 or an errno. */
static int ask(const struct run *run, struct worker *worker, int *ret_fd)
{
	const struct resolver *resolver = run->shared;
	const struct config *config = run->config;
	struct sockaddr_any any = { .family = run->destination.family };
	int fd, err = 0;

	WORK(CALL_INSTRUCTIONS);
	*ret_fd = fd = sys_socket(any.family, SOCK_DGRAM, 0);
	if (fd < 0)
		return -fd;
	if (config->bind) {
		WORK(CALL_INSTRUCTIONS);
		err = sys_bind(fd, &any, run->destination_size);
	}
	if (config->connect && !err) {
		WORK(CALL_INSTRUCTIONS);
		err = sys_connect(fd, &run->destination,
				  run->destination_size);
	}
	WORK(CALL_INSTRUCTIONS);
	if (!err)
		err = sys_epoll_ctl_add(worker->ep, fd);
	if (err)
		return -err;
	WORK(CALL_INSTRUCTIONS);
	err = sys_sendto(fd, resolver->question, config->size, 0,
			 config->connect ? NULL : &run->destination,
			 run->destination_size);
	return err < 0 ? -err : 0;
}

static void begin(struct run_thread *thread, struct worker *worker)
{
	int fd, err;

	worker->begun++;
	err = ask(thread->run, worker, &fd);
	if (!err) {
		count_in_flight(worker, 1);
		return;
	}
	if (fd >= 0) {
		eventpoll_release_file(worker->ep, fd);
		sys_close(fd);
	}
	run_operation_done(thread, err);
}

static void end(struct run_thread *thread, struct worker *worker, int fd)
{
	int got;

	WORK(CALL_INSTRUCTIONS);
	got = sys_recvfrom(fd, NULL, ANSWER_SIZE, MSG_DONTWAIT, NULL);
	eventpoll_release_file(worker->ep, fd);
	WORK(CALL_INSTRUCTIONS);
	sys_close(fd);
	count_in_flight(worker, -1);
	run_operation_done(thread, got < 0 ? -got : 0);
}

/* Whether a query is to be begun now. */
static bool is_due(const struct run_thread *thread, const struct worker *worker)
{
	if (worker->begun == thread->count)
		return false;
	return worker->gap ? worker->next <= this_cpu->clock :
			     worker->in_flight < worker->target;
}

/* One turn: a query that is due, then an answer that is there; if there is
 * neither, a wait for what comes first. */
static void turn(struct run_thread *thread, struct worker *worker, int gaps)
{
	ps_t until = TIME_NEVER;
	int fd;

	if (is_due(thread, worker)) {
		begin(thread, worker);
		if (worker->gap)
			worker->next += distribution_draw(gaps, worker->gap,
							  &worker->arrivals);
		until = 0;
	} else if (worker->gap && worker->begun < thread->count) {
		until = worker->next;
	}
	WORK(CALL_INSTRUCTIONS);
	fd = sys_epoll_wait(worker->ep, until);
	if (fd >= 0)
		end(thread, worker, fd);
}

static void resolver_thread(struct run_thread *thread)
{
	struct resolver *resolver = thread->run->shared;
	struct worker *worker = &resolver->workers[thread->index];
	int gaps = distribution_find("exponential");

	thread->context->owner = task_new(NULL);
	worker->ep = eventpoll_new(this_cpu);
	run_measure_begin(thread);
	worker->since = worker->next = thread->started;
	while (thread->done < thread->count)
		turn(thread, worker, gaps);
	run_measure_end(thread);
	task_free(thread->context->owner);
}

static void resolver_measure(const struct run *run, struct results *results)
{
	const struct resolver *resolver = run->shared;
	unsigned __int128 sum = 0;
	ps_t all = 0, slept = 0;
	u64 max = 0;
	u32 i;

	for (i = 0; i < run->config->threads; i++) {
		const struct run_thread *t = &run->threads[i];

		sum += resolver->workers[i].in_flight_ps;
		max += resolver->workers[i].max;
		all += t->finished - t->started;
		slept += t->slept;
	}
	run_sample(run, results, "in_flight_mean", "1", (double)sum *
		   run->config->threads / (double)all);
	run_sample(run, results, "in_flight_max", "1", (double)max);
	run_sample(run, results, "busy_pct", "%", 100.0 *
		   (double)(all - slept) / (double)all);
	run_measure_sockets(run, results);
}

const struct workload workload_dns_resolver = {
	.name = "dns-resolver",
	.title = "a socket for each query, many of them under way",
	.metric = "cpu_ns_per_op",
	.rate = "queries_per_s",
	.check = resolver_check,
	.prepare = resolver_prepare,
	.thread = resolver_thread,
	.measure = resolver_measure,
	.finish = resolver_finish,
};
