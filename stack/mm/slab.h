/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLAB's structs, with the kernel's member names (include/linux/slab_def.h and
 * mm/slab.c of 3.6; what 4.6 has instead is said at each).  Objects are named
 * by their C structs.
 */
#ifndef STACK_MM_SLAB_H
#define STACK_MM_SLAB_H

#include "stack/include/linux/percpu.h"
#include "stack/include/linux/timer.h"
#include "stack/mm/internal.h"

struct array_cache {
	struct object object;
	u32 avail, limit, batchcount, touched;
	struct object **entry;		/* last in, first out */
};

/* An array for another node's objects, which has a lock: in the array itself,
 * since 3.18 in front of it. */
struct alien_cache {
	struct object object;
	struct spinlock lock;
	struct array_cache ac;
};

#define BUFCTL_END UINT32_MAX

/* Since 3.13 the array of free indexes (bufctl) is all that is left of it, and
 * the rest is the model's own; it lies in a general cache, at the slab's end,
 * or in an object that is free. */
struct slab {
	struct object object;
	struct list_head list;
	u32 colouroff;			/* bytes before s_mem */
	u64 s_mem;			/* address of the first object */
	u32 inuse;
	u32 free;			/* index of the first free object */
	u16 nodeid;
	/* The same bytes once more, when it is destroyed: struct slab_rcu. */
	struct rcu_head rcu;
	struct kmem_cache *rcu_cachep;
	u64 rcu_addr;
	u32 *bufctl;			/* by index: the next free object */

	/* The model's own. */
	struct slot_memory *memory;
	struct page *page;		/* its first */
	u32 skip;			/* bytes from a word to the indexes */
	struct slab *spare;		/* the next unused C struct */
};

struct kmem_list3 {
	struct object object;
	struct list_head slabs_partial;
	struct list_head slabs_full;
	struct list_head slabs_free;
	u32 free_objects;
	u32 free_limit;
	u32 colour_next;
	struct spinlock list_lock;
	struct array_cache *shared;
	struct alien_cache **alien;	/* by node, NULL for this one */
	ps_t next_reap;
	u32 free_touched;
};

struct kmem_cache {
	struct any_cache any;
	struct array_cache *array[MAX_CPUS];
	u64 cpu_cache;			/* since 3.18: where they are */
	u32 batchcount, limit, shared;
	u32 size;
	u32 reciprocal_buffer_size;
	u32 flags;
	u32 num;			/* objects in a slab */
	u32 gfporder;
	u32 colour;			/* number of colours */
	u32 colour_off;
	struct kmem_cache *slabp_cache;	/* where struct slab comes from */
	u32 slab_size;			/* struct slab and its bufctl */
	u32 object_size;
	struct kmem_list3 *nodelists[MAX_NUMNODES];

	struct slab *spare;		/* unused C structs of slabs on-slab */
};

#define CFLGS_OFF_SLAB 0x80000000u
#define CFLGS_OBJFREELIST_SLAB 0x40000000u

/* slab.c, for the other files of SLAB */
void *slab_alloc_typed(struct kmem_cache *cachep,
		       const struct object_type *type, u32 c_size, gfp_t gfp,
		       int node);
struct object *cache_alloc(struct kmem_cache *cachep, gfp_t flags);
struct object *cache_alloc_on(struct kmem_cache *cachep, gfp_t flags, int node);
/* An object of any type, ready for its user; NULL stays NULL. */
void *slab_typed(struct kmem_cache *cachep, struct object *objp,
		 const struct object_type *type, u32 c_size);
/* The oldest objects have left: the others move down. */
void ac_drop_oldest(struct array_cache *ac, u32 nr);
/* Slabs that go are put on `gone`, for destroy_gone(), or destroyed at once. */
void free_block(struct kmem_cache *cachep, struct object **objpp,
		u32 nr_objects, u32 node, struct list_head *gone);
void __drain_alien_cache(struct kmem_cache *cachep, struct array_cache *ac,
			 u32 node, struct list_head *gone);
