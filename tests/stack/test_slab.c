/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLAB: sizes as a 3.6 kernel's /proc/slabinfo shows them, and each path between
 * the CPUs' arrays, the shared ones, the aliens and the slabs.
 */
#include <string.h>

#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"

static struct kernel *kernel;
static bool paged;		/* SLAB of 4.6, in the tests that loop */

static void start(u32 packages, u32 cores)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .allocator = "slab",
		.paged = paged,
	};

	kernel = mm_kernel_new(&setup);
}

/* With 256 MiB a node, for tests that use all of it. */
static void start_small(u32 packages)
{
	struct mm_setup setup = {
		.packages = packages, .cores = 1, .allocator = "slab",
		.paged = paged,
		.node_mib = 256,
	};

	kernel = mm_kernel_new(&setup);
}

static void start_checked(u32 packages, u32 cores)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .allocator = "slab",
		.paged = paged,
		.check = true,
	};

	kernel = mm_kernel_new(&setup);
}

static void setup(void)
{
	paged = false;
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

static struct kmem_cache *slab_of(struct any_cache *cache)
{
	return (struct kmem_cache *)cache;
}

static void *get(struct any_cache *cache)
{
	void *object = kmem_cache_alloc(cache, GFP_ATOMIC);

	must(object);
	return object;
}

static u64 address_of(const void *object)
{
	return object_address(object);
}

/* ---- sizes ---- */

static const struct {
	const char *name;
	u32 objsize, objperslab, pagesperslab, limit, batchcount, shared;
} published[] = {	/* /proc/slabinfo of 3.6 on x86-64, SMP */
	{ "size-32", 32, 112, 1, 120, 60, 8 },
	{ "size-64", 64, 59, 1, 120, 60, 8 },
	{ "size-128", 128, 30, 1, 120, 60, 8 },
	{ "size-192", 192, 20, 1, 120, 60, 8 },
	{ "size-256", 256, 15, 1, 120, 60, 8 },
	{ "size-512", 512, 8, 1, 54, 27, 8 },
	{ "size-1024", 1024, 4, 1, 54, 27, 8 },
	{ "size-2048", 2048, 2, 1, 24, 12, 8 },
	{ "size-4096", 4096, 1, 1, 24, 12, 8 },
	{ "size-8192", 8192, 1, 2, 8, 4, 0 },
	{ "size-65536", 65536, 1, 16, 8, 4, 0 },
	{ "size-131072", 131072, 1, 32, 8, 4, 0 },
	{ "size-262144", 262144, 1, 64, 1, 1, 0 },
	{ "size-4194304", 4194304, 1, 1024, 1, 1, 0 },
	{ "UDP", 896, 4, 1, 54, 27, 8 },
	{ "UDPv6", 1088, 7, 2, 24, 12, 8 },
	{ "skbuff_head_cache", 256, 15, 1, 120, 60, 8 },
};

START_TEST(test_sizes)
{
	u32 i;

	start(1, 4);
	udp_cache(kernel, 0);
	udpv6_cache(kernel);
	small_cache(kernel);
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		struct slabinfo info = info_of(kernel, published[i].name);

		ck_assert_msg(info.objsize == published[i].objsize &&
			      info.objperslab == published[i].objperslab &&
			      info.pagesperslab == published[i].pagesperslab,
			      "%s: %u %u %u", info.name, info.objsize,
			      info.objperslab, info.pagesperslab);
		ck_assert_msg(info.limit == published[i].limit &&
			      info.batchcount == published[i].batchcount &&
			      info.shared == published[i].shared,
			      "%s: %u %u %u", info.name, info.limit,
			      info.batchcount, info.shared);
	}
}
END_TEST

START_TEST(test_sizes_of_one_cpu)
{
	start(1, 1);
	udp_cache(kernel, 0);
	ck_assert_uint_eq(info_of(kernel, "UDP").shared, 0);
	ck_assert_uint_eq(info_of(kernel, "UDP").limit, 54);
}
END_TEST

