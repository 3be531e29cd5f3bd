/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab.c: SLAB's paths to an object and back.
 *
 * Objects wait, last in first out, in an array of each CPU; behind it stands
 * the node's shared array, then the node's slabs (partial, full, free) under
 * list_lock.  A CPU's array holds objects of its own node only: what is freed
 * on another node goes through that node's alien array.
 *
 * Since 3.13 the struct page of a slab is all that describes it: slab_page.c.
 *
 * In 3.6 kmem_cache_alloc() and kmem_cache_free() contain ____cache_alloc()
 * and __cache_free(): these have no FUNCTION() of their own.
 */
#include <string.h>

#include "stack/mm/slab.h"

/* An array that has not been touched since the last reap gets no more. */
#define BATCHREFILL_LIMIT 16u

/* Instructions of one round of a loop. */
#define WORK_GET_OBJECT 16
#define WORK_NEXT_SLAB 14
#define WORK_PUT_OBJECT 45

/* ---- slabs and their objects ---- */

static inline struct page *virt_to_page(const struct kmem_cache *cachep,
				 const struct object *objp)
{
	return page_of_address(cachep->any.mm, object_address(objp));
}

static inline struct slab *virt_to_slab(const struct kmem_cache *cachep,
				 const struct object *objp)
{
	struct page *page = virt_to_page(cachep, objp);

	if (has(SLAB_PAGE_DESCRIPTOR))
		return slab_head_page(page)->slab_page;
	(void)READ(page, flags);	/* is it a tail page? */
	return READ(page, slab_page);
}

static struct object *slab_get_obj(struct kmem_cache *cachep,
				   struct slab *slabp)
{
	u32 index;

	WORK(WORK_GET_OBJECT);
	if (has(SLAB_PAGE_DESCRIPTOR))
		return page_get_obj(cachep, slabp);
	index = READ(slabp, free);
	(void)READ(slabp, s_mem);
	(void)READ(cachep, size);
	UPDATE(slabp, inuse, += 1);
	READ_ELEMENT(slabp, bufctl, 4 * index, 4);
	WRITE(slabp, free, slabp->bufctl[index]);
	return slabp->memory->objects[index];
}

static void slab_put_obj(struct kmem_cache *cachep, struct slab *slabp,
			 struct object *objp)
{
	u32 index = slot_of(objp)->index;

	if (has(SLAB_PAGE_DESCRIPTOR)) {
		page_put_obj(cachep, slabp, objp);
		return;
	}
	(void)READ(slabp, s_mem);
	(void)READ(cachep, reciprocal_buffer_size);
	WRITE_ELEMENT(slabp, bufctl, 4 * index, 4);
	slabp->bufctl[index] = READ(slabp, free);
	WRITE(slabp, free, index);
	UPDATE(slabp, inuse, -= 1);
}

/* ---- arrays of objects ---- */

/* The caller has just read `avail`. */
static inline struct object *ac_get_obj(struct array_cache *ac, u32 avail)
{
	u32 at = avail - 1;

	WRITE(ac, avail, at);
	READ_ELEMENT(ac, entry, 8 * at, 8);
	cache_expect(this_cpu, ac->entry[at]);
	if (at)			/* the next one's head, for the host's sake */
		__builtin_prefetch(ac->entry[at - 1]);
	return ac->entry[at];
}

static inline void ac_put_obj(struct array_cache *ac, u32 avail,
			      struct object *objp)
{
	WRITE(ac, avail, avail + 1);
	WRITE_ELEMENT(ac, entry, 8 * avail, 8);
	ac->entry[avail] = objp;
}

/* Moves the newest objects of one array to another; how many were moved. */
static u32 transfer_objects(struct array_cache *to, struct array_cache *from,
			    u32 max)
{
	FUNCTION(transfer_objects);
	u32 have = READ(from, avail), there = READ(to, avail);
	u32 room = READ(to, limit) - there, nr = MIN(MIN(have, max), room);

	if (!nr)
		return 0;
	WORK(nr);
	READ_ELEMENT(from, entry, 8 * (have - nr), 8 * nr);
	WRITE_ELEMENT(to, entry, 8 * there, 8 * nr);
	memcpy(to->entry + there, from->entry + have - nr,
	       nr * sizeof(to->entry[0]));
	UPDATE(from, avail, -= nr);
	UPDATE(to, avail, += nr);
	return nr;
}

/* The oldest objects have left: the others move down. */
void ac_drop_oldest(struct array_cache *ac, u32 nr)
{
	u32 left = READ(ac, avail) - nr;

	WRITE(ac, avail, left);
	WORK(left);
	READ_ELEMENT(ac, entry, 8 * nr, 8 * left);
	WRITE_ELEMENT(ac, entry, 0, 8 * left);
	memmove(ac->entry, ac->entry + nr, left * sizeof(ac->entry[0]));
}

