/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the part of net/ipv4/ip_output.c that makes packets of the data:
 *
 *	ip_make_skb			a datagram of one piece, on the stack
 *	ip_append_data, ip_finish_skb	of several, in the socket, while it is
 *					corked
 *	__ip_append_data		of both: as many packets as it takes
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv4/udp.h"

/* ---- the state of a datagram in the making ---- */

static void ip_setup_cork(struct sock *sk, struct ip_cork *cork,
			  const struct ipcm_cookie *ipc, struct rtable **rtp)
{
	const struct inet_sock *inet = (const struct inet_sock *)(void *)sk;

	/* It also writes the cork, which may live on the stack. */
	FUNCTION(ip_setup_cork);
	if (has(SOCK_TSFLAGS))
		(void)READ(sk, sk_flags);	/* a stamp for Wi-Fi? */
	*cork = (struct ip_cork){ .rt = *rtp, .tos = -1 };
	if (ipc) {
		cork->gso_size = ipc->gso_size;
		cork->mark = ipc->mark;
		cork->marked = ipc->marked;
		cork->ttl = ipc->ttl;
		cork->tos = ipc->tos;
		cork->priority = ipc->priority;
	}
	if (READ(inet, pmtudisc) >= IP_PMTUDISC_PROBE)
		cork->fragsize = READ((*rtp)->dst.dev, mtu);
	else
		cork->fragsize = dst_mtu(&(*rtp)->dst);
	*rtp = NULL;
}

static void cork_of_sock(struct inet_sock *inet, struct ip_cork *cork)
{
	*cork = (struct ip_cork){ .tos = -1 };
	cork->rt = (struct rtable *)(void *)READ(inet, cork.dst);
	cork->fragsize = READ(inet, cork.fragsize);
	cork->length = READ(inet, cork.length);
	cork->gso_size = has(UDP_GSO) ? READ(inet, cork.gso_size) : 0;
}

static void cork_the_sock(struct inet_sock *inet, const struct ip_cork *cork)
{
	WRITE(inet, cork.fragsize, cork->fragsize);
	WRITE(inet, cork.dst, &cork->rt->dst);
	WRITE(inet, cork.length, 0);
	if (has(UDP_GSO))
		WRITE(inet, cork.gso_size, cork->gso_size);
	if (!has(TASK_PAGE_FRAG))
		WRITE(inet, cork.page, NULL);
	if (has(IP_CMSG_TOS_TTL)) {
		WRITE(inet, cork.ttl, cork->ttl);
		WRITE(inet, cork.tos, cork->tos);
		WRITE(inet, cork.priority, (u8)cork->priority);
	}
	if (has(SO_MARK_CMSG))
		WRITE(inet, cork.mark, cork->mark);
}

/* What the first part's message said of the packet. */
static void read_wishes(struct inet_sock *inet, struct ip_cork *cork)
{
	if (has(IP_CMSG_TOS_TTL)) {
		cork->ttl = READ(inet, cork.ttl);
		cork->tos = READ(inet, cork.tos);
		cork->priority = READ(inet, cork.priority);
	}
	if (has(SO_MARK_CMSG)) {
		cork->mark = READ(inet, cork.mark);
		cork->marked = true;
	}
}

static void ip_cork_release(struct inet_sock *inet)
{
	struct dst_entry *dst;

	UPDATE(inet, cork.flags, &= ~IPCORK_OPT);
	WRITE(inet, cork.opt, NULL);
	dst = READ(inet, cork.dst);
	if (!dst)
		return;
	WRITE(inet, cork.dst, NULL);
	dst_release(dst);
}

/* ---- the data ---- */

void copy_from_user(struct sk_buff *skb, struct frag_page *page, const u8 *from,
		    u32 at, u32 len)
{
	if (page) {
		memcpy(page->data + at, from, len);
		WRITE_BYTES(page, data, at, len);
	} else {
		memcpy(skb_bytes(skb, at), from, len);
		WRITE_SKB_DATA(skb, at, len);
	}
	/* A string copy moves eight bytes a step. */
	WORK(len / 8);
}

int ip_generic_getfrag(struct sk_buff *skb, struct frag_page *page,
		       const u8 *from, u32 at, u32 len, u32 odd)
{
	FUNCTION(ip_generic_getfrag);
	check_object_size(page ? (const void *)page : skb->head, at, len,
			  false);
	if (READ(skb, ip_summed) == CHECKSUM_PARTIAL) {
		FUNCTION(memcpy_fromiovecend);
		REP_STRING(2);
	} else {
		u32 sum = csum_partial(from, len, 0);

		FUNCTION(csum_partial_copy_fromiovecend);
		WORK(len / 4);
		UPDATE(skb, csum, = csum_block_add(skb->csum, sum, odd));
	}
	copy_from_user(skb, page, from, at, len);
	return 0;
}

