/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data folder: finding and listing what lies in one made for the test.
 */
#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "tests/scenarios/suites.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *root;

static const char *const folders[] = {
	"scenarios", "scenarios/seeds", "scenarios/examples",
	"scenarios/machines", "stack", "stack/kernels",
	"stack/kernels/linux-3.6", "stack/kernels/linux-2.6.32",
};

static const char *const files[] = {
	"scenarios/seeds/neigh-confirmed.scenario",
	"scenarios/seeds/early-demux.scenario",
	"scenarios/seeds/notes.txt",
	"scenarios/seeds/.hidden.scenario",
	"scenarios/examples/Zoo.scenario",
	"scenarios/examples/early-demux.scenario",
	"scenarios/machines/b.machine",
	"scenarios/machines/a.machine",
	"stack/kernels/README",
};

static char *in_root(const char *path)
{
	return g_build_filename(root, path, NULL);
}

static void set_up(void)
{
	root = g_dir_make_tmp("udpsim-data-XXXXXX", NULL);
	ck_assert_ptr_nonnull(root);
	for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *path = in_root(folders[i]);

		ck_assert_int_eq(g_mkdir(path, 0700), 0);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = in_root(files[i]);

		ck_assert(g_file_set_contents(path, "x\n", 2, NULL));
	}
	g_setenv("UDPSIM_DATADIR", root, TRUE);
}

static void tear_down(void)
{
	g_unsetenv("UDPSIM_DATADIR");
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = in_root(files[i]);

		g_unlink(path);
	}
	for (size_t i = G_N_ELEMENTS(folders); i--;) {
		g_autofree char *path = in_root(folders[i]);

		g_rmdir(path);
	}
	ck_assert_int_eq(g_rmdir(root), 0);
	g_clear_pointer(&root, g_free);
}

static void check_list(char **list, const char *joined)
{
	g_autofree char *text = g_strjoinv(" ", list);

	ck_assert_str_eq(text, joined);
	g_strfreev(list);
}

START_TEST(test_data_dir)
{
	ck_assert_str_eq(data_dir(), root);
	g_setenv("UDPSIM_DATADIR", "", TRUE);
	ck_assert_str_eq(data_dir(), UDPSIM_PKGDATADIR);
	g_unsetenv("UDPSIM_DATADIR");
	ck_assert_str_eq(data_dir(), UDPSIM_PKGDATADIR);
}
END_TEST

START_TEST(test_lists)
{
	/* Sorted by bytes; a name in both folders stands once. */
	check_list(data_list_scenarios(), "Zoo early-demux neigh-confirmed");
	check_list(data_list_machines(), "a b");
	check_list(data_list_kernels(), "linux-2.6.32 linux-3.6");
}
END_TEST

START_TEST(test_no_folder)
{
	g_setenv("UDPSIM_DATADIR", "/no/such/folder", TRUE);
	check_list(data_list_scenarios(), "");
	check_list(data_list_machines(), "");
	check_list(data_list_kernels(), "");
}
END_TEST

static void check_found(char *path, GError *error, const char *want)
{
	g_autofree char *whole = in_root(want);

	assert_no_error(error);
	ck_assert_str_eq(path, whole);
	g_free(path);
}

START_TEST(test_find)
{
	GError *error = NULL;
	char *path;

	path = scenario_find("neigh-confirmed", &error);
	check_found(path, error, "scenarios/seeds/neigh-confirmed.scenario");
	path = scenario_find("early-demux", &error);
	check_found(path, error, "scenarios/seeds/early-demux.scenario");
	path = scenario_find("Zoo", &error);
	check_found(path, error, "scenarios/examples/Zoo.scenario");
	path = machine_find("b", &error);
	check_found(path, error, "scenarios/machines/b.machine");
}
END_TEST

START_TEST(test_find_path)
{
	g_autofree char *notes = in_root("scenarios/seeds/notes.txt");
	g_autofree char *found = NULL;
	g_autofree char *standard = NULL;
	g_autoptr(GError) error = NULL;

	found = scenario_find(notes, &error);
	assert_no_error(error);
	ck_assert_str_eq(found, notes);
	standard = scenario_find("-", &error);
	assert_no_error(error);
	ck_assert_str_eq(standard, "-");
}
END_TEST

