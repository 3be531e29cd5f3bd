/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the half of net/ipv6/ip6_output.c that makes a packet of the data: on
 * the way of later kernels, whose state is on the stack, and on that of earlier
 * ones, which keep it in the socket and lock that.
 *
 * What is longer than the MTU is made as fragments, which ip6_output_frag.c gives
 * their headers.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv6/ip6_append.h"
#include "stack/net/ipv6/udp.h"

#define RTAX_MTU_ALLFRAG 0x08u	/* of the metric RTAX_FEATURES */

/* Must each packet have a fragment header? */
bool dst_allfrag(const struct dst_entry *dst)
{
	return dst_metric_raw(dst, RTAX_FEATURES) & RTAX_MTU_ALLFRAG;
}

/* The route under IPsec's, if there is any of that. */
struct dst_entry *xfrm_dst_path(struct dst_entry *dst)
{
	if (has(XFRM_DST_PATH))
		(void)READ(dst, xfrm);
	else
		(void)READ(dst, path);
	return dst;
}

bool ip6_sk_ignore_df(struct sock *sk)
{
	u8 pmtudisc = READ(INET6_SK(sk), inet6.pmtudisc);

	return pmtudisc < IP_PMTUDISC_DO || pmtudisc == IP_PMTUDISC_OMIT;
}

/* How long a packet may be. */
u32 ip6_cork_mtu(struct udp6_sock *up6, struct dst_entry *dst)
{
	u32 mtu, frag_size;

	(void)READ(dst, flags);		/* an IPsec tunnel? */
	if (READ(up6, inet6.pmtudisc) >= IP_PMTUDISC_PROBE)
		mtu = READ(READ(dst, dev), mtu);
	else
		mtu = dst_mtu(xfrm_dst_path(dst));
	frag_size = READ(up6, inet6.frag_size);
	return frag_size && frag_size < mtu ? frag_size : mtu;
}

/* ---- the data ---- */

/* What stands in front of the data and behind it. */
struct room {
	u32 hh_len;		/* the hardware header, to a multiple of 16 */
	u32 fragheaderlen;	/* the IPv6 header and what is never parted */
	u32 exthdrlen;		/* options for the last host, of the first */
	u32 dst_exthdrlen;	/* what the route will put in front */
	u32 trailer_len;
};

/* Later kernels say at once what may not be fragmented, earlier ones when it
 * comes to that.  Members of groups on this host take no fragments here, so
 * none are made for groups. */
static bool may_fragment(struct udp6_sock *up6, const struct ip6_cork *cork)
{
	if (ipv6_addr_is_multicast(&cork->fl6->daddr))
		return false;
	if (has(IPV6_DONTFRAG_OPTION) &&
	    (cork->dontfrag < 0 ? READ(up6, inet6.dontfrag) : cork->dontfrag))
		return false;
	return !has(IP_MAXNONFRAGSIZE) ||
	       READ(up6, inet6.pmtudisc) < IP_PMTUDISC_DO;
}

/* Old kernels do not say so where it is only longer than the MTU. */
static int too_long(struct sock *sk, const struct ip6_cork *cork, bool at_all)
{
	if (at_all || has(IP_MAXNONFRAGSIZE))
		ipv6_local_error(sk, EMSGSIZE, cork->fl6, cork->fragsize);
	return -EMSGSIZE;
}

/* Kernels that say at once what is too long count the options for the last host
 * twice: in `length`, and here.  `first`: nothing is there yet. */
static int ip6_append_room(struct sock *sk, const struct ip6_cork *cork,
			   u32 length, bool first, struct room *room)
{
	struct dst_entry *dst = &cork->rt->dst;
	u32 nfheader_len = READ(cork->rt, rt6i_nfheader_len), headersize;
	u32 flen = txopt_flen(cork->opt);

	length += cork->length;
	room->dst_exthdrlen = READ(dst, header_len);
	room->dst_exthdrlen -= nfheader_len;
	room->hh_len = ll_reserved_space(READ(dst, dev));
	room->exthdrlen = first ? flen : 0;
	room->fragheaderlen = IPV6_HLEN + nfheader_len + txopt_nflen(cork->opt);
	room->trailer_len = READ(dst, trailer_len);
	headersize = room->fragheaderlen;
	if (has(IP_MAXNONFRAGSIZE))
		headersize += flen;
	if (has(UDP6_MAKE_SKB)) {
		if (dst_allfrag(dst))
			headersize += IPV6_FRAG_HLEN;
		(void)ip6_sk_ignore_df(sk);
	}
	/* No room for data in a packet.  What becomes of that in kernels that
	 * do not ask is not modelled. */
	if (room->fragheaderlen + 2 * IPV6_FRAG_HLEN > cork->fragsize)
		return too_long(sk, cork, true);
	if (has(IP6_HEADER_CHAIN) && first &&
	    headersize + room->exthdrlen + UDP_HLEN > cork->fragsize)
		return too_long(sk, cork, true);
	/* Compared so that a length of two gigabytes is none below zero. */
	if (headersize > IPV6_HLEN + IPV6_MAXPLEN ||
	    length > IPV6_HLEN + IPV6_MAXPLEN - headersize)
		return too_long(sk, cork, true);
	/* No parts behind a route's own headers. */
	if (length + headersize > cork->fragsize &&
	    (nfheader_len || !may_fragment(INET6_SK(sk), cork)))
		return too_long(sk, cork, false);
	return 0;
}

