/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a typesafe cache, of SLAB and of SLUB: nobody has them while a
 * reader is inside who came before their slab went; later they are free.
 */
#include "mm_support.h"
#include "sim/cpu.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/skbuff.h"

#define OBJECTS 2000u

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };
static struct kernel *kernel;

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

struct seen {
	struct any_cache *cache;
	u64 before, inside, after;	/* free pages */
	u64 gone;			/* pages of slabs that went */
};

static void spend(ps_t time)
{
	ps_t end = this_cpu->clock + time;

	while (this_cpu->clock < end) {
		WORK(20000);
		cpu_service(this_cpu);
	}
}

static u64 pages_of(const struct any_cache *cache)
{
	struct slabinfo info = info_of(kernel, cache->name);

	return info.num_slabs * info.pagesperslab;
}

static void free_inside(struct seen *seen)
{
	void *object[OBJECTS];
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		object[i] = kmem_cache_alloc(seen->cache, GFP_KERNEL);
	rcu_read_lock();
	seen->before = verify_pages(kernel->mm);
	seen->gone = pages_of(seen->cache);
	for (i = 0; i < OBJECTS; i++)
		kmem_cache_free(seen->cache, object[i]);
	seen->gone -= pages_of(seen->cache);
	spend(20 * PS_PER_MS);
	seen->inside = verify_pages(kernel->mm);
	rcu_read_unlock();
}

static void look(void *arg)
{
	struct seen *seen = arg;
	u32 i;

	system_call_enter();
	free_inside(seen);
	system_call_exit();
	for (i = 0; i < 100; i++) {
		spend(PS_PER_MS);
		sys_getppid();
	}
	seen->after = verify_pages(kernel->mm);
}

/* Of each kernel a typesafe cache, then another. */
START_TEST(test_pages_wait)
{
	bool typesafe = _i < (int)ARRAY_SIZE(kernels);
	struct mm_setup setup = {
		.packages = 1, .cores = 2, .check = true,
		.data = kernels[_i % (int)ARRAY_SIZE(kernels)],
	};
	struct seen seen = { 0 };

	kernel = mm_kernel_new(&setup);
	seen.cache = kmem_cache_create(kernel, "some", STRUCT_sk_buff,
				       sizeof(struct sk_buff), 0, 0,
				       typesafe ? SLAB_DESTROY_BY_RCU : 0);
	time_start_ticks(kernel);
	mm_in_process(kernel, look, &seen);
	ck_assert_uint_gt(seen.gone, 2);
	ck_assert_uint_eq(seen.inside,
			  seen.before + (typesafe ? 0 : seen.gone));
	ck_assert_uint_eq(seen.after, seen.before + seen.gone);
	verify_no_findings(kernel);
}
END_TEST

Suite *suite_slab_rcu(void)
{
	Suite *suite = suite_create("slab_rcu");
	TCase *tests = tcase_create("slab_rcu");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, test_pages_wait, 0,
			    2 * (int)ARRAY_SIZE(kernels));
	suite_add_tcase(suite, tests);
	return suite;
}
