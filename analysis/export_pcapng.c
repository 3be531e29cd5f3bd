/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a run as a pcapng file. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "export.h"
#include "pcapng.h"

/* The devices in the order of their first frames, which number them. */
static const char interfaces_sql[] =
	"SELECT CASE host WHEN '' THEN device ELSE host || '.' || device END,"
	" host, device FROM frame WHERE run = ? GROUP BY host, device"
	" ORDER BY min(id)";

static const char frames_sql[] =
	"SELECT host || '.' || device, time_ps, outbound, bytes FROM frame"
	" WHERE run = ? ORDER BY id";

/* Writes the interfaces; their numbers by "host.device". */
static GHashTable *write_interfaces(const struct export *export, FILE *file,
				    GError **error)
{
	sqlite3_stmt *rows = database_prepare(export->db, export->path,
					      interfaces_sql, error);
	GHashTable *numbers;
	int status;

	if (!rows)
		return NULL;
	numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	sqlite3_bind_int64(rows, 1, export->run);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		char *key = g_strdup_printf("%s.%s",
			(const char *)sqlite3_column_text(rows, 1),
			(const char *)sqlite3_column_text(rows, 2));
		guint number = g_hash_table_size(numbers);

		pcapng_interface(file,
				 (const char *)sqlite3_column_text(rows, 0));
		g_hash_table_insert(numbers, key, GUINT_TO_POINTER(number));
	}
	if (status != SQLITE_DONE) {
		database_set_error(export->db, export->path, error);
		g_clear_pointer(&numbers, g_hash_table_unref);
	}
	sqlite3_finalize(rows);
	return numbers;
}

static bool write_frames(const struct export *export, FILE *file,
			 GHashTable *numbers, GError **error)
{
	sqlite3_stmt *rows = database_prepare(export->db, export->path,
					      frames_sql, error);
	int status;

	if (!rows)
		return false;
	sqlite3_bind_int64(rows, 1, export->run);
	while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
		gpointer number = g_hash_table_lookup(numbers,
						sqlite3_column_text(rows, 0));

		pcapng_frame(file, GPOINTER_TO_UINT(number),
			     (guint64)sqlite3_column_int64(rows, 1),
			     sqlite3_column_int(rows, 2),
			     sqlite3_column_blob(rows, 3),
			     (gsize)sqlite3_column_bytes(rows, 3));
	}
	if (status != SQLITE_DONE)
		database_set_error(export->db, export->path, error);
	sqlite3_finalize(rows);
	return status == SQLITE_DONE;
}

bool export_pcapng(const struct export *export, FILE *file, GError **error)
{
	GHashTable *numbers;
	bool done;

	pcapng_section(file, PACKAGE_STRING);
	numbers = write_interfaces(export, file, error);
	if (!numbers)
		return false;
	if (!g_hash_table_size(numbers)) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: run %" G_GINT64_FORMAT " has no frames; 'udpsim "
			    "run --capture N' records the first N of each "
			    "device at a link", export->path, export->run);
		done = false;
	} else {
		done = write_frames(export, file, numbers, error);
	}
	g_hash_table_unref(numbers);
	return done;
}
