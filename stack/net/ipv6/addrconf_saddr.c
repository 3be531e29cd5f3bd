/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/addrconf.c: which of this host's addresses a packet comes
 * from (RFC 6724, section 5).
 *
 * The best address so far and the next one are compared rule by rule until one
 * of them wins.  What a rule said of an address is kept in its score, so that
 * the best one is judged once by each rule.
 */
#include <errno.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/net/ipv6/addrconf.h"

enum saddr_rule {
	IPV6_SADDR_RULE_INIT,
	IPV6_SADDR_RULE_LOCAL,		/* 1 */
	IPV6_SADDR_RULE_SCOPE,		/* 2 */
	IPV6_SADDR_RULE_PREFERRED,	/* 3 */
	IPV6_SADDR_RULE_HOA,		/* 4 */
	IPV6_SADDR_RULE_OIF,		/* 5 */
	IPV6_SADDR_RULE_LABEL,		/* 6 */
	IPV6_SADDR_RULE_PRIVACY,	/* 7 */
	IPV6_SADDR_RULE_ORCHID,
	IPV6_SADDR_RULE_PREFIX,		/* 8 */
	IPV6_SADDR_RULE_NOT_OPTIMISTIC,
	IPV6_SADDR_RULE_MAX
};

/* Of the kernel's stack: not charged. */
struct saddr_score {
	struct inet6_ifaddr *ifa;	/* NULL: none yet */
	s32 rule;			/* judged up to this one */
	u32 addr_type;
	u32 scorebits;			/* by rule */
	s32 scopedist;
	s32 matchlen;
};

struct saddr_dst {
	const struct in6_addr *addr;
	u32 type;
	u32 ifindex;
	s32 scope;
	u32 label;
	u32 prefs;
};

/* Mapped and compatible ones are never deprecated. */
static bool ipv6_saddr_preferred(u32 type)
{
	return type & (IPV6_ADDR_MAPPED | IPV6_ADDR_COMPATv4 |
		       IPV6_ADDR_LOOPBACK);
}

static bool ipv6_addr_orchid(const struct in6_addr *a)
{
	static const struct in6_addr orchid = { { 0x20, 0x01, 0x00, 0x10 } };

	return ipv6_prefix_equal(a, &orchid, 28);
}

/* ---- the rules ---- */

/* Same address. */
static s32 rule_local(const struct inet6_ifaddr *ifa,
		      const struct saddr_dst *dst)
{
	(void)READ_AT(ifa, addr.s6_addr, 0);
	(void)READ_AT(ifa, addr.s6_addr, 8);
	return ipv6_addr_equal(&ifa->addr, dst->addr);
}

/* The smallest scope that reaches the destination; one that does not is the
 * better the larger it is. */
static s32 rule_scope(struct saddr_score *score, const struct saddr_dst *dst)
{
	s32 scope = __ipv6_addr_src_scope(score->addr_type);

	score->scopedist = scope >= dst->scope ? -scope : scope - 128;
	return score->scopedist;
}

/* Not deprecated; nor one that may be a duplicate, unless that is wanted. */
static s32 rule_preferred(struct net *net, const struct saddr_score *score)
{
	u32 avoid = IFA_F_DEPRECATED | IFA_F_OPTIMISTIC;
	const struct inet6_dev *idev;

	if (has(IPV6_OPTIMISTIC_DAD)) {
		(void)READ(READ(net, ipv6.devconf_all), cnf.optimistic_dad);
		idev = READ(score->ifa, idev);
		(void)READ(idev, cnf.optimistic_dad);
	}
	if (ipv6_saddr_preferred(score->addr_type))
		return true;
	return !(READ(score->ifa, flags) & avoid);
}

/* A home address, unless the program wants a care-of address. */
static s32 rule_home(const struct inet6_ifaddr *ifa,
		     const struct saddr_dst *dst)
{
	bool home = READ(ifa, flags) & IFA_F_HOMEADDRESS;

	return home == !(dst->prefs & IPV6_PREFER_SRC_COA);
}

