/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/udp.c: UDP over IPv6, the sending half. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6_txoptions.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/udp_offload.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"
#include "stack/net/ipv6/udp.h"

/* ---- the UDP header ---- */

static u16 udp6_magic(const struct flowi6 *fl6, u32 len, u32 sum)
{
	FUNCTION(csum_ipv6_magic);
	return csum_ipv6_magic(fl6->saddr.s6_addr, fl6->daddr.s6_addr, len,
			       fl6->flowi6_proto, sum);
}

static void udp6_store_check(struct sk_buff *skb, u32 at, u16 check)
{
	put_be16(skb_bytes(skb, at + 6), check);
	WRITE_SKB_DATA(skb, at + 6, 2);
}

/* The device sums up: the pseudo header is all that goes in here. */
static void udp6_hwcsum_outgoing(struct sk_buff *skb, u32 at,
				 const struct flowi6 *fl6, u32 len)
{
	u16 check;

	(void)READ(&skb->head->shinfo, frag_list);
	WRITE(skb, csum_start, (u16)at);
	WRITE(skb, csum_offset, 6);
	check = (u16)~udp6_magic(fl6, len, 0);
	udp6_store_check(skb, at, check);
}

/* IPv6 knows no packet without a sum: zero is sent as all ones. */
static void udp6_csum(struct sk_buff *skb, u32 at, const struct flowi6 *fl6,
		      u32 len, u32 sum)
{
	u16 check = udp6_magic(fl6, len, sum);

	udp6_store_check(skb, at, check ? check : 0xffff);
}

/* Fills in the header, for `len` bytes with it. */
static void udp6_header(struct sk_buff *skb, u32 at, const struct flowi6 *fl6,
			u32 len)
{
	u8 *uh;

	(void)READ(skb, head);
	uh = skb_bytes(skb, at);
	put_be16(uh, fl6->fl6_sport);
	put_be16(uh + 2, fl6->fl6_dport);
	put_be16(uh + 4, (u16)len);
	put_be16(uh + 6, 0);
	WRITE_SKB_DATA(skb, at, UDP_HLEN);
}

static void udp6_checksum(struct sock *sk, struct sk_buff *skb, u32 at,
			  const struct flowi6 *fl6, u32 len, bool udplite)
{
	u32 sum;

	if (udplite) {
		sum = udplite_csum(sk, skb, at, len);
		udp6_csum(skb, at, fl6, len, sum);
	} else if (has(UDP6_NO_CHECK) &&
		   READ(&udp6_sk(sk)->udp, no_check6_tx)) {
		WRITE(skb, ip_summed, CHECKSUM_NONE);
	} else if (READ(skb, ip_summed) == CHECKSUM_PARTIAL) {
		udp6_hwcsum_outgoing(skb, at, fl6, len);
	} else {
		/* The copy has summed up the data. */
		sum = udp_csum_outgoing(skb, skb_bytes(skb, at));
		udp6_csum(skb, at, fl6, len, sum);
	}
}

/* Counts what became of a datagram.  A full queue is no error to those who did
 * not ask. */
static int udp6_sent(struct sock *sk, int err, bool udplite)
{
	struct net *net;

	if (err == -ENOBUFS && !READ(INET6_SK(sk), inet6.recverr)) {
		net = READ(sk, sk_net);
		UDP6_INC_STATS(net, UDP_MIB_SNDBUFERRORS, udplite);
		return 0;
	}
	if (!err) {
		net = READ(sk, sk_net);
		UDP6_INC_STATS(net, UDP_MIB_OUTDATAGRAMS, udplite);
	}
	return err;
}

static int udp_v6_send_skb(struct sk_buff *skb, const struct flowi6 *fl6,
			   const struct ip6_cork *cork)
{
	struct sock *sk = READ(skb, sk);
	bool udplite;
	u32 at, len;

	FUNCTION(udp_v6_send_skb);
	at = READ(skb, transport_header);
	len = READ(skb, tail) - at;
	len += READ(skb, len) - (skb->tail - skb->data);
	udp6_header(skb, at, fl6, len);
	if (cork->gso_size) {
		int err = udp_gso_prepare(sk, skb, cork->gso_size,
					  cork->fragsize, len);

		if (err) {
			kfree_skb(skb);
			return err;
		}
	}
	udplite = is_udplite(sk);
	udp6_checksum(sk, skb, at, fl6, len, udplite);
	return udp6_sent(sk, ip6_send_skb(skb), udplite);
}

