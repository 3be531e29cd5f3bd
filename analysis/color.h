/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colour on a terminal, sparingly: what got better or worse, what to look at.
 *
 *	fprintf(file, "%s%s%s", color_on(file, COLOR_BAD), text,
 *		color_off(file));
 *
 * gives the escape sequences where colour is wanted in `file`, and empty
 * strings elsewhere: with --color=auto where it is a terminal that is not
 * "dumb" and NO_COLOR is not set.
 */
#ifndef ANALYSIS_COLOR_H
#define ANALYSIS_COLOR_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

enum color {
	COLOR_GOOD,		/* faster, agrees */
	COLOR_BAD,		/* slower, an error, what is to be mended */
	COLOR_NOTE,		/* worth a look */
	COLOR_STRONG,
	NUM_COLORS
};

/* What --color says: "auto", "always" or "never".  G_OPTION_ERROR where it is
 * none of them. */
bool color_set(const char *when, GError **error);
const char *color_on(FILE *file, enum color color);
const char *color_off(FILE *file);
/* Of a difference in time: less is good; nothing for none. */
const char *color_of_change(FILE *file, double change);

#endif
