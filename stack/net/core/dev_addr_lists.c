/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/core/dev_addr_lists.c: dev_mc_add(), dev_mc_del().  The list itself
 * stands for the registers that a driver writes it to, and costs no more than
 * the functions do.
 */
#include <string.h>

#include "stack/net/core/dev_addr_lists.h"

/* One address, and how many want it. */
struct mc_address {
	u8 address[6];
	u32 count;
};

static struct mc_address *find(const struct net_device *dev, const u8 *address)
{
	u32 i;

	for (i = 0; dev->mc && i < dev->mc->len; i++) {
		struct mc_address *own = &g_array_index(dev->mc,
							struct mc_address, i);

		if (!memcmp(own->address, address, sizeof(own->address)))
			return own;
	}
	return NULL;
}

static void add(struct net_device *dev, const u8 *address)
{
	struct mc_address *own = find(dev, address);
	struct mc_address new = { .count = 1 };

	if (own) {
		own->count++;
		return;
	}
	if (!dev->mc)
		dev->mc = g_array_new(FALSE, FALSE, sizeof(struct mc_address));
	memcpy(new.address, address, sizeof(new.address));
	g_array_append_val(dev->mc, new);
}

static void del(struct net_device *dev, const u8 *address)
{
	struct mc_address *own = find(dev, address);

	g_assert(own);
	if (--own->count)
		return;
	g_array_remove_index(dev->mc, (u32)(own - (struct mc_address *)
						  (void *)dev->mc->data));
}

bool dev_mc_has(const struct net_device *dev, const u8 *address)
{
	return find(dev, address);
}

static void map_ip(u32 group, u8 *address)
{
	const u8 mapped[6] = {
		0x01, 0x00, 0x5e, group >> 16 & 0x7f, (u8)(group >> 8),
		(u8)group,
	};

	memcpy(address, mapped, sizeof(mapped));
}

static void map_ip6(const struct in6_addr *group, u8 *address)
{
	address[0] = address[1] = 0x33;
	memcpy(address + 2, group->s6_addr + 12, 4);
}

void dev_mc_add_ip(struct net_device *dev, u32 group)
{
	u8 address[6];

	map_ip(group, address);
	add(dev, address);
}

void dev_mc_del_ip(struct net_device *dev, u32 group)
{
	u8 address[6];

	map_ip(group, address);
	del(dev, address);
}

void dev_mc_add_ip6(struct net_device *dev, const struct in6_addr *group)
{
	u8 address[6];

	map_ip6(group, address);
	add(dev, address);
}

void dev_mc_del_ip6(struct net_device *dev, const struct in6_addr *group)
{
	u8 address[6];

	map_ip6(group, address);
	del(dev, address);
}
