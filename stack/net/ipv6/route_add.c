/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/ipv6/route.c: how the tables' routes come and go.  All of it is
 * set-up: it is not charged, but for what it allocates and the look-up of a
 * gateway.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/icmp.h"
#include "stack/net/ipv6/route.h"

/* ---- making and freeing ---- */

static struct rt6i_pcpu **alloc_cells(struct kernel *kernel)
{
	const struct machine *machine = kernel->machine;
	GPtrArray *spare = kernel->ipv6->spare_cells;
	struct rt6i_pcpu **cells;
	u32 i;

	if (spare->len)
		return g_ptr_array_steal_index(spare, spare->len - 1);
	cells = g_new(struct rt6i_pcpu *, machine->num_cpus);
	for (i = 0; i < machine->num_cpus; i++)
		cells[i] = STATIC_OBJECT(kernel, rt6i_pcpu,
					 machine->cpus[i].package);
	return cells;
}

static struct fib6_info *fib6_info_alloc(struct kernel *kernel, bool with_nh)
{
	u32 size = kernel->types[STRUCT_fib6_info].size;
	struct fib6_info *f6i;

	if (with_nh)
		size += kernel->types[STRUCT_fib6_nh].size;
	f6i = kmalloc(size, STRUCT_fib6_info, sizeof(*f6i), GFP_KERNEL);
	if (!f6i)
		return NULL;
	memset((char *)f6i + sizeof(f6i->object), 0,
	       sizeof(*f6i) - sizeof(f6i->object));
	kmemleak_not_leak(f6i);
	if (with_nh) {
		object_init(&f6i->fib6_nh.object,
			    &kernel->types[STRUCT_fib6_nh],
			    MEMBER_ADDRESS(f6i, fib6_nh));
		f6i->fib6_nh.rt6i_pcpu = alloc_cells(kernel);
	}
	return f6i;
}

static struct fib6_info *ip6_route_info_create(struct kernel *kernel,
					       const struct fib6_config *cfg)
{
	struct fib6_info *f6i = fib6_info_alloc(kernel, true);
	struct fib6_nh *nh;

	if (!f6i)
		return NULL;
	nh = &f6i->fib6_nh;
	nh->nh_common.nhc_dev = cfg->fc_dev;
	if (cfg->fc_flags & RTF_GATEWAY) {
		nh->nh_common.nhc_gw_family = PF_INET6;
		nh->nh_common.nhc_gw.ipv6 = cfg->fc_gateway;
	}
	f6i->fib6_dst.addr = cfg->fc_dst;
	f6i->fib6_dst.plen = cfg->fc_dst_len;
	f6i->fib6_src.addr = cfg->fc_src;
	f6i->fib6_src.plen = cfg->fc_src_len;
	f6i->fib6_prefsrc.addr = cfg->fc_prefsrc;
	f6i->fib6_prefsrc.plen = ipv6_addr_any(&cfg->fc_prefsrc) ? 0 : 128;
	f6i->fib6_flags = cfg->fc_flags;
	f6i->fib6_metric = cfg->fc_metric;
	f6i->fib6_protocol = cfg->fc_protocol;
	f6i->fib6_type = cfg->fc_type ? cfg->fc_type : RTN_UNICAST;
	return f6i;
}

void fib6_drop_pcpu_from(struct fib6_info *f6i)
{
	u32 i;

	for (i = 0; i < this_cpu->machine->num_cpus; i++) {
		struct rt6_info *rt = f6i->fib6_nh.rt6i_pcpu[i]->rt;

		if (!rt)
			continue;
		rt->from = NULL;
		f6i->fib6_ref--;
	}
	rt6_flush_exceptions(f6i);
}

