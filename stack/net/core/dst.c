/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/dst.c and include/net/dst.h: references on routes. */
#include "sim/check.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/skbuff.h"
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
	if (!has(DST_METRICS_SHARED))
		return READ_AT(dst, metrics, metric - 1);
	(void)READ(dst, _metrics);
	return READ_AT(this_kernel()->ipv4->metrics, metrics, metric - 1);
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
