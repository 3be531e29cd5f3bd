/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers a host's counters, by the names that /proc/net/snmp, netstat and
 * snmp6 have; those of cards by the names of ethtool -S, added up.
 */
#include "analysis/results.h"
#include "scenarios/collect_snmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/nic.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/netns.h"

/* A counter's name, who sums it up over the CPUs, and its number there. */
struct counter {
	const char *name;
	u64 (*sum)(const struct kernel *kernel, u32 index);
	u32 index;
};

/* ---- of the device ---- */

enum { NIC_RX_PACKETS, NIC_RX_MISSED, NIC_RX_CSUM, NIC_TX_PACKETS };

static u64 nic_counter(const struct nic_counters *c, u32 index)
{
	switch (index) {
	case NIC_RX_PACKETS:
		return c->rx_packets;
	case NIC_RX_MISSED:
		return c->rx_missed_errors;
	case NIC_RX_CSUM:
		return c->rx_csum_errors;
	}
	return c->tx_packets;
}

static u64 sum_nics(const struct kernel *kernel, u32 index)
{
	const GPtrArray *devices = kernel->net_core->devices;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < devices->len; i++) {
		const struct nic_counters *c = nic_counters(devices->pdata[i]);

		if (c)
			sum += nic_counter(c, index);
	}
	return sum;
}

/* Of the backlogs. */
static u64 sum_dropped(const struct kernel *kernel, u32 index)
{
	struct net_core *core = kernel->net_core;
	u64 sum = 0;
	u32 i;

	(void)index;
	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += kernel_has(kernel, RPS) ?
			core->softnet_data[i]->dropped :
			core->netdev_rx_stat[i]->dropped;
	return sum;
}

/* ---- all ---- */

