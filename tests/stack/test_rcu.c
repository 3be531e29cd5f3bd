/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RCU on a machine that runs: callbacks come in order, on the CPU that queued
 * them, and after the readers that were there; batches and grace periods keep
 * to their limits; waiting works; and a machine with nothing to do rests.
 */
#include "neigh_support.h"
#include "net_support.h"
#include "sim/random.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/slab.h"
#include "stack/kernel/rcu.h"

#define CPUS 4u
#define CALLBACKS 400u		/* of each CPU */

static const char *const kernels[] = { "linux-3.6", "linux-4.6", "linux-6.1" };

/* A waiter has an rcu_head; this one stands before it in memory. */
struct queued {
	struct rcu_synchronize *waiter;
	u32 cpu, serial;
	u64 inside[CPUS];	/* the section each reader was in; 0: none */
	ps_t at;
};

static struct {
	struct net_fixture *net;
	struct queued q[CPUS * CALLBACKS];
	u32 queued, ran, next[CPUS];
	u64 section[CPUS];	/* the number of the one that it is in; or 0 */
	u64 sections;
	ps_t longest;
	u64 seed;
	u32 count;
	ps_t last;
} t;

/* Interrupts come in, and others catch up. */
static void spend(u32 instructions)
{
	WORK(instructions);
	if (this_cpu->clock > this_cpu->limit)
		cpu_service(this_cpu);
}

static struct queued *find(const struct rcu_synchronize *waiter)
{
	u32 i;

	for (i = 0; i < t.queued; i++)
		if (t.q[i].waiter == waiter)
			return &t.q[i];
	ck_abort_msg("never queued");
}

static void came(void *object)
{
	const struct queued *q = find(object);
	u32 i;

	if (this_cpu->id != q->cpu || t.next[q->cpu]++ != q->serial)
		ck_abort_msg("callback %u of CPU %u: on CPU %u, in the wrong "
			     "order", q->serial, q->cpu, this_cpu->id);
	for (i = 0; i < CPUS; i++)
		if (q->inside[i] && q->inside[i] == t.section[i])
			ck_abort_msg("the reader on CPU %u is still inside", i);
	t.longest = MAX(t.longest, this_cpu->clock - q->at);
	t.last = this_cpu->clock;
	t.ran++;
}

static void queue_one(u32 serial)
{
	struct queued *q = &t.q[t.queued++];

	*q = (struct queued){
		.waiter = STATIC_OBJECT(this_kernel(), rcu_synchronize, 0),
		.cpu = this_cpu->id, .serial = serial, .at = this_cpu->clock,
	};
	memcpy(q->inside, t.section, sizeof(q->inside));
	CALL_RCU(q->waiter, head, came);
}

static void read_for_a_while(struct random_stream *random)
{
	u32 id = this_cpu->id;
	u64 steps = random_below(random, 40);

	rcu_read_lock();
	t.section[id] = ++t.sections;
	while (steps--)
		spend(20000);
	t.section[id] = 0;
	rcu_read_unlock();
}

/* System calls of random length, which read, queue, or neither. */
static void busy(void *arg)
{
	struct random_stream random;
	u32 queued = 0, *count = arg;

	random_seed(&random, t.seed, "rcu", this_cpu->id);
	while (queued < *count) {
		u64 what = random_below(&random, 4);

		system_call_enter();
		if (!what)
			read_for_a_while(&random);
		else if (what == 1)
			queue_one(queued++);
		else
			spend(1000);
		system_call_exit();
		spend(1 + (u32)random_below(&random, 2000));
	}
}

/* Stays until all have come: true, or until a second is over. */
static void wait_for_all(void *arg)
{
	const u32 *all = arg;
	ps_t end = this_cpu->clock + PS_PER_S;

	while (t.ran < *all && this_cpu->clock < end) {
		system_call_enter();
		spend(2000);
		system_call_exit();
		spend(2000);
	}
}

static void begin(int kernel, const struct kernel_setting *parameters)
{
	struct net_setup setup = {
		.kernel = kernels[kernel], .cores = CPUS,
		.parameters = parameters,
	};

	memset(&t, 0, sizeof(t));
	t.net = net_new(&setup);
	time_start_ticks(t.net->kernel);
}

/* ---- order, and readers ---- */

