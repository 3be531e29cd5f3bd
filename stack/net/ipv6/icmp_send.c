/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/icmp.c, the part that sends: errors about packets that
 * nobody takes or that cannot be delivered; see ipv4/icmp_send.c.
 */
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inetpeer.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv4/icmp_send.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv6/udp.h"

#define ICMPV6_INFOMSG_MASK 0x80u

static struct sock *icmpv6_sk(void)
{
	struct kernel *kernel = this_kernel();
	struct ipv6_room *room = kernel->ipv6;

	if (!room->icmp_sk) {
		room->icmp_sk = g_new0(struct sock *,
				       kernel->machine->num_cpus);
		kernel->init_net->ipv6.peers = inet_peer_base_new(kernel);
	}
	if (!room->icmp_sk[this_cpu->id])
		room->icmp_sk[this_cpu->id] = icmp_sk_new(kernel, this_cpu->id,
							  PF_INET6);
	return room->icmp_sk[this_cpu->id];
}

void icmpv6_exit(struct kernel *kernel)
{
	inet_peer_base_free(kernel->init_net->ipv6.peers);
	g_free(kernel->ipv6->icmp_sk);
}

static struct in6_addr address_at(const struct sk_buff *skb, u32 at)
{
	struct in6_addr address;

	memcpy(address.s6_addr, skb_bytes(skb, at), sizeof(address.s6_addr));
	return address;
}

/* ---- rates ---- */

static bool is_limited(u8 type)
{
	return !(type & ICMPV6_INFOMSG_MASK) && type != ICMPV6_PKT_TOOBIG;
}

/* One a second to a host, more to a network: by the prefix of its route. */
static bool peer_allow(struct net *net, const struct rt6_info *rt)
{
	u32 timeout = READ(net, ipv6.sysctl.icmpv6_time);
	u32 plen = READ(rt, rt6i_dst.plen), key[PEER_KEY_WORDS];
	struct in6_addr addr;
	struct inet_peer *peer;
	bool allow;

	if (plen < 128)
		timeout >>= (128 - plen) >> 5;
	addr = READ_ADDR6(rt, rt6i_dst.addr);
	in6_words(&addr, key);
	peer = inet_getpeer(READ(net, ipv6.peers), key);
	allow = inet_peer_xrlim_allow(peer, timeout);
	if (peer)
		inet_putpeer(peer);
	return allow;
}

static bool icmpv6_xrlim_allow(struct net *net, struct sock *sk, u8 type,
			       struct flowi6 *fl6)
{
	struct dst_entry *dst;
	bool allow = false;

	FUNCTION(icmpv6_xrlim_allow);
	if (!is_limited(type))
		return true;
	dst = ip6_route_output(net, sk, fl6);
	if (READ(dst, error))
		IP6_INC_STATS(net, NULL, IPSTATS_MIB_OUTNOROUTES);
	else if (READ(READ(dst, dev), flags) & IFF_LOOPBACK)
		allow = true;
	else
		allow = peer_allow(net, (struct rt6_info *)(void *)dst);
	dst_release(dst);
	if (!allow && has(ICMP6_RATELIMIT_STAT))
		ICMP6_INC_STATS(net, ICMP6_MIB_RATELIMITHOST);
	return allow;
}

/* ---- an error ---- */

/* About an error there is none, nor about what does not say what it is
 * (RFC 4443, 2.4). */
static bool is_ineligible(struct sk_buff *skb, u32 at)
{
	u32 icmp = at + IPV6_HLEN;

	FUNCTION(icmpv6_is_ineligible);
	if (skb_bytes(skb, at)[6] != IPPROTO_ICMPV6_NUMBER)
		return false;
	if (icmp >= READ(skb, tail))
		return true;
	READ_SKB_DATA(skb, icmp, 1);
	return !(*skb_bytes(skb, icmp) & ICMPV6_INFOMSG_MASK);
}

/* Whom to answer, and from where if the packet was for an address of ours;
 * false: nobody. */
static bool find_addresses(struct net *net, struct sk_buff *skb, u32 at,
			   u8 type, struct flowi6 *fl6)
{
	struct in6_addr to = address_at(skb, at + 24);
	struct net_device *dev = READ(skb, dev);
	u32 from;

	fl6->daddr = address_at(skb, at + 8);
	from = ipv6_addr_type(&fl6->daddr);
	if (ipv6_addr_is_multicast(&to) || READ(skb, pkt_type) != PACKET_HOST) {
		if (type != ICMPV6_PKT_TOOBIG)
			return false;
	} else if (ipv6_chk_addr(net, &to, dev)) {
		fl6->saddr = to;
	}
	if (from == IPV6_ADDR_ANY || from & IPV6_ADDR_MULTICAST)
		return false;
	if (from & IPV6_ADDR_LINKLOCAL)
		fl6->flowi6_oif = READ(dev, ifindex);
	return !is_ineligible(skb, at);
}

/* As much of the packet as the least of all links takes.  Kernels before
 * UDP6_MAKE_SKB have the message in the socket's queue for a moment; those
 * after it have, too, and take the same steps. */
