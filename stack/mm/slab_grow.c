/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c: how SLAB gets new slabs and gives them back, and the lists on
 * which a node keeps them.
 *
 * A slab is on exactly one list of its node: full, free, or partial by inuse.
 * Its struct slab and the chain of free indexes behind it lie in front of the
 * objects, or, for large objects, in a general cache.
 */
#include "stack/mm/slab.h"

/* Instructions of one round of a loop. */
#define WORK_INIT_OBJECT 5
#define WORK_MAP_PAGE 6
#define WORK_NEXT_GONE 8

/* ---- lists of slabs ---- */

/* The list goes through page->lru then; the model's own is slabp->list. */
static void page_set_next(struct slab *slabp, struct list_head *next)
{
	slabp->list.next = next;
	WRITE_(__COUNTER__, slabp->page, lru, false, .next = next);
}

static void page_set_prev(struct slab *slabp, struct list_head *prev)
{
	slabp->list.prev = prev;
	WRITE_(__COUNTER__, slabp->page, lru, false, .prev = prev);
}

static void slab_set_next(struct slab *slabp, struct list_head *next)
{
	if (has(SLAB_PAGE_DESCRIPTOR))
		page_set_next(slabp, next);
	else
		WRITE_(__COUNTER__, slabp, list, false, .next = next);
}

static void slab_set_prev(struct slab *slabp, struct list_head *prev)
{
	if (has(SLAB_PAGE_DESCRIPTOR))
		page_set_prev(slabp, prev);
	else
		WRITE_(__COUNTER__, slabp, list, false, .prev = prev);
}

static struct list_head slab_links(const struct slab *slabp)
{
	if (!has(SLAB_PAGE_DESCRIPTOR))
		return READ(slabp, list);
	(void)READ(slabp->page, lru);
	return slabp->list;
}

static void slab_set_links(struct slab *slabp, struct list_head links)
{
	if (!has(SLAB_PAGE_DESCRIPTOR)) {
		WRITE(slabp, list, links);
		return;
	}
	slabp->list = links;
	WRITE(slabp->page, lru, links);
}

static void set_next(struct kmem_list3 *l3, struct list_head *link,
		     struct list_head *next)
{
	if (link == &l3->slabs_partial)
		WRITE_(__COUNTER__, l3, slabs_partial, false, .next = next);
	else if (link == &l3->slabs_full)
		WRITE_(__COUNTER__, l3, slabs_full, false, .next = next);
	else if (link == &l3->slabs_free)
		WRITE_(__COUNTER__, l3, slabs_free, false, .next = next);
	else
		slab_set_next(container_of(link, struct slab, list), next);
}

static void set_prev(struct kmem_list3 *l3, struct list_head *link,
		     struct list_head *prev)
{
	if (link == &l3->slabs_partial)
		WRITE_(__COUNTER__, l3, slabs_partial, false, .prev = prev);
	else if (link == &l3->slabs_full)
		WRITE_(__COUNTER__, l3, slabs_full, false, .prev = prev);
	else if (link == &l3->slabs_free)
		WRITE_(__COUNTER__, l3, slabs_free, false, .prev = prev);
	else
		slab_set_prev(container_of(link, struct slab, list), prev);
}

void slab_list_insert(struct kmem_list3 *l3, struct slab *slabp,
		      struct list_head *prev, struct list_head *next)
{
	set_prev(l3, next, &slabp->list);
	slab_set_links(slabp, (struct list_head){ next, prev });
	set_next(l3, prev, &slabp->list);
}

void slab_list_del(struct kmem_list3 *l3, struct slab *slabp)
{
	struct list_head gone = slab_links(slabp);

	set_prev(l3, gone.next, gone.prev);
	set_next(l3, gone.prev, gone.next);
	slab_set_links(slabp, (struct list_head){ NULL, NULL });
}

/* To the end of a list whose head is on the kernel's stack: not charged. */
void slab_list_defer(struct list_head *gone, struct slab *slabp)
{
	struct list_head *last = gone->prev;

	gone->prev = &slabp->list;
	slab_set_links(slabp, (struct list_head){ gone, last });
	if (last == gone)
		gone->next = &slabp->list;
	else
		slab_set_next(container_of(last, struct slab, list),
			      &slabp->list);
}

/* The first slab that has free objects: partial ones before free ones. */
struct slab *first_usable(struct kmem_list3 *l3)
{
	struct list_head *entry = READ(l3, slabs_partial).next;

	if (entry == &l3->slabs_partial) {
		WRITE(l3, free_touched, 1);
		entry = READ(l3, slabs_free).next;
		if (entry == &l3->slabs_free)
			return NULL;
	}
	return container_of(entry, struct slab, list);
}

