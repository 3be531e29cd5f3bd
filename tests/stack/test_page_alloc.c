/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page allocator: the CPUs' lists and their batches, the buddy rule, the
 * order of zones, the watermarks, and its counts after random use.
 */
#include <string.h>

#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"
#include "tests/rounds.h"

static struct kernel *kernel;
static struct mm *mm;

static void start(u32 packages, u32 cores)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .allocator = "slab",
	};

	kernel = mm_kernel_new(&setup);
	mm = kernel->mm;
}

/* Two nodes of 256 MiB, for tests that use all of it. */
static void start_small(void)
{
	struct mm_setup setup = {
		.packages = 2, .cores = 1, .allocator = "slab", .node_mib = 256,
	};

	kernel = mm_kernel_new(&setup);
	mm = kernel->mm;
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

static struct per_cpu_pages *pcp_of(u32 node, u32 cpu)
{
	return &mm->zones[node]->pageset[cpu]->pcp;
}

static struct page *get(u32 order)
{
	struct page *page = alloc_pages_node(this_node(), GFP_KERNEL, order);

	must(page);
	return page;
}

/* ---- sizes ---- */

START_TEST(test_batch_and_high)
{
	start(1, 4);
	ck_assert_uint_eq(pcp_of(0, 3)->batch, 31);
	ck_assert_uint_eq(pcp_of(0, 3)->high, 186);
	/* 2 * fls(4) * (1 + fls(4 GiB / 128 MiB)) */
	ck_assert_int_eq(mm->zones[0]->pageset[0]->stat_threshold, 2 * 3 * 7);
}
END_TEST

START_TEST(test_mem_map)
{
	struct page *a, *b;

	start(2, 1);
	a = get(1);
	b = a + 1;
	ck_assert_ptr_eq(page_of_address(mm, page_address(a) + PAGE_SIZE), b);
	ck_assert_uint_eq(object_address(&b->object),
			  object_address(&a->object) + 56);
	b = alloc_pages_node(1, GFP_KERNEL, 0);
	ck_assert_uint_eq(b->node, 1);
	ck_assert_uint_eq(machine_line_node(kernel->machine,
					    b->object.line), 1);
}
END_TEST

/* ---- a CPU's pages ---- */

START_TEST(test_refill_in_batches)
{
	struct page *first, *page;
	u32 i;

	start(1, 2);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 0);
	first = get(0);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 30);
	ck_assert_uint_eq(pcp_of(0, 1)->count, 0);
	/* A batch lies in the order of its addresses. */
	for (i = 1; i < 31; i++) {
		page = get(0);
		ck_assert_uint_eq(page->frame, first->frame + i);
	}
	ck_assert_uint_eq(pcp_of(0, 0)->count, 0);
	page = get(0);
	ck_assert_uint_eq(page->frame, first->frame + 31);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 30);
	on_cpu(kernel, 1);
	page = get(0);
	ck_assert_uint_eq(page->frame, first->frame + 62);
	verify_pages(mm);
}
END_TEST

START_TEST(test_last_in_first_out)
{
	struct page *a, *b;

	start(1, 1);
	a = get(0);
	b = get(0);
	__free_pages(a, 0);
	__free_pages(b, 0);
	ck_assert_ptr_eq(get(0), b);
	ck_assert_ptr_eq(get(0), a);
}
END_TEST

/* Beyond the high mark the coldest batch goes back to the zone. */
START_TEST(test_drain_at_high)
{
	struct page *page[400];
	u32 i, n = 0;

	start(1, 1);
	for (i = 0; i < 10 * 31; i++)
		page[i] = get(0);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 0);
	while (n < 185)
		__free_pages(page[n++], 0);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 185);
	__free_pages(page[n++], 0);
	ck_assert_uint_eq(pcp_of(0, 0)->count, 186 - 31);
	ck_assert_ptr_eq(get(0), page[185]);
	__free_pages(page[185], 0);
	/* The first 31 that were freed are the zone's. */
	ck_assert_int_eq(page[0]->_count, 0);
	for (i = 0; i < 186; i++)
		must(get(0) == page[185 - i] || i >= 155);
	verify_pages(mm);
}
END_TEST

/* ---- blocks ---- */

