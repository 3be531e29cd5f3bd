/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of the tests: one cycle is a nanosecond, one instruction a
 * cycle, and no two latencies are alike.  A test adds its topology and caches.
 */
#ifndef TESTS_PROFILE_H
#define TESTS_PROFILE_H

#include "sim/profile.h"

#define TEST_PROFILE_NUMBERS \
	.title = (char *)"a machine of the tests", \
	.clock_khz = 1000000, \
	.cpi_milli = 1000, \
	.line_fill_buffers = 10, \
	.latency = { \
		[LEVEL_L1_HIT] = 1000, \
		[LEVEL_L2_HIT] = 4000, \
		[LEVEL_SIBLING_HIT] = 2500, \
		[LEVEL_L3_HIT] = 13000, \
		[LEVEL_OTHER_CORE_CLEAN] = 19000, \
		[LEVEL_OTHER_CORE_HITM] = 23000, \
		[LEVEL_OTHER_PACKAGE_CLEAN] = 47000, \
		[LEVEL_OTHER_PACKAGE_HITM] = 59000, \
		[LEVEL_LOCAL_DRAM] = 71000, \
		[LEVEL_REMOTE_DRAM] = 97000, \
	}, \
	.store_buffer = 8, \
	.atomic_ps = 5300, \
	.fence_ps = 7700

#endif
