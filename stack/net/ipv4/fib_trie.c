/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A routing table as a trie of key vectors (net/ipv4/fib_trie.c from Linux 4.0
 * and 4.1 on).  How its inner nodes get their sizes is in fib_trie_resize.c;
 * older kernels have fib_trie_lc.c instead.
 *
 * A tnode with bits has 2^bits children, chosen by the key's bits from pos up;
 * one without is a leaf and holds the aliases of all prefixes that have its
 * key, whatever their lengths and tables.  Bits between a tnode and its child's
 * highest are skipped.  A prefix of fewer bits than 32 leaves some free behind
 * it, its suffix; slen is the longest suffix at or below a node, so that a
 * look-up that goes back need not enter where no prefix is short enough.
 *
 * Invariants between two changes:
 *  - a tnode has at least one bit and a child, mostly two or more: what has
 *    just been doubled is not looked at again, even if one child is left;
 *  - each node's key agrees with its place in the parent;
 *  - full_children, empty_children and slen are right;
 *  - a leaf has an alias; aliases stand by rising slen, then falling table,
 *    falling tos and rising priority value.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/netns.h"
#include "stack/net/ipv4/fib_trie.h"

/* ---- look-up ---- */

/*
 * Instructions of the loops below, counted in what gcc 12 -O2 makes of such
 * loops for x86-64.  fib_table_lookup()'s own, in costs.map, are what the
 * reference trace has beyond these: there three nodes are compared and two
 * descended from, a prefix is looked for at a node and the leaf below it, and
 * the first alias and nexthop do.
 */
#define COMPARE_WORK 13u	/* a node on the way down */
#define DESCEND_WORK 8u		/* from it to a child */
#define PREFIX_WORK 13u		/* a node, when looking for a prefix */
#define LEFTMOST_WORK 5u	/* from it to its first child */
#define CLIMB_WORK 11u		/* up to a parent */
#define STRIP_WORK 9u		/* to the next child that may do */
#define ALIAS_WORK 9u		/* an alias that does not match */
#define NEXTHOP_WORK 14u	/* a nexthop that will not do */

struct fib_walk {
	struct fib_table *t;	/* in whose memory the trie is */
	struct trie_use_stats *stats;
	u32 key;
	/* Where to go back to: a tnode, or NULL for the table's own key
	 * vector, and the child there that was taken. */
	struct tnode *pn;
	u64 cindex;
};

#define COUNT(w, counter) \
	do { \
		if (has(IP_FIB_TRIE_STATS)) \
			UPDATE((w)->stats, counter, += 1); \
	} while (0)

static u32 child_offset(const struct tnode *tn, u64 i)
{
	const struct object_type *type = tn->object.type;

	return type->offsets[offsetof(struct tnode, kv.tnode)] +
	       this_kernel()->pointer_bytes * (u32)i;
}

#define GET_CHILD(tn, i) \
	({ \
		READ_BYTES(tn, kv.tnode, child_offset(tn, i), \
			   this_kernel()->pointer_bytes); \
		(tn)->kv.tnode[i]; \
	})

/* Down as far as the key leads.  The key's leaf, then *found is set; or the
 * node that does not lead on to it; or NULL where there is none. */
static struct tnode *travel(struct fib_walk *w, struct tnode *n, bool *found)
{
	*found = false;
	while (n) {
		u64 index = w->key ^ READ(n, kv.key);
		u8 pos = READ(n, kv.pos), bits, slen;

		WORK(COMPARE_WORK);
		index >>= pos;
		bits = READ(n, kv.bits);
		if (index >> bits)
			return n;
		if (!bits) {
			*found = true;
			return n;
		}
		WORK(DESCEND_WORK);
		slen = READ(n, kv.slen);
		if (slen > pos) {
			w->pn = n;
			w->cindex = index;
		}
		n = GET_CHILD(n, index);
	}
	return NULL;
}

/* Up to a node with a child to the left of that which was taken; false where
 * there is none any more. */
