/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suites of stack/mm/ share; see mm_support.h. */
#include <stdlib.h>
#include <string.h>

#include "mm_support.h"
#include "tests/profile.h"

/* ---- layouts ---- */

/* Offsets of Linux 3.6 on x86-64, as far as stack/mm/ needs them. */
static const struct {
	const char *type, *member;
	u32 offset;
} rows[] = {
	{ "kmem_cache", "batchcount", 0 },
	{ "kmem_cache", "limit", 4 },
	{ "kmem_cache", "shared", 8 },
	{ "kmem_cache", "size", 12 },
	{ "kmem_cache", "reciprocal_buffer_size", 16 },
	{ "kmem_cache", "flags", 20 },
	{ "kmem_cache", "num", 24 },
	{ "kmem_cache", "gfporder", 28 },
	{ "kmem_cache", "colour", 40 },
	{ "kmem_cache", "colour_off", 48 },
	{ "kmem_cache", "slabp_cache", 56 },
	{ "kmem_cache", "slab_size", 64 },
	{ "kmem_cache", "object_size", 108 },
	{ "kmem_cache", "nodelists", 120 },
	{ "kmem_cache", "array", 128 },
	{ "array_cache", "avail", 0 },
	{ "array_cache", "limit", 4 },
	{ "array_cache", "batchcount", 8 },
	{ "array_cache", "touched", 12 },
	{ "array_cache", "lock", 16 },
	{ "array_cache", "entry", 24 },
	{ "kmem_list3", "slabs_partial", 0 },
	{ "kmem_list3", "slabs_full", 16 },
	{ "kmem_list3", "slabs_free", 32 },
	{ "kmem_list3", "free_objects", 48 },
	{ "kmem_list3", "free_limit", 56 },
	{ "kmem_list3", "colour_next", 60 },
	{ "kmem_list3", "list_lock", 64 },
	{ "kmem_list3", "shared", 72 },
	{ "kmem_list3", "alien", 80 },
	{ "kmem_list3", "next_reap", 88 },
	{ "kmem_list3", "free_touched", 96 },
	{ "slab", "list", 0 },
	{ "slab", "colouroff", 16 },
	{ "slab", "s_mem", 24 },
	{ "slab", "inuse", 32 },
	{ "slab", "free", 36 },
	{ "slab", "nodeid", 40 },
	{ "slab", "bufctl", 48 },
	{ "kmem_cache_slub", "cpu_slab", 0 },
	{ "kmem_cache_slub", "flags", 8 },
	{ "kmem_cache_slub", "min_partial", 16 },
	{ "kmem_cache_slub", "size", 24 },
	{ "kmem_cache_slub", "object_size", 28 },
	{ "kmem_cache_slub", "offset", 32 },
	{ "kmem_cache_slub", "cpu_partial", 36 },
	{ "kmem_cache_slub", "cpu_partial_slabs", 48 },
	{ "kmem_cache_slub", "oo", 40 },
	{ "kmem_cache_slub", "min", 56 },
	{ "kmem_cache_slub", "random", 184 },	/* of later kernels */
	{ "kmem_cache_slub", "random_seq", 184 },
	{ "kmem_cache_slub", "useroffset", 184 },
	{ "kmem_cache_slub", "usersize", 184 },
	{ "kmem_cache_slub", "remote_node_defrag_ratio", 184 },
	{ "kmem_cache_slub", "node", 192 },
	{ "kmem_cache_cpu", "freelist", 0 },
	{ "kmem_cache_cpu", "tid", 8 },
	{ "kmem_cache_cpu", "page", 16 },
	{ "kmem_cache_cpu", "partial", 24 },
	{ "kmem_cache_node", "list_lock", 0 },
	{ "kmem_cache_node", "nr_partial", 8 },
	{ "kmem_cache_node", "partial", 16 },
	{ "kmem_cache_node", "nr_slabs", 32 },
	{ "kmem_cache_node", "total_objects", 40 },
	{ "slub_object", "freepointer", 0 },
	{ "kmalloc_caches", "malloc_sizes", 0 },
	{ "kmalloc_caches", "kmalloc_caches", 512 },
	{ "kmalloc_caches", "size_index", 640 },
	{ "page", "flags", 0 },
	{ "page", "mapping", 8 },
	{ "page", "freelist", 16 },
	{ "page", "counters", 24 },
	{ "page", "_mapcount", 24 },
	{ "page", "_count", 28 },
	{ "page", "lru", 32 },
	{ "page", "next", 32 },
	{ "page", "slab_cache", 32 },
	{ "page", "pages", 40 },
	{ "page", "slab_page", 40 },
	{ "page", "pobjects", 44 },
	{ "page", "private", 48 },
	{ "page", "slab", 48 },
	{ "page", "first_page", 48 },
	{ "free_area", "free_list", 0 },
	{ "free_area", "nr_free", 80 },
	{ "zone", "watermark", 0 },
	{ "zone", "lowmem_reserve", 32 },
	{ "zone", "pageset", 96 },
	{ "zone", "lock", 104 },
	{ "zone", "free_area", 120 },
	{ "zone", "vm_stat", 1288 },
	{ "per_cpu_pages", "count", 0 },
	{ "per_cpu_pages", "high", 4 },
	{ "per_cpu_pages", "batch", 8 },
	{ "per_cpu_pages", "lists", 16 },
	{ "per_cpu_pageset", "stat_threshold", 65 },
	{ "per_cpu_pageset", "vm_stat_diff", 66 },
};

