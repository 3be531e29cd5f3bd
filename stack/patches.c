/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of features, which is the table of patches: applying a patch adds
 * its feature to a kernel, "-name" takes it away.  Modelled code asks
 * has(FEATURE) at the one place where the behaviour differs.
 */
#include <stdlib.h>
#include <string.h>

#include "stack/feature.h"

const struct feature_info feature_info[NUM_FEATURES] = {
	[NEIGH_CONFIRM_ONCE] = {
		.name = "neigh-confirm-once",
		.merged = "3.7",
		.title = "Write neighbour->confirmed only when jiffies differ",
		.source = "netdev, 2012-08-07, \"net: output path "
			  "optimizations\"; commit 425f09ab7d1c",
	},
	[NEIGH_HH_OUTPUT_INLINE] = {
		.name = "neigh-hh-output-inline",
		.merged = "3.7",
		.title = "Copy a hardware header of up to 16 bytes in line",
		.source = "netdev, 2012-08-07, \"net: output path "
			  "optimizations\"; commit 425f09ab7d1c",
	},
	[SPIN_LOCKS_QUEUED] = {
		.name = "spin-locks-queued",
		.merged = "4.2",
		.title = "Queued instead of ticket spin locks on x86",
		.source = "Linux 4.2, arch/x86: qspinlock",
	},
};

int feature_find(const char *name)
{
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		if (!strcmp(feature_info[i].name, name))
			return i;
	return -1;
}

/* "2.6.32" < "3.6" < "3.12": number by number. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10);
		unsigned long y = strtoul(b, &end_b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		a = *end_a ? end_a + 1 : end_a;
		b = *end_b ? end_b + 1 : end_b;
	}
	return 0;
}

u64 features_of_version(const char *version)
{
	u64 features = 0;
	int i;

	for (i = 0; i < NUM_FEATURES; i++)
		if (feature_info[i].merged &&
		    compare_versions(feature_info[i].merged, version) <= 0)
			features |= 1ull << i;
	return features;
}
