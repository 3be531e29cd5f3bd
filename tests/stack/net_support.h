/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the suites of stack/net/ share: a machine with a kernel and one dummy
 * device, processes on it that make system calls, the packets that the device
 * saw, and what was counted.
 *
 * The network:
 *	dummy0	02:00:00:00:00:02, 10.2.2.1/24, mtu 1500
 *	10.2.2.2 on it, 02:aa:bb:cc:dd:ee, reachable
 * The device has no ARP, so other neighbours get the device's own address.
 */
#ifndef TESTS_STACK_NET_SUPPORT_H
#define TESTS_STACK_NET_SUPPORT_H

#include <check.h>

#include "sim/check.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/jiffies.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ip_fib.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#ifndef IP
#define IP(a, b, c, d) \
	((u32)(a) << 24 | (u32)(b) << 16 | (u32)(c) << 8 | (u32)(d))
#endif

#define NET_LOCAL IP(10, 2, 2, 1)
#define NET_PEER IP(10, 2, 2, 2)
#define NET_PORT 4242

struct net_setup {
	u32 cores;		/* 0: one */
	u32 node_mib;		/* 0: 1024 */
	bool check;
	bool tx_checksumming;
	const char *kernel;	/* its name or folder; NULL: linux-3.6 */
	const char *const *patches;	/* these three as in kernel_config */
	const struct kernel_setting *layout;
	const struct kernel_setting *parameters;
};

struct net_fixture {
	struct machine_profile profile;
	struct machine *machine;
	struct kernel *kernel;
	struct net_device *dev;
	struct neighbour *neigh;
	GPtrArray *packets;	/* GByteArray *, in the order of sending */
};

struct net_fixture *net_new(const struct net_setup *setup);
void net_free(struct net_fixture *net);

/* The folder of a kernel's data (its name, or a folder; NULL: Linux 3.6), the
 * same for Linux 3.6, and a file of the source tree.  Free all three. */
char *net_folder(const char *kernel);
char *net_kernel_folder(void);
char *net_source_file(const char *path);

/* A copy of a kernel's folder in which a file's first line that starts with
 * `line` reads otherwise, or is gone (NULL); gives its number. */
char *net_changed_folder(const char *kernel, const char *file,
			 const char *line, const char *otherwise, u32 *number);
void net_remove_folder(char *folder);

/* A kernel on a machine of its own, with nothing set up; and why one cannot be
 * started (free with g_free()), which must be an error of this code. */
struct kernel *net_load(const struct kernel_config *config);
void net_unload(struct kernel *kernel);
char *net_refusal(const struct kernel_config *config, int code);
/* The same where each node of the machine has so little memory. */
char *net_refusal_with(const struct kernel_config *config, int code, u32 mib);
/* The same, or NULL where the kernel starts; 0 MiB: as much as always. */
char *net_try(const struct kernel_config *config, int code, u32 mib);

/* One process of a run; with share_files it uses the table of the first. */
struct net_process {
	u32 cpu;
	void (*fn)(void *arg);
	void *arg;
	bool share_files;
};

/* Runs processes, at most four, until all have ended; then one on CPU 0. */
void net_run(struct net_fixture *net, const struct net_process *processes,
	     u32 n);
void net_run_one(struct net_fixture *net, void (*fn)(void *arg), void *arg);

/* The checks have found nothing: no use after free, no race, and so on; and
 * the last run has left nothing behind. */
void net_verify_rules(struct net_fixture *net);
void net_verify_clean(struct net_fixture *net);

/* ---- for code that runs in a process ---- */

/* A socket, and one connected to NET_PORT of an address. */
int net_socket(void);
int net_socket_to(u32 daddr);
struct sock *net_sk(int fd);
struct inet_sock *net_inet(int fd);

/* sendto() and send(): what the system call returns. */
int net_connect(int fd, u32 daddr, u16 port);
int net_send_to(int fd, const void *data, u32 len, u32 flags, u32 daddr);
int net_send(int fd, const void *data, u32 len, u32 flags);
/* One byte to NET_PEER, n times, without and with flags; all must go. */
void net_send_n(int fd, u32 n, u32 flags);

/* ---- what has happened ---- */

const GByteArray *net_packet(const struct net_fixture *net, u32 index);
/* The route that a CPU made last, for any nexthop: its newest one. */
struct rtable *net_newest_route(const struct net_fixture *net);

/* Accesses of a kind to a member; instructions charged, and calls of a
 * function: all since the fixture was made. */
u64 net_hits(const struct net_fixture *net, const char *type,
	     const char *member, enum access_kind kind);
u64 net_atomics(const struct net_fixture *net);
u64 net_instructions(const struct net_fixture *net);
u64 net_calls(const struct net_fixture *net, const char *function);

Suite *suite_mcast(void);
Suite *suite_udp_send(void);
Suite *suite_errors(void);
Suite *suite_route(void);
Suite *suite_route_cache(void);
Suite *suite_neighbour(void);
Suite *suite_costs(void);
Suite *suite_kernel_base(void);
Suite *suite_shape(void);
Suite *suite_kernel_data(void);
Suite *suite_layout(void);
Suite *suite_moved_field(void);
Suite *suite_patches(void);
Suite *suite_sched(void);

#endif
