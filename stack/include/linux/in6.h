/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses as programs give them (include/linux/in6.h, socket.h).  A
 * struct in6_addr holds the bytes of the wire; IPv4 addresses and ports are
 * numbers of the host. */
#ifndef STACK_LINUX_IN6_H
#define STACK_LINUX_IN6_H

#include <string.h>

#include "sim/types.h"

#define PF_INET 2
#define PF_INET6 10
#define SOCKADDR_IN_SIZE 16u
#define SOCKADDR_IN6_SIZE 28u

struct in6_addr {
	u8 s6_addr[16];
};

struct sockaddr_any {
	u16 family;
	u16 port;
	u32 daddr;			/* of PF_INET */
	struct in6_addr daddr6;		/* of PF_INET6 */
	u32 flowinfo;			/* traffic class and flow label */
	u32 scope_id;			/* of a link-local address */
};

static inline bool ipv6_addr_equal(const struct in6_addr *a,
				   const struct in6_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline bool ipv6_addr_any(const struct in6_addr *a)
{
	static const struct in6_addr any;

	return ipv6_addr_equal(a, &any);
}

static inline bool ipv6_addr_is_multicast(const struct in6_addr *a)
{
	return a->s6_addr[0] == 0xff;
}

/* ::ffff:a.b.c.d */
static inline bool ipv6_addr_v4mapped(const struct in6_addr *a)
{
	static const u8 prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(a, prefix, sizeof(prefix));
}

#endif
