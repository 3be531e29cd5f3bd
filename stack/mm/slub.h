/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLUB's structs, with the kernel's member names (include/linux/slub_def.h and
 * mm/slub.c of 3.6).  Its struct kmem_cache is called kmem_cache_slub here, and
 * what later kernels call a struct slab is a struct page.
 */
#ifndef STACK_MM_SLUB_H
#define STACK_MM_SLUB_H

#include "sim/random.h"
#include "stack/include/linux/percpu.h"
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
	u32 cpu_partial_slabs;		/* the same as a number of slabs */
	struct kmem_cache_order_objects oo, min;
	u64 random;			/* SLAB_FREELIST_HARDENED: the secret */
	u32 remote_node_defrag_ratio;
	u32 *random_seq;		/* SLAB_FREELIST_RANDOM: of indexes */
	u32 useroffset, usersize;	/* what a user's copy may touch */
	struct kmem_cache_node *node[MAX_NUMNODES];

	/* The model's own. */
	bool hardened;
	struct random_stream stream;	/* this cache's random numbers */
};

/* What is mixed with a free pointer that lies in this object. */
static inline uintptr_t freelist_mask(const struct kmem_cache_slub *s,
				      const struct object *object)
{
	u64 ptr_addr = object_address(object) + s->offset;

	if (!s->hardened)
		return 0;
	return (uintptr_t)(s->random ^ __builtin_bswap64(ptr_addr));
}

/* The next free object, uncharged. */
static inline struct object *freelist_next(const struct kmem_cache_slub *s,
					   struct object *object)
{
	return (struct object *)(slot_of(object)->link.freepointer ^
				 freelist_mask(s, object));
}

static inline struct object *get_freepointer(struct kmem_cache_slub *s,
					     struct object *object)
{
	(void)READ(s, offset);
	(void)READ_ONCE(&slot_of(object)->link, freepointer);
	if (s->hardened)
		(void)READ(s, random);
	return freelist_next(s, object);
}

static inline void set_freepointer(struct kmem_cache_slub *s,
				   struct object *object, struct object *next)
{
	uintptr_t mask = freelist_mask(s, object);

	(void)READ(s, offset);
	if (s->hardened)
		(void)READ(s, random);
	WRITE_ONCE(&slot_of(object)->link, freepointer, (uintptr_t)next ^ mask);
}

/* raw_cpu_ptr().  For 3.6 the model has always left out the read of
 * this_cpu_off, which is this CPU's own and always at hand. */
static inline struct kmem_cache_cpu *this_cpu_slab(struct kmem_cache_slub *s)
{
	(void)READ(s, cpu_slab);
	if (has(PREEMPT_COUNT_PERCPU))
		THIS_CPU_PTR();
	return s->cpu_slab[this_cpu->id];
}

static inline struct kmem_cache_node *get_node(struct kmem_cache_slub *s,
					       u32 node)
{
	const u32 pointer = this_kernel()->pointer_bytes;

	READ_ELEMENT(s, node, pointer * node, pointer);
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

/* Of a free or of a live object. */
static inline struct page *virt_to_head_page(const struct object *object)
{
	struct page *page = page_of_address(this_kernel()->mm,
					    object_address(object));

	if (has(PAGE_COMPOUND_HEAD)) {
		struct page *head = READ(page, first_page);

		return head ? head : page;
	}
	if (READ(page, flags) & PG_TAIL)
		page = READ(page, first_page);
	return page;
}

static inline struct page *virt_to_slab(const struct object *object)
{
	struct page *page = virt_to_head_page(object);

	if (has(STRUCT_SLAB))
		(void)READ(page, flags);
	return page;
}

/* slub.c: the fast paths; what they do not find, __slab_alloc() does. */
struct object *__slab_alloc(struct kmem_cache_slub *s, gfp_t flags, int node);
void __slab_free(struct kmem_cache_slub *s, struct page *page,
		 struct object *object);
/* The object that comes back is the list's first already: fatal, unless
 * checks have said so. */
void slub_freed_twice(const struct kmem_cache_slub *s);

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
 * on the list, in kernels that count them; others count its slabs only.
 */
u32 put_cpu_partial(struct kmem_cache_slub *s, struct page *page, bool drain);

#endif
