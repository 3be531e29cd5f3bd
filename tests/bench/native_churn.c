/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See native_churn.h. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/native_churn.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double native_churn_rate(int loops)
{
	const struct sockaddr_in any = { .sin_family = AF_INET };
	double begin = seconds();
	int i;

	for (i = 0; i < loops; i++) {
		int fd = socket(AF_INET, SOCK_DGRAM, 0);

		if (fd < 0 || bind(fd, (const struct sockaddr *)&any,
				   sizeof(any))) {
			perror("bench: socket");
			exit(1);
		}
		close(fd);
	}
	return loops / (seconds() - begin);
}
