/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the data of a kernel and of those that it refines; see kernel_data.h.
 */
#include <string.h>

#include "stack/kernel_data.h"
#include "stack/layout.h"

/* ---- kernel.ini ---- */

struct ini {
	char *path;
	GKeyFile *file;
	u32 base_line;		/* where the base is named, 0: nowhere */
};

static bool is_hz(guint64 hz)
{
	return hz >= 100 && hz <= 1000;
}

bool kernel_is_allocator(const char *name)
{
	return g_str_equal(name, "slab") || g_str_equal(name, "slub");
}

/* A size that the architecture chooses; 8 as on x86_64, where nobody says. */
static bool read_size(const struct ini *ini, const char *key, u32 min, u32 max,
		      u32 *ret, GError **error)
{
	guint64 size = 8;

	if (g_key_file_has_key(ini->file, "kernel", key, NULL))
		size = g_key_file_get_uint64(ini->file, "kernel", key, NULL);
	else if (ini->base_line)
		return true;		/* as the base has it */
	if (size < min || size > max || (size & (size - 1))) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
			    "%s: %s must be a power of two from %u to %u",
			    ini->path, key, min, max);
		return false;
	}
	*ret = (u32)size;
	return true;
}

static bool check_ini(const struct kernel_parameters *p, const char *path,
		      GError **error)
{
	const char *wrong = !is_hz(p->hz) ? "hz must be from 100 to 1000" :
			    !kernel_is_allocator(p->allocator) ?
			    "allocator must be slab or slub" : NULL;

	if (wrong)
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA, "%s: %s",
			    path, wrong);
	return !wrong;
}

/* "config": the features that this kernel's configuration builds in.  A kernel
 * that has the key says all of it. */
static bool read_config(struct kernel *kernel, const struct ini *ini,
			GError **error)
{
	g_auto(GStrv) names = g_key_file_get_string_list(ini->file, "kernel",
							 "config", NULL, NULL);
	char **name;

	if (names)
		memset(&kernel->config, 0, sizeof(kernel->config));
	for (name = names; name && *name; name++) {
		int feature = feature_find(g_strstrip(*name));

		if (feature < 0 || feature_info[feature].merged) {
			g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
				    "%s: no choice of the configuration is "
				    "called '%s'", ini->path, *name);
			return false;
		}
		features_set(&kernel->config, feature, true);
	}
	return true;
}

/* Does it say so itself?  What has no base must. */
static bool says(const struct ini *ini, const char *key)
{
	return !ini->base_line ||
	       g_key_file_has_key(ini->file, "kernel", key, NULL);
}

/* What a kernel says of itself takes the place of what its base says. */
static bool read_ini(struct kernel *kernel, const struct ini *ini,
		     GError **error)
{
	struct kernel_parameters *p = &kernel->parameters;
	GError *wrong = NULL;

	g_free(kernel->version);
	kernel->version = g_key_file_get_string(ini->file, "kernel", "version",
						&wrong);
	if (!wrong && says(ini, "hz"))
		p->hz = (u32)g_key_file_get_uint64(ini->file, "kernel", "hz",
						   &wrong);
	if (!wrong && says(ini, "allocator")) {
		g_free(p->allocator);
		p->allocator = g_key_file_get_string(ini->file, "kernel",
						     "allocator", &wrong);
	}
	if (wrong) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA, "%s: %s",
			    ini->path, wrong->message);
		g_error_free(wrong);
		return false;
	}
	return check_ini(p, ini->path, error) &&
	       read_size(ini, "pointer_bytes", 4, 8, &kernel->pointer_bytes,
			 error) &&
	       read_size(ini, "kmalloc_min", 8, 64, &kernel->kmalloc_min,
			 error) &&
	       read_config(kernel, ini, error);
}

/* ---- the base ---- */

/* The line of a file on which a key is set, for messages. */
static u32 key_line(const char *path, const char *key)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	u32 i;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	for (i = 0; lines[i]; i++) {
		const char *end = lines[i];

		if (!g_str_has_prefix(end, key))
			continue;
		for (end += strlen(key); *end == ' ' || *end == '\t'; end++)
			;
		if (*end == '=')
			return i + 1;
	}
	return 0;
}

static bool open_ini(struct ini *ini, const char *folder, GError **error)
{
	GError *wrong = NULL;

	ini->path = g_build_filename(folder, "kernel.ini", NULL);
	ini->file = g_key_file_new();
	if (!g_key_file_load_from_file(ini->file, ini->path, G_KEY_FILE_NONE,
				       &wrong)) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA, "%s: %s",
			    ini->path, wrong->message);
		g_error_free(wrong);
		return false;
	}
	if (g_key_file_has_key(ini->file, "kernel", "base", NULL))
		ini->base_line = key_line(ini->path, "base");
	return true;
}

static void close_ini(void *p)
{
	struct ini *ini = p;

	g_key_file_unref(ini->file);
	g_free(ini->path);
	g_free(ini);
}