/* ---- with the packet in the socket ---- */

/* Later kernels make the packet as they do without the socket. */
static int push_skb(struct sock *sk)
{
	struct flowi6 fl6 = udp6_sk(sk)->inet6.cork.fl6;
	struct ip6_cork cork = { 0 };
	struct sk_buff *skb = ip6_finish_skb(sk, &cork);

	return skb ? udp_v6_send_skb(skb, &fl6, &cork) : 0;
}

static int push_packet(struct sock *sk)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct inet_sock *inet = &up6->udp.inet;
	const struct flowi6 *fl6 = &up6->inet6.cork.fl6;
	struct sk_buff *skb;
	bool udplite;
	int err = 0;
	u32 at, len;

	skb = READ(sk, sk_write_queue.next);
	if (skb) {
		/* Of the flow: the ports, and both addresses for the sum. */
		(void)READ_AT(inet, cork.flow, 7);
		(void)READ_AT(inet, cork.flow, 3);
		at = READ(skb, transport_header);
		len = READ(&up6->udp, len);
		udp6_header(skb, at, fl6, len);
		udplite = is_udplite(sk);
		udp6_checksum(sk, skb, at, fl6, len, udplite);
		err = udp6_sent(sk, ip6_push_pending_frames(sk), udplite);
	}
	return err;
}

/* What IPv4 has to send is its own matter, which kernels before 3.11 forget
 * (recalled). */
int udp_v6_push_pending_frames(struct sock *sk)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	int err;

	if (up6->udp.pending == PF_INET)
		return udp_push_pending_frames(sk);
	FUNCTION(udp_v6_push_pending_frames);
	err = has(UDP6_MAKE_SKB) ? push_skb(sk) : push_packet(sk);
	WRITE(&up6->udp, len, 0);
	WRITE_ONCE(&up6->udp, pending, 0);
	return err;
}

void udp_v6_flush_pending_frames(struct sock *sk)
{
	struct udp_sock *up = &udp6_sk(sk)->udp;

	FUNCTION(udp_v6_flush_pending_frames);
	if (READ(up, pending) == PF_INET) {
		udp_flush_pending_frames(sk);
	} else if (up->pending) {
		WRITE(up, len, 0);
		WRITE_ONCE(up, pending, 0);
		ip6_flush_pending_frames(sk);
	}
}

/* ---- what a datagram needs ---- */

/* One datagram on its way, on the stack. */
struct udp6_send {
	struct flowi6 fl6;
	struct ipcm6_cookie ipc6;
	struct ip6_flowlabel *flowlabel;	/* leased, or NULL */
	struct ipv6_txoptions opt;	/* the message's, or merged ones */
	struct ipv6_txoptions *held;	/* the socket's, or NULL */
	struct in6_addr final;	/* the destination, behind the first hop */
	bool connected;		/* to where the socket is connected */
	bool corkreq;		/* more is to follow */
	bool udplite;
	getfrag_t getfrag;
};

/* Looks at the name that came with the message.  What it means is copied to
 * *to, without a family if it is where the socket is connected.  0 or
 * -errno. */
static int udp6_check_name(struct udp6_sock *up6, struct msghdr *msg,
			   struct sockaddr_any *to)
{
	struct in6_addr saddr;

	if (msg->msg_namelen < sizeof(u16))
		return -EINVAL;
	if (msg->msg_name->family == 0) {
		msg->msg_name = NULL;
		msg->msg_namelen = 0;
		return 0;
	}
	*to = *msg->msg_name;
	if (to->family == PF_INET)
		return 0;
	if (to->family != PF_INET6 || msg->msg_namelen < SIN6_LEN_RFC2133)
		return -EINVAL;
	if (has(IP6_MAPPED_SOURCE) && ipv6_addr_any(&to->daddr6)) {
		/* A socket that talks IPv4 means this host's. */
		saddr = READ_ADDR6(up6, inet6.saddr);
		if (ipv6_addr_v4mapped(&saddr))
			to->daddr6 = ipv6_addr_v4(INADDR_LOOPBACK);
	}
	return 0;
}