static bool climb(struct fib_walk *w)
{
	while (!w->cindex) {
		u32 pkey;

		if (!w->pn) {
			(void)READ(w->t, __data.kv.key);
			(void)READ(w->t, __data.kv.pos);
			return false;
		}
		pkey = READ(w->pn, kv.key);
		(void)READ(w->pn, kv.pos);
		COUNT(w, backtrack);
		WORK(CLIMB_WORK);
		w->pn = READ(w->pn, parent);
		if (w->pn) {
			w->cindex = pkey ^ READ(w->pn, kv.key);
			w->cindex >>= READ(w->pn, kv.pos);
		} else {
			(void)READ(w->t, __data.kv.key);
			(void)READ(w->t, __data.kv.pos);
		}
	}
	return true;
}

/* The next node that may lead to a shorter prefix: its key ends in more zeros
 * the further it is to the left.  NULL: none is left. */
static struct tnode *backtrace(struct fib_walk *w)
{
	struct tnode *n;

	do {
		if (!climb(w))
			return NULL;
		WORK(STRIP_WORK);
		w->cindex &= w->cindex - 1;
		n = GET_CHILD(w->pn, w->cindex);
		if (!n)
			COUNT(w, null_node_hit);
	} while (!n);
	return n;
}

/* Bits in which the keys differ must lie behind the prefix, so that the lowest
 * one of the node's key is above them. */
static bool prefix_mismatch(u32 key, const struct tnode *n)
{
	u32 prefix = READ(n, kv.key);

	return (key ^ prefix) & (prefix | -prefix);
}

/* Whether a prefix at or below the node ends before the node's own bits. */
static bool has_suffix(const struct tnode *n)
{
	u8 slen = READ(n, kv.slen);

	return slen != READ(n, kv.pos);
}

/* From n on, the leaf of the next shorter prefix that the key may have. */
static struct tnode *next_prefix(struct fib_walk *w, struct tnode *n)
{
	while (n) {
		WORK(PREFIX_WORK);
		if (prefix_mismatch(w->key, n) || !has_suffix(n)) {
			n = backtrace(w);
			continue;
		}
		if (!READ(n, kv.bits))
			return n;
		WORK(LEFTMOST_WORK);
		n = GET_CHILD(n, 0);
		if (!n) {
			COUNT(w, null_node_hit);
			n = backtrace(w);
		}
	}
	return NULL;
}

/* Routes over a device without carrier may be set to count for nothing. */
static bool ip_ignore_linkdown(const struct net_device *dev)
{
	struct in_device *in_dev = READ(dev, ip_ptr);
	struct net *net;
	struct ipv4_devconf *all;

	if (!in_dev)
		return false;
	net = READ(READ(in_dev, dev), nd_net);
	all = READ(net, ipv4.devconf_all);
	return READ_AT(all, data, IPV4_DEVCONF_IGNORE_ROUTES_WITH_LINKDOWN) ||
	       READ_AT(in_dev, cnf.data,
		       IPV4_DEVCONF_IGNORE_ROUTES_WITH_LINKDOWN);
}

static inline bool nexthop_fits(const struct fib_nh *nh,
				const struct fib_key *flp)
{
	if (READ(nh, nh_flags) & RTNH_F_DEAD)
		return false;
	/* Every device of the model has its carrier: no RTNH_F_LINKDOWN. */
	if (has(NEXTHOP_LINKDOWN))
		(void)ip_ignore_linkdown(READ(nh, nh_dev));
	return !flp->oif || flp->oif == READ(nh, nh_oif);
}

/* Before 5.3 these tests stand in fib_table_lookup() itself. */
static bool fib_lookup_good_nhc(const struct fib_nh *nh,
				const struct fib_key *flp)
{
	FUNCTION(fib_lookup_good_nhc);
	return nexthop_fits(nh, flp);
}

static bool good_nexthop(const struct fib_nh *nh, const struct fib_key *flp)
{
	return has(FIB_NEXTHOP_COMMON) ? fib_lookup_good_nhc(nh, flp) :
					 nexthop_fits(nh, flp);
}

