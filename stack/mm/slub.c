/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slub.c: SLUB's paths to an object and back.
 *
 * Each CPU works on one slab, whose free objects it holds as a list that only
 * it takes from: one unlocked cmpxchg of (freelist, tid) allocates or frees.
 * Other CPUs free into page->freelist by a locked cmpxchg of (freelist,
 * counters).  A slab is "frozen" while a CPU holds it, as its own or on its
 * partial list; otherwise it is full and on no list, or on the partial list of
 * its node under list_lock.  A free object holds the pointer to the next one.
 *
 * kmem_cache_alloc() and kmem_cache_free() contain slab_alloc() and
 * slab_free(): these have no FUNCTION() of their own.  A CPU is not preempted
 * in them, and interrupts come at function calls only, so the unlocked cmpxchg
 * succeeds at once.  The general caches are in slub_kmalloc.c.
 */
#include "stack/mm/slub_paths.h"

#define WORK_NEXT_PAGE 12	/* instructions of one round of a loop */

/* ---- slow path: another slab for this CPU ---- */

/*
 * Takes a page off its node's partial list and freezes it; list_lock is held.
 * `all`: its free objects are taken as well.  Gives these, NULL: another CPU
 * changed the page meanwhile.
 */
static struct object *acquire_slab(struct kmem_cache_slub *s,
				   struct kmem_cache_node *n, struct page *page,
				   bool all)
{
	struct object *freelist = READ_ONCE(page, freelist);
	u32 counters = READ_ONCE(page, counters);
	u32 objects = COUNTERS_OBJECTS(counters);
	u32 inuse = all ? objects : COUNTERS_INUSE(counters);

	if (!cmpxchg_double_slab(s, page, freelist, counters,
				 all ? NULL : freelist,
				 COUNTERS(inuse, objects, 1)))
		return NULL;
	remove_partial(n, page);
	return freelist;
}

/* Has a CPU taken what half fills its partial list? */
static bool enough_partial(struct kmem_cache_slub *s, u32 objects, u32 slabs)
{
	if (has(SLUB_CPU_PARTIAL_SLABS))
		return slabs > READ(s, cpu_partial_slabs) / 2;
	return objects > READ(s, cpu_partial) / 2;
}

/* The first partial slab of a node for this CPU to work on, and more for its
 * partial list until that is half full. */
static struct object *get_partial_node(struct kmem_cache_slub *s,
				       struct kmem_cache_node *n,
				       struct kmem_cache_cpu *c)
{
	FUNCTION(get_partial_node);
	struct object *object = NULL;
	struct list_head *link, *next;
	u32 slabs = 0;

	if (!READ_ONCE(n, nr_partial))
		return NULL;
	SPIN_LOCK(n, list_lock);
	for (link = READ(n, partial).next; link != &n->partial; link = next) {
		struct page *page = container_of(link, struct page, lru);
		struct object *t;
		u32 available;

		WORK(WORK_NEXT_PAGE);
		next = READ(page, lru).next;
		(void)READ_ONCE(page, flags);
		t = acquire_slab(s, n, page, !object);
		if (!t)
			break;
		if (!object) {
			u32 counters = READ_ONCE(page, counters);

			WRITE(c, page, page);
			object = t;
			available = COUNTERS_OBJECTS(counters) -
				    COUNTERS_INUSE(counters);
		} else {
			available = put_cpu_partial(s, page, false);
			slabs++;
		}
		if (enough_partial(s, available, slabs))
			break;
	}
	SPIN_UNLOCK(n, list_lock);
	return object;
}

/* Now and then another node's partial slabs are better than a new slab; the
 * kernel throws the cycle counter for it. */
static struct object *get_any_partial(struct kmem_cache_slub *s,
				      struct kmem_cache_cpu *c)
{
	FUNCTION(get_any_partial);
	const struct mm *mm = s->any.mm;
	u64 cycles = this_cpu->clock / 1000 *
		     mm->machine->profile->clock_khz / 1000000;
	u32 i;

