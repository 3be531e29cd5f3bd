/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What goes into a record comes out of it, column by column; a run that
 * cannot be recorded leaves no trace.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/digest.h"
#include "analysis/record.h"
#include "analysis/schema.h"
#include "suites.h"
#include "support.h"

START_TEST(file_is_marked)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2));
	ck_assert_str_eq(support_query(path, "PRAGMA application_id"),
			 "1969516659\n");
	ck_assert_str_eq(support_query(path, "PRAGMA user_version"), "7\n");
	ck_assert_str_eq(support_query(path, "PRAGMA page_size"), "4096\n");
	ck_assert_str_eq(support_query(path, "PRAGMA journal_mode"), "wal\n");
	ck_assert_str_eq(support_query(path, "PRAGMA foreign_key_check"), "");
	ck_assert_str_eq(support_query(path, "PRAGMA integrity_check"),
			 "ok\n");
	/* All tables are STRICT. */
	ck_assert_str_eq(support_query(path, "SELECT name FROM "
			 "pragma_table_list WHERE type = 'table' AND "
			 "NOT strict AND name NOT LIKE 'sqlite_%'"), "");
}
END_TEST

START_TEST(columns_hold_what_was_given)
{
	const char *path = support_path("r.db");
	struct results *results = support_results("before", 2);

	g_free(results->patches);
	results->patches = g_strdup("neigh-confirm-once");
	results->seed = G_MAXUINT64;
	support_record(path, results);
	ck_assert_str_eq(support_query(path, "SELECT * FROM run"),
		"1|neigh-confirmed|A title|A source|before||linux-3.6|"
		"neigh-confirm-once|xeon-x5660-2p|18446744073709551615|4|1|"
		"1000||[scenario]\n|"
		"d9ecc32527cfdfd27a0de549de70602ca917765d7519da3bb73beeddbbd21"
		"a79|" PACKAGE_VERSION "\n");
	ck_assert_str_eq(support_query(path,
		"SELECT run, host_us, accesses FROM run_host"), "1|98|99\n");
	ck_assert_str_eq(support_query(path,
		"SELECT recorded_at GLOB '20[0-9][0-9]-[01][0-9]-[0-3][0-9]T"
		"[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z' FROM run_host"), "1\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM metric"),
		"1|elapsed_s|s|2.0\n1|ns_per_op|ns|80.0\n1|rtt_us|us|42.5\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM sample"),
		"1|0|18446744073709551615|elapsed_s|s|1.625\n"
		"1|1|18446744073709551614|elapsed_s|s|1.875\n"
		"1|2|18446744073709551613|elapsed_s|s|2.125\n"
		"1|3|18446744073709551612|elapsed_s|s|2.375\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM series"),
			 "1|queue|96|-97\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM line"),
		"1|neighbour|2|3|24|23|1001|1002|1003|"
		"11|12|13|14|15|16|17|18|19|20|5000|51|52|53|\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM field_access"),
		"1|neighbour|confirmed|dst_confirm|include/net/dst.h|400|"
		"2001|2002|2003|"
		"21|22|23|24|25|26|27|28|29|30|6000|61|62|63|\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM function"),
		"1|1|NULL|sys_sendto|net/socket.c|71|72|73|74|\n"
		"1|2|1|udp_sendmsg|net/ipv4/udp.c|81|82|83|84|\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM lock"),
			 "1|Qdisc|busylock|91|92|93|94|\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM snmp"),
			 "1|A|UdpOutDatagrams|95\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM slabinfo"),
			 "1|1|UDP|101|102|960|4|1|54|27|8|103|104|105|\n");
	ck_assert_str_eq(support_query(path, "SELECT run, id, host, device, "
		"time_ps, outbound, hex(bytes) FROM frame"),
		"1|1|A|eth0|106|1|010002\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM trace"),
		"1|1|A|107|function|udp_sendmsg|stack/net/ipv4/udp.c|108|109|"
		"110\n");
	ck_assert_str_eq(support_query(path, "SELECT run, row, metric, side, "
		"group_concat(repeat), group_concat(value) FROM published "
		"GROUP BY side"),
		"1||elapsed_s|after|0,1,2,3|1.884,1.905,1.891,1.895\n"
		"1||elapsed_s|before|0,1,2,3|2.247,2.235,2.247,2.318\n");
}
END_TEST

/* The values above go by position; the names must go by the same order. */
START_TEST(columns_bear_the_names_of_the_levels)
{
	static const char *const tables[] = { "line", "field_access" };
	const char *path = support_path("r.db");

	support_record(path, support_bare("s", "", ""));
	for (guint t = 0; t < G_N_ELEMENTS(tables); t++) {
		g_autoptr(GString) expected = g_string_new(NULL);
		g_autofree char *sql = g_strdup_printf(
			"SELECT name FROM pragma_table_info('%s') "
			"WHERE name LIKE 'from\\_%%' ESCAPE '\\' ORDER BY cid",
			tables[t]);

		for (int i = 0; i < NUM_LEVELS; i++)
			g_string_append_printf(expected, "from_%s\n",
					       result_level_name[i]);
		ck_assert_str_eq(support_query(path, sql), expected->str);
	}
}
END_TEST

