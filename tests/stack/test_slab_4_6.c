/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLAB of 4.6, whose struct page describes a slab: sizes as that kernel's
 * /proc/slabinfo shows them, where the indexes lie, and on two nodes the order
 * of reuse, for 3.6 and 4.6, against a second, plain model of the rules.
 */
#include "mm_support.h"
#include "sim/cpu.h"
#include "sim/random.h"
#include "stack/include/linux/skbuff.h"

static struct kernel *kernel;

static void start(bool paged, u32 packages, u32 cores)
{
	struct mm_setup setup = {
		.packages = packages, .cores = cores, .allocator = "slab",
		.paged = paged,
	};

	kernel = mm_kernel_new(&setup);
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

/* ---- sizes ---- */

struct expected {
	const char *name;
	u32 objsize, objperslab, pagesperslab, limit, batchcount, shared;
};

static void look_at(const struct expected *e)
{
	struct slabinfo info = info_of(kernel, e->name);

	ck_assert_msg(info.objsize == e->objsize &&
		      info.objperslab == e->objperslab &&
		      info.pagesperslab == e->pagesperslab,
		      "%s: %u %u %u", e->name, info.objsize, info.objperslab,
		      info.pagesperslab);
	ck_assert_msg(info.limit == e->limit &&
		      info.batchcount == e->batchcount &&
		      info.shared == e->shared, "%s: %u %u %u", e->name,
		      info.limit, info.batchcount, info.shared);
}

/* As published, before and after the patch that grows the socket. */
START_TEST(test_published_sizes)
{
	static const struct expected published[] = {
		{ "UDP", 960, 4, 1, 54, 27, 8 },
		{ "UDPv6", 1088, 7, 2, 24, 12, 8 },
	};
	const char *patches[] = { _i ? "udp-sock-rcu-free" : NULL, NULL };
	struct mm_setup setup = {
		.packages = 2, .cores = 2, .data = "linux-4.6",
		.patches = patches,
	};
	u32 i;

	kernel = mm_kernel_new(&setup);
	ck_assert_int_eq(kernel_has(kernel, UDP_SOCK_RCU_FREE), _i);
	ck_assert_uint_eq(kernel->types[STRUCT_udp_sock].size,
			  _i ? 936 : 920);
	for (i = 0; i < ARRAY_SIZE(published); i++)
		look_at(&published[i]);
}
END_TEST

/* By the rules of 4.6: an index is a byte, and costs no room where an object
 * that is free can hold them all. */
START_TEST(test_sizes)
{
	static const struct expected rules[] = {
		{ "kmalloc-32", 32, 124, 1, 120, 60, 8 },
		{ "kmalloc-64", 64, 64, 1, 120, 60, 8 },
		{ "kmalloc-96", 128, 32, 1, 120, 60, 8 },	/* a line's */
		{ "kmalloc-128", 128, 32, 1, 120, 60, 8 },
		{ "kmalloc-192", 192, 21, 1, 120, 60, 8 },
		{ "kmalloc-256", 256, 16, 1, 120, 60, 8 },
		{ "kmalloc-4096", 4096, 1, 1, 24, 12, 8 },
		{ "skbuff_head_cache", 256, 16, 1, 120, 60, 8 },
	};
	u32 i;

	start(true, 1, 4);
	small_cache(kernel);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		look_at(&rules[i]);
}
END_TEST

/* A typesafe cache cannot use its objects: readers may look into them. */
START_TEST(test_where_the_indexes_lie)
{
	struct kmem_cache *safe, *plain;

	start(true, 1, 1);
	safe = (struct kmem_cache *)udp_cache(kernel, SLAB_DESTROY_BY_RCU);
	plain = (struct kmem_cache *)udpv6_cache(kernel);
	ck_assert(!(safe->flags & (CFLGS_OBJFREELIST_SLAB | CFLGS_OFF_SLAB)));
	ck_assert_uint_eq(safe->slab_size, 4);
	ck_assert_uint_eq(safe->colour, (4096 - 4 * 960 - 4) / 64);
	ck_assert(plain->flags & CFLGS_OBJFREELIST_SLAB);
}
END_TEST

/* ---- who destroys an emptied slab ---- */

static void take_and_give(void *arg)
{
	struct any_cache *cache = arg;
	void *object[400];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(object); i++)
		object[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kmem_cache_free(cache, object[i]);
}

static const char *function_of(const struct call_node *node)
{
	return node->function == NO_FUNCTION ? "" :
		__start_function_sites[node->function].name;
}

/* How often `callee` was called by `caller`, in this part of the tree. */
static u64 calls_from(const struct call_node *node, const char *caller,
		      const char *callee)
{
	const struct call_node *child = node->first;
	u64 calls = 0;

	if (!child)
		return 0;
	do {
		if (g_str_equal(function_of(node), caller) &&
		    g_str_equal(function_of(child), callee))
			calls += child->calls;
		calls += calls_from(child, caller, callee);
		child = child->next;
	} while (child != node->first);
	return calls;
}

static u64 destroyed_by(const char *caller)
{
	const struct call_node *root = kernel->machine->account.roots;
	u64 calls = 0;

	for (; root; root = root->next)
		calls += calls_from(root, caller, "slab_destroy");
	return calls;
}

/* 3.6: free_block(), under the node's lock; 4.6: after it. */
START_TEST(test_who_destroys)
{
	struct mm_setup setup = {
		.packages = 1, .cores = 1, .check = true,
		.data = _i ? "linux-4.6" : "linux-3.6",
	};
	struct any_cache *cache;
	u64 at_once, later;

	kernel = mm_kernel_new(&setup);
	cache = kmem_cache_create(kernel, "some", STRUCT_sk_buff,
				  sizeof(struct sk_buff), 0, 0, 0);
	mm_in_process(kernel, take_and_give, cache);
	at_once = destroyed_by("free_block");
	later = destroyed_by("slabs_destroy");
	ck_assert_uint_gt(_i ? later : at_once, 5);
	ck_assert_uint_eq(_i ? at_once : later, 0);
	verify_slab_cache((struct kmem_cache *)cache);
	verify_no_findings(kernel);
}
END_TEST

/* ---- two nodes, one CPU each, modelled a second time ---- */

#define NODES 2u
#define ALIENS 12u		/* what an alien array holds */
#define HELD 1200u

struct ref_slab {
	u32 node, inuse;
	const void *place;	/* the model's memory of this slab */
	GArray *chain;		/* free indexes, the next one last */
};

struct ref_object {
	struct ref_slab *slab;
	u32 index;
};

struct ref_node {
	u32 free_objects;
	bool touched;
	GQueue partial, full, free;
	GArray *stack, *shared, *alien;		/* struct ref_object */
};

struct ref {
	u32 num, limit, batch, shared_limit, free_limit;
	struct ref_node node[NODES];
};

static GArray *new_stack(void)
{
	return g_array_new(false, false, sizeof(struct ref_object));
}

static void ref_init(struct ref *ref, const struct kmem_cache *s)
{
	u32 i;

	*ref = (struct ref){
		.num = s->num, .limit = s->limit, .batch = s->batchcount,
		.shared_limit = s->shared * s->batchcount,
		.free_limit = 2 * s->batchcount + s->num,
	};
	for (i = 0; i < NODES; i++) {
		ref->node[i].stack = new_stack();
		ref->node[i].shared = new_stack();
		ref->node[i].alien = new_stack();
	}
}

static void ref_slab_free(void *p)
{
	struct ref_slab *slab = p;

	g_array_unref(slab->chain);
	g_free(slab);
}

static void ref_fini(struct ref *ref)
{
	u32 i;

	for (i = 0; i < NODES; i++) {
		struct ref_node *n = &ref->node[i];

		g_queue_clear_full(&n->partial, ref_slab_free);
		g_queue_clear_full(&n->full, ref_slab_free);
		g_queue_clear_full(&n->free, ref_slab_free);
		g_array_unref(n->stack);
		g_array_unref(n->shared);
		g_array_unref(n->alien);
	}
}

static void ref_grow(struct ref *ref, u32 node)
{
	struct ref_slab *slab = g_new0(struct ref_slab, 1);
	u32 i;

	slab->node = node;
	slab->chain = g_array_new(false, false, sizeof(u32));
	for (i = ref->num; i-- > 0;)
		g_array_append_val(slab->chain, i);
	g_queue_push_tail(&ref->node[node].free, slab);
	ref->node[node].free_objects += ref->num;
}

/* The newest of one array to the end of another, in the same order. */
static u32 move_newest(GArray *to, GArray *from, u32 max, u32 room)
{
	u32 n = MIN(MIN(from->len, max), room);
	u32 at = from->len - n;

	if (!n)
		return 0;
	g_array_append_vals(to, &g_array_index(from, struct ref_object, at), n);
	g_array_set_size(from, at);
	return n;
}

static void ref_take(struct ref_node *n, struct ref_slab *slab)
{
	u32 last = slab->chain->len - 1;
	struct ref_object o = { slab, g_array_index(slab->chain, u32, last) };

	g_array_set_size(slab->chain, last);
	g_array_append_val(n->stack, o);
	slab->inuse++;
	n->free_objects--;
}

static void ref_refill(struct ref *ref, struct ref_node *n)
{
	u32 batch = n->touched ? ref->batch : MIN(ref->batch, 16u);

	if (move_newest(n->stack, n->shared, batch, ref->limit))
		return;
	while (batch) {
		GQueue *from = n->partial.length ? &n->partial : &n->free;
		struct ref_slab *slab = g_queue_pop_head(from);

		if (!slab)
			break;
		for (; slab->chain->len && batch; batch--)
			ref_take(n, slab);
		g_queue_push_head(slab->chain->len ? &n->partial : &n->full,
				  slab);
	}
}

static struct ref_object ref_alloc(struct ref *ref, u32 node)
{
	struct ref_node *n = &ref->node[node];
	struct ref_object o;

	while (!n->stack->len) {
		ref_refill(ref, n);
		if (!n->stack->len)
			ref_grow(ref, node);
		else
			n->touched = true;
	}
	o = g_array_index(n->stack, struct ref_object, n->stack->len - 1);
	g_array_set_size(n->stack, n->stack->len - 1);
	return o;
}

/* The oldest of an array go back to their slabs. */
static void ref_return(struct ref *ref, GArray *from, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		struct ref_object o =
			g_array_index(from, struct ref_object, i);
		struct ref_slab *slab = o.slab;
		struct ref_node *n = &ref->node[slab->node];

		if (!g_queue_remove(&n->full, slab))
			must(g_queue_remove(&n->partial, slab));
		g_array_append_val(slab->chain, o.index);
		n->free_objects++;
		if (--slab->inuse) {
			g_queue_push_tail(&n->partial, slab);
		} else if (n->free_objects > ref->free_limit) {
			n->free_objects -= ref->num;
			ref_slab_free(slab);
		} else {
			g_queue_push_head(&n->free, slab);
		}
	}
	if (count)
		g_array_remove_range(from, 0, count);
}

