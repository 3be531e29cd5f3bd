/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/udp.c: UDP over IPv4, the sending half. */
#include <errno.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/random.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/route_cache.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_offload.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"

void security_sk_classify_flow(void)
{
	FUNCTION(security_sk_classify_flow);
	(void)READ(this_kernel()->net_core->sockets->security_ops,
		   sk_getsecid);
}

bool is_udplite(struct sock *sk)
{
	if (has(UDPLITE_BY_PROTOCOL))
		return READ(sk, sk_protocol) == IPPROTO_UDPLITE_NUMBER;
	return READ((struct udp_sock *)(void *)sk, pcflag);
}

/* In software, of a datagram whose first packet was to be summed up by the
 * device before others came behind it. */
static void udp_csum_parts(struct sk_buff *skb, struct sk_buff *rest, u8 *uh,
			   u32 saddr, u32 daddr, u32 len)
{
	u32 at = READ(skb, transport_header), first = len, sum = 0;
	u16 check;

	for (; rest; rest = READ(rest, next)) {
		sum = csum_add(sum, READ(rest, csum));
		first -= READ(rest, len);
	}
	sum = skb_checksum(skb, at, first, sum);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
	check = csum_fold(csum_tcpudp_nofold(saddr, daddr, len,
					     IPPROTO_UDP_NUMBER, sum));
	put_be16(uh + 6, check ? check : 0xffff);
	WRITE_SKB_DATA(skb, at + 6, 2);
}

/* The device sums up: the pseudo header is all that goes in here. */
static void udp4_hwcsum(struct sk_buff *skb, u8 *uh, u32 saddr, u32 daddr,
			u32 len)
{
	u32 at = READ(skb, transport_header);
	struct sk_buff *rest = READ(&skb->head->shinfo, frag_list);

	if (rest) {
		udp_csum_parts(skb, rest, uh, saddr, daddr, len);
		return;
	}
	WRITE(skb, csum_start, (u16)at);
	WRITE(skb, csum_offset, 6);
	put_be16(uh + 6, (u16)~csum_fold(csum_tcpudp_nofold(saddr, daddr, len,
						IPPROTO_UDP_NUMBER, 0)));
	WRITE_SKB_DATA(skb, at + 6, 2);
}

u32 udp_csum_outgoing(struct sk_buff *skb, const u8 *uh)
{
	u32 sum = csum_partial(uh, UDP_HLEN, READ(skb, csum));

	/* The other parts are joined to it, or still wait behind it. */
	skb = skb->head->shinfo.frag_list ?
	      READ(&skb->head->shinfo, frag_list) : skb->next;
	for (; skb; skb = READ(skb, next))
		sum = csum_add(sum, READ(skb, csum));
	return sum;
}

/* The copy has summed up the data, but that of UDP-Lite; the header's part is
 * added here.  A sum of zero is sent as all ones, since zero means that there
 * is none. */
static void udp_csum(struct sock *sk, struct sk_buff *skb, u8 *uh,
		     const struct flowi4 *fl4, u32 len, bool udplite)
{
	u32 at = READ(skb, transport_header), sum;
	u16 check;

	sum = udplite ? udplite_csum(sk, skb, at, len) :
			udp_csum_outgoing(skb, uh);
	check = csum_fold(csum_tcpudp_nofold(fl4->saddr, fl4->daddr, len,
					     fl4->flowi4_proto, sum));
	put_be16(uh + 6, check ? check : 0xffff);
	WRITE_SKB_DATA(skb, at + 6, 2);
}

static int udp_send_skb(struct sk_buff *skb, const struct flowi4 *fl4,
			const struct ip_cork *cork)
{
	struct sock *sk = READ(skb, sk);
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct net *net;
	u32 at = READ(skb, transport_header);
	u32 len = READ(skb, len) - IP_HLEN;
	bool udplite;
	u8 *uh;
	int err;

	FUNCTION(udp_send_skb);
	(void)READ(skb, head);
	uh = skb_bytes(skb, at);
	put_be16(uh, READ(inet, inet_sport));
	put_be16(uh + 2, fl4->fl4_dport);
	put_be16(uh + 4, (u16)len);
	put_be16(uh + 6, 0);
	WRITE_SKB_DATA(skb, at, UDP_HLEN);
	if (cork->gso_size) {
		err = udp_gso_prepare(sk, skb, cork->gso_size, cork->fragsize,
				      len);
		if (err) {
			kfree_skb(skb);
			return err;
		}
	}
	udplite = is_udplite(sk);
	if (!udplite && READ(sk, sk_no_check))
		WRITE(skb, ip_summed, CHECKSUM_NONE);
	else if (!udplite && READ(skb, ip_summed) == CHECKSUM_PARTIAL)
		udp4_hwcsum(skb, uh, fl4->saddr, fl4->daddr, len);
	else
		udp_csum(sk, skb, uh, fl4, len, udplite);
	err = ip_send_skb(skb);
	net = READ(sk, sk_net);
	if (!err) {
		UDP_INC_STATS(net, UDP_MIB_OUTDATAGRAMS, udplite);
	} else if (err == -ENOBUFS && !READ(inet, recverr)) {
		/* A full queue is no error to those who did not ask. */
		UDP_INC_STATS(net, UDP_MIB_SNDBUFERRORS, udplite);
		err = 0;
	}
	return err;
}

