/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of stack/mm/ share; see mm_support.h. */
#include "mm_support.h"
#include "sim/cpu.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/percpu.h"
#include "tests/profile.h"

/* ---- layouts ---- */

/* Offsets of Linux 3.6 on x86-64, as far as stack/mm/ needs them. */
struct row {
	const char *type, *member;
	u32 offset;
};

static const struct row rows[] = {
	{ "kmem_cache", "batchcount", 0 },
	{ "kmem_cache", "limit", 4 },
	{ "kmem_cache", "shared", 8 },
	{ "kmem_cache", "size", 12 },
	{ "kmem_cache", "reciprocal_buffer_size", 16 },
	{ "kmem_cache", "flags", 20 },
	{ "kmem_cache", "num", 24 },
	{ "kmem_cache", "gfporder", 28 },
	{ "kmem_cache", "colour", 40 },
	{ "kmem_cache", "colour_off", 48 },
	{ "kmem_cache", "slabp_cache", 56 },
	{ "kmem_cache", "slab_size", 64 },
	{ "kmem_cache", "object_size", 108 },
	{ "kmem_cache", "nodelists", 120 },
	{ "kmem_cache", "array", 128 },
	{ "array_cache", "avail", 0 },
	{ "array_cache", "limit", 4 },
	{ "array_cache", "batchcount", 8 },
	{ "array_cache", "touched", 12 },
	{ "alien_cache", "lock", 16 },
	{ "this_cpu_off", "this_cpu_off", 0 },
	{ "kmem_cache", "cpu_cache", 0 },	/* 3.6 has none */
	{ "page", "active", 24 },
	{ "array_cache", "entry", 24 },
	{ "kmem_list3", "slabs_partial", 0 },
	{ "kmem_list3", "slabs_full", 16 },
	{ "kmem_list3", "slabs_free", 32 },
	{ "kmem_list3", "free_objects", 48 },
	{ "kmem_list3", "free_limit", 56 },
	{ "kmem_list3", "colour_next", 60 },
	{ "kmem_list3", "list_lock", 64 },
	{ "kmem_list3", "shared", 72 },
	{ "kmem_list3", "alien", 80 },
	{ "kmem_list3", "next_reap", 88 },
	{ "kmem_list3", "free_touched", 96 },
	{ "slab", "list", 0 },
	{ "slab", "colouroff", 16 },
	{ "slab", "s_mem", 24 },
	{ "slab", "inuse", 32 },
	{ "slab", "free", 36 },
	{ "slab", "nodeid", 40 },
	{ "slab", "rcu.next", 0 },
	{ "slab", "rcu.func", 8 },
	{ "slab", "rcu_cachep", 16 },
	{ "slab", "rcu_addr", 24 },
	{ "slab", "bufctl", 48 },
	{ "kmem_cache_slub", "cpu_slab", 0 },
	{ "kmem_cache_slub", "flags", 8 },
	{ "kmem_cache_slub", "min_partial", 16 },
	{ "kmem_cache_slub", "size", 24 },
	{ "kmem_cache_slub", "object_size", 28 },
	{ "kmem_cache_slub", "offset", 32 },
	{ "kmem_cache_slub", "cpu_partial", 36 },
	{ "kmem_cache_slub", "cpu_partial_slabs", 48 },
	{ "kmem_cache_slub", "oo", 40 },
	{ "kmem_cache_slub", "min", 56 },
	{ "kmem_cache_slub", "random", 184 },	/* of later kernels */
	{ "kmem_cache_slub", "random_seq", 184 },
	{ "kmem_cache_slub", "useroffset", 184 },
	{ "kmem_cache_slub", "usersize", 184 },
	{ "kmem_cache_slub", "remote_node_defrag_ratio", 184 },
	{ "kmem_cache_slub", "node", 192 },
	{ "kmem_cache_cpu", "freelist", 0 },
	{ "kmem_cache_cpu", "tid", 8 },
	{ "kmem_cache_cpu", "page", 16 },
	{ "kmem_cache_cpu", "partial", 24 },
	{ "kmem_cache_node", "list_lock", 0 },
	{ "kmem_cache_node", "nr_partial", 8 },
	{ "kmem_cache_node", "partial", 16 },
	{ "kmem_cache_node", "nr_slabs", 32 },
	{ "kmem_cache_node", "total_objects", 40 },
	{ "slub_object", "freepointer", 0 },
	{ "kmalloc_caches", "malloc_sizes", 0 },
	{ "kmalloc_caches", "kmalloc_caches", 512 },
	{ "kmalloc_caches", "size_index", 640 },
	{ "page", "flags", 0 },
	{ "page", "mapping", 8 },
	{ "page", "freelist", 16 },
	{ "page", "counters", 24 },
	{ "page", "_mapcount", 24 },
	{ "page", "_count", 28 },
	{ "page", "lru", 32 },
	{ "page", "rcu.next", 32 },
	{ "page", "rcu.func", 40 },
	{ "page", "next", 32 },
	{ "page", "slab_cache", 32 },
	{ "page", "pages", 40 },
	{ "page", "slab_page", 40 },
	{ "page", "pobjects", 44 },
	{ "page", "private", 48 },
	{ "page", "slab", 48 },
	{ "page", "first_page", 48 },
	{ "free_area", "free_list", 0 },
	{ "free_area", "nr_free", 80 },
	{ "zone", "watermark", 0 },
	{ "zone", "lowmem_reserve", 32 },
	{ "zone", "pageset", 96 },
	{ "zone", "lock", 104 },
	{ "zone", "free_area", 120 },
	{ "zone", "vm_stat", 1288 },
	{ "per_cpu_pages", "count", 0 },
	{ "per_cpu_pages", "high", 4 },
	{ "per_cpu_pages", "batch", 8 },
	{ "per_cpu_pages", "lists", 16 },
	{ "per_cpu_pageset", "stat_threshold", 65 },
	{ "per_cpu_pageset", "vm_stat_diff", 66 },
};

