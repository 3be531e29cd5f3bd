/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ip6_fib.c: how a trie gets and loses routes.  See ip6_fib.c
 * for what it is.
 *
 * A leaf counts the nodes that have it for theirs, be it lent or not: in
 * fib6_ref, rt6i_ref before 4.18.  The kernel's counts have the owners too.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/slab.h"
#include "stack/net/ipv6/ip6_fib_tree.h"
#include "stack/net/ipv6/route.h"

/* ---- leaves and nodes ---- */

static u32 leaf_metric(struct object *leaf)
{
	return has(FIB6_RCU) ? READ(leaf_f6i(leaf), fib6_metric) :
			       READ(leaf_rt6(leaf), rt6i_metric);
}

static void leaf_set_next(struct object *leaf, struct object *next)
{
	if (has(FIB6_RCU))
		WRITE(leaf_f6i(leaf), fib6_next, leaf_f6i(next));
	else
		WRITE(&leaf_rt6(leaf)->dst, rt6_next, leaf_rt6(next));
}

static struct fib6_node *leaf_node(struct object *leaf)
{
	return has(FIB6_RCU) ? READ(leaf_f6i(leaf), fib6_node) :
			       READ(leaf_rt6(leaf), rt6i_node);
}

static void leaf_set_node(struct object *leaf, struct fib6_node *fn)
{
	if (has(FIB6_RCU))
		WRITE(leaf_f6i(leaf), fib6_node, fn);
	else
		WRITE(leaf_rt6(leaf), rt6i_node, fn);
}

/* A node more, or less, has this leaf for its own. */
static s32 leaf_ref_add(struct object *leaf, s32 n)
{
	return has(FIB6_RCU) ?
		ATOMIC_ADD_RETURN(leaf_f6i(leaf), fib6_ref, n) :
		ATOMIC_ADD_RETURN(leaf_rt6(leaf), rt6i_ref, n);
}

static bool leaf_is_clone(const struct object *leaf)
{
	return !has(FIB6_RCU) &&
	       leaf_rt6((struct object *)leaf)->rt6i_flags & RTF_CACHE;
}

static struct fib6_node *node_alloc(u32 bit, u32 sernum)
{
	struct fib6_node *fn = kmem_cache_alloc(this_kernel()->ipv6->fib6_nodes,
						GFP_ATOMIC);

	if (!fn)
		return NULL;
	memset((char *)fn + sizeof(fn->object), 0,
	       sizeof(*fn) - sizeof(fn->object));
	kmemleak_not_leak(fn);
	WRITE(fn, fn_bit, (u16)bit);
	WRITE_ONCE(fn, fn_sernum, sernum);
	return fn;
}

static void node_free(struct fib6_node *fn)
{
	kmem_cache_free(this_kernel()->ipv6->fib6_nodes, fn);
}

static void set_child(struct fib6_node *fn, bool right, struct fib6_node *child)
{
	if (right)
		WRITE(fn, right, child);
	else
		WRITE(fn, left, child);
	if (child)
		WRITE(child, parent, fn);
}

/* In the place of fn: a node for the new prefix alone, above fn; or one for
 * what both have in common, with both below it. */
static struct fib6_node *insert_above(struct fib6_node *fn, bool is_right,
				      const struct in6_addr *addr, u32 plen,
				      enum fib6_key key, u32 sernum)
{
	struct object *leaf = READ(fn, leaf);
	const struct in6_addr *old = &fib6_leaf_key(leaf, key)->addr;
	struct fib6_node *parent = READ(fn, parent), *in = NULL, *ln;
	u32 bit = ipv6_addr_diff(addr, old);

	if (plen > bit) {
		in = node_alloc(bit, sernum);
		if (!in)
			return NULL;
	}
	ln = node_alloc(plen, sernum);
	if (!ln) {
		if (in)
			node_free(in);
		return NULL;
	}
	if (in) {
		WRITE(in, leaf, leaf);
		(void)leaf_ref_add(leaf, 1);
		set_child(parent, is_right, in);
		set_child(in, addr_bit_set(addr, bit), ln);
		set_child(in, !addr_bit_set(addr, bit), fn);
	} else {
		set_child(parent, is_right, ln);
		set_child(ln, addr_bit_set(old, plen), fn);
	}
	return ln;
}

/* An intermediate node gives back the leaf lent to it, and an empty table's
 * root the null entry: a leaf of its own comes. */
static void clear_lent_leaf(struct fib6_node *fn)
{
	struct object *leaf = READ(fn, leaf);
	u32 flags = READ(fn, fn_flags);

	if (!(flags & RTN_RTINFO)) {
		(void)leaf_ref_add(leaf, -1);
		WRITE(fn, leaf, NULL);
	} else if (has(FIB6_RCU) && flags & RTN_TL_ROOT &&
		   leaf == fib6_null_leaf()) {
		WRITE(fn, leaf, NULL);
	}
}

