/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/slab_common.c and what has no file of its own in the kernel: the API of
 * include/linux/slab.h handed to the allocator that was configured, the C
 * memory of slots, and memory that is there from boot on.
 *
 * Next to nothing here is charged: SLAB and SLUB charge what they touch.
 */
#include <string.h>

#include "stack/mm/internal.h"

#define PERCPU_CHUNK_ORDER 3u

/* ---- C memory ---- */

void *mm_memory(struct mm *mm, size_t size)
{
	void *block = g_malloc0(size);

	g_ptr_array_add(mm->blocks, block);
	return block;
}

/* ---- boot-time memory ---- */

/* Takes `size` bytes from an area, which gets new pages when it is used up. */
static u64 area_take(struct mm *mm, u32 node, u64 *next, u64 *end, u32 size,
		     u32 align, u32 order)
{
	u64 address = ALIGN_UP(*next, align);

	g_assert(size && align);
	while ((PAGE_SIZE << order) < size)
		order++;
	if (!*next || address + size > *end) {
		address = machine_alloc_pages(mm->machine, node, order);
		if (!address)
			g_error("node %u has no memory for the kernel itself",
				node);
		*end = address + (PAGE_SIZE << order);
	}
	*next = address + size;
	return address;
}

u64 boot_memory(struct mm *mm, u32 node, u32 size, u32 align)
{
	return area_take(mm, node, &mm->boot_next[node], &mm->boot_end[node],
			 size, MAX(align, LINE_SIZE), 4);
}

u64 percpu_memory(struct mm *mm, u32 cpu, u32 size, u32 align)
{
	u32 node = mm->machine->cpus[cpu].package;

	return area_take(mm, node, &mm->percpu_next[cpu], &mm->percpu_end[cpu],
			 size, MAX(align, 8), PERCPU_CHUNK_ORDER);
}

void *boot_object(struct mm *mm, enum struct_id id, size_t c_size, u64 address)
{
	struct object *o = mm_memory(mm, c_size);

	object_init(o, &mm->kernel->types[id], address);
	return o;
}

/* ---- slots ---- */

void any_cache_init(struct any_cache *cache, struct mm *mm, const char *name,
		    const struct object_type *type, size_t c_size, u32 flags)
{
	cache->mm = mm;
	cache->name = g_strdup(name);
	cache->type = type;
	cache->c_size = c_size;
	cache->is_slub = mm->is_slub;
	cache->typesafe = flags & SLAB_DESTROY_BY_RCU;
	g_ptr_array_add(mm->caches, cache);
}

void any_cache_place(struct any_cache *cache, u32 free_offset, u32 objects_max)
{
	object_type_init(&cache->link_type, "slub_object",
			 sizeof(struct slub_object), 8);
	object_type_place(&cache->link_type,
			  offsetof(struct slub_object, freepointer),
			  cache->mm->kernel->pointer_bytes, free_offset);
	cache->objects_max = objects_max;
}

void pages_cache_init(struct mm *mm, struct any_cache *cache)
{
	cache->mm = mm;
	cache->is_slub = true;	/* no chain of free indexes */
	cache->size = PAGE_SIZE;
	any_cache_place(cache, 0, 1);
}

static void slot_init(struct any_cache *cache, struct slot *slot,
		      const struct object_type *type, u64 address)
{
	struct object *object = (struct object *)(slot + 1);

	object_init(object, type, address);
	object->state = OBJECT_NONE;
	object_init(&slot->link.object, &cache->link_type, address);
	slot->link.object.type = type;
}

static struct slot *slot_new(struct any_cache *cache, u32 capacity)
{
	struct slot *slot = mm_memory(cache->mm, sizeof(*slot) + capacity);

	slot->capacity = capacity;
	return slot;
}

/* The slots of a cache of one type lie side by side. */
static void fill_typed(struct any_cache *cache, struct slot_memory *memory)
{
	size_t stride = ALIGN_UP(sizeof(struct slot) + cache->c_size, 16);
	char *block = mm_memory(cache->mm, cache->objects_max * stride);
	u32 i;

	for (i = 0; i < cache->objects_max; i++) {
		struct slot *slot = (struct slot *)(void *)(block + i * stride);

		slot->capacity = cache->c_size;
		memory->objects[i] = (struct object *)(slot + 1);
	}
}

