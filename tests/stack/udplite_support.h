/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of UDP-Lite share: the two hosts of nic_support.h, on each of
 * several kernels and in each family; and datagrams that no kernel would send.
 */
#ifndef TESTS_STACK_UDPLITE_SUPPORT_H
#define TESTS_STACK_UDPLITE_SUPPORT_H

#include "net6_support.h"
#include "nic_support.h"

#define LITE_CASES 7		/* kernels, families */
#define LITE_PORT 1000		/* of who sends */
#define LITE_MOST 200u		/* bytes of a datagram made by hand */

struct lite_fixture {
	struct nic_fixture *nic;
	bool ip6;
};

extern struct lite_fixture lite;

/* Which kernel and family a case is; and the two hosts for it. */
const char *lite_kernel(int i, bool *ip6);
void lite_build(int i);
void lite_end(void);
bool lite_has(enum feature feature);

/* ---- for code that runs in a process ---- */

/* A socket of UDP-Lite, bound where port is not 0. */
int lite_open(u16 port);
int lite_option(int fd, int option, u32 value);
/* To a port of host 1, or of the group. */
int lite_send_to(int fd, const void *data, u32 len, u16 port, bool group);
/* More is to come with the same datagram, or this is the end of it. */
int lite_send_more(int fd, const void *data, u32 len, bool more);
int lite_join(int fd);
/* What there is to be read at once. */
int lite_read(int fd, void *data, u32 len);

/* ---- datagrams made by hand ---- */

struct lite_frame {
	u32 len;		/* of data, at most LITE_MOST - 8 */
	u16 cscov;		/* what its header says */
	bool no_sum;		/* the sum's field is 0 */
	u32 damaged;		/* that byte from the header on; 0: none */
	bool group;
	/* From a port that alone makes a sum over 6 bytes right. */
	bool fitting;
};

/* From LITE_PORT of host 0 to NET_PORT of host 1, which has got it when this
 * comes back; data byte i is i * 7. */
void lite_inject(const struct lite_frame *d);

/* ---- what has happened ---- */

/* A counter of UDP-Lite, and of UDP. */
u64 lite_count(u32 host, u32 index);
u64 udp_count(u32 host, u32 index);
/* UDP has counted nothing at all. */
void lite_verify_apart(void);
/* The sum over the pseudo header of a packet and `covered` bytes behind its IP
 * header, as RFC 3828 has it; 0xffff is right. */
u32 lite_sum(const u8 *ip, u32 covered);

Suite *suite_udplite(void);
Suite *suite_udplite_rcv(void);

#endif