START_TEST(test_readers)
{
	static u32 count = CALLBACKS, all = (CPUS - 1) * CALLBACKS;
	struct net_process processes[CPUS];
	u32 i;

	begin(_i % 3, NULL);
	t.seed = (u64)_i;
	for (i = 0; i < CPUS; i++)
		processes[i] = (struct net_process){
			.cpu = i, .fn = i ? busy : wait_for_all,
			.arg = i ? &count : &all,
		};
	net_run(t.net, processes, CPUS);
	ck_assert_uint_eq(t.queued, all);
	ck_assert_uint_eq(t.ran, all);
	net_free(t.net);
}
END_TEST

/* ---- grace periods ---- */

/* One callback on a machine whose other CPUs are idle waits for the first
 * forcing pass, which finds them so, and for less than the double. */
static ps_t latency(int kernel, const struct kernel_setting *parameters)
{
	static u32 one = 1;
	struct net_process processes[] = {
		{ .cpu = 1, .fn = busy, .arg = &one },
		{ .cpu = 2, .fn = wait_for_all, .arg = &one },
	};

	begin(kernel, parameters);
	net_run(t.net, processes, 2);
	ck_assert_uint_eq(t.ran, 1);
	net_free(t.net);
	return t.longest;
}

START_TEST(test_first_pass)
{
	static const struct kernel_setting late[] = {
		{ "kernel.hz", "1000", "" },
		{ "rcu.jiffies_till_first_fqs", "40", "" },
		{ NULL, NULL, NULL },
	};
	static const struct kernel_setting usual[] = {
		{ "kernel.hz", "1000", "" },
		{ NULL, NULL, NULL },
	};
	ps_t a = latency(_i, usual), b;

	ck_assert_uint_ge(a, 2 * PS_PER_MS);
	ck_assert_uint_le(a, 20 * PS_PER_MS);
	if (!_i)
		return;		/* 3.6 has no such parameter */
	b = latency(_i, late);
	ck_assert_uint_ge(b, 39 * PS_PER_MS);
	ck_assert_uint_le(b, 60 * PS_PER_MS);
}
END_TEST

/* ---- batches ---- */

static void queue_many(void *arg)
{
	u32 i, *count = arg;

	for (i = 0; i < *count; i++) {
		system_call_enter();
		queue_one(i);
		system_call_exit();
	}
}

static s64 blimit_now(void)
{
	return rcu_data_of(1)->blimit;
}

static void watch_limit(void *arg)
{
	s64 *most = arg;
	ps_t end = this_cpu->clock + PS_PER_S;

	while ((t.ran < t.count || !t.queued) && this_cpu->clock < end) {
		*most = MAX(*most, blimit_now());
		system_call_enter();
		spend(3000);
		system_call_exit();
		spend(3000);
	}
	for (end = this_cpu->clock + PS_PER_MS; this_cpu->clock < end; )
		spend(5000);
}

/* Up to qhimark the limit stands; beyond, it goes until few are left. */
START_TEST(test_marks)
{
	static const struct kernel_setting marks[] = {
		{ "rcu.blimit", "7", "" },
		{ "rcu.qhimark", "500", "" },
		{ "rcu.qlowmark", "50", "" },
		{ NULL, NULL, NULL },
	};
	u32 count = _i / 3 ? 1500 : 400;
	s64 most = 0;
	struct net_process processes[] = {
		{ .cpu = 1, .fn = queue_many, .arg = &count },
		{ .cpu = 2, .fn = watch_limit, .arg = &most },
	};

	begin(_i % 3, marks);
	t.count = count;
	ck_assert_int_eq(blimit_now(), 7);
	net_run(t.net, processes, 2);
	ck_assert_uint_eq(t.ran, count);
	ck_assert_int_eq(blimit_now(), 7);
	ck_assert_int_eq(rcu_data_of(1)->cblist.len, 0);
	if (_i / 3)
		ck_assert_int_ge(most, 10000);
	else
		ck_assert_int_eq(most, 7);
	net_free(t.net);
}
END_TEST

/* ---- waiting ---- */

static void reader(void *arg)
{
	u32 i;

	(void)arg;
	rcu_read_lock();
	t.section[1] = 1;
	for (i = 0; i < 2000; i++)
		spend(20000);
	t.last = this_cpu->clock;
	t.section[1] = 0;
	rcu_read_unlock();
	for (i = 0; i < 1000; i++) {
		system_call_enter();
		spend(2000);
		system_call_exit();
		spend(2000);
	}
}

static void waiter(void *arg)
{
	ps_t *woken = arg;

	system_call_enter();
	while (!t.section[1])
		spend(100);
	synchronize_rcu();
	*woken = this_cpu->clock;
	system_call_exit();
}

