/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/ndisc.c and include/net/ndisc.h: the neighbours of IPv6. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/neighbour.h"

struct neigh_table *nd_tbl(void)
{
	return this_kernel()->net_core->nd_tbl;
}

/* Put together by hand: the same on a host of either byte order. */
void in6_words(const struct in6_addr *addr, u32 *words)
{
	const u8 *byte = addr->s6_addr;
	u32 i;

	for (i = 0; i < sizeof(*addr) / 4; i++, byte += 4)
		words[i] = byte[0] | (u32)byte[1] << 8 | (u32)byte[2] << 16 |
			   (u32)byte[3] << 24;
}

static u32 ndisc_hashfn(const u32 *pkey, u32 dev, const u32 *hash_rnd)
{
	return (pkey[0] ^ dev) * hash_rnd[0] + pkey[1] * hash_rnd[1] +
	       pkey[2] * hash_rnd[2] + pkey[3] * hash_rnd[3];
}

/* Inlined in ip6_finish_output2(). */
struct neighbour *__ipv6_neigh_lookup_noref(struct net_device *dev,
					    const struct in6_addr *addr)
{
	const struct neigh_table *tbl = nd_tbl();
	const struct neigh_hash_table *nht = READ_ONCE(tbl, nht);
	u32 hash = neigh_hash_dev(dev), words[NEIGH_KEY_WORDS], i;

	in6_words(addr, words);
	for (i = 0; i < NEIGH_KEY_WORDS; i++)
		(void)READ_AT(nht, hash_rnd, i);
	hash = ndisc_hashfn(words, hash, nht->hash_rnd);
	return neigh_find(tbl, hash, nht, dev, words);
}

struct neigh_table *ndisc_init(struct kernel *kernel)
{
	struct neigh_table *tbl = STATIC_OBJECT(kernel, neigh_table, 0);
	struct random_stream salt;

	random_seed(&salt, kernel->machine->seed, "hash salt", 1);
	tbl->family = PF_INET6;
	tbl->key_len = sizeof(struct in6_addr);
	tbl->hash = ndisc_hashfn;
	neigh_table_init(kernel, tbl, &salt);
	return tbl;
}
