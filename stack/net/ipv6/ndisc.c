/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ndisc.c and include/net/ndisc.h: the neighbours of IPv6, and
 * the solicitations by which their addresses are found (RFC 4861).
 * ndisc_rcv.c has what comes in.
 */
#include <string.h>

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/ipv6.h"
#include "stack/lib/checksum.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv6/ndisc.h"

#define IPV6_HLEN 40u
#define NEXTHDR_ICMP 58

static struct neigh_ops_set *ndisc_ops(void)
{
	return &this_kernel()->net_core->ndisc_ops;
}

struct neigh_table *nd_tbl(void)
{
	return this_kernel()->net_core->nd_tbl;
}

/* ---- the table ---- */

void in6_words(const struct in6_addr *addr, u32 *words)
{
	const u8 *byte = addr->s6_addr;
	u32 i;

	for (i = 0; i < NEIGH_KEY_WORDS; i++, byte += 4)
		words[i] = byte[0] | (u32)byte[1] << 8 | (u32)byte[2] << 16 |
			   (u32)byte[3] << 24;
}

void words_in6(const u32 *words, struct in6_addr *addr)
{
	u32 i;

	for (i = 0; i < sizeof(*addr); i++)
		addr->s6_addr[i] = (u8)(words[i / 4] >> i % 4 * 8);
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

static bool ndisc_is_multicast(const u32 *pkey)
{
	return (pkey[0] & 0xff) == 0xff;
}

void ipv6_eth_mc_map(const struct in6_addr *addr, u8 *lladdr)
{
	lladdr[0] = lladdr[1] = 0x33;
	memcpy(lladdr + 2, addr->s6_addr + 12, 4);
}

static void ndisc_constructor(struct neighbour *neigh)
{
	struct net_device *dev = READ(neigh, dev);
	bool multicast = ndisc_is_multicast(neigh->primary_key);
	struct in6_addr addr;
	u8 lladdr[ETH_ALEN];
	u32 flags;

	FUNCTION(ndisc_constructor);
	flags = READ(dev, flags);
	WRITE(neigh, type, multicast ? RTN_MULTICAST : RTN_UNICAST);
	if (multicast) {
		words_in6(neigh->primary_key, &addr);
		ipv6_eth_mc_map(&addr, lladdr);
		neigh_set_noarp(neigh, lladdr);
	} else if (flags & (IFF_NOARP | IFF_LOOPBACK)) {
		(void)READ_AT(dev, dev_addr, 0);
		neigh_set_noarp(neigh, dev->dev_addr);
		if (flags & IFF_LOOPBACK)
			WRITE(neigh, type, RTN_LOCAL);
	} else if (flags & IFF_POINTOPOINT) {
		(void)READ_AT(dev, broadcast, 0);
		neigh_set_noarp(neigh, dev->broadcast);
	}
	neigh_set_ops(neigh, ndisc_ops());
}

/* ---- solicitations ---- */

/* ff02::1:ff00:0/104 and the address's low 24 bits. */
static void addrconf_addr_solict_mult(const struct in6_addr *addr,
				      struct in6_addr *solicited)
{
	static const struct in6_addr prefix = { {
		0xff, 0x02, [11] = 0x01, 0xff,
	} };

	*solicited = prefix;
	memcpy(solicited->s6_addr + 13, addr->s6_addr + 13, 3);
}

bool ipv6_get_lladdr(const struct net_device *dev, struct in6_addr *addr)
{
	struct inet6_dev *idev = READ(dev, ip6_ptr);
	const struct inet6_ifaddr *ifa;
	bool found = false;

	FUNCTION(ipv6_get_lladdr);
	if (!idev)
		return false;
	READ_LOCK(idev, lock);
	for (ifa = READ(idev, addr_list); ifa && !found;
	     ifa = READ(ifa, if_list)) {
		found = READ(ifa, scope) == IPV6_ADDR_LINKLOCAL &&
			!(READ(ifa, flags) & IFA_F_TENTATIVE);
		if (found)
			*addr = READ_ADDR6(ifa, addr);
	}
	READ_UNLOCK(idev, lock);
	return found;
}

static void fill_ip6(u8 *ip6, u32 len, const struct in6_addr *saddr,
		     const struct in6_addr *daddr)
{
	put_be32(ip6, 6u << 28);
	put_be16(ip6 + 4, (u16)len);
	ip6[6] = NEXTHDR_ICMP;
	ip6[7] = 255;
	memcpy(ip6 + 8, saddr, sizeof(*saddr));
	memcpy(ip6 + 24, daddr, sizeof(*daddr));
}

static void fill_icmp6(u8 *icmp, const struct net_device *dev,
		       const struct nd_msg *msg)
{
	memset(icmp, 0, ND_MSG_LEN);
	icmp[0] = msg->type;
	icmp[4] = msg->flags;
	memcpy(icmp + 8, msg->target, sizeof(*msg->target));
	if (!msg->option)
		return;
	icmp[24] = msg->option;
	icmp[25] = 1;		/* in units of eight bytes */
	memcpy(icmp + 26, dev->dev_addr, ETH_ALEN);
}

/* The checksum of a message behind its IPv6 header. */
static void sum_up(struct sk_buff *skb, u32 at, u32 len)
{
	u8 *ip6 = skb_bytes(skb, at);

	FUNCTION(csum_ipv6_magic);
	WORK((IPV6_HLEN + len) / 4);
	put_be16(ip6 + IPV6_HLEN + 2,
		 csum_ipv6_magic(ip6 + 8, ip6 + 24, len, NEXTHDR_ICMP,
				 csum_partial(ip6 + IPV6_HLEN, len, 0)));
	WRITE_SKB_DATA(skb, at + IPV6_HLEN + 2, 2);
}

struct sk_buff *ndisc_alloc_skb(struct net_device *dev,
				const struct nd_msg *msg,
				const struct in6_addr *saddr,
				const struct in6_addr *daddr)
{
	u32 len = ND_MSG_LEN + (msg->option ? ND_OPT_LEN : 0), at;
	struct sk_buff *skb = neigh_alloc_skb(dev, ETH_P_IPV6,
					      IPV6_HLEN + len, &at);

	if (!skb)
		return NULL;
	if (msg->option)
		(void)READ_AT(dev, dev_addr, 0);
	fill_ip6(skb_bytes(skb, at), len, saddr, daddr);
	fill_icmp6(skb_bytes(skb, at) + IPV6_HLEN, dev, msg);
	WRITE_SKB_DATA(skb, at, IPV6_HLEN + len);
	sum_up(skb, at, len);
	return skb;
}

/*
 * To the device at once: the kernel goes by way of a route of its own and of
 * the neighbour of `daddr`, which leads to the link-layer address `dest_hw`.
 */
static void ndisc_send_ns(struct net_device *dev,
			  const struct in6_addr *target,
			  const struct in6_addr *daddr, const u8 *dest_hw,
			  const struct in6_addr *saddr)
{
	const struct nd_msg msg = {
		.type = NDISC_NEIGHBOUR_SOLICITATION, .target = target,
		.option = ND_OPT_SOURCE_LL_ADDR,
	};
	const struct header_ops *header = READ(dev, header_ops);
	struct sk_buff *skb;

	FUNCTION(ndisc_send_ns);
	skb = ndisc_alloc_skb(dev, &msg, saddr, daddr);
	if (!skb)
		return;
	ICMP6_INC_STATS(this_kernel()->init_net, ICMP6_MIB_OUTMSGS);
	if (READ(header, create)(skb, dev, ETH_P_IPV6, dest_hw, NULL,
				 READ(skb, len)) < 0)
		kfree_skb(skb);
	else
		dev_queue_xmit(skb);
}

/* The source address is that of the packet that waits, if there is one: all
 * are this host's own, since it forwards none.  False where there is none. */
static bool source_address(const struct net_device *dev,
			   const struct sk_buff *skb, struct in6_addr *saddr)
{
	u32 at;

	if (!skb)
		return ipv6_get_lladdr(dev, saddr);
	at = READ(skb, network_header) + 8;
	READ_SKB_DATA(skb, at, sizeof(*saddr));
	memcpy(saddr, skb_bytes(skb, at), sizeof(*saddr));
	return true;
}

static void ndisc_solicit(struct neighbour *neigh, struct sk_buff *skb)
{
	struct net_device *dev = READ(neigh, dev);
	struct in6_addr target, saddr, solicited;
	const struct neigh_parms *parms;
	u8 ha[ETH_ALEN];
	s32 probes;

	FUNCTION(ndisc_solicit);
	(void)READ_AT(neigh, primary_key, 0);
	words_in6(neigh->primary_key, &target);
	if (!source_address(dev, skb, &saddr))
		return;
	parms = READ(neigh, parms);
	probes = READ_ONCE(neigh, probes) - (s32)parms->ucast_probes;
	(void)READ(parms, ucast_probes);
	if (probes < 0) {
		neigh_ha_snapshot(neigh, ha);
		ndisc_send_ns(dev, &target, &target, ha, &saddr);
		return;
	}
	if (probes < (s32)READ(parms, app_probes))
		return;		/* a daemon's turn: there is none */
	addrconf_addr_solict_mult(&target, &solicited);
	ipv6_eth_mc_map(&solicited, ha);
	ndisc_send_ns(dev, &target, &solicited, ha, &saddr);
}

static void ndisc_error_report(struct neighbour *neigh, struct sk_buff *skb)
{
	FUNCTION(ndisc_error_report);
	(void)neigh;
	dst_link_failure(skb);
	kfree_skb(skb);
}

struct neigh_table *ndisc_init(struct kernel *kernel)
{
	struct neigh_table *tbl = STATIC_OBJECT(kernel, neigh_table, 0);

	tbl->family = PF_INET6;
	tbl->protocol = ETH_P_IPV6;
	tbl->key_len = sizeof(struct in6_addr);
	tbl->hash = ndisc_hashfn;
	tbl->constructor = ndisc_constructor;
	tbl->is_multicast = ndisc_is_multicast;
	neigh_table_init(kernel, tbl, 1);
	neigh_ops_init(kernel, &kernel->net_core->ndisc_ops, ndisc_solicit,
		       ndisc_error_report);
	return tbl;
}
