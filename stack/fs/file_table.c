/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/file_table.c and fs/file.c: processes' tables of open files.
 * A table that only one task uses is read without taking a reference on the
 * file.
 */
#include <errno.h>

#include "stack/include/linux/fs.h"
#include "stack/include/net/sock.h"
#include "stack/include/linux/netdevice.h"

static struct socket_room *room(void)
{
	return this_kernel()->net_core->sockets;
}

struct files_struct *files_new(void)
{
	struct files_struct *files = kmem_cache_alloc(room()->files_cache,
						      GFP_KERNEL);
	u32 i;

	WRITE(files, count, 0);
	WRITE(files, fdtab.max_fds, NR_OPEN_DEFAULT);
	WRITE(files, fdtab.fd, files->fd_array);
	WRITE(files, fdt, &files->fdtab);
	for (i = 0; i < NR_OPEN_DEFAULT; i++)
		files->fd_array[i] = NULL;
	return files;
}

int fd_install(struct files_struct *files, struct file *file)
{
	u32 fd;

	for (fd = 0; fd < files->fdtab.max_fds; fd++)
		if (!files->fd_array[fd]) {
			WRITE_AT(files, fd_array, fd, file);
			return (int)fd;
		}
	return -EMFILE;
}

struct file *alloc_file(struct socket *sock)
{
	struct file *file = kmem_cache_alloc(room()->file_cache, GFP_KERNEL);

	if (!file)
		return NULL;
	WRITE(file, f_op, room());	/* stands for socket_file_ops */
	WRITE(file, f_flags, 0);
	WRITE(file, f_mode, 3);
	WRITE(file, f_count, 1);
	WRITE(file, private_data, sock);
	return file;
}

void file_free(struct file *file)
{
	kmem_cache_free(room()->file_cache, file);
}

struct file *fget_light(int fd, int *fput_needed)
{
	struct files_struct *files;
	struct fdtable *fdt;
	struct file *file;

	FUNCTION(fget_light);
	*fput_needed = 0;
	files = READ(GET_CURRENT(), files);
	if (READ_ONCE(files, count) == 1) {
		fdt = READ(files, fdt);
		if (fd < 0 || (u32)fd >= READ(files, fdtab.max_fds))
			return NULL;
		(void)fdt;
		(void)READ(files, fdtab.fd);
		file = READ_AT(files, fd_array, fd);
		if (file)
			(void)READ(file, f_mode);
		return file;
	}
	/* Shared with other threads: the file must not go away meanwhile. */
	fdt = READ_ONCE(files, fdt);
	(void)fdt;
	if (fd < 0 || (u32)fd >= READ(files, fdtab.max_fds))
		return NULL;
	file = READ_ONCE_AT(files, fd_array, fd);
	if (!file)
		return NULL;
	ATOMIC_INC(file, f_count);
	*fput_needed = 1;
	return file;
}

/* Another thread may have closed the descriptor meanwhile: the socket goes
 * with the last reference. */
void fput(struct file *file)
{
	FUNCTION(fput);
	if (!ATOMIC_DEC_AND_TEST(file, f_count))
		return;
	sock_release(READ(file, private_data));
	file_free(file);
}

void fput_light(struct file *file, int fput_needed)
{
	if (fput_needed)
		fput(file);
}
