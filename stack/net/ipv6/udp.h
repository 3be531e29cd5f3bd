/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of IPv6: what sends a datagram. */
#ifndef STACK_NET_IPV6_UDP_H
#define STACK_NET_IPV6_UDP_H

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ip6_fib.h"
#include "stack/include/net/ipv6.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udp.h"

#define IPV6_HLEN 40u
#define IPV6_FRAG_HLEN 8u	/* room that is kept for a fragment header */
#define IPV6_MAXPLEN 65535u
#define IPV6_FLOWINFO_MASK 0x0fffffffu
#define IPV6_FLOWLABEL_MASK 0x000fffffu
#define IPV6_FLOWLABEL_STATELESS_FLAG 0x00080000u
#define LOOPBACK4_IPV6 0x7f000006u	/* what IPv4 sees of IPv6 sockets */
#define SIN6_LEN_RFC2133 24u	/* a sockaddr without the scope */

/* net.ipv6.sysctl.auto_flowlabels */
enum {
	IP6_AUTO_FLOW_LABEL_OFF,
	IP6_AUTO_FLOW_LABEL_OPTOUT,
	IP6_AUTO_FLOW_LABEL_OPTIN,
	IP6_AUTO_FLOW_LABEL_FORCED
};

/* What is wanted of one datagram; -1 asks for the usual.  On the stack, so it
 * is not charged. */
struct ipcm6_cookie {
	s32 hlimit;
	s32 tclass;
	s32 dontfrag;
	u16 gso_size;
	u32 mark;
	const struct ipv6_txoptions *opt;	/* NULL: no more headers */
};

/* A packet in the making: on the stack, or copied from the socket, where
 * kernels before UDP6_MAKE_SKB keep it. */
struct ip6_cork {
	struct rt6_info *rt;
	const struct flowi6 *fl6;
	u32 fragsize;
	u32 length;		/* what is in it by now */
	u16 gso_size;		/* it is to be cut so; 0: it is not */
	u32 mark;
	u8 hop_limit;
	u8 tclass;
	s32 dontfrag;		/* -1: as the socket has it */
	struct ipv6_txoptions *opt;	/* its own copy, or NULL */
};

/* This CPU's counters of the device, if there is one, and of the namespace. */
#define IP6_MIB(idev) READ(idev, stats.ipv6)[this_cpu->id]
#define IP6_NET_MIB(net) READ(net, mib.ipv6_statistics)[this_cpu->id]
#define IP6_INC_STATS(net, idev, index) \
	do { \
		struct inet6_dev *idev_ = (idev); \
		struct ipstats_mib *mib_; \
		if (idev_) { \
			mib_ = IP6_MIB(idev_); \
			UPDATE_AT(mib_, mibs, index, += 1); \
		} \
		mib_ = IP6_NET_MIB(net); \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)
/* A packet and its bytes. */
#define IP6_UPD_PO_STATS(net, idev, packets, octets, len) \
	do { \
		struct ipstats_mib *mib_ = IP6_MIB(idev); \
		UPDATE_AT(mib_, mibs, packets, += 1); \
		UPDATE_AT(mib_, mibs, octets, += (len)); \
		mib_ = IP6_NET_MIB(net); \
		UPDATE_AT(mib_, mibs, packets, += 1); \
		UPDATE_AT(mib_, mibs, octets, += (len)); \
	} while (0)
#define UDP6_INC_STATS(net, index, is_udplite) \
	do { \
		struct udp_mib *mib_ = (is_udplite) ? \
			READ(net, mib.udplite_stats_in6)[this_cpu->id] : \
			READ(net, mib.udp_stats_in6)[this_cpu->id]; \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)

/* What a queue below has said, as an error of the sender: congestion is
 * none. */
static inline int net_xmit_errno(int rc)
{
	return rc == NET_XMIT_CN ? 0 : -ENOBUFS;
}

static inline struct udp6_sock *udp6_sk(struct sock *sk)
{
	return (struct udp6_sock *)(void *)sk;
}

/* Does the address mean a different host on each link?  Those of this link,
 * and multicasts for this host or link. */
static inline bool ipv6_addr_needs_scope_id(const struct in6_addr *addr)
{
	u32 type = __ipv6_addr_type(addr);

	return type & IPV6_ADDR_LINKLOCAL ||
	       (type & IPV6_ADDR_MULTICAST && type & IPV6_ADDR_LOOPBACK);
}

