/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files that receive: queues of packets, and what sockets share
 * (include/linux/skbuff.h, include/net/sock.h). */
#ifndef STACK_NET_CORE_SOCK_RCV_H
#define STACK_NET_CORE_SOCK_RCV_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/sock.h"

/* The kernel's list goes round by way of its head; here it ends in NULL.  The
 * lines are the same. */
#define __SKB_QUEUE_TAIL(p, queue, skb)					\
	do {								\
		struct sk_buff *last_ = READ(p, queue.prev);		\
									\
		WRITE(skb, next, NULL);					\
		WRITE(skb, prev, last_);				\
		if (last_)						\
			WRITE(last_, next, skb);			\
		else							\
			WRITE(p, queue.next, skb);			\
		WRITE(p, queue.prev, skb);				\
		UPDATE(p, queue.qlen, += 1);				\
	} while (0)

/* `skb` is the first. */
#define __SKB_DEQUEUE(p, queue, skb)					\
	do {								\
		struct sk_buff *second_ = READ(skb, next);		\
									\
		UPDATE(p, queue.qlen, -= 1);				\
		WRITE(skb, next, NULL);					\
		WRITE(skb, prev, NULL);					\
		WRITE(p, queue.next, second_);				\
		if (second_)						\
			WRITE(second_, prev, NULL);			\
		else							\
			WRITE(p, queue.prev, NULL);			\
	} while (0)

/* Memory of the protocol, by pages. */
void __sk_mem_raise_allocated(struct sock *sk, u32 pages);
void __sk_mem_reduce_allocated(struct sock *sk, u32 pages);
void sk_mem_reclaim_partial(struct sock *sk);
void skb_orphan(struct sk_buff *skb);

/* What may be asked before a packet is queued; 0. */
int sk_filter_trim_cap(struct sock *sk);
/* Queues a packet at a socket; -ENOMEM if its buffer is full, and then the
 * packet is still the caller's. */
int sock_queue_rcv_skb(struct sock *sk, struct sk_buff *skb);
void sock_def_readable(struct sock *sk);
/* Wakes who waits at the socket, for its error. */
void sock_def_error_report(struct sock *sk);
bool sk_rcvqueues_full(struct sock *sk);
/* Keeps a packet until the task that holds the socket lets it go; or
 * -ENOBUFS. */
int sk_add_backlog(struct sock *sk, struct sk_buff *skb);

/* ---- core/datagram.c ---- */

/* The next packet; waits for it unless `noblock`.  NULL and -errno in *err. */
struct sk_buff *__skb_recv_datagram(struct sock *sk, bool noblock, int *err);
/* Waits until there may be a packet; 0 or -errno. */
int __skb_wait_for_more_packets(struct sock *sk);
void skb_free_datagram_locked(struct sock *sk, struct sk_buff *skb);
/* Copies `len` bytes from `from` on to the user. */
void skb_copy_datagram(struct sk_buff *skb, u32 from, u8 *to, u32 len);

#endif
