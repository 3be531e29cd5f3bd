/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv4/ip_output.c: from a datagram to packets on the link. */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/lib/siphash.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/core/sock_err.h"
#include "stack/net/ipv4/route.h"
#include "stack/net/ipv4/ip_output_frag.h"
#include "stack/net/ipv4/udp.h"

static u32 ident_hash(struct net *net, const struct flowi4 *fl4)
{
	const u32 words[3] = { fl4->daddr, fl4->saddr, fl4->flowi4_proto };
	u64 key[2];

	if (!has(IP_ID_SIPHASH))
		return jhash2(words, 3, (u32)READ_AT(this_kernel()->ipv4->salt,
						     key, 0));
	key[0] = READ_AT(net, ipv4.ip_id_key.key, 0);
	key[1] = READ_AT(net, ipv4.ip_id_key.key, 1);
	return (u32)siphash(key, words, sizeof(words));
}

/* From the counter of this pair of hosts.  One that nobody used for a while
 * would leap, so that its pace tells nothing; within a jiffy it does not. */
static u16 __ip_select_ident(struct net *net, const struct flowi4 *fl4)
{
	struct ipv4 *ipv4 = this_kernel()->ipv4;
	u32 slot;

	FUNCTION(__ip_select_ident);
	slot = ident_hash(net, fl4) % IP_IDENTS;
	(void)READ_AT(ipv4->tstamps, tstamps, slot);
	return (u16)ATOMIC_ADD_RETURN_AT(ipv4->idents, idents, slot, 1) - 1;
}

/*
 * The next identification: none is needed where the packet may not be
 * fragmented, but a connected socket counts all the same, since some
 * receivers' header compression wants it so.  Later kernels take one from the
 * hashed counters where path MTU discovery is only wanted.
 */
static u16 ip_select_ident(struct net *net, struct inet_sock *inet,
			   const struct flowi4 *fl4, struct sk_buff *skb,
			   u16 df)
{
	const u32 peer[PEER_KEY_WORDS] = { fl4->daddr };
	u16 id;

	if (!df && !has(IP_IDENTS_HASHED))
		return (u16)inet_getid(&net->ipv4.peers, peer);

	if (READ(inet, inet_daddr)) {
		if (has(INET_ID_ATOMIC))
			return (u16)ATOMIC_ADD_RETURN(inet, inet_id, 1) - 1;
		id = READ(inet, inet_id);
		WRITE(inet, inet_id, (u16)(id + 1));
		return id;
	}
	if (!has(IP_IDENTS_HASHED) || !READ(skb, local_df))
		return 0;
	return __ip_select_ident(net, fl4);
}

static u8 ip_select_ttl(struct inet_sock *inet, struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	s16 ttl;

	if (READ(rt, rt_type) == RTN_MULTICAST)
		return READ(inet, mc_ttl);
	ttl = READ(inet, uc_ttl);
	if (ttl >= 0)
		return (u8)ttl;
	(void)READ(dst, _metrics);
	(void)READ_AT(this_kernel()->ipv4->metrics, metrics, 9);
	if (has(SYSCTL_TTL_NETNS)) {
		struct net *net;

		rcu_read_lock();
		net = READ(READ(dst, dev), nd_net);
		ttl = READ(net, ipv4.sysctl_ip_default_ttl);
		rcu_read_unlock();
		return (u8)ttl;
	}
	return (u8)READ(this_kernel()->ipv4->sysctl, sysctl_ip_default_ttl);
}

void __ip_make_skb(struct sock *sk, const struct flowi4 *fl4,
		   struct sk_buff *skb, struct ip_cork *cork)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct dst_entry *dst = &cork->rt->dst;
	struct net *net = READ(sk, sk_net);
	struct sk_buff *rest = skb->next;
	u8 *iph, pmtudisc;
	u32 at, len, mtu;
	u16 df;

	FUNCTION(__ip_make_skb);
	WRITE(skb, next, NULL);
	WRITE(skb, prev, NULL);
	skb_join_fragments(skb, rest, IP_HLEN);
	(void)READ(skb, data);
	at = READ(skb, network_header);
	pmtudisc = READ(inet, pmtudisc);
	if (pmtudisc != IP_PMTUDISC_DO)
		WRITE(skb, local_df, 1);
	len = READ(skb, len);
	mtu = dst_mtu(dst);
	(void)READ_AT(this_kernel()->ipv4->metrics, metrics, 0);
	/* Who only wants to find out the MTU may fragment what is longer. */
	df = pmtudisc == IP_PMTUDISC_DONT ||
	     (pmtudisc < IP_PMTUDISC_DO && len > mtu) ? 0 : IP_DF;
	iph = skb_bytes(skb, at);
	iph[0] = 0x45;
	iph[1] = cork->tos >= 0 ? (u8)cork->tos : READ(inet, tos);
	put_be16(iph + 2, 0);
	put_be16(iph + 4, ip_select_ident(net, inet, fl4, skb, df));
	put_be16(iph + 6, df);
	iph[8] = cork->ttl ? cork->ttl : ip_select_ttl(inet, dst);
	iph[9] = READ(sk, sk_protocol);
	put_be16(iph + 10, 0);
	put_be32(iph + 12, fl4->saddr);
	put_be32(iph + 16, fl4->daddr);
	WRITE_SKB_DATA(skb, at, IP_HLEN);
	WRITE(skb, priority,
	      cork->tos >= 0 ? cork->priority : READ(sk, sk_priority));
	WRITE(skb, mark, cork->marked ? cork->mark : READ(sk, sk_mark));
	/* The packet takes over the cork's reference on the route. */
	WRITE(skb, _skb_refdst, dst);
	cork->rt = NULL;
	if (has(SOCK_TSFLAGS))
		WRITE(skb, tstamp, 0);	/* when to send it: at once */
}

