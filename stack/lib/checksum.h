/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Internet checksum (RFC 1071) and big-endian stores.  A partial sum is
 * kept as the sum of big-endian 16-bit words in 32 bits, folded at the end.
 */
#ifndef STACK_LIB_CHECKSUM_H
#define STACK_LIB_CHECKSUM_H

#include "sim/types.h"

/* Sum over len bytes, added to `sum`; an odd last byte counts as the high half
 * of a word.  Parts of a packet but the last must have even lengths. */
u32 csum_partial(const u8 *bytes, u32 len, u32 sum);
/* Two partial sums as one. */
static inline u32 csum_add(u32 a, u32 b)
{
	u32 sum = a + b;

	return sum + (sum < b);
}

/* The sum of a block that stands `offset` bytes behind what `sum` is of. */
static inline u32 csum_block_add(u32 sum, u32 block, u32 offset)
{
	if (offset & 1)		/* its bytes are the other ones of the words */
		block = (block & 0xff00ff) << 8 | (block >> 8 & 0xff00ff);
	return csum_add(sum, block);
}

/* The sum of what is left without that block. */
static inline u32 csum_block_sub(u32 sum, u32 block, u32 offset)
{
	return csum_block_add(sum, ~block, offset);
}

/* Folds to 16 bits and complements. */
u16 csum_fold(u32 sum);
/* The pseudo header of UDP and TCP over IPv4, added to `sum`; not folded. */
u32 csum_tcpudp_nofold(u32 saddr, u32 daddr, u32 len, u8 protocol, u32 sum);
/* The pseudo header of UDP and TCP over IPv6 (RFC 8200, 8.1) added to `sum`;
 * folded and complemented. */
u16 csum_ipv6_magic(const u8 *saddr, const u8 *daddr, u32 len, u8 protocol,
		    u32 sum);

static inline void put_be16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = (u8)v;
}

static inline void put_be32(u8 *p, u32 v)
{
	put_be16(p, v >> 16);
	put_be16(p + 2, (u16)v);
}

static inline u16 get_be16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 get_be32(const u8 *p)
{
	return (u32)get_be16(p) << 16 | get_be16(p + 2);
}

/* A number as its bytes lie on the wire, loaded by a little-endian host. */
static inline u32 wire_order(u32 host)
{
	return host << 24 | (host << 8 & 0xff0000) | (host >> 8 & 0xff00) |
	       host >> 24;
}

static inline u16 wire_order16(u16 host)
{
	return (u16)(host << 8 | host >> 8);
}

#endif
