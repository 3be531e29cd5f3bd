/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models include/linux/jhash.h: Bob Jenkins's hash (lookup3, in the public
 * domain) of words. */
#ifndef STACK_LIB_JHASH_H
#define STACK_LIB_JHASH_H

#include "sim/types.h"

#define JHASH_INITVAL 0xdeadbeefu

static inline u32 rol32(u32 word, u32 shift)
{
	return word << shift | word >> (32 - shift);
}

/* Mixes three words for good. */
static inline u32 jhash_final(u32 a, u32 b, u32 c)
{
	c ^= b;
	c -= rol32(b, 14);
	a ^= c;
	a -= rol32(c, 11);
	b ^= a;
	b -= rol32(a, 25);
	c ^= b;
	c -= rol32(b, 16);
	a ^= c;
	a -= rol32(c, 4);
	b ^= a;
	b -= rol32(a, 14);
	c ^= b;
	c -= rol32(b, 24);
	return c;
}

static inline u32 jhash_1word(u32 word, u32 seed)
{
	u32 start = seed + JHASH_INITVAL + (1 << 2);

	return jhash_final(start + word, start, start);
}

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 seed)
{
	u32 start = seed + JHASH_INITVAL + (3 << 2);

	return jhash_final(start + a, start + b, start + c);
}

/* Mixes three words so that none is lost. */
static inline void jhash_mix(u32 *a, u32 *b, u32 *c)
{
	static const u8 shifts[] = { 4, 6, 8, 16, 19, 4 };
	u32 i, *x = a, *y = b, *z = c, *first;

	for (i = 0; i < sizeof(shifts); i++) {
		*x -= *z;
		*x ^= rol32(*z, shifts[i]);
		*z += *y;
		first = x;
		x = y;
		y = z;
		z = first;
	}
}

static inline u32 jhash2(const u32 *words, u32 n, u32 seed)
{
	u32 a = JHASH_INITVAL + (n << 2) + seed, b = a, c = a;

	for (; n > 3; n -= 3, words += 3) {
		a += words[0];
		b += words[1];
		c += words[2];
		jhash_mix(&a, &b, &c);
	}
	if (!n)
		return c;
	a += words[0];
	if (n > 1)
		b += words[1];
	if (n > 2)
		c += words[2];
	return jhash_final(a, b, c);
}

#endif
