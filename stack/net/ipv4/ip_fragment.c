/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv4/ip_fragment.c: datagrams of IPv4 are put together again.
 *
 *	ip_defrag -> (evictor) -> ip_find -> ip_frag_queue -> ip_frag_reasm
 *	ip_expire -> inet_frag_kill -> icmp_send
 *
 * Up to 4.18 what overlaps is trimmed; later the datagram is given up, which
 * ReasmOverlaps would count (not modelled).  Fragments that are too far from
 * the last one of their datagram, by how many came from that host since, begin
 * it anew.
 */
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/net/ipv4/udp.h"
#include "stack/net/ipv4/ip_input.h"

#define IP_MF 0x2000u
#define IP_OFFSET 0x1fffu
#define IP_FRAG_TIME 30u	/* seconds */

/* ---- queues ---- */

static struct inet_frag_queue *ip4_frag_init(struct inet_frags *f,
					     const struct frag_key *key)
{
	struct net *net = this_kernel()->init_net;
	const u32 peer[PEER_KEY_WORDS] = { key->words[0] };
	struct object object;
	struct ipq *qp;

	qp = f->cachep ? kmem_cache_alloc(f->cachep, GFP_ATOMIC) :
			 (void *)KMALLOC(ipq, GFP_ATOMIC);
	if (!qp)
		return NULL;
	object = qp->q.object;
	*qp = (struct ipq){ .q.object = object };
	REP_STRING(1);		/* it is cleared */
	WRITE(qp, saddr, key->words[0]);
	WRITE(qp, daddr, key->words[1]);
	WRITE(qp, id, (u16)key->id);
	WRITE(qp, protocol, key->protocol);
	if (!net->ipv4.peers)
		net->ipv4.peers = inet_peer_base_new(this_kernel());
	if (READ(f->fqdir, max_dist))
		WRITE(qp, peer, inet_getpeer(READ(net, ipv4.peers), peer));
	return &qp->q;
}

static void ip4_frag_free(struct inet_frag_queue *q)
{
	struct inet_peer *peer = READ((struct ipq *)(void *)q, peer);

	if (peer)
		inet_putpeer(peer);
}

static bool ip4_frag_match(const struct inet_frag_queue *q,
			   const struct frag_key *key)
{
	const struct ipq *qp = (const struct ipq *)(const void *)q;

	return READ(qp, id) == key->id && READ(qp, saddr) == key->words[0] &&
	       READ(qp, daddr) == key->words[1] &&
	       READ(qp, protocol) == key->protocol;
}

static void ip_expire(struct timer_list *timer);

static struct inet_frags *ip4_frags(void)
{
	struct ipv4 *ipv4 = this_kernel()->ipv4;
	struct inet_frags *f = ipv4->frags;

	/* The kernel has it from its start; here nobody pays for it before the
	 * first fragment comes. */
	if (!f) {
		f = ipv4->frags = inet_frags_init(this_kernel(), "ip4-frags",
						  STRUCT_ipq,
						  sizeof(struct ipq),
						  IP_FRAG_TIME * HZ);
		f->init = ip4_frag_init;
		f->match = ip4_frag_match;
		f->frag_expire = ip_expire;
		f->destructor = ip4_frag_free;
	}
	return f;
}

static struct ipq *ip_find(struct inet_frags *f, const u8 *iph)
{
	struct frag_key key = {
		.words = { get_be32(iph + 12), get_be32(iph + 16) },
		.id = get_be16(iph + 4), .protocol = iph[9],
	};
	u32 hash;

	FUNCTION(ip_find);
	hash = jhash_3words(key.id << 16 | key.protocol, key.words[0],
			    key.words[1], READ(f, rnd));
	return (struct ipq *)(void *)inet_frag_find(f, hash, &key);
}

/* ---- too late ---- */

/* Whoever sent it is told, if the first fragment is there. */
static void send_time_exceeded(struct ipq *qp)
{
	struct sk_buff *head = READ(&qp->q, fragments);
	const u8 *iph;

	if (!head || !(READ(&qp->q, last_in) & INET_FRAG_FIRST_IN))
		return;
	(void)READ(qp, iif);
	rcu_read_lock();
	iph = skb_bytes(head, READ(head, network_header));
	WRITE(head, dev, qp->q.dev);
	READ_SKB_DATA(head, head->network_header, IP_HLEN);
	if (!ip_route_input_noref(head, get_be32(iph + 16), get_be32(iph + 12),
				  iph[1], qp->q.dev))
		icmp_send(head, ICMP_TIME_EXCEEDED, ICMP_EXC_FRAGTIME, 0);
	skb_dst_drop(head);
	rcu_read_unlock();
}

