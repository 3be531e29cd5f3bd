/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slub.c: how SLUB lays out and makes its caches.  Runs before the
 * simulated time starts, so nothing is charged.
 */
#include "stack/mm/slub.h"

#define SLUB_MAX_ORDER 3u	/* PAGE_ALLOC_COSTLY_ORDER */
#define MAX_OBJS_PER_PAGE 32767u
#define MIN_PARTIAL 5u
#define MAX_PARTIAL 10u
#define DEFRAG_RATIO 1000u
#define NUM_KMALLOC 14u		/* kmalloc-8 to kmalloc-8192, -96, -192 */

static u32 fls(u32 x)
{
	return x ? 32 - (u32)__builtin_clz(x) : 0;
}

/* ---- layout of a slab ---- */

/* The smallest order that takes min_objects and wastes no more than one part
 * in `fraction`; beyond max_order where none does. */
static u32 slab_order(u32 size, u32 min_objects, u32 max_order, u32 fraction)
{
	u32 bits = fls(min_objects * size - 1), order;

	if (PAGE_SIZE / size > MAX_OBJS_PER_PAGE)
		return fls(size * MAX_OBJS_PER_PAGE - 1) - PAGE_SHIFT - 1;
	for (order = bits > PAGE_SHIFT ? bits - PAGE_SHIFT : 0;
	     order <= max_order; order++) {
		u32 bytes = PAGE_SIZE << order;

		if (bytes >= min_objects * size &&
		    bytes % size <= bytes / fraction)
			break;
	}
	return order;
}

/* The more CPUs there are, the more objects a slab should have. */
static u32 calculate_order(u32 size, u32 cpus)
{
	u32 max_objects = (PAGE_SIZE << SLUB_MAX_ORDER) / size;
	u32 min_objects = MIN(4 * (fls(cpus) + 1), max_objects);
	u32 fraction, order;

	for (; min_objects > 1; min_objects--)
		for (fraction = 16; fraction >= 4; fraction /= 2) {
			order = slab_order(size, min_objects, SLUB_MAX_ORDER,
					   fraction);
			if (order <= SLUB_MAX_ORDER)
				return order;
		}
	order = slab_order(size, 1, SLUB_MAX_ORDER, 1);
	if (order > SLUB_MAX_ORDER)
		order = slab_order(size, 1, MAX_ORDER, 1);
	g_assert(order < MAX_ORDER);
	return order;
}

static struct kmem_cache_order_objects oo_make(u32 order, u32 size)
{
	return (struct kmem_cache_order_objects){
		.order = order,
		.objects = (PAGE_SIZE << order) / size,
	};
}

static u32 calculate_alignment(u32 size, u32 align, u32 flags)
{
	u32 ralign = LINE_SIZE;

	if (flags & SLAB_HWCACHE_ALIGN) {
		while (size <= ralign / 2)
			ralign /= 2;
		align = MAX(align, ralign);
	}
	return ALIGN_UP(MAX(align, 8), 8);
}

static u32 cpu_partial_limit(u32 size)
{
	bool slabs = has(SLUB_CPU_PARTIAL_SLABS);

	if (size >= PAGE_SIZE)
		return slabs ? 6 : 2;
	if (size >= 1024)
		return slabs ? 24 : 6;
	if (size >= 256)
		return slabs ? 52 : 13;
	return slabs ? 120 : 30;
}

/* As many slabs as hold these objects when they are half full. */
static void set_cpu_partial(struct kmem_cache_slub *s)
{
	s->cpu_partial = cpu_partial_limit(s->size);
	s->cpu_partial_slabs = (2 * s->cpu_partial + s->oo.objects - 1) /
			       s->oo.objects;
}

/* Late readers may still look at a typesafe object, and what a constructor set
 * must last: there the pointer lies behind it.  In the middle, what is written beyond a neighbour's end will not
 * reach it. */
static u32 place_freepointer(struct kmem_cache_slub *s, u32 size, u32 flags)
{
	if (flags & (SLAB_DESTROY_BY_RCU | SLAB_WITH_CTOR)) {
		s->offset = size;
		return size + s->any.mm->kernel->pointer_bytes;
	}
	s->offset = has(SLUB_FREEPTR_MIDDLE) ? s->object_size / 2 & ~7u : 0;
	return size;
}

static void calculate_sizes(struct kmem_cache_slub *s, u32 size, u32 align,
			    u32 flags)
{
	u32 bits;

	s->flags = flags;
	s->object_size = size;
	size = ALIGN_UP(size, s->any.mm->kernel->pointer_bytes);
	size = place_freepointer(s, size, flags);
	s->any.align = calculate_alignment(s->object_size, align, flags);
	s->size = ALIGN_UP(size, s->any.align);
	s->any.size = s->size;
	bits = fls(s->size - 1);
	s->oo = oo_make(calculate_order(s->size, s->any.mm->num_cpus), s->size);
	s->min = oo_make(bits > PAGE_SHIFT ? bits - PAGE_SHIFT : 0, s->size);
	set_cpu_partial(s);
	s->min_partial = CLAMP((fls(s->size) - 1) / 2, MIN_PARTIAL,
			       MAX_PARTIAL);
	s->remote_node_defrag_ratio = DEFRAG_RATIO;
	any_cache_place(&s->any, s->offset, s->oo.objects);
}

/* ---- what is random ---- */

