/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one configuration; see run.h. */
#include <errno.h>
#include <gio/gio.h>
#include <string.h>

#include "scenarios/machine_file.h"
#include "scenarios/run.h"
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

/* What this version cannot do must not be done differently in silence. */
static bool check_modelled(const struct config *config, GError **error)
{
	const struct workload *workload = workload_find(config->program, NULL);
	const u32 headers = config->family == FAMILY_INET6 ? 40 + 8 : 20 + 8;
	u32 i;

	for (i = 0; i < config->devices->len; i++) {
		const struct config_device *d = config->devices->pdata[i];

		if (config->size + headers > d->mtu)
			return run_refuse(config, "workload.size", error,
					  "'%u' of 'size' is more than the mtu "
					  "of %s leaves room for; fragments "
					  "are not modelled yet, so give at "
					  "most %u", config->size, d->name,
					  d->mtu - MIN(d->mtu, headers));
	}
	if (config->count > UINT64_MAX / config->threads)
		return run_refuse(config, "workload.count", error, "too large "
				  "for so many threads");
	return !workload->check || workload->check(config, error);
}

/* ---- one repeat ---- */

/* The lines of [layout] or [parameters], with their places. */
static struct kernel_setting *settings_of(const struct config *config,
					  const char *name, GPtrArray *group)
{
	struct kernel_setting *s = g_new0(struct kernel_setting,
					  group->len + 1);
	u32 i;

	for (i = 0; i < group->len; i++) {
		const struct config_setting *c = group->pdata[i];
		g_autofree char *key = g_strconcat(name, ".", c->key, NULL);

		s[i].key = c->key;
		s[i].value = c->value;
		s[i].where = config_where(config, key);
	}
	return s;
}

static bool find_kernel(const struct config *config, const char *folder,
			GError **error)
{
	g_auto(GStrv) known = data_list_kernels();
	const char *near = nearest_name(config->kernel,
					(const char *const *)known);

	if (g_file_test(folder, G_FILE_TEST_IS_DIR))
		return true;
	return run_refuse(config, "scenario.kernel", error,
			  "no kernel is called '%s'; %s%s%s", config->kernel,
			  near ? "did you mean '" : "'udpsim list kernels' "
						    "has them all",
			  near ? near : "", near ? "'?" : "");
}

static bool start_kernel(struct run *run, GError **error)
{
	const struct config *config = run->config;
	g_autofree char *folder = g_build_filename(data_dir(), "stack",
						   "kernels", config->kernel,
						   NULL);
	g_autofree struct kernel_setting *layout =
		settings_of(config, "layout", config->layout);
	g_autofree struct kernel_setting *parameters =
		settings_of(config, "parameters", config->parameters);
	struct kernel_config kernel = {
		.folder = folder,
		.patches = (const char *const *)config->patches,
		.patches_where = config_where(config, "scenario.patches"),
		.layout = layout,
		.parameters = parameters,
	};

	if (!find_kernel(config, folder, error))
		return false;
	run->kernel = kernel_new(run->machine, &kernel, error);
	return run->kernel && network_up(run, error);
}

/* A thread looks at the outside world once in so many operations. */
#define PROGRESS_MASK 0xff

void run_operation_done(struct run_thread *thread, int error)
{
	const struct run_options *options = thread->run->options;

	if (unlikely(error) && !thread->failed++)
		thread->first_errno = error;
	if (unlikely(!(thread->done++ & PROGRESS_MASK)) && options->stop &&
	    atomic_load(options->stop))
		thread->count = 0;
}

static void thread_main(void *arg)
{
	struct run_thread *thread = arg;

	thread->run->workload->thread(thread);
}

struct sampler {
	struct run *run;
	struct results *results;
};

static void sample_event(void *arg, ps_t now)
{
	struct sampler *sampler = arg;
	struct run *run = sampler->run;
	struct result_point point = {
		.name = g_strdup("udp_out_datagrams"),
		.time_ps = now,
		.value = (gint64)(snmp_udp(run->kernel, UDP_MIB_OUTDATAGRAMS) +
				  snmp_udp6(run->kernel,
					    UDP_MIB_OUTDATAGRAMS)),
	};
	u64 done = 0, total = 0;
	u32 i;

	if (run->repeat)
		g_free(point.name);
	else
		g_array_append_val(sampler->results->series, point);
	for (i = 0; i < run->config->threads; i++) {
		done += run->threads[i].done;
		total += run->threads[i].count;
	}
	if (run->options->progress)
		run->options->progress(run->options->progress_arg,
				       done + run->repeat * total,
				       total * run->config->repeat);
	if (run->machine->live_contexts)
		machine_at(run->machine, now + SAMPLE_PERIOD, EVENT_CONTROL, 0,
			   0, sample_event, sampler);
}

static void start_threads(struct run *run, const u32 *cpus)
{
	const struct config *config = run->config;
	const struct run_options *o = run->options;
	u64 count = (u64)((unsigned __int128)config->count * o->scale_num /
			  o->scale_den);
	u32 i;

	run->threads = g_new0(struct run_thread, config->threads);
	for (i = 0; i < config->threads; i++) {
		struct run_thread *thread = &run->threads[i];

		thread->run = run;
		thread->index = i;
		thread->cpu = &run->machine->cpus[cpus[i]];
		thread->count = MAX(count, 1);
		thread->context = context_new(thread->cpu, config->program,
					      thread_main, thread);
	}
}

