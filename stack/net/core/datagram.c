/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/datagram.c: takes the next datagram off a socket's queue, or
 * waits for one, and copies it to the user.
 */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/linux/wait.h"
#include "stack/net/core/busy_poll.h"
#include "stack/net/core/sock_rcv.h"

int __skb_wait_for_more_packets(struct sock *sk)
{
	struct wait_queue_entry wait;
	int err = 0;

	FUNCTION(__skb_wait_for_more_packets);
	init_wait(&wait);
	prepare_to_wait_exclusive(sk, &wait);
	if (READ(sk, sk_err))
		err = -(int)ATOMIC_XCHG(sk, sk_err, 0);
	else if (!READ_ONCE(sk, sk_receive_queue.prev))
		wait_schedule(&wait);
	finish_wait(sk, &wait);
	return err;
}

static struct sk_buff *try_recv_datagram(struct sock *sk)
{
	struct sk_buff *skb;

	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sk, sk_receive_queue.lock);
	skb = READ(sk, sk_receive_queue.next);
	if (skb)
		__SKB_DEQUEUE(sk, sk_receive_queue, skb);
	SPIN_UNLOCK(sk, sk_receive_queue.lock);
	cpu_irq_enable(this_cpu);
	return skb;
}

struct sk_buff *__skb_recv_datagram(struct sock *sk, bool noblock, int *err)
{
	struct sk_buff *skb;

	FUNCTION(__skb_recv_datagram);
	*err = (int)READ(sk, sk_err);
	if (*err) {
		*err = -(int)ATOMIC_XCHG(sk, sk_err, 0);
		return NULL;
	}
	if (!noblock)
		(void)READ(sk, sk_rcvtimeo);
	while (!(skb = try_recv_datagram(sk))) {
		if (has(BUSY_POLL) && sk_busy_loop(sk, noblock))
			continue;
		*err = noblock ? -EAGAIN : __skb_wait_for_more_packets(sk);
		if (*err)
			return NULL;
	}
	return skb;
}

/* Before there was a hold for a moment, the packet was freed within a full
 * one: its bytes, its route and all. */
static void skb_free_datagram_slow(struct sock *sk, struct sk_buff *skb)
{
	FUNCTION(skb_free_datagram_locked);
	lock_sock_nested(sk);
	consume_skb(skb);
	sk_mem_reclaim_partial(sk);
	release_sock(sk);
}

/* Frees a packet that was received; its memory goes back under the socket's
 * lock. */
void skb_free_datagram_locked(struct sock *sk, struct sk_buff *skb)
{
	bool slow;

	if (!has(LOCK_SOCK_FAST)) {
		skb_free_datagram_slow(sk, skb);
		return;
	}
	FUNCTION(skb_free_datagram_locked);
	(void)READ(skb, users);
	slow = lock_sock_fast(sk);
	skb_orphan(skb);
	sk_mem_reclaim_partial(sk);
	unlock_sock_fast(sk, slow);
	__kfree_skb(skb);
}

void skb_copy_datagram(struct sk_buff *skb, u32 from, u8 *to, u32 len)
{
	struct skb_piece piece;

	FUNCTION(skb_copy_datagram);
	(void)READ(skb, len);
	(void)READ(skb, data_len);
	for (; len; len -= piece.len, from += piece.len) {
		const u8 *bytes;

		piece = skb_piece(skb, from, len);
		check_object_size(piece.page ? (const void *)piece.page :
					       skb->head,
				  piece.at, piece.len, true);
		{
			FUNCTION(copy_user_generic_string);
			REP_STRING(2);
			bytes = skb_copy_piece(skb, &piece);
		}
		if (to) {
			memcpy(to, bytes, piece.len);
			to += piece.len;
		}
	}
}
