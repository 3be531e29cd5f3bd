/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one operation and looks on; see operation.h. */
#include <errno.h>
#include <string.h>

#include "scenarios/machine_file.h"
#include "scenarios/operation.h"
#include "scenarios/scenario.h"
#include "scenarios/watch.h"
#include "sim/cpu.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/net/ipv6.h"
#include "stack/include/net/neighbour.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

#define MACHINE "vm-2cpu"
#define WARM_UP 64
#define PORT 9			/* discard */
#define LOCAL 0x0a090901u	/* 10.9.9.1 */
#define PEER 0x0a090902u

/* fd00::1 and ::2 */
static const struct in6_addr local6 = { { 0xfd, [15] = 1 } };
static const struct in6_addr peer6 = { { 0xfd, [15] = 2 } };

static int do_getppid(const struct operation_kind *kind, int fd)
{
	(void)kind;
	(void)fd;
	return MIN(sys_getppid(), 0);
}

static struct sockaddr_any peer_of(const struct operation_kind *kind)
{
	return (struct sockaddr_any){
		.family = kind->family, .port = PORT,
		.daddr = kind->family == PF_INET ? PEER : 0,
		.daddr6 = kind->family == PF_INET6 ? peer6 :
			  (struct in6_addr){ { 0 } },
	};
}

static u32 peer_size(const struct operation_kind *kind)
{
	return kind->family == PF_INET6 ? SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE;
}

static int do_send(const struct operation_kind *kind, int fd)
{
	const struct sockaddr_any to = peer_of(kind);
	int sent = sys_sendto(fd, (const u8 *)"x", 1, kind->flags,
			      kind->connected ? NULL : &to, peer_size(kind));

	return MIN(sent, 0);
}

/* ---- a socket's life ---- */

static int new_socket(const struct operation_kind *kind)
{
	return sys_socket(kind->family, SOCK_DGRAM, 0);
}

static int do_bind(const struct operation_kind *kind, int fd)
{
	const struct sockaddr_any any = { .family = (u16)kind->family };

	return sys_bind(fd, &any, peer_size(kind));
}

static int no_socket(const struct operation_kind *kind)
{
	(void)kind;
	return 0;
}

static int bound_socket(const struct operation_kind *kind)
{
	int fd = new_socket(kind), err;

	if (fd < 0)
		return fd;
	err = do_bind(kind, fd);
	return err ? err : fd;
}

static int do_socket(const struct operation_kind *kind, int fd)
{
	(void)fd;
	return new_socket(kind);
}

static void close_new(const struct operation_kind *kind, int fd, int result)
{
	(void)kind;
	(void)fd;
	if (result >= 0)
		sys_close(result);
}

static int do_close(const struct operation_kind *kind, int fd)
{
	(void)kind;
	return sys_close(fd);
}

static void close_socket(const struct operation_kind *kind, int fd, int result)
{
	(void)kind;
	(void)result;
	sys_close(fd);
}

/* ---- over loopback: a sender, and a receiver that it is to reach ---- */

#define LO_PORT 7777
#define LO_WARM_UP 4

/* A process has one of them at a time: the sender's descriptor is what goes
 * before the operation gives, the receiver's is the one before it. */
static int receiver_of(int sender)
{
	return sender - 1;
}

static struct sockaddr_any lo_address(const struct operation_kind *kind)
{
	return (struct sockaddr_any){
		.family = (u16)kind->family,
		.port = (u16)(LO_PORT + this_cpu->id),
		.daddr = kind->family == PF_INET ? INADDR_LOOPBACK : 0,
		.daddr6 = kind->family == PF_INET6 ?
			  (struct in6_addr){ { [15] = 1 } } :
			  (struct in6_addr){ { 0 } },
	};
}

/* Binds the receiver to its port of any address, or where both ends are
 * connected to the loopback address, and there the two to each other. */
static int lo_connect(const struct operation_kind *kind, int receiver,
		      int sender)
{
	struct sockaddr_any to = lo_address(kind), from = to, any = to;
	int err;

	from.port += 1000;
	any.daddr = 0;
	any.daddr6 = (struct in6_addr){ { 0 } };
	if (!kind->connected)
		return sys_bind(receiver, &any, peer_size(kind));
	err = sys_bind(receiver, &to, peer_size(kind));
	if (!err)
		err = sys_bind(sender, &from, peer_size(kind));
	if (!err)
		err = sys_connect(receiver, &from, peer_size(kind));
	return err ? err : sys_connect(sender, &to, peer_size(kind));
}

static int lo_send(const struct operation_kind *kind, int sender)
{
	const struct sockaddr_any to = lo_address(kind);
	int sent = sys_sendto(sender, (const u8 *)"x", 1, kind->flags,
			      kind->connected ? NULL : &to, peer_size(kind));

	return MIN(sent, 0);
}

