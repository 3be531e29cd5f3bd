/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/socket.c, the system calls that receive. */
#include <errno.h>

#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/uaccess.h"
#include "stack/include/net/sock.h"

static int security_socket_recvmsg(void)
{
	FUNCTION(security_socket_recvmsg);
	(void)READ(this_kernel()->net_core->sockets->security_ops,
		   socket_recvmsg);
	return 0;
}

static int sock_recvmsg(struct socket *sock, struct msghdr *msg, u32 len)
{
	const struct proto_ops *ops;
	int err;

	FUNCTION(sock_recvmsg);
	err = security_socket_recvmsg();
	if (err)
		return err;
	ops = READ(sock, ops);
	return READ(ops, recvmsg)(sock, msg, len);
}

/* The sender's address, to the user. */
static void move_addr_to_user(u32 len)
{
	FUNCTION(move_addr_to_user);
	(void)READ(GET_CURRENT(), audit_context);
	check_object_size(NULL, 0, len, true);
	FUNCTION(copy_user_generic_string);
	REP_STRING(2);
}

static int recv_on(int fd, struct msghdr *msg, u32 len)
{
	struct socket *sock;
	struct file *file;
	int err, fput_needed;

	STACK_PROTECTOR();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	file = READ(sock, file);
	if (READ(file, f_flags) & 0x800)	/* O_NONBLOCK */
		msg->msg_flags |= MSG_DONTWAIT;
	err = sock_recvmsg(sock, msg, len);
	if (err >= 0 && msg->from)
		move_addr_to_user(msg->from->family == PF_INET6 ?
				  SOCKADDR_IN6_SIZE : SOCKADDR_IN_SIZE);
	fput_light(file, fput_needed);
	return err;
}

static int __sys_recvfrom(int fd, struct msghdr *msg, u32 len)
{
	FUNCTION(sys_recvfrom);
	return recv_on(fd, msg, len);
}

/* The message's header comes from the user and goes back. */
static int __sys_recvmsg(int fd, struct msghdr *msg, u32 len)
{
	FUNCTION(sys_recvmsg);
	return recv_on(fd, msg, len);
}

int sys_recvfrom(int fd, u8 *to, u32 len, u32 flags, struct sockaddr_any *from)
{
	struct msghdr msg = { .to = to, .from = from, .msg_flags = flags };
	int err;

	system_call_enter();
	err = __sys_recvfrom(fd, &msg, len);
	system_call_exit();
	return err;
}

int sys_recvmsg(int fd, struct msghdr *msg, u32 len)
{
	int err;

	system_call_enter();
	err = __sys_recvmsg(fd, msg, len);
	system_call_exit();
	return err;
}
