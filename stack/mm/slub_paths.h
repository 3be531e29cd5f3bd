/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slub.c: SLUB's fast paths, slab_alloc_node() and slab_free(), which the
 * kernel has in line in each function that gives or takes an object.
 */
#ifndef STACK_MM_SLUB_PATHS_H
#define STACK_MM_SLUB_PATHS_H

#include "stack/include/linux/sched.h"
#include "stack/mm/slub.h"

static inline struct object *alloc_object(struct kmem_cache_slub *s, gfp_t gfp,
					  int node)
{
	struct kmem_cache_cpu *c;
	struct object *object, *next;
	struct page *page;

	if (gfp & __GFP_WAIT)
		might_sleep();
	c = this_cpu_slab(s);
	(void)READ(c, tid);
	object = READ(c, freelist);
	page = READ(c, page);
	if (unlikely(!object || !node_match(page, node)))
		return __slab_alloc(s, gfp, node);
	next = get_freepointer(s, object);
	WRITE(c, freelist, next);
	next_tid(c);
	if (next)
		PREFETCH(&slot_of(next)->link, freepointer);
	return object;
}

static inline void free_object(struct kmem_cache_slub *s, struct page *page,
			       struct object *object)
{
	struct kmem_cache_cpu *c;
	struct object *next;

	object_dies(&s->any, object);
	if (has(SLUB_FREELIST_REBUILT))
		set_freepointer(s, object, NULL);
	c = this_cpu_slab(s);
	(void)READ(c, tid);
	if (unlikely(READ(c, page) != page)) {
		__slab_free(s, page, object);
		return;
	}
	next = READ(c, freelist);
	if (unlikely(s->hardened && next == object))
		slub_freed_twice(s);
	set_freepointer(s, object, next);
	WRITE(c, freelist, object);
	next_tid(c);
}

#endif