START_TEST(test_alignment)
{
	struct kmem_cache *c;

	start(1, 1);
	/* Half a line, a third: down to the part that the object fills. */
	c = slab_of(kmem_cache_create(kernel, "a", STRUCT_sock,
				      sizeof(struct thing), 30, 0,
				      SLAB_HWCACHE_ALIGN));
	ck_assert_uint_eq(c->size, 32);
	c = slab_of(kmem_cache_create(kernel, "b", STRUCT_sock,
				      sizeof(struct thing), 40, 0,
				      SLAB_HWCACHE_ALIGN));
	ck_assert_uint_eq(c->size, 64);
	c = slab_of(kmem_cache_create(kernel, "c", STRUCT_sock,
				      sizeof(struct thing), 40, 0, 0));
	ck_assert_uint_eq(c->size, 40);
	c = slab_of(kmem_cache_create(kernel, "d", STRUCT_sock,
				      sizeof(struct thing), 40, 128, 0));
	ck_assert_uint_eq(c->size, 128);
	ck_assert_uint_eq(c->colour_off, 128);
}
END_TEST

/* Large objects' struct slab goes elsewhere, unless it fits into the waste. */
START_TEST(test_where_struct_slab_lies)
{
	struct kmem_cache *udp, *page, *half;

	start(1, 4);
	udp = slab_of(udp_cache(kernel, 0));
	half = slab_of(kernel->mm->kmalloc_caches->malloc_sizes[5]);
	page = slab_of(kernel->mm->kmalloc_caches->malloc_sizes[8]);
	ck_assert(!(udp->flags & CFLGS_OFF_SLAB));
	ck_assert_uint_eq(udp->slab_size, 64);
	ck_assert_uint_eq(udp->colour, 7);
	ck_assert_str_eq(half->any.name, "size-512");
	ck_assert(half->flags & CFLGS_OFF_SLAB);
	ck_assert_uint_eq(half->slab_size, 48 + 8 * 4);
	ck_assert_str_eq(half->slabp_cache->any.name, "size-128");
	ck_assert_str_eq(page->slabp_cache->any.name, "size-64");
}
END_TEST

START_TEST(test_limit_parameter)
{
	struct mm_setup setup = {
		.packages = 1, .cores = 2, .allocator = "slab",
		.paged = paged,
		.limited = "UDP", .limit = 7,
	};
	struct slabinfo info;

	kernel = mm_kernel_new(&setup);
	udp_cache(kernel, 0);
	udpv6_cache(kernel);
	info = info_of(kernel, "UDP");
	ck_assert_uint_eq(info.limit, 7);
	ck_assert_uint_eq(info.batchcount, 4);
	ck_assert_uint_eq(info_of(kernel, "UDPv6").limit, 24);
}
END_TEST

/* ---- one CPU ---- */

START_TEST(test_last_in_first_out)
{
	struct any_cache *udp;
	void *a, *b, *c;

	paged = _i;
	start(1, 2);
	udp = udp_cache(kernel, 0);
	a = get(udp);
	b = get(udp);
	c = get(udp);
	ck_assert(a != b && b != c && a != c);
	kmem_cache_free(udp, a);
	kmem_cache_free(udp, c);
	kmem_cache_free(udp, b);
	ck_assert_ptr_eq(get(udp), b);
	ck_assert_ptr_eq(get(udp), c);
	ck_assert_ptr_eq(get(udp), a);
}
END_TEST

/* An empty cache grows by one slab; its objects enter the array from the first
 * one on, so the last one comes first. */
START_TEST(test_first_allocation_grows)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct kmem_list3 *l3;
	u64 at;
	u32 i;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	l3 = s->nodelists[0];
	ck_assert_uint_eq(verify_slab_cache(s), 0);
	at = address_of(get(udp));
	ck_assert_uint_eq(s->array[0]->avail, 3);
	ck_assert_uint_eq(s->array[0]->touched, 1);
	ck_assert_uint_eq(l3->free_objects, 0);
	ck_assert_uint_eq(l3->free_touched, 1);
	ck_assert_uint_eq(at % PAGE_SIZE, 64 + 3 * 896);
	for (i = 1; i < 4; i++)
		ck_assert_uint_eq(address_of(get(udp)), at - i * 896);
	ck_assert_uint_eq(s->array[0]->avail, 0);
	ck_assert(&l3->slabs_full != l3->slabs_full.next);
	ck_assert_uint_eq(verify_slab_cache(s), 0);
}
END_TEST

