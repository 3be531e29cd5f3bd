/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP-Lite (include/net/udplite.h, linux/udp.h; RFC 3828): UDP whose checksum
 * may cover less than the datagram.  In the place of UDP's length its header
 * says how much, 0 being all.
 */
#ifndef STACK_NET_IPV4_UDPLITE_H
#define STACK_NET_IPV4_UDPLITE_H

#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

/* udp_sock.pcflag */
#define UDPLITE_BIT 1u		/* the socket speaks it */
#define UDPLITE_SEND_CC 2u	/* pcslen has been set */
#define UDPLITE_RECV_CC 4u	/* pcrlen has been set */

/* Its inet_protosw stands behind those of UDP and ICMP: two more to look at. */
#define UDPLITE_PROTOSW_WORK 12

/* What the kernel has from its start.  Here it comes with the first socket or
 * packet, so that what lies where does not depend on it. */
struct udplite_room {
	struct udp_table *table;	/* udplite_table, of both families */
	struct any_cache *cache, *cache6;
	struct proto *prot, *prot6;	/* prot6 NULL: no IPv6 */
};

struct udplite_room *udplite_room(void);
void udplite_exit(struct kernel *kernel);
/* This CPU's counters of all CPUs, of the type that UDP's are of. */
struct udp_mib **udplite_mibs_new(struct kernel *kernel, bool ipv6);
/* What both protocols of the name have in common. */
void udplite_prot_init(struct kernel *kernel, struct proto *prot);
int udplite_sk_init(struct sock *sk);

int udplite_rcv(struct sk_buff *skb);
void udplite_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
		 u32 info);

/* ---- what is sent ---- */

/* Copies without summing up: no more than is covered is summed up, later. */
int udplite_getfrag(struct sk_buff *skb, struct frag_page *page, const u8 *from,
		    u32 at, u32 len, u32 odd);
/* The sum over what the socket wants covered of `len` bytes from the header at
 * `at` on, without the pseudo header; what is less than all goes into the
 * header.  Parts of the datagram hang on the packet or stand behind it. */
u32 udplite_csum(struct sock *sk, struct sk_buff *skb, u32 at, u32 len);

/* ---- what comes in ---- */

/* Notes what the sum of a datagram of `len` bytes covers; false where that or
 * the sum cannot be. */
bool udplite_checksum_init(struct sk_buff *skb, u32 transport, u32 len);
/* A short datagram, whose pseudo header has been summed up, is verified at once
 * where kernels do that; false where its sum is wrong. */
bool udplite_checksum_small(struct sk_buff *skb, u32 transport, u32 len);
/* How many of the `len` bytes that are left of a datagram its sum covers. */
u32 udplite_coverage(struct sk_buff *skb, u32 len);
/* For a socket that has said what it wants. */
bool udplite_covers_enough(struct sock *sk, struct sk_buff *skb);

/* ---- options of SOL_UDP and SOL_UDPLITE: 0 or -errno ---- */

int udplite_setsockopt(struct sock *sk, int option, u32 value);
int udplite_getsockopt(struct sock *sk, int option, u32 *value);

#endif
