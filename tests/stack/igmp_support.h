/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What host 0 of a nic_fixture says of its groups, and what others tell it: by
 * IGMP, or by MLD, which say the same.  Groups and sources have numbers (239.1.1.n
 * or ff15::n, 10.4.0.n or fd00::n).  Reports are told in these words:
 *
 *	TO_EX 1		group 1's mode becomes to exclude
 *	ALLOW 1 10 11	of group 1 sources 10 and 11 are wanted now
 *	v2 1, leave 1	a report, a leave of IGMPv2 (MLDv1 is "v1")
 * with ", " between the records of a packet and "; " between packets.  Those of
 * the solicited-node groups are not told.
 */
#ifndef TESTS_STACK_IGMP_SUPPORT_H
#define TESTS_STACK_IGMP_SUPPORT_H

#include "nic_support.h"
#include "stack/include/linux/in6.h"

extern struct igmp_test {
	struct nic_fixture *net;
	bool ip6;
	u32 heard;		/* frames of host 0 that have been told */
} igmp_test;

struct in6_addr igmp_group6(u8 n);
u32 igmp_group4(u8 n);

/* Nothing else than this has been said since the last call; each packet is
 * right in its sums, its hops, and where it goes. */
void igmp_expect(const char *expected);
void igmp_seconds(u32 s);
/* The same after so long that all that was begun has been said. */
void igmp_expect_all(const char *expected);

/* A query of the newest version: of a group, or of all (0), and of sources (a
 * byte each) that are named; to be answered in so many tenths of a second. */
void igmp_query(u8 group, u32 tenths, const char *sources);
/* Of IGMPv2 or MLDv1; 0 tenths: of IGMPv1. */
void igmp_old_query(u8 group, u32 tenths);
/* A message of an older version: type, group, and its code or delay. */
void igmp_old_message(u8 type, u8 group, u32 code);

#endif
