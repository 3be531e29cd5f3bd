/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c, the part between lookup and reader, which IPv6 uses
 * too: a datagram is queued at its socket, and taken off again.
 *
 * Until 4.10 it goes through the socket's lock as all protocols' do.  Since
 * then UDP charges memory under the lock of the queue alone, and since 4.13 a
 * reader has a queue of its own, so that it takes that lock once for many; the
 * model takes both steps as one.
 */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/udp.h"
#include "stack/net/core/busy_poll.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/udp_csum.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"

/* ---- into the queue ---- */

/* The receiver pays for pages as it needs them; under the queue's lock. */
static void udp_rmem_schedule(struct sock *sk, s32 size)
{
	s32 forward = READ(sk, sk_forward_alloc);
	u32 pages;

	if (size >= forward) {
		pages = (u32)(size + (s32)PAGE_SIZE - 1) >> PAGE_SHIFT;
		forward += (s32)(pages << PAGE_SHIFT);
		__sk_mem_raise_allocated(sk, pages);
	}
	WRITE(sk, sk_forward_alloc, forward - size);
}

/* The queue of a socket that is half full is the reader's first: packets pass
 * another lock before they ask for that. */
static struct udp_busylock *busylock_acquire(const struct sock *sk)
{
	u32 hash = sk->object.line * 0x9e3779b1u;
	struct udp_busylock *busy = this_kernel()->net_core->sockets->
		udp_busylocks[(hash >> 16) % UDP_BUSYLOCKS];

	SPIN_LOCK(busy, lock);
	return busy;
}

static int __udp_enqueue_schedule_skb(struct sock *sk, struct sk_buff *skb)
{
	struct udp_busylock *busy = NULL;
	s32 size, limit, allocated;

	FUNCTION(__udp_enqueue_schedule_skb);
	allocated = (s32)READ_ONCE(sk, sk_backlog.rmem_alloc);
	limit = (s32)READ(sk, sk_rcvbuf);
	if (allocated > limit)
		goto drop;
	if (allocated > limit >> 1)
		busy = busylock_acquire(sk);
	size = (s32)READ(skb, truesize);
	WRITE(skb, dev, NULL);		/* the length is parked there */
	allocated = (s32)ATOMIC_ADD_RETURN(sk, sk_backlog.rmem_alloc, size);
	if (allocated > size + limit) {
		ATOMIC_SUB_RETURN(sk, sk_backlog.rmem_alloc, size);
		goto drop;
	}
	SPIN_LOCK(sk, sk_receive_queue.lock);
	udp_rmem_schedule(sk, size);
	(void)READ(sk, sk_flags);	/* the number of drops, if asked for */
	__SKB_QUEUE_TAIL(sk, sk_receive_queue, skb);
	SPIN_UNLOCK(sk, sk_receive_queue.lock);
	if (!(READ(sk, sk_flags) >> SOCK_DEAD & 1)) {
		(void)READ(sk, sk_data_ready);
		sock_def_readable(sk);
	}
	if (busy)
		SPIN_UNLOCK(busy, lock);
	return 0;
drop:
	ATOMIC_INC(sk, sk_drops);
	if (busy)
		SPIN_UNLOCK(busy, lock);
	return -ENOMEM;
}

/* Counts what did not fit, and frees it. */
static int udp_dropped(struct sock *sk, struct sk_buff *skb, int err)
{
	struct net *net = READ(sk, sk_net);

	if (err == -ENOMEM)
		udp_inc_stats(net, sk, UDP_MIB_RCVBUFERRORS);
	udp_inc_stats(net, sk, UDP_MIB_INERRORS);
	kfree_skb(skb);
	return -1;
}

static bool is_connected(struct sock *sk)
{
	struct in6_addr peer;

	if (sk->sk_family == PF_INET)
		return READ_ONCE(inet_sk(sk), inet_daddr);
	peer = READ_ADDR6(sk, sk_v6_daddr);
	return !ipv6_addr_any(&peer);
}

/* From where a connected socket's flow comes: for who steers it, and who
 * polls. */
static void note_flow(struct sock *sk, struct sk_buff *skb)
{
	if (!is_connected(sk)) {
		if (has(UDP_BUSY_POLL_ALL) && !READ_ONCE(sk, sk_napi_id))
			sk_mark_napi_id(sk, skb);
		return;
	}
	(void)READ(sk, sk_rxhash);
	if (has(BUSY_POLL_CONNECTED))
		sk_mark_napi_id(sk, skb);
}

/* For who holds the socket, or its lock. */
int __udp_queue_rcv_skb(struct sock *sk, struct sk_buff *skb)
{
	int err;

	FUNCTION(__udp_queue_rcv_skb);
	note_flow(sk, skb);
	err = has(UDP_READER_QUEUE) ? __udp_enqueue_schedule_skb(sk, skb) :
				       sock_queue_rcv_skb(sk, skb);
	return err ? udp_dropped(sk, skb, err) : 0;
}

