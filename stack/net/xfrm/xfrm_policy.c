/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/xfrm/xfrm_policy.c: no policy is configured, and finding that out
 * reads a few fields. */
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/net/ipv4/udp.h"

int xfrm_lookup(struct dst_entry *dst, const struct sock *sk)
{
	struct net *net = this_kernel()->init_net;

	FUNCTION(xfrm_lookup);
	STACK_PROTECTOR();
	(void)READ(READ(dst, ops), family);
	if (sk)
		(void)READ(sk, sk_policy);
	if (has(XFRM_POLICY_DEFAULT)) {
		if (sk)
			(void)READ(sk, sk_bound_dev_if);
		(void)READ(READ(dst, dev), ifindex);
		(void)READ(net, xfrm.policy_default);
	}
	if (!(READ(dst, flags) & DST_NOXFRM))
		(void)READ_AT(net, xfrm.policy_count, 1);
	(void)READ(dst, xfrm);
	return 0;
}
