/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLUB: sizes and orders as a 3.6 kernel's /proc/slabinfo shows them, and each
 * path between a CPU's slab, its partial ones and the nodes' lists.
 */
#include "mm_support.h"
#include "sim/cpu.h"
#include "tests/rounds.h"

static struct kernel *kernel;

static void start_with(u32 packages, u32 cores, bool check)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .allocator = "slub",
		.check = check,
	};

	kernel = mm_kernel_new(&setup);
}

static void start(u32 packages, u32 cores)
{
	start_with(packages, cores, false);
}

/* With 256 MiB, for tests that use all of it. */
static void start_small(void)
{
	struct mm_setup setup = {
		.packages = 1, .cores = 1, .allocator = "slub", .node_mib = 256,
	};

	kernel = mm_kernel_new(&setup);
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

static struct kmem_cache_slub *slub_of(struct any_cache *cache)
{
	return (struct kmem_cache_slub *)cache;
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

static struct page *page_of(const void *object)
{
	return head_of(page_of_address(kernel->mm, address_of(object)));
}

/* ---- sizes ---- */

static const struct {
	const char *name;
	u32 objsize, objperslab, pagesperslab;
} published[] = {	/* of a machine with 4 CPUs: 16 objects are wanted */
	{ "kmalloc-8", 8, 512, 1 },
	{ "kmalloc-16", 16, 256, 1 },
	{ "kmalloc-32", 32, 128, 1 },
	{ "kmalloc-64", 64, 64, 1 },
	{ "kmalloc-96", 96, 42, 1 },
	{ "kmalloc-128", 128, 32, 1 },
	{ "kmalloc-192", 192, 21, 1 },
	{ "kmalloc-256", 256, 16, 1 },
	{ "kmalloc-512", 512, 16, 2 },
	{ "kmalloc-1024", 1024, 16, 4 },
	{ "kmalloc-2048", 2048, 16, 8 },
	{ "kmalloc-4096", 4096, 8, 8 },
	{ "kmalloc-8192", 8192, 4, 8 },
	{ "UDP", 896, 18, 4 },
	{ "UDPv6", 1088, 30, 8 },
	{ "skbuff_head_cache", 256, 16, 1 },
};

START_TEST(test_sizes)
{
	u32 i;

	start(1, 4);
	udp_cache(kernel, SLAB_DESTROY_BY_RCU);
	udpv6_cache(kernel);
	small_cache(kernel);
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		struct slabinfo info = info_of(kernel, published[i].name);

		ck_assert_msg(info.objsize == published[i].objsize &&
			      info.objperslab == published[i].objperslab &&
			      info.pagesperslab == published[i].pagesperslab,
			      "%s: %u %u %u", info.name, info.objsize,
			      info.objperslab, info.pagesperslab);
		ck_assert_uint_eq(info.limit, 0);
	}
}
END_TEST

/* With more CPUs a slab should have more objects. */
START_TEST(test_orders_by_cpus)
{
	start(2, 12);
	udp_cache(kernel, SLAB_DESTROY_BY_RCU);
	small_cache(kernel);
	ck_assert_uint_eq(info_of(kernel, "skbuff_head_cache").objperslab, 32);
	ck_assert_uint_eq(info_of(kernel, "kmalloc-64").objperslab, 64);
	ck_assert_uint_eq(info_of(kernel, "kmalloc-192").objperslab, 42);
	ck_assert_uint_eq(info_of(kernel, "UDP").objperslab, 36);
	ck_assert_uint_eq(info_of(kernel, "UDP").pagesperslab, 8);
}
END_TEST

/* Where a sixteenth cannot be had, an eighth may be wasted. */
START_TEST(test_order_with_waste)
{
	start(1, 4);
	kmem_cache_create(kernel, "task", STRUCT_sock, sizeof(struct thing),
			  5824, 16, 0);
	ck_assert_uint_eq(info_of(kernel, "task").objperslab, 5);
	ck_assert_uint_eq(info_of(kernel, "task").pagesperslab, 8);
}
END_TEST

START_TEST(test_limits)
{
	struct kmem_cache_slub *s;

	start(1, 4);
	s = slub_of(udp_cache(kernel, 0));
	ck_assert_uint_eq(s->cpu_partial, 13);
	ck_assert_uint_eq(s->min_partial, 5);
	ck_assert_uint_eq(s->offset, 0);
	s = slub_of(kernel->mm->kmalloc_caches->kmalloc_caches[3]);
	ck_assert_uint_eq(s->cpu_partial, 30);
	s = slub_of(kernel->mm->kmalloc_caches->kmalloc_caches[13]);
	ck_assert_uint_eq(s->cpu_partial, 2);
	ck_assert_uint_eq(s->min_partial, 6);
	/* Late readers must not find a pointer in the object. */
	s = slub_of(udp_cache(kernel, SLAB_DESTROY_BY_RCU));
	ck_assert_uint_eq(s->offset, 848);
}
END_TEST

/* ---- one CPU ---- */

START_TEST(test_first_slab)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	u64 at;
	u32 i;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	at = address_of(get(udp));
	ck_assert_uint_eq(at % PAGE_SIZE, 0);
	ck_assert_ptr_eq(s->cpu_slab[0]->page, page_of_address(kernel->mm, at));
	for (i = 1; i < s->oo.objects; i++)
		ck_assert_uint_eq(address_of(get(udp)), at + i * 896);
	ck_assert_ptr_null(s->cpu_slab[0]->freelist);
	ck_assert_int_eq(s->node[0]->nr_slabs, 1);
	get(udp);
	ck_assert_int_eq(s->node[0]->nr_slabs, 2);
}
END_TEST

