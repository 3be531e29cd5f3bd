/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pages there are; no other path leads anywhere. */
#include <string.h>

#include "serve.h"

static const char *const none[] = { NULL };
static const char *const of_runs[] = {
	"scenario", "variant", "kernel", "machine", "page", NULL
};
static const char *const of_run[] = { "id", NULL };
static const char *const of_lines[] = { "run", "limit", NULL };
static const char *const of_compare[] = { "before", "after", NULL };
static const char *const of_report[] = { "scenario", NULL };

static const struct serve_page pages[] = {
	{ "/runs", of_runs, serve_runs_html, serve_runs_json },
	{ "/run", of_run, serve_run_html, serve_run_json },
	{ "/lines", of_lines, serve_lines_html, serve_lines_json },
	{ "/compare", of_compare, serve_compare_html, serve_compare_json },
	{ "/report", of_report, serve_report_html, serve_report_json },
	/* Without .json it is a stream. */
	{ "/events", none, NULL, serve_state_json },
};

const struct serve_page *serve_page_find(const char *path, bool *ret_json)
{
	for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
		size_t length = strlen(pages[i].path);

		if (strncmp(path, pages[i].path, length) != 0)
			continue;
		*ret_json = g_str_equal(path + length, ".json");
		if (*ret_json || !path[length])
			return &pages[i];
	}
	return NULL;
}
