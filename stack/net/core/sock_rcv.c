/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/sock.c, the part that receives: memory charged to a socket,
 * its queue of packets, its backlog while a task holds it, and who is told.
 *
 * All kernels have one count of the memory that the sockets of a protocol hold
 * (from 6.0 on in parts by CPU, which is not modelled); it never comes near
 * its limit here.
 */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/wait.h"
#include "stack/net/core/sock_rcv.h"

/* ---- memory ---- */

void __sk_mem_raise_allocated(struct sock *sk, u32 pages)
{
	FUNCTION(__sk_mem_schedule);
	(void)READ(sk, sk_prot);
	ATOMIC_ADD_RETURN(this_kernel()->net_core->sockets->udp_memory,
			  memory_allocated, pages);
}

void __sk_mem_reduce_allocated(struct sock *sk, u32 pages)
{
	FUNCTION(__sk_mem_reclaim);
	(void)READ(sk, sk_prot);
	ATOMIC_SUB_RETURN(this_kernel()->net_core->sockets->udp_memory,
			  memory_allocated, pages);
}

/* A socket takes memory by pages, and from that for its packets. */
static void sk_rmem_schedule(struct sock *sk, s32 size)
{
	s32 forward = READ(sk, sk_forward_alloc);
	u32 pages;

	if (size <= forward)
		return;
	pages = (u32)(size + (s32)PAGE_SIZE - 1) >> PAGE_SHIFT;
	WRITE(sk, sk_forward_alloc, forward + (s32)(pages << PAGE_SHIFT));
	__sk_mem_raise_allocated(sk, pages);
}

void sk_mem_reclaim_partial(struct sock *sk)
{
	s32 forward = READ(sk, sk_forward_alloc);
	u32 pages;

	if (forward <= (s32)PAGE_SIZE)
		return;
	pages = (u32)(forward - 1) >> PAGE_SHIFT;
	WRITE(sk, sk_forward_alloc, forward - (s32)(pages << PAGE_SHIFT));
	__sk_mem_reduce_allocated(sk, pages);
}

static void sock_rfree(struct sk_buff *skb)
{
	struct sock *sk = READ(skb, sk);
	s32 len = (s32)READ(skb, truesize);

	FUNCTION(sock_rfree);
	ATOMIC_SUB_RETURN(sk, sk_backlog.rmem_alloc, len);
	UPDATE(sk, sk_forward_alloc, += len);
}

static void skb_set_owner_r(struct sk_buff *skb, struct sock *sk)
{
	s32 len = (s32)READ(skb, truesize);

	WRITE(skb, sk, sk);
	WRITE(skb, destructor, sock_rfree);
	ATOMIC_ADD_RETURN(sk, sk_backlog.rmem_alloc, len);
	UPDATE(sk, sk_forward_alloc, -= len);
}

void skb_orphan(struct sk_buff *skb)
{
	if (!READ(skb, destructor))
		return;
	READ(skb, destructor)(skb);
	WRITE(skb, destructor, NULL);
	WRITE(skb, sk, NULL);
}

/* ---- the queue ---- */

/* The kernel has it twice, for each of the two below. */
static void wake_up_sleepers(struct sock *sk)
{
	bool sleeper;

	/* Before, a lock keeps the wait queue; on x86 it is fence enough. */
	if (has(SOCKET_WQ))
		rcu_read_lock();
	else
		READ_LOCK(sk, sk_callback_lock);
	(void)READ_ONCE(sk, sk_wq);
	if (sk->sk_socket) {	/* not closed meanwhile */
		if (has(SOCKET_WQ))
			FENCE();
		sleeper = socket_wq_embedded() ?
			READ_ONCE(sk->sk_socket, wq_wait) != NULL :
			READ_ONCE(sk->sk_wq, task_list) != NULL;
		if (sleeper)
			__wake_up_sync_key(sk);
		(void)READ(sk, sk_flags);	/* asynchronous notice */
	}
	if (has(SOCKET_WQ))
		rcu_read_unlock();
	else
		READ_UNLOCK(sk, sk_callback_lock);
}

