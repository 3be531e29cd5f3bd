/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash of a flow (include/net/flow_dissector.h, linux/skbuff.h). */
#ifndef STACK_NET_CORE_FLOW_DISSECTOR_H
#define STACK_NET_CORE_FLOW_DISSECTOR_H

#include "stack/include/linux/skbuff.h"
#include "stack/include/net/ipv6.h"

/* The secret of the hash. */
struct hashrnd {
	struct object object;
	u64 key[2];
};

/* The packet's hash: that which it has, or one of the flow, noted in it.  Never
 * 0, and the same for both directions. */
u32 skb_get_hash_flowi6(struct sk_buff *skb, const struct flowi6 *fl6);

/* The same of any packet, by its headers. */
u32 skb_get_hash(struct sk_buff *skb);

void flow_dissector_init(struct kernel *kernel);
/* For set-up: what hashes packets where flow labels are not hashed. */
void flow_dissector_secret(struct kernel *kernel);

#endif
