/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A routing table as an LC-trie (net/ipv4/fib_trie.c up to Linux 3.19):
 * S. Nilsson and G. Karlsson, "IP-address lookup using LC-tries", IEEE JSAC
 * 17(6), 1999.  How its tnodes get their sizes is in fib_trie_lc_resize.c.
 *
 * A tnode at bit `pos` has 2^bits children, chosen by the key's bits from pos
 * on.  Bits between a tnode's last one and its child's pos are skipped: no
 * leaf below differs in them, so a look-up need not branch there, but it must
 * see whether its own key agrees.  A leaf holds all prefixes that have its key,
 * whatever their lengths: 10.0.0.0/8 and 10.0.0.0/24 share a leaf.
 *
 * Invariants between two changes:
 *  - a tnode has at least two children and at least one bit, and the bits of
 *    its pos lie behind its parent's;
 *  - each node's key agrees with its place in the parent;
 *  - full_children and empty_children are right;
 *  - a leaf has at least one leaf_info, a leaf_info at least one alias.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/slab.h"
#include "stack/net/ipv4/fib_trie_lc.h"

/* ---- look-up ---- */

/*
 * fib_table_lookup() and check_leaf() have their instructions from the cost
 * table, where they stand for the table of the reference trace: a handful of
 * prefixes, so at most three steps in the trie, and in the leaf one leaf_info,
 * one alias and one nexthop.  What goes beyond that is charged by the piece.
 * The pieces are the loops below without the charging, counted in what gcc 12
 * -O2 makes of them for x86-64: STEP_WORK from one tnode to the next (48, or
 * 40 after a bit was chopped off), CLIMB_WORK from a tnode up to its parent,
 * then a prefix that does not match, an alias of another tos, and a nexthop
 * that will not do.
 */
#define COVERED_STEPS 3u
#define STEP_WORK 46u
#define CLIMB_WORK 21u
#define LEAF_INFO_WORK 7u
#define ALIAS_WORK 9u
#define NEXTHOP_WORK 11u

/* The kernel asks the low bit of the parent word. */
#define IS_LEAF(n) \
	(fib_node_is_leaf(n) ? \
	 ((void)READ((struct leaf *)(n), parent), true) : \
	 ((void)READ((struct tnode *)(n), parent), false))

static u32 child_offset(const struct tnode *tn, u32 i)
{
	const struct object_type *type = tn->object.type;

	return type->offsets[offsetof(struct tnode, child)] +
	       this_kernel()->pointer_bytes * i;
}

#define CHILD(tn, i) \
	({ \
		READ_BYTES(tn, child, child_offset(tn, i), \
			   this_kernel()->pointer_bytes); \
		(tn)->child[i]; \
	})

/* Whether a route over this alias fits the flow; fills in the result.  0,
 * -errno, or 1: it does not fit. */
static int check_leaf(struct fib_table *tb, struct leaf *l,
		      const struct fib_key *flp, struct fib_result *res)
{
	FUNCTION(check_leaf);
	struct leaf_info *li;
	struct fib_alias *fa;
	u32 tried = 0, key;

	for (li = READ(l, list); li; li = READ(li, hlist)) {
		if (li != l->list)
			WORK(LEAF_INFO_WORK);
		key = READ(l, key);
		if (key != (flp->daddr & READ(li, mask_plen)))
			continue;
		for (fa = READ(li, falh); fa; fa = READ(fa, fa_list)) {
			struct fib_info *fi = READ(fa, fa_info);
			u8 tos = READ(fa, fa_tos);
			u32 nhsel, nhs;
			int err;

			if (tried++)
				WORK(ALIAS_WORK);
			if (tos && tos != flp->tos)
				continue;
			if (READ(fi, fib_dead))
				continue;
			if (READ(fi, fib_scope) < flp->scope)
				continue;
			/* Several CPUs may set it at once: all the same. */
			if (!(READ_ONCE(fa, fa_state) & FA_S_ACCESSED))
				WRITE_ONCE(fa, fa_state,
					   fa->fa_state | FA_S_ACCESSED);
			err = fib_props[READ(fa, fa_type)].error;
			if (err)
				return err;
			if (READ(fi, fib_flags) & RTNH_F_DEAD)
				continue;
			nhs = READ(fi, fib_nhs);
			for (nhsel = 0; nhsel < nhs; nhsel++) {
				struct fib_nh *nh = &fi->fib_nh[nhsel];

				if (nhsel)
					WORK(NEXTHOP_WORK);
				if (READ(nh, nh_flags) & RTNH_F_DEAD)
					continue;
				if (flp->oif && flp->oif != READ(nh, nh_oif))
					continue;
				res->prefixlen = READ(li, plen);
				res->nh_sel = nhsel;
				res->type = fa->fa_type;
				res->scope = fi->fib_scope;
				res->fi = fi;
				res->table = tb;
				return 0;
			}
		}
	}
	return 1;
}

