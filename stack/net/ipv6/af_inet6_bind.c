/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/af_inet6.c, and of addrconf.c and ipv6_sockglue.c what it
 * needs: how IPv6 sockets get their address and port. */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv6/udp.h"

/* The kernel finds an address by a hash; the model looks through the devices'
 * lists, and is charged for the address alone. */
bool ipv6_chk_addr(struct net *net, const struct in6_addr *addr,
		   const struct net_device *dev)
{
	const GPtrArray *addresses = this_kernel()->ipv6->addresses;
	u32 i;

	FUNCTION(ipv6_chk_addr);
	(void)net;
	for (i = 0; i < addresses->len; i++) {
		const struct inet6_ifaddr *ifa = addresses->pdata[i];

		/* Those that mean the link or the host belong to a device. */
		if (!ipv6_addr_equal(&ifa->addr, addr) ||
		    (dev && ifa->idev->dev != dev &&
		     ifa->scope & (IPV6_ADDR_LINKLOCAL | IPV6_ADDR_LOOPBACK)))
			continue;
		(void)READ_ADDR6(ifa, addr);
		return !(READ(ifa, flags) & IFA_F_TENTATIVE);
	}
	return false;
}

/* The device that a bound socket is on; NULL: any.  -ENODEV where it is
 * gone. */
static int bound_device(struct sock *sk, const struct net_device **dev)
{
	const GPtrArray *devices = this_kernel()->net_core->devices;
	u32 index = READ_ONCE(sk, sk_bound_dev_if);

	*dev = NULL;
	if (!index)
		return 0;
	if (index > devices->len)
		return -ENODEV;
	*dev = devices->pdata[index - 1];
	(void)READ(*dev, ifindex);
	return 0;
}

/* An address of IPv6 proper: what IPv4 sees of it, in *v4addr. */
static int check_inet6(struct sock *sk, const struct sockaddr_any *addr,
		       u32 len, u32 *v4addr)
{
	const struct net_device *dev;
	int err;

	if (ipv6_addr_needs_scope_id(&addr->daddr6)) {
		/* The same address on another link is another host's. */
		if (len >= SOCKADDR_IN6_SIZE && addr->scope_id)
			WRITE_ONCE(sk, sk_bound_dev_if, addr->scope_id);
		if (!READ_ONCE(sk, sk_bound_dev_if))
			return -EINVAL;
	}
	err = bound_device(sk, &dev);
	if (err)
		return err;
	*v4addr = LOOPBACK4_IPV6;
	if (!ipv6_addr_is_multicast(&addr->daddr6) &&
	    !ipv6_chk_addr(READ(sk, sk_net), &addr->daddr6, dev))
		return -EADDRNOTAVAIL;
	return 0;
}

static int check_address(struct sock *sk, const struct sockaddr_any *addr,
			 u32 len, u32 type, u32 *v4addr)
{
	int err;

	*v4addr = 0;
	if (type == IPV6_ADDR_ANY)
		return 0;
	if (type == IPV6_ADDR_MAPPED) {
		*v4addr = ipv6_addr_to_v4(&addr->daddr6);
		if (ipv6_only_sock(sk))
			return -EINVAL;
		return inet_addr_valid_or_nonlocal(READ(sk, sk_net), sk,
						   *v4addr) ?
		       0 : -EADDRNOTAVAIL;
	}
	rcu_read_lock();
	err = check_inet6(sk, addr, len, v4addr);
	rcu_read_unlock();
	return err;
}

static void set_addresses(struct sock *sk, const struct in6_addr *addr,
			  u32 v4addr)
{
	WRITE(inet_sk(sk), inet_rcv_saddr, v4addr);
	WRITE(inet_sk(sk), inet_saddr, v4addr);
	WRITE_ADDR6(sk, sk_v6_rcv_saddr, *addr);
	if (!ipv6_addr_is_multicast(addr))
		WRITE_ADDR6(udp6_sk(sk), inet6.saddr, *addr);
}

