/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models drivers/net/dummy.c: a device that counts and drops. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/neighbour.h"

static int dummy_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct pcpu_dstats *dstats;

	FUNCTION(dummy_xmit);
	if (!has(DUMMY_LLTX)) {
		u32 len = READ(skb, len);

		UPDATE(dev, stats.tx_packets, += 1);
		UPDATE(dev, stats.tx_bytes, += len);
		goto out;
	}
	if (has(DUMMY_LSTATS)) {
		dstats = READ(dev, lstats)[this_cpu->id];
		THIS_CPU_PTR();
	} else {
		dstats = READ(dev, dstats)[this_cpu->id];
	}
	UPDATE(dstats, tx_packets, += 1);
	UPDATE(dstats, tx_bytes, += READ(skb, len));
	if (has(DUMMY_LSTATS)) {
		/* A timestamp is the business of the device's PHY, if any. */
		(void)READ(skb, sk);
		(void)READ(dev, phydev);
	}
out:
	if (dev->tap)
		dev->tap(dev->tap_arg, skb_all_bytes(this_kernel(), skb),
			 skb->len);
	consume_skb(skb);
	return NETDEV_TX_OK;
}

struct net_device *dummy_new(struct kernel *kernel, const char *name, u32 mtu,
			     bool tx_checksumming)
{
	struct net_device *dev = register_netdevice(kernel, name, mtu);
	struct net_device_ops *ops = STATIC_OBJECT(kernel, net_device_ops, 0);

	ops->ndo_start_xmit = dummy_xmit;
	dev->netdev_ops = ops;
	ether_setup(kernel, dev);
	dev->flags = IFF_UP | IFF_NOARP;
	dev->priv_flags = IFF_XMIT_DST_RELEASE;
	if (kernel_has(kernel, DUMMY_LLTX))
		dev->features = NETIF_F_SG | NETIF_F_FRAGLIST |
				NETIF_F_HIGHDMA | NETIF_F_LLTX;
	if (kernel_has(kernel, UDP_GSO))
		dev->features |= NETIF_F_GSO_UDP_L4;
	if (tx_checksumming)
		dev->features |= NETIF_F_HW_CSUM;
	/* The kernel draws a random local address; the index keeps it apart. */
	dev->dev_addr[0] = 0x02;
	dev->dev_addr[5] = (u8)dev->ifindex;
	return dev;
}
