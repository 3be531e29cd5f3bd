/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/sock.c: what all sockets share. */
#include <errno.h>

#include "sim/check.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"

/* Looks whether anybody waits at a socket; nobody does yet. */
static void skwq_has_sleeper(struct sock *sk)
{
	struct socket_wq *wq = READ_ONCE(sk, sk_wq);	/* once sk_sleep */

	if (!sk->sk_socket)	/* it is closed */
		return;
	if (socket_wq_embedded())
		(void)READ_ONCE(sk->sk_socket, wq_wait);
	else
		(void)READ_ONCE(wq, task_list);
	(void)READ(sk, sk_flags);	/* asynchronous notice */
}

/* Sleepers are woken only when half of the buffer is free. */
static bool sock_writeable(struct sock *sk)
{
	u32 allocated = (u32)READ_ONCE(sk, sk_wmem_alloc);

	return allocated << 1 <= READ(sk, sk_sndbuf);
}

void sock_def_write_space(struct sock *sk)
{
	FUNCTION(sock_def_write_space);
	/* The wait queue ends with the socket, if nobody holds it.  The lock
	 * is fence enough on x86. */
	if (!has(SOCKET_WQ))
		READ_LOCK(sk, sk_callback_lock);
	if (sock_writeable(sk)) {
		if (has(SOCKET_WQ))
			FENCE();	/* before the look at it */
		skwq_has_sleeper(sk);
	}
	if (!has(SOCKET_WQ))
		READ_UNLOCK(sk, sk_callback_lock);
}

/* A packet is charged to its socket; inlined. */
void skb_set_owner_w(struct sk_buff *skb, struct sock *sk)
{
	if (has(SK_TXHASH)) {
		u32 hash;

		(void)READ(skb, destructor);	/* nobody owns it yet */
		(void)READ(sk, sk_state);	/* a full socket */
		hash = READ(sk, sk_txhash);
		if (hash)
			WRITE(skb, rxhash, hash);
	}
	WRITE(skb, sk, sk);
	WRITE(skb, destructor, sock_wfree);
	ATOMIC_ADD_RETURN(sk, sk_wmem_alloc, (s32)READ(skb, truesize));
}

/* Sockets that are freed after a grace period stay within the section, so that
 * one step does. */
static bool sock_wfree_once(struct sock *sk, s32 len)
{
	s32 left;

	if (!has(SOCK_WFREE_ONCE) || !(READ(sk, sk_flags) >> SOCK_RCU_FREE & 1))
		return false;
	if (READ(sk, sk_write_space) != sock_def_write_space)
		return false;
	rcu_read_lock();
	left = ATOMIC_SUB_RETURN(sk, sk_wmem_alloc, len);
	if (sock_writeable(sk))
		skwq_has_sleeper(sk);
	rcu_read_unlock();
	sk_wmem_put(sk, left);
	return true;
}

/* ... and given back when it has been sent.  Two steps, so that the socket
 * stays while its write_space is called. */
void sock_wfree(struct sk_buff *skb)
{
	struct sock *sk = READ(skb, sk);
	s32 len = (s32)READ(skb, truesize);
	u64 flags;

	FUNCTION(sock_wfree);
	flags = READ(sk, sk_flags);
	if (flags >> SOCK_USE_WRITE_QUEUE & 1) {
		sk_wmem_put(sk, ATOMIC_SUB_RETURN(sk, sk_wmem_alloc, len));
	} else if (!sock_wfree_once(sk, len)) {
		ATOMIC_SUB_RETURN(sk, sk_wmem_alloc, len - 1);
		READ(sk, sk_write_space)(sk);
		sk_wmem_put(sk, ATOMIC_SUB_RETURN(sk, sk_wmem_alloc, 1));
	}
}

/* The user of a socket is that of its inode. */
u32 sock_i_uid(struct sock *sk)
{
	struct socket *sock;
	u32 uid;

	FUNCTION(sock_i_uid);
	READ_LOCK_BH(sk, sk_callback_lock);
	sock = READ(sk, sk_socket);
	uid = sock ? READ(sock, i_uid) : 0;
	READ_UNLOCK_BH(sk, sk_callback_lock);
	return uid;
}