/*
 * Whether a prefix of the key can lie below a tnode whose skipped bits (those
 * before `pos`) are in `node_key`.  Where they differ from the key's, only a
 * prefix that ends before the difference can match, and its key has zeros from
 * there on: *plen becomes the longest length that is still possible.
 */
static bool skipped_bits_match(u32 key, u32 node_key, u32 pos, u32 *plen)
{
	u32 mismatch = mask_pfx(node_key ^ key, pos), at;

	if (!mismatch)
		return true;
	at = first_bit(mismatch);
	if (tkey_extract_bits(node_key, at, pos - at))
		return false;
	if (*plen >= pos)
		*plen = at;
	return true;
}

/*
 * Goes from a child to the next that may hold a shorter prefix: the last bit
 * of its index that is set becomes 0.  `chopped` counts the bits of the index
 * that have been given up.  False: none is left.
 */
static bool chop_bit(u32 *cindex, u32 *chopped, u32 bits)
{
	do {
		++*chopped;
	} while (*chopped <= bits && !(*cindex & 1u << (*chopped - 1)));
	if (*chopped > bits)
		return false;
	*cindex &= ~(1u << (*chopped - 1));
	return true;
}

static int fib_table_lookup(struct fib_table *tb, const struct fib_key *flp,
			    struct fib_result *res)
{
	FUNCTION(fib_table_lookup);
	u32 key = flp->daddr;
	u32 plen = KEYLENGTH;	/* no prefix longer than this can match */
	u32 chopped = 0, cindex = 0, steps = 0, pos, bits;
	struct object *n = READ(tb, trie);
	struct tnode *pn, *cn, *parent;
	int err;

	if (!n)
		return -ENETUNREACH;
	if (IS_LEAF(n)) {
		err = check_leaf(tb, (struct leaf *)n, flp, res);
		return err > 0 ? -ENETUNREACH : err;
	}
	for (pn = (struct tnode *)n;;) {
		if (++steps > COVERED_STEPS)
			WORK(STEP_WORK);
		pos = READ(pn, pos);
		bits = READ(pn, bits);
		if (!chopped)
			cindex = tkey_extract_bits(mask_pfx(key, plen), pos,
						   bits);
		n = CHILD(pn, cindex);
		if (n && IS_LEAF(n)) {
			err = check_leaf(tb, (struct leaf *)n, flp, res);
			if (err <= 0)
				return err;
		} else if (n) {
			u32 cn_key, cn_pos;

			cn = (struct tnode *)n;
			cn_key = READ(cn, key);
			cn_pos = READ(cn, pos);
			/* Already after a shorter prefix: its key is zero
			 * from plen on, so must be the skipped bits and the
			 * index below. */
			if ((plen >= pos + bits ||
			     (!tkey_extract_bits(cn_key, plen, cn_pos - plen) &&
			      CHILD(cn, 0))) &&
			    skipped_bits_match(key, cn_key, cn_pos, &plen)) {
				pn = cn;
				chopped = 0;
				continue;
			}
		}
		while (!chop_bit(&cindex, &chopped, bits)) {
			if (steps > COVERED_STEPS)
				WORK(CLIMB_WORK);
			parent = READ(pn, parent);
			if (!parent)
				return -ENETUNREACH;
			pos = READ(parent, pos);
			bits = READ(parent, bits);
			cindex = tkey_extract_bits(READ(pn, key), pos, bits);
			pn = parent;
			chopped = 0;
		}
		plen = MIN(plen, pos + bits - chopped);
	}
}

/* ---- changes ---- */

static struct leaf *leaf_new(struct ip_fib *fib, u32 key)
{
	struct leaf *l = kmem_cache_alloc(fib->trie_leaf_kmem, GFP_KERNEL);

