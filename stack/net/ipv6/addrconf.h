/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of addresses share: addrconf.c, addrconf_core.c and
 * addrconf_saddr.c. */
#ifndef STACK_NET_IPV6_ADDRCONF_H
#define STACK_NET_IPV6_ADDRCONF_H

#include "stack/include/net/ip6_fib.h"

/* __ipv6_addr_type() of an address in an object. */
u32 ifaddr_type(const struct inet6_ifaddr *ifa);

/* How far an address of this type reaches; -1: it is none. */
static inline s32 __ipv6_addr_src_scope(u32 type)
{
	return type == IPV6_ADDR_ANY ? -1 : (s32)(type >> 16);
}

#endif