/* How much C memory an object of unknown type will need: a guess. */
static void fill_untyped(struct any_cache *cache, struct slot_memory *memory)
{
	u32 capacity = 64 + MIN(cache->size, 1024), i;

	for (i = 0; i < cache->objects_max; i++)
		memory->objects[i] =
			(struct object *)(slot_new(cache, capacity) + 1);
}

static struct slot_memory *slot_memory_new(struct any_cache *cache)
{
	struct slot_memory *memory = mm_memory(cache->mm, sizeof(*memory));
	u32 i;

	memory->objects = mm_memory(cache->mm, cache->objects_max *
				    sizeof(memory->objects[0]));
	if (!cache->is_slub)
		memory->bufctl = mm_memory(cache->mm, cache->objects_max *
					   sizeof(memory->bufctl[0]));
	if (cache->type)
		fill_typed(cache, memory);
	else
		fill_untyped(cache, memory);
	for (i = 0; i < cache->objects_max; i++) {
		struct slot *slot = slot_of(memory->objects[i]);

		slot->index = i;
		slot->home = &memory->objects[i];
	}
	return memory;
}

struct slot_memory *slot_memory_get(struct any_cache *cache, u64 address,
				    u32 objects)
{
	const struct object_type *type = cache->type;
	struct slot_memory *memory = cache->spare;
	u32 i;

	g_assert(objects <= cache->objects_max);
	if (memory)
		cache->spare = memory->next;
	else
		memory = slot_memory_new(cache);
	if (!type)		/* until the first user says better */
		type = &cache->mm->kernel->types[STRUCT_slub_object];
	for (i = 0; i < objects; i++)
		slot_init(cache, slot_of(memory->objects[i]), type,
			  address + (u64)i * cache->size);
	return memory;
}

void slot_memory_put(struct any_cache *cache, struct slot_memory *memory)
{
	memory->next = cache->spare;
	cache->spare = memory;
}

/* Old memory that is too small is not freed: somebody may still read it. */
struct object *slot_retype(struct any_cache *cache, struct object *object,
			   const struct object_type *type, u32 c_size)
{
	u64 address = object_address(object);
	struct slot *slot = slot_of(object);

	g_assert(type->size <= cache->size || !cache->type);
	if (slot->capacity < c_size) {
		struct slot *larger = slot_new(cache, ALIGN_UP(c_size, 256));

		larger->index = slot->index;
		larger->home = slot->home;
		*slot->home = (struct object *)(larger + 1);
		slot = larger;
	}
	slot_init(cache, slot, type, address);
	return (struct object *)(slot + 1);
}

/* ---- the API ---- */

bool mm_has_structs(const struct kernel *kernel)
{
	bool slub = g_str_equal(kernel->parameters.allocator, "slub");

	return kernel->types[slub ? STRUCT_kmem_cache_cpu :
			     STRUCT_array_cache].size;
}

void mm_init(struct kernel *kernel)
{
	struct machine *machine = kernel->machine;
	struct mm *mm = g_new0(struct mm, 1);

	mm->kernel = kernel;
	mm->machine = machine;
	mm->num_nodes = machine->profile->packages;
	mm->num_cpus = machine->num_cpus;
	mm->is_slub = g_str_equal(kernel->parameters.allocator, "slub");
	mm->blocks = g_ptr_array_new_with_free_func(g_free);
	mm->caches = g_ptr_array_new();
	kernel->mm = mm;
	page_alloc_init(mm);
	pages_cache_init(mm, &mm->frags);
	if (mm->is_slub)
		slub_init(mm);
	else
		slab_init(mm);
}

