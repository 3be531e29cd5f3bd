/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts a machine together from its profile; see machine.h. */
#include <glib.h>
#include <string.h>

#include "sim/cache.h"
#include "sim/check.h"
#include "sim/cpu.h"
#include "sim/machine.h"
#include "sim/observe.h"

/* Each store in the buffer may wait for a line, and each line fill buffer may
 * hold a prefetch; one more is the access that is being made. */
#define MAX_FILLS(profile) \
	((profile)->store_buffer + (profile)->line_fill_buffers + 1)

/* Simulated memory of a node that kernel objects can take, at most: 4 GiB, which
 * more than a million open sockets fit into. */
#define NODE_FRAMES (1u << 20)

/*
 * CPUs are numbered as Linux numbers them on such machines: all first threads
 * of all cores, package by package, then all second threads.
 */
static void make_cpus(struct machine *machine)
{
	const struct machine_profile *profile = machine->profile;
	u32 i;

	for (i = 0; i < machine->num_cores; i++) {
		machine->cores[i].id = i;
		machine->cores[i].package = i / profile->cores;
		machine->cores[i].tick = 1;
	}
	for (i = 0; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];
		struct core *core = &machine->cores[i % machine->num_cores];

		cpu->id = i;
		cpu->core = core;
		cpu->package = core->package;
		cpu->tick = core->tick;
		cpu->machine = machine;
		core->cpus[core->num_cpus++] = cpu;
		cpu->costs_base = (uintptr_t)machine->account.costs -
				  ((uintptr_t)__start_function_sites >> 1);
		cpu->hits_base = (uintptr_t)machine->account.hits -
				 ((uintptr_t)__start_access_sites >> 3);
		cpu->stores = g_new0(ps_t, profile->store_buffer);
		cpu->room_fills = 4 * MAX_FILLS(profile);
		cpu->fills = g_new0(struct fill, cpu->room_fills);
		cpu->fill_buffers = profile->line_fill_buffers;
		cpu->store_buffer = profile->store_buffer;
		cpu->read_floor = hit_floor(machine, WORD_SHARED);
		cpu->write_floor = hit_floor(machine, WORD_MODIFIED);
		cpu->next_key = TIME_NEVER;
		cpu->next_timer = TIME_NEVER;
		cpu->horizon = TIME_NEVER;
		cpu->limit = TIME_NEVER;
		cpu->due = TIME_NEVER;
		cpu->jitter_scale = profile->jitter_milli * 65536 / 1000;
		random_seed(&cpu->jitter, machine->seed, "jitter", i);
	}
}

/* The smallest time after which another CPU's write can be seen here. */
static ps_t smallest_remote_latency(const struct machine_profile *profile)
{
	ps_t least = TIME_NEVER;

	if (profile->cores > 1)
		least = MIN(least, profile->latency[LEVEL_OTHER_CORE_CLEAN]);
	if (profile->packages > 1)
		least = MIN(least, profile->latency[LEVEL_OTHER_PACKAGE_CLEAN]);
	return least == TIME_NEVER ? 0 : least;
}

static void make_memory(struct machine *machine)
{
	u32 frames = MIN(machine->profile->node_bytes >> PAGE_SHIFT,
			 NODE_FRAMES);
	u32 node;

	for (node = 0; node < machine->profile->packages; node++) {
		machine->node_first_frame[node] = node * frames;
		machine->node_next_frame[node] = node * frames;
		machine->node_end_frame[node] = (node + 1) * frames;
	}
	machine->node_next_frame[0] = 1;	/* address 0 is no object's */
	machine->max_lines = machine->profile->packages * frames *
			     LINES_PER_PAGE;
}

