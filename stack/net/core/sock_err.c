/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/skbuff.c, the queue of a socket's errors, and what
 * net/ipv4/ip_sockglue.c and net/ipv6/datagram.c do alike with it.
 *
 *	udp_err -> ip_icmp_error -> sock_queue_err_skb
 *	recvmsg(MSG_ERRQUEUE) -> ip_recv_error -> sock_dequeue_err_skb
 *
 * Each error is a packet: a copy of the ICMP message that told it, whose data
 * begin with those of the datagram that it is about.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/uaccess.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/core/sock_rcv.h"

#define UDP_HLEN 8u

static void sock_rmem_free(struct sk_buff *skb)
{
	struct sock *sk = READ(skb, sk);
	s32 len = (s32)READ(skb, truesize);

	FUNCTION(sock_rmem_free);
	ATOMIC_SUB_RETURN(sk, sk_backlog.rmem_alloc, len);
}

/* Its route will be needed longer than whoever lent it thought. */
static void skb_dst_force(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);

	if (!dst || !skb->dst_noref)
		return;
	ATOMIC_INC(dst, __refcnt);
	skb->dst_noref = false;
	WRITE(skb, _skb_refdst, dst);
}

int sock_queue_err_skb(struct sock *sk, struct sk_buff *skb)
{
	u32 size = READ(skb, truesize);
	u32 allocated = (u32)READ_ONCE(sk, sk_backlog.rmem_alloc);

	FUNCTION(sock_queue_err_skb);
	if (allocated + size >= READ(sk, sk_rcvbuf))
		return -ENOMEM;
	skb_orphan(skb);
	WRITE(skb, sk, sk);
	WRITE(skb, destructor, sock_rmem_free);
	ATOMIC_ADD_RETURN(sk, sk_backlog.rmem_alloc, (s32)size);
	skb_dst_force(skb);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sk, sk_error_queue.lock);
	__SKB_QUEUE_TAIL(sk, sk_error_queue, skb);
	SPIN_UNLOCK(sk, sk_error_queue.lock);
	cpu_irq_enable(this_cpu);
	if (READ_ONCE(sk, sk_flags) >> SOCK_DEAD & 1)
		return 0;
	if (has(SOCK_ERR_REPORT))
		sock_def_error_report(sk);
	else
		sock_def_readable(sk);
	return 0;
}

static bool is_icmp_err(const struct sk_buff *skb)
{
	u8 origin = READ(skb, cb.err).ee_origin;

	return origin == SO_EE_ORIGIN_ICMP || origin == SO_EE_ORIGIN_ICMP6;
}

/* The socket's error, once the first of the queue has been taken: from 3.19 on
 * only what came by ICMP has one there. */
static void renew_error(struct sock *sk, const struct sk_buff *skb,
			const struct sk_buff *next)
{
	bool old = !has(SOCK_DEQUEUE_ERR);

	if (next && (old || is_icmp_err(next)))
		WRITE_ONCE(sk, sk_err, READ(next, cb.err).ee_errno);
	else if (old || is_icmp_err(skb))
		WRITE_ONCE(sk, sk_err, 0);
}

struct sk_buff *sock_dequeue_err_skb(struct sock *sk)
{
	struct sk_buff *skb, *next = NULL;

	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sk, sk_error_queue.lock);
	skb = READ(sk, sk_error_queue.next);
	if (skb) {
		__SKB_DEQUEUE(sk, sk_error_queue, skb);
		next = READ(sk, sk_error_queue.next);
		renew_error(sk, skb, next);
	}
	SPIN_UNLOCK(sk, sk_error_queue.lock);
	cpu_irq_enable(this_cpu);
	if (next)
		sock_def_error_report(sk);
	return skb;
}

void sock_icmp_error(struct sock *sk, struct sk_buff *skb, int err, u8 origin,
		     const struct icmp_report *report, u32 addr_at)
{
	struct sk_buff *copy = skb_clone(skb);
	u32 payload = report->at + UDP_HLEN, len, network;

	if (!copy)
		return;
	network = READ(copy, network_header);
	WRITE(copy, cb.err, ((struct sock_exterr){
		.ee_errno = (u32)err, .ee_origin = origin,
		.ee_type = report->type, .ee_code = report->code,
		.ee_info = report->info,
		.addr_offset = (u16)(addr_at - network),
		.port = get_be16(skb_bytes(skb, report->at + 2)),
	}));
	len = READ(copy, len);
	len += READ(copy, data);
	if (len < payload) {
		kfree_skb(copy);
		return;
	}
	WRITE(copy, len, len - payload);
	WRITE(copy, data, payload);
	WRITE(copy, transport_header, payload);
	if (sock_queue_err_skb(sk, copy))
		kfree_skb(copy);
}

struct sk_buff *sock_local_error_skb(u32 header, int err, u32 info,
				     u32 addr_offset, u16 port)
{
	struct sk_buff *skb = alloc_skb(header, GFP_ATOMIC);
	u32 at;

	if (!skb)
		return NULL;
	at = skb_put(skb, header);
	memset(skb_bytes(skb, at), 0, header);
	WRITE(skb, network_header, at);
	WRITE(skb, cb.err, ((struct sock_exterr){
		.ee_errno = (u32)err, .ee_origin = SO_EE_ORIGIN_LOCAL,
		.ee_info = info, .addr_offset = (u16)addr_offset, .port = port,
	}));
	/* It has no data. */
	WRITE(skb, data, at + header);
	WRITE(skb, len, 0);
	WRITE(skb, transport_header, at + header);
	return skb;
}

u32 sock_copy_error(struct sk_buff *skb, struct msghdr *msg, u32 len)
{
	u32 copied = READ(skb, len);
	struct sock_exterr err;

	if (copied > len) {
		msg->msg_flags |= MSG_TRUNC;
		copied = len;
	}
	skb_copy_datagram(skb, READ(skb, data), msg->to, copied);
	err = READ(skb, cb.err);
	msg->msg_flags |= MSG_ERRQUEUE;
	if (msg->error)
		*msg->error = (struct recv_error){ .valid = true, .ee = err };
	return copied;
}

void sock_purge_errors(struct sock *sk)
{
	struct sk_buff *skb;

	if (!sk->sk_error_queue.next)
		return;
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(sk, sk_error_queue.lock);
	while ((skb = READ(sk, sk_error_queue.next))) {
		__SKB_DEQUEUE(sk, sk_error_queue, skb);
		kfree_skb(skb);
	}
	SPIN_UNLOCK(sk, sk_error_queue.lock);
	cpu_irq_enable(this_cpu);
}