static u32 ifa_ifindex(const struct inet6_ifaddr *ifa)
{
	const struct inet6_dev *idev = READ(ifa, idev);
	const struct net_device *dev = READ(idev, dev);

	return READ(dev, ifindex);
}

/* Of the outgoing device. */
static s32 rule_oif(const struct inet6_ifaddr *ifa, const struct saddr_dst *dst)
{
	return !dst->ifindex || dst->ifindex == ifa_ifindex(ifa);
}

static s32 rule_label(struct net *net, const struct saddr_score *score,
		      const struct saddr_dst *dst)
{
	u32 ifindex = ifa_ifindex(score->ifa);

	return ipv6_addr_label(net, &score->ifa->addr, score->addr_type,
			       ifindex) == dst->label;
}

/* Public, or temporary if the program or the device's settings want that. */
static s32 rule_privacy(const struct inet6_ifaddr *ifa,
			const struct saddr_dst *dst)
{
	const u32 said = IPV6_PREFER_SRC_PUBLIC | IPV6_PREFER_SRC_TMP;
	const struct inet6_dev *idev;
	bool wanted, temporary;

	if (dst->prefs & said) {
		wanted = dst->prefs & IPV6_PREFER_SRC_TMP;
	} else {
		idev = READ(ifa, idev);
		wanted = READ(idev, cnf.use_tempaddr) >= 2;
	}
	temporary = READ(ifa, flags) & IFA_F_TEMPORARY;
	return temporary == wanted;
}

static s32 rule_orchid(const struct inet6_ifaddr *ifa,
		       const struct saddr_dst *dst)
{
	(void)READ_AT(ifa, addr.s6_addr, 0);
	return ipv6_addr_orchid(&ifa->addr) == ipv6_addr_orchid(dst->addr);
}

/* The longest common prefix; what lies behind the address's own prefix says
 * nothing, to RFC 6724. */
static s32 rule_prefix(struct saddr_score *score, const struct saddr_dst *dst)
{
	const struct inet6_ifaddr *ifa = score->ifa;
	u32 len = ipv6_addr_diff(&ifa->addr, dst->addr);

	(void)READ_AT(ifa, addr.s6_addr, 0);
	if (len >= 64)
		(void)READ_AT(ifa, addr.s6_addr, 8);
	if (has(SADDR_RFC6724))
		len = MIN(len, READ(ifa, prefix_len));
	score->matchlen = (s32)len;
	return score->matchlen;
}

/* Instructions of each rule, beyond those of a rule judged before. */
static const u8 rule_work[IPV6_SADDR_RULE_MAX] = {
	[IPV6_SADDR_RULE_INIT] = 15,
	[IPV6_SADDR_RULE_LOCAL] = 21,
	[IPV6_SADDR_RULE_SCOPE] = 18,
	[IPV6_SADDR_RULE_PREFERRED] = 18,
	[IPV6_SADDR_RULE_HOA] = 20,
	[IPV6_SADDR_RULE_OIF] = 20,
	[IPV6_SADDR_RULE_LABEL] = 26,
	[IPV6_SADDR_RULE_PRIVACY] = 24,
	[IPV6_SADDR_RULE_ORCHID] = 28,
	[IPV6_SADDR_RULE_PREFIX] = 32,
	[IPV6_SADDR_RULE_NOT_OPTIMISTIC] = 16,
};

