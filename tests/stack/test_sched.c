/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler: time slices, preemption, waking across CPUs, the choice of a
 * CPU, and ticks that stop. */
#include "net_support.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/timer.h"
#include "stack/layout.h"
#include "tests/profile.h"

static const char *const kernels[] = {
	"linux-2.6.32", "linux-3.6", "linux-4.6", "linux-6.1",
};
#define KERNELS ((int)G_N_ELEMENTS(kernels))

#define IPI_PS (700 * PS_PER_NS)
#define INTERRUPT_PS (200 * PS_PER_NS)
#define EXIT_PS (50 * PS_PER_US)

static struct net_fixture *net;

/* What the processes of a test tell each other. */
static struct {
	struct context *sleeper;
	ps_t until;		/* busy ones run up to here */
	ps_t ran[2];
	ps_t asked, woken;
	u32 cpu;		/* where it was woken */
	struct irq irq;
} test;

static void machine_up(const char *kernel, u32 packages, u32 cores)
{
	g_autofree char *folder = net_folder(kernel);
	struct kernel_config config = { .folder = folder };
	GError *error = NULL;

	memset(&test, 0, sizeof(test));
	net = g_new0(struct net_fixture, 1);
	net->profile = (struct machine_profile){
		.name = (char *)"sched", .packages = packages, .cores = cores,
		.threads = 1, .node_bytes = 1ull << 30, .smt_milli = 1000,
		.syscall_ps = 50000, .l1d = { 64 * 8 * LINE_SIZE, 8 },
		.l2 = { 512 * 8 * LINE_SIZE, 8 },
		.l3 = { 8192 * 16 * LINE_SIZE, 16 },
		.interrupt_ps = INTERRUPT_PS, .ipi_ps = IPI_PS,
		.context_switch_ps = 300 * PS_PER_NS,
		TEST_PROFILE_NUMBERS,
	};
	net->packets = g_ptr_array_new();
	net->machine = machine_new(&net->profile, 1, true);
	net->kernel = kernel_new(net->machine, &config, &error);
	if (!net->kernel)
		ck_abort_msg("%s", error->message);
	machine_settle(net->machine);
}

static void machine_down(void)
{
	net_verify_rules(net);
	layout_check_absent(net->kernel);
	net_free(net);
}

static void set_idle_state(void)
{
	net->profile.idle[0] = (struct idle_state){
		"C6", EXIT_PS, 2 * EXIT_PS
	};
	net->profile.num_idle = 1;
}

/* System calls, with a microsecond of the program's own between them. */
static void busy(void)
{
	while (this_cpu->clock < test.until) {
		WORK(1000);
		ck_assert_int_gt(sys_getppid(), 0);
	}
}

/* ---- time slices ---- */

static void share(void *arg)
{
	busy();
	*(ps_t *)arg = context_ran(this_cpu->current);
}

/* Two busy tasks on one CPU have half of it each, to within a slice, which
 * is 3 ms and ends at a tick; alone, one has all of it. */
START_TEST(test_slices)
{
	struct net_process processes[] = {
		{ .fn = share, .arg = &test.ran[0] },
		{ .fn = share, .arg = &test.ran[1] },
	};
	ps_t slice = 8 * PS_PER_MS;

	machine_up(kernels[_i], 1, 1);
	test.until = 100 * PS_PER_MS;
	time_start_ticks(net->kernel);
	net_run(net, processes, 2);
	ck_assert_uint_gt(test.ran[0] + slice, test.ran[1]);
	ck_assert_uint_gt(test.ran[1] + slice, test.ran[0]);
	ck_assert_uint_gt(test.ran[0] + test.ran[1], 99 * PS_PER_MS);
	ck_assert_uint_gt(net_calls(net, "context_switch"), 10);
	ck_assert_uint_lt(net_calls(net, "context_switch"), 50);
	machine_down();
}
END_TEST

START_TEST(test_alone)
{
	struct net_process process = { .fn = share, .arg = &test.ran[0] };

	machine_up(kernels[_i], 1, 1);
	test.until = 20 * PS_PER_MS;
	time_start_ticks(net->kernel);
	net_run(net, &process, 1);
	ck_assert_uint_eq(net_calls(net, "context_switch"), 0);
	ck_assert_uint_eq(net_calls(net, "scheduler_tick"), 0);
	machine_down();
}
END_TEST