/* One call of __ip_append_data(). */
struct append {
	struct sock *sk;
	struct sk_buff_head *queue;
	struct net_device *dev;
	getfrag_t getfrag;
	const u8 *from;		/* what has not been copied yet */
	u32 length;		/* of that, with the header in front of it */
	u32 transhdrlen;	/* the header: of the first packet only */
	u32 flags;
	u32 mtu, maxfraglen;	/* of a packet; of one but the last */
	u32 hh_len;
	bool paged;		/* all data is to be in pages */
	u8 csummode;
};

/* A packet of `len` bytes behind its IP header, without any yet; with room for
 * more where more may come and cannot be in pages. */
static struct sk_buff *new_packet(const struct append *a, u32 len, int *err)
{
	u32 size = len + IP_HLEN;

	if (a->flags & MSG_MORE && !(READ(a->dev, features) & NETIF_F_SG))
		size = a->mtu;
	size += a->hh_len + 15;
	if (a->transhdrlen)
		return sock_alloc_send_skb(a->sk, size,
					   a->flags & MSG_DONTWAIT, err);
	return sock_wmalloc_more(a->sk, size, err);
}

/* A further packet; what is too much in the one before comes first. */
static int append_packet(struct append *a, struct sk_buff *prev)
{
	u32 gap = prev ? READ(prev, len) - a->maxfraglen : 0;
	u32 len = a->length + gap, copy, at;
	struct sk_buff *skb;
	int err;

	if (len > a->mtu - IP_HLEN)
		len = a->maxfraglen - IP_HLEN;
	if (a->paged)
		len = a->transhdrlen + gap;
	skb = new_packet(a, len, &err);
	if (!skb)
		return err;
	WRITE(skb, ip_summed, a->csummode);
	WRITE(skb, csum, 0);
	skb_reserve(skb, a->hh_len);
	WRITE(&skb->head->shinfo, tx_flags, 0);
	if (has(SOCK_TSFLAGS))
		WRITE(&skb->head->shinfo, tskey, 0);
	if (a->transhdrlen && has(SOCK_PENDING_CONFIRM) &&
	    a->flags & MSG_CONFIRM) {
		WORK(4);
		UPDATE(skb, dst_pending_confirm, = 1);
	}
	at = skb_put(skb, len + IP_HLEN);
	WRITE(skb, network_header, at);
	at += IP_HLEN;
	WRITE(skb, transport_header, at);
	at += a->transhdrlen;
	if (gap)
		skb_move_gap(prev, a->maxfraglen, skb, at);
	copy = len - a->transhdrlen - gap;
	if (copy)
		a->getfrag(skb, NULL, a->from, at + gap, copy, gap);
	a->from += copy;
	a->length -= copy + a->transhdrlen;
	a->transhdrlen = 0;
	a->csummode = CHECKSUM_NONE;
	skb_queue_fragment(a->queue, skb);
	return 0;
}

/* More in the last packet. */
static int append_bytes(struct append *a, struct sk_buff *skb, u32 copy)
{
	int n;

	if (!(READ(a->dev, features) & NETIF_F_SG) &&
	    READ(skb, end) - READ(skb, tail) >= copy) {
		u32 odd = READ(skb, len), at = skb_put(skb, copy);

		a->getfrag(skb, NULL, a->from, at, copy, odd);
	} else {
		n = ip_append_page(a->sk, false, skb, a->getfrag, a->from,
				   copy);
		if (n < 0)
			return n;
		copy = (u32)n;
	}
	a->from += copy;
	a->length -= copy;
	return 0;
}

/*
 * May so much go to where the route leads?  Later kernels say at once what
 * may not be fragmented, earlier ones when it comes to that.  Members of groups
 * on this host take no fragments here, so none are made for groups.
 */
static bool ip_length_is_good(struct sock *sk, const struct ip_cork *cork,
			      u32 length)
{
	if (length + IP_HLEN > 0xffff)
		return false;
	if (length + IP_HLEN <= cork->fragsize)
		return true;
	if (READ(cork->rt, rt_type) == RTN_MULTICAST)
		return false;
	return !has(IP_MAXNONFRAGSIZE) ||
	       READ((const struct inet_sock *)(void *)sk, pmtudisc) <
	       IP_PMTUDISC_DO;
}

/* Does the device sum up?  Not what is, or from 4.4 on may become, more than
 * one packet. */
static u8 ip_csummode(const struct append *a, u32 exthdrlen)
{
	u32 features = READ(a->dev, features);

	if (!(features & NETIF_F_V4_CSUM) || exthdrlen || !a->transhdrlen ||
	    a->length + IP_HLEN > a->mtu ||
	    (has(CSUM_NOT_PARTIAL_MORE) && a->flags & MSG_MORE && !a->paged))
		return CHECKSUM_NONE;
	return CHECKSUM_PARTIAL;
}

/* Fills what is in the queue and adds to it, each but the last with a multiple
 * of eight bytes of data; 0 or -errno. */
