/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/sock_reuseport.c: groups of sockets that share a port, each
 * an array in which a hash finds one member. */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock_reuseport.h"
#include "stack/include/net/udp.h"

static struct reuseport_lock *reuseport_lock(void)
{
	return this_kernel()->ipv4->udp->reuseport_lock;
}

static struct sock_reuseport *__reuseport_alloc(u32 max_socks)
{
	u32 pointers = max_socks * sizeof(struct sock *);
	u32 size = this_kernel()->types[STRUCT_sock_reuseport].size + pointers;
	struct sock_reuseport *reuse;
	u32 i;

	FUNCTION(__reuseport_alloc);
	reuse = kmalloc(size, STRUCT_sock_reuseport,
			sizeof(*reuse) + pointers, GFP_ATOMIC);
	if (!reuse)
		return NULL;
	for (i = 0; i < max_socks; i += LINE_SIZE / sizeof(struct sock *))
		WRITE_AT(reuse, socks, i, NULL);
	WRITE(reuse, max_socks, (u16)max_socks);
	WRITE(reuse, num_socks, 0);
	WRITE(reuse, prog, NULL);
	return reuse;
}

/* With the lock held. */
static int found_group(struct sock *sk)
{
	struct sock_reuseport *reuse;

	if (READ(sk, sk_reuseport_cb))
		return 0;	/* it had one before it was bound */
	reuse = __reuseport_alloc(REUSEPORT_INIT_SOCKS);
	if (!reuse)
		return -ENOMEM;
	WRITE_AT(reuse, socks, 0, sk);
	WRITE_ONCE(reuse, num_socks, 1);
	WRITE_ONCE(sk, sk_reuseport_cb, reuse);
	return 0;
}

int reuseport_alloc(struct sock *sk)
{
	int err;

	FUNCTION(reuseport_alloc);
	SPIN_LOCK_BH(reuseport_lock(), lock);
	err = found_group(sk);
	SPIN_UNLOCK_BH(reuseport_lock(), lock);
	return err;
}

/* Twice the room; readers of the old array keep it for a while. */
static struct sock_reuseport *reuseport_grow(struct sock_reuseport *reuse)
{
	u32 n = READ(reuse, num_socks), i;
	struct sock_reuseport *more = __reuseport_alloc(2 * n);

	FUNCTION(reuseport_grow);
	if (!more)
		return NULL;
	for (i = 0; i < n; i++) {
		struct sock *sk = READ_AT(reuse, socks, i);

		WORK(6);
		WRITE_AT(more, socks, i, sk);
		WRITE_ONCE(sk, sk_reuseport_cb, more);
	}
	WRITE_ONCE(more, num_socks, (u16)n);
	KFREE_RCU(reuse, rcu);
	return more;
}

int reuseport_add_sock(struct sock *sk, struct sock *sk2)
{
	struct sock_reuseport *reuse;
	u32 n = 0;
	int err;

	FUNCTION(reuseport_add_sock);
	SPIN_LOCK_BH(reuseport_lock(), lock);
	err = found_group(sk2);
	reuse = READ(sk2, sk_reuseport_cb);
	if (!err) {
		n = READ(reuse, num_socks);
		if (n == READ(reuse, max_socks)) {
			reuse = n < UINT16_MAX / 2 ? reuseport_grow(reuse) :
			       NULL;
			err = reuse ? 0 : -ENOMEM;
		}
	}
	if (!err) {
		WRITE_AT(reuse, socks, n, sk);
		WRITE_ONCE(reuse, num_socks, (u16)(n + 1));
		WRITE_ONCE(sk, sk_reuseport_cb, reuse);
	}
	SPIN_UNLOCK_BH(reuseport_lock(), lock);
	return err;
}

/* The last member takes the place of the one that goes. */
void reuseport_detach_sock(struct sock *sk)
{
	struct sock_reuseport *reuse;
	struct sock *last;
	u32 n, i = 0;

	FUNCTION(reuseport_detach_sock);
	SPIN_LOCK_BH(reuseport_lock(), lock);
	reuse = READ(sk, sk_reuseport_cb);
	WRITE_ONCE(sk, sk_reuseport_cb, NULL);
	n = READ(reuse, num_socks);
	while (i < n && READ_AT(reuse, socks, i) != sk) {
		WORK(4);
		i++;
	}
	if (i < n) {
		last = READ_AT(reuse, socks, n - 1);
		WRITE_AT(reuse, socks, i, last);
		WRITE_ONCE(reuse, num_socks, (u16)(n - 1));
		if (n == 1)
			KFREE_RCU(reuse, rcu);
	}
	SPIN_UNLOCK_BH(reuseport_lock(), lock);
}

struct sock *reuseport_select_sock(struct sock *sk, u32 hash)
{
	struct sock_reuseport *reuse;
	struct sock *found = NULL;
	u32 n;

	FUNCTION(reuseport_select_sock);
	rcu_read_lock();
	reuse = READ_ONCE(sk, sk_reuseport_cb);
	if (reuse) {
		n = READ_ONCE(reuse, num_socks);
		(void)READ_ONCE(reuse, prog);
		if (n)
			found = READ_ONCE_AT(reuse, socks,
					     (u64)hash * n >> 32);
	}
	rcu_read_unlock();
	return found;
}
