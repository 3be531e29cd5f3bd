/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks through an allocator's lists, which look whether they are whole. */
#include <stdlib.h>

#include "mm_support.h"

/* ---- objects ---- */

static int by_address(const void *a, const void *b)
{
	const struct live *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void verify_no_overlap(struct live *live, u32 n)
{
	u32 i;

	qsort(live, n, sizeof(live[0]), by_address);
	for (i = 1; i < n; i++)
		must(live[i - 1].address + live[i - 1].size <=
		     live[i].address);
}

/* Addresses of free objects: none may come twice. */
struct free_set {
	GHashTable *seen;
};

static void add_free(struct free_set *set, const struct object *o)
{
	must(g_hash_table_add(set->seen, (void *)o));
}

/* ---- SLAB ---- */

enum slab_place { PARTIAL, FULL, FREE };

static u32 chain_length(const struct slab *slabp, u32 num)
{
	u32 i, n = 0;

	for (i = slabp->free; i != BUFCTL_END; i = slabp->bufctl[i]) {
		must(i < num);
		must(++n <= num);
	}
	return n;
}

/* Since 3.13: the indexes behind those of objects in use, each but once. */
static u32 count_indexes(const struct slab *slabp, u32 num)
{
	bool seen[256] = { false };
	u32 i;

	must(slabp->page->active == slabp->inuse);
	for (i = slabp->inuse; i < num; i++) {
		must(slabp->bufctl[i] < num);
		must(!seen[slabp->bufctl[i]]);
		seen[slabp->bufctl[i]] = true;
	}
	return num - slabp->inuse;
}

/* Where the array lies: in an object, which is free, or nowhere if there is
 * none; else always at one place. */
static void verify_freelist(const struct kmem_cache *cachep,
			    const struct slab *slabp, enum slab_place place)
{
	u64 at = object_address(&slabp->object) + slabp->skip;
	u32 index = (u32)((at - slabp->s_mem) / cachep->size), i;

	if (!(cachep->flags & CFLGS_OBJFREELIST_SLAB)) {
		must(slabp->page->freelist == slabp);
		return;
	}
	must(slabp->page->freelist == (place == FULL ? NULL : slabp));
	for (i = slabp->inuse; i < cachep->num; i++)
		if (slabp->bufctl[i] == index)
			return;
	must(place == FULL);
}

static void verify_links(const struct kmem_cache *cachep,
			 const struct slab *slabp, enum slab_place place)
{
	u32 num = cachep->num, i;

	if (kernel_has(cachep->any.mm->kernel, SLAB_PAGE_DESCRIPTOR)) {
		must(count_indexes(slabp, num) == num - slabp->inuse);
		must(slabp->page->slab_cache == cachep);
		must(slabp->page->slab_page == slabp);
		must(slabp->page->flags & PG_SLAB);
		for (i = 1; i < 1u << cachep->gfporder; i++)
			must(slabp->page[i].first_page == slabp->page);
		verify_freelist(cachep, slabp, place);
		return;
	}
	must(chain_length(slabp, num) == num - slabp->inuse);
	for (i = 0; i < 1u << cachep->gfporder; i++) {
		must(slabp->page[i].slab_cache == cachep);
		must(slabp->page[i].slab_page == slabp);
		must(slabp->page[i].flags & PG_SLAB);
	}
}

static u32 verify_slab(const struct kmem_cache *cachep,
		       const struct slab *slabp, enum slab_place place)
{
	u32 num = cachep->num, i;

	must(slabp->inuse <= num);
	verify_links(cachep, slabp, place);
	must((slabp->inuse == num) == (place == FULL));
	must((slabp->inuse == 0) == (place == FREE));
	must(slabp->nodeid == slabp->page->node);
	must(slabp->s_mem - slabp->colouroff == page_address(slabp->page));
	must(slabp->s_mem + (u64)num * cachep->size <=
	     page_address(slabp->page) + (PAGE_SIZE << cachep->gfporder));
	for (i = 0; i < num; i++)
		must(object_address(slabp->memory->objects[i]) ==
		     slabp->s_mem + (u64)i * cachep->size);
	return num - slabp->inuse;
}

static u32 verify_slabs(const struct kmem_cache *cachep,
			const struct list_head *head, enum slab_place place)
{
	const struct list_head *p;
	u32 n = 0;

	for (p = head->next; p != head; p = p->next) {
		must(p->next->prev == p && p->prev->next == p);
		n += verify_slab(cachep, container_of(p, struct slab, list),
				 place);
	}
	return n;
}

static u32 verify_array(const struct array_cache *ac, struct free_set *set)
{
	u32 i;

	if (!ac)
		return 0;
	must(ac->avail <= ac->limit);
	for (i = 0; i < ac->avail; i++)
		add_free(set, ac->entry[i]);
	return ac->avail;
}

static u32 verify_node(const struct kmem_cache *cachep, u32 node,
		       struct free_set *set)
{
	const struct kmem_list3 *l3 = cachep->nodelists[node];
	u32 n = 0, i;

	n += verify_slabs(cachep, &l3->slabs_partial, PARTIAL);
	n += verify_slabs(cachep, &l3->slabs_free, FREE);
	must(verify_slabs(cachep, &l3->slabs_full, FULL) == 0);
	must(l3->free_objects == n);
	n += verify_array(l3->shared, set);
	for (i = 0; i < cachep->any.mm->num_nodes; i++)
		if (l3->alien[i])
			n += verify_array(&l3->alien[i]->ac, set);
	return n;
}

u32 verify_slab_cache(const struct kmem_cache *cachep)
{
	struct free_set set = { g_hash_table_new(NULL, NULL) };
	u32 n = 0, i;

	for (i = 0; i < cachep->any.mm->num_nodes; i++)
		n += verify_node(cachep, i, &set);
	for (i = 0; i < cachep->any.mm->num_cpus; i++)
		n += verify_array(cachep->array[i], &set);
	g_hash_table_unref(set.seen);
	return n;
}

/* ---- SLUB ---- */

static u32 freelist_length(const struct kmem_cache_slub *s, struct object *o,
			   struct free_set *set)
{
	u32 n = 0;

	for (; o; o = freelist_next(s, o)) {
		add_free(set, o);
		n++;
	}
	return n;
}

/* Free objects of a page by its own words. */
static u32 verify_slub_page(const struct page *page, struct free_set *set,
			    GHashTable *pages)
{
	u32 c = page->counters;
	u32 n = freelist_length(page->slab, page->freelist, set);

	must(g_hash_table_add(pages, (void *)page));
	must(page->flags & PG_SLAB);
	must(COUNTERS_INUSE(c) + n == COUNTERS_OBJECTS(c));
	return n;
}

static u32 verify_slub_node(const struct kmem_cache_node *n,
			    struct free_set *set, GHashTable *pages)
{
	const struct list_head *p;
	u32 free_objects = 0, partial = 0;

	for (p = n->partial.next; p != &n->partial; p = p->next) {
		const struct page *page = container_of(p, struct page, lru);

		must(p->next->prev == p);
		must(!COUNTERS_FROZEN(page->counters));
		must(page->freelist);
		free_objects += verify_slub_page(page, set, pages);
		partial++;
	}
	must(partial == n->nr_partial);
	return free_objects;
}

static u32 verify_slub_cpu(const struct kmem_cache_cpu *c, struct free_set *set,
			   GHashTable *pages)
{
	const struct page *page;
	u32 n = 0;

	if (c->page) {
		must(COUNTERS_FROZEN(c->page->counters));
		n += freelist_length(c->page->slab, c->freelist, set);
		/* inuse counts what the CPU holds as in use. */
		n += verify_slub_page(c->page, set, pages);
	} else {
		must(!c->freelist);
	}
	for (page = c->partial; page; page = page->next) {
		must(COUNTERS_FROZEN(page->counters));
		n += verify_slub_page(page, set, pages);
	}
	return n;
}

/* Full pages are on no list: live objects lead to them. */
static void verify_full_pages(const struct kmem_cache_slub *s,
			      const struct live *live, u32 n, GHashTable *pages)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct page *page = page_of_address(s->any.mm, live[i].address);

		page = head_of(page);
		must(page->slab == s);
		if (g_hash_table_contains(pages, page))
			continue;
		must(!page->freelist && !COUNTERS_FROZEN(page->counters));
		must(COUNTERS_INUSE(page->counters) ==
		     COUNTERS_OBJECTS(page->counters));
		g_hash_table_add(pages, page);
	}
}