/* Where does it go?  A connected socket knows; else the message says. */
static int udp_destination(struct sock *sk, const struct msghdr *msg,
			   struct flowi4 *fl4, bool *connected)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;

	if (msg->msg_name) {
		const struct sockaddr_any *usin = msg->msg_name;

		if (msg->msg_namelen < SOCKADDR_IN_SIZE)
			return -EINVAL;
		if (usin->family != PF_INET && usin->family != 0)
			return -EAFNOSUPPORT;
		if (!usin->port)
			return -EINVAL;
		fl4->daddr = usin->daddr;
		fl4->fl4_dport = usin->port;
		return 0;
	}
	if (READ(sk, sk_state) != TCP_ESTABLISHED)
		return -EDESTADDRREQ;
	fl4->daddr = READ(inet, inet_daddr);
	fl4->fl4_dport = READ(inet, inet_dport);
	*connected = true;
	return 0;
}

/* The route: the socket's own where it is connected and still good, else one
 * looked up for this datagram. */
static struct rtable *udp_route(struct sock *sk, struct flowi4 *fl4,
				bool connected, int *err)
{
	struct rtable *rt = NULL;

	if (connected)
		rt = (struct rtable *)(void *)sk_dst_check(sk, 0);
	if (rt) {
		/* The flow is the one that connect() left in the socket. */
		struct inet_sock *inet = (struct inet_sock *)(void *)sk;

		fl4->saddr = READ(inet, cork.fl.saddr);
		fl4->daddr = READ(inet, cork.fl.daddr);
		fl4->fl4_dport = READ(inet, cork.fl.fl4_dport);
		return rt;
	}
	if (has(UDP_ROUTE_FLAGS))
		(void)READ(sk, sk_flags);	/* local routes only? */
	if (has(SOCK_UID))
		(void)READ(sk, sk_uid);
	security_sk_classify_flow();
	rt = ip_route_output_flow(READ(sk, sk_net), fl4, sk, err);
	if (!rt) {
		if (*err == -ENETUNREACH)
			IP_INC_STATS(READ(sk, sk_net), IPSTATS_MIB_OUTNOROUTES);
		return NULL;
	}
	if (connected) {
		ATOMIC_INC(&rt->dst, __refcnt);
		sk_dst_set(sk, &rt->dst);
	}
	return rt;
}

/* A broadcast needs the socket's permission.  The limited one may take any
 * route, so the route's flags do not tell it. */
static bool may_send(const struct sock *sk, const struct rtable *rt, u32 daddr)
{
	if (!(READ(rt, rt_flags) & RTCF_BROADCAST) && daddr != INADDR_BROADCAST)
		return true;
	return READ(sk, sk_flags) >> SOCK_BROADCAST & 1;
}

/* What the message says beside the name.  The look-up of a route asks whether
 * such a source and such a device are this host's; of sockets' own that is
 * known, so it is done here. */
static int udp_control(struct sock *sk, const struct msghdr *msg,
		       struct ipcm_cookie *ipc)
{
	struct net *net = READ(sk, sk_net);
	int err;

	err = has(UDP_GSO) ? udp_cmsg_send(msg, &ipc->gso_size) : 1;
	if (err > 0)
		err = ip_cmsg_send(msg, ipc,
				   READ(sk, sk_family) == PF_INET6);
	if (err)
		return err;
	if (ipc->addr && !__ip_dev_find(net, ipc->addr))
		return -EINVAL;
	if (ipc->oif && !dev_get_by_index_rcu(net, ipc->oif))
		return -ENODEV;
	return 0;
}

