/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rr of one host with itself, and between two: every transaction crosses the
 * link and comes back, the link's delay is in the round trip, a socket keeps its
 * transmit queue or does not, a lost datagram ends the run, and what a nic cannot
 * be is refused.
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
	"program = rr\n" \
	"threads = 1\n" \
	"count = 300\n" \
	"connect = true\n" \
	"family = inet6\n" \
	"size = 1\n" \
	"[host client]\n" \
	"device = eth0 kind nic mtu 1500\n" \
	"address = eth0 10.2.2.1/24; eth0 fd00::1/64\n" \
	"neighbour = eth0 10.2.2.2 lladdr 02:00:00:00:02:01 nud permanent;" \
	" eth0 fd00::2 lladdr 02:00:00:00:02:01 nud permanent\n" \
	"[host server]\n" \
	"device = eth0 kind nic mtu 1500\n" \
	"address = eth0 10.2.2.2/24; eth0 fd00::2/64\n" \
	"neighbour = eth0 10.2.2.1 lladdr 02:00:00:00:01:01 nud permanent;" \
	" eth0 fd00::1 lladdr 02:00:00:00:01:01 nud permanent\n" \
	"[link wire]\n" \
	"ends = client.eth0; server.eth0\n" \
	"rate_mbit = 10000\n" \
	"delay_ns = 1000\n"

/* One host with itself. */
#define ALONE \
	"[scenario]\n" \
	"name = x\n" \
	"machine = desktop-2cpu\n" \
	"kernel = linux-2.6.32\n" \
	"[workload]\n" \
	"program = rr\n" \
	"threads = 1\n" \
	"count = 300\n" \
	"connect = true\n" \
	"family = inet6\n" \
	"destination = ::1\n" \
	"[network]\n" \
	"device = dummy0 kind dummy mtu 1500\n" \
	"address = dummy0 fd00::1/64\n"

static struct results *try_run(const char *const *sets, GError **error)
{
	return try_scenario(&(struct try){ .text = SCENARIO, .sets = sets },
			    error);
}

static struct results *run_text(const char *text, const char *const *sets)
{
	return run_scenario(&(struct try){ .text = text, .sets = sets });
}

static struct results *run_sets(const char *const *sets)
{
	return run_text(SCENARIO, sets);
}

