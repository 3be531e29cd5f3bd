/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/page_alloc.c: pages.
 *
 * A node has one zone.  Single pages wait on a list of each CPU (hot ones in
 * front), which is filled and emptied in batches; behind it stand the zone's
 * free blocks of 2^order pages under zone->lock, split and merged by the buddy
 * rule.  All pages have one migrate type.
 *
 * The zone's memory comes from the machine in the largest blocks when the free
 * lists want it: a kernel has all of it on its lists from boot on, and only
 * the order in which untouched blocks are taken could tell.
 */
#include "stack/mm/internal.h"

#define NO_BUDDY (-1)		/* page->_mapcount */
#define BUDDY (-128)

/* Instructions of one round of a loop. */
#define WORK_NEXT_ORDER 5
#define WORK_SPLIT 14
#define WORK_MERGE 22
#define WORK_CHECK_PAGE 9
#define WORK_COMPOUND_TAIL 5
#define WORK_BULK_PAGE 12

static struct mm *this_mm(void)
{
	return this_kernel()->mm;
}

/* ---- mem_map ---- */

static struct page *page_of_frame(const struct mm *mm, u32 frame)
{
	return page_of_address(mm, (u64)frame << PAGE_SHIFT);
}

static u64 map_address(struct mm *mm, u32 node, u32 frame)
{
	u64 *map = &mm->mem_map_address[frame / FRAMES_PER_MAP];
	u32 size = mm->kernel->types[STRUCT_page].size;

	if (mm->is_slub)	/* its cmpxchg16b wants two aligned words */
		size = ALIGN_UP(size, 16);
	g_assert(size && size <= LINE_SIZE);
	if (!*map)
		*map = machine_alloc_pages(mm->machine, node, MAX_ORDER - 1);
	return *map ? *map + (u64)(frame % FRAMES_PER_MAP) * size : 0;
}

/* Makes the struct pages of a block that the zone has not had yet. */
static struct page *map_block(struct mm *mm, u32 node, u32 first)
{
	struct page *pages = mm_memory(mm, FRAMES_PER_BLOCK * sizeof(*pages));
	u32 i;

	for (i = 0; i < FRAMES_PER_BLOCK; i++) {
		struct page *page = &pages[i];

		object_init(&page->object, &mm->kernel->types[STRUCT_page],
			    map_address(mm, node, first + i));
		page->frame = first + i;
		page->node = node;
		page->_mapcount = NO_BUDDY;
	}
	mm->mem_map[first / FRAMES_PER_BLOCK] = pages;
	return pages;
}

/* One more largest block for the zone; false: the node has no more. */
static bool grow_zone(struct zone *zone)
{
	struct mm *mm = this_mm();
	struct free_area *area = &zone->free_area[MAX_ORDER - 1];
	u64 address = machine_alloc_pages(mm->machine, zone->node,
					  MAX_ORDER - 1);
	struct page *page;

	if (!address ||
	    !map_address(mm, zone->node, (u32)(address >> PAGE_SHIFT)))
		return false;
	page = map_block(mm, zone->node, (u32)(address >> PAGE_SHIFT));
	page->private = MAX_ORDER - 1;
	page->_mapcount = BUDDY;
	page->lru = (struct list_head){ &area->free_list,
					area->free_list.prev };
	area->free_list.prev->next = &page->lru;
	area->free_list.prev = &page->lru;
	area->nr_free++;
	return true;
}

/* ---- counters ---- */

/* Counted on this CPU; folded into the zone when that gets large. */
static void __mod_zone_page_state(struct zone *zone, enum zone_stat_item item,
				  s32 delta)
{
	FUNCTION(__mod_zone_page_state);
	struct per_cpu_pageset *p = zone->pageset[this_cpu->id];
	s32 threshold, x;

	(void)READ(zone, pageset);
	threshold = READ(p, stat_threshold);
	(void)READ(p, vm_stat_diff);
	x = p->vm_stat_diff[item] + delta;
	if (x > threshold || x < -threshold) {
		(void)ATOMIC_(__COUNTER__, zone, vm_stat, [item] += x);
		x = 0;
	}
	WRITE_(__COUNTER__, p, vm_stat_diff, false, [item] = x);
}