struct machine *machine_new(const struct machine_profile *profile, u64 seed,
			    bool check)
{
	struct machine *machine = g_new0(struct machine, 1);

	machine->profile = profile;
	machine->seed = seed;
	machine->live = &machine->live_contexts;
	machine->until = TIME_NEVER;
	machine->engine = engine_new();
	machine->num_cores = profile->packages * profile->cores;
	machine->num_cpus = machine->num_cores * profile->threads;
	g_assert(machine->num_cores <= MAX_CORES &&
		 machine->num_cpus <= MAX_CPUS && profile->threads <= 2);
	machine->cores = g_new0(struct core, machine->num_cores);
	machine->cpus = g_new0(struct cpu, machine->num_cpus);
	account_init(&machine->account);
	account_set_work(machine);
	machine->lookahead = smallest_remote_latency(profile);
	machine->sibling_lookahead = profile->latency[LEVEL_SIBLING_HIT];
	make_memory(machine);
	if (check)
		machine->check = check_new(machine);
	make_cpus(machine);
	cache_init(machine);
	cpu_init(machine);
	return machine;
}

void machine_free(struct machine *machine)
{
	u32 i;

	if (!machine)
		return;
	cpu_fini(machine);
	cache_fini(machine);
	for (i = 0; i < machine->num_cpus; i++) {
		g_free(machine->cpus[i].stores);
		g_free(machine->cpus[i].fills);
	}
	check_free(machine->check);
	account_fini(&machine->account);
	engine_free(machine->engine);
	g_free(machine->cpus);
	g_free(machine->cores);
	g_free(machine);
}

static void renew_limits(struct machine *machine)
{
	u32 i;

	for (i = 0; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];

		cpu->read_floor = hit_floor(machine, WORD_SHARED);
		if (!cpu->num_stores)
			cpu->write_floor = hit_floor(machine, WORD_MODIFIED);
		cpu->limit = machine_observed(machine) ? 0 : cpu->due;
	}
}

void machine_observe(struct machine *machine, const struct observer *observer)
{
	machine->observer = observer;
	renew_limits(machine);
}

void machine_trace(struct machine *machine, const struct observer *tracer)
{
	machine->tracer = tracer;
	renew_limits(machine);
}

void machine_settle(struct machine *machine)
{
	u32 node, i;

	for (i = 0; i < machine->num_cpus; i++) {
		struct cpu *cpu = &machine->cpus[i];

		cpu->clock = 0;
		cpu->asleep_since = 0;
		cpu->slept = 0;
		cpu->num_stores = 0;
		cpu->stores_drained = 0;
		cpu->write_floor = hit_floor(machine, WORD_MODIFIED);
		cpu->num_fills = 0;
	}
	for (node = 0; node < machine->profile->packages; node++)
		for (i = machine->node_first_frame[node] * LINES_PER_PAGE;
		     i < machine->node_next_frame[node] * LINES_PER_PAGE; i++) {
			struct line *line = &machine->lines[i];

			/* Most of them nobody has touched, and no page of the
			 * host stands behind them. */
			if (!(line->type | line->read | line->written))
				continue;
			line->type = 0;
			line->read = false;
			line->written = false;
		}
	for (i = 0; i <= machine->num_shared; i++) {
		struct line_shared *shared = &machine->shared[i];

		shared->busy_until = 0;
		memset(shared->readers, 0, sizeof(shared->readers));
		memset(shared->writers, 0, sizeof(shared->writers));
	}
	account_clear(&machine->account);
}

u64 machine_alloc_pages(struct machine *machine, u32 node, u32 order)
{
	u32 n = 1u << order;
	u32 first = (machine->node_next_frame[node] + n - 1) & ~(n - 1);

	g_assert(node < machine->profile->packages && order < 12);
	if (first + n > machine->node_end_frame[node])
		return 0;
	machine->node_next_frame[node] = first + n;
	return (u64)first << PAGE_SHIFT;
}

u32 machine_line_node(const struct machine *machine, u32 line)
{
	u32 frame = line / LINES_PER_PAGE, node = 0;

	while (frame >= machine->node_end_frame[node])
		node++;
	return node;
}
