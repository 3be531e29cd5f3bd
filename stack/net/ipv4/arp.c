/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/arp.c and include/net/arp.h: the neighbours of IPv4, and the
 * requests by which their addresses are found (RFC 826).  arp_rcv.c has what
 * comes in.
 */
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/netns.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv4/arp.h"

static struct neigh_ops_set *arp_ops(void)
{
	return &this_kernel()->net_core->arp_ops;
}

struct neigh_table *arp_tbl(void)
{
	return this_kernel()->net_core->arp_tbl;
}

/* ---- the table ---- */

static u32 arp_hashfn(const u32 *pkey, u32 dev, const u32 *hash_rnd)
{
	return (pkey[0] ^ dev) * hash_rnd[0];
}

/* All neighbours of a device with one other end are one. */
static u32 key_on(const struct net_device *dev, u32 key)
{
	if (has(NEIGH_KEY_POINTOPOINT) &&
	    (READ(dev, flags) & (IFF_LOOPBACK | IFF_POINTOPOINT)))
		return 0;
	return key;
}

/* Inlined in ip_finish_output2(). */
struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key)
{
	const struct neigh_table *tbl = arp_tbl();
	const struct neigh_hash_table *nht;
	u32 hash;

	key = key_on(dev, key);
	nht = READ_ONCE(tbl, nht);
	hash = neigh_hash_dev(dev);
	(void)READ_AT(nht, hash_rnd, 0);
	hash = arp_hashfn(&key, hash, nht->hash_rnd);
	return neigh_find(tbl, hash, nht, dev, &key);
}

static bool arp_is_multicast(const u32 *pkey)
{
	return pkey[0] >> 28 == 0xe;
}

/* What the local table says of an address. */
u8 inet_addr_type(u32 addr)
{
	struct fib_key key = { .daddr = addr };
	struct fib_result res;
	struct net *net = this_kernel()->init_net;
	struct fib_table *local;

	if (!addr || addr == INADDR_BROADCAST)
		return RTN_BROADCAST;
	if (arp_is_multicast(&addr))
		return RTN_MULTICAST;
	/* In one trie with the main table, unless there are rules. */
	local = has(FIB_TRIE_KEY_VECTOR) ? READ(net, ipv4.fib_main) :
		READ(net, ipv4.fib_local);
	if (tb_lookup(local, &key, &res))
		return RTN_UNICAST;
	return res.type;
}

/* 01:00:5e and the address's low 23 bits. */
static void ip_eth_mc_map(u32 addr, u8 *lladdr)
{
	lladdr[0] = 0x01;
	lladdr[1] = 0x00;
	lladdr[2] = 0x5e;
	lladdr[3] = addr >> 16 & 0x7f;
	lladdr[4] = (u8)(addr >> 8);
	lladdr[5] = (u8)addr;
}

static void arp_constructor(struct neighbour *neigh)
{
	struct net_device *dev = READ(neigh, dev);
	u8 type, lladdr[ETH_ALEN];
	u32 flags;

	FUNCTION(arp_constructor);
	flags = READ(dev, flags);
	if (has(NEIGH_KEY_POINTOPOINT) &&
	    (flags & (IFF_LOOPBACK | IFF_POINTOPOINT)))
		WRITE_AT(neigh, primary_key, 0, 0);
	type = inet_addr_type(neigh->primary_key[0]);
	WRITE(neigh, type, type);
	if (type == RTN_MULTICAST) {
		ip_eth_mc_map(neigh->primary_key[0], lladdr);
		neigh_set_noarp(neigh, lladdr);
	} else if (flags & (IFF_NOARP | IFF_LOOPBACK)) {
		(void)READ_AT(dev, dev_addr, 0);
		neigh_set_noarp(neigh, dev->dev_addr);
	} else if (type == RTN_BROADCAST || (flags & IFF_POINTOPOINT)) {
		(void)READ_AT(dev, broadcast, 0);
		neigh_set_noarp(neigh, dev->broadcast);
	}
	neigh_set_ops(neigh, arp_ops());
}

/* ---- packets ---- */