static void ip_expire(struct timer_list *timer)
{
	struct inet_frag_queue *q = (struct inet_frag_queue *)(void *)
		((u8 *)timer - offsetof(struct inet_frag_queue, timer));
	struct inet_frags *f = this_kernel()->ipv4->frags;
	struct net *net = this_kernel()->init_net;

	FUNCTION(ip_expire);
	SPIN_LOCK(q, lock);
	if (!(READ(q, last_in) & INET_FRAG_COMPLETE)) {
		inet_frag_kill(f, q);
		IP_INC_STATS(net, IPSTATS_MIB_REASMFAILS);
		if (!(READ(q, last_in) & INET_FRAG_EVICTED)) {
			IP_INC_STATS(net, IPSTATS_MIB_REASMTIMEOUT);
			send_time_exceeded((struct ipq *)(void *)q);
		}
	}
	SPIN_UNLOCK(q, lock);
	inet_frag_put(f, q);
}

/* ---- one more ---- */

static bool ip_frag_too_far(struct inet_frags *f, struct ipq *qp)
{
	struct inet_peer *peer = READ(qp, peer);
	u32 max = READ(f->fqdir, max_dist), start, end;

	if (!peer || !max)
		return false;
	start = READ(qp, rid);
	end = (u32)ATOMIC_ADD_RETURN(peer, rid, 1);
	WRITE(qp, rid, end);
	return READ(&qp->q, fragments) && end - start > max;
}

/* The same datagram, from the beginning.  False: its time is up. */
static bool ip_frag_reinit(struct inet_frags *f, struct ipq *qp)
{
	struct inet_frag_queue *q = &qp->q;

	if (!mod_timer(&q->timer, JIFFIES() + READ(f->fqdir, timeout))) {
		ATOMIC_INC(q, refcnt);
		return false;
	}
	inet_frag_flush(f, q);
	WRITE(q, last_in, 0);
	WRITE(q, len, 0);
	WRITE(q, meat, 0);
	WRITE(qp, iif, 0);
	WRITE(qp, ecn, 0);
	return true;
}

static struct sk_buff *ip_frag_reasm(struct inet_frags *f, struct ipq *qp,
				     struct sk_buff *last)
{
	struct net *net = this_kernel()->init_net;
	struct sk_buff *head, *skb = NULL;
	u32 from, hlen;
	u8 ecn, *iph;

	FUNCTION(ip_frag_reasm);
	inet_frag_kill(f, &qp->q);
	ecn = ip_frag_ecn(READ(qp, ecn));
	head = READ(&qp->q, fragments);
	from = READ(head, network_header);
	READ_SKB_DATA(head, from, 1);
	hlen = (skb_bytes(head, from)[0] & 15u) * 4;
	if (ecn != 0xff && hlen + READ(&qp->q, len) <= 65535)
		skb = inet_frag_reasm(f, &qp->q, from, hlen, last);
	if (!skb) {
		IP_INC_STATS(net, IPSTATS_MIB_REASMFAILS);
		return NULL;
	}
	from = READ(skb, network_header);
	iph = skb_bytes(skb, from);
	put_be16(iph + 2, (u16)READ(skb, len));
	put_be16(iph + 6, 0);
	iph[1] |= ecn;
	put_be16(iph + 10, 0);
	put_be16(iph + 10, csum_fold(csum_partial(iph, hlen, 0)));
	WRITE_SKB_DATA(skb, from, hlen);
	WORK(hlen / 2);
	IP_INC_STATS(net, IPSTATS_MIB_REASMOKS);
	return skb;
}

/* Given up: the datagram goes, and this packet. */
static struct sk_buff *discard(struct inet_frags *f, struct inet_frag_queue *q,
			       struct sk_buff *skb)
{
	inet_frag_kill(f, q);
	IP_INC_STATS(this_kernel()->init_net, IPSTATS_MIB_REASMFAILS);
	inet_frag_drop(f, skb);
	return NULL;
}

