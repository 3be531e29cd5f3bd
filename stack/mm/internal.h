/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of stack/mm/ share: the kernel's structs, the slots that hold
 * objects, and the charged list and array accesses.
 *
 * Invariants:
 * - The C struct of an object lives with its slot and stays mapped until
 *   mm_exit(), whatever becomes of the slab: a late reader finds a struct.
 * - A slot's C memory is zeroed when it is made and never again.
 * - Interrupts are off while a CPU's own lists are changed, as in the kernel.
 */
#ifndef STACK_MM_INTERNAL_H
#define STACK_MM_INTERNAL_H

#include "sim/check.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/slab.h"

#define __GFP_WAIT 0x10u
#define __GFP_HIGH 0x20u
#define __GFP_COMP 0x4000u
#define __GFP_THISNODE 0x40000u

#define MAX_ORDER 11u
#define NUMA_NO_NODE (-1)
#define MAX_NUMNODES MAX_PACKAGES
#define KMALLOC_CLASSES 20u	/* SLAB: of 32 to 4194304 bytes */
#define KMALLOC_INDEXES 23u	/* two of sizes between, then powers of two */
/* What is larger comes from the page allocator: SLUB, and 6.1. */
#define KMALLOC_MAX_CACHE_SIZE (2 * PAGE_SIZE)

#define ALIGN_UP(x, a) (((x) + (a) - 1) / (a) * (a))

struct list_head {
	struct list_head *next, *prev;
};

/* ---- pages ---- */

enum page_flag_bits {
	PG_SLAB = 1u << 7,
	PG_HEAD = 1u << 14,
	PG_TAIL = 1u << 15,
};

/* SLUB's page->counters: inuse in 16 bits, objects in 15, frozen in one. */
#define COUNTERS(inuse, objects, frozen) \
	((u32)(inuse) | (u32)(objects) << 16 | (u32)(frozen) << 31)
#define COUNTERS_INUSE(c) ((c) & 0xffffu)
#define COUNTERS_OBJECTS(c) ((c) >> 16 & 0x7fffu)
#define COUNTERS_FROZEN(c) ((c) >> 31)

struct page {
	struct object object;
	u32 flags;
	u32 counters;			/* SLUB */
	u32 active;			/* SLAB: objects taken */
	u32 pages, pobjects;		/* SLUB: a CPU's partial list */
	struct list_head lru;
	void *mapping;
	void *freelist;			/* SLUB: struct object *; SLAB: array */
	struct page *next;		/* SLUB: a CPU's partial list */
	struct kmem_cache *slab_cache;	/* SLAB */
	struct slab *slab_page;		/* SLAB */
	struct kmem_cache_slub *slab;	/* SLUB */
	struct page *first_page;	/* of a tail page; else NULL */
	u32 private;			/* order of a free block */
	s32 _mapcount;
	s32 _count;
	struct rcu_head rcu;		/* of a slab that readers may look at */

	/* The model's own. */
	u32 frame;
	u8 node;
	u8 order;			/* of a compound page */
	struct slot_memory *memory;	/* the C side of its objects; SLAB: of
					 * a slab that goes */
};

struct free_area {
	struct object object;
	struct list_head free_list;
	u32 nr_free;
};

enum zone_watermarks { WMARK_MIN, WMARK_LOW, NUM_WMARK };
enum zone_stat_item {
	NR_FREE_PAGES,
	NR_SLAB_UNRECLAIMABLE,
	NUM_ZONE_STAT
};

struct zone {
	struct object object;
	u32 watermark[NUM_WMARK];
	u32 lowmem_reserve[4];
	struct per_cpu_pageset *pageset[MAX_CPUS];
	struct spinlock lock;
	s64 vm_stat[NUM_ZONE_STAT];
	struct free_area free_area[MAX_ORDER];	/* objects inside it */

	u32 node;
	u64 free_pages;			/* exactly, for tests */
};

struct per_cpu_pages {
	struct object object;
	u32 count, high, batch;
	struct list_head lists;		/* the kernel's lists[UNMOVABLE] */
};

struct per_cpu_pageset {
	struct per_cpu_pages pcp;
	s32 stat_threshold;
	s32 vm_stat_diff[NUM_ZONE_STAT];
};

