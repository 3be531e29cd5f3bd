/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated datagrams a second of udp-stream at one byte, sender and receiver
 * both counted, on one host thread; beside those of a network simulator that
 * models neither caches nor CPUs.
 */
#include "tests/bench/rate.h"

/* ns-3.37 as Debian packs it, UDP over IPv6 over the loopback of one node;
 * measured on a machine of another kind. */
#define NS3_DATAGRAMS_PER_S 390000.0

int main(void)
{
	const struct rate_of of = { "udp-stream", 0, 200, 10 };
	const double rate = rate_median(&of);

	printf("bench stream_rate %.0f datagrams/s\n", rate);
	printf("bench stream_rate_ns3 %.0f datagrams/s\n",
	       NS3_DATAGRAMS_PER_S);
	printf("bench stream_ratio_ns3 %.3f ratio\n",
	       rate / NS3_DATAGRAMS_PER_S);
	return 0;
}
