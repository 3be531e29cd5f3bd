/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `protocol = udplite`, over loopback: the programs that can speak it do, its counters are
 * recorded where it is used and only there, and what cannot be is refused.
 */
#include <check.h>

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
	"count = 60\n" \
	"size = 100\n" \
	"[network]\n" \
	"device = dummy0 kind dummy mtu 1500\n" \
	"address = dummy0 10.2.2.1/24; dummy0 fd00::1/64\n"

static struct results *try_sets(const char *const *sets, GError **error)
{
	return try_scenario(&(struct try){ .text = SCENARIO, .sets = sets },
			    error);
}

/* A counter; -1: it is not recorded. */
static gint64 counter(const struct results *results, const char *name)
{
	u32 i;

	for (i = 0; i < results->snmp->len; i++) {
		const struct result_snmp *row =
			&g_array_index(results->snmp, struct result_snmp, i);

		if (g_str_equal(row->name, name))
			return (gint64)row->value;
	}
	return -1;
}

/* ---- who speaks it ---- */

static const struct {
	const char *program;
	gint64 sent, read;	/* datagrams, at least */
} programs[] = {
	{ "workload.program=udpflood", 60, 0 },
	{ "workload.program=rr", 120, 120 },
	{ "workload.program=stream", 60, 1 },
	{ "workload.program=socket-churn", 0, 0 },
};

static const char *const kernels[] = {
	"scenario.kernel=linux-3.6", "scenario.kernel=linux-6.1",
};

static struct results *run_program(int i, const char *protocol,
				   const char *coverage)
{
	bool ip6 = i / 4 % 2;
	const char *const *sets = SETS(
		programs[i % 4].program, kernels[i / 8], protocol, coverage,
		ip6 ? "workload.family=inet6" : "workload.family=inet",
		ip6 ? "workload.destination=fd00::1" :
		      "workload.destination=10.2.2.1");
	g_autoptr(GError) error = NULL;
	struct results *results = try_sets(sets, &error);

	if (!results)
		ck_abort_msg("%s", error->message);
	return results;
}

START_TEST(a_program_speaks_it)
{
	struct results *results = run_program(_i, "workload.protocol=udplite",
					      "workload.coverage=8");
	bool ip6 = _i / 4 % 2;

	ck_assert_int_ge(counter(results, ip6 ? "UdpLite6OutDatagrams" :
					  "UdpLiteOutDatagrams"),
			 programs[_i % 4].sent);
	ck_assert_int_ge(counter(results, ip6 ? "UdpLite6InDatagrams" :
					  "UdpLiteInDatagrams"),
			 programs[_i % 4].read);
	ck_assert_int_eq(counter(results, ip6 ? "UdpLite6InErrors" :
					  "UdpLiteInErrors"), 0);
	ck_assert_int_eq(counter(results, ip6 ? "UdpLiteOutDatagrams" :
					  "UdpLite6OutDatagrams"), 0);
	ck_assert_int_eq(counter(results, "UdpOutDatagrams"), 0);
	ck_assert_int_eq(counter(results, "Udp6OutDatagrams"), 0);
	results_free(results);
}
END_TEST

/* Nothing of it is there where it is not used. */
START_TEST(udp_is_as_before)
{
	struct results *results = run_program(_i, "workload.protocol=udp",
					      "workload.coverage=0");
	u32 i;

	for (i = 0; i < results->snmp->len; i++)
		ck_assert(!g_str_has_prefix(
			g_array_index(results->snmp, struct result_snmp,
				      i).name, "UdpLite"));
	for (i = 0; i < results->slabs->len; i++)
		ck_assert_str_ne(g_array_index(results->slabs,
					       struct result_slab, i).name,
				 "UDP-Lite");
	ck_assert_int_ge(counter(results, _i / 4 % 2 ? "Udp6OutDatagrams" :
					  "UdpOutDatagrams"),
			 programs[_i % 4].sent);
	results_free(results);
}
END_TEST

/* ---- what cannot be ---- */

static const struct {
	const char *set, *more, *message;
} bad[] = {
	{ "workload.protocol=tcp", "workload.port=53",
	  "no protocol 'tcp'; give udp or udplite" },
	{ "workload.protocol=udplite", "workload.program=udpsink",
	  "udpsink speaks udp only; rr, stream, udpflood, socket-churn and "
	  "multicast-pingpong speak udplite" },
	{ "workload.protocol=udplite", "workload.program=dns-resolver",
	  "dns-resolver speaks udp only" },
	{ "workload.coverage=20", "workload.port=53",
	  "udp covers all; it takes protocol = udplite to say how much" },
	{ "workload.protocol=udplite", "workload.coverage=7",
	  "the header is always covered; give 0 for all, or at least 8" },
	{ "workload.protocol=udplite", "workload.coverage=65536",
	  "'65536' of 'coverage' is out of range" },
};

START_TEST(what_cannot_be_is_refused)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!try_sets(SETS(bad[_i].set, bad[_i].more), &error));
	ck_assert(error->domain == SCENARIO_ERROR);
	ck_assert_msg(strstr(error->message, bad[_i].message) != NULL, "%s",
		      error->message);
}
END_TEST

Suite *udplite_suite(void)
{
	Suite *suite = suite_create("udplite");
	TCase *tests = tcase_create("tests");

	tcase_add_loop_test(tests, a_program_speaks_it, 0, 16);
	tcase_add_loop_test(tests, udp_is_as_before, 0, 16);
	tcase_add_loop_test(tests, what_cannot_be_is_refused, 0,
			    G_N_ELEMENTS(bad));
	suite_add_tcase(suite, tests);
	return suite;
}
