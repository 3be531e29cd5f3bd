/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the half of net/ipv6/ip6_output.c that makes a packet of the data,
 * where its state is in the socket, which is locked: of each datagram in
 * kernels before UDP6_MAKE_SKB, later of one in several pieces.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv6/ip6_append.h"
#include "stack/net/ipv6/udp.h"

/* Several words, whose values the model keeps apart. */
static void write_flow(struct udp6_sock *up6, const struct flowi6 *fl6)
{
	struct inet_sock *inet = &up6->udp.inet;
	static const struct flowi6 none;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(inet->cork.flow); i++)
		WRITE_AT(inet, cork.flow, i, 0);
	up6->inet6.cork.fl6 = fl6 ? *fl6 : none;
}

static const struct flowi6 *read_flow(struct udp6_sock *up6)
{
	struct inet_sock *inet = &up6->udp.inet;
	u32 i;

	for (i = 2; i < ARRAY_SIZE(inet->cork.flow); i++)
		(void)READ_AT(inet, cork.flow, i);
	return &up6->inet6.cork.fl6;
}

/* The first data for a packet: what is wanted of it is noted. */
static int cork_the_socket(struct sock *sk, const struct ipcm6_cookie *ipc6,
			   const struct flowi6 *fl6, struct rt6_info *rt)
{
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct udp6_sock *up6 = INET6_SK(sk);
	u32 mtu;

	if (ipc6->opt) {
		struct ipv6_txoptions *opt = ip6_opts_dup(ipc6->opt);

		if (!opt)
			return -ENOBUFS;
		WRITE(up6, inet6.cork.opt, opt);
	}
	ATOMIC_INC(&rt->dst, __refcnt);
	WRITE(inet, cork.dst, &rt->dst);
	write_flow(up6, fl6);
	WRITE(up6, inet6.cork.hop_limit, (u8)ipc6->hlimit);
	WRITE(up6, inet6.cork.tclass, (u8)ipc6->tclass);
	mtu = ip6_cork_mtu(up6, &rt->dst);
	WRITE(inet, cork.fragsize, mtu);
	(void)dst_allfrag(xfrm_dst_path(&rt->dst));
	if (!has(TASK_PAGE_FRAG)) {
		WRITE(sk, sk_sndmsg_page, NULL);
		WRITE(sk, sk_sndmsg_off, 0);
	}
	WRITE(inet, cork.length, 0);
	if (has(UDP_GSO))
		WRITE(inet, cork.gso_size, ipc6->gso_size);
	if (has(SO_MARK_CMSG))
		WRITE(inet, cork.mark, ipc6->mark);
	return 0;
}

/* What the socket has of it. */
static void cork_of_socket(struct sock *sk, struct ip6_cork *cork)
{
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct udp6_sock *up6 = INET6_SK(sk);

	cork->rt = (struct rt6_info *)(void *)READ(inet, cork.dst);
	cork->fragsize = READ(inet, cork.fragsize);
	cork->length = READ(inet, cork.length);
	cork->opt = READ(up6, inet6.cork.opt);
	if (has(UDP_GSO))
		cork->gso_size = READ(inet, cork.gso_size);
	cork->fl6 = &up6->inet6.cork.fl6;	/* read where it is wanted */
}

int ip6_append_data(struct sock *sk, getfrag_t getfrag, const u8 *data,
		    u32 length, const struct ipcm6_cookie *ipc6,
		    const struct flowi6 *fl6, struct rt6_info *rt, u32 flags)
{
	struct ip6_cork cork = { .dontfrag = ipc6->dontfrag };
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct sk_buff_head queue = { 0 };
	int err;

	FUNCTION(ip6_append_data);
	queue.next = READ(sk, sk_write_queue.next);
	if (!queue.next) {
		err = cork_the_socket(sk, ipc6, fl6, rt);
		if (err)
			return err;
		cork.rt = rt;
		cork.fl6 = fl6;
		cork.fragsize = inet->cork.fragsize;
		cork.gso_size = ipc6->gso_size;
		cork.opt = udp6_sk(sk)->inet6.cork.opt;
	} else {
		cork_of_socket(sk, &cork);
		queue.prev = READ(sk, sk_write_queue.prev);
	}
	if (has(IP6_TX_TIMESTAMP)) {
		FUNCTION(sock_tx_timestamp);
		(void)READ(sk, sk_flags);
	}
	err = ip6_append(sk, &cork, &queue, getfrag, data, length, flags);
	if (!err) {
		if (!cork.length)
			length += txopt_flen(cork.opt);
		UPDATE(inet, cork.length, += length);
	}
	if (!queue.qlen)
		return err;
	if (!sk->sk_write_queue.next) {
		WRITE(queue.next, next, queue.next->next);
		WRITE(queue.next, prev, NULL);
		WRITE(sk, sk_write_queue.next, queue.next);
	}
	WRITE(sk, sk_write_queue.prev, queue.prev);
	UPDATE(sk, sk_write_queue.qlen, += queue.qlen);
	return err;
}

