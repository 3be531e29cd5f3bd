/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The canonical dump of a record and its SHA-256.
 *
 * The dump takes the runs in order of id and of each run the tables below in
 * their order, with the columns as listed and the rows sorted by all of them.
 * It holds neither ids of runs nor anything of the wall clock (run_host), nor
 * the model's version: a new version that gives the same results has the same
 * digest.
 *
 * Each table opens with its name and a newline (those that came later only
 * where they have rows); each row ends with one.  A value is its kind and its text: "i42 ", "r0.5 "
 * (17 significant digits, so that each double has its own text), "t3:abc " with
 * the length in bytes, so that no text can pass for two, "b3:" and the bytes, or
 * "n " for none.
 */
#include "digest.h"

#define LEVELS \
	"from_l1, from_l2, from_sibling, from_l3, from_core_clean, " \
	"from_core_modified, from_package_clean, from_package_modified, " \
	"from_dram_local, from_dram_remote, "

#define ACCESS \
	"reads, writes, atomics, " LEVELS \
	"stall_ps, invalidations, hitm_core, hitm_package"

static const struct {
	const char *table;
	const char *key;	/* the column that names the run */
	const char *columns;
	bool host;	/* a column more, see write_row() */
	bool later;	/* it leaves no trace where it has no rows: runs from
			 * before it was there keep their digest */
} dumped[] = {
	{ "run", "id",
	  "scenario, title, source, variant, point, kernel, patches, machine, "
	  "seed, repeats, scale, operations, overrides, scenario_text, "
	  "scenario_sha256", false, false },
	{ "metric", "run", "name, unit, value", false, false },
	{ "sample", "run", "name, repeat, seed, unit, value",
	  false, false },
	{ "series", "run", "name, time_ps, value", false, false },
	{ "line", "run", "type, line, objects, readers, writers, " ACCESS,
	  true, false },
	{ "field_access", "run",
	  "type, field, function, file, line, " ACCESS, true, false },
	{ "function", "run",
	  "id, parent, name, file, calls, instructions, instruction_ps, "
	  "stall_ps", true, false },
	{ "lock", "run",
	  "type, field, acquired, contended, wait_ps, hold_ps", true, false },
	{ "snmp", "run", "host, name, value", false, false },
	{ "slabinfo", "run",
	  "id, name, active_objs, num_objs, objsize, objperslab, "
	  "pagesperslab, tunable_limit, batchcount, sharedfactor, "
	  "active_slabs, num_slabs, sharedavail", true, false },
	{ "frame", "run", "id, host, device, time_ps, outbound, bytes",
	  false, true },
	{ "cpu_time", "run",
	  "cpu, threads, helpers, elapsed_ps, busy_ps, exits, exit_ps, "
	  "idle_ps, outside_ps", true, true },
	{ "wait", "run", "kind, name, count, time_ps", true, true },
	{ "field_cpu", "run",
	  "type, field, function, file, owner, cpus, users, writers, strangers",
	  true, true },
	{ "trace", "run", "id, host, cpu, kind, name, detail, time_ps, "
	  "duration_ps, packet", false, true },
	{ "published", "run", "metric, row, side, repeat, value",
	  false, false },
};

struct dump {
	sqlite3 *db;
	const char *path;
	sqlite3_stmt *runs;
	sqlite3_stmt *tables[G_N_ELEMENTS(dumped)];
	digest_f write;
	gpointer data;
};

static void write_text(struct dump *dump, const char *text)
{
	dump->write(text, strlen(text), dump->data);
}

static void write_value(struct dump *dump, sqlite3_stmt *row, int column)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];
	char text[G_ASCII_DTOSTR_BUF_SIZE + 8];

	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
		g_snprintf(text, sizeof(text), "i%" G_GINT64_FORMAT " ",
			   (gint64)sqlite3_column_int64(row, column));
		write_text(dump, text);
		break;
	case SQLITE_FLOAT:
		g_ascii_formatd(buffer, sizeof(buffer), "%.17g",
				sqlite3_column_double(row, column));
		g_snprintf(text, sizeof(text), "r%s ", buffer);
		write_text(dump, text);
		break;
	case SQLITE_NULL:
		write_text(dump, "n ");
		break;
	default: {
		/* Text, or a blob; the blob of a text is its bytes. */
		const char kind =
			sqlite3_column_type(row, column) == SQLITE_BLOB ?
			'b' : 't';
		const char *bytes = sqlite3_column_blob(row, column);
		int len = sqlite3_column_bytes(row, column);

		g_snprintf(text, sizeof(text), "%c%d:", kind, len);
		write_text(dump, text);
		if (len)
			dump->write(bytes, (gsize)len, dump->data);
		write_text(dump, " ");
	}
	}
}