START_TEST(test_last_in_first_out)
{
	struct any_cache *udp;
	struct kmem_cache_cpu *c;
	void *a, *b;
	u64 tid;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	c = slub_of(udp)->cpu_slab[0];
	a = get(udp);
	b = get(udp);
	tid = c->tid;
	kmem_cache_free(udp, a);
	kmem_cache_free(udp, b);
	ck_assert_uint_eq(c->tid, tid + 2 * MAX_CPUS);
	ck_assert_ptr_eq(get(udp), b);
	ck_assert_ptr_eq(get(udp), a);
}
END_TEST

/* A full slab that gets an object back becomes a CPU's partial slab; the next
 * slab that this CPU needs is that one. */
START_TEST(test_cpu_partial)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	struct kmem_cache_cpu *c;
	void *object[64];
	u32 i, n;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	c = s->cpu_slab[0];
	for (i = 0; i < 2 * n; i++)
		object[i] = get(udp);
	ck_assert_int_eq(s->node[0]->nr_slabs, 2);
	kmem_cache_free(udp, object[3]);
	ck_assert_ptr_eq(c->partial, page_of(object[3]));
	ck_assert_uint_eq(c->partial->pobjects, 1);
	ck_assert_uint_eq(c->partial->pages, 1);
	kmem_cache_free(udp, object[4]);	/* frozen: no list moves */
	ck_assert_uint_eq(c->partial->pobjects, 1);
	ck_assert_ptr_eq(get(udp), object[4]);
	ck_assert_ptr_eq(c->page, page_of(object[3]));
	ck_assert_ptr_null(c->partial);
	ck_assert_ptr_eq(get(udp), object[3]);
	ck_assert_uint_eq(s->node[0]->nr_partial, 0);
}
END_TEST

