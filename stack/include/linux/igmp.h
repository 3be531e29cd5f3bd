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
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define IPPROTO_IGMP_NUMBER 2
#define INADDR_ALLHOSTS_GROUP 0xe0000001u	/* 224.0.0.1 */

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
	struct rcu_head rcu;
};

struct ip_mc_list {
	struct object object;
	struct in_device *interface;
	u32 multiaddr;
	u32 sfmode;
	struct ip_sf_list *sources;
	u64 sfcount[2];		/* filters of each mode */
	struct ip_mc_list *next_rcu;
	u32 users;
	struct spinlock lock;
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

/* ---- igmp_filter.c: the filter of the device, from those of the sockets ---- */

/* `delta`: of a socket whose mode is counted already. */
int ip_mc_add_src(struct in_device *in_dev, u32 group, u32 sfmode, u32 n,
		  const u32 *sources, bool delta);
int ip_mc_del_src(struct in_device *in_dev, u32 group, u32 sfmode, u32 n,
		  const u32 *sources, bool delta);

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