static void ip_send_check(struct sk_buff *skb, u32 at)
{
	u8 *iph = skb_bytes(skb, at);
	u32 header = (iph[0] & 15) * 4u;

	FUNCTION(ip_send_check);
	READ_SKB_DATA(skb, at, header);
	put_be16(iph + 10, 0);
	put_be16(iph + 10, csum_fold(csum_partial(iph, header, 0)));
	WRITE_SKB_DATA(skb, at + 10, 2);
}

static void __ip_local_out(struct sk_buff *skb)
{
	u32 at = READ(skb, network_header);

	FUNCTION(__ip_local_out);
	put_be16(skb_bytes(skb, at) + 2, (u16)READ(skb, len));
	WRITE_SKB_DATA(skb, at + 2, 2);
	ip_send_check(skb, at);
	if (!has(JUMP_LABEL))
		(void)READ(this_kernel()->net_core->nf_hooks, local_out);
	if (has(L3MDEV_OUT))
		WRITE(skb, protocol, 0x0800);
}

int ip_local_out(struct sk_buff *skb)
{
	struct dst_entry *dst;

	FUNCTION(ip_local_out);
	__ip_local_out(skb);
	dst = READ(skb, _skb_refdst);
	return READ(dst, output)(skb);
}

int ip_send_skb(struct sk_buff *skb)
{
	int err;

	FUNCTION(ip_send_skb);
	(void)READ(skb, sk);
	err = ip_local_out(skb);
	if (err > 0)
		err = -ENOBUFS;
	if (err)
		IP_INC_STATS(this_kernel()->init_net, IPSTATS_MIB_OUTDISCARDS);
	return err;
}

/* What goes to many is counted by itself. */
static void count_of_many(const struct rtable *rt, struct sk_buff *skb)
{
	struct ipstats_mib *mib;
	struct net *net;

	if (READ(rt, rt_type) != RTN_MULTICAST)
		return;
	net = this_kernel()->init_net;
	mib = READ(net, mib.ip_statistics)[this_cpu->id];
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTMCASTPKTS, += 1);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTMCASTOCTETS, += READ(skb, len));
}

int ip_finish_output2(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	struct rtable *rt = (struct rtable *)(void *)dst;
	struct net_device *dev = READ(dst, dev);
	struct neighbour *neigh;
	u32 nexthop;
	int err;

	FUNCTION(ip_finish_output2);
	if (has(DST_LWTSTATE))
		(void)READ(dst, lwtstate);
	count_of_many(rt, skb);
	if (READ(skb, data) < ll_reserved_space(dev))
		g_assert(skb->data >= HH_DATA_MOD);	/* room was reserved */
	rcu_read_lock();
	/* Bound to the route, but for groups, whose routes are not cached. */
	neigh = has(IPV4_NEXTHOP_ROUTES) ? NULL : READ_ONCE(rt, neighbour);
	if (neigh) {
		err = neigh_output(neigh, skb, false);
		rcu_read_unlock();
		return err;
	}
	nexthop = has(FIB_NEXTHOP_COMMON) && !READ(rt, rt_gw_family) ? 0 :
		  READ(rt, rt_gateway);
	if (!nexthop) {
		READ_SKB_DATA(skb, READ(skb, network_header) + 16, 4);
		nexthop = get_be32(skb_bytes(skb, skb->network_header) + 16);
	}
	neigh = __ipv4_neigh_lookup_noref(dev, nexthop);
	if (!neigh)
		neigh = __neigh_create(arp_tbl(), &nexthop, dev);
	if (neigh) {
		err = dst_neigh_output(dst, neigh, skb);
	} else {
		kfree_skb(skb);
		err = -EINVAL;
	}
	rcu_read_unlock();
	return err;
}

/* Does it go by the word of routers, and not by its device alone?  What has no
 * socket does. */
static bool ip_sk_use_pmtu(const struct sock *sk)
{
	if (!sk)
		return true;
	if (has(SK_FULLSOCK))
		(void)READ(sk, sk_state);
	return READ((const struct inet_sock *)(const void *)sk, pmtudisc) <
	       IP_PMTUDISC_PROBE;
}

