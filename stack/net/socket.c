/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models net/socket.c: the system calls on sockets, down to the protocol's
 * operations.
 */
#include <errno.h>
#include <string.h>

#include "stack/include/linux/cred.h"
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/slab.h"
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

int sock_sendmsg(struct socket *sock, struct msghdr *msg, u32 len)
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

/* ---- the file system of sockets ---- */

static bool sock_alloc_wq(struct socket *sock)
{
	struct socket_wq *wq;

	if (socket_wq_embedded()) {
		WRITE(sock, wq_wait, NULL);
		WRITE(sock, wq_fasync_list, 0);
		return true;
	}
	wq = KMALLOC(socket_wq, GFP_KERNEL);
	if (!wq)
		return false;
	/* The memory may have been another's. */
	wq->wait.lock = (struct spinlock){ .owner = NULL };
	WRITE(wq, task_list, NULL);
	WRITE(wq, fasync_list, NULL);
	WRITE(sock, wq, wq);
	return true;
}

struct socket_alloc *sock_alloc_inode(void)
{
	struct any_cache *cache =
		this_kernel()->net_core->sockets->socket_cache;
	struct socket_alloc *ei;
	struct object object;

	FUNCTION(sock_alloc_inode);
	ei = kmem_cache_alloc(cache, GFP_KERNEL);
	if (!ei)
		return NULL;
	object = ei->object;
	memset(ei, 0, sizeof(*ei));
	ei->object = object;
	if (!sock_alloc_wq(&ei->socket)) {
		kmem_cache_free(cache, ei);
		return NULL;
	}
	WRITE(&ei->socket, state, SS_UNCONNECTED);
	WRITE(&ei->socket, flags, 0);
	WRITE(&ei->socket, ops, NULL);
	WRITE(&ei->socket, sk, NULL);
	WRITE(&ei->socket, file, NULL);
	return ei;
}

static void sock_free_inode(void *p)
{
	FUNCTION(sock_free_inode);
	kmem_cache_free(this_kernel()->net_core->sockets->socket_cache, p);
}

/* What may still be looked at after the end: the wait queue. */
void sock_destroy_inode(struct socket_alloc *inode)
{
	struct socket_wq *wq;

	if (has(SOCKET_WQ_EMBEDDED)) {
		CALL_RCU(inode, i_rcu, sock_free_inode);
		return;
	}
	if (has(SOCKET_WQ)) {
		wq = READ(&inode->socket, wq);
		KFREE_RCU(wq, rcu);
	}
	sock_free_inode(inode);
}

/* ---- sockets and files ---- */

static struct socket_alloc *SOCK_INODE(struct socket *sock)
{
	return (struct socket_alloc *)(void *)sock;
}

/* Who counts them all: each CPU, or the namespace with the protocols'. */
static void sockets_in_use_add(s32 amount)
{
	struct sockets_in_use **all = this_kernel()->net_core->sockets->in_use;

	if (!has(SOCK_INUSE_NET))
		UPDATE(all[this_cpu->id], sockets_in_use, += amount);
}

static struct socket *sock_alloc(void)
{
	struct mount *mnt = fs_room()->sock_mnt;
	struct socket_alloc *inode;
	struct cred *cred;

	FUNCTION(sock_alloc);
	inode = new_inode_pseudo(READ(mnt, mnt.mnt_sb));
	if (!inode)
		return NULL;
	WRITE(inode, vfs_inode.i_ino, get_next_ino());
	WRITE(inode, vfs_inode.i_mode, 0140777);
	cred = READ(GET_CURRENT(), cred);
	WRITE(&inode->socket, i_uid, READ(cred, fsuid));
	WRITE(inode, vfs_inode.i_gid, (u8)READ(cred, fsgid));
	WRITE(inode, vfs_inode.i_op, 0);
	sockets_in_use_add(1);
	return &inode->socket;
}