static int lo_recv(const struct operation_kind *kind, int sender)
{
	struct sockaddr_any from;
	u8 byte;
	int got = sys_recvfrom(receiver_of(sender), &byte, 1, 0,
			       kind->connected ? NULL : &from);

	return got == 1 ? 0 : MIN(got, -EIO);
}

static int lo_open(const struct operation_kind *kind)
{
	int receiver = new_socket(kind), sender = new_socket(kind), err;

	if (receiver < 0 || sender < 0)
		return MIN(receiver, sender);
	err = lo_connect(kind, receiver, sender);
	return err ? err : sender;
}

/* Both sockets are warm when the operation comes. */
static int lo_before_send(const struct operation_kind *kind)
{
	int sender = lo_open(kind), err = 0;
	u32 i;

	for (i = 0; sender >= 0 && !err && i < LO_WARM_UP; i++) {
		err = lo_send(kind, sender);
		if (!err)
			err = lo_recv(kind, sender);
	}
	return err ? err : sender;
}

static int lo_before_recv(const struct operation_kind *kind)
{
	int sender = lo_before_send(kind), err;

	if (sender < 0)
		return sender;
	err = lo_send(kind, sender);
	return err ? err : sender;
}

static void lo_close(const struct operation_kind *kind, int sender, int result)
{
	(void)kind;
	(void)result;
	sys_close(sender);
	sys_close(receiver_of(sender));
}

/* ---- to a group on dummy0, with a member here ---- */

#define MC_GROUP 0xef010101u	/* 239.1.1.1 */
#define MC_PORT 7778

/* ff15::1 */
static const struct in6_addr mc_group6 = { { 0xff, 0x15, [15] = 1 } };

static struct sockaddr_any mc_address(const struct operation_kind *kind)
{
	struct sockaddr_any to = {
		.family = (u16)kind->family,
		.port = (u16)(MC_PORT + this_cpu->id),
	};

	if (kind->family == PF_INET)
		to.daddr = MC_GROUP;
	else
		to.daddr6 = mc_group6;
	return to;
}

static int mc_set_up(const struct operation_kind *kind, int receiver,
		     int sender)
{
	bool v4 = kind->family == PF_INET;
	u32 ifindex = dev_get_by_name(this_kernel(), "dummy0")->ifindex;
	struct sockaddr_any any = { .family = (u16)kind->family };
	const struct group_source_req group = {
		.ifindex = ifindex, .group = MC_GROUP, .group6 = mc_group6,
	};
	int err;

	any.port = mc_address(kind).port;
	err = sys_bind(receiver, &any, peer_size(kind));
	if (!err)
		err = sys_setsockopt_group(receiver, v4 ? SOL_IP : SOL_IPV6,
					   v4 ? IP_ADD_MEMBERSHIP :
						IPV6_JOIN_GROUP, &group);
	if (!err)
		err = sys_setsockopt(sender, v4 ? SOL_IP : SOL_IPV6,
				     v4 ? IP_MULTICAST_IF : IPV6_MULTICAST_IF,
				     ifindex);
	return err;
}

static int mc_send(const struct operation_kind *kind, int sender)
{
	const struct sockaddr_any to = mc_address(kind);
	int sent = sys_sendto(sender, (const u8 *)"x", 1, 0, &to,
			      peer_size(kind));

	return MIN(sent, 0);
}

/* Both sockets are warm when the operation comes. */
static int mc_before_send(const struct operation_kind *kind)
{
	int receiver = new_socket(kind), sender = new_socket(kind), err = 0;
	u32 i;

	if (receiver < 0 || sender < 0)
		return MIN(receiver, sender);
	err = mc_set_up(kind, receiver, sender);
	for (i = 0; !err && i < LO_WARM_UP; i++) {
		err = mc_send(kind, sender);
		if (!err)
			err = lo_recv(kind, sender);
	}
	return err ? err : sender;
}

static int mc_before_recv(const struct operation_kind *kind)
{
	int sender = mc_before_send(kind), err;

	if (sender < 0)
		return sender;
	err = mc_send(kind, sender);
	return err ? err : sender;
}