/* Slabs start at another colour each, and again at the first. */
START_TEST(test_colours)
{
	struct any_cache *udp;
	u32 slab;

	start(1, 1);
	udp = udp_cache(kernel, 0);
	for (slab = 0; slab < 16; slab++) {
		u32 colour = slab % 7, i;
		u64 lowest = UINT64_MAX;

		for (i = 0; i < 4; i++) {
			u64 at = address_of(get(udp));

			lowest = MIN(lowest, at);
		}
		ck_assert_uint_eq(lowest % PAGE_SIZE, 64 + colour * 64);
	}
}
END_TEST

/* An untouched array gets 16 objects at most, a used one its batch. */
START_TEST(test_refill_takes_a_batch)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	void *object[400];
	u32 i;

	paged = _i;
	start(1, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	for (i = 0; i < 400; i++)
		object[i] = get(udp);
	for (i = 0; i < 400; i++)
		kmem_cache_free(udp, object[i]);
	while (s->array[0]->avail)
		get(udp);
	ck_assert_uint_gt(s->nodelists[0]->free_objects, 50);
	s->array[0]->touched = 0;
	get(udp);
	ck_assert_uint_eq(s->array[0]->avail, 15);
	while (s->array[0]->avail)
		get(udp);
	get(udp);
	ck_assert_uint_eq(s->array[0]->avail, 26);
	verify_slab_cache(s);
}
END_TEST

/* A full array gives its older half to the shared array, then to the slabs. */
START_TEST(test_flush)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct array_cache *ac, *shared;
	void *object[400];
	u32 i, n = 0;

	paged = _i;
	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	ac = s->array[0];
	shared = s->nodelists[0]->shared;
	ck_assert_uint_eq(shared->limit, 8 * 27);
	for (i = 0; i < 400; i++)
		object[i] = get(udp);
	ck_assert_uint_eq(ac->avail, 0);
	while (n < 54)
		kmem_cache_free(udp, object[n++]);
	ck_assert_uint_eq(ac->avail, 54);
	ck_assert_uint_eq(shared->avail, 0);
	kmem_cache_free(udp, object[n++]);
	ck_assert_uint_eq(ac->avail, 28);
	ck_assert_uint_eq(shared->avail, 27);
	for (i = 0; i < 27; i++)
		ck_assert_ptr_eq(shared->entry[i], object[i]);
	for (i = 0; i < 28; i++)
		ck_assert_ptr_eq(ac->entry[i], object[27 + i]);
	while (shared->avail < shared->limit)
		kmem_cache_free(udp, object[n++]);
	ck_assert_uint_eq(s->nodelists[0]->free_objects, 0);
	for (i = 0; i < 27; i++)
		kmem_cache_free(udp, object[n++]);
	ck_assert_uint_eq(s->nodelists[0]->free_objects, 27);
	ck_assert_uint_eq(verify_slab_cache(s), n);
}
END_TEST

/* The next refill takes the newest objects of the shared array. */
START_TEST(test_refill_from_shared)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct array_cache *shared;
	void *object[55], *newest;
	u32 i;

	paged = _i;
	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	shared = s->nodelists[0]->shared;
	for (i = 0; i < 55; i++)
		object[i] = get(udp);
	for (i = 0; i < 55; i++)
		kmem_cache_free(udp, object[i]);
	newest = shared->entry[26];
	on_cpu(kernel, 1);
	ck_assert_ptr_eq(get(udp), newest);
	ck_assert_uint_eq(s->array[1]->avail, 15);	/* it was untouched */
	ck_assert_uint_eq(shared->avail, 11);
	ck_assert_uint_eq(shared->touched, 1);
	while (s->array[1]->avail)
		get(udp);
	get(udp);
	ck_assert_uint_eq(s->array[1]->avail, 10);
	ck_assert_uint_eq(shared->avail, 0);
	verify_slab_cache(s);
}
END_TEST

