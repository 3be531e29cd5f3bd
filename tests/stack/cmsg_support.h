/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of control messages share: ancillary data in tables, and the
 * packets that come of it, in hexadecimal, from the IP header on.
 */
#ifndef TESTS_STACK_CMSG_SUPPORT_H
#define TESTS_STACK_CMSG_SUPPORT_H

#include "net6_support.h"
#include "stack/include/linux/socket.h"

/* A control message: bytes in hexadecimal, spaces between them as you like, or
 * a number.  One of type 0 ends a list. */
struct ctl_line {
	s32 level, type;
	const char *hex;
	s32 number;
};

#define CTL_NUMBER(level, type, number) { level, type, NULL, number }
#define CTL_BYTES(level, type, hex) { level, type, hex, 0 }
#define CTL_MAX 5

#define V6_NUMBER(type, number) CTL_NUMBER(SOL_IPV6, type, number)
#define V6_BYTES(type, hex) CTL_BYTES(SOL_IPV6, type, hex)

/* The ends of all packets of IPv6, and a third host; UDP of an "A" that one sends
 * the other (worked out in test_cmsg6.c). */
#define SELF "fd00 0000 0000 0000 0000 0000 0000 0001"
#define PEER "fd00 0000 0000 0000 0000 0000 0000 0002"
#define THIRD "fd00 0000 0000 0000 0000 0000 0000 0003"
#define UDP_A "8000 1092 0009 3445 41"

/* Options as the program gives them, without their first byte, which the kernel
 * writes: a router alert (5) for routers along the way that speak MLD (0), and
 * padding of no bytes; padding of four; a limit (4) of five tunnels, and padding
 * of one byte. */
#define ALERT "00 0502 0000 0100"
#define PADDING "00 0104 0000 0000"
#define TUNNELS "00 0401 05 0101 00"
/* A routing header of mobile hosts (2) with one segment left; an address comes
 * behind. */
#define MOBILE "02 02 01 0000 0000"

struct ctl_text {
	u8 data[512];
	u32 len;
};

/* The bytes of a text, of which there must be at most `room`; gives how many. */
u32 ctl_hex(const char *hex, u8 *bytes, u32 room);
/* One more message behind those that are there. */
void ctl_add(struct ctl_text *text, const struct ctl_line *line);
struct ctl_text ctl_text(const struct ctl_line *lines);

/* sendmsg(): what the system call returns. */
int ctl_send(int fd, const struct sockaddr_any *to, const char *data, u32 len,
	     const struct ctl_line *lines);
int ctl_send_text(int fd, const struct sockaddr_any *to, const char *data,
		  u32 len, const struct ctl_text *text);

/* What the driver got: the mark and the priority of each packet. */
struct ctl_seen {
	u32 mark, priority;
};

#define CTL_MAX_SEEN 16u
extern struct ctl_seen ctl_seen[CTL_MAX_SEEN];
extern u32 ctl_num_seen;

/* A fixture whose driver notes them, with sockets of port 32768. */
struct net_fixture *ctl_new(const char *kernel);

/* Where the environment names a file (UDPSIM_PACKETS), it gets a line more: the
 * kernel, the example's name, and the frame in hexadecimal. */
void ctl_dump(const struct net_fixture *net, u32 index, const char *name);
/* The same, and the packet, from the IP header on, is this one. */
void ctl_verify_packet(const struct net_fixture *net, u32 index,
		       const char *name, const char *hex);

Suite *suite_cmsg4(void);
Suite *suite_cmsg6(void);
Suite *suite_cmsg_errors(void);
Suite *suite_sticky6(void);

#endif
