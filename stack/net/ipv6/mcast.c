/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/mcast.c: who is in which group; see ipv4/igmp.c, which is the
 * same for IPv4.  mcast_filter.c, mcast_timer.c, mcast_report.c and mcast_rcv.c
 * have the rest. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/spinlock.h"
#include "stack/include/net/mld.h"
#include "stack/net/core/dev_addr_lists.h"

/* ---- the groups of a device ---- */

struct ifmcaddr6 *ipv6_mc_find(struct inet6_dev *idev,
			       const struct in6_addr *group)
{
	struct ifmcaddr6 *mc;

	for (mc = READ_ONCE(idev, mc_list); mc; mc = READ_ONCE(mc, next)) {
		struct in6_addr own = READ_ADDR6(mc, mca_addr);

		if (ipv6_addr_equal(&own, group))
			break;
	}
	return mc;
}

/* Groups of which no report is made: all nodes, and what stays on the host. */
static u32 flags_of(const struct in6_addr *group)
{
	static const struct in6_addr all_nodes = { .s6_addr = {
		0xff, 0x02, [15] = 1,
	} };

	return ipv6_addr_equal(group, &all_nodes) ||
	       (group->s6_addr[1] & 15) < 2 ? MAF_NOREPORT : 0;
}

static void init_group(struct ifmcaddr6 *mc, struct inet6_dev *idev,
		       const struct in6_addr *group, u32 mode)
{
	struct object object = mc->object;

	memset(mc, 0, sizeof(*mc));
	mc->object = object;
	WRITE_ADDR6(mc, mca_addr, *group);
	WRITE(mc, idev, idev);
	WRITE(mc, mca_users, 1);
	WRITE(mc, mca_sfmode, mode);
	WRITE_AT(mc, mca_sfcount, mode, 1);
	WRITE(mc, mca_flags, flags_of(group));
	WRITE(mc, mca_refcnt, 1);
	mld_init_group(mc);
}

static int ipv6_dev_mc_inc(struct inet6_dev *idev, const struct in6_addr *group,
			   u32 mode)
{
	struct ifmcaddr6 *mc = ipv6_mc_find(idev, group);

	FUNCTION(ipv6_dev_mc_inc);
	if (mc) {
		UPDATE(mc, mca_users, += 1);
		ip6_mc_add_src(idev, *group, mode, 0, NULL, false);
		return 0;
	}
	mc = KMALLOC(ifmcaddr6, GFP_KERNEL);
	if (!mc)
		return -ENOMEM;
	init_group(mc, idev, group, mode);
	WRITE(mc, next, READ(idev, mc_list));
	WRITE_ONCE(idev, mc_list, mc);
	mld_del_delrec(idev, mc);
	dev_mc_add_ip6(READ(idev, dev), group);
	igmp6_group_added(idev, mc);
	return 0;
}

static void free_sources(struct ip6_sf_list *psf)
{
	struct ip6_sf_list *next;

	for (; psf; psf = next) {
		next = psf->sf_next;
		kfree(psf);
	}
}

static void free_group(void *group)
{
	struct ifmcaddr6 *mc = group;

	free_sources(mc->mca_sources);
	free_sources(mc->mca_tomb);
	kfree(mc);
}

void ma_put(struct ifmcaddr6 *ma)
{
	if (ATOMIC_DEC_AND_TEST(ma, mca_refcnt))
		CALL_RCU(ma, rcu, free_group);
}

static void __ipv6_dev_mc_dec(struct inet6_dev *idev,
			      const struct in6_addr *group)
{
	struct ifmcaddr6 *mc = ipv6_mc_find(idev, group), *at;

	FUNCTION(__ipv6_dev_mc_dec);
	if (!mc)
		return;
	UPDATE(mc, mca_users, -= 1);
	if (mc->mca_users)
		return;
	at = READ(idev, mc_list);
	if (at == mc) {
		WRITE_ONCE(idev, mc_list, READ(mc, next));
	} else {
		while (READ(at, next) != mc)
			at = at->next;
		WRITE_ONCE(at, next, READ(mc, next));
	}
	dev_mc_del_ip6(READ(idev, dev), group);
	igmp6_group_dropped(idev, mc);
	ma_put(mc);
}

