/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people read them; see figure.h. */
#include "figure.h"

#include <glib.h>
#include <math.h>

char *figure_format(double value)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];
	double size = fabs(value);
	const char *format = "%.4g";

	if (!isfinite(value))
		return g_strdup("-");
	if (size >= 1e15)
		format = "%.6g";
	else if (size >= 1000)
		format = "%.0f";
	else if (size >= 100)
		format = "%.1f";
	else if (size >= 10)
		format = "%.2f";
	else if (size >= 1 || size == 0)
		format = "%.3f";
	return g_strdup(g_ascii_formatd(buffer, sizeof(buffer), format,
					value));
}

char *figure_format_delta(double value)
{
	char buffer[512];

	if (!isfinite(value))
		return g_strdup("-");
	return g_strdup(g_ascii_formatd(buffer, sizeof(buffer), "%+.2f",
					value));
}
