/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c: how SLAB lays out and makes its caches.  Runs before the
 * simulated time starts, so nothing is charged.
 */
#include <string.h>

#include "stack/mm/slab.h"

#define SLAB_MAX_ORDER 1u	/* of a machine with more than 32 MiB */
#define KMALLOC_MAX_ORDER 10u
#define BUFCTL_SIZE 4u		/* kmem_bufctl_t */
#define ALIEN_LIMIT 12u

/* ---- layout of a slab ---- */

static u32 slab_struct_size(const struct mm *mm)
{
	return mm->kernel->types[STRUCT_slab].size;
}

/* How many objects fit into 2^order pages, and what is left over. */
static u32 cache_estimate(const struct kmem_cache *cachep, u32 order,
			  u32 *left_over)
{
	u32 bytes = PAGE_SIZE << order, size = cachep->size, num;
	u32 head = slab_struct_size(cachep->any.mm), align = cachep->any.align;

	if (cachep->flags & CFLGS_OFF_SLAB) {
		num = bytes / size;
		*left_over = bytes - num * size;
		return num;
	}
	num = (bytes - head) / (size + BUFCTL_SIZE);
	if (ALIGN_UP(head + num * BUFCTL_SIZE, align) + num * size > bytes)
		num--;
	*left_over = bytes - num * size -
		     ALIGN_UP(head + num * BUFCTL_SIZE, align);
	return num;
}

/* Chooses the smallest order that wastes no more than an eighth; gives what
 * is left over, with num 0 where no order serves. */
static u32 calculate_slab_order(struct kmem_cache *cachep)
{
	u32 head = slab_struct_size(cachep->any.mm);
	u32 left_over = 0, order;

	for (order = 0; order <= KMALLOC_MAX_ORDER; order++) {
		u32 left, num = cache_estimate(cachep, order, &left);

		if (!num)
			continue;
		/* Off-slab management must be smaller than an object, or it
		 * might need a slab of this very cache. */
		if (cachep->flags & CFLGS_OFF_SLAB &&
		    num > (cachep->size - head) / BUFCTL_SIZE)
			break;
		cachep->num = num;
		cachep->gfporder = order;
		left_over = left;
		if (order >= SLAB_MAX_ORDER ||
		    left * 8 <= PAGE_SIZE << order)
			break;
	}
	return left_over;
}

/* Small objects are aligned to the part of a line that they fill. */
static u32 hwcache_align(u32 size, u32 align, u32 flags)
{
	u32 ralign = 8;

	if (flags & SLAB_HWCACHE_ALIGN) {
		ralign = LINE_SIZE;
		while (size <= ralign / 2)
			ralign /= 2;
	}
	return MAX(align, ralign);
}

struct kmem_cache *general_cache(const struct mm *mm, u32 size)
{
	u32 i;

	for (i = 0; i < mm->num_classes; i++) {
		struct any_cache *any = mm->kmalloc_caches->malloc_sizes[i];

		if (size <= any->size)
			return (struct kmem_cache *)any;
	}
	g_assert_not_reached();
}

static void finish_layout(struct kmem_cache *cachep)
{
	cachep->reciprocal_buffer_size =
		(u32)(((1ull << 32) + cachep->size - 1) / cachep->size);
	any_cache_place(&cachep->any, 0, cachep->num);
}

static void lay_out(struct kmem_cache *cachep, u32 size, u32 align, u32 flags)
{
	struct mm *mm = cachep->any.mm;
	u32 left_over, tail = slab_struct_size(mm);

	size = ALIGN_UP(size, 8);
	cachep->object_size = size;
	cachep->flags = flags;
	if (size >= PAGE_SIZE >> 3)
		cachep->flags |= CFLGS_OFF_SLAB;
	align = hwcache_align(size, align, flags);
	cachep->any.align = align;
	cachep->size = ALIGN_UP(size, align);
	cachep->any.size = cachep->size;
	if (has(SLAB_PAGE_DESCRIPTOR)) {
		cachep->flags = flags;
		page_lay_out(cachep);
		finish_layout(cachep);
		return;
	}
	left_over = calculate_slab_order(cachep);
	g_assert(cachep->num);

	tail += cachep->num * BUFCTL_SIZE;
	cachep->slab_size = ALIGN_UP(tail, align);
	if (cachep->flags & CFLGS_OFF_SLAB && left_over >= cachep->slab_size) {
		cachep->flags &= ~CFLGS_OFF_SLAB;
		left_over -= cachep->slab_size;
	}
	if (cachep->flags & CFLGS_OFF_SLAB) {
		cachep->slab_size = tail;
		cachep->slabp_cache = general_cache(mm, tail);
	}
	cachep->colour_off = MAX(LINE_SIZE, align);
	cachep->colour = left_over / cachep->colour_off;
	finish_layout(cachep);
}