/* The nexthop of a route; false if none will do. */
static bool find_nexthop(struct fib_walk *w, struct fib_table *tb,
			 const struct fib_key *flp, const struct fib_alias *fa,
			 struct fib_info *fi, struct fib_result *res)
{
	u32 nhsel, nhs = READ(fi, fib_nhs);

	for (nhsel = 0; nhsel < nhs; nhsel++) {
		if (!good_nexthop(&fi->fib_nh[nhsel], flp)) {
			WORK(NEXTHOP_WORK);
			continue;
		}
		res->prefixlen = KEYLENGTH - READ(fa, fa_slen);
		res->nh_sel = nhsel;
		res->type = READ(fa, fa_type);
		res->scope = READ(fi, fib_scope);
		res->fi = fi;
		res->table = tb;
		COUNT(w, semantic_match_passed);
		return true;
	}
	return false;
}

/* Whether a route over one of a leaf's aliases fits the flow; fills in the
 * result.  0, -errno, or 1: none does. */
static int match_leaf(struct fib_walk *w, struct fib_table *tb,
		      const struct tnode *n, const struct fib_key *flp,
		      struct fib_result *res)
{
	u64 index = w->key ^ READ(n, kv.key);
	struct fib_alias *fa;

	for (fa = READ(n, kv.leaf); fa; fa = READ(fa, fa_list)) {
		struct fib_info *fi;
		u8 tos;
		int err;

		if (fa != n->kv.leaf)
			WORK(ALIAS_WORK);
		if (index >> READ(fa, fa_slen))
			continue;
		fi = READ(fa, fa_info);
		tos = READ(fa, fa_tos);
		if (tos && tos != flp->tos)
			continue;
		if (READ(fi, fib_dead) || READ(fi, fib_scope) < flp->scope)
			continue;
		/* Several CPUs may set it at once: all the same. */
		if (!(READ_ONCE(fa, fa_state) & FA_S_ACCESSED))
			WRITE_ONCE(fa, fa_state, fa->fa_state | FA_S_ACCESSED);
		err = fib_props[READ(fa, fa_type)].error;
		if (err) {
			COUNT(w, semantic_match_passed);
			return err;
		}
		if (READ(fi, fib_flags) & RTNH_F_DEAD)
			continue;
		if (has(FIB_NEXTHOP_COMMON))
			(void)READ(fi, nh);	/* no nexthop object */
		if (find_nexthop(w, tb, flp, fa, fi, res))
			return 0;
	}
	COUNT(w, semantic_match_miss);
	return 1;
}

static int fib_table_lookup(struct fib_table *tb, const struct fib_key *flp,
			    struct fib_result *res)
{
	FUNCTION(fib_table_lookup);
	struct fib_walk w = { .t = READ(tb, tb_data), .key = flp->daddr };
	struct tnode *n;
	bool found;
	int err;

	if (has(IP_FIB_TRIE_STATS))
		w.stats = READ(w.t, __data.stats)[this_cpu->id];
	n = READ(w.t, __data.kv.tnode);
	if (!n)
		return -ENETUNREACH;
	COUNT(&w, gets);
	n = travel(&w, n, &found);
	if (!n) {
		COUNT(&w, null_node_hit);
		n = backtrace(&w);
	}
	if (!found)
		n = next_prefix(&w, n);
	while (n) {
		err = match_leaf(&w, tb, n, flp, res);
		if (err <= 0)
			return err;
		n = next_prefix(&w, backtrace(&w));
	}
	return -ENETUNREACH;
}

/* ---- changes ---- */

/* The leaf of a key, or NULL; *tp is the last tnode on the way to its place. */
static struct tnode *fib_find_node(const struct fib_table *t, u32 key,
				   struct tnode **tp)
{
	struct tnode *n = t->__data.kv.tnode;

	*tp = NULL;
	while (n && !is_leaf(n) && !(get_index(key, n) >> n->kv.bits)) {
		*tp = n;
		n = n->kv.tnode[get_index(key, n)];
	}
	return n && is_leaf(n) && n->kv.key == key ? n : NULL;
}

