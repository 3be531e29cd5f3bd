/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c, include/linux/slab_def.h and, since 3.10, mm/slab_common.c: SLAB's
 * general caches and the way to them by size.
 */
#include "stack/mm/slab.h"

/* The class of a size that is known when the kernel is compiled: no search. */
static inline u32 kmalloc_class(u32 size)
{
	static const u8 small[] = { 0, 1, 2, 2, 3, 3 };

	if (size <= 192)
		return size ? small[(size - 1) / 32] : 0;
	return 28 - __builtin_clz(size - 1);	/* 256: 4, 512: 5 */
}

/* SLAB's smallest has 32 bytes. */
static inline u32 slab_index(u32 size)
{
	return kmalloc_index(MAX(size, 32u));
}

static struct object *kmem_cache_alloc_trace(struct kmem_cache *cachep,
					     gfp_t gfp)
{
	FUNCTION(kmem_cache_alloc_trace);

	return cache_alloc(cachep, gfp);
}

static struct object *kmem_cache_alloc_node_trace(struct kmem_cache *cachep,
						  gfp_t gfp, int node)
{
	FUNCTION(kmem_cache_alloc_node_trace);

	return cache_alloc_on(cachep, gfp, node);
}

/* Entries of malloc_sizes[]: size, cache, cache for DMA. */
#define SIZE_ENTRY 24

/* By the table of 3.10 and later. */
static struct kmem_cache *cache_of_index(struct mm *mm, u32 index)
{
	if (index >= KMALLOC_INDEXES)
		return NULL;
	READ_ELEMENT(mm->kmalloc_caches, kmalloc_caches, 8 * index, 8);
	return (struct kmem_cache *)mm->kmalloc_caches->kmalloc_caches[index];
}

void *slab_kmalloc(u32 size, const struct object_type *type, u32 c_size,
		   gfp_t gfp)
{
	struct mm *mm = this_kernel()->mm;
	struct kmalloc_caches *table = mm->kmalloc_caches;
	u32 class = kmalloc_class(size);
	struct kmem_cache *cachep = NULL;

	if (has(KMALLOC_COMMON)) {
		cachep = cache_of_index(mm, slab_index(size));
	} else if (class < mm->num_classes) {
		READ_ELEMENT(table, malloc_sizes, SIZE_ENTRY * class + 8, 8);
		cachep = (struct kmem_cache *)table->malloc_sizes[class];
	}
	if (!cachep)
		return NULL;
	return slab_typed(cachep, kmem_cache_alloc_trace(cachep, gfp), type,
			  c_size);
}

/* Searches the table from its start, as for any size known only now. */
static struct kmem_cache *kmem_find_general_cachep(struct mm *mm, u32 size)
{
	FUNCTION(kmem_find_general_cachep);
	struct kmalloc_caches *table = mm->kmalloc_caches;
	u32 i;

	for (i = 0; i < mm->num_classes; i++) {
		WORK(3);
		READ_ELEMENT(table, malloc_sizes, SIZE_ENTRY * i, 8);
		if (size <= table->malloc_sizes[i]->size)
			break;
	}
	if (i == mm->num_classes)
		return NULL;
	READ_ELEMENT(table, malloc_sizes, SIZE_ENTRY * i + 8, 8);
	return (struct kmem_cache *)table->malloc_sizes[i];
}

/* By way of a table for the small sizes. */
static struct kmem_cache *kmalloc_slab(struct mm *mm, u32 size)
{
	FUNCTION(kmalloc_slab);

	if (size && size <= 192)
		READ_ELEMENT(mm->kmalloc_caches, size_index, (size - 1) / 8, 1);
	return cache_of_index(mm, slab_index(size));
}

static struct kmem_cache *find_cache(u32 size)
{
	struct mm *mm = this_kernel()->mm;

	return has(KMALLOC_COMMON) ? kmalloc_slab(mm, size) :
				     kmem_find_general_cachep(mm, size);
}

void *slab_kmalloc_node(u32 size, const struct object_type *type, u32 c_size,
			gfp_t gfp, int node)
{
	FUNCTION(__kmalloc_node_track_caller);
	struct kmem_cache *cachep = find_cache(size);

	if (!cachep)
		return NULL;
	return slab_typed(cachep,
			  kmem_cache_alloc_node_trace(cachep, gfp, node),
			  type, c_size);
}

u32 slab_class_size(u32 size)
{
	return READ(find_cache(size), object_size);
}
