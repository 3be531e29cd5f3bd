/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slab allocators as the rest of the kernel sees them (include/linux/slab.h).
 * SLAB or SLUB stands behind this, as the kernel was configured.
 *
 * An object's place is the allocator's; its C struct is the model's.  A free
 * slot keeps its C struct, so that a typesafe cache hands back the very object
 * that a late reader may still look at.
 */
#ifndef STACK_LINUX_SLAB_H
#define STACK_LINUX_SLAB_H

#include "stack/kernel.h"

typedef u32 gfp_t;
#define GFP_ATOMIC 0x20u
#define GFP_KERNEL 0xd0u

#define SLAB_HWCACHE_ALIGN 0x2000u
#define SLAB_DESTROY_BY_RCU 0x80000u
/* Objects that a constructor prepares once: what is in them when they are
 * freed must stay.  (The kernel has no such flag, but looks for one.) */
#define SLAB_WITH_CTOR 0x100000u

struct any_cache;		/* a kmem_cache of either allocator */

/*
 * Makes a cache of objects of one struct; `size` is the kernel's (0: by the
 * layout), c_size that of the C struct.  Allocators return NULL when the node
 * has no memory left, as the kernel does.
 */
struct any_cache *kmem_cache_create(struct kernel *kernel, const char *name,
				    enum struct_id id, size_t c_size, u32 size,
				    u32 align, u32 flags);
void *kmem_cache_alloc(struct any_cache *cache, gfp_t gfp);
void *kmem_cache_alloc_node(struct any_cache *cache, gfp_t gfp, int node);
void kmem_cache_free(struct any_cache *cache, void *object);

/* General-purpose memory: `size` bytes of the kernel's for an object of a
 * struct whose C form has c_size bytes.  ksize() is what it really got. */
void *kmalloc(u32 size, enum struct_id id, size_t c_size, gfp_t gfp);
void *__kmalloc_node_track_caller(u32 size, enum struct_id id, size_t c_size,
				  gfp_t gfp, int node);
void kfree(void *object);	/* or NULL */
u32 ksize(const void *object);
/* The object that was allocated where an address lies; NULL: nothing was.  Not
 * charged. */
const struct object *allocation_of(const struct kernel *kernel, u64 address);
/* With KMALLOC_SIZE_ROUNDUP: what kmalloc() would really give for `size`. */
u32 kmalloc_size_roundup(u32 size);
/* What this object is part of lives as long as the kernel: it is no leak when
 * it is there at the end of a run.  It may still be freed. */
void kmemleak_not_leak(void *object);

#define KMALLOC(name, gfp) \
	((struct name *)kmalloc(this_kernel()->types[STRUCT_##name].size, \
				STRUCT_##name, sizeof(struct name), gfp))

/* Are the structs of the kernel's allocator in its tables? */
bool mm_has_structs(const struct kernel *kernel);
void mm_init(struct kernel *kernel);
/* SLAB: from now on each CPU gives back now and then what it does not use. */
void cpucache_init(struct kernel *kernel);
void mm_exit(struct kernel *kernel);

/* Counters as /proc/slabinfo has them. */
struct slabinfo {
	const char *name;
	u32 active_objs, num_objs, objsize, objperslab, pagesperslab;
	u32 limit, batchcount, shared;
	u32 active_slabs, num_slabs;
	u32 shared_avail;	/* free objects in the shared arrays */
};
/* The caches in the order in which they were made; -1 past the last. */
int slabinfo_get(const struct kernel *kernel, u32 index, struct slabinfo *info);

#endif
