/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/af_inet.c: what the INET sockets do before their protocol. */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/sock.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_rcv.h"

void inet_sock_destruct(struct sock *sk)
{
	struct dst_entry *dst;

	udp_destruct_queues(sk);
	dst = READ(sk, sk_dst_cache);
	if (dst)
		dst_release(dst);
	if (sk->sk_family == PF_INET6)
		fl6_free_socklist(sk);
}

int inet_release(struct socket *sock)
{
	struct sock *sk = READ(sock, sk);

	if (sk)
		READ(sk, sk_prot)->close(sk);
	return 0;
}

int inet_send_prepare(struct sock *sk)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;

	if (!has(RFS_STATIC_KEY))
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
