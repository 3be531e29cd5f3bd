/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLUB as Linux 6.1 has it: where the free pointer lies and what is mixed with
 * it, random orders, limits by slabs, mistakes, copies to and from the user.
 */
#include <signal.h>
#include <string.h>

#include "mm_support.h"
#include "net_support.h"
#include "sim/cpu.h"
#include "stack/include/linux/skbuff.h"
#include "stack/include/linux/uaccess.h"
#include "tests/rounds.h"

static struct kernel *kernel;

static void start_seeded(u32 packages, u32 cores, bool check, u64 seed)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .check = check,
		.data = "linux-6.1", .seed = seed,
	};

	kernel = mm_kernel_new(&setup);
}

static void start(u32 packages, u32 cores)
{
	start_seeded(packages, cores, false, 1);
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

static struct kmem_cache_slub *cache_named(const char *name)
{
	guint i;

	for (i = 0; i < kernel->mm->caches->len; i++) {
		struct any_cache *cache = g_ptr_array_index(kernel->mm->caches,
							    i);

		if (g_str_equal(cache->name, name))
			return (struct kmem_cache_slub *)cache;
	}
	ck_abort_msg("no cache is called %s", name);
}

static void *get(struct kmem_cache_slub *s)
{
	void *object = kmem_cache_alloc(&s->any, GFP_ATOMIC);

	must(object);
	return object;
}

static void put(struct kmem_cache_slub *s, void *object)
{
	kmem_cache_free(&s->any, object);
}

static struct page *page_of(const void *object)
{
	return head_of(page_of_address(kernel->mm, object_address(object)));
}

/* ---- sizes and limits ---- */

static const struct {
	const char *name;
	u32 objsize, objperslab, pagesperslab, offset, cpu_partial_slabs;
} published[] = {	/* two CPUs, as in the traces: 12 objects are wanted */
	{ "kmalloc-8", 8, 512, 1, 0, 1 },
	{ "kmalloc-16", 16, 256, 1, 8, 1 },
	{ "kmalloc-32", 32, 128, 1, 16, 2 },
	{ "kmalloc-64", 64, 64, 1, 32, 4 },
	{ "kmalloc-96", 96, 42, 1, 48, 6 },
	{ "kmalloc-128", 128, 32, 1, 64, 8 },
	{ "kmalloc-192", 192, 21, 1, 96, 12 },
	{ "kmalloc-256", 256, 16, 1, 128, 7 },
	{ "kmalloc-512", 512, 16, 2, 256, 7 },
	{ "kmalloc-1k", 1024, 16, 4, 512, 3 },
	{ "kmalloc-2k", 2048, 16, 8, 1024, 3 },
	{ "kmalloc-4k", 4096, 8, 8, 2048, 2 },
	{ "kmalloc-8k", 8192, 4, 8, 4096, 3 },
	{ "skbuff_head_cache", 256, 16, 1, 112, 7 },
};

START_TEST(test_sizes)
{
	u32 i;

	start(1, 2);
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		const struct kmem_cache_slub *s =
			cache_named(published[i].name);
		struct slabinfo info = info_of(kernel, published[i].name);

		ck_assert_msg(info.objsize == published[i].objsize &&
			      info.objperslab == published[i].objperslab &&
			      info.pagesperslab == published[i].pagesperslab &&
			      s->offset == published[i].offset &&
			      s->cpu_partial_slabs ==
			      published[i].cpu_partial_slabs,
			      "%s: %u %u %u %u %u", info.name, info.objsize,
			      info.objperslab, info.pagesperslab, s->offset,
			      s->cpu_partial_slabs);
	}
}
END_TEST

