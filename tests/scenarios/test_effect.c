/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of the experiment neigh-confirmed behaves as its cause demands:
 * the contended line, and nothing else, makes it.  Each test runs the shipped
 * scenario at a small part of its size and compares variants of one seed.
 */
#include <check.h>

#include "tests/scenarios/run_support.h"
#include "tests/scenarios/suites.h"

#define MAX_SETS 8

/* Runs one variant; the sets are "group.key=value", NULL-ended. */
static struct results *run_with(const char *variant, const char *const *sets)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = scenario_find("neigh-confirmed", &error);
	struct scenario *scenario = path ? scenario_load(path, &error) : NULL;
	char *all[MAX_SETS + 2] = { (char *)"scenario.repeat=1" };
	struct run_options options = {
		.scale_num = 1, .scale_den = 400, .scale_text = (char *)"0.0025",
	};
	struct config *config = NULL;
	struct results *results;
	u32 i, v = 0;

	for (i = 0; sets && sets[i]; i++) {
		ck_assert_uint_lt(i, MAX_SETS);
		all[i + 1] = (char *)sets[i];
	}
	ck_assert_msg(scenario != NULL, "%s", error ? error->message : "");
	while (!g_str_equal(scenario_variant(scenario, v), variant))
		v++;
	config = scenario_resolve(scenario, v, 0, all, &error);
	ck_assert_msg(config != NULL, "%s", error ? error->message : "");
	results = run_config(scenario, config, &options, NULL, &error);
	ck_assert_msg(results != NULL, "%s", error ? error->message : "");
	config_free(config);
	scenario_free(scenario);
	return results;
}

static double run_metric(const char *variant, const char *const *sets,
			 const char *name)
{
	struct results *results = run_with(variant, sets);
	double value = metric(results, name);

	results_free(results);
	return value;
}

/* Stall of one field over all functions, in ns an operation. */
static double field_stall(const char *const *sets, const char *field)
{
	struct results *results = run_with("before", sets);
	double stall = 0;
	u32 i;

	for (i = 0; i < results->fields->len; i++) {
		const struct result_field *f =
			&g_array_index(results->fields, struct result_field, i);

		if (g_str_equal(f->type, "neighbour") &&
		    g_str_equal(f->field, field))
			stall += (double)f->stall_ps / 1000;
	}
	stall /= (double)results->operations;
	results_free(results);
	return stall;
}

/* What the patch saves, ns an operation. */
static double effect(const char *const *sets)
{
	return run_metric("before", sets, "ns_per_op") -
	       run_metric("after", sets, "ns_per_op");
}

START_TEST(one_thread_pays_instructions_only)
{
	const char *const *one = SETS("workload.threads=1",
				      "workload.cpus=0");
	double saved = effect(one), stall;

	stall = run_metric("before", one, "stall_ns_per_op") -
		run_metric("after", one, "stall_ns_per_op");
	ck_assert_double_lt(stall, 1);
	ck_assert_double_gt(stall, -1);
	/* The call of memcpy() and a few instructions. */
	ck_assert_double_gt(saved, 0);
	ck_assert_double_lt(saved, 40);
}
END_TEST

START_TEST(it_grows_with_threads)
{
	double two = effect(SETS("workload.threads=2"));
	double six = effect(SETS("workload.threads=6"));
	double twelve = effect(SETS("workload.threads=12"));
	double all = effect(SETS("workload.threads=24"));

	ck_assert_double_gt(six, two);
	ck_assert_double_gt(twelve, six);
	ck_assert_double_gt(all, twelve);
	ck_assert_double_gt(all, 2 * six);
}
END_TEST

START_TEST(without_confirm_it_is_gone)
{
	const char *const *sets = SETS("workload.confirm=false",
				       "scenario.patches=neigh-confirm-once");
	const char *const *none = SETS("workload.confirm=false");

	/* The same bits: nothing of the patch is on the path. */
	ck_assert_double_eq(run_metric("before", none, "elapsed_s"),
			    run_metric("before", sets, "elapsed_s"));
	ck_assert_double_lt(run_metric("before", none, "hitm_per_op"),
			    0.05);
}
END_TEST

START_TEST(two_packages_pay_more_than_one)
{
	double one = effect(SETS("workload.threads=12",
				 "workload.cpus=0-5,12-17"));
	double two = effect(SETS("workload.threads=12",
				 "workload.cpus=0-2,6-8,12-14,18-20"));

	ck_assert_double_gt(one, 0);
	ck_assert_double_gt(two, 1.3 * one);
}
END_TEST

START_TEST(it_is_true_sharing)
{
	double shared = effect(NULL);
	double alone = effect(SETS("layout.neighbour.confirmed=own line"));

	/* Alone on its line the field is written as often by as many. */
	ck_assert_double_gt(alone, 0.8 * shared);
	ck_assert_double_lt(alone, 1.2 * shared);
}
END_TEST

START_TEST(readers_beside_it_pay_until_it_stands_alone)
{
	/* Moves a field that each packet reads onto the contended line. */
	const char *const *beside =
		SETS("layout.neighbour.nud_state=offset 63");
	const char *const *apart =
		SETS("layout.neighbour.nud_state=offset 63",
		     "layout.neighbour.confirmed=own line");
	double paid = field_stall(beside, "nud_state");
	double spared = field_stall(apart, "nud_state");

	ck_assert_double_gt(paid, 50);
	ck_assert_double_lt(spared, 5);
	ck_assert_double_gt(field_stall(apart, "confirmed"), 30);
}
END_TEST

/* Over a few seeds: who waits for whom differs by more than a copy costs. */
static double mean_ns_per_op(const char *patches)
{
	static const char *const seeds[] = {
		"scenario.seed=1", "scenario.seed=2", "scenario.seed=3",
		"scenario.seed=4",
	};
	double sum = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++)
		sum += run_metric("before", SETS(patches, seeds[i]),
				  "ns_per_op");
	return sum / ARRAY_SIZE(seeds);
}

START_TEST(each_patch_works_alone)
{
	double before = mean_ns_per_op("scenario.patches=");
	double once = mean_ns_per_op("scenario.patches=neigh-confirm-once");
	double copy = mean_ns_per_op("scenario.patches=neigh-hh-output-inline");

	ck_assert_double_lt(once, before);
	ck_assert_double_lt(copy, before);
	/* The line is the larger part. */
	ck_assert_double_lt(once, copy);
}
END_TEST

START_TEST(seeds_differ_and_repeat)
{
	double a = run_metric("before", SETS("scenario.seed=1"), "elapsed_s");
	double b = run_metric("before", SETS("scenario.seed=2"), "elapsed_s");

	ck_assert_double_eq(a, run_metric("before", SETS("scenario.seed=1"),
					  "elapsed_s"));
	ck_assert_double_ne(a, b);
}
END_TEST

Suite *effect_suite(void)
{
	Suite *suite = suite_create("effect");
	TCase *tc = tcase_create("neigh-confirmed");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, one_thread_pays_instructions_only);
	tcase_add_test(tc, it_grows_with_threads);
	tcase_add_test(tc, without_confirm_it_is_gone);
	tcase_add_test(tc, two_packages_pay_more_than_one);
	tcase_add_test(tc, it_is_true_sharing);
	tcase_add_test(tc, readers_beside_it_pay_until_it_stands_alone);
	tcase_add_test(tc, each_patch_works_alone);
	tcase_add_test(tc, seeds_differ_and_repeat);
	suite_add_tcase(suite, tc);
	return suite;
}