u32 verify_slub_cache(const struct kmem_cache_slub *s, const struct live *live,
		      u32 n)
{
	struct free_set set = { g_hash_table_new(NULL, NULL) };
	GHashTable *pages = g_hash_table_new(NULL, NULL);
	s64 slabs = 0, objects = 0;
	u32 free_objects = 0, i;

	for (i = 0; i < s->any.mm->num_nodes; i++) {
		free_objects += verify_slub_node(s->node[i], &set, pages);
		slabs += s->node[i]->nr_slabs;
		objects += s->node[i]->total_objects;
	}
	for (i = 0; i < s->any.mm->num_cpus; i++)
		free_objects += verify_slub_cpu(s->cpu_slab[i], &set, pages);
	verify_full_pages(s, live, n, pages);
	must(slabs == g_hash_table_size(pages));
	must(objects == free_objects + n);
	g_hash_table_unref(set.seen);
	g_hash_table_unref(pages);
	return free_objects;
}

u32 count_free_objects(const struct any_cache *cache)
{
	const struct kmem_cache_slub *s =
		container_of(cache, struct kmem_cache_slub, any);
	struct free_set set;
	GHashTable *pages;
	u32 n = 0, i;

	if (!cache->is_slub)
		return verify_slab_cache(container_of(cache, struct kmem_cache,
						      any));
	set.seen = g_hash_table_new(NULL, NULL);
	pages = g_hash_table_new(NULL, NULL);
	for (i = 0; i < cache->mm->num_nodes; i++)
		n += verify_slub_node(s->node[i], &set, pages);
	for (i = 0; i < cache->mm->num_cpus; i++)
		n += verify_slub_cpu(s->cpu_slab[i], &set, pages);
	g_hash_table_unref(set.seen);
	g_hash_table_unref(pages);
	return n;
}