static void fib6_info_destroy(struct fib6_info *f6i)
{
	struct rt6i_pcpu **cells = f6i->fib6_nh.rt6i_pcpu;
	u32 i;

	for (i = 0; i < this_cpu->machine->num_cpus; i++) {
		struct rt6_info *rt = cells[i]->rt;

		if (!rt)
			continue;
		cells[i]->rt = NULL;
		rt->dst.__refcnt--;
		rt6_free(rt);
	}
	g_ptr_array_add(this_kernel()->ipv6->spare_cells, cells);
	kfree(f6i->fib6_nh.rt6i_exception_bucket);
	kfree(f6i);
}

static void leaf_free(struct object *leaf)
{
	if (has(FIB6_RCU)) {
		fib6_info_destroy(leaf_f6i(leaf));
		return;
	}
	rt6_free_pcpu(leaf_rt6(leaf));
	rt6_free(leaf_rt6(leaf));
}

/* ---- adding and removing ---- */

static bool route_error(GError **error, const struct fib6_config *cfg,
			const char *what)
{
	g_autofree char *text = ipv6_addr_text(&cfg->fc_dst);

	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_NETWORK,
		    "route %s/%u: %s", text, cfg->fc_dst_len, what);
	return false;
}

/* Is this a way to a gateway: by the device, if one is given, and straight? */
static struct net_device *way_to_gateway(struct object *leaf,
					 const struct net_device *dev)
{
	struct net_device *by;
	u32 flags;

	if (has(FIB6_RCU)) {
		by = leaf_f6i(leaf)->fib6_nh.nh_common.nhc_dev;
		flags = leaf_f6i(leaf)->fib6_flags;
	} else {
		by = leaf_rt6(leaf)->dst.dev;
		flags = leaf_rt6(leaf)->rt6i_flags;
	}
	if (flags & (RTF_GATEWAY | RTF_REJECT | RTF_LOCAL) ||
	    (dev && dev != by))
		return NULL;
	return by;
}

/* The device over which the gateway is reached; NULL: there is none. */
static struct net_device *find_gateway(struct kernel *kernel,
				       const struct fib6_config *cfg)
{
	struct fib6_table *table = kernel->init_net->ipv6.fib6_main_tbl;
	struct net_device *dev;
	struct fib6_node *fn;
	struct object *leaf;

	if (ipv6_addr_type(&cfg->fc_gateway) & IPV6_ADDR_LINKLOCAL)
		return cfg->fc_dev;
	fn = fib6_node_lookup(&table->tb6_root, &cfg->fc_gateway, NULL);
	for (; fn; fn = fib6_backtrack(fn, NULL)) {
		for (leaf = fn->leaf; leaf && leaf != fib6_null_leaf();
		     leaf = fib6_leaf_next(leaf)) {
			dev = way_to_gateway(leaf, cfg->fc_dev);
			if (dev)
				return dev;
		}
	}
	return NULL;
}

static bool check_config(struct kernel *kernel, struct fib6_config *cfg,
			 GError **error)
{
	if (cfg->fc_dst_len > 128 || cfg->fc_src_len > 128)
		return route_error(error, cfg, "a prefix has up to 128 bits");
	if (cfg->fc_src_len && !has(IPV6_SUBTREES))
		return route_error(error, cfg, "this kernel is built without "
				   "routes by source");
	if (cfg->fc_flags & RTF_GATEWAY) {
		if (!(ipv6_addr_type(&cfg->fc_gateway) & IPV6_ADDR_UNICAST))
			return route_error(error, cfg, "its gateway is not the "
					   "address of a host");
		cfg->fc_dev = find_gateway(kernel, cfg);
		if (!cfg->fc_dev)
			return route_error(error, cfg, "its gateway is on no "
					   "network of this host: give a "
					   "device an address of its network "
					   "first, or name the device if the "
					   "gateway's address is link-local");
	}
	if (!cfg->fc_dev)
		return route_error(error, cfg, "it has no device and no "
				   "gateway: it needs one of them");
	if (!cfg->fc_dev->ip6_ptr)
		return route_error(error, cfg, "its device has no IPv6 "
				   "address: give it one first");
	return true;
}

