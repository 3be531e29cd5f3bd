/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few shapes that the charts are made of, on top of html.h.  Lengths are
 * units of the drawing, whose colours the style sheet gives by class, so that
 * they follow the reader's light or dark screen, and paper.
 */
#ifndef ANALYSIS_SVG_H
#define ANALYSIS_SVG_H

#include "html.h"

struct svg_box {
	double x, y, width, height;
};

/* A drawing that scrolls where the screen is narrower than its text needs.
 * The title and the description are what a screen reader says of it. */
void svg_open(struct html *html, double width, double height, const char *class,
	      const char *title, const char *description);
void svg_close(struct html *html);

/* What a reader may point at or tab to; says the label then. */
void svg_mark_open(struct html *html, const char *label);
void svg_mark_close(struct html *html);

/* A rectangle; the value that it stands for goes into data-value, unless it is
 * NAN. */
void svg_rect(struct html *html, const struct svg_box *box, const char *class,
	      double value);
void svg_line(struct html *html, double x1, double y1, double x2, double y2,
	      const char *class);
/* The class says which end of the text is at x: start, middle or end. */
void svg_text(struct html *html, double x, double y, const char *class,
	      const char *text);

/* How many characters of the charts' small text fit. */
int svg_fitting(double width);

#endif
