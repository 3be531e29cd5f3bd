/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SLAB: the order of reuse against a second, plain model of the kernel's
 * rules. */
#include <string.h>

#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"

static struct kernel *kernel;

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

/*
 * One CPU of one node without a shared array, in plain lists: which object
 * does the kernel hand out next?  Objects are (slab, index).
 */
struct ref_slab {
	u32 number;
	u32 inuse;
	GArray *chain;		/* free indexes, the next one last */
};

struct ref {
	u32 num, limit, batch, free_limit, free_objects, slabs;
	bool touched;
	GQueue partial, full, free;
	GArray *stack;		/* struct ref_object */
};

struct ref_object {
	struct ref_slab *slab;
	u32 index;
};

static void ref_grow(struct ref *ref)
{
	struct ref_slab *slab = g_new0(struct ref_slab, 1);
	u32 i;

	slab->number = ref->slabs++;
	slab->chain = g_array_new(false, false, sizeof(u32));
	for (i = ref->num; i-- > 0;)
		g_array_append_val(slab->chain, i);
	g_queue_push_tail(&ref->free, slab);
	ref->free_objects += ref->num;
}

static void ref_slab_free(void *p)
{
	struct ref_slab *slab = p;

	g_array_unref(slab->chain);
	g_free(slab);
}

static void ref_refill(struct ref *ref)
{
	int batch = ref->touched ? ref->batch : MIN(ref->batch, 16);

	while (batch > 0) {
		GQueue *from = ref->partial.length ? &ref->partial : &ref->free;
		struct ref_slab *slab = g_queue_pop_head(from);

		if (!slab)
			break;
		while (slab->chain->len && batch > 0) {
			u32 last = slab->chain->len - 1;
			struct ref_object o = {
				slab, g_array_index(slab->chain, u32, last)
			};

			g_array_set_size(slab->chain, last);
			g_array_append_val(ref->stack, o);
			slab->inuse++;
			batch--;
		}
		g_queue_push_head(slab->chain->len ? &ref->partial : &ref->full,
				  slab);
	}
	ref->free_objects -= ref->stack->len;
}

static struct ref_object ref_alloc(struct ref *ref)
{
	struct ref_object o;

	while (!ref->stack->len) {
		ref_refill(ref);
		if (!ref->stack->len)
			ref_grow(ref);
	}
	ref->touched = true;
	o = g_array_index(ref->stack, struct ref_object, ref->stack->len - 1);
	g_array_set_size(ref->stack, ref->stack->len - 1);
	return o;
}

static void ref_free_to_slab(struct ref *ref, struct ref_object o)
{
	struct ref_slab *slab = o.slab;

	if (!g_queue_remove(&ref->full, slab))
		must(g_queue_remove(&ref->partial, slab));
	g_array_append_val(slab->chain, o.index);
	ref->free_objects++;
	if (--slab->inuse) {
		g_queue_push_tail(&ref->partial, slab);
	} else if (ref->free_objects > ref->free_limit) {
		ref->free_objects -= ref->num;
		ref_slab_free(slab);
	} else {
		g_queue_push_head(&ref->free, slab);
	}
}

static void ref_free(struct ref *ref, struct ref_object o)
{
	u32 i;

	if (ref->stack->len == ref->limit) {
		for (i = 0; i < ref->batch; i++)
			ref_free_to_slab(ref, g_array_index(ref->stack,
							    struct ref_object,
							    i));
		g_array_remove_range(ref->stack, 0, ref->batch);
	}
	g_array_append_val(ref->stack, o);
}

struct pair {
	struct ref_object ref;
	u32 number;
	void *object;
};

/* All objects of a slab of the second model lie in one slab of the first, at
 * the same index, and as many of them are in use. */
static void compare(GHashTable *slabs, const struct pair *pair)
{
	const struct page *page =
		head_of(page_of_address(kernel->mm, object_address(pair->object)));
	const struct slab *slabp = page->slab_page;
	gpointer known = g_hash_table_lookup(slabs,
					     GUINT_TO_POINTER(pair->number + 1));

	must(slot_of(pair->object)->index == pair->ref.index);
	if (!known)
		g_hash_table_insert(slabs, GUINT_TO_POINTER(pair->number + 1),
				    slabp->memory);
	else
		must(known == slabp->memory);
	must(slabp->inuse == pair->ref.slab->inuse);
}

static void ref_fini(struct ref *ref)
{
	g_queue_clear_full(&ref->partial, ref_slab_free);
	g_queue_clear_full(&ref->full, ref_slab_free);
	g_queue_clear_full(&ref->free, ref_slab_free);
	g_array_unref(ref->stack);
}

START_TEST(test_order_of_reuse)
{
	const struct mm_setup setup = {
		.packages = 1, .cores = 1, .allocator = "slab",
	};
	struct any_cache *cache;
	struct kmem_cache *s;
	struct ref ref = { 0 };
	struct pair *pairs = g_new0(struct pair, 4000);
	GHashTable *slabs = g_hash_table_new(NULL, NULL);
	struct random_stream random;
	bool newest_first = false;
	u32 n = 0, step, target = 0;

	kernel = mm_kernel_new(&setup);
	random_seed(&random, _i, "order", 0);
	cache = _i % 2 ? small_cache(kernel) : udpv6_cache(kernel);
	s = (struct kmem_cache *)cache;
	ref.num = s->num;
	ref.limit = s->limit;
	ref.batch = s->batchcount;
	ref.free_limit = s->nodelists[0]->free_limit;
	ref.stack = g_array_new(false, false, sizeof(struct ref_object));
	for (step = 0; step < 60000; step++) {
		if (step % 1000 == 0) {
			target = random_u64(&random) % 3;
			target *= random_u64(&random) % 600;
			/* Neighbours together, so that slabs become free. */
			newest_first = random_u64(&random) % 2;
		}
		if (n < target || !n) {
			struct pair *p = &pairs[n++];

			p->ref = ref_alloc(&ref);
			p->number = p->ref.slab->number;
			p->object = kmem_cache_alloc(cache, GFP_ATOMIC);
			must(p->object);
			compare(slabs, p);
		} else {
			u32 i = newest_first ? n - 1 :
				random_u64(&random) % n;

			compare(slabs, &pairs[i]);
			ref_free(&ref, pairs[i].ref);
			kmem_cache_free(cache, pairs[i].object);
			pairs[i] = pairs[--n];
		}
		must(ref.stack->len == s->array[0]->avail);
		must(ref.free_objects == s->nodelists[0]->free_objects);
	}
	verify_slab_cache(s);
	ref_fini(&ref);
	g_hash_table_unref(slabs);
	g_free(pairs);
}
END_TEST

Suite *suite_slab_order(void)
{
	Suite *suite = suite_create("slab_order");
	TCase *tcase = tcase_create("slab_order");

	tcase_add_loop_test(tcase, test_order_of_reuse, 0, 4);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_set_timeout(tcase, 300);
	suite_add_tcase(suite, tcase);
	return suite;
}
