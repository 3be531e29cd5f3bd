/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/af_inet6.c: what an IPv6 socket does before its protocol.
 * inet6_init() is in addrconf.c. */
#include <errno.h>

#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/mld.h"
#include "stack/net/ipv4/udplite.h"
#include "stack/net/ipv6/udp.h"

void inet6_net_init(struct kernel *kernel)
{
	kernel->init_net->ipv6.sysctl.auto_flowlabels =
		IP6_AUTO_FLOW_LABEL_OPTOUT;
	if (!kernel_has(kernel, FLOWLABEL_RCU))
		kernel->ipv6->fl_lock = STATIC_OBJECT(kernel, ip6_sk_fl_lock,
						      0);
}

int inet6_create(struct net *net, struct socket *sock, int protocol)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	struct proto *prot = room->udpv6_prot;
	struct inet_sock *inet;
	struct udp6_sock *up6;
	int (*init)(struct sock *);
	struct sock *sk;

	FUNCTION(inet6_create);
	rcu_read_lock();
	if (protocol == IPPROTO_UDPLITE_NUMBER) {
		prot = udplite_room()->prot6;
		WORK(UDPLITE_PROTOSW_WORK);
	}
	rcu_read_unlock();
	WRITE(sock, ops, room->inet6_dgram_ops);
	sk = sk_alloc(net, PF_INET6, prot);
	if (!sk)
		return -ENOBUFS;
	inet = (struct inet_sock *)(void *)sk;
	up6 = (struct udp6_sock *)(void *)sk;
	inet_sock_init(sock, inet, (u8)protocol);
	WRITE(inet, pinet6, &up6->inet6);
	WRITE(up6, inet6.hop_limit, -1);
	WRITE(up6, inet6.mcast_hops, 1);
	WRITE(up6, inet6.mc_loop, 1);
	if (has(IP6_MC_ALL))
		WRITE(up6, inet6.mc_all, 1);
	WRITE(up6, inet6.pmtudisc, IP_PMTUDISC_WANT);
	if (has(AUTO_FLOWLABELS) && !has(AUTOFLOWLABEL_SET))
		WRITE(up6, inet6.autoflowlabel, ip6_default_np_autolabel(net));
	if (has(FLOWLABEL_REFLECT)) {
		(void)READ(net, ipv6.sysctl.flowlabel_reflect);
		UPDATE(up6, inet6.repflow, = 0);
	}
	(void)READ(net, ipv6.sysctl.bindv6only);
	(void)READ(inet, inet_num);
	init = READ(prot, init);
	return init ? init(sk) : 0;
}

/* No address that any host may have. */
int inet6_release(struct socket *sock)
{
	struct sock *sk = READ(sock, sk);
	struct udp6_sock *up6 = (struct udp6_sock *)(void *)sk;

	FUNCTION(inet6_release);
	if (!sk)
		return -EINVAL;
	(void)INET6_SK(sk);
	if (READ(up6, inet6.ipv6_mc_list)) {
		rtnl_lock();
		ipv6_sock_mc_close(sk);
		rtnl_unlock();
	}
	(void)INET6_SK(sk);
	(void)READ(up6, inet6.ipv6_ac_list);
	return inet_release(sock);
}

/* Frees what an IPv6 socket holds beyond what an IPv4 one does. */
void inet6_destroy_sock(struct sock *sk)
{
	struct udp6_sock *up6 = (struct udp6_sock *)(void *)sk;
	struct ipv6_txoptions *opt;

	FUNCTION(inet6_destroy_sock);
	(void)READ(up6, inet6.pktoptions);
	if (has(IPV6_PATHMTU))
		(void)READ(up6, inet6.rxpmtu);
	fl6_free_socklist(sk);
	/* Nobody sends by this socket any more. */
	opt = READ(up6, inet6.opt);
	if (opt) {
		WRITE(up6, inet6.opt, NULL);
		ipv6_release_options(sk, opt);
	}
}

int inet6_sendmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	struct sock *sk = READ(sock, sk);
	int err;

	FUNCTION(inet6_sendmsg);
	err = inet_send_prepare(sk);
	if (err)
		return err;
	return READ(READ(sk, sk_prot), sendmsg)(sk, msg, len);
}
