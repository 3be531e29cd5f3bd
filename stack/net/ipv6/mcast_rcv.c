/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/mcast.c, the part that receives; see ipv4/igmp_rcv.c.  The
 * packets stay with icmpv6_rcv(), which has verified their sums. */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/net/ipv6/mld_names.h"

#define MLD1_HLEN 24u
#define MLD2_QUERY_HLEN 28u
#define QUERY_INTERVAL 125u	/* seconds, until a query tells */
#define QUERY_RESPONSE 10u
#define MAX_QUERY_SOURCES 89u	/* that a packet of Ethernet has */

struct query {
	struct in6_addr group;	/* "::": of all */
	u64 max_delay;
	u32 num_sources;
	struct in6_addr sources[MAX_QUERY_SOURCES];
};

static struct in6_addr address_at(const u8 *p)
{
	struct in6_addr address;

	memcpy(address.s6_addr, p, sizeof(address.s6_addr));
	return address;
}

/* Milliseconds, from 32768 on with an exponent (RFC 3810, 5.1.3). */
static u64 mldv2_mrc(u16 code)
{
	if (code < 0x8000)
		return code;
	return (u64)((code & 0xfffu) | 0x1000u) << ((code >> 12 & 7) + 3);
}

/* Seconds, from 128 on with an exponent (5.1.9). */
static u32 mldv2_qqi(u8 code)
{
	if (code < 0x80)
		return code;
	return ((code & 0xfu) | 0x10u) << ((code >> 4 & 7) + 3);
}

static u64 ms_to_jiffies(u64 ms)
{
	return MAX((ms * HZ + 999) / 1000, 1);
}

static u64 switchback(struct inet6_dev *idev, u64 max_delay)
{
	u64 qi, qri;
	u8 qrv = mld_qrv(idev);

	if (!has(MLD_SWITCHBACK))
		return (qrv + 1) * max_delay;
	qi = READ_ONCE(idev, mc_qi);
	qri = READ_ONCE(idev, mc_qri);
	return qrv * (qi ? qi : QUERY_INTERVAL * HZ) +
	       (qri ? qri : QUERY_RESPONSE * HZ);
}

static void v1_query(struct inet6_dev *idev, const u8 *mld, struct query *q)
{
	q->max_delay = ms_to_jiffies(get_be16(mld + 4));
	WRITE_ONCE(idev, mc_v1_seen,
		   JIFFIES() + switchback(idev, q->max_delay));
	mld_ifc_stop_timer(idev);
	mld_clear_delrec(idev);
}

static void note_router(struct inet6_dev *idev, const u8 *mld, u64 max_delay)
{
	WRITE_ONCE(idev, mc_maxdelay, max_delay);
	WRITE_ONCE(idev, mc_qrv, mld[24] & 7);
	if (!has(MLD_SWITCHBACK))
		return;
	WRITE_ONCE(idev, mc_qi, mldv2_qqi(mld[25]) * (u64)HZ);
	WRITE_ONCE(idev, mc_qri, max_delay);
}

/* False: the packet is cut short, not for who speaks MLDv1, or answered by the
 * device's timer. */
static bool v2_query(struct inet6_dev *idev, struct sk_buff *skb, u32 at,
		     u32 len, struct query *q)
{
	const u8 *mld = skb_bytes(skb, at);
	u32 i, n;

	READ_SKB_DATA(skb, at, MLD2_QUERY_HLEN);
	if (has(MLD_SWITCHBACK) && mld_in_v1_mode(idev))
		return false;
	n = get_be16(mld + 26);
	if (n > MAX_QUERY_SOURCES || MLD2_QUERY_HLEN + 16 * n > len)
		return false;
	q->max_delay = ms_to_jiffies(mldv2_mrc(get_be16(mld + 4)));
	note_router(idev, mld, q->max_delay);
	if (ipv6_addr_any(&q->group)) {
		if (!n)		/* none may be named then */
			mld_gq_start_timer(idev);
		return false;
	}
	if (n)
		READ_SKB_DATA(skb, at + MLD2_QUERY_HLEN, 16 * n);
	for (i = 0; i < n; i++)
		q->sources[i] = address_at(mld + MLD2_QUERY_HLEN + 16 * i);
	q->num_sources = n;
	return true;
}