/* ---- arrays and nodes ---- */

static u32 arraycache_size(const struct mm *mm, u32 limit)
{
	const struct object_type *type = &mm->kernel->types[STRUCT_array_cache];

	return type->offsets[offsetof(struct array_cache, entry)] + 8 * limit;
}

static void init_arraycache(struct mm *mm, struct array_cache *ac, u32 limit,
			    u32 batchcount)
{
	ac->limit = limit;
	ac->batchcount = batchcount;
	ac->entry = mm_memory(mm, limit * sizeof(ac->entry[0]));
}

static struct array_cache *alloc_arraycache(struct mm *mm, u32 node, u32 limit,
					    u32 batchcount)
{
	struct array_cache *ac =
		BOOT_OBJECT(mm, array_cache,
			    boot_memory(mm, node, arraycache_size(mm, limit),
					LINE_SIZE));

	init_arraycache(mm, ac, limit, batchcount);
	return ac;
}

/* A CPU's: its own kmalloc'ed array, or, since 3.18, a per-CPU variable. */
static struct array_cache *alloc_cpu_cache(const struct kmem_cache *cachep,
					   u32 cpu)
{
	struct mm *mm = cachep->any.mm;
	u32 size = arraycache_size(mm, cachep->limit);
	struct array_cache *ac;

	if (!has(SLAB_ARRAY_PERCPU))
		return alloc_arraycache(mm, mm->machine->cpus[cpu].package,
					cachep->limit, cachep->batchcount);
	ac = BOOT_OBJECT(mm, array_cache, percpu_memory(mm, cpu, size, 8));
	init_arraycache(mm, ac, cachep->limit, cachep->batchcount);
	return ac;
}

static struct alien_cache *alloc_alien(struct mm *mm, u32 node, u32 limit)
{
	u32 skip = has(SLAB_ARRAY_PERCPU) ? 8 : 0;
	u64 address = boot_memory(mm, node, skip + arraycache_size(mm, limit),
				  LINE_SIZE);
	struct alien_cache *alien = BOOT_OBJECT(mm, alien_cache, address);

	object_init(&alien->ac.object, &mm->kernel->types[STRUCT_array_cache],
		    address + skip);
	init_arraycache(mm, &alien->ac, limit, 0);
	return alien;
}

static u32 cpus_of_node(const struct mm *mm, u32 node)
{
	u32 n = 0, i;

	for (i = 0; i < mm->num_cpus; i++)
		n += mm->machine->cpus[i].package == node;
	return n;
}

static struct alien_cache **alloc_alien_cache(struct kmem_cache *cachep,
					      u32 node)
{
	struct mm *mm = cachep->any.mm;
	u32 limit = cachep->limit > 1 ? ALIEN_LIMIT : cachep->limit, i;
	struct alien_cache **alien = mm_memory(mm, mm->num_nodes *
					       sizeof(*alien));

	for (i = 0; i < mm->num_nodes; i++)
		if (i != node)
			alien[i] = alloc_alien(mm, node, limit);
	return alien;
}

static void alloc_node(struct kmem_cache *cachep, u32 node)
{
	struct mm *mm = cachep->any.mm;
	u32 size = mm->kernel->types[STRUCT_kmem_list3].size;
	struct kmem_list3 *l3 =
		BOOT_OBJECT(mm, kmem_list3,
			    boot_memory(mm, node, size, LINE_SIZE));

	list_init(&l3->slabs_partial);
	list_init(&l3->slabs_full);
	list_init(&l3->slabs_free);
	l3->free_limit = (1 + cpus_of_node(mm, node)) * cachep->batchcount +
			 cachep->num;
	if (cachep->shared)
		l3->shared = alloc_arraycache(mm, node, cachep->shared *
					      cachep->batchcount, 0);
	l3->alien = alloc_alien_cache(cachep, node);
	cachep->nodelists[node] = l3;
}

