/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models the half of net/ipv6/ip6_output.c that makes a packet of the data: on
 * the way of later kernels, whose state is on the stack, and on that of earlier
 * ones, which keep it in the socket and lock that.
 *
 * One datagram a call; what is longer than the MTU is made as fragments, which
 * ip6_output_frag.c gives their headers.
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
#include "stack/net/ipv6/udp.h"

#define RTAX_MTU_ALLFRAG 0x08u	/* of the metric RTAX_FEATURES */

/* Must each packet have a fragment header? */
static bool dst_allfrag(const struct dst_entry *dst)
{
	return dst_metric_raw(dst, RTAX_FEATURES) & RTAX_MTU_ALLFRAG;
}

/* The route under IPsec's, if there is any of that. */
static struct dst_entry *xfrm_dst_path(struct dst_entry *dst)
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
static u32 ip6_cork_mtu(struct udp6_sock *up6, struct dst_entry *dst)
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
	getfrag_t getfrag;	/* who copies the data */
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
 * twice: in `length`, and here. */
static int ip6_append_room(struct sock *sk, const struct ip6_cork *cork,
			   u32 length, struct room *room)
{
	struct dst_entry *dst = &cork->rt->dst;
	u32 nfheader_len = READ(cork->rt, rt6i_nfheader_len), headersize;

	room->dst_exthdrlen = READ(dst, header_len);
	room->dst_exthdrlen -= nfheader_len;
	room->hh_len = ll_reserved_space(READ(dst, dev));
	room->exthdrlen = txopt_flen(cork->opt);
	room->fragheaderlen = IPV6_HLEN + nfheader_len + txopt_nflen(cork->opt);
	room->trailer_len = READ(dst, trailer_len);
	headersize = room->fragheaderlen;
	if (has(IP_MAXNONFRAGSIZE))
		headersize += room->exthdrlen;
	if (has(UDP6_MAKE_SKB)) {
		if (dst_allfrag(dst))
			headersize += IPV6_FRAG_HLEN;
		(void)ip6_sk_ignore_df(sk);
	}
	/* No room for data in a packet.  What becomes of that in kernels that
	 * do not ask is not modelled. */
	if (room->fragheaderlen + 2 * IPV6_FRAG_HLEN > cork->fragsize)
		return too_long(sk, cork, true);
	if (has(IP6_HEADER_CHAIN) &&
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

/* The device sums up only where nothing stands between the headers. */
static u8 ip6_csummode(struct sock *sk, struct dst_entry *dst,
		       const struct room *room, bool whole)
{
	if (!has(IP6_CSUM_PARTIAL))
		return CHECKSUM_NONE;
	if (READ(sk, sk_protocol) == IPPROTO_UDPLITE_NUMBER ||
	    room->fragheaderlen + room->exthdrlen != IPV6_HLEN || !whole ||
	    !(READ(READ(dst, dev), features) & NETIF_F_V6_CSUM))
		return CHECKSUM_NONE;
	return CHECKSUM_PARTIAL;
}

/* A packet of `len` bytes of data, at `from`, and room for the headers; the
 * first one's begins with `transhdrlen` bytes that come later: options for the
 * last host and the UDP header. */
static struct sk_buff *ip6_append(struct sock *sk, const struct room *room,
				  const u8 *from, u32 len, u32 transhdrlen,
				  u32 flags, u8 csummode, int *err)
{
	u32 size = len + room->fragheaderlen + room->hh_len +
		   room->dst_exthdrlen + room->trailer_len + IPV6_FRAG_HLEN;
	struct sk_buff *skb;
	u32 at;

	skb = transhdrlen ? sock_alloc_send_skb(sk, size, flags & MSG_DONTWAIT,
						err) :
			    sock_wmalloc_more(sk, size, err);
	if (!skb)
		return NULL;
	if (has(UDP6_MAKE_SKB))
		WRITE(skb, protocol, ETH_P_IPV6);
	WRITE(skb, ip_summed, csummode);
	WRITE(skb, csum, 0);
	skb_reserve(skb, room->hh_len + IPV6_FRAG_HLEN + room->dst_exthdrlen);
	at = skb_put(skb, len + room->fragheaderlen);
	if (transhdrlen)	/* room for the options for the last host */
		at += room->exthdrlen;
	WRITE(skb, network_header, at);
	at += room->fragheaderlen;
	WRITE(skb, transport_header, at);
	at += transhdrlen ? UDP_HLEN : 0;
	room->getfrag(skb, NULL, from, at, len - transhdrlen, 0);
	if (has(IP6_TX_TIMESTAMP))
		WRITE(&skb->head->shinfo, tx_flags, 0);
	if (has(SOCK_TSFLAGS))
		WRITE(&skb->head->shinfo, tskey, 0);
	if (transhdrlen && has(SOCK_PENDING_CONFIRM) && flags & MSG_CONFIRM) {
		WORK(4);
		UPDATE(skb, dst_pending_confirm, = 1);
	}
	return skb;
}

/* Packets with the data in them and room for the headers: one, or as many as it
 * takes, each but the last with a multiple of eight bytes. */
static struct sk_buff *append_all(struct sock *sk, const struct ip6_cork *cork,
				  getfrag_t getfrag, const u8 *data, u32 length,
				  u32 flags, int *err)
{
	struct dst_entry *dst = &cork->rt->dst;
	u32 transhdrlen, most;
	struct sk_buff_head queue = { 0 };
	struct room room = { .getfrag = getfrag };
	u8 csummode;
	bool whole;

	length += txopt_flen(cork->opt);
	*err = ip6_append_room(sk, cork, length, &room);
	if (*err)
		return NULL;
	transhdrlen = UDP_HLEN + room.exthdrlen;
	most = cork->fragsize - room.fragheaderlen;
	whole = length <= most;
	if (!whole)
		most = (most & ~7u) - IPV6_FRAG_HLEN;
	if (most < transhdrlen) {	/* it does not fit the first part */
		*err = -EINVAL;
		return NULL;
	}
	csummode = ip6_csummode(sk, dst, &room, whole);
	while (length) {
		u32 len = MIN(length, most);
		struct sk_buff *skb = ip6_append(sk, &room, data, len,
						 transhdrlen, flags, csummode,
						 err);

		if (!skb) {
			struct inet6_dev *idev = READ(cork->rt, rt6i_idev);

			kfree_skb_list(queue.next);
			IP6_INC_STATS(READ(sk, sk_net), idev,
				      IPSTATS_MIB_OUTDISCARDS);
			return NULL;
		}
		data += len - transhdrlen;
		length -= len;
		transhdrlen = 0;
		skb_queue_fragment(&queue, skb);
	}
	return queue.next;
}

static void count_out(struct net *net, struct rt6_info *rt, struct sk_buff *skb)
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
		.dontfrag = ipc6->dontfrag,
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

static struct sk_buff *__ip6_append_data(struct sock *sk,
					 const struct ip6_cork *cork,
					 getfrag_t getfrag, const u8 *data,
					 u32 length, u32 flags, int *err)
{
	struct sk_buff *skb;

	FUNCTION(__ip6_append_data);
	STACK_PROTECTOR();
	skb = append_all(sk, cork, getfrag, data, length, flags, err);
	if (skb) {
		/* Onto a queue that is on the stack. */
		WRITE(skb, next, skb->next);
		WRITE(skb, prev, NULL);
	}
	return skb;
}

static void __ip6_make_skb(struct sock *sk, struct sk_buff *skb,
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
	count_out(net, rt, skb);
	ip6_cork_release(cork);
}

struct sk_buff *ip6_make_skb(struct sock *sk, getfrag_t getfrag,
			     const u8 *data, u32 length,
			     const struct ipcm6_cookie *ipc6,
			     const struct flowi6 *fl6, struct rt6_info *rt,
			     u32 flags, int *err)
{
	struct ip6_cork cork;
	struct sk_buff *skb;

	FUNCTION(ip6_make_skb);
	STACK_PROTECTOR();
	*err = ip6_setup_cork(sk, &cork, ipc6, fl6, rt);
	if (*err) {
		ip6_cork_release(&cork);
		return NULL;
	}
	if (cork.dontfrag < 0)
		(void)READ(INET6_SK(sk), inet6.dontfrag);
	if (has(TASK_PAGE_FRAG))
		(void)GET_CURRENT();
	skb = __ip6_append_data(sk, &cork, getfrag, data, length, flags, err);
	if (skb)
		__ip6_make_skb(sk, skb, &cork);
	else
		ip6_cork_release(&cork);
	return skb;
}

/* ---- with the state in the socket ---- */

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

	(void)READ(sk, sk_write_queue.next);
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
	return 0;
}

int ip6_append_data(struct sock *sk, getfrag_t getfrag, const u8 *data,
		    u32 length, const struct ipcm6_cookie *ipc6,
		    const struct flowi6 *fl6, struct rt6_info *rt, u32 flags)
{
	struct ip6_cork cork = {
		.rt = rt, .fl6 = fl6, .dontfrag = ipc6->dontfrag,
	};
	struct inet_sock *inet = &udp6_sk(sk)->udp.inet;
	struct sk_buff *skb;
	int err;

	FUNCTION(ip6_append_data);
	err = cork_the_socket(sk, ipc6, fl6, rt);
	if (err)
		return err;
	cork.fragsize = inet->cork.fragsize;
	cork.opt = udp6_sk(sk)->inet6.cork.opt;
	UPDATE(inet, cork.length, += length);
	if (has(IP6_TX_TIMESTAMP)) {
		FUNCTION(sock_tx_timestamp);
		(void)READ(sk, sk_flags);
	}
	skb = append_all(sk, &cork, getfrag, data, length, flags, &err);
	if (!skb)
		return err;
	WRITE(skb, next, skb->next);
	WRITE(skb, prev, NULL);
	WRITE(sk, sk_write_queue.next, skb);
	WRITE(sk, sk_write_queue.prev, skb);
	UPDATE(sk, sk_write_queue.qlen, += 1);
	return 0;
}

/* What is in the queue, as one packet of parts with `headers` bytes of room in
 * front; NULL: it is empty. */
static struct sk_buff *dequeue(struct sock *sk, u32 headers)
{
	struct sk_buff *skb = READ(sk, sk_write_queue.next), *rest;

	if (!skb)
		return NULL;
	UPDATE(sk, sk_write_queue.qlen, -= 1);
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
	count_out(net, cork.rt, skb);
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