/* What is in the queue, as one packet of parts with `headers` bytes of room in
 * front; NULL: it is empty. */
static struct sk_buff *dequeue(struct sock *sk, u32 headers)
{
	struct sk_buff *skb = READ(sk, sk_write_queue.next), *rest;

	if (!skb)
		return NULL;
	UPDATE(sk, sk_write_queue.qlen, = 0);
	rest = skb->next;
	UPDATE(skb, next, = NULL);
	UPDATE(skb, prev, = NULL);
	skb_join_fragments(skb, rest, headers);
	WRITE(sk, sk_write_queue.next, NULL);
	WRITE(sk, sk_write_queue.prev, NULL);
	return skb;
}

static void uncork_the_socket(struct sock *sk)
{
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct ipv6_txoptions *opt;
	struct dst_entry *dst;

	opt = READ(udp6_sk(sk), inet6.cork.opt);
	if (opt) {
		ip6_opts_free(opt);
		WRITE(udp6_sk(sk), inet6.cork.opt, NULL);
	}
	dst = READ(inet, cork.dst);
	if (dst) {
		dst_release(dst);
		WRITE(inet, cork.dst, NULL);
		UPDATE(inet, cork.flags, &= ~IPCORK_ALLFRAG);
	}
	write_flow(udp6_sk(sk), NULL);
}

static void finish_packet(struct sock *sk, struct sk_buff *skb,
			  struct ip6_cork *cork)
{
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct udp6_sock *up6 = INET6_SK(sk);
	u8 *header;

	cork->opt = READ(up6, inet6.cork.opt);
	cork->rt = (struct rt6_info *)(void *)READ(inet, cork.dst);
	cork->fl6 = read_flow(up6);
	cork->hop_limit = READ(up6, inet6.cork.hop_limit);
	cork->tclass = READ(up6, inet6.cork.tclass);
	if (READ(up6, inet6.pmtudisc) < IP_PMTUDISC_DO)
		WRITE(skb, local_df, 1);
	header = ip6_push_header(skb, cork);
	ip6_flow_hdr(header, cork->tclass, cork->fl6->flowlabel);
	WRITE(skb, priority, READ(sk, sk_priority));
	WRITE(skb, mark, READ(sk, sk_mark));
	ATOMIC_INC(&cork->rt->dst, __refcnt);
	WRITE(skb, _skb_refdst, &cork->rt->dst);
}

int ip6_push_pending_frames(struct sock *sk)
{
	struct net *net = READ(sk, sk_net);
	struct ip6_cork cork = { 0 };
	struct sk_buff *skb;
	int err = 0;

	FUNCTION(ip6_push_pending_frames);
	cork.opt = udp6_sk(sk)->inet6.cork.opt;
	skb = dequeue(sk, IPV6_HLEN + txopt_nflen(cork.opt));
	if (!skb)
		goto out;
	finish_packet(sk, skb, &cork);
	ip6_count_out(net, cork.rt, skb);
	err = ip6_local_out(skb);
	if (err > 0)
		err = net_xmit_errno(err);
	if (err)
		IP6_INC_STATS(net, READ(cork.rt, rt6i_idev),
			      IPSTATS_MIB_OUTDISCARDS);
out:
	uncork_the_socket(sk);
	return err;
}

struct sk_buff *ip6_finish_skb(struct sock *sk, struct ip6_cork *cork)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct inet_sock *inet = &up6->udp.inet;
	struct sk_buff *skb = READ(sk, sk_write_queue.next);

	if (!skb) {
		uncork_the_socket(sk);
		return NULL;
	}
	WRITE(sk, sk_write_queue.next, NULL);
	WRITE(sk, sk_write_queue.prev, NULL);
	WRITE(sk, sk_write_queue.qlen, 0);
	cork_of_socket(sk, cork);
	cork->fl6 = read_flow(up6);
	cork->hop_limit = READ(INET6_SK(sk), inet6.cork.hop_limit);
	cork->tclass = READ(INET6_SK(sk), inet6.cork.tclass);
	cork->mark = has(SO_MARK_CMSG) ? READ(inet, cork.mark) :
					 READ(sk, sk_mark);
	__ip6_make_skb(sk, skb, cork);
	/* Its route and its options have gone with it. */
	WRITE(inet, cork.dst, NULL);
	WRITE(up6, inet6.cork.opt, NULL);
	uncork_the_socket(sk);
	return skb;
}

void ip6_flush_pending_frames(struct sock *sk)
{
	struct sk_buff *skb;

	FUNCTION(ip6_flush_pending_frames);
	for (skb = dequeue(sk, IPV6_HLEN); skb;
	     skb = dequeue(sk, IPV6_HLEN)) {
		struct rt6_info *rt = (struct rt6_info *)(void *)
			READ(&udp6_sk(sk)->udp.inet, cork.dst);

		IP6_INC_STATS(READ(sk, sk_net), READ(rt, rt6i_idev),
			      IPSTATS_MIB_OUTDISCARDS);
		kfree_skb(skb);
	}
	uncork_the_socket(sk);
}
