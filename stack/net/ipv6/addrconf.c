/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/addrconf.c: devices' part in IPv6 and their addresses, and
 * the routes that an address brings with it.  All of it is set-up: it is not
 * charged, but for what it allocates.
 */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/inet_frag.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/mld.h"
#include "stack/net/ipv6/ip6_input.h"
#include "stack/net/ipv6/addrconf.h"
#include "stack/net/ipv6/udp.h"

#define IN6ADDR_LOOPBACK { .s6_addr = { [15] = 1 } }

static bool address_error(GError **error, const struct net_device *dev,
			  const struct in6_addr *addr, u32 prefix,
			  const char *what)
{
	g_autofree char *text = ipv6_addr_text(addr);

	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK,
		    "address %s/%u on %s: %s", text, prefix, dev->name, what);
	return false;
}

/* ---- devices ---- */

/* One object a CPU. */
static struct ipstats_mib **alloc_dev_stats(struct kernel *kernel)
{
	u32 i, n = kernel->machine->num_cpus;
	struct ipstats_mib **stats = g_new(struct ipstats_mib *, n);

	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		stats[i] = &STATIC_OBJECT(kernel, inet6_dev_stats, node)->mib;
	}
	return stats;
}

static struct inet6_dev *ipv6_add_dev(struct kernel *kernel,
				      struct net_device *dev)
{
	struct inet6_dev *idev = KMALLOC(inet6_dev, GFP_KERNEL);

	if (!idev)
		return NULL;
	memset((char *)idev + sizeof(idev->object), 0,
	       sizeof(*idev) - sizeof(idev->object));
	idev->dev = dev;
	idev->refcnt = 1;
	idev->cnf.hop_limit = 64;
	idev->cnf.mtu6 = dev->mtu;
	idev->stats.ipv6 = alloc_dev_stats(kernel);
	dev->ip6_ptr = idev;
	g_ptr_array_add(kernel->ipv6->devices, idev);
	ipv6_mc_init_dev(kernel, idev);
	return idev;
}

/* ---- addresses ---- */

/* Into the device's list: scopes fall, and of one scope the last comes first.
 * The kernel compares source scopes, which are those of the type. */
static void ipv6_link_dev_addr(struct inet6_dev *idev, struct inet6_ifaddr *ifa)
{
	s32 scope = __ipv6_addr_src_scope(__ipv6_addr_type(&ifa->addr));
	struct inet6_ifaddr **next = &idev->addr_list;

	while (*next && __ipv6_addr_src_scope(
				__ipv6_addr_type(&(*next)->addr)) > scope)
		next = &(*next)->if_list;
	ifa->if_list = *next;
	*next = ifa;
}

static struct inet6_ifaddr *find_address(const struct inet6_dev *idev,
					 const struct in6_addr *addr)
{
	struct inet6_ifaddr *ifa;

	for (ifa = idev->addr_list; ifa; ifa = ifa->if_list)
		if (ipv6_addr_equal(&ifa->addr, addr))
			return ifa;
	return NULL;
}

static struct inet6_ifaddr *ipv6_add_addr(struct kernel *kernel,
					  struct inet6_dev *idev,
					  const struct in6_addr *addr,
					  u32 prefix)
{
	struct inet6_ifaddr *ifa = KMALLOC(inet6_ifaddr, GFP_KERNEL);

	if (!ifa)
		return NULL;
	memset((char *)ifa + sizeof(ifa->object), 0,
	       sizeof(*ifa) - sizeof(ifa->object));
	ifa->addr = *addr;
	ifa->prefix_len = prefix;
	ifa->flags = IFA_F_PERMANENT;
	ifa->scope = ipv6_addr_type(addr) & IPV6_ADDR_SCOPE_MASK;
	ifa->refcnt = 1;
	ifa->idev = idev;
	ipv6_link_dev_addr(idev, ifa);
	addrconf_join_solict(kernel, idev, addr);
	g_ptr_array_add(kernel->ipv6->addresses, ifa);
	return ifa;
}

/* ---- their routes ---- */