static int row_offset(const char *type, const char *member)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (g_str_equal(rows[i].type, type) &&
		    g_str_equal(rows[i].member, member))
			return (int)rows[i].offset;
	return -1;
}

/* Places what the access sites of `from` name in a type. */
static void place_members(struct object_type *type, const char *from)
{
	u32 i;

	for (i = 0; i < num_access_sites(); i++) {
		const struct access_site *site = &__start_access_sites[i];
		int offset;

		if (!g_str_equal(site->type, from))
			continue;
		offset = row_offset(site->type, site->member);
		if (offset < 0)
			ck_abort_msg("no row for %s.%s", site->type,
				     site->member);
		object_type_place(type, site->offset, site->size, (u32)offset);
	}
}

#define MM_TYPE(kernel, name, kernel_size) \
	do { \
		struct object_type *type_ = &(kernel)->types[STRUCT_##name]; \
		object_type_init(type_, #name, sizeof(struct name), \
				 kernel_size); \
		place_members(type_, #name); \
	} while (0)

static void thing_type(struct kernel *kernel, enum struct_id id,
		       const char *name, u32 size)
{
	struct object_type *type = &kernel->types[id];

	object_type_init(type, name, sizeof(struct thing), size);
	object_type_place(type, offsetof(struct thing, value),
			  sizeof(((struct thing *)0)->value), 0);
}

static void make_types(struct kernel *kernel)
{
	MM_TYPE(kernel, kmem_cache, 640);
	MM_TYPE(kernel, array_cache, 24);
	MM_TYPE(kernel, kmem_list3, 104);
	MM_TYPE(kernel, slab, 48);
	MM_TYPE(kernel, kmem_cache_slub, 704);
	MM_TYPE(kernel, kmem_cache_cpu, 32);
	MM_TYPE(kernel, kmem_cache_node, 64);
	MM_TYPE(kernel, slub_object, 8);
	MM_TYPE(kernel, kmalloc_caches, 704);
	MM_TYPE(kernel, page, 56);
	MM_TYPE(kernel, free_area, 88);
	MM_TYPE(kernel, zone, 1664);
	MM_TYPE(kernel, per_cpu_pages, 64);
	MM_TYPE(kernel, per_cpu_pageset, 104);
	place_members(&kernel->types[STRUCT_per_cpu_pageset], "per_cpu_pages");
	thing_type(kernel, STRUCT_udp_sock, "udp_sock", 848);
	thing_type(kernel, STRUCT_sk_buff, "sk_buff", 232);
	thing_type(kernel, STRUCT_skb_head, "skb_head", 8);
	thing_type(kernel, STRUCT_sock, "sock", 632);
}

/* ---- machine and kernel ---- */

static struct machine_profile profile = {
	.name = (char *)"mm",
	.threads = 1,
	.node_bytes = 4ull << 30,
	.smt_milli = 1000,
	.l1d = { 64 * 8 * LINE_SIZE, 8 },
	.l2 = { 512 * 8 * LINE_SIZE, 8 },
	.l3 = { 1024 * 16 * LINE_SIZE, 16 },
	TEST_PROFILE_NUMBERS,
};

static void limit_memory(struct machine *machine, u32 mib)
{
	u32 node;

	for (node = 0; mib && node < machine->profile->packages; node++)
		machine->node_end_frame[node] =
			machine->node_first_frame[node] +
			(mib << (20 - PAGE_SHIFT));
}

struct kernel *mm_kernel_new(const struct mm_setup *setup)
{
	struct kernel *kernel = g_new0(struct kernel, 1);
	u32 i;

	profile.packages = setup->packages;
	profile.cores = setup->cores;
	kernel->machine = machine_new(&profile, 1, setup->check);
	kernel->machine->kernel = kernel;
	limit_memory(kernel->machine, setup->node_mib);
	for (i = 0; i < num_function_sites(); i++)
		account_set_cost(kernel->machine, i, 30, 3);
	kernel->parameters.allocator = (char *)setup->allocator;
	if (setup->limited) {
		kernel->slab_limits = g_hash_table_new(g_str_hash, g_str_equal);
		g_hash_table_insert(kernel->slab_limits,
				    (char *)setup->limited,
				    GUINT_TO_POINTER(setup->limit));
	}
	make_types(kernel);
	on_cpu(kernel, 0);
	mm_init(kernel);
	return kernel;
}

void mm_kernel_free(struct kernel *kernel)
{
	u32 i;

	mm_exit(kernel);
	ck_assert_ptr_null(kernel->mm);
	for (i = 0; i < NUM_STRUCTS; i++)
		object_type_fini(&kernel->types[i]);
	if (kernel->slab_limits)
		g_hash_table_unref(kernel->slab_limits);
	machine_free(kernel->machine);
	g_free(kernel);
}

void on_cpu(struct kernel *kernel, u32 id)
{
	must(id < kernel->machine->num_cpus);
	this_cpu = &kernel->machine->cpus[id];
}

struct any_cache *udp_cache(struct kernel *kernel, u32 flags)
{
	return kmem_cache_create(kernel, "UDP", STRUCT_udp_sock,
				 sizeof(struct thing), 0, 0,
				 SLAB_HWCACHE_ALIGN | flags);
}

struct any_cache *udpv6_cache(struct kernel *kernel)
{
	return kmem_cache_create(kernel, "UDPv6", STRUCT_udp_sock,
				 sizeof(struct thing), 1032, 0,
				 SLAB_HWCACHE_ALIGN);
}

struct any_cache *small_cache(struct kernel *kernel)
{
	return kmem_cache_create(kernel, "skbuff_head_cache", STRUCT_sk_buff,
				 sizeof(struct thing), 0, 0,
				 SLAB_HWCACHE_ALIGN);
}

struct slabinfo info_of(const struct kernel *kernel, const char *name)
{
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(kernel, i, &info); i++)
		if (g_str_equal(info.name, name))
			return info;
	ck_abort_msg("no cache is called %s", name);
}

void verify_no_findings(const struct kernel *kernel)
{
	const char *const *found = check_findings(kernel->machine->check);

	if (*found)
		ck_abort_msg("%s", *found);
}

/* ---- objects ---- */

static int by_address(const void *a, const void *b)
{
	const struct live *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void verify_no_overlap(struct live *live, u32 n)
{
	u32 i;

	qsort(live, n, sizeof(live[0]), by_address);
	for (i = 1; i < n; i++)
		must(live[i - 1].address + live[i - 1].size <=
		     live[i].address);
}

/* Addresses of free objects: none may come twice. */
struct free_set {
	GHashTable *seen;
};

static void add_free(struct free_set *set, const struct object *o)
{
	must(g_hash_table_add(set->seen, (void *)o));
}

/* ---- SLAB ---- */

enum slab_place { PARTIAL, FULL, FREE };

static u32 chain_length(const struct slab *slabp, u32 num)
{
	u32 i, n = 0;

	for (i = slabp->free; i != BUFCTL_END; i = slabp->bufctl[i]) {
		must(i < num);
		must(++n <= num);
	}
	return n;
}

static u32 verify_slab(const struct kmem_cache *cachep,
		       const struct slab *slabp, enum slab_place place)
{
	u32 num = cachep->num, i;

	must(slabp->inuse <= num);
	must(chain_length(slabp, num) == num - slabp->inuse);
	must((slabp->inuse == num) == (place == FULL));
	must((slabp->inuse == 0) == (place == FREE));
	must(slabp->nodeid == slabp->page->node);
	must(slabp->s_mem - slabp->colouroff == page_address(slabp->page));
	must(slabp->s_mem + (u64)num * cachep->size <=
	     page_address(slabp->page) + (PAGE_SIZE << cachep->gfporder));
	for (i = 0; i < 1u << cachep->gfporder; i++) {
		must(slabp->page[i].slab_cache == cachep);
		must(slabp->page[i].slab_page == slabp);
		must(slabp->page[i].flags & PG_SLAB);
	}
	for (i = 0; i < num; i++)
		must(object_address(slabp->memory->objects[i]) ==
		     slabp->s_mem + (u64)i * cachep->size);
	return num - slabp->inuse;
}

static u32 verify_slabs(const struct kmem_cache *cachep,
			const struct list_head *head, enum slab_place place)
{
	const struct list_head *p;
	u32 n = 0;

	for (p = head->next; p != head; p = p->next) {
		must(p->next->prev == p && p->prev->next == p);
		n += verify_slab(cachep, container_of(p, struct slab, list),
				 place);
	}
	return n;
}

static u32 verify_array(const struct array_cache *ac, struct free_set *set)
{
	u32 i;

	if (!ac)
		return 0;
	must(ac->avail <= ac->limit);
	for (i = 0; i < ac->avail; i++)
		add_free(set, ac->entry[i]);
	return ac->avail;
}

static u32 verify_node(const struct kmem_cache *cachep, u32 node,
		       struct free_set *set)
{
	const struct kmem_list3 *l3 = cachep->nodelists[node];
	u32 n = 0, i;

	n += verify_slabs(cachep, &l3->slabs_partial, PARTIAL);
	n += verify_slabs(cachep, &l3->slabs_free, FREE);
	must(verify_slabs(cachep, &l3->slabs_full, FULL) == 0);
	must(l3->free_objects == n);
	n += verify_array(l3->shared, set);
	for (i = 0; i < cachep->any.mm->num_nodes; i++)
		n += verify_array(l3->alien[i], set);
	return n;
}

u32 verify_slab_cache(const struct kmem_cache *cachep)
{
	struct free_set set = { g_hash_table_new(NULL, NULL) };
	u32 n = 0, i;

	for (i = 0; i < cachep->any.mm->num_nodes; i++)
		n += verify_node(cachep, i, &set);
	for (i = 0; i < cachep->any.mm->num_cpus; i++)
		n += verify_array(cachep->array[i], &set);
	g_hash_table_unref(set.seen);
	return n;
}

/* ---- SLUB ---- */

static u32 freelist_length(const struct kmem_cache_slub *s, struct object *o,
			   struct free_set *set)
{
	u32 n = 0;

	for (; o; o = freelist_next(s, o)) {
		add_free(set, o);
		n++;
	}
	return n;
}

/* Free objects of a page by its own words. */
static u32 verify_slub_page(const struct page *page, struct free_set *set,
			    GHashTable *pages)
{
	u32 c = page->counters;
	u32 n = freelist_length(page->slab, page->freelist, set);

	must(g_hash_table_add(pages, (void *)page));
	must(page->flags & PG_SLAB);
	must(COUNTERS_INUSE(c) + n == COUNTERS_OBJECTS(c));
	return n;
}

static u32 verify_slub_node(const struct kmem_cache_node *n,
			    struct free_set *set, GHashTable *pages)
{
	const struct list_head *p;
	u32 free_objects = 0, partial = 0;

	for (p = n->partial.next; p != &n->partial; p = p->next) {
		const struct page *page = container_of(p, struct page, lru);

		must(p->next->prev == p);
		must(!COUNTERS_FROZEN(page->counters));
		must(page->freelist);
		free_objects += verify_slub_page(page, set, pages);
		partial++;
	}
	must(partial == n->nr_partial);
	return free_objects;
}

static u32 verify_slub_cpu(const struct kmem_cache_cpu *c, struct free_set *set,
			   GHashTable *pages)
{
	const struct page *page;
	u32 n = 0;

	if (c->page) {
		must(COUNTERS_FROZEN(c->page->counters));
		n += freelist_length(c->page->slab, c->freelist, set);
		/* inuse counts what the CPU holds as in use. */
		n += verify_slub_page(c->page, set, pages);
	} else {
		must(!c->freelist);
	}
	for (page = c->partial; page; page = page->next) {
		must(COUNTERS_FROZEN(page->counters));
		n += verify_slub_page(page, set, pages);
	}
	return n;
}

/* Full pages are on no list: live objects lead to them. */
static void verify_full_pages(const struct kmem_cache_slub *s,
			      const struct live *live, u32 n, GHashTable *pages)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct page *page = page_of_address(s->any.mm, live[i].address);

		page = head_of(page);
		must(page->slab == s);
		if (g_hash_table_contains(pages, page))
			continue;
		must(!page->freelist && !COUNTERS_FROZEN(page->counters));
		must(COUNTERS_INUSE(page->counters) ==
		     COUNTERS_OBJECTS(page->counters));
		g_hash_table_add(pages, page);
	}
}