/* Whether the prefix is the node's or below it. */
static bool is_above(const struct fib6_node *fn, u32 bit, enum fib6_key key,
		     const struct in6_addr *addr, u32 plen)
{
	if (plen < bit)
		return false;
	return !bit || fib6_leaf_prefix_equal(READ(fn, leaf), key, addr, bit);
}

/* The node of this prefix, made where there is none. */
static struct fib6_node *fib6_add_1(struct fib6_node *root,
				    const struct in6_addr *addr, u32 plen,
				    enum fib6_key key, u32 sernum)
{
	struct fib6_node *fn = root, *parent = NULL, *ln;
	bool right = false;
	u32 bit;

	FUNCTION(fib6_add_1);
	do {
		WORK(14);
		bit = READ(fn, fn_bit);
		if (!is_above(fn, bit, key, addr, plen))
			return insert_above(fn, right, addr, plen, key, sernum);
		if (!has(FIB6_RCU))
			WRITE_ONCE(fn, fn_sernum, sernum);
		if (plen == bit) {
			clear_lent_leaf(fn);
			return fn;
		}
		right = addr_bit_set(addr, bit);
		parent = fn;
		fn = right ? READ(fn, right) : READ(fn, left);
	} while (fn);
	ln = node_alloc(plen, sernum);
	if (ln)
		set_child(parent, right, ln);
	return ln;
}

static bool is_duplicate(struct object *a, struct object *b)
{
	const struct fib6_nh *nh_a, *nh_b;
	const struct rt6_info *rt_a, *rt_b;

	if (has(FIB6_RCU)) {
		nh_a = &leaf_f6i(a)->fib6_nh;
		nh_b = &leaf_f6i(b)->fib6_nh;
		return nh_a->nh_common.nhc_dev == nh_b->nh_common.nhc_dev &&
		       ipv6_addr_equal(&nh_a->nh_common.nhc_gw.ipv6,
				       &nh_b->nh_common.nhc_gw.ipv6);
	}
	rt_a = leaf_rt6(a);
	rt_b = leaf_rt6(b);
	return rt_a->dst.dev == rt_b->dst.dev &&
	       rt_a->rt6i_idev == rt_b->rt6i_idev &&
	       ipv6_addr_equal(&rt_a->rt6i_gateway, &rt_b->rt6i_gateway);
}

/* There is one for this destination with a time to live: it gets the new one's,
 * or none, and its MTU. */
static void renew(struct object *leaf, struct object *by)
{
	struct rt6_info *rt = leaf_rt6(leaf), *other = leaf_rt6(by);
	u32 flags = READ_ONCE(rt, rt6i_flags);

	if (!(flags & RTF_EXPIRES))
		return;
	if (READ_ONCE(other, rt6i_flags) & RTF_EXPIRES) {
		WRITE_ONCE(&rt->dst, expires, READ_ONCE(&other->dst, expires));
	} else {
		WRITE_ONCE(rt, rt6i_flags, flags & ~RTF_EXPIRES);
		WRITE_ONCE(&rt->dst, expires, 0);
	}
	if (has(RT6_PCPU))
		WRITE_ONCE(rt, rt6i_pmtu, READ_ONCE(other, rt6i_pmtu));
}

static void set_link(struct fib6_node *fn, struct object *before,
		     struct object *leaf)
{
	if (before)
		leaf_set_next(before, leaf);
	else
		WRITE(fn, leaf, leaf);
}

/* Puts the leaf behind those of the same and of a smaller metric. */
static int fib6_add_rt2node(struct fib6_node *fn, struct object *leaf,
			    enum fib6_add_mode mode, struct object **replaced)
{
	struct object *iter, *before = NULL;
	u32 metric = leaf_metric(leaf), other;

	FUNCTION(fib6_add_rt2node);
	for (iter = READ(fn, leaf); iter; iter = fib6_leaf_next(iter)) {
		WORK(8);
		other = leaf_metric(iter);
		if (other == metric && mode == FIB6_ADD_REPLACE) {
			*replaced = iter;
			break;
		}
		if (other == metric &&
		    (mode == FIB6_ADD_EXCL || is_duplicate(iter, leaf))) {
			if (leaf_is_clone(iter))
				renew(iter, leaf);
			return -EEXIST;
		}
		if (other > metric)
			break;
		before = iter;
	}
	if (!before || (*replaced && fn->rr_ptr == *replaced))
		WRITE(fn, rr_ptr, NULL);
	leaf_set_next(leaf, *replaced ? fib6_leaf_next(iter) : iter);
	leaf_set_node(leaf, fn);
	(void)leaf_ref_add(leaf, 1);
	set_link(fn, before, leaf);
	if (!(READ(fn, fn_flags) & RTN_RTINFO))
		UPDATE(fn, fn_flags, |= RTN_RTINFO);
	return 0;
}

