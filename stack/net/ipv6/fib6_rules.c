/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/ipv6/fib6_rules.c: in which tables a route is looked for.  No
 * rules are configured, so it is this host's own addresses, then the rest; or
 * the one table of a kernel that is built without more. */
#include <errno.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/net/ip6_fib.h"

/* The look-up took no reference, but for a route that nobody else holds. */
static void ip6_rt_put_flags(struct rt6_info *rt, u32 flags)
{
	if (!(flags & RT6_LOOKUP_F_DST_NOREF) || READ(rt, rt6i_uncached))
		dst_release(&rt->dst);
}

struct rt6_info *fib6_rule_lookup(struct net *net, struct flowi6 *fl6,
				  u32 flags, pol_lookup_t lookup)
{
	struct rt6_info *rt;

	if (!has(IPV6_MULTIPLE_TABLES))
		return lookup(net, READ(net, ipv6.fib6_main_tbl), fl6, flags);

	FUNCTION(fib6_rule_lookup);
	STACK_PROTECTOR();
	if (READ(net, ipv6.fib6_has_custom_rules))
		g_assert_not_reached();	/* rules come later */
	rt = lookup(net, READ(net, ipv6.fib6_local_tbl), fl6, flags);
	if (rt != READ(net, ipv6.ip6_null_entry) &&
	    READ(&rt->dst, error) != -EAGAIN)
		return rt;
	ip6_rt_put_flags(rt, flags);
	rt = lookup(net, READ(net, ipv6.fib6_main_tbl), fl6, flags);
	if (READ(&rt->dst, error) != -EAGAIN)
		return rt;
	ip6_rt_put_flags(rt, flags);
	rt = READ(net, ipv6.ip6_null_entry);
	if (!(flags & RT6_LOOKUP_F_DST_NOREF))
		ATOMIC_INC(&rt->dst, __refcnt);
	return rt;
}