u32 verify_slub_cache(const struct kmem_cache_slub *s, const struct live *live,
		      u32 n)
{
	struct free_set set = { g_hash_table_new(NULL, NULL) };
	GHashTable *pages = g_hash_table_new(NULL, NULL);
	s64 slabs = 0, objects = 0;
	u32 free_objects = 0, i;

	for (i = 0; i < s->any.mm->num_nodes; i++) {
		free_objects += verify_slub_node(s->node[i], &set, pages);
		slabs += s->node[i]->nr_slabs;
		objects += s->node[i]->total_objects;
	}
	for (i = 0; i < s->any.mm->num_cpus; i++)
		free_objects += verify_slub_cpu(s->cpu_slab[i], &set, pages);
	verify_full_pages(s, live, n, pages);
	must(slabs == g_hash_table_size(pages));
	must(objects == free_objects + n);
	g_hash_table_unref(set.seen);
	g_hash_table_unref(pages);
	return free_objects;
}

/* ---- pages ---- */

/* Two free buddies would have been merged. */
static void verify_not_mergeable(const struct mm *mm, const struct page *page,
				 u32 order)
{
	u64 buddy = page->frame ^ 1u << order;
	const struct page *other;

	if (order == MAX_ORDER - 1)
		return;
	other = page_of_address(mm, buddy << PAGE_SHIFT);
	must(other->_mapcount != -128 || other->private != order);
}

