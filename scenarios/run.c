/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one configuration; see run.h. */
#include <errno.h>
#include <gio/gio.h>
#include <string.h>

#include "scenarios/capture.h"
#include "scenarios/machine_file.h"
#include "scenarios/run.h"
#include "scenarios/trace.h"
#include "sim/check.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/layout.h"

#define SAMPLE_PERIOD (10 * PS_PER_MS)

bool run_refuse(const struct config *config, const char *key, GError **error,
		const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE, "%s: %s",
		    config_where(config, key), what);
	return false;
}

static bool check_protocol(const struct config *config, bool lite,
			   GError **error)
{
	const bool udplite = g_str_equal(config->protocol, "udplite");

	if (!udplite && !g_str_equal(config->protocol, "udp"))
		return run_refuse(config, "workload.protocol", error, "no "
				  "protocol '%s'; give udp or udplite",
				  config->protocol);
	if (udplite && !lite)
		return run_refuse(config, "workload.protocol", error, "%s "
				  "speaks udp only; rr, stream, udpflood, "
				  "socket-churn and multicast-pingpong speak "
				  "udplite", config->program);
	if (config->coverage && !udplite)
		return run_refuse(config, "workload.coverage", error, "udp "
				  "covers all; it takes protocol = udplite to "
				  "say how much");
	if (config->coverage && config->coverage < UDPLITE_LEAST_COVERAGE)
		return run_refuse(config, "workload.coverage", error, "the "
				  "header is always covered; give 0 for all, "
				  "or at least %u", UDPLITE_LEAST_COVERAGE);
	return true;
}

/* What this version cannot do must not be done differently in silence. */
static bool check_modelled(const struct config *config, GError **error)
{
	const struct workload *workload = workload_find(config->program, NULL);
	const struct config_host *first = config->hosts->pdata[0];
	const u32 headers = config->family == FAMILY_INET6 ? 40 + 8 : 20 + 8;
	u32 i;

	/* No fragments are made for groups. */
	for (i = 0; g_str_has_prefix(config->program, "multicast") &&
	     i < first->devices->len; i++) {
		const struct config_device *d = first->devices->pdata[i];

		if (config->size + headers > d->mtu)
			return run_refuse(config, "workload.size", error,
					  "'%u' of 'size' is more than the mtu "
					  "of %s leaves room for; fragments "
					  "to groups are not modelled, so give "
					  "at most %u", config->size, d->name,
					  d->mtu - MIN(d->mtu, headers));
	}
	if (config->count > UINT64_MAX / config->threads)
		return run_refuse(config, "workload.count", error, "too large "
				  "for so many threads");
	if (config->seconds && !workload->timed)
		return run_refuse(config, "workload.seconds", error, "%s ends "
				  "by count, not by time; take seconds out",
				  config->program);
	return check_protocol(config, workload->lite, error) &&
	       (!workload->check || workload->check(config, error));
}

/* ---- one repeat ---- */

/* A thread looks at the outside world once in so many operations. */
#define PROGRESS_MASK 0xff

void run_operation_done(struct run_thread *thread, int error)
{
	const struct run_options *options = thread->run->options;

	if (unlikely(error) && !thread->failed++)
		thread->first_errno = error;
	if (thread->duration &&
	    this_cpu->clock - thread->started >= thread->duration)
		thread->count = 0;
	if (unlikely(!(thread->done++ & PROGRESS_MASK)) && options->stop &&
	    atomic_load(options->stop))
		thread->count = 0;
}

void run_measure_begin(struct run_thread *thread)
{
	thread->started = this_cpu->clock;
	thread->ran = context_ran(thread->context);
	thread->slept = this_cpu->slept;
	if (!thread->helper)
		cpu_times_begin(thread->run);
}

void run_measure_end(struct run_thread *thread)
{
	thread->finished = this_cpu->clock;
	thread->ran = context_ran(thread->context) - thread->ran;
	thread->slept = this_cpu->slept - thread->slept;
	if (!thread->helper)
		cpu_times_end(thread->run);
}

static void thread_main(void *arg)
{
	struct run_thread *thread = arg;

	thread->run->workload->thread(thread);
}

/* How many operations a thread will have done in the end; where time ends it,
 * as many more as it has done by now. */
static u64 to_do(const struct run_thread *thread, ps_t now)
{
	const ps_t ran = now - thread->started;

	if (thread->duration && thread->started && now > thread->started)
		return (u64)((unsigned __int128)thread->done *
			     MAX(thread->duration, ran) / ran);
	return thread->count;
}