void mod_zone_page_state(struct page *page, enum zone_stat_item item, s32 delta)
{
	FUNCTION(mod_zone_page_state);
	struct zone *zone = this_mm()->zones[page_to_nid(page)];

	cpu_irq_disable(this_cpu);
	__mod_zone_page_state(zone, item, delta);
	cpu_irq_enable(this_cpu);
}

/* ---- free blocks ---- */

static void set_page_order(struct page *page, u32 order)
{
	WRITE(page, private, order);
	WRITE(page, _mapcount, BUDDY);
}

static void rmv_page_order(struct page *page)
{
	WRITE(page, _mapcount, NO_BUDDY);
	WRITE(page, private, 0);
}

/* Halves a block until it has the order that is wanted. */
static void expand(struct zone *zone, struct page *page, u32 low, u32 high)
{
	while (high > low) {
		struct free_area *area = &zone->free_area[--high];
		struct page *half = page + (1u << high);

		WORK(WORK_SPLIT);
		LIST_ADD(area, free_list, half, struct page, lru);
		UPDATE(area, nr_free, += 1);
		set_page_order(half, high);
	}
}

static struct page *rmqueue_smallest(struct zone *zone, u32 order)
{
	u32 current;

	for (current = order; current < MAX_ORDER; current++) {
		struct free_area *area = &zone->free_area[current];
		struct list_head *first = LIST_FIRST(area, free_list);
		struct page *page;

		WORK(WORK_NEXT_ORDER);
		if (!first)
			continue;
		page = container_of(first, struct page, lru);
		LIST_DEL(area, free_list, page, struct page, lru);
		rmv_page_order(page);
		UPDATE(area, nr_free, -= 1);
		expand(zone, page, order, current);
		return page;
	}
	return NULL;
}

/* A block from the free lists; zone->lock is held. */
static struct page *__rmqueue(struct zone *zone, u32 order)
{
	FUNCTION(__rmqueue);
	struct page *page = rmqueue_smallest(zone, order);

	if (!page && grow_zone(zone))
		page = rmqueue_smallest(zone, order);
	return page;
}

/* The buddy may be in use: then its owner may write while this looks. */
static bool page_is_buddy(struct page *buddy, u32 order)
{
	return READ_ONCE(buddy, _mapcount) == BUDDY &&
	       READ_ONCE(buddy, private) == order;
}

/* Gives a block back and merges it with its buddies; zone->lock is held. */
static void __free_one_page(struct zone *zone, struct page *page, u32 order)
{
	FUNCTION(__free_one_page);
	const struct mm *mm = this_mm();
	u32 frame = page->frame;
	struct free_area *area;

	for (; order < MAX_ORDER - 1; order++) {
		struct page *buddy = page_of_frame(mm, frame ^ 1u << order);

		if (!page_is_buddy(buddy, order))
			break;
		WORK(WORK_MERGE);
		area = &zone->free_area[order];
		LIST_DEL(area, free_list, buddy, struct page, lru);
		UPDATE(area, nr_free, -= 1);
		rmv_page_order(buddy);
		frame &= ~(1u << order);
	}
	page = page_of_frame(mm, frame);
	set_page_order(page, order);
	area = &zone->free_area[order];
	if (order < MAX_ORDER - 2) {
		u32 up = frame & ~(1u << order);
		struct page *higher = page_of_frame(mm, up ^ 2u << order);

		/* Soon to be merged, perhaps: hand it out last. */
		if (page_is_buddy(higher, order + 1)) {
			LIST_ADD_TAIL(area, free_list, page, struct page, lru);
			UPDATE(area, nr_free, += 1);
			return;
		}
	}
	LIST_ADD(area, free_list, page, struct page, lru);
	UPDATE(area, nr_free, += 1);
}

/* ---- a CPU's pages ---- */

/* Takes `count` single pages for a CPU's list, in the order of the zone. */
static u32 rmqueue_bulk(struct zone *zone, u32 count, struct per_cpu_pages *pcp)
{
	FUNCTION(rmqueue_bulk);
	u32 i;

	SPIN_LOCK(zone, lock);
	for (i = 0; i < count; i++) {
		struct page *page = __rmqueue(zone, 0);

		if (!page)
			break;
		WORK(WORK_BULK_PAGE);
		LIST_ADD_TAIL(pcp, lists, page, struct page, lru);
		WRITE(page, private, 0);
	}
	__mod_zone_page_state(zone, NR_FREE_PAGES, -(s32)i);
	zone->free_pages -= i;
	SPIN_UNLOCK(zone, lock);
	return i;
}