/* One call of __ip6_append_data(). */
struct append6 {
	struct sock *sk;
	const struct ip6_cork *cork;
	struct sk_buff_head *queue;
	struct room room;
	getfrag_t getfrag;
	const u8 *from;		/* what has not been copied yet */
	u32 length;		/* of that, with headers in front of it */
	u32 transhdrlen;	/* the headers: of the first packet only */
	u32 total;		/* in the datagram by then */
	u32 flags;
	u32 mtu, maxfraglen;	/* of a packet, of one but the last: from the
				 * IPv6 header on, without the fragment's */
	bool paged;		/* all data is to be in pages */
	u8 csummode;
};

/* The device sums up only where nothing stands between the headers, and not
 * what is, or from 4.4 on may become, more than one packet. */
static u8 ip6_csummode(const struct append6 *a)
{
	struct dst_entry *dst = &a->cork->rt->dst;

	if (!has(IP6_CSUM_PARTIAL))
		return CHECKSUM_NONE;
	if (READ(a->sk, sk_protocol) == IPPROTO_UDPLITE_NUMBER ||
	    a->room.fragheaderlen + a->room.exthdrlen != IPV6_HLEN ||
	    !a->transhdrlen ||
	    a->length + a->room.fragheaderlen > a->mtu ||
	    (has(CSUM_NOT_PARTIAL_MORE) && a->flags & MSG_MORE && !a->paged) ||
	    !(READ(READ(dst, dev), features) & NETIF_F_V6_CSUM))
		return CHECKSUM_NONE;
	return CHECKSUM_PARTIAL;
}

static bool has_sg(const struct append6 *a)
{
	return READ(READ(&a->cork->rt->dst, dev), features) & NETIF_F_SG;
}

/* A packet with room for `len` bytes and the headers; for more where more may
 * come and cannot be in pages. */
static struct sk_buff *new_packet(const struct append6 *a, u32 len, int *err)
{
	const struct room *room = &a->room;
	u32 size = len + room->fragheaderlen;

	if (a->flags & MSG_MORE && !has_sg(a))
		size = a->mtu;
	size += room->hh_len + room->dst_exthdrlen + room->trailer_len +
		IPV6_FRAG_HLEN;
	if (a->transhdrlen)
		return sock_alloc_send_skb(a->sk, size,
					   a->flags & MSG_DONTWAIT, err);
	return sock_wmalloc_more(a->sk, size, err);
}

/* How much of what is left goes into a new packet; what was too much in the one
 * before is part of it. */
static u32 part_len(const struct append6 *a, u32 gap)
{
	u32 most = a->total <= a->mtu ? a->mtu : a->maxfraglen;
	u32 len = a->length + gap;

	if (len > most - a->room.fragheaderlen)
		len = a->maxfraglen - a->room.fragheaderlen;
	return len;
}

/* A further packet; the first one's data begins with `transhdrlen` bytes that
 * come later: options for the last host and the UDP header. */