void sock_prot_inuse_add(struct net *net, struct proto *prot, s32 val)
{
	struct prot_inuse *inuse =
		READ(net, core.prot_inuse)[this_cpu->id];
	u32 index = READ(prot, inuse_idx);

	UPDATE_AT(inuse, val, index, += (u32)val);
}

/* A pending error is told once. */
static int sock_error(struct sock *sk)
{
	u32 err = READ(sk, sk_err);

	if (likely(!err))
		return 0;
	ATOMIC_SUB_RETURN(sk, sk_err, err);	/* stands for xchg */
	return -(int)err;
}

struct sk_buff *sock_alloc_send_skb(struct sock *sk, u32 size, bool noblock,
				    int *err)
{
	struct sk_buff *skb;
	u32 allocated;
	gfp_t gfp;

	FUNCTION(sock_alloc_send_pskb);
	STACK_PROTECTOR();
	gfp = READ(sk, sk_allocation);
	if (!noblock)
		(void)READ(sk, sk_sndtimeo);
	*err = sock_error(sk);
	if (*err)
		return NULL;
	*err = -EPIPE;
	if (READ(sk, sk_shutdown) & SEND_SHUTDOWN)
		return NULL;
	/* Nothing here holds a packet beyond the call, so the buffer cannot be
	 * full of older ones; a single larger than the buffer still goes. */
	*err = -EAGAIN;
	allocated = (u32)READ_ONCE(sk, sk_wmem_alloc);
	if (allocated >= READ(sk, sk_sndbuf))
		return NULL;
	*err = -ENOBUFS;
	skb = alloc_skb(size, gfp);
	if (!skb)
		return NULL;
	*err = 0;
	skb_set_owner_w(skb, sk);
	return skb;
}

/* The cached route, if it is still good; with a reference.  Readers once had to
 * take the lock. */
struct dst_entry *sk_dst_check(struct sock *sk, u32 cookie)
{
	struct dst_entry *dst;

	FUNCTION(sk_dst_check);
	if (has(SK_DST_RCU))
		rcu_read_lock();
	else
		READ_LOCK(sk, sk_dst_rwlock);
	dst = READ_ONCE(sk, sk_dst_cache);
	if (dst) {
		if (has(DST_HOLD_SAFE))
			(void)READ(dst, __refcnt);
		ATOMIC_INC(dst, __refcnt);
	}
	if (has(SK_DST_RCU))
		rcu_read_unlock();
	else
		READ_UNLOCK(sk, sk_dst_rwlock);
	if (!dst)
		return NULL;
	if (READ(dst, obsolete)) {
		struct dst_ops *ops = READ(dst, ops);

		if (!READ(ops, check)(dst, cookie)) {
			sk_dst_set(sk, NULL);
			dst_release(dst);
			return NULL;
		}
	}
	return dst;
}

/* For who holds sk_dst_lock.  Gives the route that was there. */
static struct dst_entry *__sk_dst_set(struct sock *sk, struct dst_entry *dst)
{
	struct dst_entry *old;

	if (has(SK_TX_QUEUE_MAPPING))
		WRITE(sk, sk_tx_queue_mapping, -1);
	old = READ(sk, sk_dst_cache);
	WRITE_ONCE(sk, sk_dst_cache, dst);
	return old;
}

/* Writers exclude each other by a lock, or by exchanging the pointer. */
void sk_dst_set(struct sock *sk, struct dst_entry *dst)
{
	struct dst_entry *old;

	if (has(SK_DST_XCHG)) {
		WRITE(sk, sk_tx_queue_mapping, -1);
		if (has(SOCK_PENDING_CONFIRM))
			WRITE(sk, sk_dst_pending_confirm, 0);
		old = ATOMIC_XCHG(sk, sk_dst_cache, dst);
	} else {
		SK_DST_WRITE_LOCK(sk);
		old = __sk_dst_set(sk, dst);
		SK_DST_WRITE_UNLOCK(sk);
	}
	if (old)
		dst_release(old);
	else
		WORK(4);	/* it is called all the same */
}

