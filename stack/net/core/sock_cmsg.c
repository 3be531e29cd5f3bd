/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models net/core/sock.c and scm.c: what a message says of itself in ancillary
 * data, and the memory that a socket may have for such things. */
#include <errno.h>

#include "stack/include/linux/cred.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/slab.h"
#include "stack/include/linux/socket.h"

#define SYSCTL_OPTMEM_MAX 20480u	/* net.core.optmem_max */

int cmsg_at(const struct msghdr *msg, u32 at, struct cmsg *cmsg)
{
	struct cmsghdr hdr;
	u32 left;

	WORK(8);
	if (at > msg->msg_controllen)
		return 0;
	left = msg->msg_controllen - at;
	if (left < CMSG_HLEN)
		return 0;
	memcpy(&hdr, msg->msg_control + at, sizeof(hdr));
	if (hdr.cmsg_len < CMSG_HLEN || hdr.cmsg_len > left)
		return -EINVAL;
	cmsg->level = hdr.cmsg_level;
	cmsg->type = hdr.cmsg_type;
	cmsg->data = msg->msg_control + at + CMSG_HLEN;
	cmsg->len = (u32)hdr.cmsg_len - CMSG_HLEN;
	cmsg->next = at + CMSG_ALIGN((u32)hdr.cmsg_len);
	return 1;
}

int __sock_cmsg_send(const struct cmsg *cmsg, u32 *mark)
{
	FUNCTION(__sock_cmsg_send);
	/* What local sockets pass to each other is not looked at.  No time
	 * stamps, no time of departure. */
	if (cmsg->type == SCM_RIGHTS || cmsg->type == SCM_CREDENTIALS)
		return 0;
	if (cmsg->type != SO_MARK)
		return -EINVAL;
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (cmsg->len != sizeof(*mark))
		return -EINVAL;
	memcpy(mark, cmsg->data, sizeof(*mark));
	return 0;
}

void *sock_kmalloc(struct sock *sk, u32 size, enum struct_id id, size_t c_size)
{
	void *p;

	if (size > SYSCTL_OPTMEM_MAX ||
	    READ_ONCE(sk, sk_omem_alloc) + size >= SYSCTL_OPTMEM_MAX)
		return NULL;
	/* Before the allocation, which may sleep. */
	ATOMIC_ADD_RETURN(sk, sk_omem_alloc, size);
	p = kmalloc(size, id, c_size, GFP_KERNEL);
	if (!p)
		ATOMIC_SUB_RETURN(sk, sk_omem_alloc, size);
	return p;
}

void sock_kfree_s(struct sock *sk, void *p, u32 size)
{
	kfree(p);
	ATOMIC_SUB_RETURN(sk, sk_omem_alloc, size);
}