/* Free slabs beyond the node's limit go back to the page allocator. */
START_TEST(test_slabs_return)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct slabinfo info;
	void *object[2000];
	u64 all;
	u32 i;

	paged = _i;
	start(1, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	ck_assert_uint_eq(s->nodelists[0]->free_limit, 2 * 27 + 4);
	for (i = 0; i < 2000; i++)
		object[i] = get(udp);
	ck_assert_uint_eq(info_of(kernel, "UDP").num_slabs, 500);
	all = verify_pages(kernel->mm);
	for (i = 0; i < 2000; i++)
		kmem_cache_free(udp, object[i]);
	info = info_of(kernel, "UDP");
	/* Only a slab that becomes free is looked at: one object more. */
	ck_assert_uint_le(s->nodelists[0]->free_objects, 58 + 3);
	ck_assert_uint_eq(info.num_objs, 4 * info.num_slabs);
	ck_assert_uint_eq(verify_slab_cache(s), info.num_objs);
	ck_assert_uint_eq(verify_pages(kernel->mm),
			  all + 500 - info.num_slabs);
	/* What comes back has its struct slab and objects again. */
	for (i = 0; i < 2000; i++)
		object[i] = get(udp);
	ck_assert_uint_eq(info_of(kernel, "UDP").num_slabs, 500);
	verify_slab_cache(s);
}
END_TEST

START_TEST(test_off_slab_returns)
{
	void *object[1000];
	struct kmem_cache *c, *mgmt;
	u32 i, n;

	start(1, 1);
	c = slab_of(kernel->mm->kmalloc_caches->malloc_sizes[5]);
	mgmt = c->slabp_cache;
	for (i = 0; i < 1000; i++)
		object[i] = kmalloc(512, STRUCT_sock, sizeof(struct thing),
				    GFP_ATOMIC);
	ck_assert_uint_eq(info_of(kernel, "size-512").num_slabs, 125);
	n = info_of(kernel, "size-128").num_objs - verify_slab_cache(mgmt);
	ck_assert_uint_eq(n, 125);	/* one struct slab each */
	for (i = 0; i < 1000; i++)
		kfree(object[i]);
	n = info_of(kernel, "size-128").num_objs - verify_slab_cache(mgmt);
	ck_assert_uint_eq(n, info_of(kernel, "size-512").num_slabs);
	ck_assert_uint_lt(n, 20);
	verify_slab_cache(c);
}
END_TEST

/* ---- more nodes ---- */

/* What is freed on another node waits there as an alien, a dozen at a time. */
START_TEST(test_alien)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct array_cache *alien;
	void *object[14];
	u32 i;

	paged = _i;
	start(2, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	alien = &s->nodelists[1]->alien[0]->ac;
	ck_assert_uint_eq(alien->limit, 12);
	ck_assert_ptr_null(s->nodelists[1]->alien[1]);
	for (i = 0; i < 14; i++)
		object[i] = get(udp);
	on_cpu(kernel, 1);
	for (i = 0; i < 12; i++)
		kmem_cache_free(udp, object[i]);
	ck_assert_uint_eq(alien->avail, 12);
	ck_assert_uint_eq(s->array[1]->avail, 0);
	ck_assert_uint_eq(s->nodelists[0]->shared->avail, 0);
	kmem_cache_free(udp, object[12]);
	ck_assert_uint_eq(alien->avail, 1);
	ck_assert_uint_eq(s->nodelists[0]->shared->avail, 12);
	verify_slab_cache(s);
	/* An object of this node stays here. */
	kmem_cache_free(udp, get(udp));
	ck_assert_uint_eq(alien->avail, 1);
	ck_assert_uint_eq(s->array[1]->avail, 4);
	ck_assert_uint_eq(verify_slab_cache(s),
			  info_of(kernel, "UDP").num_objs - 1);
}
END_TEST

START_TEST(test_alloc_on_a_node)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	void *a, *b;

	start(2, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	a = kmem_cache_alloc_node(udp, GFP_ATOMIC, 1);
	b = kmem_cache_alloc_node(udp, GFP_ATOMIC, NUMA_NO_NODE);
	ck_assert_uint_eq(page_of_address(kernel->mm, address_of(a))->node, 1);
	ck_assert_uint_eq(page_of_address(kernel->mm, address_of(b))->node, 0);
	/* Straight from the node's slab, first object first. */
	ck_assert_uint_eq(address_of(a) % PAGE_SIZE, 64);
	ck_assert_uint_eq(s->nodelists[1]->free_objects, 3);
	ck_assert_uint_eq(s->array[1]->avail, 0);
	ck_assert_uint_eq(s->array[0]->avail, 3);
	verify_slab_cache(s);
}
END_TEST

/* ---- exhaustion ---- */