/* ::ffff:a.b.c.d */
static inline struct in6_addr ipv6_addr_v4(u32 addr)
{
	struct in6_addr mapped = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	put_be32(mapped.s6_addr + 12, addr);
	return mapped;
}

static inline u32 ipv6_addr_to_v4(const struct in6_addr *addr)
{
	return get_be32(addr->s6_addr + 12);
}

/* ---- af_inet6.c, udp.c ---- */

/* Settings, and what is there once. */
void inet6_net_init(struct kernel *kernel);

void udpv6_init(struct kernel *kernel);
void ip6_datagram_release_cb(struct sock *sk);
/* The host has this address, on `dev` if that is not NULL. */
bool ipv6_chk_addr(struct net *net, const struct in6_addr *addr,
		   const struct net_device *dev);

/* ---- ip6_dst_lookup.c ---- */

/* The socket's cached route if it is good for this flow, else one that is
 * looked up; with a reference.  NULL and -errno in *err. */
struct dst_entry *ip6_sk_dst_lookup_flow(struct sock *sk, struct flowi6 *fl6,
					 const struct in6_addr *final,
					 bool connected, int *err);
struct dst_entry *ip6_dst_lookup_flow(struct sock *sk, struct flowi6 *fl6,
				      const struct in6_addr *final, int *err);
/* Keeps a route in the socket, whose reference it takes over. */
void ip6_sk_dst_store_flow(struct sock *sk, struct dst_entry *dst,
			   const struct flowi6 *fl6);

/* ---- ip6_header.c ---- */

/* The header's first word: the traffic class and the flow label of `flow` are
 * both or-ed in. */
void ip6_flow_hdr(u8 *header, u8 tclass, u32 flow);
/* All headers in front of the UDP header; the length of the payload comes with
 * ip6_local_out().  Gives the IPv6 header's bytes. */
u8 *ip6_push_header(struct sk_buff *skb, const struct ip6_cork *cork);
/* May packets of this socket have labels that nobody asked for? */
bool ip6_autoflowlabel(struct net *net, struct udp6_sock *up6);
/* The label that was asked for, or one from the packet's hash, turned so that
 * the hash itself is not told. */
u32 ip6_make_flowlabel(struct net *net, struct sk_buff *skb, bool autolabel,
		       const struct flowi6 *fl6);

/* ---- ip6_output.c, ip6_append.c ---- */

/* Whether the socket lets its packets be fragmented here. */
bool ip6_sk_ignore_df(struct sock *sk);
/* Makes the packet, complete but for the UDP header; `length` is that of the
 * data and the UDP header.  From IP6_DST_STEAL on it takes over the reference
 * on rt.  NULL and -errno in *err. */
struct sk_buff *ip6_make_skb(struct sock *sk, struct ip6_cork *cork,
			     getfrag_t getfrag, const u8 *data, u32 length,
			     const struct ipcm6_cookie *ipc6,
			     const struct flowi6 *fl6, struct rt6_info *rt,
			     u32 flags, int *err);
int ip6_send_skb(struct sk_buff *skb);
/* The same in three steps for kernels before UDP6_MAKE_SKB, with the packet in
 * the socket's queue; the socket is locked. */
int ip6_append_data(struct sock *sk, getfrag_t getfrag, const u8 *data,
		    u32 length, const struct ipcm6_cookie *ipc6,
		    const struct flowi6 *fl6, struct rt6_info *rt, u32 flags);
int ip6_push_pending_frames(struct sock *sk);
/* Of later kernels: what the socket has, with its header; NULL: nothing. */
struct sk_buff *ip6_finish_skb(struct sock *sk, struct ip6_cork *cork);
void ip6_flush_pending_frames(struct sock *sk);
int ip6_local_out(struct sk_buff *skb);

/* ---- ip6_flowlabel.c ---- */

/* The socket's lease of a label: 0 and the lease in *fl, with a reference, or
 * NULL where none is needed; -ENOENT. */
int fl6_sock_lookup(struct sock *sk, u32 label, struct ip6_flowlabel **fl);
void fl6_sock_release(struct ip6_flowlabel *fl);

#endif
