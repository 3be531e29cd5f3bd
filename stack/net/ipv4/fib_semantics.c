/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where routes lead (net/ipv4/fib_semantics.c): fib_info and its nexthops.
 *
 * Routes with equal properties share one fib_info: fib_treeref counts the
 * aliases that use it, fib_clntref everybody (all aliases together are one).
 * The nexthops' objects lie in the fib_info's memory, behind its header, so
 * their lines are shared as in the kernel.  A nexthop's per-CPU cells are made
 * once and go to the next nexthop after it has been freed.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/in6.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/ip_fib.h"
#include "stack/net/ipv4/route.h"

const struct fib_prop fib_props[NUM_RTN] = {
	[RTN_UNSPEC] = { 0, RT_SCOPE_NOWHERE },
	[RTN_UNICAST] = { 0, RT_SCOPE_UNIVERSE },
	[RTN_LOCAL] = { 0, RT_SCOPE_HOST },
	[RTN_BROADCAST] = { 0, RT_SCOPE_LINK },
	[RTN_ANYCAST] = { 0, RT_SCOPE_LINK },
	[RTN_MULTICAST] = { 0, RT_SCOPE_UNIVERSE },
	[RTN_BLACKHOLE] = { -EINVAL, RT_SCOPE_UNIVERSE },
	[RTN_UNREACHABLE] = { -EHOSTUNREACH, RT_SCOPE_UNIVERSE },
	[RTN_PROHIBIT] = { -EACCES, RT_SCOPE_UNIVERSE },
	[RTN_THROW] = { -EAGAIN, RT_SCOPE_UNIVERSE },
};

/* ---- errors and memory ---- */

#define ADDRESS_FORMAT "%u.%u.%u.%u"
#define ADDRESS_ARGS(a) (a) >> 24, (a) >> 16 & 255, (a) >> 8 & 255, (a) & 255

bool fib_error(GError **error, const struct fib_config *cfg, const char *format,
	       ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK,
		    "route " ADDRESS_FORMAT "/%u: %s",
		    ADDRESS_ARGS(cfg->fc_dst), cfg->fc_dst_len, text);
	return false;
}

void *fib_zalloc(u32 size, enum struct_id id, size_t c_size)
{
	char *p = kmalloc(size, id, c_size, GFP_KERNEL);

	if (p)
		memset(p + sizeof(struct object), 0,
		       c_size - sizeof(struct object));
	return p;
}

/* ---- nexthops ---- */

static u32 fib_nhs(const struct fib_config *cfg)
{
	return cfg->fc_mp ? cfg->fc_mp_len : 1;
}

static const struct fib_nexthop *fib_nexthop(const struct fib_config *cfg,
					     u32 i)
{
	return cfg->fc_mp ? &cfg->fc_mp[i] : &cfg->fc_nh;
}

static struct nh_pcpu_rth **alloc_cells(struct ip_fib *fib)
{
	const struct machine *machine = fib->kernel->machine;
	struct nh_pcpu_rth **cells;
	u32 i;

	if (fib->spare_cells->len)
		return g_ptr_array_steal_index(fib->spare_cells,
					       fib->spare_cells->len - 1);
	cells = g_new(struct nh_pcpu_rth *, machine->num_cpus);
	for (i = 0; i < machine->num_cpus; i++)
		cells[i] = STATIC_OBJECT(fib->kernel, nh_pcpu_rth,
					 machine->cpus[i].package);
	return cells;
}

static void free_cells(struct ip_fib *fib, struct nh_pcpu_rth **cells)
{
	u32 i;

	for (i = 0; i < fib->kernel->machine->num_cpus; i++) {
		rt_uncache(cells[i]->rth);
		cells[i]->rth = NULL;
	}
	g_ptr_array_add(fib->spare_cells, cells);
}