static void fib6_purge(struct fib6_node *fn, struct object *leaf);
static void fib6_prune_clones(struct fib6_table *table, struct fib6_node *fn);
static struct fib6_node *fib6_repair_tree(struct fib6_node *fn);

static struct fib6_node *make_subtree(struct fib6_node *fn, u32 sernum)
{
	struct fib6_node *root = node_alloc(0, sernum);

	if (!root)
		return NULL;
	root->leaf = fib6_null_leaf();
	(void)leaf_ref_add(root->leaf, 1);
	root->fn_flags = RTN_ROOT;
	root->parent = fn;
	fn->subtree = root;
	return root;
}

/* The node for a route by source as well: in the tree below its destination's,
 * which has to have a leaf, if only a lent one. */
static struct fib6_node *add_by_source(struct fib6_node *fn,
				       struct object *leaf, u32 sernum)
{
	const struct rt6key *src = fib6_leaf_key(leaf, KEY_SRC);
	struct fib6_node *sn;

	if (!fn->subtree && !make_subtree(fn, sernum))
		return NULL;
	sn = fib6_add_1(fn->subtree, &src->addr, src->plen, KEY_SRC, sernum);
	if (sn && !fn->leaf && fn->fn_flags & RTN_TL_ROOT) {
		fn->leaf = fib6_null_leaf();
	} else if (sn && !fn->leaf) {
		fn->leaf = leaf;
		(void)leaf_ref_add(leaf, 1);
	}
	return sn;
}

/* Nothing has become of a new node: out with it, and leaves for those that
 * gave theirs back. */
static void undo_add(struct fib6_node *fn, struct object *leaf)
{
	for (; fn; fn = fn->parent) {
		if (fn->leaf == leaf && !(fn->fn_flags & RTN_RTINFO)) {
			(void)leaf_ref_add(leaf, -1);
			fn->leaf = NULL;
		}
		if (fn->leaf)
			continue;
		if (fn->fn_flags & RTN_TL_ROOT)
			fn->leaf = fib6_null_leaf();
		else
			fn = fib6_repair_tree(fn);
	}
}

static void update_sernum(struct fib6_node *fn, u32 sernum)
{
	for (; fn; fn = READ(fn, parent))
		WRITE_ONCE(fn, fn_sernum, sernum);
}

static u32 fib6_new_sernum(void)
{
	u32 *sernum = &this_kernel()->ipv6->sernum;

	*sernum = *sernum == INT32_MAX ? 1 : *sernum + 1;
	return *sernum;
}

void fib6_update_sernum(struct fib6_info *f6i)
{
	struct fib6_node *fn = READ(f6i, fib6_node);

	if (fn)
		WRITE_ONCE(fn, fn_sernum, fib6_new_sernum());
}

int fib6_add(struct fib6_table *table, struct object *leaf,
	     enum fib6_add_mode mode, struct object **replaced)
{
	const struct rt6key *dst = fib6_leaf_key(leaf, KEY_DST);
	u32 sernum = fib6_new_sernum();
	struct fib6_node *fn, *sn;
	bool by_source = fib6_leaf_key(leaf, KEY_SRC)->plen;
	int err = -ENOMEM;

	FUNCTION(fib6_add);
	*replaced = NULL;
	fn = fib6_add_1(&table->tb6_root, &dst->addr, dst->plen, KEY_DST,
			sernum);
	if (!fn)
		return err;
	sn = by_source ? add_by_source(fn, leaf, sernum) : fn;
	if (sn)
		err = fib6_add_rt2node(sn, leaf, mode, replaced);
	if (err) {
		undo_add(sn ? sn : fn, leaf);
		return err;
	}
	if (*replaced) {
		leaf_set_node(*replaced, NULL);
		fib6_purge(sn, *replaced);
	}
	if (has(FIB6_RCU))
		update_sernum(sn, sernum);
	else if (!leaf_is_clone(leaf))
		fib6_prune_clones(table, fn);
	return 0;
}

/* ---- deletion ---- */

/* A leaf to lend to an intermediate node. */
static struct object *fib6_find_prefix(const struct fib6_node *fn)
{
	if (fn->fn_flags & RTN_ROOT)
		return fib6_null_leaf();
	for (; fn; fn = fn->subtree) {
		if (fn->left)
			return fn->left->leaf;
		if (fn->right)
			return fn->right->leaf;
	}
	g_assert_not_reached();
}