/* Objects were taken from it: to the list where it belongs now. */
void requeue_slab(struct kmem_cache *cachep, struct kmem_list3 *l3,
		  struct slab *slabp)
{
	bool by_page = has(SLAB_PAGE_DESCRIPTOR), full;

	slab_list_del(l3, slabp);
	full = by_page ? slab_inuse(slabp) == READ(cachep, num) :
			 READ(slabp, free) == BUFCTL_END;
	if (full)
		SLAB_LIST_ADD(l3, slabs_full, slabp);
	if (full && by_page)
		page_is_full(cachep, slabp);
	else if (!full)
		SLAB_LIST_ADD(l3, slabs_partial, slabp);
}

/* ---- pages ---- */

struct page *kmem_getpages(struct kmem_cache *cachep, gfp_t flags, u32 node)
{
	FUNCTION(kmem_getpages);
	u32 order = READ(cachep, gfporder), i;
	bool compound = has(SLAB_PAGE_DESCRIPTOR);
	struct page *page = alloc_pages_node(node, compound && order ?
					     flags | __GFP_COMP : flags, order);

	if (!page)
		return NULL;
	mod_zone_page_state(page, NR_SLAB_UNRECLAIMABLE, 1 << order);
	for (i = 0; i < (compound ? 1 : 1u << order); i++)
		UPDATE(page + i, flags, |= PG_SLAB);
	return page;
}

void kmem_freepages(struct kmem_cache *cachep, struct page *page)
{
	FUNCTION(kmem_freepages);
	u32 order = READ(cachep, gfporder), i;
	bool compound = has(SLAB_PAGE_DESCRIPTOR);

	mod_zone_page_state(page, NR_SLAB_UNRECLAIMABLE, -(1 << order));
	for (i = 0; i < (compound ? 1 : 1u << order); i++)
		UPDATE(page + i, flags, &= ~PG_SLAB);
	__free_pages(page, order);
}

/* ---- slabs ---- */

/* A struct slab from a general cache; the C struct is that cache's. */
struct slab *alloc_slab_off(struct kmem_cache *slabp_cache, gfp_t flags,
			    u32 node)
{
	const struct object_type *type =
		&slabp_cache->any.mm->kernel->types[STRUCT_slab];

	return slab_alloc_typed(slabp_cache, type, sizeof(struct slab), flags,
				node);
}

struct slab *alloc_slab_on(struct kmem_cache *cachep, u64 address)
{
	struct mm *mm = cachep->any.mm;
	struct slab *slabp = cachep->spare;

	if (slabp)
		cachep->spare = slabp->spare;
	else
		slabp = mm_memory(mm, sizeof(*slabp));
	object_init(&slabp->object, &mm->kernel->types[STRUCT_slab], address);
	return slabp;
}

static struct slab *alloc_slabmgmt(struct kmem_cache *cachep, struct page *page,
				   u32 colour_off, gfp_t flags, u32 node)
{
	FUNCTION(alloc_slabmgmt);
	u64 address = page_address(page);
	struct slab *slabp;

	if (has(SLAB_PAGE_DESCRIPTOR))
		return page_alloc_freelist(cachep, page, colour_off, flags,
					   node);
	if (READ(cachep, flags) & CFLGS_OFF_SLAB) {
		slabp = alloc_slab_off(READ(cachep, slabp_cache), flags, node);
		if (!slabp)
			return NULL;
		kmemleak_not_leak(slabp);
	} else {
		slabp = alloc_slab_on(cachep, address + colour_off);
		colour_off += READ(cachep, slab_size);
	}
	WRITE(slabp, inuse, 0);
	WRITE(slabp, colouroff, colour_off);
	WRITE(slabp, s_mem, address + colour_off);
	WRITE(slabp, nodeid, node);
	WRITE(slabp, free, 0);
	slabp->page = page;
	slabp->memory = slot_memory_get(&cachep->any, slabp->s_mem,
					cachep->num);
	slabp->bufctl = slabp->memory->bufctl;
	return slabp;
}

static void slab_map_pages(struct kmem_cache *cachep, struct slab *slabp,
			   struct page *page)
{
	u32 nr;

	if (has(SLAB_PAGE_DESCRIPTOR)) {	/* the first is enough */
		WRITE(page, slab_cache, cachep);
		WRITE(page, freelist, slabp);
		page->slab_page = slabp;
		return;
	}
	nr = 1u << READ(cachep, gfporder);
	for (; nr--; page++) {
		WORK(WORK_MAP_PAGE);
		WRITE(page, slab_cache, cachep);
		WRITE(page, slab_page, slabp);
	}
}

static void cache_init_objs(struct kmem_cache *cachep, struct slab *slabp)
{
	u32 num = READ(cachep, num), i;

	WORK(WORK_INIT_OBJECT * num);
	if (has(SLAB_PAGE_DESCRIPTOR)) {
		page_init_objs(cachep, slabp);
		return;
	}
	for (i = 0; i < num; i++)
		slabp->bufctl[i] = i + 1;
	slabp->bufctl[num - 1] = BUFCTL_END;
	WRITE_ELEMENT(slabp, bufctl, 0, 4 * num);
}