static const struct {
	const char *kernel, *family, *connect;
} kinds[] = {
	{ "scenario.kernel=linux-2.6.32", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-2.6.32", "workload.family=inet6", "false" },
	{ "scenario.kernel=linux-3.4", "workload.family=inet", "true" },
	{ "scenario.kernel=linux-3.4", "workload.family=inet", "false" },
	{ "scenario.kernel=linux-3.4", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-3.6", "workload.family=inet", "true" },
	{ "scenario.kernel=linux-3.6", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-3.6", "workload.family=inet6", "false" },
	{ "scenario.kernel=linux-3.12", "workload.family=inet", "true" },
	{ "scenario.kernel=linux-3.12", "workload.family=inet", "false" },
	{ "scenario.kernel=linux-3.12", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-4.6", "workload.family=inet", "true" },
	{ "scenario.kernel=linux-4.6", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-6.1", "workload.family=inet", "true" },
	{ "scenario.kernel=linux-6.1", "workload.family=inet6", "true" },
	{ "scenario.kernel=linux-6.1", "workload.family=inet", "false" },
};

START_TEST(every_transaction_is_done)
{
	g_autofree char *connect = g_strdup_printf("workload.connect=%s",
						   kinds[_i].connect);
	struct results *results = run_sets(SETS(kinds[_i].kernel,
						kinds[_i].family, connect,
						"workload.threads=2"));
	const double rtt = metric(results, "rtt_us");

	ck_assert_uint_eq(results->operations, 600);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	/* Two clients, each with one transaction under way. */
	ck_assert_double_eq_tol(metric(results, "transactions_per_s") * rtt /
				2e6, 1, 0.05);
	/* No host works for more than all of its time. */
	ck_assert_double_gt(metric(results, "sd_us"), 1);
	ck_assert_double_gt(metric(results, "sd_remote_us"), 1);
	ck_assert_double_le(metric(results, "sd_us"), rtt * 2);
	ck_assert_double_le(metric(results, "sd_remote_us"), rtt * 2);
	results_free(results);
}
END_TEST

static const char *const alone[] = {
	"scenario.patches=", "scenario.patches=sk-tx-queue-mapping",
	"scenario.patches=sk-tx-queue-mapping; udp6-no-dst-store",
	"scenario.patches=udp6-no-dst-store", "scenario.kernel=linux-3.6",
};

START_TEST(a_host_answers_itself)
{
	struct results *results = run_text(ALONE, SETS(alone[_i]));

	ck_assert_uint_eq(results->operations, 300);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	ck_assert_double_gt(metric(results, "sd_us"), 1);
	results_free(results);
}
END_TEST

/* More processes than CPUs, of one host and of two. */
START_TEST(processes_share_the_cpus)
{
	struct results *results = _i ?
		run_sets(SETS("workload.threads=7", "workload.count=60")) :
		run_text(ALONE, SETS("workload.threads=5",
				     "workload.count=60"));

	ck_assert_uint_eq(results->operations, _i ? 420 : 300);
	ck_assert_double_eq(metric(results, "failed_ops"), 0);
	ck_assert_double_le(metric(results, "sd_us"),
			    1.01 * 2e6 / metric(results, "transactions_per_s"));
	results_free(results);
}
END_TEST

/* Readers that poll the device, and do not sleep. */
static const struct {
	const char *kernel, *connect, *patches;
	bool poll;		/* both sides do, of a connected client */
} pollers[] = {
	{ "linux-3.12", "true", "", true },
	{ "linux-3.12", "false", "", true },
	/* The server is not connected in any case. */
	{ "linux-3.12", "false", "busy-poll-connected", false },
	{ "linux-4.6", "true", "", true },
	{ "linux-4.6", "false", "", false },
	{ "linux-6.1", "false", "", true },
};

START_TEST(a_polling_reader_does_not_wait)
{
	g_autofree char *kernel = g_strconcat("scenario.kernel=",
					      pollers[_i].kernel, NULL);
	g_autofree char *connect = g_strconcat("workload.connect=",
					       pollers[_i].connect, NULL);
	g_autofree char *patches = g_strconcat("scenario.patches=",
					       pollers[_i].patches, NULL);
	struct results *asleep = run_sets(SETS(kernel, connect, patches));
	struct results *polling = run_sets(SETS(kernel, connect, patches,
				"parameters.net.core.busy_read=50"));
	double before = metric(asleep, "rtt_us");
	double after = metric(polling, "rtt_us");

	ck_assert_uint_eq(polling->operations, asleep->operations);
	ck_assert_double_eq(metric(polling, "failed_ops"), 0);
	if (pollers[_i].poll)
		ck_assert_double_lt(after, before * 0.98);
	else
		ck_assert_double_gt(after, before * 0.98);
	results_free(asleep);
	results_free(polling);
}
END_TEST

/* Where it is known that a socket keeps its route, it is cheaper. */
START_TEST(the_patch_saves_time)
{
	struct results *before = run_text(ALONE, SETS(alone[1]));
	struct results *after = run_text(ALONE, SETS(alone[2]));

	ck_assert_double_lt(metric(after, "sd_us"), metric(before, "sd_us"));
	ck_assert_double_lt(metric(after, "instructions_per_op"),
			    metric(before, "instructions_per_op"));
	results_free(before);
	results_free(after);
}
END_TEST

static const struct {
	const char *kernel, *patches, *connect;
	bool remembers;
} memories[] = {
	{ "linux-2.6.32", "", "true", false },
	{ "linux-2.6.32", "sk-tx-queue-mapping", "true", false },
	{ "linux-2.6.32", "udp6-no-dst-store", "true", false },
	{ "linux-2.6.32", "sk-tx-queue-mapping; udp6-no-dst-store", "true",
	  true },
	{ "linux-2.6.32", "sk-tx-queue-mapping; udp6-no-dst-store-rfc", "true",
	  true },
	{ "linux-2.6.32", "sk-tx-queue-mapping; udp6-no-dst-store", "false",
	  false },
	{ "linux-6.1", "", "true", true },
};

/* A socket's queue is chosen anew for each packet, or once: by a patch that
 * keeps the number and one that does not forget it again, not by one alone. */
START_TEST(a_socket_keeps_its_queue)
{
	g_autofree char *kernel = g_strdup_printf("scenario.kernel=%s",
						  memories[_i].kernel);
	g_autofree char *patches = g_strdup_printf("scenario.patches=%s",
						   memories[_i].patches);
	g_autofree char *connect = g_strdup_printf("workload.connect=%s",
						   memories[_i].connect);
	struct results *results = run_sets(SETS(kernel, patches, connect,
		"host.client.device=eth0 kind nic mtu 1500 queues 2",
		"host.server.device=eth0 kind nic mtu 1500 queues 2"));
	double hashes = metric(results, "tx_hashes_per_packet");

	if (memories[_i].remembers)
		ck_assert_double_lt(hashes, 0.02);
	else
		ck_assert_double_gt(hashes, 0.98);
	results_free(results);
}
END_TEST

/* Both ways count; the rest of the round trip hardly moves. */
START_TEST(the_delay_of_the_link_is_in_the_round_trip)
{
	struct results *near = run_sets(SETS("link.wire.delay_ns=1000"));
	struct results *far = run_sets(SETS("link.wire.delay_ns=501000"));

	ck_assert_double_eq_tol(metric(far, "rtt_us") - metric(near, "rtt_us"),
				1000, 8);
	results_free(near);
	results_free(far);
}
END_TEST

/* As netperf's: nobody sends again. */
START_TEST(a_lost_datagram_ends_the_run)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!try_run(SETS("link.wire.loss_pct=5"), &error));
	ck_assert_msg(strstr(error->message, "a datagram was lost, and none is "
			     "sent again") != NULL, "%s", error->message);
}
END_TEST

static const struct {
	const char *set, *message;
} bad[] = {
	{ "host.client.device=eth0 kind nic mtu 1500 queues 3",
	  "device 'eth0' has 3 queues; at most one for each of the 2 CPUs" },
	{ "host.client.device=eth0 kind nic mtu 1500 cpus 0,2",
	  "cpus 0,2 of device 'eth0' names CPUs that its machine has not; it "
	  "has 0 to 1" },
	{ "host.client.device=eth0 kind nic mtu 1500; lo kind loopback mtu "
	  "16436", "each host has the loopback device lo by itself; take out "
	  "device 'lo'" },
};

START_TEST(what_a_nic_cannot_be_is_refused)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!try_run(SETS(bad[_i].set), &error));
	ck_assert(g_error_matches(error, SCENARIO_ERROR,
				  SCENARIO_ERROR_VALUE));
	ck_assert_msg(strstr(error->message, bad[_i].message) != NULL, "%s",
		      error->message);
}
END_TEST

Suite *rr_suite(void)
{
	Suite *suite = suite_create("rr");
	TCase *tcase = tcase_create("two hosts");

	tcase_add_loop_test(tcase, every_transaction_is_done, 0,
			    G_N_ELEMENTS(kinds));
	tcase_add_loop_test(tcase, a_host_answers_itself, 0,
			    G_N_ELEMENTS(alone));
	tcase_add_loop_test(tcase, processes_share_the_cpus, 0, 2);
	tcase_add_test(tcase, the_patch_saves_time);
	tcase_add_loop_test(tcase, a_polling_reader_does_not_wait, 0,
			    G_N_ELEMENTS(pollers));
	tcase_add_loop_test(tcase, a_socket_keeps_its_queue, 0,
			    G_N_ELEMENTS(memories));
	tcase_add_test(tcase, the_delay_of_the_link_is_in_the_round_trip);
	tcase_add_test(tcase, a_lost_datagram_ends_the_run);
	tcase_add_loop_test(tcase, what_a_nic_cannot_be_is_refused, 0,
			    G_N_ELEMENTS(bad));
	suite_add_tcase(suite, tcase);
	return suite;
}
