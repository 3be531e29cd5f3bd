/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPv4 groups: who is a member, and of which sources each wants to hear
 * (include/linux/igmp.h, RFC 2236 and 3376).
 *
 *	inet_sock.mc_list -> ip_mc_socklist -> ip_sf_socklist	what a socket wants
 *	in_device.mc_list -> ip_mc_list -> ip_sf_list		all sockets together
 */
#ifndef STACK_LINUX_IGMP_H
#define STACK_LINUX_IGMP_H

#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define IPPROTO_IGMP_NUMBER 2
#define INADDR_ALLHOSTS_GROUP 0xe0000001u	/* 224.0.0.1 */
#define IGMP_ALL_ROUTER 0xe0000002u
#define IGMPV3_ALL_MCR 0xe0000016u	/* routers of version 3: 224.0.0.22 */

/* Types of messages. */
enum {
	IGMP_HOST_MEMBERSHIP_QUERY = 0x11,
	IGMP_HOST_MEMBERSHIP_REPORT = 0x12,
	IGMPV2_HOST_MEMBERSHIP_REPORT = 0x16,
	IGMP_HOST_LEAVE_MESSAGE = 0x17,
	IGMPV3_HOST_MEMBERSHIP_REPORT = 0x22
};

/* Types of a report's records, which MLD shares. */
enum {
	MC_MODE_IS_INCLUDE = 1,
	MC_MODE_IS_EXCLUDE,
	MC_CHANGE_TO_INCLUDE,
	MC_CHANGE_TO_EXCLUDE,
	MC_ALLOW_NEW_SOURCES,
	MC_BLOCK_OLD_SOURCES
};

#define MC_ROBUSTNESS 2u	/* a report goes out so often: RFC 3376, 8.1 */

/* Does a filter name the sources that are not wanted, or those that are? */
enum { MCAST_EXCLUDE, MCAST_INCLUDE };

#define MAX_MEMBERSHIPS 20u	/* sysctl_igmp_max_memberships */
#define MAX_SOURCES 10u		/* sysctl_igmp_max_msf */
#define SF_BLOCK 10u		/* sources that a socket's list grows by */

/* A source that some filter of the group names. */
struct ip_sf_list {
	struct object object;
	struct ip_sf_list *sf_next;
	u32 sf_inaddr;
	u64 sf_count[2];	/* filters that exclude and include it */
	u8 sf_gsresp;		/* a query named it */
	u8 sf_oldin;		/* came through before the change in hand */
	u8 sf_crcount;		/* reports of it that are still to come */
	struct rcu_head rcu;
};

struct ip_mc_list {
	struct object object;
	struct in_device *interface;
	u32 multiaddr;
	u32 sfmode;
	struct ip_sf_list *sources;
	struct ip_sf_list *tomb;	/* sources that are gone, to be told of */
	u64 sfcount[2];		/* filters of each mode */
	struct ip_mc_list *next_rcu;
	struct timer_list timer;	/* to answer a query, or of v1 and v2 */
	u32 users;
	s32 refcnt;		/* the list's and the timer's */
	struct spinlock lock;
	u8 tm_running;
	u8 reporter;		/* we were the last who reported it */
	u8 unsolicit_count;
	u8 gsquery;		/* asked for the sources that are marked */
	u8 crcount;		/* reports of its mode that are still to come */
	struct rcu_head rcu;
};

/* The list of sources of a socket's filter; there is room for sl_max. */
struct ip_sf_socklist {
	struct object object;
	u32 sl_max, sl_count;
	struct rcu_head rcu;
	u32 sl_addr[MAX_SOURCES];
};

struct ip_mc_socklist {
	struct object object;
	struct ip_mc_socklist *next_rcu;
	struct { u32 imr_multiaddr, imr_ifindex; } multi;
	u32 sfmode;
	struct ip_sf_socklist *sflist;
	struct rcu_head rcu;
};

/* An address of a device. */
struct in_ifaddr {
	struct object object;
	u32 ifa_local;
	u32 ifa_flags;
	u8 ifa_scope;
};

/* ---- igmp.c ---- */