/* When the partial list is full, all of it goes to the node. */
START_TEST(test_unfreeze_partials)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	void *object[400];
	u32 i, n, slabs = 18;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	for (i = 0; i < (slabs + 1) * n; i++)
		object[i] = get(udp);
	for (i = 0; i < 14; i++)
		kmem_cache_free(udp, object[i * n]);
	ck_assert_uint_eq(s->node[0]->nr_partial, 0);
	ck_assert_uint_eq(s->cpu_slab[0]->partial->pobjects, 14);
	ck_assert_uint_eq(s->cpu_slab[0]->partial->pages, 14);
	kmem_cache_free(udp, object[14 * n]);
	ck_assert_uint_eq(s->node[0]->nr_partial, 14);
	ck_assert_uint_eq(s->cpu_slab[0]->partial->pobjects, 1);
	/* The latest partial slab went first. */
	ck_assert_ptr_eq(container_of(s->node[0]->partial.next, struct page,
				      lru), page_of(object[13 * n]));
}
END_TEST

/* A CPU without a slab takes partial ones from its node, as many as half its
 * partial list may hold. */
START_TEST(test_get_partial)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	struct kmem_cache_cpu *c;
	void *object[400], *o;
	u32 i, n;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	for (i = 0; i < 19 * n; i++)
		object[i] = get(udp);
	for (i = 0; i < 15; i++)
		kmem_cache_free(udp, object[i * n]);
	ck_assert_uint_eq(s->node[0]->nr_partial, 14);
	on_cpu(kernel, 1);
	c = s->cpu_slab[1];
	o = get(udp);
	ck_assert_ptr_eq(o, object[13 * n]);
	ck_assert_ptr_eq(c->page, page_of(o));
	/* one slab to work on, then 7 with one free object each: 7 > 13 / 2 */
	ck_assert_uint_eq(c->partial->pages, 7);
	ck_assert_uint_eq(s->node[0]->nr_partial, 14 - 8);
	ck_assert_int_eq(s->node[0]->nr_slabs, 19);
}
END_TEST

/* What another CPU frees into this CPU's slab is found when its own list is
 * used up. */
START_TEST(test_remote_free)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	void *object[64];
	struct page *page;
	u32 i, n;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	for (i = 0; i < n; i++)
		object[i] = get(udp);
	page = s->cpu_slab[0]->page;
	on_cpu(kernel, 1);
	kmem_cache_free(udp, object[2]);
	kmem_cache_free(udp, object[5]);
	ck_assert_ptr_eq(page->freelist, object[5]);
	ck_assert_uint_eq(COUNTERS_INUSE(page->counters), n - 2);
	ck_assert(COUNTERS_FROZEN(page->counters));
	ck_assert_ptr_null(s->cpu_slab[1]->partial);
	on_cpu(kernel, 0);
	ck_assert_ptr_eq(get(udp), object[5]);
	ck_assert_ptr_null(page->freelist);
	ck_assert_uint_eq(COUNTERS_INUSE(page->counters), n);
	ck_assert_ptr_eq(get(udp), object[2]);
	ck_assert_int_eq(s->node[0]->nr_slabs, 1);
}
END_TEST

/* Empty slabs beyond min_partial go back to the page allocator. */
START_TEST(test_slabs_return)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	void *object[1000];
	struct live none;
	u64 all;
	u32 i, n;

	start(1, 1);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = 50 * s->oo.objects;
	must(n <= 1000);
	for (i = 0; i < n; i++)
		object[i] = get(udp);
	all = verify_pages(kernel->mm);
	for (i = 0; i < n; i++)
		kmem_cache_free(udp, object[i]);
	/* The CPU's own, up to 14 partial ones, and 5 or 6 of the node. */
	ck_assert_int_le(s->node[0]->nr_slabs, 1 + 14 + 6);
	ck_assert_uint_le(s->node[0]->nr_partial, 6);
	ck_assert_uint_ge(s->node[0]->nr_partial, 5);
	ck_assert_uint_eq(verify_slub_cache(s, &none, 0),
			  info_of(kernel, "UDP").num_objs);
	ck_assert_uint_eq(verify_pages(kernel->mm), all +
			  (50 - s->node[0]->nr_slabs) *
			  (1u << s->oo.order));
	for (i = 0; i < n; i++)
		object[i] = get(udp);
	ck_assert_int_eq(s->node[0]->nr_slabs, 50);
}
END_TEST

