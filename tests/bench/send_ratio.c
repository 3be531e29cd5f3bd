/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated sends a second beside what this computer's own kernel does in the
 * same run: unconnected IPv4 sendto() of 64 bytes over loopback to a socket
 * whose queue is full.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/bench/flood.h"

#define SENDS 300000

static double native_rate(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int receiver = socket(AF_INET, SOCK_DGRAM, 0);
	int sender = socket(AF_INET, SOCK_DGRAM, 0), small = 1, i;
	char payload[64] = { 0 };
	gint64 begin;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (receiver < 0 || sender < 0 ||
	    setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &small,
		       sizeof(small)) ||
	    bind(receiver, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(receiver, (struct sockaddr *)&to, &len)) {
		perror("bench: loopback socket");
		exit(1);
	}
	for (i = 0; i < SENDS / 10; i++)	/* fills the queue */
		sendto(sender, payload, sizeof(payload), 0,
		       (struct sockaddr *)&to, sizeof(to));
	begin = g_get_monotonic_time();
	for (i = 0; i < SENDS; i++)
		sendto(sender, payload, sizeof(payload), 0,
		       (struct sockaddr *)&to, sizeof(to));
	return SENDS * 1e6 / (double)(g_get_monotonic_time() - begin);
}

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
		native[i] = native_rate();
	qsort(native, ROUNDS, sizeof(native[0]), compare);
	printf("bench send_rate_native %.0f sends/s\n", native[ROUNDS / 2]);
	printf("bench send_ratio_native %.3f ratio\n",
	       simulated / native[ROUNDS / 2]);
	return 0;
}