START_TEST(test_exhaustion)
{
	void *object[200];
	u32 n = 0, on_node[2] = { 0 }, i;

	paged = _i;
	start_small(2);
	while (n < 200) {
		object[n] = kmalloc(4 << 20, STRUCT_sock, sizeof(struct thing),
				    GFP_KERNEL);
		if (!object[n])
			break;
		on_node[page_of_address(kernel->mm,
					address_of(object[n++]))->node]++;
	}
	ck_assert_uint_lt(n, 200);
	ck_assert_uint_gt(on_node[0], 50);
	ck_assert_uint_gt(on_node[1], 50);
	/* First all of this node, then all of the other. */
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(page_of_address(kernel->mm,
						  address_of(object[i]))->node,
				  i >= on_node[0]);
	for (i = 0; i < n; i++)
		kfree(object[i]);
	ck_assert_ptr_nonnull(kmalloc(4 << 20, STRUCT_sock,
				      sizeof(struct thing), GFP_KERNEL));
	verify_pages(kernel->mm);
}
END_TEST

START_TEST(test_too_large)
{
	paged = _i;
	start(1, 1);
	ck_assert_ptr_null(kmalloc((4 << 20) + 1, STRUCT_sock,
				   sizeof(struct thing), GFP_KERNEL));
	ck_assert_ptr_null(__kmalloc_node_track_caller(
		(4 << 20) + 1, STRUCT_sock, sizeof(struct thing), GFP_KERNEL,
		NUMA_NO_NODE));
	kfree(NULL);
}
END_TEST

/* ---- kmalloc ---- */

START_TEST(test_kmalloc_classes)
{
	static const struct { u32 size, got; } sizes[] = {
		{ 0, 32 }, { 1, 32 }, { 32, 32 }, { 33, 64 }, { 64, 64 },
		{ 65, 128 }, { 96, 128 }, { 128, 128 }, { 129, 192 },
		{ 192, 192 }, { 193, 256 }, { 256, 256 }, { 257, 512 },
		{ 4096, 4096 }, { 4097, 8192 }, { 100000, 131072 },
	};
	u32 i;

	start(1, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *a = kmalloc(sizes[i].size, STRUCT_sock,
				  sizeof(struct thing), GFP_ATOMIC);
		void *b = __kmalloc_node_track_caller(
			sizes[i].size, STRUCT_sock, sizeof(struct thing),
			GFP_ATOMIC, NUMA_NO_NODE);

		ck_assert_uint_eq(ksize(a), sizes[i].got);
		ck_assert_uint_eq(ksize(b), sizes[i].got);
		kfree(b);
		kfree(a);
	}
}
END_TEST

/* A slot serves any type; its C memory grows and is not cleared again. */
START_TEST(test_kmalloc_types)
{
	struct thing *a, *b;
	u8 *c;
	u64 at;
	u32 i;

	start(1, 1);
	a = kmalloc(100, STRUCT_sock, sizeof(*a), GFP_ATOMIC);
	ck_assert_ptr_eq(a->object.type, &kernel->types[STRUCT_sock]);
	ck_assert_uint_eq(a->object.state, OBJECT_ALIVE);
	ck_assert_uint_eq(a->value[0], 0);
	a->value[0] = 7;
	at = address_of(a);
	kfree(a);
	b = kmalloc(120, STRUCT_skb_head, sizeof(*b), GFP_ATOMIC);
	ck_assert_ptr_eq(b, a);
	ck_assert_ptr_eq(b->object.type, &kernel->types[STRUCT_skb_head]);
	ck_assert_uint_eq(b->value[0], 7);
	kfree(b);
	c = kmalloc(128, STRUCT_skb_head, 3000, GFP_ATOMIC);
	ck_assert_uint_eq(address_of(c), at);
	for (i = sizeof(struct object); i < 3000; i++)
		must(c[i] == 0);
	memset(c + sizeof(struct object), 1, 3000 - sizeof(struct object));
	kfree(c);
	ck_assert_ptr_eq(kmalloc(128, STRUCT_sock, sizeof(*a), GFP_ATOMIC), c);
}
END_TEST

/* ---- what is charged ---- */

static bool has_line(u32 cpu, u64 address)
{
	return kernel->machine->cpus[cpu].words[address >> LINE_SHIFT] != 0;
}

