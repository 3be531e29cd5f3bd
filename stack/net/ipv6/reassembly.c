/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/reassembly.c: datagrams of IPv6 are put together again.
 *
 *	ipv6_frag_rcv -> (evictor) -> fq_find -> ip6_frag_queue -> ip6_frag_reasm
 *	ip6_frag_expire -> inet_frag_kill -> icmpv6_send
 *
 * What overlaps is trimmed up to 2.6.36; later the datagram is given up
 * (RFC 5722), and from 5.1 on a mere duplicate is not an overlap.  That a first
 * fragment must have the header of its protocol (5.12) is not modelled.
 */
#include <string.h>

#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/icmp.h"
#include "stack/include/net/inet_frag.h"
#include "stack/lib/checksum.h"
#include "stack/lib/jhash.h"
#include "stack/net/core/neighbour.h"
#include "stack/net/ipv6/route.h"
#include "stack/net/ipv6/udp.h"

#define IP6_MF 1u
#define IP6_OFFSET 0xfff8u
#define IPV6_FRAG_TIME 60u	/* seconds */
#define IPV6_MAXPLEN 65535u

/* ---- queues ---- */

static struct inet_frag_queue *ip6_frag_init(struct inet_frags *f,
					     const struct frag_key *key)
{
	struct in6_addr saddr, daddr;
	struct frag_queue *fq;
	struct object object;

	fq = f->cachep ? kmem_cache_alloc(f->cachep, GFP_ATOMIC) :
			 (void *)KMALLOC(frag_queue, GFP_ATOMIC);
	if (!fq)
		return NULL;
	object = fq->q.object;
	*fq = (struct frag_queue){ .q.object = object };
	REP_STRING(1);		/* it is cleared */
	memcpy(&saddr, key->words, 16);
	memcpy(&daddr, key->words + 4, 16);
	WRITE(fq, id, key->id);
	WRITE_ADDR6(fq, saddr, saddr);
	WRITE_ADDR6(fq, daddr, daddr);
	return &fq->q;
}

static bool ip6_frag_match(const struct inet_frag_queue *q,
			   const struct frag_key *key)
{
	const struct frag_queue *fq = (const struct frag_queue *)
		(const void *)q;
	struct in6_addr addr;

	if (READ(fq, id) != key->id)
		return false;
	addr = READ_ADDR6(fq, saddr);
	if (memcmp(&addr, key->words, 16))
		return false;
	addr = READ_ADDR6(fq, daddr);
	return !memcmp(&addr, key->words + 4, 16);
}

static void ip6_frag_expire(struct timer_list *timer);

static struct inet_frags *ip6_frags(void)
{
	struct ipv6_room *room = this_kernel()->ipv6;
	struct inet_frags *f = room->frags;

	if (!f) {
		f = room->frags = inet_frags_init(this_kernel(), "ip6-frags",
						  STRUCT_frag_queue,
						  sizeof(struct frag_queue),
						  IPV6_FRAG_TIME * HZ);
		f->init = ip6_frag_init;
		f->match = ip6_frag_match;
		f->frag_expire = ip6_frag_expire;
	}
	return f;
}

static struct frag_queue *fq_find(struct inet_frags *f, const u8 *iph, u32 id)
{
	struct frag_key key = { .id = id };
	u32 words[9], i;

	memcpy(key.words, iph + 8, 32);
	for (i = 0; i < 8; i++)
		words[i] = get_be32(iph + 8 + 4 * i);
	words[8] = id;
	WORK(40);
	return (struct frag_queue *)(void *)
		inet_frag_find(f, jhash2(words, 9, READ(f, rnd)), &key);
}

/* ---- too late ---- */

