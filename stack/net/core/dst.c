/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/dst.c and include/net/dst.h: references on routes. */
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/timer.h"
#include "stack/include/net/dst.h"
#include "stack/include/net/ip6_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"

static void dst_destroy(void *p)
{
	struct dst_entry *dst = p;
	struct dst_ops *ops;

	dst->dying = false;
	if (dst->__refcnt)
		return;		/* who looked at it last took a reference */
	FUNCTION(dst_destroy);
	ops = READ(dst, ops);
	ops->destroy(dst);
}

/* It served one packet alone, or its place has been given to another. */
static void dst_free(struct dst_entry *dst)
{
	bool once = READ(dst, flags) & DST_NOCACHE;

	if (dst->dying || !(once || dst->ops->destroy))
		return;
	if (once && !has(DST_RCU_FREE)) {
		dst_destroy(dst);
		return;
	}
	dst->dying = true;
	CALL_RCU(dst, rcu_head, dst_destroy);
}

void dst_release(struct dst_entry *dst)
{
	s32 left;

	if (!dst)
		return;
	FUNCTION(dst_release);
	left = ATOMIC_SUB_RETURN(dst, __refcnt, 1);
	check_refcount(this_cpu->machine, &dst->object, "__refcnt", left);
	if (!left)
		dst_free(dst);
}

/* Routes without metrics of their own share a read-only block; once each had
 * its own. */
u32 dst_metric_raw(const struct dst_entry *dst, u32 metric)
{
	const struct dst_metrics *shared = this_kernel()->ipv4->metrics;

	if (!has(DST_METRICS_SHARED))
		return READ_ONCE_AT(dst, metrics, metric - 1);
	(void)READ_ONCE(dst, _metrics);
	return dst->own ? READ_ONCE_AT(dst->own, metrics, metric - 1) :
			  READ_AT(shared, metrics, metric - 1);
}

/* dst_cow_metrics_generic(); NULL without memory.  From 3.0 to 4.1 the kernel
 * keeps those of a route for one IPv6 host in the host's peer; here each route
 * has its block. */
static struct dst_metrics *own_metrics(struct dst_entry *dst)
{
	struct dst_metrics *own = dst->own;

	if (own)
		return own;
	own = KMALLOC(dst_metrics, GFP_ATOMIC);
	if (!own)
		return NULL;
	FUNCTION(dst_cow_metrics_generic);
	memcpy(own->metrics, this_kernel()->ipv4->metrics->metrics,
	       sizeof(own->metrics));
	kmemleak_not_leak(own);
	ATOMIC_INC(dst, _metrics);	/* it is exchanged */
	dst->own = own;
	return own;
}

void dst_metric_set(struct dst_entry *dst, u32 metric, u32 value)
{
	struct dst_metrics *own;

	if (!has(DST_METRICS_SHARED)) {
		WRITE_ONCE_AT(dst, metrics, metric - 1, value);
		return;
	}
	own = own_metrics(dst);
	if (own)
		WRITE_ONCE_AT(own, metrics, metric - 1, value);
}

void dst_set_expires(struct dst_entry *dst, u32 timeout)
{
	u64 expires = JIFFIES() + timeout, was = READ_ONCE(dst, expires);

	expires = MAX(expires, 1u);
	if (!was || time_before(expires, was))
		WRITE_ONCE(dst, expires, expires);
}

u32 dst_mtu(const struct dst_entry *dst)
{
	const struct dst_ops *ops;

	if (!has(DST_METRICS_SHARED))
		return dst_metric_raw(dst, RTAX_MTU);
	ops = READ(dst, ops);

	return READ(ops, mtu)(dst);
}

void dst_link_failure(struct sk_buff *skb)
{
	const struct dst_entry *dst = READ(skb, _skb_refdst);
	void (*link_failure)(struct sk_buff *skb);

	if (!dst)
		return;
	link_failure = READ(READ(dst, ops), link_failure);
	if (link_failure)
		link_failure(skb);
}

/* The transport layer has heard from the next hop: noted in the route, and
 * passed on to the neighbour with the next packet.  Later kernels note it in
 * the packet, since a route may have several next hops.  Inlined. */
void dst_confirm(struct dst_entry *dst)
{
	WORK(2);
	if (!has(DST_PENDING_CONFIRM)) {
		/* At once.  Only routes of IPv6 are modelled so old. */
		struct neighbour *n = READ((struct rt6_info *)(void *)dst, n);

		if (n)
			WRITE_ONCE(n, confirmed, JIFFIES());
	} else if (!has(SOCK_PENDING_CONFIRM))
		WRITE_ONCE(dst, pending_confirm, 1);
}