/* The offset of the next slab's first byte, so that slabs differ in it. */
static u32 next_colour(struct kmem_cache *cachep, struct kmem_list3 *l3)
{
	u32 colour;

	SPIN_LOCK(l3, list_lock);
	colour = READ(l3, colour_next);
	WRITE(l3, colour_next, colour + 1);
	if (colour + 1 >= READ(cachep, colour))
		WRITE(l3, colour_next, 0);
	SPIN_UNLOCK(l3, list_lock);
	return colour * READ(cachep, colour_off);
}

/* A new slab for a node, of `page` if that is given.  Interrupts are off; they
 * are on for a while where the caller may wait. */
bool cache_grow(struct kmem_cache *cachep, gfp_t flags, u32 node,
		struct page *page)
{
	FUNCTION(cache_grow);
	struct kmem_list3 *l3 = node_list(cachep, node);
	u32 offset = next_colour(cachep, l3);
	struct slab *slabp;

	if (flags & __GFP_WAIT)
		cpu_irq_enable(this_cpu);
	if (!page)
		page = kmem_getpages(cachep, flags, node);
	slabp = page ? alloc_slabmgmt(cachep, page, offset, flags, node) : NULL;
	if (slabp) {
		slab_map_pages(cachep, slabp, page);
		cache_init_objs(cachep, slabp);
	} else if (page) {
		kmem_freepages(cachep, page);
	}
	if (flags & __GFP_WAIT)
		cpu_irq_disable(this_cpu);
	if (!slabp)
		return false;
	SPIN_LOCK(l3, list_lock);
	SLAB_LIST_ADD_TAIL(l3, slabs_free, slabp);
	UPDATE(l3, free_objects, += cachep->num);
	SPIN_UNLOCK(l3, list_lock);
	return true;
}

static void free_management(struct kmem_cache *cachep, struct slab *slabp)
{
	if (READ(cachep, flags) & CFLGS_OFF_SLAB) {
		slab_free(READ(cachep, slabp_cache), &slabp->object);
		return;
	}
	slabp->spare = cachep->spare;
	cachep->spare = slabp;
}

static void free_pages_of_slab(struct kmem_cache *cachep, struct page *page)
{
	struct slot_memory *memory = page->memory;

	page->memory = NULL;
	kmem_freepages(cachep, page);
	slot_memory_put(&cachep->any, memory);
}

/* No reader is left: by the page, since 3.13; by the struct slab before. */
static void kmem_rcu_free_page(void *object)
{
	FUNCTION(kmem_rcu_free);
	struct page *page = object;

	free_pages_of_slab(READ(page, slab_cache), page);
}

static void kmem_rcu_free_slab(void *object)
{
	FUNCTION(kmem_rcu_free);
	struct slab *slabp = object;
	struct kmem_cache *cachep = READ(slabp, rcu_cachep);

	(void)READ(slabp, rcu_addr);
	free_pages_of_slab(cachep, slabp->page);
	free_management(cachep, slabp);
}

void slab_destroy(struct kmem_cache *cachep, struct slab *slabp)
{
	FUNCTION(slab_destroy);
	struct page *page = slabp->page;
	bool by_page = has(SLAB_PAGE_DESCRIPTOR), wait;

	page->memory = slabp->memory;
	if (by_page) {
		(void)READ(page, freelist);
		page->slab_page = NULL;
	} else {
		(void)READ(slabp, s_mem);
		(void)READ(slabp, colouroff);
	}
	(void)READ(cachep, flags);
	wait = pages_wait_for_readers(&cachep->any);
	if (wait && !by_page) {
		WRITE(slabp, rcu_cachep, cachep);
		WRITE(slabp, rcu_addr, page_address(page));
		CALL_RCU(slabp, rcu, kmem_rcu_free_slab);
		return;
	}
	if (wait)
		CALL_RCU(page, rcu, kmem_rcu_free_page);
	else
		free_pages_of_slab(cachep, page);
	free_management(cachep, slabp);
}

/* Since 3.17: what free_block() emptied goes when the lock is released. */
void slabs_destroy(struct kmem_cache *cachep, struct list_head *gone)
{
	FUNCTION(slabs_destroy);

	while (gone->next != gone) {
		struct slab *slabp =
			container_of(gone->next, struct slab, list);
		struct list_head *next = slab_links(slabp).next;

		WORK(WORK_NEXT_GONE);
		gone->next = next;
		if (next != gone)
			slab_set_prev(container_of(next, struct slab, list),
				      gone);
		slab_set_links(slabp, (struct list_head){ NULL, NULL });
		slab_destroy(cachep, slabp);
	}
}