struct page *alloc_pages_node(u32 node, gfp_t gfp, u32 order);
void __free_pages(struct page *page, u32 order);
void free_the_page(struct page *page, u32 order);
void mod_zone_page_state(struct page *page, enum zone_stat_item item,
			 s32 delta);
static inline u64 page_address(const struct page *page)
{
	return (u64)page->frame << PAGE_SHIFT;
}

/* page_to_nid(): the node stands in the high bits of the flags. */
static inline u32 page_to_nid(const struct page *page)
{
	(void)READ_ONCE(page, flags);
	return page->node;
}

/* The page that leads a compound one, uncharged. */
static inline struct page *head_of(struct page *page)
{
	return page->first_page ? page->first_page : page;
}

/* ---- slots ---- */

/* The free pointer that SLUB keeps inside a free object.  Its object's table
 * is the cache's (it says where the pointer lies), its type the real one. */
struct slub_object {
	struct object object;
	uintptr_t freepointer;		/* a struct object *, perhaps mixed */
};

/* Stands right before the C struct of each object. */
struct slot {
	struct slub_object link;
	u32 capacity;			/* bytes of C struct that fit */
	u32 index;			/* in its slab */
	struct object **home;		/* the slab's pointer to the object */
};

static inline struct slot *slot_of(void *object)
{
	return (struct slot *)object - 1;
}

/* The C side of a slab: made once, used again by the cache's next slab. */
struct slot_memory {
	struct slot_memory *next;
	struct object **objects;	/* by index */
	u32 *bufctl;			/* SLAB: the chain of free indexes */
};

/* ---- caches ---- */

struct any_cache {
	struct object object;
	struct mm *mm;
	const struct object_type *type;	/* NULL: kmalloc's, of any type */
	u32 c_size;
	bool is_slub;
	bool typesafe;			/* SLAB_DESTROY_BY_RCU */
	struct object_type link_type;
	char *name;
	u32 size;			/* from one object to the next */
	u32 align;
	u32 objects_max;		/* slots that a slot_memory has */
	struct slot_memory *spare;
};

struct mm {
	struct kernel *kernel;
	struct machine *machine;
	bool is_slub;
	u32 num_nodes, num_cpus;

	GPtrArray *caches;		/* struct any_cache * */
	struct any_cache large;		/* SLUB: objects of whole pages */
	struct any_cache frags;		/* pages of packets' data */
	struct kmalloc_caches *kmalloc_caches;
	u32 num_classes;

	struct zone *zones[MAX_NUMNODES];
	struct page **mem_map;		/* by frame / 1024: arrays of 1024 */
	u64 *mem_map_address;		/* by frame / 65536 */
	u32 num_frames;

	/* Where boot-time objects go, by node and by CPU: up to the end. */
	u64 boot_next[MAX_NUMNODES], boot_end[MAX_NUMNODES];
	u64 percpu_next[MAX_CPUS], percpu_end[MAX_CPUS];
	u8 slab_reap_node[MAX_CPUS];	/* SLAB: whose aliens go next */

	GPtrArray *blocks;		/* all C memory: freed at the end */
};

/* The general caches: malloc_sizes[], by size, is SLAB's; the other two are
 * SLUB's, and since 3.10 SLAB's too. */
struct kmalloc_caches {
	struct object object;
	struct any_cache *malloc_sizes[KMALLOC_CLASSES];
	struct any_cache *kmalloc_caches[KMALLOC_INDEXES];
	u8 size_index[24];
};

static inline u32 kmalloc_index(u32 size)
{
	if (size > 64 && size <= 96)
		return 1;
	if (size > 128 && size <= 192)
		return 2;
	return size <= 8 ? 3 : 32 - (u32)__builtin_clz(size - 1);
}

#define FRAMES_PER_BLOCK (1u << (MAX_ORDER - 1))
#define FRAMES_PER_MAP 65536u	/* struct pages in one largest block */

/* The page of an address, uncharged; what virt_to_page() computes. */
static inline struct page *page_of_address(const struct mm *mm, u64 address)
{
	u32 frame = (u32)(address >> PAGE_SHIFT);

	return &mm->mem_map[frame / FRAMES_PER_BLOCK]
			   [frame % FRAMES_PER_BLOCK];
}

/* slab_common.c */
void *mm_memory(struct mm *mm, size_t size);	/* zeroed, freed by mm_exit() */
/* Kernel memory that is there from boot on: whole lines of a node, or of a
 * CPU's own area.  Running out of it is fatal: the machine is too small. */
