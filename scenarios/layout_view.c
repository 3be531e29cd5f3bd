/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts structs side by side, and a run's accesses beside them. */
#include "scenarios/layout_view.h"

#include "analysis/results.h"
#include "scenarios/scenario.h"
#include "stack/layout.h"
#include "stack/site_index.h"

static const char run_sql[] =
	"SELECT id, scenario, variant, point, operations, kernel, patches,"
	" scenario_text, overrides FROM run"
	" WHERE id = coalesce(nullif(?1, 0), (SELECT max(id) FROM run))"
	" AND operations > 0";

static const char heat_sql[] =
	"SELECT field, sum(reads), sum(writes), sum(atomics), sum(stall_ps),"
	" min(line) FROM field_access WHERE run = ?1 AND type = ?2"
	" GROUP BY field ORDER BY field";

void layout_view_free(struct layout_view *view)
{
	g_array_unref(view->rows);
	g_free(view);
}

static void add_row(struct layout_view *view, u32 side,
		    const struct shape_member *member)
{
	struct layout_row row = {
		.name = member->name, .type = member->type,
		.heat.line = -1,
	};

	row.has[side] = true;
	row.at[side] = *member;
	g_array_append_val(view->rows, row);
}

/* The second side's place of what the first has, then what it has alone. */
static void add_second(struct layout_view *view)
{
	const struct shape *shape = view->shapes[1];
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	u32 i;

	for (i = 0; i < view->rows->len; i++) {
		struct layout_row *row = &g_array_index(view->rows,
							struct layout_row, i);

		row->has[1] = shape_place(view->sides[1], shape, row->name,
					  &row->at[1]);
		if (!row->has[1])
			continue;
		if (!row->type)
			row->type = row->at[1].type;
		g_hash_table_add(known, row->at[1].name);
	}
	for (i = 0; i < shape->members->len; i++) {
		const struct shape_member *member =
			&g_array_index(shape->members, struct shape_member, i);

		if (!g_hash_table_contains(known, member->name))
			add_row(view, 1, member);
	}
}

struct layout_view *layout_view_new(const char *name,
				    const struct shape_set *const *sides,
				    u32 num_sides)
{
	struct layout_view *view = g_new0(struct layout_view, 1);
	const GArray *members;
	u32 i;

	view->name = name;
	view->num_sides = num_sides;
	view->rows = g_array_new(FALSE, TRUE, sizeof(struct layout_row));
	for (i = 0; i < num_sides; i++) {
		view->sides[i] = sides[i];
		view->shapes[i] = shape_find(sides[i], name);
	}
	members = view->shapes[0]->members;
	for (i = 0; i < members->len; i++)
		add_row(view, 0,
			&g_array_index(members, struct shape_member, i));
	if (num_sides > 1)
		add_second(view);
	return view;
}

/* ---- heat ---- */

void layout_run_free(struct layout_run *run)
{
	g_free(run->scenario);
	g_free(run->variant);
	g_free(run->point);
	g_free(run->kernel);
	g_free(run->patches);
	if (run->config)
		config_free(run->config);
	g_free(run);
}

static struct layout_run *read_run(sqlite3_stmt *s)
{
	struct layout_run *run = g_new0(struct layout_run, 1);

	run->id = sqlite3_column_int64(s, 0);
	run->scenario = database_text(s, 1);
	run->variant = database_text(s, 2);
	run->point = database_text(s, 3);
	run->operations = sqlite3_column_double(s, 4);
	run->kernel = database_text(s, 5);
	run->patches = database_text(s, 6);
	return run;
}

static bool find_variant(const struct scenario *scenario,
			 const struct layout_run *run, u32 *ret_i,
			 GError **error)
{
	for (u32 i = 0; i < scenario_num_variants(scenario); i++) {
		if (g_str_equal(scenario_variant(scenario, i), run->variant)) {
			*ret_i = i;
			return true;
		}
	}
	g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
		    "run %" G_GINT64_FORMAT " is of the variant '%s', which its "
		    "own scenario text does not have; record it again",
		    run->id, run->variant);
	return false;
}

/* What was run: the record has the text of the scenario, and all that was laid
 * over it, the point of the sweep, too. */
static bool read_config(struct layout_run *run, sqlite3_stmt *s, GError **error)
{
	g_autofree char *name = g_strdup_printf("the scenario of run %"
						G_GINT64_FORMAT, run->id);
	g_autofree char *text = database_text(s, 7);
	g_autofree char *overrides = database_text(s, 8);
	g_auto(GStrv) sets = overrides_split(overrides);
	g_autoptr(Scenario) scenario = scenario_parse(name, text, strlen(text),
						      error);
	u32 variant;

	if (!scenario || !find_variant(scenario, run, &variant, error))
		return false;
	run->config = scenario_resolve(scenario, variant, 0, sets, error);
	return run->config;
}

struct layout_run *layout_run_read(sqlite3 *db, const char *path, gint64 id,
				   GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, run_sql, error);
	struct layout_run *run = NULL;
	int status;

	if (!s)
		return NULL;
	sqlite3_bind_int64(s, 1, id);
	status = sqlite3_step(s);
	if (status == SQLITE_ROW) {
		run = read_run(s);
		if (!read_config(run, s, error))
			g_clear_pointer(&run, layout_run_free);
	} else if (status == SQLITE_DONE) {
		g_set_error(error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "%s: there is no such run; the table run has the "
			    "ids", path);
	} else {
		database_set_error(db, path, error);
	}
	sqlite3_finalize(s);
	return run;
}

static struct layout_row *find_row(const struct layout_view *view,
				   const char *name)
{
	u32 i;

	for (i = 0; i < view->rows->len; i++) {
		struct layout_row *row = &g_array_index(view->rows,
							struct layout_row, i);

		if (g_str_equal(row->name, name))
			return row;
	}
	return NULL;
}

static bool add_heat(struct layout_view *view, sqlite3 *db, const char *path,
		     const char *type, GError **error)
{
	sqlite3_stmt *s = database_prepare(db, path, heat_sql, error);
	int status;

	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, view->run->id);
	sqlite3_bind_text(s, 2, type, -1, SQLITE_STATIC);
	while ((status = sqlite3_step(s)) == SQLITE_ROW) {
		g_autofree char *field = database_text(s, 0);
		struct layout_row *row = find_row(view, field);

		if (!row)
			continue;	/* of a struct that begins with this */
		row->heat.reads += sqlite3_column_int64(s, 1);
		row->heat.writes += sqlite3_column_int64(s, 2);
		row->heat.atomics += sqlite3_column_int64(s, 3);
		row->heat.stall_ps += sqlite3_column_int64(s, 4);
		row->heat.line = sqlite3_column_int64(s, 5);
	}
	if (status != SQLITE_DONE)
		database_set_error(db, path, error);
	sqlite3_finalize(s);
	return status == SQLITE_DONE;
}

/* The struct's own objects, and those of structs that begin with it. */
bool layout_view_heat(struct layout_view *view, const struct layout_run *run,
		      sqlite3 *db, const char *path, GError **error)
{
	int id, base, wanted = struct_find(view->name);

	view->run = run;
	for (id = 0; wanted >= 0 && id < NUM_STRUCTS; id++) {
		for (base = id; base >= 0 && base != wanted;)
			base = struct_base(base);
		if (base >= 0 &&
		    !add_heat(view, db, path, struct_name(id), error))
			return false;
	}
	return true;
}
