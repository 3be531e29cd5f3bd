/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fails the n-th change of a file, and the n-th allocation of SQLite, for
 * n = 1, 2, ... until nothing is left to fail: what was recorded before must
 * be whole each time, and what was not recorded must have left nothing.
 */
#include <glib/gstdio.h>

#include "analysis/digest.h"
#include "analysis/record.h"
#include "fault_vfs.h"
#include "suites.h"
#include "support.h"

static char *digest_of(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *digest = digest_read(path, &error);

	ck_assert_msg(digest != NULL, "%s", error ? error->message : "");
	ck_assert_str_eq(support_query(path, "PRAGMA integrity_check"),
			 "ok\n");
	return digest;
}

/* A run of many pages, so that there is much to fail. */
static struct results *large_results(void)
{
	struct results *results = support_results("after", 1);

	for (int i = 0; i < 120; i++) {
		g_autofree char *name = g_strdup_printf("metric_%d", i);

		results_add_metric(results, name, "1", i);
		results_add_sample(results, 0, 1, name, "1", i);
	}
	return results;
}

static void copy(const char *from, const char *to)
{
	g_autofree char *bytes = NULL;
	gsize len;

	ck_assert(g_file_get_contents(from, &bytes, &len, NULL));
	ck_assert(g_file_set_contents(to, bytes, (gssize)len, NULL));
}

/* What the two states of the file are known by. */
struct states {
	const char *base;	/* a file with one run */
	char *one;		/* its digest */
	char *both;		/* the digest with the large run added */
	struct results *results;
};

static void states_make(struct states *states)
{
	const char *both = support_path("both.db");

	states->base = support_path("base.db");
	states->results = large_results();
	support_record(states->base, support_results("before", 2));
	copy(states->base, both);
	support_record(both, large_results());
	states->one = digest_of(states->base);
	states->both = digest_of(both);
	ck_assert_str_ne(states->one, states->both);
}

static void states_clear(struct states *states)
{
	results_free(states->results);
	g_free(states->one);
	g_free(states->both);
}

/* One round; says whether the failure came about. */
static bool fail_add(const struct states *states, unsigned int n, int code,
		     bool from_then_on)
{
	const char *path = support_path("work.db");
	g_autoptr(GError) error = NULL;
	g_autofree char *digest = NULL;
	struct record *record;
	bool added, failed;

	copy(states->base, path);
	record = record_open(path, &error);
	ck_assert_msg(record != NULL, "%s", error ? error->message : "");
	fault_vfs_arm(n, code, from_then_on);
	added = record_add(record, states->results, &error);
	if (!from_then_on)
		failed = fault_vfs_disarm();
	ck_assert((error == NULL) == added);
	if (!added && !from_then_on) {
		/* The disk is well again: the same record goes on. */
		g_clear_error(&error);
		added = record_add(record, states->results, &error);
		ck_assert_msg(added, "n = %u: %s", n,
			      error ? error->message : "");
	}
	record_close(record);
	if (from_then_on)
		failed = fault_vfs_disarm();
	digest = digest_of(path);
	ck_assert_msg(g_str_equal(digest, added ? states->both : states->one),
		      "n = %u", n);
	g_remove(path);
	return failed;
}

static void fail_each_add(int code, bool from_then_on)
{
	struct states states;
	unsigned int n = 1;

	fault_vfs_install();
	states_make(&states);
	while (fail_add(&states, n, code, from_then_on))
		n++;
	fault_vfs_remove();
	states_clear(&states);
	ck_assert_uint_gt(n, 20);
}

START_TEST(a_write_fails_once)
{
	fail_each_add(SQLITE_IOERR_WRITE, false);
}
END_TEST

START_TEST(a_full_disk)
{
	fail_each_add(SQLITE_FULL, true);
}
END_TEST

/* The same with the rollback journal. */
START_TEST(a_write_fails_once_without_log)
{
	fault_vfs_hide_shared_memory(true);
	fail_each_add(SQLITE_IOERR_WRITE, false);
	fault_vfs_hide_shared_memory(false);
}
END_TEST

