/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the suites of the scenario language, of what scenarios show, and of the
 * yardstick; exits with 1 if a test fails.
 */
#include "tests/scenarios/suites.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(scenario_suite());
	int failed;

	srunner_add_suite(runner, scenario_errors_suite());
	srunner_add_suite(runner, scenario_fuzz_suite());
	srunner_add_suite(runner, hosts_suite());
	srunner_add_suite(runner, machine_file_suite());
	srunner_add_suite(runner, conflicts_suite());
	srunner_add_suite(runner, data_suite());
	srunner_add_suite(runner, effect_suite());
	srunner_add_suite(runner, objects_suite());
	srunner_add_suite(runner, operation_suite());
	srunner_add_suite(runner, rr_suite());
	srunner_add_suite(runner, stream_suite());
	srunner_add_suite(runner, udplite_suite());
	srunner_add_suite(runner, verify_suite());
	srunner_add_suite(runner, workloads_suite());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
