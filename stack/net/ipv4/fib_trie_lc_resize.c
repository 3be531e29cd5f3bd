/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sizes of an LC-trie's inner nodes (net/ipv4/fib_trie.c's resize(),
 * inflate() and halve()): a tnode doubles while enough of the doubled one would
 * be in use, halves while too little of it is, and gives way to its only child.
 * S. Nilsson and M. Tikkanen, "Implementing a dynamic compressed trie", WAE
 * 1998.
 *
 * Whatever a change needs is allocated before it: it happens as a whole, or
 * not at all when memory has run out, and the trie is merely less compact.
 */
#include "stack/include/linux/slab.h"
#include "stack/net/ipv4/fib_trie_lc.h"

/* In percent.  A tnode doubles when that much of the doubled one would be in
 * use, and halves when less of it is; the root may be emptier. */
#define INFLATE_THRESHOLD 50u
#define HALVE_THRESHOLD 25u
#define INFLATE_THRESHOLD_ROOT 30u
#define HALVE_THRESHOLD_ROOT 15u
#define MAX_WORK 10		/* doublings or halvings in one go */

static struct object *resize(struct ip_fib *fib, struct tnode *tn);

/* ---- nodes ---- */

struct tnode *lc_tnode_new(struct ip_fib *fib, u32 key, u32 pos, u32 bits)
{
	const struct object_type *type = &fib->kernel->types[STRUCT_tnode];
	const u32 pointer = fib->kernel->pointer_bytes;
	struct tnode *tn = fib_zalloc(type->size + (pointer << bits),
				      STRUCT_tnode, sizeof(*tn));

	if (!tn)
		return NULL;
	tn->key = mask_pfx(key, pos);
	tn->pos = pos;
	tn->bits = bits;
	tn->empty_children = tnode_child_length(tn);
	tn->child = g_new0(struct object *, tnode_child_length(tn));
	return tn;
}

static void tnode_free(struct tnode *tn)
{
	g_clear_pointer(&tn->child, g_free);
	kfree(tn);
}

/* Puts a child, or NULL, into a slot.  was_empty and was_full tell of what
 * stood there, which may be freed by now. */
static void tnode_put_child_reorg(struct tnode *tn, u32 i, struct object *n,
				  bool was_empty, bool was_full)
{
	tn->empty_children += !n - was_empty;
	tn->full_children += tnode_full(tn, n) - was_full;
	if (n)
		node_set_parent(n, tn);
	tn->child[i] = n;
}

void lc_put_child(struct tnode *tn, u32 i, struct object *n)
{
	struct object *old = tn->child[i];

	tnode_put_child_reorg(tn, i, n, !old, tnode_full(tn, old));
}

/* ---- resizing ---- */

/* Tnodes made before a change, so that it cannot fail half-way. */
static bool reserve(struct ip_fib *fib, GPtrArray *spares, u32 key, u32 pos,
		    u32 bits)
{
	struct tnode *tn = lc_tnode_new(fib, key, pos, bits);

	if (tn)
		g_ptr_array_add(spares, tn);
	return tn;
}

static GPtrArray *no_spares(GPtrArray *spares)
{
	guint i;

	for (i = 0; i < spares->len; i++)
		tnode_free(spares->pdata[i]);
	g_ptr_array_unref(spares);
	return NULL;
}

/* For inflate(): the doubled tnode, then the two halves of each full child
 * that has several bits.  NULL when memory has run out. */
static GPtrArray *inflate_reserve(struct ip_fib *fib, const struct tnode *old)
{
	GPtrArray *spares = g_ptr_array_new();
	u32 i;

	if (!reserve(fib, spares, old->key, old->pos, old->bits + 1))
		return no_spares(spares);
	for (i = 0; i < tnode_child_length(old); i++) {
		struct tnode *inode = as_tnode(old->child[i]);
		u32 bit;

		if (!inode || !tnode_full(old, old->child[i]) ||
		    inode->bits == 1)
			continue;
		bit = 1u << (KEYLENGTH - 1) >> inode->pos;
		if (!reserve(fib, spares, inode->key & ~bit, inode->pos + 1,
			     inode->bits - 1) ||
		    !reserve(fib, spares, inode->key | bit, inode->pos + 1,
			     inode->bits - 1))
			return no_spares(spares);
	}
	return spares;
}

/* Splits a full child's children between two slots of the doubled tnode. */
static void inflate_child(struct ip_fib *fib, struct tnode *tn, u32 i,
			  struct tnode *inode, struct tnode *const *halves)
{
	u32 half, j, size = tnode_child_length(inode) / 2;

	for (half = 0; half < 2; half++) {
		struct object *const *from = inode->child + half * size;

		if (size == 1) {
			lc_put_child(tn, 2 * i + half, *from);
			continue;
		}
		for (j = 0; j < size; j++)
			lc_put_child(halves[half], j, from[j]);
		halves[half]->parent = tn;	/* it is no root */
		lc_put_child(tn, 2 * i + half, resize(fib, halves[half]));
	}
	tnode_free(inode);
}

/* Doubles a tnode: it takes one more bit, from its full children too.  The
 * new one, or NULL and nothing changed when memory has run out. */