struct sampler {
	struct run *run;
	struct results *results;
	event_id next;
};

/* Stops a run that waits for what will not come. */
static void run_check_progress(struct run *run, ps_t now)
{
	const ps_t patience = run->workload->patience;
	u64 done = 0;
	u32 i;

	for (i = 0; i < run->num_threads; i++)
		done += run->threads[i].done - run->threads[i].failed;
	if (done > run->done_last)
		run->done_at = now;
	run->done_last = done;
	if (patience && (now > run->done_at + patience ||
			 (run->options->stop &&
			  atomic_load(run->options->stop))))
		run->machine->stopped = true;
}

static void sample_event(void *arg, ps_t now)
{
	struct sampler *sampler = arg;
	struct run *run = sampler->run;
	struct result_point point = {
		.name = g_strdup("udp_out_datagrams"),
		.time_ps = now,
		.value = (gint64)snmp_udp_all(run->kernel,
					      UDP_MIB_OUTDATAGRAMS),
	};
	u64 done = 0, total = 0;
	u32 i;

	run_check_progress(run, now);
	if (run->repeat)
		g_free(point.name);
	else
		g_array_append_val(sampler->results->series, point);
	for (i = 0; i < run->num_threads; i++) {
		done += run->threads[i].done;
		total += to_do(&run->threads[i], now);
	}
	if (run->options->progress)
		run->options->progress(run->options->progress_arg,
				       done + run->repeat * total,
				       total * run->config->repeat);
	sampler->next = run->world->live_contexts ?
		machine_at(run->machine, now + SAMPLE_PERIOD, EVENT_CONTROL, 0,
			   0, sample_event, sampler) : 0;
}

static u64 scaled(const struct run_options *o, u64 whole)
{
	return (u64)((unsigned __int128)whole * o->scale_num / o->scale_den);
}

static void start_thread(struct run *run, struct run_host *host, u32 index,
			 u32 cpu)
{
	const struct run_options *o = run->options;
	struct run_thread *thread = &run->threads[index];
	const ps_t whole = run->config->seconds * PS_PER_S;

	thread->run = run;
	thread->host = host;
	thread->index = index;
	thread->cpu = &host->machine->cpus[cpu];
	/* Of what ends by time, the time is scaled. */
	if (whole) {
		thread->count = run->config->count;
		thread->duration = scaled(o, whole);
	} else {
		thread->count = MAX(scaled(o, run->config->count), 1);
	}
	thread->context = context_new(thread->cpu, run->config->program,
				      thread_main, thread);
	context_pin(thread->context, thread->cpu);
}

static void start_threads(struct run *run)
{
	const struct run_plan *plan = run->plan;
	u32 i, j, index = 0;

	for (i = 0; i < run->num_hosts; i++)
		run->num_threads += plan->threads[i];
	run->threads = g_new0(struct run_thread, run->num_threads);
	for (i = 0; i < run->num_hosts; i++)
		for (j = 0; j < plan->threads[i]; j++)
			start_thread(run, &run->hosts[i], index++,
				     plan->cpus[i][j]);
}

/* Whether the run came to its end. */
static bool check_end(const struct run *run, bool ended, GError **error)
{
	u32 i;

	if (run->options->stop && atomic_load(run->options->stop)) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
				    "stopped");
		return false;
	}
	for (i = 0; i < run->num_hosts; i++) {
		const struct run_host *host = &run->hosts[i];

		if (!host->kernel->not_modelled)
			continue;
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s: %s is not modelled",
			    config_host_where(run->config, host->config,
					      "kernel"),
			    host->kernel->not_modelled);
		return false;
	}
	if (!ended && run->machine->stopped)
		return run_refuse(run->config, "workload.program", error,
				  "%s has waited for %llu s of simulated time "
				  "for what does not come: a datagram was lost, "
				  "and none is sent again",
				  run->config->program, (unsigned long long)
				  (run->workload->patience / PS_PER_S));
	if (!ended)
		return run_refuse(run->config, "scenario.kernel", error,
				  "the modelled kernel has come to a deadlock");
	return true;
}

