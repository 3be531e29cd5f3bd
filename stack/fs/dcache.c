/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models fs/dcache.c as far as the name of a socket comes by: it hangs on no
 * directory, nobody can look it up, and it is freed at once with its last
 * reference.
 */
#include "stack/include/linux/dcache.h"
#include "stack/include/linux/rcupdate.h"
#include "stack/include/linux/sched.h"
#include "stack/include/linux/slab.h"

#define DCACHE_OP_DNAME 0x1000u
#define DCACHE_NORCU 0x40000000u
#define DCACHE_KILLED 0x8000u

static struct dentry *__d_alloc(struct super_block *sb)
{
	struct dentry *dentry;

	FUNCTION(__d_alloc);
	dentry = kmem_cache_alloc(fs_room()->dentry_cache, GFP_KERNEL);
	if (!dentry)
		return NULL;
	WRITE(dentry, d_iname, 0);
	WRITE(dentry, d_name, 0);
	WRITE(dentry, d_flags, 0);
	dentry->d_lock = (struct spinlock){ 0 };
	WRITE(dentry, d_count, 1);
	WRITE(dentry, d_seq, 0);
	WRITE(dentry, d_inode, NULL);
	WRITE(dentry, d_parent, 0);
	WRITE(dentry, d_sb, 0);
	WRITE(dentry, d_op, 0);
	WRITE(dentry, d_fsdata, 0);
	WRITE(dentry, d_hash, 0);
	WRITE(dentry, d_lru, 0);
	WRITE(dentry, d_subdirs, 0);
	WRITE(dentry, d_alias, 0);
	WRITE(dentry, d_child, 0);
	(void)READ(sb, s_d_op);
	UPDATE(dentry, d_flags, |= DCACHE_OP_DNAME);
	UPDATE(fs_cpu()->nr_dentry, nr_dentry, += 1);
	return dentry;
}

struct dentry *d_alloc_pseudo(struct super_block *sb)
{
	struct dentry *dentry = __d_alloc(sb);

	if (dentry && has(DCACHE_PSEUDO_NORCU))
		UPDATE(dentry, d_flags, |= DCACHE_NORCU);
	return dentry;
}

static void __d_instantiate(struct dentry *dentry, struct socket_alloc *inode)
{
	(void)READ(inode, vfs_inode.i_opflags);
	SPIN_LOCK(dentry, d_lock);
	UPDATE(inode, vfs_inode.i_dentry, += 1);
	WRITE(dentry, d_alias, 1);
	UPDATE(dentry, d_seq, += 1);
	WRITE_ONCE(dentry, d_inode, inode);
	UPDATE(dentry, d_flags, |= 0);
	UPDATE(dentry, d_seq, += 1);
	(void)READ(inode, vfs_inode.i_fsnotify_mask);
	SPIN_UNLOCK(dentry, d_lock);
}

void d_instantiate(struct dentry *dentry, struct socket_alloc *inode)
{
	FUNCTION(d_instantiate);
	(void)READ(dentry, d_alias);
	(void)READ(inode, vfs_inode.i_flags);
	SPIN_LOCK(inode, vfs_inode.i_lock);
	__d_instantiate(dentry, inode);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
}

/* ---- the end ---- */

/* Comes with the locks of both, and gives them back. */
static void dentry_unlink_inode(struct dentry *dentry)
{
	struct socket_alloc *inode = READ(dentry, d_inode);

	FUNCTION(dentry_unlink_inode);
	UPDATE(dentry, d_seq, += 1);
	UPDATE(dentry, d_flags, |= 0);
	WRITE_ONCE(dentry, d_inode, NULL);
	(void)READ(dentry, d_alias);
	WRITE(inode, vfs_inode.i_dentry, 0);
	WRITE(dentry, d_alias, 0);
	UPDATE(dentry, d_seq, += 1);
	SPIN_UNLOCK(dentry, d_lock);
	SPIN_UNLOCK(inode, vfs_inode.i_lock);
	(void)READ(inode, vfs_inode.i_nlink);
	(void)READ(dentry, d_op);
	iput(inode);
}

static void dentry_free(struct dentry *dentry)
{
	(void)READ(dentry, d_alias);
	(void)READ(dentry, d_name);
	(void)READ(dentry, d_flags);
	kmem_cache_free(fs_room()->dentry_cache, dentry);
}

static void __dentry_kill(struct dentry *dentry)
{
	FUNCTION(__dentry_kill);
	WRITE(dentry, d_count, -128);
	UPDATE(dentry, d_flags, |= DCACHE_KILLED);
	(void)READ(dentry, d_hash);
	(void)READ(dentry, d_parent);
	(void)READ(dentry, d_child);
	dentry_unlink_inode(dentry);
	UPDATE(fs_cpu()->nr_dentry, nr_dentry, -= 1);
	(void)READ(dentry, d_op);
	SPIN_LOCK(dentry, d_lock);
	(void)READ(dentry, d_flags);
	SPIN_UNLOCK(dentry, d_lock);
	dentry_free(dentry);
	might_sleep();
}

/* Puts a reference without the lock, if it is not the last. */
static bool lockref_put(struct dentry *dentry)
{
	if (!has(DENTRY_LOCKREF))
		return false;
	(void)READ_ONCE(dentry, d_count);
	if (ATOMIC_SUB_RETURN(dentry, d_count, 1))
		return true;
	(void)READ(dentry, d_flags);
	return false;
}

/* No other socket has this inode, so that its lock is free. */
void dput(struct dentry *dentry)
{
	struct socket_alloc *inode;

	FUNCTION(dput);
	might_sleep();
	rcu_read_lock();
	if (lockref_put(dentry)) {
		rcu_read_unlock();
		return;
	}
	SPIN_LOCK(dentry, d_lock);
	rcu_read_unlock();
	if (!has(DENTRY_LOCKREF))
		UPDATE(dentry, d_count, -= 1);
	if (dentry->d_count) {
		SPIN_UNLOCK(dentry, d_lock);
		return;
	}
	(void)READ(dentry, d_hash);
	inode = READ(dentry, d_inode);
	(void)SPIN_TRYLOCK(inode, vfs_inode.i_lock);
	(void)READ(dentry, d_parent);
	__dentry_kill(dentry);
}
