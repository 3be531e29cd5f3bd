/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The group addresses that a device is to take in. */
#ifndef STACK_NET_CORE_DEV_ADDR_LISTS_H
#define STACK_NET_CORE_DEV_ADDR_LISTS_H

#include "stack/include/linux/in6.h"
#include "stack/include/linux/netdevice.h"

/* By the group; each stands as often as it was added. */
void dev_mc_add_ip(struct net_device *dev, u32 group);
void dev_mc_del_ip(struct net_device *dev, u32 group);
void dev_mc_add_ip6(struct net_device *dev, const struct in6_addr *group);
void dev_mc_del_ip6(struct net_device *dev, const struct in6_addr *group);
/* For the device's own filter: not charged. */
bool dev_mc_has(const struct net_device *dev, const u8 *address);

#endif