/* From 3.14 to 5.14: what was not forwarded has the route's MTU. */
static u32 mtu_maybe_forward(const struct sk_buff *skb, struct dst_entry *dst)
{
	struct net *net;

	(void)READ(skb, cb.flags);	/* not forwarded */
	net = READ(READ(dst, dev), nd_net);
	(void)READ(net, ipv4.sysctl_ip_fwd_use_pmtu);
	(void)READ(dst, _metrics);	/* is it locked? */
	(void)READ_AT(this_kernel()->ipv4->metrics, metrics, 0);
	return dst_mtu(dst);
}

static u32 route_mtu(struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)(const void *)dst;
	struct net *net;
	u32 mtu;

	rcu_read_lock();
	net = READ(READ(dst, dev), nd_net);
	(void)READ(net, ipv4.sysctl_ip_fwd_use_pmtu);
	mtu = READ(rt, rt_pmtu);
	if (!mtu || !rt_pmtu_holds(rt)) {
		(void)READ(dst, _metrics);
		mtu = READ_AT(this_kernel()->ipv4->metrics, metrics, 1);
	}
	if (!mtu)
		mtu = READ(READ(dst, dev), mtu);
	rcu_read_unlock();
	(void)READ(dst, lwtstate);
	return mtu;
}

/* The route's MTU, unless the socket wants the device's. */
static u32 ip_skb_dst_mtu(const struct sk_buff *skb, struct dst_entry *dst)
{
	const struct sock *sk = READ(skb, sk);

	if (has(IPV4_MTU_FORWARD)) {
		FUNCTION(ip_skb_dst_mtu);
		return ip_sk_use_pmtu(sk) ? route_mtu(dst) :
					    READ(READ(dst, dev), mtu);
	}
	if (!ip_sk_use_pmtu(sk))
		return READ(READ(dst, dev), mtu);
	return has(IP_FWD_USE_PMTU) ? mtu_maybe_forward(skb, dst) :
				      dst_mtu(dst);
}

/* Each of the packets that it stands for must fit.  The kernel would cut it
 * here and then make fragments of those that do not, after the route has got a
 * smaller MTU; that is not modelled. */
static int ip_finish_output_gso(struct sk_buff *skb, u32 mtu)
{
	u32 headers = READ(skb, transport_header) + UDP_HLEN;

	FUNCTION(ip_finish_output_gso);
	headers -= READ(skb, network_header);
	if (headers + skb->head->shinfo.gso_size <= mtu)
		return ip_finish_output2(skb);
	IP_INC_STATS(READ(READ(skb, dev), nd_net), IPSTATS_MIB_FRAGFAILS);
	kfree_skb(skb);
	return -EMSGSIZE;
}

int ip_finish_output(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	u32 mtu;

	FUNCTION(ip_finish_output);
	(void)READ(dst, xfrm);
	mtu = ip_skb_dst_mtu(skb, dst);
	if (has(IP_FWD_USE_PMTU) && READ(&skb->head->shinfo, gso_size))
		return ip_finish_output_gso(skb, mtu);
	if (READ(skb, len) > mtu || skb->head->shinfo.frag_list)
		return ip_fragment(skb, mtu);
	return ip_finish_output2(skb);
}

int ip_output(struct sk_buff *skb)
{
	struct dst_entry *dst = READ(skb, _skb_refdst);
	struct net_device *dev = READ(dst, dev);
	struct ipstats_mib *mib;
	struct net *net;
	int err;

	FUNCTION(ip_output);
	rcu_read_lock();
	net = READ(dev, nd_net);
	mib = READ(net, mib.ip_statistics)[this_cpu->id];
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTPKTS, += 1);
	UPDATE_AT(mib, mibs, IPSTATS_MIB_OUTOCTETS, += READ(skb, len));
	WRITE(skb, dev, dev);
	WRITE(skb, protocol, 0x0800);
	(void)READ(skb, cb.flags);
	if (!has(JUMP_LABEL))
		(void)READ(this_kernel()->net_core->nf_hooks, post_routing);
	err = ip_finish_output(skb);
	rcu_read_unlock();
	return err;
}

void ip_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	struct random_stream salt;

	net->ipv4.sysctl_ip_default_ttl = 64;
	if (!kernel_has(kernel, IP_IDENTS_HASHED))
		return;
	kernel->ipv4->idents = STATIC_OBJECT(kernel, ip_idents, 0);
	kernel->ipv4->tstamps = STATIC_OBJECT(kernel, ip_tstamps, 0);
	kernel->ipv4->salt = STATIC_OBJECT(kernel, hashrnd, 0);
	random_seed(&salt, kernel->machine->seed, "identifications", 0);
	net->ipv4.ip_id_key.key[0] = random_u64(&salt);
	net->ipv4.ip_id_key.key[1] = random_u64(&salt);
	kernel->ipv4->salt->key[0] = net->ipv4.ip_id_key.key[0];
}