START_TEST(test_size_roundup)
{
	static const struct { u32 size, got; } sizes[] = {
		{ 0, 0 }, { 1, 8 }, { 8, 8 }, { 9, 16 }, { 65, 96 },
		{ 129, 192 }, { 193, 256 }, { 385, 512 }, { 8192, 8192 },
		{ 8193, 16384 }, { 40000, 65536 }, { 4 << 20, 4 << 20 },
	};
	u32 i;

	start(1, 2);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *object;

		ck_assert_uint_eq(kmalloc_size_roundup(sizes[i].size),
				  sizes[i].got);
		if (!sizes[i].size)
			continue;
		object = kmalloc(sizes[i].size, STRUCT_sock,
				 sizeof(struct sock), GFP_ATOMIC);
		ck_assert_uint_eq(ksize(object), sizes[i].got);
		kfree(object);
	}
	kfree(NULL);
}
END_TEST

/* ---- the free pointer ---- */

static bool has_line(u32 cpu, u64 address)
{
	return kernel->machine->cpus[cpu].words[address >> LINE_SHIFT] != 0;
}

/* In the middle: CPU 1 touches the object's line there and no other.  Behind
 * an object that late readers may look at. */
START_TEST(test_place_of_the_free_pointer)
{
	struct kmem_cache_slub *s, *udp;
	u32 size;
	u64 at;
	void *a;

	start(1, 2);
	s = cache_named("kmalloc-512");
	a = get(s);
	at = object_address(a);
	on_cpu(kernel, 1);
	put(s, a);
	ck_assert(has_line(1, at + 256));
	ck_assert(!has_line(1, at) && !has_line(1, at + 192));
	on_cpu(kernel, 0);

	udp = (struct kmem_cache_slub *)
		kmem_cache_create(kernel, "late", STRUCT_udp_sock,
				  sizeof(struct udp_sock), 0, 0,
				  SLAB_HWCACHE_ALIGN | SLAB_DESTROY_BY_RCU);
	size = kernel->types[STRUCT_udp_sock].size;
	ck_assert_uint_eq(udp->offset, ALIGN_UP(size, 8));
	ck_assert_uint_ge(udp->size, udp->offset + 8);
	a = get(udp);
	at = object_address(a);
	on_cpu(kernel, 1);
	put(udp, a);
	ck_assert(has_line(1, at + udp->offset));
	ck_assert(!has_line(1, at + size / 2));
}
END_TEST

/* What lies in memory is the pointer, the secret and the place, mixed. */
START_TEST(test_hardened)
{
	struct kmem_cache_slub *s, *other;
	uintptr_t last, first;
	void *a, *b;

	start(1, 2);
	s = cache_named("kmalloc-512");
	other = cache_named("kmalloc-256");
	ck_assert_uint_ne(s->random, 0);
	ck_assert_uint_ne(s->random, other->random);
	a = get(s);
	b = get(s);
	put(s, a);
	put(s, b);
	first = slot_of(b)->link.freepointer;
	ck_assert_uint_ne(first, (uintptr_t)a);
	ck_assert_uint_eq(first ^ (uintptr_t)a, s->random ^
			  __builtin_bswap64(object_address(b) + s->offset));
	ck_assert_ptr_eq(freelist_next(s, b), a);
	/* The same pointer elsewhere looks otherwise. */
	last = slot_of(a)->link.freepointer;
	put(s, get(s));
	ck_assert_uint_eq(slot_of(b)->link.freepointer, first);
	ck_assert_uint_ne(last ^ (uintptr_t)freelist_next(s, a),
			  first ^ (uintptr_t)a);
	ck_assert_ptr_eq(get(s), b);
	ck_assert_ptr_eq(get(s), a);
}
END_TEST

/* Offsets in its slab of the first objects of a cache. */
static void first_offsets(struct kmem_cache_slub *s, u32 *offset, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u64 at = object_address(get(s));

		offset[i] = (u32)(at % (PAGE_SIZE << s->oo.order)) / s->size;
	}
}

START_TEST(test_secrets_are_the_seeds)
{
	u32 order[3][32], i;
	u64 secret[3];

	for (i = 0; i < 3; i++) {
		struct kmem_cache_slub *s;

		start_seeded(1, 2, false, i < 2 ? 5 : 6);
		s = cache_named("kmalloc-512");
		secret[i] = s->random;
		first_offsets(s, order[i], 32);
		teardown();
	}
	ck_assert_uint_eq(secret[0], secret[1]);
	ck_assert_uint_ne(secret[0], secret[2]);
	ck_assert_mem_eq(order[0], order[1], sizeof(order[0]));
	ck_assert_mem_ne(order[0], order[2], sizeof(order[0]));
}
END_TEST