/* Makes the nexthops' objects where the kernel has its array. */
static void init_nexthops(struct fib_info *fi)
{
	const struct object_type *type =
		&fi->fib->kernel->types[STRUCT_fib_nh];
	u64 address = object_address(&fi->object) + fi->object.type->size;
	u32 i;

	fi->fib_nh = g_new0(struct fib_nh, fi->fib_nhs);
	for (i = 0; i < fi->fib_nhs; i++) {
		struct fib_nh *nh = &fi->fib_nh[i];

		object_init(&nh->object, type, address + i * type->size);
		nh->nh_parent = fi;
		nh->nh_pcpu_rth_output = alloc_cells(fi->fib);
	}
}

/* A nexthop without a gateway: its device must be named. */
static bool check_nh_on_link(struct fib_nh *nh, const struct fib_config *cfg,
			     const struct fib_nexthop *want, GError **error)
{
	if (!want->dev || !want->oif)
		return fib_error(error, cfg,
				 "it has no device and no gateway: a route of "
				 "this type needs one of them");
	nh->nh_dev = want->dev;
	nh->nh_oif = want->oif;
	nh->nh_scope = cfg->fc_scope == RT_SCOPE_HOST ? RT_SCOPE_NOWHERE :
							RT_SCOPE_HOST;
	return true;
}

/*
 * A gateway must be reachable over a route nearer than the one it serves, so
 * that routes cannot go round in circles.
 */
static bool check_nh_gateway(struct ip_fib *fib, struct fib_nh *nh,
			     const struct fib_config *cfg,
			     const struct fib_nexthop *want, GError **error)
{
	struct fib_key key = {
		.daddr = want->gw,
		.oif = want->oif,
		.scope = MAX(cfg->fc_scope + 1, RT_SCOPE_LINK),
	};
	struct fib_result res;

	if (cfg->fc_scope >= RT_SCOPE_LINK)
		return fib_error(error, cfg,
				 "gateway " ADDRESS_FORMAT " with scope %u: a "
				 "route over a gateway has a scope below %d",
				 ADDRESS_ARGS(want->gw), cfg->fc_scope,
				 RT_SCOPE_LINK);
	if (fib_lookup_tables(fib, &key, &res))
		return fib_error(error, cfg,
				 "gateway " ADDRESS_FORMAT " is on no network "
				 "of this host%s: give a device an address of "
				 "its network first", ADDRESS_ARGS(want->gw),
				 want->oif ? " over this device" : "");
	if ((res.type != RTN_UNICAST && res.type != RTN_LOCAL) ||
	    !FIB_RES_NH(res)->nh_dev)
		return fib_error(error, cfg,
				 "gateway " ADDRESS_FORMAT " is not the "
				 "address of a host",
				 ADDRESS_ARGS(want->gw));
	nh->nh_scope = res.scope;
	nh->nh_oif = FIB_RES_NH(res)->nh_oif;
	nh->nh_dev = FIB_RES_NH(res)->nh_dev;
	return true;
}

static bool fib_check_nh(struct fib_info *fi, struct fib_nh *nh,
			 const struct fib_config *cfg,
			 const struct fib_nexthop *want, GError **error)
{
	nh->nh_gw = want->gw;
	nh->nh_gw_family = want->gw ? PF_INET : 0;
	nh->nh_saddr = want->saddr;
	if (!want->gw)
		return check_nh_on_link(nh, cfg, want, error);
	return check_nh_gateway(fi->fib, nh, cfg, want, error);
}

bool fib_nh_match(const struct fib_config *cfg, const struct fib_info *fi)
{
	u32 i;

	if (cfg->fc_priority && cfg->fc_priority != fi->fib_priority)
		return false;
	if (cfg->fc_mp && cfg->fc_mp_len != fi->fib_nhs)
		return false;
	for (i = 0; i < fib_nhs(cfg); i++) {
		const struct fib_nexthop *want = fib_nexthop(cfg, i);

		if (want->oif && want->oif != fi->fib_nh[i].nh_oif)
			return false;
		if (want->gw && want->gw != fi->fib_nh[i].nh_gw)
			return false;
	}
	return true;
}