START_TEST(runs_are_appended)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2));
	support_record(path, support_results("after", 1));
	ck_assert_str_eq(support_query(path,
		"SELECT id, variant, value FROM run JOIN metric "
		"ON run.id = metric.run WHERE name = 'elapsed_s' ORDER BY id"),
		"1|before|2.0\n2|after|1.0\n");
	/* What is deleted goes with all that belongs to it. */
	support_sql(path, "PRAGMA foreign_keys = ON; DELETE FROM run "
		    "WHERE id = 1");
	ck_assert_str_eq(support_query(path, "SELECT DISTINCT run FROM "
		"(SELECT run FROM run_host UNION ALL SELECT run FROM metric "
		"UNION ALL SELECT run FROM sample UNION ALL SELECT run FROM "
		"series UNION ALL SELECT run FROM line UNION ALL SELECT run "
		"FROM field_access UNION ALL SELECT run FROM function UNION "
		"ALL SELECT run FROM lock UNION ALL SELECT run FROM snmp "
		"UNION ALL SELECT run FROM slabinfo UNION ALL SELECT run FROM "
		"frame UNION ALL SELECT run FROM trace UNION ALL SELECT run FROM published)"), "2\n");
}
END_TEST

START_TEST(null_strings_are_empty_and_nan_is_null)
{
	const char *path = support_path("r.db");
	struct results *results = results_new();

	results_add_metric(results, "x", NULL, 0.0 / 0.0);
	results_add_metric(results, "y", "s", -1.0 / 0.0);
	support_record(path, results);
	ck_assert_str_eq(support_query(path,
		"SELECT scenario, variant, scale, scenario_text FROM run"),
		"|||\n");
	ck_assert_str_eq(support_query(path,
		"SELECT name, unit, value FROM metric"),
		"x||NULL\ny|s|-Inf\n");
}
END_TEST

static void expect_refusal(struct record *record, struct results *results,
			   enum record_error code, const char *part)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!record_add(record, results, &error));
	ck_assert_msg(g_error_matches(error, RECORD_ERROR, (int)code), "%s",
		      error->message);
	ck_assert_msg(strstr(error->message, part) != NULL, "%s",
		      error->message);
	results_free(results);
}

START_TEST(bad_results_leave_no_trace)
{
	const char *path = support_path("r.db");
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	struct results *results;
	struct record *record;

	support_record(path, support_results("before", 2));
	before = digest_read(path, NULL);
	ck_assert_ptr_nonnull(before);
	record = record_open(path, NULL);
	ck_assert_ptr_nonnull(record);

	results = support_results("after", 1);
	g_array_index(results->snmp, struct result_snmp, 0).value =
		(guint64)G_MAXINT64 + 1;
	expect_refusal(record, results, RECORD_ERROR_VALUE, "table snmp");

	results = support_results("after", 1);
	results_add_metric(results, "elapsed_s", "s", 3);
	expect_refusal(record, results, RECORD_ERROR_DATABASE,
		       "UNIQUE constraint failed: metric.run, metric.name");

	results = support_results("after", 1);
	g_array_index(results->functions, struct result_function, 1).parent =
		7;
	expect_refusal(record, results, RECORD_ERROR_DATABASE,
		       "the run of neigh-confirmed, after is not recorded");

	results = support_results("after", 1);
	support_publish(results, "", "elapsed_s", "beside", 3);
	expect_refusal(record, results, RECORD_ERROR_DATABASE,
		       "CHECK constraint failed");

	/* The record goes on. */
	results = support_results("after", 1);
	g_array_index(results->snmp, struct result_snmp, 0).value = G_MAXINT64;
	ck_assert(record_add(record, results, NULL));
	results_free(results);
	record_close(record);
	ck_assert_str_eq(support_query(path, "SELECT count(*) FROM run"),
			 "2\n");
	support_sql(path, "PRAGMA foreign_keys = ON; DELETE FROM run "
		    "WHERE variant = 'after'");
	after = digest_read(path, NULL);
	ck_assert_str_eq(before, after);
}
END_TEST

static void write_runs(const char *path, int runs)
{
	for (int i = 0; i < runs; i++) {
		g_autoptr(GError) error = NULL;
		struct record *record = record_open(path, &error);
		struct results *results = support_results("before", i);

		if (!record || !record_add(record, results, &error)) {
			fprintf(stderr, "%s\n", error->message);
			_exit(1);
		}
		results_free(results);
		record_close(record);
	}
	_exit(0);
}

START_TEST(processes_share_a_file)
{
	enum { PROCESSES = 4, RUNS = 8 };
	const char *path = support_path("r.db");
	pid_t child[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0)
			write_runs(path, RUNS);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	ck_assert_str_eq(support_query(path, "SELECT count(*), "
		"(SELECT count(*) FROM field_access) FROM run"), "32|32\n");
	ck_assert_str_eq(support_query(path, "PRAGMA integrity_check"),
			 "ok\n");
}
END_TEST

START_TEST(views_answer)
{
	const char *path = support_path("r.db");

	support_record(path, support_results("before", 2));
	ck_assert_str_eq(support_query(path, "SELECT * FROM hot_line"),
		"1|neigh-confirmed|before||neighbour|2|24|23|0.005|100.0|"
		"0.066|0.105|0.051\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM hot_field"),
		"1|neigh-confirmed|before||neighbour|confirmed|0.006|2001|"
		"2002|2003|125|61\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM hot_function"),
		"1|neigh-confirmed|before||udp_sendmsg|net/ipv4/udp.c|0.081|"
		"0.082|8.3e-05|8.4e-05\n"
		"1|neigh-confirmed|before||sys_sendto|net/socket.c|0.071|"
		"0.072|7.3e-05|7.4e-05\n");
	ck_assert_str_eq(support_query(path, "SELECT * FROM sample_spread"),
			 "1|elapsed_s|4|2.0|1.625|2.375\n");
}
END_TEST

Suite *suite_record(void)
{
	const TTest *const tests[] = {
		file_is_marked,
		columns_hold_what_was_given,
		columns_bear_the_names_of_the_levels,
		runs_are_appended,
		null_strings_are_empty_and_nan_is_null,
		bad_results_leave_no_trace,
		processes_share_a_file,
		views_answer,
		NULL
	};

	return support_suite("record", tests);
}
