/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts a kernel on a machine; see kernel.h. */
#include <errno.h>
#include <string.h>

#include "sim/check.h"
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/rx.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netlink.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"
#include "stack/include/net/udp.h"
#include "stack/kernel_data.h"
#include "stack/layout.h"
#include "stack/net/core/flow_dissector.h"
#include "stack/net/ipv4/route_cache.h"

void *static_object(struct kernel *kernel, enum struct_id id, size_t size,
		    u32 node)
{
	const struct object_type *type = &kernel->types[id];
	u32 bytes = MAX(type->size, 1u);
	void *object = g_malloc0(size);
	u64 address;

	/* Arrays at the end of a struct: the C size says how long they are. */
	bytes = MAX(bytes, size > struct_c_size(id) ?
		    type->size + (u32)(size - struct_c_size(id)) : 0);
	bytes = (bytes + LINE_SIZE - 1) & ~(LINE_SIZE - 1);
	if (kernel->static_next[node] + bytes > kernel->static_end[node]) {
		u32 order = 0;

		while (PAGE_SIZE << order < bytes)
			order++;
		address = machine_alloc_pages(kernel->machine, node, order);
		if (!address)
			g_error("the simulated memory of node %u is full",
				node);
		kernel->static_next[node] = address;
		kernel->static_end[node] = address + (PAGE_SIZE << order);
	}
	object_init(object, type, kernel->static_next[node]);
	kernel->static_next[node] += bytes;
	g_ptr_array_add(kernel->statics, object);
	return object;
}

int not_modelled(const char *path)
{
	struct kernel *kernel = this_kernel();

	if (!kernel->not_modelled)
		kernel->not_modelled = path;
	return -EAFNOSUPPORT;
}

/* ---- what a scenario changes ---- */

static bool apply_patches(struct kernel *kernel,
			  const struct kernel_config *config, GError **error)
{
	const char *const *patches;

	kernel->features = features_of_version(kernel->version);
	features_add(&kernel->features, kernel->config);
	for (patches = config->patches; patches && *patches; patches++) {
		bool remove = **patches == '-';
		int feature = feature_find(*patches + remove);

		if (feature < 0) {
			g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_SETTING,
				    "%s%sno patch is called '%s'; 'udpsim list "
				    "patches' has them all",
				    config->patches_where ?
				    config->patches_where : "",
				    config->patches_where ? ": " : "",
				    *patches + remove);
			return false;
		}
		features_set(&kernel->features, feature, !remove);
	}
	return true;
}

static bool parameter_error(GError **error,
			    const struct kernel_setting *setting,
			    const char *right)
{
	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_SETTING,
		    "%s: parameters.%s = %s: %s", setting->where, setting->key,
		    setting->value, right);
	return false;
}

/* "32768 60999" */
static bool set_port_range(struct kernel_parameters *p,
			   const struct kernel_setting *setting, GError **error)
{
	g_auto(GStrv) words = g_strsplit(setting->value, " ", -1);
	guint64 low, high;

	if (g_strv_length(words) != 2 ||
	    !g_ascii_string_to_unsigned(words[0], 10, 1, 65535, &low, NULL) ||
	    !g_ascii_string_to_unsigned(words[1], 10, 1, 65535, &high, NULL) ||
	    low > high)
		return parameter_error(error, setting, "must be two ports, the "
				       "lower first: 32768 60999");
	p->port_range[0] = (u32)low;
	p->port_range[1] = (u32)high;
	return true;
}

/* Parameters that are a number within bounds. */
struct number_key {
	const char *key;
	size_t offset;		/* of the u32 in struct kernel_parameters */
	u32 least, most;
	const char *right;
};