/* ---- fib_info ---- */

/* Everything about a route that can be seen to be wrong by itself. */
static bool check_config(struct ip_fib *fib, const struct fib_config *cfg,
			 GError **error)
{
	struct fib_key source = { .daddr = cfg->fc_prefsrc };
	struct fib_result res;
	bool is_error;

	if (cfg->fc_type == RTN_UNSPEC || cfg->fc_type >= NUM_RTN)
		return fib_error(error, cfg, "there is no route type %u",
				 cfg->fc_type);
	if (fib_props[cfg->fc_type].scope > cfg->fc_scope)
		return fib_error(error, cfg, "scope %u is too wide for its "
				 "type, %u or more would be right",
				 cfg->fc_scope, fib_props[cfg->fc_type].scope);
	if (cfg->fc_mp && (!cfg->fc_mp_len || cfg->fc_mp_len > UINT8_MAX))
		return fib_error(error, cfg, "%u nexthops: 1 to 255 would be "
				 "right", cfg->fc_mp_len);
	is_error = fib_props[cfg->fc_type].error;
	if (is_error && (cfg->fc_mp || cfg->fc_nh.oif || cfg->fc_nh.gw))
		return fib_error(error, cfg, "a route of this type leads "
				 "nowhere: it can have no device or gateway");
	if (cfg->fc_scope == RT_SCOPE_HOST && !is_error &&
	    (fib_nhs(cfg) != 1 || fib_nexthop(cfg, 0)->gw))
		return fib_error(error, cfg, "a route within this host can "
				 "have one nexthop only, and no gateway");
	if (!cfg->fc_prefsrc || is_error ||
	    (cfg->fc_type == RTN_LOCAL && cfg->fc_dst == cfg->fc_prefsrc))
		return true;
	if (fib_lookup_tables(fib, &source, &res) || res.type != RTN_LOCAL)
		return fib_error(error, cfg, "source " ADDRESS_FORMAT
				 " is no address of this host",
				 ADDRESS_ARGS(cfg->fc_prefsrc));
	return true;
}

static bool same_nexthops(const struct fib_info *a, const struct fib_info *b)
{
	u32 i;

	for (i = 0; i < a->fib_nhs; i++) {
		const struct fib_nh *x = &a->fib_nh[i], *y = &b->fib_nh[i];

		if (x->nh_oif != y->nh_oif || x->nh_gw != y->nh_gw ||
		    x->nh_scope != y->nh_scope ||
		    (x->nh_flags ^ y->nh_flags) & ~RTNH_F_DEAD)
			return false;
	}
	return true;
}

static struct fib_info *fib_find_info(const struct fib_info *like)
{
	const GPtrArray *infos = like->fib->infos;
	guint i;

	for (i = 0; i < infos->len; i++) {
		struct fib_info *fi = infos->pdata[i];

		if (fi->fib_nhs == like->fib_nhs &&
		    fi->fib_protocol == like->fib_protocol &&
		    fi->fib_scope == like->fib_scope &&
		    fi->fib_type == like->fib_type &&
		    fi->fib_prefsrc == like->fib_prefsrc &&
		    fi->fib_priority == like->fib_priority &&
		    same_nexthops(fi, like))
			return fi;
	}
	return NULL;
}

static void free_fib_info(struct fib_info *fi)
{
	u32 i;

	g_assert(fi->fib_dead);
	for (i = 0; i < fi->fib_nhs; i++) {
		free_nh_exceptions(&fi->fib_nh[i]);
		free_cells(fi->fib, fi->fib_nh[i].nh_pcpu_rth_output);
	}
	g_clear_pointer(&fi->fib_nh, g_free);
	kfree(fi);
}

void fib_info_put(struct fib_info *fi)
{
	g_assert(fi->fib_clntref > 0);
	if (!--fi->fib_clntref)
		free_fib_info(fi);
}

