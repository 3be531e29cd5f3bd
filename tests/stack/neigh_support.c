/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of neighbours share; see neigh_support.h. */
#include "neigh_support.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/net/ipv6.h"
#include "stack/lib/checksum.h"

const u8 mac_a[ETH_ALEN] = { 0x02, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4 };
const u8 mac_b[ETH_ALEN] = { 0x02, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4 };

struct neigh_fixture *neigh_fixture_new(int kernel, bool ip6, bool check)
{
	struct net_setup setup = {
		.kernel = kernel ? "linux-6.1" : "linux-3.6",
		.cores = 3, .check = check,
	};
	static const struct in6_addr local = { { 0xfd, [15] = 1 } };
	struct neigh_fixture *f = g_new0(struct neigh_fixture, 1);
	GError *error = NULL;
	struct kernel *k;

	f->net = net_new(&setup);
	k = f->net->kernel;
	f->dev = f->net->dev;
	f->dev->flags &= ~IFF_NOARP;
	if (!inet6_add_address(k, f->dev, &local, 64, &error))
		ck_abort_msg("%s", error->message);
	f->ip6 = ip6;
	f->tbl = ip6 ? nd_tbl() : arp_tbl();
	f->rt = STATIC_OBJECT(k, rtable, 0);
	f->rt->dst.ops = STATIC_OBJECT(k, dst_ops, 0);
	f->rt->dst.ops->protocol = ip6 ? ETH_P_IPV6 : ETH_P_IP;
	f->rt->dst.dev = f->dev;
	f->rt->dst.__refcnt = 1;
	/* What the fixture has made is not ours. */
	neigh_ifdown(arp_tbl(), f->dev);
	f->net->neigh = NULL;
	f->on_lo = (u32)f->tbl->entries;
	ck_assert_uint_eq(neigh_count(f), 0);
	return f;
}

void neigh_fixture_free(struct neigh_fixture *f)
{
	net_free(f->net);
	g_free(f);
}

/* ---- neighbours ---- */

const void *neigh_key(const struct neigh_fixture *f, u32 i)
{
	static struct in6_addr addr;
	static u32 key;

	if (f->ip6) {
		addr = (struct in6_addr){ { 0xfd } };
		put_be16(addr.s6_addr + 12, (u16)(i >> 16));
		put_be16(addr.s6_addr + 14, (u16)i);
		return &addr;
	}
	key = IP(10, 4, 0, 0) + i;
	return &key;
}

struct neighbour *neigh_nth(struct neigh_fixture *f, u32 i)
{
	struct neighbour *n = neigh_lookup(f->tbl, neigh_key(f, i), f->dev);

	if (n)
		return n;
	n = __neigh_create(f->tbl, neigh_key(f, i), f->dev);
	if (n)
		neigh_hold(n);
	return n;
}

bool neigh_exists(struct neigh_fixture *f, u32 i)
{
	struct neighbour *n = neigh_lookup(f->tbl, neigh_key(f, i), f->dev);

	if (n)
		neigh_release(n);
	return n;
}

u32 neigh_count(const struct neigh_fixture *f)
{
	const struct neigh_hash_table *nht = f->tbl->nht;
	u32 i, count = 0;

	for (i = 0; i < 1u << nht->hash_shift; i++) {
		const struct neighbour *n = nht->hash_buckets->bucket[i];

		for (; n; n = n->next)
			count += !(n->dev->flags & IFF_LOOPBACK);
	}
	return count;
}

/* ---- packets ---- */

/* Only the addresses matter to those who look at it. */
static void fill(const struct neigh_fixture *f, u8 *ip, u8 mark)
{
	if (f->ip6) {
		static const struct in6_addr source = { { 0xfd, [15] = 1 } };

		put_be32(ip, 6u << 28);
		memcpy(ip + 8, &source, sizeof(source));
		ip[47] = mark;
		return;
	}
	ip[0] = 0x45;
	put_be32(ip + 12, NET_LOCAL);
	ip[27] = mark;
}

struct sk_buff *neigh_packet(struct neigh_fixture *f, u8 mark)
{
	u32 len = f->ip6 ? 48 : 28, at;
	struct sk_buff *skb = neigh_alloc_skb(f->dev, f->ip6 ? ETH_P_IPV6 :
					      ETH_P_IP, len, &at);

	memset(skb_bytes(skb, at), 0, len);
	fill(f, skb_bytes(skb, at), mark);
	f->rt->dst.__refcnt++;
	skb->_skb_refdst = &f->rt->dst;
	return skb;
}

/* ---- time ---- */

void pass_jiffy(void)
{
	jiffies_data()->jiffies++;
	run_local_timers();
	rcu_check_callbacks(false);
	irq_exit();
}

void pass_jiffies(u64 n)
{
	while (n--)
		pass_jiffy();
}

void pass_timer(const struct neighbour *n)
{
	u64 due = n->timer.due;

	ck_assert(n->timer.pending);
	while (jiffies_data()->jiffies != due)
		pass_jiffy();
}