static void ref_flush(struct ref *ref, struct ref_node *n)
{
	u32 room = ref->shared_limit - n->shared->len;
	u32 count = MIN(ref->batch, room);

	if (!room) {
		ref_return(ref, n->stack, ref->batch);
		return;
	}
	g_array_append_vals(n->shared, n->stack->data, count);
	g_array_remove_range(n->stack, 0, count);
}

static void ref_free(struct ref *ref, u32 node, struct ref_object o)
{
	struct ref_node *n = &ref->node[node];
	GArray *to = n->stack;

	if (o.slab->node != node) {
		GArray *shared = ref->node[o.slab->node].shared;

		to = n->alien;
		if (to->len == ALIENS) {
			move_newest(shared, to, ALIENS,
				    ref->shared_limit - shared->len);
			ref_return(ref, to, to->len);
		}
	} else if (to->len == ref->limit) {
		ref_flush(ref, n);
	}
	g_array_append_val(to, o);
}

struct pair {
	struct ref_object ref;
	void *object;
};

/* The same slab, the same index, and as many of its objects in use. */
static void compare(const struct pair *pair)
{
	const struct page *page = head_of(
		page_of_address(kernel->mm, object_address(pair->object)));
	const struct slab *slabp = page->slab_page;
	struct ref_slab *slab = pair->ref.slab;

	if (!slab->place)
		slab->place = slabp->memory;
	must(slab->place == slabp->memory);
	must(slab->node == page->node);
	must(slot_of(pair->object)->index == pair->ref.index);
	must(slabp->inuse == slab->inuse);
}

