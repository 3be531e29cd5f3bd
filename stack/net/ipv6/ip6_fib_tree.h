/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of the IPv6 trie share: ip6_fib.c, ip6_fib_change.c. */
#ifndef STACK_NET_IPV6_IP6_FIB_TREE_H
#define STACK_NET_IPV6_IP6_FIB_TREE_H

#include "stack/include/net/ip6_fib.h"

/* Which of a leaf's two prefixes a tree is made of. */
enum fib6_key {
	KEY_DST,
	KEY_SRC,
};

/* A leaf's prefix, not charged. */
const struct rt6key *fib6_leaf_key(struct object *leaf, enum fib6_key key);
/* Whether the first plen bits of the leaf's prefix are the address's: charged,
 * as it reads as much of the prefix as it needs. */
bool fib6_leaf_prefix_equal(struct object *leaf, enum fib6_key key,
			    const struct in6_addr *addr, u32 plen);

#endif
