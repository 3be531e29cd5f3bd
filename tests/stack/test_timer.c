/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers on jiffies: their order, when they run and on which CPU, and softirqs
 * that wait for bottom halves to go on.
 */
#include "neigh_support.h"
#include "stack/include/net/sch_generic.h"
#include "stack/include/linux/softirq.h"
#include "stack/include/linux/timer.h"

#define MANY 8u

/* Timers that note when they have run. */
struct alarm {
	struct timer_list timer;
	u32 index;
};

static struct {
	struct alarm alarms[MANY];
	u32 order[64];
	u64 jiffies[64];
	u32 cpus[64];
	u32 n;
	u64 again;		/* so much later, once more */
} run;

static void note(struct timer_list *timer)
{
	const struct alarm *alarm = (struct alarm *)(void *)timer;

	ck_assert_uint_lt(run.n, ARRAY_SIZE(run.order));
	run.order[run.n] = alarm->index;
	run.cpus[run.n] = this_cpu->id;
	run.jiffies[run.n++] = jiffies_data()->jiffies;
	if (run.again)
		mod_timer(timer, jiffies_data()->jiffies + run.again);
}

static struct net_fixture *timers_new(int kernel)
{
	const struct net_setup setup = {
		.kernel = kernel ? "linux-6.1" : "linux-3.6",
		.cores = 2, .check = true,
	};
	struct net_fixture *net = net_new(&setup);
	struct object *holder;
	u32 i;

	/* None of the neighbours' own shall run. */
	jiffies_data()->jiffies += 1;
	memset(&run, 0, sizeof(run));
	holder = static_object(net->kernel, STRUCT_Qdisc, sizeof(struct Qdisc),
			       0);
	for (i = 0; i < MANY; i++) {
		run.alarms[i].index = i;
		run.alarms[i].timer.function = note;
		timer_setup(&run.alarms[i].timer, holder, 0);
	}
	return net;
}

static u64 now(void)
{
	return jiffies_data()->jiffies;
}

/* By time; those of one jiffy in the order in which they were added last. */
START_TEST(test_order)
{
	static const u32 after[] = { 40, 7, 40, 3, 40, 9 };
	static const u32 want[] = { 3, 1, 5, 2, 4, 0 };
	struct net_fixture *net = timers_new(_i);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(after); i++)
		add_timer(&run.alarms[i].timer, now() + after[i]);
	ck_assert(mod_timer(&run.alarms[0].timer, now() + 41));
	ck_assert(mod_timer(&run.alarms[0].timer, now() + 40));
	add_timer(&run.alarms[6].timer, now() + 20);
	ck_assert(del_timer(&run.alarms[6].timer));
	ck_assert(!del_timer(&run.alarms[6].timer));
	pass_jiffies(60);
	ck_assert_uint_eq(run.n, ARRAY_SIZE(want));
	for (i = 0; i < run.n; i++)
		ck_assert_uint_eq(run.order[i], want[i]);
	ck_assert(!mod_timer(&run.alarms[0].timer, now() + 5));
	net_free(net);
}
END_TEST

/*
 * When a timer runs that is set to so much later, worked out by hand from the
 * rules.  3.6: up to 255 jiffies exactly; beyond, the time and what is a 256th
 * more are compared, and the later one runs with the bits below the highest
 * one that differs cleared.  6.1: the end of the slot of 1, 8, 64, ... jiffies
 * in which the time lies, from 63, 504, 4032, ... jiffies on; slots begin at
 * multiples of their length.  Jiffies are 10000 when it is set.
 */
static const struct when {
	u64 after, old, new;
} whens[] = {
	{ 0, 10000, 10001 },
	{ 1, 10001, 10002 },
	{ 62, 10062, 10063 },
	{ 63, 10063, 10064 },	/* slot 10056 to 10063 */
	{ 64, 10064, 10072 },
	{ 255, 10255, 10256 },
	{ 256, 10257, 10264 },	/* 10256 or 10257: bit 0 differs */
	{ 257, 10258, 10264 },	/* 10257 or 10258: bit 1 */
	{ 503, 10504, 10504 },	/* 10503 or 10504: bit 3 */
	{ 504, 10505, 10560 },	/* slot 10496 to 10559 */
	{ 1000, 11002, 11008 },	/* 11000 or 11003: bit 1; 10944 to 11007 */
	{ 5000, 15008, 15360 },	/* 15000 or 15019: bit 5; 14848 to 15359 */
	{ 30000, 40064, 40448 },	/* 40000 or 40117: bit 7 */
};

START_TEST(test_when)
{
	struct net_fixture *net = timers_new(_i);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(whens); i++) {
		struct timer_list *timer = &run.alarms[0].timer;
		u64 want = _i ? whens[i].new : whens[i].old;

		jiffies_data()->jiffies = 10000;
		run.n = 0;
		mod_timer(timer, 10000 + whens[i].after);
		/* What is over already runs with the next tick. */
		while (!run.n)
			pass_jiffy();
		ck_assert_uint_eq(run.jiffies[0], MAX(want, 10001));
	}
	net_free(net);
}
END_TEST

