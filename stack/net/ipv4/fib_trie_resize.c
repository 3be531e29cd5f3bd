/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sizes of the inner nodes in a trie of key vectors (net/ipv4/fib_trie.c's
 * resize(), inflate(), halve() and collapse()).  A tnode doubles while enough
 * of the doubled one would be in use, else halves while too little of it is,
 * or gives way to its only child.
 *
 * A new node is filled from the old one, which stays as it is until the new
 * one is whole: where memory runs out, the trie is merely less compact.
 */
#include "stack/include/linux/slab.h"
#include "stack/net/ipv4/fib_trie.h"

/* In percent: of what a doubled node would have in use, and of what a node has
 * in use; the root may be emptier. */
#define INFLATE_THRESHOLD 50u
#define HALVE_THRESHOLD 25u
#define INFLATE_THRESHOLD_ROOT 30u
#define HALVE_THRESHOLD_ROOT 15u
#define MAX_WORK 10		/* doublings or halvings in one go */

static struct tnode *resize(struct fib_table *t, struct tnode *tn);

/* ---- nodes ---- */

/* The bits from `from` on. */
static u32 mask_from(u32 from)
{
	return from < KEYLENGTH ? ~0u << from : 0;
}

struct tnode *tnode_new(struct ip_fib *fib, u32 key, u32 pos, u32 bits)
{
	const struct object_type *type = &fib->kernel->types[STRUCT_tnode];
	u32 children = type->offsets[offsetof(struct tnode, kv.tnode)];
	const u32 pointer = fib->kernel->pointer_bytes;
	struct tnode *tn = fib_zalloc(children + (pointer << bits),
				      STRUCT_tnode, sizeof(*tn));

	if (!tn)
		return NULL;
	tn->kv.key = key & mask_from(pos + bits);
	tn->kv.pos = pos;
	tn->kv.bits = bits;
	tn->kv.slen = pos;
	tn->empty_children = child_length(tn);
	tn->kv.tnode = g_new0(struct tnode *, child_length(tn));
	return tn;
}

static void tnode_free(struct tnode *tn)
{
	g_clear_pointer(&tn->kv.tnode, g_free);
	kfree(tn);
}

void put_child(struct tnode *tn, u64 i, struct tnode *n)
{
	struct tnode *old = tn->kv.tnode[i];

	tn->empty_children += !n - !old;
	tn->full_children += tnode_full(tn, n) - tnode_full(tn, old);
	if (n && tn->kv.slen < n->kv.slen)
		tn->kv.slen = n->kv.slen;
	tn->kv.tnode[i] = n;
}

void put_child_root(struct fib_table *t, struct tnode *tp, u32 key,
		    struct tnode *n)
{
	if (tp)
		put_child(tp, get_index(key, tp), n);
	else
		t->__data.kv.tnode = n;
}

/* ---- suffix lengths ---- */

static u32 update_suffix(struct tnode *tn)
{
	u32 slen = tn->kv.pos, i;

	for (i = 0; i < child_length(tn); i++) {
		const struct tnode *n = tn->kv.tnode[i];

		if (n && n->kv.slen > slen)
			slen = n->kv.slen;
	}
	tn->kv.slen = slen;
	return slen;
}

void node_push_suffix(struct tnode *tn, u32 slen)
{
	for (; tn && tn->kv.slen < slen; tn = tn->parent)
		tn->kv.slen = slen;
}

void node_pull_suffix(struct tnode *tn, u32 slen)
{
	for (; tn && tn->kv.slen > MAX(tn->kv.pos, slen); tn = tn->parent) {
		u32 old = tn->kv.slen;

		slen = update_suffix(tn);
		if (slen == old)
			break;
	}
}

/* ---- one node for another ---- */

/* Makes a node its children's parent; those that were made with it have
 * children of their own to tell. */
static void update_children(struct tnode *tn)
{
	u32 i;

	for (i = 0; i < child_length(tn); i++) {
		struct tnode *n = tn->kv.tnode[i];

		if (n && n->parent == tn)
			update_children(n);
		else if (n)
			n->parent = tn;
	}
}

/* Puts a filled node where an old one was, whose children it has, and gives
 * those that have become full the sizes that they call for.  Returns the
 * parent. */
static struct tnode *replace(struct fib_table *t, struct tnode *old,
			     struct tnode *tn)
{
	struct tnode *tp = old->parent;
	u32 i;

	tn->parent = tp;
	put_child_root(t, tp, tn->kv.key, tn);
	update_children(tn);
	tnode_free(old);
	for (i = child_length(tn); i-- > 0;)
		if (tnode_full(tn, tn->kv.tnode[i]))
			resize(t, tn->kv.tnode[i]);
	return tp;
}

/* Frees nodes that were made for nothing. */
static void discard(struct tnode *tn, GPtrArray *made)
{
	guint i;

	for (i = 0; i < made->len; i++)
		tnode_free(made->pdata[i]);
	if (tn)
		tnode_free(tn);
	g_ptr_array_unref(made);
}

/* A child for a new node. */
static struct tnode *make(struct ip_fib *fib, GPtrArray *made,
			  struct tnode *parent, u32 key, u32 pos, u32 bits)
{
	struct tnode *tn = tnode_new(fib, key, pos, bits);

	if (!tn)
		return NULL;
	tn->parent = parent;
	g_ptr_array_add(made, tn);
	return tn;
}