/* IPv6's older kernels ask all that there is to ask under the lock. */
static int queue_unheld(struct sock *sk, struct sk_buff *skb)
{
	if (has(SK_BACKLOG_LIMIT) || sk->sk_family != PF_INET6)
		return __udp_queue_rcv_skb(sk, skb);
	return udpv6_queue_rcv_skb(sk, skb);
}

/* The socket's lock is taken for it; while a task holds the socket the packet
 * waits, and goes the same way then. */
int udp_queue_locked(struct sock *sk, struct sk_buff *skb)
{
	int err = 0;

	SPIN_LOCK(sk, sk_lock.slock);
	if (!READ(sk, sk_lock.owned)) {
		err = queue_unheld(sk, skb);
		SPIN_UNLOCK(sk, sk_lock.slock);
		return err;
	}
	err = sk_add_backlog(sk, skb);
	SPIN_UNLOCK(sk, sk_lock.slock);
	if (err) {
		ATOMIC_INC(sk, sk_drops);
		return udp_dropped(sk, skb, -ENOMEM);
	}
	return 0;
}

/* Encapsulation is looked for; nobody has it here.  False: the sum of a
 * datagram of UDP-Lite covers less than the reader wants. */
static bool ask_before_queueing(struct sock *sk, struct sk_buff *skb)
{
	struct net *net;
	u16 pcflag;

	(void)READ_ONCE(sk, sk_policy);
	net = READ(sk, sk_net);
	(void)READ_AT(net, xfrm.policy_count, 0);
	pcflag = READ(udp_sk(sk), pcflag);
	if (pcflag & UDPLITE_RECV_CC && !udplite_covers_enough(sk, skb))
		return false;
	(void)READ(sk, sk_filter);
	return true;
}

static int udp_uncovered(struct sock *sk, struct sk_buff *skb)
{
	if (has(UDP_DROPS_COUNTED))
		ATOMIC_INC(sk, sk_drops);
	return udp_dropped(sk, skb, -EINVAL);
}

int udp_queue_rcv_held(struct sock *sk, struct sk_buff *skb)
{
	int err;

	if (!ask_before_queueing(sk, skb))
		return udp_uncovered(sk, skb);
	err = sock_queue_rcv_skb(sk, skb);
	return err ? udp_dropped(sk, skb, err) : 0;
}

int udp_queue_rcv_one_skb(struct sock *sk, struct sk_buff *skb)
{
	FUNCTION(udp_queue_rcv_skb);
	if (!ask_before_queueing(sk, skb))
		return udp_uncovered(sk, skb);
	if (has(UDP_READER_QUEUE)) {
		sk_filter_trim_cap(sk);
		udp_csum_pull_header(skb);
		if (sk_is_udplite(sk))
			UPDATE(skb, cb.cscov, -= UDP_HLEN);
		UPDATE(skb, data, += UDP_HLEN);
		UPDATE(skb, len, -= UDP_HLEN);
		return __udp_queue_rcv_skb(sk, skb);
	}
	if (sk_rcvqueues_full(sk)) {
		ATOMIC_INC(sk, sk_drops);
		return udp_dropped(sk, skb, -ENOMEM);
	}
	return udp_queue_locked(sk, skb);
}

/* ---- out of the queue ---- */

/* All that has come since the reader last looked is the reader's. */
static void splice_to_reader(struct sock *sk)
{
	struct udp_sock *up = udp_sk(sk);
	struct sk_buff *first = READ(sk, sk_receive_queue.next), *last, *tail;

	if (!first)
		return;
	last = READ(sk, sk_receive_queue.prev);
	tail = READ(up, reader_queue.prev);
	WRITE(first, prev, tail);
	if (tail)
		WRITE(tail, next, first);
	else
		WRITE(up, reader_queue.next, first);
	WRITE(up, reader_queue.prev, last);
	UPDATE(up, reader_queue.qlen, += READ(sk, sk_receive_queue.qlen));
	WRITE(sk, sk_receive_queue.next, NULL);
	WRITE(sk, sk_receive_queue.prev, NULL);
	WRITE(sk, sk_receive_queue.qlen, 0);
}

/* Memory goes back in larger pieces, while more is to be read. */
static void udp_rmem_release(struct sock *sk, s32 size, bool locked)
{
	struct udp_sock *up = udp_sk(sk);
	s32 forward, amount;

	FUNCTION(udp_rmem_release);
	size += READ(up, forward_deficit);
	WRITE(up, forward_deficit, size);
	if (size < (s32)(READ(sk, sk_rcvbuf) >> 2) &&
	    READ(up, reader_queue.next))
		return;
	WRITE(up, forward_deficit, 0);
	if (!locked)
		SPIN_LOCK(sk, sk_receive_queue.lock);
	forward = READ(sk, sk_forward_alloc) + size;
	amount = (forward - 1) & ~(s32)(PAGE_SIZE - 1);
	WRITE(sk, sk_forward_alloc, forward - amount);
	if (amount)
		__sk_mem_reduce_allocated(sk, (u32)amount >> PAGE_SHIFT);
	ATOMIC_SUB_RETURN(sk, sk_backlog.rmem_alloc, size);
	splice_to_reader(sk);	/* which saves taking the lock for it */
	if (!locked)
		SPIN_UNLOCK(sk, sk_receive_queue.lock);
}

