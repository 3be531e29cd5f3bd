/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models drivers/net/loopback.c: what is sent comes in again, by way of the
 * backlog of the CPU that sends. */
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/net/core/sock_rcv.h"

#define ARPHRD_LOOPBACK 772

/* The sender is paid back at once; the route stays, and serves to receive. */
static int loopback_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct pcpu_dstats *lstats;
	u32 len;

	FUNCTION(loopback_xmit);
	if (has(DUMMY_LSTATS)) {	/* a timestamp of a PHY, if any */
		(void)READ(&skb->head->shinfo, tx_flags);
		(void)READ(skb, sk);
		(void)READ(dev, phydev);
		WRITE(skb, tstamp, 0);
	}
	skb_orphan(skb);
	(void)READ(skb, _skb_refdst);	/* with a reference */
	if (dev->tap)
		dev->tap(dev->tap_arg, skb_all_bytes(this_kernel(), skb),
			 skb->len);
	WRITE(skb, protocol, eth_type_trans(skb, dev));
	len = READ(skb, len);
	if (netif_rx(skb) != NET_RX_SUCCESS)
		return NETDEV_TX_OK;
	lstats = READ(dev, lstats)[this_cpu->id];
	THIS_CPU_PTR();
	UPDATE(lstats, tx_bytes, += len);
	UPDATE(lstats, tx_packets, += 1);
	return NETDEV_TX_OK;
}

struct net_device *loopback_new(struct kernel *kernel)
{
	u32 mtu = kernel_has(kernel, LOOPBACK_MTU_64K) ? 65536 : 16436;
	struct net_device *dev = register_netdevice(kernel, "lo", mtu);
	struct net_device_ops *ops = STATIC_OBJECT(kernel, net_device_ops, 0);

	ops->ndo_start_xmit = loopback_xmit;
	dev->netdev_ops = ops;
	ether_setup(kernel, dev);
	memset(dev->broadcast, 0, sizeof(dev->broadcast));
	dev->type = ARPHRD_LOOPBACK;
	dev->flags = IFF_UP | IFF_LOOPBACK;
	dev->features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM |
			NETIF_F_HIGHDMA | NETIF_F_LLTX;
	if (kernel_has(kernel, UDP_GSO))
		dev->features |= NETIF_F_GSO_UDP_L4;
	return dev;
}