static u64 verify_area(const struct mm *mm, struct zone *zone, u32 order)
{
	const struct free_area *area = &zone->free_area[order];
	const struct list_head *p;
	u32 n = 0;

	for (p = area->free_list.next; p != &area->free_list; p = p->next) {
		const struct page *page = container_of(p, struct page, lru);

		must(p->next->prev == p && p->prev->next == p);
		must(page->_mapcount == -128 && page->private == order);
		must(page->node == zone->node);
		must(page->frame % (1u << order) == 0);
		verify_not_mergeable(mm, page, order);
		n++;
	}
	must(n == area->nr_free);
	return (u64)n << order;
}

static u64 verify_zone(const struct mm *mm, struct zone *zone)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < MAX_ORDER; i++)
		n += verify_area(mm, zone, i);
	for (i = 0; i < mm->num_cpus; i++) {
		const struct per_cpu_pages *pcp = &zone->pageset[i]->pcp;
		const struct list_head *p;
		u32 count = 0;

		for (p = pcp->lists.next; p != &pcp->lists; p = p->next)
			count++;
		must(count == pcp->count && count <= pcp->high);
		n += count;
	}
	return n;
}

u64 verify_pages(const struct mm *mm)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < mm->num_nodes; i++)
		n += verify_zone(mm, mm->zones[i]);
	return n;
}