START_TEST(test_split_and_merge)
{
	struct zone *zone;
	struct page *page;
	u32 order, i;

	start(1, 1);
	zone = mm->zones[0];
	for (order = 1; order < MAX_ORDER; order++) {
		u32 blocks = zone->free_area[MAX_ORDER - 1].nr_free;
		u64 all = verify_pages(mm);

		page = get(order);
		must(page->frame % (1u << order) == 0);
		if (!blocks)	/* the zone got its first block for this */
			all += 1024;
		ck_assert_uint_eq(verify_pages(mm), all - (1u << order));
		for (i = order; i < MAX_ORDER - 1; i++)
			ck_assert_uint_eq(zone->free_area[i].nr_free, 1);
		__free_pages(page, order);
		ck_assert_uint_eq(verify_pages(mm), all);
		for (i = 0; i < MAX_ORDER - 1; i++)
			ck_assert_uint_eq(zone->free_area[i].nr_free, 0);
		ck_assert_uint_eq(zone->free_area[MAX_ORDER - 1].nr_free, 1);
	}
}
END_TEST

/* A block whose larger buddy is free is kept for a merge: handed out last. */
START_TEST(test_soon_merged_is_last)
{
	struct page *page[8], *again;
	u32 i;

	start(1, 1);
	for (i = 0; i < 8; i++)
		page[i] = get(1);
	ck_assert_uint_eq(page[7]->frame, page[0]->frame + 14);
	__free_pages(page[6], 1);
	__free_pages(page[7], 1);	/* merged: an order 2 block */
	__free_pages(page[0], 1);
	__free_pages(page[4], 1);	/* 5 would merge it with 6 and 7 */
	again = get(1);
	ck_assert_ptr_eq(again, page[0]);
	again = get(1);
	ck_assert_ptr_eq(again, page[4]);
}
END_TEST

START_TEST(test_compound)
{
	struct page *page;
	u32 i;

	start(1, 1);
	page = alloc_pages_node(0, GFP_KERNEL | __GFP_COMP, 3);
	ck_assert(page->flags & PG_HEAD);
	for (i = 1; i < 8; i++) {
		ck_assert(page[i].flags & PG_TAIL);
		ck_assert_ptr_eq(page[i].first_page, page);
	}
	__free_pages(page, 3);
	for (i = 0; i < 8; i++)
		ck_assert_uint_eq(page[i].flags & (PG_HEAD | PG_TAIL), 0);
	page = get(3);
	ck_assert(!(page->flags & PG_HEAD) && !(page[1].flags & PG_TAIL));
}
END_TEST

/* More references: only the last put frees. */
START_TEST(test_references)
{
	struct page *page;

	start(1, 1);
	page = get(0);
	page->_count++;
	__free_pages(page, 0);
	ck_assert_int_eq(page->_count, 1);
	ck_assert_ptr_ne(get(0), page);
	__free_pages(page, 0);
	ck_assert_ptr_eq(get(0), page);
}
END_TEST

/* ---- zones and watermarks ---- */

/* Takes blocks until there are none; how many came from each node. */
static u32 take_all(gfp_t gfp, u32 order, u32 *on_node, struct page **pages,
		    u32 max)
{
	u32 n = 0;

	while (n < max) {
		pages[n] = alloc_pages_node(this_node(), gfp, order);
		if (!pages[n])
			return n;
		on_node[pages[n++]->node]++;
	}
	ck_abort_msg("memory has no end");
}

START_TEST(test_exhaustion)
{
	struct page *pages[200];
	u32 on_node[2] = { 0 }, n, i;
	u64 all;

	start_small();
	n = take_all(GFP_KERNEL | __GFP_THISNODE, 10, on_node, pages, 200);
	ck_assert_uint_gt(on_node[0], 50);
	ck_assert_uint_eq(on_node[1], 0);
	n += take_all(GFP_KERNEL, 10, on_node, pages + n, 200 - n);
	ck_assert_uint_gt(on_node[1], 50);
	all = verify_pages(mm);
	for (i = 0; i < n; i++)
		__free_pages(pages[i], 10);
	ck_assert_uint_eq(verify_pages(mm), all + n * 1024ull);
	/* All of it is usable again, and merged as it was. */
	memset(on_node, 0, sizeof(on_node));
	ck_assert_uint_eq(take_all(GFP_KERNEL, 10, on_node, pages, 200), n);
}
END_TEST

/* Who may not wait gets below the mark at which others fail. */
START_TEST(test_watermark)
{
	struct zone *zone;

	start(1, 1);
	zone = mm->zones[0];
	get(0);
	zone->vm_stat[NR_FREE_PAGES] = zone->watermark[WMARK_LOW];
	ck_assert_ptr_nonnull(alloc_pages_node(0, GFP_KERNEL, 1));
	zone->vm_stat[NR_FREE_PAGES] = zone->watermark[WMARK_MIN];
	ck_assert_ptr_null(alloc_pages_node(0, GFP_KERNEL, 1));
	ck_assert_ptr_nonnull(alloc_pages_node(0, GFP_ATOMIC, 1));
	zone->vm_stat[NR_FREE_PAGES] = zone->watermark[WMARK_MIN] * 3 / 8;
	ck_assert_ptr_null(alloc_pages_node(0, GFP_ATOMIC, 1));
}
END_TEST

