/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of neighbours share: a device that needs its neighbours
 * resolved, packets for them, and the passing of jiffies without a run.
 *
 * The device is net->dev of net_support.h, with ARP: 02:00:00:00:00:02,
 * 10.2.2.1/24, fd00::1/64, fe80::ff:fe00:2.
 */
#ifndef TESTS_STACK_NEIGH_SUPPORT_H
#define TESTS_STACK_NEIGH_SUPPORT_H

#include "net_support.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/net/core/neighbour.h"

#define NEIGH_KERNELS 2		/* linux-3.6 and linux-6.1 */
#define NEIGH_FAMILIES 2	/* IPv4 and IPv6 */
#define ADMIN (NEIGH_UPDATE_F_ADMIN | NEIGH_UPDATE_F_OVERRIDE)

struct neigh_fixture {
	struct net_fixture *net;
	struct neigh_table *tbl;
	struct net_device *dev;
	struct rtable *rt;	/* what packets go by */
	bool ip6;
	u32 on_lo;		/* neighbours on the loopback device: routes
				 * to own addresses have one in linux-3.6 */
};

struct neigh_fixture *neigh_fixture_new(int kernel, bool ip6, bool check);
void neigh_fixture_free(struct neigh_fixture *f);

extern const u8 mac_a[ETH_ALEN], mac_b[ETH_ALEN];

/* Neighbour i, 10.4.x.y or fd00::x:y, with a reference for the test; made
 * where it is not there, NULL where it cannot be.  And the key of it. */
struct neighbour *neigh_nth(struct neigh_fixture *f, u32 i);
const void *neigh_key(const struct neigh_fixture *f, u32 i);
bool neigh_exists(struct neigh_fixture *f, u32 i);
/* In the table, without ado and without those on the loopback device. */
u32 neigh_count(const struct neigh_fixture *f);

/* A UDP datagram of this host; `mark` is its last byte. */
struct sk_buff *neigh_packet(struct neigh_fixture *f, u8 mark);

/* A jiffy passes, with all that happens in it; so many; those up to when the
 * neighbour's timer has run. */
void pass_jiffy(void);
void pass_jiffies(u64 n);
void pass_timer(const struct neighbour *n);

/* A counter of the table, summed over the CPUs. */
#define NEIGH_STAT(f, counter) \
	((f)->tbl->stats[0]->counter + (f)->tbl->stats[1]->counter + \
	 (f)->tbl->stats[2]->counter)

Suite *suite_neigh_state(void);
Suite *suite_neigh_life(void);
Suite *suite_neigh_packet(void);
Suite *suite_neigh_answer(void);
Suite *suite_timer(void);
Suite *suite_rcu(void);

#endif
