/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models of include/linux/mm.h and mm/swap.c the references to pages that the
 * data of packets lies in. */
#include "stack/include/linux/mm.h"
#include "stack/mm/internal.h"

struct frag_page *alloc_frag_page(gfp_t gfp, u32 order)
{
	struct mm *mm = this_kernel()->mm;
	const u32 size = PAGE_SIZE << order;
	struct frag_page *frag;
	struct object *object;
	struct page *page;

	page = alloc_pages_node(this_node(), order ? gfp | __GFP_COMP : gfp,
				order);
	if (!page)
		return NULL;
	page->memory = slot_memory_get(&mm->frags, page_address(page), 1);
	object = object_of_type(&mm->frags, page->memory->objects[0],
				&mm->kernel->types[STRUCT_frag_page],
				sizeof(*frag) + size);
	frag = object_born(mm, object);
	frag->page = page;
	frag->order = order;
	frag->size = size;
	return frag;
}

void get_page(struct frag_page *frag)
{
	(void)READ(frag->page, first_page);	/* of a compound one? */
	ATOMIC_INC(frag->page, _count);
}

void put_page(struct frag_page *frag)
{
	struct mm *mm = this_kernel()->mm;
	struct page *page = frag->page;

	FUNCTION(put_page);
	(void)READ(page, first_page);
	if (!ATOMIC_DEC_AND_TEST(page, _count))
		return;
	object_dies(&mm->frags, &frag->object);
	slot_memory_put(&mm->frags, page->memory);
	page->memory = NULL;
	free_the_page(page, frag->order);
}

u32 page_count(const struct frag_page *frag)
{
	return (u32)READ_ONCE(frag->page, _count);
}