void fib_release_info(struct fib_info *fi)
{
	g_assert(fi->fib_treeref > 0);
	if (--fi->fib_treeref)
		return;
	g_ptr_array_remove(fi->fib->infos, fi);
	fi->fib_dead = 1;
	fib_info_put(fi);
}

/* Fills in the nexthops; a route that is an error keeps one, an empty one. */
static bool check_nexthops(struct fib_info *fi, const struct fib_config *cfg,
			   GError **error)
{
	u32 i;

	if (fib_props[cfg->fc_type].error)
		return true;
	for (i = 0; i < fi->fib_nhs; i++)
		if (!fib_check_nh(fi, &fi->fib_nh[i], cfg, fib_nexthop(cfg, i),
				  error))
			return false;
	return true;
}

struct fib_info *fib_create_info(struct ip_fib *fib,
				 const struct fib_config *cfg, GError **error)
{
	const struct object_type *types = fib->kernel->types;
	u32 nhs = fib_nhs(cfg);
	struct fib_info *fi, *old;

	if (!check_config(fib, cfg, error))
		return NULL;
	fi = fib_zalloc(types[STRUCT_fib_info].size +
			nhs * types[STRUCT_fib_nh].size, STRUCT_fib_info,
			sizeof(*fi));
	if (!fi) {
		fib_error(error, cfg, "there is no memory left for it");
		return NULL;
	}
	fi->fib = fib;
	fi->fib_protocol = cfg->fc_protocol;
	fi->fib_scope = cfg->fc_scope;
	fi->fib_type = cfg->fc_type;
	fi->fib_prefsrc = cfg->fc_prefsrc;
	fi->fib_priority = cfg->fc_priority;
	fi->fib_nhs = nhs;
	fi->fib_clntref = 1;
	init_nexthops(fi);
	if (!check_nexthops(fi, cfg, error)) {
		fi->fib_dead = 1;
		free_fib_info(fi);
		return NULL;
	}
	old = fib_find_info(fi);
	if (old) {
		fi->fib_dead = 1;
		free_fib_info(fi);
		fi = old;
	} else {
		g_ptr_array_add(fib->infos, fi);
	}
	fi->fib_treeref++;
	return fi;
}

/* ---- devices ---- */

static u32 sync_dev(struct ip_fib *fib, const struct net_device *dev, bool dead)
{
	u32 changed = 0, i, num_dead;
	guint j;

	for (j = 0; j < fib->infos->len; j++) {
		struct fib_info *fi = fib->infos->pdata[j];
		u32 flags = fi->fib_flags;

		num_dead = 0;
		for (i = 0; i < fi->fib_nhs; i++) {
			struct fib_nh *nh = &fi->fib_nh[i];

			if (nh->nh_dev && nh->nh_dev == dev)
				nh->nh_flags = dead ?
					nh->nh_flags | RTNH_F_DEAD :
					nh->nh_flags & ~RTNH_F_DEAD;
			num_dead += nh->nh_flags & RTNH_F_DEAD;
		}
		fi->fib_flags = num_dead == fi->fib_nhs ?
			flags | RTNH_F_DEAD : flags & ~RTNH_F_DEAD;
		changed += fi->fib_flags != flags;
	}
	return changed;
}

u32 fib_sync_down_dev(struct ip_fib *fib, const struct net_device *dev)
{
	return sync_dev(fib, dev, true);
}

u32 fib_sync_up(struct ip_fib *fib, const struct net_device *dev)
{
	return sync_dev(fib, dev, false);
}

int fib_lookup_tables(struct ip_fib *fib, const struct fib_key *flp,
		      struct fib_result *res)
{
	guint i;

	for (i = 0; i < fib->tables->len; i++) {
		struct fib_table *tb = fib->tables->pdata[i];

		if (tb->tb_data == tb && !tb_lookup(tb, flp, res))
			return 0;
	}
	return -ENETUNREACH;
}