/* A host without a name leaves no trace: runs of one host have the digest that
 * they had before there were more. */
static void write_row(struct dump *dump, guint table, sqlite3_stmt *row)
{
	int n = sqlite3_column_count(row);

	if (dumped[table].host && !sqlite3_column_bytes(row, n - 1))
		n--;
	for (int i = 0; i < n; i++)
		write_value(dump, row, i);
	write_text(dump, "\n");
}

static bool dump_table(struct dump *dump, guint table, gint64 run,
		       GError **error)
{
	sqlite3_stmt *rows = dump->tables[table];
	bool begun = false;
	int status;

	sqlite3_bind_int64(rows, 1, run);
	do {
		status = sqlite3_step(rows);
		if (!begun && (status == SQLITE_ROW || !dumped[table].later)) {
			write_text(dump, dumped[table].table);
			write_text(dump, "\n");
			begun = true;
		}
		if (status == SQLITE_ROW)
			write_row(dump, table, rows);
	} while (status == SQLITE_ROW);
	if (status != SQLITE_DONE)
		database_set_error(dump->db, dump->path, error);
	sqlite3_reset(rows);
	return status == SQLITE_DONE;
}

static bool dump_run(struct dump *dump, gint64 run, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(dumped); i++) {
		if (!dump_table(dump, i, run, error))
			return false;
	}
	return true;
}

static bool dump_runs(struct dump *dump, GError **error)
{
	int status;

	while ((status = sqlite3_step(dump->runs)) == SQLITE_ROW) {
		if (!dump_run(dump, sqlite3_column_int64(dump->runs, 0),
			      error))
			return false;
	}
	if (status == SQLITE_DONE)
		return true;
	database_set_error(dump->db, dump->path, error);
	return false;
}

/* "SELECT a, b FROM t WHERE run = ? ORDER BY a, b": rows that agree in all
 * columns are the same text whatever their order. */
static bool prepare(struct dump *dump, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(dumped); i++) {
		const char *host = dumped[i].host ? ", host" : "";
		g_autofree char *sql = g_strdup_printf(
			"SELECT %s%s FROM %s WHERE %s = ? ORDER BY %s%s",
			dumped[i].columns, host, dumped[i].table,
			dumped[i].key, dumped[i].columns, host);

		dump->tables[i] = database_prepare(dump->db, dump->path, sql,
						   error);
		if (!dump->tables[i])
			return false;
	}
	dump->runs = database_prepare(dump->db, dump->path,
				      "SELECT id FROM run ORDER BY id", error);
	return dump->runs != NULL;
}

bool digest_dump(const char *path, digest_f write, gpointer data,
		 GError **error)
{
	struct dump dump = { .path = path, .write = write, .data = data };
	bool done;

	dump.db = database_open(path, DATABASE_READ, error);
	if (!dump.db)
		return false;
	/* One transaction: one state, even while another process records. */
	done = database_execute(dump.db, path, "BEGIN", error) &&
	       prepare(&dump, error) && dump_runs(&dump, error);
	for (guint i = 0; i < G_N_ELEMENTS(dumped); i++)
		sqlite3_finalize(dump.tables[i]);
	sqlite3_finalize(dump.runs);
	database_close(dump.db);
	return done;
}

static void update_checksum(const char *piece, gsize len, gpointer checksum)
{
	g_checksum_update(checksum, (const guchar *)piece, (gssize)len);
}

char *digest_read(const char *path, GError **error)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);

	if (!digest_dump(path, update_checksum, checksum, error))
		return NULL;
	return g_strdup(g_checksum_get_string(checksum));
}
