/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/udp.c, the part that hears of errors: __udp4_lib_err().
 *
 * A socket that asked for errors (IP_RECVERR) gets each, and the packet into its
 * queue of errors; the others only final ones, and only where they are
 * connected.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/core/sock_rcv.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/udp_rcv.h"

/* Of a datagram that may not be cut the size is to change; is that an error
 * for its sender, too? */
static bool wants_size(struct sock *sk)
{
	return READ((struct inet_sock *)(void *)sk, pmtudisc) !=
	       IP_PMTUDISC_DONT;
}

static void tell(struct sock *sk, struct sk_buff *skb,
		 const struct icmp_report *report)
{
	bool fatal;
	int err = icmp_error_of(report->type, report->code, &fatal);

	if (report->type == ICMP_DEST_UNREACH &&
	    report->code == ICMP_FRAG_NEEDED) {
		if (!wants_size(sk))
			return;
		fatal = true;
	}
	if (READ((struct inet_sock *)(void *)sk, recverr))
		ip_icmp_error(sk, skb, err, report);
	else if (!fatal || READ(sk, sk_state) != TCP_ESTABLISHED)
		return;
	WRITE(sk, sk_err, (u32)err);
	(void)READ(sk, sk_error_report);
	sock_def_error_report(sk);
}

/* The socket is the one that sent: source and destination change places. */
void __udp4_lib_err(struct sk_buff *skb, const struct icmp_report *report,
		    struct udp_table *table)
{
	FUNCTION(__udp4_lib_err);
	struct net *net = this_kernel()->init_net;
	const u8 *iph = skb_bytes(skb, report->network);
	const u8 *uh = skb_bytes(skb, report->at);
	const struct net_device *dev = READ(skb, dev);
	struct sock *sk;
	u32 dif;

	dif = READ(dev, ifindex);
	READ_SKB_DATA(skb, report->network + 12, 8);
	READ_SKB_DATA(skb, report->at, 4);
	sk = __udp4_lib_lookup(net, get_be32(iph + 16), get_be16(uh + 2),
			       get_be32(iph + 12), get_be16(uh), dif, table);
	if (!sk) {
		ICMP_INC_STATS(net, ICMP_MIB_INERRORS);
		return;
	}
	if (report->type == ICMP_DEST_UNREACH &&
	    report->code == ICMP_FRAG_NEEDED && has(IPV4_NEXTHOP_ROUTES))
		ipv4_sk_update_pmtu(skb, report->network, sk, report->info);
	tell(sk, skb, report);
	if (!has(UDP_SOCK_RCU_FREE))
		sock_put(sk);
}

void udp_err(struct sk_buff *skb, u32 network, u32 at, u8 type, u8 code,
	     u32 info)
{
	const struct icmp_report report = {
		.network = network, .at = at, .type = type, .code = code,
		.info = info,
	};

	__udp4_lib_err(skb, &report, this_kernel()->ipv4->udp->table);
}