static bool check_threads(const struct run *run, bool ended, GError **error)
{
	u32 i;

	if (!check_end(run, ended, error))
		return false;
	for (i = 0; i < run->num_threads; i++) {
		const struct run_thread *t = &run->threads[i];

		if (t->setup_errno)
			return run_refuse(run->config, "workload.program",
					  error, "thread %u of %s could not "
					  "start: %s", i, run->config->program,
					  g_strerror(t->setup_errno));
		if (!t->helper && t->failed == t->done)
			return run_refuse(run->config, "workload.program",
					  error, "every operation of thread %u "
					  "of %s failed: %s", i,
					  run->config->program,
					  g_strerror(t->first_errno));
	}
	return true;
}

static void repeat_end(struct run *run)
{
	u32 i;

	for (i = 0; run->threads && i < run->num_threads; i++)
		context_free(run->threads[i].context);
	g_clear_pointer(&run->threads, g_free);
	if (run->shared)
		run->workload->finish(run);
	hosts_down(run);
}

static bool repeat_run(struct run *run, struct results *results, GError **error)
{
	struct sampler sampler = { .run = run, .results = results };
	const struct run_options *options = run->options;
	struct capture *capture = NULL;
	struct trace *trace = NULL;
	bool ended;
	u32 i;

	if (!hosts_up(run, error))
		return false;
	if (run->workload->prepare)
		run->workload->prepare(run);
	for (i = 0; i < run->num_hosts; i++)
		machine_settle(run->hosts[i].machine);
	if (options->capture && !run->repeat)
		capture = capture_start(run, options->capture);
	start_threads(run);
	for (i = 0; i < run->num_hosts; i++)
		time_start_ticks(run->hosts[i].kernel);
	sampler.next = machine_at(run->machine, SAMPLE_PERIOD, EVENT_CONTROL, 0,
				  0, sample_event, &sampler);
	if (options->trace.length && !run->repeat)
		trace = trace_start(run, &options->trace);
	ended = world_run(run->world);
	if (sampler.next)
		engine_cancel(run->machine->engine, sampler.next);
	if (trace)
		trace_finish(trace, results);
	if (capture)
		capture_finish(capture, results);
	for (i = 0; i < run->num_hosts; i++)
		layout_check_absent(run->hosts[i].kernel);
	return check_threads(run, ended, error);
}

/* ---- all repeats ---- */

void run_sample(const struct run *run, struct results *results,
		const char *name, const char *unit, double value)
{
	results_add_sample(results, run->repeat, run->seed, name, unit, value);
}

