/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one configuration: builds the machine and its kernel, lets the workload
 * run for each repeat, and gathers what was counted.
 */
#ifndef SCENARIOS_RUN_H
#define SCENARIOS_RUN_H

#include <stdatomic.h>

#include "analysis/results.h"
#include "scenarios/scenario.h"
#include "sim/link.h"
#include "sim/profile.h"
#include "sim/world.h"
#include "stack/include/linux/in6.h"
#include "stack/kernel.h"

/* A window of simulated time; of no length: there is none. */
struct trace_window {
	ps_t from, length;
};

struct run_options {
	u64 scale_num, scale_den;	/* part of [workload] count to do */
	char *scale_text;		/* as given, "1" if it was not */
	bool check;
	u32 capture;			/* frames to record of each device */
	struct trace_window trace;	/* what to record event by event */
	atomic_int *stop;		/* set by SIGINT: give up soon */
	/* Told what has been done of what is to do; may be NULL. */
	void (*progress)(void *arg, u64 done, u64 total);
	void *progress_arg;
};

/* Of a CPU, since the beginning of a run. */
struct cpu_times {
	ps_t slept;		/* the coming out of idle states with it */
	ps_t exit_ps;		/* that alone, and how often */
	u64 exits;
};

/* A machine of a run, with its kernel and its network. */
struct run_host {
	const struct config_host *config;
	struct machine *machine;
	struct kernel *kernel;
	struct sharing *sharing;	/* of the first repeat; or NULL */
	struct cpu_times times[MAX_CPUS][2];	/* when the measured time begins
						 * and ends */
};

/* What the repeats of a run share: the machine of each host, and where the
 * workload's threads go on it. */
struct run_plan {
	u32 num_hosts;
	struct machine_profile *profiles[MAX_MACHINES];
	u32 threads[MAX_MACHINES];
	u32 *cpus[MAX_MACHINES];	/* one for each thread */
};

/* One thread of a workload. */
struct run_thread {
	struct run *run;
	struct run_host *host;
	u32 index;		/* among all; those of the first host first */
	struct cpu *cpu;
	struct context *context;
	u64 count;		/* operations to do, at most */
	ps_t duration;		/* stop after so long; 0: never */
	u64 done;
	u64 failed;
	int first_errno;	/* of the first operation that failed */
	int setup_errno;	/* it could not even start */
	ps_t started, finished;	/* of the measured loop */
	ps_t ran;		/* of that, what the task itself had a CPU */
	ps_t slept;		/* what its CPU had nothing to do */
	bool helper;		/* it works for the others: not measured */
};

/* One repeat as it runs. */
struct run {
	const struct config *config;
	const struct run_options *options;
	const struct run_plan *plan;
	struct world *world;
	u32 num_hosts;
	struct run_host hosts[MAX_MACHINES];	/* as in config->hosts */
	struct link *links[CONFIG_MAX_LINKS];	/* as in config->links */
	struct machine *machine;	/* the first host's */
	struct kernel *kernel;
	const struct workload *workload;
	u32 num_threads;
	struct run_thread *threads;
	bool measuring;		/* a thread's measured loop has begun */
	u64 done_last;		/* operations that succeeded, at the last look */
	ps_t done_at;		/* when there were more than before */
	struct sockaddr_any destination;
	u32 destination_size;	/* of the address as the program gives it */
	void *shared;		/* the workload's own */
	u32 repeat;
	u64 seed;
};

/* A program of [workload]. */
struct workload {
	const char *name;
	const char *title;
	const char *metric;	/* what it is judged by */
	const char *rate;	/* what its operations a second are called */
	/* How many threads it has on a host; NULL: those of the config on the
	 * first one, and none on others. */
	u32 (*threads)(const struct config *config, u32 host);
	/* It has servers, so that with one host it sends to that host. */
	bool serves;
	/* [workload] seconds may end it. */
	bool timed;
	/* Its sockets may speak UDP-Lite. */
	bool lite;
	/* A run ends with an error when no operation has succeeded for so
	 * long; 0: never. */
	ps_t patience;
	/* Whether it needs an address to send to; NULL: it does. */
	bool (*sends)(const struct config *config);
	/* Whether a config makes sense for it; may be NULL. */
	bool (*check)(const struct config *config, GError **error);
	/* Before the threads, in the set-up: makes run->shared; may be
	 * NULL. */
	void (*prepare)(struct run *run);
	/* Runs as one thread, on its CPU, in simulated time.  When a run is
	 * stopped, run_operation_done() makes its count 0: it ends as it does
	 * after the last operation, and holds no lock of the kernel's. */
	void (*thread)(struct run_thread *thread);
	/* What it has measured beyond what all have, as samples of this
	 * repeat; may be NULL. */
	void (*measure)(const struct run *run, struct results *results);
	/* After all, also where the run was stopped. */
	void (*finish)(struct run *run);
};

