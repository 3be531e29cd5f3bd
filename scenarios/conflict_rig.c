/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where pairs of operations run, and how each is done; see conflicts.h. */
#include <errno.h>

#include "scenarios/conflicts.h"
#include "scenarios/machine_file.h"
#include "scenarios/scenario.h"
#include "sim/cpu.h"
#include "stack/include/linux/fs.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define MACHINE "vm-2cpu"
#define PORT 5000		/* of this host; the second side's is not next to
				 * it, as four slots of the hash share a line */
#define DISCARD 9
#define GROUP 0xef010101u	/* 239.1.1.1 */

/* By side: 10.9.9.1 and .11 are this host's, .2 and .3 are neighbours. */
static const u32 locals[2] = { 0x0a090901u, 0x0a09090bu };
static const u32 peers[2] = { 0x0a090902u, 0x0a090903u };

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
	       enum conflict_scope scope, GError **error)
{
	g_autofree char *path = machine_find(MACHINE, error);
	g_autofree char *folder = NULL;

	*rig = (struct conflict_rig){ .scope = scope };
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

static struct sockaddr_any local_of(const struct conflict_rig *rig, u32 side)
{
	return (struct sockaddr_any){
		.family = PF_INET,
		.port = (u16)(rig->scope <= SCOPE_PORT ? PORT :
			      PORT + 100 * side),
		.daddr = locals[rig->scope == SCOPE_SOCKET ? 0 : side],
	};
}

static struct sockaddr_any peer_of(const struct conflict_rig *rig, u32 side)
{
	return (struct sockaddr_any){
		.family = PF_INET, .port = DISCARD,
		.daddr = peers[rig->scope < SCOPE_NOTHING ? 0 : side],
	};
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
	int fd = sys_socket(PF_INET, SOCK_DGRAM, 0), sent;

	if (fd < 0)
		return fd;
	sent = sys_sendto(fd, (const u8 *)"x", 1, 0, &to, SOCKADDR_IN_SIZE);
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
	int err = bound ? sys_bind(fd, &local, SOCKADDR_IN_SIZE) : 0;
	u32 i;

	for (i = 0; !err && recv && i < 2; i++)	/* one for each */
		err = feed(rig, side);
	if (!err && is_one_of(CONFLICT_SEND, a, b))
		err = sys_connect(fd, &peer, SOCKADDR_IN_SIZE);
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
	fd = sys_socket(PF_INET, SOCK_DGRAM, 0);
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
	const struct group_source_req group = {
		.ifindex = dev_get_by_name(this_kernel(), "dummy0")->ifindex,
		.group = other ? GROUP + side : GROUP,
	};

	return sys_setsockopt_group(fd, SOL_IP, IP_ADD_MEMBERSHIP, &group);
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
		return sys_socket(PF_INET, SOCK_DGRAM, 0);
	case CONFLICT_BIND:
		return sys_bind(fd, &local, SOCKADDR_IN_SIZE);
	case CONFLICT_CONNECT:
		return sys_connect(fd, &peer, SOCKADDR_IN_SIZE);
	case CONFLICT_SEND:
		return MIN(sys_sendto(fd, &byte, 1, 0, NULL, 0), 0);
	case CONFLICT_SENDTO:
		return MIN(sys_sendto(fd, &byte, 1, 0, &peer,
				      SOCKADDR_IN_SIZE), 0);
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