	if (!l)
		return NULL;
	l->parent = NULL;
	l->key = key;
	l->list = NULL;
	return l;
}

/*
 * Walks from the root towards a key.  Returns the node at which the way ends:
 * the key's leaf, another leaf, a tnode whose skipped bits differ, or NULL for
 * an empty slot; *parent is the last tnode before it.
 */
static struct object *walk(const struct fib_table *tb, u32 key,
			   struct tnode **parent)
{
	struct object *n = tb->trie;
	struct tnode *tn;

	*parent = NULL;
	while ((tn = as_tnode(n)) && !mask_pfx(tn->key ^ key, tn->pos)) {
		*parent = tn;
		n = tn->child[child_index(tn, key)];
	}
	return n;
}

static struct leaf *fib_find_node(const struct fib_table *tb, u32 key)
{
	struct tnode *parent;
	struct object *n = walk(tb, key, &parent);

	return n && fib_node_is_leaf(n) && node_key(n) == key ?
		(struct leaf *)n : NULL;
}

static struct leaf_info *find_leaf_info(const struct leaf *l, u32 plen)
{
	struct leaf_info *li;

	for (li = l->list; li && li->plen != plen; li = li->hlist)
		;
	return li;
}

static void put_root(struct fib_table *tb, struct object *n)
{
	tb->trie = n;
	node_set_parent(n, NULL);
}

/* Puts a new leaf where walk() ended for its key; false: no memory. */
static bool insert_leaf(struct fib_table *tb, struct leaf *l)
{
	struct tnode *tp, *tn;
	struct object *n = walk(tb, l->key, &tp);
	u32 pos, bit;

	if (!n && !tp) {
		put_root(tb, &l->object);
		return true;
	}
	if (!n) {
		lc_put_child(tp, child_index(tp, l->key), &l->object);
		lc_trie_rebalance(tb, tp);
		return true;
	}
	/* n stays, below a new tnode where its key and ours part. */
	pos = first_bit(l->key ^ node_key(n));
	tn = lc_tnode_new(tb->fib, l->key, pos, 1);
	if (!tn)
		return false;
	bit = child_index(tn, l->key);
	if (tp)
		lc_put_child(tp, child_index(tp, l->key), &tn->object);
	else
		put_root(tb, &tn->object);
	lc_put_child(tn, bit, &l->object);
	lc_put_child(tn, !bit, n);
	lc_trie_rebalance(tb, tp ? tp : tn);
	return true;
}

/* The leaf_info of a prefix, made if it is new; NULL: no memory. */
static struct leaf_info *fib_insert_node(struct fib_table *tb, u32 key,
					 u32 plen)
{
	struct leaf *l = fib_find_node(tb, key);
	struct leaf_info *li = l ? find_leaf_info(l, plen) : NULL;
	struct leaf_info **at;
	bool is_new = !l;

	if (li)
		return li;
	li = fib_zalloc(tb->fib->kernel->types[STRUCT_leaf_info].size,
			STRUCT_leaf_info, sizeof(*li));
	if (!li)
		return NULL;
	li->plen = plen;
	li->mask_plen = mask_pfx(~0u, plen);
	if (is_new)
		l = leaf_new(tb->fib, key);
	if (!l || (is_new && !insert_leaf(tb, l))) {
		if (l)
			kmem_cache_free(tb->fib->trie_leaf_kmem, l);
		kfree(li);
		return NULL;
	}
	for (at = &l->list; *at && (*at)->plen > plen; at = &(*at)->hlist)
		;
	li->hlist = *at;
	*at = li;
	return li;
}

static void trie_leaf_remove(struct fib_table *tb, struct leaf *l)
{
	struct tnode *tp = l->parent;

	if (tp) {
		lc_put_child(tp, child_index(tp, l->key), NULL);
		lc_trie_rebalance(tb, tp);
	} else {
		tb->trie = NULL;
	}
	kmem_cache_free(tb->fib->trie_leaf_kmem, l);
}

/* Frees what has become empty after an alias has gone. */
static void prune(struct fib_table *tb, struct leaf *l, struct leaf_info *li)
{
	struct leaf_info **at;

	if (li->falh)
		return;
	for (at = &l->list; *at != li; at = &(*at)->hlist)
		;
	*at = li->hlist;
	kfree(li);
	if (!l->list)
		trie_leaf_remove(tb, l);
}

