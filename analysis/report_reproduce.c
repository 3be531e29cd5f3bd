/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get the figures again: the command, the text of the scenario with its
 * hash, the version of the model, the seeds.
 */
#include "report.h"

#include <string.h>

/* For a shell, of what may stand in a name, or quoted. */
static char *shell_word(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.,=/+:";

	if (*text && strspn(text, plain) == strlen(text) && *text != '-')
		return g_strdup(text);
	return g_shell_quote(text);
}

static void write_command(struct html *html, const struct report_pair *pair)
{
	const struct report_run *run = &pair->after;
	g_autofree char *file = g_strconcat(run->scenario, ".scenario", NULL);
	g_autofree char *word = shell_word(file);
	g_autofree char *scale = shell_word(run->scale);
	bool other = pair->before.id &&
		     !g_str_equal(pair->before.scale, run->scale);

	html_element(html, "p", "Save the text below as the file that the "
				"command names, then:");
	html_open(html, "pre", "class", "command", "tabindex", "0", NULL);
	html_printf(html, "udpsim run %s", word);
	if (!g_str_equal(run->scale, "1"))
		html_printf(html, " --scale %s", scale);
	html_text(html, " -o again.db\nudpsim report again.db -o again.html\n");
	html_close(html, "pre");
	if (other)
		html_printf(html, "Before was run with --scale %s.",
			    pair->before.scale);
}

static void write_run(struct html *html, const struct report_run *run)
{
	g_autofree char *repeats = g_strdup_printf(
		"%" G_GINT64_FORMAT " repeats, %" G_GINT64_FORMAT " operations",
		run->repeats, run->operations);
	const char *const rows[][2] = {
		{ "point", run->point }, { "machine", run->machine },
		{ "kernel", run->kernel }, { "patches", run->patches },
		{ "settings beside the text", run->overrides },
		{ "seed", run->seed }, { "scale", run->scale },
		{ "size", repeats }, { "model version", run->version },
		{ "scenario's SHA-256", run->sha256 },
	};

	html_open(html, "h4", NULL);
	html_printf(html, "Run %" G_GINT64_FORMAT ": %s", run->id,
		    report_label(run));
	html_close(html, "h4");
	html_open(html, "dl", NULL);
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		html_element(html, "dt", rows[i][0]);
		html_open(html, "dd", NULL);
		html_element(html, "code", *rows[i][1] ? rows[i][1] : "none");
		html_close(html, "dd");
	}
	html_close(html, "dl");
}

static void write_text(struct html *html, const struct report_run *run)
{
	html_open(html, "details", NULL);
	html_open(html, "summary", NULL);
	html_printf(html, "The scenario's text (run %" G_GINT64_FORMAT ")",
		    run->id);
	html_close(html, "summary");
	html_open(html, "pre", "class", "scenario", "tabindex", "0", NULL);
	html_text(html, run->text);
	html_close(html, "pre");
	html_close(html, "details");
}

void report_write_reproduce(struct report *report,
			    const struct report_pair *pair)
{
	struct html *html = report->html;

	html_element(html, "h3", "How to reproduce it");
	write_command(html, pair);
	if (pair->before.id)
		write_run(html, &pair->before);
	write_run(html, &pair->after);
	if (pair->before.id &&
	    !g_str_equal(pair->before.sha256, pair->after.sha256))
		write_text(html, &pair->before);
	write_text(html, &pair->after);
}