u64 boot_memory(struct mm *mm, u32 node, u32 size, u32 align);
u64 percpu_memory(struct mm *mm, u32 cpu, u32 size, u32 align);
/* A boot-time object: C struct and place. */
void *boot_object(struct mm *mm, enum struct_id id, size_t c_size, u64 address);
#define BOOT_OBJECT(mm, name, address) \
	((struct name *)boot_object(mm, STRUCT_##name, sizeof(struct name), \
				    address))

/* Sets up what both allocators' caches have. */
void any_cache_init(struct any_cache *cache, struct mm *mm, const char *name,
		    const struct object_type *type, size_t c_size, u32 flags);
/* Says where the free pointer lies and how many objects a slab may have. */
void any_cache_place(struct any_cache *cache, u32 free_offset,
		     u32 objects_max);
/* For objects that have pages of their own, and no slab. */
void pages_cache_init(struct mm *mm, struct any_cache *cache);
/* The C side of a new slab whose first object is at `address`. */
struct slot_memory *slot_memory_get(struct any_cache *cache, u64 address,
				    u32 objects);
void slot_memory_put(struct any_cache *cache, struct slot_memory *memory);
/* Makes a slot's object one of another type; the object may move. */
struct object *slot_retype(struct any_cache *cache, struct object *object,
			   const struct object_type *type, u32 c_size);

/* An allocated object, ready for its user. */
static inline void *object_born(struct mm *mm, struct object *object)
{
	object->state = OBJECT_ALIVE;
	if (unlikely(mm->machine->check))
		check_object_alloc(mm->machine, object,
				   slot_of(object)->capacity);
	return object;
}

static inline void object_dies(struct any_cache *cache, struct object *object)
{
	if (unlikely(cache->mm->machine->check))
		check_object_free(cache->mm->machine, object, cache->typesafe);
}

static inline struct object *
object_of_type(struct any_cache *cache, struct object *object,
	       const struct object_type *type, u32 c_size)
{
	if (likely(object->type == type && slot_of(object)->capacity >= c_size))
		return object;
	return slot_retype(cache, object, type, c_size);
}

/* slab.c */
void slab_init(struct mm *mm);
struct any_cache *slab_cache_create(struct mm *mm, const char *name,
				    const struct object_type *type,
				    size_t c_size, u32 size, u32 align,
				    u32 flags);
void *slab_alloc(struct kmem_cache *cachep, gfp_t gfp);
void *slab_alloc_node(struct kmem_cache *cachep, gfp_t gfp, int node);
void slab_free(struct kmem_cache *cachep, struct object *object);
void *slab_kmalloc(u32 size, const struct object_type *type, u32 c_size,
		   gfp_t gfp);
void *slab_kmalloc_node(u32 size, const struct object_type *type, u32 c_size,
			gfp_t gfp, int node);
void slab_kfree(struct object *object);
u32 slab_ksize(const struct object *object);
/* What the general cache for a size really gives. */
u32 slab_class_size(u32 size);
void slab_slabinfo(const struct kmem_cache *cachep, struct slabinfo *info);

/* slub.c: the same. */
void slub_init(struct mm *mm);
struct any_cache *slub_cache_create(struct mm *mm, const char *name,
				    const struct object_type *type,
				    size_t c_size, u32 size, u32 align,
				    u32 flags);
void *slub_alloc(struct kmem_cache_slub *s, gfp_t gfp);
void *slub_alloc_node(struct kmem_cache_slub *s, gfp_t gfp, int node);
void slub_free(struct kmem_cache_slub *s, struct object *object);
void *slub_kmalloc(u32 size, const struct object_type *type, u32 c_size,
		   gfp_t gfp);
void *slub_kmalloc_node(u32 size, const struct object_type *type, u32 c_size,
			gfp_t gfp, int node);
void slub_kfree(struct object *object);	/* or NULL */
u32 slub_class_size(u32 size);
u32 slub_ksize(const struct object *object);
void slub_slabinfo(const struct kmem_cache_slub *s, struct slabinfo *info);
void __check_heap_object(const struct object *object, u32 offset, u32 n,
			 struct page *page, bool to_user);

/* usercopy.c: a copy that must not be is the end. */
void usercopy_abort(const char *name, u32 offset, u32 n, bool to_user)
	G_GNUC_NORETURN;