/* ---- between a CPU's array and the node ---- */

/* Gives objects of a node back to their slabs; its list_lock is held. */
void free_block(struct kmem_cache *cachep, struct object **objpp,
		u32 nr_objects, u32 node, struct list_head *gone)
{
	FUNCTION(free_block);
	struct kmem_list3 *l3;
	u32 i;

	for (i = 0; i < nr_objects; i++) {
		struct slab *slabp = virt_to_slab(cachep, objpp[i]);
		u32 free_objects;

		WORK(WORK_PUT_OBJECT);
		l3 = node_list(cachep, node);
		slab_list_del(l3, slabp);
		slab_put_obj(cachep, slabp, objpp[i]);
		UPDATE(l3, free_objects, += 1);
		free_objects = l3->free_objects;
		if (slab_inuse(slabp)) {
			/* To the end: time for the others to come back. */
			SLAB_LIST_ADD_TAIL(l3, slabs_partial, slabp);
		} else if (free_objects > READ(l3, free_limit)) {
			UPDATE(l3, free_objects, -= cachep->num);
			if (has(SLAB_DEFERRED_DESTROY))
				slab_list_defer(gone, slabp);
			else
				slab_destroy(cachep, slabp);
		} else {
			SLAB_LIST_ADD(l3, slabs_free, slabp);
		}
	}
}

static bool slab_has_free(struct kmem_cache *cachep, struct slab *slabp)
{
	u32 inuse = slab_inuse(slabp);

	return inuse < READ(cachep, num);
}

static void ac_refill(struct array_cache *ac, struct object *objp)
{
	u32 avail = READ(ac, avail);

	ac_put_obj(ac, avail, objp);
}

/* Fills the CPU's array from the node's slabs until they are used up. */
static void refill_from_slabs(struct kmem_cache *cachep, struct kmem_list3 *l3,
			      struct array_cache *ac, int batchcount)
{
	u32 taken;

	while (batchcount > 0) {
		struct slab *slabp = first_usable(l3);

		if (!slabp)
			break;
		WORK(WORK_NEXT_SLAB);
		while (slab_has_free(cachep, slabp) && batchcount--)
			ac_refill(ac, slab_get_obj(cachep, slabp));
		requeue_slab(cachep, l3, slabp);
	}
	taken = READ(ac, avail);
	UPDATE(l3, free_objects, -= taken);
}

static void refill(struct kmem_cache *cachep, struct array_cache *ac, u32 node)
{
	u32 batchcount = READ(ac, batchcount);
	struct kmem_list3 *l3;
	struct array_cache *shared;

	if (!READ(ac, touched) && batchcount > BATCHREFILL_LIMIT)
		batchcount = BATCHREFILL_LIMIT;
	l3 = node_list(cachep, node);
	SPIN_LOCK(l3, list_lock);
	shared = READ(l3, shared);
	if (shared && transfer_objects(ac, shared, batchcount))
		WRITE(shared, touched, 1);
	else
		refill_from_slabs(cachep, l3, ac, batchcount);
	SPIN_UNLOCK(l3, list_lock);
}

static struct object *cache_alloc_refill(struct kmem_cache *cachep, gfp_t flags)
{
	FUNCTION(cache_alloc_refill);
	u32 node = this_node();
	struct array_cache *ac = cpu_cache_get(cachep);

	for (;;) {
		bool grown;

		refill(cachep, ac, node);
		if (READ(ac, avail))
			break;
		/* Interrupts may come meanwhile and fill the array. */
		grown = cache_grow(cachep, flags | __GFP_THISNODE, node, NULL);
		ac = cpu_cache_get(cachep);
		if (READ(ac, avail))
			break;
		if (!grown)
			return NULL;
	}
	WRITE(ac, touched, 1);
	return ac_get_obj(ac, READ(ac, avail));
}

/* The array is full: its older half goes to the shared array or the slabs. */
static void cache_flusharray(struct kmem_cache *cachep, struct array_cache *ac)
{
	FUNCTION(cache_flusharray);
	u32 node = this_node(), batchcount = READ(ac, batchcount);
	u32 there = 0, room = 0;
	struct kmem_list3 *l3 = node_list(cachep, node);
	struct array_cache *shared;
	struct list_head gone;

	list_init(&gone);
	SPIN_LOCK(l3, list_lock);
	shared = READ(l3, shared);
	if (shared) {
		there = READ(shared, avail);
		room = READ(shared, limit) - there;
	}
	if (room) {
		batchcount = MIN(batchcount, room);
		WORK(batchcount);
		READ_ELEMENT(ac, entry, 0, 8 * batchcount);
		WRITE_ELEMENT(shared, entry, 8 * there, 8 * batchcount);
		memcpy(shared->entry + there, ac->entry,
		       batchcount * sizeof(ac->entry[0]));
		UPDATE(shared, avail, += batchcount);
	} else {
		READ_ELEMENT(ac, entry, 0, 8 * batchcount);
		free_block(cachep, ac->entry, batchcount, node, &gone);
	}
	SPIN_UNLOCK(l3, list_lock);
	destroy_gone(cachep, &gone);
	ac_drop_oldest(ac, batchcount);
}