/* ---- pages ---- */

/* Two free buddies would have been merged. */
static void verify_not_mergeable(const struct mm *mm, const struct page *page,
				 u32 order)
{
	u64 buddy = page->frame ^ 1u << order;
	const struct page *other;

	if (order == MAX_ORDER - 1)
		return;
	other = page_of_address(mm, buddy << PAGE_SHIFT);
	must(other->_mapcount != -128 || other->private != order);
}

static u64 verify_area(const struct mm *mm, struct zone *zone, u32 order)
{
	const struct free_area *area = &zone->free_area[order];
	const struct list_head *p;
	u32 n = 0;

	for (p = area->free_list.next; p != &area->free_list; p = p->next) {
		const struct page *page = container_of(p, struct page, lru);

		must(p->next->prev == p && p->prev->next == p);
		must(page->_mapcount == -128 && page->private == order);
		must(page->node == zone->node);
		must(page->frame % (1u << order) == 0);
		verify_not_mergeable(mm, page, order);
		n++;
	}
	must(n == area->nr_free);
	return (u64)n << order;
}

static u64 verify_zone(const struct mm *mm, struct zone *zone)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < MAX_ORDER; i++)
		n += verify_area(mm, zone, i);
	for (i = 0; i < mm->num_cpus; i++) {
		const struct per_cpu_pages *pcp = &zone->pageset[i]->pcp;
		const struct list_head *p;
		u32 count = 0;

		for (p = pcp->lists.next; p != &pcp->lists; p = p->next)
			count++;
		must(count == pcp->count && count <= pcp->high);
		n += count;
	}
	return n;
}

u64 verify_pages(const struct mm *mm)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < mm->num_nodes; i++)
		n += verify_zone(mm, mm->zones[i]);
	return n;
}
