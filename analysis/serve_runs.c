/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /runs: what is recorded, the newest first, with a filter; any two may be
 * chosen and compared.
 */
#include "serve.h"

#include "figure.h"

#define PAGE 100		/* runs on one page */

/* ?1 to ?4: what the filter wants, or '' */
#define WANTED \
	" (?1 = '' OR r.scenario = ?1) AND (?2 = '' OR r.variant = ?2)" \
	" AND (?3 = '' OR r.kernel = ?3) AND (?4 = '' OR r.machine = ?4)"

static const char *const filters[] = {
	"scenario", "variant", "kernel", "machine"
};

static const char *const choices_sql[] = {
	"SELECT DISTINCT scenario FROM run ORDER BY 1 LIMIT 1000",
	"SELECT DISTINCT variant FROM run ORDER BY 1 LIMIT 1000",
	"SELECT DISTINCT kernel FROM run ORDER BY 1 LIMIT 1000",
	"SELECT DISTINCT machine FROM run ORDER BY 1 LIMIT 1000",
};

static const char count_sql[] = "SELECT count(*) FROM run AS r WHERE" WANTED;

static const char list_sql[] =
	"SELECT r.id, r.scenario, r.variant, r.point, r.kernel, r.patches,"
	" r.machine, r.seed, r.scale, r.repeats, r.operations, h.recorded_at,"
	" (SELECT value FROM metric WHERE run = r.id AND name = 'ns_per_op')"
	" FROM run AS r LEFT JOIN run_host AS h ON h.run = r.id WHERE" WANTED
	" ORDER BY r.id DESC LIMIT 100 OFFSET ?5";

struct listed {
	gint64 id, repeats, operations;
	char *scenario, *variant, *point, *kernel, *patches, *machine, *seed;
	char *scale, *recorded_at;
	double ns_per_op;
};

struct listing {
	const struct evkeyvalq *query;
	gint64 page, pages, total;
	GPtrArray *runs;	/* struct listed * */
};

static void listed_free(gpointer data)
{
	struct listed *run = data;
	char *text[] = {
		run->scenario, run->variant, run->point, run->kernel,
		run->patches, run->machine, run->seed, run->scale,
		run->recorded_at,
	};

	for (guint i = 0; i < G_N_ELEMENTS(text); i++)
		g_free(text[i]);
	g_free(run);
}

static sqlite3_stmt *prepare(struct report *report, const char *sql,
			     const struct evkeyvalq *query)
{
	sqlite3_stmt *statement = report_prepare(report, sql, 0, 0);

	for (int i = 0; statement && i < (int)G_N_ELEMENTS(filters); i++)
		sqlite3_bind_text(statement, i + 1,
				  serve_query_text(query, filters[i]), -1,
				  SQLITE_STATIC);
	return statement;
}

static struct listed *read_run(sqlite3_stmt *statement)
{
	struct listed *run = g_new0(struct listed, 1);

	run->id = sqlite3_column_int64(statement, 0);
	run->scenario = database_text(statement, 1);
	run->variant = database_text(statement, 2);
	run->point = database_text(statement, 3);
	run->kernel = database_text(statement, 4);
	run->patches = database_text(statement, 5);
	run->machine = database_text(statement, 6);
	run->seed = database_text(statement, 7);
	run->scale = database_text(statement, 8);
	run->repeats = sqlite3_column_int64(statement, 9);
	run->operations = sqlite3_column_int64(statement, 10);
	run->recorded_at = database_text(statement, 11);
	run->ns_per_op = report_column_real(statement, 12);
	return run;
}

static void listing_read(struct report *report, const struct evkeyvalq *query,
			 struct listing *listing)
{
	sqlite3_stmt *statement;

	G_STATIC_ASSERT(PAGE == 100);	/* in the statement, too */
	listing->query = query;
	listing->runs = g_ptr_array_new_with_free_func(listed_free);
	if (!serve_query_number(query, "page", 1, &listing->page,
				&report->error))
		return;
	statement = prepare(report, count_sql, query);
	while (report_next(report, statement))
		listing->total = sqlite3_column_int64(statement, 0);
	listing->pages = MAX(1, (listing->total + PAGE - 1) / PAGE);
	if (listing->page > listing->pages) {
		g_set_error(&report->error, RECORD_ERROR, RECORD_ERROR_NAME,
			    "there are no more than %" G_GINT64_FORMAT
			    " pages of runs", listing->pages);
		return;
	}
	statement = prepare(report, list_sql, query);
	if (statement)
		sqlite3_bind_int64(statement, 5, (listing->page - 1) * PAGE);
	while (report_next(report, statement))
		g_ptr_array_add(listing->runs, read_run(statement));
}

/* ---- HTML ---- */

static void write_choice(struct report *report, const char *value,
			 const char *chosen)
{
	html_open(report->html, "option", "value", value, "selected",
		  g_str_equal(value, chosen) ? "selected" : NULL, NULL);
	html_text(report->html, *value ? value : "any");
	html_close(report->html, "option");
}

static void write_filter(struct report *report, const struct evkeyvalq *query)
{
	struct html *html = report->html;

	html_open(html, "form", "method", "get", "action", "/runs", "role",
		  "search", "aria-label", "Filter", NULL);
	for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
		sqlite3_stmt *statement = report_prepare(report, choices_sql[i],
							 0, 0);
		const char *chosen = serve_query_text(query, filters[i]);

		html_open(html, "label", NULL);
		html_printf(html, "%s ", filters[i]);
		html_open(html, "select", "name", filters[i], NULL);
		write_choice(report, "", chosen);
		while (report_next(report, statement)) {
			g_autofree char *value = database_text(statement, 0);

			if (*value)
				write_choice(report, value, chosen);
		}
		html_close(html, "select");
		html_close(html, "label");
	}
	html_open(html, "button", "type", "submit", NULL);
	html_text(html, "Show");
	html_close(html, "button");
	html_close(html, "form");
}