/* Where the socket is connected, if nothing else has been said. */
static int udp6_check_peer(struct udp6_sock *up6, struct sockaddr_any *to)
{
	struct sock *sk = &up6->udp.inet.sk;

	if (READ_ONCE(&up6->udp, pending))
		return 0;
	if (READ(sk, sk_state) != TCP_ESTABLISHED)
		return -EDESTADDRREQ;
	to->daddr6 = READ_ADDR6(sk, sk_v6_daddr);
	if (ipv6_addr_v4mapped(&to->daddr6))
		to->port = READ(&up6->udp.inet, inet_dport);
	return 0;
}

/* An IPv4 address, written in either way, is a matter of the other family: the
 * datagram leaves this file. */
static int udp6_over_ipv4(struct udp6_sock *up6, struct msghdr *msg,
			  struct sockaddr_any *to, u32 len)
{
	const struct msghdr was = *msg;
	int err;

	if (to->family != PF_INET) {
		to->family = PF_INET;
		to->daddr = ipv6_addr_to_v4(&to->daddr6);
		msg->msg_name = to;
		msg->msg_namelen = SOCKADDR_IN_SIZE;
	}
	err = READ(up6, inet6.ipv6only) ? -ENETUNREACH :
	      udp_sendmsg(&up6->udp.inet.sk, msg, len);
	*msg = was;
	return err;
}

/* The destination: the message's or the socket's own. */
static int udp6_destination(struct sock *sk, const struct msghdr *msg,
			    const struct sockaddr_any *to, struct udp6_send *s)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct flowi6 *fl6 = &s->fl6;

	if (!msg->msg_name) {
		if (READ(sk, sk_state) != TCP_ESTABLISHED)
			return -EDESTADDRREQ;
		fl6->fl6_dport = READ(&up6->udp.inet, inet_dport);
		fl6->flowlabel = READ(up6, inet6.flow_label);
		fl6->daddr = READ_ADDR6(sk, sk_v6_daddr);
		s->connected = true;
		return 0;
	}
	WORK(11);
	if (!to->port)
		return -EINVAL;
	fl6->fl6_dport = to->port;
	fl6->daddr = to->daddr6;
	if (READ(up6, inet6.sndflow)) {
		fl6->flowlabel = to->flowinfo & IPV6_FLOWINFO_MASK;
		if (fl6->flowlabel & IPV6_FLOWLABEL_MASK &&
		    fl6_sock_lookup(sk, fl6->flowlabel & IPV6_FLOWLABEL_MASK,
				    &s->flowlabel))
			return -EINVAL;
	}
	if (READ(sk, sk_state) == TCP_ESTABLISHED)
		(void)READ_ADDR6(sk, sk_v6_daddr);	/* the same? */
	if (msg->msg_namelen >= SOCKADDR_IN6_SIZE && to->scope_id &&
	    ipv6_addr_needs_scope_id(&fl6->daddr))
		fl6->flowi6_oif = to->scope_id;
	return 0;
}

/* The device: said with the address or by the socket, which may name one for
 * all, for multicasts or for unicasts. */
static void udp6_device(struct sock *sk, struct udp6_send *s)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct flowi6 *fl6 = &s->fl6;

	if (fl6->flowi6_oif)
		return;
	if (ipv6_addr_is_multicast(&fl6->daddr)) {
		fl6->flowi6_oif = READ(up6, inet6.mcast_oif);
		s->connected = false;
	} else if (has(IPV6_UNICAST_IF)) {
		fl6->flowi6_oif = READ(up6, inet6.ucast_oif);
	}
}

/* What the message says beside the name. */
static int udp6_control(struct sock *sk, const struct msghdr *msg,
			struct udp6_send *s)
{
	struct flowi6 *fl6 = &s->fl6;
	u32 label;
	int err;