static struct tnode *leaf_new(struct ip_fib *fib, u32 key,
			      struct fib_alias *fa)
{
	struct tnode *l = kmem_cache_alloc(fib->trie_leaf_kmem, GFP_KERNEL);

	if (!l)
		return NULL;
	memset((char *)l + sizeof(l->object), 0, sizeof(*l) - sizeof(l->object));
	l->kv.key = key;
	l->kv.slen = fa->fa_slen;
	l->kv.leaf = fa;
	return l;
}

/* A leaf for the first alias of a key whose way ends at tp. */
static bool fib_insert_node(struct fib_table *t, struct tnode *tp,
			    struct fib_alias *new, u32 key)
{
	struct tnode *l = leaf_new(t->fib, key, new), *n, *tn;

	if (!l)
		return false;
	n = tp ? tp->kv.tnode[get_index(key, tp)] : t->__data.kv.tnode;
	if (n) {
		/* It stays, below a new tnode where its key and ours part. */
		tn = tnode_new(t->fib, key,
			       31u - __builtin_clz(key ^ n->kv.key), 1);
		if (!tn) {
			kmem_cache_free(t->fib->trie_leaf_kmem, l);
			return false;
		}
		tn->parent = tp;
		put_child(tn, get_index(key, tn) ^ 1, n);
		put_child_root(t, tp, key, tn);
		n->parent = tn;
		tp = tn;
	}
	node_push_suffix(tp, new->fa_slen);
	l->parent = tp;
	put_child_root(t, tp, key, l);
	trie_rebalance(t, tp);
	return true;
}

/* Where a new alias goes in the list that starts at *at; NULL and an error if
 * there is such a route. */
static struct fib_alias **alias_place(struct fib_alias **at,
				      const struct fib_alias *new,
				      const struct fib_config *cfg,
				      GError **error)
{
	u32 priority = new->fa_info->fib_priority;
	struct fib_alias *fa;

	for (; (fa = *at); at = &fa->fa_list) {
		u32 other = fa->fa_info->fib_priority;

		if (fa->fa_slen != new->fa_slen) {
			if (fa->fa_slen > new->fa_slen)
				break;
		} else if (fa->tb_id != new->tb_id) {
			if (fa->tb_id < new->tb_id)
				break;
		} else if (fa->fa_tos != new->fa_tos) {
			if (fa->fa_tos < new->fa_tos)
				break;
		} else if (other != priority) {
			if (other > priority)
				break;
		} else if (!cfg->fc_append ||
			   (fa->fa_type == new->fa_type &&
			    fa->fa_info == new->fa_info)) {
			fib_error(error, cfg, "there is such a route already");
			return NULL;
		}
	}
	return at;
}

static bool fib_insert_alias(struct fib_table *t, struct fib_alias *new,
			     const struct fib_config *cfg, GError **error)
{
	struct fib_alias **at;
	struct tnode *tp, *l = fib_find_node(t, cfg->fc_dst, &tp);

	new->fa_list = NULL;
	if (!l)
		return fib_insert_node(t, tp, new, cfg->fc_dst) ||
		       fib_error(error, cfg, "there is no memory left for it");
	at = alias_place(&l->kv.leaf, new, cfg, error);
	if (!at)
		return false;
	new->fa_list = *at;
	*at = new;
	if (l->kv.slen < new->fa_slen) {
		l->kv.slen = new->fa_slen;
		node_push_suffix(tp, new->fa_slen);
	}
	return true;
}

static bool insert_alias(struct fib_table *tb, const struct fib_config *cfg,
			 struct fib_info *fi, GError **error)
{
	struct any_cache *cache = tb->fib->fn_alias_kmem;
	struct fib_alias *fa = kmem_cache_alloc(cache, GFP_KERNEL);

	if (!fa)
		return fib_error(error, cfg, "there is no memory left for it");
	fa->fa_info = fi;
	fa->fa_tos = cfg->fc_tos;
	fa->fa_type = cfg->fc_type;
	fa->fa_state = 0;
	fa->fa_slen = KEYLENGTH - cfg->fc_dst_len;
	fa->tb_id = tb->tb_id;
	if (!fib_insert_alias(tb->tb_data, fa, cfg, error)) {
		kmem_cache_free(cache, fa);
		return false;
	}
	tb->tb_num_default += !cfg->fc_dst_len;
	return true;
}

