/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/udp.c: a socket's beginning and end, and the table of what
 * can be done with one. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/udp.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

int udpv6_init_sock(struct sock *sk)
{
	return udp_init_sock(sk);
}

void udpv6_destroy_sock(struct sock *sk)
{
	FUNCTION(udpv6_destroy_sock);
	lock_sock_nested(sk);
	if (READ(udp_sk(sk), pending))
		udp_v6_flush_pending_frames(sk);
	release_sock(sk);
	if (!has(INET6_SOCK_DESTRUCT))
		inet6_destroy_sock(sk);
}

void udpv6_init(struct kernel *kernel)
{
	struct socket_room *room = kernel->net_core->sockets;

	room->udp6_cache = kmem_cache_create(kernel, "UDPv6", STRUCT_udp6_sock,
					     sizeof(struct udp6_sock), 0, 0,
					     udp_slab_flags(kernel));
	room->udpv6_prot = STATIC_OBJECT(kernel, proto, 0);
	room->udpv6_prot->sendmsg = udpv6_sendmsg;
	room->udpv6_prot->recvmsg = udpv6_recvmsg;
	room->udpv6_prot->backlog_rcv = kernel_has(kernel, SK_BACKLOG_LIMIT) ?
		__udp_queue_rcv_skb : udpv6_queue_rcv_skb;
	room->udpv6_prot->slab = room->udp6_cache;
	room->udpv6_prot->obj_size = sizeof(struct udp6_sock);
	if (kernel_has(kernel, UDP_INIT_SOCK))
		room->udpv6_prot->init = udpv6_init_sock;
	room->udpv6_prot->close = udp_lib_close;
	room->udpv6_prot->destroy = udpv6_destroy_sock;
	room->udpv6_prot->connect = ip6_datagram_connect;
	room->udpv6_prot->disconnect = udp_disconnect;
	room->udpv6_prot->get_port = udp_v6_get_port;
	room->udpv6_prot->unhash = udp_lib_unhash;
	room->udpv6_prot->rehash = udp_v6_rehash;
	room->udpv6_prot->inuse_idx = UDPV6_INUSE_IDX;
	room->udpv6_prot->h = kernel->ipv4->udp->table;
	if (kernel_has(kernel, IP6_DATAGRAM_RELEASE_CB))
		room->udpv6_prot->release_cb = ip6_datagram_release_cb;
	room->inet6_dgram_ops = STATIC_OBJECT(kernel, proto_ops, 0);
	room->inet6_dgram_ops->release = inet6_release;
	room->inet6_dgram_ops->connect = inet_dgram_connect;
	room->inet6_dgram_ops->bind = inet6_bind;
	room->inet6_dgram_ops->getname = inet6_getname;
	room->inet6_dgram_ops->recvmsg = inet_recvmsg;
	room->inet6_dgram_ops->sendmsg = kernel_has(kernel, INET6_SENDMSG) ?
					 inet6_sendmsg : inet_sendmsg;
}
