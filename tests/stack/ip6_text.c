/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See ip6_text.h. */
#include <arpa/inet.h>

#include "ip6_text.h"

int ip6_from_text(const char *text, uint8_t *bytes)
{
	return inet_pton(AF_INET6, text, bytes) == 1 ? 0 : -1;
}

void ip6_to_text(const uint8_t *bytes, char *text, size_t size)
{
	inet_ntop(AF_INET6, bytes, text, (socklen_t)size);
}