START_TEST(making_a_file_fails)
{
	const char *path = support_path("new.db");
	unsigned int n;
	bool failed = true;

	fault_vfs_install();
	for (n = 1; failed; n++) {
		g_autoptr(GError) error = NULL;
		struct record *record;

		fault_vfs_arm(n, SQLITE_FULL, true);
		record = record_open(path, &error);
		ck_assert((record == NULL) == (error != NULL));
		record_close(record);
		failed = fault_vfs_disarm();
		/* What is left of it is taken for new. */
		support_record(path, support_results("before", 2));
		ck_assert_str_eq(support_query(path,
			"SELECT count(*) FROM run"), "1\n");
		g_remove(path);
	}
	fault_vfs_remove();
	ck_assert_uint_gt(n, 20);
}
END_TEST

START_TEST(a_full_disk_is_named)
{
	const char *path = support_path("r.db");
	struct results *results = large_results();
	struct record *record = record_open(path, NULL);
	g_autoptr(GError) error = NULL;

	record_close(record);
	fault_vfs_install();
	record = record_open(path, NULL);
	ck_assert_ptr_nonnull(record);
	fault_vfs_arm(1, SQLITE_FULL, true);
	ck_assert(!record_add(record, results, &error));
	fault_vfs_disarm();
	record_close(record);
	fault_vfs_remove();
	results_free(results);
	ck_assert(strstr(error->message, "disk is full") != NULL);
	ck_assert(strstr(error->message, path) != NULL);
}
END_TEST

static sqlite3_mem_methods system_memory;
static unsigned int allocations_left;	/* 0: none fails */
static bool allocation_failed;

static bool allocation_fails(void)
{
	if (!allocations_left || --allocations_left)
		return false;
	allocations_left = 1;	/* memory stays short */
	allocation_failed = true;
	return true;
}

static void *failing_malloc(int size)
{
	return allocation_fails() ? NULL : system_memory.xMalloc(size);
}

static void *failing_realloc(void *memory, int size)
{
	return allocation_fails() ? NULL :
	       system_memory.xRealloc(memory, size);
}

/* Recording while memory runs out at the n-th allocation; says whether it
 * did. */
static bool short_of_memory(const struct states *states, unsigned int n)
{
	const char *path = support_path("work.db");
	g_autoptr(GError) error = NULL;
	g_autofree char *digest = NULL;
	struct record *record;
	bool added = false;

	copy(states->base, path);
	allocation_failed = false;
	allocations_left = n;
	record = record_open(path, &error);
	ck_assert((record == NULL) == (error != NULL));
	if (record) {
		added = record_add(record, states->results, &error);
		ck_assert((error == NULL) == added);
	}
	record_close(record);
	allocations_left = 0;
	digest = digest_of(path);
	ck_assert_msg(g_str_equal(digest, added ? states->both : states->one),
		      "n = %u", n);
	g_remove(path);
	return allocation_failed;
}

START_TEST(memory_runs_out)
{
	sqlite3_mem_methods methods;
	struct states states;
	unsigned int n = 1;

	sqlite3_shutdown();
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC,
					&system_memory), SQLITE_OK);
	methods = system_memory;
	methods.xMalloc = failing_malloc;
	methods.xRealloc = failing_realloc;
	ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods),
			 SQLITE_OK);
	states_make(&states);
	/* Step by step at first, then in strides: there are thousands. */
	while (short_of_memory(&states, n))
		n += n < 60 ? 1 : 53;
	states_clear(&states);
	ck_assert_uint_gt(n, 1000);
	sqlite3_shutdown();
	sqlite3_config(SQLITE_CONFIG_MALLOC, &system_memory);
}
END_TEST

Suite *suite_faults(void)
{
	const TTest *const tests[] = {
		a_write_fails_once,
		a_full_disk,
		a_write_fails_once_without_log,
		making_a_file_fails,
		a_full_disk_is_named,
		memory_runs_out,
		NULL
	};

	return support_suite("faults", tests);
}