START_TEST(test_lines_of_the_fast_path)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	struct array_cache *ac;
	void *object[40];
	u64 entry, other;
	u32 i;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	for (i = 0; i < 40; i++)
		object[i] = get(udp);
	on_cpu(kernel, 1);
	ac = s->array[1];
	entry = object_address(&ac->object) + 24;
	other = entry + 8 * 20;
	ck_assert(!has_line(1, entry));
	for (i = 0; i < 5; i++)	/* entries 0 to 4 lie on the first line */
		kmem_cache_free(udp, object[i]);
	ck_assert(has_line(1, entry));
	ck_assert(!has_line(1, other));
	for (; i < 21; i++)
		kmem_cache_free(udp, object[i]);
	ck_assert(has_line(1, other));
	/* array[1] of the cache, not the node's pointers behind it. */
	ck_assert(has_line(1, object_address(&s->any.object) + 128 + 8));
	/* The object is brought in for its user. */
	ck_assert(!has_line(1, address_of(object[20])));
	ck_assert_ptr_eq(get(udp), object[20]);
	ck_assert(has_line(1, address_of(object[20])));
}
END_TEST

/* ---- checks ---- */

START_TEST(test_double_free_is_found)
{
	struct any_cache *udp;
	void *object;

	paged = _i;
	start_checked(1, 1);
	udp = udp_cache(kernel, 0);
	object = get(udp);
	kmem_cache_free(udp, object);
	verify_no_findings(kernel);
	kmem_cache_free(udp, object);
	ck_assert_str_eq(check_findings(kernel->machine->check)[0],
			 "udp_sock: freed twice");
}
END_TEST

START_TEST(test_typesafe_stays_readable)
{
	struct any_cache *udp;
	struct thing *object;

	paged = _i;
	start_checked(1, 1);
	udp = udp_cache(kernel, SLAB_DESTROY_BY_RCU);
	object = get(udp);
	object->value[1] = 5;
	kmem_cache_free(udp, object);
	ck_assert_uint_eq(object->object.state, OBJECT_FREE_TYPESAFE);
	ck_assert_uint_eq(object->value[1], 5);
	ck_assert_ptr_eq(get(udp), object);
	ck_assert_uint_eq(object->object.state, OBJECT_ALIVE);
	ck_assert_uint_eq(object->value[1], 5);
	object = get(small_cache(kernel));
	kmem_cache_free(kernel->mm->caches->pdata[kernel->mm->caches->len - 1],
			object);
	ck_assert_uint_eq(object->object.state, OBJECT_FREE);
}
END_TEST

START_TEST(test_leak_is_found)
{
	struct any_cache *udp;

	paged = _i;
	start_checked(1, 1);
	udp = udp_cache(kernel, 0);
	check_barrier(kernel->machine);
	kmem_cache_free(udp, get(udp));
	get(udp);
	check_leaks(kernel->machine);
	ck_assert_ptr_nonnull(check_findings(kernel->machine->check)[0]);
}
END_TEST

/* ---- reaping ---- */

START_TEST(test_reap)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	void *object[200];
	u32 i;

	paged = _i;
	start(2, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	for (i = 0; i < 200; i++)
		object[i] = get(udp);
	for (i = 0; i < 50; i++)
		kmem_cache_free(udp, object[i]);
	ck_assert_uint_eq(s->array[0]->avail, 50);
	cache_reap(kernel->mm);		/* was touched: spared this once */
	ck_assert_uint_eq(s->array[0]->avail, 50);
	ck_assert_uint_eq(s->array[0]->touched, 0);
	cache_reap(kernel->mm);
	ck_assert_uint_eq(s->array[0]->avail, 50 - (54 + 4) / 5);
	/* The oldest ones went. */
	ck_assert_ptr_eq(s->array[0]->entry[0], object[11]);
	for (i = 0; i < 3; i++)
		cache_reap(kernel->mm);
	ck_assert_uint_eq(s->array[0]->avail, 50 - 4 * 11);
	cache_reap(kernel->mm);		/* of few, half */
	ck_assert_uint_eq(s->array[0]->avail, 3);
	on_cpu(kernel, 1);
	for (i = 50; i < 55; i++)
		kmem_cache_free(udp, object[i]);
	ck_assert_uint_eq(s->nodelists[1]->alien[0]->ac.avail, 5);
	cache_reap(kernel->mm);	/* looks at node 1, then at node 0 */
	cache_reap(kernel->mm);
	ck_assert_uint_eq(s->nodelists[1]->alien[0]->ac.avail, 0);
	ck_assert_uint_eq(verify_slab_cache(s), 55);
}
END_TEST