static s32 judge(struct net *net, struct saddr_score *score,
		 const struct saddr_dst *dst, enum saddr_rule rule)
{
	switch (rule) {
	case IPV6_SADDR_RULE_INIT:
		return score->ifa != NULL;
	case IPV6_SADDR_RULE_LOCAL:
		return rule_local(score->ifa, dst);
	case IPV6_SADDR_RULE_SCOPE:
		return rule_scope(score, dst);
	case IPV6_SADDR_RULE_PREFERRED:
		return rule_preferred(net, score);
	case IPV6_SADDR_RULE_HOA:
		return rule_home(score->ifa, dst);
	case IPV6_SADDR_RULE_OIF:
		return rule_oif(score->ifa, dst);
	case IPV6_SADDR_RULE_LABEL:
		return rule_label(net, score, dst);
	case IPV6_SADDR_RULE_PRIVACY:
		return rule_privacy(score->ifa, dst);
	case IPV6_SADDR_RULE_ORCHID:
		return rule_orchid(score->ifa, dst);
	case IPV6_SADDR_RULE_PREFIX:
		return rule_prefix(score, dst);
	case IPV6_SADDR_RULE_NOT_OPTIMISTIC:
		return !(READ(score->ifa, flags) & IFA_F_OPTIMISTIC);
	case IPV6_SADDR_RULE_MAX:
		break;
	}
	g_assert_not_reached();
}

static s32 ipv6_get_saddr_eval(struct net *net, struct saddr_score *score,
			       const struct saddr_dst *dst,
			       enum saddr_rule rule)
{
	s32 ret;

	FUNCTION(ipv6_get_saddr_eval);
	if ((s32)rule <= score->rule) {
		if (rule == IPV6_SADDR_RULE_SCOPE)
			return score->scopedist;
		WORK(4);
		if (rule == IPV6_SADDR_RULE_PREFIX)
			return score->matchlen;
		return score->scorebits >> rule & 1;
	}
	WORK(rule_work[rule]);
	ret = judge(net, score, dst, rule);
	if (ret)
		score->scorebits |= 1u << rule;
	score->rule = (s32)rule;
	return ret;
}

/* Rules of what this kernel is built without. */
static bool has_rule(enum saddr_rule rule)
{
	switch (rule) {
	case IPV6_SADDR_RULE_HOA:
		return has(IPV6_MIP6);
	case IPV6_SADDR_RULE_PRIVACY:
		return has(IPV6_PRIVACY);
	case IPV6_SADDR_RULE_NOT_OPTIMISTIC:
		return has(SADDR_RFC6724) && has(IPV6_OPTIMISTIC_DAD);
	default:
		return true;
	}
}

/* ---- the candidates ---- */

/* Kernels that do not walk under RCU hold on to the best one. */
static void hold_better(struct inet6_ifaddr *better, struct inet6_ifaddr *worse)
{
	if (has(SADDR_RCU))
		return;
	if (worse)
		ATOMIC_DEC(worse, refcnt);
	ATOMIC_INC(better, refcnt);
}

/* Is the address no candidate at all?  A tentative one is not yet assigned. */
static bool is_excluded(struct inet6_ifaddr *ifa, u32 *type)
{
	if ((READ(ifa, flags) & (IFA_F_TENTATIVE | IFA_F_OPTIMISTIC)) ==
	    IFA_F_TENTATIVE)
		return true;
	*type = ifaddr_type(ifa);
	return *type == IPV6_ADDR_ANY || *type & IPV6_ADDR_MULTICAST;
}

/* Judges an address against the best so far.  False: the scopes of those that
 * follow on this device are too small as well. */
static bool consider(struct net *net, const struct saddr_dst *dst,
		     struct inet6_ifaddr *ifa, u32 type,
		     struct saddr_score *best)
{
	struct saddr_score score = {
		.ifa = ifa, .rule = -1, .addr_type = type,
	};
	enum saddr_rule i;

	WORK(20);
	for (i = 0; i < IPV6_SADDR_RULE_MAX; i++) {
		s32 old, new;

		if (!has_rule(i))
			continue;
		WORK(17);
		old = ipv6_get_saddr_eval(net, best, dst, i);
		new = ipv6_get_saddr_eval(net, &score, dst, i);
		if (old > new)
			return i != IPV6_SADDR_RULE_SCOPE ||
			       score.scopedist <= 0;
		if (old < new) {
			WORK(5);
			hold_better(ifa, best->ifa);
			*best = score;
			break;
		}
	}
	return true;
}