static const struct number_key number_keys[] = {
	{ "kernel.hz", offsetof(struct kernel_parameters, hz),
	  100, 1000, "must be from 100 to 1000" },
	{ "udp.hash_entries",
	  offsetof(struct kernel_parameters, udp_hash_entries),
	  256, 65536, "must be from 256 to 65536" },
	{ "net.ipv4.conf.all.rp_filter",
	  offsetof(struct kernel_parameters, rp_filter),
	  0, 2, "must be 0 (off), 1 (strict) or 2 (loose)" },
	{ "net.ipv4.conf.all.force_igmp_version",
	  offsetof(struct kernel_parameters, force_igmp_version),
	  0, 3, "must be 0 (what the routers speak) or 1, 2 or 3" },
	{ "net.ipv4.igmp_qrv", offsetof(struct kernel_parameters, igmp_qrv),
	  1, 7, "must be from 1 to 7" },
	{ "net.ipv6.conf.all.force_mld_version",
	  offsetof(struct kernel_parameters, force_mld_version),
	  0, 2, "must be 0 (what the routers speak) or 1 or 2" },
	{ "net.ipv6.mld_qrv", offsetof(struct kernel_parameters, mld_qrv),
	  1, 7, "must be from 1 to 7" },
	{ "net.core.busy_read", offsetof(struct kernel_parameters, busy_read),
	  0, 1000000, "must be from 0 to 1000000 microseconds" },
	{ "rcu.blimit", offsetof(struct kernel_parameters, rcu.blimit),
	  1, 1000000, "must be from 1 to 1000000" },
	{ "rcu.qhimark", offsetof(struct kernel_parameters, rcu.qhimark),
	  1, 100000000, "must be from 1 to 100000000" },
	{ "rcu.qlowmark", offsetof(struct kernel_parameters, rcu.qlowmark),
	  1, 100000000, "must be from 1 to 100000000" },
	{ "rcu.jiffies_till_first_fqs",
	  offsetof(struct kernel_parameters, rcu.first_fqs),
	  1, 1000, "must be from 1 to 1000" },
	{ "rcu.jiffies_till_next_fqs",
	  offsetof(struct kernel_parameters, rcu.next_fqs),
	  1, 1000, "must be from 1 to 1000" },
};

/* NULL: the key is none of those. */
static const struct number_key *find_number(const char *key)
{
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(number_keys); i++)
		if (g_str_equal(number_keys[i].key, key))
			return &number_keys[i];
	return NULL;
}

static bool set_number(struct kernel_parameters *p,
		       const struct number_key *number,
		       const struct kernel_setting *setting, GError **error)
{
	guint64 value;

	if (!g_ascii_string_to_unsigned(setting->value, 10, number->least,
					number->most, &value, NULL))
		return parameter_error(error, setting, number->right);
	*(u32 *)(void *)((u8 *)p + number->offset) = (u32)value;
	return true;
}

static bool set_parameter(struct kernel *kernel,
			  const struct kernel_setting *setting, GError **error)
{
	struct kernel_parameters *p = &kernel->parameters;
	const struct number_key *number = find_number(setting->key);
	const char *key = setting->key;
	size_t len = strlen(key);
	guint64 value;

	if (number)
		return set_number(p, number, setting, error);
	if (g_str_equal(key, "mm.allocator")) {
		if (!kernel_is_allocator(setting->value))
			return parameter_error(error, setting,
					       "must be slab or slub");
		g_free(p->allocator);
		p->allocator = g_strdup(setting->value);
		return true;
	}
	if (g_str_equal(key, "net.ipv4.ip_local_port_range"))
		return set_port_range(p, setting, error);
	if (g_str_has_prefix(key, "slab.") && g_str_has_suffix(key, ".limit") &&
	    len > strlen("slab..limit")) {
		if (!g_ascii_string_to_unsigned(setting->value, 10, 1, 4096,
						&value, NULL))
			return parameter_error(error, setting,
					       "must be from 1 to 4096");
		g_hash_table_insert(kernel->slab_limits,
				    g_strndup(key + 5, len - 5 - 6),
				    GUINT_TO_POINTER((guint)value));
		return true;
	}
	return parameter_error(error, setting, "no such parameter; there are "
			       "kernel.hz, mm.allocator, slab.CACHE.limit, "
			       "udp.hash_entries, "
			       "net.ipv4.ip_local_port_range, "
			       "net.ipv4.conf.all.rp_filter, "
			       "net.ipv4.conf.all.force_igmp_version, "
			       "net.ipv4.igmp_qrv, "
			       "net.ipv6.conf.all.force_mld_version, "
			       "net.ipv6.mld_qrv, rcu.blimit, "
			       "rcu.qhimark, rcu.qlowmark, "
			       "rcu.jiffies_till_first_fqs and "
			       "rcu.jiffies_till_next_fqs");
}

static bool apply_settings(struct kernel *kernel,
			   const struct kernel_config *config, GError **error)
{
	const struct kernel_setting *setting;

	if (!apply_patches(kernel, config, error))
		return false;
	kernel->machine->spin_locks_queued =
		kernel_has(kernel, SPIN_LOCKS_QUEUED);
	for (setting = config->parameters; setting && setting->key; setting++)
		if (!set_parameter(kernel, setting, error))
			return false;
	return true;
}

