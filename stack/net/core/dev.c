/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/dev.c: devices, and the way of a packet to the driver. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sch_generic.h"
#include "stack/include/net/sock.h"
#include "stack/net/core/dev_rps.h"
#include "stack/net/ipv4/udp_offload.h"

#define THIS_SOFTNET (this_kernel()->net_core->softnet_data[this_cpu->id])

static u32 netif_skb_features(struct sk_buff *skb)
{
	struct net_device *dev;
	u32 features;

	FUNCTION(netif_skb_features);
	STACK_PROTECTOR();
	(void)READ(skb, protocol);
	dev = READ(skb, dev);
	features = READ(dev, features);
	(void)READ(skb, vlan_tci);
	if (has(XMIT_VALIDATE)) {
		(void)READ(&skb->head->shinfo, gso_size);
		(void)READ(dev, netdev_ops);	/* ndo_features_check */
	}
	{
		FUNCTION(harmonize_features);
		(void)READ(skb, mac_len);
		/* All memory is below the device's limit on 64 bits. */
	}
	return features;
}

/* The device cannot sum up: it is done here. */
static int complete_checksum(struct sk_buff *skb, u32 features)
{
	if (READ(skb, ip_summed) != CHECKSUM_PARTIAL ||
	    features & NETIF_F_GEN_CSUM)
		return 0;
	return skb_checksum_help(skb);
}

/* The route is not needed any more, unless the device says it is. */
static void skb_release_dst(struct sk_buff *skb, struct net_device *dev)
{
	struct dst_entry *dst;

	if (!(READ(dev, priv_flags) & IFF_XMIT_DST_RELEASE))
		return;
	dst = READ(skb, _skb_refdst);
	if (dst) {
		WRITE(skb, _skb_refdst, NULL);
		dst_release(dst);
	}
}

/* A packet that stands for several and that the device cannot cut. */
static struct sk_buff *segments(struct sk_buff *skb, u32 features)
{
	struct sk_buff *segs = skb_gso_segment(skb), *seg;

	if (features & NETIF_F_GEN_CSUM)
		return segs;
	for (seg = segs; seg; seg = READ(seg, next))
		(void)complete_checksum(seg, features);
	return segs;
}

struct sk_buff *validate_xmit_skb(struct sk_buff *skb)
{
	u32 features;

	FUNCTION(validate_xmit_skb);
	features = netif_skb_features(skb);
	if (has(SOCK_VALIDATE_XMIT) && READ(skb, sk)) {
		(void)READ(skb->sk, sk_state);
		(void)READ(skb->sk, sk_validate_xmit_skb);
	}
	if (READ(&skb->head->shinfo, gso_size) &&
	    !(features & NETIF_F_GSO_UDP_L4))
		return segments(skb, features);
	(void)READ(skb, data_len);
	(void)READ(skb, next);
	if (!complete_checksum(skb, features)) {
		if (has(SKB_EXTENSIONS))	/* IPsec offload */
			(void)READ(skb, active_extensions);
		return skb;
	}
	kfree_skb(skb);
	return NULL;
}

static int xmit_one(struct sk_buff *skb, struct net_device *dev,
		    struct netdev_queue *txq)
{
	const struct net_device_ops *ops = READ(dev, netdev_ops);
	struct sk_buff *next = READ(skb, next);
	int rc;

	if (next)
		WRITE(skb, next, NULL);
	if (!next && !has(NETIF_SKB_FEATURES)) {
		(void)READ(this_kernel()->net_core->ptype, ptype_all);
		(void)READ(&skb->head->shinfo, gso_size);
		skb_release_dst(skb, dev);
	} else if (!next && !has(XMIT_VALIDATE)) {
		u32 features;

		skb_release_dst(skb, dev);
		(void)READ(this_kernel()->net_core->ptype, ptype_all);
		features = netif_skb_features(skb);
		(void)READ(&skb->head->shinfo, gso_size);
		rc = complete_checksum(skb, features);
		if (rc) {
			kfree_skb(skb);
			return rc;
		}
	}
	if (has(PTYPE_ALL_DEV)) {
		(void)READ(this_kernel()->net_core->ptype, ptype_all);
		(void)READ(dev, ptype_all);
	}
	if (has(XMIT_MORE_SOFTNET))
		WRITE(THIS_SOFTNET, xmit.more, 0);
	rc = READ(ops, ndo_start_xmit)(skb, dev);
	if (rc == NETDEV_TX_OK) {
		/* txq_trans_update(): only when the queue is locked. */
		if (READ(txq, xmit_lock_owner) != -1)
			WRITE(txq, trans_start, JIFFIES());
	} else if (next) {
		WRITE(skb, next, next);
	}
	return rc;
}

int dev_hard_start_xmit(struct sk_buff **skb, struct net_device *dev,
			struct netdev_queue *txq)
{
	int rc;

	FUNCTION(dev_hard_start_xmit);
	do {
		struct sk_buff *next = (*skb)->next;

		rc = xmit_one(*skb, dev, txq);
		if (rc == NETDEV_TX_BUSY)
			return rc;
		*skb = next;
	} while (*skb);
	return rc;
}

