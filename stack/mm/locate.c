/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which allocation an address lies in, for whoever reports on lines: an object
 * of the model may lie in the middle of one, as the shared info of a packet
 * does behind its bytes.  Nothing here is charged.
 */
#include "stack/mm/mm.h"

static struct object *element_of(const struct slot_memory *memory, u64 first,
				 u32 size, u64 address)
{
	return address < first ? NULL :
		memory->objects[(address - first) / size];
}

const struct object *allocation_of(const struct kernel *kernel, u64 address)
{
	const struct mm *mm = kernel->mm;
	u32 frame = (u32)(address >> PAGE_SHIFT);
	struct page *page;

	if (frame >= mm->num_frames || !mm->mem_map[frame / FRAMES_PER_BLOCK])
		return NULL;
	page = head_of(page_of_address(mm, address));
	if (!mm->is_slub)
		/* A slab that is being made has nothing that says what it is. */
		return page->flags & PG_SLAB && page->slab_page &&
		       page->slab_page->memory ?
			element_of(page->slab_page->memory,
				   page->slab_page->s_mem,
				   page->slab_cache->size, address) : NULL;
	if (!page->memory)
		return NULL;
	return page->flags & PG_SLAB ?
		element_of(page->memory, page_address(page), page->slab->size,
			   address) :
		page->memory->objects[0];
}