/* ---- nodes ---- */

static struct object *fallback_alloc(struct kmem_cache *cachep, gfp_t flags);

/* One object straight from a node's slabs. */
static struct object *____cache_alloc_node(struct kmem_cache *cachep,
					   gfp_t flags, u32 node)
{
	FUNCTION(____cache_alloc_node);
	struct kmem_list3 *l3 = node_list(cachep, node);
	struct object *objp;
	struct slab *slabp;

	for (;;) {
		SPIN_LOCK(l3, list_lock);
		slabp = first_usable(l3);
		if (slabp)
			break;
		SPIN_UNLOCK(l3, list_lock);
		if (!cache_grow(cachep, flags | __GFP_THISNODE, node, NULL))
			return fallback_alloc(cachep, flags);
	}
	objp = slab_get_obj(cachep, slabp);
	UPDATE(l3, free_objects, -= 1);
	requeue_slab(cachep, l3, slabp);
	SPIN_UNLOCK(l3, list_lock);
	return objp;
}

/* An object that some node still has, this one's neighbours in order. */
static struct object *fallback_existing(struct kmem_cache *cachep, gfp_t flags)
{
	u32 nodes = cachep->any.mm->num_nodes, i;

	for (i = 0; i < nodes; i++) {
		u32 node = (this_node() + i) % nodes;
		struct kmem_list3 *l3 = node_list(cachep, node);
		struct object *objp = NULL;

		if (READ_ONCE(l3, free_objects))
			objp = ____cache_alloc_node(cachep,
						    flags | __GFP_THISNODE,
						    node);
		if (objp)
			return objp;
	}
	return NULL;
}

/* This node has nothing left: another one's objects, or its pages. */
static struct object *fallback_alloc(struct kmem_cache *cachep, gfp_t flags)
{
	FUNCTION(fallback_alloc);
	struct object *objp = NULL;

	if (flags & __GFP_THISNODE)
		return NULL;
	while (!objp) {
		struct page *page;
		u32 node;

		objp = fallback_existing(cachep, flags);
		if (objp)
			break;
		if (flags & __GFP_WAIT)
			cpu_irq_enable(this_cpu);
		page = kmem_getpages(cachep, flags, this_node());
		if (flags & __GFP_WAIT)
			cpu_irq_disable(this_cpu);
		if (!page)
			break;
		node = page_to_nid(page);
		if (!cache_grow(cachep, flags, node, page))
			break;
		objp = ____cache_alloc_node(cachep, flags | __GFP_THISNODE,
					    node);
	}
	return objp;
}

/* Moves a node's alien objects home; the alien lock is held. */
void __drain_alien_cache(struct kmem_cache *cachep, struct array_cache *ac,
			 u32 node, struct list_head *gone)
{
	FUNCTION(__drain_alien_cache);
	struct kmem_list3 *l3 = node_list(cachep, node);
	struct array_cache *shared;
	u32 left;

	if (!READ(ac, avail))
		return;
	SPIN_LOCK(l3, list_lock);
	shared = READ(l3, shared);
	if (shared)
		transfer_objects(shared, ac, READ(ac, limit));
	left = READ(ac, avail);
	READ_ELEMENT(ac, entry, 0, 8 * left);
	free_block(cachep, ac->entry, left, node, gone);
	WRITE(ac, avail, 0);
	SPIN_UNLOCK(l3, list_lock);
}

/* Takes an object of another node; false: it is of this one. */
static inline bool cache_free_alien(struct kmem_cache *cachep,
				    struct object *objp)
{
	u32 home = has(SLAB_PAGE_DESCRIPTOR) ?
		page_to_nid(virt_to_page(cachep, objp)) :
		READ(virt_to_slab(cachep, objp), nodeid);
	u32 node = this_node(), avail;
	struct alien_cache *alien;
	struct array_cache *ac;
	struct kmem_list3 *l3;
	struct list_head gone;

