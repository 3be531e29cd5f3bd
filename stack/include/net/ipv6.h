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
#include "stack/include/net/netns.h"
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
	u8 ipv6only;		/* it will not talk IPv4 */
	u8 min_hopcount;
	u8 tclass;
	u32 dst_cookie;
	u8 mc_loop, mc_all;
	struct ipv6_mc_socklist *ipv6_mc_list;
	void *ipv6_ac_list;
	u8 pktoptions, rxpmtu;
	u16 rxopt;	/* what readers may ask for, in bits */
	struct ipv6_fl_socklist *ipv6_fl_list;
	struct ipv6_txoptions *opt;
	/* Of a packet in the making, where kernels keep that in the socket. */
	struct {
		struct ipv6_txoptions *opt;
		u8 hop_limit, tclass;
		struct flowi6 fl6;	/* inet_sock.cork.flow: not charged */
	} cork;
};

struct udp6_sock {
	struct udp_sock udp;
	struct ipv6_pinfo inet6;
};

/* `inet6_sk(sk)`: the pointer is read, as the kernel does; and where sockets
 * may be less than full ones, their state before. */
#define INET6_SK(sk) \
	({ \
		if (has(SK_FULLSOCK)) \
			(void)READ((const struct sock *)(sk), sk_state); \
		(void)READ((const struct inet_sock *)(const void *)(sk), \
			   pinet6); \
		(struct udp6_sock *)(void *)(sk); \
	})

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

/* What an address is: what may be done with it, and in the upper half how far
 * it reaches. */
#define IPV6_ADDR_ANY 0x0000u
#define IPV6_ADDR_UNICAST 0x0001u
#define IPV6_ADDR_MULTICAST 0x0002u
#define IPV6_ADDR_LOOPBACK 0x0010u
#define IPV6_ADDR_LINKLOCAL 0x0020u
#define IPV6_ADDR_SITELOCAL 0x0040u
#define IPV6_ADDR_COMPATv4 0x0080u
#define IPV6_ADDR_SCOPE_MASK 0x00f0u
#define IPV6_ADDR_MAPPED 0x1000u

#define IPV6_ADDR_SCOPE_LINKLOCAL 0x02
#define IPV6_ADDR_SCOPE_SITELOCAL 0x05
#define IPV6_ADDR_SCOPE_GLOBAL 0x0e

#define IPV6_MIN_MTU 1280u
#define IP6_MAX_MTU 65535u

/* inet6_ifaddr.flags */
#define IFA_F_TEMPORARY 0x01u
#define IFA_F_OPTIMISTIC 0x04u
#define IFA_F_HOMEADDRESS 0x10u
#define IFA_F_DEPRECATED 0x20u
#define IFA_F_TENTATIVE 0x40u
#define IFA_F_PERMANENT 0x80u

/* ipv6_pinfo.srcprefs, as ipv6_dev_get_saddr() takes them */
#define IPV6_PREFER_SRC_TMP 0x1u
#define IPV6_PREFER_SRC_PUBLIC 0x2u
#define IPV6_PREFER_SRC_COA 0x4u

struct ipv6_devconf {
	u32 forwarding, hop_limit, mtu6, disable_ipv6;
	u32 ignore_routes_with_linkdown, use_oif_addrs_only;
	s32 use_tempaddr;
	u32 optimistic_dad;
	u32 mc_forwarding;
};

/* The settings for all devices and for new ones. */
struct ipv6_devconf_all {
	struct object object;
	struct ipv6_devconf cnf;
};

struct inet6_dev {
	struct object object;
	struct net_device *dev;
	struct inet6_ifaddr *addr_list;	/* the first: scope falls */
	struct ifmcaddr6 *mc_list;
	/* Reports of groups: see struct in_device. */
	struct spinlock mc_lock;
	struct ifmcaddr6 *mc_tomb;
	u64 mc_v1_seen;
	u64 mc_qi, mc_qri;
	u64 mc_maxdelay;
	u8 mc_qrv;
	u8 mc_gq_running;
	u8 mc_ifc_count;
	struct timer_list mc_gq_timer, mc_ifc_timer;
	struct rwlock lock;
	s32 refcnt;
	struct ipv6_devconf cnf;
	struct { struct ipstats_mib **ipv6; } stats;	/* by CPU */
};

struct inet6_ifaddr {
	struct object object;
	struct in6_addr addr;
	u32 prefix_len;
	u32 flags;
	u32 scope;		/* of its type: IPV6_ADDR_LINKLOCAL and so on */
	s32 refcnt;
	struct inet6_dev *idev;
	struct inet6_ifaddr *if_list;	/* the next of the device */
};

/* One CPU's counters of a namespace, of a device, and of UDP over IPv6. */
struct ipv6_statistics {
	struct ipstats_mib mib;
};

struct inet6_dev_stats {
	struct ipstats_mib mib;
};

struct udp_stats_in6 {
	struct udp_mib mib;
};

/* A leased flow label, and a socket's lease of it. */
struct ip6_flowlabel {
	struct object object;
	u32 label;
	s32 users;
	struct ipv6_txoptions *opt;	/* of all its packets; or NULL */
	u64 lastuse;		/* jiffies */
};

struct ipv6_fl_socklist {
	struct object object;
	struct ipv6_fl_socklist *next;
	struct ip6_flowlabel *fl;
};

/* The lock of all those lists, before RCU. */
struct ip6_sk_fl_lock {
	struct object object;
	struct rwlock lock;
};