	err = has(UDP_GSO) ? udp_cmsg_send(msg, &s->ipc6.gso_size) : 1;
	if (err > 0)
		err = ip6_datagram_send_ctl(READ(sk, sk_net), sk, msg, fl6,
					    &s->ipc6, &s->opt);
	if (err < 0)
		return err;
	label = fl6->flowlabel & IPV6_FLOWLABEL_MASK;
	if (label && !s->flowlabel &&
	    fl6_sock_lookup(sk, label, &s->flowlabel))
		return -EINVAL;
	s->connected = false;
	return 0;
}

/* The headers beyond the IPv6 header: the message's own, else the socket's; of
 * a leased label those that are its. */
static void udp6_options(struct udp6_sock *up6, struct udp6_send *s)
{
	const struct ipv6_txoptions *opt = &s->opt;

	if (!opt->opt_nflen && !opt->opt_flen) {
		s->held = txopt_get(up6);
		opt = s->held;
	}
	if (s->flowlabel)
		opt = fl6_merge_options(&s->opt, s->flowlabel, opt);
	s->ipc6.opt = ipv6_fixup_options(&s->opt, opt);
}

/* The rest of the flow; 0 or -errno. */
static int udp6_init_flow(struct sock *sk, const struct msghdr *msg,
			  struct udp6_send *s, const struct in6_addr **final)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct flowi6 *fl6 = &s->fl6;
	int err;

	if (!fl6->flowi6_oif)
		fl6->flowi6_oif = READ_ONCE(sk, sk_bound_dev_if);
	if (!fl6->flowi6_oif)
		fl6->flowi6_oif = READ(up6, inet6.sticky_pktinfo.ipi6_ifindex);
	if (has(SOCK_UID))
		fl6->flowi6_uid = READ(sk, sk_uid);
	if (msg->msg_controllen) {
		err = udp6_control(sk, msg, s);
		if (err)
			return err;
	}
	udp6_options(up6, s);
	fl6->flowi6_proto = READ(sk, sk_protocol);
	fl6->flowi6_mark = s->ipc6.mark;
	if (ipv6_addr_any(&fl6->daddr))
		fl6->daddr.s6_addr[15] = 1;	/* this host */
	if (ipv6_addr_any(&fl6->saddr))
		fl6->saddr = READ_ADDR6(up6, inet6.saddr);
	fl6->fl6_sport = READ(&up6->udp.inet, inet_sport);
	*final = fl6_update_dst(fl6, s->ipc6.opt, &s->final);
	if (*final)
		s->connected = false;
	udp6_device(sk, s);
	security_sk_classify_flow();
	if (s->ipc6.tclass < 0)
		s->ipc6.tclass = READ(up6, inet6.tclass);
	if (has(AUTO_FLOWLABELS))
		fl6->flowlabel |= (u32)s->ipc6.tclass << 20;
	return 0;
}

static s32 ip6_sk_dst_hoplimit(struct udp6_sock *up6,
			       const struct flowi6 *fl6, struct dst_entry *dst)
{
	s32 hlimit = ipv6_addr_is_multicast(&fl6->daddr) ?
		     READ(up6, inet6.mcast_hops) : READ(up6, inet6.hop_limit);

	return hlimit < 0 ? (s32)ip6_dst_hoplimit(dst) : hlimit;
}

/* ---- sending ---- */

/* No lock: the packet is made on the stack. */
static int udp6_send_at_once(struct sock *sk, const struct msghdr *msg, u32 len,
			     const struct udp6_send *s, struct dst_entry *dst)
{
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;
	struct ip6_cork cork;
	struct sk_buff *skb;
	int err;

	skb = ip6_make_skb(sk, &cork, s->getfrag, msg->data, len + UDP_HLEN, &s->ipc6,
			   &s->fl6, rt, msg->msg_flags, &err);
	return skb ? udp_v6_send_skb(skb, &s->fl6, &cork) : err;
}

/* Adds `length` bytes to what the socket has, and sends it unless more is to
 * come.  After an error all of it is lost. */
