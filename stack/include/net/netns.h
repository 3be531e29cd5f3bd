/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network namespace, its counters and IPv4's own state (net_namespace.h,
 * netns/ipv4.h, snmp.h, inetdevice.h). */
#ifndef STACK_NET_NETNS_H
#define STACK_NET_NETNS_H

#include "sim/random.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/dst.h"

/* IPv4 counters, in the order of the kernel's enum of 3.6 and later. */
enum {
	IPSTATS_MIB_INPKTS = 1,
	IPSTATS_MIB_INOCTETS = 2,
	IPSTATS_MIB_INDELIVERS = 3,
	IPSTATS_MIB_OUTPKTS = 5,
	IPSTATS_MIB_OUTOCTETS = 6,
	IPSTATS_MIB_INHDRERRORS = 7,
	IPSTATS_MIB_INNOROUTES = 9,
	IPSTATS_MIB_INADDRERRORS = 10,
	IPSTATS_MIB_INUNKNOWNPROTOS = 11,
	IPSTATS_MIB_INTRUNCATEDPKTS = 12,
	IPSTATS_MIB_INDISCARDS = 13,
	IPSTATS_MIB_OUTDISCARDS = 14,
	IPSTATS_MIB_OUTNOROUTES = 15,
	IPSTATS_MIB_REASMTIMEOUT = 16,
	IPSTATS_MIB_REASMREQDS = 17,
	IPSTATS_MIB_REASMOKS = 18,
	IPSTATS_MIB_REASMFAILS = 19,
	IPSTATS_MIB_FRAGOKS = 20,
	IPSTATS_MIB_FRAGFAILS = 21,
	IPSTATS_MIB_FRAGCREATES = 22,
	IPSTATS_MIB_INMCASTPKTS = 23,
	IPSTATS_MIB_OUTMCASTPKTS = 24,
	IPSTATS_MIB_INBCASTPKTS = 25,
	IPSTATS_MIB_INMCASTOCTETS = 27,
	IPSTATS_MIB_OUTMCASTOCTETS = 28,
	IPSTATS_MIB_INBCASTOCTETS = 29,
	IPSTATS_MIB_CSUMERRORS = 31,	/* this and the next since 3.10 */
	IPSTATS_MIB_NOECTPKTS = 32,	/* and three more, by ECN bits */
	NUM_IPSTATS_MIB = 36
};

enum {
	UDP_MIB_INDATAGRAMS = 1,
	UDP_MIB_NOPORTS = 2,
	UDP_MIB_INERRORS = 3,
	UDP_MIB_OUTDATAGRAMS = 4,
	UDP_MIB_RCVBUFERRORS = 5,
	UDP_MIB_SNDBUFERRORS = 6,
	UDP_MIB_CSUMERRORS = 7,		/* since 3.10 */
	NUM_UDP_MIB = 8
};

struct ipstats_mib {
	struct object object;
	u64 mibs[NUM_IPSTATS_MIB];
};

/* Of ICMP and of ICMPv6. */
enum {
	ICMP_MIB_INMSGS = 1,
	ICMP_MIB_INERRORS = 2,
	ICMP_MIB_OUTMSGS = 14,
	ICMP_MIB_OUTERRORS = 15,
	ICMP_MIB_CSUMERRORS = 27,	/* since 3.10 */
	NUM_ICMP_MIB = 28
};

enum {
	ICMP6_MIB_INMSGS = 1,
	ICMP6_MIB_INERRORS = 2,
	ICMP6_MIB_OUTMSGS = 3,
	ICMP6_MIB_OUTERRORS = 4,
	ICMP6_MIB_CSUMERRORS = 5,	/* since 3.10 */
	ICMP6_MIB_RATELIMITHOST = 6,	/* since 6.0 */
	NUM_ICMP6_MIB = 7
};

struct icmp_mib {
	struct object object;
	u64 mibs[NUM_ICMP_MIB];
};

struct icmpv6_mib {
	struct object object;
	u64 mibs[NUM_ICMP6_MIB];
};

struct udp_mib {
	struct object object;
	u64 mibs[NUM_UDP_MIB];
};

