/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of sockets that share a port (include/net/sock_reuseport.h). */
#ifndef STACK_NET_SOCK_REUSEPORT_H
#define STACK_NET_SOCK_REUSEPORT_H

#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/sock.h"

#define REUSEPORT_INIT_SOCKS 128u

struct udp_hslot;

struct sock_reuseport {
	struct object object;
	struct rcu_head rcu;
	u16 max_socks;
	u16 num_socks;
	void *prog;		/* nobody gives a program: always NULL */
	struct sock *socks[];
};

/* One lock for all changes of groups. */
struct reuseport_lock {
	struct object object;
	struct spinlock lock;
};

/* A group of this socket alone; 0 or -ENOMEM. */
int reuseport_alloc(struct sock *sk);
/* Into the group of another. */
int reuseport_add_sock(struct sock *sk, struct sock *sk2);
void reuseport_detach_sock(struct sock *sk);
/* The member of the socket's group that a hash points to; NULL without a
 * group. */
struct sock *reuseport_select_sock(struct sock *sk, u32 hash);

/* ipv4/udp_hash.c: joins or founds the group of its port and address; the chain
 * is locked.  0 or -ENOMEM. */
int udp_reuseport_add_sock(struct sock *sk, struct udp_hslot *hslot);

#endif
