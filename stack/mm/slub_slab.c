/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slub.c: SLUB's slabs: how they come, how they go, and where they wait.
 *
 * The words freelist and counters of a page change together, by a locked
 * cmpxchg.  A page is on its node's partial list only while it is not frozen,
 * and that list changes under list_lock only.
 */
#include "stack/mm/slub.h"

/* Instructions of one round of a loop. */
#define WORK_INIT_OBJECT 8
#define WORK_NEXT_PAGE 12
#define WORK_PUT_BACK 14

enum slab_modes { M_NONE, M_PARTIAL, M_FULL, M_FREE };

/* ---- the words of a page ---- */

/* Both words of a page at once, if they are still what was seen. */
bool cmpxchg_double_slab(struct kmem_cache_slub *s, struct page *page,
			 struct object *freelist_old, u32 counters_old,
			 struct object *freelist_new, u32 counters_new)
{
	bool same;

	(void)READ(s, flags);	/* may it use the instruction? */
	same = ATOMIC_(__COUNTER__, page, freelist, == freelist_old);
	if (!same || page->counters != counters_old)
		return false;
	page->freelist = freelist_new;
	page->counters = counters_new;
	return true;
}

/* ---- a node's partial slabs; list_lock is held ---- */

void add_partial(struct kmem_cache_node *n, struct page *page, bool tail)
{
	UPDATE(n, nr_partial, += 1);
	if (tail)
		LIST_ADD_TAIL(n, partial, page, struct page, lru);
	else
		LIST_ADD(n, partial, page, struct page, lru);
}

void remove_partial(struct kmem_cache_node *n, struct page *page)
{
	LIST_DEL(n, partial, page, struct page, lru);
	UPDATE(n, nr_partial, -= 1);
}

/* ---- slabs ---- */

static struct page *alloc_slab_page(struct kmem_cache_slub *s, gfp_t flags,
				    int node,
				    struct kmem_cache_order_objects oo)
{
	u32 from = node == NUMA_NO_NODE ? this_node() : (u32)node;
	struct page *page;

	if (oo.order)
		flags |= __GFP_COMP;
	if (node != NUMA_NO_NODE)
		flags |= __GFP_THISNODE;
	page = alloc_pages_node(from, flags, oo.order);
	if (!page)
		return NULL;
	WRITE(page, counters, COUNTERS(oo.objects, oo.objects, 1));
	page->order = oo.order;
	page->memory = slot_memory_get(&s->any, page_address(page), oo.objects);
	return page;
}

static struct page *allocate_slab(struct kmem_cache_slub *s, gfp_t flags,
				  int node)
{
	FUNCTION(allocate_slab);
	struct page *page;

	if (flags & __GFP_WAIT)
		cpu_irq_enable(this_cpu);
	page = alloc_slab_page(s, flags, node, READ(s, oo));
	if (!page)
		page = alloc_slab_page(s, flags, node, READ(s, min));
	if (flags & __GFP_WAIT)
		cpu_irq_disable(this_cpu);
	if (page)
		mod_zone_page_state(page, NR_SLAB_UNRECLAIMABLE,
				    1 << page->order);
	return page;
}

/* Links a new slab's objects in the order of their addresses. */
static struct object *link_objects(struct kmem_cache_slub *s, struct page *page)
{
	u32 objects = COUNTERS_OBJECTS(READ(page, counters)), i;
	struct object **o = page->memory->objects;

	WORK(WORK_INIT_OBJECT * objects);
	for (i = 0; i < objects; i++)
		set_freepointer(s, o[i], i + 1 < objects ? o[i + 1] : NULL);
	return o[0];
}

/* The next index of the sequence that lies in a slab of so many objects; a
 * slab that is smaller than usual has not all of them. */
static u32 next_freelist_entry(const struct kmem_cache_slub *s, u32 *pos,
			       u32 objects)
{
	u32 index;

	do {
		index = s->random_seq[*pos];
		*pos = (*pos + 1) % s->oo.objects;
	} while (index >= objects);
	return index;
}

/* Links them by the cache's random sequence, from a random place of it on. */
static struct object *shuffle_freelist(struct kmem_cache_slub *s,
				       struct page *page)
{
	u32 objects = COUNTERS_OBJECTS(READ(page, counters)), i, pos;
	struct object **o = page->memory->objects, *first, *object, *next;

