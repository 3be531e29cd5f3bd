/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/ipv6_sockglue.c: the options of groups, see
 * ipv4/ip_sockglue.c; and those of the MTU of the path and of errors. */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/mld.h"
#include "stack/net/core/sock_err.h"

static int set_device(struct sock *sk, struct udp6_sock *up6, u32 ifindex)
{
	struct net *net = READ(sk, sk_net);

	if (ifindex && !dev_get_by_index_rcu(net, ifindex))
		return -ENODEV;
	WRITE(up6, inet6.mcast_oif, ifindex);
	return 0;
}

/* How the MTU of the path is found, and what is done by it. */
static int set_mtu_option(struct udp6_sock *up6, int option, u32 value)
{
	u32 last = has(IP_FWD_USE_PMTU) ? IP_PMTUDISC_OMIT : IP_PMTUDISC_PROBE;

	if (option == IPV6_DONTFRAG) {
		if (!has(IPV6_DONTFRAG_OPTION))
			return -ENOPROTOOPT;
		WRITE(up6, inet6.dontfrag, value != 0);
		return 0;
	}
	if (option == IPV6_MTU_DISCOVER) {
		if (value > last)
			return -EINVAL;
		WRITE(up6, inet6.pmtudisc, (u8)value);
		return 0;
	}
	if (value && value < IPV6_MIN_MTU)
		return -EINVAL;
	WRITE(up6, inet6.frag_size, value);
	return 0;
}

int ipv6_mc_setsockopt(struct sock *sk, int option, u32 value)
{
	struct udp6_sock *up6 = (struct udp6_sock *)(void *)sk;
	int err = 0;

	if (READ(sk, sk_family) != PF_INET6)
		return -ENOPROTOOPT;
	lock_sock_nested(sk);
	switch (option) {
	case IPV6_RECVERR:
		WRITE(up6, inet6.recverr, value != 0);
		if (!value)
			sock_purge_errors(sk);
		break;
	case IPV6_DONTFRAG:
	case IPV6_MTU_DISCOVER:
	case IPV6_MTU:
		err = set_mtu_option(up6, option, value);
		break;
	case IPV6_MULTICAST_IF:
		err = set_device(sk, up6, value);
		break;
	case IPV6_MULTICAST_HOPS:
		if (value > 255)
			err = -EINVAL;
		else
			WRITE(up6, inet6.mcast_hops, (s16)value);
		break;
	case IPV6_MULTICAST_LOOP:
		WRITE(up6, inet6.mc_loop, value != 0);
		break;
	default:
		err = -ENOPROTOOPT;
	}
	release_sock(sk);
	return err;
}

static int join_source(struct sock *sk, const struct group_source_req *req)
{
	int err = ipv6_sock_mc_join(sk, req, has(MCAST_SSM_JOIN) ?
				    MCAST_INCLUDE : MCAST_EXCLUDE);

	if (err && err != -EADDRINUSE)
		return err;
	return ip6_mc_source(sk, true, MCAST_INCLUDE, req);
}

static int group_option(struct sock *sk, int option,
			const struct group_source_req *req)
{
	switch (option) {
	case IPV6_JOIN_GROUP:
		return ipv6_sock_mc_join(sk, req, MCAST_EXCLUDE);
	case IPV6_LEAVE_GROUP:
		return ipv6_sock_mc_drop(sk, req);
	case MCAST_JOIN_SOURCE_GROUP:
		return join_source(sk, req);
	case MCAST_LEAVE_SOURCE_GROUP:
		return ip6_mc_source(sk, false, MCAST_INCLUDE, req);
	case MCAST_BLOCK_SOURCE:
		return ip6_mc_source(sk, true, MCAST_EXCLUDE, req);
	case MCAST_UNBLOCK_SOURCE:
		return ip6_mc_source(sk, false, MCAST_EXCLUDE, req);
	default:
		return -ENOPROTOOPT;
	}
}

int ipv6_mc_group_option(struct sock *sk, int option,
			 const struct group_source_req *req)
{
	int err;

	if (READ(sk, sk_family) != PF_INET6)
		return -ENOPROTOOPT;
	rtnl_lock();
	lock_sock_nested(sk);
	err = group_option(sk, option, req);
	release_sock(sk);
	rtnl_unlock();
	return err;
}