static void ip6_frag_expire(struct timer_list *timer)
{
	struct inet_frag_queue *q = (struct inet_frag_queue *)(void *)
		((u8 *)timer - offsetof(struct inet_frag_queue, timer));
	struct inet_frags *f = this_kernel()->ipv6->frags;
	struct net *net = this_kernel()->init_net;
	struct inet6_dev *idev = READ(q->dev, ip6_ptr);
	struct sk_buff *head;

	FUNCTION(ip6_frag_expire);
	SPIN_LOCK(q, lock);
	if (READ(q, last_in) & INET_FRAG_COMPLETE)
		goto out;
	inet_frag_kill(f, q);
	(void)READ((struct frag_queue *)(void *)q, iif);
	IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMFAILS);
	if (READ(q, last_in) & INET_FRAG_EVICTED)
		goto out;
	IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMTIMEOUT);
	head = READ(q, fragments);
	if (head && READ(q, last_in) & INET_FRAG_FIRST_IN) {
		WRITE(head, dev, q->dev);
		icmpv6_send(head, ICMPV6_TIME_EXCEED, ICMPV6_EXC_FRAGTIME, 0);
	}
out:
	SPIN_UNLOCK(q, lock);
	inet_frag_put(f, q);
}

/* ---- one more ---- */

static struct sk_buff *drop_bad_header(struct net *net, struct sk_buff *skb,
				       u32 where)
{
	struct net_device *dev = READ(skb, dev);

	IP6_INC_STATS(net, READ(dev, ip6_ptr), IPSTATS_MIB_INHDRERRORS);
	icmpv6_send(skb, ICMPV6_PARAMPROB, ICMPV6_HDR_FIELD, where);
	kfree_skb(skb);
	return NULL;
}

/* `kill`: the datagram goes as well. */
static struct sk_buff *fail(struct net *net, struct inet_frags *f,
			    struct inet_frag_queue *q, struct sk_buff *skb,
			    bool kill)
{
	struct net_device *dev = READ(skb, dev);

	if (kill)
		inet_frag_kill(f, q);
	IP6_INC_STATS(net, READ(dev, ip6_ptr), IPSTATS_MIB_REASMFAILS);
	inet_frag_drop(f, skb);
	return NULL;
}

/* The fragment header goes; what named it names what it did. */
static struct sk_buff *ip6_frag_reasm(struct net *net, struct inet_frags *f,
				      struct frag_queue *fq,
				      struct sk_buff *last)
{
	struct inet_frag_queue *q = &fq->q;
	struct inet6_dev *idev = READ(q->dev, ip6_ptr);
	struct sk_buff *head, *skb = NULL;
	u32 from, headers, len;
	u8 ecn = 0, next, *iph;

	FUNCTION(ip6_frag_reasm);
	inet_frag_kill(f, q);
	if (has(IP6_FRAG_ECN))
		ecn = ip_frag_ecn(READ(fq, ecn));
	head = READ(q, fragments);
	from = READ(head, network_header);
	headers = READ(head, transport_header) - from;
	len = headers - IPV6_HLEN + READ(q, len);
	READ_SKB_DATA(head, from + headers, 1);
	next = skb_bytes(head, from)[headers];
	if (ecn != 0xff && len <= IPV6_MAXPLEN)
		skb = inet_frag_reasm(f, q, from, headers, last);
	if (!skb) {
		IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMFAILS);
		return NULL;
	}
	from = READ(skb, network_header);
	iph = skb_bytes(skb, from);
	put_be16(iph + 4, (u16)len);
	iph[1] |= (u8)(ecn << 4);
	iph[READ(fq, nhoffset)] = next;
	WRITE_SKB_DATA(skb, from, headers);
	IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMOKS);
	return skb;
}

/* Cuts the packet, whose fragment header is at `at`, to its data. */
static u32 strip(struct sk_buff *skb, u32 at, u32 offset)
{
	u32 len = READ(skb, tail) + skb->data_len - at - IPV6_FRAG_HLEN;

	WRITE(skb, transport_header, at);
	WRITE(skb, data, at + IPV6_FRAG_HLEN);
	WRITE(skb, len, len);
	return offset + len;
}