/* ---- waking ---- */

static void sleeper(void *arg)
{
	bool pinned = *(bool *)arg;

	test.sleeper = this_cpu->current;
	if (pinned)
		context_pin(this_cpu->current, this_cpu);
	context_block();
	test.woken = this_cpu->clock;
	test.cpu = this_cpu->id;
}

static void be_busy(void *arg)
{
	(void)arg;
	busy();
}

static void waking_irq(struct cpu *cpu, void *arg)
{
	(void)arg;
	test.asked = cpu->clock;
	try_to_wake_up(test.sleeper, true, false);
}

static void raise_irq(void *arg, ps_t now)
{
	cpu_raise(arg, &test.irq, now);
}

static void wake_from_irq(u32 cpu, ps_t time)
{
	test.irq = (struct irq){ .name = "waking", .fn = waking_irq };
	machine_at(net->machine, time, EVENT_DEVICE, cpu, cpu, raise_irq,
		   &net->machine->cpus[cpu]);
}

/* One that has slept comes before one that is busy, once that one's system
 * call ends; not a slice later. */
START_TEST(test_preempt)
{
	bool pinned = true;
	struct net_process processes[] = {
		{ .fn = sleeper, .arg = &pinned }, { .fn = be_busy },
	};

	machine_up(kernels[_i], 1, 1);
	test.until = 40 * PS_PER_MS;
	wake_from_irq(0, 30 * PS_PER_MS + 300 * PS_PER_US);
	time_start_ticks(net->kernel);
	net_run(net, processes, 2);
	ck_assert_uint_gt(test.woken, test.asked);
	ck_assert_uint_lt(test.woken - test.asked, 20 * PS_PER_US);
	machine_down();
}
END_TEST

static void waker(void *arg)
{
	(void)arg;
	busy();
	test.asked = this_cpu->clock;
	try_to_wake_up(test.sleeper, true, false);
}

/* A sleeper on CPU 0, and a waker on the last CPU after 5 ms. */
static void wake_across(void)
{
	bool pinned = true;
	struct net_process processes[] = {
		{ .fn = sleeper, .arg = &pinned },
		{ .fn = waker, .cpu = net->machine->num_cpus - 1 },
	};

	test.until = 5 * PS_PER_MS;
	net_run(net, processes, 2);
	ck_assert_uint_eq(test.cpu, 0);
}

/* A CPU that halts is told by an interrupt. */
START_TEST(test_ipi)
{
	machine_up(kernels[_i], 1, 2);
	wake_across();
	ck_assert_uint_eq(net_calls(net, "native_smp_send_reschedule"), 1);
	ck_assert_uint_eq(net_calls(net, "scheduler_ipi"), 1);
	ck_assert_uint_ge(test.woken - test.asked, IPI_PS + INTERRUPT_PS);
	ck_assert_uint_lt(test.woken - test.asked, 10 * PS_PER_US);
	machine_down();
}
END_TEST

/* One that waits by MWAIT is not, but has to come out of its state. */
START_TEST(test_polling)
{
	machine_up(kernels[_i], 1, 2);
	set_idle_state();
	wake_across();
	ck_assert_uint_eq(net_calls(net, "native_smp_send_reschedule"), 0);
	ck_assert_uint_ge(test.woken - test.asked, EXIT_PS);
	ck_assert_uint_lt(test.woken - test.asked, EXIT_PS + 10 * PS_PER_US);
	machine_down();
}
END_TEST

/* In another package the CPU there queues the task itself, from 3.0 on; up to
 * 3.15 an interrupt tells it even if it polls. */
START_TEST(test_wake_list)
{
	bool has_list, tells;

	machine_up(kernels[_i], 2, 1);
	set_idle_state();
	this_cpu = &net->machine->cpus[0];
	has_list = has(TTWU_WAKE_LIST);
	tells = has_list && !has(TTWU_POLLING);
	wake_across();
	ck_assert_uint_eq(net_calls(net, "ttwu_queue_remote"), has_list);
	ck_assert_uint_eq(net_calls(net, "ttwu_queue"), !has_list);
	ck_assert_uint_eq(net_calls(net, "native_smp_send_reschedule"), tells);
	ck_assert_uint_eq(net_calls(net, "scheduler_ipi"), has_list);
	ck_assert_uint_ge(test.woken - test.asked,
			  EXIT_PS + (tells ? IPI_PS + INTERRUPT_PS : 0));
	machine_down();
}
END_TEST