/* What Linux 4.6 has elsewhere. */
static const struct row rows_4_6[] = {
	{ "kmem_cache", "batchcount", 8 },
	{ "kmem_cache", "limit", 12 },
	{ "kmem_cache", "shared", 16 },
	{ "kmem_cache", "size", 20 },
	{ "kmem_cache", "reciprocal_buffer_size", 24 },
	{ "kmem_cache", "flags", 32 },
	{ "kmem_cache", "num", 36 },
	{ "kmem_cache", "gfporder", 40 },
	{ "kmem_cache", "colour", 48 },
	{ "kmem_cache", "colour_off", 56 },
	{ "kmem_cache", "slabp_cache", 64 },
	{ "kmem_cache", "slab_size", 72 },
	{ "kmem_cache", "object_size", 116 },
	{ "array_cache", "entry", 16 },
	{ "alien_cache", "lock", 0 },
	{ "kmem_list3", "list_lock", 0 },
	{ "kmem_list3", "slabs_partial", 8 },
	{ "kmem_list3", "slabs_full", 24 },
	{ "kmem_list3", "slabs_free", 40 },
	{ "kmem_list3", "free_objects", 56 },
	{ "kmem_list3", "free_limit", 64 },
	{ "kmem_list3", "colour_next", 68 },
	{ "slab", "bufctl", 0 },
	{ "page", "slab_cache", 48 },
	{ "page", "first_page", 32 },
};

static bool paged;		/* the kernel in the making is 4.6's */

static int row_offset(const char *type, const char *member)
{
	u32 i;

	for (i = 0; paged && i < ARRAY_SIZE(rows_4_6); i++)
		if (g_str_equal(rows_4_6[i].type, type) &&
		    g_str_equal(rows_4_6[i].member, member))
			return (int)rows_4_6[i].offset;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (g_str_equal(rows[i].type, type) &&
		    g_str_equal(rows[i].member, member))
			return (int)rows[i].offset;
	return -1;
}

/* Places what the access sites of `from` name in a type. */
static void place_members(struct object_type *type, const char *from)
{
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];
		int offset;

		if (!g_str_equal(site->type, from))
			continue;
		offset = row_offset(site->type, site->member);
		if (offset < 0)
			ck_abort_msg("no row for %s.%s", site->type,
				     site->member);
		object_type_place(type, site->offset, site->size, (u32)offset);
	}
}

