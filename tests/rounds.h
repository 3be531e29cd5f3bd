/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often a test repeats itself over random input.  A build with sanitizers,
 * many times slower, is there to find bad memory and not rare numbers: there a
 * test of many rounds makes a tenth of them, and the runner says so.  The
 * environment's UDPSIM_TEST_DIVISOR has the last word; 1 is all rounds.
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <glib.h>
#include <stdio.h>

#include "sim/types.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROUNDS_DIVISOR 10u
#endif
#endif
#if !defined(ROUNDS_DIVISOR) && defined(__SANITIZE_ADDRESS__)
#define ROUNDS_DIVISOR 10u
#endif
#ifndef ROUNDS_DIVISOR
#define ROUNDS_DIVISOR 1u
#endif

static inline u32 rounds_divisor(void)
{
	const char *text = g_getenv("UDPSIM_TEST_DIVISOR");
	guint64 divisor;

	if (!text || !g_ascii_string_to_unsigned(text, 10, 1, 1000000, &divisor,
						 NULL))
		return ROUNDS_DIVISOR;
	return (u32)divisor;
}

/* So many rounds of n, one at least. */
static inline u32 test_rounds(u32 n)
{
	return MAX(n / rounds_divisor(), 1);
}

static inline void say_rounds(void)
{
	if (rounds_divisor() > 1)
		printf("Random tests make 1/%u of their rounds; "
		       "UDPSIM_TEST_DIVISOR=1 makes all.\n", rounds_divisor());
	fflush(stdout);
}

#endif