struct rt6_info;
struct any_cache;

/* Roots of stack/net/ipv6/. */
struct ipv6_room {
	/* Objects that are a part of others, and are reported as that. */
	struct object_type root_type;		/* of a fib6_table */
	struct object_type dst_ops_type;	/* of the namespace */
	struct any_cache *ip6_dst_cache;
	struct any_cache *fib6_nodes;
	struct ip6addrlbl_table *labels;	/* the one for all namespaces */
	struct ip6_sk_fl_lock *fl_lock;	/* before FLOWLABEL_RCU */
	GPtrArray *addresses;	/* struct inet6_ifaddr *, in order of making */
	GPtrArray *devices;	/* struct inet6_dev *, likewise */
	GPtrArray *routes;	/* struct rt6_info *, freed at exit */
	GPtrArray *tables;	/* struct fib6_table * */
	GPtrArray *spare_cells;	/* struct rt6i_pcpu **, of freed nexthops */
	u32 sernum;		/* the last that a node got */
	struct random_stream mld;	/* delays of reports */
	struct sock **icmp_sk;	/* by CPU; NULL before the first error */
	struct inet_frags *frags;	/* NULL before the first fragment */
	struct rt6_exception_vars *exceptions;	/* NULL before the first */
	bool fib_timer;		/* it is set up */
};

/* ---- addrconf.c, addrconf_core.c, addrlabel.c, route.c, ip6_fib.c ---- */

/* After ipv4_init(): addresses of loopback, tables, counters. */
void inet6_init(struct kernel *kernel);
void inet6_exit(struct kernel *kernel);

u32 __ipv6_addr_type(const struct in6_addr *addr);

/* The type without its scope. */
static inline u32 ipv6_addr_type(const struct in6_addr *addr)
{
	return __ipv6_addr_type(addr) & 0xffff;
}

/*
 * `ip -6 addr add`, `ip -6 route add`: set-up only, not charged but for what
 * they allocate.  An address brings the local route of itself and that of its
 * prefix, as the kernel adds them, and the device's link-local address and
 * multicast route before the first.
 */
bool inet6_add_address(struct kernel *kernel, struct net_device *dev,
		       const struct in6_addr *addr, u32 prefix,
		       GError **error);
bool inet6_add_route(struct kernel *kernel, struct net_device *dev,
		     const struct in6_addr *addr, u32 prefix,
		     const struct in6_addr *gateway, GError **error);
/* Removes the first route of the main table with this prefix; false if there
 * is none such.  Caches go stale. */
bool inet6_del_route(struct kernel *kernel, const struct in6_addr *addr,
		     u32 prefix);

/* The route for a flow, with a reference; never NULL: dst.error is -errno
 * where there is none.  `sk` may be NULL. */
/* Whether sockets make flow labels that nobody asked for. */
bool ip6_default_np_autolabel(struct net *net);
struct dst_entry *ip6_route_output(struct net *net, struct sock *sk,
				   struct flowi6 *fl6);
/* What a socket keeps to see later that its cached route is still good. */
u32 rt6_get_cookie(struct rt6_info *rt);
u32 ip6_mtu(const struct dst_entry *dst);
u32 ip6_dst_hoplimit(struct dst_entry *dst);

/* Source address selection (RFC 6724) for a destination, by way of `dev`, or
 * any way if it is NULL.  0 or -EADDRNOTAVAIL. */
int ipv6_dev_get_saddr(struct net *net, struct net_device *dev,
		       const struct in6_addr *daddr, u32 prefs,
		       struct in6_addr *saddr);
/* The source for a route: its preferred one, else by the above.  In line in
 * ip6_dst_lookup_tail(), so what it costs is part of that. */
int ip6_route_get_saddr(struct net *net, struct rt6_info *rt,
			const struct in6_addr *daddr, u32 prefs,
			struct in6_addr *saddr);

/* ---- ip6_output.c, udp.c, af_inet6.c, datagram.c, ip6_flowlabel.c ---- */

int ip6_output(struct sk_buff *skb);
int udpv6_sendmsg(struct sock *sk, struct msghdr *msg, u32 len);
int inet6_sendmsg(struct socket *sock, struct msghdr *msg, u32 len);
/* The socket's way to its peer, found anew and kept; the source address of the
 * flow becomes the socket's, if that has none.  `label` may be NULL. */
int ip6_datagram_dst_update(struct udp6_sock *up6, struct ip6_flowlabel *label);
int ip6_datagram_connect(struct sock *sk, const struct sockaddr_any *addr,
			 u32 addr_len);
/* A lease of a flow label, as the socket option IPV6_FLOWLABEL_MGR gets it: 0
 * or -ENOMEM.  They end with the socket. */
#define IPV6_FL_S_EXCL 1
#define IPV6_FL_S_ANY 255
int ipv6_flowlabel_get(struct sock *sk, u32 label, u8 share);
void fl6_free_socklist(struct sock *sk);

/* Counters summed over the CPUs: of the namespace, of a device, of UDP. */
u64 snmp_ip6(const struct kernel *kernel, u32 index);
u64 snmp_ip6_dev(const struct kernel *kernel, const struct net_device *dev,
		 u32 index);
u64 snmp_udp6(const struct kernel *kernel, u32 index);
u64 snmp_udplite6(const struct kernel *kernel, u32 index);
/* Of UDP and UDP-Lite, of both families. */
u64 snmp_udp_all(const struct kernel *kernel, u32 index);

#endif