/* Takes *at out of its list, and the leaf out of the trie if it was the last
 * one. */
static void remove_alias(struct fib_table *tb, struct tnode *l,
			 struct fib_alias **at)
{
	struct fib_alias *fa = *at, *last;
	struct fib_table *t = tb->tb_data;
	struct tnode *tp = l->parent;

	*at = fa->fa_list;
	tb->tb_num_default -= fa->fa_slen == KEYLENGTH;
	fib_release_info(fa->fa_info);
	kmem_cache_free(tb->fib->fn_alias_kmem, fa);
	if (!l->kv.leaf) {
		put_child_root(t, tp, l->kv.key, NULL);
		if (tp)
			node_pull_suffix(tp, tp->kv.pos);
		kmem_cache_free(tb->fib->trie_leaf_kmem, l);
		trie_rebalance(t, tp);
		return;
	}
	for (last = l->kv.leaf; last->fa_list; last = last->fa_list)
		;
	l->kv.slen = last->fa_slen;
	node_pull_suffix(tp, last->fa_slen);
}

static bool delete_alias(struct fib_table *tb, const struct fib_config *cfg)
{
	struct tnode *tp, *l = fib_find_node(tb->tb_data, cfg->fc_dst, &tp);
	u32 slen = KEYLENGTH - cfg->fc_dst_len;
	struct fib_alias **at;

	if (!l)
		return false;
	for (at = &l->kv.leaf; *at; at = &(*at)->fa_list)
		if ((*at)->fa_slen == slen && (*at)->tb_id == tb->tb_id &&
		    fib_alias_matches(*at, cfg)) {
			remove_alias(tb, l, at);
			return true;
		}
	return false;
}

/* The first alias of a table in the trie below n, and its leaf. */
static struct fib_alias **first_alias(struct tnode *n, u32 tb_id,
				      struct tnode **leaf)
{
	struct fib_alias **at = NULL;
	u32 i;

	if (!n)
		return NULL;
	if (!is_leaf(n)) {
		for (i = 0; !at && i < child_length(n); i++)
			at = first_alias(n->kv.tnode[i], tb_id, leaf);
		return at;
	}
	*leaf = n;
	for (at = &n->kv.leaf; *at; at = &(*at)->fa_list)
		if ((*at)->tb_id == tb_id)
			return at;
	return NULL;
}

static void flush(struct fib_table *tb)
{
	struct fib_alias **at;
	struct tnode *l;

	while ((at = first_alias(tb->tb_data->__data.kv.tnode, tb->tb_id, &l)))
		remove_alias(tb, l, at);
}

/* ---- tables ---- */

/* A leaf takes as much as a tnode with one child. */
static struct any_cache *leaf_cache(struct kernel *kernel)
{
	const struct object_type *type = &kernel->types[STRUCT_tnode];

	return kmem_cache_create(kernel, "ip_fib_trie", STRUCT_tnode,
				 sizeof(struct tnode),
				 type->offsets[offsetof(struct tnode,
							kv.tnode)] + 8, 0, 0);
}

static void init(struct fib_table *tb)
{
	const struct machine *machine = tb->fib->kernel->machine;
	struct trie_use_stats **stats;
	u32 i;

	tb->__data.kv.pos = KEYLENGTH;
	if (!has(IP_FIB_TRIE_STATS))
		return;
	stats = g_new(struct trie_use_stats *, machine->num_cpus);
	for (i = 0; i < machine->num_cpus; i++)
		stats[i] = STATIC_OBJECT(tb->fib->kernel, trie_use_stats,
					 machine->cpus[i].package);
	tb->__data.stats = stats;
}

const struct fib_trie_ops fib_trie_ops = {
	.leaf_cache = leaf_cache,
	.init = init,
	.lookup = fib_table_lookup,
	.insert = insert_alias,
	.delete = delete_alias,
	.flush = flush,
};
