/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as people read them, the same in each table and chart, and never
 * through the C library's locale.
 */
#ifndef ANALYSIS_FIGURE_H
#define ANALYSIS_FIGURE_H

/* Four significant digits or all digits before the point: "2.247", "13.67",
 * "119031"; "-" for what is not known.  A new string. */
char *figure_format(double value);
/* Per cent and points: two decimals and a sign.  A new string. */
char *figure_format_delta(double value);

#endif
