/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udplite.c and include/net/udplite.h, and of net/ipv4/udp.c
 * what is there for UDP-Lite alone: its sockets go the ways of UDP's, with a
 * table, a cache and counters of their own.
 *
 *	udp_sendmsg -> ip_make_skb -> udplite_getfrag	copies
 *	udp_send_skb -> udplite_csum			sums up what is covered
 *	udplite_rcv -> __udp4_lib_rcv -> udp4_csum_init -> udplite_checksum_init
 *	udp_queue_rcv_skb				is enough of it covered?
 *	udp_recvmsg					verifies, then copies
 *
 * No device sums it up.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/udp_csum.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv4/udplite.h"
#include "stack/net/ipv6/udplite.h"

#define CHECKSUM_BREAK 76u	/* what is short enough to be summed up at once */

/* ---- what is sent ---- */

int udplite_getfrag(struct sk_buff *skb, struct frag_page *page, const u8 *from,
		    u32 at, u32 len, u32 odd)
{
	(void)odd;
	FUNCTION(udplite_getfrag);
	check_object_size(page ? (const void *)page : skb->head, at, len,
			  false);
	{
		FUNCTION(memcpy_fromiovecend);
		REP_STRING(2);
	}
	copy_from_user(skb, page, from, at, len);
	return 0;
}

/* What is to be covered of `len` bytes.  Less than all is written into the
 * header; so is 0, which means all. */
static u32 udplite_sender_cscov(struct udp_sock *up, struct sk_buff *skb,
				u32 at, u32 len)
{
	u32 pcslen;

	if (!(READ(up, pcflag) & UDPLITE_SEND_CC))
		return len;
	pcslen = READ(up, pcslen);
	if (pcslen >= len)
		return len;
	put_be16(skb_bytes(skb, at + 4), (u16)pcslen);
	WRITE_SKB_DATA(skb, at + 4, 2);
	return pcslen ? pcslen : len;
}

/* net/core/skbuff.c: over `len` bytes of a packet from `at` on, and of its
 * parts from their data on, each of which but the last has an even length. */
static u32 sum_parts(struct sk_buff *skb, u32 at, u32 len)
{
	struct sk_buff *part = skb;
	u32 sum = 0, n;

	FUNCTION(skb_checksum);
	for (;;) {
		n = READ(part, tail) - at;
		if (n < len)
			n += skb_paged_len(part);
		n = MIN(n, len);
		sum = csum_add(sum, skb_checksum(part, at, n, 0));
		len -= n;
		if (!len)
			return sum;
		if (part == skb && skb->head->shinfo.frag_list)
			part = READ(&skb->head->shinfo, frag_list);
		else
			part = READ(part, next);
		at = READ(part, transport_header);
	}
}

u32 udplite_csum(struct sock *sk, struct sk_buff *skb, u32 at, u32 len)
{
	u32 cscov = udplite_sender_cscov(udp_sk(sk), skb, at, len);

	WRITE(skb, ip_summed, CHECKSUM_NONE);
	return sum_parts(skb, at, cscov);
}

/* ---- what comes in ---- */

int udplite_rcv(struct sk_buff *skb)
{
	return __udp4_lib_rcv(skb, udplite_room()->table,
			      IPPROTO_UDPLITE_NUMBER);
}

void udplite_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
		 u32 info)
{
	const struct icmp_report report = {
		.network = network, .at = at, .type = type, .code = code,
		.info = info,
	};

	__udp4_lib_err(skb, &report, udplite_room()->table);
}

bool udplite_checksum_init(struct sk_buff *skb, u32 transport, u32 len)
{
	const u8 *uh = skb_bytes(skb, transport);
	u32 cscov = get_be16(uh + 4);

	WORK(10);
	WRITE(skb, cb.partial_cov, 0);
	WRITE(skb, cb.cscov, (u16)len);
	if (!get_be16(uh + 6))
		return false;
	if (!cscov)
		return true;
	if (cscov < UDPLITE_LEAST_COVERAGE || cscov > len)
		return false;
	if (cscov < len) {
		WRITE(skb, cb.partial_cov, 1);
		WRITE(skb, cb.cscov, (u16)cscov);
	}
	return true;
}

/* The first kernels that verify the short ones at once sum up all of them, too,
 * where less is covered: such datagrams never arrive there. */
bool udplite_checksum_small(struct sk_buff *skb, u32 transport, u32 len)
{
	if (!has(SKB_CHECKSUM_INIT) || len > CHECKSUM_BREAK)
		return true;
	if (has(UDPLITE_PARTIAL_INIT) && READ(skb, cb.partial_cov))
		return true;
	return __skb_checksum_complete(skb, transport, len);
}

u32 udplite_coverage(struct sk_buff *skb, u32 len)
{
	if (!READ(skb, cb.partial_cov))
		return len;
	return READ(skb, cb.cscov);
}