/* A flow from what the socket says of itself, and the message of its packet; 0
 * or -errno. */
static int udp_init_flow(struct sock *sk, const struct msghdr *msg,
			 struct flowi4 *fl4, struct ipcm_cookie *ipc)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	int err;

	fl4->saddr = READ(inet, inet_saddr);
	fl4->flowi4_oif = READ(sk, sk_bound_dev_if);
	if (has(SOCK_TSFLAGS)) {
		(void)READ(sk, sk_tsflags);
	} else {
		FUNCTION(sock_tx_timestamp);
		(void)READ(sk, sk_flags);
	}
	if (has(UDP_GSO))
		ipc->gso_size = READ_ONCE((struct udp_sock *)(void *)sk,
					  gso_size);
	if (msg->msg_controllen) {
		err = udp_control(sk, msg, ipc);
		if (err)
			return err;
		if (ipc->addr)
			fl4->saddr = ipc->addr;
		if (ipc->oif)
			fl4->flowi4_oif = ipc->oif;
	}
	rcu_read_lock();
	(void)READ_ONCE(inet, inet_opt);
	rcu_read_unlock();
	fl4->flowi4_tos = ipc->tos < 0 ? READ(inet, tos) : (u8)ipc->tos;
	if (fl4->daddr >> 28 != 0xe) {
		(void)READ(inet, uc_index);
	} else {
		if (!fl4->flowi4_oif)
			fl4->flowi4_oif = READ(inet, mc_index);
		if (!fl4->saddr)
			fl4->saddr = READ(inet, mc_addr);
	}
	fl4->flowi4_mark = ipc->marked ? ipc->mark : READ(sk, sk_mark);
	fl4->flowi4_proto = READ(sk, sk_protocol);
	fl4->fl4_sport = READ(inet, inet_sport);
	return 0;
}

/* ---- at once, or in the socket ---- */

static int udp_send_at_once(struct sock *sk, const struct flowi4 *fl4,
			    const struct ipcm_cookie *ipc, getfrag_t getfrag,
			    const struct msghdr *msg, u32 len,
			    struct rtable **rt)
{
	struct ip_cork cork;
	struct sk_buff *skb;
	int err;

	skb = ip_make_skb(sk, fl4, &cork, ipc, getfrag, msg->data, len, rt,
			  msg->msg_flags, &err);
	return skb ? udp_send_skb(skb, fl4, &cork) : err;
}

int udp_push_pending_frames(struct sock *sk)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct udp_sock *up = (struct udp_sock *)(void *)sk;
	struct flowi4 fl4 = { 0 };
	struct ip_cork cork;
	struct sk_buff *skb;
	int err = 0;

	FUNCTION(udp_push_pending_frames);
	fl4.saddr = READ(inet, cork.fl.saddr);
	fl4.daddr = READ(inet, cork.fl.daddr);
	fl4.fl4_dport = READ(inet, cork.fl.fl4_dport);
	fl4.flowi4_proto = READ(sk, sk_protocol);
	skb = ip_finish_skb(sk, &fl4, &cork);
	if (skb)
		err = udp_send_skb(skb, &fl4, &cork);
	WRITE(up, len, 0);
	WRITE_ONCE(up, pending, 0);
	return err;
}

void udp_flush_pending_frames(struct sock *sk)
{
	struct udp_sock *up = (struct udp_sock *)(void *)sk;

	FUNCTION(udp_flush_pending_frames);
	if (!READ(up, pending))
		return;
	WRITE(up, len, 0);
	WRITE_ONCE(up, pending, 0);
	ip_flush_pending_frames(sk);
}

/* Adds `length` bytes to what the socket has, and sends it unless more is to
 * come.  After an error all of it is lost. */
static int udp_append(struct sock *sk, const struct ipcm_cookie *ipc,
		      getfrag_t getfrag, const struct msghdr *msg, u32 length,
		      bool corkreq, struct rtable **rt)
{
	struct udp_sock *up = (struct udp_sock *)(void *)sk;
	int err;

	UPDATE(up, len, += (u16)length);
	err = ip_append_data(sk, ipc, getfrag, msg->data, length, rt,
			     corkreq ? msg->msg_flags | MSG_MORE :
				       msg->msg_flags);
	if (err)
		udp_flush_pending_frames(sk);
	else if (!corkreq)
		err = udp_push_pending_frames(sk);
	else if (!READ(sk, sk_write_queue.next))
		WRITE_ONCE(up, pending, 0);
	return err;
}

