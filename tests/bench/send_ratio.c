/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated sends a second beside what this computer's own kernel does in the
 * same run: unconnected IPv4 sendto() of 64 bytes over loopback to a socket
 * whose queue is full.
 */
#include "tests/bench/flood.h"
#include "tests/bench/native_send.h"

#define SENDS 300000

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(void)
{
	struct flood flood = flood_median();
	double simulated = flood.sends / flood.seconds, native[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++)
		native[i] = native_send_rate(SENDS);
	qsort(native, ROUNDS, sizeof(native[0]), compare);
	printf("bench send_rate_native %.0f sends/s\n", native[ROUNDS / 2]);
	printf("bench send_ratio_native %.3f ratio\n",
	       simulated / native[ROUNDS / 2]);
	return 0;
}
