/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of a batch are independent: worker threads take them in turn, and
 * the main thread records each as soon as all before it are recorded, so the
 * database does not depend on how many workers there are.
 */
#include <gio/gio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/progress.h"
#include "analysis/record.h"
#include "scenarios/batch.h"
#include "scenarios/run.h"
#include "scenarios/trace.h"

struct job {
	struct scenario *scenario;	/* the batch's */
	struct config *config;
	struct results *results;
	GPtrArray *findings;
	GError *error;
	guint64 done, total;	/* operations, for the progress line */
	bool finished;
	struct batch *batch;
};

struct batch {
	const struct batch_options *options;
	struct run_options run;
	GPtrArray *scenarios;	/* struct scenario * */
	GPtrArray *jobs;	/* struct job * */
	GMutex mutex;
	GCond finished;
	gint64 began;
	bool show_progress;
	struct progress *progress;	/* for `udpsim serve`; may be NULL */
};

static atomic_int stop_requested;

static void on_interrupt(int number)
{
	(void)number;
	atomic_store(&stop_requested, 1);
}

static void job_free(void *p)
{
	struct job *job = p;

	config_free(job->config);
	if (job->results)
		results_free(job->results);
	g_ptr_array_unref(job->findings);
	g_clear_error(&job->error);
	g_free(job);
}

static void scenario_free_void(void *p)
{
	scenario_free(p);
}

/* ---- what there is to do ---- */

/* "0.01" as a fraction: digits over a power of ten. */
static bool parse_scale(const char *text, struct run_options *run)
{
	const char *p = text;
	guint64 num = 0, den = 1;
	bool point = false;

	for (; *p; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!g_ascii_isdigit(*p) || den >= 1000000000 ||
		    num > 1000000000)
			return false;
		num = num * 10 + (guint64)(*p - '0');
		den *= point ? 10 : 1;
	}
	if (!num)
		return false;
	run->scale_num = num;
	run->scale_den = den;
	run->scale_text = (char *)text;
	return true;
}

static bool wanted_variant(const struct batch *batch, const char *name)
{
	return !batch->options->variant ||
	       g_str_equal(batch->options->variant, name);
}

static bool add_jobs(struct batch *batch, struct scenario *scenario,
		     GError **error)
{
	unsigned int v, p, before = batch->jobs->len;

	for (p = 0; p < scenario_num_points(scenario); p++)
		for (v = 0; v < scenario_num_variants(scenario); v++) {
			struct job *job;

			if (!wanted_variant(batch,
					    scenario_variant(scenario, v)))
				continue;
			job = g_new0(struct job, 1);
			job->batch = batch;
			job->scenario = scenario;
			job->findings = g_ptr_array_new_with_free_func(g_free);
			g_ptr_array_add(batch->jobs, job);
			job->config = scenario_resolve(scenario, v, p,
						       batch->options->sets,
						       error);
			if (!job->config || !run_verify(job->config, error))
				return false;
		}
	if (batch->jobs->len > before)
		return true;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
		    "%s has no variant '%s'; its first one is '%s'",
		    scenario_name(scenario), batch->options->variant,
		    scenario_variant(scenario, 0));
	return false;
}

static bool load_all(struct batch *batch, char **names, GError **error)
{
	for (; *names; names++) {
		g_autofree char *path = scenario_find(*names, error);
		struct scenario *scenario;

		scenario = path ? scenario_load(path, error) : NULL;
		if (!scenario)
			return false;
		g_ptr_array_add(batch->scenarios, scenario);
		if (!add_jobs(batch, scenario, error))
			return false;
	}
	return true;
}

/* ---- running ---- */

static void job_progress(void *arg, u64 done, u64 total)
{
	struct job *job = arg;

	g_mutex_lock(&job->batch->mutex);
	job->done = done;
	job->total = total;
	g_cond_signal(&job->batch->finished);
	g_mutex_unlock(&job->batch->mutex);
}

static void job_run(void *data, void *user_data)
{
	struct job *job = data;
	struct batch *batch = user_data;
	struct run_options options = batch->run;
	struct results *results = NULL;
	GError *error = NULL;

	options.progress = job_progress;
	options.progress_arg = job;
	if (!atomic_load(&stop_requested))
		results = run_config(job->scenario, job->config, &options,
				     job->findings, &error);
	g_mutex_lock(&batch->mutex);
	job->results = results;
	job->error = error;
	job->finished = true;
	g_cond_signal(&batch->finished);
	g_mutex_unlock(&batch->mutex);
}

/* How much of all is done, and so many operations.  The mutex is held. */
static double part_done(const struct batch *batch, guint64 *ret_operations)
{
	double part = 0;
	unsigned int i;

	*ret_operations = 0;
	for (i = 0; i < batch->jobs->len; i++) {
		const struct job *job = batch->jobs->pdata[i];

		*ret_operations += job->done;
		if (job->finished)
			part += 1;
		else if (job->total)
			part += (double)job->done / (double)job->total;
	}
	return part / batch->jobs->len;
}

/* Called with the mutex held; `job` is the one that is waited for. */
static void tell_progress(struct batch *batch, const struct job *job)
{
	const char *variant = job->config->variant;
	guint64 operations;
	double part = part_done(batch, &operations), seconds;
	g_autofree char *what = g_strdup_printf("%s%s%s", job->config->name,
						*variant ? ", " : "", variant);

	progress_tell(batch->progress, what, (unsigned int)(1000 * part));
	if (!batch->show_progress)
		return;
	seconds = (double)(g_get_monotonic_time() - batch->began) / 1e6;
	fprintf(stderr, "\r%3.0f %%  %.2f million operations/s  %.0f s left  ",
		part * 100, (double)operations / seconds / 1e6,
		part > 0 ? seconds / part - seconds : 0);
}