/* A new slab's objects come in the order of one sequence, which begins
 * anywhere; each comes once. */
START_TEST(test_random_order)
{
	u32 order[4][32], n, i, k, first, same = 0, sorted = 0;
	struct kmem_cache_slub *s;

	start(1, 2);
	s = (struct kmem_cache_slub *)
		kmem_cache_create(kernel, "new", STRUCT_sk_buff,
				  sizeof(struct sk_buff), 0, 0,
				  SLAB_HWCACHE_ALIGN);
	n = s->oo.objects;
	must(n <= 32);
	for (k = 0; k < 4; k++) {
		u32 seen = 0;

		first_offsets(s, order[k], n);
		for (i = 0; i < n; i++)
			seen |= 1u << order[k][i];
		ck_assert_uint_eq(seen, (1u << n) - 1);
		for (first = 0; order[k][first] != order[0][0]; first++)
			;
		for (i = 0; i < n; i++)
			ck_assert_uint_eq(order[k][(first + i) % n],
					  order[0][i]);
		same += k && order[k][0] == order[0][0];
		for (i = 1; i < n; i++)
			sorted += order[k][i] == order[k][i - 1] + 1;
	}
	ck_assert_int_eq(s->node[0]->nr_slabs, 4);
	ck_assert_uint_lt(same, 3);
	ck_assert_uint_lt(sorted, 2 * n);
}
END_TEST

/* ---- partial slabs ---- */

/* A CPU keeps as many as the limit says, whatever they hold; one more sends
 * all of them to the node. */
START_TEST(test_partial_by_slabs)
{
	void *object[12 * 16];
	struct kmem_cache_slub *s;
	struct kmem_cache_cpu *c;
	u32 n, i;

	start(1, 2);
	s = (struct kmem_cache_slub *)
		kmem_cache_create(kernel, "new", STRUCT_sk_buff,
				  sizeof(struct sk_buff), 0, 0,
				  SLAB_HWCACHE_ALIGN);
	n = s->oo.objects;
	ck_assert_uint_eq(n, 16);
	ck_assert_uint_eq(s->cpu_partial_slabs, 7);
	for (i = 0; i < 12 * n; i++)
		object[i] = get(s);
	c = s->cpu_slab[0];
	/* Two objects of each slab: objects do not count. */
	for (i = 0; i < 2 * 7; i++)
		put(s, object[i / 2 * n + i % 2]);
	ck_assert_uint_eq(c->partial->pages, 7);
	ck_assert_uint_eq(s->node[0]->nr_partial, 0);
	put(s, object[7 * n]);
	ck_assert_uint_eq(c->partial->pages, 1);
	ck_assert_ptr_eq(c->partial, page_of(object[7 * n]));
	ck_assert_uint_eq(s->node[0]->nr_partial, 7);

	/* Another CPU takes one to work on, and then more than half of 7. */
	on_cpu(kernel, 1);
	get(s);
	ck_assert_uint_eq(s->cpu_slab[1]->partial->pages, 4);
	ck_assert_uint_eq(s->node[0]->nr_partial, 7 - 5);
}
END_TEST

START_TEST(test_many_on_several_cpus)
{
	start(2, SLUB_WORKERS / 2);
	run_slub_workers(kernel, test_rounds(300000) / SLUB_WORKERS, 5, true);
}
END_TEST

START_TEST(test_no_races_no_lock_order)
{
	start_seeded(2, SLUB_WORKERS / 2, true, 1);
	run_slub_workers(kernel, 3000, 3, false);
}
END_TEST

/* ---- mistakes ---- */

static void free_twice(void *arg)
{
	struct kmem_cache_slub *s = cache_named("skbuff_head_cache");
	struct sk_buff *skb = get(s);

	(void)arg;
	put(s, skb);
	put(s, skb);
}