/* A timer may set itself again, or another one back, from its function. */
START_TEST(test_again)
{
	struct net_fixture *net = timers_new(_i);
	u32 i;

	run.again = 10;
	mod_timer(&run.alarms[0].timer, now() + 10);
	pass_jiffies(45 + (u32)_i * 4);
	ck_assert_uint_eq(run.n, 4);
	for (i = 1; i < run.n; i++)
		ck_assert_uint_eq(run.jiffies[i] - run.jiffies[i - 1],
				  10 + (u32)_i);
	net_free(net);
}
END_TEST

/* The counter wraps. */
START_TEST(test_wrap)
{
	struct net_fixture *net = timers_new(_i);

	jiffies_data()->jiffies = UINT64_MAX - 5;
	mod_timer(&run.alarms[0].timer, 10);
	mod_timer(&run.alarms[1].timer, UINT64_MAX - 1);
	pass_jiffies(5 + (u32)_i);
	ck_assert_uint_eq(run.n, 1);
	ck_assert_uint_eq(run.order[0], 1);
	pass_jiffies(12);
	ck_assert_uint_eq(run.n, 2);
	net_free(net);
}
END_TEST

/* Bottom halves are off: it waits, and runs as soon as they go on. */
START_TEST(test_bottom_halves)
{
	struct net_fixture *net = timers_new(_i);

	mod_timer(&run.alarms[0].timer, now() + 3);
	local_bh_disable();
	pass_jiffies(10);
	ck_assert_uint_eq(run.n, 0);
	local_bh_disable();
	local_bh_enable();
	ck_assert_uint_eq(run.n, 0);
	local_bh_enable();
	ck_assert_uint_eq(run.n, 1);
	ck_assert_uint_eq(THIS_CPU(irq_stat)->__softirq_pending, 0);
	net_free(net);
}
END_TEST

/* ---- in a run ---- */

static void wake(void *arg, ps_t time)
{
	context_wake(arg, time);
}

static void sleep_jiffies(u32 n)
{
	machine_at(this_cpu->machine, this_cpu->clock + n * (PS_PER_S / HZ),
		   EVENT_TIMER, this_cpu->id, this_cpu->id, wake,
		   this_cpu->current);
	context_block();
}

/* Busy, with calls at which interrupts are taken, for so long. */
static void spin_jiffies(u32 n)
{
	u64 until = now() + n;

	while (time_before(now(), until)) {
		WORK(1000);
		local_bh_disable();
		local_bh_enable();
	}
}

/* A timer runs where it was set last, although that CPU is idle by then, and
 * not on the other one, which is busy; a deferrable one waits until its CPU
 * has something else to do. */
static void on_cpu_0(void *arg)
{
	(void)arg;
	mod_timer(&run.alarms[0].timer, now() + 1000);
	sleep_jiffies(3);
	spin_jiffies(30);
	ck_assert_uint_eq(run.n, 1);
	ck_assert_uint_eq(run.order[0], 0);
	ck_assert_uint_eq(run.cpus[0], 1);
	sleep_jiffies(100);
}

static void on_cpu_1(void *arg)
{
	(void)arg;
	sleep_jiffies(2);
	ck_assert(mod_timer(&run.alarms[0].timer, now() + 3));
	run.alarms[1].timer.deferrable = true;
	mod_timer(&run.alarms[1].timer, now() + 10);
	sleep_jiffies(60);
	ck_assert_uint_eq(run.n, 1);
	spin_jiffies(3);
	ck_assert_uint_eq(run.n, 2);
	ck_assert_uint_eq(run.order[1], 1);
	ck_assert_uint_eq(run.cpus[1], 1);
}

START_TEST(test_cpus)
{
	struct net_fixture *net = timers_new(_i);
	const struct net_process processes[] = {
		{ .cpu = 0, .fn = on_cpu_0 }, { .cpu = 1, .fn = on_cpu_1 },
	};

	time_start_ticks(net->kernel);
	net_run(net, processes, 2);
	ck_assert_uint_eq(run.n, 2);
	net_verify_rules(net);
	net_free(net);
}
END_TEST

/* ---- suite ---- */

Suite *suite_timer(void)
{
	Suite *suite = suite_create("timer");
	TCase *alone = tcase_create("alone");
	TCase *cpus = tcase_create("cpus");

	tcase_set_timeout(alone, 30);
	tcase_add_loop_test(alone, test_order, 0, NEIGH_KERNELS);
	tcase_add_loop_test(alone, test_when, 0, NEIGH_KERNELS);
	tcase_add_loop_test(alone, test_again, 0, NEIGH_KERNELS);
	tcase_add_loop_test(alone, test_wrap, 0, NEIGH_KERNELS);
	tcase_add_loop_test(alone, test_bottom_halves, 0, NEIGH_KERNELS);
	suite_add_tcase(suite, alone);
	tcase_set_timeout(cpus, 30);
	tcase_add_loop_test(cpus, test_cpus, 0, NEIGH_KERNELS);
	suite_add_tcase(suite, cpus);
	return suite;
}