static struct tnode *inflate(struct ip_fib *fib, struct tnode *old)
{
	GPtrArray *spares = inflate_reserve(fib, old);
	struct tnode *const *spare;
	struct tnode *tn;
	u32 i;

	if (!spares)
		return NULL;
	spare = (struct tnode *const *)(void *)spares->pdata;
	tn = *spare++;
	for (i = 0; i < tnode_child_length(old); i++) {
		struct object *n = old->child[i];
		u32 bit;

		if (!n)
			continue;
		if (tnode_full(old, n)) {
			struct tnode *inode = as_tnode(n);
			bool has_halves = inode->bits > 1;

			inflate_child(fib, tn, i, inode, spare);
			spare += has_halves ? 2 : 0;
			continue;
		}
		bit = tkey_extract_bits(node_key(n), old->pos + old->bits, 1);
		lc_put_child(tn, 2 * i + bit, n);
	}
	g_ptr_array_unref(spares);
	tnode_free(old);
	return tn;
}

/* For halve(): the smaller tnode, then one for each pair of children. */
static GPtrArray *halve_reserve(struct ip_fib *fib, const struct tnode *old)
{
	GPtrArray *spares = g_ptr_array_new();
	u32 i;

	if (!reserve(fib, spares, old->key, old->pos, old->bits - 1))
		return no_spares(spares);
	for (i = 0; i < tnode_child_length(old); i += 2)
		if (old->child[i] && old->child[i + 1] &&
		    !reserve(fib, spares, node_key(old->child[i]),
			     old->pos + old->bits - 1, 1))
			return no_spares(spares);
	return spares;
}

/* Halves a tnode: its last bit goes to tnodes of one bit below it.  As
 * inflate(), NULL when memory has run out. */
static struct tnode *halve(struct ip_fib *fib, struct tnode *old)
{
	GPtrArray *spares = halve_reserve(fib, old);
	struct tnode *tn;
	u32 i, used = 0;

	if (!spares)
		return NULL;
	tn = spares->pdata[used++];
	for (i = 0; i < tnode_child_length(old); i += 2) {
		struct object *left = old->child[i];
		struct object *right = old->child[i + 1];
		struct tnode *pair;

		if (!left || !right) {
			if (left || right)
				lc_put_child(tn, i / 2, left ? left : right);
			continue;
		}
		pair = spares->pdata[used++];
		lc_put_child(pair, 0, left);
		lc_put_child(pair, 1, right);
		pair->parent = tn;	/* it is no root */
		lc_put_child(tn, i / 2, resize(fib, pair));
	}
	g_ptr_array_unref(spares);
	tnode_free(old);
	return tn;
}

static bool should_inflate(const struct tnode *tn, u32 threshold)
{
	u64 length = tnode_child_length(tn);

	return tn->full_children &&
	       50 * (tn->full_children + length - tn->empty_children) >=
	       threshold * length;
}

static bool should_halve(const struct tnode *tn, u32 threshold)
{
	u64 length = tnode_child_length(tn);

	return tn->bits > 1 &&
	       100 * (length - tn->empty_children) < threshold * length;
}

/* A tnode with one child at most gives way to it. */
static struct object *replace_by_child(struct tnode *tn)
{
	struct object *n = NULL;
	u32 i;

	for (i = 0; i < tnode_child_length(tn) && !n; i++)
		n = tn->child[i];
	if (n)
		node_set_parent(n, NULL);
	tnode_free(tn);
	return n;
}

/*
 * Gives a tnode the size that its children call for, and returns what stands
 * in its place: it, another tnode, a leaf, or NULL.  The caller puts that into
 * the parent.  As in the kernel, a tnode that had a full child is never halved
 * in the same go, even if it was not doubled either.
 */
static struct object *resize(struct ip_fib *fib, struct tnode *tn)
{
	bool is_root = !tn->parent;
	u32 high = is_root ? INFLATE_THRESHOLD_ROOT : INFLATE_THRESHOLD;
	u32 low = is_root ? HALVE_THRESHOLD_ROOT : HALVE_THRESHOLD;
	bool had_full = tn->full_children;
	struct tnode *next;
	int left;

	if (tn->empty_children + 1 >= tnode_child_length(tn))
		return replace_by_child(tn);
	for (left = MAX_WORK; left && should_inflate(tn, high); left--) {
		next = inflate(fib, tn);
		if (!next)
			break;
		tn = next;
	}
	if (had_full)
		return &tn->object;
	for (left = MAX_WORK; left && should_halve(tn, low); left--) {
		next = halve(fib, tn);
		if (!next)
			break;
		tn = next;
	}
	if (tn->empty_children + 1 == tnode_child_length(tn))
		return replace_by_child(tn);
	return &tn->object;
}

void lc_trie_rebalance(struct fib_table *tb, struct tnode *tn)
{
	struct tnode *tp;
	struct object *n;
	u32 key = tn->key, i;
	bool was_full;

	while ((tp = tn->parent)) {
		i = child_index(tp, key);
		was_full = tnode_full(tp, &tn->object);
		n = resize(tb->fib, tn);
		tnode_put_child_reorg(tp, i, n, false, was_full);
		tn = tp;
	}
	tb->trie = resize(tb->fib, tn);
}