/* ---- nodes ---- */

/* A CPU that wants an object of another node lets go of its slab. */
START_TEST(test_deactivate)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	struct page *page;
	void *a, *b, *c;
	u32 n;

	start(2, 1);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	a = get(udp);
	b = get(udp);
	page = page_of(a);
	on_cpu(kernel, 1);
	kmem_cache_free(udp, b);	/* into the page, from outside */
	on_cpu(kernel, 0);
	c = kmem_cache_alloc_node(udp, GFP_ATOMIC, 1);
	ck_assert_uint_eq(page_of(c)->node, 1);
	ck_assert_ptr_eq(s->cpu_slab[0]->page, page_of(c));
	ck_assert_uint_eq(COUNTERS_INUSE(page->counters), 1);
	ck_assert(!COUNTERS_FROZEN(page->counters));
	ck_assert_uint_eq(s->node[0]->nr_partial, 1);
	ck_assert_uint_eq(verify_slub_cache(s, (struct live[]){
		{ a, address_of(a), 896 }, { c, address_of(c), 896 } }, 2),
		2 * n - 2);
	/* Back again: that slab is the node's first. */
	ck_assert_ptr_eq(page_of(kmem_cache_alloc_node(udp, GFP_ATOMIC, 0)),
			 page);
}
END_TEST

/* A slab that is let go full is on no list; the first object that comes back
 * makes it partial. */
START_TEST(test_deactivate_full)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	void *object[64];
	struct page *page;
	u32 i;

	start(2, 1);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	for (i = 0; i < s->oo.objects; i++)
		object[i] = get(udp);
	page = page_of(object[0]);
	kmem_cache_alloc_node(udp, GFP_ATOMIC, 1);
	ck_assert(!COUNTERS_FROZEN(page->counters));
	ck_assert_uint_eq(s->node[0]->nr_partial, 0);
	kmem_cache_free(udp, object[0]);
	ck_assert(COUNTERS_FROZEN(page->counters));
	ck_assert_ptr_eq(s->cpu_slab[0]->partial, page);
}
END_TEST

/* The last object of a slab on the node's list comes back. */
START_TEST(test_free_on_node)
{
	struct any_cache *udp;
	struct kmem_cache_slub *s;
	void *object[400];
	u32 i, j, n;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	n = s->oo.objects;
	for (i = 0; i < 19 * n; i++)
		object[i] = get(udp);
	for (i = 0; i < 15; i++)
		kmem_cache_free(udp, object[i * n]);
	ck_assert_uint_eq(s->node[0]->nr_partial, 14);
	for (i = 0; i < 14; i++)
		for (j = 1; j < n; j++)
			kmem_cache_free(udp, object[i * n + j]);
	/* Nine went away empty; five are few enough to keep. */
	ck_assert_uint_eq(s->node[0]->nr_partial, 5);
	ck_assert_int_eq(s->node[0]->nr_slabs, 19 - 9);
}
END_TEST

/* Two words that change at once are aligned to two words. */
START_TEST(test_struct_page_is_aligned)
{
	struct page *page;

	start(1, 1);
	page = page_of(get(udp_cache(kernel, 0)));
	ck_assert_uint_eq(object_address(&page[1].object) -
			  object_address(&page[0].object), 64);
}
END_TEST

/* ---- kmalloc ---- */