#define MM_TYPE(kernel, name, kernel_size) \
	do { \
		struct object_type *type_ = &(kernel)->types[STRUCT_##name]; \
		object_type_init(type_, #name, sizeof(struct name), \
				 kernel_size); \
		place_members(type_, #name); \
	} while (0)

static void thing_type(struct kernel *kernel, enum struct_id id,
		       const char *name, u32 size)
{
	struct object_type *type = &kernel->types[id];

	object_type_init(type, name, sizeof(struct thing), size);
	object_type_place(type, offsetof(struct thing, value),
			  sizeof(((struct thing *)0)->value), 0);
}

static void make_types(struct kernel *kernel)
{
	MM_TYPE(kernel, kmem_cache, paged ? 632 : 640);
	MM_TYPE(kernel, array_cache, paged ? 16 : 24);
	MM_TYPE(kernel, alien_cache, 24);
	MM_TYPE(kernel, this_cpu_off, 8);
	MM_TYPE(kernel, kmem_list3, 104);
	MM_TYPE(kernel, slab, paged ? 8 : 48);
	MM_TYPE(kernel, kmem_cache_slub, 704);
	MM_TYPE(kernel, kmem_cache_cpu, 32);
	MM_TYPE(kernel, kmem_cache_node, 64);
	MM_TYPE(kernel, slub_object, 8);
	MM_TYPE(kernel, kmalloc_caches, 704);
	MM_TYPE(kernel, page, 56);
	MM_TYPE(kernel, free_area, 88);
	MM_TYPE(kernel, zone, 1664);
	MM_TYPE(kernel, per_cpu_pages, 64);
	MM_TYPE(kernel, per_cpu_pageset, 104);
	place_members(&kernel->types[STRUCT_per_cpu_pageset], "per_cpu_pages");
	thing_type(kernel, STRUCT_udp_sock, "udp_sock", paged ? 920 : 848);
	thing_type(kernel, STRUCT_sk_buff, "sk_buff", 232);
	thing_type(kernel, STRUCT_skb_head, "skb_head", 8);
	thing_type(kernel, STRUCT_sock, "sock", 632);
}

/* ---- machine and kernel ---- */

static struct machine_profile profile = {
	.name = (char *)"mm",
	.threads = 1,
	.node_bytes = 4ull << 30,
	.smt_milli = 1000,
	.l1d = { 64 * 8 * LINE_SIZE, 8 },
	.l2 = { 512 * 8 * LINE_SIZE, 8 },
	.l3 = { 1024 * 16 * LINE_SIZE, 16 },
	TEST_PROFILE_NUMBERS,
};

static void limit_memory(struct machine *machine, u32 mib)
{
	u32 node;

	for (node = 0; mib && node < machine->profile->packages; node++)
		machine->node_end_frame[node] =
			machine->node_first_frame[node] +
			(mib << (20 - PAGE_SHIFT));
}

/* A kernel as any run has it. */
static struct kernel *whole_kernel(struct machine *machine, const char *data,
				   const char *const *patches)
{
	const char *top = g_getenv("top_srcdir");
	g_autofree char *folder = g_build_filename(top ? top : ".", "stack",
						   "kernels", data, NULL);
	struct kernel_config config = { .folder = folder, .patches = patches };
	GError *error = NULL;
	struct kernel *kernel = kernel_new(machine, &config, &error);

	if (!kernel)
		ck_abort_msg("%s", error->message);
	return kernel;
}

static void set_features(struct kernel *kernel)
{
	static const enum feature features[] = {
		KMALLOC_COMMON, SLAB_PAGE_DESCRIPTOR, SLAB_BYTE_INDEX,
		SLAB_ARRAY_PERCPU, PAGE_COMPOUND_HEAD, SLAB_OBJFREELIST,
		SLAB_DEFERRED_DESTROY,
	};
	u32 i;

	for (i = 0; paged && i < ARRAY_SIZE(features); i++)
		features_set(&kernel->features, features[i], true);
}

/* All that SLAB asks of a CPU's own area. */
static void make_percpu(struct kernel *kernel)
{
	u32 i, n = kernel->machine->num_cpus;

	kernel->percpu = g_new0(struct percpu_area, n);
	for (i = 0; i < n; i++)
		kernel->percpu[i].this_cpu_off =
			BOOT_OBJECT(kernel->mm, this_cpu_off,
				    percpu_memory(kernel->mm, i, 8, 8));
}

struct kernel *mm_kernel_new(const struct mm_setup *setup)
{
	struct machine *machine;
	struct kernel *kernel;
	u32 i;

	profile.packages = setup->packages;
	profile.cores = setup->cores;
	machine = machine_new(&profile, MAX(setup->seed, 1), setup->check);
	limit_memory(machine, setup->node_mib);
	if (setup->data)
		return whole_kernel(machine, setup->data, setup->patches);
	kernel = g_new0(struct kernel, 1);
	kernel->machine = machine;
	machine->kernel = kernel;
	for (i = 0; i < num_function_sites(); i++)
		account_set_cost(kernel->machine, i, 30, 3);
	kernel->parameters.allocator = (char *)setup->allocator;
	kernel->pointer_bytes = 8;
	kernel->kmalloc_min = 8;
	if (setup->limited) {
		kernel->slab_limits = g_hash_table_new(g_str_hash, g_str_equal);
		g_hash_table_insert(kernel->slab_limits,
				    (char *)setup->limited,
				    GUINT_TO_POINTER(setup->limit));
	}
	paged = setup->paged;
	set_features(kernel);
	make_types(kernel);
	on_cpu(kernel, 0);
	mm_init(kernel);
	make_percpu(kernel);
	return kernel;
}

void mm_kernel_free(struct kernel *kernel)
{
	struct machine *machine = kernel->machine;
	u32 i;

	if (kernel->name) {
		kernel_free(kernel);
		machine_free(machine);
		return;
	}
	mm_exit(kernel);
	g_free(kernel->percpu);
	ck_assert_ptr_null(kernel->mm);
	for (i = 0; i < NUM_STRUCTS; i++)
		object_type_fini(&kernel->types[i]);
	if (kernel->slab_limits)
		g_hash_table_unref(kernel->slab_limits);
	machine_free(machine);
	g_free(kernel);
}

void on_cpu(struct kernel *kernel, u32 id)
{
	must(id < kernel->machine->num_cpus);
	this_cpu = &kernel->machine->cpus[id];
}

void mm_in_process(struct kernel *kernel, void (*fn)(void *arg), void *arg)
{
	struct task_struct *task;
	struct context *context;

	on_cpu(kernel, 0);
	task = task_new(NULL);
	context = context_new(this_cpu, "test", fn, arg);
	context->owner = task;
	ck_assert(machine_run(kernel->machine));
	on_cpu(kernel, 0);
	task_free(task);
	context_free(context);
}

struct any_cache *udp_cache(struct kernel *kernel, u32 flags)
{
	return kmem_cache_create(kernel, "UDP", STRUCT_udp_sock,
				 sizeof(struct thing), 0, 0,
				 SLAB_HWCACHE_ALIGN | flags);
}

struct any_cache *udpv6_cache(struct kernel *kernel)
{
	return kmem_cache_create(kernel, "UDPv6", STRUCT_udp_sock,
				 sizeof(struct thing), paged ? 1072 : 1032, 0,
				 SLAB_HWCACHE_ALIGN);
}

struct any_cache *small_cache(struct kernel *kernel)
{
	return kmem_cache_create(kernel, "skbuff_head_cache", STRUCT_sk_buff,
				 sizeof(struct thing), 0, 0,
				 SLAB_HWCACHE_ALIGN);
}

struct slabinfo info_of(const struct kernel *kernel, const char *name)
{
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(kernel, i, &info); i++)
		if (g_str_equal(info.name, name))
			return info;
	ck_abort_msg("no cache is called %s", name);
}

void verify_no_findings(const struct kernel *kernel)
{
	const char *const *found = check_findings(kernel->machine->check);

	if (*found)
		ck_abort_msg("%s", *found);
}
