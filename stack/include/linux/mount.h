/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file system of sockets: its superblock and its one mount, and the
 * counters of open files (include/linux/fs.h, fs/mount.h). */
#ifndef STACK_LINUX_MOUNT_H
#define STACK_LINUX_MOUNT_H

#include "stack/kernel.h"

struct super_block {
	struct object object;
	u8 s_blocksize_bits;
	u8 s_iflags;
	const void *s_op;
	const void *s_xattr;
	const void *s_d_op;
	u32 s_wb_err;
	void *s_user_ns;
	u64 s_fsnotify_connectors;
};

/* One CPU's part of a mount's count of users. */
struct mnt_pcp {
	struct object object;
	s32 mnt_count;
};

struct mount {
	struct object object;
	struct { struct super_block *mnt_sb; } mnt;
	struct mnt_pcp **mnt_pcp;	/* by CPU */
	void *mnt_ns;
	u8 mnt_expiry_mark;
};

void mntget(struct mount *mnt);
void mntput(struct mount *mnt);

/* A counter with parts on the CPUs (percpu_counter): what a CPU has goes to
 * the whole when it is more than a batch. */
struct nr_files {
	struct object object;
	struct spinlock lock;
	s64 count;
};

struct nr_files_cpu {
	struct object object;
	s32 counters;
};

struct nr_inodes {
	struct object object;
	s64 nr_inodes;
};

struct nr_dentry {
	struct object object;
	s64 nr_dentry;
};

/* The next inode number of this CPU, and the next run of numbers. */
struct last_ino {
	struct object object;
	u32 last_ino;
};

struct shared_last_ino {
	struct object object;
	u32 shared_last_ino;
};

/* Readers of marks on inodes (fsnotify_mark_srcu). */
struct srcu_lock_count {
	struct object object;
	u64 srcu_lock_count;
};

struct srcu_unlock_count {
	struct object object;
	u64 srcu_unlock_count;
};

struct fs_cpu {
	struct nr_files_cpu *nr_files;
	struct nr_inodes *nr_inodes;
	struct nr_dentry *nr_dentry;
	struct last_ino *last_ino;
	struct srcu_lock_count *srcu_lock;
	struct srcu_unlock_count *srcu_unlock;
};

/* What stack/fs/ keeps for the kernel. */
struct fs_room {
	struct any_cache *dentry_cache;
	struct mount *sock_mnt;
	struct mnt_pcp **mnt_pcp;	/* by CPU; the mount's */
	struct nr_files *nr_files;
	struct shared_last_ino *shared_last_ino;
	u64 max_files;		/* fs.file-max */
	struct fs_cpu *cpu;
};

static inline struct fs_room *fs_room(void)
{
	return this_kernel()->fs;
}

static inline struct fs_cpu *fs_cpu(void)
{
	return &this_kernel()->fs->cpu[this_cpu->id];
}

void fs_init(struct kernel *kernel);
void fs_exit(struct kernel *kernel);

#endif
