/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/igmp.c: who is in which group.  A socket joins on a device; the
 * device's group is that of all sockets together, and stands in the list of
 * addresses that the hardware lets in.  igmp_filter.c has the merging of
 * filters, and igmp_timer.c, igmp_report.c and igmp_rcv.c what is said of it all
 * to routers.
 *
 * Lists change under the RTNL lock and are read under RCU.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/spinlock.h"
#include "stack/net/core/dev_addr_lists.h"
#include "stack/net/ipv4/route.h"

static bool is_multicast(u32 addr)
{
	return addr >> 28 == 0xe;
}

/* ---- the groups of a device ---- */

struct ip_mc_list *ip_mc_find(struct in_device *in_dev, u32 group)
{
	struct ip_mc_list *im = READ_ONCE(in_dev, mc_list);

	while (im && READ(im, multiaddr) != group)
		im = READ_ONCE(im, next_rcu);
	return im;
}

static void init_group(struct ip_mc_list *im, struct in_device *in_dev,
		       u32 group, u32 mode)
{
	struct object object = im->object;

	memset(im, 0, sizeof(*im));
	im->object = object;
	WRITE(im, users, 1);
	WRITE(im, interface, in_dev);
	WRITE(im, multiaddr, group);
	WRITE(im, sfmode, mode);
	WRITE_AT(im, sfcount, mode, 1);
	WRITE(im, refcnt, 1);
	igmp_init_group(im);
}

static void link_group(struct in_device *in_dev, struct ip_mc_list *im)
{
	WRITE(im, next_rcu, READ(in_dev, mc_list));
	UPDATE(in_dev, mc_count, += 1);
	WRITE_ONCE(in_dev, mc_list, im);
}

static int ip_mc_inc_group(struct in_device *in_dev, u32 group, u32 mode)
{
	struct ip_mc_list *im = ip_mc_find(in_dev, group);

	FUNCTION(ip_mc_inc_group);
	if (im) {
		UPDATE(im, users, += 1);
		ip_mc_add_src(in_dev, group, mode, 0, NULL, false);
		return 0;
	}
	im = KMALLOC(ip_mc_list, GFP_KERNEL);
	if (!im)
		return -ENOBUFS;
	init_group(im, in_dev, group, mode);
	link_group(in_dev, im);
	igmpv3_del_delrec(in_dev, im);
	dev_mc_add_ip(READ(in_dev, dev), group);
	igmp_group_added(in_dev, im);
	rt_cache_flush(this_kernel()->init_net);
	return 0;
}

static void unlink_group(struct in_device *in_dev, struct ip_mc_list *im)
{
	struct ip_mc_list *at = READ(in_dev, mc_list);

	if (at == im) {
		WRITE_ONCE(in_dev, mc_list, READ(im, next_rcu));
	} else {
		while (READ(at, next_rcu) != im)
			at = at->next_rcu;
		WRITE_ONCE(at, next_rcu, READ(im, next_rcu));
	}
	UPDATE(in_dev, mc_count, -= 1);
}

static void free_sources(struct ip_sf_list *psf)
{
	struct ip_sf_list *next;

	for (; psf; psf = next) {
		next = psf->sf_next;
		kfree(psf);
	}
}

static void free_group(void *group)
{
	struct ip_mc_list *im = group;

	free_sources(im->sources);
	free_sources(im->tomb);
	kfree(im);
}

void ip_ma_put(struct ip_mc_list *im)
{
	if (ATOMIC_DEC_AND_TEST(im, refcnt))
		CALL_RCU(im, rcu, free_group);
}

static void ip_mc_dec_group(struct in_device *in_dev, u32 group)
{
	struct ip_mc_list *im = ip_mc_find(in_dev, group);

	FUNCTION(ip_mc_dec_group);
	if (!im)
		return;
	UPDATE(im, users, -= 1);
	if (im->users)
		return;
	unlink_group(in_dev, im);
	dev_mc_del_ip(READ(in_dev, dev), group);
	igmp_group_dropped(in_dev, im);
	rt_cache_flush(this_kernel()->init_net);
	ip_ma_put(im);
}

