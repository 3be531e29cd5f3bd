/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/socket.c: the system calls on sockets, down to the protocol's
 * operations.
 */
#include <errno.h>

#include "stack/include/linux/netdevice.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

/* Entry and exit of a system call: arch/x86/kernel/entry_64.S.  What the
 * hardware takes beyond the instructions is the machine's. */
static void system_call(void)
{
	struct cpu *cpu = this_cpu;

	FUNCTION(system_call);
	(void)READ((const struct thread_info *)current_task()->stack, flags);
	cpu->clock += cpu->machine->profile->syscall_ps;
	cpu->node->stall_ps += cpu->machine->profile->syscall_ps;
}

static struct socket *sockfd_lookup_light(int fd, int *err, int *fput_needed)
{
	struct file *file;

	FUNCTION(sockfd_lookup_light);
	*err = -EBADF;
	file = fget_light(fd, fput_needed);
	if (!file)
		return NULL;
	*err = -ENOTSOCK;
	if (READ(file, f_op) != this_kernel()->net_core->sockets) {
		fput_light(file, *fput_needed);
		return NULL;
	}
	*err = 0;
	return READ(file, private_data);
}

/* Copies the destination in from the user and checks its length. */
static int move_addr_to_kernel(u32 len)
{
	FUNCTION(move_addr_to_kernel);
	if (len > 128)
		return -EINVAL;
	if (len) {
		FUNCTION(copy_user_generic_string);
		REP_STRING(2);
	}
	(void)READ(current_task(), audit_context);
	return 0;
}

static int security_socket_sendmsg(void)
{
	FUNCTION(security_socket_sendmsg);
	(void)READ(this_kernel()->net_core->sockets->security_ops,
		   socket_sendmsg);
	return 0;
}

static int sock_sendmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	const struct proto_ops *ops;
	int err;

	FUNCTION(sock_sendmsg);
	err = security_socket_sendmsg();
	if (err)
		return err;
	ops = READ(sock, ops);
	return READ(ops, sendmsg)(sock, msg, len);
}

int sys_sendto(int fd, const u8 *data, u32 len, u32 flags, u16 family,
	       u32 addr_len, u32 daddr, u16 dport, bool has_name)
{
	struct msghdr msg = {
		.data = data,
		.has_name = has_name,
		.name_family = family,
		.name_len = addr_len,
		.daddr = daddr,
		.dport = dport,
		.msg_flags = flags,
	};
	struct socket *sock;
	struct file *file;
	int err, fput_needed;

	system_call();
	FUNCTION(sys_sendto);
	if (len > INT32_MAX)
		len = INT32_MAX;
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	if (has_name)
		err = move_addr_to_kernel(addr_len);
	file = READ(sock, file);
	if (err)
		goto out_put;
	if (READ(file, f_flags) & 0x800)	/* O_NONBLOCK */
		msg.msg_flags |= MSG_DONTWAIT;
	err = sock_sendmsg(sock, &msg, len);
out_put:
	fput_light(file, fput_needed);
	return err;
}

/* The route is kept in the socket. */
static int ip4_datagram_connect(struct sock *sk, u32 daddr, u16 dport)
{
	struct inet_sock *inet = (struct inet_sock *)(void *)sk;
	struct flowi4 fl4;
	struct rtable *rt;
	int err;

	fl4 = (struct flowi4){
		.daddr = daddr, .fl4_dport = dport,
		.saddr = READ(inet, inet_saddr),
		.fl4_sport = READ(inet, inet_sport),
		.flowi4_proto = READ(sk, sk_protocol),
	};
	rt = ip_route_output_flow(READ(sk, sk_net), &fl4, sk, &err);
	if (!rt) {
		if (err == -ENETUNREACH)
			IP_INC_STATS(READ(sk, sk_net), IPSTATS_MIB_OUTNOROUTES);
		return err;
	}
	if (!inet->inet_saddr)
		WRITE(inet, inet_saddr, fl4.saddr);
	if (!inet->inet_rcv_saddr)
		WRITE(inet, inet_rcv_saddr, fl4.saddr);
	WRITE(inet, inet_daddr, daddr);
	WRITE(inet, inet_dport, dport);
	WRITE(sk, sk_state, TCP_ESTABLISHED);
	/* 3.6 draws it from the clock; the simulated one serves. */
	WRITE(inet, inet_id, (u16)(this_cpu->clock / PS_PER_MS));
	sk_dst_set(sk, &rt->dst);
	return 0;
}

int sys_connect(int fd, u32 daddr, u16 dport)
{
	struct socket *sock;
	int err, fput_needed;

	system_call();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	err = ip4_datagram_connect(READ(sock, sk), daddr, dport);
	fput_light(READ(sock, file), fput_needed);
	return err;
}

int sys_socket(int family, int type, int protocol)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	struct socket_wq *wq;
	struct socket *sock;
	struct udp_sock *up;
	struct file *file;
	int fd = -ENFILE;

	if (family != PF_INET)
		return -EAFNOSUPPORT;
	if (type != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (protocol && protocol != 17)
		return -EPROTONOSUPPORT;
	sock = kmem_cache_alloc(room->socket_cache, GFP_KERNEL);
	up = sock ? udp_sock_new(this_kernel()->init_net) : NULL;
	file = up ? alloc_file(sock) : NULL;
	wq = file ? KMALLOC(socket_wq, GFP_KERNEL) : NULL;
	if (!wq)
		goto out_free;
	WRITE(sock, state, SS_UNCONNECTED);
	WRITE(sock, type, type);
	WRITE(sock, flags, 0);
	WRITE(sock, file, file);
	WRITE(sock, sk, &up->inet.sk);
	WRITE(sock, ops, room->inet_dgram_ops);
	WRITE(sock, wq, wq);
	WRITE(wq, task_list, NULL);
	WRITE(&up->inet.sk, sk_socket, sock);
	WRITE(&up->inet.sk, sk_wq, wq);
	fd = fd_install(READ(current_task(), files), file);
	if (fd >= 0)
		return fd;
out_free:
	if (up)
		sk_free_model(up);
	if (file)
		file_free(file);
	if (wq)
		kfree(wq);
	if (sock)
		kmem_cache_free(room->socket_cache, sock);
	return fd;
}

void sock_release(struct socket *sock)
{
	sk_free_model((struct udp_sock *)(void *)READ(sock, sk));
	kfree(READ(sock, wq));
	kmem_cache_free(this_kernel()->net_core->sockets->socket_cache, sock);
}

int sys_close(int fd)
{
	struct files_struct *files = READ(current_task(), files);
	struct file *file;
	int fput_needed;

	system_call();
	file = fget_light(fd, &fput_needed);
	if (!file)
		return -EBADF;
	WRITE_AT(files, fd_array, fd, NULL);
	fput_light(file, fput_needed);
	fput(file);		/* the table's own reference */
	return 0;
}
