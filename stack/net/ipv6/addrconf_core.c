/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/addrconf_core.c: what kind of address an address is. */
#include "stack/net/ipv6/addrconf.h"

#define SCOPE(scope) ((u32)(scope) << 16)

static u32 word(const struct in6_addr *addr, u32 i)
{
	const u8 *byte = addr->s6_addr + 4 * i;

	return (u32)byte[0] << 24 | (u32)byte[1] << 16 | (u32)byte[2] << 8 |
	       byte[3];
}

/* Addresses whose first half is zero. */
static u32 type_of_low(const struct in6_addr *addr)
{
	u32 third = word(addr, 2), last = word(addr, 3);

	if (!third && !last)
		return IPV6_ADDR_ANY;
	if (!third && last == 1)
		return IPV6_ADDR_LOOPBACK | IPV6_ADDR_UNICAST |
		       SCOPE(IPV6_ADDR_SCOPE_LINKLOCAL);
	if (!third)
		return IPV6_ADDR_COMPATv4 | IPV6_ADDR_UNICAST |
		       SCOPE(IPV6_ADDR_SCOPE_GLOBAL);
	if (third == 0xffff)
		return IPV6_ADDR_MAPPED | SCOPE(IPV6_ADDR_SCOPE_GLOBAL);
	return IPV6_ADDR_UNICAST | SCOPE(IPV6_ADDR_SCOPE_GLOBAL);
}

/* Counted in instructions on the way; the function itself has the rest. */
static u32 type_of(const struct in6_addr *addr)
{
	u32 first = word(addr, 0);

	if (first >> 29 && first >> 29 != 7) {
		return IPV6_ADDR_UNICAST | SCOPE(IPV6_ADDR_SCOPE_GLOBAL);
	} else if (first >> 24 == 0xff) {
		WORK(4);
		return IPV6_ADDR_MULTICAST | SCOPE(addr->s6_addr[1] & 0x0f);
	}
	WORK(7);
	if (first >> 22 == 0xfe80 >> 6)
		return IPV6_ADDR_LINKLOCAL | IPV6_ADDR_UNICAST |
		       SCOPE(IPV6_ADDR_SCOPE_LINKLOCAL);
	WORK(6);
	if (first >> 22 == 0xfec0 >> 6)
		return IPV6_ADDR_SITELOCAL | IPV6_ADDR_UNICAST |
		       SCOPE(IPV6_ADDR_SCOPE_SITELOCAL);
	if (first || word(addr, 1))	/* unique local addresses among them */
		return IPV6_ADDR_UNICAST | SCOPE(IPV6_ADDR_SCOPE_GLOBAL);
	WORK(10);
	return type_of_low(addr);
}

u32 __ipv6_addr_type(const struct in6_addr *addr)
{
	FUNCTION(__ipv6_addr_type);
	return type_of(addr);
}

u32 ifaddr_type(const struct inet6_ifaddr *ifa)
{
	u32 type;

	FUNCTION(__ipv6_addr_type);
	(void)READ_AT(ifa, addr.s6_addr, 0);
	type = type_of(&ifa->addr);
	/* Only one whose first half is zero needs another look. */
	if (type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_COMPATv4 | IPV6_ADDR_MAPPED))
		(void)READ_AT(ifa, addr.s6_addr, 8);
	return type;
}

/* ---- text ---- */

/* The longest run of zero groups, two at least: where it begins and ends. */
static void find_zeros(const struct in6_addr *addr, u32 *from, u32 *to)
{
	u32 i, j;

	*from = *to = 0;
	for (i = 0; i < 8; i = j + 1) {
		for (j = i; j < 8; j++)
			if (addr->s6_addr[2 * j] || addr->s6_addr[2 * j + 1])
				break;
		if (j - i > MAX(*to - *from, 1)) {
			*from = i;
			*to = j;
		}
	}
}

char *ipv6_addr_text(const struct in6_addr *addr)
{
	GString *text = g_string_new(NULL);
	u32 from, to, i;

	find_zeros(addr, &from, &to);
	for (i = 0; i < 8; i++) {
		if (to && i == from) {
			g_string_append(text, "::");
			i = to - 1;
			continue;
		}
		if (i && i != to)
			g_string_append_c(text, ':');
		g_string_append_printf(text, "%x", addr->s6_addr[2 * i] << 8 |
					       addr->s6_addr[2 * i + 1]);
	}
	return g_string_free(text, FALSE);
}
