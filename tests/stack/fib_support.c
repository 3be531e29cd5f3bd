/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the IPv4 FIB stand on; see fib_support.h. */
#include <string.h>

#include "fib_support.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/netns.h"
#include "tests/profile.h"

/* ---- the kernel ---- */

static const struct machine_profile profile = {
	.name = (char *)"fib",
	.packages = 2,
	.cores = 2,
	.threads = 1,
	.node_bytes = 1ull << 30,
	.smt_milli = 1000,
	.l1d = { 64 * 8 * LINE_SIZE, 8 },
	.l2 = { 512 * 8 * LINE_SIZE, 8 },
	.l3 = { 1024 * 16 * LINE_SIZE, 16 },
	TEST_PROFILE_NUMBERS,
};

static struct kernel *new_kernel(const char *name,
				 const struct machine_profile *machine)
{
	const char *top = g_getenv("top_srcdir");
	g_autofree char *folder = g_build_filename(
		top ? top : ".", "stack/kernels", name, NULL);
	struct kernel_config config = { .folder = folder };
	GError *error = NULL;
	struct kernel *kernel = kernel_new(machine_new(machine, 1, false),
					   &config, &error);

	if (!kernel)
		ck_abort_msg("%s", error->message);
	return kernel;
}

struct fib_fixture *fib_fx;

/* A device that only routes know: it has a number of the test's. */
static struct net_device *new_device(struct kernel *kernel, u32 ifindex)
{
	g_autofree char *name = g_strdup_printf("test%u", ifindex);
	struct net_device *dev = register_netdevice(kernel, name, 1500);

	dev->ifindex = ifindex;
	dev->ip_ptr = STATIC_OBJECT(kernel, in_device, 0);
	dev->ip_ptr->dev = dev;
	return dev;
}

void fib_setup_on(const char *kernel, u32 packages, u32 node_mib)
{
	struct fib_fixture *fixture = g_new0(struct fib_fixture, 1);
	u32 i;

	fixture->profile = profile;
	fixture->profile.packages = packages;
	fixture->profile.node_bytes = (u64)node_mib << 20;
	fixture->kernel = new_kernel(kernel, &fixture->profile);
	fixture->fib = fib_trie_init(fixture->kernel);
	fixture->local = fib_table_new(fixture->fib, RT_TABLE_LOCAL);
	fixture->main = fib_table_new(fixture->fib, RT_TABLE_MAIN);
	for (i = 1; i <= FIB_DEVICES; i++)
		fixture->dev[i] = new_device(fixture->kernel, i);
	fixture->hits = g_memdup2(fixture->kernel->machine->account.hits,
				  num_access_sites() * sizeof(u64));
	fib_fx = fixture;
}

void fib_setup(void)
{
	fib_setup_on("linux-3.6", 2, 1024);
}

void fib_setup_key_vector(void)
{
	fib_setup_on("linux-6.1", 2, 1024);
}

void fib_teardown(void)
{
	struct fib_fixture *fixture = fib_fx;
	struct machine *machine = fixture->kernel->machine;

	fib_table_free(fixture->local);
	fib_table_free(fixture->main);
	fib_trie_exit(fixture->fib);
	kernel_free(fixture->kernel);
	machine_free(machine);
	g_free(fixture->hits);
	g_free(fixture);
}

/* ---- routes ---- */

struct fib_config fib_route(const struct fib_fixture *fixture, u32 dst,
			    u32 plen, u32 oif)
{
	return (struct fib_config){
		.fc_dst = dst,
		.fc_dst_len = plen,
		.fc_type = RTN_UNICAST,
		.fc_scope = RT_SCOPE_LINK,
		.fc_nh = { .dev = fixture->dev[oif], .oif = oif },
	};
}

struct fib_config fib_error_route(u32 dst, u32 plen, u32 type)
{
	return (struct fib_config){
		.fc_dst = dst,
		.fc_dst_len = plen,
		.fc_type = type,
		.fc_scope = RT_SCOPE_UNIVERSE,
	};
}

struct fib_config fib_local_route(const struct fib_fixture *fixture, u32 dst,
				  u32 oif)
{
	struct fib_config cfg = fib_route(fixture, dst, 32, oif);

	cfg.fc_type = RTN_LOCAL;
	cfg.fc_scope = RT_SCOPE_HOST;
	cfg.fc_prefsrc = dst;
	return cfg;
}

/* ---- steps of tests ---- */

void fib_insert(struct fib_table *tb, const struct fib_config *cfg)
{
	GError *error = NULL;

	if (!fib_table_insert(tb, cfg, &error))
		ck_abort_msg("%s", error->message);
}

void fib_remove(struct fib_table *tb, const struct fib_config *cfg)
{
	GError *error = NULL;

	if (!fib_table_delete(tb, cfg, &error))
		ck_abort_msg("%s", error->message);
}

