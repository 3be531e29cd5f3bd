/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated transactions a second of udp-rr's two hosts, both of them and the
 * link between counted, on one host thread; beside the datagrams a second of a
 * network simulator that models neither caches nor CPUs.  A transaction is two
 * datagrams.
 */
#include "tests/bench/rate.h"

/* ns-3.37 as Debian packs it, UDP over IPv6 between two nodes joined by a
 * point-to-point link; measured on a machine of another kind. */
#define NS3_DATAGRAMS_PER_S 219000.0

int main(void)
{
	const struct rate_of of = { "udp-rr", 1, 20, 1 };
	const double rate = rate_median(&of);

	printf("bench transaction_rate %.0f transactions/s\n", rate);
	printf("bench transaction_rate_ns3_datagrams %.0f datagrams/s\n",
	       NS3_DATAGRAMS_PER_S);
	printf("bench transaction_ratio_ns3 %.3f ratio\n",
	       2 * rate / NS3_DATAGRAMS_PER_S);
	return 0;
}