/* Gives a CPU's coldest pages back. */
static void free_pcppages_bulk(struct zone *zone, u32 count,
			       struct per_cpu_pages *pcp)
{
	FUNCTION(free_pcppages_bulk);
	u32 i;

	SPIN_LOCK(zone, lock);
	for (i = 0; i < count; i++) {
		struct list_head *last = READ(pcp, lists).prev;
		struct page *page = container_of(last, struct page, lru);

		WORK(WORK_BULK_PAGE);
		LIST_DEL(pcp, lists, page, struct page, lru);
		__free_one_page(zone, page, 0);
	}
	__mod_zone_page_state(zone, NR_FREE_PAGES, (s32)count);
	zone->free_pages += count;
	SPIN_UNLOCK(zone, lock);
}

static struct per_cpu_pages *this_pcp(struct zone *zone)
{
	(void)READ(zone, pageset);
	return &zone->pageset[this_cpu->id]->pcp;
}

static struct page *take_single(struct zone *zone)
{
	struct per_cpu_pages *pcp = this_pcp(zone);
	struct list_head *first = LIST_FIRST(pcp, lists);
	struct page *page;

	if (!first) {
		u32 nr = rmqueue_bulk(zone, READ(pcp, batch), pcp);

		UPDATE(pcp, count, += nr);
		first = LIST_FIRST(pcp, lists);
		if (!first)
			return NULL;
	}
	page = container_of(first, struct page, lru);
	LIST_DEL(pcp, lists, page, struct page, lru);
	UPDATE(pcp, count, -= 1);
	return page;
}

static struct page *take_block(struct zone *zone, u32 order)
{
	struct page *page;

	SPIN_LOCK(zone, lock);
	page = __rmqueue(zone, order);
	if (page) {
		__mod_zone_page_state(zone, NR_FREE_PAGES, -(1 << order));
		zone->free_pages -= 1u << order;
	}
	SPIN_UNLOCK(zone, lock);
	return page;
}

/* ---- allocation ---- */

static void prep_compound_page(struct page *page, u32 order)
{
	FUNCTION(prep_compound_page);
	u32 i;

	UPDATE(page, flags, |= PG_HEAD);
	page->order = order;	/* the kernel keeps it in the first tail page */
	for (i = 1; i < 1u << order; i++) {
		WORK(WORK_COMPOUND_TAIL);
		if (!has(PAGE_COMPOUND_HEAD))
			UPDATE(page + i, flags, |= PG_TAIL);
		WRITE(page + i, first_page, page);
	}
}

static void prep_new_page(struct page *page, u32 order, gfp_t gfp)
{
	u32 i;

	for (i = 0; i < 1u << order; i++) {
		WORK(WORK_CHECK_PAGE);
		(void)READ(page + i, _mapcount);
		(void)READ(page + i, mapping);
		(void)READ(page + i, _count);
		(void)READ(page + i, flags);
	}
	WRITE(page, private, 0);
	WRITE(page, _count, 1);
	if (order && gfp & __GFP_COMP)
		prep_compound_page(page, order);
}

static bool zone_watermark_ok(struct zone *zone, u32 order, u32 mark, gfp_t gfp)
{
	FUNCTION(zone_watermark_ok);
	s64 free_pages, min = mark;

	(void)READ(zone, vm_stat);
	free_pages = zone->vm_stat[NR_FREE_PAGES] - (1 << order) + 1;
	if (gfp & __GFP_HIGH)
		min -= min / 2;
	if (!(gfp & __GFP_WAIT))
		min -= min / 4;
	(void)READ(zone, lowmem_reserve);
	return free_pages > min + zone->lowmem_reserve[0];
}

/* Tries the zones from `node` on. */
static struct page *get_page_from_freelist(u32 node, gfp_t gfp, u32 order,
					   enum zone_watermarks mark)
{
	FUNCTION(get_page_from_freelist);
	struct mm *mm = this_mm();
	u32 nodes = gfp & __GFP_THISNODE ? 1 : mm->num_nodes, i;