static void end_progress(struct batch *batch)
{
	if (batch->show_progress)
		fprintf(stderr, "\r%*s\r", 60, "");
}

static void wait_for(struct batch *batch, const struct job *job)
{
	gint64 shown = 0;

	g_mutex_lock(&batch->mutex);
	while (!job->finished) {
		gint64 now = g_get_monotonic_time();

		if (now - shown > 200000) {
			tell_progress(batch, job);
			shown = now;
		}
		g_cond_wait_until(&batch->finished, &batch->mutex,
				  now + 200000);
	}
	g_mutex_unlock(&batch->mutex);
}

static int report_error(const GError *error)
{
	if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
		fprintf(stderr, "udpsim: stopped; what was recorded is whole\n");
		return 130;
	}
	fprintf(stderr, "udpsim: %s\n", error->message);
	return error->domain == RECORD_ERROR ? 3 : 2;
}

/* Where the trace of a run ended, if that is not where it was to end. */
static void report_trace(struct batch *batch, const struct job *job)
{
	const struct results *results = job->results;
	char until[G_ASCII_DTOSTR_BUF_SIZE];

	if (!results->trace_full && (results->trace->len ||
				     !batch->run.trace.length))
		return;
	end_progress(batch);
	g_ascii_formatd(until, sizeof(until), "%.3f",
			(double)results->trace_until_ps / (double)PS_PER_US);
	if (results->trace_full)
		fprintf(stderr, "udpsim: %s %s: the trace ends at %s us: it is "
			"full, with %u events; give --trace a shorter or later "
			"window\n", job->config->name, job->config->variant,
			until, results->trace->len);
	else
		fprintf(stderr, "udpsim: %s %s: the trace is empty: nothing "
			"runs in its window\n", job->config->name,
			job->config->variant);
}

static int record_all(struct batch *batch, struct record *record)
{
	int status = 0;
	unsigned int i, j;

	for (i = 0; i < batch->jobs->len; i++) {
		struct job *job = batch->jobs->pdata[i];
		g_autoptr(GError) error = NULL;

		wait_for(batch, job);
		if (job->error) {
			end_progress(batch);
			return report_error(job->error);
		}
		if (!job->results) {
			end_progress(batch);
			fprintf(stderr, "udpsim: stopped; what was recorded "
				"is whole\n");
			return 130;
		}
		report_trace(batch, job);
		if (!record_add(record, job->results, &error)) {
			end_progress(batch);
			return report_error(error);
		}
		for (j = 0; j < job->findings->len; j++) {
			end_progress(batch);
			fprintf(stderr, "udpsim: check: %s %s: %s\n",
				job->config->name, job->config->variant,
				(char *)job->findings->pdata[j]);
			status = 1;
		}
		g_clear_pointer(&job->results, results_free);
	}
	end_progress(batch);
	return status;
}

static int run_jobs(struct batch *batch, struct record *record)
{
	guint threads = batch->options->jobs ? batch->options->jobs :
		g_get_num_processors();
	struct sigaction action = { .sa_handler = on_interrupt }, before;
	GThreadPool *pool;
	unsigned int i;
	int status;

	batch->run.stop = &stop_requested;
	batch->began = g_get_monotonic_time();
	batch->show_progress = !batch->options->quiet &&
			       isatty(STDERR_FILENO);
	atomic_store(&stop_requested, 0);
	sigaction(SIGINT, &action, &before);
	pool = g_thread_pool_new(job_run, batch, (gint)threads, FALSE, NULL);
	for (i = 0; i < batch->jobs->len; i++)
		g_thread_pool_push(pool, batch->jobs->pdata[i], NULL);
	status = record_all(batch, record);
	if (status > 1)
		atomic_store(&stop_requested, 1);
	g_thread_pool_free(pool, FALSE, TRUE);
	sigaction(SIGINT, &before, NULL);
	return status;
}

int batch_run(char **scenarios, const char *path,
	      const struct batch_options *options)
{
	struct batch batch = {
		.options = options,
		.run = { .check = options->check,
			 .capture = options->capture },
		.scenarios = g_ptr_array_new_with_free_func(scenario_free_void),
		.jobs = g_ptr_array_new_with_free_func(job_free),
	};
	g_autoptr(GError) error = NULL;
	struct record *record = NULL;
	int status = 2;

	g_mutex_init(&batch.mutex);
	g_cond_init(&batch.finished);
	if (!parse_scale(options->scale ? options->scale : "1", &batch.run)) {
		fprintf(stderr, "udpsim: --scale %s: must be a number above 0, "
			"such as 0.01, with at most nine decimals\n",
			options->scale);
	} else if (options->trace && !trace_window_parse(options->trace,
				&batch.run.trace, &error)) {
		status = report_error(error);
	} else if (!load_all(&batch, scenarios, &error)) {
		status = report_error(error);
	} else if (!(record = record_open(path, &error))) {
		status = report_error(error);
	} else {
		batch.progress = progress_open(path);
		status = run_jobs(&batch, record);
		progress_close(batch.progress);
		record_close(record);
	}
	g_ptr_array_unref(batch.jobs);
	g_ptr_array_unref(batch.scenarios);
	g_mutex_clear(&batch.mutex);
	g_cond_clear(&batch.finished);
	return status;
}
