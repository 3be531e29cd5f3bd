/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ancillary data of a message that is sent (include/linux/socket.h): one header
 * after another, each with its data, at multiples of eight bytes, as programs
 * of 64-bit hosts lay them out.  Numbers in it are the host's own.
 */
#ifndef STACK_LINUX_SOCKET_H
#define STACK_LINUX_SOCKET_H

#include <string.h>

#include "stack/include/net/sock.h"

#define SOL_UDP 17
#define SO_MARK 36
#define SCM_RIGHTS 1
#define SCM_CREDENTIALS 2

struct cmsghdr {
	u64 cmsg_len;		/* with this header */
	s32 cmsg_level;
	s32 cmsg_type;
};

#define CMSG_ALIGN(len) (((len) + 7u) & ~7u)
#define CMSG_HLEN ((u32)sizeof(struct cmsghdr))
#define CMSG_LEN(len) (CMSG_HLEN + (u32)(len))
#define CMSG_SPACE(len) (CMSG_HLEN + CMSG_ALIGN((u32)(len)))

/* One of them, and where the next one begins. */
struct cmsg {
	s32 level, type;
	const u8 *data;
	u32 len;		/* of data */
	u32 next;
};

/* The one at `at`: 1; 0: there is none; -EINVAL: its length is impossible. */
int cmsg_at(const struct msghdr *msg, u32 at, struct cmsg *cmsg);

/* Of one that has room for it. */
static inline s32 cmsg_int(const struct cmsg *cmsg)
{
	s32 value;

	memcpy(&value, cmsg->data, sizeof(value));
	return value;
}

/* One of SOL_SOCKET: a mark goes to *mark.  0 or -errno. */
int __sock_cmsg_send(const struct cmsg *cmsg, u32 *mark);

/* Memory for a socket's options and the like, of which each may have only so
 * much.  NULL: it has, or there is none. */
void *sock_kmalloc(struct sock *sk, u32 size, enum struct_id id, size_t c_size);
void sock_kfree_s(struct sock *sk, void *p, u32 size);

/* What is too long for the stack of sendmsg().  The bytes themselves stay the
 * caller's. */
struct sock_ctl_buf {
	struct object object;
	u8 data[];
};

#endif
