/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SLAB gives back what is not used: each two seconds, on each busy CPU. */
#include "mm_support.h"
#include "net_support.h"
#include "sim/cpu.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/jiffies.h"

#define UDP_LIMIT 54u		/* objects in a CPU's array */
#define TAKEN 52u			/* all come to rest in it */
#define A_FIFTH ((UDP_LIMIT + 4) / 5)

static struct kernel *kernel;

static void start(const char *data)
{
	struct mm_setup setup = { .packages = 1, .cores = 2, .data = data };

	kernel = mm_kernel_new(&setup);
}

static void teardown(void)
{
	if (kernel)
		mm_kernel_free(kernel);
	kernel = NULL;
}

static u64 calls_of_cache_reap(void)
{
	struct net_fixture net = { .machine = kernel->machine };

	return net_calls(&net, "cache_reap");
}

static void spin_until(ps_t end)
{
	while (this_cpu->clock < end) {
		WORK(200000);
		sys_getppid();
	}
}

struct reaped {
	struct kmem_cache *cache;
	u32 avail[5];		/* after 0.5 s, 2.5 s, 4.5 s ... */
	u64 calls[5];
};

/* Fills this CPU's array, then does other things. */
static void fill_and_wait(void *arg)
{
	struct reaped *reaped = arg;
	struct any_cache *udp = &reaped->cache->any;
	void *object[TAKEN];
	u32 i;

	for (i = 0; i < TAKEN; i++)
		object[i] = kmem_cache_alloc(udp, GFP_KERNEL);
	for (i = 0; i < TAKEN; i++)
		kmem_cache_free(udp, object[i]);
	for (i = 0; i < 5; i++) {
		spin_until((4 * i + 1) * PS_PER_S / 2);
		reaped->avail[i] = reaped->cache->array[0]->avail;
		reaped->calls[i] = calls_of_cache_reap();
	}
}

/* On 3.6 and on 4.6. */
START_TEST(test_each_two_seconds)
{
	struct reaped r = { 0 };
	u32 i;

	start(_i ? "linux-4.6" : "linux-3.6");
	r.cache = (struct kmem_cache *)
		kmem_cache_create(kernel, "some", STRUCT_udp_sock,
				  sizeof(struct udp_sock), 0, 0, 0);
	ck_assert_uint_eq(r.cache->array[0]->limit, UDP_LIMIT);
	time_start_ticks(kernel);
	mm_in_process(kernel, fill_and_wait, &r);
	/* First at a whole second of jiffies, 1.7 s from the start; then each
	 * two seconds; the other CPU is idle. */
	for (i = 0; i < 5; i++)
		ck_assert_uint_eq(r.calls[i], i);
	/* The first spares what was used since. */
	ck_assert_uint_gt(r.avail[0], 3 * A_FIFTH);
	ck_assert_uint_eq(r.avail[1], r.avail[0]);
	for (i = 2; i < 5; i++)
		ck_assert_uint_eq(r.avail[i], r.avail[i - 1] - A_FIFTH);
	verify_slab_cache(r.cache);
}
END_TEST

static void wait_only(void *arg)
{
	(void)arg;
	spin_until(4 * PS_PER_S);
}

START_TEST(test_not_with_slub)
{
	start("linux-6.1");
	time_start_ticks(kernel);
	mm_in_process(kernel, wait_only, NULL);
	ck_assert_uint_eq(calls_of_cache_reap(), 0);
}
END_TEST

Suite *suite_slab_reap(void)
{
	Suite *suite = suite_create("slab_reap");
	TCase *timed = tcase_create("timed");

	tcase_add_loop_test(timed, test_each_two_seconds, 0, 2);
	tcase_add_test(timed, test_not_with_slub);
	tcase_add_checked_fixture(timed, NULL, teardown);
	tcase_set_timeout(timed, 120);
	suite_add_tcase(suite, timed);
	return suite;
}
