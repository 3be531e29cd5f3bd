/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A headless Chromium, spoken to in the DevTools protocol through two pipes:
 * JSON objects, each ended by a zero byte.  It keeps what the browser finds
 * wrong with a page, and what the page asks for.
 */
#ifndef TESTS_ANALYSIS_BROWSER_H
#define TESTS_ANALYSIS_BROWSER_H

#include <glib.h>

struct browser;

/* Fails the test where there is no Chromium.  `folder` is made, for all that it
 * writes. */
struct browser *browser_start(const char *folder);
void browser_stop(struct browser *browser);

/* Loads a page into a window of that size, and forgets what was kept. */
void browser_open(struct browser *browser, const char *address, int width,
		  int height);
/* A JavaScript expression whose value is a string: a new string. */
char *browser_text(struct browser *browser, const char *expression);
double browser_number(struct browser *browser, const char *expression);
/* Of a medium, "screen" or "print", and a scheme, "light" or "dark". */
void browser_media(struct browser *browser, const char *medium,
		   const char *scheme);
void browser_scripts(struct browser *browser, gboolean enabled);
/* Presses a key by its name, such as "Tab". */
void browser_press(struct browser *browser, const char *key, int code);
/* The whole page as PNG. */
void browser_screenshot(struct browser *browser, const char *path);

/* Errors and warnings of the console, exceptions, requests that failed; one a
 * line.  And the addresses that were asked for.  Valid until the next page. */
const char *browser_trouble(const struct browser *browser);
GPtrArray *browser_requests(const struct browser *browser);

#endif
