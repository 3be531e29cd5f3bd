/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/socket.c: the system calls on sockets, down to the protocol's
 * operations.
 */
#include <errno.h>

#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/net/netns.h"
#include "stack/include/net/sock.h"

struct socket *sockfd_lookup_light(int fd, int *err, int *fput_needed)
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
int move_addr_to_kernel(u32 len)
{
	FUNCTION(move_addr_to_kernel);
	if (len > 128)
		return -EINVAL;
	if (len) {
		check_object_size(NULL, 0, len, false);
		FUNCTION(copy_user_generic_string);
		REP_STRING(2);
	}
	(void)READ(GET_CURRENT(), audit_context);
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

static int __sys_sendto(int fd, struct msghdr *msg, u32 len)
{
	struct socket *sock;
	struct file *file;
	int err, fput_needed;

	FUNCTION(sys_sendto);
	STACK_PROTECTOR();
	if (len > INT32_MAX)
		len = INT32_MAX;
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	if (msg->msg_name)
		err = move_addr_to_kernel(msg->msg_namelen);
	file = READ(sock, file);
	if (err)
		goto out_put;
	if (READ(file, f_flags) & 0x800)	/* O_NONBLOCK */
		msg->msg_flags |= MSG_DONTWAIT;
	err = sock_sendmsg(sock, msg, len);
out_put:
	fput_light(file, fput_needed);
	return err;
}

int sys_sendto(int fd, const u8 *data, u32 len, u32 flags,
	       const struct sockaddr_any *name, u32 name_len)
{
	struct msghdr msg = {
		.data = data,
		.msg_name = name,
		.msg_namelen = name ? name_len : 0,
		.msg_flags = flags,
	};
	int err;

	system_call_enter();
	err = __sys_sendto(fd, &msg, len);
	system_call_exit();
	return err;
}

int sys_connect(int fd, const struct sockaddr_any *name, u32 name_len)
{
	struct socket *sock;
	int err, fput_needed;

	system_call_enter();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (sock) {
		const struct proto_ops *ops = READ(sock, ops);

		err = READ(ops, connect)(READ(sock, sk), name, name_len);
		fput_light(READ(sock, file), fput_needed);
	}
	system_call_exit();
	return err;
}

int sys_socket(int family, int type, int protocol)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	struct socket_wq *wq = NULL;
	struct socket *sock;
	struct udp_sock *up;
	struct file *file;
	int fd = -ENFILE;

	if (family != PF_INET && (family != PF_INET6 || !room->udp6_cache))
		return -EAFNOSUPPORT;
	if (type != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (protocol && protocol != 17)
		return -EPROTONOSUPPORT;
	sock = kmem_cache_alloc(room->socket_cache, GFP_KERNEL);
	up = sock ? udp_sock_new(this_kernel()->init_net, family) :
		    NULL;
	file = up ? alloc_file(sock) : NULL;
	if (file && !has(SOCKET_WQ_EMBEDDED))
		wq = KMALLOC(socket_wq, GFP_KERNEL);
	if (!file || (!wq && !has(SOCKET_WQ_EMBEDDED)))
		goto out_free;
	WRITE(sock, state, SS_UNCONNECTED);
	WRITE(sock, type, type);
	WRITE(sock, flags, 0);
	WRITE(sock, file, file);
	WRITE(sock, sk, &up->inet.sk);
	WRITE(sock, ops, family == PF_INET6 ? room->inet6_dgram_ops :
	      room->inet_dgram_ops);
	if (wq) {
		WRITE(sock, wq, wq);
		/* The memory may have been another's. */
		wq->wait.lock = (struct spinlock){ .owner = NULL };
		WRITE(wq, task_list, NULL);
	} else {
		WRITE(sock, wq_wait, NULL);
	}
	WRITE(&up->inet.sk, sk_socket, sock);
	WRITE(&up->inet.sk, sk_wq, wq);
	fd = fd_install(READ(current_task(), files), file);
	if (fd >= 0)
		return fd;
out_free:
	if (up)
		sk_free(&up->inet.sk);
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
	READ(sock, ops)->release(sock);
	if (!has(SOCKET_WQ_EMBEDDED))
		kfree(READ(sock, wq));
	kmem_cache_free(this_kernel()->net_core->sockets->socket_cache, sock);
}

static int __sys_close(int fd)
{
	struct files_struct *files = READ(current_task(), files);
	struct file *file;
	int fput_needed;

	file = fget_light(fd, &fput_needed);
	if (!file)
		return -EBADF;
	WRITE_AT(files, fd_array, fd, NULL);
	fput_light(file, fput_needed);
	fput(file);		/* the table's own reference */
	return 0;
}

int sys_close(int fd)
{
	int err;

	system_call_enter();
	err = __sys_close(fd);
	system_call_exit();
	return err;
}
