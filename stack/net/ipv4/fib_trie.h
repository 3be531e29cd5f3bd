/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the trie of key vectors share: fib_trie.c searches it and
 * changes its leaves, fib_trie_resize.c gives its inner nodes their sizes.
 *
 * Bits count from the lowest, 0.  The parent of the root is the table's own
 * key vector in the kernel; here it is NULL.  Everything in this header is for
 * changes: uncharged.
 */
#ifndef STACK_NET_IPV4_FIB_TRIE_H
#define STACK_NET_IPV4_FIB_TRIE_H

#include "stack/include/net/ip_fib.h"

#define KEYLENGTH 32u

static inline bool is_leaf(const struct tnode *n)
{
	return !n->kv.bits;
}

static inline u32 child_length(const struct tnode *tn)
{
	return 1u << tn->kv.bits;
}

/* Where a key's way goes on below a node; too large where the key is none of
 * those that the node is for. */
static inline u64 get_index(u32 key, const struct tnode *tn)
{
	return (u64)(key ^ tn->kv.key) >> tn->kv.pos;
}

/* Whether a child is a tnode that skips no bit: it could be merged. */
static inline bool tnode_full(const struct tnode *tn, const struct tnode *n)
{
	return n && !is_leaf(n) && n->kv.pos + n->kv.bits == tn->kv.pos;
}

/* ---- fib_trie_resize.c ---- */

/*
 * A tnode without children; NULL when memory has run out.  The kernel takes
 * those larger than a page from vmalloc(); here all come from kmalloc(), whose
 * lines lie as close together.
 */
struct tnode *tnode_new(struct ip_fib *fib, u32 key, u32 pos, u32 bits);

/* Puts a child, or NULL, into a slot; the child's parent is not set. */
void put_child(struct tnode *tn, u64 i, struct tnode *n);
/* The same where the parent may be the table itself: tp is NULL. */
void put_child_root(struct fib_table *t, struct tnode *tp, u32 key,
		    struct tnode *n);

/* A prefix with so many bits behind it has come in below a node, or has gone:
 * it and those above must know the most. */
void node_push_suffix(struct tnode *tn, u32 slen);
void node_pull_suffix(struct tnode *tn, u32 slen);

/* Resizes from a tnode up to the root, after one of its children changed; the
 * tnode may be gone after that. */
void trie_rebalance(struct fib_table *t, struct tnode *tn);

#endif