/* Without a file, the inode goes as well; with one, the file puts it. */
static void sock_release(struct socket *sock)
{
	const struct proto_ops *ops = READ(sock, ops);
	struct socket_alloc *inode = SOCK_INODE(sock);
	bool lock = has(SOCK_RELEASE_LOCKED) && sock->file;

	FUNCTION(sock_release);
	if (ops) {
		if (lock) {
			might_sleep();
			ATOMIC_INC(inode, vfs_inode.i_rwsem.count);
			WRITE(inode, vfs_inode.i_rwsem.owner, 1);
		}
		READ(ops, release)(sock);
		if (lock) {
			WRITE(inode, vfs_inode.i_rwsem.owner, 0);
			ATOMIC_DEC(inode, vfs_inode.i_rwsem.count);
		}
		WRITE(sock, ops, NULL);
		(void)READ(ops, owner);
	}
	if (socket_wq_embedded())
		(void)READ(sock, wq_fasync_list);
	else
		(void)READ(READ(sock, wq), fasync_list);
	sockets_in_use_add(-1);
	if (READ(sock, file))
		WRITE(sock, file, NULL);
	else
		iput(inode);
}

void sock_close(struct file *file)
{
	FUNCTION(sock_close);
	sock_release(file->private_data);
}

static bool known_protocol(int family, int type, int protocol, int *err)
{
	const struct socket_room *room = this_kernel()->net_core->sockets;

	*err = -EAFNOSUPPORT;
	if (family != PF_INET && (family != PF_INET6 || !room->udp6_cache))
		return false;
	*err = -ESOCKTNOSUPPORT;
	if (type != SOCK_DGRAM)
		return false;
	*err = -EPROTONOSUPPORT;
	return protocol == IPPROTO_UDP_NUMBER ||
	       protocol == IPPROTO_UDPLITE_NUMBER;
}

static struct socket *__sock_create(struct net *net, int family, int type,
				    int protocol, int *err)
{
	struct socket_room *room = this_kernel()->net_core->sockets;
	struct socket *sock;

	FUNCTION(__sock_create);
	/* The first of the type, for who names none. */
	if (!protocol)
		protocol = IPPROTO_UDP_NUMBER;
	if (!known_protocol(family, type, protocol, err))
		return NULL;
	(void)READ(room->security_ops, socket_create);
	*err = -ENFILE;
	sock = sock_alloc();
	if (!sock)
		return NULL;
	WRITE(sock, type, (u32)type);
	rcu_read_lock();
	rcu_read_unlock();
	*err = family == PF_INET6 ? inet6_create(net, sock, protocol) :
				    inet_create(net, sock, protocol);
	if (*err) {
		WRITE(sock, ops, NULL);
		sock_release(sock);
		return NULL;
	}
	(void)READ(READ(sock, ops), owner);
	(void)READ(room->security_ops, socket_post_create);
	return sock;
}

static struct file *sock_alloc_file(struct socket *sock, int *err)
{
	struct file *file;

	FUNCTION(sock_alloc_file);
	if (has(SOCK_FILE_NAME))
		(void)READ(READ(sock, sk), sk_prot_creator);
	file = alloc_file_pseudo(SOCK_INODE(sock),
				 this_kernel()->net_core->sockets, err);
	if (!file)
		return NULL;
	WRITE(sock, file, file);
	WRITE(file, private_data, sock);
	return file;
}

static int sock_map_fd(struct socket *sock)
{
	int fd = get_unused_fd(), err = fd;
	struct file *file;

	if (fd >= 0) {
		file = sock_alloc_file(sock, &err);
		if (file) {
			fd_install((u32)fd, file);
			return fd;
		}
		put_unused_fd((u32)fd);
	}
	sock_release(sock);
	return err;
}

static int __sys_socket(int family, int type, int protocol)
{
	struct socket *sock;
	struct net *net;
	int err;

	FUNCTION(sys_socket);
	STACK_PROTECTOR();
	net = READ(READ(GET_CURRENT(), nsproxy), net_ns);
	sock = __sock_create(net, family, type, protocol, &err);
	return sock ? sock_map_fd(sock) : err;
}

int sys_socket(int family, int type, int protocol)
{
	int fd;

	system_call_enter();
	fd = __sys_socket(family, type, protocol);
	system_call_exit();
	return fd;
}
