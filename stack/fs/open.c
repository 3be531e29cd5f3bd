/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models fs/open.c: close(). */
#include <errno.h>

#include "stack/include/linux/dcache.h"
#include "stack/include/linux/entry.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/net/sock.h"

/* Nobody waits for changes of it, nobody has locked it. */
int filp_close(struct file *file)
{
	struct socket_alloc *inode = file->f_inode;

	FUNCTION(filp_close);
	STACK_PROTECTOR();
	(void)READ_ONCE(file, f_count);
	(void)READ(file, f_op);
	(void)READ(file, f_mode);
	if (has(FILE_INODE))
		(void)READ(file, f_inode);
	else
		(void)READ(READ(file, f_path.dentry), d_inode);
	(void)READ(inode, vfs_inode.i_mode);
	(void)READ(inode, vfs_inode.i_flctx);
	fput(file);
	return 0;
}

static int __sys_close(int fd)
{
	struct file *file;

	FUNCTION(sys_close);
	file = close_fd(READ(GET_CURRENT(), files), fd);
	if (!file)
		return -EBADF;
	return filp_close(file);
}

int sys_close(int fd)
{
	int err;

	system_call_enter();
	err = __sys_close(fd);
	system_call_exit();
	return err;
}
