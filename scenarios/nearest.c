/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nearest known name, for "did you mean".
 *
 * The distance is the least number of single-letter insertions, deletions,
 * substitutions and swaps of neighbours (each letter changed once at most);
 * upper and lower case do not differ.  A name is near when at most one letter
 * in three is wrong.
 */
#include "scenarios/scenario.h"

#include <string.h>

/* Longer names are nobody's typing error. */
#define MAX_NAME 64

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	return MIN(MIN(a, b), c);
}

static gboolean same(char a, char b)
{
	return g_ascii_tolower(a) == g_ascii_tolower(b);
}

static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[3][MAX_NAME + 1];
	unsigned int *old = row[0], *last = row[1], *now = row[2];
	size_t n = strlen(a), m = strlen(b);

	for (size_t j = 0; j <= m; j++)
		last[j] = old[j] = (unsigned int)j;

	for (size_t i = 1; i <= n; i++) {
		unsigned int *spare = old;

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				now[j] = MIN(now[j], old[j - 2] + 1);
		}
		old = last;
		last = now;
		now = spare;
	}
	return last[m];
}

const char *nearest_name(const char *name, const char *const *known)
{
	size_t len = strlen(name);
	unsigned int best = (unsigned int)(len + 2) / 3 + 1;
	const char *nearest = NULL;

	if (!len || len > MAX_NAME)
		return NULL;
	for (; *known; known++) {
		unsigned int d;

		if (strlen(*known) > MAX_NAME)
			continue;
		d = distance(name, *known);
		if (d < best) {
			best = d;
			nearest = *known;
		}
	}
	return nearest;
}