/* For set-up: the group that each host is in. */
void ip_mc_init_dev(struct kernel *kernel, struct in_device *in_dev);
/* Of sockets, with the RTNL lock.  0 or -errno. */
int ip_mc_join_group(struct sock *sk, const struct group_source_req *req,
		     u32 mode);
int ip_mc_leave_group(struct sock *sk, const struct group_source_req *req);
int ip_mc_source(struct sock *sk, bool add, u32 mode,
		 const struct group_source_req *req);
/* The socket ends. */
void ip_mc_drop_socket(struct sock *sk);
/* Is this host in the group, and does somebody want this source?  saddr 0: of
 * any source. */
bool ip_check_mc_rcu(struct in_device *in_dev, u32 group, u32 saddr, u8 proto);
/* Does a socket want a datagram of the group from there? */
bool ip_mc_sf_allow(struct sock *sk, u32 group, u32 saddr, u32 dif);
struct ip_mc_list *ip_mc_find(struct in_device *in_dev, u32 group);
/* One reference on the group goes, and with the last the group. */
void ip_ma_put(struct ip_mc_list *im);

/* ---- igmp_filter.c: the filter of the device, from those of the sockets ---- */

/* `delta`: of a socket whose mode is counted already. */
int ip_mc_add_src(struct in_device *in_dev, u32 group, u32 sfmode, u32 n,
		  const u32 *sources, bool delta);
int ip_mc_del_src(struct in_device *in_dev, u32 group, u32 sfmode, u32 n,
		  const u32 *sources, bool delta);

/* ---- igmp_timer.c: when to report ---- */

/* For set-up. */
void igmp_init_dev(struct in_device *in_dev);
/* For a new group; when it has come to the device's list, or has just left. */
void igmp_init_group(struct ip_mc_list *im);
void igmp_group_added(struct in_device *in_dev, struct ip_mc_list *im);
void igmp_group_dropped(struct in_device *in_dev, struct ip_mc_list *im);
/* A change that routers are to hear of. */
void igmp_ifc_event(struct in_device *in_dev);
void igmp_ifc_stop_timer(struct in_device *in_dev);
void igmp_gq_start_timer(struct in_device *in_dev);
void igmp_mod_timer(struct ip_mc_list *im, u64 max_delay);
void igmp_stop_timer(struct ip_mc_list *im);
/* How often a report goes out. */
u8 igmp_qrv(struct in_device *in_dev);
/* The version that the routers here make us speak: 1 to 3. */
u32 igmp_version(struct in_device *in_dev);
/* The time, in jiffies, within which a report is repeated. */
u64 igmp_report_interval(struct in_device *in_dev);
void igmpv3_add_delrec(struct in_device *in_dev, struct ip_mc_list *im);
/* The group is there again. */
void igmpv3_del_delrec(struct in_device *in_dev, struct ip_mc_list *im);
void igmpv3_clear_delrec(struct in_device *in_dev);

/* ---- igmp_report.c: what to report ---- */

/* Is the group one that is never told of? */
bool igmp_is_silent(u32 group);
/* Of versions 1 and 2: a report, or that the host has left. */
void igmp_send_report(struct in_device *in_dev, u32 group, u8 type);
/* Of version 3: the state of one group or (NULL) of all; what has changed. */
void igmpv3_send_report(struct in_device *in_dev, struct ip_mc_list *pmc);
void igmpv3_send_cr(struct in_device *in_dev);
/* Marks those of the group that a query names; false: there is nothing to
 * answer.  With the group's lock. */
bool igmp_marksources(struct ip_mc_list *pmc, u32 n, const u32 *sources);

/* ---- igmp_rcv.c ---- */

int igmp_rcv(struct sk_buff *skb);

/* ---- devinet.c ---- */

u32 inet_select_addr(struct net_device *dev);
/* The device that has this address; NULL: none has. */
struct net_device *__ip_dev_find(struct net *net, u32 addr);

/* ---- ip_sockglue.c ---- */

/* -ENOPROTOOPT: it is none of these. */
int ip_mc_setsockopt(struct sock *sk, int option, u32 value);
int ip_mc_group_option(struct sock *sk, int option,
		       const struct group_source_req *req);

#endif
