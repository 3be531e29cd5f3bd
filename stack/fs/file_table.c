/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/file_table.c: open files.  A file whose last reference is put is
 * released when the task goes back to user mode, and its memory is given back
 * when nobody can look at it any more.
 */
#include <errno.h>

#include "sim/check.h"
#include "stack/include/linux/cred.h"
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/netdevice.h"
#include "stack/include/linux/percpu.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/slab.h"
#include "stack/include/net/sock.h"

/* What one CPU counts before it tells the others: at least 32, and two for
 * each CPU. */
static s32 percpu_counter_batch(void)
{
	return MAX(32, 2 * (s32)this_cpu->machine->num_cpus);
}

static void nr_files_add(s32 amount)
{
	struct nr_files *total = fs_room()->nr_files;
	struct nr_files_cpu *own = fs_cpu()->nr_files;
	s32 count;

	FUNCTION(percpu_counter_add_batch);
	count = READ(own, counters) + amount;
	if (likely(ABS(count) < percpu_counter_batch())) {
		UPDATE(own, counters, += amount);
		return;
	}
	SPIN_LOCK(total, lock);
	UPDATE(total, count, += count);
	WRITE(own, counters, 0);
	SPIN_UNLOCK(total, lock);
}

/* Of all CPUs, for who must know; else the whole is near enough. */
static s64 nr_files_sum(void)
{
	const struct fs_room *room = fs_room();
	s64 sum = READ(room->nr_files, count);
	u32 i;

	for (i = 0; i < this_cpu->machine->num_cpus; i++)
		sum += READ(room->cpu[i].nr_files, counters);
	return sum;
}

static bool too_many_files(void)
{
	s64 max = (s64)fs_room()->max_files;

	/* Without the lock: near enough. */
	return READ_ONCE(fs_room()->nr_files, count) >= max &&
	       nr_files_sum() >= max;
}

static struct any_cache *filp_cache(void)
{
	return this_kernel()->net_core->sockets->file_cache;
}

static void init_file(struct file *file)
{
	WRITE_BYTES(file, memory, 0, this_kernel()->types[STRUCT_file].size);
	WRITE(file, f_cred, get_cred(READ(GET_CURRENT(), cred)));
	WRITE(file, f_security, 0);
	WRITE(file, f_count, 1);
	WRITE(file, f_owner, 0);
	WRITE(file, f_lock, 0);
	if (has(FILE_POS_LOCK))
		WRITE(file, f_pos_lock, 0);
}

static struct file *alloc_empty_file(int *err)
{
	struct file *file;

	FUNCTION(alloc_empty_file);
	*err = -ENFILE;
	if (too_many_files())
		return NULL;
	file = kmem_cache_alloc(filp_cache(), GFP_KERNEL);
	if (!file) {
		*err = has(ALLOC_FILE_ERRNO) ? -ENOMEM : -ENFILE;
		return NULL;
	}
	init_file(file);
	nr_files_add(1);
	return file;
}

static struct file *alloc_file(struct dentry *dentry, struct mount *mnt,
			       const void *f_op, int *err)
{
	struct file *file = alloc_empty_file(err);

	FUNCTION(alloc_file);
	if (!file)
		return NULL;
	WRITE(file, f_path.dentry, dentry);
	WRITE(file, f_path.mnt, mnt);
	if (has(FILE_INODE))
		WRITE(file, f_inode, dentry->d_inode);
	file->f_inode = dentry->d_inode;
	(void)READ(dentry, d_inode);
	(void)READ(dentry->d_inode, vfs_inode.i_mapping);
	WRITE(file, f_mapping, 0);
	if (has(ERRSEQ)) {
		(void)READ(dentry->d_inode, vfs_inode.i_data.wb_err);
		WRITE(file, f_wb_err, 0);
		(void)READ(READ(mnt, mnt.mnt_sb), s_wb_err);
		(void)READ(dentry, d_sb);
		WRITE(file, f_sb_err, 0);
	}
	WRITE(file, f_flags, 2);	/* O_RDWR */
	WRITE(file, f_mode, 3);
	WRITE(file, f_op, f_op);
	return file;
}

struct file *alloc_file_pseudo(struct socket_alloc *inode, const void *f_op,
			       int *err)
{
	struct mount *mnt = fs_room()->sock_mnt;
	struct dentry *dentry;
	struct file *file;

	FUNCTION(alloc_file_pseudo);
	STACK_PROTECTOR();
	*err = -ENOMEM;
	dentry = d_alloc_pseudo(READ(mnt, mnt.mnt_sb));
	if (!dentry)
		return NULL;
	mntget(mnt);
	d_instantiate(dentry, inode);
	file = alloc_file(dentry, mnt, f_op, err);
	if (!file) {
		/* The inode stays the caller's. */
		ATOMIC_INC(inode, vfs_inode.i_count);
		dput(dentry);
		mntput(mnt);
	}
	return file;
}

/* ---- the end ---- */

static void file_free_rcu(void *p)
{
	struct file *file = p;

	FUNCTION(file_free_rcu);
	put_cred(READ(file, f_cred));
	kmem_cache_free(filp_cache(), file);
}

static void file_free(struct file *file)
{
	(void)READ(file, f_security);
	nr_files_add(-1);
	CALL_RCU(file, f_rcuhead, file_free_rcu);
}

/* Nobody polls it, has locked it, or wants to hear of its end. */
static void forget_file(struct file *file)
{
	struct socket_alloc *inode = file->f_inode;

	(void)READ(file, f_mode);
	if (has(FILE_INODE))
		(void)READ(file, f_inode);
	(void)READ(inode, vfs_inode.i_mode);
	if (has(FSNOTIFY_CONNECTOR))
		(void)READ(READ(inode, vfs_inode.i_sb), s_fsnotify_connectors);
	(void)READ(file, f_ep);
	(void)READ(inode, vfs_inode.i_flctx);
	(void)READ(file, f_flags);
}

static void __fput(struct file *file)
{
	struct dentry *dentry;
	struct mount *mnt;

	FUNCTION(__fput);
	might_sleep();
	dentry = READ(file, f_path.dentry);
	mnt = READ(file, f_path.mnt);
	forget_file(file);
	(void)READ(file, f_op);
	sock_close(file);
	(void)READ(file, f_owner);	/* put_pid() */
	if (has(FILE_FREED_LAST)) {
		dput(dentry);
		mntput(mnt);
		file_free(file);
	} else {
		WRITE(file, f_path.dentry, NULL);
		WRITE(file, f_path.mnt, NULL);
		file_free(file);
		dput(dentry);
		mntput(mnt);
	}
}

void ____fput(struct file *file)
{
	__fput(file);
}

void fput(struct file *file)
{
	s32 left;

	FUNCTION(fput);
	left = ATOMIC_SUB_RETURN(file, f_count, 1);
	check_refcount(this_cpu->machine, &file->object, "f_count", left);
	if (left)
		return;
	if (!has(FPUT_TASK_WORK)) {
		__fput(file);
		return;
	}
	(void)READ(GET_CURRENT(), flags);
	WRITE(file, f_rcuhead.func, 0);
	task_work_add(current_task(), file);
}

void fput_light(struct file *file, int fput_needed)
{
	if (fput_needed)
		fput(file);
}