/* The fields of the packet in their order; NULL without memory. */
static struct sk_buff *arp_create(u16 op, u32 target, struct net_device *dev,
				  u32 source, const u8 *dest_hw,
				  const u8 *target_hw)
{
	const struct header_ops *header = READ(dev, header_ops);
	struct sk_buff *skb;
	u32 at;
	u8 *arp;

	FUNCTION(arp_create);
	skb = neigh_alloc_skb(dev, ETH_P_ARP, ARP_LEN, &at);
	if (!skb)
		return NULL;
	if (!dest_hw) {
		(void)READ_AT(dev, broadcast, 0);
		dest_hw = dev->broadcast;
	}
	if (READ(header, create)(skb, dev, ETH_P_ARP, dest_hw, NULL,
				 READ(skb, len)) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	arp = skb_bytes(skb, at);
	put_be16(arp, READ(dev, type));
	put_be16(arp + 2, ETH_P_IP);
	arp[4] = READ(dev, addr_len);
	arp[5] = sizeof(u32);
	put_be16(arp + 6, op);
	memcpy(arp + 8, dev->dev_addr, ETH_ALEN);
	put_be32(arp + 14, source);
	if (target_hw)
		memcpy(arp + 18, target_hw, ETH_ALEN);
	else
		memset(arp + 18, 0, ETH_ALEN);
	put_be32(arp + 24, target);
	WRITE_SKB_DATA(skb, at, ARP_LEN);
	return skb;
}

void arp_send(u16 op, u32 target, struct net_device *dev, u32 source,
	      const u8 *dest_hw, const u8 *target_hw)
{
	struct sk_buff *skb;

	FUNCTION(arp_send);
	if (READ(dev, flags) & IFF_NOARP)
		return;
	skb = arp_create(op, target, dev, source, dest_hw, target_hw);
	if (!skb)
		return;
	FUNCTION(arp_xmit);
	dev_queue_xmit(skb);
}

/* ---- requests ---- */

/* The source address is that of the packet that waits, if there is one: all
 * are this host's own, since it forwards none.  Else one of the device. */
static u32 source_address(const struct in_device *in_dev,
			  const struct sk_buff *skb)
{
	u32 at;

	if (!skb) {
		WORK(20);	/* inet_select_addr() */
		return in_dev->ifa_address;
	}
	at = READ(skb, network_header) + 12;
	READ_SKB_DATA(skb, at, 4);
	return get_be32(skb_bytes(skb, at));
}

static void arp_solicit(struct neighbour *neigh, struct sk_buff *skb)
{
	struct net_device *dev = READ(neigh, dev);
	const struct in_device *in_dev = READ(dev, ip_ptr);
	const struct neigh_parms *parms;
	const u8 *dest_hw = NULL;
	u8 ha[ETH_ALEN];
	s32 probes;
	u32 source;

	FUNCTION(arp_solicit);
	if (!in_dev)
		return;
	source = source_address(in_dev, skb);
	parms = READ(neigh, parms);
	probes = READ_ONCE(neigh, probes) - (s32)parms->ucast_probes;
	(void)READ(parms, ucast_probes);
	if (probes < 0) {
		neigh_ha_snapshot(neigh, ha);
		dest_hw = ha;
	} else if (probes < (s32)READ(parms, app_probes)) {
		return;		/* a daemon's turn: there is none */
	}
	(void)READ_AT(neigh, primary_key, 0);
	arp_send(ARPOP_REQUEST, neigh->primary_key[0], dev, source, dest_hw,
		 NULL);
}

static void arp_error_report(struct neighbour *neigh, struct sk_buff *skb)
{
	FUNCTION(arp_error_report);
	(void)neigh;
	dst_link_failure(skb);
	kfree_skb(skb);
}

struct neigh_table *arp_init(struct kernel *kernel)
{
	struct neigh_table *tbl = STATIC_OBJECT(kernel, neigh_table, 0);

	tbl->family = PF_INET;
	tbl->protocol = ETH_P_IP;
	tbl->key_len = sizeof(u32);
	tbl->hash = arp_hashfn;
	tbl->constructor = arp_constructor;
	tbl->is_multicast = arp_is_multicast;
	neigh_table_init(kernel, tbl, 0);
	tbl->parms.locktime = HZ;
	neigh_ops_init(kernel, &kernel->net_core->arp_ops, arp_solicit,
		       arp_error_report);
	return tbl;
}
