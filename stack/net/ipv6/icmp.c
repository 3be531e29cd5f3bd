/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/icmp.c, the part that receives: neighbour discovery, and
 * errors about datagrams of this host, which go to the protocol that sent them.
 *
 * Nobody else is answered here: echo requests and the like are counted and
 * dropped.
 */
#include <errno.h>

#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/mld.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv6/ndisc.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv6/udplite.h"

#define IPV6_HLEN 40u

/* Of ICMPV6_DEST_UNREACH, by code. */
static const struct {
	int err;
	bool fatal;
} tab_unreach[] = {
	{ ENETUNREACH, false },		/* no route */
	{ EACCES, true },		/* prohibited */
	{ EHOSTUNREACH, false },	/* beyond the scope */
	{ EHOSTUNREACH, false },	/* address */
	{ ECONNREFUSED, true },		/* port */
	{ EACCES, true },		/* policy */
	{ EACCES, true },		/* rejected route */
};

bool icmpv6_err_convert(u8 type, u8 code, int *err)
{
	bool fatal = true;

	*err = EPROTO;
	switch (type) {
	case ICMPV6_DEST_UNREACH:
		if (code >= ARRAY_SIZE(tab_unreach))
			break;
		*err = tab_unreach[code].err;
		fatal = tab_unreach[code].fatal;
		break;
	case ICMPV6_PKT_TOOBIG:
		*err = EMSGSIZE;
		fatal = false;
		break;
	case ICMPV6_TIME_EXCEED:
		*err = EHOSTUNREACH;
		fatal = false;
		break;
	}
	return fatal;
}

/* The datagram that an error is about follows.  One with extension headers is
 * passed over: this host sends none. */
static void icmpv6_notify(struct sk_buff *skb, u32 at, u32 len)
{
	u32 inner = at + ICMP_HLEN;
	const u8 *icmph = skb_bytes(skb, at);
	u8 nexthdr;

	FUNCTION(icmpv6_notify);
	if (len < ICMP_HLEN + IPV6_HLEN + 8)
		return;
	READ_SKB_DATA(skb, inner, IPV6_HLEN);
	nexthdr = skb_bytes(skb, inner)[6];
	if (nexthdr != IPPROTO_UDP_NUMBER && nexthdr != IPPROTO_UDPLITE_NUMBER)
		return;
	rcu_read_lock();
	if (nexthdr == IPPROTO_UDP_NUMBER)
		udpv6_err(skb, inner, inner + IPV6_HLEN, icmph[0], icmph[1],
			  get_be32(icmph + 4));
	else
		udplitev6_err(skb, inner, inner + IPV6_HLEN, icmph[0], icmph[1],
			      get_be32(icmph + 4));
	rcu_read_unlock();
}

static bool checksum_ok(struct sk_buff *skb, u32 at, u32 len)
{
	u32 network = READ(skb, network_header);
	const u8 *ip6 = skb_bytes(skb, network);
	u32 sum;

	if (READ(skb, ip_summed) == CHECKSUM_UNNECESSARY)
		return true;
	READ_SKB_DATA(skb, network + 8, 32);
	COPY_SKB_DATA(skb, at, len);
	WORK((IPV6_HLEN + len) / 4);
	sum = csum_partial(skb_bytes(skb, at), len, 0);
	if (!csum_ipv6_magic(ip6 + 8, ip6 + 24, len, IPPROTO_ICMPV6_NUMBER,
			     sum))
		return true;
	if (has(IP_ECN_STATS))
		ICMP6_INC_STATS(this_kernel()->init_net, ICMP6_MIB_CSUMERRORS);
	return false;
}

int icmpv6_rcv(struct sk_buff *skb)
{
	FUNCTION(icmpv6_rcv);
	struct net *net = this_kernel()->init_net;
	u32 at = READ(skb, transport_header);
	u32 len = READ(skb, len);
	u8 type;

	ICMP6_INC_STATS(net, ICMP6_MIB_INMSGS);
	if (len < ICMP_HLEN || !checksum_ok(skb, at, len)) {
		ICMP6_INC_STATS(net, ICMP6_MIB_INERRORS);
		kfree_skb(skb);
		return 0;
	}
	READ_SKB_DATA(skb, at, ICMP_HLEN);
	type = *skb_bytes(skb, at);
	if (type == NDISC_NEIGHBOUR_SOLICITATION ||
	    type == NDISC_NEIGHBOUR_ADVERTISEMENT)
		return ndisc_rcv(skb);
	if (type == ICMPV6_PKT_TOOBIG && !has(RT6_PMTU_HANDLERS) &&
	    len >= ICMP_HLEN + IPV6_HLEN)
		rt6_pmtu_discovery(skb, at + ICMP_HLEN,
				   get_be32(skb_bytes(skb, at + 4)));
	if (type == ICMPV6_MGM_QUERY)
		igmp6_event_query(skb);
	else if (type == ICMPV6_MGM_REPORT)
		igmp6_event_report(skb);
	else if (type >= ICMPV6_DEST_UNREACH && type <= ICMPV6_PARAMPROB)
		icmpv6_notify(skb, at, len);
	kfree_skb(skb);
	return 0;
}

u64 snmp_icmp6(const struct kernel *kernel, u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += kernel->init_net->mib.icmpv6_statistics[i]->mibs[index];
	return sum;
}
