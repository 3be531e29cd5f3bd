/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this computer's own kernel does of send_ratio.c's sends; a file by
 * itself, since the model's names are those of the system's headers. */
#ifndef TESTS_BENCH_NATIVE_SEND_H
#define TESTS_BENCH_NATIVE_SEND_H

/* Sends a second; ends the program where sockets are not to be had. */
double native_send_rate(int sends);

#endif