const struct operation_kind operation_kinds[] = {
	{ "NULLSYS", "getppid()", 0, false, 0, do_getppid, NULL, NULL },
	{ "C4SEND", "send() on a connected IPv4 socket", PF_INET, true, 0,
	  do_send, NULL, NULL },
	{ "U4SEND", "sendto() over IPv4", PF_INET, false, 0,
	  do_send, NULL, NULL },
	{ "U4SEND_CONF", "sendto() over IPv4 with MSG_CONFIRM", PF_INET, false,
	  MSG_CONFIRM, do_send, NULL, NULL },
	{ "C6SEND", "send() on a connected IPv6 socket", PF_INET6, true, 0,
	  do_send, NULL, NULL },
	{ "C6SEND_CONF", "the same with MSG_CONFIRM", PF_INET6, true,
	  MSG_CONFIRM, do_send, NULL, NULL },
	{ "U6SEND", "sendto() over IPv6", PF_INET6, false, 0,
	  do_send, NULL, NULL },
	{ "U6SEND_CONF", "sendto() over IPv6 with MSG_CONFIRM", PF_INET6, false,
	  MSG_CONFIRM, do_send, NULL, NULL },
	{ "SOCK4", "socket() of IPv4", PF_INET, false, 0, do_socket,
	  no_socket, close_new },
	{ "SOCK6", "socket() of IPv6", PF_INET6, false, 0, do_socket,
	  no_socket, close_new },
	{ "BIND4", "bind() to any port of IPv4", PF_INET, false, 0, do_bind,
	  new_socket, close_socket },
	{ "BIND6", "bind() to any port of IPv6", PF_INET6, false, 0, do_bind,
	  new_socket, close_socket },
	{ "CLOSE4", "close() of an IPv4 socket", PF_INET, false, 0,
	  do_close, bound_socket, NULL },
	{ "CLOSE6", "close() of an IPv6 socket", PF_INET6, false, 0,
	  do_close, bound_socket, NULL },
	{ "LO4SEND", "send() over loopback, IPv4", PF_INET, false, 0,
	  lo_send, lo_before_send, lo_close },
	{ "LO4RECV", "recv() from loopback, IPv4", PF_INET, false, 0,
	  lo_recv, lo_before_recv, lo_close },
	{ "LO6SEND", "send() over loopback, IPv6", PF_INET6, true, 0,
	  lo_send, lo_before_send, lo_close },
	{ "LO6RECV", "recv() from loopback, IPv6", PF_INET6, true, 0,
	  lo_recv, lo_before_recv, lo_close },
	{ "LO6USEND", "sendto() over loopback, IPv6", PF_INET6, false, 0,
	  lo_send, lo_before_send, lo_close },
	{ "LO6URECV", "recvfrom() from loopback, IPv6", PF_INET6, false, 0,
	  lo_recv, lo_before_recv, lo_close },
	{ "LO6USENDC", "sendto() over loopback with MSG_CONFIRM", PF_INET6,
	  false, MSG_CONFIRM, lo_send, lo_before_send, lo_close },
	{ "LO6RECVC", "recvfrom() of such a datagram", PF_INET6, false, 0,
	  lo_recv, lo_before_recv, lo_close },
	{ "MC4SEND", "sendto() a group, IPv4", PF_INET, false, 0,
	  mc_send, mc_before_send, lo_close },
	{ "MC4RECV", "recv() by a member, IPv4", PF_INET, false, 0,
	  lo_recv, mc_before_recv, lo_close },
	{ "MC6SEND", "sendto() a group, IPv6", PF_INET6, false, 0,
	  mc_send, mc_before_send, lo_close },
	{ "MC6RECV", "recv() by a member, IPv6", PF_INET6, false, 0,
	  lo_recv, mc_before_recv, lo_close },
	{ NULL, NULL, 0, false, 0, NULL, NULL, NULL },
};

const struct operation_kind *operation_find(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(operation_kinds)], *near;
	u32 i;

	for (i = 0; operation_kinds[i].name; i++) {
		if (g_str_equal(operation_kinds[i].name, name))
			return &operation_kinds[i];
		names[i] = operation_kinds[i].name;
	}
	names[i] = NULL;
	near = nearest_name(name, names);
	g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_NOT_FOUND,
		    "no operation is called '%.60s'; %s%s%s", name,
		    near ? "did you mean '" : "'udpsim operation --help' has "
					      "them all",
		    near ? near : "", near ? "'?" : "");
	return NULL;
}