static int append_packet(struct append6 *a, struct sk_buff *prev)
{
	const struct room *room = &a->room;
	u32 gap = prev ? READ(prev, len) - a->maxfraglen : 0;
	u32 len = part_len(a, gap), copy, at;
	struct sk_buff *skb;
	int err;

	if (len < a->transhdrlen + gap)	/* the headers do not fit it */
		return -EINVAL;
	if (a->paged)
		len = a->transhdrlen + gap;
	skb = new_packet(a, len, &err);
	if (!skb)
		return err;
	if (has(UDP6_MAKE_SKB))
		WRITE(skb, protocol, ETH_P_IPV6);
	WRITE(skb, ip_summed, a->csummode);
	WRITE(skb, csum, 0);
	skb_reserve(skb, room->hh_len + IPV6_FRAG_HLEN + room->dst_exthdrlen);
	at = skb_put(skb, len + room->fragheaderlen);
	if (a->transhdrlen)	/* room for the options for the last host */
		at += room->exthdrlen;
	WRITE(skb, network_header, at);
	at += room->fragheaderlen;
	WRITE(skb, transport_header, at);
	at += a->transhdrlen ? UDP_HLEN : 0;
	if (gap)
		skb_move_gap(prev, a->maxfraglen, skb, at);
	copy = len - a->transhdrlen - gap;
	if (copy)
		a->getfrag(skb, NULL, a->from, at + gap, copy, gap);
	if (has(IP6_TX_TIMESTAMP))
		WRITE(&skb->head->shinfo, tx_flags, 0);
	if (has(SOCK_TSFLAGS))
		WRITE(&skb->head->shinfo, tskey, 0);
	if (a->transhdrlen && has(SOCK_PENDING_CONFIRM) &&
	    a->flags & MSG_CONFIRM) {
		WORK(4);
		UPDATE(skb, dst_pending_confirm, = 1);
	}
	a->from += copy;
	a->length -= copy + a->transhdrlen;
	a->transhdrlen = 0;
	a->csummode = CHECKSUM_NONE;
	skb_queue_fragment(a->queue, skb);
	return 0;
}

/* More in the last packet. */
static int append_bytes(struct append6 *a, struct sk_buff *skb, u32 copy)
{
	int n;

	if (!has_sg(a) && READ(skb, end) - READ(skb, tail) >= copy) {
		u32 odd = READ(skb, len), at = skb_put(skb, copy);

		a->getfrag(skb, NULL, a->from, at, copy, odd);
	} else {
		n = ip_append_page(a->sk, true, skb, a->getfrag, a->from, copy);
		if (n < 0)
			return n;
		copy = (u32)n;
	}
	a->from += copy;
	a->length -= copy;
	return 0;
}

int ip6_append(struct sock *sk, const struct ip6_cork *cork,
	       struct sk_buff_head *queue, getfrag_t getfrag, const u8 *data,
	       u32 length, u32 flags)
{
	struct append6 a = {
		.sk = sk, .cork = cork, .queue = queue, .getfrag = getfrag,
		.from = data, .length = length, .flags = flags,
		.paged = cork->gso_size,
	};
	int err;

	if (!queue->next)
		a.length += txopt_flen(cork->opt);
	err = ip6_append_room(sk, cork, a.length, !queue->next, &a.room);
	if (err)
		return err;
	if (!queue->next)
		a.transhdrlen = UDP_HLEN + a.room.exthdrlen;
	a.total = cork->length + a.length;
	a.mtu = cork->gso_size ? IPV6_HLEN + IPV6_MAXPLEN : cork->fragsize;
	a.maxfraglen = ((a.mtu - a.room.fragheaderlen) & ~7u) +
		       a.room.fragheaderlen - IPV6_FRAG_HLEN;
	a.csummode = ip6_csummode(&a);
	while (a.length && !err) {
		struct sk_buff *last = queue->prev;
		u32 len = last ? READ(last, len) : 0;
		u32 most = a.total <= a.mtu ? a.mtu : a.maxfraglen;

		if (len + a.length > most)
			most = a.maxfraglen;
		err = !last || len >= most ? append_packet(&a, last) :
		      append_bytes(&a, last, MIN(most - len, a.length));
	}
	if (err)
		IP6_INC_STATS(READ(sk, sk_net), READ(cork->rt, rt6i_idev),
			      IPSTATS_MIB_OUTDISCARDS);
	return err;
}

void ip6_count_out(struct net *net, struct rt6_info *rt, struct sk_buff *skb)
{
	struct inet6_dev *idev = READ(rt, rt6i_idev);
	u32 len = READ(skb, len);

	IP6_UPD_PO_STATS(net, idev, IPSTATS_MIB_OUTPKTS, IPSTATS_MIB_OUTOCTETS,
			 len);
}

/* ---- with the state on the stack ---- */

/* Has a reference on the route where `cork` names it, also in case of an
 * error. */