START_TEST(test_reap_free_slabs)
{
	struct any_cache *udp;
	struct kmem_cache *s;
	void *object[400];
	u32 i, before;

	paged = _i;
	start(1, 1);
	udp = udp_cache(kernel, 0);
	s = slab_of(udp);
	for (i = 0; i < 400; i++)
		object[i] = get(udp);
	for (i = 0; i < 400; i++)
		kmem_cache_free(udp, object[i]);
	before = info_of(kernel, "UDP").num_slabs;
	cache_reap(kernel->mm);		/* free slabs were wanted lately */
	ck_assert_uint_eq(info_of(kernel, "UDP").num_slabs, before);
	this_cpu->clock += 5 * PS_PER_S;
	s->array[0]->touched = 1;	/* spares the array */
	cache_reap(kernel->mm);
	/* A fifth of free_limit, in slabs: (58 + 19) / 20 */
	ck_assert_uint_eq(info_of(kernel, "UDP").num_slabs, before - 3);
	verify_slab_cache(s);
}
END_TEST

/* ---- interrupts ---- */

struct interrupted {
	struct any_cache *cache;
	struct irq irq;
	void *object[64];
	u32 taken;
	struct any_cache *nested;
};

static void allocate_in_irq(struct cpu *cpu, void *arg)
{
	struct interrupted *x = arg;

	x->object[x->taken++] = get(x->cache);
	if (x->taken < 60)
		cpu_raise(cpu, &x->irq, cpu->clock + 400);
}

static void allocate_with_irqs(void *arg)
{
	struct interrupted *x = arg;
	u32 i;

	cpu_raise(this_cpu, &x->irq, this_cpu->clock + 100);
	for (i = 0; i < 400; i++) {
		void *a = kmem_cache_alloc(x->cache, GFP_KERNEL);

		must(a);
		if (i % 3 == 0)
			kmem_cache_free(x->cache, a);
	}
}

/* Interrupts that use the same cache come while it grows, and at no time when
 * the CPU's array is being changed. */
START_TEST(test_interrupts)
{
	struct interrupted x = { 0 };
	struct context *context;
	u32 i;

	paged = _i;
	start(1, 1);
	x.cache = udp_cache(kernel, 0);
	x.irq.fn = allocate_in_irq;
	x.irq.arg = &x;
	x.irq.name = "irq";
	context = context_new(&kernel->machine->cpus[0], "task",
			      allocate_with_irqs, &x);
	ck_assert(machine_run(kernel->machine));
	context_free(context);
	ck_assert_uint_eq(x.taken, 60);
	ck_assert_uint_eq(kernel->machine->cpus[0].irqs_off, 0);
	ck_assert_uint_eq(verify_slab_cache(slab_of(x.cache)) + 60 + 400 - 134,
			  info_of(kernel, "UDP").num_objs);
	on_cpu(kernel, 0);
	for (i = 0; i < 60; i++)
		kmem_cache_free(x.cache, x.object[i]);
	verify_slab_cache(slab_of(x.cache));
}
END_TEST

Suite *suite_slab(void)
{
	Suite *suite = suite_create("slab");
	TCase *paths = tcase_create("paths");
	const TTest *const tests[] = {
		test_sizes, test_sizes_of_one_cpu, test_alignment,
		test_where_struct_slab_lies, test_limit_parameter,
		test_first_allocation_grows, test_colours,
		test_off_slab_returns, test_alloc_on_a_node,
		test_kmalloc_classes, test_kmalloc_types,
		test_lines_of_the_fast_path,
	};
	/* Of 3.6, then of 4.6. */
	const TTest *const both[] = {
		test_last_in_first_out, test_refill_takes_a_batch, test_flush,
		test_refill_from_shared, test_slabs_return, test_alien,
		test_exhaustion, test_too_large, test_reap,
		test_reap_free_slabs, test_interrupts,
		test_double_free_is_found, test_typesafe_stays_readable,
		test_leak_is_found,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_test(paths, tests[i]);
	for (i = 0; i < ARRAY_SIZE(both); i++)
		tcase_add_loop_test(paths, both[i], 0, 2);
	tcase_add_checked_fixture(paths, setup, teardown);
	tcase_set_timeout(paths, 60);
	suite_add_tcase(suite, paths);
	return suite;
}