void inet6_reset_saddr(struct sock *sk)
{
	static const struct in6_addr none;

	WRITE_ADDR6(udp6_sk(sk), inet6.saddr, none);
	WRITE_ADDR6(sk, sk_v6_rcv_saddr, none);
}

static int inet6_bind_locked(struct sock *sk, const struct sockaddr_any *addr,
			     u32 len, u32 type)
{
	struct inet_sock *inet = inet_sk(sk);
	bool was_only;
	u32 v4addr;
	int err;

	if (READ(sk, sk_state) != TCP_CLOSE || READ(inet, inet_num))
		return -EINVAL;
	err = check_address(sk, addr, len, type, &v4addr);
	if (err)
		return err;
	set_addresses(sk, &addr->daddr6, v4addr);
	/* Bound to an address of IPv6, it has nothing to do with IPv4. */
	was_only = READ(udp6_sk(sk), inet6.ipv6only);
	if (type != IPV6_ADDR_ANY && type != IPV6_ADDR_MAPPED)
		WRITE(udp6_sk(sk), inet6.ipv6only, 1);
	if (inet_bind_port(sk, addr->port)) {
		WRITE(udp6_sk(sk), inet6.ipv6only, was_only);
		WRITE(inet, inet_rcv_saddr, 0);
		WRITE(inet, inet_saddr, 0);
		inet6_reset_saddr(sk);
		return -EADDRINUSE;
	}
	if (type != IPV6_ADDR_ANY)
		UPDATE(sk, sk_userlocks, |= SOCK_BINDADDR_LOCK);
	if (addr->port)
		UPDATE(sk, sk_userlocks, |= SOCK_BINDPORT_LOCK);
	WRITE(inet, inet_sport, READ(inet, inet_num));
	WRITE(inet, inet_dport, 0);
	WRITE(inet, inet_daddr, 0);
	return 0;
}

static int __inet6_bind(struct sock *sk, const struct sockaddr_any *addr,
			u32 len)
{
	u32 type;
	int err;

	FUNCTION(__inet6_bind);
	if (addr->family != PF_INET6)
		return -EAFNOSUPPORT;
	type = ipv6_addr_type(&addr->daddr6);
	lock_sock_nested(sk);
	(void)INET6_SK(sk);
	err = inet6_bind_locked(sk, addr, len, type);
	release_sock(sk);
	return err;
}

int inet6_bind(struct socket *sock, const struct sockaddr_any *addr, u32 len)
{
	struct sock *sk = READ(sock, sk);

	FUNCTION(inet6_bind);
	STACK_PROTECTOR();
	(void)READ(READ(sk, sk_prot), bind);	/* UDP has none of its own */
	if (len < SIN6_LEN_RFC2133)
		return -EINVAL;
	return __inet6_bind(sk, addr, len);
}

int inet6_getname(struct socket *sock, struct sockaddr_any *addr, bool peer)
{
	struct sock *sk = READ(sock, sk);
	struct inet_sock *inet = inet_sk(sk);

	FUNCTION(inet6_getname);
	*addr = (struct sockaddr_any){ .family = PF_INET6 };
	if (peer) {
		addr->port = READ(inet, inet_dport);
		if (!addr->port)
			return -ENOTCONN;
		addr->daddr6 = READ_ADDR6(sk, sk_v6_daddr);
	} else {
		addr->daddr6 = READ_ADDR6(sk, sk_v6_rcv_saddr);
		if (ipv6_addr_any(&addr->daddr6))
			addr->daddr6 = READ_ADDR6(udp6_sk(sk), inet6.saddr);
		addr->port = READ(inet, inet_sport);
	}
	if (ipv6_addr_needs_scope_id(&addr->daddr6))
		addr->scope_id = READ_ONCE(sk, sk_bound_dev_if);
	return 0;
}

/* A bound socket keeps what it has. */
int ipv6_set_v6only(struct sock *sk, bool only)
{
	int err = -EINVAL;

	lock_sock_nested(sk);
	if (!READ(inet_sk(sk), inet_num)) {
		WRITE(udp6_sk(sk), inet6.ipv6only, only);
		err = 0;
	}
	release_sock(sk);
	return err;
}
