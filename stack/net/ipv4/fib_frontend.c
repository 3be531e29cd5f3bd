/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/fib_frontend.c and devinet.c: the tables of a namespace, and
 * the routes that an address brings with it.  All of it is set-up: it is not
 * charged.
 */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/inet_frag.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/arp.h"
#include "stack/net/ipv4/ip_input.h"
#include "stack/net/ipv4/udp.h"

static u32 netmask(u32 prefix)
{
	return prefix ? ~0u << (32 - prefix) : 0;
}

static bool add(struct fib_table *tb, struct net_device *dev, u32 dst,
		u32 prefix, u8 type, u8 scope, u32 gateway, u32 prefsrc,
		GError **error)
{
	struct fib_config cfg = {
		.fc_dst = dst & netmask(prefix),
		.fc_dst_len = prefix,
		.fc_protocol = RTPROT_KERNEL,
		.fc_scope = scope,
		.fc_type = type,
		.fc_append = true,
		.fc_prefsrc = prefsrc,
		.fc_nh = { .dev = dev, .oif = dev->ifindex, .gw = gateway,
			   .saddr = dev->ip_ptr ? dev->ip_ptr->ifa_address : 0 },
	};

	return fib_table_insert(tb, &cfg, error);
}

/* fib_add_ifaddr(): the address itself, its network (on loopback all of it is
 * this host), and the network's broadcast addresses: the highest, and once the
 * lowest too. */
bool inet_add_address(struct kernel *kernel, struct net_device *dev, u32 address,
		      u32 prefix, GError **error)
{
	struct net *net = kernel->init_net;
	struct fib_table *local = net->ipv4.fib_local;
	bool is_loopback = dev->flags & IFF_LOOPBACK;
	u32 mask = netmask(prefix);
	struct in_device *in_dev = dev->ip_ptr;

	if (!in_dev) {
		in_dev = STATIC_OBJECT(kernel, in_device, 0);
		in_dev->dev = dev;
		dev->ip_ptr = in_dev;
		ip_mc_init_dev(kernel, in_dev);
	}
	if (!in_dev->ifa_address) {
		in_dev->ifa_address = address;
		in_dev->ifa_list = STATIC_OBJECT(kernel, in_ifaddr, 0);
		in_dev->ifa_list->ifa_local = address;
	}
	if (!add(local, dev, address, 32, RTN_LOCAL, RT_SCOPE_HOST, 0, address,
		 error))
		return false;
	net->rt_genid++;
	if (prefix == 32)
		return true;
	if (!add(is_loopback ? local : net->ipv4.fib_main, dev, address, prefix,
		 is_loopback ? RTN_LOCAL : RTN_UNICAST,
		 is_loopback ? RT_SCOPE_HOST : RT_SCOPE_LINK, 0, address, error))
		return false;
	if (prefix == 31)
		return true;
	return (has(NETWORK_ADDRESS_UNICAST) ||
		add(local, dev, address & mask, 32, RTN_BROADCAST,
		    RT_SCOPE_LINK, 0, address, error)) &&
	       add(local, dev, address | ~mask, 32, RTN_BROADCAST,
		   RT_SCOPE_LINK, 0, address, error);
}

bool inet_add_route(struct kernel *kernel, struct net_device *dev, u32 address,
		    u32 prefix, u32 gateway, GError **error)
{
	if (!add(kernel->init_net->ipv4.fib_main, dev, address, prefix,
		 RTN_UNICAST, gateway ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		 gateway, 0, error))
		return false;
	kernel->init_net->rt_genid++;
	return true;
}

bool inet_del_route(struct kernel *kernel, u32 address, u32 prefix)
{
	struct fib_config cfg = {
		.fc_dst = address & netmask(prefix),
		.fc_dst_len = prefix,
		.fc_scope = RT_SCOPE_NOWHERE,
	};

	if (!fib_table_delete(kernel->init_net->ipv4.fib_main, &cfg, NULL))
		return false;
	kernel->init_net->rt_genid++;
	return true;
}

