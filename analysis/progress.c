/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress beside a database; see progress.h. */
#include "progress.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MARK ".progress-"
#define RECORD_SIZE 256		/* written whole, padded with blanks */
#define MAX_SHOWN 64u

struct progress {
	int file;
	char *path;
};

/* Nobody holds the file: its process is gone. */
static gboolean is_stale(int file)
{
	return flock(file, LOCK_SH | LOCK_NB) == 0;
}

static int open_file(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return g_strcmp0(*(char *const *)a, *(char *const *)b);
}

/* The paths of all files of progress beside the database, sorted. */
static GPtrArray *find_files(const char *database)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *folder = g_path_get_dirname(database);
	g_autofree char *base = g_path_get_basename(database);
	g_autofree char *start = g_strconcat(base, MARK, NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		if (g_str_has_prefix(name, start))
			g_ptr_array_add(paths, g_build_filename(folder, name,
								NULL));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(paths, compare_names);
	return paths;
}

static void remove_stale(const char *database)
{
	g_autoptr(GPtrArray) paths = find_files(database);

	for (guint i = 0; i < paths->len; i++) {
		int file = open_file(paths->pdata[i], O_RDONLY);

		if (file < 0)
			continue;
		if (is_stale(file))
			g_unlink(paths->pdata[i]);
		close(file);
	}
}

struct progress *progress_open(const char *database)
{
	g_autofree char *path = g_strdup_printf("%s" MARK "%ld", database,
						(long)getpid());
	struct progress *progress;
	int file;

	remove_stale(database);
	file = open_file(path, O_RDWR | O_CREAT | O_EXCL);
	if (file < 0)
		return NULL;
	if (flock(file, LOCK_EX | LOCK_NB) != 0) {
		g_unlink(path);
		close(file);
		return NULL;
	}
	progress = g_new0(struct progress, 1);
	progress->file = file;
	progress->path = g_steal_pointer(&path);
	return progress;
}

void progress_tell(struct progress *progress, const char *what,
		   unsigned int permille)
{
	char record[RECORD_SIZE + 1];
	gsize length;

	if (!progress)
		return;
	g_snprintf(record, sizeof(record), "%u %s", MIN(permille, 1000), what);
	g_strdelimit(record, "\n", ' ');
	length = strlen(record);
	memset(record + length, ' ', RECORD_SIZE - length);
	record[RECORD_SIZE - 1] = '\n';
	/* A courtesy: a full disk is the business of the database. */
	(void)!pwrite(progress->file, record, RECORD_SIZE, 0);
}

void progress_close(struct progress *progress)
{
	if (!progress)
		return;
	g_unlink(progress->path);
	close(progress->file);
	g_free(progress->path);
	g_free(progress);
}

/* NULL where the record is none: not written yet, or not ours. */
static struct progress_state *parse_record(const char *record)
{
	struct progress_state *state;
	char *end = NULL;
	guint64 permille = g_ascii_strtoull(record, &end, 10);

	if (end == record || *end != ' ' || permille > 1000)
		return NULL;
	state = g_new0(struct progress_state, 1);
	state->permille = (unsigned int)permille;
	state->what = g_utf8_make_valid(end + 1, -1);
	g_strstrip(state->what);
	return state;
}

static struct progress_state *read_file(const char *path)
{
	char record[RECORD_SIZE + 1];
	int file = open_file(path, O_RDONLY);
	ssize_t length = 0;

	if (file < 0)
		return NULL;
	if (!is_stale(file))
		length = pread(file, record, RECORD_SIZE, 0);
	close(file);
	if (length <= 0)
		return NULL;
	record[length] = '\0';
	return parse_record(record);
}

static void state_free(gpointer data)
{
	struct progress_state *state = data;

	g_free(state->what);
	g_free(state);
}

GPtrArray *progress_read(const char *database)
{
	GPtrArray *states = g_ptr_array_new_with_free_func(state_free);
	g_autoptr(GPtrArray) paths = find_files(database);

	for (guint i = 0; i < paths->len && states->len < MAX_SHOWN; i++) {
		struct progress_state *state = read_file(paths->pdata[i]);

		if (state)
			g_ptr_array_add(states, state);
	}
	return states;
}
