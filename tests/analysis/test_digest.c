/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The digest is of the results, of all of them and of nothing else.
 */
#include "analysis/digest.h"
#include "analysis/record.h"
#include "suites.h"
#include "support.h"

static char *digest_of(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *digest = digest_read(path, &error);

	ck_assert_msg(digest != NULL, "%s", error ? error->message : "");
	ck_assert_uint_eq(strlen(digest), 64);
	return digest;
}

static void expect_same(const char *path, const char *other)
{
	g_autofree char *digest = digest_of(path);
	g_autofree char *second = digest_of(other);

	ck_assert_str_eq(digest, second);
}

static void expect_other(const char *path, const char *other)
{
	g_autofree char *digest = digest_of(path);
	g_autofree char *second = digest_of(other);

	ck_assert_str_ne(digest, second);
}

START_TEST(same_runs_same_digest)
{
	const char *first = support_path("1.db");
	const char *second = support_path("2.db");
	struct results *results;

	support_record(first, support_results("before", 2));
	support_record(first, support_results("after", 1));
	/* Other ids, other facts of the wall clock, other pages. */
	support_record(second, support_results("aside", 9));
	results = support_results("before", 2);
	results->host_usec = 123456;
	results->accesses = 654321;
	support_record(second, results);
	support_record(second, support_results("after", 1));
	support_sql(second, "PRAGMA foreign_keys = ON;"
		    "DELETE FROM run WHERE variant = 'aside';"
		    "UPDATE run SET model_version = 'other';"
		    "PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192;"
		    "VACUUM");
	expect_same(first, second);
}
END_TEST

START_TEST(order_of_runs_counts)
{
	const char *first = support_path("1.db");
	const char *second = support_path("2.db");

	support_record(first, support_results("before", 2));
	support_record(first, support_results("after", 1));
	support_record(second, support_results("after", 1));
	expect_other(first, second);
	support_record(second, support_results("before", 2));
	expect_other(first, second);
}
END_TEST

/* The order in which a run's rows came does not. */
START_TEST(order_of_rows_does_not_count)
{
	const char *first = support_path("1.db");
	const char *second = support_path("2.db");
	struct results *results = support_bare("s", "", "");

	results_add_metric(results, "a", "s", 1);
	results_add_metric(results, "b", "s", 2);
	support_record(first, results);
	results = support_bare("s", "", "");
	results_add_metric(results, "b", "s", 2);
	results_add_metric(results, "a", "s", 1);
	support_record(second, results);
	expect_same(first, second);
}
END_TEST

START_TEST(texts_do_not_run_together)
{
	const char *first = support_path("1.db");
	const char *second = support_path("2.db");
	struct results *results = support_bare("s", "", "");

	results_add_metric(results, "a t1:b", "c", 1);
	support_record(first, results);
	results = support_bare("s", "", "");
	results_add_metric(results, "a", "b t1:c", 1);
	support_record(second, results);
	expect_other(first, second);
}
END_TEST

/* An expression that gives another value of the same type. */
static const char *changed(const char *table, const char *column,
			   const char *type)
{
	if (g_str_equal(table, "published") && g_str_equal(column, "side"))
		return "iif(side = 'after', 'before', 'after')";
	if (g_str_equal(table, "frame") && g_str_equal(column, "outbound"))
		return "1 - %s";
	if (g_str_equal(type, "TEXT"))
		return "%s || 'x'";
	if (g_str_equal(type, "BLOB"))
		return "CAST(%s || 'x' AS BLOB)";
	return "coalesce(%s, 0) + 1";
}

