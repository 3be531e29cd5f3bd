/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/xfrm/xfrm_policy.c: no policy is configured, and finding that out
 * reads a few fields. */
#include "stack/net/ipv4/udp.h"

int xfrm_lookup(struct dst_entry *dst, const struct sock *sk)
{
	FUNCTION(xfrm_lookup);
	(void)READ(READ(dst, ops), family);
	if (sk)
		(void)READ(sk, sk_policy);
	if (!(READ(dst, flags) & DST_NOXFRM))
		(void)READ_AT(this_kernel()->init_net, xfrm.policy_count, 1);
	(void)READ(dst, xfrm);
	return 0;
}
