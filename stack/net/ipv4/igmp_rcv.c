/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/igmp.c, the part that receives: routers ask who is in which
 * group, and of old versions members hear each other's reports and keep quiet.
 *
 * How old a router is, the query's length and its code tell (RFC 3376, 7.1).
 */
#include "stack/include/linux/igmp.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/net/ipv4/igmp_names.h"

#define IGMP_HLEN 8u
#define V3_QUERY_HLEN 12u
#define V1_MAX_DELAY (10 * HZ)
#define ROUTER_PRESENT (400 * HZ)	/* before IGMP_SWITCHBACK */
#define QUERY_INTERVAL 125u		/* seconds, until a query tells */
#define QUERY_RESPONSE 10u
#define MAX_QUERY_SOURCES 366u		/* that a packet of Ethernet has */

struct query {
	u32 group;		/* 0: of all */
	u64 max_delay;
	u32 num_sources;
	u32 sources[MAX_QUERY_SOURCES];
};

/* Codes from 128 on have an exponent (RFC 3376, 4.1.1). */
static u32 igmpv3_exp(u8 code)
{
	if (code < 0x80)
		return code;
	return ((code & 0xfu) | 0x10u) << ((code >> 4 & 7) + 3);
}

static u64 switchback(struct in_device *in_dev)
{
	u64 qi, qri;

	if (!has(IGMP_SWITCHBACK))
		return ROUTER_PRESENT;
	qi = READ_ONCE(in_dev, mr_qi);
	qri = READ_ONCE(in_dev, mr_qri);
	return igmp_qrv(in_dev) * (qi ? qi : QUERY_INTERVAL * HZ) +
	       (qri ? qri : QUERY_RESPONSE * HZ);
}

/* One of version 1 or 2: the host speaks that for a while. */
static void old_query(struct in_device *in_dev, const u8 *igmp, struct query *q)
{
	u64 until = JIFFIES() + switchback(in_dev);

	if (igmp[1]) {
		q->max_delay = igmp[1] * (u64)HZ / 10;
		WRITE_ONCE(in_dev, mr_v2_seen, until);
	} else {
		q->max_delay = V1_MAX_DELAY;
		q->group = 0;
		WRITE_ONCE(in_dev, mr_v1_seen, until);
	}
	igmp_ifc_stop_timer(in_dev);
	igmpv3_clear_delrec(in_dev);
}

/* What a query of version 3 tells of the router's ways. */
static void note_router(struct in_device *in_dev, const u8 *igmp, u64 max_delay)
{
	u8 qrv = igmp[8] & 7;

	WRITE_ONCE(in_dev, mr_maxdelay, max_delay);
	WRITE_ONCE(in_dev, mr_qrv, qrv);
	if (!has(IGMP_SWITCHBACK))
		return;
	WRITE_ONCE(in_dev, mr_qi, igmpv3_exp(igmp[9]) * (u64)HZ);
	WRITE_ONCE(in_dev, mr_qri, max_delay);
}

/* False: the packet is cut short, or it is answered by the device's timer. */
static bool v3_query(struct in_device *in_dev, struct sk_buff *skb, u32 at,
		     u32 len, struct query *q)
{
	const u8 *igmp = skb_bytes(skb, at);
	u32 i, n;

	READ_SKB_DATA(skb, at, V3_QUERY_HLEN);
	n = get_be16(igmp + 10);
	if (n > MAX_QUERY_SOURCES || V3_QUERY_HLEN + 4 * n > len)
		return false;
	q->max_delay = igmpv3_exp(igmp[1]) * (u64)HZ / 10;
	q->max_delay = MAX(q->max_delay, 1);
	note_router(in_dev, igmp, q->max_delay);
	if (!q->group) {
		if (!n)		/* none may be named then */
			igmp_gq_start_timer(in_dev);
		return false;
	}
	if (n)
		READ_SKB_DATA(skb, at + V3_QUERY_HLEN, 4 * n);
	for (i = 0; i < n; i++)
		q->sources[i] = get_be32(igmp + V3_QUERY_HLEN + 4 * i);
	q->num_sources = n;
	return true;
}