static void walk_addresses(struct net *net, const struct saddr_dst *dst,
			   const struct inet6_dev *idev,
			   struct saddr_score *best)
{
	struct inet6_ifaddr *ifa;
	u32 type;

	for (ifa = READ(idev, addr_list); ifa; ifa = READ(ifa, if_list))
		if (!is_excluded(ifa, &type) &&
		    !consider(net, dst, ifa, type, best))
			break;
}

static void __ipv6_dev_get_saddr(struct net *net, const struct saddr_dst *dst,
				 struct inet6_dev *idev,
				 struct saddr_score *best)
{
	if (has(SADDR_RCU)) {
		FUNCTION(__ipv6_dev_get_saddr);
		walk_addresses(net, dst, idev, best);
		return;
	}
	local_bh_disable();
	READ_LOCK(idev, lock);
	walk_addresses(net, dst, idev, best);
	READ_UNLOCK(idev, lock);
	local_bh_enable();
}

/* Only addresses of the outgoing device will do: on a link, or if the device's
 * settings say so. */
static bool use_oif_addrs_only(const struct saddr_dst *dst,
			       const struct inet6_dev *idev)
{
	if (dst->type & IPV6_ADDR_MULTICAST ||
	    dst->scope <= IPV6_ADDR_SCOPE_LINKLOCAL)
		return true;
	return has(SADDR_OIF_ONLY) && idev &&
	       READ(idev, cnf.use_oif_addrs_only);
}

/* Devices of another VRF do not come into question; here there are none. */
static void l3mdev_master_ifindex_rcu(const struct net_device *dev)
{
	FUNCTION(l3mdev_master_ifindex_rcu);
	(void)READ(dev, priv_flags);
}

static void walk_devices(struct net *net, const struct saddr_dst *dst,
			 struct saddr_score *best)
{
	const struct net_device *dev;
	struct inet6_dev *idev;

	for (dev = READ(net, dev_base_head); dev; dev = READ(dev, dev_list)) {
		WORK(17);
		if (has(L3MDEV))
			l3mdev_master_ifindex_rcu(dev);
		idev = READ(dev, ip6_ptr);
		if (idev)
			__ipv6_dev_get_saddr(net, dst, idev, best);
	}
}

int ipv6_dev_get_saddr(struct net *net, struct net_device *dst_dev,
		       const struct in6_addr *daddr, u32 prefs,
		       struct in6_addr *saddr)
{
	struct saddr_score best = { .rule = -1 };
	struct saddr_dst dst = { .addr = daddr, .prefs = prefs };
	struct inet6_dev *idev = NULL;

	FUNCTION(ipv6_dev_get_saddr);
	STACK_PROTECTOR();
	dst.type = __ipv6_addr_type(daddr);
	dst.ifindex = dst_dev ? READ(dst_dev, ifindex) : 0;
	dst.scope = __ipv6_addr_src_scope(dst.type);
	dst.label = ipv6_addr_label(net, daddr, dst.type, dst.ifindex);
	rcu_read_lock();
	if (dst_dev)
		idev = READ(dst_dev, ip6_ptr);
	if (dst_dev && use_oif_addrs_only(&dst, idev)) {
		if (idev)
			__ipv6_dev_get_saddr(net, &dst, idev, &best);
	} else {
		if (dst_dev && has(L3MDEV))
			(void)READ(dst_dev, priv_flags);
		walk_devices(net, &dst, &best);
	}
	if (best.ifa) {
		(void)READ_AT(best.ifa, addr.s6_addr, 0);
		(void)READ_AT(best.ifa, addr.s6_addr, 8);
		*saddr = best.ifa->addr;
		if (!has(SADDR_RCU))
			ATOMIC_DEC(best.ifa, refcnt);
	}
	rcu_read_unlock();
	return best.ifa ? 0 : -EADDRNOTAVAIL;
}
