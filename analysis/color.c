/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "color.h"

#include <string.h>
#include <unistd.h>

/* The process has one command line, and so one of these. */
static enum { AUTO, ALWAYS, NEVER } when;

bool color_set(const char *text, GError **error)
{
	static const char *const names[] = {
		[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never",
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(text, names[i])) {
			when = i;
			return true;
		}
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "--color=%s: it is auto, always or never", text);
	return false;
}

static bool wanted(FILE *file)
{
	const char *no_color = g_getenv("NO_COLOR");
	const char *term = g_getenv("TERM");

	if (when != AUTO)
		return when == ALWAYS;
	return !(no_color && *no_color) && term && strcmp(term, "dumb") &&
	       isatty(fileno(file));
}

const char *color_on(FILE *file, enum color color)
{
	static const char *const codes[NUM_COLORS] = {
		[COLOR_GOOD] = "\033[32m", [COLOR_BAD] = "\033[31m",
		[COLOR_NOTE] = "\033[33m", [COLOR_STRONG] = "\033[1m",
	};

	return wanted(file) ? codes[color] : "";
}

const char *color_off(FILE *file)
{
	return wanted(file) ? "\033[0m" : "";
}

const char *color_of_change(FILE *file, double change)
{
	if (change < 0)
		return color_on(file, COLOR_GOOD);
	return change > 0 ? color_on(file, COLOR_BAD) : "";
}