static int ip6_setup_cork(struct sock *sk, struct ip6_cork *cork,
			  const struct ipcm6_cookie *ipc6,
			  const struct flowi6 *fl6, struct rt6_info *rt)
{
	FUNCTION(ip6_setup_cork);
	*cork = (struct ip6_cork){
		.fl6 = fl6, .mark = ipc6->mark,
		.hop_limit = (u8)ipc6->hlimit, .tclass = (u8)ipc6->tclass,
		.dontfrag = ipc6->dontfrag, .gso_size = ipc6->gso_size,
	};
	if (has(IP6_DST_STEAL))
		cork->rt = rt;
	if (ipc6->opt) {
		cork->opt = ip6_opts_dup(ipc6->opt);
		if (!cork->opt)
			return -ENOBUFS;
	}
	if (!has(IP6_DST_STEAL))
		ATOMIC_INC(&rt->dst, __refcnt);
	cork->rt = rt;
	cork->fragsize = ip6_cork_mtu(INET6_SK(sk), &rt->dst);
	if (has(SOCK_TSFLAGS))
		(void)READ(sk, sk_flags);	/* a stamp for Wi-Fi? */
	(void)dst_allfrag(xfrm_dst_path(&rt->dst));
	return 0;
}

static void ip6_cork_release(struct ip6_cork *cork)
{
	FUNCTION(ip6_cork_release);
	ip6_opts_free(cork->opt);
	cork->opt = NULL;
	dst_release(cork->rt ? &cork->rt->dst : NULL);
	cork->rt = NULL;
}

static int __ip6_append_data(struct sock *sk, const struct ip6_cork *cork,
			     struct sk_buff_head *queue, getfrag_t getfrag,
			     const u8 *data, u32 length, u32 flags)
{
	int err;

	FUNCTION(__ip6_append_data);
	STACK_PROTECTOR();
	err = ip6_append(sk, cork, queue, getfrag, data, length, flags);
	if (!err) {
		/* Onto a queue that is on the stack. */
		WRITE(queue->next, next, queue->next->next);
		WRITE(queue->next, prev, NULL);
	}
	return err;
}

void __ip6_make_skb(struct sock *sk, struct sk_buff *skb,
			   struct ip6_cork *cork)
{
	struct udp6_sock *up6 = INET6_SK(sk);
	struct net *net = READ(sk, sk_net);
	struct rt6_info *rt = cork->rt;
	struct sk_buff *rest = skb->next;
	u8 *header;
	bool df;
	u32 label;

	FUNCTION(__ip6_make_skb);
	UPDATE(skb, next, = NULL);	/* off the queue again */
	UPDATE(skb, prev, = NULL);
	skb_join_fragments(skb, rest, IPV6_HLEN + txopt_nflen(cork->opt));
	df = ip6_sk_ignore_df(sk);
	WRITE(skb, local_df, df);
	header = ip6_push_header(skb, cork);
	if (has(AUTO_FLOWLABELS)) {
		bool autolabel = ip6_autoflowlabel(net, up6);

		label = ip6_make_flowlabel(net, skb, autolabel, cork->fl6);
	} else {
		label = cork->fl6->flowlabel;
	}
	ip6_flow_hdr(header, cork->tclass, label);
	WRITE(skb, priority, READ(sk, sk_priority));
	WRITE(skb, mark, cork->mark);
	if (has(SOCK_TSFLAGS))
		WRITE(skb, tstamp, 0);	/* when to send it: at once */
	WRITE(skb, _skb_refdst, &rt->dst);
	if (has(IP6_DST_STEAL))
		cork->rt = NULL;
	else
		ATOMIC_INC(&rt->dst, __refcnt);
	ip6_count_out(net, rt, skb);
	ip6_cork_release(cork);
}

struct sk_buff *ip6_make_skb(struct sock *sk, struct ip6_cork *cork,
			     getfrag_t getfrag, const u8 *data, u32 length,
			     const struct ipcm6_cookie *ipc6,
			     const struct flowi6 *fl6, struct rt6_info *rt,
			     u32 flags, int *err)
{
	struct sk_buff_head queue = { 0 };

	FUNCTION(ip6_make_skb);
	STACK_PROTECTOR();
	*err = ip6_setup_cork(sk, cork, ipc6, fl6, rt);
	if (*err) {
		ip6_cork_release(cork);
		return NULL;
	}
	if (cork->dontfrag < 0)
		(void)READ(INET6_SK(sk), inet6.dontfrag);
	if (has(TASK_PAGE_FRAG))
		(void)GET_CURRENT();
	*err = __ip6_append_data(sk, cork, &queue, getfrag, data, length,
				 flags);
	if (*err) {
		kfree_skb_list(queue.next);
		ip6_cork_release(cork);
		return NULL;
	}
	__ip6_make_skb(sk, queue.next, cork);
	return queue.next;
}