static int udp6_append(struct sock *sk, const struct msghdr *msg, u32 length,
		       const struct udp6_send *s, struct rt6_info *rt)
{
	struct udp_sock *up = &udp6_sk(sk)->udp;
	int err;

	UPDATE(up, len, += (u16)length);
	err = ip6_append_data(sk, s->getfrag, msg->data, length, &s->ipc6,
			      &s->fl6, rt, s->corkreq ?
			      msg->msg_flags | MSG_MORE : msg->msg_flags);
	if (err)
		udp_v6_flush_pending_frames(sk);
	else if (!s->corkreq)
		err = udp_v6_push_pending_frames(sk);
	else if (!READ(sk, sk_write_queue.next))
		WRITE_ONCE(up, pending, 0);
	return err;
}

/* Under the socket's lock, and by way of its queue. */
static int udp6_send_locked(struct sock *sk, const struct msghdr *msg, u32 len,
			    const struct udp6_send *s, struct dst_entry *dst)
{
	struct rt6_info *rt = (struct rt6_info *)(void *)dst;
	struct udp_sock *up = &udp6_sk(sk)->udp;

	if (READ(up, pending))
		return -EINVAL;
	WRITE_ONCE(up, pending, PF_INET6);
	return udp6_append(sk, msg, len + UDP_HLEN, s, rt);
}

/* The socket has the route already?  Then it need not be stored again; but what
 * the look-up took must be released, which the patch as it was posted forgets:
 * the route is never free again. */
static bool udp6_route_is_stored(struct sock *sk, struct dst_entry *dst)
{
	if (!has(UDP6_NO_DST_STORE) && !has(UDP6_NO_DST_STORE_RFC))
		return false;
	if (READ(sk, sk_dst_cache) != dst)
		return false;
	if (has(UDP6_NO_DST_STORE))
		dst_release(dst);
	return true;
}

/* What becomes of the route after a send: a connected socket keeps it, even if
 * it has it already, or only where the look-up found it. */
static void udp6_put_route(struct sock *sk, const struct udp6_send *s,
			   struct dst_entry *dst)
{
	if (!s->connected || has(UDP6_DST_STORE_ONCE))
		dst_release(dst);
	else if (!udp6_route_is_stored(sk, dst))
		ip6_sk_dst_store_flow(sk, dst, &s->fl6);
}

static int udp6_send(struct sock *sk, const struct msghdr *msg, u32 len,
		     struct udp6_send *s, struct dst_entry *dst)
{
	int err;

	if (has(UDP6_MAKE_SKB) && !s->corkreq) {
		err = udp6_send_at_once(sk, msg, len, s, dst);
		if (!has(IP6_DST_STEAL))
			udp6_put_route(sk, s, dst);
		return err;
	}
	lock_sock_nested(sk);
	err = udp6_send_locked(sk, msg, len, s, dst);
	udp6_put_route(sk, s, dst);
	release_sock(sk);
	return err;
}

/* Where the datagram goes, by which route and with how many hops: what raw,
 * ping and L2TP sockets do with a message too.  NULL and *ret_err where it
 * goes nowhere. */
static struct dst_entry *udp6_route(struct sock *sk, const struct msghdr *msg,
				    const struct sockaddr_any *to,
				    struct udp6_send *s, int *ret_err)
{
	const struct in6_addr *final;
	struct dst_entry *dst;

	*ret_err = udp6_destination(sk, msg, to, s);
	if (*ret_err)
		return NULL;
	*ret_err = udp6_init_flow(sk, msg, s, &final);
	if (*ret_err)
		return NULL;
	dst = ip6_sk_dst_lookup_flow(sk, &s->fl6, final, s->connected,
				     ret_err);
	if (dst && s->ipc6.hlimit < 0)
		s->ipc6.hlimit = ip6_sk_dst_hoplimit(udp6_sk(sk), &s->fl6, dst);
	return dst;
}

/* net/ipv6/datagram.c, if the series that makes it had been merged: the same
 * reads in the same order, behind a call, with what it found in a structure on
 * the caller's stack.  Stands here since no other kind of socket is modelled.
 * Its own instructions are those of the call alone: nothing measured says which
 * part of udpv6_sendmsg()'s moved. */
