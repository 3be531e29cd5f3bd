/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c since 3.13: slabs without a struct slab.
 *
 * The struct page says how many objects are taken (active), where the first is
 * (s_mem) and where an array of indexes lies (freelist), of which those from
 * `active` on are free.  Since 3.15 an index is a byte.  The array lies in a
 * general cache, at the end of the slab, or, since 4.6, in an object that is
 * free, unless readers may still look into that under RCU.
 */
#include "stack/mm/slab.h"

#define SLAB_MAX_ORDER 1u	/* of a machine with more than 32 MiB */
#define KMALLOC_MAX_ORDER 10u
#define SLAB_OBJ_MAX_NUM 255u	/* what a byte can number */

static u32 index_size(void)
{
	return has(SLAB_BYTE_INDEX) ? 1 : 4;
}

struct page *slab_head_page(struct page *page)
{
	struct page *head;

	if (has(PAGE_COMPOUND_HEAD)) {
		head = READ(page, first_page);
		return head ? head : page;
	}
	if (READ(page, flags) & PG_TAIL)
		page = READ(page, first_page);
	return page;
}

/* ---- objects ---- */

/* s_mem lies where other pages have their mapping. */
struct object *page_get_obj(struct kmem_cache *cachep, struct slab *slabp)
{
	struct page *page = slabp->page;
	u32 active = READ(page, active), index;

	(void)READ(page, freelist);
	READ_ELEMENT(slabp, bufctl, slabp->skip + index_size() * active,
		     index_size());
	index = slabp->bufctl[active];
	(void)READ(page, mapping);
	(void)READ(cachep, size);
	WRITE(page, active, active + 1);
	slabp->inuse = active + 1;
	return slabp->memory->objects[index];
}

/* The array is at this address: the model's object moves there. */
static void set_freelist(struct slab *slabp, u64 address)
{
	object_init(&slabp->object, slabp->object.type, address & ~7ull);
	slabp->skip = address & 7;
}

void page_put_obj(struct kmem_cache *cachep, struct slab *slabp,
		  struct object *objp)
{
	struct page *page = slabp->page;
	u32 active;

	(void)READ(page, mapping);
	(void)READ(cachep, reciprocal_buffer_size);
	active = READ(page, active) - 1;
	WRITE(page, active, active);
	slabp->inuse = active;
	if (!READ(page, freelist)) {
		set_freelist(slabp, object_address(objp));
		WRITE(page, freelist, slabp);
	}
	WRITE_ELEMENT(slabp, bufctl, slabp->skip + index_size() * active,
		      index_size());
	slabp->bufctl[active] = slot_of(objp)->index;
}

void page_is_full(struct kmem_cache *cachep, struct slab *slabp)
{
	if (READ(cachep, flags) & CFLGS_OBJFREELIST_SLAB)
		WRITE(slabp->page, freelist, NULL);
}

/* ---- a new slab ---- */

struct slab *page_alloc_freelist(struct kmem_cache *cachep, struct page *page,
				 u32 colour_off, gfp_t flags, u32 node)
{
	u64 address = page_address(page);
	u32 cflags = READ(cachep, flags);
	struct slab *slabp;

	WRITE(page, mapping, NULL);	/* s_mem */
	WRITE(page, active, 0);
	if (cflags & CFLGS_OFF_SLAB) {
		slabp = alloc_slab_off(READ(cachep, slabp_cache), flags, node);
		if (!slabp)
			return NULL;
		kmemleak_not_leak(slabp);
		slabp->skip = 0;
	} else {
		u64 end = address + (PAGE_SIZE << cachep->gfporder);
		u64 at = end - READ(cachep, slab_size);

		slabp = alloc_slab_on(cachep, at & ~7ull);
		slabp->skip = at & 7;
	}
	slabp->inuse = 0;
	slabp->colouroff = colour_off;
	slabp->s_mem = address + colour_off;
	slabp->nodeid = (u16)node;
	slabp->page = page;
	slabp->memory = slot_memory_get(&cachep->any, slabp->s_mem,
					cachep->num);
	slabp->bufctl = slabp->memory->bufctl;
	return slabp;
}

/* An array in a free object is in the last, which is the last to be taken. */
void page_init_objs(struct kmem_cache *cachep, struct slab *slabp)
{
	u32 num = cachep->num, i;

	if (READ(cachep, flags) & CFLGS_OBJFREELIST_SLAB) {
		set_freelist(slabp, slabp->s_mem +
			     (u64)(num - 1) * cachep->size);
		WRITE(slabp->page, freelist, slabp);
	}
	for (i = 0; i < num; i++)
		slabp->bufctl[i] = i;
	WRITE_ELEMENT(slabp, bufctl, slabp->skip, index_size() * num);
}

/* ---- where the array lies ---- */

/* Objects in 2^order pages, and what is left over. */
static u32 cache_estimate(const struct kmem_cache *cachep, u32 order, u32 flags,
			  u32 *left_over)
{
	u32 bytes = PAGE_SIZE << order, each = cachep->size;

	if (!(flags & (CFLGS_OFF_SLAB | CFLGS_OBJFREELIST_SLAB)))
		each += index_size();
	*left_over = bytes % each;
	return bytes / each;
}

/* A general cache for the array that has it at hand, and is worth it. */
static struct kmem_cache *freelist_cache(const struct kmem_cache *cachep,
					 u32 size)
{
	const struct mm *mm = cachep->any.mm;
	struct any_cache **made = mm->kmalloc_caches->malloc_sizes;
	struct kmem_cache *cache;

	if (!mm->num_classes || made[mm->num_classes - 1]->size < size)
		return NULL;		/* the first caches of all */
	cache = general_cache(mm, size);
	return cache->flags & CFLGS_OFF_SLAB ||
	       cache->size > cachep->size / 2 ? NULL : cache;
}

static bool try_order(struct kmem_cache *cachep, u32 flags, u32 *left_over)
{
	u32 order;

	cachep->num = 0;
	for (order = 0; order <= KMALLOC_MAX_ORDER; order++) {
		u32 left, num = cache_estimate(cachep, order, flags, &left);
		struct kmem_cache *cache = NULL;

		if (!num)
			continue;
		if (num > SLAB_OBJ_MAX_NUM)
			break;
		if (flags & CFLGS_OFF_SLAB) {
			cache = freelist_cache(cachep, num * index_size());
			if (!cache)
				continue;
		}
		cachep->num = num;
		cachep->gfporder = order;
		cachep->slabp_cache = cache;
		*left_over = left;
		if (order >= SLAB_MAX_ORDER || left * 8 <= PAGE_SIZE << order)
			break;
	}
	return cachep->num;
}

/* In a free object; or apart, if it has no room in what the objects leave; or
 * at the end. */
void page_lay_out(struct kmem_cache *cachep)
{
	u32 left = 0, flags = 0;

	if (has(SLAB_OBJFREELIST) && !cachep->any.typesafe &&
	    try_order(cachep, CFLGS_OBJFREELIST_SLAB, &left) &&
	    cachep->num * index_size() <= cachep->object_size)
		flags = CFLGS_OBJFREELIST_SLAB;
	else if (try_order(cachep, CFLGS_OFF_SLAB, &left) &&
		 left < cachep->num * index_size())
		flags = CFLGS_OFF_SLAB;
	else
		g_assert(try_order(cachep, 0, &left));
	cachep->flags |= flags;
	cachep->slab_size = cachep->num * index_size();
	cachep->colour_off = MAX(LINE_SIZE, cachep->any.align);
	cachep->colour = left / cachep->colour_off;
}