extern const struct workload workload_dns_resolver;
extern const struct workload workload_multicast_pingpong;
extern const struct workload workload_rr;
extern const struct workload workload_socket_churn;
extern const struct workload workload_stream;
extern const struct workload workload_udpflood;
extern const struct workload workload_udpsink;
/* By name; NULL and an error with the nearest known name. */
const struct workload *workload_find(const char *name, GError **error);
/* All, NULL-ended. */
const struct workload *const *workload_all(void);

/* One operation of a thread is done; an errno or 0 says how.  Now and then it
 * looks whether the run is to stop. */
void run_operation_done(struct run_thread *thread, int error);
/* Around the loop that is measured, on the thread itself. */
void run_measure_begin(struct run_thread *thread);
void run_measure_end(struct run_thread *thread);
/* A sample of the run's repeat. */
void run_sample(const struct run *run, struct results *results,
		const char *name, const char *unit, double value);

/* cpu_time.c: notes the CPUs' times where the first measured loop begins and
 * where each one ends. */
void cpu_times_begin(struct run *run);
void cpu_times_end(struct run *run);
/* Adds a repeat's times of all CPUs. */
void cpu_times_add(const struct run *run, struct results *results);

/* What the measured threads of a repeat did together. */
struct run_measured {
	u32 threads;
	u64 operations, failed;
	ps_t elapsed;		/* from the first's beginning to the last's
				 * end */
	ps_t busy;		/* what they had a CPU */
};
void run_measured(const struct run *run, struct run_measured *measured);

/* measure.c: how many new sockets got memory that their core still held. */
void run_measure_sockets(const struct run *run, struct results *results);
/* The caches of the allocator of a host's kernel, as they are now. */
void run_measure_slabs(const struct run_host *host, struct results *results);

/* Runs all repeats of a config.  NULL and an error where the scenario cannot
 * be run (SCENARIO_ERROR, KERNEL_ERROR) or was stopped (G_IO_ERROR_CANCELLED).
 * `findings`, if not NULL, gets what --check found, a line each. */
struct results *run_config(const struct scenario *scenario,
			   const struct config *config,
			   const struct run_options *options,
			   GPtrArray *findings, GError **error);

/* Whether a config can be run: builds its machine, kernel and network and
 * takes them down again.  False and an error where it cannot. */
bool run_verify(const struct config *config, GError **error);

/* host_up.c: finds the machines and places the threads. */
bool plan_make(struct run_plan *plan, const struct config *config,
	       GError **error);
void plan_clear(struct run_plan *plan);
/* The hosts, links and networks of a run, and the workload's destination.  On
 * failure, and at the end, hosts_down() takes down what there is. */
bool hosts_up(struct run *run, GError **error);
void hosts_down(struct run *run);

/* network_up.c: the devices, addresses, routes and neighbours of a host in its
 * kernel. */
bool network_up(struct run *run, struct run_host *host, GError **error);
/* network_nic.c: the nic that is entry `index` of the host. */
bool nic_up(const struct run *run, const struct run_host *host, u32 index,
	    GError **error);
/* Finds where the workload sends to. */
bool find_destination(struct run *run, GError **error);
/* The end of the link that a nic of a host is at; NULL: none. */
struct link_end *run_link_end(const struct run *run,
			      const struct run_host *host, const char *device);

/* The first address of the first host of the workload's family. */
struct sockaddr_any run_own_address(const struct run *run);

/* Sets the error that a key of the scenario calls for, with its place; false. */
bool run_refuse(const struct config *config, const char *key, GError **error,
		const char *format, ...) G_GNUC_PRINTF(4, 5);

/* collect.c: adds what one repeat counted. */
struct collector;
/* For host number `host` of the runs to come. */
struct collector *collector_new(u32 host);
void collector_add(struct collector *collector, struct run *run);
/* Moves all into the results, of each host in turn, and the figures that they
 * make together. */
void collectors_finish(struct collector **collectors, u32 n,
		       struct results *results);
void collector_free(struct collector *collector);

/* placement.c: reads "0-5,12-17", CPUs below `limit`, into *n numbers; false
 * where it is no such list. */
bool cpus_parse(const char *text, u32 limit, u32 *cpus, u32 *n);
/* Which CPU each thread runs on, which the last ones share with the first where
 * there are more threads than CPUs; NULL and an error.  `cpus` is the text of the
 * key `key`, or NULL for the scheduler's order. */
u32 *place_threads(const struct machine_profile *profile, const char *key,
		   const char *cpus, u32 threads, GError **error);

#endif
