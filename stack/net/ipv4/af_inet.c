/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/af_inet.c: what the INET sockets do before their protocol. */
#include <errno.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/sock.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"

/* What both families' sockets start with. */
void inet_sock_init(struct socket *sock, struct inet_sock *inet, u8 protocol)
{
	struct sock *sk = &inet->sk;
	u8 no_pmtu_disc = 0;

	UPDATE(sk, sk_reuse, = 0);
	WRITE(inet, is_icsk, 0);
	if (has(NO_PMTU_DISC_NETNS))
		no_pmtu_disc = READ(READ(sk, sk_net),
				    ipv4.sysctl_ip_no_pmtu_disc);
	WRITE(inet, pmtudisc,
	      no_pmtu_disc ? IP_PMTUDISC_DONT : IP_PMTUDISC_WANT);
	WRITE(inet, inet_id, 0);
	sock_init_data(sock, sk);
	WRITE(sk, sk_destruct, inet_sock_destruct);
	WRITE(sk, sk_protocol, protocol);
	(void)READ(READ(sk, sk_prot), backlog_rcv);
	WRITE(sk, sk_backlog_rcv, 0);
	WRITE(inet, uc_ttl, -1);
	WRITE(inet, mc_loop, 1);
	WRITE(inet, mc_ttl, 1);
	WRITE(inet, mc_all, 1);
	WRITE(inet, mc_index, 0);
	WRITE(inet, mc_list, NULL);
	if (has(RCV_TOS))
		WRITE(inet, rcv_tos, 0);
}

int inet_create(struct net *net, struct socket *sock, int protocol)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	struct proto *prot = room->udp_prot;
	int (*init)(struct sock *);
	struct sock *sk;

	FUNCTION(inet_create);
	WRITE(sock, state, SS_UNCONNECTED);
	rcu_read_lock();
	if (protocol == IPPROTO_UDPLITE_NUMBER) {
		prot = udplite_room()->prot;
		WORK(UDPLITE_PROTOSW_WORK);
	}
	rcu_read_unlock();
	WRITE(sock, ops, room->inet_dgram_ops);
	sk = sk_alloc(net, PF_INET, prot);
	if (!sk)
		return -ENOBUFS;
	inet_sock_init(sock, (struct inet_sock *)(void *)sk, (u8)protocol);
	(void)READ((struct inet_sock *)(void *)sk, inet_num);
	init = READ(prot, init);
	return init ? init(sk) : 0;
}

/* Frees what a socket holds. */
void inet_sock_destruct(struct sock *sk)
{
	struct dst_entry *dst;

	FUNCTION(inet_sock_destruct);
	udp_destruct_queues(sk);
	sock_purge_errors(sk);
	(void)READ(sk, sk_type);
	(void)READ(sk, sk_flags);
	(void)READ(sk, sk_wmem_alloc);
	(void)READ((struct inet_sock *)(void *)sk, inet_opt);
	dst = READ(sk, sk_dst_cache);
	if (dst)
		dst_release(dst);
	if (has(SK_RX_DST)) {
		dst = READ(sk, sk_rx_dst);
		if (dst)
			dst_release(dst);
	}
	if (has(INET6_SOCK_DESTRUCT) && sk->sk_family == PF_INET6)
		inet6_destroy_sock(sk);
}

int inet_release(struct socket *sock)
{
	struct sock *sk = READ(sock, sk);

	FUNCTION(inet_release);
	if (!sk)
		return 0;
	if (READ((struct inet_sock *)(void *)sk, mc_list)) {
		rtnl_lock();
		ip_mc_drop_socket(sk);
		rtnl_unlock();
	}
	/* Nothing to linger for. */
	(void)READ(sk, sk_flags);
	if (!has(SOCK_RELEASE_LOCKED))
		WRITE(sock, sk, NULL);
	READ(READ(sk, sk_prot), close)(sk);
	if (has(SOCK_RELEASE_LOCKED))
		WRITE(sock, sk, NULL);
	return 0;
}

int inet_send_prepare(struct sock *sk)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;

	if (has(RFS) && !has(RFS_STATIC_KEY))
		(void)READ(sk, sk_rxhash);	/* receive flow steering */
	if (!READ(inet, inet_num))
		return inet_autobind(inet);
	return 0;
}

int inet_sendmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	struct sock *sk = READ(sock, sk);
	int err;

	FUNCTION(inet_sendmsg);
	err = inet_send_prepare(sk);
	if (err)
		return err;
	return READ(READ(sk, sk_prot), sendmsg)(sk, msg, len);
}