/* How many objects a CPU keeps: fewer where they are large. */
static u32 default_limit(u32 size)
{
	if (size > 131072)
		return 1;
	if (size > PAGE_SIZE)
		return 8;
	if (size > 1024)
		return 24;
	if (size > 256)
		return 54;
	return 120;
}

static void enable_cpucache(struct kmem_cache *cachep)
{
	struct mm *mm = cachep->any.mm;
	GHashTable *limits = mm->kernel->slab_limits;
	gpointer limit = limits ? g_hash_table_lookup(limits, cachep->any.name)
				: NULL;
	u32 i;

	cachep->limit = limit ? GPOINTER_TO_UINT(limit) :
		default_limit(cachep->size);
	cachep->batchcount = (cachep->limit + 1) / 2;
	if (cachep->size <= PAGE_SIZE && mm->num_cpus > 1)
		cachep->shared = 8;
	for (i = 0; i < mm->num_cpus; i++)
		cachep->array[i] = alloc_cpu_cache(cachep, i);
	for (i = 0; i < mm->num_nodes; i++)
		alloc_node(cachep, i);
}

/* ---- caches ---- */

struct any_cache *slab_cache_create(struct mm *mm, const char *name,
				    const struct object_type *type,
				    size_t c_size, u32 size, u32 align,
				    u32 flags)
{
	const struct object_type *own = &mm->kernel->types[STRUCT_kmem_cache];
	u32 bytes = has(SLAB_ARRAY_PERCPU) ?
		own->offsets[offsetof(struct kmem_cache, nodelists)] +
		8 * mm->num_nodes :
		own->offsets[offsetof(struct kmem_cache, array)] +
		8 * (mm->num_cpus + mm->num_nodes);
	struct kmem_cache *cachep =
		BOOT_OBJECT(mm, kmem_cache,
			    boot_memory(mm, 0, bytes, LINE_SIZE));

	any_cache_init(&cachep->any, mm, name, type, c_size, flags);
	lay_out(cachep, size, align, flags);
	enable_cpucache(cachep);
	return &cachep->any;
}

static void make_general_cache(struct mm *mm, u32 size)
{
	bool common = has(KMALLOC_COMMON);
	char *name = g_strdup_printf(common ? "kmalloc-%u" : "size-%u", size);
	struct any_cache *cache = slab_cache_create(mm, name, NULL, 0, size, 8,
						    SLAB_HWCACHE_ALIGN);

	g_free(name);
	mm->kmalloc_caches->malloc_sizes[mm->num_classes++] = cache;
	if (common)
		mm->kmalloc_caches->kmalloc_caches[kmalloc_index(size)] = cache;
}

void slab_init(struct mm *mm)
{
	u32 size = mm->kernel->types[STRUCT_kmalloc_caches].size, i;

	mm->kmalloc_caches = BOOT_OBJECT(mm, kmalloc_caches,
					 boot_memory(mm, 0, size, LINE_SIZE));
	for (i = 5; i < KMALLOC_INDEXES; i++) {
		if (i == 7 && has(KMALLOC_COMMON))
			make_general_cache(mm, 96);
		if (i == 8)
			make_general_cache(mm, 192);
		make_general_cache(mm, 1u << i);
	}
	for (i = 0; i < mm->num_cpus; i++)
		mm->slab_reap_node[i] = mm->machine->cpus[i].package;
}

/* ---- /proc/slabinfo ---- */

static void count_slabs(const struct list_head *head, struct slabinfo *info)
{
	const struct list_head *p;

	for (p = head->next; p != head; p = p->next) {
		const struct slab *slabp = container_of(p, struct slab, list);

		info->num_slabs++;
		info->active_slabs += slabp->inuse > 0;
		info->active_objs += slabp->inuse;
	}
}

void slab_slabinfo(const struct kmem_cache *cachep, struct slabinfo *info)
{
	u32 node;

	for (node = 0; node < cachep->any.mm->num_nodes; node++) {
		const struct kmem_list3 *l3 = cachep->nodelists[node];

		count_slabs(&l3->slabs_full, info);
		count_slabs(&l3->slabs_partial, info);
		count_slabs(&l3->slabs_free, info);
		info->shared_avail += l3->shared ? l3->shared->avail : 0;
	}
	info->num_objs = info->num_slabs * cachep->num;
	info->objsize = cachep->size;
	info->objperslab = cachep->num;
	info->pagesperslab = 1u << cachep->gfporder;
	info->limit = cachep->limit;
	info->batchcount = cachep->batchcount;
	info->shared = cachep->shared;
}
