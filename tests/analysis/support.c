/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared means of the analysis suites; see support.h.
 */
#include "support.h"

#include <glib/gstdio.h>

#include "analysis/record.h"

static char *folder;
static GPtrArray *kept;		/* strings to free when the test ends */

static const char *keep(char *string)
{
	g_ptr_array_add(kept, string);
	return string;
}

void support_setup(void)
{
	folder = g_dir_make_tmp("udpsim-analysis-XXXXXX", NULL);
	ck_assert_ptr_nonnull(folder);
	kept = g_ptr_array_new_with_free_func(g_free);
}

static void remove_tree(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *child = g_build_filename(path, name, NULL);

		remove_tree(child);
	}
	if (dir)
		g_dir_close(dir);
	g_remove(path);
}

void support_teardown(void)
{
	remove_tree(folder);
	g_free(folder);
	g_ptr_array_unref(kept);
	ck_assert_int_eq(sqlite3_memory_used(), 0);
}

Suite *support_suite(const char *name, const TTest *const *tests)
{
	Suite *suite = suite_create(name);
	TCase *test_case = tcase_create(name);

	tcase_add_checked_fixture(test_case, support_setup, support_teardown);
	tcase_set_timeout(test_case, 120);
	for (; *tests; tests++)
		tcase_add_test(test_case, *tests);
	suite_add_tcase(suite, test_case);
	return suite;
}

const char *support_path(const char *name)
{
	return keep(g_build_filename(folder, name, NULL));
}

struct results *support_bare(const char *scenario, const char *variant,
			     const char *point)
{
	struct results *results = results_new();

	results->scenario = g_strdup(scenario);
	results->title = g_strdup("A title");
	results->source = g_strdup("A source");
	results->variant = g_strdup(variant);
	results->point = g_strdup(point);
	results->kernel = g_strdup("linux-3.6");
	results->patches = g_strdup("");
	results->machine = g_strdup("xeon-x5660-2p");
	results->text = g_strdup("[scenario]\n");
	results->overrides = g_strdup("");
	results->seed = 1;
	results->repeats = 1;
	results->scale = g_strdup("1");
	results->operations = 1000;
	return results;
}

void support_publish(struct results *results, const char *row,
		     const char *metric, const char *side, double value)
{
	struct result_published published = {
		.row = g_strdup(row),
		.metric = g_strdup(metric),
		.side = g_strdup(side),
		.value = value,
	};

	for (guint i = 0; i < results->published->len; i++) {
		const struct result_published *other = &g_array_index(
			results->published, struct result_published, i);

		if (g_str_equal(other->row, row) &&
		    g_str_equal(other->metric, metric) &&
		    g_str_equal(other->side, side))
			published.repeat++;
	}
	g_array_append_val(results->published, published);
}

static void add_accesses(struct results *results)
{
	struct result_line line = {
		.type = g_strdup("neighbour"), .line = 2, .objects = 3,
		.readers = 24, .writers = 23, .reads = 1001, .writes = 1002,
		.atomics = 1003,
		.level = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 },
		.stall_ps = 5000, .invalidations = 51, .hitm_core = 52,
		.hitm_package = 53,
	};
	struct result_field field = {
		.type = g_strdup("neighbour"), .field = g_strdup("confirmed"),
		.function = g_strdup("dst_confirm"),
		.file = g_strdup("include/net/dst.h"), .line = 400,
		.reads = 2001, .writes = 2002, .atomics = 2003,
		.level = { 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 },
		.stall_ps = 6000, .invalidations = 61, .hitm_core = 62,
		.hitm_package = 63,
	};

	g_array_append_val(results->lines, line);
	g_array_append_val(results->fields, field);
}

