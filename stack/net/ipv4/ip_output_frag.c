/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of net/ipv4/ip_output.c what a datagram needs that is longer than the
 * MTU, and what IPv6 shares of it:
 *
 *	__ip_append_data -> sock_wmalloc	a packet for each part; what
 *		was too much in the one before begins it
 *	__ip_make_skb				the parts become the frag_list
 *	ip_finish_output -> ip_fragment -> ip_do_fragment -> ip_finish_output2
 *
 * The parts are made as long as the fragments will be, so that the fast path
 * only gives them headers.  The slow path, which copies, is not modelled: a
 * datagram whose route has got a smaller MTU since then is dropped, and counted
 * as FragFails.
 *
 * ip_do_fragment() and ip_fraglist_prepare() are parts of ip_fragment() in
 * kernels before 4.1 and 5.3 (recalled); here they bear their names in all.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv4/udp.h"

/* ---- parts ---- */

struct sk_buff *sock_wmalloc_more(struct sock *sk, u32 size, int *err)
{
	u32 allocated = (u32)READ_ONCE(sk, sk_wmem_alloc);
	struct sk_buff *skb = NULL;

	FUNCTION(sock_wmalloc);
	if (allocated <= 2 * READ(sk, sk_sndbuf)) {
		gfp_t gfp = READ(sk, sk_allocation);

		skb = alloc_skb(size, gfp);
	}
	*err = skb ? 0 : -ENOBUFS;
	if (skb)
		skb_set_owner_w(skb, sk);
	return skb;
}

void skb_queue_fragment(struct sk_buff_head *queue, struct sk_buff *skb)
{
	/* The first one's links are its callers' to charge. */
	if (queue->prev) {
		WRITE(skb, next, NULL);
		WRITE(skb, prev, queue->prev);
		WRITE(queue->prev, next, skb);
	} else {
		skb->next = NULL;
		queue->next = skb;
	}
	queue->prev = skb;
	queue->qlen++;
}

/* Kernels before 3.7 would go on with a page that the trimmed packet alone has
 * held, and that is free by now (read in their code).  There is no such page
 * here, so the socket has none then, uncharged. */
static void forget_page(struct sock *sk)
{
	if (has(TASK_PAGE_FRAG))
		return;
	sk->sk_sndmsg_page = NULL;
	((struct inet_sock *)(void *)sk)->cork.page = NULL;
}

void skb_move_gap(struct sk_buff *prev, u32 most, struct sk_buff *skb, u32 to)
{
	u32 from = READ(prev, data) + most, len = READ(prev, len) - most, sum;
	u8 frags;

	FUNCTION(skb_copy_and_csum_bits);
	skb_read_bits(prev, from, skb_bytes(skb, to), len);
	WRITE_SKB_DATA(skb, to, len);
	WORK(len / 4);
	/* `most` is where a word of the datagram begins. */
	sum = csum_partial(skb_bytes(skb, to), len, 0);
	UPDATE(skb, csum, = sum);
	UPDATE(prev, csum, = csum_block_sub(prev->csum, sum, 0));
	frags = prev->head->shinfo.nr_frags;
	pskb_trim_unique(prev, most);
	if (prev->head->shinfo.nr_frags < frags)
		forget_page(prev->sk);
}

void skb_join_fragments(struct sk_buff *skb, struct sk_buff *rest, u32 headers)
{
	if (!rest)
		return;
	WRITE(&skb->head->shinfo, frag_list, rest);
	for (; rest; rest = READ(rest, next)) {
		u32 len, truesize;

		UPDATE(rest, data, += headers);
		UPDATE(rest, len, -= headers);
		len = READ(rest, len);
		truesize = READ(rest, truesize);
		UPDATE(skb, len, += len);
		UPDATE(skb, data_len, += len);
		UPDATE(skb, truesize, += truesize);
		WRITE(rest, prev, NULL);
		WRITE(rest, destructor, NULL);
		WRITE(rest, sk, NULL);
	}
}

struct sk_buff *skb_take_fragments(struct sk_buff *skb)
{
	struct sk_buff *rest = READ(&skb->head->shinfo, frag_list), *part;
	u32 paged;

	for (part = rest; part; part = READ(part, next)) {
		u32 truesize = READ(part, truesize);

		WRITE(part, sk, READ(skb, sk));
		WRITE(part, destructor, skb->destructor);
		UPDATE(skb, truesize, -= truesize);
	}
	WRITE(&skb->head->shinfo, frag_list, NULL);
	paged = skb_paged_len(skb);
	UPDATE(skb, len, -= skb->data_len - paged);
	WRITE(skb, data_len, paged);
	return rest;
}