static void lend_leaf(struct fib6_node *fn)
{
	fn->leaf = fib6_find_prefix(fn);
	(void)leaf_ref_add(fn->leaf, 1);
}

/* Takes a node with one child or none out of the tree. */
static struct fib6_node *cut_node(struct fib6_node *fn)
{
	struct fib6_node *child = fn->left ? fn->left : fn->right;
	struct fib6_node *parent = fn->parent;

	if (parent->subtree == fn)
		parent->subtree = NULL;
	else
		set_child(parent, parent->right == fn, child);
	node_free(fn);
	return parent;
}

/*
 * A node without a leaf: is it needed where prefixes part, or for routes by
 * source?  If not it goes, and perhaps the ones above it.  Gives the lowest
 * node above the place that is still there.
 */
static struct fib6_node *fib6_repair_tree(struct fib6_node *fn)
{
	for (;;) {
		bool parts = (fn->left && fn->right) || fn->subtree;
		bool below = fn->left || fn->right;

		if (fn->fn_flags & RTN_TL_ROOT) {
			fn->leaf = fib6_null_leaf();
			return fn;
		}
		if (parts || (below && fn->fn_flags & RTN_ROOT)) {
			lend_leaf(fn);
			return fn->parent;
		}
		fn = cut_node(fn);
		if (fn->fn_flags & RTN_RTINFO || fn->subtree)
			return fn;
		(void)leaf_ref_add(fn->leaf, -1);
		fn->leaf = NULL;
	}
}

/* A leaf goes: nodes to which it was lent get another. */
static void fib6_purge(struct fib6_node *fn, struct object *leaf)
{
	s32 left;

	if (has(FIB6_RCU))
		fib6_drop_pcpu_from(leaf_f6i(leaf));
	left = leaf_ref_add(leaf, -1);
	for (; fn && left; fn = fn->parent) {
		if (fn->fn_flags & RTN_RTINFO || fn->leaf != leaf)
			continue;
		lend_leaf(fn);
		left = leaf_ref_add(leaf, -1);
	}
	g_assert(!left);
}

static void fib6_del_route(struct fib6_node *fn, struct object *before,
			   struct object *leaf)
{
	set_link(fn, before, fib6_leaf_next(leaf));
	leaf_set_node(leaf, NULL);
	leaf_set_next(leaf, NULL);
	if (fn->rr_ptr == leaf)
		fn->rr_ptr = NULL;
	if (!fn->leaf) {
		if (!(fn->fn_flags & RTN_TL_ROOT))
			fn->fn_flags &= (u16)~RTN_RTINFO;
		fn = fib6_repair_tree(fn);
	}
	fib6_purge(fn, leaf);
}

void fib6_del(struct fib6_table *table, struct object *leaf)
{
	struct fib6_node *fn = leaf_node(leaf), *main = fn;
	struct object *iter, *before = NULL;

	if (!has(FIB6_RCU) && !leaf_is_clone(leaf)) {
		if (fib6_leaf_key(leaf, KEY_SRC)->plen) {
			while (!(main->fn_flags & RTN_ROOT))
				main = main->parent;
			main = main->parent;
		}
		fib6_prune_clones(table, main);
	}
	for (iter = fn->leaf; iter != leaf; iter = fib6_leaf_next(iter))
		before = iter;
	fib6_del_route(fn, before, leaf);
}

/* ---- clones ---- */

static void find_clones(const struct fib6_node *fn, bool is_first,
			GPtrArray *clones)
{
	struct object *leaf;

	if (fn->fn_flags & RTN_RTINFO)
		for (leaf = fn->leaf; leaf; leaf = fib6_leaf_next(leaf))
			if (leaf_is_clone(leaf))
				g_ptr_array_add(clones, leaf);
	if (fn->fn_flags & RTN_RTINFO && !is_first)
		return;
	if (fn->subtree)
		find_clones(fn->subtree, false, clones);
	if (fn->left)
		find_clones(fn->left, false, clones);
	if (fn->right)
		find_clones(fn->right, false, clones);
}

/* A route has come or gone: clones of this node, and of those below it down to
 * the next that has routes, may be of the wrong one now. */
static void fib6_prune_clones(struct fib6_table *table, struct fib6_node *fn)
{
	g_autoptr(GPtrArray) clones = g_ptr_array_new();
	u32 i;

	find_clones(fn, true, clones);
	for (i = 0; i < clones->len; i++)
		ip6_del_rt(table, g_ptr_array_index(clones, i));
}