START_TEST(test_kmalloc_classes)
{
	static const struct { u32 size, got; } sizes[] = {
		{ 0, 8 }, { 1, 8 }, { 8, 8 }, { 9, 16 }, { 33, 64 },
		{ 64, 64 }, { 65, 96 }, { 96, 96 }, { 97, 128 },
		{ 129, 192 }, { 192, 192 }, { 193, 256 }, { 257, 512 },
		{ 4097, 8192 }, { 8192, 8192 }, { 8193, 16384 },
		{ 70000, 131072 },
	};
	u32 i;

	start(1, 4);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *a = kmalloc(sizes[i].size, STRUCT_sock,
				  sizeof(struct thing), GFP_ATOMIC);
		void *b = __kmalloc_node_track_caller(
			sizes[i].size, STRUCT_sock, sizeof(struct thing),
			GFP_ATOMIC, NUMA_NO_NODE);

		ck_assert_uint_eq(ksize(a), sizes[i].got);
		ck_assert_uint_eq(ksize(b), sizes[i].got);
		ck_assert(address_of(a) + sizes[i].size <= address_of(b) ||
			  address_of(b) + sizes[i].size <= address_of(a));
		kfree(b);
		kfree(a);
	}
}
END_TEST

/* Small objects share a line, and their members lie where they do. */
START_TEST(test_small_objects_share_a_line)
{
	struct object *a, *b;

	start(1, 4);
	a = kmalloc(8, STRUCT_sock, sizeof(struct thing), GFP_ATOMIC);
	b = kmalloc(8, STRUCT_sock, sizeof(struct thing), GFP_ATOMIC);
	ck_assert_uint_eq(a->line, b->line);
	ck_assert_uint_eq(b->skew, a->skew + 8);
}
END_TEST

START_TEST(test_large)
{
	void *object[100], *o;
	u64 all;
	u32 n = 0, i;

	start_small();
	o = kmalloc(20000, STRUCT_sock, sizeof(struct thing), GFP_ATOMIC);
	ck_assert_uint_eq(address_of(o) % 32768, 0);
	all = verify_pages(kernel->mm);
	kfree(o);
	ck_assert_uint_eq(verify_pages(kernel->mm), all + 8);
	ck_assert_ptr_null(kmalloc((4 << 20) + 1, STRUCT_sock,
				   sizeof(struct thing), GFP_KERNEL));
	while (n < 100 && (o = kmalloc(4 << 20, STRUCT_sock,
				       sizeof(struct thing), GFP_KERNEL)))
		object[n++] = o;
	ck_assert_uint_lt(n, 100);
	for (i = 0; i < n; i++)
		kfree(object[i]);
	ck_assert_ptr_nonnull(kmalloc(4 << 20, STRUCT_sock,
				      sizeof(struct thing), GFP_KERNEL));
}
END_TEST

/* Where large blocks are used up, a slab is as small as it can be. */
START_TEST(test_exhaustion)
{
	struct any_cache *udp;
	struct slabinfo info;
	u32 n = 0;

	start_small();
	udp = udpv6_cache(kernel);
	while (kmalloc(4 << 20, STRUCT_sock, sizeof(struct thing), GFP_ATOMIC))
		;
	while (kmem_cache_alloc(udp, GFP_ATOMIC))
		n++;
	info = info_of(kernel, "UDPv6");
	ck_assert_uint_eq(n, info.num_objs);
	ck_assert_ptr_null(kmem_cache_alloc(udp, GFP_KERNEL));
	ck_assert_uint_eq(kernel->machine->cpus[0].irqs_off, 0);
}
END_TEST

/* ---- what is charged ---- */

static bool has_line(u32 cpu, u64 address)
{
	return kernel->machine->cpus[cpu].words[address >> LINE_SHIFT] != 0;
}

/* The free pointer lies in the object, or behind it. */
START_TEST(test_lines_of_the_free_pointer)
{
	struct any_cache *udp, *rcu;
	struct kmem_cache_slub *s;
	const struct line *line;
	void *a, *b;

	start(1, 2);
	udp = udp_cache(kernel, 0);
	s = slub_of(udp);
	a = get(udp);
	ck_assert(s->offset == 0);
	on_cpu(kernel, 1);
	kmem_cache_free(udp, a);
	ck_assert(has_line(1, address_of(a)));
	on_cpu(kernel, 0);
	rcu = udp_cache(kernel, SLAB_DESTROY_BY_RCU);
	b = get(rcu);
	on_cpu(kernel, 1);
	kmem_cache_free(rcu, b);
	ck_assert(!has_line(1, address_of(b)));
	ck_assert(has_line(1, address_of(b) + 848));
	/* The line is shown as the object's. */
	line = &kernel->machine->lines[(address_of(b) + 848) >> LINE_SHIFT];
	ck_assert_ptr_eq(kernel->machine->account.types[line->type].type,
			 &kernel->types[STRUCT_udp_sock]);
	ck_assert_uint_eq(line->index, 13);
}
END_TEST

