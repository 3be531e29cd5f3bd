/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU has under way: line fills and stores.
 *
 * A store that retires goes into the store buffer, which drains in order.  It
 * stalls nobody until the buffer is full or a locked operation or fence waits
 * for the drain; that stall is charged to the store at fault.
 */
#include <glib.h>
#include <string.h>

#include "sim/cache.h"
#include "sim/observe.h"
#include "sim/request.h"

void stall_until(struct cpu *cpu, u32 site, ps_t t)
{
	ps_t stall;

	if (t <= cpu->clock)
		return;
	stall = t - cpu->clock;
	cpu->clock = t;
	cpu->node->stall_ps += stall;
	cpu->machine->account.sites[site].stall_ps += stall;
}

/* Waiting for the store buffer is the doing of the store that holds it up: the
 * stall is counted there, and in the function that waits. */
static void stall_for_stores(struct cpu *cpu, ps_t t)
{
	if (t <= cpu->clock)
		return;
	line_total(cpu->machine, &cpu->machine->lines[cpu->stores_line])
		->stall_ps += t - cpu->clock;
	stall_until(cpu, cpu->stores_site, t);
}

/* A miss takes a line fill buffer; where all are in use, it waits until there
 * is one for it too.  Gives the time at which the request leaves. */
ps_t fill_begin(struct cpu *cpu)
{
	u32 buffers = cpu->machine->profile->line_fill_buffers, gone = 0;

	while (gone < cpu->num_fills && cpu->fills[gone].done <= cpu->clock)
		gone++;
	if (gone) {
		cpu->num_fills -= gone;
		memmove(cpu->fills, cpu->fills + gone,
			cpu->num_fills * sizeof(*cpu->fills));
	}
	if (cpu->num_fills < buffers)
		return cpu->clock;
	return cpu->fills[cpu->num_fills - buffers].done;
}

void fill_end(struct cpu *cpu, u32 line, ps_t done)
{
	u32 i = cpu->num_fills++;

	for (; i && cpu->fills[i - 1].done > done; i--)
		cpu->fills[i] = cpu->fills[i - 1];
	cpu->fills[i] = (struct fill){ line, done };
}

/* When the line's data are here; 0: they are. */
ps_t fill_done(const struct cpu *cpu, u32 line)
{
	u32 i = cpu->num_fills;

	while (i--)
		if (cpu->fills[i].line == line)
			return cpu->fills[i].done;
	return 0;
}

/* While both hyper-threads of a core run, each has half of its store buffer
 * (partitioned by the hardware; Intel optimisation manual, "Hyper-Threading
 * Technology"). */
static u32 store_depth(const struct cpu *cpu)
{
	return MAX(cpu->machine->profile->store_buffer >> cpu->smt_busy, 1u);
}

static void stores_retire(struct cpu *cpu)
{
	u32 depth = cpu->machine->profile->store_buffer;

	while (cpu->num_stores &&
	       cpu->stores[cpu->store_first] <= cpu->clock) {
		cpu->num_stores--;
		if (++cpu->store_first == depth)
			cpu->store_first = 0;
	}
	if (!cpu->num_stores)
		cpu->write_floor = hit_floor(cpu->machine, WORD_MODIFIED);
}

/* A store waits for room in the buffer before it asks for its line. */
void store_room(struct cpu *cpu)
{
	stores_retire(cpu);
	while (cpu->num_stores >= store_depth(cpu)) {
		stall_for_stores(cpu, cpu->stores[cpu->store_first]);
		stores_retire(cpu);
	}
}

/* A store enters the buffer; it can drain at `ready`, after those before. */
void store_enter(struct cpu *cpu)
{
	u32 depth = cpu->machine->profile->store_buffer, at;

	if (cpu->stores_drained <= cpu->clock)
		return;		/* it drains at once */
	at = cpu->store_first + cpu->num_stores++;
	cpu->stores[at >= depth ? at - depth : at] = cpu->stores_drained;
	cpu->write_floor = UINT32_MAX;
}

void store_push(struct cpu *cpu, const struct request *req, ps_t ready)
{

	if (ready > cpu->stores_drained) {
		cpu->stores_drained = ready;
		cpu->stores_site = req->site;
		cpu->stores_line = req->line;
	}
	store_enter(cpu);
}

void store_buffer_add(struct cpu *cpu, u32 n)
{
	u32 depth = cpu->machine->profile->store_buffer, at;

	stores_retire(cpu);
	while (n && cpu->num_stores) {
		if (cpu->num_stores >= store_depth(cpu)) {
			stall_for_stores(cpu, cpu->stores[cpu->store_first]);
			stores_retire(cpu);
			continue;
		}
		at = cpu->store_first + cpu->num_stores++;
		cpu->stores[at >= depth ? at - depth : at] =
			cpu->stores_drained;
		n--;
	}
}

void store_drain(struct cpu *cpu)
{
	if (!cpu->num_stores)
		return;
	stall_for_stores(cpu, cpu->stores_drained);
	stores_retire(cpu);
}

void access_fence(struct cpu *cpu)
{
	store_drain(cpu);
	cpu->clock += cpu->machine->profile->fence_ps;
	cpu->node->stall_ps += cpu->machine->profile->fence_ps;
}
