/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that the data of packets lies in (include/linux/mm.h and mm_types.h).
 * A piece of a packet holds a reference; the last one gives the pages back.
 */
#ifndef STACK_LINUX_MM_H
#define STACK_LINUX_MM_H

#include "stack/include/linux/slab.h"

/* The bytes of 2^order pages; in the kernel the struct page is all there is. */
struct frag_page {
	struct object object;
	struct page *page;
	u32 order;
	u32 size;		/* bytes of data[] */
	u8 data[];
};

/* What is left of such pages: from `offset` on. */
struct page_frag {
	struct frag_page *page;	/* NULL: none */
	u32 offset;
	u32 size;
};

/* With one reference; NULL: the machine has no memory left. */
struct frag_page *alloc_frag_page(gfp_t gfp, u32 order);
void get_page(struct frag_page *frag);
void put_page(struct frag_page *frag);
/* How many hold it. */
u32 page_count(const struct frag_page *frag);

#endif
