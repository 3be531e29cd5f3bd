/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the suites of the sim room; fails where one test fails. */
#include <stdlib.h>

#include "support.h"

int main(void)
{
	SRunner *runner = srunner_create(suite_engine());
	int failed;

	srunner_add_suite(runner, suite_random());
	srunner_add_suite(runner, suite_coroutine());
	srunner_add_suite(runner, suite_object());
	srunner_add_suite(runner, suite_account());
	srunner_add_suite(runner, suite_cache());
	srunner_add_suite(runner, suite_overlap());
	srunner_add_suite(runner, suite_coherence());
	srunner_add_suite(runner, suite_contention());
	srunner_add_suite(runner, suite_order());
	srunner_add_suite(runner, suite_interrupt());
	srunner_add_suite(runner, suite_idle());
	srunner_add_suite(runner, suite_lock());
	srunner_add_suite(runner, suite_check());
	srunner_add_suite(runner, suite_refs());
	srunner_add_suite(runner, suite_race());
	srunner_add_suite(runner, suite_observe());
	srunner_add_suite(runner, suite_world());
	srunner_add_suite(runner, suite_dma());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
