/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Somebody who looks on: each charged access and each call of a function, as
 * they happen, for as long as a machine is observed.  Every access then takes
 * the slow path, as with --check; times and counters come out the same.
 */
#ifndef SIM_OBSERVE_H
#define SIM_OBSERVE_H

#include "sim/machine.h"
#include "sim/object.h"

struct observer {
	/* An access to a line of `o`; `line` is the machine's number, `site`
	 * says member and kind, cpu->node is the function that runs. */
	void (*access)(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site);
	/* cpu->node has just been entered and charged. */
	void (*call)(void *arg, const struct cpu *cpu);
	void *arg;
};

/* Begins, or with NULL ends.  The observer must last as long. */
void machine_observe(struct machine *machine, const struct observer *observer);

/* From which word on an access is a hit without another look. */
static inline u32 hit_floor(const struct machine *machine,
			    enum word_state state)
{
	return machine->check || machine->observer ? UINT32_MAX : WORD(state);
}

#endif