static void add_samples(const struct run *run, struct results *results)
{
	const struct config *config = run->config;
	struct run_measured m;
	double operations, seconds;

	run_measured(run, &m);
	operations = (double)m.operations;
	/* A part of the operations stands for all: the time of the whole. */
	seconds = config->seconds ? config->seconds :
		  (double)m.elapsed / PS_PER_S * ((double)config->count *
		   m.threads / operations);
	results->operations += m.operations;
	run_sample(run, results, "elapsed_s", "s", seconds);
	run_sample(run, results, "ns_per_op", "ns", (double)m.elapsed *
		   m.threads / (operations * PS_PER_NS));
	run_sample(run, results, "cpu_ns_per_op", "ns", (double)m.busy /
		   (operations * PS_PER_NS));
	run_sample(run, results, run->workload->rate, "1/s",
		   (double)(m.operations - m.failed) * PS_PER_S /
		   (double)m.elapsed);
	run_sample(run, results, "failed_ops", "1", (double)m.failed);
	if (run->workload->measure)
		run->workload->measure(run, results);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void describe(struct results *results, const struct scenario *scenario,
		     const struct config *config,
		     const struct run_options *options)
{
	u32 i, j;

	results->scenario = g_strdup(config->name);
	results->title = g_strdup(config->title);
	results->source = g_strdup(config->source);
	results->variant = g_strdup(config->variant);
	results->point = g_strdup(config->point);
	results->kernel = g_strdup(config->kernel);
	results->machine = g_strdup(base_name(config->machine));
	results->text = g_strdup(scenario_text(scenario));
	results->overrides = g_strdup(config->overrides);
	results->seed = config->seed;
	results->repeats = config->repeat;
	results->scale = g_strdup(options->scale_text);
	for (i = 0; i < config->published->len; i++) {
		const struct config_published *p = config->published->pdata[i];
		GArray *side[] = { p->before, p->after };
		u32 s;

		for (s = 0; s < 2; s++)
			for (j = 0; side[s] && j < side[s]->len; j++) {
				struct result_published r = {
					.row = g_strdup(p->row ? p->row : ""),
					.metric = g_strdup(p->metric),
					.side = g_strdup(s ? "after" :
							 "before"),
					.repeat = j,
					.value = g_array_index(side[s], double,
							       j),
				};

				g_array_append_val(results->published, r);
			}
	}
}

/* What is under way when the last thread ends is nobody's loss: it arrives, and
 * whoever has it in hand goes on.  All measures have been taken. */
static void let_arrive(struct run *run)
{
	bool busy = true;
	u32 i;

	while (busy) {
		ps_t now = world_linger(run->world, PS_PER_S);

		busy = false;
		for (i = 0; i < run->config->links->len; i++)
			busy |= link_is_busy(run->links[i], now);
	}
}

static void take_findings(struct machine *machine, GPtrArray *findings)
{
	const char *const *f;

	if (!machine->check)
		return;
	/* What still waits for readers is freed, and with it what that holds;
	 * all measures have been taken. */
	this_cpu = &machine->cpus[0];
	rcu_barrier();
	check_leaks(machine);
	for (f = check_findings(machine->check); *f; f++) {
		bool seen = false;
		u32 i;

		for (i = 0; i < findings->len; i++)
			seen |= g_str_equal(findings->pdata[i], *f);
		if (!seen)
			g_ptr_array_add(findings, g_strdup(*f));
	}
}

/* A config that can be run, and what its repeats share. */
static bool plan_checked(struct run_plan *plan, const struct config *config,
			 GError **error)
{
	return workload_find(config->program, error) &&
	       check_modelled(config, error) &&
	       plan_make(plan, config, error);
}

bool run_verify(const struct config *config, GError **error)
{
	struct run_plan plan = { 0 };
	struct run run = {
		.config = config, .plan = &plan, .seed = config->seed,
	};
	bool ok = plan_checked(&plan, config, error);

	if (ok) {
		run.workload = workload_find(config->program, NULL);
		ok = hosts_up(&run, error);
		repeat_end(&run);
	}
	plan_clear(&plan);
	return ok;
}

/* What the first repeat alone has to tell. */
static void describe_kernels(const struct run *run, struct results *results)
{
	u32 i;

	results->patches = kernel_patches(run->kernel);
	for (i = 0; i < run->num_hosts; i++)
		run_measure_slabs(&run->hosts[i], results);
}

static bool run_repeats(const struct config *config,
			const struct run_options *options,
			const struct run_plan *plan, struct results *results,
			struct collector **collectors, GPtrArray *findings,
			GError **error)
{
	u32 i, j;

	for (i = 0; i < config->repeat; i++) {
		struct run run = {
			.config = config, .options = options, .plan = plan,
			.repeat = i, .seed = config->seed + i,
			.workload = workload_find(config->program, NULL),
		};
		bool ok = repeat_run(&run, results, error);

		if (ok && !i)
			describe_kernels(&run, results);
		if (ok)
			add_samples(&run, results);
		if (ok)
			cpu_times_add(&run, results);
		for (j = 0; ok && j < run.num_hosts; j++)
			collector_add(collectors[j], &run);
		if (ok && findings && options->check)
			let_arrive(&run);
		for (j = 0; ok && findings && j < run.num_hosts; j++)
			take_findings(run.hosts[j].machine, findings);
		repeat_end(&run);
		if (!ok)
			return false;
	}
	return true;
}

struct results *run_config(const struct scenario *scenario,
			   const struct config *config,
			   const struct run_options *options,
			   GPtrArray *findings, GError **error)
{
	struct collector *collectors[MAX_MACHINES] = { NULL };
	gint64 begin = g_get_monotonic_time();
	struct run_plan plan = { 0 };
	struct results *results = NULL;
	u32 i;

	if (plan_checked(&plan, config, error)) {
		results = results_new();
		describe(results, scenario, config, options);
		for (i = 0; i < plan.num_hosts; i++)
			collectors[i] = collector_new(i);
		if (run_repeats(config, options, &plan, results, collectors,
				findings, error))
			collectors_finish(collectors, plan.num_hosts, results);
		else
			g_clear_pointer(&results, results_free);
		for (i = 0; i < plan.num_hosts; i++)
			collector_free(collectors[i]);
	}
	plan_clear(&plan);
	if (results)
		results->host_usec = g_get_monotonic_time() - begin;
	return results;
}
