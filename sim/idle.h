/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle states: what a CPU with nothing to do falls into, and how long it takes
 * to come out of it.
 *
 * The state is chosen as Linux's menu governor does it, in short: the CPU will
 * be idle until the next timer that is known, or for as long as it was lately
 * if that was regular, whichever is shorter; the deepest state that is worth it
 * for that long is taken.  The governor's correction factors and its limits by
 * load and by quality of service are left out.
 */
#ifndef SIM_IDLE_H
#define SIM_IDLE_H

#include "sim/machine.h"

#define NO_IDLE_STATE (-1)

/* How long the CPU will probably be idle, in ns. */
u64 idle_predict(const struct cpu *cpu);
/* The state of a profile for that long. */
s32 idle_choose(const struct machine_profile *profile, u64 ns);

/* The CPU falls asleep, and is woken: the exit latency passes. */
void idle_enter(struct cpu *cpu);
void idle_leave(struct cpu *cpu);

#endif