/* Cuts the packet to its data. */
static u32 strip(struct sk_buff *skb, u32 at, u32 offset, bool more)
{
	u32 hlen = (skb_bytes(skb, at)[0] & 15u) * 4, len, cut = 0;

	UPDATE(skb, data, += hlen);
	len = READ(skb, len) - hlen;
	if (more && (offset + len) & 7) {
		cut = (offset + len) & 7;
		WRITE(skb, ip_summed, CHECKSUM_NONE);
	}
	WRITE(skb, len, len - cut);
	if (!skb->data_len) {
		WRITE(skb, tail, READ(skb, data) + len - cut);
	} else if (cut) {
		WRITE(skb, len, len);
		pskb_trim_unique(skb, len - cut);
	}
	return offset + len - cut;
}

static struct sk_buff *ip_frag_queue(struct inet_frags *f, struct ipq *qp,
				     struct sk_buff *skb)
{
	struct inet_frag_queue *q = &qp->q;
	u32 at = READ(skb, network_header), offset, end;
	u16 flags = get_be16(skb_bytes(skb, at) + 6);
	bool more = flags & IP_MF;
	enum frag_fit fit;
	struct net_device *dev;

	FUNCTION(ip_frag_queue);
	if (READ(q, last_in) & INET_FRAG_COMPLETE) {
		inet_frag_drop(f, skb);
		return NULL;
	}
	if (ip_frag_too_far(f, qp)) {
		IP_INC_STATS(this_kernel()->init_net, IPSTATS_MIB_REASMFAILS);
		if (!ip_frag_reinit(f, qp)) {
			inet_frag_kill(f, q);
			inet_frag_drop(f, skb);
			return NULL;
		}
	}
	READ_SKB_DATA(skb, at, IP_HLEN);
	offset = (flags & IP_OFFSET) * 8;
	end = strip(skb, at, offset, more);
	if (inet_frag_end_is_bad(q, end, more) || end == offset)
		goto bad;
	fit = inet_frag_queue_insert(f, q, skb, offset, end,
				     !has(FRAG_OVERLAP_DROPS));
	if (fit == FRAG_OVERLAPS)
		return discard(f, q, skb);
	if (fit == FRAG_USELESS) {
		inet_frag_drop(f, skb);
		return NULL;
	}
	dev = READ(skb, dev);
	WRITE(qp, iif, READ(dev, ifindex));
	q->dev = dev;
	inet_frag_account(f, q, skb, offset, READ(skb, truesize));
	UPDATE(qp, ecn, |= 1u << (skb_bytes(skb, at)[1] & 3));
	if (inet_frag_is_whole(q))
		return ip_frag_reasm(f, qp, skb);
	skb_dst_drop(skb);
	return NULL;
bad:
	if (has(FRAG_OVERLAP_DROPS))
		return discard(f, q, skb);
	inet_frag_drop(f, skb);
	return NULL;
}

struct sk_buff *ip_defrag(struct net *net, struct sk_buff *skb)
{
	struct inet_frags *f = ip4_frags();
	struct sk_buff *whole;
	struct ipq *qp;
	u32 evicted, i;

	FUNCTION(ip_defrag);
	IP_INC_STATS(net, IPSTATS_MIB_REASMREQDS);
	evicted = inet_frag_evictor(f);
	for (i = 0; i < evicted; i++)
		IP_INC_STATS(net, IPSTATS_MIB_REASMFAILS);
	qp = ip_find(f, skb_bytes(skb, READ(skb, network_header)));
	if (!qp) {
		IP_INC_STATS(net, IPSTATS_MIB_REASMFAILS);
		inet_frag_drop(f, skb);
		return NULL;
	}
	SPIN_LOCK(&qp->q, lock);
	whole = ip_frag_queue(f, qp, skb);
	SPIN_UNLOCK(&qp->q, lock);
	inet_frag_put(f, &qp->q);
	return whole;
}

struct frag_report ip_frag_report(const struct kernel *kernel)
{
	return kernel->ipv4->frags ? kernel->ipv4->frags->report :
				     (struct frag_report){ 0 };
}

void ipfrag_exit(struct kernel *kernel)
{
	inet_frags_fini(kernel->ipv4->frags);
}