/* The route that says that this address is this host's. */
static bool add_local_route(struct kernel *kernel, struct net_device *dev,
			    const struct in6_addr *addr, GError **error)
{
	const struct fib6_config cfg = {
		.fc_dst = *addr, .fc_dst_len = 128, .fc_dev = dev,
		.fc_flags = RTF_UP | RTF_NONEXTHOP | RTF_LOCAL,
		.fc_type = RTN_LOCAL, .fc_protocol = RTPROT_KERNEL,
	};

	return ip6_route_add(kernel, fib6_local_table(kernel), &cfg, error);
}

/* A prefix on the device's link. */
static bool addrconf_prefix_route(struct kernel *kernel, struct net_device *dev,
				  const struct in6_addr *addr, u32 prefix,
				  GError **error)
{
	const struct fib6_config cfg = {
		.fc_dst = ipv6_addr_prefix(addr, prefix),
		.fc_dst_len = prefix, .fc_dev = dev, .fc_flags = RTF_UP,
		.fc_metric = IP6_RT_PRIO_ADDRCONF,
		.fc_protocol = RTPROT_KERNEL,
	};

	return ip6_route_add(kernel, kernel->init_net->ipv6.fib6_main_tbl,
			     &cfg, error);
}

static bool addrconf_add_mroute(struct kernel *kernel, struct net_device *dev,
				GError **error)
{
	const struct fib6_config cfg = {
		.fc_dst = { { 0xff } }, .fc_dst_len = 8, .fc_dev = dev,
		.fc_flags = RTF_UP, .fc_type = RTN_MULTICAST,
		.fc_metric = IP6_RT_PRIO_ADDRCONF,
		.fc_protocol = RTPROT_KERNEL,
	};

	return ip6_route_add(kernel, fib6_local_table(kernel), &cfg, error);
}

static bool add_address(struct kernel *kernel, struct inet6_dev *idev,
			const struct in6_addr *addr, u32 prefix, GError **error)
{
	if (!ipv6_add_addr(kernel, idev, addr, prefix))
		return address_error(error, idev->dev, addr, prefix,
				     "there is no memory for it");
	return add_local_route(kernel, idev->dev, addr, error);
}

/* fe80::/64 and the device's MAC address as EUI-64. */
static bool addrconf_add_linklocal(struct kernel *kernel,
				   struct inet6_dev *idev, GError **error)
{
	const u8 *mac = idev->dev->dev_addr;
	struct in6_addr addr = { { 0xfe, 0x80 } };

	memcpy(addr.s6_addr + 8, mac, 3);
	addr.s6_addr[8] ^= 2;
	addr.s6_addr[11] = 0xff;
	addr.s6_addr[12] = 0xfe;
	memcpy(addr.s6_addr + 13, mac + 3, 3);
	return add_address(kernel, idev, &addr, 64, error) &&
	       addrconf_prefix_route(kernel, idev->dev, &addr, 64, error);
}

/* What a device gets when IPv6 starts on it. */
static struct inet6_dev *start_device(struct kernel *kernel,
				      struct net_device *dev, GError **error)
{
	struct inet6_dev *idev = ipv6_add_dev(kernel, dev);

	if (!idev) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK,
			    "%s: there is no memory for IPv6", dev->name);
		return NULL;
	}
	if (!addrconf_add_mroute(kernel, dev, error) ||
	    !addrconf_add_linklocal(kernel, idev, error))
		return NULL;
	return idev;
}

bool inet6_add_address(struct kernel *kernel, struct net_device *dev,
		       const struct in6_addr *addr, u32 prefix, GError **error)
{
	u32 type = ipv6_addr_type(addr);
	struct inet6_dev *idev = dev->ip6_ptr;

	if (type == IPV6_ADDR_ANY ||
	    type & (IPV6_ADDR_MULTICAST | IPV6_ADDR_MAPPED))
		return address_error(error, dev, addr, prefix,
				     "it is no address of one host");
	if (type & IPV6_ADDR_LOOPBACK && !(dev->flags & IFF_LOOPBACK))
		return address_error(error, dev, addr, prefix,
				     "it is the loopback device's");
	if (!prefix || prefix > 128)
		return address_error(error, dev, addr, prefix,
				     "a prefix has 1 to 128 bits");
	if (dev->mtu < IPV6_MIN_MTU)
		return address_error(error, dev, addr, prefix,
				     "IPv6 needs a device with an MTU of 1280 "
				     "or more");
	if (!idev)
		idev = start_device(kernel, dev, error);
	if (!idev)
		return false;
	if (find_address(idev, addr))
		return address_error(error, dev, addr, prefix,
				     "the device has it already");
	return add_address(kernel, idev, addr, prefix, error) &&
	       addrconf_prefix_route(kernel, dev, addr, prefix, error);
}