/* page_alloc.c */
void page_alloc_init(struct mm *mm);
void page_alloc_exit(struct mm *mm);

/* numa_mem_id() */
static inline u32 this_node(void)
{
	return this_cpu->package;
}

/* ---- charged accesses beyond sim/access.h ---- */

/* Where the layout places a member: an access site without an access, so that
 * a layout without the member is refused. */
#define PLACE__(n, p, m) \
	({ \
		ACCESS_SITE(n, p, m, ACCESS_PREFETCH, true); \
		(void)SITE_NAME_(n); \
		(u32)OBJECT(p)->type->offsets[MEMBER_OFFSET(p, m)]; \
	})
#define PLACE_(n, p, m) PLACE__(n, p, m)
#define PLACE_OF(p, member) PLACE_(__COUNTER__, p, member)

static inline void access_element(const struct object *o, u32 c_offset, u32 at,
				  u32 len, const struct access_site *site,
				  bool write)
{
	u32 from = o->type->offsets[c_offset] + at;

	/* A word lies on one line. */
	if (__builtin_constant_p(len) && len <= 8)
		access_line(o, o->line + ((from + o->skew) >> LINE_SHIFT), site,
			    write);
	else
		access_bytes(o, from, len, site, write);
}

/* `len` bytes that lie `at` bytes behind the start of a member. */
#define ELEMENT__(n, p, m, k, at, len) \
	({ \
		ACCESS_SITE(n, p, m, k, false); \
		access_element(OBJECT(p), MEMBER_OFFSET(p, m), at, len, \
			       SITE(n), (k) == ACCESS_WRITE); \
	})
#define ELEMENT_(n, p, m, k, at, len) ELEMENT__(n, p, m, k, at, len)
#define READ_ELEMENT(p, member, at, len) \
	ELEMENT_(__COUNTER__, p, member, ACCESS_READ, at, len)
#define WRITE_ELEMENT(p, member, at, len) \
	ELEMENT_(__COUNTER__, p, member, ACCESS_WRITE, at, len)

/*
 * Lists: entries of one struct, linked by a member, on a head that is a member
 * of another struct.  Each link that the kernel's list functions write is
 * charged to whoever holds it, entry or head.
 */
#define LIST_SET_(h, hm, type, em, link, field, value) \
	do { \
		struct list_head *link_ = (link); \
		if (link_ == &(h)->hm) \
			WRITE_(__COUNTER__, h, hm, false, .field = (value)); \
		else \
			WRITE_(__COUNTER__, container_of(link_, type, em), \
			       em, false, .field = (value)); \
	} while (0)

#define LIST_INSERT_(h, hm, e, type, em, before, after) \
	do { \
		struct list_head *before_ = (before), *after_ = (after); \
		LIST_SET_(h, hm, type, em, after_, prev, &(e)->em); \
		WRITE_(__COUNTER__, e, em, false, .next = after_); \
		WRITE_(__COUNTER__, e, em, false, .prev = before_); \
		LIST_SET_(h, hm, type, em, before_, next, &(e)->em); \
	} while (0)

#define LIST_ADD(h, hm, e, type, em) \
	LIST_INSERT_(h, hm, e, type, em, &(h)->hm, READ(h, hm).next)
#define LIST_ADD_TAIL(h, hm, e, type, em) \
	LIST_INSERT_(h, hm, e, type, em, READ(h, hm).prev, &(h)->hm)

#define LIST_DEL(h, hm, e, type, em) \
	do { \
		struct list_head gone_ = READ(e, em); \
		LIST_SET_(h, hm, type, em, gone_.next, prev, gone_.prev); \
		LIST_SET_(h, hm, type, em, gone_.prev, next, gone_.next); \
		WRITE(e, em, ((struct list_head){ NULL, NULL })); \
	} while (0)

/* The first entry's link, NULL when there is none. */
#define LIST_FIRST(h, hm) \
	({ \
		struct list_head *first_ = READ(h, hm).next; \
		first_ == &(h)->hm ? NULL : first_; \
	})

/* A typesafe cache's pages go when no reader of now is left; before there is
 * RCU, at once. */
static inline bool pages_wait_for_readers(const struct any_cache *cache)
{
	return cache->typesafe && cache->mm->kernel->rcu;
}

static inline void list_init(struct list_head *list)
{
	list->next = list->prev = list;
}

#endif
