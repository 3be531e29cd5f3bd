/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/udplite.c: UDP-Lite over IPv6 goes the ways of UDP over IPv6,
 *
 *	udpv6_sendmsg -> ip6_make_skb -> udplite_getfrag
 *	udp_v6_send_skb -> udplite_csum
 *	udplitev6_rcv -> __udp6_lib_rcv -> udp6_csum_init
 *
 * with the table of UDP-Lite.  What is its own is in ipv4/udplite.c.
 */
#include "stack/include/linux/slab.h"
#include "stack/include/net/udp.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"
#include "stack/net/ipv6/udplite.h"

int udplitev6_rcv(struct sk_buff *skb)
{
	return __udp6_lib_rcv(skb, udplite_room()->table,
			      IPPROTO_UDPLITE_NUMBER);
}

void udplitev6_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
		   u32 info)
{
	const struct icmp_report report = {
		.network = network, .at = at, .type = type, .code = code,
		.info = info,
	};

	__udp6_lib_err(skb, &report, udplite_room()->table);
}

void udplitev6_init(struct kernel *kernel, struct udplite_room *room)
{
	struct proto *prot = STATIC_OBJECT(kernel, proto, 0);

	room->cache6 = kmem_cache_create(kernel, "UDPLITEv6", STRUCT_udp6_sock,
					 sizeof(struct udp6_sock), 0, 0,
					 udp_slab_flags(kernel));
	room->prot6 = prot;
	udplite_prot_init(kernel, prot);
	prot->slab = room->cache6;
	prot->obj_size = sizeof(struct udp6_sock);
	prot->destroy = udpv6_destroy_sock;
	prot->connect = ip6_datagram_connect;
	prot->sendmsg = udpv6_sendmsg;
	prot->recvmsg = udpv6_recvmsg;
	prot->get_port = udp_v6_get_port;
	prot->inuse_idx = UDPLITEV6_INUSE_IDX;
	/* See udplite4_register(). */
	if (!kernel_has(kernel, UDPLITE_BACKLOG))
		prot->backlog_rcv = udpv6_queue_rcv_skb;
	if (kernel_has(kernel, UDPLITE_REHASH))
		prot->rehash = udp_v6_rehash;
	kernel->init_net->mib.udplite_stats_in6 =
		udplite_mibs_new(kernel, true);
}