/* The first part of a datagram that others are to follow. */
static int udp_cork(struct sock *sk, const struct flowi4 *fl4,
		    const struct ipcm_cookie *ipc, getfrag_t getfrag,
		    const struct msghdr *msg, u32 len, struct rtable **rt)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct udp_sock *up = (struct udp_sock *)(void *)sk;
	int err = -EINVAL;

	lock_sock_nested(sk);
	/* Unless another task was first. */
	if (!READ(up, pending)) {
		WRITE(inet, cork.fl.daddr, fl4->daddr);
		WRITE(inet, cork.fl.saddr, fl4->saddr);
		WRITE(inet, cork.fl.fl4_dport, fl4->fl4_dport);
		WRITE(inet, cork.fl.fl4_sport, READ(inet, inet_sport));
		WRITE_ONCE(up, pending, PF_INET);
		err = udp_append(sk, ipc, getfrag, msg, len + UDP_HLEN, true,
				 rt);
	}
	release_sock(sk);
	return err;
}

/* A datagram is in the making: this is more of it, wherever it was to go.
 * False: it has gone meanwhile. */
static bool udp_send_more(struct sock *sk, getfrag_t getfrag,
			  const struct msghdr *msg, u32 len, bool corkreq,
			  int *err)
{
	struct udp_sock *up = (struct udp_sock *)(void *)sk;
	struct rtable *rt = NULL;
	u32 pending;

	lock_sock_nested(sk);
	pending = READ(up, pending);
	*err = -EINVAL;		/* it is the other family's */
	if (pending == PF_INET)
		*err = udp_append(sk, NULL, getfrag, msg, len, corkreq, &rt);
	release_sock(sk);
	if (*err == -ENOBUFS)
		UDP_INC_STATS(READ(sk, sk_net), UDP_MIB_SNDBUFERRORS,
			      is_udplite(sk));
	if (!*err)
		*err = (int)len;
	return pending;
}

/* ---- options ---- */

/* What had to wait goes when the socket is uncorked; that may fail unnoticed. */
int udp_lib_setsockopt(struct sock *sk, int option, u32 value)
{
	struct udp_sock *up = (struct udp_sock *)(void *)sk;

	FUNCTION(udp_lib_setsockopt);
	if (option != UDP_CORK) {
		int err = udp_gso_setsockopt(sk, option, value);

		return err > 0 ? udplite_setsockopt(sk, option, value) : err;
	}
	WRITE_ONCE(up, corkflag, value != 0);
	if (value)
		return 0;
	lock_sock_nested(sk);
	if (READ(sk, sk_family) == PF_INET6)
		(void)udp_v6_push_pending_frames(sk);
	else
		(void)udp_push_pending_frames(sk);
	release_sock(sk);
	return 0;
}

int udp_lib_getsockopt(struct sock *sk, int option, u32 *value)
{
	FUNCTION(udp_lib_getsockopt);
	if (option != UDP_CORK) {
		int err = udp_gso_getsockopt(sk, option, value);

		return err > 0 ? udplite_getsockopt(sk, option, value) : err;
	}
	*value = READ_ONCE((struct udp_sock *)(void *)sk, corkflag);
	return 0;
}

int udp_sendmsg(struct sock *sk, struct msghdr *msg, u32 len)
{
	struct udp_sock *up = (struct udp_sock *)(void *)sk;
	struct ipcm_cookie ipc = { .tos = -1 };
	struct flowi4 fl4 = { 0 };
	bool connected = false, corkreq, udplite;
	getfrag_t getfrag;
	struct rtable *rt;
	int err = 0;

	FUNCTION(udp_sendmsg);
	STACK_PROTECTOR();
	if (!HAS_IPV4_ROUTES())
		return not_modelled(NO_IPV4_MODEL);
	if (len > 0xffff)
		return -EMSGSIZE;
	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	corkreq = READ_ONCE(up, corkflag) || msg->msg_flags & MSG_MORE;
	udplite = is_udplite(sk);
	getfrag = udplite ? udplite_getfrag : ip_generic_getfrag;
	if (READ_ONCE(up, pending) &&
	    udp_send_more(sk, getfrag, msg, len, corkreq, &err))
		return err;
	err = udp_destination(sk, msg, &fl4, &connected);
	if (err)
		return err;
	err = udp_init_flow(sk, msg, &fl4, &ipc);
	if (err)
		return err;
	if (msg->msg_controllen)
		connected = false;
	rt = udp_route(sk, &fl4, connected, &err);
	if (!rt)
		return err;
	if (!may_send(sk, rt, fl4.daddr)) {
		dst_release(&rt->dst);
		return -EACCES;
	}
	if (!fl4.saddr)
		fl4.saddr = READ((struct inet_sock *)(void *)sk, inet_saddr);
	if (msg->msg_flags & MSG_CONFIRM && has(DST_PENDING_CONFIRM))
		dst_confirm(&rt->dst);
	else if (msg->msg_flags & MSG_CONFIRM)
		rt_cache_confirm(rt);
	err = corkreq ?
	      udp_cork(sk, &fl4, &ipc, getfrag, msg, len, &rt) :
	      udp_send_at_once(sk, &fl4, &ipc, getfrag, msg, len, &rt);
	dst_release(rt ? &rt->dst : NULL);
	if (!err)
		return (int)len;
	if (err == -ENOBUFS)
		UDP_INC_STATS(READ(sk, sk_net), UDP_MIB_SNDBUFERRORS, udplite);
	return err;
}

