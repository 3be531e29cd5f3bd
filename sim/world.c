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

bool world_run(struct world *world)
{
	struct cpu *before = this_cpu;
	struct machine *machine;
	ps_t others;
	u32 i;

	for (i = 0; i < world->num_machines; i++)
		machine_begin(world->machines[i]);
	while (world->live_contexts && !is_stopped(world) &&
	       (machine = first_machine(world, &others)))
		machine_go_on(machine, others > TIME_NEVER - world->lookahead ?
			      TIME_NEVER : others + world->lookahead);
	for (i = 0; i < world->num_machines; i++)
		machine_end(world->machines[i]);
	this_cpu = before;
	return !world->live_contexts;
}