	for (i = 0; i < nodes; i++) {
		struct zone *zone = mm->zones[(node + i) % mm->num_nodes];
		struct page *page;

		(void)READ(zone, watermark);
		if (!zone_watermark_ok(zone, order, zone->watermark[mark],
				       mark == WMARK_MIN ? gfp : __GFP_WAIT))
			continue;
		cpu_irq_disable(this_cpu);
		page = order ? take_block(zone, order) : take_single(zone);
		cpu_irq_enable(this_cpu);
		if (!page)
			continue;
		prep_new_page(page, order, gfp);
		return page;
	}
	return NULL;
}

/* The model has nothing to reclaim: below the lower mark all is over. */
static struct page *__alloc_pages_slowpath(u32 node, gfp_t gfp, u32 order)
{
	FUNCTION(__alloc_pages_slowpath);

	return get_page_from_freelist(node, gfp, order, WMARK_MIN);
}

static struct page *__alloc_pages_nodemask(u32 node, gfp_t gfp, u32 order)
{
	FUNCTION(__alloc_pages_nodemask);
	struct page *page = get_page_from_freelist(node, gfp, order, WMARK_LOW);

	return page ? page : __alloc_pages_slowpath(node, gfp, order);
}

/*
 * 2^order pages, aligned to their size, of `node` or, unless gfp says
 * __GFP_THISNODE, the next one that has some; NULL where none has.
 */
struct page *alloc_pages_node(u32 node, gfp_t gfp, u32 order)
{
	g_assert(order < MAX_ORDER && node < this_mm()->num_nodes);
	return __alloc_pages_nodemask(node, gfp, order);
}

/* ---- freeing ---- */

static void destroy_compound_page(struct page *page, u32 order)
{
	u32 i;

	UPDATE(page, flags, &= ~PG_HEAD);
	for (i = 1; i < 1u << order; i++) {
		WORK(WORK_COMPOUND_TAIL);
		(void)READ(page + i, first_page);
		if (has(PAGE_COMPOUND_HEAD)) {
			WRITE(page + i, first_page, NULL);
			continue;
		}
		UPDATE(page + i, flags, &= ~PG_TAIL);
		page[i].first_page = NULL;	/* its word gets other uses */
	}
}

static void free_pages_check(struct page *page, u32 order)
{
	u32 i;

	for (i = 0; i < 1u << order; i++) {
		WORK(WORK_CHECK_PAGE);
		(void)READ(page + i, _mapcount);
		(void)READ(page + i, mapping);
		(void)READ(page + i, _count);
		g_assert(!(READ(page + i, flags) & PG_SLAB));
	}
}

static void free_hot_cold_page(struct page *page)
{
	FUNCTION(free_hot_cold_page);
	struct zone *zone = this_mm()->zones[page_to_nid(page)];
	struct per_cpu_pages *pcp;
	u32 count;

	free_pages_check(page, 0);
	WRITE(page, private, 0);
	cpu_irq_disable(this_cpu);
	pcp = this_pcp(zone);
	LIST_ADD(pcp, lists, page, struct page, lru);
	UPDATE(pcp, count, += 1);
	count = pcp->count;
	if (count >= READ(pcp, high)) {
		u32 batch = READ(pcp, batch);

		free_pcppages_bulk(zone, batch, pcp);
		UPDATE(pcp, count, -= batch);
	}
	cpu_irq_enable(this_cpu);
}

static void __free_pages_ok(struct page *page, u32 order)
{
	FUNCTION(__free_pages_ok);
	struct zone *zone = this_mm()->zones[page_to_nid(page)];

	if (READ(page, flags) & PG_HEAD)
		destroy_compound_page(page, order);
	free_pages_check(page, order);
	cpu_irq_disable(this_cpu);
	SPIN_LOCK(zone, lock);
	__free_one_page(zone, page, order);
	__mod_zone_page_state(zone, NR_FREE_PAGES, 1 << order);
	zone->free_pages += 1u << order;
	SPIN_UNLOCK(zone, lock);
	cpu_irq_enable(this_cpu);
}

/* Gives pages back that nobody holds any more. */
void free_the_page(struct page *page, u32 order)
{
	if (order == 0)
		free_hot_cold_page(page);
	else
		__free_pages_ok(page, order);
}

/* Puts a reference to pages; the last one gives them back. */
void __free_pages(struct page *page, u32 order)
{
	FUNCTION(__free_pages);

	if (ATOMIC_DEC_AND_TEST(page, _count))
		free_the_page(page, order);
}
