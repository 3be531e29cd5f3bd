/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLUB's general caches: kmalloc() and kfree() of mm/slub.c and
 * include/linux/slub_def.h, of mm/slab_common.c from 6.1 on.
 *
 * The pages of what no general cache can hold keep their names of 3.6.
 */
#include "stack/mm/slub_paths.h"

/* tests/truth/linux-6.1: kfree() of an object, less that of NULL. */
#define WORK_KFREE 21

static void *typed(struct kmem_cache_slub *s, struct object *object,
		   const struct object_type *type, u32 c_size)
{
	if (unlikely(!object))
		return NULL;
	object = object_of_type(&s->any, object, type, c_size);
	return object_born(s->any.mm, object);
}

/* Pages for an object that no general cache can hold. */
static void *large_alloc(struct mm *mm, u32 size,
			 const struct object_type *type, u32 c_size, gfp_t gfp,
			 int node)
{
	u32 order = 0;
	struct object *object;
	struct page *page;

	while (order < MAX_ORDER && PAGE_SIZE << order < size)
		order++;
	if (order == MAX_ORDER)
		return NULL;
	page = alloc_pages_node(node == NUMA_NO_NODE ? this_node() : (u32)node,
				gfp | __GFP_COMP, order);
	if (!page)
		return NULL;
	page->memory = slot_memory_get(&mm->large, page_address(page), 1);
	object = object_of_type(&mm->large, page->memory->objects[0], type,
				c_size);
	return object_born(mm, object);
}

static void *kmalloc_order(struct mm *mm, u32 size,
			   const struct object_type *type, u32 c_size,
			   gfp_t gfp)
{
	FUNCTION(kmalloc_order);

	return large_alloc(mm, size, type, c_size, gfp, NUMA_NO_NODE);
}

static void *kmalloc_large_node(struct mm *mm, u32 size,
				const struct object_type *type, u32 c_size,
				gfp_t gfp, int node)
{
	FUNCTION(kmalloc_large_node);

	return large_alloc(mm, size, type, c_size, gfp, node);
}

static void large_free(struct mm *mm, struct page *page, struct object *object)
{
	object_dies(&mm->large, object);
	(void)READ(page + 1, lru);	/* the order stands there */
	slot_memory_put(&mm->large, page->memory);
	page->memory = NULL;
	__free_pages(page, page->order);
}

/* ---- kmalloc() ---- */

static struct object *kmem_cache_alloc_trace(struct kmem_cache_slub *s,
					     gfp_t gfp)
{
	FUNCTION(kmem_cache_alloc_trace);

	return alloc_object(s, gfp, NUMA_NO_NODE);
}

static struct object *__kmem_cache_alloc_node(struct kmem_cache_slub *s,
					      gfp_t gfp, int node)
{
	FUNCTION(__kmem_cache_alloc_node);

	STACK_PROTECTOR();
	return alloc_object(s, gfp, node);
}

static struct object *kmalloc_trace(struct kmem_cache_slub *s, gfp_t gfp)
{
	FUNCTION(kmalloc_trace);

	return __kmem_cache_alloc_node(s, gfp, NUMA_NO_NODE);
}

/* The cache of a size that is known when the kernel is compiled. */
static struct kmem_cache_slub *known_cache(struct mm *mm, u32 size)
{
	const u32 pointer = mm->kernel->pointer_bytes;
	const u32 min = mm->kernel->kmalloc_min;
	u32 index = kmalloc_index(MAX(size, min));

	/* 96 is no multiple of 64. */
	if (index == 1 && min > 32)
		index = 7;
	READ_ELEMENT(mm->kmalloc_caches, kmalloc_caches, pointer * index,
		     pointer);
	return (struct kmem_cache_slub *)
		mm->kmalloc_caches->kmalloc_caches[index];
}

void *slub_kmalloc(u32 size, const struct object_type *type, u32 c_size,
		   gfp_t gfp)
{
	struct mm *mm = this_kernel()->mm;
	struct kmem_cache_slub *s;
	struct object *object;

	if (size > KMALLOC_MAX_CACHE_SIZE)
		return kmalloc_order(mm, size, type, c_size, gfp);
	s = known_cache(mm, size);
	object = has(KMALLOC_GENERIC) ? kmalloc_trace(s, gfp) :
		 kmem_cache_alloc_trace(s, gfp);
	return typed(s, object, type, c_size);
}

/* The cache of any other size, by way of a table for the small ones. */
static inline struct kmem_cache_slub *find_cache(struct mm *mm, u32 size)
{
	if (size && size <= 192)
		READ_ELEMENT(mm->kmalloc_caches, size_index, (size - 1) / 8, 1);
	return known_cache(mm, size);
}

static struct kmem_cache_slub *kmalloc_slab(struct mm *mm, u32 size)
{
	FUNCTION(kmalloc_slab);

	return find_cache(mm, size);
}

void *slub_kmalloc_node(u32 size, const struct object_type *type, u32 c_size,
			gfp_t gfp, int node)
{
	FUNCTION(__kmalloc_node_track_caller);
	struct mm *mm = this_kernel()->mm;
	struct kmem_cache_slub *s;

	if (size > KMALLOC_MAX_CACHE_SIZE)
		return kmalloc_large_node(mm, size, type, c_size, gfp, node);
	if (has(KMALLOC_GENERIC)) {
		s = kmalloc_slab(mm, size);
		return typed(s, __kmem_cache_alloc_node(s, gfp, node), type,
			     c_size);
	}
	s = has(KMALLOC_COMMON) ? kmalloc_slab(mm, size) :
				  find_cache(mm, size);
	return typed(s, alloc_object(s, gfp, node), type, c_size);
}

u32 slub_class_size(u32 size)
{
	return READ(kmalloc_slab(this_kernel()->mm, size), object_size);
}

/* ---- kfree() ---- */

static void __kmem_cache_free(struct kmem_cache_slub *s, struct object *object)
{
	FUNCTION(__kmem_cache_free);

	free_object(s, virt_to_slab(object), object);
}

/* kfree() of 6.1, whose count is that of a call with NULL. */
static void kfree_generic(struct object *object)
{
	FUNCTION(kfree);
	struct page *page;

	if (!object)
		return;
	WORK(WORK_KFREE);
	page = virt_to_head_page(object);
	if (unlikely(!(READ(page, flags) & PG_SLAB)))
		large_free(this_kernel()->mm, page, object);
	else
		__kmem_cache_free(READ(page, slab), object);
}

void slub_kfree(struct object *object)
{
	struct page *page;

	if (has(KMALLOC_GENERIC)) {
		kfree_generic(object);
		return;
	}
	if (!object)
		return;
	FUNCTION(kfree);
	page = virt_to_head_page(object);
	if (unlikely(!(READ(page, flags) & PG_SLAB)))
		large_free(this_kernel()->mm, page, object);
	else
		free_object(READ(page, slab), page, object);
}

u32 slub_ksize(const struct object *object)
{
	struct page *page = virt_to_head_page(object);

	if (!(READ(page, flags) & PG_SLAB))
		return PAGE_SIZE << page->order;
	return READ(READ(page, slab), size);
}
