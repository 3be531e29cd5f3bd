/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/proc.c: counters as /proc/net/snmp6 and dev_snmp6/ show
 * them. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ipv6.h"

static u64 sum_ipstats(const struct kernel *kernel,
		       struct ipstats_mib *const *mib, u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += mib[i]->mibs[index];
	return sum;
}

u64 snmp_ip6(const struct kernel *kernel, u32 index)
{
	return sum_ipstats(kernel, kernel->init_net->mib.ipv6_statistics,
			   index);
}

u64 snmp_ip6_dev(const struct kernel *kernel, const struct net_device *dev,
		 u32 index)
{
	const struct inet6_dev *idev = dev->ip6_ptr;

	return idev ? sum_ipstats(kernel, idev->stats.ipv6, index) : 0;
}

/* `mib` may be NULL. */
static u64 sum_udp(const struct kernel *kernel, struct udp_mib *const *mib,
		   u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; mib && i < kernel->machine->num_cpus; i++)
		sum += mib[i]->mibs[index];
	return sum;
}

u64 snmp_udp6(const struct kernel *kernel, u32 index)
{
	return sum_udp(kernel, kernel->init_net->mib.udp_stats_in6, index);
}

u64 snmp_udplite6(const struct kernel *kernel, u32 index)
{
	return sum_udp(kernel, kernel->init_net->mib.udplite_stats_in6, index);
}

u64 snmp_udp_all(const struct kernel *kernel, u32 index)
{
	return snmp_udp(kernel, index) + snmp_udp6(kernel, index) +
	       snmp_udplite(kernel, index) + snmp_udplite6(kernel, index);
}