/* A group that the host is in from the start. */
static void set_up_group(struct kernel *kernel, struct inet6_dev *idev,
			 const struct in6_addr *group)
{
	struct ifmcaddr6 *mc = idev->mc_list;

	while (mc && !ipv6_addr_equal(&mc->mca_addr, group))
		mc = mc->next;
	if (mc) {
		mc->mca_users++;
		mc->mca_sfcount[MCAST_EXCLUDE]++;
		return;
	}
	mc = STATIC_OBJECT(kernel, ifmcaddr6, 0);
	mc->mca_addr = *group;
	mc->idev = idev;
	mc->mca_users = 1;
	mc->mca_flags = flags_of(group);
	mc->mca_refcnt = 1;
	mld_init_group_at_boot(mc);
	mc->mca_sfcount[MCAST_EXCLUDE] = 1;
	mc->next = idev->mc_list;
	idev->mc_list = mc;
	dev_mc_add_ip6(idev->dev, group);
}

void ipv6_mc_init_dev(struct kernel *kernel, struct inet6_dev *idev)
{
	static const struct in6_addr all_nodes[] = {
		{ .s6_addr = { 0xff, 0x01, [15] = 1 } },
		{ .s6_addr = { 0xff, 0x02, [15] = 1 } },
	};

	mld_init_dev(idev);
	set_up_group(kernel, idev, &all_nodes[0]);
	set_up_group(kernel, idev, &all_nodes[1]);
}

void addrconf_join_solict(struct kernel *kernel, struct inet6_dev *idev,
			  const struct in6_addr *addr)
{
	struct in6_addr group = { .s6_addr = {
		0xff, 0x02, [11] = 1, 0xff,
	} };

	if (idev->dev->flags & IFF_LOOPBACK)
		return;
	memcpy(group.s6_addr + 13, addr->s6_addr + 13, 3);
	set_up_group(kernel, idev, &group);
}

/* ---- those of a socket ---- */

static struct udp6_sock *up6_of(struct sock *sk)
{
	return (struct udp6_sock *)(void *)sk;
}

/* The device that is named, or the one that a route leads to. */
static struct inet6_dev *find_dev(const struct group_source_req *req)
{
	struct net *net = this_kernel()->init_net;
	struct flowi6 fl6 = { .daddr = req->group6 };
	struct net_device *dev = NULL;
	struct dst_entry *dst;

	if (req->ifindex) {
		rcu_read_lock();
		dev = dev_get_by_index_rcu(net, req->ifindex);
		rcu_read_unlock();
	} else {
		dst = ip6_route_output(net, NULL, &fl6);
		if (!READ(dst, error))
			dev = READ(dst, dev);
		dst_release(dst);
	}
	return dev ? READ(dev, ip6_ptr) : NULL;
}

static struct ipv6_mc_socklist *find_membership(struct udp6_sock *up6,
						const struct in6_addr *group,
						u32 ifindex)
{
	struct ipv6_mc_socklist *mc = READ(up6, inet6.ipv6_mc_list);

	for (; mc; mc = READ(mc, next)) {
		struct in6_addr own = READ_ADDR6(mc, addr);

		if (READ(mc, ifindex) == ifindex &&
		    ipv6_addr_equal(&own, group))
			break;
	}
	return mc;
}

int ipv6_sock_mc_join(struct sock *sk, const struct group_source_req *req,
		      u32 mode)
{
	struct udp6_sock *up6 = up6_of(sk);
	struct ipv6_mc_socklist *mc;
	struct inet6_dev *idev;
	u32 ifindex;
	int err;

	FUNCTION(ipv6_sock_mc_join);
	if (!ipv6_addr_is_multicast(&req->group6))
		return -EINVAL;
	idev = find_dev(req);
	if (!idev)
		return -ENODEV;
	ifindex = READ(READ(idev, dev), ifindex);
	if (find_membership(up6, &req->group6, ifindex))
		return -EADDRINUSE;
	mc = KMALLOC(ipv6_mc_socklist, GFP_KERNEL);
	if (!mc)
		return -ENOMEM;
	WRITE_ADDR6(mc, addr, req->group6);
	WRITE(mc, ifindex, ifindex);
	WRITE(mc, sfmode, mode);
	WRITE(mc, sflist, NULL);
	WRITE(mc, next, READ(up6, inet6.ipv6_mc_list));
	err = ipv6_dev_mc_inc(idev, &req->group6, mode);
	if (err) {
		kfree(mc);
		return err;
	}
	WRITE_ONCE(up6, inet6.ipv6_mc_list, mc);
	return 0;
}