void ip_mc_init_dev(struct kernel *kernel, struct in_device *in_dev)
{
	struct ip_mc_list *im = STATIC_OBJECT(kernel, ip_mc_list, 0);

	igmp_init_dev(in_dev);
	im->users = 1;
	im->refcnt = 1;
	im->interface = in_dev;
	im->multiaddr = INADDR_ALLHOSTS_GROUP;
	im->sfcount[MCAST_EXCLUDE] = 1;
	in_dev->mc_list = im;
	in_dev->mc_count = 1;
	dev_mc_add_ip(in_dev->dev, INADDR_ALLHOSTS_GROUP);
}

/* ---- those of a socket ---- */

static struct inet_sock *inet_of(struct sock *sk)
{
	return (struct inet_sock *)(void *)sk;
}

/* The device that is named by its number or by its address, or the one that a
 * route leads to. */
static struct in_device *ip_mc_find_dev(const struct group_source_req *req)
{
	struct net *net = this_kernel()->init_net;
	struct net_device *dev = NULL;
	struct rtable *rt;
	int err;

	rcu_read_lock();
	if (req->ifindex)
		dev = dev_get_by_index_rcu(net, req->ifindex);
	else if (req->address)
		dev = __ip_dev_find(net, req->address);
	rcu_read_unlock();
	if (!dev && !req->ifindex && !req->address) {
		struct flowi4 fl4 = { .daddr = req->group };

		rt = ip_route_output_flow(net, &fl4, NULL, &err);
		if (rt) {
			dev = READ(&rt->dst, dev);
			dst_release(&rt->dst);
		}
	}
	return dev ? READ(dev, ip_ptr) : NULL;
}

static struct ip_mc_socklist *find_membership(struct inet_sock *inet, u32 group,
					      u32 ifindex)
{
	struct ip_mc_socklist *pmc = READ(inet, mc_list);

	while (pmc && (READ(pmc, multi.imr_multiaddr) != group ||
		       READ(pmc, multi.imr_ifindex) != ifindex))
		pmc = READ(pmc, next_rcu);
	return pmc;
}

static u32 count_memberships(struct inet_sock *inet)
{
	struct ip_mc_socklist *pmc = READ(inet, mc_list);
	u32 n = 0;

	for (; pmc; pmc = READ(pmc, next_rcu))
		n++;
	return n;
}

int ip_mc_join_group(struct sock *sk, const struct group_source_req *req,
		     u32 mode)
{
	struct inet_sock *inet = inet_of(sk);
	struct ip_mc_socklist *iml;
	struct in_device *in_dev;
	u32 ifindex;
	int err;

	FUNCTION(ip_mc_join_group);
	if (!is_multicast(req->group))
		return -EINVAL;
	in_dev = ip_mc_find_dev(req);
	if (!in_dev)
		return -ENODEV;
	ifindex = READ(READ(in_dev, dev), ifindex);
	if (find_membership(inet, req->group, ifindex))
		return -EADDRINUSE;
	if (count_memberships(inet) >= MAX_MEMBERSHIPS)
		return -ENOBUFS;
	iml = KMALLOC(ip_mc_socklist, GFP_KERNEL);
	if (!iml)
		return -ENOBUFS;
	WRITE(iml, multi.imr_multiaddr, req->group);
	WRITE(iml, multi.imr_ifindex, ifindex);
	WRITE(iml, sfmode, mode);
	WRITE(iml, sflist, NULL);
	WRITE(iml, next_rcu, READ(inet, mc_list));
	err = ip_mc_inc_group(in_dev, req->group, mode);
	if (err) {
		kfree(iml);
		return err;
	}
	WRITE_ONCE(inet, mc_list, iml);
	return 0;
}

/* The filter of a socket goes out of the device's. */
static void ip_mc_leave_src(struct ip_mc_socklist *iml,
			    struct in_device *in_dev)
{
	struct ip_sf_socklist *psl = READ(iml, sflist);
	u32 group = READ(iml, multi.imr_multiaddr), mode = READ(iml, sfmode);

	if (!psl) {
		ip_mc_del_src(in_dev, group, mode, 0, NULL, false);
		return;
	}
	(void)READ_AT(psl, sl_addr, 0);
	ip_mc_del_src(in_dev, group, mode, READ(psl, sl_count), psl->sl_addr,
		      false);
	WRITE_ONCE(iml, sflist, NULL);
	KFREE_RCU(psl, rcu);
}

