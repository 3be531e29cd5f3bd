/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of IPv6 routes and addresses share: each kernel by turns,
 * devices with addresses, routes held in a list beside the kernel's tables, and
 * a look into a trie that says what is wrong with it.
 */
#ifndef TESTS_STACK_IP6_SUPPORT_H
#define TESTS_STACK_IP6_SUPPORT_H

#include "net_support.h"
#include "stack/include/net/ip6_fib.h"

#define IP6_DEVICES 4u		/* beside loopback; their indexes from 2 */

/* Kernels that the suites run on: loop tests by number. */
extern const char *const ip6_kernels[];
#define IP6_KERNELS 3

struct in6_addr ip6(const char *text);

/* A fixture with that kernel, and devices dummy0 to dummy3 of which each has
 * an address 2001:db8:ffff:N::1/64, N from 0. */
struct net_fixture *ip6_new(int kernel, u32 cores);
struct net_device *ip6_dev(const struct net_fixture *net, u32 i);

void ip6_add_address(struct net_fixture *net, struct net_device *dev,
		     const char *addr, u32 prefix);
/* `gateway` may be NULL. */
void ip6_add_route(struct net_fixture *net, struct net_device *dev,
		   const char *addr, u32 prefix, const char *gateway);

/* ip6_route_output() for an address, and no more asked; with a reference.  For
 * code that runs in a process. */
struct rt6_info *ip6_find(const struct in6_addr *daddr);
/* The device it leads to, or -errno. */
int ip6_way(const struct in6_addr *daddr);

/* What is wrong with a table's trie: NULL, or static text. */
const char *ip6_verify(const struct fib6_table *table);
/* Leaves in it. */
u32 ip6_num_leaves(const struct fib6_table *table);

Suite *suite_fib6(void);
Suite *suite_route6(void);
Suite *suite_route6_errors(void);
Suite *suite_route6_truth(void);
Suite *suite_saddr6(void);

#endif