START_TEST(test_synchronize)
{
	ps_t woken = 0;
	struct net_process processes[] = {
		{ .cpu = 1, .fn = reader },
		{ .cpu = 3, .fn = waiter, .arg = &woken },
	};

	begin(_i, NULL);
	net_run(t.net, processes, 2);
	ck_assert_uint_gt(t.last, PS_PER_MS);
	ck_assert_uint_ge(woken, t.last);
	ck_assert_uint_le(woken, t.last + 100 * PS_PER_MS);
	net_free(t.net);
}
END_TEST

/* ---- freeing under a reader ---- */

enum how { AT_ONCE, LATER, AFTER_A_LOCK, OUTSIDE };

static struct {
	struct socket_wq *wq;
	enum how how;
	u32 step;
} shared;

static void wait_for_step(u32 step)
{
	while (shared.step < step)
		spend(100);
}

static void pass_lock(void)
{
	SPIN_LOCK(rcu_get_root(), lock);
	SPIN_UNLOCK(rcu_get_root(), lock);
}

/* It looks at what is shared, and stays in its section for long. */
static void looker(void *arg)
{
	(void)arg;
	rcu_read_lock();
	(void)READ_ONCE(shared.wq, fasync_list);
	if (shared.how == AFTER_A_LOCK)
		pass_lock();
	if (shared.how == OUTSIDE)
		rcu_read_unlock();
	shared.step = 1;
	wait_for_step(2);
	if (shared.how != OUTSIDE)
		rcu_read_unlock();
}

static void freer(void *arg)
{
	struct socket_wq *wq = shared.wq;

	(void)arg;
	wait_for_step(1);
	if (shared.how == AFTER_A_LOCK)
		pass_lock();
	if (shared.how == LATER)
		KFREE_RCU(wq, rcu);
	else
		kfree(wq);
	shared.step = 2;
}

/* Found where nothing orders the reader's look before the free. */
START_TEST(test_freed_under_a_reader)
{
	struct net_setup setup = {
		.kernel = kernels[_i % 3], .cores = CPUS, .check = true,
	};
	struct net_process processes[] = {
		{ .cpu = 1, .fn = looker },
		{ .cpu = 3, .fn = freer },
	};
	const char *found;

	memset(&shared, 0, sizeof(shared));
	shared.how = (enum how)(_i / 3);
	t.net = net_new(&setup);
	time_start_ticks(t.net->kernel);
	shared.wq = KMALLOC(socket_wq, GFP_KERNEL);
	net_run(t.net, processes, 2);
	found = check_findings(t.net->machine->check)[0];
	if (shared.how == AT_ONCE)
		ck_assert_str_eq(found, "socket_wq: freed while a reader of "
				 "RCU looks at it");
	else
		ck_assert_ptr_null(found);
	net_free(t.net);
}
END_TEST

/* ---- rest ---- */

static void idle_for_long(void *arg)
{
	ps_t end = this_cpu->clock + PS_PER_S / 2;

	queue_many(arg);
	while (this_cpu->clock < end) {
		system_call_enter();
		spend(20000);
		system_call_exit();
		spend(20000);
	}
}

/* With nothing queued, no grace period begins and idle CPUs do not tick. */
START_TEST(test_rest)
{
	u32 one = 1;
	struct net_process process = { .fn = idle_for_long, .arg = &one };
	u64 seq, ticks;

	begin(_i, NULL);
	net_run(t.net, &process, 1);
	ck_assert_uint_eq(t.ran, 1);
	seq = has(RCU_GP_SEQ) ? rcu_state()->gp_seq >> 2 :
				rcu_state()->completed;
	ticks = rcu_data_of(3)->ticks_this_gp;
	ck_assert(!rcu_gp_in_progress());
	ck_assert_uint_ge(seq, 1);
	ck_assert_uint_le(seq, 3);
	ck_assert_uint_le(ticks, 20);
	net_free(t.net);
}
END_TEST

Suite *suite_rcu(void)
{
	const int n = (int)ARRAY_SIZE(kernels);
	Suite *suite = suite_create("rcu");
	TCase *tcase = tcase_create("running");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_readers, 0, 4 * n);
	tcase_add_loop_test(tcase, test_first_pass, 0, n);
	tcase_add_loop_test(tcase, test_marks, 0, 2 * n);
	tcase_add_loop_test(tcase, test_synchronize, 0, n);
	tcase_add_loop_test(tcase, test_freed_under_a_reader, 0, 4 * n);
	tcase_add_loop_test(tcase, test_rest, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}
