/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ethernet/eth.c: the Ethernet header, and the copy of it that a
 * neighbour keeps. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"


/* Destination (not filled in where it is unknown), source, type. */
static int eth_header(struct sk_buff *skb, struct net_device *dev, u16 type,
		      const u8 *daddr, const u8 *saddr, u32 len)
{
	u32 at;
	u8 *eth;

	FUNCTION(eth_header);
	(void)len;		/* stands in the header of 802.3 frames only */
	at = skb_push(skb, ETH_HLEN);
	eth = skb_bytes(skb, at);
	put_be16(eth + 2 * ETH_ALEN, type);
	if (!saddr) {
		(void)READ_AT(dev, dev_addr, 0);
		saddr = dev->dev_addr;
	}
	memcpy(eth + ETH_ALEN, saddr, ETH_ALEN);
	WRITE_SKB_DATA(skb, at, ETH_HLEN);
	if (daddr) {
		memcpy(eth, daddr, ETH_ALEN);
		return ETH_HLEN;
	}
	memset(eth, 0, ETH_ALEN);
	if (READ(dev, flags) & (IFF_LOOPBACK | IFF_NOARP))
		return ETH_HLEN;
	return -(int)ETH_HLEN;
}

/* Its length is set last: who reads that without the lock may use the rest. */
static int eth_header_cache(struct neighbour *neigh, u16 type)
{
	bool embedded = has(NEIGH_HH_EMBEDDED);
	struct hh_entry *hh = neigh->hh_list;
	const struct net_device *dev;
	u8 *eth = (embedded ? neigh->hh.hh_data : hh->hh_data) + HH_OFF;

	FUNCTION(eth_header_cache);
	dev = READ(neigh, dev);
	(void)READ_AT(neigh, ha, 0);
	(void)READ_AT(dev, dev_addr, 0);
	memcpy(eth, neigh->ha, ETH_ALEN);
	memcpy(eth + ETH_ALEN, dev->dev_addr, ETH_ALEN);
	put_be16(eth + 2 * ETH_ALEN, type);
	if (!embedded) {
		WRITE_ONCE_AT(hh, hh_data, 0, 0);
		WRITE_ONCE_AT(hh, hh_data, 8, hh->hh_data[8]);
		WRITE_ONCE(hh, hh_len, ETH_HLEN);
		return 0;
	}
	WRITE_ONCE_AT(neigh, hh.hh_data, 0, 0);
	WRITE_ONCE_AT(neigh, hh.hh_data, 8, neigh->hh.hh_data[8]);
	WRITE_ONCE(neigh, hh.hh_len, ETH_HLEN);
	return 0;
}

static void eth_header_cache_update(struct neighbour *neigh, const u8 *haddr)
{
	FUNCTION(eth_header_cache_update);
	memcpy(neigh->hh.hh_data + HH_OFF, haddr, ETH_ALEN);
	WRITE_ONCE_AT(neigh, hh.hh_data, HH_OFF, haddr[0]);
}

/* In memory of its own since Linux 2.6.35, which is not modelled: one address
 * stands for both. */
u16 eth_type_trans(struct sk_buff *skb, struct net_device *dev)
{
	u32 at;
	const u8 *eth;

	FUNCTION(eth_type_trans);
	WRITE(skb, dev, dev);
	at = READ(skb, data);
	WRITE(skb, mac_header, at);
	WRITE(skb, data, at + ETH_HLEN);
	UPDATE(skb, len, -= ETH_HLEN);
	READ_SKB_DATA(skb, at, ETH_HLEN);
	(void)READ_AT(dev, dev_addr, 0);
	eth = skb_bytes(skb, at);
	if (eth[0] & 1)
		WRITE(skb, pkt_type, memcmp(eth, dev->broadcast, ETH_ALEN) ?
		      PACKET_MULTICAST : PACKET_BROADCAST);
	else if (memcmp(eth, dev->dev_addr, ETH_ALEN))
		WRITE(skb, pkt_type, PACKET_OTHERHOST);
	return get_be16(eth + 2 * ETH_ALEN);
}

void ether_setup(struct kernel *kernel, struct net_device *dev)
{
	struct net_core *core = kernel->net_core;

	if (!core->eth_header_ops) {
		struct header_ops *ops = STATIC_OBJECT(kernel, header_ops, 0);

		ops->create = eth_header;
		ops->cache = eth_header_cache;
		ops->cache_update = eth_header_cache_update;
		core->eth_header_ops = ops;
	}
	dev->header_ops = core->eth_header_ops;
	dev->type = ARPHRD_ETHER;
	dev->hard_header_len = ETH_HLEN;
	dev->addr_len = ETH_ALEN;
	memset(dev->broadcast, 0xff, ETH_ALEN);
}
