/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which machine goes on, and how far; see world.h. */
#include <glib.h>

#include "sim/cpu.h"
#include "sim/world.h"

struct world *world_new(u64 seed)
{
	struct world *world = g_new0(struct world, 1);

	world->seed = seed;
	world->lookahead = TIME_NEVER;
	return world;
}

void world_free(struct world *world)
{
	u32 i;

	if (!world)
		return;
	for (i = 0; i < world->num_machines; i++)
		world->machines[i]->live = &world->machines[i]->live_contexts;
	g_free(world);
}

u32 world_add(struct world *world, struct machine *machine)
{
	g_assert(world->num_machines < MAX_MACHINES);
	g_assert(machine->live == &machine->live_contexts);
	world->live_contexts += machine->live_contexts;
	machine->live = &world->live_contexts;
	world->machines[world->num_machines] = machine;
	return world->num_machines++;
}

static bool is_stopped(const struct world *world)
{
	u32 i;

	for (i = 0; i < world->num_machines; i++)
		if (world->machines[i]->stopped)
			return true;
	return false;
}

/* The machine with the least to wait for, and when any other has something to
 * do; NULL: none has. */
static struct machine *first_machine(const struct world *world, ps_t *others)
{
	struct machine *first = NULL;
	ps_t least = TIME_NEVER;
	u32 i;

	*others = TIME_NEVER;
	for (i = 0; i < world->num_machines; i++) {
		struct machine *machine = world->machines[i];
		ps_t next = machine_next(machine);

		if (next < least) {
			*others = least;
			least = next;
			first = machine;
		} else {
			*others = MIN(*others, next);
		}
	}
	return first;
}

static void go_on(struct world *world)
{
	struct cpu *before = this_cpu;
	struct machine *machine;
	ps_t others;
	u32 i;

	while (world->live_contexts && !is_stopped(world) &&
	       (machine = first_machine(world, &others)))
		machine_go_on(machine, others > TIME_NEVER - world->lookahead ?
			      TIME_NEVER : others + world->lookahead);
	for (i = 0; i < world->num_machines; i++)
		machine_end(world->machines[i]);
	this_cpu = before;
}

bool world_run(struct world *world)
{
	u32 i;

	for (i = 0; i < world->num_machines; i++)
		machine_begin(world->machines[i]);
	go_on(world);
	return !world->live_contexts;
}

/* ---- what is under way at the end ---- */

/* When the last CPU of all stopped; those that sleep have old clocks. */
static ps_t latest(const struct world *world)
{
	ps_t now = world->lingered;
	u32 i, j;

	for (i = 0; i < world->num_machines; i++)
		for (j = 0; j < world->machines[i]->num_cpus; j++)
			now = MAX(now, world->machines[i]->cpus[j].clock);
	return now;
}

static void end_lingering(void *arg, ps_t now)
{
	struct world *world = arg;

	(void)now;
	world->live_contexts--;
}

ps_t world_linger(struct world *world, ps_t time)
{
	ps_t end = latest(world) + time;
	u32 i;

	g_assert(!world->live_contexts);
	/* It counts as a context that has not finished. */
	world->live_contexts++;
	for (i = 0; i < world->num_machines; i++)
		machine_begin_again(world->machines[i]);
	machine_at(world->machines[0], end, EVENT_CONTROL, 0, 0, end_lingering,
		   world);
	go_on(world);
	world->lingered = end;
	return end;
}
