/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces made by hand; see truth_support.h. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/scenarios/suites.h"
#include "tests/scenarios/truth_support.h"

static char *folder;

static const char *const names[] = {
	"objects.tsv", "operations.tsv", "lines.tsv", "functions.tsv",
	"calls.tsv",
};

void truth_set_up(void)
{
	folder = g_dir_make_tmp("udpsim-truth-XXXXXX", NULL);
	ck_assert_ptr_nonnull(folder);
}

void truth_tear_down(void)
{
	u32 i;

	for (i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = truth_path(names[i]);

		g_remove(path);
	}
	ck_assert_int_eq(g_rmdir(folder), 0);
	g_clear_pointer(&folder, g_free);
}

const char *truth_folder(void)
{
	return folder;
}

char *truth_path(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

void truth_write(const char *name, const char *text)
{
	g_autofree char *path = truth_path(name);

	ck_assert(g_file_set_contents(path, text, -1, NULL));
}

struct object_map *truth_objects(const char *rows)
{
	g_autofree char *path = truth_path("objects.tsv");
	g_autofree char *text = g_strconcat(OBJECTS_HEAD, rows, NULL);
	g_autoptr(GError) error = NULL;
	struct object_map *map;

	truth_write("objects.tsv", text);
	map = object_map_load(path, &error);
	assert_no_error(error);
	return map;
}

char *truth_objects_refusal(const char *text)
{
	g_autofree char *path = truth_path("objects.tsv");
	g_autoptr(GError) error = NULL;

	truth_write("objects.tsv", text);
	ck_assert_ptr_null(object_map_load(path, &error));
	ck_assert(g_str_has_prefix(error->message, path));
	return g_strdup(error->message + strlen(path));
}
