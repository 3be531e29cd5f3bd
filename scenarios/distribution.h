/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times drawn from a distribution of a given mean, by whole numbers. */
#ifndef SCENARIOS_DISTRIBUTION_H
#define SCENARIOS_DISTRIBUTION_H

#include <glib.h>

#include "sim/random.h"

/* "constant", "exponential" (the gaps of a Poisson process), "lognormal"; -1
 * for any other. */
int distribution_find(const char *name);

/* One draw; the mean may be up to 2^48 or so. */
u64 distribution_draw(int distribution, u64 mean, struct random_stream *stream);

#endif
