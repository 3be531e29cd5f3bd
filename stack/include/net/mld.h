/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv6 groups (include/net/if_inet6.h, mld.h, RFC 2710 and 3810); see
 * include/linux/igmp.h, which is the same for IPv4. */
#ifndef STACK_NET_MLD_H
#define STACK_NET_MLD_H

#include "stack/include/linux/igmp.h"
#include "stack/include/net/ipv6.h"

struct ip6_sf_list {
	struct object object;
	struct ip6_sf_list *sf_next;
	struct in6_addr sf_addr;
	u64 sf_count[2];
	struct rcu_head rcu;
};

struct ifmcaddr6 {
	struct object object;
	struct in6_addr mca_addr;
	struct inet6_dev *idev;
	struct ifmcaddr6 *next;
	struct ip6_sf_list *mca_sources;
	u32 mca_sfmode;
	u64 mca_sfcount[2];
	u32 mca_users;
	struct spinlock mca_lock;
	struct rcu_head rcu;
};

struct ip6_sf_socklist {
	struct object object;
	u32 sl_max, sl_count;
	struct rcu_head rcu;
	struct in6_addr sl_addr[MAX_SOURCES];
};

struct ipv6_mc_socklist {
	struct object object;
	struct in6_addr addr;
	u32 ifindex;
	struct ipv6_mc_socklist *next;
	struct rwlock sflock;		/* before MLD_RCU */
	u32 sfmode;
	struct ip6_sf_socklist *sflist;
	struct rcu_head rcu;
};

/* ---- mcast.c ---- */

/* For set-up: the groups that each host is in, and the one for an address. */
void ipv6_mc_init_dev(struct kernel *kernel, struct inet6_dev *idev);
void addrconf_join_solict(struct kernel *kernel, struct inet6_dev *idev,
			  const struct in6_addr *addr);
int ipv6_sock_mc_join(struct sock *sk, const struct group_source_req *req,
		      u32 mode);
int ipv6_sock_mc_drop(struct sock *sk, const struct group_source_req *req);
int ip6_mc_source(struct sock *sk, bool add, u32 mode,
		  const struct group_source_req *req);
void ipv6_sock_mc_close(struct sock *sk);
/* `saddr` NULL: of any source. */
bool ipv6_chk_mcast_addr(struct net_device *dev, const struct in6_addr *group,
			 const struct in6_addr *saddr);
bool inet6_mc_check(struct sock *sk, const struct in6_addr *group,
		    const struct in6_addr *saddr);
struct ifmcaddr6 *ipv6_mc_find(struct inet6_dev *idev,
			       const struct in6_addr *group);

/* ---- mcast_filter.c ---- */

int ip6_mc_add_src(struct inet6_dev *idev, struct in6_addr group, u32 sfmode,
		   u32 n, const struct in6_addr *sources, bool delta);
int ip6_mc_del_src(struct inet6_dev *idev, struct in6_addr group, u32 sfmode,
		   u32 n, const struct in6_addr *sources, bool delta);

/* ---- ipv6_sockglue.c ---- */

int ipv6_mc_setsockopt(struct sock *sk, int option, u32 value);
int ipv6_mc_group_option(struct sock *sk, int option,
			 const struct group_source_req *req);

#endif
