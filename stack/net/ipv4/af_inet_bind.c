/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/af_inet.c: how INET sockets get their address and port. */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/udp.h"

/* ---- ports ---- */

/* An unbound socket gets a port at its first send. */
int inet_autobind(struct inet_sock *inet)
{
	struct sock *sk = &inet->sk;
	struct proto *prot;
	int err = 0;

	lock_sock_nested(sk);
	if (!READ(inet, inet_num)) {
		prot = READ(sk, sk_prot);
		if (READ(prot, get_port)(sk, 0))
			err = -EAGAIN;
		else
			WRITE(inet, inet_sport, READ(inet, inet_num));
	}
	release_sock(sk);
	return err;
}

/* ---- bind() ---- */

/* What the routing tables say of an address: the local one alone is asked,
 * as a kernel without rules does in the end. */
static u8 __inet_dev_addr_type(struct net *net, u32 addr)
{
	const struct fib_key key = { .daddr = addr };
	struct fib_result res;
	struct fib_table *local;
	int err;

	FUNCTION(inet_addr_type);
	STACK_PROTECTOR();
	if (addr >> 24 == 0 || addr == INADDR_BROADCAST)
		return RTN_BROADCAST;
	if (addr >> 28 == 0xe)
		return RTN_MULTICAST;
	rcu_read_lock();
	/* In one trie with the main table, unless there are rules. */
	local = has(FIB_TRIE_KEY_VECTOR) ? READ(net, ipv4.fib_main) :
		READ(net, ipv4.fib_local);
	err = tb_lookup(local, &key, &res);
	rcu_read_unlock();
	return err ? RTN_UNICAST : res.type;
}

static void l3mdev_fib_table_by_index(void)
{
	FUNCTION(l3mdev_fib_table_by_index);
}

/* No address, one of this host's, or that of many; or any that is asked for,
 * if the namespace allows it.  Sockets cannot ask for that. */
bool inet_addr_valid_or_nonlocal(struct net *net, struct sock *sk, u32 addr)
{
	u8 type;

	if (has(L3MDEV)) {
		(void)READ(sk, sk_bound_dev_if);
		l3mdev_fib_table_by_index();
	}
	type = __inet_dev_addr_type(net, addr);
	if (has(NONLOCAL_BIND_NETNS)) {
		if (READ_ONCE(net, ipv4.sysctl_ip_nonlocal_bind))
			return true;
	}
	(void)READ(inet_sk(sk), freebind);
	return !addr || type == RTN_LOCAL || type == RTN_MULTICAST ||
	       type == RTN_BROADCAST;
}

/* Where BIND_NO_PORT allows it, a socket that asks for no port gets none yet;
 * no socket of the model says so. */
int inet_bind_port(struct sock *sk, u16 snum)
{
	struct proto *prot;

	if (has(BIND_ADDRESS_NO_PORT) && !snum)
		(void)READ(inet_sk(sk), bind_address_no_port);
	prot = READ(sk, sk_prot);
	return READ(prot, get_port)(sk, snum);
}

static int inet_bind_locked(struct sock *sk, u32 addr, u16 snum)
{
	struct inet_sock *inet = inet_sk(sk);
	bool of_many = addr >> 28 == 0xe || addr == INADDR_BROADCAST;

	/* Neither bound twice nor connected. */
	if (READ(sk, sk_state) != TCP_CLOSE || READ(inet, inet_num))
		return -EINVAL;
	WRITE(inet, inet_rcv_saddr, addr);
	WRITE(inet, inet_saddr, of_many ? 0 : addr);
	if (inet_bind_port(sk, snum)) {
		WRITE(inet, inet_saddr, 0);
		WRITE(inet, inet_rcv_saddr, 0);
		return -EADDRINUSE;
	}
	if (READ(inet, inet_rcv_saddr))
		UPDATE(sk, sk_userlocks, |= SOCK_BINDADDR_LOCK);
	if (snum)
		UPDATE(sk, sk_userlocks, |= SOCK_BINDPORT_LOCK);
	WRITE(inet, inet_sport, READ(inet, inet_num));
	WRITE(inet, inet_daddr, 0);
	WRITE(inet, inet_dport, 0);
	sk_dst_set(sk, NULL);
	return 0;
}

