/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/devinet.c: the address of a device. */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"

/* The first that is not a second one of its network; the model keeps one. */
u32 inet_select_addr(struct net_device *dev)
{
	const struct in_device *in_dev;
	const struct in_ifaddr *ifa;
	u32 addr = 0;

	FUNCTION(inet_select_addr);
	rcu_read_lock();
	in_dev = READ(dev, ip_ptr);
	ifa = in_dev ? READ_ONCE(in_dev, ifa_list) : NULL;
	if (ifa) {
		(void)READ(ifa, ifa_flags);
		(void)READ(ifa, ifa_scope);
		addr = READ(ifa, ifa_local);
	}
	rcu_read_unlock();
	return addr;
}

/* The kernel has a hash of all addresses; it is not charged. */
struct net_device *__ip_dev_find(struct net *net, u32 addr)
{
	struct net_device *dev = net->dev_base_head;

	while (dev && !(dev->ip_ptr && dev->ip_ptr->ifa_address == addr))
		dev = dev->dev_list;
	return dev;
}
