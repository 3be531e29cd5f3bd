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
#include "sim/cpu.h"
#include "sim/observe.h"
#include "sim/request.h"

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

void fill_end(struct cpu *cpu, u32 line, ps_t done)
{
	struct fill *fills;
	u32 i = cpu->num_fills++;

	if (unlikely(cpu->first_fill + cpu->num_fills > cpu->room_fills)) {
		memmove(cpu->fills, cpu->fills + cpu->first_fill,
			i * sizeof(*cpu->fills));
		cpu->first_fill = 0;
	}
	fills = cpu->fills + cpu->first_fill;
	for (; i && fills[i - 1].done > done; i--)
		fills[i] = fills[i - 1];
	fills[i] = (struct fill){ line, done };
}

void stores_retire(struct cpu *cpu)
{
	u32 left = cpu->num_stores, first = cpu->store_first;

	if (left && cpu->stores_drained <= cpu->clock)
		left = 0;	/* the last one, and so all */
	while (left && cpu->stores[first] <= cpu->clock) {
		left--;
		if (++first == cpu->store_buffer)
			first = 0;
	}
	cpu->store_first = first;
	cpu->num_stores = left;
	if (!left)
		cpu->write_floor = hit_floor(cpu->machine, WORD_MODIFIED);
}

void store_room_slow(struct cpu *cpu)
{
	while (cpu->num_stores >= store_depth(cpu)) {
		stall_for_stores(cpu, cpu->stores[cpu->store_first]);
		stores_retire(cpu);
	}
}

void store_buffer_add(struct cpu *cpu, u32 n)
{
	u32 at;

	stores_retire(cpu);
	while (n && cpu->num_stores) {
		if (cpu->num_stores >= store_depth(cpu)) {
			stall_for_stores(cpu, cpu->stores[cpu->store_first]);
			stores_retire(cpu);
			continue;
		}
		at = cpu->store_first + cpu->num_stores++;
		if (at >= cpu->store_buffer)
			at -= cpu->store_buffer;
		cpu->stores[at] = cpu->stores_drained;
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
	cpu_hardware(cpu, HARDWARE_FENCE, cpu->machine->profile->fence_ps, 1);
}
