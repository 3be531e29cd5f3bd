/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/dev.c: devices, and the way of a packet to the driver. */
#include <errno.h>

#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/neighbour.h"

/* One queue: no choice, but the number must be read. */
static struct netdev_queue *dev_pick_tx(struct net_device *dev,
					struct sk_buff *skb)
{
	u32 index = 0;

	FUNCTION(dev_pick_tx);
	if (READ(dev, real_num_tx_queues) != 1)
		g_assert_not_reached();	/* multi-queue devices come later */
	WRITE(skb, queue_mapping, index);
	return READ(dev, _tx);
}

static u32 netif_skb_features(struct sk_buff *skb)
{
	u32 features;

	FUNCTION(netif_skb_features);
	(void)READ(skb, protocol);
	features = READ(READ(skb, dev), features);
	(void)READ(skb, vlan_tci);
	{
		FUNCTION(harmonize_features);
		/* All memory is below the device's limit on 64 bits. */
	}
	return features;
}

static int dev_hard_start_xmit(struct sk_buff *skb, struct net_device *dev,
			       struct netdev_queue *txq)
{
	const struct net_device_ops *ops = READ(dev, netdev_ops);
	u32 features;
	int rc;

	FUNCTION(dev_hard_start_xmit);
	if (!READ(skb, next)) {
		/* The route is not needed any more. */
		if (READ(dev, priv_flags) & IFF_XMIT_DST_RELEASE) {
			struct dst_entry *dst = READ(skb, _skb_refdst);

			if (dst) {
				WRITE(skb, _skb_refdst, NULL);
				dst_release(dst);
			}
		}
		(void)READ(this_kernel()->net_core->ptype, ptype_all);
		features = netif_skb_features(skb);
		(void)READ(&skb->head->shinfo, gso_size);
		if (READ(skb, ip_summed) == CHECKSUM_PARTIAL &&
		    !(features & NETIF_F_GEN_CSUM)) {
			rc = skb_checksum_help(skb);
			if (rc) {
				kfree_skb(skb);
				return rc;
			}
		}
	}
	rc = READ(ops, ndo_start_xmit)(skb, dev);
	if (rc == NETDEV_TX_OK) {
		/* txq_trans_update(): only when the queue is locked. */
		if (READ(txq, xmit_lock_owner) != -1)
			WRITE(txq, trans_start, 0);
	}
	return rc;
}

int dev_queue_xmit(struct sk_buff *skb)
{
	struct net_device *dev = READ(skb, dev);
	struct xmit_recursion *recursion;
	struct netdev_queue *txq;
	struct Qdisc *q;
	int rc = -ENETDOWN;

	FUNCTION(dev_queue_xmit);
	local_bh_disable();
	txq = dev_pick_tx(dev, skb);
	q = READ(txq, qdisc);
	g_assert(!READ(q, enqueue));	/* queue disciplines come later */
	if (READ(dev, flags) & IFF_UP) {
		recursion = this_kernel()->net_core->
			xmit_recursion[this_cpu->id];
		if (READ(txq, xmit_lock_owner) != (s32)this_cpu->id &&
		    READ(recursion, xmit_recursion) < XMIT_RECURSION_LIMIT) {
			/* LLTX: the driver needs no lock of ours. */
			(void)READ(dev, features);
			(void)READ(txq, state);
			UPDATE(recursion, xmit_recursion, += 1);
			rc = dev_hard_start_xmit(skb, dev, txq);
			UPDATE(recursion, xmit_recursion, -= 1);
			local_bh_enable();
			return rc;
		}
	}
	local_bh_enable();
	kfree_skb(skb);
	return rc;
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

struct net_device *register_netdevice(struct kernel *kernel, const char *name,
				      u32 mtu)
{
	struct net_device *dev = STATIC_OBJECT(kernel, net_device, 0);
	u32 i, n = kernel->machine->num_cpus;

	dev->name = g_strdup(name);
	dev->mtu = mtu;
	dev->nd_net = kernel->init_net;
	dev->ifindex = kernel->net_core->devices->len + 1;
	dev->hard_header_len = ETH_HLEN;
	dev->real_num_tx_queues = 1;
	dev->_tx = STATIC_OBJECT(kernel, netdev_queue, 0);
	dev->_tx->xmit_lock_owner = -1;
	dev->_tx->qdisc = STATIC_OBJECT(kernel, Qdisc, 0);
	dev->dstats = g_new0(struct pcpu_dstats *, n);
	for (i = 0; i < n; i++)
		dev->dstats[i] = STATIC_OBJECT(kernel, pcpu_dstats,
				kernel->machine->cpus[i].package);
	g_ptr_array_add(kernel->net_core->devices, dev);
	return dev;
}

void net_dev_init(struct kernel *kernel)
{
	struct net_core *core = kernel->net_core;
	u32 i, n = kernel->machine->num_cpus;

	core->devices = g_ptr_array_new();
	core->ptype = STATIC_OBJECT(kernel, ptype_data, 0);
	core->nf_hooks = STATIC_OBJECT(kernel, nf_hooks, 0);
	core->xmit_recursion = g_new0(struct xmit_recursion *, n);
	for (i = 0; i < n; i++) {
		u32 node = kernel->machine->cpus[i].package;

		core->xmit_recursion[i] =
			STATIC_OBJECT(kernel, xmit_recursion, node);
	}
}

void net_dev_exit(struct kernel *kernel)
{
	GPtrArray *devices = kernel->net_core->devices;
	u32 i;

	for (i = 0; i < devices->len; i++) {
		struct net_device *dev = g_ptr_array_index(devices, i);

		g_free(dev->name);
		g_free(dev->dstats);
	}
	g_ptr_array_unref(devices);
	g_free(kernel->net_core->xmit_recursion);
}
