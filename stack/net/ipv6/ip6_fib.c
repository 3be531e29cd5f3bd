/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/ip6_fib.c: the trie of a table, and its look-ups.
 *
 * A node stands for a prefix of fn_bit bits, which bit fn_bit parts.  Nodes
 * without routes (no RTN_RTINFO) are there where two longer prefixes part, or
 * for routes by source below them; their leaf is lent from a node below, so
 * that there is an address to compare with.  A look-up goes down as far as
 * there are nodes, then up until a prefix fits.
 *
 * Whatever changes below a node gives it a new serial number: a cached route
 * is good as long as the number of its node is the one it was found with.
 */
#include <string.h>

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/net/ipv6/ip6_fib_tree.h"

/* ---- addresses ---- */

bool ipv6_prefix_equal(const struct in6_addr *a, const struct in6_addr *b,
		       u32 plen)
{
	return ipv6_addr_diff(a, b) >= plen;
}

u32 ipv6_addr_diff(const struct in6_addr *a, const struct in6_addr *b)
{
	u32 i, bit;

	for (i = 0; i < sizeof(*a); i++) {
		u32 differ = a->s6_addr[i] ^ b->s6_addr[i];

		if (!differ)
			continue;
		for (bit = 0; !(differ & 0x80); bit++)
			differ <<= 1;
		return 8 * i + bit;
	}
	return 8 * sizeof(*a);
}

struct in6_addr ipv6_addr_prefix(const struct in6_addr *addr, u32 plen)
{
	struct in6_addr prefix = { 0 };

	memcpy(&prefix, addr, plen / 8);
	if (plen % 8)
		prefix.s6_addr[plen / 8] = addr->s6_addr[plen / 8] &
					   (u8)(0xff00 >> plen % 8);
	return prefix;
}

/* ---- leaves ---- */

const struct rt6key *fib6_leaf_key(struct object *leaf, enum fib6_key key)
{
	if (has(FIB6_RCU))
		return key == KEY_DST ? &leaf_f6i(leaf)->fib6_dst :
					&leaf_f6i(leaf)->fib6_src;
	return key == KEY_DST ? &leaf_rt6(leaf)->rt6i_dst :
				&leaf_rt6(leaf)->rt6i_src;
}

static u32 leaf_plen(struct object *leaf, enum fib6_key key)
{
	if (has(FIB6_RCU))
		return key == KEY_DST ? READ(leaf_f6i(leaf), fib6_dst.plen) :
					READ(leaf_f6i(leaf), fib6_src.plen);
	return key == KEY_DST ? READ(leaf_rt6(leaf), rt6i_dst.plen) :
				READ(leaf_rt6(leaf), rt6i_src.plen);
}

/* Half an address, eight bytes, as compared in one go. */
static void read_key(struct object *leaf, enum fib6_key key, u32 from)
{
	struct fib6_info *f6i = leaf_f6i(leaf);
	struct rt6_info *rt = leaf_rt6(leaf);

	if (has(FIB6_RCU) && key == KEY_DST)
		(void)READ_AT(f6i, fib6_dst.addr.s6_addr, from);
	else if (has(FIB6_RCU))
		(void)READ_AT(f6i, fib6_src.addr.s6_addr, from);
	else if (key == KEY_DST)
		(void)READ_AT(rt, rt6i_dst.addr.s6_addr, from);
	else
		(void)READ_AT(rt, rt6i_src.addr.s6_addr, from);
}

bool fib6_leaf_prefix_equal(struct object *leaf, enum fib6_key key,
			    const struct in6_addr *addr, u32 plen)
{
	const struct in6_addr *prefix = &fib6_leaf_key(leaf, key)->addr;

	WORK(21);
	if (plen >= 64) {
		WORK(3);
		read_key(leaf, key, 0);
		if (ipv6_addr_diff(prefix, addr) < 64)
			return false;
	}
	if (plen % 64 || plen == 128) {
		WORK(plen > 64 ? 8 : 0);
		read_key(leaf, key, plen > 64 ? 8 : 0);
	}
	return ipv6_prefix_equal(prefix, addr, plen);
}

struct object *fib6_leaf_next(struct object *leaf)
{
	struct fib6_info *f6i;
	struct rt6_info *rt;

	if (has(FIB6_RCU)) {
		f6i = READ(leaf_f6i(leaf), fib6_next);
		return f6i ? &f6i->object : NULL;
	}
	rt = READ(&leaf_rt6(leaf)->dst, rt6_next);
	return rt ? &rt->dst.object : NULL;
}

struct object *fib6_null_leaf(void)
{
	struct net *net = this_kernel()->init_net;

	return has(FIB6_RCU) ? &net->ipv6.fib6_null_entry->object :
			       &net->ipv6.ip6_null_entry->dst.object;
}

/* ---- look-ups ---- */

struct lookup_args {
	enum fib6_key key;
	const struct in6_addr *addr;	/* NULL ends the list */
};

static struct fib6_node *fib6_subtree(const struct fib6_node *fn)
{
	return has(IPV6_SUBTREES) ? READ(fn, subtree) : NULL;
}

/* Whether the node's prefix fits.  Where there are routes by source, the node
 * is one of theirs, or the one given if none of them fits. */
static bool node_matches(struct fib6_node **fn, struct fib6_node *subtree,
			 const struct lookup_args *args);