/* A kernel's tables may have the structs of one allocator only. */
static bool check_allocator(const struct kernel *kernel,
			    const struct kernel_setting *setting,
			    GError **error)
{
	if (mm_has_structs(kernel))
		return true;
	for (; setting && setting->key; setting++)
		if (g_str_equal(setting->key, "mm.allocator"))
			return parameter_error(error, setting, "the tables of "
					       "this kernel do not have it");
	g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA, "%s: structs.tsv "
		    "has not the structs of the allocator %s", kernel->name,
		    kernel->parameters.allocator);
	return false;
}

/* What a node must have, so that starting on it cannot fail: room for the
 * tables, and for what each of its CPUs has of its own.  Found by trying, with
 * some to spare. */
static u32 needed_mib(const struct kernel *kernel)
{
	const struct machine *machine = kernel->machine;
	u32 packages = machine->profile->packages;
	u32 tables;

	/* UDP's two tables of 16 bytes a slot, beyond the smallest. */
	tables = udp_hash_entries(kernel) * 32 >> 20;
	if (HAS_ROUTE_CACHE(kernel))
		tables += rt_hash_bytes(kernel) >> 20;
	return 16 + machine->num_cpus / packages / 4 + tables / packages;
}

static bool check_memory(const struct kernel *kernel, GError **error)
{
	const struct machine *machine = kernel->machine;
	u32 node;

	for (node = 0; node < machine->profile->packages; node++) {
		u32 frames = machine->node_end_frame[node] -
			     machine->node_first_frame[node];
		u32 mib = frames >> (20 - PAGE_SHIFT);

		if (mib >= needed_mib(kernel))
			continue;
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_SETTING,
			    "node %u of the machine has %u MiB; a kernel needs "
			    "%u on each", node, mib, needed_mib(kernel));
		return false;
	}
	return true;
}

/* A limit for a cache that nobody has made is a slip of the pen.  Known only
 * when all caches are there. */
static bool check_slab_limits(const struct kernel *kernel,
			      const struct kernel_setting *setting,
			      GError **error)
{
	for (; setting && setting->key; setting++) {
		struct slabinfo info;
		bool found = !g_str_has_prefix(setting->key, "slab.");
		u32 i;

		if (!found && g_str_equal(kernel->parameters.allocator, "slub"))
			return parameter_error(error, setting, "SLUB has no "
					       "such limit; mm.allocator = "
					       "slab has");
		for (i = 0; !found && !slabinfo_get(kernel, i, &info); i++) {
			g_autofree char *key =
				g_strdup_printf("slab.%s.limit", info.name);

			found = g_str_equal(key, setting->key);
		}
		if (!found)
			return parameter_error(error, setting, "no cache has "
					       "this name; slabinfo has UDP, "
					       "filp, skbuff_head_cache, "
					       "size-512, ...");
	}
	return true;
}

char *kernel_patches(const struct kernel *kernel)
{
	features_t merged = features_of_version(kernel->version);
	GString *text = g_string_new(NULL);
	int i;

	features_add(&merged, kernel->config);
	for (i = 0; i < NUM_FEATURES; i++) {
		bool was = features_has(&merged, i);

		if (was != kernel_has(kernel, i))
			g_string_append_printf(text, "%s%s%s",
					       text->len ? ";" : "",
					       was ? "-" : "+",
					       feature_info[i].name);
	}
	return g_string_free(text, FALSE);
}

/* ---- start and end ---- */

/* Streams by CPU, so that it does not matter who comes first. */
static void txhash_init(struct kernel *kernel)
{
	u32 i, n = kernel->machine->num_cpus;
	struct random_stream *txhash = g_new0(struct random_stream, n);

	for (i = 0; i < n; i++)
		random_seed(&txhash[i], kernel->machine->seed, "txhash", i);
	kernel->net_core->sockets->txhash = txhash;
}

static void in_use_init(struct kernel *kernel)
{
	u32 i, n = kernel->machine->num_cpus;
	struct sockets_in_use **in_use = g_new0(struct sockets_in_use *, n);

	for (i = 0; i < n; i++)
		in_use[i] = STATIC_OBJECT(kernel, sockets_in_use,
					  kernel->machine->cpus[i].package);
	kernel->net_core->sockets->in_use = in_use;
}