static struct sk_buff *make_message(struct sock *sk, struct flowi6 *fl6,
				    struct rt6_info *rt, struct sk_buff *about,
				    u32 *len, int *err)
{
	const struct ipcm6_cookie ipc6 = {
		.hlimit = (s32)ip6_dst_hoplimit(&rt->dst),
		.dontfrag = -1,
	};
	u32 at = READ(about, network_header);
	u8 quoted[IPV6_MIN_MTU];
	struct ip6_cork cork;

	*len = READ(about, len);
	*len += READ(about, data) - at;
	*len = MIN(*len, IPV6_MIN_MTU - IPV6_HLEN - ICMP_HLEN);
	skb_read_bits(about, at, quoted, *len);
	if (has(UDP6_MAKE_SKB))
		return ip6_make_skb(sk, &cork, ip_generic_getfrag, quoted,
				    *len + ICMP_HLEN, &ipc6, fl6, rt,
				    MSG_DONTWAIT, err);
	*err = ip6_append_data(sk, ip_generic_getfrag, quoted,
			       *len + ICMP_HLEN, &ipc6, fl6, rt, MSG_DONTWAIT);
	if (!*err)
		return READ(sk, sk_write_queue.next);
	ip6_flush_pending_frames(sk);
	return NULL;
}

static void fill_in(struct sk_buff *skb, const struct flowi6 *fl6,
		    const u8 *header, u32 len)
{
	u32 at = READ(skb, transport_header), sum;
	u8 *icmp = skb_bytes(skb, at);

	memcpy(icmp, header, ICMP_HLEN);
	len += ICMP_HLEN;
	WORK(len / 4);
	sum = csum_partial(icmp, len, 0);
	put_be16(icmp + 2, csum_ipv6_magic(fl6->saddr.s6_addr,
					   fl6->daddr.s6_addr, len,
					   IPPROTO_ICMPV6_NUMBER, sum));
	WRITE_SKB_DATA(skb, at, ICMP_HLEN);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
}

static void icmpv6_push(struct net *net, struct sock *sk, struct flowi6 *fl6,
			struct dst_entry *dst, struct sk_buff *about,
			const u8 *header)
{
	struct sk_buff *skb;
	u32 len;
	int err;

	FUNCTION(icmpv6_push_pending_frames);
	skb = make_message(sk, fl6, (struct rt6_info *)(void *)dst, about,
			   &len, &err);
	if (!skb) {
		ICMP6_INC_STATS(net, ICMP6_MIB_OUTERRORS);
	} else {
		fill_in(skb, fl6, header, len);
		ICMP6_INC_STATS(net, ICMP6_MIB_OUTMSGS);
		if (has(UDP6_MAKE_SKB))
			ip6_send_skb(skb);
		else
			ip6_push_pending_frames(sk);
	}
	if (!has(UDP6_MAKE_SKB) || !has(IP6_DST_STEAL))
		dst_release(dst);
}

static void send_locked(struct net *net, struct sock *sk, struct flowi6 *fl6,
			struct sk_buff *about, u8 type, u8 code, u32 info)
{
	u8 header[ICMP_HLEN] = { type, code };
	struct dst_entry *dst;
	int err;

	if (!icmpv6_xrlim_allow(net, sk, type, fl6))
		return;
	put_be32(header + 4, info);
	dst = ip6_dst_lookup_flow(sk, fl6, NULL, &err);
	if (dst)
		icmpv6_push(net, sk, fl6, dst, about, header);
}

static bool global_first_allow(struct sk_buff *about, u8 type)
{
	if (!has(ICMP_GLOBAL_FIRST) || !is_limited(type))
		return true;
	return READ(READ(about, dev), flags) & IFF_LOOPBACK ||
	       icmp_global_allow();
}

void icmpv6_send(struct sk_buff *about, u8 type, u8 code, u32 info)
{
	struct flowi6 fl6 = { .flowi6_proto = IPPROTO_ICMPV6_NUMBER };
	struct net *net = this_kernel()->init_net;
	u32 at = READ(about, network_header);
	struct sock *sk;

	FUNCTION(icmp6_send);
	STACK_PROTECTOR();
	if (at + IPV6_HLEN > READ(about, tail))
		return;
	READ_SKB_DATA(about, at, IPV6_HLEN);
	if (!find_addresses(net, about, at, type, &fl6))
		return;
	local_bh_disable();
	sk = global_first_allow(about, type) ? icmp_xmit_lock(icmpv6_sk()) :
					       NULL;
	if (sk) {
		send_locked(net, sk, &fl6, about, type, code, info);
		icmp_xmit_unlock(sk);
	}
	local_bh_enable();
}

/* The neighbour does not answer: whoever sent this hears of it.  The kernel
 * lets the host's own route expire as well; that is not modelled. */
void ip6_link_failure(struct sk_buff *skb)
{
	struct rt6_info *rt;

	FUNCTION(ip6_link_failure);
	icmpv6_send(skb, ICMPV6_DEST_UNREACH, ICMPV6_ADDR_UNREACH, 0);
	rt = (struct rt6_info *)(void *)READ(skb, _skb_refdst);
	if (rt)
		(void)READ(rt, rt6i_flags);
}
