/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv6 groups (include/net/if_inet6.h, mld.h, RFC 2710 and 3810); see
 * include/linux/igmp.h, which is the same for IPv4. */
#ifndef STACK_NET_MLD_H
#define STACK_NET_MLD_H

#include "stack/include/linux/igmp.h"
#include "stack/include/net/ipv6.h"

enum {	/* types of ICMPv6 */
	ICMPV6_MGM_QUERY = 130,
	ICMPV6_MGM_REPORT = 131,
	ICMPV6_MGM_REDUCTION = 132,
	ICMPV6_MLD2_REPORT = 143,
};

#define IPV6_TLV_ROUTERALERT 5

/* Flags of a group. */
#define MAF_TIMER_RUNNING 0x01u
#define MAF_LAST_REPORTER 0x02u
#define MAF_NOREPORT 0x08u
#define MAF_GSQUERY 0x10u

struct ip6_sf_list {
	struct object object;
	struct ip6_sf_list *sf_next;
	struct in6_addr sf_addr;
	u64 sf_count[2];
	u8 sf_gsresp, sf_oldin, sf_crcount;
	struct rcu_head rcu;
};

struct ifmcaddr6 {
	struct object object;
	struct in6_addr mca_addr;
	struct inet6_dev *idev;
	struct ifmcaddr6 *next;
	struct ip6_sf_list *mca_sources;
	struct ip6_sf_list *mca_tomb;
	u8 mca_crcount;
	struct timer_list mca_timer;
	u32 mca_flags;
	s32 mca_refcnt;
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
/* One reference on the group goes, and with the last the group. */
void ma_put(struct ifmcaddr6 *ma);

/* ---- mcast_filter.c ---- */

int ip6_mc_add_src(struct inet6_dev *idev, struct in6_addr group, u32 sfmode,
		   u32 n, const struct in6_addr *sources, bool delta);
int ip6_mc_del_src(struct inet6_dev *idev, struct in6_addr group, u32 sfmode,
		   u32 n, const struct in6_addr *sources, bool delta);

/* ---- mcast_timer.c: when to report; igmp.h says more of each ---- */

void mld_init_dev(struct inet6_dev *idev);
void mld_init_group(struct ifmcaddr6 *ma);
void mld_init_group_at_boot(struct ifmcaddr6 *ma);
void igmp6_group_added(struct inet6_dev *idev, struct ifmcaddr6 *ma);
void igmp6_group_dropped(struct inet6_dev *idev, struct ifmcaddr6 *ma);
void igmp6_group_queried(struct ifmcaddr6 *ma, u64 max_delay);
void igmp6_stop_timer(struct ifmcaddr6 *ma);
void mld_ifc_event(struct inet6_dev *idev);
void mld_ifc_stop_timer(struct inet6_dev *idev);
void mld_gq_start_timer(struct inet6_dev *idev);
u8 mld_qrv(struct inet6_dev *idev);
bool mld_in_v1_mode(struct inet6_dev *idev);
u64 mld_report_interval(struct inet6_dev *idev);
void mld_add_delrec(struct inet6_dev *idev, struct ifmcaddr6 *ma);
void mld_del_delrec(struct inet6_dev *idev, struct ifmcaddr6 *ma);
void mld_clear_delrec(struct inet6_dev *idev);

/* ---- mcast_report.c ---- */

/* Of MLDv1. */
void igmp6_send(struct inet6_dev *idev, const struct in6_addr *group, u8 type);
/* Of MLDv2. */
void mld_send_report(struct inet6_dev *idev, struct ifmcaddr6 *ma);
void mld_send_cr(struct inet6_dev *idev);
bool mld_marksources(struct ifmcaddr6 *ma, u32 n,
		     const struct in6_addr *sources);

/* ---- mcast_rcv.c: the packet stays the caller's ---- */

void igmp6_event_query(struct sk_buff *skb);
void igmp6_event_report(struct sk_buff *skb);

/* ---- ipv6_sockglue.c ---- */

int ipv6_mc_setsockopt(struct sock *sk, int option, u32 value);
int ipv6_mc_group_option(struct sock *sk, int option,
			 const struct group_source_req *req);

#endif
