/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Internet checksum; see checksum.h. */
#include "stack/lib/checksum.h"

static u32 add_folded(u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	return (u32)sum;
}

u32 csum_partial(const u8 *bytes, u32 len, u32 sum)
{
	u64 total = sum;
	u32 i;

	for (i = 0; i + 1 < len; i += 2)
		total += get_be16(bytes + i);
	if (i < len)
		total += (u32)bytes[i] << 8;
	return add_folded(total);
}

u16 csum_fold(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

u32 csum_tcpudp_nofold(u32 saddr, u32 daddr, u32 len, u8 protocol, u32 sum)
{
	return add_folded((u64)sum + (saddr >> 16) + (saddr & 0xffff) +
			  (daddr >> 16) + (daddr & 0xffff) + protocol + len);
}

u16 csum_ipv6_magic(const u8 *saddr, const u8 *daddr, u32 len, u8 protocol,
		    u32 sum)
{
	sum = csum_partial(saddr, 16, sum);
	sum = csum_partial(daddr, 16, sum);
	return csum_fold(add_folded((u64)sum + (len >> 16) + (len & 0xffff) +
				    protocol));
}
