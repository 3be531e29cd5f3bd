/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/fib_frontend.c, the part that asks whether a packet may have
 * come from where it says: fib_validate_source().
 *
 * The way back to the source is looked up.  With rp_filter 1 it must leave by
 * the device that the packet came in by (RFC 3704, strict); with 2 any way will
 * do (loose).  A source that is this host's own, or no host's, is refused in
 * either case.  Without a filter only the settings are looked at.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/netns.h"
#include "stack/net/ipv4/route.h"

/* The stricter of two settings: that of all devices and this one's. */
static u32 in_dev_rpfilter(const struct net *net,
			   const struct in_device *in_dev)
{
	const struct ipv4_devconf *all = READ(net, ipv4.devconf_all);
	u32 of_all = READ_AT(all, data, IPV4_DEVCONF_RP_FILTER);
	u32 own = READ_AT(in_dev, cnf.data, IPV4_DEVCONF_RP_FILTER);

	return MAX(of_all, own);
}

static bool fib_info_nh_uses_dev(const struct fib_info *fi,
				 const struct net_device *dev)
{
	u32 nhs = READ(fi, fib_nhs), i;

	for (i = 0; i < nhs; i++)
		if (READ(&fi->fib_nh[i], nh_dev) == dev)
			return true;
	return false;
}

/* The source is one hop away where the nexthop is no gateway. */
static int is_on_link(const struct fib_result *res)
{
	return READ(FIB_RES_NH(*res), nh_scope) >= RT_SCOPE_HOST;
}

static int __fib_validate_source(struct net *net, u32 src, u32 dst, u8 tos,
				 const struct net_device *dev,
				 const struct in_device *in_dev, u32 rpf)
{
	struct fib_key key = {
		.daddr = src, .saddr = dst, .tos = tos & 0x1c,
		.scope = RT_SCOPE_UNIVERSE,
	};
	struct fib_result res = { 0 };

	FUNCTION(__fib_validate_source);
	STACK_PROTECTOR();
	if (fib_lookup(net, &key, &res))
		return -EXDEV;
	if (res.type != RTN_UNICAST)
		return -EINVAL;
	if (fib_info_nh_uses_dev(res.fi, dev))
		return is_on_link(&res);
	if (rpf == 1 || !in_dev->ifa_address)
		return -EXDEV;
	/* Loose: by this device it may have a way that is on the link. */
	key.oif = READ(dev, ifindex);
	if (fib_lookup(net, &key, &res) || res.type != RTN_UNICAST)
		return 0;
	return is_on_link(&res);
}

int fib_validate_source(struct net *net, u32 src, u32 dst, u8 tos,
			const struct net_device *dev,
			const struct in_device *in_dev)
{
	struct net_core *core = this_kernel()->net_core;
	u32 rpf;
	int err;

	FUNCTION(fib_validate_source);
	rpf = in_dev_rpfilter(net, in_dev);
	if (!rpf)
		return 0;
	err = __fib_validate_source(net, src, dst, tos, dev, in_dev, rpf);
	core->martian_sources += err < 0;
	return err;
}
