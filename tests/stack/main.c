/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the suites of the stack room; fails where one test fails.
 * Usage: check_stack [SHARE], where .../2of6.share runs every sixth suite from
 * the second on, and any other name all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmsg_support.h"
#include "fib_support.h"
#include "icmp_support.h"
#include "ip6_support.h"
#include "mm_support.h"
#include "neigh_support.h"
#include "net6_support.h"
#include "net_support.h"
#include "nic_support.h"
#include "queue_support.h"
#include "stack/site_index.h"
#include "tests/rounds.h"
#include "udplite_support.h"

/* What each kernel needs, so that the tests, a process each, have it. */
static void warm_up(void)
{
	u32 n;

	members_of(0, &n);
}

/* The first suite of a share, and how many suites further the next one is. */
static void get_share(const char *name, u32 *first, u32 *step)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (name && sscanf(slash ? slash + 1 : name, "%uof%u", first,
			   step) == 2 && *first >= 1 && *first <= *step) {
		--*first;
		return;
	}
	*first = 0;
	*step = 1;
}

int main(int argc, char **argv)
{
	static Suite *(*const suites[])(void) = {
		suite_kernel_arm,
		suite_kernel_base,
		suite_kernel_data,
		suite_layout,
		suite_moved_field,
		suite_patches,
		suite_shape,
		suite_page_alloc,
		suite_slab,
		suite_slab_order,
		suite_slab_many,
		suite_slab_4_6,
		suite_slab_rcu,
		suite_slab_reap,
		suite_slub,
		suite_slub_6_1,
		suite_slub_truth,
		suite_fib_trie,
		suite_fib_lc,
		suite_fib_key_vector,
		suite_fib_semantics,
		suite_fib6,
		suite_route6,
		suite_route6_errors,
		suite_route6_truth,
		suite_saddr6,
		suite_udp_send,
		suite_errors,
		suite_siphash,
		suite_dst_store,
		suite_tx_hint,
		suite_early_demux,
		suite_bind,
		suite_socket_life,
		suite_udp_rcv,
		suite_udp_lookup,
		suite_udplite,
		suite_udplite_rcv,
		suite_udp6_send,
		suite_udp6_labels,
		suite_udp6_socket,
		suite_udp6_errors,
		suite_cmsg4,
		suite_cmsg6,
		suite_cmsg_errors,
		suite_sticky6,
		suite_icmp,
		suite_pmtu,
		suite_pmtu6,
		suite_errqueue,
		suite_route,
		suite_route_cache,
		suite_neighbour,
		suite_qdisc,
		suite_pick_tx,
		suite_pick_tx6,
		suite_rcv_locks,
		suite_nic,
		suite_receive,
		suite_reassembly,
		suite_cork,
		suite_fragments,
		suite_gso,
		suite_mcast,
		suite_igmp,
		suite_mld,
		suite_resolve,
		suite_unreach,
		suite_campaign,
		suite_neigh_state,
		suite_neigh_packet,
		suite_neigh_answer,
		suite_neigh_life,
		suite_timer,
		suite_sched,
		suite_softirq,
		suite_rps,
		suite_rcu,
		suite_costs,
	};
	SRunner *runner = srunner_create(NULL);
	int failed;
	u32 i, step;

	get_share(argc > 1 ? argv[1] : NULL, &i, &step);
	for (; i < ARRAY_SIZE(suites); i += step)
		srunner_add_suite(runner, suites[i]());
	say_rounds();
	warm_up();
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