u32 dev_recursion_level(void)
{
	if (has(XMIT_RECURSION_SOFTNET))
		return READ(THIS_SOFTNET, xmit.recursion);
	return READ(this_kernel()->net_core->xmit_recursion[this_cpu->id],
		    xmit_recursion);
}

static void xmit_recursion_add(s32 n)
{
	if (has(XMIT_RECURSION_SOFTNET))
		UPDATE(THIS_SOFTNET, xmit.recursion, += n);
	else
		UPDATE(this_kernel()->net_core->xmit_recursion[this_cpu->id],
		       xmit_recursion, += (u32)n);
}

/* With the queue's lock, unless the driver says that it needs none. */
static int xmit_locked(struct sk_buff *skb, struct net_device *dev,
		       struct netdev_queue *txq)
{
	bool lock = !(READ(dev, features) & NETIF_F_LLTX);
	int rc;

	if (lock) {
		SPIN_LOCK(txq, _xmit_lock);
		WRITE_ONCE(txq, xmit_lock_owner, (s32)this_cpu->id);
	}
	(void)READ_ONCE(txq, state);
	rc = dev_hard_start_xmit(&skb, dev, txq);
	if (lock) {
		WRITE_ONCE(txq, xmit_lock_owner, -1);
		SPIN_UNLOCK(txq, _xmit_lock);
	}
	return rc;
}

/* Before the queue is looked for: what the device cannot do.  False: the packet
 * is gone. */
static bool old_validate(struct sk_buff *skb, struct net_device *dev)
{
	struct skb_shared_info *shinfo = &skb->head->shinfo;

	(void)READ(shinfo, gso_size);
	(void)READ(shinfo, frag_list);
	(void)READ(shinfo, nr_frags);
	if (READ(skb, ip_summed) != CHECKSUM_PARTIAL ||
	    !complete_checksum(skb, READ(dev, features)))
		return true;
	kfree_skb(skb);
	return false;
}

/* A device without a queue discipline: straight to the driver. */
static int xmit_noqueue(struct sk_buff *skb, struct net_device *dev,
			struct netdev_queue *txq)
{
	int rc;

	if (has(XMIT_VALIDATE)) {
		SMP_PROCESSOR_ID();
		if (!(READ(dev, flags) & IFF_UP))
			goto drop;
	} else if (!(READ(dev, flags) & IFF_UP)) {
		goto drop;
	}
	if (READ_ONCE(txq, xmit_lock_owner) == (s32)this_cpu->id)
		goto drop;
	if (!has(XMIT_RECURSION))
		return xmit_locked(skb, dev, txq);
	if (dev_recursion_level() >= XMIT_RECURSION_LIMIT)
		goto drop;
	if (has(XMIT_VALIDATE)) {
		skb = validate_xmit_skb(skb);
		if (!skb)
			return -ENOMEM;
	}
	/* LLTX: the driver needs no lock of ours. */
	(void)READ(dev, features);
	(void)READ(txq, state);
	xmit_recursion_add(1);
	rc = dev_hard_start_xmit(&skb, dev, txq);
	xmit_recursion_add(-1);
	return rc;
drop:
	kfree_skb(skb);
	return -ENETDOWN;
}

int dev_queue_xmit(struct sk_buff *skb)
{
	struct net_device *dev = READ(skb, dev);
	struct netdev_queue *txq;
	struct Qdisc *q;
	int rc;

	FUNCTION(dev_queue_xmit);
	STACK_PROTECTOR();
	if (has(XMIT_VALIDATE)) {
		u32 data = READ(skb, data);

		WRITE(skb, mac_header, data);
		(void)READ(&skb->head->shinfo, tx_flags);
	}
	if (!has(NETIF_SKB_FEATURES) && !old_validate(skb, dev))
		return -ENOMEM;
	local_bh_disable();
	if (has(XMIT_VALIDATE)) {
		if (has(CGROUP_NET_PRIO))
			(void)READ(dev, priomap);
		skb_release_dst(skb, dev);
	}
	txq = dev_pick_tx(dev, skb);
	q = READ(txq, qdisc);
	if (READ(q, enqueue))
		rc = __dev_xmit_skb(skb, q, dev, txq);
	else
		rc = xmit_noqueue(skb, dev, txq);
	local_bh_enable();
	return rc;
}

u32 ll_reserved_space(const struct net_device *dev)
{
	u32 len = READ(dev, hard_header_len);

	len += READ(dev, needed_headroom);
	return (len & ~(HH_DATA_MOD - 1)) + HH_DATA_MOD;
}

struct net_device *dev_get_by_name(struct kernel *kernel, const char *name)
{
	GPtrArray *devices = kernel->net_core->devices;
	u32 i;

	for (i = 0; i < devices->len; i++) {
		struct net_device *dev = g_ptr_array_index(devices, i);

		if (g_str_equal(dev->name, name))
			return dev;
	}
	return NULL;
}

#define NETDEV_HASHENTRIES ARRAY_SIZE(((struct dev_index_head *)0)->head)

