/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that open sockets and receive: what they do is what the
 * kernel's counters say, their metrics agree with each other, and what makes
 * no sense for them is refused.
 */
#include <check.h>
#include <gio/gio.h>
#include <math.h>

#include "scenarios/distribution.h"
#include "tests/scenarios/run_support.h"
#include "tests/scenarios/suites.h"

#define SCENARIO \
	"[scenario]\n" \
	"name = x\n" \
	"machine = desktop-2cpu\n" \
	"kernel = linux-3.6\n" \
	"[workload]\n" \
	"program = udpflood\n" \
	"threads = 1\n" \
	"count = 200\n" \
	"[network]\n" \
	"device = dummy0 kind dummy mtu 1500\n" \
	"address = dummy0 10.2.2.1/24; dummy0 fd00::1/64\n" \
	"neighbour = dummy0 10.2.2.2 lladdr 02:00:00:00:00:02 nud permanent;" \
	" dummy0 fd00::2 lladdr 02:00:00:00:00:02 nud permanent\n" \
	"[variant before]\n" \
	"[variant after]\n" \
	"patches = udp-sock-rcu-free\n"

/* `stop`: as SIGINT or another run's failure sets it; NULL: nobody does. */
static struct results *try_variant(const char *const *sets, u32 variant,
				   atomic_int *stop, GError **error)
{
	return try_scenario(&(struct try){ .text = SCENARIO, .sets = sets,
					   .variant = variant, .stop = stop },
			    error);
}

static struct results *try_run(const char *const *sets, GError **error)
{
	return try_variant(sets, 0, NULL, error);
}

static struct results *run_variant(const char *const *sets, u32 variant)
{
	return run_scenario(&(struct try){ .text = SCENARIO, .sets = sets,
					   .variant = variant });
}

static struct results *run_sets(const char *const *sets)
{
	return run_variant(sets, 0);
}

static u64 calls(const struct results *results, const char *function)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < results->functions->len; i++) {
		const struct result_function *f =
			&g_array_index(results->functions,
				       struct result_function, i);

		if (g_str_equal(f->name, function))
			sum += f->calls;
	}
	return sum;
}

static void refused(const char *const *sets, const char *why)
{
	g_autoptr(GError) error = NULL;
	struct results *results = try_run(sets, &error);

	ck_assert(results == NULL);
	ck_assert_msg(strstr(error->message, why) != NULL, "%s",
		      error->message);
}

/* ---- all ---- */

static const char *const programs[] = {
	"workload.program=udpflood", "workload.program=socket-churn",
	"workload.program=dns-resolver", "workload.program=udpsink",
};

/* Each thread ends by itself: the kernel is taken down with no lock held and
 * no task in the middle of something. */
START_TEST(a_stopped_run_ends_in_order)
{
	g_autoptr(GError) error = NULL;
	atomic_int stop = 1;
	const char *const *sets = SETS(programs[_i % 4],
		_i < 4 ? "scenario.kernel=linux-3.6" :
		"scenario.kernel=linux-6.1", "scenario.machine=xeon-x5660-2p",
		"workload.threads=24", "workload.count=100000",
		_i % 4 == 2 ? "workload.in_flight=48" : "workload.port=53");

	ck_assert(try_variant(sets, 0, &stop, &error) == NULL);
	ck_assert_msg(g_error_matches(error, G_IO_ERROR,
				      G_IO_ERROR_CANCELLED), "%s",
		      error->message);
}
END_TEST

/* ---- socket-churn ---- */

static const char *const kernels[] = {
	"scenario.kernel=linux-3.6", "scenario.kernel=linux-6.1",
};

START_TEST(churn_binds_and_connects_as_it_is_told)
{
	const char *family = _i & 1 ? "workload.family=inet6" :
				      "workload.family=inet";
	bool bind = _i & 2, connect = _i & 4;
	struct results *results = run_sets(SETS(
		"workload.program=socket-churn", family, kernels[_i >> 3],
		bind ? "workload.bind=true" : "workload.bind=false",
		connect ? "workload.connect=true" : "workload.connect=false"));

	ck_assert_uint_eq(results->operations, 200);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	ck_assert_uint_eq(calls(results, "sys_bind"), bind ? 200 : 0);
	ck_assert_double_gt(metric(results, "sockets_per_s"), 0);
	ck_assert_double_ge(metric(results, "sockets_reused_hot_pct"), 0);
	ck_assert_double_le(metric(results, "sockets_reused_hot_pct"), 100);
	results_free(results);
}
END_TEST

/* An allocator that hands back what was freed last gives memory that is still
 * in the caches. */