	(void)READ(s, random_seq);
	WORK(WORK_INIT_OBJECT * objects);
	pos = (u32)random_below(&s->stream, s->oo.objects);
	first = object = o[next_freelist_entry(s, &pos, objects)];
	for (i = 1; i < objects; i++) {
		next = o[next_freelist_entry(s, &pos, objects)];
		set_freepointer(s, object, next);
		object = next;
	}
	set_freepointer(s, object, NULL);
	return first;
}

/* Where the kernel does not count a node's slabs, the model does for its own
 * statistics, without charge. */
static void count_slab(struct kmem_cache_node *n, s32 slabs, s32 objects)
{
	n->nr_slabs += slabs;
	n->total_objects += objects;
}

struct page *new_slab(struct kmem_cache_slub *s, gfp_t flags, int node)
{
	FUNCTION(new_slab);
	struct page *page = allocate_slab(s, flags, node);
	struct kmem_cache_node *n;
	struct object *first;

	if (!page)
		return NULL;
	n = get_node(s, page_to_nid(page));
	if (has(SLUB_NO_DEBUG)) {
		count_slab(n, 1, (s32)COUNTERS_OBJECTS(page->counters));
	} else {
		ATOMIC_INC(n, nr_slabs);
		(void)ATOMIC_ADD_RETURN(n, total_objects,
					COUNTERS_OBJECTS(page->counters));
	}
	WRITE(page, slab, s);
	UPDATE(page, flags, |= PG_SLAB);
	first = s->random_seq ? shuffle_freelist(s, page) :
		link_objects(s, page);
	WRITE(page, freelist, first);
	return page;
}

static void __free_slab(struct kmem_cache_slub *s, struct page *page)
{
	mod_zone_page_state(page, NR_SLAB_UNRECLAIMABLE, -(1 << page->order));
	UPDATE(page, flags, &= ~PG_SLAB);
	WRITE(page, _mapcount, -1);
	slot_memory_put(&s->any, page->memory);
	page->memory = NULL;
	__free_pages(page, page->order);
}

static void rcu_free_slab(void *object)
{
	FUNCTION(rcu_free_slab);
	struct page *page = object;

	__free_slab(READ(page, slab), page);
}

void discard_slab(struct kmem_cache_slub *s, struct page *page)
{
	FUNCTION(discard_slab);
	struct kmem_cache_node *n = get_node(s, page_to_nid(page));
	u32 objects = COUNTERS_OBJECTS(READ(page, counters));

	if (has(SLUB_NO_DEBUG)) {
		count_slab(n, -1, -(s32)objects);
	} else {
		ATOMIC_DEC(n, nr_slabs);
		(void)ATOMIC_SUB_RETURN(n, total_objects, objects);
	}
	(void)READ(s, flags);
	if (pages_wait_for_readers(&s->any))
		CALL_RCU(page, rcu, rcu_free_slab);
	else
		__free_slab(s, page);
}

/* ---- from frozen to a list ---- */

/* Gives the objects that a CPU still holds back to their page, all but the
 * last, which deactivate_slab() puts back as it unfreezes the page. */
static struct object *put_back_objects(struct kmem_cache_slub *s,
				       struct page *page,
				       struct object *freelist)
{
	struct object *next, *prior;
	u32 counters;

	while (freelist && (next = get_freepointer(s, freelist))) {
		do {
			WORK(WORK_PUT_BACK);
			prior = READ_ONCE(page, freelist);
			counters = READ_ONCE(page, counters);
			set_freepointer(s, freelist, prior);
		} while (!cmpxchg_double_slab(s, page, prior, counters,
					      freelist, counters - 1));
		freelist = next;
	}
	return freelist;
}

/* Moves a page between the lists as its mode changes; list_lock is held where
 * a list is involved. */
static void change_list(struct kmem_cache_node *n, struct page *page,
			enum slab_modes from, enum slab_modes to, bool tail)
{
	if (from == to)
		return;
	if (from == M_PARTIAL)
		remove_partial(n, page);
	if (to == M_PARTIAL)
		add_partial(n, page, tail);
}

/* A CPU lets go of its slab. */
void deactivate_slab(struct kmem_cache_slub *s, struct page *page,
		     struct object *freelist)
{
	FUNCTION(deactivate_slab);
	struct kmem_cache_node *n = get_node(s, page_to_nid(page));
	enum slab_modes l = M_NONE, m = M_NONE;
	bool locked = false, tail = READ_ONCE(page, freelist) != NULL;

