/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this computer's own kernel does on the loop of churn.h; a file by
 * itself, since the model's names are those of the system's headers. */
#ifndef TESTS_BENCH_NATIVE_CHURN_H
#define TESTS_BENCH_NATIVE_CHURN_H

/* Loops a second; ends the program where sockets are not to be had. */
double native_churn_rate(int loops);

#endif