static void write_radio(struct html *html, const char *side,
			const struct listed *run)
{
	g_autofree char *label = g_strdup_printf(
		"Run %" G_GINT64_FORMAT " as %s", run->id, side);

	html_open(html, "td", NULL);
	html_void(html, "input", "type", "radio", "name", side, "value",
		  html_integer(html, run->id), "required", "required",
		  "aria-label", label, NULL);
	html_close(html, "td");
}

static void write_row(struct html *html, const struct listed *run)
{
	g_autofree char *address = g_strdup_printf(
		"/run?id=%" G_GINT64_FORMAT, run->id);
	g_autofree char *ns = figure_format(run->ns_per_op);

	html_open(html, "tr", NULL);
	html_open(html, "th", "scope", "row", NULL);
	html_open(html, "a", "href", address, NULL);
	html_text(html, html_integer(html, run->id));
	html_close(html, "a");
	html_close(html, "th");
	write_radio(html, "before", run);
	write_radio(html, "after", run);
	html_cell(html, run->scenario);
	html_cell(html, run->variant);
	html_cell(html, run->point);
	html_figure(html, ns);
	html_cell(html, run->kernel);
	html_cell(html, run->machine);
	html_figure(html, html_integer(html, run->operations));
	html_cell(html, run->recorded_at);
	html_cell(html, run->patches);
	html_close(html, "tr");
}

static void write_table(struct html *html, const struct listing *listing)
{
	static const char *const headings[] = {
		"run", "before", "after", "scenario", "variant", "point",
		"ns_per_op", "kernel", "machine", "operations", "recorded",
		"patches", NULL
	};

	html_open(html, "form", "class", "table", "method", "get", "action",
		  "/compare", "aria-label", "Compare two runs", NULL);
	html_table_open(html, "Choose two runs to compare them", headings);
	for (guint i = 0; i < listing->runs->len; i++)
		write_row(html, listing->runs->pdata[i]);
	html_table_close(html);
	html_open(html, "button", "type", "submit", NULL);
	html_text(html, "Compare");
	html_close(html, "button");
	html_close(html, "form");
}

/* The same filter, another page. */
static char *page_address(const struct evkeyvalq *query, gint64 page)
{
	GString *address = g_string_new("/runs?page=");

	g_string_append_printf(address, "%" G_GINT64_FORMAT, page);
	for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
		const char *value = serve_query_text(query, filters[i]);
		g_autofree char *word = g_uri_escape_string(value, NULL, FALSE);

		if (*value)
			g_string_append_printf(address, "&%s=%s", filters[i],
					       word);
	}
	return g_string_free(address, FALSE);
}

static void write_page_link(struct html *html, const struct listing *listing,
			    gint64 page, const char *text)
{
	g_autofree char *address = page_address(listing->query, page);

	if (page < 1 || page > listing->pages)
		return;
	html_open(html, "a", "href", address, NULL);
	html_text(html, text);
	html_close(html, "a");
	html_text(html, " ");
}

static void write_state(struct report *report)
{
	struct serve_state state;
	struct html *html = report->html;

	serve_state_read(report, &state);
	html_open(html, "section", "id", "live", "data-latest",
		  html_integer(html, state.latest), "aria-live", "polite",
		  NULL);
	serve_state_html(html, &state);
	html_close(html, "section");
	serve_state_clear(&state);
}

void serve_runs_html(struct report *report, const struct evkeyvalq *query)
{
	struct listing listing = { 0 };
	struct html *html = report->html;

	page_open(report, "Runs");
	write_state(report);
	if (!report->error)
		listing_read(report, query, &listing);
	if (!report->error) {
		write_filter(report, query);
		html_open(html, "p", NULL);
		html_printf(html, "%" G_GINT64_FORMAT " %s, page %"
			    G_GINT64_FORMAT " of %" G_GINT64_FORMAT ". ",
			    listing.total, listing.total == 1 ? "run" : "runs",
			    listing.page, listing.pages);
		write_page_link(html, &listing, listing.page - 1, "Newer");
		write_page_link(html, &listing, listing.page + 1, "Older");
		html_close(html, "p");
		if (listing.runs->len)
			write_table(html, &listing);
	}
	if (listing.runs)
		g_ptr_array_unref(listing.runs);
	page_close(report);
}

/* ---- JSON ---- */

void serve_runs_json(struct report *report, const struct evkeyvalq *query,
		     JsonBuilder *builder)
{
	struct listing listing = { 0 };

	listing_read(report, query, &listing);
	build_integer(builder, "total", listing.total);
	build_integer(builder, "page", listing.page);
	build_integer(builder, "pages", listing.pages);
	build_array(builder, "runs");
	for (guint i = 0; i < listing.runs->len; i++) {
		const struct listed *run = listing.runs->pdata[i];

		json_builder_begin_object(builder);
		build_integer(builder, "id", run->id);
		build_text(builder, "scenario", run->scenario);
		build_text(builder, "variant", run->variant);
		build_text(builder, "point", run->point);
		build_text(builder, "kernel", run->kernel);
		build_text(builder, "patches", run->patches);
		build_text(builder, "machine", run->machine);
		build_text(builder, "seed", run->seed);
		build_text(builder, "scale", run->scale);
		build_integer(builder, "repeats", run->repeats);
		build_integer(builder, "operations", run->operations);
		build_text(builder, "recorded_at", run->recorded_at);
		build_number(builder, "ns_per_op", run->ns_per_op);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	g_ptr_array_unref(listing.runs);
}
