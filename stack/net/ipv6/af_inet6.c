/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/af_inet6.c: what an IPv6 socket does before its protocol.
 * inet6_init() is in addrconf.c. */
#include "stack/net/ipv6/udp.h"

void inet6_net_init(struct kernel *kernel)
{
	kernel->init_net->ipv6.sysctl.auto_flowlabels =
		IP6_AUTO_FLOW_LABEL_OPTOUT;
	if (!kernel_has(kernel, FLOWLABEL_RCU))
		kernel->ipv6->fl_lock = STATIC_OBJECT(kernel, ip6_sk_fl_lock,
						      0);
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