static void drop_membership(struct ipv6_mc_socklist *mc, struct inet6_dev *idev)
{
	struct ip6_sf_socklist *psl = READ(mc, sflist);
	struct in6_addr group = READ_ADDR6(mc, addr);
	u32 mode = READ(mc, sfmode);

	ip6_mc_del_src(idev, group, mode, psl ? READ(psl, sl_count) : 0,
		       psl ? psl->sl_addr : NULL, false);
	if (psl) {
		WRITE_ONCE(mc, sflist, NULL);
		KFREE_RCU(psl, rcu);
	}
	__ipv6_dev_mc_dec(idev, &group);
	KFREE_RCU(mc, rcu);
}

int ipv6_sock_mc_drop(struct sock *sk, const struct group_source_req *req)
{
	struct udp6_sock *up6 = up6_of(sk);
	struct inet6_dev *idev = find_dev(req);
	struct ipv6_mc_socklist *mc, *at;

	FUNCTION(ipv6_sock_mc_drop);
	if (!idev)
		return -ENODEV;
	mc = find_membership(up6, &req->group6,
			     READ(READ(idev, dev), ifindex));
	if (!mc)
		return -EADDRNOTAVAIL;
	at = READ(up6, inet6.ipv6_mc_list);
	if (at == mc) {
		WRITE_ONCE(up6, inet6.ipv6_mc_list, READ(mc, next));
	} else {
		while (READ(at, next) != mc)
			at = at->next;
		WRITE_ONCE(at, next, READ(mc, next));
	}
	drop_membership(mc, idev);
	return 0;
}

void ipv6_sock_mc_close(struct sock *sk)
{
	struct net *net = this_kernel()->init_net;
	struct udp6_sock *up6 = up6_of(sk);
	struct ipv6_mc_socklist *mc;
	struct net_device *dev;

	FUNCTION(ipv6_sock_mc_close);
	while ((mc = READ(up6, inet6.ipv6_mc_list))) {
		WRITE_ONCE(up6, inet6.ipv6_mc_list, READ(mc, next));
		rcu_read_lock();
		dev = dev_get_by_index_rcu(net, READ(mc, ifindex));
		rcu_read_unlock();
		drop_membership(mc, READ(dev, ip6_ptr));
	}
}

/* ---- sources of a socket's filter ---- */

/* Where a source stands, or sl_count. */
static u32 find_source(const struct ip6_sf_socklist *psl,
		       const struct in6_addr *source)
{
	u32 n = READ(psl, sl_count), i;

	for (i = 0; i < n; i++) {
		(void)READ_AT(psl, sl_addr, i);
		if (ipv6_addr_equal(&psl->sl_addr[i], source))
			break;
	}
	return i;
}

static int remove_source(struct inet6_dev *idev, struct ipv6_mc_socklist *mc,
			 const struct group_source_req *req, bool *leave)
{
	struct ip6_sf_socklist *psl = READ(mc, sflist);
	u32 mode = READ(mc, sfmode), i, n;

	if (!psl)
		return -EADDRNOTAVAIL;
	i = find_source(psl, &req->source6);
	n = psl->sl_count;
	if (i == n)
		return -EADDRNOTAVAIL;
	*leave = n == 1 && mode == MCAST_INCLUDE;
	if (*leave)
		return 0;
	ip6_mc_del_src(idev, req->group6, mode, 1, &req->source6, true);
	for (; i + 1 < n; i++)
		WRITE_AT(psl, sl_addr, i, psl->sl_addr[i + 1]);
	WRITE(psl, sl_count, n - 1);
	return 0;
}

static int add_source(struct inet6_dev *idev, struct ipv6_mc_socklist *mc,
		      const struct group_source_req *req)
{
	struct ip6_sf_socklist *psl = READ(mc, sflist);
	u32 n;

	if (!psl) {
		psl = KMALLOC(ip6_sf_socklist, GFP_KERNEL);
		if (!psl)
			return -ENOBUFS;
		WRITE(psl, sl_max, SF_BLOCK);
		WRITE(psl, sl_count, 0);
		WRITE_ONCE(mc, sflist, psl);
	}
	n = READ(psl, sl_count);
	if (n >= MAX_SOURCES)
		return -ENOBUFS;
	if (find_source(psl, &req->source6) < n)
		return -EADDRNOTAVAIL;
	WRITE_AT(psl, sl_addr, n, req->source6);
	WRITE(psl, sl_count, n + 1);
	return ip6_mc_add_src(idev, req->group6, READ(mc, sfmode), 1,
			      &req->source6, true);
}