	if (likely(home == node))
		return false;
	list_init(&gone);
	l3 = node_list(cachep, node);
	(void)READ(l3, alien);
	alien = l3->alien[home];
	SPIN_LOCK(alien, lock);
	ac = &alien->ac;
	avail = READ(ac, avail);
	if (avail == READ(ac, limit)) {
		__drain_alien_cache(cachep, ac, home, &gone);
		avail = READ(ac, avail);
	}
	ac_put_obj(ac, avail, objp);
	SPIN_UNLOCK(alien, lock);
	destroy_gone(cachep, &gone);
	return true;
}

/* ---- the fast paths ---- */

static inline struct object *____cache_alloc(struct kmem_cache *cachep,
					     gfp_t flags)
{
	struct array_cache *ac = cpu_cache_get(cachep);
	u32 avail = READ(ac, avail);

	if (unlikely(!avail))
		return cache_alloc_refill(cachep, flags);
	WRITE(ac, touched, 1);
	return ac_get_obj(ac, avail);
}

struct object *cache_alloc(struct kmem_cache *cachep, gfp_t flags)
{
	struct cpu *cpu = this_cpu;
	struct object *objp;

	cpu_irq_disable(cpu);
	objp = ____cache_alloc(cachep, flags);
	if (unlikely(!objp))
		objp = ____cache_alloc_node(cachep, flags, this_node());
	cpu_irq_enable(cpu);
	if (likely(objp))
		PREFETCH(&slot_of(objp)->link, freepointer);
	return objp;
}

struct object *cache_alloc_on(struct kmem_cache *cachep, gfp_t flags, int node)
{
	struct cpu *cpu = this_cpu;
	u32 here = this_node(), wanted = node == NUMA_NO_NODE ? here : (u32)node;
	struct object *objp = NULL;

	cpu_irq_disable(cpu);
	if (wanted == here)
		objp = ____cache_alloc(cachep, flags);
	if (!objp)
		objp = ____cache_alloc_node(cachep, flags, wanted);
	cpu_irq_enable(cpu);
	return objp;
}

static inline void __cache_free(struct kmem_cache *cachep, struct object *objp)
{
	struct array_cache *ac = cpu_cache_get(cachep);
	u32 avail;

	object_dies(&cachep->any, objp);
	if (cachep->any.mm->num_nodes > 1 && cache_free_alien(cachep, objp))
		return;
	avail = READ(ac, avail);
	if (unlikely(avail >= READ(ac, limit))) {
		cache_flusharray(cachep, ac);
		avail = READ(ac, avail);
	}
	ac_put_obj(ac, avail, objp);
}

void *slab_typed(struct kmem_cache *cachep, struct object *objp,
		 const struct object_type *type, u32 c_size)
{
	if (unlikely(!objp))
		return NULL;
	objp = object_of_type(&cachep->any, objp, type, c_size);
	return object_born(cachep->any.mm, objp);
}

void *slab_alloc(struct kmem_cache *cachep, gfp_t gfp)
{
	FUNCTION(kmem_cache_alloc);
	struct object *objp = cache_alloc(cachep, gfp);

	return likely(objp) ? object_born(cachep->any.mm, objp) : NULL;
}

/* For an object of any type, from a general cache. */
void *slab_alloc_typed(struct kmem_cache *cachep,
		       const struct object_type *type, u32 c_size, gfp_t gfp,
		       int node)
{
	FUNCTION(kmem_cache_alloc_node);
	struct object *objp = cache_alloc_on(cachep, gfp, node);

	return slab_typed(cachep, objp, type, c_size);
}

void *slab_alloc_node(struct kmem_cache *cachep, gfp_t gfp, int node)
{
	FUNCTION(kmem_cache_alloc_node);
	struct object *objp = cache_alloc_on(cachep, gfp, node);

	return likely(objp) ? object_born(cachep->any.mm, objp) : NULL;
}

void slab_free(struct kmem_cache *cachep, struct object *objp)
{
	FUNCTION(kmem_cache_free);
	struct cpu *cpu = this_cpu;

	cpu_irq_disable(cpu);
	__cache_free(cachep, objp);
	cpu_irq_enable(cpu);
}

void slab_kfree(struct object *objp)
{
	FUNCTION(kfree);
	struct cpu *cpu = this_cpu;
	struct page *page = page_of_address(this_kernel()->mm,
					    object_address(objp));

	cpu_irq_disable(cpu);
	if (has(SLAB_PAGE_DESCRIPTOR))
		page = slab_head_page(page);
	else
		(void)READ(page, flags);
	__cache_free(READ(page, slab_cache), objp);
	cpu_irq_enable(cpu);
}

u32 slab_ksize(const struct object *objp)
{
	struct page *page = page_of_address(this_kernel()->mm,
					    object_address(objp));

	if (has(SLAB_PAGE_DESCRIPTOR))
		page = slab_head_page(page);
	else
		(void)READ(page, flags);
	return READ(READ(page, slab_cache), object_size);
}
