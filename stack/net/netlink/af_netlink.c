/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/netlink/af_netlink.c and linux/sock_diag.h: whether anybody
 * listens. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/netlink.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define SKNLGRP_INET_UDP_DESTROY 2u
#define NETLINK_GROUPS 32u

static bool netlink_has_listeners(const struct netlink_sock *nlk, u32 group)
{
	const struct netlink_table *table;
	const struct netlink_listeners *listeners;
	bool listens = false;

	FUNCTION(netlink_has_listeners);
	(void)READ(nlk, flags);		/* it is the kernel's */
	rcu_read_lock();
	(void)READ(nlk, sk_protocol);
	table = this_kernel()->net_core->sockets->diag_table;
	listeners = READ(table, listeners);
	if (group - 1 < READ(table, groups))
		listens = READ(listeners, masks) >> (group - 1) & 1;
	rcu_read_unlock();
	return listens;
}

bool sock_diag_has_destroy_listeners(struct sock *sk)
{
	const struct netlink_sock *nlk = READ(READ(sk, sk_net), diag_nlsk);

	(void)READ(sk, sk_type);
	(void)READ(sk, sk_protocol);
	return nlk && netlink_has_listeners(nlk, SKNLGRP_INET_UDP_DESTROY);
}

/* Kernels that do not ask have no such sockets in their tables. */
void netlink_init(struct kernel *kernel)
{
	struct netlink_table *table = STATIC_OBJECT(kernel, netlink_table, 0);

	table->listeners = STATIC_OBJECT(kernel, netlink_listeners, 0);
	table->groups = NETLINK_GROUPS;
	kernel->net_core->sockets->diag_table = table;
	kernel->init_net->diag_nlsk = STATIC_OBJECT(kernel, netlink_sock, 0);
}
