/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of many sockets: which descriptor comes next, how the table of them
 * grows, and that nothing of a socket is left when it is closed.
 */
#include <errno.h>
#include <string.h>

#include "mm_support.h"
#include "net6_support.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/rcupdate.h"
#include "tests/rounds.h"

#define KERNELS 5u
static const char *const kernels[KERNELS] = {
	"linux-3.6", "linux-3.12", "linux-3.15", "linux-4.6", "linux-6.1",
};

/* ---- descriptors ---- */

/* Most on the kernel of the published experiment. */
static const u32 descriptors[KERNELS] = {
	30000, 30000, 30000, 100000, 30000
};

/* What is known of the table: which are open, in what order they were opened,
 * and that all below `low` are open. */
struct table {
	u32 limit, n, low, highest;
	bool *open;
	u32 *fds;
	struct random_stream random;
};

static u32 lowest_free(struct table *t)
{
	const bool *at = memchr(t->open + t->low, false, t->limit - t->low);

	return at ? (u32)(at - t->open) : t->limit;
}

/* 64, or 128 doubled as often as it takes. */
static u32 table_size(u32 highest)
{
	u32 size = 128;

	if (highest < NR_OPEN_DEFAULT)
		return NR_OPEN_DEFAULT;
	while (size <= highest)
		size *= 2;
	return size;
}

static void open_next(struct table *t)
{
	const struct files_struct *files = current_task()->files;
	u32 next = lowest_free(t);
	int fd = sys_socket(PF_INET, SOCK_DGRAM, 0);

	if (next == t->limit) {
		must(fd == -EMFILE);
		return;
	}
	must(fd == (int)next);
	t->open[fd] = true;
	t->low = next + 1;
	t->fds[t->n++] = (u32)fd;
	t->highest = MAX(t->highest, next);
	must(table_size(t->highest) == (files->big ? files->big->max_fds :
					NR_OPEN_DEFAULT));
}

static void close_one(struct table *t)
{
	u32 i = (u32)random_below(&t->random, t->n), fd = t->fds[i];

	must(sys_close((int)fd) == 0);
	must(sys_close((int)fd) == -EBADF);
	t->open[fd] = false;
	t->low = MIN(t->low, fd);
	t->fds[i] = t->fds[--t->n];
}

static void descriptors_main(void *arg)
{
	struct table *t = arg;
	u32 i, refused = 0;

	current_task()->signal->rlim.nofile = t->limit;
	while (refused < 3) {
		refused += t->n == t->limit;
		if (t->n && !random_below(&t->random, 8))
			close_one(t);
		else
			open_next(t);
	}
	for (i = 0; i < t->limit / 8; i++) {
		if (random_below(&t->random, 2))
			close_one(t);
		else
			open_next(t);
	}
	while (t->n)
		close_one(t);
	must(sys_close((int)t->limit) == -EBADF);
	open_next(t);
	must(t->open[0]);
	close_one(t);
}

START_TEST(test_descriptors)
{
	struct net_setup setup = { .kernel = kernels[_i] };
	struct net_fixture *net = net_new(&setup);
	struct table t = { .limit = test_rounds(descriptors[_i]) };

	t.open = g_new0(bool, t.limit);
	t.fds = g_new(u32, t.limit);
	random_seed(&t.random, 1, "descriptors", (u32)_i);
	net_run_one(net, descriptors_main, &t);
	ck_assert_uint_eq(t.highest, t.limit - 1);
	g_free(t.open);
	g_free(t.fds);
	net_free(net);
}
END_TEST

/* ---- what is left ---- */

#define SOCKETS 500u

static void open_all(int fds[SOCKETS], struct random_stream *random)
{
	u32 i;

	for (i = 0; i < SOCKETS; i++) {
		bool v6 = random_below(random, 2);
		struct sockaddr_any any = { .family = v6 ? PF_INET6 : PF_INET };
		u64 use = random_below(random, 4);

		fds[i] = v6 ? net6_socket() : net_socket();
		if (use == 1)
			ck_assert_int_eq(sys_bind(fds[i], &any, v6 ?
						  SOCKADDR_IN6_SIZE :
						  SOCKADDR_IN_SIZE), 0);
		else if (use == 2)
			ck_assert_int_eq(v6 ? net6_connect(fds[i], NET6_PEER) :
					 net_connect(fds[i], NET_PEER,
						     NET_PORT), 0);
		else if (use == 3)
			ck_assert_int_eq(v6 ? net6_send_to(fds[i], "x", 1, 0,
							   NET6_PEER) :
					 net_send_to(fds[i], "x", 1, 0,
						     NET_PEER), 1);
	}
}

