/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SipHash-2-4; see siphash.h.  Two rounds a word, four at the end; words are
 * little-endian, and the last one carries the length in its top byte. */
#include "stack/lib/siphash.h"

struct sip {
	u64 v0, v1, v2, v3;
};

static u64 rotate(u64 x, u32 n)
{
	return x << n | x >> (64 - n);
}

static void sip_rounds(struct sip *s, u32 n)
{
	while (n--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 = rotate(s->v0, 32) + s->v3;
		s->v2 += s->v1;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v2 = rotate(s->v2, 32);
	}
}

static void absorb(struct sip *s, u64 word)
{
	s->v3 ^= word;
	sip_rounds(s, 2);
	s->v0 ^= word;
}

static u64 little_endian(const u8 *bytes, size_t n)
{
	u64 word = 0;

	while (n--)
		word = word << 8 | bytes[n];
	return word;
}

u64 siphash(const u64 key[2], const void *data, size_t len)
{
	struct sip s = {
		.v0 = key[0] ^ 0x736f6d6570736575ull,	/* "somepseu" */
		.v1 = key[1] ^ 0x646f72616e646f6dull,	/* "dorandom" */
		.v2 = key[0] ^ 0x6c7967656e657261ull,	/* "lygenera" */
		.v3 = key[1] ^ 0x7465646279746573ull,	/* "tedbytes" */
	};
	const u8 *bytes = data;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8)
		absorb(&s, little_endian(bytes + i, 8));
	absorb(&s, (u64)(len & 255) << 56 | little_endian(bytes + i, len - i));
	s.v2 ^= 255;
	sip_rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
