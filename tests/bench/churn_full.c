/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A million loops of socket(), bind() and close() after the patch, which keeps
 * many sockets waiting: how long they take, and the most memory that the
 * program had.  With UDPSIM_BENCH_LONG set in the environment, ten million as
 * well, as the experiment has it: the memory must not have grown.
 */
#include <sys/resource.h>

#include "tests/bench/churn.h"

static double peak_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static void full(u64 loops, const char *name)
{
	printf("bench churn_full_%s %.2f s\n", name, churn_seconds(loops, 1));
	printf("bench churn_full_%s_rss %.0f MiB\n", name, peak_mib());
	fflush(stdout);
}

int main(void)
{
	full(1000000, "1m");
	if (getenv("UDPSIM_BENCH_LONG"))
		full(10000000, "10m");
	return 0;
}
