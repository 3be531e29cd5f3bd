/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ICMP and ICMPv6 (include/linux/icmp.h, icmpv6.h, include/net/icmp.h, RFC 792
 * and 4443): what comes in, and what errors mean to sockets.
 */
#ifndef STACK_NET_ICMP_H
#define STACK_NET_ICMP_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/netns.h"

#define IPPROTO_ICMP_NUMBER 1
#define IPPROTO_ICMPV6_NUMBER 58
#define ICMP_HLEN 8u		/* of both */
/* What is limited: unreachable, source quench, time exceeded, parameter. */
#define ICMP_RATEMASK 0x1818u

enum {
	ICMP_DEST_UNREACH = 3,
	ICMP_SOURCE_QUENCH = 4,
	ICMP_REDIRECT = 5,
	ICMP_TIME_EXCEEDED = 11,
	ICMP_PARAMETERPROB = 12,
};

enum {	/* codes of ICMP_DEST_UNREACH */
	ICMP_HOST_UNREACH = 1,
	ICMP_PROT_UNREACH = 2,
	ICMP_PORT_UNREACH = 3,
	ICMP_FRAG_NEEDED = 4,
};

enum {
	ICMPV6_DEST_UNREACH = 1,
	ICMPV6_PKT_TOOBIG = 2,
	ICMPV6_TIME_EXCEED = 3,
	ICMPV6_PARAMPROB = 4,
};

#define ICMP_EXC_FRAGTIME 1	/* code of ICMP_TIME_EXCEEDED */
#define ICMPV6_EXC_FRAGTIME 1	/* code of ICMPV6_TIME_EXCEED */

enum {	/* codes of ICMPV6_PARAMPROB */
	ICMPV6_HDR_FIELD = 0,
	ICMPV6_UNK_NEXTHDR = 1,
};

enum {	/* codes of ICMPV6_DEST_UNREACH */
	ICMPV6_NOROUTE = 0,
	ICMPV6_ADDR_UNREACH = 3,
	ICMPV6_PORT_UNREACH = 4,
};

/* From `skb`, whose transport header is ICMP's, on; used up. */
int icmp_rcv(struct sk_buff *skb);
int icmpv6_rcv(struct sk_buff *skb);

/* An error about a datagram of ours has come: its UDP header is at `at`, its IP
 * header at `network`; `info` is the MTU that it was too long for, or whatever
 * else the message says.  The packet stays the caller's. */
void udp_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
	     u32 info);
void udpv6_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
	       u32 info);

/* Tells the sender of a packet, which stays the caller's; or does not, by the
 * rules and rates for that.  `info` is the word behind the checksum. */
void icmp_send(struct sk_buff *about, u8 type, u8 code, u32 info);
void icmpv6_send(struct sk_buff *about, u8 type, u8 code, u32 info);
/* The same where a neighbour has failed: dst_ops' link_failure. */
void ipv4_link_failure(struct sk_buff *skb);
void ip6_link_failure(struct sk_buff *skb);
void icmp_exit(struct kernel *kernel);
void icmpv6_exit(struct kernel *kernel);

/* The error of a type and code, and whether it is final. */
int icmp_error_of(u8 type, u8 code, bool *fatal);
bool icmpv6_err_convert(u8 type, u8 code, int *err);

#define ICMP_INC_STATS(net, index) \
	do { \
		struct icmp_mib *mib_ = \
			READ(net, mib.icmp_statistics)[this_cpu->id]; \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)
#define ICMP6_INC_STATS(net, index) \
	do { \
		struct icmpv6_mib *mib_ = \
			READ(net, mib.icmpv6_statistics)[this_cpu->id]; \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)

/* A counter summed over the CPUs. */
u64 snmp_icmp(const struct kernel *kernel, u32 index);
u64 snmp_icmp6(const struct kernel *kernel, u32 index);

#endif
