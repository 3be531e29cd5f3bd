/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/ip_sockglue.c: the options of groups and of errors.  ip_pktinfo.c has
 * another part of that file.  The RTNL lock is taken outside of the socket's,
 * as the later kernels do. */
#include <errno.h>

#include "sim/lock.h"
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/net/core/sock_err.h"

static struct inet_sock *inet_of(struct sock *sk)
{
	return (struct inet_sock *)(void *)sk;
}

int ip_mc_setsockopt(struct sock *sk, int option, u32 value)
{
	struct net *net = this_kernel()->init_net;
	int err = 0;

	lock_sock_nested(sk);
	switch (option) {
	case IP_RECVERR:
		WRITE(inet_of(sk), recverr, value != 0);
		if (!value)
			sock_purge_errors(sk);
		break;
	case IP_MULTICAST_IF:
		if (value && !dev_get_by_index_rcu(net, value)) {
			err = -EADDRNOTAVAIL;
			break;
		}
		WRITE(inet_of(sk), mc_index, value);
		WRITE(inet_of(sk), mc_addr, 0);
		break;
	case IP_MULTICAST_TTL:
		if (value > 255)
			err = -EINVAL;
		else
			WRITE(inet_of(sk), mc_ttl, (u8)value);
		break;
	case IP_MULTICAST_LOOP:
		WRITE(inet_of(sk), mc_loop, value != 0);
		break;
	case IP_MULTICAST_ALL:
		WRITE(inet_of(sk), mc_all, value != 0);
		break;
	default:
		err = -ENOPROTOOPT;
	}
	release_sock(sk);
	return err;
}

/* Joins first, if the socket is not a member yet. */
static int join_source(struct sock *sk, const struct group_source_req *req)
{
	int err = ip_mc_join_group(sk, req, has(MCAST_SSM_JOIN) ?
				   MCAST_INCLUDE : MCAST_EXCLUDE);

	if (err && err != -EADDRINUSE)
		return err;
	return ip_mc_source(sk, true, MCAST_INCLUDE, req);
}

static int group_option(struct sock *sk, int option,
			const struct group_source_req *req)
{
	switch (option) {
	case IP_ADD_MEMBERSHIP:
		return ip_mc_join_group(sk, req, MCAST_EXCLUDE);
	case IP_DROP_MEMBERSHIP:
		return ip_mc_leave_group(sk, req);
	case IP_ADD_SOURCE_MEMBERSHIP:
		return join_source(sk, req);
	case IP_DROP_SOURCE_MEMBERSHIP:
		return ip_mc_source(sk, false, MCAST_INCLUDE, req);
	case IP_BLOCK_SOURCE:
		return ip_mc_source(sk, true, MCAST_EXCLUDE, req);
	case IP_UNBLOCK_SOURCE:
		return ip_mc_source(sk, false, MCAST_EXCLUDE, req);
	default:
		return -ENOPROTOOPT;
	}
}

int ip_mc_group_option(struct sock *sk, int option,
		       const struct group_source_req *req)
{
	int err;

	rtnl_lock();
	lock_sock_nested(sk);
	err = group_option(sk, option, req);
	release_sock(sk);
	rtnl_unlock();
	return err;
}

void rtnl_lock(void)
{
	MUTEX_LOCK(this_kernel()->net_core->rtnl, mutex);
}

void rtnl_unlock(void)
{
	MUTEX_UNLOCK(this_kernel()->net_core->rtnl, mutex);
}