static struct sk_buff *try_recv_from_queue(struct udp_sock *up)
{
	struct sk_buff *skb;

	FUNCTION(__skb_try_recv_from_queue);
	skb = READ(up, reader_queue.next);
	if (skb)
		__SKB_DEQUEUE(up, reader_queue, skb);
	return skb;
}

/* One look at both queues. */
static struct sk_buff *try_recv_udp(struct sock *sk)
{
	struct udp_sock *up = udp_sk(sk);
	struct sk_buff *skb;

	local_bh_disable();
	SPIN_LOCK(up, reader_queue.lock);
	skb = try_recv_from_queue(up);
	if (skb) {
		udp_rmem_release(sk, (s32)READ(skb, truesize), false);
	} else if (READ_ONCE(sk, sk_receive_queue.next)) {
		SPIN_LOCK(sk, sk_receive_queue.lock);
		splice_to_reader(sk);
		skb = try_recv_from_queue(up);
		if (skb)
			udp_rmem_release(sk, (s32)READ(skb, truesize), true);
		SPIN_UNLOCK(sk, sk_receive_queue.lock);
	}
	SPIN_UNLOCK(up, reader_queue.lock);
	local_bh_enable();
	return skb;
}

static struct sk_buff *__skb_recv_udp(struct sock *sk, bool noblock, int *err)
{
	struct sk_buff *skb;

	FUNCTION(__skb_recv_udp);
	STACK_PROTECTOR();
	if (!noblock)
		(void)READ(sk, sk_rcvtimeo);
	*err = (int)READ(sk, sk_err);
	if (*err) {
		*err = -(int)ATOMIC_XCHG(sk, sk_err, 0);
		return NULL;
	}
	while (!(skb = try_recv_udp(sk))) {
		if (has(BUSY_POLL) && sk_busy_loop(sk, noblock))
			continue;
		*err = noblock ? -EAGAIN : __skb_wait_for_more_packets(sk);
		if (*err)
			return NULL;
	}
	return skb;
}

struct sk_buff *udp_recv_skb(struct sock *sk, bool noblock, int *err)
{
	return has(UDP_READER_QUEUE) ? __skb_recv_udp(sk, noblock, err) :
				       __skb_recv_datagram(sk, noblock, err);
}

/* Its route and owner are gone since it was queued: only its data are left. */
static void skb_consume_udp(struct sock *sk, struct sk_buff *skb)
{
	FUNCTION(skb_consume_udp);
	(void)READ(sk, sk_peek_off);
	(void)READ(skb, users);
	consume_stateless_skb(skb);
}

void udp_free_skb(struct sock *sk, struct sk_buff *skb)
{
	if (has(UDP_READER_QUEUE))
		skb_consume_udp(sk, skb);
	else
		skb_free_datagram_locked(sk, skb);
}

/* The reader looks for another: so did kernels before 4.1 only where it may
 * wait, else they said EAGAIN though there might be more. */
void udp_drop_bad(struct sock *sk, struct sk_buff *skb)
{
	struct net *net = READ(sk, sk_net);

	udp_inc_stats(net, sk, UDP_MIB_INERRORS);
	if (has(IP_ECN_STATS))
		udp_inc_stats(net, sk, UDP_MIB_CSUMERRORS);
	ATOMIC_INC(sk, sk_drops);
	udp_free_skb(sk, skb);
}

static void count_unread(void)
{
	this_kernel()->net_core->sockets->unread++;
}

/* A socket ends with what nobody has read. */
void udp_destruct_queues(struct sock *sk)
{
	struct udp_sock *up = udp_sk(sk);
	struct sk_buff *skb;
	s32 total = 0;

	if (!sk->sk_receive_queue.next && !up->reader_queue.next)
		return;
	if (!has(UDP_READER_QUEUE)) {
		while ((skb = READ(sk, sk_receive_queue.next))) {
			__SKB_DEQUEUE(sk, sk_receive_queue, skb);
			count_unread();
			kfree_skb(skb);
		}
		return;
	}
	splice_to_reader(sk);
	while ((skb = READ(up, reader_queue.next))) {
		__SKB_DEQUEUE(up, reader_queue, skb);
		total += (s32)READ(skb, truesize);
		count_unread();
		kfree_skb(skb);
	}
	if (total || up->forward_deficit)
		udp_rmem_release(sk, total, true);
}
