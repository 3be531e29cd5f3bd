/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the IPv4 FIB stand on: a kernel with tables of the tests'
 * own beside its own, devices that are only numbers, and a look into a trie
 * that says what is wrong with it.
 */
#ifndef TESTS_STACK_FIB_SUPPORT_H
#define TESTS_STACK_FIB_SUPPORT_H

#include <check.h>

#include "stack/include/net/ip_fib.h"

#define FIB_DEVICES 4u

struct fib_fixture {
	struct machine_profile profile;
	struct kernel *kernel;
	struct ip_fib *fib;
	struct fib_table *local, *main;
	u64 *hits;		/* of CPU 0 when the fixture was made */
	struct net_device *dev[FIB_DEVICES + 1];	/* by ifindex, from 1 */
};

#define IP(a, b, c, d) \
	((u32)(a) << 24 | (u32)(b) << 16 | (u32)(c) << 8 | (u32)(d))

/* A route over a device, without a gateway, to a network on its link. */
struct fib_config fib_route(const struct fib_fixture *fixture, u32 dst,
			    u32 plen, u32 oif);
/* A route of a type without device: blackhole and the like. */
struct fib_config fib_error_route(u32 dst, u32 plen, u32 type);
/* An address of this host. */
struct fib_config fib_local_route(const struct fib_fixture *fixture, u32 dst,
				  u32 oif);

/* The fixture of the test that runs: two empty tables on a new machine, with
 * the LC-trie of Linux 3.6 or the key vectors of Linux 6.1.  Making it, and
 * freeing everything. */
extern struct fib_fixture *fib_fx;
void fib_setup(void);
void fib_setup_key_vector(void);
void fib_setup_on(const char *kernel, u32 packages, u32 node_mib);
void fib_teardown(void);

/* Inserts or deletes and asserts that it works. */
void fib_insert(struct fib_table *tb, const struct fib_config *cfg);
void fib_remove(struct fib_table *tb, const struct fib_config *cfg);
/* Asserts that an insertion fails and that the message has a text in it. */
void fib_refuse(struct fib_table *tb, const struct fib_config *cfg,
		const char *text);

/* A look-up by nothing but the address. */
int fib_find(struct fib_table *tb, u32 daddr, struct fib_result *res);
/* Asserts what one in the main table gives: the prefix's length and the way
 * out, or the error. */
void fib_finds(u32 daddr, u32 plen, u32 oif);
void fib_fails(u32 daddr, int error);

/* What is wrong with a table's trie: NULL, or static text. */
const char *fib_verify(const struct fib_table *tb);
/* Whether there is nothing in it. */
bool fib_is_empty(const struct fib_table *tb);

/* Accesses of one kind to a member from the look-up, on CPU 0 and since the
 * fixture was made, or since fib_forget(). */
void fib_forget(struct fib_fixture *fixture);
u64 fib_hits(const struct fib_fixture *fixture, const char *type,
	     const char *member, enum access_kind kind);
/* All of them. */
u64 fib_all_hits(const struct fib_fixture *fixture);

/* Whether CPU 0 has ever brought in a line and still has it. */
bool fib_has_line(const struct fib_fixture *fixture, u64 address);

Suite *suite_fib_trie(void);
Suite *suite_fib_lc(void);
Suite *suite_fib_key_vector(void);
Suite *suite_fib_semantics(void);

#endif
