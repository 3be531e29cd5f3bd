/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/arp.c, the part that receives: requests for our addresses are
 * answered, and what a packet says of its sender is noted.
 *
 * No proxy, no filter, no rule for unsolicited replies (arp_accept and
 * arp_ignore stay 0): what the kernel does by default.  Whether an address is
 * ours, the local table says; the kernel asks for an input route, which does
 * that and more.
 */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/net/ip_fib.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv4/arp.h"

struct arp {
	u16 op;
	const u8 *sha;		/* the sender's addresses */
	u32 sip;
	u32 tip;		/* whom it is about */
};

/* The fields of a packet; false where it is none for us. */
static bool parse(const struct sk_buff *skb, struct net_device *dev,
		  struct arp *arp)
{
	u32 at = READ(skb, network_header);
	const u8 *p = skb_bytes(skb, at);

	READ_SKB_DATA(skb, at, ARP_LEN);
	if (p[4] != READ(dev, addr_len) || p[5] != sizeof(u32))
		return false;
	if (get_be16(p) != READ(dev, type) || get_be16(p + 2) != ETH_P_IP)
		return false;
	*arp = (struct arp){
		.op = get_be16(p + 6), .sha = p + 8,
		.sip = get_be32(p + 14), .tip = get_be32(p + 24),
	};
	if (arp->op != ARPOP_REQUEST && arp->op != ARPOP_REPLY)
		return false;
	return arp->tip >> 28 != 0xe && arp->tip >> 24 != 127;
}

/* The sender is worth an entry, for we are to answer it. */
static struct neighbour *neigh_event_ns(const struct arp *arp,
					struct net_device *dev)
{
	FUNCTION(neigh_event_ns);
	struct neighbour *n = neigh_lookup(arp_tbl(), &arp->sip, dev);

	if (!n) {
		n = __neigh_create(arp_tbl(), &arp->sip, dev);
		if (!n)
			return NULL;
		neigh_hold(n);
	}
	neigh_update(n, arp->sha, NUD_STALE, NEIGH_UPDATE_F_OVERRIDE);
	return n;
}

/* Somebody asks for one of our addresses, or whether it is free (RFC 5227),
 * with no address of its own. */
static void answer(const struct arp *arp, struct net_device *dev)
{
	struct neighbour *n = NULL;

	if (arp->sip) {
		n = neigh_event_ns(arp, dev);
		if (!n)
			return;
	}
	(void)READ_AT(dev, dev_addr, 0);
	arp_send(ARPOP_REPLY, arp->sip, dev, arp->tip, arp->sha, arp->sha);
	if (n)
		neigh_release(n);
}

/* What a packet that is not to be answered says of a neighbour that we know.
 * Of two answers within locktime the first one counts. */
static void learn(const struct arp *arp, const struct sk_buff *skb,
		  struct net_device *dev)
{
	struct neighbour *n = neigh_lookup(arp_tbl(), &arp->sip, dev);
	u8 state = NUD_REACHABLE;
	u64 now, until;
	bool override;

	if (!n)
		return;
	until = READ(n, updated);
	until += READ(READ(n, parms), locktime);
	now = JIFFIES();
	override = time_after(now, until);
	if (arp->op != ARPOP_REPLY || READ(skb, pkt_type) != PACKET_HOST)
		state = NUD_STALE;
	neigh_update(n, arp->sha, state,
		     override ? NEIGH_UPDATE_F_OVERRIDE : 0);
	neigh_release(n);
}

static void arp_process(const struct sk_buff *skb, struct net_device *dev)
{
	struct arp arp;

	FUNCTION(arp_process);
	if (!READ(dev, ip_ptr) || !parse(skb, dev, &arp))
		return;
	if (arp.op == ARPOP_REQUEST && inet_addr_type(arp.tip) == RTN_LOCAL)
		answer(&arp, dev);
	else if (arp.sip)
		learn(&arp, skb, dev);
}

int arp_rcv(struct sk_buff *skb, struct net_device *dev)
{
	FUNCTION(arp_rcv);
	u8 type = READ(skb, pkt_type);

	if (!(READ(dev, flags) & IFF_NOARP) && type != PACKET_OTHERHOST &&
	    type != PACKET_LOOPBACK && READ(skb, len) >= ARP_LEN)
		arp_process(skb, dev);
	consume_skb(skb);
	return 0;
}
