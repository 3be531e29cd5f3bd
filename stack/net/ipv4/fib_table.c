/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of routes (net/ipv4/fib_frontend.c's fib_new_table(), and of
 * net/ipv4/fib_trie.c what does not depend on the kind of trie): which kind a
 * kernel has, what its tables share, and the checks before a change.
 */
#include "stack/include/linux/slab.h"
#include "stack/include/net/ip_fib.h"

struct ip_fib *fib_trie_init(struct kernel *kernel)
{
	struct ip_fib *fib = g_new0(struct ip_fib, 1);

	fib->kernel = kernel;
	fib->ops = has(FIB_TRIE_KEY_VECTOR) ? &fib_trie_ops : &fib_trie_lc_ops;
	fib->fn_alias_kmem = kmem_cache_create(kernel, "ip_fib_alias",
					       STRUCT_fib_alias,
					       sizeof(struct fib_alias), 0, 0,
					       0);
	fib->trie_leaf_kmem = fib->ops->leaf_cache(kernel);
	fib->tables = g_ptr_array_new();
	fib->infos = g_ptr_array_new();
	fib->spare_cells = g_ptr_array_new_with_free_func(g_free);
	return fib;
}

void fib_trie_exit(struct ip_fib *fib)
{
	g_assert(!fib->tables->len && !fib->infos->len);
	g_ptr_array_unref(fib->tables);
	g_ptr_array_unref(fib->infos);
	g_ptr_array_unref(fib->spare_cells);
	g_free(fib);
}

/* ---- tables ---- */

static struct fib_table *fib_get_table(const struct ip_fib *fib, u32 id)
{
	guint i;

	for (i = 0; i < fib->tables->len; i++) {
		struct fib_table *tb = fib->tables->pdata[i];

		if (tb->tb_id == id)
			return tb;
	}
	return NULL;
}

/* A table with a trie of its own has it behind its header. */
static struct fib_table *fib_trie_table(struct ip_fib *fib, u32 id,
					struct fib_table *alias)
{
	const struct object_type *type = &fib->kernel->types[STRUCT_fib_table];
	u32 size = type->size;
	struct fib_table *tb;

	if (has(FIB_TRIE_KEY_VECTOR) && !alias)
		size = type->offsets[offsetof(struct fib_table,
					      __data.stats)] + 8;
	tb = fib_zalloc(size, STRUCT_fib_table, sizeof(*tb));
	if (!tb)
		return NULL;
	tb->fib = fib;
	tb->tb_id = id;
	tb->tb_data = alias ? alias : tb;
	if (!alias && fib->ops->init)
		fib->ops->init(tb);
	g_ptr_array_add(fib->tables, tb);
	return tb;
}

struct fib_table *fib_table_new(struct ip_fib *fib, u32 id)
{
	struct fib_table *tb = fib_get_table(fib, id), *alias = NULL;

	if (!has(FIB_TRIE_KEY_VECTOR))
		return fib_trie_table(fib, id, NULL);
	if (tb)
		return tb;
	if (id == RT_TABLE_LOCAL) {
		alias = fib_table_new(fib, RT_TABLE_MAIN);
		if (!alias)
			return NULL;
	}
	return fib_trie_table(fib, id, alias);
}

void fib_table_free(struct fib_table *tb)
{
	struct ip_fib *fib = tb->fib;
	guint i;

	fib->ops->flush(tb);
	g_ptr_array_remove(fib->tables, tb);
	for (i = 0; i < fib->tables->len; i++)
		g_assert(((struct fib_table *)fib->tables->pdata[i])->tb_data !=
			 tb);
	g_free(tb->__data.stats);
	kfree(tb);
}

/* ---- routes ---- */

static bool check_prefix(const struct fib_config *cfg, GError **error)
{
	u32 mask, key;

	if (cfg->fc_dst_len > 32)
		return fib_error(error, cfg, "a prefix has 0 to 32 bits");
	mask = cfg->fc_dst_len ? ~0u << (32 - cfg->fc_dst_len) : 0;
	key = cfg->fc_dst & mask;
	if (key != cfg->fc_dst)
		return fib_error(error, cfg, "the address has bits beyond the "
				 "prefix, %u.%u.%u.%u would be right",
				 key >> 24, key >> 16 & 255, key >> 8 & 255,
				 key & 255);
	return true;
}

bool fib_table_insert(struct fib_table *tb, const struct fib_config *cfg,
		      GError **error)
{
	struct fib_info *fi;

	if (!check_prefix(cfg, error))
		return false;
	fi = fib_create_info(tb->fib, cfg, error);
	if (!fi)
		return false;
	if (tb->fib->ops->insert(tb, cfg, fi, error))
		return true;
	fib_release_info(fi);
	return false;
}

bool fib_alias_matches(const struct fib_alias *fa, const struct fib_config *cfg)
{
	const struct fib_info *fi = fa->fa_info;

	return fa->fa_tos == cfg->fc_tos &&
	       (!cfg->fc_type || fa->fa_type == cfg->fc_type) &&
	       (cfg->fc_scope == RT_SCOPE_NOWHERE ||
		fi->fib_scope == cfg->fc_scope) &&
	       (!cfg->fc_prefsrc || fi->fib_prefsrc == cfg->fc_prefsrc) &&
	       (!cfg->fc_protocol || fi->fib_protocol == cfg->fc_protocol) &&
	       fib_nh_match(cfg, fi);
}

bool fib_table_delete(struct fib_table *tb, const struct fib_config *cfg,
		      GError **error)
{
	return check_prefix(cfg, error) &&
	       (tb->fib->ops->delete(tb, cfg) ||
		fib_error(error, cfg, "there is no such route to remove"));
}
