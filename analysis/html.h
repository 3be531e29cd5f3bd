/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes HTML with SVG in it.  All that comes in as text or as the value of an
 * attribute is escaped, without exception, so that nothing from a database can
 * become markup; the names of elements and attributes are the program's own.
 * Elements are closed in the order in which they were opened, or it is a bug.
 */
#ifndef ANALYSIS_HTML_H
#define ANALYSIS_HTML_H

#include <glib.h>

struct html;

/* A document that begins with <!DOCTYPE html>. */
struct html *html_new(void);
/* The whole text; frees the writer.  Every element must be closed. */
GString *html_finish(struct html *html);

/* <element name="value"...>; the names and values end with NULL.  A value that
 * is NULL leaves its attribute out. */
void html_open(struct html *html, const char *element, ...)
	G_GNUC_NULL_TERMINATED;
void html_close(struct html *html, const char *element);
/* An element that has no content: <input>, <meta>; <rect/> in SVG. */
void html_void(struct html *html, const char *element, ...)
	G_GNUC_NULL_TERMINATED;
/* The element with the text and no more: <h2>text</h2>. */
void html_element(struct html *html, const char *element, const char *text);
void html_text(struct html *html, const char *text);
void html_printf(struct html *html, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/* A constant of the program, as it stands: a style sheet, a script. */
void html_constant(struct html *html, const char *constant);

/* A number for an attribute, with at most three decimals and no exponent;
 * valid until sixteen more have been asked for. */
const char *html_number(struct html *html, double value);
const char *html_integer(struct html *html, gint64 value);
/* An id that no other element of the document has; as above. */
const char *html_id(struct html *html, const char *what);

/* ---- tables ---- */

/* <table> with its caption and the opening of its body; the headings end with
 * NULL.  It scrolls by itself where the page is narrower. */
void html_table_open(struct html *html, const char *caption,
		     const char *const *headings);
void html_table_close(struct html *html);
/* The first cell of a row is its heading. */
void html_row_open(struct html *html, const char *heading);
void html_row_close(struct html *html);
void html_cell(struct html *html, const char *text);
/* A figure: set to the right. */
void html_figure(struct html *html, const char *text);

#endif