int ip6_mc_source(struct sock *sk, bool add, u32 mode,
		  const struct group_source_req *req)
{
	struct inet6_dev *idev = find_dev(req);
	struct ipv6_mc_socklist *mc;
	bool leave = false;
	u32 before;
	int err;

	FUNCTION(ip6_mc_source);
	if (!ipv6_addr_is_multicast(&req->group6))
		return -EINVAL;
	if (!idev)
		return -ENODEV;
	mc = find_membership(up6_of(sk), &req->group6,
			     READ(READ(idev, dev), ifindex));
	if (!mc)
		return -EINVAL;
	before = READ(mc, sfmode);
	if (before != mode) {	/* only without sources */
		if (READ(mc, sflist))
			return -EINVAL;
		ip6_mc_add_src(idev, req->group6, mode, 0, NULL, false);
		ip6_mc_del_src(idev, req->group6, before, 0, NULL, false);
		WRITE(mc, sfmode, mode);
	}
	if (add)
		return add_source(idev, mc, req);
	err = remove_source(idev, mc, req, &leave);
	return leave ? ipv6_sock_mc_drop(sk, req) : err;
}

/* ---- for who sends and receives ---- */

/* Unless all that exclude exclude it. */
static bool wants_source(struct ifmcaddr6 *mc, const struct in6_addr *saddr)
{
	const struct ip6_sf_list *psf;

	for (psf = READ(mc, mca_sources); psf; psf = READ(psf, sf_next)) {
		struct in6_addr own = READ_ADDR6(psf, sf_addr);

		if (ipv6_addr_equal(&own, saddr))
			break;
	}
	if (!psf)
		return READ_AT(mc, mca_sfcount, MCAST_EXCLUDE);
	if (READ_AT(psf, sf_count, MCAST_INCLUDE))
		return true;
	return READ_AT(psf, sf_count, MCAST_EXCLUDE) !=
	       mc->mca_sfcount[MCAST_EXCLUDE];
}

bool ipv6_chk_mcast_addr(struct net_device *dev, const struct in6_addr *group,
			 const struct in6_addr *saddr)
{
	struct inet6_dev *idev;
	struct ifmcaddr6 *mc;
	bool wanted;

	FUNCTION(ipv6_chk_mcast_addr);
	rcu_read_lock();
	idev = READ(dev, ip6_ptr);
	if (!idev) {
		rcu_read_unlock();
		return false;
	}
	if (!has(MLD_RCU))
		READ_LOCK_BH(idev, lock);
	mc = ipv6_mc_find(idev, group);
	wanted = mc;
	if (mc && saddr && !ipv6_addr_any(saddr)) {
		if (!has(MLD_RCU))
			SPIN_LOCK_BH(mc, mca_lock);
		wanted = wants_source(mc, saddr);
		if (!has(MLD_RCU))
			SPIN_UNLOCK_BH(mc, mca_lock);
	}
	if (!has(MLD_RCU))
		READ_UNLOCK_BH(idev, lock);
	rcu_read_unlock();
	return wanted;
}

static bool in_filter(const struct ipv6_mc_socklist *mc,
		      const struct in6_addr *saddr)
{
	const struct ip6_sf_socklist *psl = READ(mc, sflist);
	bool exclude = READ(mc, sfmode) == MCAST_EXCLUDE;

	if (!psl)
		return exclude;
	return (find_source(psl, saddr) < psl->sl_count) != exclude;
}

bool inet6_mc_check(struct sock *sk, const struct in6_addr *group,
		    const struct in6_addr *saddr)
{
	struct udp6_sock *up6 = INET6_SK(sk);
	struct ipv6_mc_socklist *mc;
	bool allow = true;

	FUNCTION(inet6_mc_check);
	rcu_read_lock();
	for (mc = READ_ONCE(up6, inet6.ipv6_mc_list); mc;
	     mc = READ_ONCE(mc, next)) {
		struct in6_addr own = READ_ADDR6(mc, addr);

		if (ipv6_addr_equal(&own, group))
			break;
	}
	if (mc)
		allow = in_filter(mc, saddr);
	else if (has(IP6_MC_ALL))
		allow = READ(up6, inet6.mc_all);
	rcu_read_unlock();
	return allow;
}
