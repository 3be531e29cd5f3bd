/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers in named, independent streams.
 *
 * A stream is seeded from the scenario's seed, its name and a number (a CPU, a
 * device), so that a patch that draws one number more from one stream shifts
 * nothing in another: before and after stay paired by seed.  The generator is
 * SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one addition and a mixing
 * function, full period 2^64, the same on every computer.
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include "sim/types.h"

struct random_stream {
	u64 state;
};

/* Seeds a stream; `name` may not be NULL. */
void random_seed(struct random_stream *stream, u64 seed, const char *name,
		 u32 number);

static inline u64 random_mix(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static inline u64 random_u64(struct random_stream *stream)
{
	return random_mix(stream->state += 0x9e3779b97f4a7c15ull);
}

/* A number below n, n > 0; the multiplication's high half, whose bias is below
 * n / 2^64. */
static inline u64 random_below(struct random_stream *stream, u64 n)
{
	return (u64)((unsigned __int128)random_u64(stream) * n >> 64);
}

#endif