static int __ip_append_data(struct append *a, const struct ip_cork *cork,
			    u32 daddr)
{
	struct dst_entry *dst = &cork->rt->dst;
	struct sock *sk = a->sk;
	u32 exthdrlen;
	int err = 0;

	FUNCTION(__ip_append_data);
	STACK_PROTECTOR();
	a->dev = READ(dst, dev);
	exthdrlen = READ(dst, header_len);
	a->hh_len = ll_reserved_space(a->dev);
	(void)READ(dst, trailer_len);
	(void)READ(sk, sk_protocol);
	if (!ip_length_is_good(sk, cork, cork->length + a->length)) {
		ip_local_error(sk, EMSGSIZE, daddr,
			       READ((struct inet_sock *)(void *)sk,
				    inet_dport), cork->fragsize);
		return -EMSGSIZE;
	}
	a->mtu = cork->gso_size ? 0xffff : cork->fragsize;
	a->paged = cork->gso_size;
	a->maxfraglen = ((a->mtu - IP_HLEN) & ~7u) + IP_HLEN;
	a->csummode = ip_csummode(a, exthdrlen);
	while (a->length && !err) {
		struct sk_buff *last = a->queue->prev;
		u32 len = last ? READ(last, len) : a->mtu, most = a->mtu;

		if (len + a->length > most)
			most = a->maxfraglen;
		err = len >= most ? append_packet(a, last) :
		      append_bytes(a, last, MIN(most - len, a->length));
	}
	if (err)
		IP_INC_STATS(READ(sk, sk_net), IPSTATS_MIB_OUTDISCARDS);
	return err;
}

/* ---- at once ---- */

struct sk_buff *ip_make_skb(struct sock *sk, const struct flowi4 *fl4,
			    struct ip_cork *cork, const struct ipcm_cookie *ipc,
			    getfrag_t getfrag,
			    const u8 *data, u32 length, struct rtable **rtp,
			    u32 flags, int *err)
{
	struct sk_buff_head queue = { 0 };
	struct append a = {
		.sk = sk, .queue = &queue, .getfrag = getfrag, .from = data,
		.length = length + UDP_HLEN, .transhdrlen = UDP_HLEN,
		.flags = flags,
	};

	FUNCTION(ip_make_skb);
	STACK_PROTECTOR();
	ip_setup_cork(sk, cork, ipc, rtp);
	*err = __ip_append_data(&a, cork, fl4->daddr);
	if (*err) {
		kfree_skb_list(queue.next);
		dst_release(&cork->rt->dst);
		return NULL;
	}
	__ip_make_skb(sk, fl4, queue.next, cork);
	return queue.next;
}

/* ---- in the socket ---- */

int ip_append_data(struct sock *sk, const struct ipcm_cookie *ipc,
		   getfrag_t getfrag, const u8 *data, u32 length,
		   struct rtable **rtp, u32 flags)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct sk_buff_head queue = { 0 };
	struct append a = {
		.sk = sk, .queue = &queue, .getfrag = getfrag, .from = data,
		.length = length, .flags = flags,
	};
	struct ip_cork cork;
	int err;

	FUNCTION(ip_append_data);
	queue.next = READ(sk, sk_write_queue.next);
	if (queue.next) {
		cork_of_sock(inet, &cork);
		queue.prev = READ(sk, sk_write_queue.prev);
	} else {
		a.transhdrlen = UDP_HLEN;
		ip_setup_cork(sk, &cork, ipc, rtp);
		cork_the_sock(inet, &cork);
	}
	/* Read only for an error. */
	err = __ip_append_data(&a, &cork, inet->cork.fl.daddr);
	if (queue.qlen) {
		if (!sk->sk_write_queue.next)
			WRITE(sk, sk_write_queue.next, queue.next);
		WRITE(sk, sk_write_queue.prev, queue.prev);
		UPDATE(sk, sk_write_queue.qlen, += queue.qlen);
	}
	if (!err)
		UPDATE(inet, cork.length, += length);
	return err;
}

/* All of the queue at once, which is empty then. */
static struct sk_buff *take_queue(struct sock *sk)
{
	struct sk_buff *skb = READ(sk, sk_write_queue.next);

	if (skb) {
		WRITE(sk, sk_write_queue.next, NULL);
		WRITE(sk, sk_write_queue.prev, NULL);
		WRITE(sk, sk_write_queue.qlen, 0);
	}
	return skb;
}

struct sk_buff *ip_finish_skb(struct sock *sk, const struct flowi4 *fl4,
			      struct ip_cork *cork)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct sk_buff *skb = take_queue(sk);

	if (!skb)
		return NULL;
	cork_of_sock(inet, cork);
	read_wishes(inet, cork);
	__ip_make_skb(sk, fl4, skb, cork);
	WRITE(inet, cork.dst, NULL);	/* the packet has it */
	ip_cork_release(inet);
	return skb;
}

void ip_flush_pending_frames(struct sock *sk)
{
	FUNCTION(ip_flush_pending_frames);
	kfree_skb_list(take_queue(sk));
	ip_cork_release((struct inet_sock *)(void *)sk);
}