bool ip6_route_add(struct kernel *kernel, struct fib6_table *table,
		   const struct fib6_config *wanted, GError **error)
{
	struct fib6_config cfg = *wanted;
	struct object *leaf, *replaced;
	struct rt6_info *rt;
	struct fib6_info *f6i;
	int err;

	cfg.fc_dst = ipv6_addr_prefix(&cfg.fc_dst, MIN(cfg.fc_dst_len, 128u));
	cfg.fc_src = ipv6_addr_prefix(&cfg.fc_src, MIN(cfg.fc_src_len, 128u));
	if (!check_config(kernel, &cfg, error))
		return false;
	if (has(FIB6_RCU)) {
		f6i = ip6_route_info_create(kernel, &cfg);
		leaf = f6i ? &f6i->object : NULL;
	} else {
		rt = ip6_leaf_new(kernel->init_net, &cfg);
		leaf = rt ? &rt->dst.object : NULL;
	}
	if (!leaf)
		return route_error(error, &cfg, "there is no memory for it");
	if (has(FIB6_RCU))
		leaf_f6i(leaf)->fib6_table = table;
	else
		leaf_rt6(leaf)->rt6i_table = table;
	if (has(RT6_PCPU) && !has(FIB6_RCU))
		leaf_rt6(leaf)->rt6i_pcpu = alloc_cells(kernel);
	err = fib6_add(table, leaf, cfg.fc_mode, &replaced);
	if (replaced)
		leaf_free(replaced);
	if (!err)
		return true;
	leaf_free(leaf);
	return route_error(error, &cfg, err == -EEXIST ?
			   "there is such a route already" :
			   "there is no memory for it");
}

void ip6_del_rt(struct fib6_table *table, struct object *leaf)
{
	fib6_del(table, leaf);
	leaf_free(leaf);
}

struct fib6_table *fib6_local_table(struct kernel *kernel)
{
	const struct netns_ipv6 *ipv6 = &kernel->init_net->ipv6;

	return has(IPV6_MULTIPLE_TABLES) ? ipv6->fib6_local_tbl :
					   ipv6->fib6_main_tbl;
}

bool inet6_add_route(struct kernel *kernel, struct net_device *dev,
		     const struct in6_addr *addr, u32 prefix,
		     const struct in6_addr *gateway, GError **error)
{
	struct fib6_config cfg = {
		.fc_dst = *addr, .fc_dst_len = prefix, .fc_dev = dev,
		.fc_flags = RTF_UP, .fc_metric = IP6_RT_PRIO_USER,
		.fc_protocol = RTPROT_BOOT, .fc_mode = FIB6_ADD_EXCL,
	};

	if (gateway && !ipv6_addr_any(gateway)) {
		cfg.fc_gateway = *gateway;
		cfg.fc_flags |= RTF_GATEWAY;
	}
	if (dev && dev->flags & IFF_LOOPBACK)
		return route_error(error, &cfg, "the loopback device leads "
				   "nowhere but to this host's addresses");
	return ip6_route_add(kernel, kernel->init_net->ipv6.fib6_main_tbl,
			     &cfg, error);
}

bool inet6_del_route(struct kernel *kernel, const struct in6_addr *addr,
		     u32 prefix)
{
	struct fib6_table *table = kernel->init_net->ipv6.fib6_main_tbl;
	struct in6_addr dst;
	struct fib6_node *fn;
	struct object *leaf;

	if (prefix > 128)
		return false;
	dst = ipv6_addr_prefix(addr, prefix);
	fn = fib6_locate(table, &dst, prefix, &dst, 0);
	leaf = fn ? fn->leaf : NULL;
	/* Where there is one table, this host's own addresses are in it. */
	while (leaf && !has(FIB6_RCU) &&
	       leaf_rt6(leaf)->rt6i_flags & (RTF_LOCAL | RTF_CACHE))
		leaf = fib6_leaf_next(leaf);
	if (!leaf || leaf == fib6_null_leaf())
		return false;
	ip6_del_rt(table, leaf);
	return true;
}

