/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/udp.c, the part that hears of errors: __udp6_lib_err().  See
 * ipv4/udp_err.c.
 */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv4/udp_rcv.h"
#include "stack/net/ipv6/udp.h"

static struct in6_addr address_at(const struct sk_buff *skb, u32 at)
{
	struct in6_addr address;

	memcpy(address.s6_addr, skb_bytes(skb, at), sizeof(address.s6_addr));
	return address;
}

/* Does the socket believe what routers say of its path? */
static bool ip6_sk_accept_pmtu(struct sock *sk)
{
	u8 pmtudisc;

	if (!has(IP_FWD_USE_PMTU))
		return true;
	pmtudisc = READ(INET6_SK(sk), inet6.pmtudisc);
	return pmtudisc != IP_PMTUDISC_INTERFACE &&
	       pmtudisc != IP_PMTUDISC_OMIT;
}

static void tell(struct sock *sk, struct sk_buff *skb,
		 const struct icmp_report *report)
{
	bool recverr = READ(udp6_sk(sk), inet6.recverr);
	bool fatal;
	int err;

	fatal = icmpv6_err_convert(report->type, report->code, &err);
	if (report->type == ICMPV6_PKT_TOOBIG && has(UDP6_TOOBIG_HARD))
		fatal = READ(udp6_sk(sk), inet6.pmtudisc) !=
			IP_PMTUDISC_DONT;
	if (recverr)
		ipv6_icmp_error(sk, skb, err, report);
	else if (!fatal || READ(sk, sk_state) != TCP_ESTABLISHED)
		return;
	WRITE(sk, sk_err, (u32)err);
	(void)READ(sk, sk_error_report);
	sock_def_error_report(sk);
}

/* The socket is the one that sent: source and destination change places. */
void __udp6_lib_err(struct sk_buff *skb, const struct icmp_report *report,
		    struct udp_table *table)
{
	FUNCTION(__udp6_lib_err);
	const bool too_big = report->type == ICMPV6_PKT_TOOBIG;
	struct net *net = this_kernel()->init_net;
	const struct net_device *dev = READ(skb, dev);
	struct in6_addr saddr, daddr;
	const u8 *uh = skb_bytes(skb, report->at);
	struct sock *sk;
	u32 dif;

	dif = READ(dev, ifindex);
	READ_SKB_DATA(skb, report->network + 8, 32);
	READ_SKB_DATA(skb, report->at, 4);
	saddr = address_at(skb, report->network + 8);
	daddr = address_at(skb, report->network + 24);
	sk = __udp6_lib_lookup(net, &daddr, get_be16(uh + 2), &saddr,
			       get_be16(uh), dif, table);
	if (!sk) {
		ICMP6_INC_STATS(net, ICMP6_MIB_INERRORS);
		return;
	}
	if (!too_big || ip6_sk_accept_pmtu(sk)) {
		if (too_big && has(RT6_PMTU_HANDLERS))
			ip6_sk_update_pmtu(skb, report->network, sk,
					   report->info);
		tell(sk, skb, report);
	}
	if (!has(UDP_SOCK_RCU_FREE))
		sock_put(sk);
}

void udpv6_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
	       u32 info)
{
	const struct icmp_report report = {
		.network = network, .at = at, .type = type, .code = code,
		.info = info,
	};

	__udp6_lib_err(skb, &report, this_kernel()->ipv4->udp->table);
}