/* NULL: the name is as it should be. */
static const char *wrong_base(const char *name, const char *folder,
			      const GPtrArray *folders)
{
	g_autofree char *ini = g_build_filename(folder, "kernel.ini", NULL);
	u32 i;

	for (i = 0; i < folders->len; i++) {
		g_autofree char *other =
			g_path_get_basename(g_ptr_array_index(folders, i));

		if (g_str_equal(name, other))
			return "a kernel cannot refine itself, nor one that "
			       "refines it";
	}
	if (!*name || strchr(name, '/') || !g_file_test(ini, G_FILE_TEST_EXISTS))
		return "no kernel has this name; 'udpsim list kernels' names "
		       "them";
	return NULL;
}

/* Adds the folder of a kernel's base, beside its own. */
static bool add_base(const struct ini *ini, GPtrArray *folders, GError **error)
{
	g_autofree char *name = g_key_file_get_string(ini->file, "kernel",
						      "base", NULL);
	const char *folder = g_ptr_array_index(folders, folders->len - 1);
	g_autofree char *parent = g_path_get_dirname(folder);
	char *base = g_build_filename(parent, name ? name : "", NULL);
	const char *wrong = wrong_base(name ? name : "", base, folders);

	if (wrong) {
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_DATA,
			    "%s:%u: base = %s: %s", ini->path, ini->base_line,
			    name ? name : "", wrong);
		g_free(base);
		return false;
	}
	g_ptr_array_add(folders, base);
	return true;
}

bool kernel_read_ini(struct kernel *kernel, const char *folder, GError **error)
{
	g_autoptr(GPtrArray) inis = g_ptr_array_new_with_free_func(close_ini);
	GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
	struct ini *ini;
	u32 i;

	kernel->folders = folders;
	g_ptr_array_add(folders, g_strdup(folder));
	do {
		ini = g_new0(struct ini, 1);
		g_ptr_array_add(inis, ini);
		if (!open_ini(ini, g_ptr_array_index(folders, folders->len - 1),
			      error) ||
		    (ini->base_line && !add_base(ini, folders, error)))
			return false;
	} while (ini->base_line);
	for (i = inis->len; i-- > 0; )
		if (!read_ini(kernel, g_ptr_array_index(inis, i), error))
			return false;
	return true;
}

/* ---- the tables ---- */

/* What a patch adds or takes away must be in this kernel's tables.  What it was
 * released with or without is not asked about: what came before a feature may
 * be younger than the kernel, and what it brought may be gone again. */
static bool check_features(const struct kernel *kernel,
			   const struct layout *layout,
			   const struct kernel_config *config, GError **error)
{
	features_t released = features_of_version(kernel->version);
	int i;

	features_add(&released, kernel->config);
	for (i = 0; i < NUM_FEATURES; i++) {
		const struct feature_info *info = &feature_info[i];
		bool on = kernel_has(kernel, i);
		const char *need = on ? info->needs : info->replaces;

		if (on == features_has(&released, i))
			continue;
		if (!need || layout_has(layout, kernel, need))
			continue;
		g_set_error(error, KERNEL_ERROR, KERNEL_ERROR_SETTING,
			    "%s%s%s cannot be %s '%s': that needs %s, which "
			    "its tables do not have",
			    config->patches_where ? config->patches_where : "",
			    config->patches_where ? ": " : "", kernel->name,
			    on ? "patched with" : "without", info->name, need);
		return false;
	}
	return true;
}

static struct layout *read_layout(const struct kernel *kernel, GError **error)
{
	struct layout *layout = layout_new();
	u32 i;

	for (i = kernel->folders->len; i-- > 0; ) {
		const char *folder = g_ptr_array_index(kernel->folders, i);
		g_autofree char *path = g_build_filename(folder, "structs.tsv",
							 NULL);

		if (!layout_read(layout, path, error)) {
			layout_free(layout);
			return NULL;
		}
	}
	return layout;
}

static bool read_costs(struct kernel *kernel, GError **error)
{
	g_autofree char *root = NULL;
	u32 i;

	for (i = kernel->folders->len; i-- > 0; ) {
		const char *folder = g_ptr_array_index(kernel->folders, i);
		g_autofree char *path = g_build_filename(folder, "costs.tsv",
							 NULL);

		if (!costs_read(kernel, path, error))
			return false;
		if (!root)
			root = g_steal_pointer(&path);
	}
	return costs_check(kernel, root, error);
}

struct layout *kernel_read_layout(const struct kernel *kernel,
				  const struct kernel_config *config,
				  GError **error)
{
	struct layout *layout = read_layout(kernel, error);
	const struct kernel_setting *setting;
	bool ok = layout != NULL;
	int i;

	for (i = 0; ok && i < NUM_FEATURES; i++)
		if (kernel_has(kernel, i) && feature_info[i].needs)
			layout_add_field(layout, feature_info[i].needs);
	for (setting = config->layout; ok && setting && setting->key; setting++)
		ok = layout_override(layout, setting, error);
	if (ok)
		return layout;
	layout_free(layout);
	return NULL;
}

bool kernel_read_tables(struct kernel *kernel,
			const struct kernel_config *config, GError **error)
{
	struct layout *layout = kernel_read_layout(kernel, config, error);
	bool ok = layout && layout_apply(layout, kernel, error) &&
		  read_costs(kernel, error) &&
		  check_features(kernel, layout, config, error);

	layout_free(layout);
	return ok;
}
