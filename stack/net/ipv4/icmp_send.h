/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the senders of ICMP and of ICMPv6 share. */
#ifndef STACK_NET_IPV4_ICMP_SEND_H
#define STACK_NET_IPV4_ICMP_SEND_H

#include "stack/include/net/sock.h"

/* How many messages this host may still send, in kernels that limit that. */
struct icmp_global {
	struct object object;
	struct spinlock lock;
	u32 credit;
	u32 stamp;		/* jiffies */
};

/* One more message of this host, whoever it is for. */
bool icmp_global_allow(void);
/* A CPU's socket for the messages of a family. */
struct sock *icmp_sk_new(struct kernel *kernel, u32 cpu, u16 family);
/* With bottom halves off; NULL: it is taken, on this very CPU. */
struct sock *icmp_xmit_lock(struct sock *sk);
void icmp_xmit_unlock(struct sock *sk);

#endif
