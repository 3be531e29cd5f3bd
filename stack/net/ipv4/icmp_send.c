/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/icmp.c, the part that sends: errors about packets that
 * nobody takes or that cannot be delivered, at the rate that is allowed.
 *
 * The kernel corks the message in its socket and pushes it at once; here that
 * is one step.  No options, and no word from this host but errors.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inetpeer.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/ip_fib.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/icmp_send.h"
#include "stack/net/ipv4/udp.h"

#define ICMP_MSGS_PER_SEC 1000u
#define ICMP_MSGS_BURST 50u
#define ICMP_ROOM 576u		/* RFC 1122: what any host takes */
#define NR_ICMP_TYPES 18u
#define IP_OFFSET 0x1fffu

/* ---- the sockets that send ---- */

struct sock *icmp_sk_new(struct kernel *kernel, u32 cpu, u16 family)
{
	struct udp6_sock *up =
		STATIC_OBJECT(kernel, udp6_sock,
			      kernel->machine->cpus[cpu].package);
	struct inet_sock *inet = &up->udp.inet;
	struct sock *sk = &inet->sk;

	sk->sk_family = family;
	sk->sk_protocol = family == PF_INET6 ? IPPROTO_ICMPV6_NUMBER :
					       IPPROTO_ICMP_NUMBER;
	sk->sk_net = kernel->init_net;
	sk->sk_refcnt = 1;
	sk->sk_wmem_alloc = 1;
	sk->sk_allocation = GFP_ATOMIC;
	sk->sk_sndbuf = 2 * 65536;
	sk->sk_flags = 1u << SOCK_USE_WRITE_QUEUE;
	inet->uc_ttl = -1;
	inet->pmtudisc = IP_PMTUDISC_DONT;
	inet->pinet6 = &up->inet6;
	up->inet6.hop_limit = -1;
	up->inet6.pmtudisc = IP_PMTUDISC_WANT;
	return sk;
}

/* The kernel has them from its start; here they come with the first error. */
static struct sock *icmp_sk(void)
{
	struct kernel *kernel = this_kernel();
	struct ipv4 *ipv4 = kernel->ipv4;

	if (!ipv4->icmp_sk) {
		ipv4->icmp_sk = g_new0(struct sock *,
				       kernel->machine->num_cpus);
		if (!kernel->init_net->ipv4.peers)
			kernel->init_net->ipv4.peers =
				inet_peer_base_new(kernel);
	}
	if (!ipv4->icmp_sk[this_cpu->id])
		ipv4->icmp_sk[this_cpu->id] = icmp_sk_new(kernel, this_cpu->id,
							  PF_INET);
	return ipv4->icmp_sk[this_cpu->id];
}

void icmp_exit(struct kernel *kernel)
{
	inet_peer_base_free(kernel->init_net->ipv4.peers);
	g_free(kernel->ipv4->icmp_sk);
}

/* NULL: this CPU is sending one already, and this is about that. */
struct sock *icmp_xmit_lock(struct sock *sk)
{
	local_bh_disable();
	if (SPIN_TRYLOCK(sk, sk_lock.slock))
		return sk;
	local_bh_enable();
	return NULL;
}

void icmp_xmit_unlock(struct sock *sk)
{
	SPIN_UNLOCK(sk, sk_lock.slock);
	local_bh_enable();
}

/* ---- rates ---- */

/* All messages of this host: a bucket of tokens.  In later kernels it has no
 * lock, and a message takes none to two of them by chance. */