void fib_refuse(struct fib_table *tb, const struct fib_config *cfg,
		   const char *text)
{
	GError *error = NULL;

	ck_assert(!fib_table_insert(tb, cfg, &error));
	if (!strstr(error->message, text))
		ck_abort_msg("\"%s\" not in \"%s\"", text, error->message);
	g_error_free(error);
	ck_assert_ptr_null(fib_verify(tb));
}

int fib_find(struct fib_table *tb, u32 daddr, struct fib_result *res)
{
	struct fib_key key = { .daddr = daddr };

	return tb_lookup(tb, &key, res);
}

void fib_finds(u32 daddr, u32 plen, u32 oif)
{
	struct fib_result res;

	ck_assert_int_eq(fib_find(fib_fx->main, daddr, &res), 0);
	ck_assert_uint_eq(res.prefixlen, plen);
	ck_assert_uint_eq(FIB_RES_NH(res)->nh_oif, oif);
	ck_assert_ptr_eq(FIB_RES_NH(res)->nh_dev, fib_fx->dev[oif]);
	ck_assert_ptr_eq(res.table, fib_fx->main);
}

void fib_fails(u32 daddr, int error)
{
	struct fib_result res;

	ck_assert_int_eq(fib_find(fib_fx->main, daddr, &res), error);
}

/* ---- an LC-trie's invariants ---- */

static u32 prefix_mask(u32 n)
{
	return n ? UINT32_MAX << (32 - n) : 0;
}

static const char *verify_leaf(const struct leaf *l)
{
	const struct leaf_info *li;
	const struct fib_alias *fa;
	u32 longer = 33;

	if (!l->list)
		return "a leaf without a prefix";
	for (li = l->list; li; li = li->hlist) {
		if (li->plen >= longer)
			return "leaf_infos not by falling plen";
		longer = li->plen;
		if (li->mask_plen != prefix_mask(li->plen))
			return "a leaf_info's mask is not that of its plen";
		if (l->key & ~li->mask_plen)
			return "a leaf's key is longer than its prefix";
		if (!li->falh)
			return "a leaf_info without an alias";
		for (fa = li->falh; fa; fa = fa->fa_list) {
			if (fa->fa_list && fa->fa_list->fa_tos > fa->fa_tos)
				return "aliases not by falling tos";
			if (fa->fa_info->fib_dead)
				return "an alias of a dead fib_info";
		}
	}
	return NULL;
}

static const char *verify_node(const struct object *n,
			       const struct tnode *parent, u32 *leaves);

static const char *verify_children(const struct tnode *tn, u32 *leaves)
{
	u32 empty = 0, full = 0, i, length = 1u << tn->bits;

	for (i = 0; i < length; i++) {
		const struct object *n = tn->child[i];
		const char *wrong;
		u32 key;

		if (!n) {
			empty++;
			continue;
		}
		if (fib_node_is_leaf(n)) {
			key = ((const struct leaf *)n)->key;
		} else {
			key = ((const struct tnode *)n)->key;
			full += ((const struct tnode *)n)->pos ==
				tn->pos + tn->bits;
		}
		if ((key ^ tn->key) & prefix_mask(tn->pos))
			return "a child's key differs in its parent's prefix";
		if (key << tn->pos >> (32 - tn->bits) != i)
			return "a child's key does not lead to its slot";
		wrong = verify_node(n, tn, leaves);
		if (wrong)
			return wrong;
	}
	if (empty != tn->empty_children)
		return "empty_children is wrong";
	if (full != tn->full_children)
		return "full_children is wrong";
	return length - empty < 2 ? "a tnode with less than two children" :
				    NULL;
}

static const char *verify_node(const struct object *n,
			       const struct tnode *parent, u32 *leaves)
{
	const struct tnode *tn;

	if (n->state != OBJECT_ALIVE)
		return "a node that has been freed";
	if (fib_node_is_leaf(n)) {
		++*leaves;
		if (((const struct leaf *)n)->parent != parent)
			return "a leaf's parent is wrong";
		return verify_leaf((const struct leaf *)n);
	}
	tn = (const struct tnode *)n;
	if (tn->parent != parent)
		return "a tnode's parent is wrong";
	if (!tn->bits)
		return "a tnode with no bits";
	if (parent && tn->pos < parent->pos + parent->bits)
		return "a tnode's bits overlap its parent's";
	if (tn->pos + tn->bits > 32)
		return "a tnode's bits go beyond the key";
	if (tn->key & ~prefix_mask(tn->pos))
		return "a tnode's key is longer than its prefix";
	return verify_children(tn, leaves);
}

/* ---- those of a trie of key vectors ---- */