struct net_device *dev_get_by_index_rcu(struct net *net, u32 ifindex)
{
	FUNCTION(dev_get_by_index_rcu);
	struct dev_index_head *hash = READ(net, dev_index_head);
	struct net_device *dev;

	dev = READ_AT(hash, head, ifindex % NETDEV_HASHENTRIES);
	while (dev && READ(dev, ifindex) != ifindex)
		dev = READ(dev, index_hlist);
	return dev;
}

/* Last into the list of all, first into that of an index's hash. */
static void list_netdevice(struct kernel *kernel, struct net_device *dev)
{
	struct dev_index_head *hash = kernel->init_net->dev_index_head;
	struct net_device **first, **last = &kernel->init_net->dev_base_head;

	while (*last)
		last = &(*last)->dev_list;
	*last = dev;
	if (!hash)
		return;
	first = &hash->head[dev->ifindex % NETDEV_HASHENTRIES];
	dev->index_hlist = *first;
	*first = dev;
}

static void alloc_netdev_queues(struct kernel *kernel, struct net_device *dev,
				u32 queues)
{
	u32 i;

	dev->num_tx_queues = dev->real_num_tx_queues = queues;
	dev->_tx = g_new0(struct netdev_queue *, queues);
	for (i = 0; i < queues; i++) {
		dev->_tx[i] = STATIC_OBJECT(kernel, netdev_queue, 0);
		dev->_tx[i]->dev = dev;
		dev->_tx[i]->xmit_lock_owner = -1;
	}
}

struct net_device *register_netdevice(struct kernel *kernel, const char *name,
				      u32 mtu)
{
	return register_netdevice_mq(kernel, name, mtu, 1, 0);
}

struct net_device *register_netdevice_mq(struct kernel *kernel,
					 const char *name, u32 mtu,
					 u32 queues, u32 tx_queue_len)
{
	struct net_device *dev = STATIC_OBJECT(kernel, net_device, 0);
	u32 i, n = kernel->machine->num_cpus;

	dev->name = g_strdup(name);
	dev->mtu = mtu;
	dev->nd_net = kernel->init_net;
	dev->ifindex = kernel->net_core->devices->len + 1;
	list_netdevice(kernel, dev);
	dev->hard_header_len = ETH_HLEN;
	dev->gso_max_size = 65536;
	dev->gso_max_segs = 65535;
	dev->tx_queue_len = tx_queue_len;
	alloc_netdev_queues(kernel, dev, queues);
	if (queues > 1)
		dev_queue_init(kernel);
	rps_init_device(kernel, dev);
	attach_default_qdiscs(kernel, dev);
	dev->dstats = g_new0(struct pcpu_dstats *, n);
	for (i = 0; i < n; i++)
		dev->dstats[i] = STATIC_OBJECT(kernel, pcpu_dstats,
				kernel->machine->cpus[i].package);
	dev->lstats = dev->dstats;
	g_ptr_array_add(kernel->net_core->devices, dev);
	return dev;
}

/* netdev_init(): from the allocator only where sends look devices up by index:
 * elsewhere what is allocated later keeps its place. */
static void netdev_init(struct kernel *kernel)
{
	struct dev_index_head *hash;

	if (has(PREFSRC_L3MDEV)) {
		hash = KMALLOC(dev_index_head, GFP_KERNEL);
		memset(hash->head, 0, sizeof(hash->head));
		kmemleak_not_leak(hash);
	} else {
		hash = STATIC_OBJECT(kernel, dev_index_head, 0);
	}
	kernel->init_net->dev_index_head = hash;
}

void net_dev_init(struct kernel *kernel)
{
	struct net_core *core = kernel->net_core;
	u32 i, n = kernel->machine->num_cpus;

	netdev_init(kernel);
	core->devices = g_ptr_array_new();
	core->napis = g_ptr_array_new();
	core->ptype = STATIC_OBJECT(kernel, ptype_data, 0);
	core->nf_hooks = STATIC_OBJECT(kernel, nf_hooks, 0);
	core->xmit_recursion = g_new0(struct xmit_recursion *, n);
	core->softnet_data = g_new0(struct softnet_data *, n);
	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		core->xmit_recursion[i] =
			STATIC_OBJECT(kernel, xmit_recursion, node);
		core->softnet_data[i] =
			STATIC_OBJECT(kernel, softnet_data, node);
	}
	net_rcv_init(kernel);
}

void net_dev_exit(struct kernel *kernel)
{
	GPtrArray *devices = kernel->net_core->devices;
	u32 i;

	for (i = 0; i < devices->len; i++) {
		struct net_device *dev = g_ptr_array_index(devices, i);

		if (dev->destructor)
			dev->destructor(dev);
		g_free(dev->name);
		if (dev->mc)
			g_array_unref(dev->mc);
		g_free(dev->dstats);
		g_free(dev->_tx);
		rps_exit_device(dev);
	}
	g_ptr_array_unref(devices);
	g_ptr_array_unref(kernel->net_core->napis);
	g_free(kernel->net_core->xmit_recursion);
	net_rcv_exit(kernel);
	g_free(kernel->net_core->softnet_data);
}
