/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SLAB: several CPUs at once, on 3.6 and on 4.6. */
#include <string.h>

#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"
#include "tests/rounds.h"

static struct kernel *kernel;

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

#define WORKERS 6u
#define HELD 600u
#define POST 64u

static void start(bool paged, bool check)
{
	const struct mm_setup setup = {
		.packages = 2, .cores = WORKERS / 2, .allocator = "slab",
		.paged = paged, .check = check,
	};

	kernel = mm_kernel_new(&setup);
}

struct worker {
	struct random_stream random;
	struct any_cache *caches[3];
	u32 steps;
	u32 held;
	struct held {
		void *object;
		u32 cache;	/* 3: kmalloc */
	} object[HELD];
};

/* What a worker allocated and another one will free. */
static struct held post[POST];

static void worker_alloc(struct worker *w)
{
	struct held *h = &w->object[w->held++];
	gfp_t gfp = random_u64(&w->random) % 2 ? GFP_KERNEL : GFP_ATOMIC;
	u32 node = random_u64(&w->random) % 4;

	h->cache = random_u64(&w->random) % 4;
	if (h->cache == 3)
		h->object = kmalloc(random_u64(&w->random) % 3000, STRUCT_sock,
				    sizeof(struct thing), gfp);
	else if (node < 2)
		h->object = kmem_cache_alloc_node(w->caches[h->cache], gfp,
						  (int)node);
	else
		h->object = kmem_cache_alloc(w->caches[h->cache], gfp);
	must(h->object);
	must(((struct object *)h->object)->state == OBJECT_ALIVE);
	((struct object *)h->object)->unused[0] = 1;
}

static void worker_free(struct worker *w)
{
	u32 i = random_u64(&w->random) % w->held;
	struct held h = w->object[i];
	struct held *slot = &post[random_u64(&w->random) % POST], other;

	w->object[i] = w->object[--w->held];
	if (random_u64(&w->random) % 2) {	/* by way of somebody else */
		other = *slot;
		*slot = h;
		h = other;
	}
	if (!h.object)
		return;
	((struct object *)h.object)->unused[0] = 0;
	if (h.cache == 3)
		kfree(h.object);
	else
		kmem_cache_free(w->caches[h.cache], h.object);
}

static void work_hard(void *arg)
{
	struct worker *w = arg;
	u32 i;

	for (i = 0; i < w->steps; i++) {
		u64 dice = random_u64(&w->random) % 1000;
		bool grow = i / 3000 % 2;

		if (!w->held || (w->held < HELD && dice < (grow ? 600 : 400)))
			worker_alloc(w);
		else
			worker_free(w);
		if (dice == 999 && i % 64 == 0)
			cache_reap(kernel->mm);
	}
}

static void add_live(GArray *live, const struct held *h,
		     const struct worker *w, u32 *of_cache)
{
	struct live l = { h->object, 0, 0 };

	if (!h->object)
		return;
	l.address = object_address(h->object);
	l.size = h->cache == 3 ? ksize(h->object) : w->caches[h->cache]->size;
	of_cache[h->cache]++;
	g_array_append_val(live, l);
}

static void verify_workers(struct worker *w)
{
	GArray *live = g_array_new(false, false, sizeof(struct live));
	u32 of_cache[4] = { 0 }, i, j, c;

	for (i = 0; i < WORKERS; i++)
		for (j = 0; j < w[i].held; j++)
			add_live(live, &w[i].object[j], w, of_cache);
	for (j = 0; j < POST; j++)
		add_live(live, &post[j], w, of_cache);
	verify_no_overlap((struct live *)(void *)live->data, live->len);
	for (c = 0; c < 3; c++) {
		struct slabinfo info = info_of(kernel, w->caches[c]->name);
		struct kmem_cache *cache = (struct kmem_cache *)w->caches[c];

		must(verify_slab_cache(cache) + of_cache[c] == info.num_objs);
	}
	for (i = 0; i < kernel->mm->caches->len; i++)
		verify_slab_cache(kernel->mm->caches->pdata[i]);
	verify_pages(kernel->mm);
	g_array_unref(live);
}

static ps_t run_workers(u32 steps, u64 seed)
{
	struct worker *w = g_new0(struct worker, WORKERS);
	struct context *context[WORKERS];
	struct any_cache *caches[3] = {
		udp_cache(kernel, SLAB_DESTROY_BY_RCU), udpv6_cache(kernel),
		small_cache(kernel),
	};
	ps_t sum = 0;
	u32 i;

	memset(post, 0, sizeof(post));
	for (i = 0; i < WORKERS; i++) {
		random_seed(&w[i].random, seed, "worker", i);
		memcpy(w[i].caches, caches, sizeof(caches));
		w[i].steps = steps;
		context[i] = context_new(&kernel->machine->cpus[i], "worker",
					 work_hard, &w[i]);
	}
	ck_assert(machine_run(kernel->machine));
	on_cpu(kernel, 0);
	verify_workers(w);
	for (i = 0; i < WORKERS; i++) {
		sum = sum * 31 + context[i]->finished;
		context_free(context[i]);
	}
	g_free(w);
	return sum;
}

START_TEST(test_million_on_several_cpus)
{
	start(_i, false);
	run_workers(test_rounds(1000000) / WORKERS + 1, 5);
}
END_TEST

START_TEST(test_same_seed_same_time)
{
	ps_t first, second, other;

	start(_i, false);
	first = run_workers(20000, 9);
	teardown();
	start(_i, false);
	second = run_workers(20000, 9);
	teardown();
	start(_i, false);
	other = run_workers(20000, 10);
	ck_assert_uint_eq(first, second);
	ck_assert_uint_ne(first, other);
}
END_TEST

static void own_objects(void *arg)
{
	struct worker *w = arg;
	u32 i;

	for (i = 0; i < w->steps; i++) {
		if (!w->held || (w->held < HELD &&
				 random_u64(&w->random) % 2)) {
			worker_alloc(w);
		} else {
			struct held *h = &w->object[--w->held];

			if (h->cache == 3)
				kfree(h->object);
			else
				kmem_cache_free(w->caches[h->cache], h->object);
		}
	}
}

/* The locks order all that the allocator shares. */
START_TEST(test_no_races_no_lock_order)
{
	struct worker *w = g_new0(struct worker, WORKERS);
	struct context *context[WORKERS];
	struct any_cache *udp, *v6, *small;
	u32 i;

	start(_i, true);
	udp = udp_cache(kernel, 0);
	v6 = udpv6_cache(kernel);
	small = small_cache(kernel);
	check_barrier(kernel->machine);
	for (i = 0; i < WORKERS; i++) {
		random_seed(&w[i].random, 3, "worker", i);
		w[i].caches[0] = udp;
		w[i].caches[1] = v6;
		w[i].caches[2] = small;
		w[i].steps = 3000;
		context[i] = context_new(&kernel->machine->cpus[i], "worker",
					 own_objects, &w[i]);
	}
	ck_assert(machine_run(kernel->machine));
	for (i = 0; i < WORKERS; i++)
		context_free(context[i]);
	verify_no_findings(kernel);
	g_free(w);
}
END_TEST

Suite *suite_slab_many(void)
{
	Suite *suite = suite_create("slab_many");
	TCase *tcase = tcase_create("slab_many");

	tcase_add_loop_test(tcase, test_million_on_several_cpus, 0, 2);
	tcase_add_loop_test(tcase, test_same_seed_same_time, 0, 2);
	tcase_add_loop_test(tcase, test_no_races_no_lock_order, 0, 2);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_set_timeout(tcase, 300);
	suite_add_tcase(suite, tcase);
	return suite;
}