/* The state of IPv6 in a namespace (netns/ipv6.h). */
struct netns_ipv6 {
	struct dst_ops ip6_dst_ops;	/* in the namespace's own memory */
	struct ipv6_devconf_all *devconf_all;
	struct fib6_info *fib6_null_entry;
	struct rt6_info *ip6_null_entry;
	struct fib6_table *fib6_main_tbl;
	struct fib6_table *fib6_local_tbl;
	u8 fib6_has_custom_rules;
	u8 flowlabel_has_excl;		/* one that others must not use */
	struct {
		u8 auto_flowlabels, flowlabel_state_ranges;
		u8 flowlabel_reflect, bindv6only;
		u32 icmpv6_time;	/* between two errors, in jiffies */
		u32 ip6_rt_mtu_expires, ip6_rt_gc_interval;	/* jiffies */
	} sysctl;
	struct inet_peer_base *peers;
	struct timer_list ip6_fib_timer;	/* set up when it is needed */
	struct { struct ip6addrlbl_entry *head; } ip6addrlbl_table;
};

struct net {
	struct object object;
	s32 count;		/* who uses it; sockets do */
	struct netlink_sock *diag_nlsk;	/* the kernel's end */
	struct net_device *dev_base_head;	/* the first device */
	struct net_device *loopback_dev;
	u32 hash_mix;
	struct { struct prot_inuse **prot_inuse; } core;	/* by CPU */
	struct { struct ipstats_mib **ip_statistics;
		 struct ipstats_mib **ipv6_statistics;
		 struct udp_mib **udp_statistics;
		 struct udp_mib **udp_stats_in6;
		 struct udp_mib **udplite_statistics;	/* these two NULL */
		 struct udp_mib **udplite_stats_in6;	/* until used */
		 struct icmp_mib **icmp_statistics;
		 struct icmpv6_mib **icmpv6_statistics; } mib;
	struct {
		struct fib_table *fib_local;
		struct fib_table *fib_main;
		struct fib_table *fib_default;	/* none */
		struct ipv4_devconf *devconf_all;
		u32 fib_has_custom_rules;
		u8 sysctl_ip_default_ttl;
		u8 sysctl_ip_no_pmtu_disc;
		u8 sysctl_ip_fwd_use_pmtu;
		u8 sysctl_ip_early_demux;
		u8 sysctl_udp_early_demux;
		u8 sysctl_udp_l3mdev_accept;
		struct { u64 key[2]; } ip_id_key;
		struct { struct seqcount lock; u32 range[2]; } ip_local_ports;
		u8 sysctl_ip_nonlocal_bind;
		u32 sysctl_icmp_ratelimit;	/* jiffies */
		u32 sysctl_icmp_ratemask;	/* types that it is for */
		struct inet_peer_base *peers;
		struct local_reserved_ports *sysctl_local_reserved_ports;
		u32 current_rt_cache_rebuild_count;
		u32 ip_rt_min_pmtu;
		u32 ip_rt_mtu_expires;	/* in jiffies */
	} ipv4;
	struct dev_index_head *dev_index_head;
	struct netns_ipv6 ipv6;
	u32 rt_genid;
	u32 fnhe_genid;		/* of what was learnt of paths */
	struct { u32 policy_count[3]; u8 policy_default; } xfrm;
};

/* Settings of a device, and of all; counted from 0. */
enum {
	IPV4_DEVCONF_MC_FORWARDING = 1,
	IPV4_DEVCONF_RP_FILTER = 7,
	IPV4_DEVCONF_NOPOLICY = 15,
	IPV4_DEVCONF_ROUTE_LOCALNET = 25,
	IPV4_DEVCONF_IGNORE_ROUTES_WITH_LINKDOWN = 28,
	NUM_IPV4_DEVCONF = 33
};

struct ipv4_devconf {
	struct object object;
	u32 data[NUM_IPV4_DEVCONF];
};