/*
 * Where a new alias goes: behind those with a higher tos, or the same and a
 * lower priority value.  NULL and an error if there is such a route.
 */
static struct fib_alias **alias_place(struct leaf_info *li,
				      const struct fib_config *cfg,
				      const struct fib_info *fi,
				      GError **error)
{
	struct fib_alias **at, *fa;

	for (at = &li->falh; (fa = *at); at = &fa->fa_list) {
		u32 priority = fa->fa_info->fib_priority;

		if (fa->fa_tos > cfg->fc_tos || (fa->fa_tos == cfg->fc_tos &&
						 priority < fi->fib_priority))
			continue;
		if (fa->fa_tos < cfg->fc_tos || priority > fi->fib_priority)
			break;
		if (!cfg->fc_append ||
		    (fa->fa_type == cfg->fc_type && fa->fa_info == fi)) {
			fib_error(error, cfg, "there is such a route already");
			return NULL;
		}
	}
	return at;
}

static bool insert_alias(struct fib_table *tb, const struct fib_config *cfg,
			 struct fib_info *fi, GError **error)
{
	struct leaf_info *li = fib_insert_node(tb, cfg->fc_dst,
					       cfg->fc_dst_len);
	struct fib_alias **at, *fa;

	if (!li)
		return fib_error(error, cfg, "there is no memory left for it");
	at = alias_place(li, cfg, fi, error);
	if (!at)
		return false;	/* li has an alias already */
	fa = kmem_cache_alloc(tb->fib->fn_alias_kmem, GFP_KERNEL);
	if (!fa) {
		prune(tb, fib_find_node(tb, cfg->fc_dst), li);
		return fib_error(error, cfg, "there is no memory left for it");
	}
	fa->fa_info = fi;
	fa->fa_tos = cfg->fc_tos;
	fa->fa_type = cfg->fc_type;
	fa->fa_state = 0;
	fa->fa_list = *at;
	*at = fa;
	tb->tb_num_default += !cfg->fc_dst_len;
	return true;
}

static void remove_alias(struct fib_table *tb, struct leaf *l,
			 struct leaf_info *li, struct fib_alias **at)
{
	struct fib_alias *fa = *at;

	*at = fa->fa_list;
	tb->tb_num_default -= !li->plen;
	fib_release_info(fa->fa_info);
	kmem_cache_free(tb->fib->fn_alias_kmem, fa);
	prune(tb, l, li);
}

static bool delete_alias(struct fib_table *tb, const struct fib_config *cfg)
{
	struct leaf *l = fib_find_node(tb, cfg->fc_dst);
	struct leaf_info *li = l ? find_leaf_info(l, cfg->fc_dst_len) : NULL;
	struct fib_alias **at;

	if (!li)
		return false;
	for (at = &li->falh; *at; at = &(*at)->fa_list)
		if (fib_alias_matches(*at, cfg)) {
			remove_alias(tb, l, li, at);
			return true;
		}
	return false;
}

static struct leaf *first_leaf(struct fib_table *tb)
{
	struct object *n = tb->trie;
	struct tnode *tn;
	u32 i;

	while ((tn = as_tnode(n)))
		for (i = 0, n = NULL; !n; i++)
			n = tn->child[i];
	return (struct leaf *)n;
}

static void flush(struct fib_table *tb)
{
	struct leaf *l;

	while ((l = first_leaf(tb)))
		remove_alias(tb, l, l->list, &l->list->falh);
}

/* The kernel once kept leaf_infos in this cache too and still sizes for
 * them. */
static struct any_cache *leaf_cache(struct kernel *kernel)
{
	const struct object_type *types = kernel->types;

	return kmem_cache_create(kernel, "ip_fib_trie", STRUCT_leaf,
				 sizeof(struct leaf),
				 MAX(types[STRUCT_leaf].size,
				     types[STRUCT_leaf_info].size), 0, 0);
}

const struct fib_trie_ops fib_trie_lc_ops = {
	.leaf_cache = leaf_cache,
	.lookup = fib_table_lookup,
	.insert = insert_alias,
	.delete = delete_alias,
	.flush = flush,
};
