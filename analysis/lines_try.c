/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the recorded scenario once more with the override that parts the fields
 * of the costliest false sharing.  This room runs no model: it starts the
 * program itself, as its user would, and reads what that recorded.
 */
#include "lines.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sys/wait.h>

#include "results.h"

#define NS_SQL "SELECT value FROM metric WHERE name = 'ns_per_op' AND run = "

struct trial {
	char *folder, *scenario, *record;
	GPtrArray *arguments;	/* char *, owned */
};

static void add(struct trial *trial, const char *argument)
{
	g_ptr_array_add(trial->arguments, g_strdup(argument));
}

static void add_settings(struct trial *trial, const char *overrides)
{
	g_auto(GStrv) settings = overrides_split(overrides);

	for (char **s = settings; *s; s++) {
		add(trial, "--set");
		add(trial, *s);
	}
}

/* The fields to part of the costliest line that has any; false: none has. */
static bool add_parts(struct trial *trial, const struct lines *lines)
{
	for (guint i = 0; i < lines->lines->len; i++) {
		const struct hot_line *line = lines->lines->pdata[i];

		for (guint j = 0; j < line->fields->len; j++) {
			g_autofree char *part = NULL;

			if (!line_parts(line, j))
				continue;
			part = line_override(line, j);
			add(trial, "--set");
			add(trial, part);
		}
		if (line->verdict == VERDICT_FALSE_SHARING)
			return true;
	}
	return false;
}

static bool read_trial(sqlite3 *db, const char *path, struct trial *trial,
		       const struct lines *lines, double *ns, GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path,
		"SELECT scenario_text, overrides, scale, variant,"
		" (SELECT value FROM metric WHERE run = r.id"
		"  AND name = 'ns_per_op') FROM run AS r WHERE id = ?1", error);
	bool done = false;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, lines->run);
	if (sqlite3_step(s) != SQLITE_ROW) {
		database_set_error(db, path, error);
	} else if (g_file_set_contents(trial->scenario,
			(const char *)sqlite3_column_text(s, 0), -1, error)) {
		const char *variant = (const char *)sqlite3_column_text(s, 3);

		add(trial, "--scale");
		add(trial, (const char *)sqlite3_column_text(s, 2));
		if (*variant) {
			add(trial, "--variant");
			add(trial, variant);
		}
		add_settings(trial, (const char *)sqlite3_column_text(s, 1));
		*ns = sqlite3_column_double(s, 4);
		done = true;
	}
	sqlite3_finalize(s);
	return done;
}

static bool check_status(int status, GError **error)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
		    "the run that was to be tried failed, see above");
	return false;
}

static bool start(struct trial *trial, GError **error)
{
	int status;

	g_ptr_array_add(trial->arguments, NULL);
	return g_spawn_sync(NULL, (char **)trial->arguments->pdata, NULL,
			    G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status,
			    error) &&
	       check_status(status, error);
}

static bool read_result(const char *path, double *ns, GError **error)
{
	sqlite3 *db = database_open(path, DATABASE_READ, error);
	sqlite3_stmt *s;
	bool done = false;

	if (!db)
		return false;
	s = database_prepare(db, path, NS_SQL "(SELECT max(id) FROM run)",
			     error);
	if (s && sqlite3_step(s) == SQLITE_ROW) {
		*ns = sqlite3_column_double(s, 0);
		done = true;
	} else if (s) {
		database_set_error(db, path, error);
	}
	sqlite3_finalize(s);
	database_close(db);
	return done;
}

static void print_gain(FILE *file, double before, double after)
{
	char texts[4][G_ASCII_DTOSTR_BUF_SIZE];
	const double values[] = { before, after, after - before,
				  100 * (after - before) / before };

	for (int i = 0; i < 4; i++)
		g_ascii_formatd(texts[i], sizeof(texts[i]),
				i < 2 ? "%.2f" : "%+.2f", values[i]);
	fprintf(file, "tried: ns_per_op %s, %s with it: %s ns, %s %%\n",
		texts[0], texts[1], texts[2], texts[3]);
}

static void clear(struct trial *trial)
{
	g_autofree char *wal = g_strconcat(trial->record, "-wal", NULL);
	g_autofree char *shm = g_strconcat(trial->record, "-shm", NULL);

	g_unlink(wal);
	g_unlink(shm);
	g_unlink(trial->record);
	g_unlink(trial->scenario);
	g_rmdir(trial->folder);
	g_free(trial->record);
	g_free(trial->scenario);
	g_free(trial->folder);
	g_ptr_array_unref(trial->arguments);
}

bool lines_try(sqlite3 *db, const char *path, const struct lines *lines,
	       FILE *file, GError **error)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", error);
	struct trial trial = { .folder = program ?
		g_dir_make_tmp("udpsim-XXXXXX", error) : NULL };
	double before = NAN, after = NAN;
	bool done = false;

	if (!trial.folder)
		return false;
	trial.arguments = g_ptr_array_new_with_free_func(g_free);
	trial.scenario = g_build_filename(trial.folder, "tried.scenario", NULL);
	trial.record = g_build_filename(trial.folder, "tried.db", NULL);
	add(&trial, program);
	add(&trial, "run");
	add(&trial, trial.scenario);
	add(&trial, "-q");
	add(&trial, "-o");
	add(&trial, trial.record);
	if (*lines->point)
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "run %" G_GINT64_FORMAT " is a point of a sweep; "
			    "--try is for runs without", lines->run);
	else if (read_trial(db, path, &trial, lines, &before, error)) {
		if (!add_parts(&trial, lines))
			done = fprintf(file, "tried: nothing, no line has "
				       "false sharing\n") > 0;
		else if (start(&trial, error) &&
			 read_result(trial.record, &after, error)) {
			print_gain(file, before, after);
			done = true;
		}
	}
	clear(&trial);
	return done;
}
