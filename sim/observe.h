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

struct context;

struct observer {
	/* An access to a line of `o`; `line` is the machine's number, `site`
	 * says member and kind, cpu->node is the function that runs. */
	void (*access)(void *arg, const struct cpu *cpu, const struct object *o,
		       u32 line, const struct access_site *site);
	/* cpu->node has just been entered and charged. */
	void (*call)(void *arg, const struct cpu *cpu);

	/* The others may be NULL. */

	/* The CPU may have to wait for its turn: others go on until the next
	 * word of it.  It goes on. */
	void (*pause)(void *arg, const struct cpu *cpu);
	void (*resume)(void *arg, const struct cpu *cpu);
	/* The access that it asked for at `since` is done. */
	void (*done)(void *arg, const struct cpu *cpu, const struct object *o,
		     const struct access_site *site, enum level level,
		     ps_t since);
	/* The CPU has spun for a lock since then. */
	void (*spun)(void *arg, const struct cpu *cpu, ps_t since);
	/* cpu->current is about to leave the CPU to `next`. */
	void (*context)(void *arg, const struct cpu *cpu,
			const struct context *next);
	/* The idle loop falls asleep, or has woken up. */
	void (*idle)(void *arg, const struct cpu *cpu, bool asleep);
	/* An interrupt, whose root cpu->node is, begins or ends. */
	void (*interrupt)(void *arg, const struct cpu *cpu, bool begins);
	void *arg;
};

/* Begins, or with NULL ends.  The observer must last as long. */
void machine_observe(struct machine *machine, const struct observer *observer);
/* The same for a second one beside it, which does not get in its way. */
void machine_trace(struct machine *machine, const struct observer *tracer);

static inline bool machine_observed(const struct machine *machine)
{
	return machine->observer || machine->tracer;
}

#define OBSERVE_ONE(who, hook, ...) \
	do { \
		const struct observer *observer_ = (who); \
		if (unlikely(observer_) && observer_->hook) \
			observer_->hook(observer_->arg, __VA_ARGS__); \
	} while (0)
/* Tells those who want to know: OBSERVE(machine, idle, cpu, true). */
#define OBSERVE(machine, hook, ...) \
	do { \
		OBSERVE_ONE((machine)->observer, hook, __VA_ARGS__); \
		OBSERVE_ONE((machine)->tracer, hook, __VA_ARGS__); \
	} while (0)

/* From which word on an access is a hit without another look. */
static inline u32 hit_floor(const struct machine *machine,
			    enum word_state state)
{
	return machine->check || machine_observed(machine) ? UINT32_MAX :
							     WORD(state);
}

#endif