static void snmp_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	u32 i, n = kernel->machine->num_cpus;

	net->mib.ip_statistics = g_new0(struct ipstats_mib *, n);
	net->mib.udp_statistics = g_new0(struct udp_mib *, n);
	net->mib.icmp_statistics = g_new0(struct icmp_mib *, n);
	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		net->mib.ip_statistics[i] =
			STATIC_OBJECT(kernel, ipstats_mib, node);
		net->mib.udp_statistics[i] =
			STATIC_OBJECT(kernel, udp_mib, node);
		net->mib.icmp_statistics[i] =
			STATIC_OBJECT(kernel, icmp_mib, node);
	}
}

/* The addresses of 127/8 that every host has. */
static void loopback_routes(struct kernel *kernel)
{
	struct net_device *lo = loopback_new(kernel);

	kernel->init_net->loopback_dev = lo;
	if (!inet_add_address(kernel, lo, 0x7f000001, 8, NULL))
		g_error("the loopback address cannot be added");
}

void ipv4_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	struct ipv4 *ipv4 = kernel->ipv4 = g_new0(struct ipv4, 1);

	random_seed(&ipv4->igmp, kernel->machine->seed, "igmp", 0);
	ipv4->sysctl = STATIC_OBJECT(kernel, sysctl_data, 0);
	ipv4->sysctl->sysctl_ip_default_ttl = 64;
	net->ipv4.devconf_all = STATIC_OBJECT(kernel, ipv4_devconf, 0);
	net->ipv4.devconf_all->data[IPV4_DEVCONF_RP_FILTER] =
		kernel->parameters.rp_filter;
	ipv4->fib = fib_trie_init(kernel);
	net->ipv4.fib_local = fib_table_new(ipv4->fib, RT_TABLE_LOCAL);
	net->ipv4.fib_main = fib_table_new(ipv4->fib, RT_TABLE_MAIN);
	kernel->net_core->rtnl = STATIC_OBJECT(kernel, rtnl_mutex, 0);
	snmp_init(kernel);
	ip_rt_init(kernel);
	ip_init(kernel);
	udp_init(kernel);
	loopback_routes(kernel);
	net->ipv4.sysctl_ip_early_demux = 1;
	net->ipv4.sysctl_udp_early_demux = 1;
	net->ipv4.sysctl_icmp_ratelimit = kernel->parameters.hz;
	net->ipv4.sysctl_icmp_ratemask = ICMP_RATEMASK;
	dev_add_pack(kernel, ETH_P_IP, ip_rcv);
	dev_add_pack(kernel, ETH_P_ARP, arp_rcv);
}

void ipv4_exit(struct kernel *kernel)
{
	struct net *net = kernel->init_net;

	if (!kernel->ipv4)
		return;
	fib_table_free(net->ipv4.fib_local);
	fib_table_free(net->ipv4.fib_main);
	ip_rt_exit(kernel);
	fib_trie_exit(kernel->ipv4->fib);
	udp_exit(kernel);
	ipfrag_exit(kernel);
	icmp_exit(kernel);
	g_free(net->mib.ip_statistics);
	g_free(net->mib.udp_statistics);
	g_free(net->mib.icmp_statistics);
	g_free(kernel->ipv4);
}

u64 snmp_ip(const struct kernel *kernel, u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += kernel->init_net->mib.ip_statistics[i]->mibs[index];
	return sum;
}

u64 snmp_udp(const struct kernel *kernel, u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += kernel->init_net->mib.udp_statistics[i]->mibs[index];
	return sum;
}

bool udplite_is_used(const struct kernel *kernel)
{
	return kernel->init_net->mib.udplite_statistics;
}

u64 snmp_udplite(const struct kernel *kernel, u32 index)
{
	struct udp_mib *const *mib = kernel->init_net->mib.udplite_statistics;
	u64 sum = 0;
	u32 i;

	for (i = 0; mib && i < kernel->machine->num_cpus; i++)
		sum += mib[i]->mibs[index];
	return sum;
}