void udp_lib_close(struct sock *sk)
{
	sk_common_release(sk);
}

int udp_init_sock(struct sock *sk)
{
	FUNCTION(udp_init_sock);
	if (has(UDP_READER_QUEUE))
		WRITE(udp_sk(sk), reader_queue.next, NULL);
	WRITE(sk, sk_destruct, inet_sock_destruct);
	ATOMIC_INC(READ(sk, sk_socket), flags);
	return 0;
}

/* What waits to be sent by it is lost. */
void udp_destroy_sock(struct sock *sk)
{
	bool slow;

	FUNCTION(udp_destroy_sock);
	slow = lock_sock_fast(sk);
	if (READ((struct udp_sock *)(void *)sk, pending))
		udp_flush_pending_frames(sk);
	unlock_sock_fast(sk, slow);
}

/* Lookups that may meet a freed socket need its memory to stay a socket's; the
 * flag outlived them for a while. */
u32 udp_slab_flags(const struct kernel *kernel)
{
	return SLAB_HWCACHE_ALIGN | (kernel_has(kernel, UDP_SLAB_PLAIN) ? 0 :
				     SLAB_DESTROY_BY_RCU);
}

void udp_init(struct kernel *kernel)
{
	struct socket_room *room = kernel->net_core->sockets;

	udp_table_init(kernel);
	random_init(kernel);
	room->udp_cache = kmem_cache_create(kernel, "UDP", STRUCT_udp_sock,
					    sizeof(struct udp_sock), 0, 0,
					    udp_slab_flags(kernel));
	room->udp_prot = STATIC_OBJECT(kernel, proto, 0);
	room->udp_prot->sendmsg = udp_sendmsg;
	room->udp_prot->recvmsg = udp_recvmsg;
	room->udp_prot->backlog_rcv = __udp_queue_rcv_skb;
	room->udp_prot->slab = room->udp_cache;
	room->udp_prot->obj_size = sizeof(struct udp_sock);
	if (kernel_has(kernel, UDP_INIT_SOCK))
		room->udp_prot->init = udp_init_sock;
	room->udp_prot->close = udp_lib_close;
	room->udp_prot->destroy = udp_destroy_sock;
	room->udp_prot->connect = ip4_datagram_connect;
	room->udp_prot->disconnect = udp_disconnect;
	room->udp_prot->get_port = udp_v4_get_port;
	room->udp_prot->unhash = udp_lib_unhash;
	room->udp_prot->rehash = udp_v4_rehash;
	room->udp_prot->inuse_idx = UDP_INUSE_IDX;
	room->udp_prot->h = kernel->ipv4->udp->table;
	if (kernel_has(kernel, DATAGRAM_RELEASE_CB))
		room->udp_prot->release_cb = ip4_datagram_release_cb;
	room->inet_dgram_ops = STATIC_OBJECT(kernel, proto_ops, 0);
	room->inet_dgram_ops->connect = inet_dgram_connect;
	room->inet_dgram_ops->bind = inet_bind;
	room->inet_dgram_ops->getname = inet_getname;
	room->inet_dgram_ops->sendmsg = inet_sendmsg;
	room->inet_dgram_ops->recvmsg = inet_recvmsg;
	room->inet_dgram_ops->release = inet_release;
}

void udp_exit(struct kernel *kernel)
{
	udplite_exit(kernel);
	random_exit(kernel);
	udp_table_exit(kernel);
}