static bool check_threads(const struct run *run, bool ended, GError **error)
{
	u32 i;

	if (run->options->stop && atomic_load(run->options->stop)) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
				    "stopped");
		return false;
	}
	if (run->kernel->not_modelled)
		return run_refuse(run->config, "scenario.kernel", error,
				  "%s is not modelled",
				  run->kernel->not_modelled);
	if (!ended)
		return run_refuse(run->config, "scenario.kernel", error,
				  "the modelled kernel has come to a deadlock");
	for (i = 0; i < run->config->threads; i++) {
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

	for (i = 0; run->threads && i < run->config->threads; i++)
		context_free(run->threads[i].context);
	g_clear_pointer(&run->threads, g_free);
	if (run->shared)
		run->workload->finish(run);
	if (run->kernel)
		kernel_free(run->kernel);
	machine_free(run->machine);
}

static bool repeat_run(struct run *run, struct results *results,
		       const u32 *cpus, GError **error)
{
	struct sampler sampler = { run, results };
	bool ended;

	if (!start_kernel(run, error))
		return false;
	if (run->workload->prepare)
		run->workload->prepare(run);
	machine_settle(run->machine);
	start_threads(run, cpus);
	time_start_ticks(run->kernel);
	machine_at(run->machine, SAMPLE_PERIOD, EVENT_CONTROL, 0, 0,
		   sample_event, &sampler);
	ended = machine_run(run->machine);
	layout_check_absent(run->kernel);
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
	u64 operations = 0, failed = 0;
	ps_t first = TIME_NEVER, last = 0, busy = 0, elapsed;
	u32 measured = 0, i;
	double seconds;

	for (i = 0; i < config->threads; i++) {
		const struct run_thread *t = &run->threads[i];

		if (t->helper)
			continue;
		measured++;
		operations += t->done;
		failed += t->failed;
		busy += t->finished - t->started - t->slept;
		first = MIN(first, t->started);
		last = MAX(last, t->finished);
	}
	elapsed = last - first;
	/* A part of the operations stands for all: the time of the whole. */
	seconds = (double)elapsed / PS_PER_S * ((double)config->count *
		   measured / (double)operations);
	results->operations += operations;
	run_sample(run, results, "elapsed_s", "s", seconds);
	run_sample(run, results, "ns_per_op", "ns", (double)elapsed *
		   measured / ((double)operations * PS_PER_NS));
	run_sample(run, results, "cpu_ns_per_op", "ns", (double)busy /
		   ((double)operations * PS_PER_NS));
	run_sample(run, results, run->workload->rate, "1/s",
		   (double)(operations - failed) * PS_PER_S / (double)elapsed);
	run_sample(run, results, "failed_ops", "1", (double)failed);
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

/* The machine and where the threads go on it; NULL and an error. */
static u32 *load_machine(const struct config *config,
			 struct machine_profile **profile, GError **error)
{
	g_autofree char *path = machine_find(config->machine, error);
	u32 *cpus;

	*profile = path ? machine_profile_load(path, error) : NULL;
	if (!path)
		g_prefix_error(error, "%s: ",
			       config_where(config, "scenario.machine"));
	if (!*profile || !workload_find(config->program, error) ||
	    !check_modelled(config, error))
		return NULL;
	cpus = place_threads(*profile, config->cpus, config->threads, error);
	if (!cpus)
		g_prefix_error(error, "%s: ", config_where(config, config->cpus ?
			       "workload.cpus" : "workload.threads"));
	return cpus;
}

bool run_verify(const struct config *config, GError **error)
{
	g_autoptr(MachineProfile) profile = NULL;
	g_autofree u32 *cpus = load_machine(config, &profile, error);
	struct run run = { .config = config, .seed = config->seed };
	bool ok;

	if (!cpus)
		return false;
	run.workload = workload_find(config->program, NULL);
	run.machine = machine_new(profile, run.seed, false);
	ok = start_kernel(&run, error);
	repeat_end(&run);
	return ok;
}

struct results *run_config(const struct scenario *scenario,
			   const struct config *config,
			   const struct run_options *options,
			   GPtrArray *findings, GError **error)
{
	g_autoptr(MachineProfile) profile = NULL;
	g_autofree u32 *cpus = load_machine(config, &profile, error);
	struct collector *collector;
	struct results *results;
	gint64 begin = g_get_monotonic_time();
	u32 i;

	if (!cpus)
		return NULL;
	results = results_new();
	describe(results, scenario, config, options);
	collector = collector_new();
	for (i = 0; i < config->repeat; i++) {
		struct run run = {
			.config = config, .options = options, .repeat = i,
			.seed = config->seed + i,
			.workload = workload_find(config->program, NULL),
		};
		bool ok;

		run.machine = machine_new(profile, run.seed, options->check);
		ok = repeat_run(&run, results, cpus, error);
		if (ok) {
			if (!i) {
				results->patches = kernel_patches(run.kernel);
				run_measure_slabs(&run, results);
			}
			add_samples(&run, results);
			collector_add(collector, &run);
			if (findings)
				take_findings(run.machine, findings);
		}
		repeat_end(&run);
		if (!ok) {
			collector_free(collector);
			results_free(results);
			return NULL;
		}
	}
	collector_finish(collector, results);
	collector_free(collector);
	results->host_usec = g_get_monotonic_time() - begin;
	return results;
}