/* A file of the working folder needs no suffix. */
START_TEST(test_find_here)
{
	g_autofree char *seeds = in_root("scenarios/seeds");
	g_autofree char *here = g_get_current_dir();
	g_autofree char *found = NULL;
	g_autoptr(GError) error = NULL;

	ck_assert_int_eq(chdir(seeds), 0);
	found = scenario_find("notes.txt", &error);
	ck_assert_int_eq(chdir(here), 0);
	assert_no_error(error);
	ck_assert_str_eq(found, "notes.txt");
}
END_TEST

static void check_lost(char *found, GError *error, const char *message)
{
	ck_assert_ptr_null(found);
	ck_assert(g_error_matches(error, SCENARIO_ERROR,
				  SCENARIO_ERROR_NOT_FOUND));
	ck_assert_str_eq(error->message, message);
	g_error_free(error);
}

START_TEST(test_lost)
{
	g_autofree char *near = g_strdup_printf("neigh-confirm: no scenario of "
		"that name in %s; did you mean 'neigh-confirmed'?", root);
	g_autofree char *far = g_strdup_printf("unknown: no scenario of that "
		"name in %s; 'udpsim list scenarios' shows them, or give the "
		"path of a file", root);
	g_autofree char *machine = g_strdup_printf("xeon-x: no machine of "
		"that name in %s; 'udpsim list machines' shows them, or give "
		"the path of a file", root);
	g_autofree char *folder = g_strdup_printf("%s: is a folder; give the "
		"path of a file", root);
	GError *error = NULL;
	char *found;

	found = scenario_find("neigh-confirm", &error);
	check_lost(found, g_steal_pointer(&error), near);
	found = scenario_find("unknown", &error);
	check_lost(found, g_steal_pointer(&error), far);
	found = machine_find("xeon-x", &error);
	check_lost(found, g_steal_pointer(&error), machine);
	found = scenario_find(root, &error);
	check_lost(found, g_steal_pointer(&error), folder);
	found = scenario_find("./none.scenario", &error);
	check_lost(found, g_steal_pointer(&error),
		   "./none.scenario: there is no such file");
	found = scenario_find("none.scenario", &error);
	check_lost(found, g_steal_pointer(&error),
		   "none.scenario: there is no such file");
}
END_TEST

START_TEST(test_load)
{
	g_autofree char *bad = in_root("scenarios/seeds/early-demux.scenario");
	g_autofree char *message = g_strconcat(bad, ":1: 'x' is no line of "
		"this language; write 'key = value', '[group]' or '# "
		"comment'", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GError) other = NULL;

	ck_assert_ptr_null(scenario_load(bad, &error));
	assert_message(error, message);
	ck_assert_ptr_null(scenario_load("/no/such.scenario", &other));
	ck_assert(g_error_matches(other, SCENARIO_ERROR,
				  SCENARIO_ERROR_NOT_FOUND));
	g_clear_error(&other);
	ck_assert_ptr_null(scenario_load(root, &other));
	ck_assert(g_error_matches(other, SCENARIO_ERROR, SCENARIO_ERROR_IO));
}
END_TEST

/* Every scenario of the source tree is well formed, and bears its file's
 * name. */
START_TEST(test_shipped)
{
	const char *top = g_getenv("top_srcdir");
	g_auto(GStrv) names = NULL;

	g_setenv("UDPSIM_DATADIR", top ? top : ".", TRUE);
	names = data_list_scenarios();
	ck_assert_ptr_nonnull(names[0]);
	for (char **name = names; *name; name++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *path = scenario_find(*name, &error);
		g_autoptr(Scenario) scenario = NULL;

		assert_no_error(error);
		scenario = scenario_load(path, &error);
		assert_no_error(error);
		ck_assert_str_eq(scenario_name(scenario), *name);
	}
	g_unsetenv("UDPSIM_DATADIR");
}
END_TEST

Suite *data_suite(void)
{
	Suite *suite = suite_create("data folder");
	TCase *tcase = tcase_create("data");
	TCase *shipped = tcase_create("shipped");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_data_dir);
	tcase_add_test(tcase, test_lists);
	tcase_add_test(tcase, test_no_folder);
	tcase_add_test(tcase, test_find);
	tcase_add_test(tcase, test_find_path);
	tcase_add_test(tcase, test_find_here);
	tcase_add_test(tcase, test_lost);
	tcase_add_test(tcase, test_load);
	suite_add_tcase(suite, tcase);
	tcase_add_test(shipped, test_shipped);
	suite_add_tcase(suite, shipped);
	return suite;
}
