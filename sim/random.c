/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seeding of the named streams; see random.h. */
#include "sim/random.h"

void random_seed(struct random_stream *stream, u64 seed, const char *name,
		 u32 number)
{
	u64 h = random_mix(seed + 0x9e3779b97f4a7c15ull);

	for (; *name; name++)
		h = random_mix(h ^ (u8)*name);
	stream->state = random_mix(h ^ (u64)number << 8);
}