START_TEST(what_was_freed_last_is_hot)
{
	struct results *results = run_sets(SETS(
		"workload.program=socket-churn", "scenario.kernel=linux-3.6"));

	ck_assert_double_gt(metric(results, "sockets_reused_hot_pct"), 98);
	results_free(results);
}
END_TEST

/* ---- socket-churn, where sockets wait for a grace period ---- */

#define CHURN_4_6 "workload.program=socket-churn", "scenario.kernel=linux-4.6"
#define RCU_FREE 1

static const char *const allocators[] = {
	"parameters.mm.allocator=slab", "parameters.mm.allocator=slub",
};

/* Memory that may be taken again at once is hot; memory that has waited for all
 * readers has left the core's caches, since as many other sockets have come and
 * gone meanwhile.  Some ten grace periods pass. */
START_TEST(who_waits_for_readers_comes_back_cold)
{
	struct results *before = run_sets(SETS(CHURN_4_6, allocators[_i],
		"workload.count=120000"));
	struct results *after = run_variant(SETS(CHURN_4_6, allocators[_i],
		"workload.count=120000"), RCU_FREE);

	ck_assert_double_gt(metric(before, "sockets_reused_hot_pct"), 98);
	ck_assert_double_lt(metric(after, "sockets_reused_hot_pct"), 10);
	ck_assert_double_gt(metric(after, "lines_moved_per_op"),
			    metric(before, "lines_moved_per_op") + 10);
	ck_assert_double_gt(metric(after, "ns_per_op"),
			    1.1 * metric(before, "ns_per_op"));
	/* Files and wait queues waited before as well. */
	ck_assert_double_gt(metric(before, "grace_periods"), 0);
	ck_assert_double_gt(metric(before, "rcu_callbacks_max"), 1000);
	results_free(before);
	results_free(after);
}
END_TEST

/* The limit of batches, the mark above which there is none, and the ticks until
 * the first forcing pass. */
static struct results *churn_seed(const char *seed, const char *blimit,
				  const char *qhimark, const char *first_fqs)
{
	return run_variant(SETS(CHURN_4_6, "parameters.kernel.hz=1000",
				"workload.count=40000", seed, blimit, qhimark,
				first_fqs), RCU_FREE);
}

static struct results *churn_with(const char *blimit, const char *qhimark,
				  const char *first_fqs)
{
	return churn_seed("scenario.seed=1", blimit, qhimark, first_fqs);
}

#define BLIMIT "parameters.rcu.blimit="
#define QHIMARK "parameters.rcu.qhimark="
#define FIRST_FQS "parameters.rcu.jiffies_till_first_fqs="

/* As long as the batches are small, ksoftirqd has to finish them, and each time
 * that it runs, the CPU passes a quiescent state.  Without the limit there is
 * only the tick that happens upon user mode. */
START_TEST(small_batches_make_short_grace_periods)
{
	struct results *small = churn_with(BLIMIT "10", QHIMARK "100000000",
					   FIRST_FQS "3");
	struct results *large = churn_with(BLIMIT "100000",
					   QHIMARK "100000000", FIRST_FQS "3");
	struct results *lifted = churn_with(BLIMIT "10", QHIMARK "10000",
					    FIRST_FQS "3");

	ck_assert_double_lt(metric(small, "grace_period_ms"), 8);
	ck_assert_double_gt(metric(large, "grace_period_ms"),
			    2 * metric(small, "grace_period_ms"));
	ck_assert_double_gt(metric(lifted, "grace_period_ms"),
			    2 * metric(small, "grace_period_ms"));
	ck_assert_double_lt(metric(small, "rcu_callbacks_max"),
			    metric(large, "rcu_callbacks_max"));
	results_free(small);
	results_free(large);
	results_free(lifted);
}
END_TEST

static const char *const seeds[] = {
	"scenario.seed=1", "scenario.seed=2", "scenario.seed=3",
};

/* A second CPU that idles is noticed by a forcing pass only: the longer that
 * waits, the more wait for the grace period.  The first grace period needs a
 * tick that finds user mode, which is one in twenty: that chance can only make
 * more wait, so that the least of several runs is compared. */
