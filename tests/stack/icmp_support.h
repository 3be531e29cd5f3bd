/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A router's word about what a host of net_support.h or net6_support.h has
 * sent. */
#ifndef TESTS_STACK_ICMP_SUPPORT_H
#define TESTS_STACK_ICMP_SUPPORT_H

#include "net6_support.h"

struct icmp_word {
	bool ip6;
	u8 type, code;
	u32 info;		/* the word behind the checksum */
};

/* About the last packet that went out, of which it repeats the first `part`
 * bytes from the IP header on. */
struct sk_buff *icmp_about_last(const struct net_fixture *net,
				const struct icmp_word *word, u32 part);
/* Fills in the checksum of a message of `len` bytes behind its IP header. */
void icmp_sum_up(bool ip6, u8 *ip, u32 len);
/* The host gets it; the packet is used up. */
void icmp_take(bool ip6, struct sk_buff *skb);
/* All of it: the last packet was too long for the next link. */
void icmp_too_big(const struct net_fixture *net, bool ip6, u32 mtu);

Suite *suite_pmtu(void);
Suite *suite_pmtu6(void);
Suite *suite_errqueue(void);

#endif