/* ---- start and end ---- */

/* What a look-up finds where there is nothing. */
static void make_null_entries(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	struct rt6_info *rt = KMALLOC(rt6_info, GFP_KERNEL);
	struct fib6_info *f6i;

	if (!rt)
		g_error("no memory for IPv6 routes");
	memset((char *)rt + sizeof(rt->dst.object), 0,
	       sizeof(*rt) - sizeof(rt->dst.object));
	rt->dst.__refcnt = 1;
	rt->dst.dev = net->loopback_dev;
	rt->dst.ops = &net->ipv6.ip6_dst_ops;
	rt->dst.obsolete = DST_OBSOLETE_FORCE_CHK;
	rt->dst.error = -ENETUNREACH;
	rt->rt6i_flags = RTF_REJECT | RTF_NONEXTHOP;
	rt->rt6i_metric = UINT32_MAX;
	rt->rt6i_ref = 1;
	net->ipv6.ip6_null_entry = rt;
	if (!has(FIB6_RCU))
		return;
	f6i = fib6_info_alloc(kernel, false);
	if (!f6i)
		g_error("no memory for IPv6 routes");
	f6i->fib6_ref = 1;
	f6i->fib6_flags = RTF_REJECT | RTF_NONEXTHOP;
	f6i->fib6_metric = UINT32_MAX;
	f6i->fib6_protocol = RTPROT_KERNEL;
	f6i->fib6_type = RTN_UNREACHABLE;
	net->ipv6.fib6_null_entry = f6i;
}

void ip6_route_init(struct kernel *kernel)
{
	struct net *net = kernel->init_net;
	struct dst_ops *ops = &net->ipv6.ip6_dst_ops;
	struct ipv6_room *room = kernel->ipv6;

	room->routes = g_ptr_array_new();
	room->spare_cells = g_ptr_array_new_with_free_func(g_free);
	room->ip6_dst_cache = kmem_cache_create(kernel, "ip6_dst_cache",
						STRUCT_rt6_info,
						sizeof(struct rt6_info), 0, 0,
						SLAB_HWCACHE_ALIGN);
	room->dst_ops_type = kernel->types[STRUCT_dst_ops];
	room->dst_ops_type.name = net->object.type->name;
	room->dst_ops_type.within = &net->object;
	object_init(&ops->object, &room->dst_ops_type,
		    MEMBER_ADDRESS(net, ipv6.ip6_dst_ops));
	ops->family = PF_INET6;
	ops->protocol = ETH_P_IPV6;
	ops->check = ip6_dst_check;
	ops->mtu = ip6_mtu;
	ops->link_failure = ip6_link_failure;
	/* Before, leaves of the trie have no reference by themselves. */
	if (kernel_has(kernel, FIB6_RCU))
		ops->destroy = ip6_dst_last_reference;
	net->ipv6.sysctl.ip6_rt_mtu_expires = 600 * kernel->parameters.hz;
	net->ipv6.sysctl.ip6_rt_gc_interval = 30 * kernel->parameters.hz;
	make_null_entries(kernel);
	net->ipv6.fib6_main_tbl = fib6_new_table(kernel, RT_TABLE_MAIN);
	if (has(IPV6_MULTIPLE_TABLES))
		net->ipv6.fib6_local_tbl = fib6_new_table(kernel,
							  RT_TABLE_LOCAL);
}

/* What is still referenced goes with the kernel. */
void ip6_route_exit(struct kernel *kernel)
{
	rt6_free_all();
	kfree(kernel->init_net->ipv6.ip6_null_entry);
	kfree(kernel->init_net->ipv6.fib6_null_entry);
	g_ptr_array_unref(kernel->ipv6->spare_cells);
}