void sock_def_readable(struct sock *sk)
{
	FUNCTION(sock_def_readable);
	wake_up_sleepers(sk);
}

void sock_def_error_report(struct sock *sk)
{
	FUNCTION(sock_def_error_report);
	wake_up_sleepers(sk);
}

static int sk_filter(struct sock *sk)
{
	FUNCTION(sk_filter);
	(void)READ(this_kernel()->net_core->sockets->security_ops,
		   socket_sock_rcv_skb);
	if (has(SK_FILTER_RCU))
		rcu_read_lock();
	else
		local_bh_disable();
	(void)READ(sk, sk_filter);
	if (has(SK_FILTER_RCU))
		rcu_read_unlock();
	else
		local_bh_enable();
	return 0;
}

int sk_filter_trim_cap(struct sock *sk)
{
	return sk_filter(sk);
}

int sock_queue_rcv_skb(struct sock *sk, struct sk_buff *skb)
{
	u32 allocated;

	FUNCTION(sock_queue_rcv_skb);
	allocated = (u32)READ_ONCE(sk, sk_backlog.rmem_alloc);
	if (!has(RCVBUF_RELAXED))
		allocated += READ(skb, truesize);
	if (allocated >= READ(sk, sk_rcvbuf)) {
		ATOMIC_INC(sk, sk_drops);
		return -ENOMEM;
	}
	sk_filter(sk);
	sk_rmem_schedule(sk, (s32)READ(skb, truesize));
	WRITE(skb, dev, NULL);
	skb_set_owner_r(skb, sk);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sk, sk_receive_queue.lock);
	if (has(RXQ_OVFL))	/* the packet bears the number */
		(void)READ_ONCE(sk, sk_drops);
	__SKB_QUEUE_TAIL(sk, sk_receive_queue, skb);
	SPIN_UNLOCK(sk, sk_receive_queue.lock);
	cpu_irq_enable(this_cpu);
	if (!(READ(sk, sk_flags) >> SOCK_DEAD & 1)) {
		(void)READ(sk, sk_data_ready);
		sock_def_readable(sk);
	}
	return 0;
}

/* ---- the backlog ---- */

bool sk_rcvqueues_full(struct sock *sk)
{
	u32 len = READ_ONCE(sk, sk_backlog.len);

	len += (u32)READ_ONCE(sk, sk_backlog.rmem_alloc);
	return len > READ(sk, sk_rcvbuf);
}

int sk_add_backlog(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *tail;

	if (has(SK_BACKLOG_LIMIT) && sk_rcvqueues_full(sk))
		return -ENOBUFS;
	tail = READ(sk, sk_backlog.tail);
	if (!tail)
		WRITE(sk, sk_backlog.head, skb);
	else
		WRITE(tail, next, skb);
	WRITE(sk, sk_backlog.tail, skb);
	WRITE(skb, next, NULL);
	if (has(SK_BACKLOG_LIMIT))
		UPDATE(sk, sk_backlog.len, += READ(skb, truesize));
	return 0;
}

/* What came while a task held the socket; called with slock, which it lets go
 * meanwhile. */
void __release_sock(struct sock *sk)
{
	struct sk_buff *skb, *next;

	FUNCTION(__release_sock);
	while ((skb = READ(sk, sk_backlog.head))) {
		WRITE(sk, sk_backlog.head, NULL);
		WRITE(sk, sk_backlog.tail, NULL);
		SPIN_UNLOCK(sk, sk_lock.slock);
		for (; skb; skb = next) {
			next = READ(skb, next);
			WRITE(skb, next, NULL);
			(void)READ(sk, sk_backlog_rcv);
			sk->sk_prot->backlog_rcv(sk, skb);
		}
		SPIN_LOCK(sk, sk_lock.slock);
	}
	if (has(SK_BACKLOG_LIMIT))
		WRITE(sk, sk_backlog.len, 0);
}
