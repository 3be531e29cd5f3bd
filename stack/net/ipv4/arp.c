/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/arp.c and include/net/arp.h: the neighbours of IPv4. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/neighbour.h"

struct neigh_table *arp_tbl(void)
{
	return this_kernel()->net_core->arp_tbl;
}

static u32 arp_hashfn(const u32 *pkey, u32 dev, const u32 *hash_rnd)
{
	return (pkey[0] ^ dev) * hash_rnd[0];
}

/* Inlined in ip_finish_output2(). */
struct neighbour *__ipv4_neigh_lookup_noref(struct net_device *dev, u32 key)
{
	const struct neigh_table *tbl = arp_tbl();
	const struct neigh_hash_table *nht;
	u32 hash;

	/* All neighbours of such a device are one. */
	if (has(NEIGH_KEY_POINTOPOINT) &&
	    (READ(dev, flags) & (IFF_LOOPBACK | IFF_POINTOPOINT)))
		key = 0;
	nht = READ_ONCE(tbl, nht);
	hash = neigh_hash_dev(dev);
	(void)READ_AT(nht, hash_rnd, 0);
	hash = arp_hashfn(&key, hash, nht->hash_rnd);
	return neigh_find(tbl, hash, nht, dev, &key);
}

struct neigh_table *arp_init(struct kernel *kernel)
{
	struct neigh_table *tbl = STATIC_OBJECT(kernel, neigh_table, 0);
	struct random_stream salt;

	random_seed(&salt, kernel->machine->seed, "hash salt", 0);
	tbl->family = PF_INET;
	tbl->key_len = sizeof(u32);
	tbl->hash = arp_hashfn;
	neigh_table_init(kernel, tbl, &salt);
	return tbl;
}