static void sockets_init(struct kernel *kernel)
{
	struct socket_room *room = g_new0(struct socket_room, 1);
	u32 locks = kernel_has(kernel, UDP_READER_QUEUE) ? UDP_BUSYLOCKS : 0;
	u32 i;

	kernel->net_core->sockets = room;
	txhash_init(kernel);
	room->udp_memory = STATIC_OBJECT(kernel, udp_memory, 0);
	for (i = 0; i < locks; i++)
		room->udp_busylocks[i] =
			STATIC_OBJECT(kernel, udp_busylock, 0);
	room->security_ops = STATIC_OBJECT(kernel, security_operations, 0);
	room->files_cache = kmem_cache_create(kernel, "files_cache",
					      STRUCT_files_struct,
					      sizeof(struct files_struct), 0, 0,
					      SLAB_HWCACHE_ALIGN);
	room->file_cache = kmem_cache_create(kernel, "filp", STRUCT_file,
					     sizeof(struct file), 0, 0,
					     SLAB_HWCACHE_ALIGN);
	room->socket_cache = kmem_cache_create(kernel, "sock_inode_cache",
					       STRUCT_socket_alloc,
					       sizeof(struct socket_alloc), 0,
					       0, SLAB_HWCACHE_ALIGN |
					       SLAB_WITH_CTOR);
	in_use_init(kernel);
	netlink_init(kernel);
	fork_init(kernel);
}

/* What kernel.ini and the settings gave. */
static void free_data(struct kernel *kernel)
{
	g_free(kernel->parameters.allocator);
	if (kernel->folders)
		g_ptr_array_unref(kernel->folders);
	g_free(kernel->version);
	g_free(kernel->name);
}

struct layout *kernel_layout(const struct kernel_config *config, GError **error)
{
	struct kernel kernel = {
		.name = g_path_get_basename(config->folder),
	};
	struct layout *layout = NULL;

	if (kernel_read_ini(&kernel, config->folder, error) &&
	    apply_patches(&kernel, config, error))
		layout = kernel_read_layout(&kernel, config, error);
	free_data(&kernel);
	return layout;
}

struct kernel *kernel_new(struct machine *machine,
			  const struct kernel_config *config, GError **error)
{
	struct kernel *kernel = g_new0(struct kernel, 1);

	kernel->name = g_path_get_basename(config->folder);
	kernel->machine = machine;
	kernel->statics = g_ptr_array_new_with_free_func(g_free);
	kernel->slab_limits = g_hash_table_new_full(g_str_hash, g_str_equal,
						    g_free, NULL);
	machine->kernel = kernel;
	refcounts_declare(machine);
	this_cpu = &machine->cpus[0];
	if (!kernel_read_ini(kernel, config->folder, error) ||
	    !apply_settings(kernel, config, error) ||
	    !kernel_read_tables(kernel, config, error) ||
	    !check_allocator(kernel, config->parameters, error) ||
	    !check_memory(kernel, error)) {
		kernel_free(kernel);
		return NULL;
	}
	percpu_init(kernel);
	sched_init(kernel);
	mm_init(kernel);
	time_init(kernel);
	fs_init(kernel);
	kernel->init_net = STATIC_OBJECT(kernel, net, 0);
	kernel->net_core = g_new0(struct net_core, 1);
	net_dev_init(kernel);
	neigh_init(kernel);
	skb_init(kernel);
	rx_init(kernel);
	flow_dissector_init(kernel);
	sockets_init(kernel);
	ipv4_init(kernel);
	inet6_init(kernel);
	cpucache_init(kernel);
	if (!check_slab_limits(kernel, config->parameters, error)) {
		kernel_free(kernel);
		return NULL;
	}
	return kernel;
}

void kernel_free(struct kernel *kernel)
{
	int id;

	if (!kernel)
		return;
	this_cpu = &kernel->machine->cpus[0];
	if (kernel->net_core) {
		neigh_stop(kernel);
		rcu_barrier();	/* sockets and files that wait */
		fork_exit(kernel);
		inet6_exit(kernel);
		ipv4_exit(kernel);
		neigh_exit(kernel);
		net_dev_exit(kernel);
		rx_exit(kernel);
		g_free(kernel->net_core->sockets->in_use);
		g_free(kernel->net_core->sockets->txhash);
		g_free(kernel->net_core->sockets);
		g_free(kernel->net_core->all_bytes);
		g_free(kernel->net_core);
	}
	rcu_exit(kernel);
	sched_exit(kernel);
	softirq_exit(kernel);
	fs_exit(kernel);
	time_exit(kernel);
	if (kernel->mm)
		mm_exit(kernel);
	g_ptr_array_unref(kernel->statics);
	for (id = 0; id < NUM_STRUCTS; id++)
		object_type_fini(&kernel->types[id]);
	percpu_exit(kernel);
	g_hash_table_unref(kernel->slab_limits);
	g_free(kernel->absent_sites);
	g_free(kernel->absent_functions);
	free_data(kernel);
	kernel->machine->kernel = NULL;
	this_cpu = NULL;
	g_free(kernel);
}
