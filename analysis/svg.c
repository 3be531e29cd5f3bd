/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes; see svg.h. */
#include "svg.h"

#include <math.h>

/* The widest that a character of the small text (11 units high, sans serif)
 * is on average, with a little to spare. */
#define CHARACTER 6.2

void svg_open(struct html *html, double width, double height, const char *class,
	      const char *title, const char *description)
{
	g_autofree char *box = g_strdup_printf("0 0 %s %s",
					       html_number(html, width),
					       html_number(html, height));
	const char *id = html_id(html, "svg");

	html_open(html, "div", "class", "scroll", "tabindex", "0", "role",
		  "region", "aria-label", title, NULL);
	html_open(html, "svg", "xmlns", "http://www.w3.org/2000/svg",
		  "viewBox", box, "width", html_number(html, width), "height",
		  html_number(html, height), "class", class, "role", "group",
		  "aria-labelledby", id, NULL);
	html_open(html, "title", "id", id, NULL);
	html_text(html, title);
	html_close(html, "title");
	html_element(html, "desc", description);
}

void svg_close(struct html *html)
{
	html_close(html, "svg");
	html_close(html, "div");
}

void svg_mark_open(struct html *html, const char *label)
{
	html_open(html, "g", "class", "mark", "tabindex", "0", "role", "img",
		  NULL);
	html_element(html, "title", label);
}

void svg_mark_close(struct html *html)
{
	html_close(html, "g");
}

void svg_rect(struct html *html, const struct svg_box *box, const char *class,
	      double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	html_void(html, "rect", "class", class, "x", html_number(html, box->x),
		  "y", html_number(html, box->y), "width",
		  html_number(html, box->width), "height",
		  html_number(html, box->height), "data-value",
		  isfinite(value) ? g_ascii_dtostr(text, sizeof(text), value) :
				    NULL,
		  NULL);
}

void svg_line(struct html *html, double x1, double y1, double x2, double y2,
	      const char *class)
{
	html_void(html, "line", "class", class, "x1", html_number(html, x1),
		  "y1", html_number(html, y1), "x2", html_number(html, x2),
		  "y2", html_number(html, y2), NULL);
}

void svg_text(struct html *html, double x, double y, const char *class,
	      const char *text)
{
	html_open(html, "text", "class", class, "x", html_number(html, x), "y",
		  html_number(html, y), NULL);
	html_text(html, text);
	html_close(html, "text");
}

int svg_fitting(double width)
{
	return (int)(width / CHARACTER);
}
