/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers as the network asks for them (include/linux/random.h,
 * prandom.h): from a generator of the CPU's own, or later from a batch of the
 * cipher's output that the CPU keeps.  The numbers themselves come from the
 * run's stream "ports" (or that of the asker) either way, so that runs stay paired.
 */
#ifndef STACK_LINUX_RANDOM_H
#define STACK_LINUX_RANDOM_H

#include "sim/random.h"
#include "stack/kernel.h"

struct net_rand_state {
	struct object object;
	u32 s1, s2, s3, s4;	/* the last came with 3.13 */
};

#define BATCHED_ENTROPY 24u

struct batched_entropy_u32 {
	struct object object;
	u32 entropy[BATCHED_ENTROPY];
	u64 generation;
	u32 position;
};

struct base_crng {
	struct object object;
	u64 generation;
};

u32 get_random_u32(void);
/* The same for what has a stream of its own. */
u32 get_random_u32_of(struct random_stream *stream);
void random_init(struct kernel *kernel);
void random_exit(struct kernel *kernel);

#endif
