/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suites of the analysis room: one a file, run by check_analysis.c.
 */
#ifndef TESTS_ANALYSIS_SUITES_H
#define TESTS_ANALYSIS_SUITES_H

#include <check.h>

Suite *suite_database(void);
Suite *suite_record(void);
Suite *suite_faults(void);
Suite *suite_compare(void);
Suite *suite_digest(void);
Suite *suite_commands(void);
Suite *suite_export(void);
Suite *suite_report(void);
Suite *suite_serve(void);

#endif
