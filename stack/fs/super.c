/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start of fs/: the file system of sockets (fs/super.c, libfs.c) and the
 * limits of open files. */
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/sock.h"

#define NR_FILE 8192u		/* the least that fs.file-max is */

static void fs_cpu_init(struct kernel *kernel, u32 cpu)
{
	u32 node = kernel->machine->cpus[cpu].package;
	struct fs_cpu *own = &kernel->fs->cpu[cpu];

	own->nr_files = STATIC_OBJECT(kernel, nr_files_cpu, node);
	own->nr_inodes = STATIC_OBJECT(kernel, nr_inodes, node);
	own->nr_dentry = STATIC_OBJECT(kernel, nr_dentry, node);
	own->last_ino = STATIC_OBJECT(kernel, last_ino, node);
	own->srcu_lock = STATIC_OBJECT(kernel, srcu_lock_count, node);
	own->srcu_unlock = STATIC_OBJECT(kernel, srcu_unlock_count, node);
	kernel->fs->mnt_pcp[cpu] = STATIC_OBJECT(kernel, mnt_pcp, node);
}

void fs_init(struct kernel *kernel)
{
	const struct machine_profile *profile = kernel->machine->profile;
	u32 n = kernel->machine->num_cpus, i;
	struct fs_room *room = g_new0(struct fs_room, 1);

	kernel->fs = room;
	room->cpu = g_new0(struct fs_cpu, n);
	room->mnt_pcp = g_new0(struct mnt_pcp *, n);
	for (i = 0; i < n; i++)
		fs_cpu_init(kernel, i);
	room->nr_files = STATIC_OBJECT(kernel, nr_files, 0);
	room->shared_last_ino = STATIC_OBJECT(kernel, shared_last_ino, 0);
	/* A tenth of the memory, at one KiB a file with its inode and name. */
	room->max_files = MAX(profile->packages * profile->node_bytes / 1024 / 10,
			      NR_FILE);
	room->dentry_cache = kmem_cache_create(kernel, "dentry", STRUCT_dentry,
					       sizeof(struct dentry), 0, 0, 0);
	room->sock_mnt = STATIC_OBJECT(kernel, mount, 0);
	room->sock_mnt->mnt.mnt_sb = STATIC_OBJECT(kernel, super_block, 0);
	room->sock_mnt->mnt_pcp = room->mnt_pcp;
}

void fs_exit(struct kernel *kernel)
{
	if (!kernel->fs)
		return;
	g_free(kernel->fs->mnt_pcp);
	g_free(kernel->fs->cpu);
	g_free(kernel->fs);
}