static struct dst_entry *ip6_datagram_send_common(struct sock *sk,
						  const struct msghdr *msg,
						  const struct sockaddr_any *to,
						  struct udp6_send *s,
						  int *ret_err)
{
	FUNCTION(ip6_datagram_send_common);
	return udp6_route(sk, msg, to, s, ret_err);
}

/* The way of one datagram, when it is known where it goes. */
static int udp6_send_to(struct sock *sk, const struct msghdr *msg,
			const struct sockaddr_any *to, u32 len,
			struct udp6_send *s)
{
	struct dst_entry *dst;
	int err;

	if (has(IPV6_SENDMSG_UNIFY))
		dst = ip6_datagram_send_common(sk, msg, to, s, &err);
	else
		dst = udp6_route(sk, msg, to, s, &err);
	if (!dst)
		return err;
	if (msg->msg_flags & MSG_CONFIRM) {
		if (has(SOCK_PENDING_CONFIRM))
			WORK(3);	/* the packet will carry it */
		else
			dst_confirm(dst);
	}
	return udp6_send(sk, msg, len, s, dst);
}

/* A datagram is in the making: this is more of it, wherever it was to go.
 * False: another task had it, and it has gone meanwhile. */
static bool udp6_send_more(struct sock *sk, const struct msghdr *msg, u32 len,
			   const struct udp6_send *s, int *err)
{
	u32 pending;

	lock_sock_nested(sk);
	pending = READ(&udp6_sk(sk)->udp, pending);
	*err = -EAFNOSUPPORT;
	if (pending == PF_INET6)
		*err = udp6_append(sk, msg, len, s, NULL);
	release_sock(sk);
	return pending;
}

static void udp6_init_cookie(struct sock *sk, const struct msghdr *msg,
			     struct udp6_send *s)
{
	struct udp6_sock *up6 = INET6_SK(sk);

	s->corkreq = READ_ONCE(&up6->udp, corkflag) ||
		     msg->msg_flags & MSG_MORE;
	s->udplite = is_udplite(sk);
	s->getfrag = s->udplite ? udplite_getfrag : ip_generic_getfrag;
	s->ipc6.hlimit = -1;
	s->ipc6.tclass = -1;
	s->ipc6.dontfrag = -1;
	if (has(UDP_GSO))
		s->ipc6.gso_size = READ_ONCE(&up6->udp, gso_size);
	if (has(SOCK_TSFLAGS))
		(void)READ(sk, sk_tsflags);
	s->ipc6.mark = READ(sk, sk_mark);
}

int udpv6_sendmsg(struct sock *sk, struct msghdr *msg, u32 len)
{
	struct udp6_sock *up6 = udp6_sk(sk);
	struct sockaddr_any to = { 0 };
	struct udp6_send s = { 0 };
	u32 pending;
	int err;

	FUNCTION(udpv6_sendmsg);
	STACK_PROTECTOR();
	udp6_init_cookie(sk, msg, &s);
	err = msg->msg_name ? udp6_check_name(up6, msg, &to) :
	      udp6_check_peer(up6, &to);
	if (err)
		return err;
	if (to.family == PF_INET || ipv6_addr_v4mapped(&to.daddr6))
		return udp6_over_ipv4(up6, msg, &to, len);
	if (len > INT32_MAX - UDP_HLEN)
		return -EMSGSIZE;
	pending = READ_ONCE(&up6->udp, pending);
	if (pending == PF_INET)
		return udp_sendmsg(sk, msg, len);
	if (!pending || !udp6_send_more(sk, msg, len, &s, &err)) {
		err = udp6_send_to(sk, msg, &to, len, &s);
		fl6_sock_release(s.flowlabel);
		txopt_put(s.held);
	}
	if (!err)
		return (int)len;
	if (err == -ENOBUFS)
		UDP6_INC_STATS(READ(sk, sk_net), UDP_MIB_SNDBUFERRORS,
			       s.udplite);
	return err;
}
