/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the LC-trie share: fib_trie_lc.c searches it and changes
 * its leaves, fib_trie_lc_resize.c gives its inner nodes their sizes.
 *
 * A key's bit 0 is its highest.
 */
#ifndef STACK_NET_IPV4_FIB_TRIE_LC_H
#define STACK_NET_IPV4_FIB_TRIE_LC_H

#include "stack/include/net/ip_fib.h"

#define KEYLENGTH 32u

/* ---- keys ---- */

/* The first n bits; the others are 0. */
static inline u32 mask_pfx(u32 key, u32 n)
{
	return n ? key & ~0u << (KEYLENGTH - n) : 0;
}

/* `bits` bits from `pos` on, as a number; 1 to 32 bits. */
static inline u32 tkey_extract_bits(u32 key, u32 pos, u32 bits)
{
	return pos < KEYLENGTH ? key << pos >> (KEYLENGTH - bits) : 0;
}

/* Position of the first bit that is set; there is one. */
static inline u32 first_bit(u32 bits)
{
	return __builtin_clz(bits);
}

/* ---- nodes: uncharged, for changes ---- */

static inline u32 tnode_child_length(const struct tnode *tn)
{
	return 1u << tn->bits;
}

static inline u32 node_key(const struct object *n)
{
	return fib_node_is_leaf(n) ? ((const struct leaf *)n)->key :
				     ((const struct tnode *)n)->key;
}

static inline void node_set_parent(struct object *n, struct tnode *parent)
{
	if (fib_node_is_leaf(n))
		((struct leaf *)n)->parent = parent;
	else
		((struct tnode *)n)->parent = parent;
}

/* NULL where n is NULL or a leaf. */
static inline struct tnode *as_tnode(struct object *n)
{
	return n && !fib_node_is_leaf(n) ? (struct tnode *)n : NULL;
}

/* Whether a child is a tnode that skips no bit: it could be merged. */
static inline bool tnode_full(const struct tnode *tn, struct object *child)
{
	const struct tnode *n = as_tnode(child);

	return n && n->pos == tn->pos + tn->bits;
}

/* Where a key's way goes on below tn. */
static inline u32 child_index(const struct tnode *tn, u32 key)
{
	return tkey_extract_bits(key, tn->pos, tn->bits);
}

/* ---- fib_trie_lc_resize.c ---- */

/*
 * A tnode without children; NULL when memory has run out.  The kernel takes
 * those larger than a page from vmalloc(); here all come from kmalloc(), whose
 * lines lie as close together.
 */
struct tnode *lc_tnode_new(struct ip_fib *fib, u32 key, u32 pos, u32 bits);

/* Puts a child, or NULL, into a slot. */
void lc_put_child(struct tnode *tn, u32 i, struct object *n);

/* Resizes from a tnode up to the root, after one of its children changed; the
 * tnode may be gone after that. */
void lc_trie_rebalance(struct fib_table *tb, struct tnode *tn);

#endif
