/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IPv6 addresses as text by the C library: apart from the stack's headers,
 * which have a struct in6_addr of their own. */
#ifndef TESTS_STACK_IP6_TEXT_H
#define TESTS_STACK_IP6_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* 0, or -1 for what is no address. */
int ip6_from_text(const char *text, uint8_t *bytes);
void ip6_to_text(const uint8_t *bytes, char *text, size_t size);

#endif