void mm_exit(struct kernel *kernel)
{
	struct mm *mm = kernel->mm;
	guint i;

	if (!mm)
		return;
	for (i = 0; i < mm->caches->len; i++) {
		struct any_cache *cache = g_ptr_array_index(mm->caches, i);

		object_type_fini(&cache->link_type);
		g_free(cache->name);
	}
	object_type_fini(&mm->large.link_type);
	object_type_fini(&mm->frags.link_type);
	page_alloc_exit(mm);
	g_ptr_array_unref(mm->caches);
	g_ptr_array_unref(mm->blocks);
	g_clear_pointer(&kernel->mm, g_free);
}

struct any_cache *kmem_cache_create(struct kernel *kernel, const char *name,
				    enum struct_id id, size_t c_size, u32 size,
				    u32 align, u32 flags)
{
	const struct object_type *type = &kernel->types[id];

	if (!size)
		size = type->size;
	if (kernel->mm->is_slub)
		return slub_cache_create(kernel->mm, name, type, c_size, size,
					 align, flags);
	return slab_cache_create(kernel->mm, name, type, c_size, size, align,
				 flags);
}

void *kmem_cache_alloc(struct any_cache *cache, gfp_t gfp)
{
	if (cache->is_slub)
		return slub_alloc((struct kmem_cache_slub *)cache, gfp);
	return slab_alloc((struct kmem_cache *)cache, gfp);
}

void *kmem_cache_alloc_node(struct any_cache *cache, gfp_t gfp, int node)
{
	if (cache->is_slub)
		return slub_alloc_node((struct kmem_cache_slub *)cache, gfp,
				       node);
	return slab_alloc_node((struct kmem_cache *)cache, gfp, node);
}

void kmem_cache_free(struct any_cache *cache, void *object)
{
	if (cache->is_slub)
		slub_free((struct kmem_cache_slub *)cache, object);
	else
		slab_free((struct kmem_cache *)cache, object);
}

void *kmalloc(u32 size, enum struct_id id, size_t c_size, gfp_t gfp)
{
	struct kernel *kernel = this_kernel();
	const struct object_type *type = &kernel->types[id];

	if (kernel->mm->is_slub)
		return slub_kmalloc(size, type, c_size, gfp);
	return slab_kmalloc(size, type, c_size, gfp);
}

void *__kmalloc_node_track_caller(u32 size, enum struct_id id, size_t c_size,
				  gfp_t gfp, int node)
{
	struct kernel *kernel = this_kernel();
	const struct object_type *type = &kernel->types[id];

	if (kernel->mm->is_slub)
		return slub_kmalloc_node(size, type, c_size, gfp, node);
	return slab_kmalloc_node(size, type, c_size, gfp, node);
}

void kfree(void *object)
{
	if (this_kernel()->mm->is_slub)
		slub_kfree(object);
	else if (object)
		slab_kfree(object);
}

u32 kmalloc_size_roundup(u32 size)
{
	FUNCTION(kmalloc_size_roundup);
	u64 pages = PAGE_SIZE;

	if (!size)
		return 0;
	if (size <= KMALLOC_MAX_CACHE_SIZE)
		return this_kernel()->mm->is_slub ? slub_class_size(size) :
		       slab_class_size(size);
	while (pages < size)
		pages *= 2;
	return (u32)pages;
}

void kmemleak_not_leak(void *object)
{
	struct object *o = object;

	/* The memory map is allocated by nobody; its pages are never freed. */
	if (o->type == &this_kernel()->types[STRUCT_page])
		return;
	check_object_kept(this_kernel()->machine, o);
}

u32 ksize(const void *object)
{
	if (this_kernel()->mm->is_slub)
		return slub_ksize(object);
	return slab_ksize(object);
}

int slabinfo_get(const struct kernel *kernel, u32 index, struct slabinfo *info)
{
	const struct mm *mm = kernel->mm;
	const struct any_cache *cache;

	if (index >= mm->caches->len)
		return -1;
	cache = g_ptr_array_index(mm->caches, index);
	*info = (struct slabinfo){ .name = cache->name };
	if (mm->is_slub)
		slub_slabinfo((const struct kmem_cache_slub *)cache, info);
	else
		slab_slabinfo((const struct kmem_cache *)cache, info);
	return 0;
}