/* ---- start and end ---- */

/* ::1, which every host has. */
static void init_loopback(struct kernel *kernel)
{
	static const struct in6_addr loopback = IN6ADDR_LOOPBACK;
	struct net_device *lo = kernel->init_net->loopback_dev;
	struct inet6_dev *idev = ipv6_add_dev(kernel, lo);
	GError *error = NULL;

	if (!idev || !add_address(kernel, idev, &loopback, 128, &error))
		g_error("%s", error ? error->message : "no memory for IPv6");
	/* Where local addresses have a table of their own, the main one has
	 * this one too, since the device came up with it. */
	if (has(IPV6_MULTIPLE_TABLES) &&
	    !addrconf_prefix_route(kernel, lo, &loopback, 128, &error))
		g_error("%s", error->message);
}

static void ipv6_init_mibs(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	u32 i, n = kernel->machine->num_cpus;

	net->mib.ipv6_statistics = g_new(struct ipstats_mib *, n);
	net->mib.udp_stats_in6 = g_new(struct udp_mib *, n);
	net->mib.icmpv6_statistics = g_new(struct icmpv6_mib *, n);
	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		net->mib.ipv6_statistics[i] =
			&STATIC_OBJECT(kernel, ipv6_statistics, node)->mib;
		net->mib.udp_stats_in6[i] =
			&STATIC_OBJECT(kernel, udp_stats_in6, node)->mib;
		net->mib.icmpv6_statistics[i] =
			STATIC_OBJECT(kernel, icmpv6_mib, node);
	}
}

static void addrconf_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;

	kernel->ipv6->addresses = g_ptr_array_new();
	kernel->ipv6->devices = g_ptr_array_new();
	net->ipv6.devconf_all = STATIC_OBJECT(kernel, ipv6_devconf_all, 0);
	net->ipv6.devconf_all->cnf.hop_limit = 64;
	net->ipv6.devconf_all->cnf.mtu6 = IPV6_MIN_MTU;
	init_loopback(kernel);
}

static void addrconf_exit(struct kernel *kernel)
{
	struct ipv6_room *room = kernel->ipv6;
	u32 i;

	for (i = 0; i < room->devices->len; i++) {
		struct inet6_dev *idev = g_ptr_array_index(room->devices, i);

		g_free(idev->stats.ipv6);
		kfree(idev);
	}
	for (i = 0; i < room->addresses->len; i++)
		kfree(g_ptr_array_index(room->addresses, i));
	g_ptr_array_unref(room->devices);
	g_ptr_array_unref(room->addresses);
}

void inet6_init(struct kernel *kernel)
{
	kernel->ipv6 = g_new0(struct ipv6_room, 1);
	random_seed(&kernel->ipv6->mld, kernel->machine->seed, "mld", 0);
	ipv6_init_mibs(kernel);
	fib6_init(kernel);
	ip6_route_init(kernel);
	ipv6_addr_label_init(kernel);
	addrconf_init(kernel);
	inet6_net_init(kernel);
	udpv6_init(kernel);
	kernel->init_net->ipv6.sysctl.icmpv6_time = kernel->parameters.hz;
	dev_add_pack(kernel, ETH_P_IPV6, ipv6_rcv);
}

void inet6_exit(struct kernel *kernel)
{
	struct net *net = kernel->init_net;

	if (!kernel->ipv6)
		return;
	fib6_exit(kernel);
	ip6_route_exit(kernel);
	ipv6_addr_label_exit(kernel);
	addrconf_exit(kernel);
	ipv6_frag_exit(kernel);
	icmpv6_exit(kernel);
	g_free(net->mib.ipv6_statistics);
	g_free(net->mib.udp_stats_in6);
	g_free(net->mib.icmpv6_statistics);
	g_free(kernel->ipv6);
}