static struct sk_buff *ip6_frag_queue(struct net *net, struct inet_frags *f,
				      struct frag_queue *fq,
				      struct sk_buff *skb, u32 at, u32 nhoff)
{
	struct inet_frag_queue *q = &fq->q;
	u32 network = READ(skb, network_header), offset, end;
	u16 word = get_be16(skb_bytes(skb, at) + 2);
	struct net_device *dev = READ(skb, dev);
	bool more = word & IP6_MF;
	enum frag_fit fit;

	FUNCTION(ip6_frag_queue);
	q->dev = dev;
	if (READ(q, last_in) & INET_FRAG_COMPLETE)
		return fail(net, f, q, skb, false);
	offset = word & IP6_OFFSET;
	end = offset + READ(skb, tail) + skb->data_len - at - IPV6_FRAG_HLEN;
	if (end > IPV6_MAXPLEN)
		return drop_bad_header(net, skb, at + 2 - network);
	if (more && end & 7)
		return drop_bad_header(net, skb, 4);
	if (inet_frag_end_is_bad(q, end, more) || end == offset)
		return fail(net, f, q, skb, has(FRAG_RUNS));
	strip(skb, at, offset);
	fit = inet_frag_queue_insert(f, q, skb, offset, end,
				     !has(IP6_FRAG_NO_OVERLAP));
	if (fit == FRAG_USELESS && has(FRAG_RUNS)) {
		inet_frag_drop(f, skb);
		return NULL;
	}
	if (fit != FRAG_FITS)
		return fail(net, f, q, skb, fit == FRAG_OVERLAPS);
	WRITE(fq, iif, READ(dev, ifindex));
	inet_frag_account(f, q, skb, offset, READ(skb, truesize));
	if (has(IP6_FRAG_ECN))
		UPDATE(fq, ecn, |= 1u << (skb_bytes(skb, network)[1] >> 4 & 3));
	if (!offset)
		WRITE(fq, nhoffset, (u16)nhoff);
	if (inet_frag_is_whole(q))
		return ip6_frag_reasm(net, f, fq, skb);
	skb_dst_drop(skb);
	return NULL;
}

struct sk_buff *ipv6_frag_rcv(struct net *net, struct sk_buff *skb, u32 at,
			      u32 nhoff)
{
	struct inet_frags *f = ip6_frags();
	struct net_device *dev = READ(skb, dev);
	struct inet6_dev *idev = READ(dev, ip6_ptr);
	u32 network = READ(skb, network_header), evicted, i;
	struct sk_buff *whole;
	struct frag_queue *fq;

	FUNCTION(ipv6_frag_rcv);
	IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMREQDS);
	READ_SKB_DATA(skb, network, IPV6_HLEN);
	/* A jumbogram has none. */
	if (!get_be16(skb_bytes(skb, network) + 4) ||
	    at + IPV6_FRAG_HLEN > READ(skb, tail))
		return drop_bad_header(net, skb, at - network);
	READ_SKB_DATA(skb, at, IPV6_FRAG_HLEN);
	evicted = inet_frag_evictor(f);
	for (i = 0; i < evicted; i++)
		IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMFAILS);
	fq = fq_find(f, skb_bytes(skb, network),
		     get_be32(skb_bytes(skb, at) + 4));
	if (!fq) {
		IP6_INC_STATS(net, idev, IPSTATS_MIB_REASMFAILS);
		inet_frag_drop(f, skb);
		return NULL;
	}
	SPIN_LOCK(&fq->q, lock);
	whole = ip6_frag_queue(net, f, fq, skb, at, nhoff);
	SPIN_UNLOCK(&fq->q, lock);
	inet_frag_put(f, &fq->q);
	return whole;
}

struct frag_report ip6_frag_report(const struct kernel *kernel)
{
	return kernel->ipv6->frags ? kernel->ipv6->frags->report :
				     (struct frag_report){ 0 };
}

void ipv6_frag_exit(struct kernel *kernel)
{
	inet_frags_fini(kernel->ipv6->frags);
}
