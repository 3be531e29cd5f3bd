/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/icmp.c, the part that receives: errors about datagrams of
 * this host go to the protocol that sent them.
 *
 * Nobody is answered here: echo requests and the like are counted and dropped.
 */
#include <errno.h>

#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/lib/checksum.h"
#include "stack/net/ipv4/udplite.h"

/* Of ICMP_DEST_UNREACH, by code. */
static const struct {
	int errno_;
	bool fatal;
} icmp_err_convert[] = {
	{ ENETUNREACH, false },		/* network */
	{ EHOSTUNREACH, false },	/* host */
	{ ENOPROTOOPT, true },		/* protocol */
	{ ECONNREFUSED, true },		/* port */
	{ EMSGSIZE, false },		/* too long, and not to be cut */
	{ EOPNOTSUPP, false },		/* source route */
	{ ENETUNREACH, true },		/* network unknown */
	{ EHOSTDOWN, true },		/* host unknown */
	{ ENONET, true },		/* host isolated */
	{ ENETUNREACH, true },		/* network prohibited */
	{ EHOSTUNREACH, true },		/* host prohibited */
	{ ENETUNREACH, false },		/* network, for this service */
	{ EHOSTUNREACH, false },	/* host, for this service */
	{ EHOSTUNREACH, true },		/* filtered */
	{ EHOSTUNREACH, true },		/* precedence */
	{ EHOSTUNREACH, true },		/* precedence too low */
};

int icmp_error_of(u8 type, u8 code, bool *fatal)
{
	*fatal = type == ICMP_PARAMETERPROB;
	if (*fatal)
		return EPROTO;
	if (type != ICMP_DEST_UNREACH || code >= ARRAY_SIZE(icmp_err_convert))
		return EHOSTUNREACH;
	*fatal = icmp_err_convert[code].fatal;
	return icmp_err_convert[code].errno_;
}

/* What the message says beyond its type and code: the next link's MTU, or which
 * byte is wrong. */
static u32 unreach_info(struct sk_buff *skb, u32 at)
{
	const u8 *icmph = skb_bytes(skb, at);

	if (icmph[0] == ICMP_DEST_UNREACH && icmph[1] == ICMP_FRAG_NEEDED)
		return get_be16(icmph + 6);
	return icmph[0] == ICMP_PARAMETERPROB ? icmph[4] : 0;
}

/* The datagram that an error is about: its IP header follows ICMP's, and at
 * least eight bytes more.  False where it is broken. */
static bool icmp_unreach(struct sk_buff *skb, u32 at, u32 len)
{
	u32 inner = at + ICMP_HLEN, header, info;
	const u8 *iph = skb_bytes(skb, inner), *icmph = skb_bytes(skb, at);

	FUNCTION(icmp_unreach);
	if (len < ICMP_HLEN + 20)
		return false;
	READ_SKB_DATA(skb, inner, 20);
	header = (iph[0] & 15) * 4u;
	if (header < 20 || len < ICMP_HLEN + header + 8)
		return false;
	if (iph[9] != IPPROTO_UDP_NUMBER && iph[9] != IPPROTO_UDPLITE_NUMBER)
		return true;	/* the other protocols are not modelled */
	info = unreach_info(skb, at);
	rcu_read_lock();
	if (iph[9] == IPPROTO_UDP_NUMBER)
		udp_err(skb, inner, inner + header, icmph[0], icmph[1], info);
	else
		udplite_err(skb, inner, inner + header, icmph[0], icmph[1],
			    info);
	rcu_read_unlock();
	return true;
}

/* The whole message is summed up. */
static bool checksum_ok(struct sk_buff *skb, u32 at, u32 len)
{
	if (READ(skb, ip_summed) == CHECKSUM_UNNECESSARY)
		return true;
	COPY_SKB_DATA(skb, at, len);
	WORK(len / 4);
	if (!csum_fold(csum_partial(skb_bytes(skb, at), len, 0)))
		return true;
	if (has(IP_ECN_STATS))
		ICMP_INC_STATS(this_kernel()->init_net, ICMP_MIB_CSUMERRORS);
	return false;
}

static bool is_error(u8 type)
{
	return type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED ||
	       type == ICMP_PARAMETERPROB;
}

int icmp_rcv(struct sk_buff *skb)
{
	FUNCTION(icmp_rcv);
	struct net *net = this_kernel()->init_net;
	u32 at = READ(skb, transport_header);
	u32 len = READ(skb, len);
	bool good = len >= ICMP_HLEN;
	u8 type;

	ICMP_INC_STATS(net, ICMP_MIB_INMSGS);
	good = good && checksum_ok(skb, at, len);
	if (good) {
		READ_SKB_DATA(skb, at, ICMP_HLEN);
		type = *skb_bytes(skb, at);
		good = !is_error(type) || icmp_unreach(skb, at, len);
	}
	if (!good)
		ICMP_INC_STATS(net, ICMP_MIB_INERRORS);
	kfree_skb(skb);
	return 0;
}

u64 snmp_icmp(const struct kernel *kernel, u32 index)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->machine->num_cpus; i++)
		sum += kernel->init_net->mib.icmp_statistics[i]->mibs[index];
	return sum;
}
