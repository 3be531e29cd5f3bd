/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets between the kernel and its managers, as far as the kernel asks
 * whether anybody listens (net/netlink/af_netlink.h). */
#ifndef STACK_NET_NETLINK_H
#define STACK_NET_NETLINK_H

#include "stack/kernel.h"

/* The kernel's end of one protocol. */
struct netlink_sock {
	struct object object;
	u16 sk_protocol;
	u32 flags;
};

/* Of one protocol: who listens to which group. */
struct netlink_listeners {
	struct object object;
	u64 masks;
};

struct netlink_table {
	struct object object;
	struct netlink_listeners *listeners;
	u32 groups;
};

/* Does anybody want to be told that this socket ends?  Nobody does. */
bool sock_diag_has_destroy_listeners(struct sock *sk);
void netlink_init(struct kernel *kernel);

#endif