static void compare_nodes(const struct ref *ref, const struct kmem_cache *s)
{
	u32 i;

	for (i = 0; i < NODES; i++) {
		const struct kmem_list3 *l3 = s->nodelists[i];

		must(ref->node[i].stack->len == s->array[i]->avail);
		must(ref->node[i].shared->len == l3->shared->avail);
		must(ref->node[i].alien->len == l3->alien[!i]->ac.avail);
		must(ref->node[i].free_objects == l3->free_objects);
	}
}

/* Even: 3.6; odd: 4.6.  Of each a cache that can keep its indexes in an object
 * and one that cannot. */
START_TEST(test_order_on_two_nodes)
{
	struct pair *pairs = g_new0(struct pair, HELD);
	struct any_cache *cache;
	struct kmem_cache *s;
	struct random_stream random;
	struct ref ref;
	u32 n = 0, step, target = 0, most = 0;

	start(_i % 2, NODES, 1);
	cache = _i / 2 ? udp_cache(kernel, SLAB_DESTROY_BY_RCU) :
			 udpv6_cache(kernel);
	s = (struct kmem_cache *)cache;
	ref_init(&ref, s);
	random_seed(&random, _i, "two nodes", 0);
	for (step = 0; step < 60000; step++) {
		u32 node = random_u64(&random) % NODES, i;

		if (step % 2000 == 0)
			target = random_u64(&random) % HELD;
		on_cpu(kernel, node);
		if (n < target || !n) {
			pairs[n].ref = ref_alloc(&ref, node);
			pairs[n].object = kmem_cache_alloc(cache, GFP_ATOMIC);
			compare(&pairs[n++]);
		} else {
			i = random_u64(&random) % n;
			compare(&pairs[i]);
			ref_free(&ref, node, pairs[i].ref);
			kmem_cache_free(cache, pairs[i].object);
			pairs[i] = pairs[--n];
		}
		most = MAX(most, n);
		compare_nodes(&ref, s);
		if (step % 500 == 0)
			verify_slab_cache(s);
	}
	ck_assert_uint_gt(most, 500);
	ck_assert_uint_eq(verify_slab_cache(s) + n,
			  info_of(kernel, s->any.name).num_objs);
	on_cpu(kernel, 0);
	ref_fini(&ref);
	g_free(pairs);
}
END_TEST

Suite *suite_slab_4_6(void)
{
	Suite *suite = suite_create("slab_4_6");
	TCase *tests = tcase_create("slab_4_6");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, test_published_sizes, 0, 2);
	tcase_add_test(tests, test_sizes);
	tcase_add_test(tests, test_where_the_indexes_lie);
	tcase_add_loop_test(tests, test_who_destroys, 0, 2);
	tcase_add_loop_test(tests, test_order_on_two_nodes, 0, 4);
	suite_add_tcase(suite, tests);
	return suite;
}