static void add_calls(struct results *results)
{
	struct result_function root = {
		.id = 1, .parent = 0, .name = g_strdup("sys_sendto"),
		.file = g_strdup("net/socket.c"), .calls = 71,
		.instructions = 72, .instruction_ps = 73, .stall_ps = 74,
	};
	struct result_function child = {
		.id = 2, .parent = 1, .name = g_strdup("udp_sendmsg"),
		.file = g_strdup("net/ipv4/udp.c"), .calls = 81,
		.instructions = 82, .instruction_ps = 83, .stall_ps = 84,
	};
	struct result_lock lock = {
		.type = g_strdup("Qdisc"), .field = g_strdup("busylock"),
		.acquired = 91, .contended = 92, .wait_ps = 93, .hold_ps = 94,
	};
	struct result_cpu cpu = {
		.cpu = 1, .threads = 2, .helpers = 3, .elapsed_ps = 600,
		.busy_ps = 300, .exits = 4, .exit_ps = 100, .idle_ps = 200,
		.outside_ps = -5,
	};
	struct result_wait wait = {
		.kind = g_strdup("lock"), .name = g_strdup("Qdisc.busylock"),
		.count = 92, .time_ps = 90,
	};
	struct result_sharing sharing = {
		.type = g_strdup("neighbour"), .field = g_strdup("confirmed"),
		.function = g_strdup("dst_confirm"),
		.file = g_strdup("net/dst.c"), .cpus = g_strdup("0-3"),
		.owner = g_strdup("neighbour"),
		.users = 4, .writers = 2, .strangers = 1,
	};
	struct result_snmp snmp = {
		.host = g_strdup("A"), .name = g_strdup("UdpOutDatagrams"),
		.value = 95,
	};
	struct result_slab slab = {
		.id = 1, .name = g_strdup("UDP"), .active_objs = 101,
		.num_objs = 102, .objsize = 960, .objperslab = 4,
		.pagesperslab = 1, .limit = 54, .batchcount = 27,
		.sharedfactor = 8, .active_slabs = 103, .num_slabs = 104,
		.sharedavail = 105,
	};
	struct result_frame frame = {
		.id = 1, .host = g_strdup("A"), .device = g_strdup("eth0"),
		.time_ps = 106, .outbound = true,
		.bytes = g_bytes_new("\x01\0\x02", 3),
	};
	struct result_event event = {
		.id = 1, .host = "A", .cpu = 107, .kind = "function",
		.name = "udp_sendmsg", .detail = "stack/net/ipv4/udp.c",
		.time_ps = 108, .duration_ps = 109, .packet = 110,
	};
	struct result_point point = {
		.name = g_strdup("queue"), .time_ps = 96, .value = -97,
	};

	g_array_append_val(results->functions, root);
	g_array_append_val(results->functions, child);
	g_array_append_val(results->locks, lock);
	g_array_append_val(results->cpus, cpu);
	g_array_append_val(results->waits, wait);
	g_array_append_val(results->sharings, sharing);
	g_array_append_val(results->snmp, snmp);
	g_array_append_val(results->slabs, slab);
	g_array_append_val(results->frames, frame);
	g_array_append_val(results->trace, event);
	g_array_append_val(results->series, point);
}

struct results *support_results(const char *variant, double elapsed)
{
	static const double before[] = { 2.247, 2.235, 2.247, 2.318 };
	static const double after[] = { 1.884, 1.905, 1.891, 1.895 };
	struct results *results = support_bare("neigh-confirmed", variant, "");

	results->repeats = 4;
	results->host_usec = 98;
	results->accesses = 99;
	results_add_metric(results, "elapsed_s", "s", elapsed);
	results_add_metric(results, "ns_per_op", "ns", elapsed * 40);
	results_add_metric(results, "rtt_us", "us", 42.5);
	for (unsigned int i = 0; i < 4; i++) {
		results_add_sample(results, i, G_MAXUINT64 - i, "elapsed_s",
				   "s", elapsed + 0.25 * (i - 1.5));
		support_publish(results, "", "elapsed_s", "before", before[i]);
		support_publish(results, "", "elapsed_s", "after", after[i]);
	}
	add_accesses(results);
	add_calls(results);
	return results;
}

void support_record(const char *path, struct results *results)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = record_open(path, &error);

	ck_assert_msg(record != NULL, "%s", error ? error->message : "");
	ck_assert_msg(record_add(record, results, &error), "%s",
		      error ? error->message : "");
	results_free(results);
}

static sqlite3 *plain_open(const char *path)
{
	sqlite3 *db = NULL;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

const char *support_query(const char *path, const char *sql)
{
	sqlite3 *db = plain_open(path);
	GString *text = g_string_new(NULL);
	sqlite3_stmt *rows = NULL;
	int status;

	status = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
	ck_assert_msg(status == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(rows); i++) {
			const char *cell =
				(const char *)sqlite3_column_text(rows, i);

			if (i)
				g_string_append_c(text, '|');
			g_string_append(text, cell ? cell : "NULL");
		}
		g_string_append_c(text, '\n');
	}
	ck_assert_msg(status == SQLITE_DONE, "%s: %s", sql,
		      sqlite3_errmsg(db));
	sqlite3_finalize(rows);
	sqlite3_close(db);
	return keep(g_string_free(text, FALSE));
}

void support_sql(const char *path, const char *sql)
{
	sqlite3 *db = plain_open(path);
	int status = sqlite3_exec(db, sql, NULL, NULL, NULL);

	ck_assert_msg(status == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

void support_refused(const char *path, enum database_mode mode,
		     enum record_error code, const char *part)
{
	g_autoptr(GError) error = NULL;
	sqlite3 *db = database_open(path, mode, &error);

	ck_assert_msg(db == NULL, "%s was opened (expected: %s)", path, part);
	ck_assert_ptr_nonnull(error);
	ck_assert_msg(g_error_matches(error, RECORD_ERROR, (int)code),
		      "code %d: %s", error->code, error->message);
	ck_assert_msg(strstr(error->message, part) != NULL, "%s has no %s",
		      error->message, part);
	ck_assert_msg(strstr(error->message, path) != NULL, "%s",
		      error->message);
	ck_assert_ptr_null(strchr(error->message, '\n'));
}