/* An answer that is under way to a query of the whole group stays one. */
static void query_group(struct ifmcaddr6 *ma, const struct query *q)
{
	bool gsquery = q->num_sources;
	u32 flags;

	MC_LOCK(ma);
	flags = READ(ma, mca_flags);
	if (flags & MAF_TIMER_RUNNING)
		gsquery = gsquery && flags & MAF_GSQUERY;
	WRITE(ma, mca_flags, gsquery ? flags | MAF_GSQUERY :
				       flags & ~MAF_GSQUERY);
	if (!gsquery || mld_marksources(ma, q->num_sources, q->sources))
		igmp6_group_queried(ma, q->max_delay);
	MC_UNLOCK(ma);
}

static bool has_router_alert(const u8 *ip6)
{
	const u8 *options = ip6 + 40;
	u32 len, at;

	if (ip6[6])
		return false;
	len = (options[1] + 1u) * 8;
	for (at = 2; at + 4 <= len; at += options[at] ? 2u + options[at + 1] : 1)
		if (options[at] == IPV6_TLV_ROUTERALERT)
			return !get_be16(options + at + 2);
	return false;
}

/* From a neighbour; and later only one that no router can have forwarded. */
static bool is_from_link(struct sk_buff *skb, bool query)
{
	u32 network = READ(skb, network_header);
	const u8 *ip6 = skb_bytes(skb, network);
	struct in6_addr saddr;

	READ_SKB_DATA(skb, network, 48);
	saddr = address_at(ip6 + 8);
	if (!(ipv6_addr_type(&saddr) & IPV6_ADDR_LINKLOCAL))
		return false;
	return !query || !has(MLD_QUERY_CHECKS) ||
	       (ip6[7] == 1 && has_router_alert(ip6));
}

void igmp6_event_query(struct sk_buff *skb)
{
	struct inet6_dev *idev = READ(READ(skb, dev), ip6_ptr);
	u32 at = READ(skb, transport_header), len = READ(skb, len);
	const u8 *mld = skb_bytes(skb, at);
	struct ifmcaddr6 *ma;
	struct query q;

	FUNCTION(igmp6_event_query);
	if (!idev || len < MLD1_HLEN || !is_from_link(skb, true))
		return;
	READ_SKB_DATA(skb, at, MLD1_HLEN);
	q.group = address_at(mld + 8);
	q.num_sources = 0;
	if (!ipv6_addr_any(&q.group) && !ipv6_addr_is_multicast(&q.group))
		return;
	if (len == MLD1_HLEN)
		v1_query(idev, mld, &q);
	else if (len < MLD2_QUERY_HLEN || !v2_query(idev, skb, at, len, &q))
		return;
	rcu_read_lock();
	for (ma = READ_ONCE(idev, mc_list); ma; ma = READ_ONCE(ma, next)) {
		struct in6_addr own = READ_ADDR6(ma, mca_addr);

		if (ipv6_addr_any(&q.group) || ipv6_addr_equal(&own, &q.group))
			query_group(ma, &q);
	}
	rcu_read_unlock();
}

/* Another member has told the router. */
void igmp6_event_report(struct sk_buff *skb)
{
	struct inet6_dev *idev = READ(READ(skb, dev), ip6_ptr);
	u32 at = READ(skb, transport_header);
	u8 pkt_type = READ(skb, pkt_type);
	struct in6_addr group;
	struct ifmcaddr6 *ma;

	FUNCTION(igmp6_event_report);
	if (!idev || READ(skb, len) < MLD1_HLEN ||
	    (pkt_type != PACKET_MULTICAST && pkt_type != PACKET_BROADCAST) ||
	    !is_from_link(skb, false))
		return;
	READ_SKB_DATA(skb, at, MLD1_HLEN);
	group = address_at(skb_bytes(skb, at) + 8);
	rcu_read_lock();
	ma = ipv6_mc_find(idev, &group);
	if (ma)
		igmp6_stop_timer(ma);
	rcu_read_unlock();
}