START_TEST(late_passes_make_long_grace_periods)
{
	double most_early = INFINITY, most_late = INFINITY;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(seeds); i++) {
		struct results *early = churn_seed(seeds[i], BLIMIT "10",
						   QHIMARK "100000000",
						   FIRST_FQS "1");
		struct results *late = churn_seed(seeds[i], BLIMIT "10",
						  QHIMARK "100000000",
						  FIRST_FQS "20");

		ck_assert_double_lt(metric(early, "grace_period_ms"), 6);
		ck_assert_double_gt(metric(late, "grace_period_ms"), 18);
		ck_assert_double_lt(metric(late, "sockets_reused_hot_pct"),
				    metric(early, "sockets_reused_hot_pct"));
		most_early = MIN(most_early,
				 metric(early, "rcu_callbacks_max"));
		most_late = MIN(most_late, metric(late, "rcu_callbacks_max"));
		results_free(early);
		results_free(late);
	}
	ck_assert_double_gt(most_late, 1.5 * most_early);
}
END_TEST

/* ---- dns-resolver ---- */

static void verify_queries(const struct results *results, u64 n)
{
	ck_assert_uint_eq(results->operations, n);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	ck_assert_uint_eq(calls(results, "sys_sendto"), n);
	ck_assert_uint_eq(calls(results, "sys_recvfrom"), n);
	ck_assert_uint_eq(calls(results, "ep_insert"), n);
}

/* Little's law: what is under way is the rate times the round trip. */
START_TEST(as_many_are_under_way_as_rate_and_round_trip_say)
{
	struct results *results = run_sets(SETS(
		"workload.program=dns-resolver", "workload.threads=2",
		"workload.rate=20000", "workload.rtt_us=2000", kernels[_i / 2],
		"workload.count=500",
		_i % 2 ? "workload.family=inet6" : "workload.family=inet"));
	double rate, in_flight;

	verify_queries(results, 1000);
	rate = metric(results, "queries_per_s");
	in_flight = metric(results, "in_flight_mean");
	ck_assert_double_gt(rate, 17000);
	ck_assert_double_lt(rate, 23000);
	ck_assert_double_gt(in_flight, 0.95 * rate * 0.002);
	ck_assert_double_lt(in_flight, 1.05 * rate * 0.002);
	ck_assert_double_ge(metric(results, "in_flight_max"), in_flight);
	ck_assert_double_lt(metric(results, "busy_pct"), 50);
	results_free(results);
}
END_TEST

START_TEST(a_closed_loop_keeps_so_many_under_way)
{
	struct results *results = run_sets(SETS(
		"workload.program=dns-resolver", "workload.threads=2",
		"workload.in_flight=64", "workload.connect=true",
		_i / 2 ? "workload.rtt_us=10" : "workload.rtt_us=2000",
		kernels[_i % 2]));

	verify_queries(results, 400);
	if (_i / 2) {
		/* Answers come faster than they are read. */
		ck_assert_double_gt(metric(results, "busy_pct"), 90);
	} else {
		ck_assert_double_eq(metric(results, "in_flight_max"), 64);
		ck_assert_double_lt(metric(results, "queries_per_s"), 32000);
	}
	results_free(results);
}
END_TEST

START_TEST(a_resolver_must_know_how_many)
{
	refused(SETS("workload.program=dns-resolver"), "rate or in_flight");
	refused(SETS("workload.program=dns-resolver", "workload.rate=1000",
		     "workload.in_flight=10"), "not both");
	refused(SETS("workload.program=dns-resolver", "workload.rate=1000",
		     "workload.rtt_distribution=normal"), "lognormal");
	refused(SETS("workload.program=dns-resolver", "workload.threads=2",
		     "workload.in_flight=1"), "for each thread");
	refused(SETS("workload.program=udpsink"), "two threads");
}
END_TEST

/* ---- udpsink ---- */

START_TEST(a_sink_reads_what_it_can)
{
	struct results *results = run_sets(SETS(
		"workload.program=udpsink", "workload.threads=2", kernels[_i],
		"workload.size=60"));

	ck_assert_uint_eq(results->operations, 200);
	ck_assert_uint_eq(calls(results, "sys_recvfrom"), 200);
	ck_assert_double_gt(metric(results, "packets_per_s"), 0);
	ck_assert_double_ge(metric(results, "drops_per_op"), 0);
	results_free(results);
}
END_TEST

/* ---- more tasks than CPUs ---- */

/* Two CPUs do twice the work in twice the time, and an operation takes its task
 * no longer for the others' sake, but for what the switches cost. */