struct in_device {
	struct object object;
	struct net_device *dev;
	u32 ifa_address;	/* the model keeps one address a device */
	struct in_ifaddr *ifa_list;
	struct ip_mc_list *mc_list;
	void *mc_hash;
	u32 mc_count;
	/* Reports of groups (igmp_timer.c).  What has been left, and is still
	 * to be told of: */
	struct spinlock mc_tomb_lock;
	struct ip_mc_list *mc_tomb;
	u64 mr_v1_seen, mr_v2_seen;	/* old routers are here until then */
	u64 mr_maxdelay;
	u64 mr_qi, mr_qri;	/* what a query told; 0: none did */
	u8 mr_qrv;		/* robustness that a query told; 0: none did */
	u8 mr_gq_running;
	u8 mr_ifc_count;	/* reports of changes that are still to come */
	struct timer_list mr_gq_timer;	/* to answer queries of all groups */
	struct timer_list mr_ifc_timer;
	struct { u32 data[NUM_IPV4_DEVCONF]; } cnf;
};

/* The read-only metrics of routes that have none of their own. */
struct dst_metrics {
	struct object object;
	u32 metrics[16];
};

struct sysctl_data {
	struct object object;
	u32 sysctl_ip_default_ttl;
};

/*
 * Counters for the identification of packets, by a hash of who talks to whom,
 * and when each was last used.  The kernel makes more of them on a machine
 * with much memory; this is the least.
 */
#define IP_IDENTS 2048u

struct ip_idents {
	struct object object;
	u32 idents[IP_IDENTS];
};

struct ip_tstamps {
	struct object object;
	u32 tstamps[IP_IDENTS];
};

struct any_cache;

/* Roots of stack/net/ipv4/. */
struct ipv4 {
	struct dst_ops *ipv4_dst_ops;
	struct any_cache *rtable_cache;
	struct sysctl_data *sysctl;
	struct dst_metrics *metrics;	/* dst_default_metrics */
	struct ip_idents *idents;
	struct ip_tstamps *tstamps;
	struct hashrnd *salt;		/* of ip_idents' hash, up to 5.0 */
	struct ip_fib *fib;
	struct udp_room *udp;
	struct sock **icmp_sk;	/* by CPU; NULL before the first error */
	struct inet_frags *frags;	/* NULL before the first fragment */
	GPtrArray *cached_routes;	/* struct rtable *, freed at exit */
	struct random_stream igmp;	/* delays of reports */
	u64 fib_lookups;	/* the model's own: of routes in the tables */
	struct route_cache *cache;	/* NULL: this kernel has none */
	struct fnhe_vars *fnhe;	/* NULL before the first exception */
};

/* Counters: a plain addition to this CPU's own. */
#define IP_INC_STATS(net, index) \
	do { \
		struct ipstats_mib *mib_ = \
			READ(net, mib.ip_statistics)[this_cpu->id]; \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)
#define UDP_INC_STATS(net, index, is_udplite) \
	do { \
		struct udp_mib *mib_ = (is_udplite) ? \
			READ(net, mib.udplite_statistics)[this_cpu->id] : \
			READ(net, mib.udp_statistics)[this_cpu->id]; \
		UPDATE_AT(mib_, mibs, index, += 1); \
	} while (0)

void ip_rt_init(struct kernel *kernel);
void ip_rt_exit(struct kernel *kernel);
void ipv4_init(struct kernel *kernel);
void ipv4_exit(struct kernel *kernel);

/* `ip addr add`, `ip route add`: set-up only. */
bool inet_add_address(struct kernel *kernel, struct net_device *dev, u32 address,
		      u32 prefix, GError **error);
bool inet_add_route(struct kernel *kernel, struct net_device *dev, u32 address,
		    u32 prefix, u32 gateway, GError **error);
/* Removes a route; false if there is none such.  Caches go stale. */
bool inet_del_route(struct kernel *kernel, u32 address, u32 prefix);

/* A counter summed over the CPUs. */
u64 snmp_ip(const struct kernel *kernel, u32 index);
u64 snmp_udp(const struct kernel *kernel, u32 index);
u64 snmp_udplite(const struct kernel *kernel, u32 index);
/* It has had a socket or a packet of UDP-Lite; both counters are 0 else. */
bool udplite_is_used(const struct kernel *kernel);

int ip_local_out(struct sk_buff *skb);
int ip_output(struct sk_buff *skb);

#endif