/* The order in which new slabs link their objects. */
static void make_random_seq(struct kmem_cache_slub *s)
{
	u32 n = s->oo.objects, i;

	s->random_seq = mm_memory(s->any.mm, n * sizeof(s->random_seq[0]));
	for (i = 0; i < n; i++)
		s->random_seq[i] = i;
	for (i = n - 1; i > 0; i--) {
		u32 other = (u32)random_below(&s->stream, i + 1);
		u32 index = s->random_seq[i];

		s->random_seq[i] = s->random_seq[other];
		s->random_seq[other] = index;
	}
}

/* Each cache has a stream of its own: one cache more changes no other. */
static void make_random(struct kmem_cache_slub *s)
{
	g_autofree char *name = g_strconcat("slab ", s->any.name, NULL);

	random_seed(&s->stream, s->any.mm->machine->seed, name, 0);
	s->hardened = has(SLAB_FREELIST_HARDENED);
	if (s->hardened)
		s->random = random_u64(&s->stream);
	if (has(SLAB_FREELIST_RANDOM) && s->oo.objects > 1)
		make_random_seq(s);
}

/* ---- caches ---- */

static void make_cpu_slabs(struct kmem_cache_slub *s)
{
	struct mm *mm = s->any.mm;
	u32 size = mm->kernel->types[STRUCT_kmem_cache_cpu].size, i;

	for (i = 0; i < mm->num_cpus; i++) {
		s->cpu_slab[i] = BOOT_OBJECT(mm, kmem_cache_cpu,
					     percpu_memory(mm, i, size, 16));
		s->cpu_slab[i]->tid = i;
	}
}

static void make_nodes(struct kmem_cache_slub *s)
{
	struct mm *mm = s->any.mm;
	u32 size = mm->kernel->types[STRUCT_kmem_cache_node].size, i;

	for (i = 0; i < mm->num_nodes; i++) {
		s->node[i] = BOOT_OBJECT(mm, kmem_cache_node,
					 boot_memory(mm, i, size, LINE_SIZE));
		list_init(&s->node[i]->partial);
	}
}

struct any_cache *slub_cache_create(struct mm *mm, const char *name,
				    const struct object_type *type,
				    size_t c_size, u32 size, u32 align,
				    u32 flags)
{
	const struct object_type *own =
		&mm->kernel->types[STRUCT_kmem_cache_slub];
	u64 address = boot_memory(mm, 0, own->size, LINE_SIZE);
	struct kmem_cache_slub *s = BOOT_OBJECT(mm, kmem_cache_slub, address);

	any_cache_init(&s->any, mm, name, type, c_size, flags);
	calculate_sizes(s, size, align, flags);
	make_random(s);
	make_cpu_slabs(s);
	make_nodes(s);
	return &s->any;
}

static u32 kmalloc_size(u32 index)
{
	if (index == 1)
		return 96;
	return index == 2 ? 192 : 1u << index;
}

static void make_kmalloc_cache(struct mm *mm, u32 index)
{
	u32 size = kmalloc_size(index);
	char *name = size >= 1024 && has(KMALLOC_NAMES_IN_K) ?
		     g_strdup_printf("kmalloc-%uk", size / 1024) :
		     g_strdup_printf("kmalloc-%u", size);
	struct any_cache *cache;

	cache = slub_cache_create(mm, name, NULL, 0, size, 8, 0);
	/* Users may see all of it. */
	((struct kmem_cache_slub *)cache)->usersize = size;
	mm->kmalloc_caches->kmalloc_caches[index] = cache;
	g_free(name);
}

void slub_init(struct mm *mm)
{
	u32 size = mm->kernel->types[STRUCT_kmalloc_caches].size, i;

	mm->kmalloc_caches = BOOT_OBJECT(mm, kmalloc_caches,
					 boot_memory(mm, 0, size, LINE_SIZE));
	mm->num_classes = NUM_KMALLOC;
	make_kmalloc_cache(mm, 1);
	make_kmalloc_cache(mm, 2);
	for (i = 3; i < NUM_KMALLOC; i++)
		make_kmalloc_cache(mm, i);
	pages_cache_init(mm, &mm->large);
}

/* ---- /proc/slabinfo ---- */

/* Free objects of the node's partial slabs: those of slabs that are a CPU's
 * count as active, as in the kernel. */
static u32 count_free(const struct kmem_cache_node *n)
{
	const struct list_head *p;
	u32 nr = 0;

	for (p = n->partial.next; p != &n->partial; p = p->next) {
		const struct page *page = container_of(p, struct page, lru);

		nr += COUNTERS_OBJECTS(page->counters) -
		      COUNTERS_INUSE(page->counters);
	}
	return nr;
}

void slub_slabinfo(const struct kmem_cache_slub *s, struct slabinfo *info)
{
	u32 node, nr_free = 0;

	for (node = 0; node < s->any.mm->num_nodes; node++) {
		const struct kmem_cache_node *n = s->node[node];

		info->num_slabs += (u32)n->nr_slabs;
		info->num_objs += (u32)n->total_objects;
		nr_free += count_free(n);
	}
	info->active_slabs = info->num_slabs;
	info->active_objs = info->num_objs - nr_free;
	info->objsize = s->size;
	info->objperslab = s->oo.objects;
	info->pagesperslab = 1u << s->oo.order;
}
