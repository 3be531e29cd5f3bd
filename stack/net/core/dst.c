/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/dst.c and include/net/dst.h: references on routes. */
#include "sim/check.h"
#include "stack/include/net/dst.h"

void dst_release(struct dst_entry *dst)
{
	s32 left;

	if (!dst)
		return;
	FUNCTION(dst_release);
	left = ATOMIC_SUB_RETURN(dst, __refcnt, 1);
	check_refcount(this_cpu->machine, &dst->object, "__refcnt", left);
}

/* Routes without metrics of their own share a read-only block. */
u32 dst_mtu(const struct dst_entry *dst)
{
	const struct dst_ops *ops = READ(dst, ops);

	return READ(ops, mtu)(dst);
}

/* The transport layer has heard from the next hop: noted in the route, and
 * passed on to the neighbour with the next packet.  Later kernels note it in
 * the packet, since a route may have several next hops.  Inlined. */
void dst_confirm(struct dst_entry *dst)
{
	WORK(2);
	if (!has(SOCK_PENDING_CONFIRM))
		WRITE_ONCE(dst, pending_confirm, 1);
}