bool icmp_global_allow(void)
{
	struct net_core *core = this_kernel()->net_core;
	struct icmp_global *global = core->icmp_global;
	u32 now, delta, incr = 0, credit;

	FUNCTION(icmp_global_allow);
	if (!global)
		global = core->icmp_global =
			STATIC_OBJECT(this_kernel(), icmp_global, 0);
	now = (u32)JIFFIES();
	if (!READ_ONCE(global, credit)) {
		delta = MIN(now - READ_ONCE(global, stamp), HZ);
		if (delta < HZ / 50)
			return false;
	}
	SPIN_LOCK(global, lock);
	delta = MIN(now - READ(global, stamp), HZ);
	if (delta >= HZ / 50) {
		incr = ICMP_MSGS_PER_SEC * delta / HZ;
		if (incr)
			WRITE_ONCE(global, stamp, now);
	}
	credit = MIN(READ(global, credit) + incr, ICMP_MSGS_BURST);
	if (credit)
		WRITE_ONCE(global, credit, credit - 1);
	SPIN_UNLOCK(global, lock);
	return credit;
}

/* Is this kind of message limited at all? */
static bool is_limited(struct net *net, u8 type, u8 code)
{
	if (type > NR_ICMP_TYPES ||
	    (type == ICMP_DEST_UNREACH && code == ICMP_FRAG_NEEDED))
		return false;
	return READ(net, ipv4.sysctl_icmp_ratemask) >> type & 1;
}

static bool icmpv4_xrlim_allow(struct net *net, struct rtable *rt, u32 daddr,
			       u8 type, u8 code)
{
	const u32 key[PEER_KEY_WORDS] = { daddr };
	struct inet_peer *peer;
	bool allow;

	FUNCTION(icmpv4_xrlim_allow);
	if (!is_limited(net, type, code))
		return true;
	if (READ(READ(&rt->dst, dev), flags) & IFF_LOOPBACK)
		return true;
	if (has(ICMP_GLOBAL_LIMIT) && !has(ICMP_GLOBAL_FIRST) &&
	    !icmp_global_allow())
		return false;
	peer = inet_getpeer(READ(net, ipv4.peers), key);
	allow = inet_peer_xrlim_allow(peer,
				      READ(net, ipv4.sysctl_icmp_ratelimit));
	if (peer)
		inet_putpeer(peer);
	return allow;
}

/* ---- an error ---- */

/* About an error there is none (RFC 1122, 3.2.2). */
static bool is_about_error(struct sk_buff *skb, u32 at)
{
	const u8 *iph = skb_bytes(skb, at);
	u32 icmp = at + (iph[0] & 15u) * 4;

	if (iph[9] != IPPROTO_ICMP_NUMBER)
		return false;
	if (icmp >= READ(skb, tail))
		return true;
	READ_SKB_DATA(skb, icmp, 1);
	switch (*skb_bytes(skb, icmp)) {
	case ICMP_DEST_UNREACH:
	case ICMP_SOURCE_QUENCH:
	case ICMP_REDIRECT:
	case ICMP_TIME_EXCEEDED:
	case ICMP_PARAMETERPROB:
		return true;
	}
	return *skb_bytes(skb, icmp) > NR_ICMP_TYPES;
}

/* Only to one who was meant alone, and about what it sent to us alone. */
static bool may_answer(struct sk_buff *skb, const struct rtable *rt, u32 at)
{
	const u8 *iph = skb_bytes(skb, at);

	if (at + IP_HLEN > READ(skb, tail) ||
	    READ(skb, pkt_type) != PACKET_HOST ||
	    READ(rt, rt_flags) & RTCF_BROADCAST)
		return false;
	READ_SKB_DATA(skb, at, IP_HLEN);
	return !(get_be16(iph + 6) & IP_OFFSET) && !is_about_error(skb, at);
}