void sk_setup_caps(struct sock *sk, struct dst_entry *dst)
{
	struct net_device *dev;
	u32 caps;

	FUNCTION(sk_setup_caps);
	if (!has(SK_DST_XCHG)) {
		struct dst_entry *old = __sk_dst_set(sk, dst);

		if (old)
			dst_release(old);
	}
	dev = READ(dst, dev);
	caps = READ(dev, features);
	if (has(SK_ROUTE_NOCAPS) && !has(SK_ROUTE_CAPS_ONCE))
		caps &= ~(u32)READ(sk, sk_route_nocaps);
	(void)READ(sk, sk_gso_type);	/* 0 for UDP: all devices can that */
	if (!READ(dst, header_len)) {
		caps |= NETIF_F_SG | NETIF_F_HW_CSUM;
		WRITE(sk, sk_gso_max_size, READ(dev, gso_max_size));
		if (has(GSO_MAX_SEGS))
			WRITE(sk, sk_gso_max_segs, READ(dev, gso_max_segs));
	}
	WRITE(sk, sk_route_caps, caps);
	if (has(SK_DST_XCHG))
		sk_dst_set(sk, dst);
}

void sk_set_txhash(struct sock *sk)
{
	struct random_stream *random =
		&this_kernel()->net_core->sockets->txhash[this_cpu->id];
	u32 hash;

	if (!has(SK_TXHASH))
		return;
	hash = (u32)random_u64(random);
	WRITE_ONCE(sk, sk_txhash, hash ? hash : 1);
}

/* ---- the lock that tasks hold ---- */

/* Holds off softirqs rather than other tasks, if nobody has the lock. */
bool lock_sock_fast(struct sock *sk)
{
	FUNCTION(__lock_sock_fast);
	might_sleep();
	local_bh_disable();
	SPIN_LOCK(sk, sk_lock.slock);
	if (likely(!READ(sk, sk_lock.owned)))
		return false;
	SPIN_UNLOCK(sk, sk_lock.slock);
	local_bh_enable();
	lock_sock_nested(sk);
	return true;
}

void unlock_sock_fast(struct sock *sk, bool slow)
{
	if (slow) {
		release_sock(sk);
		return;
	}
	SPIN_UNLOCK(sk, sk_lock.slock);
	local_bh_enable();
}

/* Whoever lets go wakes the first that waits, but another may come before. */
static void __lock_sock(struct sock *sk)
{
	sk->sk_lock.waiters++;
	SPIN_UNLOCK(sk, sk_lock.slock);
	local_bh_enable();
	DOWN(sk, sk_lock.wq);
	local_bh_disable();
	SPIN_LOCK(sk, sk_lock.slock);
}

void lock_sock_nested(struct sock *sk)
{
	FUNCTION(lock_sock_nested);
	SPIN_LOCK_BH(sk, sk_lock.slock);
	while (READ(sk, sk_lock.owned))
		__lock_sock(sk);
	WRITE(sk, sk_lock.owned, 1);
	SPIN_UNLOCK_BH(sk, sk_lock.slock);
}

void release_sock(struct sock *sk)
{
	FUNCTION(release_sock);
	SPIN_LOCK_BH(sk, sk_lock.slock);
	if (READ(sk, sk_backlog.tail))
		__release_sock(sk);
	if (has(PROTO_RELEASE_CB)) {
		void (*release_cb)(struct sock *sk) =
			READ(READ(sk, sk_prot), release_cb);

		if (release_cb)
			release_cb(sk);
	}
	WRITE(sk, sk_lock.owned, 0);
	(void)READ(sk, sk_lock.wq);
	if (sk->sk_lock.waiters) {
		sk->sk_lock.waiters--;
		UP(sk, sk_lock.wq);
	}
	SPIN_UNLOCK_BH(sk, sk_lock.slock);
}
