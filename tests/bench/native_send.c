/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See native_send.h. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/bench/native_send.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double native_send_rate(int sends)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int receiver = socket(AF_INET, SOCK_DGRAM, 0);
	int sender = socket(AF_INET, SOCK_DGRAM, 0), small = 1, i;
	char payload[64] = { 0 };
	double begin;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (receiver < 0 || sender < 0 ||
	    setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &small,
		       sizeof(small)) ||
	    bind(receiver, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(receiver, (struct sockaddr *)&to, &len)) {
		perror("bench: loopback socket");
		exit(1);
	}
	for (i = 0; i < sends / 10; i++)	/* fills the queue */
		sendto(sender, payload, sizeof(payload), 0,
		       (struct sockaddr *)&to, sizeof(to));
	begin = seconds();
	for (i = 0; i < sends; i++)
		sendto(sender, payload, sizeof(payload), 0,
		       (struct sockaddr *)&to, sizeof(to));
	return sends / (seconds() - begin);
}