	if (has(UMA) || cycles % 1024 > READ(s, remote_node_defrag_ratio))
		return NULL;
	for (i = 0; i < mm->num_nodes; i++) {
		u32 node = (this_node() + i) % mm->num_nodes;
		struct kmem_cache_node *n = get_node(s, node);
		struct object *object = NULL;

		if (node_has_enough(s, n))
			object = get_partial_node(s, n, c);
		if (object)
			return object;
	}
	return NULL;
}

static struct object *get_partial(struct kmem_cache_slub *s, int node,
				  struct kmem_cache_cpu *c)
{
	u32 from = node == NUMA_NO_NODE ? this_node() : (u32)node;
	struct object *object = get_partial_node(s, get_node(s, from), c);

	if (object || node != NUMA_NO_NODE)
		return object;
	return get_any_partial(s, c);
}

static struct object *new_slab_objects(struct kmem_cache_slub *s, gfp_t flags,
				       int node, struct kmem_cache_cpu *c)
{
	FUNCTION(new_slab_objects);
	struct object *freelist = get_partial(s, node, c);
	struct page *page;

	if (freelist)
		return freelist;
	page = new_slab(s, flags, node);
	if (!page)
		return NULL;
	/* An interrupt may have given this CPU a slab meanwhile. */
	if (READ(c, page))
		flush_slab(s, c);
	freelist = READ(page, freelist);
	WRITE(page, freelist, NULL);
	WRITE(c, page, page);
	return freelist;
}

/* What other CPUs have freed into this CPU's slab; NULL: nothing, and the slab
 * is no longer this CPU's. */
static struct object *get_freelist(struct kmem_cache_slub *s, struct page *page)
{
	struct object *freelist;
	u32 counters, objects;

	do {
		freelist = READ_ONCE(page, freelist);
		counters = READ_ONCE(page, counters);
		objects = COUNTERS_OBJECTS(counters);
	} while (!cmpxchg_double_slab(s, page, freelist, counters, NULL,
				      COUNTERS(objects, objects,
					       freelist != NULL)));
	return freelist;
}

/* Objects of the slab that this CPU has, if it may use it and it has some. */
static struct object *from_cpu_slab(struct kmem_cache_slub *s, int node,
				    struct kmem_cache_cpu *c, struct page *page)
{
	struct object *freelist;

	if (!node_match(page, node)) {
		deactivate_slab(s, page, READ(c, freelist));
		WRITE(c, page, NULL);
		WRITE(c, freelist, NULL);
		return NULL;
	}
	(void)READ_ONCE(page, flags);
	freelist = READ(c, freelist);
	if (freelist)
		return freelist;
	freelist = get_freelist(s, page);
	if (!freelist)
		WRITE(c, page, NULL);
	return freelist;
}

struct object *__slab_alloc(struct kmem_cache_slub *s, gfp_t flags, int node)
{
	FUNCTION(__slab_alloc);
	struct cpu *cpu = this_cpu;
	struct kmem_cache_cpu *c;
	struct object *freelist = NULL, *next_object;
	struct page *page, *next;

	cpu_irq_disable(cpu);
	c = this_cpu_slab(s);
	page = READ(c, page);
	if (page)
		freelist = from_cpu_slab(s, node, c, page);
	while (!freelist && (page = READ(c, partial))) {
		next = READ(page, next);
		WRITE(c, page, page);
		WRITE(c, partial, next);
		WRITE(c, freelist, NULL);
		freelist = from_cpu_slab(s, node, c, page);
	}
	if (!freelist)
		freelist = new_slab_objects(s, flags, node, c);
	if (freelist) {
		(void)READ_ONCE(c->page, flags);
		next_object = get_freepointer(s, freelist);
		WRITE(c, freelist, next_object);
		next_tid(c);
	}
	cpu_irq_enable(cpu);
	return freelist;
}

/* ---- slow path: an object of a slab that is not this CPU's ---- */

/* The page was not frozen and the last object has come back, or the first one
 * of a full slab under list_lock. */