struct life {
	int fds[SOCKETS];
	bool opened, closed[2];
	struct random_stream random;
};

/* One CPU opens them and closes every second; the other closes the rest, and
 * so gives them back to where they were not taken from.  Both then wait for
 * readers, after which what they have freed is free. */
static void close_half(struct life *l, u32 half)
{
	u32 i;

	for (i = half; i < SOCKETS; i += 2)
		ck_assert_int_eq(sys_close(l->fds[i]), 0);
	system_call_enter();
	synchronize_rcu();
	system_call_exit();
	l->closed[half] = true;
}

static void owner_main(void *arg)
{
	struct life *l = arg;

	open_all(l->fds, &l->random);
	l->opened = true;
	close_half(l, 0);
}

static void other_main(void *arg)
{
	struct life *l = arg;

	while (!l->opened) {
		system_call_enter();	/* a place to wait */
		WORK(1000);
		system_call_exit();
	}
	close_half(l, 1);
}

/* SLAB's own objects in a cache: those that manage the slabs of others. */
static u32 managing(const struct kernel *kernel, const struct any_cache *cache)
{
	struct slabinfo info;
	u32 n = 0, i;

	if (cache->is_slub)
		return 0;
	for (i = 0; !slabinfo_get(kernel, i, &info); i++) {
		const struct kmem_cache *other = kernel->mm->caches->pdata[i];

		if (other->flags & CFLGS_OFF_SLAB &&
		    &other->slabp_cache->any == cache)
			n += info.num_slabs;
	}
	return n;
}

/* Objects in use, by cache. */
static GArray *census(const struct kernel *kernel)
{
	GArray *counts = g_array_new(FALSE, FALSE, sizeof(u32));
	struct slabinfo info;
	u32 i;

	for (i = 0; !slabinfo_get(kernel, i, &info); i++) {
		const struct any_cache *cache = kernel->mm->caches->pdata[i];
		u32 used = info.num_objs - count_free_objects(cache);

		ck_assert_uint_le(used, info.active_objs);
		used -= managing(kernel, cache);
		g_array_append_val(counts, used);
	}
	return counts;
}

static void live_once(struct net_fixture *net, struct life *l)
{
	const struct net_process processes[] = {
		{ 0, owner_main, l, false }, { 1, other_main, l, true },
	};

	l->opened = l->closed[0] = l->closed[1] = false;
	net_run(net, processes, 2);
	ck_assert(l->closed[0] && l->closed[1]);
}

START_TEST(test_nothing_is_left)
{
	struct net_setup setup = { .kernel = kernels[_i], .cores = 2 };
	struct net_fixture *net = net6_new(&setup);
	struct life l;
	GArray *before, *after;
	u32 i;

	time_start_ticks(net->kernel);
	random_seed(&l.random, 1, "life", (u32)_i);
	live_once(net, &l);	/* makes what stays: routes of the CPUs */
	before = census(net->kernel);
	for (i = 0; i < 3; i++)
		live_once(net, &l);
	after = census(net->kernel);
	ck_assert_uint_eq(before->len, after->len);
	for (i = 0; i < before->len; i++) {
		struct slabinfo info;
		u32 was = g_array_index(before, u32, i);
		u32 is = g_array_index(after, u32, i);

		slabinfo_get(net->kernel, i, &info);
		if (was != is)
			ck_abort_msg("%s: %u objects, now %u", info.name, was,
				     is);
	}
	g_array_unref(before);
	g_array_unref(after);
	net_free(net);
}
END_TEST

Suite *suite_socket_life(void)
{
	Suite *suite = suite_create("socket_life");
	TCase *tests = tcase_create("socket_life");

	tcase_set_timeout(tests, 60);	/* under sanitizers */
	tcase_add_loop_test(tests, test_descriptors, 0, KERNELS);
	tcase_add_loop_test(tests, test_nothing_is_left, 0, KERNELS);
	suite_add_tcase(suite, tests);
	return suite;
}
