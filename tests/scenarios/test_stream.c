/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream over loopback: every datagram that was sent has been read or was
 * dropped for want of room, a sender stops by count or by time, and what does
 * not end by time says so.
 */
#include <check.h>
#include <gio/gio.h>

#include "tests/scenarios/run_support.h"
#include "tests/scenarios/suites.h"

#define SCENARIO \
	"[scenario]\n" \
	"name = x\n" \
	"machine = desktop-2cpu\n" \
	"kernel = linux-3.6\n" \
	"[workload]\n" \
	"program = stream\n" \
	"threads = 1\n" \
	"count = 2000\n" \
	"family = inet6\n" \
	"destination = ::1\n" \
	"size = 1\n"

static struct results *try_run(const char *const *sets, u64 den,
			       GError **error)
{
	return try_scenario(&(struct try){ .text = SCENARIO, .sets = sets,
					   .den = den }, error);
}

static struct results *run_sets(const char *const *sets, u64 den)
{
	return run_scenario(&(struct try){ .text = SCENARIO, .sets = sets,
					   .den = den });
}

/* All that were sent are accounted for. */
static double check_counts(const struct results *results)
{
	const double dropped = metric(results, "packets_dropped");

	ck_assert_double_eq(metric(results, "packets"),
			    metric(results, "packets_received") + dropped);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	return dropped;
}

static const struct {
	const char *kernel, *family, *destination, *size, *connect;
} kinds[] = {
	{ "linux-2.6.32", "inet6", "::1", "1", "false" },
	{ "linux-3.4", "inet6", "::1", "1", "false" },
	{ "linux-3.4", "inet", "127.0.0.1", "1", "false" },
	{ "linux-3.4-arm", "inet6", "::1", "1", "false" },
	{ "linux-3.4-arm", "inet6", "::1", "1452", "true" },
	{ "linux-3.4-arm", "inet", "127.0.0.1", "1", "false" },
	{ "linux-3.6", "inet6", "::1", "0", "false" },
	{ "linux-3.12", "inet6", "::1", "1", "false" },
	{ "linux-3.12", "inet6", "::1", "1452", "true" },
	{ "linux-3.15", "inet6", "::1", "1", "false" },
	{ "linux-4.6", "inet6", "::1", "1452", "false" },
	{ "linux-6.1", "inet6", "::1", "1", "false" },
	{ "linux-6.1", "inet", "127.0.0.1", "1472", "true" },
};

static struct results *run_kind(int i, const char *more)
{
	g_autofree char *kernel = g_strconcat("scenario.kernel=",
					      kinds[i].kernel, NULL);
	g_autofree char *family = g_strconcat("workload.family=",
					      kinds[i].family, NULL);
	g_autofree char *to = g_strconcat("workload.destination=",
					  kinds[i].destination, NULL);
	g_autofree char *size = g_strconcat("workload.size=", kinds[i].size,
					    NULL);
	g_autofree char *connect = g_strconcat("workload.connect=",
					       kinds[i].connect, NULL);

	return run_sets(SETS(kernel, family, to, size, connect, more), 1);
}

START_TEST(every_datagram_is_accounted_for)
{
	struct results *results = run_kind(_i, "workload.cpus=0,1");

	ck_assert_uint_eq(results->operations, 2000);
	ck_assert_double_eq(metric(results, "packets"), 2000);
	ck_assert_double_gt(metric(results, "packets_received"), 0);
	check_counts(results);
	results_free(results);
}
END_TEST

/* Readers that wait for their turn on a CPU: their sockets overflow. */
START_TEST(a_full_socket_drops_and_counts)
{
	struct results *results = run_kind(_i, "workload.threads=3");

	ck_assert_double_gt(check_counts(results), 0);
	ck_assert_double_gt(metric(results, "packets_received"), 0);
	results_free(results);
}
END_TEST

START_TEST(time_ends_a_stream)
{
	const char *const *sets = SETS("workload.count=1000000000",
				       "workload.seconds=1");
	struct results *tenth = run_sets(sets, 200);
	struct results *fifth = run_sets(sets, 100);

	/* 5 and 10 ms, each standing for the second. */
	ck_assert_double_eq_tol((double)fifth->operations /
				(double)tenth->operations, 2, 0.1);
	ck_assert_double_eq(metric(fifth, "packets"),
			    100 * (double)fifth->operations);
	ck_assert_double_eq_tol(metric(fifth, "packets") /
				metric(fifth, "packets_per_s"), 1, 0.01);
	ck_assert_double_eq(metric(fifth, "elapsed_s"), 1);
	check_counts(fifth);
	results_free(tenth);
	results_free(fifth);
}
END_TEST

static const struct {
	const char *set, *more, *message;
} bad[] = {
	{ "workload.program=udpflood", "workload.seconds=1",
	  "udpflood ends by count, not by time; take seconds out" },
	{ "workload.port=65535", "workload.threads=2",
	  "each of 2 receivers has a port, from 65535 on; give a smaller "
	  "one" },
};

START_TEST(what_cannot_be_is_refused)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!try_run(SETS(bad[_i].set, bad[_i].more), 1, &error));
	ck_assert(g_error_matches(error, SCENARIO_ERROR,
				  SCENARIO_ERROR_VALUE));
	ck_assert_msg(strstr(error->message, bad[_i].message) != NULL, "%s",
		      error->message);
}
END_TEST

Suite *stream_suite(void)
{
	Suite *suite = suite_create("stream");
	TCase *tcase = tcase_create("loopback");

	tcase_add_loop_test(tcase, every_datagram_is_accounted_for, 0,
			    G_N_ELEMENTS(kinds));
	tcase_add_loop_test(tcase, a_full_socket_drops_and_counts, 0,
			    G_N_ELEMENTS(kinds));
	tcase_add_test(tcase, time_ends_a_stream);
	tcase_add_loop_test(tcase, what_cannot_be_is_refused, 0,
			    G_N_ELEMENTS(bad));
	suite_add_tcase(suite, tcase);
	return suite;
}