static void change_column(const char *base, const char *table,
			  const char *column, const char *type)
{
	const char *path = support_path("changed.db");
	g_autofree char *bytes = NULL;
	g_autofree char *value = NULL;
	g_autofree char *sql = NULL;
	g_auto(GStrv) parts = NULL;
	gsize len;

	ck_assert(g_file_get_contents(base, &bytes, &len, NULL));
	ck_assert(g_file_set_contents(path, bytes, (gssize)len, NULL));
	parts = g_strsplit(changed(table, column, type), "%s", 2);
	value = g_strjoinv(column, parts);
	/* One row only, so that no key can clash. */
	sql = g_strdup_printf("UPDATE %s SET %s = %s WHERE rowid = "
			      "(SELECT max(rowid) FROM %s)", table, column,
			      value, table);
	support_sql(path, sql);
	ck_assert_str_eq(support_query(path, "PRAGMA integrity_check"),
			 "ok\n");
	{
		g_autofree char *digest = digest_of(base);
		g_autofree char *second = digest_of(path);

		ck_assert_msg(!g_str_equal(digest, second),
			      "%s.%s is not in the digest", table, column);
	}
}

/* Asks the database itself for its columns: one added later cannot be
 * forgotten. */
START_TEST(every_column_counts)
{
	const char *path = support_path("r.db");
	g_auto(GStrv) columns = NULL;
	struct results *results = support_bare("s", "before", "");
	guint n = 0;

	results_free(results);
	results = support_results("before", 2);
	g_array_set_size(results->published, 0);
	support_publish(results, "", "elapsed_s", "before", 2);
	support_record(path, results);
	columns = g_strsplit(support_query(path,
		"SELECT t.name, c.name, c.type FROM pragma_table_list AS t "
		"JOIN pragma_table_info(t.name) AS c "
		"WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' "
		"AND t.name <> 'run_host' AND c.name NOT IN "
		"('run', 'model_version') "
		"AND NOT (t.name = 'run' AND c.name = 'id')"), "\n", -1);
	for (; columns[n] && *columns[n]; n++) {
		g_auto(GStrv) part = g_strsplit(columns[n], "|", 3);

		change_column(path, part[0], part[1], part[2]);
	}
	ck_assert_uint_gt(n, 80);
}
END_TEST

static void append_piece(const char *piece, gsize len, gpointer text)
{
	g_string_append_len(text, piece, (gssize)len);
}

/* The canonical form itself: a change here changes every digest ever
 * published. */
START_TEST(canonical_form)
{
	const char *path = support_path("r.db");
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *digest = NULL;
	g_autofree char *expected = NULL;
	struct results *results = support_bare("s", "before", "");

	results_add_metric(results, "elapsed_s", "s", 0.1);
	results_add_metric(results, "nan", "s", 0.0 / 0.0);
	support_record(path, results);
	ck_assert(digest_dump(path, append_piece, text, NULL));
	ck_assert_str_eq(text->str,
		"run\n"
		"t1:s t7:A title t8:A source t6:before t0: t9:linux-3.6 t0: "
		"t13:xeon-x5660-2p t1:1 i1 t1:1 i1000 t0: t11:[scenario]\n "
		"t64:d9ecc32527cfdfd27a0de549de70602ca917765d7519da3bb73beeddb"
		"bd21a79 \n"
		"metric\n"
		"t9:elapsed_s t1:s r0.10000000000000001 \n"
		"t3:nan t1:s n \n"
		"sample\nseries\nline\nfield_access\nfunction\nlock\nsnmp\n"
		"slabinfo\npublished\n");
	expected = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str,
						 -1);
	digest = digest_of(path);
	ck_assert_str_eq(digest, expected);
}
END_TEST

/* No runs at all: the hash of nothing. */
START_TEST(digest_of_no_runs)
{
	const char *path = support_path("r.db");
	g_autofree char *digest = NULL;

	record_close(record_open(path, NULL));
	digest = digest_of(path);
	ck_assert_str_eq(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b"
			 "934ca495991b7852b855");
}
END_TEST

Suite *suite_digest(void)
{
	const TTest *const tests[] = {
		same_runs_same_digest,
		order_of_runs_counts,
		order_of_rows_does_not_count,
		texts_do_not_run_together,
		every_column_counts,
		canonical_form,
		digest_of_no_runs,
		NULL
	};

	return support_suite("digest", tests);
}
