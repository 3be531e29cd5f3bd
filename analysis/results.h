/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of one run, as the model hands them to the record.
 *
 * A run is one variant of one scenario at one point of its sweep; its repeats
 * (one seed each) are its samples.  Counts and times are integers, summed over
 * the repeats; a metric is a real number made from integers by one division.
 * This header is the only thing that the model and the analysis share.
 */
#ifndef ANALYSIS_RESULTS_H
#define ANALYSIS_RESULTS_H

#include <glib.h>
#include <stdbool.h>

/* Where an access found its line; the order is that of growing distance. */
enum result_level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_SIBLING,		/* the other hyper-thread's, in our L1 */
	LEVEL_L3,		/* this package's L3 */
	LEVEL_CORE_CLEAN,	/* another core of this package */
	LEVEL_CORE_MODIFIED,
	LEVEL_PACKAGE_CLEAN,	/* another package */
	LEVEL_PACKAGE_MODIFIED,
	LEVEL_DRAM_LOCAL,
	LEVEL_DRAM_REMOTE,
	NUM_LEVELS
};

extern const char *const result_level_name[NUM_LEVELS];

struct result_metric {
	char *name;		/* "elapsed_s" */
	char *unit;		/* "s" */
	double value;
};

struct result_sample {
	unsigned int repeat;	/* from 0 */
	guint64 seed;
	char *name;
	char *unit;
	double value;
};

/* One metric over virtual time. */
struct result_point {
	char *name;
	guint64 time_ps;
	gint64 value;
};

/* One cache line of an object type (all objects of the type together). */
struct result_line {
	char *host;		/* "" where there is one only; of all below */
	char *type;		/* "neighbour" */
	unsigned int line;	/* line number within the object */
	unsigned int objects;	/* how many distinct lines were touched */
	unsigned int readers;	/* the most CPUs that read one of them */
	unsigned int writers;
	guint64 reads, writes, atomics;
	guint64 level[NUM_LEVELS];
	guint64 stall_ps;
	guint64 invalidations;	/* copies in other cores that it destroyed */
	guint64 hitm_core;	/* modified line came from another core */
	guint64 hitm_package;	/* ... from another package */
};

/* One field as one function touches it. */
struct result_field {
	char *host;
	char *type, *field, *function, *file;
	unsigned int line;
	guint64 reads, writes, atomics;
	guint64 level[NUM_LEVELS];
	guint64 stall_ps;
	guint64 invalidations, hitm_core, hitm_package;
};

/* A node of the calling-context tree; exclusive figures. */
struct result_function {
	unsigned int id;	/* from 1, in depth-first order */
	unsigned int parent;	/* 0: a root */
	char *host;
	char *name, *file;
	guint64 calls, instructions, instruction_ps, stall_ps;
};

struct result_lock {
	char *host;
	char *type, *field;
	guint64 acquired, contended, wait_ps, hold_ps;
	guint64 spin_ps;	/* of wait_ps, without the looks at the word */
};

/* Where the time of a CPU went while the run was measured, and what it worked
 * before and after that.  Each may be off by what CPUs run ahead of each other
 * (microseconds); their sums are exact. */
struct result_cpu {
	char *host;
	unsigned int cpu;
	unsigned int threads;	/* measured ones that it ran */
	unsigned int helpers;	/* and others of the workload */
	guint64 elapsed_ps;	/* = busy_ps + exit_ps + idle_ps */
	gint64 busy_ps;
	guint64 exits, exit_ps;	/* out of idle states */
	gint64 idle_ps;
	gint64 outside_ps;
};

/* A field as one function touches it: who was seen to, in a look at a part of
 * the first repeat. */
struct result_sharing {
	char *host;
	char *type, *field, *function, *file;
	char *owner;		/* the struct that has it, perhaps at the head
				 * of `type` */
	char *cpus;		/* "0-5,12" */
	/* Of the field in all functions, the most CPUs of one object: that
	 * touch it, that write it, and that never touch another field of the
	 * line which is written by others. */
	unsigned int users, writers, strangers;
};

/* A time that is neither an instruction's nor a field's. */
struct result_wait {
	char *host;
	char *kind;		/* "lock", "hardware" */
	char *name;		/* "Qdisc.busylock", "interrupt" */
	guint64 count, time_ps;
};

struct result_snmp {
	char *host, *name;	/* "UdpOutDatagrams" */
	guint64 value;
};

/* One of the kernel's caches of objects at the end of the first repeat, as
 * /proc/slabinfo counts. */
struct result_slab {
	unsigned int id;	/* from 1, in the kernel's order, host by host */
	char *host;
	char *name;		/* "UDP" */
	guint64 active_objs, num_objs, objsize, objperslab, pagesperslab;
	guint64 limit, batchcount, sharedfactor;
	guint64 active_slabs, num_slabs, sharedavail;
};

/* A frame as a device's end of a link saw it, in the order of time. */
struct result_frame {
	unsigned int id;	/* from 1 */
	char *host;		/* "" where there is one only */
	char *device;		/* "eth0" */
	guint64 time_ps;
	bool outbound;		/* it left; else it came in */
	GBytes *bytes;		/* from the destination address on, without the
				 * check sequence */
};

/* What a CPU did, or a packet's step.  Events of a CPU are nested: one that
 * contains another comes first.  The texts are the results'. */
struct result_event {
	unsigned int id;	/* from 1, in order of time */
	const char *host;	/* "" where there is one only */
	unsigned int cpu;
	const char *kind;	/* "context", "interrupt", "function", "stall" or
				 * "packet" */
	const char *name;
	const char *detail;	/* the file of a function, kind and level of a
				 * stall */
	guint64 time_ps, duration_ps;
	guint64 packet;		/* from 1; 0: none */
};

/* A published figure, from the scenario: side is "before" or "after". */
struct result_published {
	char *row;		/* "" where the experiment has one row */
	char *metric;		/* "elapsed_s" */
	char *side;
	unsigned int repeat;
	double value;
};

struct results {
	char *scenario, *title, *source;
	char *variant;
	char *point;		/* "workload.threads=4;..." or "" */
	char *kernel, *patches, *machine;
	char *text;		/* the scenario file, as read */
	char *overrides;	/* what --set, the variant and the sweep changed */
	guint64 seed;
	unsigned int repeats;
	char *scale;		/* decimal text of --scale; "1" as published */
	guint64 operations;	/* of all threads and repeats */

	GArray *metrics;	/* struct result_metric, etc. */
	GArray *samples;
	GArray *series;
	GArray *lines;
	GArray *fields;
	GArray *functions;
	GArray *locks;
	GArray *cpus;
	GArray *waits;
	GArray *sharings;
	GArray *snmp;
	GArray *slabs;
	GArray *frames;
	GArray *trace;
	GStringChunk *trace_texts;	/* NULL where there is no trace */
	bool trace_full;	/* it ends early */
	guint64 trace_until_ps;
	GArray *published;

	/* Facts of the wall clock: recorded apart, never in the digest. */
	gint64 host_usec;	/* wall-clock time that the run took */
	guint64 accesses;	/* charged accesses simulated */
};

struct results *results_new(void);
void results_free(struct results *results);
typedef struct results Results;	/* for g_autoptr(Results) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Results, results_free)

void results_add_metric(struct results *results, const char *name,
			const char *unit, double value);
void results_add_sample(struct results *results, unsigned int repeat,
			guint64 seed, const char *name, const char *unit,
			double value);

/* Parts canonical text of overrides, or a sweep point, into what
 * scenario_resolve() takes as sets.  Free with g_strfreev(). */
char **overrides_split(const char *overrides);

#endif
