/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tick (kernel/time/): jiffies, and what a CPU does once a jiffy. */
#ifndef STACK_LINUX_JIFFIES_H
#define STACK_LINUX_JIFFIES_H

#include "stack/kernel.h"

struct jiffies_data {
	struct object object;
	u64 jiffies;
};

static inline struct jiffies_data *jiffies_data(void)
{
	return *(struct jiffies_data **)(void *)this_kernel()->time;
}

/* Jiffies in a second. */
#define HZ (this_kernel()->parameters.hz)

/* The variable is volatile in the kernel and read without a lock. */
#define JIFFIES() READ_ONCE(jiffies_data(), jiffies)

void time_init(struct kernel *kernel);
void time_exit(struct kernel *kernel);
/* Starts each CPU's tick, CPU 0's first. */
void time_start_ticks(struct kernel *kernel);
/* A CPU falls asleep or has been woken. */
void tick_nohz_idle(struct cpu *cpu, bool asleep);

#endif