static void drop_membership(struct ip_mc_socklist *iml,
			    struct in_device *in_dev)
{
	ip_mc_leave_src(iml, in_dev);
	ip_mc_dec_group(in_dev, READ(iml, multi.imr_multiaddr));
	KFREE_RCU(iml, rcu);
}

int ip_mc_leave_group(struct sock *sk, const struct group_source_req *req)
{
	struct inet_sock *inet = inet_of(sk);
	struct ip_mc_socklist *iml, *prev = NULL;
	struct in_device *in_dev = ip_mc_find_dev(req);
	u32 ifindex;

	FUNCTION(ip_mc_leave_group);
	if (!in_dev)
		return -ENODEV;
	ifindex = READ(READ(in_dev, dev), ifindex);
	for (iml = READ(inet, mc_list); iml; iml = READ(iml, next_rcu)) {
		if (READ(iml, multi.imr_multiaddr) == req->group &&
		    READ(iml, multi.imr_ifindex) == ifindex)
			break;
		prev = iml;
	}
	if (!iml)
		return -EADDRNOTAVAIL;
	if (prev)
		WRITE_ONCE(prev, next_rcu, READ(iml, next_rcu));
	else
		WRITE_ONCE(inet, mc_list, READ(iml, next_rcu));
	drop_membership(iml, in_dev);
	return 0;
}

void ip_mc_drop_socket(struct sock *sk)
{
	struct net *net = this_kernel()->init_net;
	struct inet_sock *inet = inet_of(sk);
	struct ip_mc_socklist *iml;
	struct net_device *dev;

	FUNCTION(ip_mc_drop_socket);
	while ((iml = READ(inet, mc_list))) {
		WRITE_ONCE(inet, mc_list, READ(iml, next_rcu));
		rcu_read_lock();
		dev = dev_get_by_index_rcu(net, READ(iml, multi.imr_ifindex));
		rcu_read_unlock();
		drop_membership(iml, READ(dev, ip_ptr));
	}
}

/* ---- sources of a socket's filter ---- */

/* Where a source stands, or sl_count. */
static u32 find_source(const struct ip_sf_socklist *psl, u32 source)
{
	u32 n = READ(psl, sl_count), i;

	for (i = 0; i < n && READ_AT(psl, sl_addr, i) != source; i++)
		;
	return i;
}

static int remove_source(struct in_device *in_dev, struct ip_mc_socklist *pmc,
			 const struct group_source_req *req, bool *leave)
{
	struct ip_sf_socklist *psl = READ(pmc, sflist);
	u32 mode = READ(pmc, sfmode), i, n;

	if (!psl)
		return -EADDRNOTAVAIL;
	i = find_source(psl, req->source);
	n = psl->sl_count;
	if (i == n)
		return -EADDRNOTAVAIL;
	*leave = n == 1 && mode == MCAST_INCLUDE;
	if (*leave)
		return 0;
	ip_mc_del_src(in_dev, req->group, mode, 1, &req->source, true);
	for (; i + 1 < n; i++)
		WRITE_AT(psl, sl_addr, i, psl->sl_addr[i + 1]);
	WRITE(psl, sl_count, n - 1);
	return 0;
}

/* A list that all sources fit in from the start, where the kernel's grows. */
static struct ip_sf_socklist *source_list(struct ip_mc_socklist *pmc)
{
	struct ip_sf_socklist *psl = READ(pmc, sflist);

	if (psl)
		return psl;
	psl = KMALLOC(ip_sf_socklist, GFP_KERNEL);
	if (!psl)
		return NULL;
	WRITE(psl, sl_max, SF_BLOCK);
	WRITE(psl, sl_count, 0);
	WRITE_ONCE(pmc, sflist, psl);
	return psl;
}

static int add_source(struct in_device *in_dev, struct ip_mc_socklist *pmc,
		      const struct group_source_req *req)
{
	struct ip_sf_socklist *psl = source_list(pmc);
	u32 n;

	if (!psl)
		return -ENOBUFS;
	n = READ(psl, sl_count);
	if (n >= MAX_SOURCES)
		return -ENOBUFS;
	if (find_source(psl, req->source) < n)
		return -EADDRNOTAVAIL;
	WRITE_AT(psl, sl_addr, n, req->source);
	WRITE(psl, sl_count, n + 1);
	return ip_mc_add_src(in_dev, req->group, READ(pmc, sfmode), 1,
			     &req->source, true);
}

