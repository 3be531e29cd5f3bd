/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SipHash-2-4 (Aumasson and Bernstein, 2012), which the kernel uses where an
 * attacker must not guess a hash (lib/siphash.c). */
#ifndef STACK_LIB_SIPHASH_H
#define STACK_LIB_SIPHASH_H

#include <stddef.h>

#include "sim/types.h"

/* The hash of len bytes under a key of 128 bits.  What it costs is its
 * caller's. */
u64 siphash(const u64 key[2], const void *data, size_t len);

#endif