void ip_copy_metadata(struct sk_buff *to, struct sk_buff *from)
{
	struct dst_entry *dst;

	FUNCTION(ip_copy_metadata);
	WRITE(to, pkt_type, READ(from, pkt_type));
	WRITE(to, priority, READ(from, priority));
	WRITE(to, protocol, READ(from, protocol));
	dst = READ(from, _skb_refdst);
	ATOMIC_INC(dst, __refcnt);
	WRITE(to, _skb_refdst, dst);
	WRITE(to, dev, READ(from, dev));
	WRITE(to, mark, READ(from, mark));
	WRITE(to, cb.flags, READ(from, cb.flags));
}

/* ---- IPv4 ---- */

static void count(struct sk_buff *skb, u32 index)
{
	struct net_device *dev = READ(skb, dev);
	struct net *net = READ(dev, nd_net);

	IP_INC_STATS(net, index);
}

/* The header of a part, and its sum anew. */
static void put_header(struct sk_buff *skb, const u8 *header, u32 offset,
		       bool more)
{
	u32 at = READ(skb, network_header);
	u8 *iph = skb_bytes(skb, at);

	memmove(iph, header, IP_HLEN);
	put_be16(iph + 2, (u16)READ(skb, len));
	put_be16(iph + 6, (u16)(offset / 8 | (more ? IP_MF : 0)));
	put_be16(iph + 10, 0);
	put_be16(iph + 10, csum_fold(csum_partial(iph, IP_HLEN, 0)));
	READ_SKB_DATA(skb, at, IP_HLEN);
	WRITE_SKB_DATA(skb, at, IP_HLEN);
	WORK(12); /* the sum, of ten words */
}

static void ip_fraglist_prepare(struct sk_buff *skb, struct sk_buff *part,
				const u8 *header, u32 offset, bool more)
{
	u32 at;

	FUNCTION(ip_fraglist_prepare);
	WRITE(part, ip_summed, CHECKSUM_NONE);
	WRITE(part, transport_header, READ(part, data));
	at = skb_push(part, IP_HLEN);
	WRITE(part, network_header, at);
	ip_copy_metadata(part, skb);
	put_header(part, header, offset, more);
}

/* Each part is its own before the one in front of it goes. */
static int ip_do_fragment(struct sk_buff *skb)
{
	u8 header[IP_HLEN];
	struct sk_buff *rest;
	u32 offset = 0;
	int err;

	FUNCTION(ip_do_fragment);
	memcpy(header, skb_bytes(skb, READ(skb, network_header)), IP_HLEN);
	rest = skb_take_fragments(skb);
	put_header(skb, header, 0, true);
	for (;;) {
		struct sk_buff *next = rest;

		if (next) {
			rest = READ(next, next);
			offset += skb->len - IP_HLEN;
			ip_fraglist_prepare(skb, next, header, offset, rest);
		}
		count(skb, IPSTATS_MIB_FRAGCREATES);
		WRITE(skb, next, NULL);
		err = ip_finish_output2(skb);
		if (err || !next) {
			kfree_skb_list(next);
			return err;
		}
		skb = next;
	}
}

/* Does each part fit, and but for the last one end with eight bytes?  Not if
 * another header has the same bytes. */
static bool has_good_parts(const struct sk_buff *skb, u32 mtu)
{
	const struct sk_buff *part = READ(&skb->head->shinfo, frag_list);
	u32 len = READ(skb, len);

	len -= READ(skb, data_len);
	len += skb_paged_len(skb);
	if (!part || len > mtu || (len - IP_HLEN) & 7 || READ(skb, cloned))
		return false;
	for (; part; part = READ(part, next)) {
		bool last = !READ(part, next);

		len = READ(part, len);
		if (len + IP_HLEN > mtu || (len & 7 && !last))
			return false;
	}
	return true;
}

int ip_fragment(struct sk_buff *skb, u32 mtu)
{
	struct net *net = READ(READ(skb, dev), nd_net);
	u32 at = READ(skb, network_header);
	bool df;
	int err;

	FUNCTION(ip_fragment);
	READ_SKB_DATA(skb, at + 6, 2);
	df = get_be16(skb_bytes(skb, at) + 6) & IP_DF;
	if ((df && !READ(skb, local_df)) || !has_good_parts(skb, mtu)) {
		IP_INC_STATS(net, IPSTATS_MIB_FRAGFAILS);
		kfree_skb(skb);
		return -EMSGSIZE;
	}
	err = ip_do_fragment(skb);
	IP_INC_STATS(net, err ? IPSTATS_MIB_FRAGFAILS : IPSTATS_MIB_FRAGOKS);
	return err;
}
