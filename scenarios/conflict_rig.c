/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where pairs of operations run, and how each is done; see conflicts.h. */
#include <errno.h>

#include "scenarios/conflicts.h"
#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "sim/cpu.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define MACHINE "vm-2cpu"
#define PORT 5000		/* of this host; the second side's is not next
				 * to it: four slots of the hash share a line */
#define DISCARD 9

/* By side: this host's addresses, neighbours' and groups. */
static const u32 locals[2] = { 0x0a090901u, 0x0a09090bu };
static const u32 peers[2] = { 0x0a090902u, 0x0a090903u };
static const u32 groups[2] = { 0xef010101u, 0xef010102u };
static const struct in6_addr locals6[2] = {
	{ { 0xfd, [15] = 1 } }, { { 0xfd, [15] = 11 } },
};
static const struct in6_addr peers6[2] = {
	{ { 0xfd, [15] = 2 } }, { { 0xfd, [15] = 3 } },
};
static const struct in6_addr groups6[2] = {
	{ { 0xff, 0x15, [15] = 1 } }, { { 0xff, 0x15, [15] = 2 } },
};

static bool set_up(struct conflict_rig *rig,
		   const struct operation_setup *setup, const char *folder,
		   GError **error)
{
	static const u8 lladdrs[2][ETH_ALEN] = {
		{ 0x02, 0, 0, 0, 0, 0x02 }, { 0x02, 0, 0, 0, 0, 0x03 },
	};
	struct kernel_config config = {
		.folder = folder,
		.patches = setup->patches, .patches_where = "--patches",
	};
	struct net_device *dev;
	u32 i;

	rig->kernel = kernel_new(rig->machine, &config, error);
	if (!rig->kernel)
		return false;
	dev = dummy_new(rig->kernel, "dummy0", 1500, true);
	for (i = 0; i < 2; i++) {
		if (!inet_add_address(rig->kernel, dev, locals[i], 24, error))
			return false;
		neigh_add(rig->kernel, dev, peers[i], lladdrs[i],
			  NUD_PERMANENT);
		/* The route of the first has the neighbours. */
		if (!inet6_add_address(rig->kernel, dev, &locals6[i],
				       i ? 128 : 64, error))
			return false;
		neigh_add6(rig->kernel, dev, &peers6[i], lladdrs[i],
			   NUD_PERMANENT);
	}
	machine_settle(rig->machine);
	for (i = 0; i < 2; i++) {
		this_cpu = &rig->machine->cpus[i];
		rig->tasks[i] = task_new(i && rig->scope == SCOPE_SOCKET ?
					 rig->tasks[0]->files : NULL);
	}
	return true;
}

bool rig_start(struct conflict_rig *rig, const struct operation_setup *setup,
	       int family, enum conflict_scope scope, GError **error)
{
	g_autofree char *path = machine_find(MACHINE, error);
	g_autofree char *folder = NULL;

	*rig = (struct conflict_rig){ .family = family, .scope = scope };
	rig->profile = path ? machine_profile_load(path, error) : NULL;
	if (!rig->profile || !data_find_kernel(setup->kernel, &folder, error))
		return false;
	rig->machine = machine_new(rig->profile, 1, false);
	return set_up(rig, setup, folder, error);
}

void rig_stop(struct conflict_rig *rig)
{
	u32 i;

	for (i = 0; i < 2; i++)
		if (rig->tasks[i])
			task_free(rig->tasks[i]);
	if (rig->kernel)
		kernel_free(rig->kernel);
	if (rig->machine)
		machine_free(rig->machine);
	if (rig->profile)
		machine_profile_free(rig->profile);
}

bool rig_do(struct conflict_rig *rig, u32 side, void (*fn)(void *), void *arg)
{
	struct context *context;
	bool ended;

	this_cpu = &rig->machine->cpus[side];
	context = context_new(this_cpu, "conflicts", fn, arg);
	context->owner = rig->tasks[side];
	ended = machine_run(rig->machine);
	context_free(context);
	return ended;
}

/* ---- sockets ---- */

static struct sockaddr_any address_of(const struct conflict_rig *rig, u32 port,
				      u32 address,
				      const struct in6_addr *address6)
{
	struct sockaddr_any any = {
		.family = (u16)rig->family, .port = (u16)port,
	};

	if (rig->family == PF_INET)
		any.daddr = address;
	else
		any.daddr6 = *address6;
	return any;
}

static struct sockaddr_any local_of(const struct conflict_rig *rig, u32 side)
{
	u32 port = rig->scope <= SCOPE_PORT ? PORT : PORT + 100 * side;
	u32 which = rig->scope == SCOPE_SOCKET ? 0 : side;

	return address_of(rig, port, locals[which], &locals6[which]);
}