static const struct counter counters[] = {
	{ "IpInReceives", snmp_ip, IPSTATS_MIB_INPKTS },
	{ "IpInOctets", snmp_ip, IPSTATS_MIB_INOCTETS },
	{ "IpInHdrErrors", snmp_ip, IPSTATS_MIB_INHDRERRORS },
	{ "IpInTruncatedPkts", snmp_ip, IPSTATS_MIB_INTRUNCATEDPKTS },
	{ "IpInAddrErrors", snmp_ip, IPSTATS_MIB_INADDRERRORS },
	{ "IpInUnknownProtos", snmp_ip, IPSTATS_MIB_INUNKNOWNPROTOS },
	{ "IpInDiscards", snmp_ip, IPSTATS_MIB_INDISCARDS },
	{ "IpInDelivers", snmp_ip, IPSTATS_MIB_INDELIVERS },
	{ "IpReasmReqds", snmp_ip, IPSTATS_MIB_REASMREQDS },
	{ "IpReasmOKs", snmp_ip, IPSTATS_MIB_REASMOKS },
	{ "IpReasmTimeout", snmp_ip, IPSTATS_MIB_REASMTIMEOUT },
	{ "IpReasmFails", snmp_ip, IPSTATS_MIB_REASMFAILS },
	{ "IpOutDiscards", snmp_ip, IPSTATS_MIB_OUTDISCARDS },
	{ "IpOutNoRoutes", snmp_ip, IPSTATS_MIB_OUTNOROUTES },
	{ "IpOutOctets", snmp_ip, IPSTATS_MIB_OUTOCTETS },
	{ "IpOutRequests", snmp_ip, IPSTATS_MIB_OUTPKTS },
	{ "IcmpInMsgs", snmp_icmp, ICMP_MIB_INMSGS },
	{ "IcmpInErrors", snmp_icmp, ICMP_MIB_INERRORS },
	{ "IcmpInCsumErrors", snmp_icmp, ICMP_MIB_CSUMERRORS },
	{ "IcmpOutMsgs", snmp_icmp, ICMP_MIB_OUTMSGS },
	{ "IcmpOutErrors", snmp_icmp, ICMP_MIB_OUTERRORS },
	{ "UdpInDatagrams", snmp_udp, UDP_MIB_INDATAGRAMS },
	{ "UdpNoPorts", snmp_udp, UDP_MIB_NOPORTS },
	{ "UdpInErrors", snmp_udp, UDP_MIB_INERRORS },
	{ "UdpRcvbufErrors", snmp_udp, UDP_MIB_RCVBUFERRORS },
	{ "UdpInCsumErrors", snmp_udp, UDP_MIB_CSUMERRORS },
	{ "UdpOutDatagrams", snmp_udp, UDP_MIB_OUTDATAGRAMS },
	{ "UdpSndbufErrors", snmp_udp, UDP_MIB_SNDBUFERRORS },
	{ "Ip6InReceives", snmp_ip6, IPSTATS_MIB_INPKTS },
	{ "Ip6InOctets", snmp_ip6, IPSTATS_MIB_INOCTETS },
	{ "Ip6InHdrErrors", snmp_ip6, IPSTATS_MIB_INHDRERRORS },
	{ "Ip6InTruncatedPkts", snmp_ip6, IPSTATS_MIB_INTRUNCATEDPKTS },
	{ "Ip6InAddrErrors", snmp_ip6, IPSTATS_MIB_INADDRERRORS },
	{ "Ip6InUnknownProtos", snmp_ip6, IPSTATS_MIB_INUNKNOWNPROTOS },
	{ "Ip6InDiscards", snmp_ip6, IPSTATS_MIB_INDISCARDS },
	{ "Ip6InDelivers", snmp_ip6, IPSTATS_MIB_INDELIVERS },
	{ "Ip6ReasmReqds", snmp_ip6, IPSTATS_MIB_REASMREQDS },
	{ "Ip6ReasmOKs", snmp_ip6, IPSTATS_MIB_REASMOKS },
	{ "Ip6ReasmTimeout", snmp_ip6, IPSTATS_MIB_REASMTIMEOUT },
	{ "Ip6ReasmFails", snmp_ip6, IPSTATS_MIB_REASMFAILS },
	{ "Ip6OutDiscards", snmp_ip6, IPSTATS_MIB_OUTDISCARDS },
	{ "Ip6OutNoRoutes", snmp_ip6, IPSTATS_MIB_OUTNOROUTES },
	{ "Ip6OutOctets", snmp_ip6, IPSTATS_MIB_OUTOCTETS },
	{ "Ip6OutRequests", snmp_ip6, IPSTATS_MIB_OUTPKTS },
	{ "Icmp6InMsgs", snmp_icmp6, ICMP6_MIB_INMSGS },
	{ "Icmp6InErrors", snmp_icmp6, ICMP6_MIB_INERRORS },
	{ "Icmp6InCsumErrors", snmp_icmp6, ICMP6_MIB_CSUMERRORS },
	{ "Icmp6OutMsgs", snmp_icmp6, ICMP6_MIB_OUTMSGS },
	{ "Icmp6OutErrors", snmp_icmp6, ICMP6_MIB_OUTERRORS },
	{ "Icmp6OutRateLimitHost", snmp_icmp6, ICMP6_MIB_RATELIMITHOST },
	{ "Udp6InDatagrams", snmp_udp6, UDP_MIB_INDATAGRAMS },
	{ "Udp6NoPorts", snmp_udp6, UDP_MIB_NOPORTS },
	{ "Udp6InErrors", snmp_udp6, UDP_MIB_INERRORS },
	{ "Udp6RcvbufErrors", snmp_udp6, UDP_MIB_RCVBUFERRORS },
	{ "Udp6InCsumErrors", snmp_udp6, UDP_MIB_CSUMERRORS },
	{ "Udp6OutDatagrams", snmp_udp6, UDP_MIB_OUTDATAGRAMS },
	{ "Udp6SndbufErrors", snmp_udp6, UDP_MIB_SNDBUFERRORS },
	{ "UdpLiteInDatagrams", snmp_udplite, UDP_MIB_INDATAGRAMS },
	{ "UdpLiteNoPorts", snmp_udplite, UDP_MIB_NOPORTS },
	{ "UdpLiteInErrors", snmp_udplite, UDP_MIB_INERRORS },
	{ "UdpLiteRcvbufErrors", snmp_udplite, UDP_MIB_RCVBUFERRORS },
	{ "UdpLiteInCsumErrors", snmp_udplite, UDP_MIB_CSUMERRORS },
	{ "UdpLiteOutDatagrams", snmp_udplite, UDP_MIB_OUTDATAGRAMS },
	{ "UdpLiteSndbufErrors", snmp_udplite, UDP_MIB_SNDBUFERRORS },
	{ "UdpLite6InDatagrams", snmp_udplite6, UDP_MIB_INDATAGRAMS },
	{ "UdpLite6NoPorts", snmp_udplite6, UDP_MIB_NOPORTS },
	{ "UdpLite6InErrors", snmp_udplite6, UDP_MIB_INERRORS },
	{ "UdpLite6RcvbufErrors", snmp_udplite6, UDP_MIB_RCVBUFERRORS },
	{ "UdpLite6InCsumErrors", snmp_udplite6, UDP_MIB_CSUMERRORS },
	{ "UdpLite6OutDatagrams", snmp_udplite6, UDP_MIB_OUTDATAGRAMS },
	{ "UdpLite6SndbufErrors", snmp_udplite6, UDP_MIB_SNDBUFERRORS },
	{ "SoftnetDropped", sum_dropped, 0 },
	{ "NicRxPackets", sum_nics, NIC_RX_PACKETS },
	{ "NicRxMissedErrors", sum_nics, NIC_RX_MISSED },
	{ "NicRxCsumErrors", sum_nics, NIC_RX_CSUM },
	{ "NicTxPackets", sum_nics, NIC_TX_PACKETS },
};

struct snmp_totals {
	u64 values[ARRAY_SIZE(counters)];
	bool exists[ARRAY_SIZE(counters)];
};

struct snmp_totals *snmp_totals_new(void)
{
	return g_new0(struct snmp_totals, 1);
}

void snmp_totals_free(struct snmp_totals *totals)
{
	g_free(totals);
}

/* Those of UDP-Lite are made when it is used. */
static bool exists(const struct counter *counter, const struct kernel *kernel)
{
	return (counter->sum != snmp_udplite &&
		counter->sum != snmp_udplite6) || udplite_is_used(kernel);
}

void snmp_totals_add(struct snmp_totals *totals, const struct kernel *kernel)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		totals->values[i] += counters[i].sum(kernel,
						     counters[i].index);
		totals->exists[i] |= exists(&counters[i], kernel);
	}
}

void snmp_totals_finish(const struct snmp_totals *totals, const char *host,
			GArray *snmp)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		struct result_snmp row = {
			.value = totals->values[i],
		};

		if (!totals->exists[i])
			continue;
		row.host = g_strdup(host);
		row.name = g_strdup(counters[i].name);
		g_array_append_val(snmp, row);
	}
}
