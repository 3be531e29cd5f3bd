/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What context.c needs of cpu.c: the order of CPUs. */
#ifndef SIM_CPU_ORDER_H
#define SIM_CPU_ORDER_H

#include "sim/cpu.h"

/* The caller's context stops here; whoever is next goes on.  Returns when the
 * caller's turn has come. */
void cpu_go_on(struct machine *machine, struct coroutine *from);
/* A sleeping CPU goes on at `time`, unless it is to go on earlier. */
void cpu_wake_at(struct cpu *cpu, ps_t time);
void cpu_take_irqs(struct cpu *cpu);

#endif