static void use_after_free(void *arg)
{
	struct kmem_cache_slub *s = cache_named("skbuff_head_cache");
	struct sk_buff *skb = get(s);

	(void)arg;
	WRITE(skb, len, 1);
	put(s, skb);
	WRITE(skb, len, 2);
}

static void free_elsewhere(void *arg)
{
	(void)arg;
	put(cache_named("kmalloc-256"), get(cache_named("skbuff_head_cache")));
}

START_TEST(test_mistakes_are_found)
{
	void (*const mistakes[])(void *) = { free_twice, use_after_free };
	static const char *const said[] = {
		"sk_buff: freed twice", "sk_buff: use after free of len"
	};
	const char *found;

	start_seeded(1, 1, true, 1);
	mm_in_process(kernel, mistakes[_i], NULL);
	found = check_findings(kernel->machine->check)[0];
	ck_assert_ptr_nonnull(found);
	ck_assert_msg(g_str_has_prefix(found, said[_i]), "%s", found);
}
END_TEST

/* A hardened kernel stops at once, without any checks. */
START_TEST(test_double_free_is_fatal)
{
	start(1, 1);
	free_twice(NULL);
}
END_TEST

START_TEST(test_wrong_cache_is_fatal)
{
	start(1, 1);
	free_elsewhere(NULL);
}
END_TEST

/* ---- copies from and to the user ---- */

static void good_copies(void *arg)
{
	struct kmem_cache_slub *s = cache_named("kmalloc-512");
	void *object = kmalloc(400, STRUCT_skb_head, sizeof(struct skb_head),
			       GFP_KERNEL);
	void *large = kmalloc(20000, STRUCT_skb_head, sizeof(struct skb_head),
			      GFP_KERNEL);

	(void)arg;
	must(s->useroffset == 0 && s->usersize == 512);
	check_object_size(object, 0, 512, true);
	check_object_size(object, 511, 1, false);
	check_object_size(object, 512, 0, false);
	check_object_size(large, 0, 20000, false);
	check_object_size(NULL, 0, 28, false);
	kfree(large);
	kfree(object);
}

static void copy_beyond(void *arg)
{
	void *object = kmalloc(400, STRUCT_skb_head, sizeof(struct skb_head),
			       GFP_KERNEL);

	(void)arg;
	check_object_size(object, 500, 13, false);
}

/* A user has no business in a struct sk_buff. */
static void copy_what_is_not_shown(void *arg)
{
	(void)arg;
	check_object_size(get(cache_named("skbuff_head_cache")), 40, 8, true);
}

START_TEST(test_good_copies)
{
	start(1, 1);
	mm_in_process(kernel, good_copies, NULL);
}
END_TEST

START_TEST(test_bad_copies)
{
	start(1, 1);
	mm_in_process(kernel, _i ? copy_what_is_not_shown : copy_beyond, NULL);
}
END_TEST

/* ---- suite ---- */

Suite *suite_slub_6_1(void)
{
	Suite *suite = suite_create("slub_6_1");
	TCase *paths = tcase_create("paths"), *many = tcase_create("many");
	const TTest *const tests[] = {
		test_sizes, test_size_roundup, test_place_of_the_free_pointer,
		test_hardened, test_secrets_are_the_seeds, test_random_order,
		test_partial_by_slabs, test_good_copies,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tcase_add_test(paths, tests[i]);
	tcase_add_loop_test(paths, test_mistakes_are_found, 0, 2);
	tcase_add_test_raise_signal(paths, test_double_free_is_fatal, SIGTRAP);
	tcase_add_test_raise_signal(paths, test_wrong_cache_is_fatal, SIGTRAP);
	tcase_add_loop_test_raise_signal(paths, test_bad_copies, SIGTRAP, 0, 2);
	tcase_add_checked_fixture(paths, NULL, teardown);
	tcase_add_test(many, test_many_on_several_cpus);
	tcase_add_test(many, test_no_races_no_lock_order);
	tcase_add_checked_fixture(many, NULL, teardown);
	tcase_set_timeout(many, 300);
	suite_add_tcase(suite, paths);
	suite_add_tcase(suite, many);
	return suite;
}