/* An answer that is under way to a query of the whole group stays one. */
static void query_group(struct ip_mc_list *im, const struct query *q)
{
	u8 gsquery = q->num_sources != 0;
	bool changed;

	MC_LOCK(im);
	if (READ(im, tm_running))
		gsquery &= READ(im, gsquery);
	WRITE(im, gsquery, gsquery);
	changed = !gsquery || igmp_marksources(im, q->num_sources, q->sources);
	MC_UNLOCK(im);
	if (changed)
		igmp_mod_timer(im, q->max_delay);
}

static void igmp_heard_query(struct in_device *in_dev, struct sk_buff *skb,
			     u32 at, u32 len)
{
	const u8 *igmp = skb_bytes(skb, at);
	struct query q;
	struct ip_mc_list *im;
	u32 version, group;

	FUNCTION(igmp_heard_query);
	q.group = get_be32(igmp + 4);
	q.num_sources = 0;
	version = igmp_version(in_dev);
	if (len == IGMP_HLEN) {
		old_query(in_dev, igmp, &q);
	} else if (len < V3_QUERY_HLEN) {
		return;
	} else if (version == 1) {
		q.max_delay = V1_MAX_DELAY;
		q.group = 0;
	} else if (version == 2) {
		q.max_delay = igmp[1] * (u64)HZ / 10;
	} else if (!v3_query(in_dev, skb, at, len, &q)) {
		return;
	}
	rcu_read_lock();
	for (im = READ_ONCE(in_dev, mc_list); im;
	     im = READ_ONCE(im, next_rcu)) {
		group = READ(im, multiaddr);
		if (!igmp_is_silent(group) && (!q.group || q.group == group))
			query_group(im, &q);
	}
	rcu_read_unlock();
}

/* Another member has told the router. */
static void igmp_heard_report(struct in_device *in_dev, u32 group)
{
	struct ip_mc_list *im;

	FUNCTION(igmp_heard_report);
	if (igmp_is_silent(group))
		return;
	rcu_read_lock();
	im = READ_ONCE(in_dev, mc_list);
	while (im && READ(im, multiaddr) != group)
		im = READ_ONCE(im, next_rcu);
	if (im)
		igmp_stop_timer(im);
	rcu_read_unlock();
}

static bool checksum_ok(struct sk_buff *skb, u32 at, u32 len)
{
	COPY_SKB_DATA(skb, at, len);
	WORK(len / 4);
	return !csum_fold(csum_partial(skb_bytes(skb, at), len, 0));
}

int igmp_rcv(struct sk_buff *skb)
{
	struct in_device *in_dev = READ(READ(skb, dev), ip_ptr);
	u32 at = READ(skb, transport_header), len = READ(skb, len);
	u8 pkt_type;

	FUNCTION(igmp_rcv);
	if (!in_dev || len < IGMP_HLEN || !checksum_ok(skb, at, len)) {
		kfree_skb(skb);
		return 0;
	}
	switch (*skb_bytes(skb, at)) {
	case IGMP_HOST_MEMBERSHIP_QUERY:
		igmp_heard_query(in_dev, skb, at, len);
		break;
	case IGMP_HOST_MEMBERSHIP_REPORT:
	case IGMPV2_HOST_MEMBERSHIP_REPORT:
		/* Not its own that came back. */
		pkt_type = READ(skb, pkt_type);
		if (pkt_type == PACKET_MULTICAST ||
		    pkt_type == PACKET_BROADCAST)
			igmp_heard_report(in_dev,
					  get_be32(skb_bytes(skb, at) + 4));
		break;
	}
	kfree_skb(skb);
	return 0;
}