char **operation_patches(const char *text)
{
	GPtrArray *names = g_ptr_array_new();
	char **list = g_strsplit(text ? text : "", ";", -1), **word;

	for (word = list; *word; word++) {
		g_strstrip(*word);
		if (**word)
			g_ptr_array_add(names, *word);
		else
			g_free(*word);
	}
	g_free(list);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

/* ---- the run ---- */

struct operation_run {
	const struct operation_kind *kind;
	const struct object_map *map;
	struct machine *machine;
	struct kernel *kernel;
};

/* A process that does the operation on a CPU of its own. */
struct process {
	struct operation_run *run;
	struct task_struct *task;
	struct operation *operation;
	int fd;
	int error;		/* -errno of what failed */
};

static bool set_up(struct operation_run *run,
		   const struct operation_setup *setup, const char *folder,
		   GError **error)
{
	static const u8 lladdr[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 0x02 };
	struct kernel_config config = {
		.folder = folder,
		.patches = setup->patches, .patches_where = "--patches",
	};
	struct net_device *dev;

	run->kernel = kernel_new(run->machine, &config, error);
	if (!run->kernel)
		return false;
	dev = dummy_new(run->kernel, "dummy0", 1500, true);
	if (!inet_add_address(run->kernel, dev, LOCAL, 24, error))
		return false;
	neigh_add(run->kernel, dev, PEER, lladdr, NUD_PERMANENT);
	if (!inet6_add_address(run->kernel, dev, &local6, 64, error))
		return false;
	neigh_add6(run->kernel, dev, &peer6, lladdr, NUD_PERMANENT);
	return true;
}

static int open_socket(const struct operation_kind *kind)
{
	const struct sockaddr_any to = peer_of(kind);
	int fd, err;

	if (!kind->family)
		return 0;
	fd = sys_socket(kind->family, SOCK_DGRAM, 0);
	if (fd < 0 || !kind->connected)
		return fd;
	err = sys_connect(fd, &to, peer_size(kind));
	return err < 0 ? err : fd;
}

/* Does it once, with a socket of its own if it wants one; looks on if there is
 * an operation to fill in. */
static int do_once(struct process *process, struct operation *operation)
{
	const struct operation_kind *kind = process->run->kind;
	int fd = kind->before ? kind->before(kind) : process->fd;
	struct watch *watch = NULL;
	int result;

	if (fd < 0)
		return fd;
	if (operation)
		watch = watch_begin(process->run->machine, operation,
				    process->run->map);
	result = kind->once(kind, fd);
	if (watch)
		watch_end(watch);
	if (kind->after)
		kind->after(kind, fd, result);
	/* Long enough before the next, for all readers to have ended. */
	rcu_barrier();
	return MIN(result, 0);
}

/* Opens, warms, is looked at once. */
static void work_main(void *arg)
{
	struct process *process = arg;
	const struct operation_kind *kind = process->run->kind;
	u32 i;

	process->fd = kind->before ? 0 : open_socket(kind);
	process->error = MIN(process->fd, 0);
	for (i = 0; !process->error && i < WARM_UP; i++)
		process->error = do_once(process, NULL);
	if (!process->error)
		process->error = do_once(process, process->operation);
}

static void close_main(void *arg)
{
	struct process *process = arg;

	sys_close(process->fd);
}

/* Runs a part of a process on a CPU by itself; false: it never ends. */
static bool run_part(struct process *process, u32 cpu, void (*fn)(void *))
{
	struct machine *machine = process->run->machine;
	struct context *context;
	bool ended;

	this_cpu = &machine->cpus[cpu];
	if (!process->task)
		process->task = task_new(NULL);
	context = context_new(this_cpu, process->run->kind->name, fn, process);
	context->owner = process->task;
	ended = machine_run(machine);
	context_free(context);
	return ended;
}

/* The second process tells which lines are not the first one's alone. */
static bool run_processes(struct operation_run *run,
			  struct operation *operation, GError **error)
{
	g_autoptr(Operation) other = watch_operation_new(run->kind);
	struct process processes[] = {
		{ .run = run, .operation = operation },
		{ .run = run, .operation = other },
	};
	int err = 0;
	bool ended = true;
	u32 i;

	machine_settle(run->machine);
	for (i = 0; ended && !err && i < 2; i++) {
		ended = run_part(&processes[i], i, work_main);
		err = processes[i].error;
	}
	operation->modelled = ended && !err;
	if (!ended || (err && err != -EAFNOSUPPORT)) {
		g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_VALUE,
			    "%s on %s: %s", run->kind->name, run->kernel->name,
			    ended ? g_strerror(-err) : "it waits for ever");
		return false;
	}
	for (i = 0; !err && i < 2; i++) {
		if (run->kind->family && !run->kind->before)
			run_part(&processes[i], i, close_main);
		task_free(processes[i].task);
	}
	watch_find_shared(operation, other);
	return true;
}

struct operation *operation_run(const struct operation_setup *setup,
				const struct operation_kind *kind,
				const struct object_map *map, GError **error)
{
	g_autofree char *path = machine_find(MACHINE, error);
	g_autoptr(MachineProfile) profile =
		path ? machine_profile_load(path, error) : NULL;
	g_autoptr(Operation) operation = watch_operation_new(kind);
	struct operation_run run = { .kind = kind, .map = map };
	g_autofree char *folder = NULL;
	bool ok;

	if (!profile || !data_find_kernel(setup->kernel, &folder, error))
		return NULL;
	if (!kind->once)
		return g_steal_pointer(&operation);
	run.machine = machine_new(profile, 1, false);
	ok = set_up(&run, setup, folder, error) &&
	     run_processes(&run, operation, error);
	if (run.kernel)
		kernel_free(run.kernel);
	machine_free(run.machine);
	return ok ? g_steal_pointer(&operation) : NULL;
}
