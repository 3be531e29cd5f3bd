/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/socket.c: sendmsg().
 *
 *	sys_sendmsg -> copy_control -> sock_sendmsg
 */
#include <errno.h>

#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/socket.h"
#include "stack/include/linux/uaccess.h"

#define CTL_ON_STACK 36u	/* so much fits without memory of its own */

/* The ancillary data comes in: onto the stack, or into memory that is asked
 * for. */
static int copy_control(struct sock *sk, u32 len, struct sock_ctl_buf **buf)
{
	*buf = NULL;
	if (!len)
		return 0;
	if (len > INT32_MAX)
		return -ENOBUFS;
	if (len > CTL_ON_STACK) {
		*buf = sock_kmalloc(sk, len, STRUCT_sock_ctl_buf,
				    sizeof(**buf));
		if (!*buf)
			return -ENOBUFS;
		WRITE_BYTES(*buf, data, 0, len);
	}
	check_object_size(*buf, 0, len, false);
	FUNCTION(copy_user_generic_string);
	REP_STRING(2);
	WORK(len / 8);
	return 0;
}

static int send_on(struct socket *sock, struct file *file, struct msghdr *msg,
		   u32 len)
{
	struct sock *sk = READ(sock, sk);
	struct sock_ctl_buf *buf;
	int err;

	if (msg->msg_name) {
		err = move_addr_to_kernel(msg->msg_namelen);
		if (err)
			return err;
	}
	err = copy_control(sk, msg->msg_controllen, &buf);
	if (err)
		return err;
	if (READ(file, f_flags) & 0x800)	/* O_NONBLOCK */
		msg->msg_flags |= MSG_DONTWAIT;
	err = sock_sendmsg(sock, msg, len);
	if (buf)
		sock_kfree_s(sk, buf, msg->msg_controllen);
	return err;
}

static int __sys_sendmsg(int fd, struct msghdr *msg, u32 len)
{
	struct socket *sock;
	struct file *file;
	int err, fput_needed;

	FUNCTION(sys_sendmsg);
	STACK_PROTECTOR();
	sock = sockfd_lookup_light(fd, &err, &fput_needed);
	if (!sock)
		return err;
	file = READ(sock, file);
	err = send_on(sock, file, msg, len);
	fput_light(file, fput_needed);
	return err;
}

int sys_sendmsg(int fd, struct msghdr *msg, u32 len)
{
	int err;

	system_call_enter();
	err = __sys_sendmsg(fd, msg, len);
	system_call_exit();
	return err;
}