/* Only a filter without sources may change its mode. */
static bool set_mode(struct in_device *in_dev, struct ip_mc_socklist *pmc,
		     u32 group, u32 mode)
{
	u32 before = READ(pmc, sfmode);

	if (before == mode)
		return true;
	if (READ(pmc, sflist))
		return false;
	ip_mc_add_src(in_dev, group, mode, 0, NULL, false);
	ip_mc_del_src(in_dev, group, before, 0, NULL, false);
	WRITE(pmc, sfmode, mode);
	return true;
}

int ip_mc_source(struct sock *sk, bool add, u32 mode,
		 const struct group_source_req *req)
{
	struct in_device *in_dev = ip_mc_find_dev(req);
	struct ip_mc_socklist *pmc;
	bool leave = false;
	int err;

	FUNCTION(ip_mc_source);
	if (!is_multicast(req->group))
		return -EINVAL;
	if (!in_dev)
		return -ENODEV;
	pmc = find_membership(inet_of(sk), req->group,
			      READ(READ(in_dev, dev), ifindex));
	if (!pmc || !set_mode(in_dev, pmc, req->group, mode))
		return -EINVAL;
	if (add)
		return add_source(in_dev, pmc, req);
	err = remove_source(in_dev, pmc, req, &leave);
	return leave ? ip_mc_leave_group(sk, req) : err;
}

/* ---- for who sends and receives ---- */

/* Unless all that exclude exclude it. */
static bool wants_source(struct ip_mc_list *im, u32 saddr)
{
	const struct ip_sf_list *psf = READ(im, sources);
	bool wanted;

	while (psf && READ(psf, sf_inaddr) != saddr)
		psf = READ(psf, sf_next);
	if (!psf) {
		wanted = READ_AT(im, sfcount, MCAST_EXCLUDE);
	} else if (READ_AT(psf, sf_count, MCAST_INCLUDE)) {
		wanted = true;
	} else {
		u64 excluding = READ_AT(im, sfcount, MCAST_EXCLUDE);

		wanted = READ_AT(psf, sf_count, MCAST_EXCLUDE) != excluding;
	}
	return wanted;
}

bool ip_check_mc_rcu(struct in_device *in_dev, u32 group, u32 saddr, u8 proto)
{
	struct ip_mc_list *im;
	bool wanted;

	FUNCTION(ip_check_mc_rcu);
	/* The hash of them, from five groups on, is not modelled. */
	if (has(IN_DEV_MC_HASH))
		(void)READ_ONCE(in_dev, mc_hash);
	im = ip_mc_find(in_dev, group);
	if (!im || proto == IPPROTO_IGMP_NUMBER || !saddr)
		return im;
	if (has(IGMP_CHECK_LOCK))
		SPIN_LOCK_BH(im, lock);
	wanted = wants_source(im, saddr);
	if (has(IGMP_CHECK_LOCK))
		SPIN_UNLOCK_BH(im, lock);
	return wanted;
}

static bool in_filter(const struct ip_mc_socklist *pmc, u32 saddr)
{
	const struct ip_sf_socklist *psl = READ(pmc, sflist);
	bool exclude = READ(pmc, sfmode) == MCAST_EXCLUDE;

	if (!psl)
		return exclude;
	return (find_source(psl, saddr) < psl->sl_count) != exclude;
}

bool ip_mc_sf_allow(struct sock *sk, u32 group, u32 saddr, u32 dif)
{
	struct inet_sock *inet = inet_of(sk);
	struct ip_mc_socklist *pmc;
	bool allow;

	FUNCTION(ip_mc_sf_allow);
	if (!is_multicast(group))
		return true;
	rcu_read_lock();
	pmc = READ_ONCE(inet, mc_list);
	while (pmc && (READ(pmc, multi.imr_multiaddr) != group ||
		       READ(pmc, multi.imr_ifindex) != dif))
		pmc = READ_ONCE(pmc, next_rcu);
	allow = pmc ? in_filter(pmc, saddr) : READ(inet, mc_all);
	rcu_read_unlock();
	return allow;
}
