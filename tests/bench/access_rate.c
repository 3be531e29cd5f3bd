/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charged accesses a second on the udpflood mix at 24 CPUs, on one core. */
#include "tests/bench/flood.h"

int main(void)
{
	struct flood flood = flood_median();

	printf("bench access_rate %.1f million_accesses/s\n",
	       flood.accesses / flood.seconds / 1e6);
	printf("bench send_rate %.0f sends/s\n", flood.sends / flood.seconds);
	printf("bench full_variant %.1f s\n",
	       24e6 / (flood.sends / flood.seconds));
	return 0;
}