/* Whether b may stand behind a in a leaf. */
static bool in_order(const struct fib_alias *a, const struct fib_alias *b)
{
	if (a->fa_slen != b->fa_slen)
		return a->fa_slen < b->fa_slen;
	if (a->tb_id != b->tb_id)
		return a->tb_id > b->tb_id;
	if (a->fa_tos != b->fa_tos)
		return a->fa_tos > b->fa_tos;
	return a->fa_info->fib_priority <= b->fa_info->fib_priority;
}

static const char *verify_vector_leaf(const struct tnode *l)
{
	const struct fib_alias *fa;

	if (l->kv.pos)
		return "a leaf with a position";
	if (!l->kv.leaf)
		return "a leaf without an alias";
	for (fa = l->kv.leaf; fa; fa = fa->fa_list) {
		if (l->kv.key & ~prefix_mask(32 - fa->fa_slen))
			return "a leaf's key is longer than its prefix";
		if (fa->fa_info->fib_dead)
			return "an alias of a dead fib_info";
		if (fa->fa_list ? !in_order(fa, fa->fa_list) :
				  l->kv.slen != fa->fa_slen)
			return "aliases not in order, or a leaf's slen wrong";
	}
	return NULL;
}

static const char *verify_vector(const struct tnode *n,
				 const struct tnode *parent);

static const char *verify_vector_children(const struct tnode *tn)
{
	u32 empty = 0, full = 0, slen = tn->kv.pos, i;

	for (i = 0; i < 1u << tn->kv.bits; i++) {
		const struct tnode *n = tn->kv.tnode[i];
		const char *wrong;

		if (!n) {
			empty++;
			continue;
		}
		if ((u64)(n->kv.key ^ tn->kv.key) >> tn->kv.pos != i)
			return "a child's key does not lead to its slot";
		full += n->kv.bits && n->kv.pos + n->kv.bits == tn->kv.pos;
		slen = MAX(slen, n->kv.slen);
		wrong = verify_vector(n, tn);
		if (wrong)
			return wrong;
	}
	if (empty != tn->empty_children || full != tn->full_children)
		return "empty_children or full_children is wrong";
	if (slen != tn->kv.slen)
		return "slen is not the longest suffix";
	return i == empty ? "a tnode without children" : NULL;
}

static const char *verify_vector(const struct tnode *n,
				 const struct tnode *parent)
{
	u32 end = n->kv.pos + n->kv.bits;

	if (n->object.state != OBJECT_ALIVE)
		return "a node that has been freed";
	if (n->parent != parent)
		return "a node's parent is wrong";
	if (!n->kv.bits)
		return verify_vector_leaf(n);
	if (end > (parent ? parent->kv.pos : 32u))
		return "a tnode's bits overlap its parent's";
	if (n->kv.key & ~prefix_mask(32 - end))
		return "a tnode's key is longer than its prefix";
	return verify_vector_children(n);
}

/* ---- either ---- */

static bool has_key_vectors(const struct fib_table *tb)
{
	return tb->fib->ops == &fib_trie_ops;
}

bool fib_is_empty(const struct fib_table *tb)
{
	return has_key_vectors(tb) ? !tb->tb_data->__data.kv.tnode : !tb->trie;
}

const char *fib_verify(const struct fib_table *tb)
{
	u32 leaves = 0;

	if (fib_is_empty(tb))
		return NULL;
	return has_key_vectors(tb) ?
		verify_vector(tb->tb_data->__data.kv.tnode, NULL) :
		verify_node(tb->trie, NULL, &leaves);
}

/* ---- what a look-up touched ---- */

/* Nothing else in these files is charged. */
static bool is_lookup(const struct access_site *site)
{
	return g_str_has_suffix(site->file, "/fib_trie.c") ||
	       g_str_has_suffix(site->file, "/fib_trie_lc.c");
}

void fib_forget(struct fib_fixture *fixture)
{
	memcpy(fixture->hits, fixture->kernel->machine->account.hits,
	       num_access_sites() * sizeof(u64));
}

u64 fib_hits(const struct fib_fixture *fixture, const char *type,
	     const char *member, enum access_kind kind)
{
	const u64 *hits = fixture->kernel->machine->account.hits;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];

		if (is_lookup(site) && site->kind == kind &&
		    g_str_equal(site->type, type) &&
		    g_str_equal(site->member, member))
			sum += hits[i] - fixture->hits[i];
	}
	return sum;
}

u64 fib_all_hits(const struct fib_fixture *fixture)
{
	const u64 *hits = fixture->kernel->machine->account.hits;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_access_sites(); i++)
		if (is_lookup(&__start_access_sites[i]))
			sum += hits[i] - fixture->hits[i];
	return sum;
}

bool fib_has_line(const struct fib_fixture *fixture, u64 address)
{
	const struct cpu *cpu = &fixture->kernel->machine->cpus[0];

	return cpu->words[address >> LINE_SHIFT] >= WORD(WORD_FILLING);
}