/* The tasks of the model may take any port: nobody asks who they are. */
static int __inet_bind(struct sock *sk, const struct sockaddr_any *addr)
{
	struct net *net = READ(sk, sk_net);
	int err;

	FUNCTION(__inet_bind);
	if (addr->family != PF_INET && (addr->family || addr->daddr))
		return -EAFNOSUPPORT;
	if (!inet_addr_valid_or_nonlocal(net, sk, addr->daddr))
		return -EADDRNOTAVAIL;
	lock_sock_nested(sk);
	err = inet_bind_locked(sk, addr->daddr, addr->port);
	release_sock(sk);
	return err;
}

int inet_bind(struct socket *sock, const struct sockaddr_any *addr, u32 len)
{
	struct sock *sk = READ(sock, sk);

	FUNCTION(inet_bind);
	STACK_PROTECTOR();
	(void)READ(READ(sk, sk_prot), bind);	/* UDP has none of its own */
	if (len < SOCKADDR_IN_SIZE)
		return -EINVAL;
	return __inet_bind(sk, addr);
}

int inet_getname(struct socket *sock, struct sockaddr_any *addr, bool peer)
{
	struct sock *sk = READ(sock, sk);
	struct inet_sock *inet = inet_sk(sk);
	u32 saddr;

	FUNCTION(inet_getname);
	*addr = (struct sockaddr_any){ .family = PF_INET };
	if (peer) {
		addr->port = READ(inet, inet_dport);
		if (!addr->port)
			return -ENOTCONN;
		addr->daddr = READ(inet, inet_daddr);
		return 0;
	}
	saddr = READ(inet, inet_rcv_saddr);
	addr->daddr = saddr ? saddr : READ(inet, inet_saddr);
	addr->port = READ(inet, inet_sport);
	return 0;
}

/* ---- connect() ---- */

/* The peer is gone; so are the address and the port that the socket did not
 * ask for. */
int udp_disconnect(struct sock *sk)
{
	struct inet_sock *inet = inet_sk(sk);
	struct proto *prot = READ(sk, sk_prot);
	u32 locks;

	lock_sock_nested(sk);
	WRITE(sk, sk_state, TCP_CLOSE);
	WRITE(inet, inet_daddr, 0);
	WRITE(inet, inet_dport, 0);
	WRITE_ONCE(sk, sk_bound_dev_if, 0);
	locks = READ(sk, sk_userlocks);
	if (!(locks & SOCK_BINDADDR_LOCK)) {
		WRITE(inet, inet_rcv_saddr, 0);
		WRITE(inet, inet_saddr, 0);
		if (READ(sk, sk_family) == PF_INET6)
			inet6_reset_saddr(sk);
		if (has(UDP_DISCONNECT_REHASH) &&
		    locks & SOCK_BINDPORT_LOCK)
			sk_rehash(sk, READ(prot, rehash));
	}
	if (!(locks & SOCK_BINDPORT_LOCK)) {
		READ(prot, unhash)(sk);
		WRITE(inet, inet_sport, 0);
	}
	sk_dst_set(sk, NULL);
	release_sock(sk);
	return 0;
}

int inet_dgram_connect(struct sock *sk, const struct sockaddr_any *addr,
		       u32 addr_len)
{
	struct proto *prot = READ(sk, sk_prot);

	if (addr_len < sizeof(u16))
		return -EINVAL;
	if (!addr->family)
		return READ(prot, disconnect)(sk);
	if (!READ(inet_sk(sk), inet_num) && inet_autobind(inet_sk(sk)))
		return -EAGAIN;
	return READ(prot, connect)(sk, addr, addr_len);
}
