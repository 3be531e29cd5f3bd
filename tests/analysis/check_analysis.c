/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the suites of the analysis room; fails where one test fails.
 */
#include <stdlib.h>

#include "suites.h"

int main(void)
{
	SRunner *runner = srunner_create(suite_database());
	int failed;

	srunner_add_suite(runner, suite_record());
	srunner_add_suite(runner, suite_faults());
	srunner_add_suite(runner, suite_compare());
	srunner_add_suite(runner, suite_digest());
	srunner_add_suite(runner, suite_commands());
	srunner_add_suite(runner, suite_export());
	srunner_add_suite(runner, suite_report());
	srunner_add_suite(runner, suite_serve());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