/* Splits a full child of a node that is doubled between two slots. */
static bool inflate_child(struct ip_fib *fib, struct tnode *tn, u32 i,
			  const struct tnode *inode, GPtrArray *made)
{
	u32 half = child_length(inode) / 2, j;
	struct tnode *node0, *node1;

	if (half == 1) {
		put_child(tn, 2 * i + 1, inode->kv.tnode[1]);
		put_child(tn, 2 * i, inode->kv.tnode[0]);
		return true;
	}
	node1 = make(fib, made, tn, inode->kv.key | 1u << tn->kv.pos,
		     inode->kv.pos, inode->kv.bits - 1u);
	node0 = make(fib, made, tn, inode->kv.key, inode->kv.pos,
		     inode->kv.bits - 1u);
	if (!node1 || !node0)
		return false;
	for (j = 0; j < half; j++) {
		put_child(node0, j, inode->kv.tnode[j]);
		put_child(node1, j, inode->kv.tnode[half + j]);
	}
	put_child(tn, 2 * i + 1, node1);
	put_child(tn, 2 * i, node0);
	return true;
}

/* Doubles a tnode: it takes one bit more, from its full children too.  Returns
 * false, and has changed nothing, when memory has run out. */
static bool inflate(struct fib_table *t, struct tnode *old)
{
	struct ip_fib *fib = t->fib;
	GPtrArray *made = g_ptr_array_new(), *gone = g_ptr_array_new();
	struct tnode *tn = tnode_new(fib, old->kv.key, old->kv.pos - 1u,
				     old->kv.bits + 1u);
	bool done = tn;
	u32 i;

	for (i = child_length(old); done && i-- > 0;) {
		struct tnode *inode = old->kv.tnode[i];

		if (!inode)
			continue;
		if (!tnode_full(old, inode)) {
			put_child(tn, get_index(inode->kv.key, tn), inode);
			continue;
		}
		done = inflate_child(fib, tn, i, inode, made);
		g_ptr_array_add(gone, inode);
	}
	if (!done) {
		discard(tn, made);
		g_ptr_array_unref(gone);
		return false;
	}
	for (i = 0; i < gone->len; i++)
		tnode_free(gone->pdata[i]);
	g_ptr_array_unref(gone);
	g_ptr_array_unref(made);
	replace(t, old, tn);
	return true;
}

/* Halves a tnode: its lowest bit goes to tnodes of one bit below it.  As
 * inflate(), false when memory has run out. */
static bool halve(struct fib_table *t, struct tnode *old)
{
	GPtrArray *made = g_ptr_array_new();
	struct tnode *tn = tnode_new(t->fib, old->kv.key, old->kv.pos + 1u,
				     old->kv.bits - 1u);
	bool done = tn;
	u32 i;

	for (i = child_length(old); done && i > 0; i -= 2) {
		struct tnode *node1 = old->kv.tnode[i - 1];
		struct tnode *node0 = old->kv.tnode[i - 2], *inode;

		if (!node1 || !node0) {
			put_child(tn, i / 2 - 1, node1 ? node1 : node0);
			continue;
		}
		inode = make(t->fib, made, tn, node0->kv.key, old->kv.pos, 1);
		done = inode;
		if (!done)
			continue;
		put_child(inode, 1, node1);
		put_child(inode, 0, node0);
		put_child(tn, i / 2 - 1, inode);
	}
	if (!done) {
		discard(tn, made);
		return false;
	}
	g_ptr_array_unref(made);
	replace(t, old, tn);
	return true;
}

/* A tnode with one child at most gives way to it; returns the parent. */
static struct tnode *collapse(struct fib_table *t, struct tnode *old)
{
	struct tnode *n = NULL, *tp = old->parent;
	u32 i;

	for (i = child_length(old); !n && i-- > 0;)
		n = old->kv.tnode[i];
	put_child_root(t, tp, old->kv.key, n);
	if (n)
		n->parent = tp;
	tnode_free(old);
	return tp;
}

/* ---- resizing ---- */

static bool should_inflate(const struct tnode *tn)
{
	u64 length = child_length(tn);
	u64 used = length - tn->empty_children + tn->full_children;
	u64 threshold = tn->parent ? INFLATE_THRESHOLD : INFLATE_THRESHOLD_ROOT;

	return used > 1 && tn->kv.pos && 50 * used >= threshold * length;
}

static bool should_halve(const struct tnode *tn)
{
	u64 length = child_length(tn);
	u64 used = length - tn->empty_children;
	u64 threshold = tn->parent ? HALVE_THRESHOLD : HALVE_THRESHOLD_ROOT;

	return used > 1 && tn->kv.bits > 1 && 100 * used < threshold * length;
}

static struct tnode *node_at(const struct fib_table *t, struct tnode *tp,
			     u32 key)
{
	return tp ? tp->kv.tnode[get_index(key, tp)] : t->__data.kv.tnode;
}

/*
 * Gives a tnode the size that its children call for, and returns its parent.
 * One that has been doubled is not halved in the same go.
 */
static struct tnode *resize(struct fib_table *t, struct tnode *tn)
{
	struct tnode *tp = tn->parent;
	u32 key = tn->kv.key, left;

	for (left = MAX_WORK; left && should_inflate(tn); left--) {
		if (!inflate(t, tn))
			break;
		tn = node_at(t, tp, key);
	}
	if (left != MAX_WORK)
		return tp;
	for (; left && should_halve(tn); left--) {
		if (!halve(t, tn))
			break;
		tn = node_at(t, tp, key);
	}
	if (child_length(tn) - tn->empty_children < 2)
		return collapse(t, tn);
	return tp;
}

void trie_rebalance(struct fib_table *t, struct tnode *tn)
{
	while (tn)
		tn = resize(t, tn);
}
