/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLUB's structs, with the kernel's member names (include/linux/slub_def.h and
 * mm/slub.c of 3.6).  Its struct kmem_cache is called kmem_cache_slub here.
 */
#ifndef STACK_MM_SLUB_H
#define STACK_MM_SLUB_H

#include "stack/mm/internal.h"

struct kmem_cache_cpu {
	struct object object;
	struct object *freelist;	/* the next object to hand out */
	u64 tid;			/* counts what was done here */
	struct page *page;		/* the slab that freelist is of */
	struct page *partial;		/* more slabs, linked by page->next */
};

struct kmem_cache_node {
	struct object object;
	struct spinlock list_lock;
	u64 nr_partial;
	struct list_head partial;
	s64 nr_slabs;
	s64 total_objects;
};

/* How many pages a slab has, and how many objects. */
struct kmem_cache_order_objects {
	u16 order;
	u16 objects;
};

struct kmem_cache_slub {
	struct any_cache any;
	struct kmem_cache_cpu *cpu_slab[MAX_CPUS];	/* percpu */
	u32 flags;
	u32 min_partial;		/* empty slabs that a node may keep */
	u32 size;
	u32 object_size;
	u32 offset;			/* of the free pointer in an object */
	u32 cpu_partial;		/* objects on a CPU's partial slabs */
	struct kmem_cache_order_objects oo, min;
	u32 remote_node_defrag_ratio;
	struct kmem_cache_node *node[MAX_NUMNODES];
};

static inline struct object *get_freepointer(struct kmem_cache_slub *s,
					     struct object *object)
{
	(void)READ(s, offset);
	return READ_ONCE(&slot_of(object)->link, freepointer);
}

static inline void set_freepointer(struct kmem_cache_slub *s,
				   struct object *object, struct object *next)
{
	(void)READ(s, offset);
	WRITE_ONCE(&slot_of(object)->link, freepointer, next);
}

static inline struct kmem_cache_cpu *this_cpu_slab(struct kmem_cache_slub *s)
{
	(void)READ(s, cpu_slab);
	return s->cpu_slab[this_cpu->id];
}

static inline struct kmem_cache_node *get_node(struct kmem_cache_slub *s,
					       u32 node)
{
	READ_ELEMENT(s, node, 8 * node, 8);
	return s->node[node];
}

/* Does a node have more partial slabs than it need keep?  Also asked without
 * its lock. */
static inline bool node_has_enough(struct kmem_cache_slub *s,
				   struct kmem_cache_node *n)
{
	u64 nr_partial = READ_ONCE(n, nr_partial);

	return nr_partial > READ(s, min_partial);
}

static inline bool node_match(const struct page *page, int node)
{
	return node == NUMA_NO_NODE || page_to_nid(page) == (u32)node;
}

static inline void next_tid(struct kmem_cache_cpu *c)
{
	UPDATE(c, tid, += MAX_CPUS);
}


/* slub_slab.c.  cmpxchg_double_slab() changes both words of a page if they are
 * still what was seen. */
bool cmpxchg_double_slab(struct kmem_cache_slub *s, struct page *page,
			 struct object *freelist_old, u32 counters_old,
			 struct object *freelist_new, u32 counters_new);
void add_partial(struct kmem_cache_node *n, struct page *page, bool tail);
void remove_partial(struct kmem_cache_node *n, struct page *page);
struct page *new_slab(struct kmem_cache_slub *s, gfp_t flags, int node);
void discard_slab(struct kmem_cache_slub *s, struct page *page);
void deactivate_slab(struct kmem_cache_slub *s, struct page *page,
		     struct object *freelist);
void flush_slab(struct kmem_cache_slub *s, struct kmem_cache_cpu *c);
/*
 * Puts a frozen page on this CPU's partial list.  `drain`: when the list is
 * full, its pages go to their nodes first.  Gives the number of free objects
 * on the list.
 */
u32 put_cpu_partial(struct kmem_cache_slub *s, struct page *page, bool drain);

#endif
