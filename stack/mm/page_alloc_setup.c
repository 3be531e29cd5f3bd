/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mm/page_alloc.c: how the zones and the CPUs' lists are made.  Runs before the
 * simulated time starts, so nothing is charged.
 */
#include "stack/mm/internal.h"


/* The kernel's zone_batchsize(): a thousandth of the zone, within bounds. */
static u32 zone_batchsize(u64 pages)
{
	u32 batch = MIN(pages / 1024, 512 * 1024 / PAGE_SIZE) / 4;

	batch = MAX(batch, 1);
	batch += batch / 2;
	return (1u << (31 - __builtin_clz(batch))) - 1;
}

/* How far a CPU's count may be off: calculate_normal_threshold(). */
static u32 normal_threshold(u32 cpus, u64 pages)
{
	u32 cpu_bits = 32 - __builtin_clz(cpus);
	u32 mem = (u32)(pages >> (27 - PAGE_SHIFT));
	u32 mem_bits = mem ? 32 - __builtin_clz(mem) : 0;

	return MIN(2 * cpu_bits * (1 + mem_bits), 125);
}

static u32 int_sqrt(u64 x)
{
	u32 root = 0, bit;

	for (bit = 1u << 31; bit; bit >>= 1)
		if ((u64)(root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

static void make_pageset(struct mm *mm, struct zone *zone, u32 cpu)
{
	const struct object_type *type =
		&mm->kernel->types[STRUCT_per_cpu_pageset];
	u64 pages = mm->machine->profile->node_bytes >> PAGE_SHIFT;
	struct per_cpu_pageset *p =
		BOOT_OBJECT(mm, per_cpu_pageset,
			    percpu_memory(mm, cpu, MAX(type->size, LINE_SIZE),
					  8));

	list_init(&p->pcp.lists);
	p->pcp.batch = MAX(zone_batchsize(pages), 1);
	p->pcp.high = 6 * p->pcp.batch;
	p->stat_threshold = normal_threshold(mm->num_cpus, pages);
	zone->pageset[cpu] = p;
}

static void make_free_areas(struct mm *mm, struct zone *zone)
{
	const struct object_type *type = &mm->kernel->types[STRUCT_free_area];
	u64 address = object_address(&zone->object) + PLACE_OF(zone, free_area);
	u32 i;

	for (i = 0; i < MAX_ORDER; i++) {
		struct free_area *area = &zone->free_area[i];

		object_init(&area->object, type,
			    address + (u64)i * ALIGN_UP(type->size, 8));
		list_init(&area->free_list);
	}
}

/* Below the marks the kernel would reclaim: min_free_kbytes' rule. */
static void make_zone(struct mm *mm, u32 node)
{
	u32 size = mm->kernel->types[STRUCT_zone].size, i;
	struct zone *zone = BOOT_OBJECT(mm, zone,
					boot_memory(mm, node, size, LINE_SIZE));
	u32 frames = mm->machine->node_end_frame[node] -
		     mm->machine->node_first_frame[node];
	u64 kbytes = (u64)mm->num_frames * (PAGE_SIZE / 1024);
	u32 min = CLAMP(int_sqrt(kbytes * 16), 128, 65536) /
		  (PAGE_SIZE / 1024) / mm->num_nodes;

	zone->node = node;
	zone->vm_stat[NR_FREE_PAGES] = frames;
	zone->free_pages = frames;
	zone->watermark[WMARK_MIN] = min;
	zone->watermark[WMARK_LOW] = min + min / 4;
	make_free_areas(mm, zone);
	for (i = 0; i < mm->num_cpus; i++)
		make_pageset(mm, zone, i);
	mm->zones[node] = zone;
}

void page_alloc_init(struct mm *mm)
{
	u32 node;

	mm->num_frames = mm->machine->node_end_frame[mm->num_nodes - 1];
	/* The last block of either kind may be a part of one. */
	mm->mem_map = g_new0(struct page *,
			     mm->num_frames / FRAMES_PER_BLOCK + 1);
	mm->mem_map_address = g_new0(u64, mm->num_frames / FRAMES_PER_MAP + 1);
	for (node = 0; node < mm->num_nodes; node++)
		make_zone(mm, node);
}

void page_alloc_exit(struct mm *mm)
{
	g_free(mm->mem_map);
	g_free(mm->mem_map_address);
}