START_TEST(test_double_free_is_found)
{
	struct any_cache *udp;
	void *object;

	start_with(1, 1, true);
	udp = udp_cache(kernel, 0);
	object = get(udp);
	kmem_cache_free(udp, object);
	verify_no_findings(kernel);
	kmem_cache_free(udp, object);
	ck_assert_str_eq(check_findings(kernel->machine->check)[0],
			 "udp_sock: freed twice");
}
END_TEST

/* ---- several CPUs at once ---- */

START_TEST(test_million_on_several_cpus)
{
	start(2, SLUB_WORKERS / 2);
	run_slub_workers(kernel, test_rounds(1000000) / SLUB_WORKERS + 1, 5,
			 true);
}
END_TEST

START_TEST(test_same_seed_same_time)
{
	ps_t first, second, other;

	start(2, SLUB_WORKERS / 2);
	first = run_slub_workers(kernel, 20000, 9, true);
	teardown();
	start(2, SLUB_WORKERS / 2);
	second = run_slub_workers(kernel, 20000, 9, true);
	teardown();
	start(2, SLUB_WORKERS / 2);
	other = run_slub_workers(kernel, 20000, 10, true);
	ck_assert_uint_eq(first, second);
	ck_assert_uint_ne(first, other);
}
END_TEST

START_TEST(test_no_races_no_lock_order)
{
	start_with(2, SLUB_WORKERS / 2, true);
	run_slub_workers(kernel, 3000, 3, false);
}
END_TEST

/* ---- interrupts ---- */

struct interrupted {
	struct any_cache *cache;
	struct irq irq;
	void *object[64];
	u32 taken;
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
	for (i = 0; i < 400; i++)
		must(kmem_cache_alloc(x->cache, GFP_KERNEL));
}

/* An interrupt may give this CPU a slab while it waits for one. */
START_TEST(test_interrupts)
{
	struct interrupted x = { 0 };
	struct context *context;
	u64 objects;

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
	objects = (u64)slub_of(x.cache)->node[0]->total_objects;
	ck_assert_uint_ge(objects, 460);
	ck_assert_uint_lt(objects, 460 + 5 * slub_of(x.cache)->oo.objects);
}
END_TEST

Suite *suite_slub(void)
{
	Suite *suite = suite_create("slub");
	TCase *paths = tcase_create("paths"), *many = tcase_create("many");
	const TTest *const tests[] = {
		test_sizes, test_orders_by_cpus, test_order_with_waste,
		test_limits, test_first_slab,
		test_last_in_first_out, test_cpu_partial,
		test_unfreeze_partials, test_get_partial, test_remote_free,
		test_slabs_return, test_deactivate, test_deactivate_full,
		test_free_on_node,
		test_struct_page_is_aligned, test_kmalloc_classes,
		test_small_objects_share_a_line, test_large, test_exhaustion,
		test_lines_of_the_free_pointer, test_double_free_is_found,
		test_interrupts,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_test(paths, tests[i]);
	tcase_add_checked_fixture(paths, NULL, teardown);
	tcase_set_timeout(paths, 60);
	tcase_add_test(many, test_million_on_several_cpus);
	tcase_add_test(many, test_same_seed_same_time);
	tcase_add_test(many, test_no_races_no_lock_order);
	tcase_add_checked_fixture(many, NULL, teardown);
	tcase_set_timeout(many, 300);
	suite_add_tcase(suite, paths);
	suite_add_tcase(suite, many);
	return suite;
}