START_TEST(tasks_share_a_cpu_in_equal_parts)
{
	struct results *two = run_sets(SETS("workload.threads=2",
					    "workload.count=20000"));
	struct results *four = run_sets(SETS("workload.threads=4",
					     "workload.count=20000"));

	ck_assert_uint_eq(four->operations, 2 * two->operations);
	ck_assert_double_gt(metric(four, "elapsed_s"),
			    1.97 * metric(two, "elapsed_s"));
	ck_assert_double_lt(metric(four, "elapsed_s"),
			    2.06 * metric(two, "elapsed_s"));
	ck_assert_double_gt(metric(four, "cpu_ns_per_op"),
			    0.97 * metric(two, "cpu_ns_per_op"));
	ck_assert_double_lt(metric(four, "cpu_ns_per_op"),
			    1.03 * metric(two, "cpu_ns_per_op"));
	results_free(two);
	results_free(four);
}
END_TEST

/* Every program ends, of many tasks on one CPU. */
START_TEST(many_tasks_of_any_program_end)
{
	struct results *results = run_sets(SETS(programs[_i],
		"workload.cpus=0", "workload.threads=5", "workload.count=300",
		_i == 2 ? "workload.in_flight=20" : "workload.port=53"));
	const u32 measured = _i == 3 ? 1 : 5;

	ck_assert_uint_eq(results->operations, measured * 300);
	ck_assert_double_gt(metric(results, "cpu_ns_per_op"), 0);
	ck_assert_double_lt(metric(results, "cpu_ns_per_op"),
			    1.001 * metric(results, "ns_per_op"));
	results_free(results);
}
END_TEST

/* ---- distributions ---- */

START_TEST(draws_have_the_mean_asked_for)
{
	static const char *const names[] = {
		"constant", "exponential", "lognormal",
	};
	int distribution = distribution_find(names[_i]);
	struct random_stream stream;
	u64 sum = 0, low = UINT64_MAX, high = 0, draw;
	u32 i;

	random_seed(&stream, 1, "test", 0);
	for (i = 0; i < 100000; i++) {
		draw = distribution_draw(distribution, 1000000, &stream);
		low = MIN(low, draw);
		high = MAX(high, draw);
		sum += draw;
	}
	ck_assert_uint_gt(sum / 100000, 990000);
	ck_assert_uint_lt(sum / 100000, 1010000);
	ck_assert(_i ? low < 300000 && high > 3000000 :
		  low == 1000000 && high == 1000000);
	ck_assert_int_eq(distribution_find("normal"), -1);
}
END_TEST

/* The second host receives, but no thread of the program runs there. */
START_TEST(a_host_may_have_no_thread)
{
	static const char text[] =
		"[scenario]\nname = x\nmachine = desktop-2cpu\n"
		"kernel = linux-3.6\n"
		"[workload]\nprogram = udpflood\nthreads = 1\ncount = 50\n"
		"destination = 10.2.2.2\n"
		"[host client]\ndevice = eth0 kind nic mtu 1500 queues 1\n"
		"address = eth0 10.2.2.1/24\n"
		"[host server]\ndevice = eth0 kind nic mtu 1500 queues 1\n"
		"address = eth0 10.2.2.2/24\n"
		"[link wire]\nends = client.eth0; server.eth0\n"
		"rate_mbit = 1000\ndelay_ns = 2000\n";
	struct results *r = run_scenario(&(struct try){ .text = text });

	ck_assert_int_eq(calls(r, "udp_sendmsg"), 50);
	results_free(r);
}
END_TEST

Suite *workloads_suite(void)
{
	Suite *suite = suite_create("workloads");
	TCase *tests = tcase_create("tests");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, a_stopped_run_ends_in_order, 0, 8);
	tcase_add_loop_test(tests, churn_binds_and_connects_as_it_is_told, 0,
			    16);
	tcase_add_test(tests, what_was_freed_last_is_hot);
	tcase_add_loop_test(tests, who_waits_for_readers_comes_back_cold, 0, 2);
	tcase_add_test(tests, small_batches_make_short_grace_periods);
	tcase_add_test(tests, late_passes_make_long_grace_periods);
	tcase_add_loop_test(tests,
			    as_many_are_under_way_as_rate_and_round_trip_say,
			    0, 4);
	tcase_add_loop_test(tests, a_closed_loop_keeps_so_many_under_way, 0,
			    4);
	tcase_add_test(tests, a_resolver_must_know_how_many);
	tcase_add_loop_test(tests, a_sink_reads_what_it_can, 0, 2);
	tcase_add_test(tests, a_host_may_have_no_thread);
	tcase_add_test(tests, tasks_share_a_cpu_in_equal_parts);
	tcase_add_loop_test(tests, many_tasks_of_any_program_end, 0, 4);
	tcase_add_loop_test(tests, draws_have_the_mean_asked_for, 0, 3);
	suite_add_tcase(suite, tests);
	return suite;
}