static inline struct kmem_list3 *node_list(struct kmem_cache *cachep, u32 node)
{
	if (has(SLAB_ARRAY_PERCPU)) {
		READ_ELEMENT(cachep, nodelists, 8 * node, 8);
		return cachep->nodelists[node];
	}
	(void)READ(cachep, nodelists);
	/* It points behind array[], which has a place for each CPU. */
	READ_ELEMENT(cachep, array, 8 * (cachep->any.mm->num_cpus + node), 8);
	return cachep->nodelists[node];
}

static inline struct array_cache *cpu_cache_get(struct kmem_cache *cachep)
{
	u32 id = this_cpu->id;

	if (has(SLAB_ARRAY_PERCPU)) {
		(void)READ(cachep, cpu_cache);
		THIS_CPU_PTR();
	} else {
		READ_ELEMENT(cachep, array, 8 * id, 8);
	}
	return cachep->array[id];
}

/* slab_page.c: slabs that their struct page describes */
struct page *slab_head_page(struct page *page);
struct object *page_get_obj(struct kmem_cache *cachep, struct slab *slabp);
void page_put_obj(struct kmem_cache *cachep, struct slab *slabp,
		  struct object *objp);
/* All of its objects are taken: the array goes with the last of them. */
void page_is_full(struct kmem_cache *cachep, struct slab *slabp);
/* The array of a new slab; NULL without memory. */
struct slab *page_alloc_freelist(struct kmem_cache *cachep, struct page *page,
				 u32 colour_off, gfp_t flags, u32 node);
void page_init_objs(struct kmem_cache *cachep, struct slab *slabp);
/* Where the array lies in a new slab's cache; at set-up. */
void page_lay_out(struct kmem_cache *cachep);

/* How many of its objects are taken. */
static inline u32 slab_inuse(const struct slab *slabp)
{
	return has(SLAB_PAGE_DESCRIPTOR) ? READ(slabp->page, active) :
					   READ(slabp, inuse);
}

/* slab_setup.c: the general cache for a size */
struct kmem_cache *general_cache(const struct mm *mm, u32 size);

/* slab_grow.c; the node's list_lock is held where a list is changed. */
struct slab *alloc_slab_off(struct kmem_cache *slabp_cache, gfp_t flags,
			    u32 node);
struct slab *alloc_slab_on(struct kmem_cache *cachep, u64 address);
struct page *kmem_getpages(struct kmem_cache *cachep, gfp_t flags, u32 node);
void kmem_freepages(struct kmem_cache *cachep, struct page *page);
bool cache_grow(struct kmem_cache *cachep, gfp_t flags, u32 node,
		struct page *page);
void slab_destroy(struct kmem_cache *cachep, struct slab *slabp);
void slab_list_defer(struct list_head *gone, struct slab *slabp);
void slabs_destroy(struct kmem_cache *cachep, struct list_head *gone);
/* The locks under which slabs were put on the list are released. */
static inline void destroy_gone(struct kmem_cache *cachep,
				struct list_head *gone)
{
	if (has(SLAB_DEFERRED_DESTROY))
		slabs_destroy(cachep, gone);
}

void slab_list_insert(struct kmem_list3 *l3, struct slab *slabp,
		      struct list_head *prev, struct list_head *next);
void slab_list_del(struct kmem_list3 *l3, struct slab *slabp);
struct slab *first_usable(struct kmem_list3 *l3);
void requeue_slab(struct kmem_cache *cachep, struct kmem_list3 *l3,
		  struct slab *slabp);
#define SLAB_LIST_ADD(l3, which, slabp) \
	slab_list_insert(l3, slabp, &(l3)->which, READ(l3, which).next)
#define SLAB_LIST_ADD_TAIL(l3, which, slabp) \
	slab_list_insert(l3, slabp, READ(l3, which).prev, &(l3)->which)

/* A CPU's variable that lets it reap. */
struct slab_reap_work {
	struct object object;
	struct delayed_work work;
};

/*
 * slab_reap.c: what runs on each CPU each two seconds (the kernel's delayed
 * work cache_reap): gives back a part of what has not been used since.
 * Interrupts are on, no lock is held.
 */
void cache_reap(struct mm *mm);

#endif
