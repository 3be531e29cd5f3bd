/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ndisc.c, the part that receives: solicitations of our
 * addresses are answered, and advertisements change what we know of others.
 *
 * A host: it answers for no one else, listens to no routers and has no
 * addresses that are still being tried, so that nobody contends for them.
 */
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/ipv6.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv6/ndisc.h"

/* A message as it came. */
struct message {
	struct sk_buff *skb;
	struct net_device *dev;
	struct in6_addr saddr, daddr, target;
	u8 flags;
	const u8 *lladdr;	/* of the option that we look for, or NULL */
};

static const struct in6_addr all_nodes = { { 0xff, 0x02, [15] = 1 } };

/* ---- reading ---- */

/* The link-layer address among the options; false where they are broken. */
static bool parse_options(struct message *m, u32 at, u32 len, u8 wanted)
{
	u32 size;

	FUNCTION(ndisc_parse_options);
	READ_SKB_DATA(m->skb, at, len);
	for (; len; at += size, len -= size) {
		const u8 *option = skb_bytes(m->skb, at);

		if (len < 2 || !option[1])
			return false;
		size = option[1] * 8u;
		if (size > len)
			return false;
		WORK(12);
		if (option[0] != wanted || m->lladdr)
			continue;
		if (size != ND_OPT_LEN)
			return false;
		m->lladdr = option + 2;
	}
	return true;
}

static bool parse(struct message *m, u8 wanted)
{
	u32 network = READ(m->skb, network_header);
	u32 at = READ(m->skb, transport_header);
	u32 len = READ(m->skb, len);

	if (len < ND_MSG_LEN)
		return false;
	READ_SKB_DATA(m->skb, network + 8, 32);
	memcpy(&m->saddr, skb_bytes(m->skb, network + 8), 16);
	memcpy(&m->daddr, skb_bytes(m->skb, network + 24), 16);
	READ_SKB_DATA(m->skb, at, ND_MSG_LEN);
	m->flags = skb_bytes(m->skb, at)[4];
	memcpy(&m->target, skb_bytes(m->skb, at + 8), 16);
	if (ipv6_addr_is_multicast(&m->target))
		return false;
	return parse_options(m, at + ND_MSG_LEN, len - ND_MSG_LEN, wanted);
}

/* Is it one of the device's own addresses?  The kernel looks into a hash of
 * all addresses; here the device's list has them. */
static bool ipv6_get_ifaddr(const struct in6_addr *addr,
			    const struct net_device *dev)
{
	const struct inet6_ifaddr *ifa;
	struct inet6_dev *idev;

	FUNCTION(ipv6_get_ifaddr);
	idev = READ(dev, ip6_ptr);
	if (!idev)
		return false;
	for (ifa = READ(idev, addr_list); ifa; ifa = READ(ifa, if_list)) {
		const struct in6_addr own = READ_ADDR6(ifa, addr);

		if (!memcmp(&own, addr, sizeof(own)))
			return true;
	}
	return false;
}

/* ---- solicitations ---- */

/* Straight to the neighbour, where the kernel takes a route of its own; to all
 * nodes where the one who asks has no address. */
static void ndisc_send_na(const struct message *m, struct neighbour *neigh,
			  bool inc_opt)
{
	const struct nd_msg msg = {
		.type = NDISC_NEIGHBOUR_ADVERTISEMENT, .target = &m->target,
		.flags = (neigh ? ND_SOLICITED : 0) |
			 (inc_opt ? ND_OVERRIDE : 0),
		.option = inc_opt ? ND_OPT_TARGET_LL_ADDR : 0,
	};
	static const u8 all_nodes_hw[ETH_ALEN] = { 0x33, 0x33, [5] = 1 };
	const struct header_ops *header;
	struct sk_buff *skb;

	FUNCTION(ndisc_send_na);
	skb = ndisc_alloc_skb(m->dev, &msg, &m->target,
			      neigh ? &m->saddr : &all_nodes);
	if (!skb)
		return;
	ICMP6_INC_STATS(this_kernel()->init_net, ICMP6_MIB_OUTMSGS);
	if (neigh) {
		neigh_output(neigh, skb, false);
		return;
	}
	header = READ(m->dev, header_ops);
	if (READ(header, create)(skb, m->dev, ETH_P_IPV6, all_nodes_hw, NULL,
				 READ(skb, len)) < 0)
		kfree_skb(skb);
	else
		dev_queue_xmit(skb);
}