/* Who wants all covered gets nothing that is not. */
bool udplite_covers_enough(struct sock *sk, struct sk_buff *skb)
{
	u32 pcrlen;

	if (!READ(skb, cb.partial_cov))
		return true;
	pcrlen = READ(udp_sk(sk), pcrlen);
	return pcrlen && READ(skb, cb.cscov) >= pcrlen;
}

/* ---- options ---- */

/* 0 is all; else not less than the header, nor more than its field can say. */
static u16 coverage_option(u32 value)
{
	s32 val = (s32)value;

	if (val && val < (s32)UDPLITE_LEAST_COVERAGE)
		return UDPLITE_LEAST_COVERAGE;
	return (u16)MIN(val, UINT16_MAX);
}

int udplite_setsockopt(struct sock *sk, int option, u32 value)
{
	struct udp_sock *up = udp_sk(sk);

	if ((option != UDPLITE_SEND_CSCOV && option != UDPLITE_RECV_CSCOV) ||
	    !is_udplite(sk))
		return -ENOPROTOOPT;
	if (option == UDPLITE_SEND_CSCOV) {
		WRITE(up, pcslen, coverage_option(value));
		UPDATE(up, pcflag, |= UDPLITE_SEND_CC);
	} else {
		WRITE(up, pcrlen, coverage_option(value));
		UPDATE(up, pcflag, |= UDPLITE_RECV_CC);
	}
	return 0;
}

/* Of UDP's sockets, too: all is covered. */
int udplite_getsockopt(struct sock *sk, int option, u32 *value)
{
	if (option == UDPLITE_SEND_CSCOV)
		*value = READ(udp_sk(sk), pcslen);
	else if (option == UDPLITE_RECV_CSCOV)
		*value = READ(udp_sk(sk), pcrlen);
	else
		return -ENOPROTOOPT;
	return 0;
}

/* ---- beginning and end ---- */

int udplite_sk_init(struct sock *sk)
{
	if (has(UDP_INIT_SOCK))
		udp_init_sock(sk);
	FUNCTION(udplite_sk_init);
	WRITE(udp_sk(sk), pcflag, UDPLITE_BIT);
	return 0;
}

struct udp_mib **udplite_mibs_new(struct kernel *kernel, bool ipv6)
{
	u32 i, n = kernel->machine->num_cpus;
	struct udp_mib **mibs = g_new(struct udp_mib *, n);

	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		mibs[i] = ipv6 ?
			&STATIC_OBJECT(kernel, udp_stats_in6, node)->mib :
			STATIC_OBJECT(kernel, udp_mib, node);
	}
	return mibs;
}

void udplite_prot_init(struct kernel *kernel, struct proto *prot)
{
	prot->close = udp_lib_close;
	prot->init = udplite_sk_init;
	prot->disconnect = udp_disconnect;
	prot->unhash = udp_lib_unhash;
	prot->backlog_rcv = __udp_queue_rcv_skb;
	prot->h = kernel->ipv4->udp->udplite->table;
}

static void udplite4_register(struct kernel *kernel, struct udplite_room *room)
{
	struct proto *prot;

	room->table = udp_table_new(kernel);
	room->cache = kmem_cache_create(kernel, "UDP-Lite", STRUCT_udp_sock,
					sizeof(struct udp_sock), 0, 0,
					udp_slab_flags(kernel));
	room->prot = prot = STATIC_OBJECT(kernel, proto, 0);
	udplite_prot_init(kernel, prot);
	prot->slab = room->cache;
	prot->obj_size = sizeof(struct udp_sock);
	prot->destroy = udp_destroy_sock;
	prot->connect = ip4_datagram_connect;
	prot->sendmsg = udp_sendmsg;
	prot->recvmsg = udp_recvmsg;
	prot->get_port = udp_v4_get_port;
	prot->inuse_idx = UDPLITE_INUSE_IDX;
	/* Forgotten when UDP's handlers got their names: what has waited for
	 * the socket's owner waits again, until there is no room for it. */
	if (!kernel_has(kernel, UDPLITE_BACKLOG))
		prot->backlog_rcv = udp_queue_rcv_skb;
	if (kernel_has(kernel, UDPLITE_REHASH))
		prot->rehash = udp_v4_rehash;
	kernel->init_net->mib.udplite_statistics =
		udplite_mibs_new(kernel, false);
}

struct udplite_room *udplite_room(void)
{
	struct kernel *kernel = this_kernel();
	struct udp_room *udp = kernel->ipv4->udp;

	if (likely(udp->udplite))
		return udp->udplite;
	udp->udplite = g_new0(struct udplite_room, 1);
	udplite4_register(kernel, udp->udplite);
	if (kernel->ipv6)
		udplitev6_init(kernel, udp->udplite);
	return udp->udplite;
}

void udplite_exit(struct kernel *kernel)
{
	struct udplite_room *room = kernel->ipv4->udp->udplite;

	if (!room)
		return;
	udp_table_free(room->table);
	g_free(kernel->init_net->mib.udplite_statistics);
	g_free(kernel->init_net->mib.udplite_stats_in6);
	g_free(room);
}
