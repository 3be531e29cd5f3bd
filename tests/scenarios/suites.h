/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suites of the scenario language, one getter a file.
 */
#ifndef TESTS_SCENARIOS_SUITES_H
#define TESTS_SCENARIOS_SUITES_H

#include <check.h>
#include <glib.h>

Suite *conflicts_suite(void);
Suite *data_suite(void);
Suite *effect_suite(void);
Suite *hosts_suite(void);
Suite *machine_file_suite(void);
Suite *objects_suite(void);
Suite *operation_suite(void);
Suite *rr_suite(void);
Suite *scenario_suite(void);
Suite *scenario_errors_suite(void);
Suite *scenario_fuzz_suite(void);
Suite *stream_suite(void);
Suite *udplite_suite(void);
Suite *verify_suite(void);
Suite *workloads_suite(void);

/* Fails unless error is set and its message is this. */
static inline void assert_message(const GError *error, const char *message)
{
	ck_assert_ptr_nonnull(error);
	ck_assert_str_eq(error->message, message);
}

/* Fails with the message where there is an error. */
static inline void assert_no_error(const GError *error)
{
	if (error)
		ck_abort_msg("unexpected error: %s", error->message);
}

#endif