/* The zone's count follows in steps of a CPU's threshold. */
START_TEST(test_counts)
{
	struct zone *zone;
	struct per_cpu_pageset *p;
	s64 was;
	u32 i;

	start(1, 1);
	zone = mm->zones[0];
	p = zone->pageset[0];
	was = zone->vm_stat[NR_FREE_PAGES];
	ck_assert_int_eq(p->stat_threshold, 2 * 1 * 7);
	for (i = 0; i < 7; i++)
		get(1);
	ck_assert_int_eq(zone->vm_stat[NR_FREE_PAGES], was);
	ck_assert_int_eq(p->vm_stat_diff[NR_FREE_PAGES], -14);
	get(1);
	ck_assert_int_eq(zone->vm_stat[NR_FREE_PAGES], was - 16);
	ck_assert_int_eq(p->vm_stat_diff[NR_FREE_PAGES], 0);
}
END_TEST

/* ---- several CPUs at once ---- */

#define WORKERS 4u
#define HELD 300u

struct worker {
	struct random_stream random;
	u32 steps, held;
	struct { struct page *page; u32 order; } block[HELD];
};

static void take_and_give(void *arg)
{
	struct worker *w = arg;
	u32 i, at;

	for (i = 0; i < w->steps; i++) {
		u64 dice = random_u64(&w->random);
		u32 order = dice & 64 ? 0 : dice % 64 % 5;

		dice >>= 8;
		if (!w->held || (w->held < HELD && dice & 1)) {
			w->block[w->held].page =
				alloc_pages_node(dice >> 1 & 1,
						 dice & 4 ? __GFP_COMP : 0,
						 order);
			must(w->block[w->held].page);
			w->block[w->held++].order = order;
			continue;
		}
		at = (dice >> 3) % w->held;
		__free_pages(w->block[at].page, w->block[at].order);
		w->block[at] = w->block[--w->held];
	}
}

static void verify_workers(const struct worker *w, s64 free_before)
{
	struct live *live = g_new0(struct live, WORKERS * HELD);
	u64 taken = 0, listed = 0;
	s64 counted = 0;
	u32 n = 0, i, j;

	for (i = 0; i < WORKERS; i++)
		for (j = 0; j < w[i].held; j++) {
			live[n].address = page_address(w[i].block[j].page);
			live[n].size = PAGE_SIZE << w[i].block[j].order;
			taken += 1u << w[i].block[j].order;
			n++;
		}
	verify_no_overlap(live, n);
	for (i = 0; i < mm->num_nodes; i++) {
		counted += (s64)mm->zones[i]->free_pages;
		for (j = 0; j < mm->num_cpus; j++)
			listed += pcp_of(i, j)->count;
	}
	must(counted + (s64)(listed + taken) == free_before);
	verify_pages(mm);
	g_free(live);
}

START_TEST(test_random_on_several_cpus)
{
	struct worker *w = g_new0(struct worker, WORKERS);
	struct context *context[WORKERS];
	s64 before;
	u32 i;

	start(2, WORKERS / 2);
	before = (s64)(mm->zones[0]->free_pages + mm->zones[1]->free_pages);
	for (i = 0; i < WORKERS; i++) {
		random_seed(&w[i].random, 1, "pages", i);
		w[i].steps = test_rounds(250000);
		context[i] = context_new(&kernel->machine->cpus[i], "worker",
					 take_and_give, &w[i]);
	}
	ck_assert(machine_run(kernel->machine));
	for (i = 0; i < WORKERS; i++)
		context_free(context[i]);
	verify_workers(w, before);
	g_free(w);
}
END_TEST

Suite *suite_page_alloc(void)
{
	Suite *suite = suite_create("page_alloc");
	TCase *tests = tcase_create("page_alloc");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, test_batch_and_high);
	tcase_add_test(tests, test_mem_map);
	tcase_add_test(tests, test_refill_in_batches);
	tcase_add_test(tests, test_last_in_first_out);
	tcase_add_test(tests, test_drain_at_high);
	tcase_add_test(tests, test_split_and_merge);
	tcase_add_test(tests, test_soon_merged_is_last);
	tcase_add_test(tests, test_compound);
	tcase_add_test(tests, test_references);
	tcase_add_test(tests, test_exhaustion);
	tcase_add_test(tests, test_watermark);
	tcase_add_test(tests, test_counts);
	tcase_add_test(tests, test_random_on_several_cpus);
	suite_add_tcase(suite, tests);
	return suite;
}