static void free_on_node(struct kmem_cache_slub *s, struct kmem_cache_node *n,
			 struct page *page, struct object *prior, u32 counters)
{
	if (!COUNTERS_FROZEN(counters)) {
		if (!COUNTERS_INUSE(counters) && node_has_enough(s, n)) {
			if (prior)
				remove_partial(n, page);
			SPIN_UNLOCK(n, list_lock);
			cpu_irq_enable(this_cpu);
			discard_slab(s, page);
			return;
		}
		if (!prior)
			add_partial(n, page, true);
	}
	SPIN_UNLOCK(n, list_lock);
	cpu_irq_enable(this_cpu);
}

void __slab_free(struct kmem_cache_slub *s, struct page *page,
		 struct object *object)
{
	FUNCTION(__slab_free);
	struct kmem_cache_node *n = NULL;
	struct object *prior;
	u32 counters, new;

	do {	/* "continue" goes to the cmpxchg */
		prior = READ_ONCE(page, freelist);
		counters = READ_ONCE(page, counters);
		set_freepointer(s, object, prior);
		new = counters - 1;
		if ((COUNTERS_INUSE(new) && prior) ||
		    COUNTERS_FROZEN(counters) || n)
			continue;
		if (!prior) {
			/* It was full: this CPU may keep it as partial. */
			new |= COUNTERS(0, 0, 1);
			continue;
		}
		n = get_node(s, page_to_nid(page));
		cpu_irq_disable(this_cpu);
		SPIN_LOCK(n, list_lock);
	} while (!cmpxchg_double_slab(s, page, prior, counters, object, new));
	if (n)
		free_on_node(s, n, page, prior, new);
	else if (COUNTERS_FROZEN(new) && !COUNTERS_FROZEN(counters))
		put_cpu_partial(s, page, true);
}

void slub_freed_twice(const struct kmem_cache_slub *s)
{
	if (!s->any.mm->machine->check)
		g_error("an object of cache %s is freed twice", s->any.name);
}

/* ---- caches of one type ---- */

void *slub_alloc(struct kmem_cache_slub *s, gfp_t gfp)
{
	FUNCTION(kmem_cache_alloc);
	struct object *object;

	STACK_PROTECTOR();
	if (has(SLUB_ORIG_SIZE))
		(void)READ(s, object_size);
	object = alloc_object(s, gfp, NUMA_NO_NODE);
	return likely(object) ? object_born(s->any.mm, object) : NULL;
}

void *slub_alloc_node(struct kmem_cache_slub *s, gfp_t gfp, int node)
{
	FUNCTION(kmem_cache_alloc_node);
	struct object *object;

	STACK_PROTECTOR();
	if (has(SLUB_ORIG_SIZE))
		(void)READ(s, object_size);
	object = alloc_object(s, gfp, node);
	return likely(object) ? object_born(s->any.mm, object) : NULL;
}

/* A hardened kernel trusts the slab more than the caller. */
static struct kmem_cache_slub *cache_from_obj(struct kmem_cache_slub *s,
					      const struct object *object)
{
	FUNCTION(cache_from_obj);
	struct kmem_cache_slub *cachep = READ(virt_to_slab(object), slab);

	if (unlikely(cachep != s))
		g_error("an object of cache %s is freed into %s",
			cachep->any.name, s->any.name);
	return cachep;
}

void slub_free(struct kmem_cache_slub *s, struct object *object)
{
	FUNCTION(kmem_cache_free);

	if (has(SLAB_FREELIST_HARDENED))
		s = cache_from_obj(s, object);
	free_object(s, virt_to_slab(object), object);
}

/* ---- copies from and to the user ---- */

/* The bytes [offset, offset + n) of an object: may a user's copy touch them? */
void __check_heap_object(const struct object *object, u32 offset, u32 n,
			 struct page *page, bool to_user)
{
	FUNCTION(__check_heap_object);
	struct kmem_cache_slub *s = READ(page, slab);
	u64 at = object_address(object) + offset - page_address(page);
	u32 from, size;

	at %= READ(s, size);
	from = READ(s, useroffset);
	size = READ(s, usersize);
	if (at >= from && at - from <= size && n <= size - (at - from))
		return;
	usercopy_abort(s->any.name, (u32)at, n, to_user);
}