/* The message: its header, and as much of the packet as fits. */
static void icmp_push_reply(struct sock *sk, struct rtable *rt,
			    const struct flowi4 *fl4, struct sk_buff *about,
			    const u8 *header)
{
	u32 from = READ(about, network_header);
	u32 len = READ(about, len), at;
	u32 room = MIN(dst_mtu(&rt->dst), ICMP_ROOM) - IP_HLEN - ICMP_HLEN;
	struct net *net = READ(sk, sk_net);
	struct ip_cork cork;
	u8 quoted[ICMP_ROOM];
	struct sk_buff *skb;
	int err;

	FUNCTION(icmp_push_reply);
	len += READ(about, data) - from;
	len = MIN(len, room);
	skb_read_bits(about, from, quoted, len);
	skb = ip_make_skb(sk, fl4, &cork, NULL, ip_generic_getfrag, quoted, len,
			  &rt, MSG_DONTWAIT, &err);
	if (!skb) {
		ICMP_INC_STATS(net, ICMP_MIB_OUTERRORS);
		return;
	}
	at = READ(skb, transport_header);
	memcpy(skb_bytes(skb, at), header, ICMP_HLEN);
	WORK(len / 4);
	put_be16(skb_bytes(skb, at) + 2,
		 csum_fold(csum_partial(skb_bytes(skb, at), ICMP_HLEN + len,
					0)));
	WRITE_SKB_DATA(skb, at, ICMP_HLEN);
	WRITE(skb, ip_summed, CHECKSUM_NONE);
	ICMP_INC_STATS(net, ICMP_MIB_OUTMSGS);
	ip_send_skb(skb);
}

/* From the address that the packet was for, if that is ours. */
static struct rtable *icmp_route_lookup(struct net *net, struct sock *sk,
					struct flowi4 *fl4, const u8 *iph,
					bool local)
{
	int err;

	FUNCTION(icmp_route_lookup);
	*fl4 = (struct flowi4){
		.daddr = get_be32(iph + 12),
		.saddr = local ? get_be32(iph + 16) : 0,
		.flowi4_tos = iph[1], .flowi4_proto = IPPROTO_ICMP_NUMBER,
	};
	return ip_route_output_flow(net, fl4, sk, &err);
}

static void send_locked(struct net *net, struct sock *sk, struct sk_buff *about,
			bool local, u8 type, u8 code, u32 info)
{
	u8 header[ICMP_HLEN] = { type, code };
	u32 at = READ(about, network_header);
	struct flowi4 fl4;
	struct rtable *rt;

	rt = icmp_route_lookup(net, sk, &fl4, skb_bytes(about, at), local);
	if (!rt)
		return;
	put_be32(header + 4, info);
	if (icmpv4_xrlim_allow(net, rt, fl4.daddr, type, code))
		icmp_push_reply(sk, rt, &fl4, about, header);
	else
		dst_release(&rt->dst);
}

/* Not where the packet came from this host itself. */
static bool global_first_allow(struct net *net, struct sk_buff *about, u8 type,
			       u8 code)
{
	struct net_device *dev;

	if (!has(ICMP_GLOBAL_FIRST))
		return true;
	dev = READ(about, dev);
	if (READ(dev, flags) & IFF_LOOPBACK)
		return true;
	return !is_limited(net, type, code) || icmp_global_allow();
}

void icmp_send(struct sk_buff *about, u8 type, u8 code, u32 info)
{
	struct rtable *rt = (struct rtable *)(void *)READ(about, _skb_refdst);
	struct sock *sk;
	struct net *net;

	FUNCTION(icmp_send);
	STACK_PROTECTOR();
	if (!rt || !may_answer(about, rt, READ(about, network_header)))
		return;
	net = READ(READ(&rt->dst, dev), nd_net);
	local_bh_disable();
	sk = global_first_allow(net, about, type, code) ?
		icmp_xmit_lock(icmp_sk()) : NULL;
	if (sk) {
		send_locked(net, sk, about, READ(rt, rt_flags) & RTCF_LOCAL,
			    type, code, info);
		icmp_xmit_unlock(sk);
	}
	local_bh_enable();
}

/* The neighbour does not answer: whoever sent this hears of it.  The route is
 * good for no longer. */
void ipv4_link_failure(struct sk_buff *skb)
{
	struct dst_entry *dst;

	FUNCTION(ipv4_link_failure);
	icmp_send(skb, ICMP_DEST_UNREACH, ICMP_HOST_UNREACH, 0);
	dst = READ(skb, _skb_refdst);
	if (dst)
		WRITE_ONCE(dst, expires, MAX(JIFFIES(), 1));
}