/* ---- the choice of a CPU ---- */

static void wake_beside_busy(bool pinned)
{
	struct net_process processes[] = {
		{ .fn = sleeper, .arg = &pinned }, { .fn = be_busy },
	};

	test.until = 10 * PS_PER_MS;
	wake_from_irq(0, 5 * PS_PER_MS);
	time_start_ticks(net->kernel);
	net_run(net, processes, 2);
}

/* Where it was is busy: it goes to an idle CPU, unless it may not; 2.6.32 does
 * not look for one. */
START_TEST(test_migration)
{
	bool looks;

	machine_up(kernels[_i], 1, 4);
	this_cpu = &net->machine->cpus[0];
	looks = has(SELECT_IDLE_SIBLING);
	wake_beside_busy(false);
	ck_assert_uint_eq(test.cpu, looks);
	ck_assert_uint_eq(net_calls(net, "set_task_cpu"), looks);
	machine_down();
	machine_up(kernels[_i], 1, 4);
	wake_beside_busy(true);
	ck_assert_uint_eq(test.cpu, 0);
	ck_assert_uint_eq(net_calls(net, "set_task_cpu"), 0);
	machine_down();
}
END_TEST

/* ---- ticks that stop ---- */

static u64 fired_at;

static void note_jiffies(struct timer_list *timer)
{
	(void)timer;
	fired_at = jiffies_data()->jiffies;
}

static void wake_now(void *arg, ps_t now)
{
	context_wake(arg, now);
}

static void sleep_ten_seconds(void *arg)
{
	struct timer_list *timer = STATIC_OBJECT(net->kernel, timer_list, 0);
	u64 before = jiffies_data()->jiffies;

	(void)arg;
	timer->function = note_jiffies;
	timer->base = net->kernel->percpu[0].timer_base;
	mod_timer(timer, before + 5 * HZ);
	machine_at(net->machine, 10 * PS_PER_S + 1, EVENT_TIMER, 0, 0,
		   wake_now, this_cpu->current);
	context_block();
	ck_assert_uint_eq(jiffies_data()->jiffies, before + 10 * HZ);
	ck_assert_uint_eq(fired_at, timer->due);
	/* Of ten seconds' ticks there were that of the timer and some around
	 * the sleep. */
	ck_assert_uint_lt(net_calls(net, "tick_handle_periodic"), 10);
	WRITE(timer, base, timer->base);
}

START_TEST(test_nohz)
{
	struct net_process process = { .fn = sleep_ten_seconds };

	machine_up(kernels[_i], 1, 2);
	fired_at = 0;
	time_start_ticks(net->kernel);
	net_run(net, &process, 1);
	ck_assert_uint_ne(fired_at, 0);
	machine_down();
}
END_TEST

static void count_jiffies(void *arg)
{
	u64 before = jiffies_data()->jiffies;

	(void)arg;
	busy();
	ck_assert_uint_ge(jiffies_data()->jiffies + 1,
			  before + 100 * HZ / 1000);
}

/* CPU 0 is idle from the start: CPU 1 keeps the time. */
START_TEST(test_duty)
{
	struct net_process process = { .cpu = 1, .fn = count_jiffies };

	machine_up(kernels[_i], 1, 2);
	test.until = 100 * PS_PER_MS;
	time_start_ticks(net->kernel);
	net_run(net, &process, 1);
	machine_down();
}
END_TEST

Suite *suite_sched(void)
{
	const TTest *const tests[] = {
		test_slices, test_alone, test_preempt, test_ipi, test_polling,
		test_wake_list, test_migration, test_nohz, test_duty,
	};
	Suite *suite = suite_create("sched");
	TCase *tcase = tcase_create("sched");
	size_t i;

	tcase_set_timeout(tcase, 30);
	for (i = 0; i < G_N_ELEMENTS(tests); i++)
		tcase_add_loop_test(tcase, tests[i], 0, KERNELS);
	suite_add_tcase(suite, tcase);
	return suite;
}
