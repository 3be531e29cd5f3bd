/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many allocations and frees on several CPUs at once, among them objects that
 * another CPU frees than had them; then all lists must be whole.
 */
#include <string.h>

#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"

#define HELD 600u
#define POST 64u

struct held {
	void *object;
	u32 cache;		/* 3: kmalloc */
};

struct worker {
	struct random_stream random;
	struct any_cache *caches[3];
	u32 steps;
	u32 held;
	bool share;		/* hand objects to other CPUs to free */
	struct held object[HELD];
};

static struct held post[POST];

static void worker_alloc(struct worker *w)
{
	struct held *h = &w->object[w->held++];
	gfp_t gfp = random_u64(&w->random) % 2 ? GFP_KERNEL : GFP_ATOMIC;
	u32 node = random_u64(&w->random) % 16;

	h->cache = random_u64(&w->random) % 4;
	if (h->cache == 3)
		h->object = kmalloc(random_u64(&w->random) % 9000, STRUCT_sock,
				    sizeof(struct thing), gfp);
	else if (node < 2)
		h->object = kmem_cache_alloc_node(w->caches[h->cache], gfp,
						  (int)node);
	else
		h->object = kmem_cache_alloc(w->caches[h->cache], gfp);
	must(h->object);
	must(((struct object *)h->object)->state == OBJECT_ALIVE);
}

static void worker_free(struct worker *w)
{
	u32 i = random_u64(&w->random) % w->held;
	struct held h = w->object[i], other;
	struct held *slot = &post[random_u64(&w->random) % POST];

	w->object[i] = w->object[--w->held];
	if (w->share && random_u64(&w->random) % 2) {
		other = *slot;
		*slot = h;
		h = other;
	}
	if (!h.object)
		return;
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
	}
}

/* The live objects of one cache, or of kmalloc (3), or of all (4). */
static GArray *live_objects(const struct worker *w, u32 cache)
{
	GArray *live = g_array_new(false, false, sizeof(struct live));
	u32 i, j;

	for (i = 0; i <= SLUB_WORKERS; i++) {
		const struct held *h = i < SLUB_WORKERS ? w[i].object : post;
		u32 n = i < SLUB_WORKERS ? w[i].held : POST;

		for (j = 0; j < n; j++) {
			struct live l = { h[j].object, 0, 0 };

			if (!l.object || (cache != 4 && h[j].cache != cache))
				continue;
			l.address = object_address(l.object);
			l.size = h[j].cache == 3 ? ksize(l.object) :
				w->caches[h[j].cache]->size;
			g_array_append_val(live, l);
		}
	}
	return live;
}

static void verify_workers(const struct kernel *kernel,
			   const struct worker *w)
{
	GArray *live = live_objects(w, 4);
	u32 c;

	verify_no_overlap((struct live *)(void *)live->data, live->len);
	g_array_unref(live);
	for (c = 0; c < 3; c++) {
		live = live_objects(w, c);
		verify_slub_cache((struct kmem_cache_slub *)w->caches[c],
				  (struct live *)(void *)live->data, live->len);
		g_array_unref(live);
	}
	verify_pages(kernel->mm);
}

ps_t run_slub_workers(struct kernel *kernel, u32 steps, u64 seed, bool share)
{
	struct worker *w = g_new0(struct worker, SLUB_WORKERS);
	struct context *context[SLUB_WORKERS];
	struct any_cache *caches[3] = {
		udp_cache(kernel, SLAB_DESTROY_BY_RCU), udpv6_cache(kernel),
		small_cache(kernel),
	};
	ps_t sum = 0;
	u32 i;

	memset(post, 0, sizeof(post));
	check_barrier(kernel->machine);
	for (i = 0; i < SLUB_WORKERS; i++) {
		random_seed(&w[i].random, seed, "worker", i);
		memcpy(w[i].caches, caches, sizeof(caches));
		w[i].steps = steps;
		w[i].share = share;
		context[i] = context_new(&kernel->machine->cpus[i], "worker",
					 work_hard, &w[i]);
	}
	ck_assert(machine_run(kernel->machine));
	on_cpu(kernel, 0);
	if (kernel->machine->check)
		verify_no_findings(kernel);
	verify_workers(kernel, w);
	for (i = 0; i < SLUB_WORKERS; i++) {
		sum = sum * 31 + context[i]->finished;
		context_free(context[i]);
	}
	g_free(w);
	return sum;
}
