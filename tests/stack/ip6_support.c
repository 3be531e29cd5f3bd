/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See ip6_support.h. */
#include "ip6_support.h"
#include "ip6_text.h"

const char *const ip6_kernels[IP6_KERNELS] = {
	"linux-3.6", "linux-6.1", "linux-4.6"
};

struct in6_addr ip6(const char *text)
{
	struct in6_addr addr;

	if (ip6_from_text(text, addr.s6_addr))
		ck_abort_msg("'%s' is no IPv6 address", text);
	return addr;
}

/* ---- the fixture ---- */

struct net_device *ip6_dev(const struct net_fixture *net, u32 i)
{
	struct net_device *dev = net->kernel->init_net->dev_base_head;

	for (dev = dev->dev_list; i--; dev = dev->dev_list)
		;
	return dev;
}

void ip6_add_address(struct net_fixture *net, struct net_device *dev,
		     const char *addr, u32 prefix)
{
	struct in6_addr address = ip6(addr);
	GError *error = NULL;

	if (!inet6_add_address(net->kernel, dev, &address, prefix, &error))
		ck_abort_msg("%s", error->message);
}

void ip6_add_route(struct net_fixture *net, struct net_device *dev,
		   const char *addr, u32 prefix, const char *gateway)
{
	struct in6_addr dst = ip6(addr), gw = ip6(gateway ? gateway : "::");
	GError *error = NULL;

	if (!inet6_add_route(net->kernel, dev, &dst, prefix,
			     gateway ? &gw : NULL, &error))
		ck_abort_msg("%s", error->message);
}

struct net_fixture *ip6_new(int kernel, u32 cores)
{
	const struct net_setup setup = {
		.cores = cores, .check = true, .kernel = ip6_kernels[kernel],
	};
	struct net_fixture *net = net_new(&setup);
	u32 i;

	for (i = 0; i < IP6_DEVICES; i++) {
		g_autofree char *name = g_strdup_printf("dummy%u", i);
		g_autofree char *addr =
			g_strdup_printf("2001:db8:ffff:%u::1", i);

		if (i)
			dummy_new(net->kernel, name, 1500, false);
		ip6_add_address(net, ip6_dev(net, i), addr, 64);
	}
	machine_settle(net->machine);
	return net;
}

/* ---- look-ups ---- */

struct rt6_info *ip6_find(const struct in6_addr *daddr)
{
	struct flowi6 fl6 = { .daddr = *daddr };

	return (struct rt6_info *)(void *)
		ip6_route_output(this_kernel()->init_net, NULL, &fl6);
}

int ip6_way(const struct in6_addr *daddr)
{
	struct rt6_info *rt = ip6_find(daddr);
	int way = rt->dst.error ? rt->dst.error : (int)rt->dst.dev->ifindex;

	dst_release(&rt->dst);
	return way;
}

/* ---- what is wrong with a trie ---- */

struct seen {
	GHashTable *refs;	/* leaf -> how often nodes have it */
	u32 leaves;
};

static const struct rt6key *key_of(struct object *leaf, bool by_source)
{
	if (has(FIB6_RCU))
		return by_source ? &leaf_f6i(leaf)->fib6_src :
				   &leaf_f6i(leaf)->fib6_dst;
	return by_source ? &leaf_rt6(leaf)->rt6i_src :
			   &leaf_rt6(leaf)->rt6i_dst;
}

static s32 refs_of(struct object *leaf)
{
	u32 i, holders = 0;

	if (!has(FIB6_RCU))
		return leaf_rt6(leaf)->rt6i_ref;
	for (i = 0; i < this_cpu->machine->num_cpus; i++)
		holders += leaf_f6i(leaf)->fib6_nh.rt6i_pcpu[i]->rt != NULL;
	return leaf_f6i(leaf)->fib6_ref - (s32)holders;
}

static const struct fib6_node *node_of(struct object *leaf)
{
	return has(FIB6_RCU) ? leaf_f6i(leaf)->fib6_node :
			       leaf_rt6(leaf)->rt6i_node;
}

static u32 metric_of(struct object *leaf)
{
	return has(FIB6_RCU) ? leaf_f6i(leaf)->fib6_metric :
			       leaf_rt6(leaf)->rt6i_metric;
}

static void count(struct seen *seen, struct object *leaf)
{
	guint n = GPOINTER_TO_UINT(g_hash_table_lookup(seen->refs, leaf));

	g_hash_table_insert(seen->refs, leaf, GUINT_TO_POINTER(n + 1));
}