/* The one who asks; an entry is made for it if we can do something with it. */
static struct neighbour *neighbour_of(const struct message *m, bool inc)
{
	struct neighbour *n = neigh_lookup(nd_tbl(), &m->saddr, m->dev);

	if (n || (inc && !m->lladdr && READ(m->dev, addr_len)))
		return n;
	n = __neigh_create(nd_tbl(), &m->saddr, m->dev);
	if (n)
		neigh_hold(n);
	return n;
}

static void ndisc_recv_ns(struct message *m)
{
	struct neighbour *neigh;
	bool dad, inc;

	FUNCTION(ndisc_recv_ns);
	if (!parse(m, ND_OPT_SOURCE_LL_ADDR))
		return;
	dad = ipv6_addr_any(&m->saddr);
	inc = ipv6_addr_is_multicast(&m->daddr);
	if (dad && (!inc || m->lladdr))
		return;
	if (!ipv6_get_ifaddr(&m->target, m->dev))
		return;
	if (dad) {
		ndisc_send_na(m, NULL, true);
		return;
	}
	neigh = neighbour_of(m, inc);
	if (!neigh)
		return;
	neigh_update(neigh, m->lladdr, NUD_STALE,
		     NEIGH_UPDATE_F_WEAK_OVERRIDE | NEIGH_UPDATE_F_OVERRIDE);
	ndisc_send_na(m, neigh, inc);
	neigh_release(neigh);
}

/* ---- advertisements ---- */

static void ndisc_recv_na(struct message *m)
{
	u32 flags = NEIGH_UPDATE_F_WEAK_OVERRIDE |
		    NEIGH_UPDATE_F_OVERRIDE_ISROUTER;
	struct neighbour *neigh;

	FUNCTION(ndisc_recv_na);
	if (!parse(m, ND_OPT_TARGET_LL_ADDR))
		return;
	if (ipv6_addr_is_multicast(&m->daddr) && (m->flags & ND_SOLICITED))
		return;
	if (ipv6_get_ifaddr(&m->target, m->dev))
		return;		/* somebody else has our address, too */
	neigh = neigh_lookup(nd_tbl(), &m->target, m->dev);
	if (!neigh)
		return;
	if (!(READ(neigh, nud_state) & NUD_FAILED)) {
		if (m->flags & ND_OVERRIDE)
			flags |= NEIGH_UPDATE_F_OVERRIDE;
		if (m->flags & ND_ROUTER)
			flags |= NEIGH_UPDATE_F_ISROUTER;
		neigh_update(neigh, m->lladdr, m->flags & ND_SOLICITED ?
			     NUD_REACHABLE : NUD_STALE, flags);
	}
	neigh_release(neigh);
}

/* A message that a router has passed on is none (RFC 4861, 7.1). */
int ndisc_rcv(struct sk_buff *skb)
{
	FUNCTION(ndisc_rcv);
	struct message m = { .skb = skb, .dev = READ(skb, dev) };
	u32 network = READ(skb, network_header);
	u32 at = READ(skb, transport_header);
	const u8 *icmp = skb_bytes(skb, at);

	READ_SKB_DATA(skb, network + 7, 1);
	READ_SKB_DATA(skb, at, 2);
	if (skb_bytes(skb, network)[7] == 255 && !icmp[1]) {
		if (icmp[0] == NDISC_NEIGHBOUR_SOLICITATION)
			ndisc_recv_ns(&m);
		else if (icmp[0] == NDISC_NEIGHBOUR_ADVERTISEMENT)
			ndisc_recv_na(&m);
	}
	consume_skb(skb);
	return 0;
}