/* Known as fib6_lookup_1() before 4.18. */
static struct fib6_node *fib6_node_lookup_1(struct fib6_node *root,
					    const struct lookup_args *args)
{
	struct fib6_node *fn = root, *next;

	FUNCTION(fib6_node_lookup_1);
	if (!args->addr)
		return NULL;
	for (;;) {
		WORK(13);
		next = addr_bit_set(args->addr, READ(fn, fn_bit)) ?
			READ(fn, right) : READ(fn, left);
		if (!next)
			break;
		fn = next;
	}
	for (;;) {
		struct fib6_node *found = fn;
		struct fib6_node *subtree = fib6_subtree(fn);

		if ((subtree || READ(fn, fn_flags) & RTN_RTINFO) &&
		    node_matches(&found, subtree, args))
			return found;
		WORK(8);
		if (READ(fn, fn_flags) & RTN_ROOT)
			return NULL;
		fn = READ(fn, parent);
	}
}

static bool node_matches(struct fib6_node **fn, struct fib6_node *subtree,
			 const struct lookup_args *args)
{
	struct object *leaf = READ(*fn, leaf);
	struct fib6_node *by_source;

	if (!leaf)
		return false;
	if (!fib6_leaf_prefix_equal(leaf, args->key, args->addr,
			       leaf_plen(leaf, args->key)))
		return false;
	if (subtree) {
		by_source = fib6_node_lookup_1(subtree, args + 1);
		if (!by_source)
			return false;
		*fn = by_source;
	}
	return READ(*fn, fn_flags) & RTN_RTINFO;
}

/* Known as fib6_lookup() before 4.18. */
struct fib6_node *fib6_node_lookup(struct fib6_node *root,
				   const struct in6_addr *daddr,
				   const struct in6_addr *saddr)
{
	struct lookup_args args[] = {
		{ KEY_DST, daddr }, { KEY_SRC, saddr }, { KEY_DST, NULL },
	};
	struct fib6_node *fn;

	FUNCTION(fib6_node_lookup);
	STACK_PROTECTOR();
	fn = fib6_node_lookup_1(root, daddr ? args : args + 1);
	if (!fn || READ(fn, fn_flags) & RTN_TL_ROOT)
		return root;
	return fn;
}

struct fib6_node *fib6_backtrack(struct fib6_node *fn,
				 const struct in6_addr *saddr)
{
	struct fib6_node *parent, *subtree;

	FUNCTION(fib6_backtrack);
	for (;;) {
		if (READ(fn, fn_flags) & RTN_TL_ROOT)
			return NULL;
		parent = READ(fn, parent);
		subtree = fib6_subtree(parent);
		if (subtree && subtree != fn)
			fn = fib6_node_lookup(subtree, NULL, saddr);
		else
			fn = parent;
		if (READ(fn, fn_flags) & RTN_RTINFO)
			return fn;
		WORK(12);
	}
}

static struct fib6_node *fib6_locate_1(struct fib6_node *root,
				       const struct in6_addr *addr, u32 plen,
				       enum fib6_key key)
{
	struct fib6_node *fn = root;

	while (fn) {
		u32 bit = fn->fn_bit;

		if (plen < bit ||
		    ipv6_addr_diff(&fib6_leaf_key(fn->leaf, key)->addr,
				   addr) < bit)
			return NULL;
		if (plen == bit)
			return fn;
		fn = addr_bit_set(addr, bit) ? fn->right : fn->left;
	}
	return NULL;
}

struct fib6_node *fib6_locate(struct fib6_table *table,
			      const struct in6_addr *dst, u32 dst_len,
			      const struct in6_addr *src, u32 src_len)
{
	struct fib6_node *fn = fib6_locate_1(&table->tb6_root, dst, dst_len,
					     KEY_DST);

	if (fn && src_len)
		fn = fn->subtree ? fib6_locate_1(fn->subtree, src, src_len,
						 KEY_SRC) : NULL;
	return fn && fn->fn_flags & RTN_RTINFO ? fn : NULL;
}

/* ---- tables ---- */

struct fib6_table *fib6_new_table(struct kernel *kernel, u32 id)
{
	struct fib6_table *table = KMALLOC(fib6_table, GFP_KERNEL);
	struct fib6_node *root;

	if (!table)
		g_error("no memory for an IPv6 routing table");
	memset((char *)table + sizeof(table->object), 0,
	       sizeof(*table) - sizeof(table->object));
	table->tb6_id = id;
	root = &table->tb6_root;
	object_init(&root->object, &kernel->ipv6->root_type,
		    MEMBER_ADDRESS(table, tb6_root));
	root->leaf = fib6_null_leaf();
	root->fn_flags = RTN_ROOT | RTN_TL_ROOT | RTN_RTINFO;
	g_ptr_array_add(kernel->ipv6->tables, table);
	return table;
}

void fib6_init(struct kernel *kernel)
{
	struct ipv6_room *room = kernel->ipv6;

	room->root_type = kernel->types[STRUCT_fib6_node];
	room->root_type.name = kernel->types[STRUCT_fib6_table].name;
	room->tables = g_ptr_array_new();
	room->fib6_nodes =
		kmem_cache_create(kernel, "fib6_nodes", STRUCT_fib6_node,
				  sizeof(struct fib6_node), 0, 0,
				  SLAB_HWCACHE_ALIGN);
}

static struct object *some_leaf(const struct fib6_node *fn)
{
	const struct fib6_node *child = fn->left ? fn->left : fn->right;

	if (!child)
		child = fn->subtree;
	if (child)
		return some_leaf(child);
	return fn->leaf == fib6_null_leaf() ? NULL : fn->leaf;
}

/* All routes go, then the tables. */
void fib6_exit(struct kernel *kernel)
{
	GPtrArray *tables = kernel->ipv6->tables;
	u32 i;

	for (i = 0; i < tables->len; i++) {
		struct fib6_table *table = g_ptr_array_index(tables, i);
		struct object *leaf;

		while ((leaf = some_leaf(&table->tb6_root)))
			ip6_del_rt(table, leaf);
		kfree(table);
	}
	g_ptr_array_unref(tables);
}