static struct sockaddr_any peer_of(const struct conflict_rig *rig, u32 side)
{
	u32 which = rig->scope < SCOPE_NOTHING ? 0 : side;

	return address_of(rig, DISCARD, peers[which], &peers6[which]);
}

static u32 address_size(const struct conflict_rig *rig)
{
	return rig->family == PF_INET ? SOCKADDR_IN_SIZE : SOCKADDR_IN6_SIZE;
}

static bool is_one_of(enum conflict_operation wanted, enum conflict_operation a,
		      enum conflict_operation b)
{
	return a == wanted || b == wanted;
}

/* A datagram for the socket, by loopback. */
static int feed(const struct conflict_rig *rig, u32 side)
{
	const struct sockaddr_any to = local_of(rig, side);
	int fd = sys_socket(rig->family, SOCK_DGRAM, 0), sent;

	if (fd < 0)
		return fd;
	sent = sys_sendto(fd, (const u8 *)"x", 1, 0, &to, address_size(rig));
	sys_close(fd);
	return MIN(sent, 0);
}

/* The socket that is to be bound is not, unless the other needs it; one that
 * is to be closed, or to have the same port, is.  One that sends has sent. */
static int ready(const struct conflict_rig *rig, u32 side, int fd,
		 enum conflict_operation a, enum conflict_operation b)
{
	const struct sockaddr_any local = local_of(rig, side);
	const struct sockaddr_any peer = peer_of(rig, side);
	bool recv = is_one_of(CONFLICT_RECV, a, b);
	bool bound = recv || (!is_one_of(CONFLICT_BIND, a, b) &&
			      (rig->scope == SCOPE_PORT ||
			       is_one_of(CONFLICT_CLOSE, a, b)));
	int err = bound ? sys_bind(fd, &local, address_size(rig)) : 0;
	u32 i;

	for (i = 0; !err && recv && i < 2; i++)	/* one for each */
		err = feed(rig, side);
	if (!err && is_one_of(CONFLICT_SEND, a, b))
		err = sys_connect(fd, &peer, address_size(rig));
	if (!err && is_one_of(CONFLICT_SEND, a, b))
		err = rig_call(rig, side, CONFLICT_SEND, fd);
	if (!err && is_one_of(CONFLICT_SENDTO, a, b))
		err = rig_call(rig, side, CONFLICT_SENDTO, fd);
	return err;
}

int rig_open(const struct conflict_rig *rig, u32 side,
	     enum conflict_operation a, enum conflict_operation b)
{
	int fd, err;

	if (is_one_of(CONFLICT_SOCKET, a, b))
		return 0;
	fd = sys_socket(rig->family, SOCK_DGRAM, 0);
	if (fd < 0)
		return fd;
	err = ready(rig, side, fd, a, b);
	if (!err)
		return fd;
	sys_close(fd);
	return err;
}

static int join(const struct conflict_rig *rig, u32 side, int fd)
{
	bool other = rig->scope == SCOPE_SOCKET || rig->scope == SCOPE_NOTHING;
	bool v4 = rig->family == PF_INET;
	u32 which = other ? side : 0;
	const struct group_source_req group = {
		.ifindex = dev_get_by_name(this_kernel(), "dummy0")->ifindex,
		.group = groups[which], .group6 = groups6[which],
	};

	return sys_setsockopt_group(fd, v4 ? SOL_IP : SOL_IPV6,
				    v4 ? IP_ADD_MEMBERSHIP : IPV6_JOIN_GROUP,
				    &group);
}

int rig_call(const struct conflict_rig *rig, u32 side,
	     enum conflict_operation operation, int fd)
{
	const struct sockaddr_any local = local_of(rig, side);
	const struct sockaddr_any peer = peer_of(rig, side);
	struct sockaddr_any from;
	u8 byte = 'x';

	switch (operation) {
	case CONFLICT_SOCKET:
		return sys_socket(rig->family, SOCK_DGRAM, 0);
	case CONFLICT_BIND:
		return sys_bind(fd, &local, address_size(rig));
	case CONFLICT_CONNECT:
		return sys_connect(fd, &peer, address_size(rig));
	case CONFLICT_SEND:
		return MIN(sys_sendto(fd, &byte, 1, 0, NULL, 0), 0);
	case CONFLICT_SENDTO:
		return MIN(sys_sendto(fd, &byte, 1, 0, &peer,
				      address_size(rig)), 0);
	case CONFLICT_RECV:
		return MIN(sys_recvfrom(fd, &byte, 1, MSG_DONTWAIT, &from), 0);
	case CONFLICT_CLOSE:
		return sys_close(fd);
	case CONFLICT_SETSOCKOPT:
		return sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	case CONFLICT_JOIN:
		return join(rig, side, fd);
	default:
		return -EINVAL;
	}
}