	freelist = put_back_objects(s, page, freelist);
	for (;;) {
		struct object *old = READ_ONCE(page, freelist), *new = old;
		u32 counters = READ_ONCE(page, counters), inuse;

		inuse = COUNTERS_INUSE(counters);
		if (freelist) {
			inuse--;
			set_freepointer(s, freelist, old);
			new = freelist;
		}
		if (!inuse && node_has_enough(s, n))
			m = M_FREE;
		else
			m = new ? M_PARTIAL : M_FULL;
		if (m == M_PARTIAL && !locked) {
			SPIN_LOCK(n, list_lock);
			locked = true;
		}
		change_list(n, page, l, m, tail);
		l = m;
		if (cmpxchg_double_slab(s, page, old, counters, new,
					COUNTERS(inuse,
						 COUNTERS_OBJECTS(counters),
						 0)))
			break;
	}
	if (locked)
		SPIN_UNLOCK(n, list_lock);
	if (m == M_FREE)
		discard_slab(s, page);
}

void flush_slab(struct kmem_cache_slub *s, struct kmem_cache_cpu *c)
{
	FUNCTION(flush_slab);
	struct page *page = READ(c, page);

	deactivate_slab(s, page, READ(c, freelist));
	next_tid(c);
	WRITE(c, page, NULL);
	WRITE(c, freelist, NULL);
}

static u32 unfreeze(struct kmem_cache_slub *s, struct page *page)
{
	struct object *freelist;
	u32 counters;

	do {
		freelist = READ_ONCE(page, freelist);
		counters = READ_ONCE(page, counters);
	} while (!cmpxchg_double_slab(s, page, freelist, counters, freelist,
				      counters & ~COUNTERS(0, 0, 1)));
	return COUNTERS_INUSE(counters);
}

/* Moves this CPU's partial slabs to their nodes.  Interrupts are off. */
static void unfreeze_partials(struct kmem_cache_slub *s)
{
	FUNCTION(unfreeze_partials);
	struct kmem_cache_cpu *c = this_cpu_slab(s);
	struct kmem_cache_node *n = NULL;
	struct page *page, *discard = NULL;

	while ((page = READ(c, partial))) {
		struct kmem_cache_node *n2;
		struct page *next = READ(page, next);

		WORK(WORK_NEXT_PAGE);
		WRITE(c, partial, next);
		n2 = get_node(s, page_to_nid(page));
		if (n != n2) {
			if (n)
				SPIN_UNLOCK(n, list_lock);
			n = n2;
			SPIN_LOCK(n, list_lock);
		}
		if (!unfreeze(s, page) && node_has_enough(s, n)) {
			WRITE(page, next, discard);
			discard = page;
		} else {
			add_partial(n, page, true);
		}
	}
	if (n)
		SPIN_UNLOCK(n, list_lock);
	while ((page = discard)) {
		discard = READ(page, next);
		discard_slab(s, page);
	}
}

/*
 * Puts a frozen page on this CPU's partial list.  `drain`: when the list is
 * full, its pages go to their nodes first.  Gives the number of free objects
 * on the list, in kernels that count them; others count its slabs only.
 */
u32 put_cpu_partial(struct kmem_cache_slub *s, struct page *page, bool drain)
{
	FUNCTION(put_cpu_partial);
	struct kmem_cache_cpu *c = this_cpu_slab(s);
	struct page *oldpage = READ(c, partial);
	bool by_slabs = has(SLUB_CPU_PARTIAL_SLABS), full = false;
	u32 pages = 0, pobjects = 0, counters;

	if (oldpage) {
		if (!by_slabs)
			pobjects = READ(oldpage, pobjects);
		pages = READ(oldpage, pages);
		if (drain)
			full = by_slabs ? pages >= READ(s, cpu_partial_slabs) :
			       pobjects > READ(s, cpu_partial);
	}
	if (full) {
		cpu_irq_disable(this_cpu);
		unfreeze_partials(s);
		cpu_irq_enable(this_cpu);
		oldpage = NULL;
		pobjects = 0;
		pages = 0;
	}
	if (!by_slabs) {
		counters = READ_ONCE(page, counters);
		pobjects += COUNTERS_OBJECTS(counters) -
			    COUNTERS_INUSE(counters);
	}
	WRITE(page, pages, pages + 1);
	if (!by_slabs)
		WRITE(page, pobjects, pobjects);
	WRITE(page, next, oldpage);
	WRITE(c, partial, page);
	return pobjects;
}