/* The next leaf, as nobody's access: a check of the tree is no reader of it. */
static struct object *next_of(struct object *leaf)
{
	struct fib6_info *f6i;
	struct rt6_info *rt;

	if (has(FIB6_RCU)) {
		f6i = leaf_f6i(leaf)->fib6_next;
		return f6i ? &f6i->object : NULL;
	}
	rt = leaf_rt6(leaf)->dst.rt6_next;
	return rt ? &rt->dst.object : NULL;
}

static const char *verify_leaves(const struct fib6_node *fn, bool by_source,
				 struct seen *seen)
{
	struct object *leaf, *next;

	for (leaf = fn->leaf; leaf; leaf = next) {
		next = next_of(leaf);
		if (leaf == fib6_null_leaf()) {
			if (!(fn->fn_flags & RTN_TL_ROOT) || next)
				return "the null entry in the middle";
			return NULL;
		}
		if (key_of(leaf, by_source)->plen != fn->fn_bit)
			return "a leaf of another prefix length";
		if (node_of(leaf) != fn)
			return "a leaf that thinks it is elsewhere";
		if (next && metric_of(next) < metric_of(leaf))
			return "metrics that fall";
		count(seen, leaf);
		seen->leaves++;
	}
	return NULL;
}

static const char *verify_lent(const struct fib6_node *fn, struct seen *seen)
{
	if (!fn->leaf)
		return "an intermediate node without a leaf";
	if (!(fn->left && fn->right) && !fn->subtree &&
	    !(fn->fn_flags & RTN_ROOT))
		return "an intermediate node that parts nothing";
	if (fn->leaf != fib6_null_leaf())
		count(seen, fn->leaf);
	return NULL;
}

static const char *verify_node(const struct fib6_node *fn,
			       const struct fib6_node *parent, bool by_source,
			       struct seen *seen);

static const char *verify_child(const struct fib6_node *child,
				const struct fib6_node *fn, bool right,
				bool by_source, struct seen *seen)
{
	const struct rt6key *key, *above;

	if (!child)
		return NULL;
	if (child->fn_bit <= fn->fn_bit)
		return "a node that is not longer than the one above";
	key = key_of(child->leaf, by_source);
	if (key->plen < child->fn_bit)
		return "a lent leaf from above";
	if (addr_bit_set(&key->addr, fn->fn_bit) != right)
		return "a node on the wrong side";
	above = key_of(fn->leaf, by_source);
	if (fn->fn_bit && !ipv6_prefix_equal(&key->addr, &above->addr,
					     fn->fn_bit))
		return "a node below one whose prefix it has not";
	return verify_node(child, fn, by_source, seen);
}

static const char *verify_node(const struct fib6_node *fn,
			       const struct fib6_node *parent, bool by_source,
			       struct seen *seen)
{
	const char *wrong;

	if (fn->parent != parent)
		return "a node with another parent";
	wrong = fn->fn_flags & RTN_RTINFO ? verify_leaves(fn, by_source, seen) :
					    verify_lent(fn, seen);
	if (!wrong)
		wrong = verify_child(fn->left, fn, false, by_source, seen);
	if (!wrong)
		wrong = verify_child(fn->right, fn, true, by_source, seen);
	if (!wrong && fn->subtree)
		wrong = verify_node(fn->subtree, fn, true, seen);
	return wrong;
}

static const char *verify_refs(const struct seen *seen)
{
	GHashTableIter iter;
	gpointer leaf, n;

	g_hash_table_iter_init(&iter, seen->refs);
	while (g_hash_table_iter_next(&iter, &leaf, &n))
		if (refs_of(leaf) != (s32)GPOINTER_TO_UINT(n))
			return "a leaf that is counted wrong";
	return NULL;
}

static const char *look(const struct fib6_table *table, u32 *leaves)
{
	struct seen seen = { g_hash_table_new(NULL, NULL), 0 };
	const char *wrong = verify_node(&table->tb6_root, NULL, false, &seen);

	if (!wrong)
		wrong = verify_refs(&seen);
	*leaves = seen.leaves;
	g_hash_table_unref(seen.refs);
	return wrong;
}

const char *ip6_verify(const struct fib6_table *table)
{
	u32 leaves;

	return look(table, &leaves);
}

u32 ip6_num_leaves(const struct fib6_table *table)
{
	u32 leaves;

	ck_assert_ptr_null(look(table, &leaves));
	return leaves;
}
