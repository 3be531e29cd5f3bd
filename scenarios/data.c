/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data folder: where scenarios, machine profiles and kernels lie.
 *
 *	scenarios/seeds/NAME.scenario, scenarios/examples/NAME.scenario
 *	scenarios/machines/NAME.machine
 *	stack/kernels/NAME/
 *
 * The source tree has the same shape, so UDPSIM_DATADIR may point at it.
 * Lists are sorted by bytes, whatever the locale.
 */
#include "scenarios/scenario.h"
#include "scenarios/machine_file.h"
#include "scenarios/strict.h"

#include <string.h>

#ifndef UDPSIM_PKGDATADIR
#error "UDPSIM_PKGDATADIR must name the folder of the installed data"
#endif

#define SCENARIO_SUFFIX ".scenario"
#define MACHINE_SUFFIX ".machine"

static const char *const scenario_folders[] = { "seeds", "examples" };

const char *data_dir(void)
{
	const char *dir = g_getenv("UDPSIM_DATADIR");

	return dir && *dir ? dir : UDPSIM_PKGDATADIR;
}

gboolean data_present(GError **error)
{
	static const char *const parts[] = { "scenarios", "stack/kernels" };
	struct place place = { data_dir(), 0 };

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *folder =
			g_build_filename(data_dir(), parts[i], NULL);

		if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
			return fail_at(place, SCENARIO_ERROR_NOT_FOUND, error,
				       "there is no folder %s in this data "
				       "folder; run 'make install', or set "
				       "UDPSIM_DATADIR to the source tree",
				       parts[i]);
	}
	return TRUE;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the names in a folder: files that end in suffix, without it; or the
 * subfolders where suffix is NULL.  A folder that is not there has none. */
static void add_names(GPtrArray *names, const char *folder, const char *suffix)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	if (!dir)
		return;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (*name == '.')
			continue;
		if (!suffix) {
			if (g_file_test(path, G_FILE_TEST_IS_DIR))
				g_ptr_array_add(names, g_strdup(name));
		} else if (g_str_has_suffix(name, suffix)) {
			size_t len = strlen(name) - strlen(suffix);

			g_ptr_array_add(names, g_strndup(name, len));
		}
	}
	g_dir_close(dir);
}

/* Sorts, drops names that stand twice, and ends the list. */
static char **finish_names(GPtrArray *names)
{
	g_ptr_array_sort(names, compare_names);
	for (guint i = 1; i < names->len;) {
		if (strcmp(names->pdata[i - 1], names->pdata[i]) == 0)
			g_free(g_ptr_array_remove_index(names, i));
		else
			i++;
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

char **data_list_scenarios(void)
{
	GPtrArray *names = g_ptr_array_new();

	for (size_t i = 0; i < G_N_ELEMENTS(scenario_folders); i++) {
		g_autofree char *folder =
			g_build_filename(data_dir(), "scenarios",
					 scenario_folders[i], NULL);

		add_names(names, folder, SCENARIO_SUFFIX);
	}
	return finish_names(names);
}

char **data_list_machines(void)
{
	GPtrArray *names = g_ptr_array_new();
	g_autofree char *folder = g_build_filename(data_dir(), "scenarios",
						   "machines", NULL);

	add_names(names, folder, MACHINE_SUFFIX);
	return finish_names(names);
}

char **data_list_kernels(void)
{
	GPtrArray *names = g_ptr_array_new();
	g_autofree char *folder = g_build_filename(data_dir(), "stack",
						   "kernels", NULL);

	add_names(names, folder, NULL);
	return finish_names(names);
}

/* A path, as against a name in the data folder. */
static gboolean is_path(const char *text, const char *suffix)
{
	return strchr(text, '/') || g_str_has_suffix(text, suffix) ||
	       g_file_test(text, G_FILE_TEST_IS_REGULAR);
}

static void not_found(const char *kind, const char *name, char **known,
		      GError **error)
{
	struct place place = { name, 0 };
	const char *near = nearest_name(name, (const char *const *)known);

	if (near)
		fail_at(place, SCENARIO_ERROR_NOT_FOUND, error,
			"no %s of that name in %s; did you mean '%s'?", kind,
			data_dir(), near);
	else
		fail_at(place, SCENARIO_ERROR_NOT_FOUND, error,
			"no %s of that name in %s; 'udpsim list %ss' shows "
			"them, or give the path of a file", kind, data_dir(),
			kind);
}

/* The given path, if there is a file. */
static char *existing(const char *path, GError **error)
{
	struct place place = { path, 0 };

	if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
		fail_at(place, SCENARIO_ERROR_NOT_FOUND, error,
			"is a folder; give the path of a file");
		return NULL;
	}
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		fail_at(place, SCENARIO_ERROR_NOT_FOUND, error,
			"there is no such file");
		return NULL;
	}
	return g_strdup(path);
}

char *scenario_find(const char *name_or_path, GError **error)
{
	g_autofree char *file = NULL;
	g_auto(GStrv) known = NULL;

	if (strcmp(name_or_path, "-") == 0)
		return g_strdup(name_or_path);
	if (is_path(name_or_path, SCENARIO_SUFFIX))
		return existing(name_or_path, error);

	file = g_strconcat(name_or_path, SCENARIO_SUFFIX, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(scenario_folders); i++) {
		char *path = g_build_filename(data_dir(), "scenarios",
					      scenario_folders[i], file, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return path;
		g_free(path);
	}
	known = data_list_scenarios();
	not_found("scenario", name_or_path, known, error);
	return NULL;
}

char *machine_find(const char *name_or_path, GError **error)
{
	g_autofree char *file = NULL;
	g_autofree char *path = NULL;
	g_auto(GStrv) known = NULL;

	if (is_path(name_or_path, MACHINE_SUFFIX))
		return existing(name_or_path, error);

	file = g_strconcat(name_or_path, MACHINE_SUFFIX, NULL);
	path = g_build_filename(data_dir(), "scenarios", "machines", file,
				NULL);
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return g_steal_pointer(&path);
	known = data_list_machines();
	not_found("machine", name_or_path, known, error);
	return NULL;
}

bool data_find_kernel(const char *name, char **folder, GError **error)
{
	g_auto(GStrv) known = data_list_kernels();
	const char *near = nearest_name(name, (const char *const *)known);

	*folder = g_build_filename(data_dir(), "stack", "kernels", name, NULL);
	if (g_strv_contains((const char *const *)known, name))
		return true;
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
		    "no kernel is called '%.60s'; %s%s%s", name,
		    near ? "did you mean '" : "'udpsim list kernels' has them "
					      "all",
		    near ? near : "", near ? "'?" : "");
	return false;
}
