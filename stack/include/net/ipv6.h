/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv6: sockets' own part, devices' addresses and settings, and the entry
 * points of stack/net/ipv6/ (include/linux/ipv6.h, include/net/ipv6.h,
 * if_inet6.h, addrconf.h, ip6_route.h, transp_v6.h).
 */
#ifndef STACK_NET_IPV6_H
#define STACK_NET_IPV6_H

#include "stack/include/linux/in6.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/sock.h"

/* What a route is asked for; lives on the stack, so it is not charged. */
struct flowi6 {
	struct in6_addr daddr, saddr;
	u32 flowlabel;		/* traffic class and flow label, host order */
	u16 fl6_sport, fl6_dport;
	u32 flowi6_oif;
	u32 flowi6_iif;
	u32 flowi6_mark;
	u32 flowi6_uid;
	u8 flowi6_proto;
	u8 flowi6_flags;
};

/* The kernel's ipv6_pinfo lies at the end of a udp6_sock. */
struct ipv6_pinfo {
	struct in6_addr saddr;
	struct { struct in6_addr ipi6_addr; u32 ipi6_ifindex; } sticky_pktinfo;
	const struct in6_addr *daddr_cache;
	const struct in6_addr *saddr_cache;
	u32 flow_label;
	u32 frag_size;
	s16 hop_limit;
	s16 mcast_hops;
	u32 ucast_oif, mcast_oif;
	u8 recverr, sndflow, repflow, pmtudisc, dontfrag;
	u8 srcprefs, autoflowlabel, autoflowlabel_set;
	u8 min_hopcount;
	u8 tclass;
	u32 dst_cookie;
	void *ipv6_mc_list, *ipv6_ac_list, *ipv6_fl_list;
	void *opt;
	struct { void *opt; u8 hop_limit, tclass; } cork;
};

struct udp6_sock {
	struct udp_sock udp;
	struct ipv6_pinfo inet6;
};

/* `inet6_sk(sk)`: the pointer is read, as the kernel does. */
#define INET6_SK(sk) \
	((void)READ((const struct inet_sock *)(const void *)(sk), pinet6), \
	 (struct udp6_sock *)(void *)(sk))

/*
 * An address in an object, read or written as two words of eight bytes, since
 * it may lie across two lines.
 */
#define READ_ADDR6(p, member) \
	({ \
		(void)READ_AT(p, member.s6_addr, 0); \
		(void)READ_AT(p, member.s6_addr, 8); \
		(p)->member; \
	})
#define WRITE_ADDR6(p, member, value) \
	({ \
		const struct in6_addr value_ = (value); \
		WRITE_AT(p, member.s6_addr, 0, value_.s6_addr[0]); \
		WRITE_AT(p, member.s6_addr, 8, value_.s6_addr[8]); \
		(p)->member = value_; \
	})

struct ipv6_devconf {
	u32 forwarding, hop_limit, mtu6, disable_ipv6;
	u32 ignore_routes_with_linkdown, use_oif_addrs_only;
};

/* The settings for all devices and for new ones. */
struct ipv6_devconf_all {
	struct object object;
	struct ipv6_devconf cnf;
};

struct inet6_dev {
	struct object object;
	struct net_device *dev;
	struct inet6_ifaddr *addr_list;	/* the first */
	s32 refcnt;
	struct ipv6_devconf cnf;
	struct { struct ipstats_mib **ipv6; } stats;
};

struct inet6_ifaddr {
	struct object object;
	struct in6_addr addr;
	u32 prefix_len;
	u32 flags;
	u8 scope;
	struct inet6_dev *idev;
	struct inet6_ifaddr *if_list;	/* the next of the device */
};

struct rt6_info;
struct ipv6_room;

/* ---- addrconf.c, addrlabel.c, route.c, ip6_fib.c ---- */

void inet6_init(struct kernel *kernel);
void inet6_exit(struct kernel *kernel);

/* `ip -6 addr add`, `ip -6 route add`: set-up only.  An address brings the
 * local route of itself and that of its prefix, as the kernel adds them, and
 * the device's link-local address before the first. */
bool inet6_add_address(struct kernel *kernel, struct net_device *dev,
		       const struct in6_addr *addr, u32 prefix,
		       GError **error);
bool inet6_add_route(struct kernel *kernel, struct net_device *dev,
		     const struct in6_addr *addr, u32 prefix,
		     const struct in6_addr *gateway, GError **error);
/* Removes a route; false if there is none such.  Caches go stale. */
bool inet6_del_route(struct kernel *kernel, const struct in6_addr *addr,
		     u32 prefix);

/* The route for a flow, with a reference; never NULL: dst.error is -errno
 * where there is none.  `sk` may be NULL. */
struct dst_entry *ip6_route_output(struct net *net, struct sock *sk,
				   struct flowi6 *fl6);
/* What a socket keeps to see later that its cached route is still good. */
u32 rt6_get_cookie(struct rt6_info *rt);
u32 ip6_mtu(const struct dst_entry *dst);
u32 ip6_dst_hoplimit(struct dst_entry *dst);

/* Source address selection (RFC 6724) for a destination, by way of `dev`.
 * 0 or -EADDRNOTAVAIL. */
int ipv6_dev_get_saddr(struct net *net, struct net_device *dev,
		       const struct in6_addr *daddr, u32 prefs,
		       struct in6_addr *saddr);
/* The source for a route: its preferred one, else by the above. */
int ip6_route_get_saddr(struct net *net, struct rt6_info *rt,
			const struct in6_addr *daddr, u32 prefs,
			struct in6_addr *saddr);

/* ---- ip6_output.c, udp.c, af_inet6.c, datagram.c, ip6_flowlabel.c ---- */

int ip6_output(struct sk_buff *skb);
int udpv6_sendmsg(struct sock *sk, struct msghdr *msg, u32 len);
int inet6_sendmsg(struct socket *sock, struct msghdr *msg, u32 len);
int ip6_datagram_connect(struct sock *sk, const struct sockaddr_any *addr,
			 u32 addr_len);
/* Counters summed over the CPUs: of the namespace, of a device, of UDP. */
u64 snmp_ip6(const struct kernel *kernel, u32 index);
u64 snmp_ip6_dev(const struct kernel *kernel, const struct net_device *dev,
		 u32 index);
u64 snmp_udp6(const struct kernel *kernel, u32 index);

#endif
