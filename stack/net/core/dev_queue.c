/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models, of net/core/dev.c, the choice of a device's transmit queue: what the
 * socket remembers, else the map of CPUs to queues (XPS), else a hash.
 */
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/sch_generic.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv4/udp.h"

/* ---- by a hash ---- */

/* A number below n, each as often: no division. */
static u32 scale(u32 hash, u32 n)
{
	return (u32)((u64)hash * n >> 32);
}

/* sk_hash, the same word as the two that UDP hashes its sockets by. */
static u32 sk_hash(struct sock *sk)
{
	u32 port_hash;

	if (sk->sk_protocol != IPPROTO_UDP_NUMBER &&
	    sk->sk_protocol != IPPROTO_UDPLITE_NUMBER)
		return 0;
	port_hash = READ_ONCE(udp_sk(sk), udp_port_hash);
	return port_hash | (u32)udp_sk(sk)->udp_portaddr_hash << 16;
}

/* Of the socket's hash, or what there is of the packet's. */
static u32 tx_jhash(struct sk_buff *skb)
{
	struct sock *sk = READ(skb, sk);
	u32 hash = 0;

	if (sk)
		hash = sk_hash(sk);
	if (!hash)
		hash = wire_order16(READ(skb, protocol));
	return jhash_1word(hash, READ(this_kernel()->net_core->tx_hashrnd,
				      hashrnd));
}

/* skb_tx_hash(), once the number of queues is known. */
static u32 skb_tx_hash(struct sk_buff *skb, u32 queues)
{
	FUNCTION(skb_tx_hash);
	this_kernel()->net_core->tx_hashed++;
	if (has(TX_HASH_FLOW))
		return scale(skb_get_hash(skb), queues);
	return scale(tx_jhash(skb), queues);
}

/* ---- by the CPU ---- */

/* -1: the map says nothing of this CPU. */
static int get_xps_queue(struct net_device *dev, struct sk_buff *skb)
{
	struct xps_dev_maps *maps;
	struct xps_map *map;
	u32 len, index = 0;

	if (!has(XPS))
		return -1;
	FUNCTION(get_xps_queue);
	rcu_read_lock();
	maps = READ_ONCE(dev, xps_maps);
	map = maps ? READ_ONCE_AT(maps, cpu_map, this_cpu->id) : NULL;
	if (!map) {
		rcu_read_unlock();
		return -1;
	}
	len = READ(map, len);
	if (len > 1)
		index = scale(has(TX_HASH_FLOW) ? skb_get_hash(skb) :
						  tx_jhash(skb), len);
	index = READ_AT(map, queues, index);
	rcu_read_unlock();
	return index < READ(dev, real_num_tx_queues) ? (int)index : -1;
}

void netif_set_xps_queue(struct kernel *kernel, struct net_device *dev,
			 u32 cpu, u16 queue)
{
	u32 n = kernel->machine->num_cpus;
	struct xps_map *map;

	g_assert(kernel_has(kernel, XPS));
	if (!dev->xps_maps)
		dev->xps_maps = static_object(kernel, STRUCT_xps_dev_maps,
					      sizeof(struct xps_dev_maps) +
					      n * sizeof(struct xps_map *), 0);
	map = static_object(kernel, STRUCT_xps_map,
			    sizeof(*map) + sizeof(map->queues[0]),
			    kernel->machine->cpus[cpu].package);
	map->len = 1;
	map->queues[0] = queue;
	dev->xps_maps->cpu_map[cpu] = map;
}

/* ---- what the socket remembers ---- */

/* The route is the socket's own: those of other destinations have no say. */
static bool may_remember(struct sock *sk, struct sk_buff *skb)
{
	struct dst_entry *dst = READ_ONCE(sk, sk_dst_cache);

	if (!dst)
		return false;
	if (has(PICK_TX_ANY_DST))
		return true;
	return READ(skb, _skb_refdst) == dst;
}

/* A queue number that is good for this device is kept, unless the packet may
 * overtake others. */
static u32 __netdev_pick_tx(struct net_device *dev, struct sk_buff *skb)
{
	struct sock *sk;
	s32 old = -1;
	int index;

	FUNCTION(__netdev_pick_tx);
	sk = READ(skb, sk);
	if (sk)
		old = READ_ONCE(sk, sk_tx_queue_mapping);
	if (old >= 0 && !READ(skb, ooo_okay) &&
	    (u32)old < READ(dev, real_num_tx_queues))
		return (u32)old;
	index = get_xps_queue(dev, skb);
	if (index < 0)
		index = (int)skb_tx_hash(skb, READ(dev, real_num_tx_queues));
	if (index != old && sk && may_remember(sk, skb))
		WRITE_ONCE(sk, sk_tx_queue_mapping, index);
	return (u32)index;
}

/* The driver's choice; the number may be none of the device's. */
static u32 ask_driver(struct net_device *dev, struct sk_buff *skb,
		      u16 (*select)(struct net_device *, struct sk_buff *))
{
	u32 index = select(dev, skb);

	return index < READ(dev, real_num_tx_queues) ? index : 0;
}

/* Before 2.6.38: the queue that the socket had last, which it forgets with its
 * route; or else one is chosen, and the socket remembers it if it has a
 * route. */
static u32 old_pick_tx(struct net_device *dev, struct sk_buff *skb)
{
	u16 (*select)(struct net_device *, struct sk_buff *);
	struct sock *sk = READ(skb, sk);
	s32 mapping;
	u32 index = 0, n;

	if (has(SK_TX_QUEUE_MAPPING) && sk) {
		mapping = READ_ONCE(sk, sk_tx_queue_mapping);
		if (mapping >= 0)
			return (u32)mapping;
	}
	select = READ(READ(dev, netdev_ops), ndo_select_queue);
	if (select)
		return ask_driver(dev, skb, select);
	n = READ(dev, real_num_tx_queues);
	if (n > 1)
		index = skb_tx_hash(skb, n);
	if (has(SK_TX_QUEUE_MAPPING) && sk && READ_ONCE(sk, sk_dst_cache))
		WRITE_ONCE(sk, sk_tx_queue_mapping, (s32)index);
	return index;
}

struct netdev_queue *dev_pick_tx(struct net_device *dev, struct sk_buff *skb)
{
	u32 index = 0;

	FUNCTION(dev_pick_tx);
	if (has(XMIT_VALIDATE))
		SMP_PROCESSOR_ID();	/* the packet notes who sends it */
	if (!has(TX_ONE_QUEUE_FIRST)) {
		index = old_pick_tx(dev, skb);
	} else if (READ(dev, real_num_tx_queues) != 1) {
		u16 (*select)(struct net_device *, struct sk_buff *) =
			READ(READ(dev, netdev_ops), ndo_select_queue);

		index = select ? ask_driver(dev, skb, select) :
				 __netdev_pick_tx(dev, skb);
	}
	this_kernel()->net_core->tx_picked += dev->real_num_tx_queues > 1;
	WRITE(skb, queue_mapping, (u16)index);
	return READ(dev, _tx)[index];
}

void dev_queue_init(struct kernel *kernel)
{
	struct random_stream salt;
	struct tx_hashrnd *secret;

	if (kernel_has(kernel, TX_HASH_FLOW) || kernel->net_core->tx_hashrnd)
		return;
	secret = STATIC_OBJECT(kernel, tx_hashrnd, 0);
	random_seed(&salt, kernel->machine->seed, "transmit hash", 0);
	secret->hashrnd = (u32)random_u64(&salt);
	kernel->net_core->tx_hashrnd = secret;
}
